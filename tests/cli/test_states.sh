# States of the user's own: the same bits after a restart, derivatives that whole runs confirm, rest
# and modes, refusals by name.
. "$(dirname "$0")/common.sh"

all="--param kp --param ki --param kd --param w --param begin"
for how in "generalized-alpha" "generalized-alpha --frame body" "generalized-alpha-soi2" \
    "rkmk-dop853 --set simulation.tolerance=1e-9" "rkmk-dopri5 --set simulation.tolerance=1e-9" \
    "bdf --set simulation.tolerance=1e-8 --duration 0.1"; do
    # shellcheck disable=SC2086 # words
    expect 0 sens arm.yaml --method $how $all --check
done

for frame in inertial body; do
    set -- run arm.yaml --frame $frame
    expect 0 "$@" -o whole.csv
    expect 0 "$@" --duration 0.2 --save half.state -o first.csv
    expect 0 "$@" --restart half.state -o second.csv
    tail -n 200 whole.csv >expected.csv
    tail -n 200 second.csv >rest.csv
    same expected.csv rest.csv
done

# Sampled controllers: the same between two samples and at one.
for how in "generalized-alpha" "generalized-alpha --frame body" "generalized-alpha-soi2" \
    "rkmk-dop853 --set simulation.tolerance=1e-9" "semi-explicit-2"; do
    # shellcheck disable=SC2086 # words
    expect 0 sens sampled.yaml --method $how --param kp --param w --param m --check
done
expect 0 run sampled.yaml -o whole.csv
for part in 0.2 0.3 0.4; do
    expect 0 run sampled.yaml --duration $part --save half.state -o first.csv
    expect 0 run sampled.yaml --restart half.state -o second.csv
    tail -n 1 whole.csv >expected.csv
    tail -n 1 second.csv >rest.csv
    same expected.csv rest.csv
done
# The first row has what the first sample has found, 40 (0.3 - 0) + 0.3 and 0.3 + 5 (0.3 - 0); one at
# a later sample what was held until then.
awk -F, '
    NR == 2 { if (($3 - 12.3)^2 > 1e-20 || ($4 - 1.8)^2 > 1e-20) exit 1 }
    $1 > 1e-9 && $1 < 0.0501 { if ($3 != first) exit 1 }
    $1 > 0.0501 && $1 < 0.0521 { found = $3 != first }
    { first = NR == 2 ? $3 : first }
    END { exit !found }' whole.csv || fail "rows at samples: $(sed -n 2p whole.csv)"
# Ends that multiples of steps and periods are off by rounding: 7 x 0.05, 3 x 0.15, 35 steps, what a
# switch of time, a delay and an event that another one starts make of 0.35.
sed "s/rate: .*}/rate: '(torque + floor(t\/0.05) + delay(torque, 0.15) - lag)\/0.02'}}/" sampled.yaml >times.yaml
cat >>times.yaml <<'END'
events:
  first: {when: t - 0.2, then: [{start: second, after: 0.1}]}
  second: {then: [{set: {lag: 0}}, {start: third, after: 0.05}]}
  third: {then: [{set: {lag: 1}}]}
END
expect 0 run times.yaml --step 1e-2 -o whole.csv
for part in 0.15 0.21 0.3 0.35 0.45; do
    expect 0 run times.yaml --step 1e-2 --duration $part --save half.state -o first.csv
    expect 0 run times.yaml --step 1e-2 --restart half.state -o second.csv
    tail -n +3 second.csv >rest.csv
    tail -n "$(wc -l <rest.csv)" whole.csv >expected.csv
    same expected.csv rest.csv
done
expect 2 sens sampled.yaml --set sampled.slow.every=0.15*w/0.3 --param w
says "the period of sampled value slow.I changes with it"

# Delays: derivatives in them too, and the history in the saved state.
for how in "generalized-alpha" "rkmk-dop853 --set simulation.tolerance=1e-9"; do
    # shellcheck disable=SC2086 # words
    expect 0 sens delayed.yaml --method $how --param kp --param w --check
done
# a method with steps of its own is compared by steps as long as those it is told, not by its first
expect 0 sens delayed.yaml --method bdf --duration 0.2 --param kp --check
prints "2 derivatives agree"
# the stop at the end of the delay moves with it
expect 0 sens delayed.yaml --method rkmk-dop853 --set simulation.tolerance=1e-10 --param T --check
prints "2 derivatives agree"
# by equal steps to the first order: compared with differences of the runs above, of other steps
for step in 2e-4 1e-4 5e-5; do
    expect 0 sens delayed.yaml --method generalized-alpha --step $step --param T -o in_T.csv
    awk -F, -v h="$step" 'END { exit !($3 + 0.1090665 < h && -$3 - 0.1090665 < h) }' in_T.csv ||
        fail "d(hinge.angle)/d(T) by steps of $step"
