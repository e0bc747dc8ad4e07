# A run: where the result goes, its columns and rows, and what happens when it cannot be written or
# computed.
. "$(dirname "$0")/common.sh"

# last FILE COLUMN: a number of the last row
last() { tail -n 1 "$1" | cut -d, -f "$2"; }
is() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a == b) }' || fail "$3: $1, expected $2"; }

# ---- the result ----
expect 0 run top.yaml
[ -s out ] && fail "standard output is not empty"
says "Heavy top" "top.position" "steps 100" "energy" "constraint drift" "us per step" "top.csv"
columns=time,top.position.x,top.position.y,top.position.z,top.orientation.w,top.orientation.x
columns=$columns,top.orientation.y,top.orientation.z,pivot.force.x,pivot.force.y,pivot.force.z
columns=$columns,energy.kinetic,energy.potential,energy.total,energy.work
[ "$(head -n 1 top.csv)" = "$columns" ] || fail "columns: $(head -n 1 top.csv)"
is "$(wc -l <top.csv)" 12 "lines of 0.1 s in steps of 0.01 s"
is "$(sed -n 2p top.csv | cut -d, -f 1)" 0 "first time"
is "$(last top.csv 1)" 0.1 "last time"

expect 0 run top.yaml --quiet -o quiet.csv
[ -s err ] && fail "--quiet speaks"
same top.csv quiet.csv
expect 0 run top.yaml -o -
same top.csv out
"$nutate" run - <top.yaml >out 2>err || fail "a model from standard input"
same top.csv out
mkdir -p deep && cp top.yaml deep/model.yml
expect 0 run deep/model.yml
same top.csv deep/model.csv

# The last row stands at the end, whatever the spacing; a spacing that the steps do not meet.
expect 0 run top.yaml --duration 0.0255
is "$(last top.csv 1)" 0.0255 "last time"
is "$(wc -l <top.csv)" 5 "lines: 0, 0.01, 0.02, 0.0255"
expect 0 run top.yaml --set output.every=0.00037 --duration 0.01
is "$(sed -n 3p top.csv | cut -d, -f 1)" 0.00037 "interpolated time"
is "$(wc -l <top.csv)" 30 "lines of 0.01 s each 0.00037 s"
sed 's/every: 1e-2, //' top.yaml >each.yaml
expect 0 run each.yaml --duration 0.01 --step 3e-3
is "$(wc -l <each.csv)" 6 "a row after each of four equal steps"
is "$(sed -n 3p each.csv | cut -d, -f 1)" 0.0025 "equal steps"
expect 0 run top.yaml --set 'output.record=[top.position.z, energy.total]' --duration 0.01
[ "$(head -n 1 top.csv)" = time,top.position.z,energy.total ] || fail "single columns"

# NetCDF begins with its magic number; --set reaches parameters and keys.
expect 0 run top.yaml -o top.nc
[ "$(head -c 3 top.nc)" = CDF ] || fail "no NetCDF file"
if command -v ncdump >/dev/null; then
    ncdump -h top.nc >out
    prints 'time = UNLIMITED ; // (11 currently)' 'double top.position.x(time)' 'units = "m"' \
        'model_sha256' 'nutate run top.yaml' 'model_file = "top.yaml"'
    grep -q "$PWD" top.nc && fail "a path of this machine in the result"
fi
expect 0 run top.yaml --set m=30 --set gravity='[0, 0, 0]'
is "$(last top.csv 13)" 0 "potential energy without gravity"
expect 2 run top.yaml --set armm=2
says "--set armm: unknown key 'armm' in the model; did you mean 'arm'?"

# ---- another method, with an option of its own ----
expect 0 run top.yaml --method generalized-alpha-linear --quiet \
    --set simulation.options.parameterization=rotation-vector
awk -v x="$(last top.csv 2)" 'BEGIN { exit !(x > 0.4212 && x < 0.4213) }' || fail "x of the top"
expect 2 run top.yaml --method generalized-alpha-residual \
    --set simulation.options.parameterization=euler
says "parameterization is 'euler', expected one of rotation-vector, conformal"

# ---- names that do not exist ----
expect 2 run top.yaml --set 'output.record=[top.positon]'
says "positon" "did you mean 'position'?"
expect 2 run top.yaml --set 'output.record=[tpo.position]'
says "did you mean 'top'?"
expect 2 run top.yaml --set 'output.record=[pivot.angle]'
says "'pivot' has no 'angle'"
expect 2 run top.yaml --set 'output.record=[energy, energy.total]'
says "twice"
expect 2 run top.yaml -o ./top.yaml
cmp -s "$here/top.yaml" top.yaml || fail "the model was written over"

