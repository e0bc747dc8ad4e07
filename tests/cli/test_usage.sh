# Wrong use is told in words, with exit status 2; help and version go to standard output.
. "$(dirname "$0")/common.sh"

expect 2
says "usage: nutate COMMAND"
expect 0 --help
prints run sens check convert spectrum methods papers schema
expect 0 --version
grep -qE '^nutate [0-9]+\.[0-9]+\.[0-9]+$' out || fail "version: $(cat out)"
for command in run sens check convert spectrum methods papers schema; do
    expect 0 "$command" --help
    prints "usage: nutate $command"
    expect 0 help "$command"
    [ -s err ] && fail "help on standard error"
done

expect 2 rum top.yaml
says "there is no command 'rum'" "did you mean 'run'?"
expect 2 --versoin
says "did you mean '--version'?"
expect 2 run
says "run needs MODEL"
expect 2 run top.yaml other.yaml
says "takes one MODEL"
expect 2 run top.yaml --stpe 1e-3
says "no option '--stpe'" "did you mean '--step'?"
expect 2 check top.yaml --duration 1
says "no option '--duration'"
expect 2 modes top.yaml --after 1
says "no option '--after'"
expect 2 orbit top.yaml --about initial
says "no option '--about'"
expect 2 spectrum top.csv --modes 2
says "no option '--modes'"
expect 2 spectrum top.csv --at 1
says "no option '--at'"
expect 2 linearise top.yaml --at 1,1e6 --input m -o l.nc
says "--at: the run ends at"
expect 2 linearise top.yaml --from 1
says "no option '--from'"
expect 2 run top.yaml --step
says "--step: expected H, got nothing"
for value in 0 -1 nan inf 1e-3s ''; do
    expect 2 run top.yaml --step "$value"
    says "--step: expected a positive number of seconds"
done
for options in "--step 1e-3 --step=1e-2" "--duration 1 --duration 1" "--method bdf --method theta" \
    "--solver klu --solver dense" "--save-every 1 --save-every 2"; do
    # shellcheck disable=SC2086
    expect 2 run top.yaml $options
    says "is given twice, expected one"
done
expect 2 run ""
says "nutate: run: expected MODEL, got an empty name"
expect 2 methods ""
says "nutate: methods: expected [NAME], got an empty name"
expect 2 run top.yaml --set m
says "expected KEY=VALUE"
expect 2 run top.yaml --set m=
says "--set parameters.m: the value is empty"
expect 2 run top.yaml --quiet=yes
says "--quiet takes no value"
expect 2 run top.yaml --solver klm
says "did you mean 'klu'?"
expect 2 run top.yaml -o top.txt
says "ends in .csv or .nc" "'top.txt'"
expect 2 run top.yaml --method generalised-alpha
says "no method 'generalised-alpha'" "did you mean 'generalized-alpha'?"
expect 2 run top.yaml --set simulation.options.rho_inf=1.5
says "rho_inf" "1.5" "0" "1"
expect 2 run top.yaml --set simulation.options.rho_ing=0.5
says "rho_ing" "rho_inf"
expect 2 run top.yaml --set simulation.tolerance=1e-6 -o refused.csv
says "top.yaml: --set simulation.tolerance=1e-6: tolerance: method generalized-alpha does not control its error"
[ -e refused.csv ] && fail "a result of a refused run"
expect 2 check top.yaml --set simulation.tolerance=1e-6
says "does not control its error"
expect 2 run top.yaml --set mass=1
expect 2 run top.yaml --set simulation.start=1e17
says "top.yaml: --set simulation.start=1e17: start: a step of 0.001 s is lost in the rounding of times near 1e+17 s, expected an earlier start"
expect 0 run top.yaml --set simulation.start=1e6 -o late.csv
expect 4 run missing.yaml
says "missing.yaml" "No such file"

sed 's/duration: 0.1, //' top.yaml >endless.yaml
expect 2 run endless.yaml
says "endless.yaml" "simulation.duration is missing" "--duration"
expect 0 run endless.yaml --duration 0.01
sed 's/ step: 1e-3,//' top.yaml >stepless.yaml
expect 2 run stepless.yaml
says "simulation.step is missing"
expect 0 run stepless.yaml --step=1e-3
expect 0 check endless.yaml

expect 0 methods
prints "generalized-alpha"
expect 0 methods generalized-alpha
prints rho_inf source needs
expect 2 methods generalized-alpa
says "did you mean 'generalized-alpha'?"
expect 0 schema
prints '"$schema"'
expect 2 schema top.yaml
says "takes no argument"

for command in --help --version methods schema "check top.yaml"; do
    # shellcheck disable=SC2086
    "$nutate" $command >/dev/full 2>err
    [ $? = 4 ] || fail "$command on a full disk"
    says "standard output cannot be written"
done
finish
