# nutate orbit and sens --of orbit as a user meets them: results, words, exit statuses.
. "$(dirname "$0")/common.sh"

cat >swing.yaml <<END
nutate: 1
title: Swing
parameters: {amplitude: 2.5, damping: 0}
gravity: [0, 0, -9.81]
bodies:
  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [sin(amplitude), 0, -cos(amplitude)],
        orientation: {axis: [0, -1, 0], angle: amplitude}}
joints:
  pivot: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, -1, 0], friction: {viscous: damping}}
simulation: {duration: 20, method: generalized-alpha, step: 1e-2, options: {rho_inf: 0.8}}
output: {record: [bob.position, pivot.rate]}
END
cat >driven.yaml <<END
nutate: 1
title: Driven slider
parameters: {w: 2, F: 0.3}
gravity: [0, 0, 0]
bodies: {bob: {mass: 1, point: true, position: [0, 0, 0]}}
joints: {guide: {type: prismatic, between: [ground, bob], at: [0, 0, 0], axis: [1, 0, 0]}}
forces:
  law: {type: force, on: bob, value: ["F*cos(w*t) - 0.4*bob.velocity.x - bob.position.x - bob.position.x^3", 0, 0]}
simulation: {duration: 20, method: rkmk-dop853, step: 1e-2}
output: {record: [bob.position.x]}
END

# ---- a free orbit, by a method that the model does not name ----
expect 0 orbit swing.yaml --free -o swing.csv -o swing.nc
says "Swing: periodic orbit by rkmk-dop853, 200 steps in a period" "period 3.31237091331 s (found)" \
    "2 multipliers, 2 of them trivial (1 of what every motion keeps" "neutral: all its multipliers are trivial" \
    "201 rows in swing.csv, multipliers in swing.multipliers.csv, swing.multipliers.nc"
[ "$(wc -l <swing.csv)" = 202 ] || fail "swing.csv has $(wc -l <swing.csv) lines"
head -n 1 swing.multipliers.csv | grep -qx "multiplier,trivial,re,im,modulus,exponent.re,exponent.im" ||
    fail "columns: $(head -n 1 swing.multipliers.csv)"
[ "$(wc -l <swing.multipliers.csv)" = 3 ] || fail "swing.multipliers.csv: $(cat swing.multipliers.csv)"
for word in result_version nutate_version model_file "title: Swing" "table" "neutral: all its multipliers"; do
    grep -aq "$word" swing.multipliers.nc || fail "swing.multipliers.nc does not say '$word'"
done
grep -aq "neutral: all its multipliers are trivial" swing.nc || fail "swing.nc does not say how stable it is"
expect 0 orbit swing.yaml --free --quiet -o -
[ "$(wc -l <out)" = 202 ] && [ ! -s err ] || fail "--quiet -o -: $(wc -l <out) lines, $(cat err)"
cp swing.csv first.csv
expect 0 orbit swing.yaml --free -o swing.csv
same first.csv swing.csv

# ---- a period that is another one of the family: its orbit begins elsewhere, and that is said ----
expect 0 orbit swing.yaml --period 2.6
says "period 2.6 s (given)" "begins elsewhere than the initial state: rotation of body bob about y by" \
    "another orbit of its family"
expect 0 orbit swing.yaml --free
grep -q "begins elsewhere" err && fail "it has not moved: $(cat err)"
# ---- at rest: no multiplier is that of a motion ----
expect 0 orbit swing.yaml --set amplitude=0 --set damping=0.3 --period 1.3
says "a state of rest, which repeats after any time" "  2 multipliers" "stable: all 2 multipliers within the unit circle"
expect 3 orbit swing.yaml --set amplitude=0 --free
says "the motion from the first guess is at rest"

# ---- steps so coarse that they miss the touch: they do not say that a ball's bounces fade ----
cat >ball.yaml <<END
nutate: 1
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 0, 0.3]}}
joints: {rail: {type: prismatic, between: [ground, ball], at: [0, 0, 0.3], axis: [0, 0, 1]}}
contacts: {floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]}, radius: 0.1, stiffness: 1e4}}
simulation: {duration: 3, step: 1e-3}
END
expect 0 orbit ball.yaml --free
says "1 of them trivial, 1 to 0.09" "undecided: 1 of 1 multipliers on the unit circle to the error of the steps"

# ---- a given period, as an expression; a path ----
expect 0 orbit driven.yaml --period '2*pi/w' --steps 60
says "period 3.14159265359 s (given)" "stable: all 2 multipliers within the unit circle" "disturbances fade"
expect 0 orbit driven.yaml --period '2*pi/w' --along w=2..2.4:3 --steps 60
says "w from 2 to 2.4: " "0 folds"
head -n 1 driven.orbit.csv | grep -q "^w,event,period,stable,miss,multiplier1.re,.*,bob.position.x,min(bob.position.x),max(" ||
    fail "columns of a path: $(head -n 1 driven.orbit.csv)"
tail -n 1 driven.orbit.csv | grep -q "^2.3999999999999999,0,2.61799" || fail "last row of a path: $(tail -n 1 driven.orbit.csv)"

# ---- a joint that sticks at the begin and slips at the end: no orbit, though its coordinates close ----
cat >sticks.yaml <<END
nutate: 1
gravity: [0, 0, 0]
bodies: {p: {mass: 1, inertia: [1, 1, 1], position: [0.3, 0, 0]}}
joints: {g: {type: prismatic, between: [ground, p], at: [0, 0, 0], axis: [1, 0, 0],
             friction: {dry: 0.2, law: set-valued}}}
