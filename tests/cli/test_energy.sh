# The watch on energy as the command shows it: what ends with 3, what is warned of, how it is
# switched off.
. "$(dirname "$0")/common.sh"

cat >ball.yaml <<END
nutate: 1
title: Ball
gravity: [0, 0, -9.8]
bodies: {ball: {mass: 1, position: [0, 0, 5], point: true}}
contacts: {floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]}, radius: 0.1, stiffness: 1e8}}
simulation: {duration: 3, step: 0.01}
output: {every: 0.1, record: [ball.position, energy]}
END

# ---- too much: status 3, the rows up to there, the last one where it ended ----
expect 3 run ball.yaml
says "nutate: ball.yaml: at t = 1." "the energy has grown by" "without a cause" "gained most" "would do"
ends=$(sed -n 's/.*at t = \([0-9.]*\) s: the energy.*/\1/p' err)
tail -n 1 ball.csv | grep -q "^$ends" || fail "the last row is not where the run ended, $ends: $(tail -n 1 ball.csv)"
grep -q "^warning" err && fail "a run that ended is warned of besides: $(cat err)"

# ---- less: a warning, the first line of the summary ----
expect 0 run ball.yaml --step 2e-4
sed -n 1p err | grep -q "^warning: the energy has grown by .* J without a cause; a step of .* s would do" ||
    fail "first line of the summary: $(sed -n 1p err)"
expect 0 run ball.yaml --step 1e-5 --duration 1.2
grep -q "warning" err && fail "a good run is warned of: $(cat err)"

# ---- switched off ----
expect 0 run ball.yaml --no-energy-check
grep -q "warning" err && fail "warned of what is not watched"
expect 0 run ball.yaml --set simulation.energy_check=false
expect 2 run ball.yaml --set simulation.energy_check=maybe
says "energy_check"

# ---- a tolerance finds the floor ----
for method in theta semi-explicit rkmk-dop853 generalized-alpha-soi2; do
    expect 0 run ball.yaml --step 0.1 --method $method --set simulation.tolerance=1e-6
    grep -q "warning" err && fail "$method with a tolerance is warned of: $(cat err)"
done
finish
