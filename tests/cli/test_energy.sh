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

# ---- a sphere of a given stiffness that comes to be wholly behind its surface is told, the deepest place of all ----
cat >deep.yaml <<END
nutate: 1
parameters: {v: 40}
gravity: [0, 0, 0]
bodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 2], velocity: [0, 0, -v]}}
contacts: {c: {type: sphere_plane, between: [ground, ball], radius: 0.5, stiffness: 1e2, plane: {normal: [0, 0, 1]}}}
simulation: {duration: 0.5, step: 1e-3}
output: {every: 0.1, record: [ball.position, energy]}
END
# (5 m v^2/(4 k))^0.4 = 3.314 m of v = 40, 0.917 m of v = 8
for method in generalized-alpha semi-explicit-2 rkmk-dop853 bdf; do
    expect 0 run deep.yaml --method $method
    says "warning: contact c: the sphere is pressed 3.31" "of a radius of 0.5 m, it is wholly behind the surface; this began at t = 0.06"
    expect 0 run deep.yaml --method $method --set v=8
    grep -q "behind the surface" err && fail "$method: told of what is not so: $(cat err)"
done
sed 's/stiffness: 1e2/material: {E: 1e3, nu: 0.3}/' deep.yaml >material.yaml
expect 3 run material.yaml
says "contact c (sphere_plane): the sphere is pressed 1 m in" "it is wholly behind the surface"
finish
