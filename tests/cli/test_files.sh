# What a run reads is never written over, and no file is written twice.
. "$(dirname "$0")/common.sh"
cat >road.yaml <<'EOF'
nutate: 1
parameters: {m: 2}
tables: {bumps: road.csv}
bodies:
  car: {mass: m, inertia: [1, 1, 1]}
forces:
  push: {type: force, on: car, value: ["table(bumps, t)", "table('side.csv', t)", 0]}
objectives:
  way: {type: final, of: car.position.x}
simulation: {duration: 0.1, step: 0.01}
output: {record: [car.position]}
EOF
printf '0,0\n1,2\n' >road.csv
printf '0,0\n1,3\n' >side.csv
cp road.yaml model.before
cp road.csv road.before
cp side.csv side.before
unharmed() {
    same road.yaml model.before
    same road.csv road.before
    same side.csv side.before
}

expect 2 run road.yaml
says "nutate: without -o the result goes to 'road.csv', which is a table of the model"
unharmed
for path in side.csv ./side.csv "$PWD/side.csv"; do
    expect 2 run road.yaml -o "$path"
    says "nutate: -o: '$path' is a table of the model"
done
ln -s side.csv link.csv
expect 2 run road.yaml -o link.csv
says "-o: 'link.csv' is a table of the model"
expect 2 run road.yaml -o out.csv --save road.csv
says "--save: 'road.csv' is a table of the model"
expect 2 run road.yaml -o out.csv --save ./road.yaml
says "--save: './road.yaml' is the model itself"
for path in road.yaml ./road.yaml; do
    expect 2 sens road.yaml --param m -o out.csv --objectives $path
    says "--objectives: '$path' is the model itself"
done
expect 2 sens road.yaml --param m -o out.csv --objectives side.csv
says "--objectives: 'side.csv' is a table of the model"
expect 2 sens road.yaml --param m -o out.csv --objectives ./out.csv
says "--objectives: './out.csv' is the result"
expect 2 run road.yaml -o out.csv --save ./out.csv
says "--save: './out.csv' is the result"
expect 2 sens road.yaml --param m -o out.csv --save one --objectives one
says "--objectives: 'one' is the saved state"
cp road.yaml road.model.csv # a model of any name
expect 2 run road.model.csv -o ./road.model.csv
says "-o: './road.model.csv' is the model itself"
[ -e out.csv ] && fail "a result of a refused run"
unharmed

# what is written last has a place before the run begins
for path in "$PWD" missing/state; do
    expect 4 run road.yaml -o out.csv --save "$path"
    says "nutate: $path: cannot be written: "
    expect 4 sens road.yaml --param m -o out.csv --objectives "$path"
    says "nutate: $path: cannot be written: "
done
[ -e out.csv ] && fail "a result of a run whose state has no place"

# where folders are there but take no files, as of a disk that is only read, before the work too
none=/proc/none
refused() { # FILE ARGUMENT...: words about the file alone, and nothing else written
    file=$1
    shift
    rm -f out.*
    expect 4 "$@"
    says "nutate: $file: cannot be written: "
    for left in out.*; do
        [ -e "$left" ] && fail "nutate $*: leaves $left"
    done
}
printf 'time,a\n0,1\n1,2\n' >two.csv
refused $none.csv sens road.yaml --param m -o out.csv --objectives $none.csv
refused $none.csv static road.yaml -o out.csv -o $none.csv
refused $none.csv orbit road.yaml --period 0.1 -o out.csv -o $none.csv
refused $none.svg modes road.yaml --over m=1..2:2 -o out.csv -o $none.svg
refused $none.csv modes absent.yaml -o $none.csv
refused $none.A.mtx linearise road.yaml -o out.nc -o $none.mtx
refused $none.svg linearise road.yaml -o out.nc -o $none.svg --bode 1..2:3 --input push
refused $none.csv spectrum two.csv --record absent -o $none.csv
refused $none.yaml import windio absent.yaml -o $none.yaml
refused $none.csv sweep --collect absent -o $none.csv
refused $none.html report two.csv -o out.html -o $none.html
refused $none.svg plot two.csv a -o $none.svg

# objectives that another run is to write
if command -v flock >/dev/null; then
    echo before >way.csv
    exec 9>>way.csv
    flock 9
    expect 4 sens road.yaml --param m -o out.csv --objectives way.csv
    says "nutate: way.csv: is being written by another run"
    exec 9>&-
    [ "$(cat way.csv)" = before ] || fail "objectives of another run were touched"
fi
expect 2 sens road.yaml --param n -o out.csv --objectives fresh.csv
[ -e fresh.csv ] && fail "objectives of a refused run"

# with other names everything is written; a saved state may be renewed, and is not a result
expect 0 sens road.yaml --param m -o out.csv --save state.csv --objectives way.csv --duration 0.05
expect 2 run road.yaml -o state.csv --restart state.csv
says "-o: 'state.csv' is the state to go on from"
expect 0 run road.yaml -o rest.csv --restart state.csv --save state.csv
unharmed
finish