# ---- what cannot be written ----
expect 4 run top.yaml -o missing/folder/top.csv
says "missing/folder/top.csv" "No such file or directory"
mkdir -p folder.csv
expect 4 run top.yaml -o folder.csv
says "folder.csv" "directory"
ln -sf /dev/full full.csv
ln -sf /dev/full full.nc
for file in full.csv full.nc; do
    expect 4 run top.yaml -o $file
    says "$file" "No space left on device"
done
"$nutate" run top.yaml -o - >/dev/full 2>err
[ $? = 4 ] || fail "standard output on a full disk"
says "standard output" "No space left on device"
expect 4 run top.yaml --save missing/state
says "missing/state"

# ---- a computation that fails keeps what it had ----
expect 3 run breaks.yaml
says "breaks.yaml" "t = 0.0"
awk -F, 'NR > 1 && !($1 <= 0.05) { exit 1 }' breaks.csv || fail "rows after the failure"
awk -v t="$(last breaks.csv 1)" 'BEGIN { exit !(t > 0.045 && t <= 0.05) }' ||
    fail "the last row stands at $(last breaks.csv 1), the forces end at 0.05"

# ---- inertia that is not there: a thin rod in turned axes, singular but for rounding ----
cat >rod.yaml <<'END'
nutate: 1
bodies:
  a: {mass: 1, inertia: [0.96, 0.75, 0.29, -0.1, -0.16852299546352717, -0.4213074886588179],
      angular_velocity: [1, 0.3, 0.2]}
simulation: {duration: 1, step: 1e-3}
END
for method in generalized-alpha rkmk-dop853 lie-newmark bdf; do
    expect 3 run rod.yaml --method "$method"
    says "nutate: rod.yaml:3:3: initial accelerations at t = 0 s" \
        "moment on body a about x: no inertia or constraint determines it"
done

# ---- what has no value, or none that a double holds, is not written as a result ----
cat >large.yaml <<'END'
nutate: 1
gravity: [0, 0, -1e200]
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1e-150]}
simulation: {duration: 1, step: 1e-3}
output: {every: 0.1, record: [a.position, energy]}
END
expect 3 run large.yaml
says "nutate: large.yaml: energy.kinetic is not finite at t = 0.1 s"
[ "$(wc -l <large.csv)" = 2 ] || fail "rows of large.csv: $(cat large.csv)"
grep -q "nan\|inf" err large.csv && fail "what is no number: $(cat err large.csv)"
cat >stiff.yaml <<'END'
nutate: 1
gravity: [0, 0, -9.81]
beams:
  bar:
    points: [[0, 0, 0], [1, 0, 0]]
    order: 3
    damping: 1e-3
    sections: [{material: {E: 2e11, nu: 0.3, density: 7800}, shape: circle, radius: 0.01}]
joints:
  clamp: {type: fixed, between: [ground, bar.root], at: [0, 0, 0]}
simulation: {duration: 1, step: 1e-3, method: rkmk-dop853}
output: {record: [energy, bar.tip.position]}
END
expect 3 run stiff.yaml
says "nutate: stiff.yaml: " "is not finite at t = " \
    "; steps of 0.001 s are too long: what decays fastest, at a rate of "

# ---- check ----
expect 0 check top.yaml
prints "bodies 1, joints 1, forces 0, contacts 0" "velocities 6, constraint equations 3" \
    "redundant equations 0" "degrees of freedom 3"
expect 2 check top.yaml --set bodies.top.mass=-1
says "top.yaml"

# Rows at the ends of steps are the same with others between them, in either frame.
for frame in inertial body; do
    set -- run top.yaml --set simulation.frame=$frame --step 1e-3 \
        --set output.record='[top.angular_velocity, top.velocity, energy]'
    expect 0 "$@" --set output.every=1e-3 -o ends.csv
    expect 0 "$@" --set output.every=5e-4 -o more.csv
    awk 'NR == 1 || NR % 2 == 0' more.csv >every_other.csv
    same ends.csv every_other.csv
done

# Where no list says what to record, the points of a cable have places and no orientations.
cat >chain.yaml <<END
nutate: 1
cables: {chain: {between: [ground, ground], at: [[0, 0, 0], [5, 0, 0]], length: 6, mass: 1, stiffness: 4000}}
simulation: {duration: 0.01, step: 1e-3}
END
expect 0 run chain.yaml -o chain.csv
head -1 chain.csv | grep -q "chain.node19.position.z,energy" || fail "points of a chain: $(head -1 chain.csv)"
finish
