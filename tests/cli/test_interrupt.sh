# SIGINT and SIGTERM end a run in good order: exit status 130, whole rows, and a state to go on from.
. "$(dirname "$0")/common.sh"

# interrupt SIGNAL OUTPUT ARGUMENT...: run for a minute at least, interrupt when rows have come
interrupt() {
    signal=$1 output=$2
    shift 2
    rm -f "$output"
    "$nutate" run top.yaml --duration 1e4 --set output.every=1e-3 -o "$output" "$@" 2>err &
    job=$!
    for wait in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.2
        [ "$(wc -c <"$output" 2>/dev/null || echo 0)" -gt 100000 ] && break
    done
    kill -s "$signal" $job
    wait $job
    got=$?
    [ $got = 130 ] || fail "$signal: exit status $got"
    says "interrupted at t ="
}

for signal in INT TERM; do
    # A shell's background jobs ignore SIGINT; the command listens to it all the same.
    interrupt $signal long.csv
    [ "$(tail -c 1 long.csv | od -An -c | tr -d ' ')" = '\n' ] || fail "$signal: a row is cut off"
    awk -F, 'NF != 15 { exit 1 }' long.csv || fail "$signal: a row without all its columns"
    [ "$(wc -l <long.csv)" -gt 100 ] || fail "$signal: few rows"
done
interrupt INT long.nc
if command -v ncdump >/dev/null; then
    ncdump -h long.nc >out || fail "NetCDF after an interruption"
    rows=$(sed -n 's/.*UNLIMITED ; \/\/ (\([0-9]*\) currently).*/\1/p' out)
    [ "${rows:-0}" -gt 100 ] || fail "NetCDF: ${rows:-no} rows"
fi

# A run killed outright keeps the NetCDF rows that were counted.
"$nutate" run top.yaml --duration 1e4 --set output.every=1e-3 -o killed.nc 2>err &
job=$!
sleep 1
kill -9 $job
wait $job 2>/dev/null
if command -v ncdump >/dev/null; then
    ncdump -v time killed.nc >out || fail "NetCDF after a kill"
    rows=$(sed -n 's/.*UNLIMITED ; \/\/ (\([0-9]*\) currently).*/\1/p' out)
    [ "${rows:-0}" -gt 100 ] || fail "NetCDF after a kill: ${rows:-no} rows"
fi

# Steps that are halved some hundred thousand times: the run ends between two of their parts, and
# goes on with the next one.
halved="--step 1000 --duration 2000 --no-energy-check"
halved="$halved --set simulation.minimum_step=1e-9 --set output.every=0.1"
size() { wc -c <parts.csv 2>/dev/null || echo 0; }
# stopped SIZE OPTION...: stop it when it has written and its result has more bytes
stopped() {
    written=$(($(size) + 100000))
    size=$1
    [ "$written" -lt "$size" ] || size=$written
    shift
    "$nutate" run top.yaml $halved -o parts.csv "$@" 2>err &
    job=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        [ "$(size)" -gt "$size" ] && break
        sleep 0.05
    done
    kill -s TERM $job 2>err2
    wait $job
    got=$?
    [ $got = 143 ] && got=130 # it had not begun: nothing was touched
    [ $got = 130 ] || [ $got = 0 ] || fail "halved steps: exit status $got: $(cat err)"
}
"$nutate" run top.yaml $halved -o whole.csv 2>err || fail "halved steps: $(cat err)"
rm -f parts.csv
stopped 100000
for size in 1000000 2000000 3000000; do
    [ $got = 130 ] && stopped $size --resume
done
[ $got = 0 ] || "$nutate" run top.yaml $halved -o parts.csv --resume 2>err ||
    fail "halved steps, gone on with: $(cat err)"
cmp -s whole.csv parts.csv || fail "halved steps, gone on with: other rows"

# Every command answers while it reads: the shell's opening of the pipe waits for that of the command.
mkfifo model
for arguments in "check" "modes -o read.csv" "run -o read.csv" "linearise -o read.nc"; do
    "$nutate" ${arguments%% *} model $(echo "$arguments" | cut -s -d' ' -f2-) 2>err &
    job=$!
    exec 8>model
    kill -s TERM $job
    wait $job
    got=$?
    exec 8>&-
    [ $got = 130 ] || fail "$arguments while the model is read: exit status $got"
    says "nutate: interrupted"
done
finish
