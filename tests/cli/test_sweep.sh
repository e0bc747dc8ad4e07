# nutate sweep: rows as single runs make them, to the bit; designs, failures, bad input, a folder
# that is gone on with.
. "$(dirname "$0")/common.sh"

# row TABLE N: the numbers of row N, from its status on
row() { awk -F, -v n="$2" '$1 == n' "$1"; }
# field FILE COLUMN ROW: a value of the table by the name of its column
field() {
    awk -F, -v name="$2" -v n="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i; if (!k) exit }
        NR == n + 2 { print $k }' "$1"
}
# last FILE COLUMN: of a result
last() {
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i }
        { value = $k } END { print value }' "$1"
}
equal() { [ -n "$1" ] && [ "$1" = "$2" ] || fail "$3: got '$1', expected '$2'"; }
# refuse STATUS WORDS ARGUMENT...
refuse() {
    status=$1 words=$2
    shift 2
    expect "$status" "$@"
    says "$words"
}

# ---- a grid ----
cat >grid.yaml <<'END'
sweep: 1
model: top.yaml
vary:
  m: [12, 15, 18]
  bodies.top.angular_velocity.1: 100..150:2
  method: [generalized-alpha, rkmk-dop853]
keep: {final: [top.position], minimum: [energy.total], maximum: [pivot.force.z],
       mean: [top.position.z], rms: [top.position.x], series: [top.position.z], thin: 4}
END
expect 0 sweep grid.yaml -o grid
says "12 of 12 rows done, 0 of them failed"
expect 0 sweep --collect grid -o grid.csv -o grid.nc
[ "$(wc -l <grid.csv)" = 13 ] || fail "rows in grid.csv: $(wc -l <grid.csv)"
for n in 0 3 6 9 11; do
    m=$(field grid.csv m $n) spin=$(field grid.csv bodies.top.angular_velocity.1 $n)
    method=$(field grid.csv method $n)
    expect 0 run top.yaml -o one.csv --quiet --set m=$m --set bodies.top.angular_velocity.1=$spin \
        --method $method
    equal "$(field grid.csv top.position.x.final $n)" "$(last one.csv top.position.x)" "row $n, x"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { e = $at["energy.total"]; f = $at["pivot.force.z"]; z += $at["top.position.z"]
          x += $at["top.position.x"] ^ 2; k = NR - 1 }
        k == 1 || e + 0 < low + 0 { low = e; t_low = $1 }
        k == 1 || f + 0 > high + 0 { high = f; t_high = $1 }
        END { printf "%s %s %s %s %.9g %.9g\n", low, t_low, high, t_high, z / k, sqrt(x / k) }' \
        one.csv >kept
    read -r low t_low high t_high mean rms <kept
    equal "$(field grid.csv energy.total.minimum $n)" "$low" "row $n, least energy"
    equal "$(field grid.csv energy.total.minimum.time $n)" "$t_low" "row $n, its time"
    equal "$(field grid.csv pivot.force.z.maximum $n)" "$high" "row $n, largest force"
    equal "$(field grid.csv pivot.force.z.maximum.time $n)" "$t_high" "row $n, its time"
    equal "$(printf %.9g "$(field grid.csv top.position.z.mean $n)")" "$mean" "row $n, mean"
    equal "$(printf %.9g "$(field grid.csv top.position.x.rms $n)")" "$rms" "row $n, rms"
    awk -F, -v n=$n '$1 == n { print $2 "," $3 }' grid.series.csv >series
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { rows[NR - 2] = $1 "," $at["top.position.z"] }
        END { for (i = 0; i < NR - 1; i++) if (i % 4 == 0 || i == NR - 2) print rows[i] }' \
        one.csv >wanted
    same series wanted
done

# any number of threads, in pieces, in any order: the same bytes
for threads in 1 5; do
    expect 0 sweep grid.yaml -o grid$threads --threads $threads --quiet
    expect 0 sweep --collect grid$threads -o other.csv -o other.nc --quiet
    same grid.csv other.csv
    same grid.nc other.nc