done
# and, since it and its slope have two sides where the start comes back, to the second: the method
# of steps by DOP853 of scipy at 3e-14, differenced
for how in generalized-alpha generalized-alpha-soi2 semi-explicit-2 theta; do
    for step in 2e-3 5e-4; do
        expect 0 sens delayed.yaml --method $how --step $step --param T -o in_T.csv
        awk -F, -v h="$step" 'END { e = $3 + 0.10906743961; exit !(e * e < (110 * h * h)^2) }' in_T.csv ||
            fail "d(hinge.angle)/d(T) with $how by steps of $step"
    done
done
# methods that follow a tolerance; bdf begins anew there
expect 0 sens delayed.yaml --method rkmk-dop853 --set simulation.tolerance=1e-9 --param T -o in_T.csv
awk -F, 'END { e = $3 + 0.10906743961; exit !(e * e < 1e-18) }' in_T.csv ||
    fail "d(hinge.angle)/d(T) with rkmk-dop853: $(tail -n 1 in_T.csv)"
expect 0 sens delayed.yaml --method bdf --set simulation.tolerance=1e-6 --param T -o in_T.csv
awk -F, 'END { e = $3 + 0.10906743961; exit !(e * e < 2e-4^2) }' in_T.csv ||
    fail "d(hinge.angle)/d(T) with bdf: $(tail -n 1 in_T.csv)"
expect 0 run delayed.yaml --method bdf --set simulation.tolerance=1e-6 -o plain.csv
cut -d, -f1,2,4 in_T.csv >expected.csv
cut -d, -f1-3 plain.csv >rest.csv
same expected.csv rest.csv
# a step that the model did not foresee keeps all of the history
for step in 2e-3 5e-4 2.5e-4; do
    expect 0 run delayed.yaml --step $step -o "by_$step.csv"
    tail -n 1 "by_$step.csv" | awk -F, '($3 + 0.35003) ^ 2 > 1e-9 { print "rate " $3; exit 1 }' ||
        fail "the end of a delayed motion by steps of $step"
done
expect 0 run delayed.yaml -o whole.csv
expect 0 run delayed.yaml --duration 0.12 --save half.state -o first.csv
expect 0 run delayed.yaml --restart half.state -o second.csv
tail -n 100 whole.csv >expected.csv
tail -n 100 second.csv >rest.csv
same expected.csv rest.csv

# A motion's bend moves with parameters: no difference of powers looks beyond it, however near.
expect 0 sens driven_bends.yaml --param T --param w --check
prints "10 derivatives agree"
expect 0 sens driven_bends.yaml --param T --set simulation.tolerance=1e-11 -o in_T.csv
awk -F, 'END { e = $11/$9 - 1; exit !(e * e < 1e-16) }' in_T.csv ||
    fail "d(energy.work)/d(T) is not d(energy.total)/d(T): $(tail -n 1 in_T.csv)"

# An event's time is that of what it starts: the mass passes a at t = a/v, then has 2 v, and is at
# a + 0.2 v when it is looked at.
cat >started.yaml <<'END'
nutate: 1
parameters: {a: 0.7, v: 1}
gravity: [0, 0, 0]
bodies: {c: {mass: 2, point: true, position: [0, 0, 0], velocity: [v, 0, 0]}}
joints: {rail: {type: inline, between: [ground, c], at: [0, 0, 0], axis: [1, 0, 0]}}
states: {m: {rate: 0}}
events:
  first: {when: c.position.x - a, then: [{impulse: {on: c, value: [2*v, 0, 0]}}, {start: second, after: 0.1}]}
  second: {then: [{set: {m: c.position.x}}]}
simulation: {duration: 1.3, step: 1e-2}
output: {record: [m]}
END
for how in generalized-alpha rkmk-dop853 bdf theta; do
    expect 0 sens started.yaml --method $how --param a --param v -o in_a.csv
    tail -n 1 in_a.csv | awk -F, '{ e = $3 - 1; f = $4 - 0.2; exit !(e * e + f * f < 1e-12) }' ||
        fail "of an event that is started, with $how: $(tail -n 1 in_a.csv)"
done

# At rest the integral is what holds the weight: m g l cos(w) / ki.
expect 0 static arm.yaml -o rest.csv
says "whether it is stable is for nutate modes to say"
tail -n 1 rest.csv | awk -F, '{ e = $2 - 2*9.80665*0.5*cos(0.3)/20; exit !(e*e < 1e-20) }' ||
    fail "integral at rest: $(tail -n 1 rest.csv)"
expect 0 static arm.yaml --set w=1.4 -o rest.csv # far from where it begins
tail -n 1 rest.csv | awk -F, '{ e = $1 - 1.4; exit !(e*e < 1e-20) }' ||
    fail "angle at rest: $(tail -n 1 rest.csv)"
expect 0 modes arm.yaml -o modes.csv
expect 0 check arm.yaml
prints "states 2" "degrees of freedom 1"

expect 2 run arm.yaml --method lie-newmark
says "arm.yaml:10:3: state integral: method lie-newmark" \
    "treats no unknowns of first order, the system has 2"
finish
