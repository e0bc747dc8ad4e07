# Drawings of results: glTF and VTK of run and report, figures of plot.
. "$(dirname "$0")/common.sh"

# ---- run and report give the same ----
expect 0 run top.yaml -o alone.glb
says "shown in alone.glb; full data are not kept: add -o FILE.nc for them"
[ "$(ls alone* | tr '\n' ' ')" = "alone.glb " ] || fail "left behind: $(ls alone*)"
expect 0 run top.yaml -o a.nc -o a.glb -o a.pvd
says "11 rows in a.nc" "shown in a.glb, in a.pvd"
expect 0 report a.nc -o b.glb -o b.pvd
same alone.glb a.glb
same a.glb b.glb
same a/frame_000010.vtp b/frame_000010.vtp
[ "$(grep -c DataSet a.pvd)" = 11 ] || fail "a.pvd: $(cat a.pvd)"
expect 0 report a.nc -o few.glb --frames 4
says "few.glb shows every row number 4 of 11"
expect 0 report a.nc -o few.glb --frames 4 --quiet
[ -s err ] && fail "quiet: $(cat err)"

# ---- what cannot be drawn ----
expect 2 report a.nc -o a.txt
says "expected a name that ends in .html, .glb or .pvd"
expect 2 report a.nc a.nc -o two.glb
says "'two.glb' shows one result, got 2"
expect 0 run top.yaml -o a.csv
expect 2 report a.csv -o csv.glb
says "a.csv" "does not say how it is drawn"
expect 2 run top.yaml --set output.poses=false -o bare.glb
says "no poses"
expect 4 report a.nc -o none/a.glb

# ---- figures ----
command -v gnuplot >/dev/null || { echo "absent: gnuplot; figures are not tested" && finish; }
expect 0 plot a.nc top.position -o a.svg
grep -q '>top.position.x<' a.svg || fail "no label of top.position.x"
grep -q '>t, s<' a.svg || fail "no label of time"
expect 0 plot a.nc top.position.z energy.total -o two.svg # two units: two panels
grep -q '>top.position.z, m<' two.svg && grep -q '>energy.total, J<' two.svg || fail "units: two.svg"
expect 0 plot a.nc -x top.position.x top.position.y -o path.pdf
head -c 5 path.pdf | grep -q '%PDF' || fail "path.pdf is none"
expect 0 plot a.nc top.position.z --spectrum -o s.png
head -c 4 s.png | grep -q PNG || fail "s.png is none"
expect 0 plot a.nc top.position.z --spectrum --window none -o s.svg
grep -q '>frequency, Hz<' s.svg || fail "no label of frequency"
mkdir -p other
expect 0 run top.yaml --set m=2 -o other/a.nc # the same file's name in another folder
expect 0 plot a.nc other/a.nc top.position.z -o over.svg
grep -q '>top.position.z, other/a.nc<' over.svg || fail "results of one name are not told apart"
expect 0 plot a.csv a.nc top.position.z -o over.svg # the unit of the one that knows it
grep -q '>m<' over.svg || fail "unit of a CSV"

# Lines break where an angle wraps: as many pieces as there are turns, and one.
cat >turn.yaml <<'MODEL'
nutate: 1
bodies:
  disk: {mass: 1, inertia: [1, 1, 2], angular_velocity: [0, 0, 10]}
gravity: [0, 0, 0]
simulation: {duration: 2, step: 1e-3}
output: {every: 1e-2, record: [disk.euler_zyx]}
MODEL
expect 0 run turn.yaml -o turn.nc
expect 0 plot turn.nc disk.euler_zyx.first -o turn.svg
pieces=$(grep -o 'M[0-9.,]* L' turn.svg | wc -l)
[ "$pieces" -ge 4 ] || fail "$pieces pieces of an angle that wraps three times"

# Results of different mechanisms are said.
expect 0 run top.yaml --set output.record='[energy]' -o a_energy.nc
expect 0 run turn.yaml --set output.record='[energy]' -o turn_energy.nc
expect 0 plot a_energy.nc turn_energy.nc energy.total -o both.svg
says "'a_energy.nc' and 'turn_energy.nc' are of different mechanisms"
expect 0 plot a_energy.nc a_energy.nc energy.total -o both.svg
[ -s err ] && fail "warned of one mechanism: $(cat err)"

# Rows that are no numbers are said, and left out.
printf 'time,a\n0,1\n1,nan\n2,3\n3,4\n' >hole.csv
expect 0 plot hole.csv a -o hole.svg
says "1 of 4 rows of a are no finite numbers"
expect 2 plot hole.csv a --spectrum -o hole.svg
says "no finite numbers"

# The table of a sweep: a curve for each value of what else varies; points of samples.
cat >grid.yaml <<'PLAN'
sweep: 1
model: top.yaml
set: {simulation.duration: 0.05}
vary: {m: [1, 2, -1], method: [generalized-alpha, bdf]}
keep: {final: [top.position.z]}
PLAN
expect 0 sweep grid.yaml -o grid --quiet
expect 0 sweep --collect grid -o grid.nc -o grid.csv --quiet
expect 0 plot grid.nc top.position.z.final -o grid.svg
says "2 of 6 rows failed"
for label in 'top.position.z.final, method = bdf' 'top.position.z.final, method = generalized-alpha' m; do
    grep -q ">$label<" grid.svg || fail "no '$label' in the figure of a grid"
done
expect 0 plot grid.csv top.position.z.final -o grid_csv.svg
expect 2 plot grid.nc top.position.z.final -x method -o x.svg
says "'method' of 'grid.nc' holds texts"
expect 2 plot grid.nc top.position.z.final --spectrum -o x.svg
sed -e 's/^vary.*/vary: {m: {low: 1, high: 2}, step: {low: 1e-3, high: 2e-3}}\ndesign: random\nsamples: 20/' grid.yaml >drawn.yaml
expect 0 sweep drawn.yaml -o drawn --quiet
expect 0 sweep --collect drawn -o drawn.nc --quiet
expect 0 plot drawn.nc top.position.z.final -x m -o drawn.svg
points=$(grep -c "use xlink:href='#gpPt6'" drawn.svg)
[ "$points" -ge 20 ] || fail "$points points of 20 samples"

expect 2 plot a.nc top.positon -o x.svg
says "'a.nc' has no column 'top.positon'" "did you mean 'top.position"
expect 2 plot a.nc top.position -x foo -o x.svg
expect 2 plot top.position -o x.svg
says "plot needs a RESULT"
expect 2 plot a.nc -o x.svg
expect 2 plot a.nc top.position -o x.gif
says ".svg, .pdf or .png"
expect 2 plot a.nc top.position -x time --spectrum -o x.svg
expect 2 plot a.nc top.position --window hann -o x.svg
expect 4 plot none.nc top.position -o x.svg
expect 4 plot a.nc top.position -o none/x.svg
finish