done
for rows in 7-11 0-2 5-8 3-4 6; do expect 0 sweep grid.yaml -o pieces --rows $rows --quiet; done
expect 0 sweep --collect pieces -o other.nc --quiet
same grid.nc other.nc

# converted: what --collect writes, byte for byte; of a table in CSV too little is known
converted() { # TABLE, without .nc and .csv
    expect 0 convert "$1.nc" -o converted.csv
    same converted.csv "$1.csv"
    same converted.failures.csv "$1.failures.csv"
    [ ! -e "$1.series.csv" ] || same converted.series.csv "$1.series.csv"
}
converted grid
refuse 2 "'grid.csv' is the table of a sweep without units" convert grid.csv -o converted.nc
for bytes in 40 400 2000 "$(($(wc -c <grid.nc) - 100))"; do
    head -c "$bytes" grid.nc >cut.nc
    refuse 4 "cut.nc: is damaged" convert cut.nc -o cut.csv
done

# a program that knows NetCDF finds the plan's dimensions
if /usr/bin/python3 -c 'import xarray, netCDF4' 2>/dev/null; then
    /usr/bin/python3 - grid.csv grid.nc <<'END' || fail "xarray"
import csv, sys, xarray
rows = list(csv.DictReader(open(sys.argv[1])))
table = xarray.open_dataset(sys.argv[2])
force = table["pivot.force.z.maximum"]
assert force.dims == ("m", "bodies.top.angular_velocity.1", "method"), force.dims
assert force.shape == (3, 2, 2) and list(table["m"].values) == [12, 15, 18]
assert [m.decode() for m in table["method"].values] == ["generalized-alpha", "rkmk-dop853"]
assert list(force.values.ravel()) == [float(r["pivot.force.z.maximum"]) for r in rows]
assert force.units == "N" and list(table["status"].values.ravel()) == 12 * [0]
assert table["top.position.z"].shape == (3, 2, 2, 4) and table["time"].values[0, 0, 0, 3] == 0.1
END
fi

# rows of machines of two kinds
expect 0 sweep grid.yaml -o kinds --rows 0-5 --quiet
expect 0 sweep grid.yaml -o kinds --rows 6-11 --portable --quiet
expect 0 sweep --collect kinds -o kinds.csv
says "rows are from 2 kinds of machines" "; glibc "
expect 0 sweep --collect grid -o kinds.csv
grep -q kinds err && fail "kinds that are not mixed: $(cat err)"

# ---- a folder that holds rows ----
refuse 2 "holds 12 of 12 rows: --resume goes on with them" sweep grid.yaml -o grid
expect 0 sweep grid.yaml -o grid --resume
says "12 of 12 rows done"
expect 0 sweep -o grid --status
prints "rows 12" "done 12" "failed 0" "left 0"
expect 0 sweep grid.yaml -o half --rows 0-6 --quiet
expect 0 sweep -o half --status
prints "done 7" "left 5"
expect 0 sweep --collect half -o half.csv
says "5 of 12 rows are not there"
equal "$(field half.csv status 6)" 0 "a row that is done"
equal "$(field half.csv status 7)" -1 "a row that is not"
expect 0 sweep grid.yaml -o half --resume
says "12 of 12 rows done" "  5 rows in"
expect 0 sweep --collect half -o half.nc --quiet
same grid.nc half.nc
sed 's/18/19/' grid.yaml >other.yaml
refuse 2 "holds rows of another plan" sweep other.yaml -o grid --resume
cp top.yaml kept.yaml
sed 's/m: 15/m: 15.5/' kept.yaml >top.yaml
cmp -s top.yaml kept.yaml && fail "the model did not change"
refuse 2 "holds rows of another model" sweep grid.yaml -o grid --resume
cp kept.yaml top.yaml
# a table that only a value of the plan names
printf '0,1\n1,2\n' >road.csv
printf '0,1\n1,3\n' >other.csv
cat >tables.yaml <<'END'
sweep: 1
model: top.yaml
vary: {gravity: [[0, 0, '-9.81*table("road.csv", 0.5)'], [0, 0, -1]]}
END
expect 0 sweep tables.yaml -o tables --rows 0 --quiet
cp other.csv road.csv
refuse 2 "holds rows of another model: the model's file, a table" sweep tables.yaml -o tables --resume
cp -r grid older
sed 's/^version.*/version\t0.0.1/' grid/sweep >older/sweep
refuse 2 "holds rows of nutate 0.0.1, this is" sweep grid.yaml -o older --resume
refuse 4 "holds no sweep" sweep --collect nowhere -o x.csv
refuse 4 "holds no sweep" sweep -o nowhere --status

