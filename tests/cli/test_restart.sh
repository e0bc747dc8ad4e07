# A run that goes on from a saved state gives the same bits as one that was never interrupted; a
# state of something else is refused in words.
. "$(dirname "$0")/common.sh"

sed 's/every: 1e-2, //' top.yaml >each.yaml
expect 0 run each.yaml -o whole.csv
expect 0 run each.yaml --duration 0.05 --save half.state -o first.csv
expect 0 run each.yaml --restart half.state -o second.csv
says "steps 100"
head -n 52 whole.csv >expected.csv
same expected.csv first.csv
{ head -n 1 whole.csv && tail -n 51 whole.csv; } >expected.csv
same expected.csv second.csv

# Rows between the steps; the body frame; an interrupted run.
for frame in inertial body; do
    set -- run top.yaml --set simulation.frame=$frame --set output.every=0.00073
    expect 0 "$@" -o whole.csv
    expect 0 "$@" --duration 0.05 --save half.state -o first.csv
    expect 0 "$@" --restart half.state -o second.csv
    tail -n +3 second.csv >rest.csv
    tail -n "$(wc -l <rest.csv)" whole.csv >expected.csv
    same expected.csv rest.csv
done
set -- run top.yaml --duration 60 --set output.every=1
rm -f first.csv
"$nutate" "$@" --save stopped.state -o first.csv 2>err &
job=$!
until [ -s first.csv ] || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
kill -s INT $job
wait $job
got=$?
if [ $got = 130 ]; then
    expect 0 "$@" --restart stopped.state -o second.csv
    expect 0 "$@" -o whole.csv
    tail -n 1 second.csv >got.csv
    tail -n 1 whole.csv >expected.csv
    same expected.csv got.csv
elif [ $got != 0 ]; then # 0: it was done before the signal came
    fail "interrupted run with --save: exit status $got"
fi

# ---- refused ----
expect 2 run top.yaml --restart half.state --set simulation.frame=inertial
says "half.state" "saved with the frame body, this run has inertial"
expect 0 run top.yaml --save whole.state
expect 2 run top.yaml --restart whole.state
says "the saved state stands at t = 0.1 s" "longer --duration"
expect 0 run top.yaml --duration 0.05 --save half.state
sed 's/top/spinner/g' top.yaml >other.yaml
expect 2 run other.yaml --restart half.state
says "half.state" "other bodies or joints"
expect 2 run breaks.yaml --restart half.state
says "half.state" "6 velocities and 3 constraint equations"
for size in 20 100 300; do # within the head, and behind it
    head -c $size half.state >cut.state
    expect 2 run top.yaml --restart cut.state
    says "cut.state: the file of the state is cut off"
done
{ head -c 300 half.state && printf 'x' && tail -c +302 half.state; } >damaged.state
expect 2 run top.yaml --restart damaged.state
says "damaged.state" "damaged"
for at in 16 20 24 34 50; do # format, byte order, version, what is behind it, and the rest of the head
    cp half.state damaged.state
    printf '\377' | dd of=damaged.state bs=1 seek=$at conv=notrunc 2>dd.log
    expect 2 run top.yaml --restart damaged.state
    says "damaged.state: the file of the state is damaged"
done
expect 2 run top.yaml --restart top.yaml
says "top.yaml: is not a state"
: >empty.state
expect 2 run top.yaml --restart empty.state
says "empty.state: is not a state"
expect 4 run top.yaml --restart missing.state
says "missing.state" "No such file"
# a run that fails keeps its last state, not one of a while before
cat >ends.yaml <<'END'
nutate: 1
bodies:
  b: {mass: 1, inertia: [1, 1, 1]}
forces:
  p: {type: force, on: b, value: [sqrt(1 - t), 0, 0]}
simulation: {duration: 2, step: 1e-5}
output: {record: [b.position]}
END
expect 3 run ends.yaml --save failed.state -o ends.csv
expect 3 run ends.yaml --restart failed.state -o behind.csv
[ "$(wc -l <behind.csv)" -le 2 ] || fail "a failed run ended $(wc -l <behind.csv) rows behind its state"

finish
