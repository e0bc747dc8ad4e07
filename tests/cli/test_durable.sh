# What stands in files whatever happens: full disks, two runs at once, files that vanish, closed
# pipes, signals, links, and states that are not what they should be.
. "$(dirname "$0")/common.sh"

# ends_whole FILE COLUMNS: the last row is whole, and so are all others
ends_whole() {
    [ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] || fail "$1: a row is cut off"
    awk -F, -v n="$2" 'NF != n { exit 1 }' "$1" || fail "$1: a row without all its columns"
}
# limited KILOBYTES STATUS ARGUMENT...: files may not grow beyond, as on a disk that is full
limited() {
    size=$1 wanted=$2
    shift 2
    (ulimit -f $((2 * size)) && exec "$nutate" "$@" >out 2>err </dev/null)
    got=$?
    [ "$got" = "$wanted" ] || fail "nutate $* in $size kB: exit status $got, expected $wanted: $(cat err)"
}
# slow OUTPUT ARGUMENT...: a run of some minutes in the background, once its rows come; $job
slow() {
    output=$1
    shift
    "$nutate" run top.yaml --duration 1e4 --set output.every=1e-3 -o "$output" "$@" 2>slow.err </dev/null &
    job=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(cat "$output" 2>/dev/null | wc -c || echo 0)" -gt 20000 ] && return
        sleep 0.3
    done
    fail "no rows in $output: $(cat slow.err)"
}
# ended STATUS
ended() {
    wait $job
    got=$?
    [ $got = "$1" ] || fail "exit status $got, expected $1: $(cat slow.err)"
}

# ---- a full disk ----
set -- run top.yaml --duration 2 --set output.every=1e-3
limited 100 4 "$@" -o full.csv
says "full.csv: cannot be written: File too large"
ends_whole full.csv 15
[ "$(wc -c <full.csv)" -gt 101000 ] || fail "less than the disk had room for"
limited 100 4 "$@" -o full.nc -o both.csv
says "cannot be written: File too large"
ends_whole both.csv 15
expect 0 convert full.nc -o full.csv
ends_whole full.csv 15
[ "$(wc -l <full.csv)" -gt 100 ] || fail "few rows in full.nc"

# the state to restart from survives a disk that has no room for the next one
expect 0 run top.yaml --duration 0.05 --save half.state -o first.csv
cp half.state kept.state
limited 1 4 run top.yaml --restart half.state --save half.state -o second.csv --set output.every=0.05 \
    --set output.record='[energy.total]'
says "half.state: cannot be written: File too large"
same half.state kept.state
[ -e half.state.new ] && fail "half a state is left"
expect 0 run top.yaml --restart half.state --save half.state -o second.csv
cmp -s half.state kept.state && fail "the state was not renewed"
ls | grep -q '\.new$' && fail "a file beside is left: $(ls)"

# ---- a place that is none is known before the run ----
mkdir -p folder.state
for place in folder.state missing/a.state /dev/null; do
    expect 4 run top.yaml -o place.csv --save $place
    says "$place: cannot be written"
done
[ -c /dev/null ] || fail "/dev/null was replaced"
mkdir -p place.csv.state
expect 4 run top.yaml -o place.csv --save-every 10
says "place.csv.state: cannot be written: Is a directory"
[ -e place.csv ] && fail "a result of a run whose state has no place"

# ---- a state that is saved through a link, or over ----
ln -sf real.state link.state
expect 4 run top.yaml --save link.state -o first.csv
says "link.state: cannot be written: "
cp half.state real.state
expect 0 run top.yaml --save link.state -o first.csv
[ -L link.state ] && [ -s real.state ] || fail "the link was replaced"
expect 0 run top.yaml -o a.csv --save a.csv.state --duration 0.05
expect 2 run top.yaml -o a.csv --restart a.csv.state --save-every 1
says "--save-every: 'a.csv.state' is the state to go on from: expected --save FILE"

# ---- what another run or a person has written is no place for a state ----
echo "time,x" >other.csv
expect 4 run top.yaml -o a.csv --save other.csv
says "other.csv: is there and is no saved state: expected another name for the state"
[ "$(cat other.csv)" = "time,x" ] || fail "what was there is gone"

# ---- two runs on one output ----
slow busy.csv
expect 4 run top.yaml -o busy.csv
says "busy.csv: is being written by another run"
ln -sf busy.csv also.csv
expect 4 run top.yaml -o new.csv -o also.csv
says "also.csv: is being written by another run"
[ -e new.csv ] && fail "a file of a run that was refused"
kill -KILL $job
ended 137
expect 0 run top.yaml -o busy.csv
slow busy.nc
expect 4 run top.yaml -o busy.nc
says "busy.nc: is being written by another run"

# ---- files that vanish ----
rm busy.nc
ended 4
grep -q "busy.nc: was removed or replaced while it was written" slow.err || cat slow.err
mkdir -p gone
slow gone/rows.csv --save-every 0.2
rm -r gone
ended 4
grep -q "gone/rows.csv: was removed" slow.err || fail "$(cat slow.err)"