# a chunk whose bytes have changed is not taken, and run again
cp -r grid bent
printf 'x' | dd of=bent/rows/000001.rows bs=1 seek=300 conv=notrunc 2>dd.err
expect 0 sweep --collect bent -o bent.csv
says "are not what was written"
expect 0 sweep grid.yaml -o bent --resume --quiet
expect 0 sweep --collect bent -o bent.nc --quiet
same grid.nc bent.nc

# a file that is there and cannot be read is no row that is lost, nor the end of a journal: folders
# can be opened, and reading them fails
for kind in journal rows; do
    cp -r grid unread$kind
    rm unread$kind/rows/000001.$kind
    mkdir unread$kind/rows/000001.$kind
    refuse 4 "rows/000001.$kind: cannot be read: Is a directory" sweep --collect unread$kind -o unread.csv
    refuse 4 "cannot be read: Is a directory" sweep grid.yaml -o unread$kind --resume
done
rmdir unreadrows/rows/000001.rows
refuse 4 "rows/000001.rows: cannot be opened: No such file" sweep --collect unreadrows -o unread.csv

# ---- rows that fail ----
cat >fails.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: [15, -1, 0, 16]}
END
expect 0 sweep fails.yaml -o fails
says "4 of 4 rows done, 2 of them failed"
expect 0 sweep --collect fails -o fails.csv -o fails.nc
equal "$(field fails.csv status 0)" 0 "the row before"
equal "$(field fails.csv status 1)" 4 "a row that fails"
equal "$(field fails.csv top.position.x.final 1)" nan "its numbers"
equal "$(field fails.csv status 3)" 0 "the row behind"
[ "$(wc -l <fails.failures.csv)" = 3 ] || fail "failures: $(cat fails.failures.csv)"
converted fails
grep -q '^1,-1,4,bad model,"body top has mass -1 kg, expected a positive number"' fails.failures.csv || fail "words: $(cat fails.failures.csv)"
expect 0 sweep fails.yaml -o fails --resume
says "4 of 4 rows done, 2 of them failed"

# an option that the plan gives and the method of a row lacks, as with --set
printf 'sweep: 1\nmodel: top.yaml\nvary: {method: [generalized-alpha, bdf], simulation.options.rho_inf: [0.9]}\n' >option.yaml
expect 0 sweep option.yaml -o option
says "2 of 2 rows done, 1 of them failed"
expect 0 sweep --collect option -o option.csv --quiet
grep -q "bdf has no option 'rho_inf'" option.failures.csv || fail "words: $(cat option.failures.csv)"

# ---- lists ----
cat >list.yaml <<'END'
sweep: 1
model: top.yaml
list: points.csv
keep: {final: [top.position.z]}
END
printf 'm,bodies.top.angular_velocity,"step"\r\n12,"[0, 100, 0]",1e-3\r\n\r\n 15 ,"[0, 150, -4]",2e-3\r\n' >points.csv
expect 0 sweep list.yaml -o list --quiet
expect 0 sweep --collect list -o list.csv -o list.nc --quiet
converted list
expect 0 run top.yaml -o one.csv --quiet --set m=15 --set 'bodies.top.angular_velocity=[0, 150, -4]' \
    --step 2e-3
