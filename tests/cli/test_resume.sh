# A run that is killed at any moment goes on with --resume, and its files are byte for byte those of
# a run without a stop.
. "$(dirname "$0")/common.sh"
# Every state waits for the disk: where there is a disk in memory the test takes a tenth of the time.
if fast=$(mktemp -d /dev/shm/nutate.XXXXXX 2>/dev/null); then
    trap 'rm -rf "$fast"' EXIT
    cp ./*.yaml "$fast" && cd "$fast" || exit 1
fi
seed=${NUTATE_SEED:-$(date +%s)}
echo "moments from NUTATE_SEED=$seed"
cat >ball.yaml <<'END'
nutate: 1
parameters: {m: 1}
bodies:
  ball: {mass: m, inertia: [0.1, 0.1, 0.2], position: [0, 0, 2], velocity: [1, 0, 0],
         angular_velocity: [1, 2, 3]}
contacts:
  floor: {type: sphere_plane, between: [ground, ball], radius: 0.1, plane: {point: [0, 0, 0], normal: [0, 0, 1]},
          stiffness: 1e5, damping: 10, friction: {coefficient: 0.3, slip: 1e-3}}
objectives:
  high: {type: maximum, of: ball.position.z}
  mean: {type: rms, of: ball.velocity.z}
simulation: {duration: 1, step: 1e-3}
output: {every: 1e-2, record: [ball.position, ball.orientation, floor.force, energy]}
END

cat >free.yaml <<'END'
nutate: 1
parameters: {m: 1}
gravity: [0, 0, 0]
bodies: {b: {mass: m, inertia: [0.1, 0.15, 0.2], position: [0, 0, 0], velocity: [1, 2, 3], angular_velocity: [1, 5, 0.1]}}
forces: {pull: {type: spring, between: [ground, b], at: [[0, 0, 1], [0.1, 0, 0]], stiffness: 100, length: 1, damping: 0.1}}
objectives:
  high: {type: maximum, of: b.position.z}
  mean: {type: rms, of: b.velocity.z}
simulation: {duration: 40, step: 1e-3}
output: {every: 0.1, record: [b.position, b.orientation, energy]}
END

# whole COMMAND ARGUMENT...: the run without a stop, and how long it takes
whole() {
    expect 0 "$@" -o plain.csv
    begun=$(date +%s%N)
    expect 0 "$@" --save-every 0.02 -o whole.csv -o whole.nc
    same plain.csv whole.csv # saving changes nothing
    length=$(($(date +%s%N) - begun))
    grep "objective" err >whole.objectives
}

# stopped COMMAND ARGUMENT...: the same, killed up to three times, at random moments of its whole
# length, by one signal or another; where it was killed before it had begun there is no state
stopped() {
    rm -f cut.*
    got=1
    for stop in 1 2 3; do
        resume=
        [ -e cut.csv.state ] && resume=--resume
        seed=$((seed + 1))
        # shellcheck disable=SC2086
        "$nutate" "$@" --save-every 0.02 $resume -o cut.csv -o cut.nc 2>err </dev/null &
        job=$!
        sleep "$(awk -v s=$seed -v l="$length" 'BEGIN { srand(s); print rand() * l / 1e9 }')"
        signal=$(awk -v s=$seed 'BEGIN { srand(7 * s); print rand() < 0.7 ? "KILL" : "TERM" }')
        kill -s "$signal" $job 2>/dev/null
        wait $job 2>/dev/null
        got=$?
        case $got in
        0) break ;;
        # 143: SIGTERM has come before the program listens for it, as it starts
        130 | 137 | 143) stops=$((stops + 1)) ;;
        *) fail "nutate $* $resume ($signal, seed $seed): exit status $got" && cat err ;;
        esac
    done
    resume=
    [ -e cut.csv.state ] && resume=--resume
    # shellcheck disable=SC2086
    [ $got = 0 ] || expect 0 "$@" --save-every 0.02 $resume -o cut.csv -o cut.nc
    same whole.csv cut.csv
    same whole.nc cut.nc
    grep "objective" err >cut.objectives
    same whole.objectives cut.objectives
}

stops=0
each() {
    whole "$@"
    for time in 1 2 3 4 5 6 7 8; do
        stopped "$@"
    done
}
each run top.yaml --duration 40
each run top.yaml --duration 20 --set simulation.frame=body --set output.every=0.00073
each run top.yaml --method generalized-alpha-soi2 --duration 2 --set simulation.tolerance=1e-7
each run top.yaml --method rkmk-dop853 --duration 20 --set simulation.tolerance=1e-11
each run top.yaml --method bdf --duration 10 --set simulation.options='{tolerance: 1e-10}'
each run top.yaml --duration 20 --set simulation.options.reuse_tangent=true
each sens free.yaml --param m --method bdf --set simulation.tolerance=1e-9
each run ball.yaml --method semi-explicit --duration 5 --step 1e-4
each sens ball.yaml --param m --method generalized-alpha --duration 2 --step 1e-3
each run sampled.yaml --method bdf --duration 20 --set simulation.tolerance=1e-7 --set output.every=0.01
each sens sampled.yaml --param kp --method bdf --duration 2
echo "$stops stops"
[ $stops -ge 40 ] || fail "only $stops stops"

# bdf, which begins anew behind each sample and never comes to a thousand steps, is stopped where it
# is and not at its start.
"$nutate" run sampled.yaml --method bdf --duration 1e5 -o far.csv 2>err </dev/null &
job=$!
for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.2
    [ "$(wc -c <far.csv 2>/dev/null || echo 0)" -gt 20000 ] && break
done
kill -s TERM $job
wait $job
[ $? = 130 ] || fail "bdf with samples: $(cat err)"
reached=$(tail -n 1 far.csv | cut -d, -f1)
expect 2 run sampled.yaml --method bdf --duration 1e-3 --restart far.csv.state -o rest.csv
stands=$(sed -n 's/.*the saved state stands at t = \([0-9.e+-]*\) s.*/\1/p' err)
awk -v at="${stands:-0}" -v t="$reached" 'BEGIN { exit !(at > 0.05 && at > t / 2) }' ||
    fail "bdf with samples, stopped at $reached s: its state stands at '$stands' s"
finish