# ---- two runs with one state ----
slow saver.csv --save-every 100 --save one.state
rm -f second.csv
expect 4 run top.yaml -o second.csv --save one.state
says "one.state: another run saves its states there: expected another name, or its end"
[ -e second.csv ] && fail "a result of a run that was refused"
ln -sf one.state by_link.state
expect 4 run top.yaml -o second.csv --save by_link.state
says "by_link.state: another run saves its states there"
expect 4 run top.yaml -o second.csv --save one.state --resume
kill -KILL $job
ended 137
[ -s one.state ] || fail "no first state"
expect 0 run top.yaml -o second.csv --save one.state
ls | grep '\.run$' && fail "a file beside a state is left"
rm -f saver.csv # its rows are what is waited for
slow saver.csv  # nobody has asked for its state
expect 4 run top.yaml -o second.csv --save saver.csv.state
kill -KILL $job
ended 137

# ---- a run that is killed before its first state begins again ----
again() { # OPTION...: such a run; the same as one that nothing has stopped
    set -- run top.yaml --duration 200 --set output.every=2e-3 -o again.csv -o again.nc "$@"
    "$nutate" "$@" 2>slow.err </dev/null &
    job=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(cat again.csv 2>/dev/null | wc -c || echo 0)" -gt 20000 ] && break
        sleep 0.02
    done
    kill -KILL $job
    ended 137
    expect 2 "$@" --resume --step 2e-3
    says "again.csv.state.run: --resume goes on with the run that saved the state" "step=0.002 s"
    expect 0 "$@" --resume
    says "again.csv.state: the run was stopped before it had a state: it begins at its start"
    same unstopped.csv again.csv
    same unstopped.nc again.nc
    [ -e again.csv.state.run ] && fail "a file beside a state is left"
    rm again.csv again.nc
}
expect 0 run top.yaml --duration 200 --set output.every=2e-3 -o unstopped.csv -o unstopped.nc
again
rm -f again.csv.state
expect 4 run top.yaml --duration 200 --resume -o again.csv # nothing was stopped
cp half.state again.csv.state # an earlier run's
again
again --save again.csv.state
mkdir -p away.csv.state.run # somebody else's: nothing is marked
expect 0 run top.yaml -o away.csv
[ -d away.csv.state.run ] || fail "what stood in the place of a mark is gone"
echo "mine" >notes.csv.state.run
expect 0 run top.yaml -o notes.csv
[ "$(cat notes.csv.state.run)" = mine ] || fail "what stood in the place of a mark is gone"

# ---- pipes ----
for rows in 1 1000; do
    # shellcheck disable=SC2086
    { "$nutate" run top.yaml --duration 5 --set output.every=1e-3 -o - 2>err; echo $? >status; } |
        head -n $rows >head.csv
    [ "$(cat status)" = 4 ] || fail "a closed pipe: exit status $(cat status)"
    says "standard output: cannot be written: Broken pipe"
    ends_whole head.csv 15
done
"$nutate" methods 2>err | true
rm -f fifo && mkfifo fifo
"$nutate" run top.yaml --duration 1e4 --set output.every=1e-3 -o - >fifo 2>slow.err </dev/null &
job=$!
exec 3<fifo # a reader that does not read: the run waits for it
sleep 0.3
kill -s TERM $job
sleep 0.1
kill -0 $job 2>/dev/null || fail "the run does not wait for its reader: $(cat slow.err)"
kill -s INT $job
cat <&3 >got.csv &
ended 130
exec 3<&-
wait
ends_whole got.csv 15
grep -q "interrupted twice" slow.err || fail "the second signal: $(cat slow.err)"

# ---- signals ----
# delay: milliseconds from a signal to the end, the least of three
delay() {
    least=100000
    for try in 1 2 3; do
        "$nutate" "$@" >/dev/null 2>slow.err </dev/null &
        job=$!
        sleep 0.3
        begun=$(date +%s%N)
        kill -s TERM $job
        ended 130
        took=$((($(date +%s%N) - begun) / 1000000))
        [ $took -lt $least ] && least=$took
    done
    [ $least -lt 300 ] || fail "nutate $*: $least ms from the signal to the end"
}
delay run top.yaml -o - --set output.every=1e-12 --no-limit
delay run top.yaml -o rows.csv --set output.every=2e-8
delay sens top.yaml --param m -o - --set output.every=1e-9
delay sens top.yaml --param m --check --duration 100
{ printf 'nutate: 1\nbodies:\n' && seq 1 60000 | sed 's/.*/  b&: {mass: 1, inertia: [1, 1, 1], position: [&, 0, 0]}/' &&
    printf 'simulation: {duration: 1, step: 1e-3}\n'; } >large.yaml
delay run large.yaml -o large.csv
[ -e large.csv ] && fail "a result of a run that had not begun"

# two signals while rows are written leave whole rows
slow twice.csv
kill -s INT $job
kill -s TERM $job
wait $job
[ $? = 130 ] || fail "two signals: $(cat slow.err)"
ends_whole twice.csv 15