awk -F, 'END { print $NF }' list.csv >got
equal "$(cat got)" "$(last one.csv top.position.z)" "a row of a list"
sed -i 's/list: .*/vary: {m: [12, 15], method: [generalized-alpha, bdf]}\ndesign: list/' list.yaml
expect 0 sweep list.yaml --dry-run
prints "2 rows:" "row 1: m=15 method=bdf"
bad_list() { # LINE:COLUMN: WORDS, then the list
    printf "$2" >points.csv
    printf 'sweep: 1\nmodel: top.yaml\nlist: points.csv\n' >badlist.yaml
    refuse 2 "points.csv:$1" sweep badlist.yaml -o bad
}
bad_list '1:1: the list is empty' ''
bad_list '1:1: the list is empty' 'm\n'
bad_list '3:3: fewer fields' 'm,step\n1,2\n15\n'
bad_list '2:7: more fields' 'm,step\n15,1e3,3\n'
bad_list '2:4: step: expected a value' 'm,step\n15,,\n'
bad_list '1:3: a name that stands above another column' 'm,m\n15,15\n'
bad_list '1:1: the model has no parameter' 'mm\n15\n'

# ---- load cases ----
cat >cases.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: 12..15:2}
cases:
  earth: {}
  moon: {gravity: [0, 0, -1.62]}
keep: {final: [top.position.z]}
END
expect 0 sweep cases.yaml -o cases --quiet
expect 0 sweep --collect cases -o cases.csv -o cases.nc --quiet
converted cases
equal "$(field cases.csv case 2)" moon "the name of a case"
expect 0 run top.yaml -o one.csv --quiet --set 'gravity=[0, 0, -1.62]' --set m=15
equal "$(field cases.csv top.position.z.final 3)" "$(last one.csv top.position.z)" "a case's row"

# what every row sets, an object of its own among it
sed -i '/^cases:/,/^  moon/d; s/keep.*/keep: {final: [high]}/' cases.yaml
echo 'set: {simulation.duration: 0.05, quantities.high: 2*top.position.z, forces.push: {type: force, on: top, value: [0, 0, 100]}}' >>cases.yaml
expect 0 sweep cases.yaml -o set --quiet
expect 0 sweep --collect set -o set.csv --quiet
expect 0 run top.yaml -o one.csv --quiet --duration 0.05 --set m=15 --set 'quantities.high=2*top.position.z' \
    --set 'forces.push={type: force, on: top, value: [0, 0, 100]}' --set 'output.record=[high]'
equal "$(field set.csv high.final 1)" "$(last one.csv high)" "a row of a plan that sets"

# ---- bad plans ----
plan() { # LINE:COLUMN WORDS, then lines behind the model's
    where=$1 words=$2
    shift 2
    { printf 'sweep: 1\nmodel: top.yaml\n' && printf '%s\n' "$@"; } >bad.yaml
    refuse 2 "bad.yaml:$where: $words" sweep bad.yaml -o bad
}
plan 3:8 "the model has no parameter 'armm'; did you mean 'arm'?" 'vary: {armm: [1, 2]}'
plan 3:8 "bodies.topp.mass: the model has no bodies.topp; did you mean 'top'?" 'vary: {bodies.topp.mass: [1, 2]}'
plan 3:8 "bodies.top.maas: " 'vary: {bodies.top.maas: [1, 2]}'
plan 3:11 "m: the list is empty" 'vary: {m: []}'
plan 3:7 "vary: expected NAME: VALUES, got none" 'vary: {}'
plan 3:11 "m: deviation without mean" 'vary: {m: {deviation: 1}}' 'design: random' 'samples: 3'
plan 3:11 "m: mean without deviation" 'vary: {m: {mean: 1}}' 'design: random' 'samples: 3'
plan 3:11 "m: expected {mean, deviation} or {low, high}" 'vary: {m: {mean: 1, low: 0}}'
plan 3:8 "m: a distribution needs design random" 'vary: {m: {mean: 15, deviation: 1}}'
plan 3:11 "m: expected LOW..HIGH:N" 'vary: {m: 1..2}'
plan 3:21 "unknown key 'deviatoin' in m; did you mean 'deviation'?" \
    'vary: {m: {mean: 1, deviatoin: 1}}'