forces: {s: {type: force, on: p, value: ["-p.position.x - 0.1*p.velocity.x + 0.5*cos(1.5*t)", 0, 0]}}
simulation: {duration: 10, step: 1e-3}
END
expect 3 orbit sticks.yaml --period '2*pi/1.5'
says "does not close" "rate of translation of body p along x by 0.30" "a joint that sticks there"

# ---- more modes along a path than there are degrees of freedom ----
expect 2 modes driven.yaml --modes 5 --over F=0.1..0.3:3
says "5 modes are wanted, and the model has 1 degree of freedom"

# ---- derivatives ----
expect 0 sens driven.yaml --of orbit --period '2*pi/w' --param w --param F --steps 60 --check
prints "d(multiplier1.re)/d(w)" "good" "derivatives agree with differences of whole orbits"
grep -q WRONG out && fail "$(cat out)"
expect 0 sens swing.yaml --of orbit --free --param amplitude -o s.csv
head -n 1 s.csv | grep -qx "period,d(period)/d(amplitude)" || fail "columns: $(head -n 1 s.csv)"
says "one of a family of orbits: its begin follows the initial state"
# its derivative by the elliptic integrals K and E of k = sin(1.25): T'/T = (E/((1 - k^2) K) - 1) cos(1.25)/(2 k)
tail -n 1 s.csv | awk -F, '{ off = $2 - 1.8179668102478952; exit !(off < 1e-9 && -off < 1e-9) }' ||
    fail "d(period)/d(amplitude): $(tail -n 1 s.csv)"
expect 0 sens swing.yaml --of orbit --free --param amplitude --segments 2 --check
prints "1 derivatives agree with differences of whole orbits"
expect 0 sens swing.yaml --of orbit --free --param amplitude --after 0.5
says "its begin, which is not the initial state, goes the least way"
cat > coupled.yaml <<'EOF'
nutate: 1
title: two masses
parameters: {k: 20, amp: 1.2, m: 1.4}
gravity: [0, 0, 0]
bodies:
  a: {mass: m, point: true, position: [amp, 0, 0]}
  b: {mass: 2, point: true, position: [1, 0, 0.3]}
joints:
  g: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}
  h: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}
forces:
  f: {type: force, on: a, value: ["-k*a.position.x - 5*a.position.x^3 - 3*(a.position.x - b.position.z)", 0, 0]}
  e: {type: force, on: b, value: [0, 0, "-30*b.position.z + 3*(a.position.x - b.position.z)"]}
simulation: {duration: 10, step: 1e-2}
EOF
# the initial state lies on no orbit: the orbits compared must not drift along the family
expect 0 sens coupled.yaml --of orbit --free --param m --param k --steps 60 --check
prints "10 derivatives agree with differences of whole orbits"
expect 2 sens swing.yaml --of orbit --free --param amplitud
says "no parameter 'amplitud'; did you mean 'amplitude'?"
expect 2 sens swing.yaml --of orbits --param amplitude
says "--of: expected "

# ---- refusals ----
expect 2 orbit swing.yaml
says "orbit needs the period, --period T, or --free to find it"
for period in 0 -1 inf; do
    expect 2 orbit swing.yaml --period $period
    says "--period: expected a positive number of seconds, got '$period'"
done
expect 2 orbit driven.yaml --period '2*pi/v'
says "nutate: --period:1:6: unknown name 'v'; known here: "
grep -q period_of_the err && fail "$(cat err)"
expect 2 orbit driven.yaml --period '2*(' --method rkmk4
says "nutate: --period:1:4: expected a number, a name or '(', got the end"
expect 2 orbit driven.yaml --period 'w - 5'
says "--period: expected a positive number of seconds, got -3"
expect 2 orbit driven.yaml --free
says "nutate: driven.yaml:8:" "depends on the time t: the model has a clock" "expected --period T without --free"
expect 2 orbit swing.yaml --free --method bdf
says "method bdf chooses its steps by itself: orbits need one that takes equal steps"
expect 2 orbit swing.yaml --free --advance bob.position.q
says "has no coordinate 'bob.position.q', expected position.x"
expect 2 orbit swing.yaml --free --advance bo.rotation.y
says "has no coordinate 'bo.rotation.y'"
expect 2 orbit swing.yaml --free --advance bob.rotation.y=full
says "--advance bob.rotation.y: expected a number of m or rad, got 'full'"
expect 2 orbit driven.yaml --period 3 --along w=2
says "--along: expected NAME=A..B:N"
expect 2 orbit driven.yaml --period 3 --along v=1..2:5
says "--along: driven.yaml has no parameter 'v'"
expect 2 orbit swing.yaml --free --steps 0
says "--steps: expected a whole number from 1"
expect 3 orbit swing.yaml --period 3.3 --free --set damping=0.3
says "the search ended at a state of rest"
expect 3 orbit driven.yaml --period 3
says "closes after 3 s, but the next period is another"
expect 3 orbit swing.yaml --period 3 --advance position.x=0.5
says "the shooting does not close after" "of body bob"

# a model without constraints: exp(-0.1 pi) of the damped direction, 1 of the others
cat >point.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, point: true, position: [1, 0, 0]}}
forces:
  pull: {type: force, on: a, value: [-4*a.position.x - 0.2*a.velocity.x + cos(2*t), -4*a.position.y, -4*a.position.z]}
output: {record: [a.position]}
END
expect 0 orbit point.yaml --period pi -o -
says "modulus 0.730402691" "neutral: 4 of 6 multipliers on the unit circle"

finish