# ---- rows are counted, and have room ----
expect 2 run top.yaml --set output.every=1e-11 --duration 0.1
says "a duration of 0.1 s in rows every 1e-11 s is 1e+10 rows, expected at most 1e+09, or --no-limit"
expect 2 run top.yaml --set output.every=1e-11 --duration 0.1 -o -
says "1e+10 rows"
{ printf 'nutate: 1\nbodies:\n' && seq 1 300 | sed 's/.*/  b&: {mass: 1, inertia: [1, 1, 1], position: [&, 0, 0]}/' &&
    printf 'simulation: {duration: 1, step: 1e-3}\noutput: {every: 2e-9}\n'; } >many.yaml
for output in many.csv many.nc; do
    expect 2 run many.yaml -o $output
    says "many.yaml:304:17: 5e+08 rows take about" "bytes, the disk of '$output' has" "or --no-limit"
    [ -e $output ] && fail "a result that has no room"
done
for options in "-o -" "-o many.csv --no-limit"; do
    # shellcheck disable=SC2086
    delay run many.yaml $options
done
rm -f many.csv*

# ---- what is read is not written ----
cp top.yaml model.yaml
ln -f model.yaml hard.csv
ln -sf model.yaml soft.csv
for path in hard.csv soft.csv; do
    "$nutate" run - -o $path <model.yaml >out 2>err
    [ $? = 2 ] || fail "standard input was written over"
    says "-o: '$path' is the model itself"
    "$nutate" run - -o a.csv --save $path <model.yaml >out 2>err
    [ $? = 2 ] || fail "standard input was written over by a state"
done
"$nutate" run - -o - <model.yaml >>model.yaml 2>err
[ $? = 2 ] || fail "standard output is the model"
"$nutate" run model.yaml -o - >>model.yaml 2>err
[ $? = 2 ] || fail "standard output is the model"
says "-o: '-' is the model itself"
same top.yaml model.yaml
rm hard.csv soft.csv
expect 2 run top.yaml -o a.csv -o ./a.csv
says "-o: './a.csv' is the result"
: >b.csv && ln -f b.csv c.csv
expect 2 run top.yaml -o b.csv -o c.csv
says "-o: 'c.csv' is the result"
expect 2 run top.yaml -o - -o -

# ---- no place beside the model ----
if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=65534 --regid=65534 --clear-groups"; else as=; fi
mkdir -p locked here && cp top.yaml locked && chmod 755 locked && chmod 777 here
if (cd here && $as test -r ../locked/top.yaml -a -w . && $as test -x "$nutate"); then
    chmod 555 locked
    (cd here && $as "$nutate" run ../locked/top.yaml >../out 2>../err) || fail "$(cat err)"
    says "11 rows in top.csv here: the folder of the model cannot be written"
    [ -s here/top.csv ] || fail "no result in the current folder"
    chmod 755 locked
fi

# ---- states that are not what they should be ----
expect 0 run top.yaml --save good.state -o first.csv --duration 0.05
size=$(wc -c <good.state)
i=0
while [ $i -lt "$size" ]; do
    { head -c $i good.state && printf '\033\377' && tail -c +$((i + 3)) good.state; } >bad.state
    expect 2 run top.yaml --restart bad.state -o second.csv
    LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177-\377]')" err && fail "raw bytes at $i: $(cat -v err)"
    i=$((i + 13))
done
rm -f "$(printf 'a\033[2J.state')"
expect 4 run top.yaml --restart "$(printf 'a\033[2J.state')" -o second.csv
says "a?[2J.state"

# ---- --resume ----
expect 4 run top.yaml --resume -o none.csv
says "none.csv.state: cannot be opened: No such file"
expect 2 run top.yaml --resume -o -
says "--resume: standard output has no state beside it"
expect 2 run top.yaml --save-every 1 -o -
says "--save-every: standard output has no state beside it"
expect 2 run top.yaml --resume -o - -o some.csv
says "cannot be cut off standard output"
set -- run top.yaml --save-every 10 -o some.csv
expect 0 "$@"
cp some.csv whole.csv
expect 0 "$@" --resume # of a run that was over
same some.csv whole.csv
expect 2 "$@" --resume --step 2e-3
says "some.csv.state: --resume goes on with the run that saved the state" "step=0.001 s" "step=0.002 s"
expect 2 "$@" --resume --set m=12
says "--set m=12"
echo "# changed" >>top.yaml
expect 2 "$@" --resume
says "the text of the model"
cp "$here/top.yaml" .
expect 2 "$@" --resume -o other.csv
says "another number of files"
sed -i '$s/[0-9],/7,/' some.csv
head -c 300 some.csv >short.csv && cp some.csv.state short.csv.state
expect 4 run top.yaml --resume -o short.csv
says "short.csv: is shorter than it was"
expect 0 run top.yaml --method bdf --save-every 10 -o bdf.csv
cp bdf.csv over.csv
expect 0 run top.yaml --method bdf --resume -o bdf.csv
same over.csv bdf.csv
finish