plan 4:1 "unknown key 'desing' in the plan; did you mean 'design'?" 'vary: {m: [1]}' 'desing: grid'
plan 4:9 "design: expected grid, list, random" 'vary: {m: [1]}' 'design: gird'
plan 4:10 "samples is for designs" 'vary: {m: [1]}' 'samples: 4'
plan 4:16 "final: 'top' has no 'positoin'; did you mean" 'vary: {m: [15]}' 'keep: {final: [top.positoin]}'
plan 4:7 "nothing is kept: expected names" 'vary: {m: [15]}' 'keep: {final: []}'
plan 3:8 "method: there is no method" 'vary: {method: [euler]}'
plan 4:6 "set: " 'vary: {m: [1]}' 'set: {simulation.durration: 2}'
plan 1:1 "nothing varies" 'keep: {final: [top.position]}'
plan 1:1 "samples is missing" 'vary: {m: {low: 1, high: 2}}' 'design: sobol'
printf 'model: top.yaml\nvary: {m: [1]}\n' >bad.yaml
refuse 2 "sweep is missing" sweep bad.yaml -o bad
printf 'sweep: 1\nmodel: none.yaml\nvary: {m: [1]}\n' >bad.yaml
refuse 4 "none.yaml: cannot be opened" sweep bad.yaml -o bad
[ -e bad ] && fail "a folder was made for a bad plan"
refuse 2 "expected -o DIR" sweep grid.yaml
refuse 2 "--rows: expected A-B from 0 to 11, got '5-12'" sweep grid.yaml -o rows --rows 5-12
refuse 2 "--rows: expected A-B" sweep grid.yaml -o rows --rows 5-
refuse 2 "expected -o FILE.nc or FILE.csv" sweep --collect grid
printf 'sweep: 1\nmodel: top.yaml\nvary: {m: 1..2:1000, step: 1e-4..1e-3:1000, arm: 1..2:1000}\n' >many.yaml
refuse 2 "1000000000 rows: " sweep many.yaml -o many
says "expected at most 10000000 rows, or --no-limit" "days"

# ---- two at once: rows for longer than anybody waits ----
sed 's/^vary:.*/vary:/; s/\[12, 15, 18\]/10..20:100000/' grid.yaml >long.yaml
"$nutate" sweep long.yaml -o two --threads 1 --quiet 2>two.err </dev/null &
job=$!
while [ ! -s two/lock ] && kill -0 $job 2>/dev/null; do sleep 0.1; done
refuse 4 "another sweep works in it (process $job" sweep long.yaml -o two --resume
kill -INT $job
wait $job
equal $? 130 "exit status of a sweep that was interrupted"
grep -q "interrupted after" two.err || fail "words of an interruption: $(cat two.err)"

# ---- a full disk ----
sed 's/\[12, 15, 18\]/10..20:40/; s/thin: 4/thin: 1/' grid.yaml >full.yaml
(ulimit -f 40 && exec "$nutate" sweep full.yaml -o full >out 2>err </dev/null)
equal $? 4 "exit status on a full disk"
says "cannot be written: File too large"
expect 0 sweep full.yaml -o full --resume --quiet
expect 0 sweep --collect full -o full.nc --quiet
expect 0 sweep full.yaml -o whole --quiet
expect 0 sweep --collect whole -o whole.nc --quiet
same full.nc whole.nc
finish
