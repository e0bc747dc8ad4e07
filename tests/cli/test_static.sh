# nutate static and nutate sens --of static: exit statuses, results, words.
. "$(dirname "$0")/common.sh"

cat >truss.yaml <<'MODEL'
nutate: 1
title: Truss
parameters: {P: 60, turn: 0}
gravity: [0, 0, 0]
bodies: {tip: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5]}}
joints: {guide: {type: prismatic, between: [ground, tip], at: [0, 0, 0.5], axis: [0, 0, 1]}}
forces:
  left: {type: spring, between: [ground, tip], at: [[-1, 0, 0], [0, 0, 0.5]], stiffness: 1000, length: sqrt(1.25)}
  right: {type: spring, between: [ground, tip], at: [[1, 0, 0], [0, 0, 0.5]], stiffness: 1000, length: sqrt(1.25)}
  load: {type: force, on: tip, value: [0, 0, -P]}
simulation: {duration: 1, step: 1e-3}
output: {record: [tip.position]}
MODEL

# one row of the records alone
expect 0 static truss.yaml -o - --quiet
[ "$(wc -l <out)" = 2 ] || fail "$(wc -l <out) lines"
prints "tip.position.x,tip.position.y,tip.position.z"
expect 0 static truss.yaml
says "Truss: static state" "stable; softest: translation of body tip along z" "1 row in truss.static.csv"
[ -s truss.static.csv ] || fail "no truss.static.csv"

# a path of loads ends at the limit of the load, and does not jump to the other side of the snap
expect 3 static truss.yaml --along P --path-step 0.25 -o jump.csv
says "no static state carries more than 0.7152" "arc length leads past a limit of the load"
tail -n 1 jump.csv | awk -F, '{ off = $1 - 0.715238762; exit !(off < 0 && off > -3e-6 && $4 > 0) }' ||
    fail "the last state before the snap: $(cat jump.csv)"
# so does one with friction (3 N slip below 60 N in the guide), with a rigid limit beyond the snap, and where a stable
# state is asked for
for with in 'axis: [0, 0, 1], friction: {dry: 3, law: set-valued}' 'axis: [0, 0, 1], limits: {lower: -1.1, restitution: 0.5}' stable; do
    case $with in
    stable) sed 's/^joints/static: {stable: true}\n&/' truss.yaml ;;
    *) sed "s/axis: \[0, 0, 1\]/$with/" truss.yaml ;;
    esac >other.yaml
    expect 3 static other.yaml --along P --path-step 0.3 -o jump.csv
    tail -n 1 jump.csv | awk -F, -v dry="$with" '{ limit = 0.715238762 + (dry ~ /friction/ ? 0.05 : 0)
        exit !($1 < limit && $1 > limit - 3e-6 && $4 > 0) }' || fail "before the snap, $with: $(tail -n 2 jump.csv)"
done
# a column that is a little off its axis, e, bends where a straight one would be left, and stays on its side of it:
# k angle = P (sin(angle) + e cos(angle)); it comes to its stop on that side
cat >column.yaml <<'MODEL'
nutate: 1
parameters: {P: 60, e: 1e-4, k: 100}
gravity: [0, 0, 0]
bodies: {rod: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5]}}
joints:
  foot: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  spring: {type: torsion_spring, joint: foot, stiffness: k}
  load: {type: force, on: rod, at: [e, 0, 1], value: [0, 0, -P]}
simulation: {duration: 1, step: 1e-3}
output: {record: [foot.angle]}
MODEL
sed 's/axis: \[0, 1, 0\]/&, limits: {upper: 0.5, lower: -0.5, restitution: 0}/' column.yaml >stopped.yaml
for e in 1e-4 1e-6; do
    expect 0 static column.yaml --set e=$e --along P=0..150 --path-step 0.1 -o column.csv
    says "stable; softest"
    awk -F, -v e=$e 'NR > 1 { off = 100 * $2 - 150 * $1 * (sin($2) + e * cos($2))
        if ($2 < before || off^2 > 1e-16) exit 1; before = $2 } END { exit !(before > 1.4) }' column.csv ||
        fail "a column that bends: $(cat column.csv)"
done
expect 0 static stopped.yaml --along P=0..150 --path-step 0.1 -o column.csv
awk -F, 'NR > 1 && ($2 < 0 || $2 > 0.5 + 1e-12) { bad = 1 } ($1 - 50 / 150 / (sin(0.5) + 1e-4 * cos(0.5)))^2 < 1e-18 { met = 1 }
    END { exit bad + !met }' column.csv || fail "a column at its stop: $(cat column.csv)"
# straight on through the point where another path crosses, unless a stable state is asked for
expect 0 static column.yaml --set e=0 --along P=0..150 -o column.csv
says "UNSTABLE"
expect 3 static column.yaml --set e=0 --set static.stable=true --along P=0..150 -o column.csv
says "no stable static state was found beyond 0.66666" "a stable one is asked for (static.stable)"
# a load that a law of the mechanism balances to a rounding is borne, up to the most that the law can
cat >saturates.yaml <<'MODEL'
nutate: 1
parameters: {P: 60}
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}
joints: {h: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  s: {type: joint_force, joint: h, value: "-50*tanh(h.displacement)"}
  load: {type: force, on: b, value: [0, 0, P]}
output: {record: [h.displacement]}
MODEL
expect 3 static saturates.yaml --along P -o saturates.csv
says "no static state carries more than 0.83333"
awk -F, 'NR > 1 { off = 60 * $1 - 50 * (exp(2 * $2) - 1) / (exp(2 * $2) + 1); if (off^2 > 1e-20) exit 1 }
    END { exit !($1 > 0.83333 && $1 < 50 / 60) }' saturates.csv || fail "a law that saturates: $(tail -n 2 saturates.csv)"
# what has slipped to its stop stands there: the row of its friction is out of use, and no dead centre
cat >slips.yaml <<'MODEL'
nutate: 1
gravity: [0, 0, -9.81]
bodies: {b: {mass: 4, inertia: [1, 1, 1], position: [0, 0, 0]}}
joints:
  h: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, -1], friction: {dry: 10, law: set-valued},
      limits: {upper: 0.7, restitution: 0.2}}
forces: {s: {type: joint_force, joint: h, value: "-5*h.displacement"}}
output: {record: [h.displacement]}
MODEL
expect 0 static slips.yaml -o slips.csv
says "h.displacement  0.7 m" "friction: 1 of 1 slip, with all of their friction: joint h"
grep -q "dead centre" err && fail "a dead centre at a stop: $(cat err)"
# what slides down is held by its stop alone, with friction and without; upwards there is none
sed '/^forces/d' slips.yaml >falls.yaml
for friction in ' friction: {dry: 10, law: set-valued},' ''; do
    expect 0 static falls.yaml -o falls.csv
    says "h.displacement  0.7 m" "nothing can move"
    expect 0 modes falls.yaml -o falls.csv
    says "nothing can move: joints and constraints leave no freedom"
    sed -i 's/ friction: {dry: 10, law: set-valued},//' falls.yaml
done
expect 2 static falls.yaml --set 'gravity=[0, 0, 9.81]' -o falls.csv
says "nothing says where it rests: translation of body b along x; expected it to be held"
# two links that moments drive, each to its own stop; where there is a stop on the other side alone, neither rests
cat >driven_arm.yaml <<'MODEL'
nutate: 1
parameters: {T: 5}
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}
joints:
  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], limits: {upper: 1.2, restitution: 0.2}}
  g: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0], limits: {lower: -2, upper: 2.5, restitution: 0.2}}
forces:
  t1: {type: joint_torque, joint: h, value: T}
  t2: {type: joint_torque, joint: g, value: -3}
output: {record: [h.angle, g.angle]}
MODEL
expect 0 static driven_arm.yaml -o -
says "h.angle  1.2 rad" "g.angle  -2 rad" "nothing can move"
expect 2 static driven_arm.yaml --set parameters.T=-5 -o -
says "the system can move freely, nothing says where it rests: rotation of body a about y, rotation of body b about y"
# rates of what feeds back are no way that it goes: no more steps than are asked for
expect 0 static "$here/../../examples/hydraulic_cylinder/hydraulic_cylinder.yaml" --set 'static.hold=[free]' --along gravity \
    --path-step 0.2 -o - --quiet
[ "$(wc -l <out)" = 7 ] || fail "$(wc -l <out) lines of a hydraulic cylinder"
# a path, the load first, into both formats
expect 0 static truss.yaml --arc-length -o path.csv -o path.nc
says "limits of the load: 0.715238762, -0.715238762" "the last one under 1 of the load"
[ "$(head -n 1 path.csv)" = load,tip.position.x,tip.position.y,tip.position.z ] || fail "$(head -n 1 path.csv)"
case $(tail -n 1 path.csv) in 1,*) ;; *) fail "the path ends with $(tail -n 1 path.csv)" ;; esac
expect 0 convert path.nc -o converted.csv
same path.csv converted.csv
expect 0 static truss.yaml --along P=0..40 --path-step 0.25 -o - --quiet
[ "$(wc -l <out)" = 6 ] || fail "$(wc -l <out) lines along P"

# derivatives, compared
expect 0 sens truss.yaml --of static --param P --check --quiet
prints "agree with differences"
awk '/^d\(tip.position.z\)/ { found = $NF > 6 } END { exit !found }' out || fail "digits: $(cat out)"

# a line on a bed in straight pieces: rounding of its tension is the same at both sides of the
# state, where every search begins, and cancels in even differences
printf 'x,z\n-100,-50\n0,-50\n60,-44\n120,-30\n200,-30\n' >bed.csv
cat >bed.yaml <<'MODEL'
nutate: 1
parameters: {kx: 1e5}
tables: {bed: {file: bed.csv, interpolation: linear}}
cables:
  l: {between: [ground, ground], at: [[0, 0, -50], [180, 0, 0]], length: 205, mass: 60, stiffness: 3e7, damping: 0.02,
      elements: 60, seabed: {height: 'table(bed, l.x)', stiffness: kx, damping: 1e4, friction: 0.4}}
simulation: {duration: 5, step: 1e-2}
output: {record: [l.tension, l.node20.position]}
MODEL
expect 0 sens bed.yaml --of static --param kx --check --quiet
prints "5 derivatives agree with differences"

# what changes nothing: the rounding of the state that was found first is not that of the others
cat >still.yaml <<'MODEL'
nutate: 1
parameters: {mu: 1.5e-3}
beams:
  w:
    line: spline
    points: [[0, 0, 0], [1, 0.15, 0], [2.1, 0, 0.2]]
    order: 3
    elements: 4
    damping: mu
    sections: [{material: {E: 7e10, nu: 0.3, density: 2700}, shape: tube, radius: 0.021, thickness: 0.002}]
markers: {mid: {on: w, station: 0.4}}
joints: {c: {type: fixed, between: [ground, w.root]}}
forces: {f: {type: force, on: w.tip, value: [25, 5, 0], frame: body}}
simulation: {duration: 1, step: 1e-3}
output: {record: [mid.force, w.tip.position]}
MODEL
expect 0 sens still.yaml --of static --param mu --check --quiet
prints "6 derivatives agree with differences"
expect 0 sens truss.yaml --of static --param P -o - --quiet
prints "d(tip.position.z)/d(P)"
expect 2 sens truss.yaml --of rest --param P
says "--of: expected run, static, modes or orbit, got 'rest'"

# wrong use
expect 2 static truss.yaml --along Q -o -
says "there is no parameter 'Q' to go along"
expect 2 static truss.yaml --along P=1..2 --along P=3..4 -o -
says "the path goes along 'P' twice, expected each name once"
expect 2 static truss.yaml --along P=1..x -o -
says "--along: expected NAME or NAME=FROM..TO, got 'P=1..x'"
expect 2 static truss.yaml --along P=3..3 -o -
says "has no length"
cat >bar.yaml <<'MODEL'
nutate: 1
parameters: {EI: 10}
beams: {b: {points: [[0, 0, 0], [1, 0, 0]], sections: [{stiffness: [1e4, 1e4, 1e4, 9, EI, 12], mass: [1, 1, 1, 0.1, 0.1, 0.1]}]}}
joints: {clamp: {type: fixed, between: [ground, b.root]}}
simulation: {duration: 1, step: 1e-3}
output: {record: [b.tip.position]}
MODEL
expect 2 static bar.yaml --along EI -o -
says "the path begins where EI is 0, which the model cannot have" "bar.yaml:3:56: beam b: section at 0: stiffness is not positive definite"
expect 0 static bar.yaml --along EI=5..10 -o -
expect 2 static truss.yaml --path-step 0 -o -
says "--path-step: expected a positive number"
expect 2 static truss.yaml --path-step 0.1 -o -
says "--path-step is of a path, which --along or --arc-length asks for"
expect 2 static truss.yaml -o truss.yaml
expect 0 static --help
prints "--arc-length" "--along NAME"

# what is held carries what nothing else does, in words; where there is nothing to carry there are none
cat >shelf.yaml <<END
nutate: 1
gravity: [0, 0, -9.81]
bodies: {b: {mass: 3, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 0.3}}, c: {mass: 2, inertia: [1, 1, 1]}}
forces:
  m: {type: torque, on: b, value: [0, 0, 1.5]}
  k: {type: bushing, between: [ground, c], at: [0, 0, 0], stiffness: [0, 20, 50, 9, 8, 7]}
static: {hold: [b.translation, b.rotation, c.translation.x]}
output: {record: [b.position]}
END
expect 0 static shelf.yaml -o -
says "carries: translation of body b along z by 29.43 N, rotation of body b about z by -1.5 N m"
grep -q "body c along x" err && fail "a hold that carries nothing is said to carry something"
# a column that bends in a plane whose stiffness is lost in rounding: bent where a stable state is asked for; straight
# it is critical, and what is said of it says from where; one that is lost altogether is not said to be free
cat >column.yaml <<'MODEL'
nutate: 1
parameters: {P: 2.6, s: 1e11}
gravity: [0, 0, 0]
beams:
  b:
    points: [[0, 0, 0], [1, 0, 0]]
    order: 4
    elements: 6
    sections: [{stiffness: [s, s, s, 1, 1, 1.5], mass: [1, 1, 1, 1e-6, 1e-6, 1e-6]}]
joints: {clamp: {type: fixed, between: [ground, b.root]}}
forces: {push: {type: force, on: b.tip, value: [-P, 0, 0]}}
static: {stable: true}
MODEL
expect 0 static column.yaml -o -
says "critical: its least stiffness is " "  stable; softest: rotation of body b.tip about y"
grep -q "UNSTABLE\|takes one" err && fail "a stable state was asked for: $(cat err)"
expect 0 static column.yaml --set static.stable=false -o -
says "is how it is pushed about 0.02 or 0.2 (rad, or lengths of the model) beside" "  UNSTABLE; softest: " \
    "static: {stable: true} takes one"
expect 2 static column.yaml --set parameters.s=1e12 -o -
says "no stiffness shows that says where it rests: rotation of body b" "is lost in the rounding of stiffer parts"
sed 's/1, 1, 1.5/1, 1, 1/' column.yaml >round.yaml # in any plane, and free to turn about its axis
expect 2 static round.yaml --set parameters.s=1e12 -o -
says "no stiffness shows that says where it rests: rotation of body b" "is lost in the rounding of stiffer parts"
# what moves freely is named, and what holds it
expect 2 static top.yaml -o -
says "the system can move freely, nothing says where it rests: rotation of body top about y" \
    "static: {hold: [top.rotation.y]} in the model holds it"
expect 0 static top.yaml -o - --set 'static.hold=[top.rotation.y]'
says "held: 1 directions as asked for"
expect 0 static top.yaml -o - --set 'static.hold=[free]'
says "held: 0 directions as asked for, 1 that move freely"
expect 2 static top.yaml -o - --set 'static.hold=[top.rotation.q]'
says "hold: expected free, BODY.translation or BODY.rotation"

# a load that no state carries: the points before are written
expect 3 static truss.yaml -o - --set 'forces.push={type: force, on: tip, frame: body, value: [0, 0, "-1e5*(1 + tip.position.z^2)"]}'
says "no static state carries more than"

# forces that fade far away leave nothing free where the model is placed
cat >fading.yaml <<'END'
nutate: 1
parameters: {F: 10, p: 0}
gravity: [0, 0, 0]
bodies: {a: {mass: 1, point: true, position: [0, 0, 0]}}
joints: {guide: {type: inline, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  s: {type: spring, between: [ground, a], at: [[0, 0, 1], [0, 0, 0]], length: 1, stiffness: 5*exp(2 - s.length)}
  load: {type: force, on: a, value: [0, 0, -F]}
output: {record: [a.position.z]}
END
expect 3 static fading.yaml -o -
says "no static state carries more than 0.49999" "arc length leads past a limit"
expect 3 static fading.yaml --along F=0..10 --arc-length -o -
says "limits of the load: 0.5"

# two motions of one crank that part: who contradicts whom, and by how much
cat >parting.yaml <<'END'
nutate: 1
parameters: {p: 0, share: 0.5}
bodies: {crank: {mass: 1, inertia: [1, 1, 1]}}
joints:
  first: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], motion: p}
  second: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], motion: share*p}
output: {record: [crank.orientation]}
END
for how in "" --arc-length; do
    expect 3 static parting.yaml --along p=0..1 -o - $how
    says "no static state carries more than 0 of the load: beyond it the joints contradict each other" \
        "joint second, prescribed motion is off by"
done
expect 0 static parting.yaml --along p=0..1 --set share=1 -o -

# begin at rest
expect 0 run truss.yaml --set initial.static=true -o rest.csv --quiet
awk -F, 'NR == 2 { z = $4 } NR > 1 && ($4 - z > 1e-9 || z - $4 > 1e-9) { exit 1 }' rest.csv ||
    fail "a run from rest moves"

# what cannot move has no modes: a table without rows
cat >driven.yaml <<'MODEL'
nutate: 1
bodies:
  arm: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.1, 0, -0.4]}
joints:
  drive: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0], motion: 3*t}
simulation: {duration: 0.1, step: 0.01}
output: {record: [arm.position]}
MODEL
expect 0 modes driven.yaml --about initial -o driven.csv
says "0 modes of 0 degrees of freedom"
[ "$(wc -l <driven.csv)" = 1 ] || fail "modes of a driven arm: $(cat driven.csv)"
# how fast an upright pendulum on a cart falls: det(-r^2 M + K) = 0 with M = [4, .5; .5, .26] and
# K = diag(400, -4.905)
cat >upright.yaml <<'MODEL'
nutate: 1
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 3, inertia: [0.1, 0.1, 0.1]}
  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.5]}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}
  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0]}
forces: {s: {type: joint_spring, joint: rail, stiffness: 400}}
simulation: {duration: 0.1, step: 0.01}
MODEL
expect 0 static upright.yaml
says "UNSTABLE" "leaves at a rate of 4.432 1/s"
expect 2 linearise upright.yaml --bode 0.1..1:5 -o upright.nc
says "--bode: expected -o FILE.csv or -o FILE.svg"
# derivatives of what is held, and of what sticks: it stays where it is placed, and its axis turns with it
cat >held.yaml <<END
nutate: 1
parameters: {a: 0.3, x: 0.2, k: 100}
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 2, inertia: [1, 1, 1], position: [x, 0.1, 0], orientation: {axis: [0, 0, 1], angle: a}}
forces:
  s: {type: spring, between: [ground, b], at: [[0, 0, 1], [x + 0.1, 0.1, 0]], stiffness: k, length: 0.9}
  m: {type: bushing, between: [ground, b], at: [0, 0, 0], stiffness: [0, 20, 50, 9, 8, 0]}
static: {hold: [b.translation.x, b.rotation.z]}
output: {record: [b.position, b.orientation]}
END
expect 0 static held.yaml -o -
says "held: 2 directions as asked for, 0 that move freely"
says "held against a load that nothing else carries: translation of body b along x by 4.78939 N"
expect 0 modes held.yaml -o - --about static
says "2 directions are held at rest by static.hold, and move in the modes"
says "without it the state does not last, its largest acceleration is"
expect 0 linearise held.yaml --about static -o held.nc
says "2 directions are held at rest by static.hold, and move in the linear model"
says "what is held at rest bears a load: without it the state does not last"
expect 0 sens held.yaml --of static --param a --param x --param k --check
prints "21 derivatives agree with differences of whole runs"
cat >stuck.yaml <<END
nutate: 1
parameters: {x0: 0.1, m: 2}
gravity: [1, 0, -9.81]
bodies: {b: {mass: m, inertia: [1, 1, 1], position: [x0, 0, 0]}}
joints:
  rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], friction: {dry: 4, law: set-valued}}
output: {record: [b.position.x]}
END
expect 0 sens stuck.yaml --of static --param x0 --param m --check
prints "2 derivatives agree with differences of whole runs (1 of them zero"
# at its dead centre a crank carries the gas with its joints alone: of what moves only rounding is left
expect 0 sens "$here/../../examples/crank_train/crank_train.yaml" --of static --param bore --check --quiet -o crank.csv
prints "d(main.force.z)/d(bore)            331097.745501         331097.745501"
# nothing is loaded: what does not change is no larger than the rounding of its derivative
expect 0 sens "$here/../../examples/right_angle_frame/right_angle_frame.yaml" --of static --param L --check --quiet -o frame.csv
# balls of a bearing rest where free directions are held, as they are in modes: the ring shakes along its axis on the
# races as its mass, a quarter of the balls' and a tenth for their rolling do on the stiffness between two loads
bearing="$here/../../examples/ball_bearing/ball_bearing.yaml"
for load in 999 1001; do
    expect 0 static "$bearing" --set 'static.hold=[free]' --set parameters.load=$load -o ring$load.csv
    says "held: 42 directions as asked for, 0 that move freely"
done
expect 0 modes "$bearing" -o balls.csv
grep -E "Hz .*translation of body ring along z" err >axial
(tail -qn 1 ring999.csv ring1001.csv | cut -d, -f5 && awk '{ print $2 }' axial) | awk '
    { x[NR] = $1 }
    END { m = 7800*3.14159265*9.525e-3^3/6; f = sqrt(2/(x[2] - x[1])/(0.06 + 9*0.35*m))/6.2831853
          exit !(NR == 3 && (x[3]/f - 1)^2 < 1e-4) }' || fail "axial mode of the ring: $(cat axial ring*.csv)"
# a rotor that its motor turns round and round is held too, though the weight of its unbalance resists a little
expect 0 static "$here/../../examples/rotor_on_bearings/rotor_on_bearings.yaml" --set 'static.hold=[free]' -o -
says "held: 72 directions as asked for, 1 that move freely"
expect 2 modes "$here/../../examples/rotor_on_bearings/rotor_on_bearings.yaml" -o -
says "most of all by rotation of body shaft about z" "it turns round and round, static: {hold: [free]} holds it"
expect 0 modes "$here/../../examples/rotor_on_bearings/rotor_on_bearings.yaml" --set 'static.hold=[free]' -o rotor.csv
says "what is held at rest bears a load"
# shafts that turn what hangs on them, of which the derivative says little where it is out of balance
governor="$here/../../examples/flyball_governor/flyball_governor.yaml"
expect 2 static "$governor" -o -
says "nothing says where it rests: rotation of body shaft about z; expected it to be held"
expect 0 static "$governor" --set 'static.hold=[free]' -o -
says "carries: rotation of body shaft about z by -2.21619 N m" "at a dead centre: 1 equation of joints depends on others here" "(1.139 Hz)"
# either link carries half of what the spring leaves of the collar: (M g - k l (1 - cos(pi/5)))/2
expect 0 static "$governor" --set 'static.hold=[free]' --set 'output.record=[link1.force.z, link2.force.z]' -o governor.csv
awk -F, 'NR == 2 { half = (0.5 * 9.81 - 20 * (1 - cos(atan2(0, -1) / 5))) / 2
    exit !(($1 - half)^2 < 1e-18 && ($2 - half)^2 < 1e-18) }' governor.csv || fail "links share a load: $(cat governor.csv)"
# a path that begins there says so too, along loads and along an arc
for arc in '' --arc-length; do
    expect 0 static "$governor" --set 'static.hold=[free]' --along full=1..1.5 $arc -o governor.csv
    says "at a dead centre: 1 equation of joints depends on others here" "(1.139 Hz)"
done
# what changes both links alike has derivatives at the dead centre; what changes one of them has none
sed -e 's|^  load: 0.05 |  long: 0.1\n  load: 0.05 |' -e 's|link1: {type: distance, |&length: long, |' \
    -e 's|^simulation: {|static: {hold: [free]}\n&|' "$governor" >links.yaml
expect 0 sens links.yaml --of static --param h --check
prints "14 derivatives agree with differences of whole runs"
expect 0 sens links.yaml --of static --param travel -o links.csv
expect 2 sens links.yaml --of static --param long -o links.csv
says "the static state has no derivative in parameter long: at a dead centre joint link" "depends on others"
# its arms hang down, in line with their links: sqrt((2 m g l + M g l - k l^2 (1 - cos(pi/5)))/(2 (m l^2 + I))) either way
expect 0 modes "$governor" -o governor.csv
says "at a dead centre: 1 equation of joints depends on others here" "3      1.13939 Hz" "4      1.13939 Hz"
# a path that cannot go on ends at the last state that it has, not where searches began, and names what is to be held
expect 2 static "$governor" --along full -o governor.csv
says "the last one under 0 of the load" "slide.displacement  -0.0381966" "rotation of body shaft about z; expected it to be held"
# a state that its rate drives on never rests, whatever is held
expect 3 static "$here/../../examples/dc_motor/dc_motor.yaml" --set 'static.hold=[free]' -o -
says "most of all by state energy_in" "a state rests where its rate is zero"
grep -q "expected it to be held" err && fail "what is held is not to be held: $(cat err)"
# what flies without an end is held one direction after the other
sampled="$here/../../examples/quadcopter_sampled/quadcopter_sampled.yaml"
expect 2 static "$sampled" -o -
says "nothing says where it rests: translation of body frame along z, translation of body frame along x" "rotation of body frame about y, rotation of body frame about z, rotation of body frame about x"
expect 2 modes "$sampled" -o -
says "rotation of body frame about z" "static: {hold: [free]} holds it"
expect 0 static "$sampled" --set 'static.hold=[free]' -o -
says "6 that move freely" "carries: translation of body frame along z by -10.8 N"
# a load that turns what is free without an end is no load on a stiffness
cat >door.yaml <<END
nutate: 1
gravity: [0, 0, 0]
bodies: {door: {mass: 20, inertia: [2, 5, 4], position: [0.4, 0, 0]}}
joints: {hinge: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: [0, 0, 1]}}
forces: {closer: {type: joint_torque, joint: hinge, value: 10}}
END
expect 2 static door.yaml -o door.csv
says "nothing says where it rests: rotation of body door about z; expected it to be held"
expect 0 modes door.yaml -o door.csv
says "moves freely" "what is held at rest bears a load"
# controllers feed back: where it hovers is no minimum of anything, and a damped motion comes to it all the same
expect 0 static "$here/../../examples/quadcopter/quadcopter.yaml" -o hover.csv
says "frame.position  2 -1 3 m" "  stable; "
# states have rates and no places
expect 0 sens "$here/../../examples/hydraulic_cylinder/hydraulic_cylinder.yaml" --of static --param supply --check \
    --quiet -o cylinder.csv
# a state without any rate stays what it begins with
cat >counts.yaml <<END
nutate: 1
parameters: {k: 3, b0: 2, r: 0, F: 1.5}
gravity: [0, 0, 0]
bodies: {b: {mass: 1, point: true, position: [0.1, 0, 0]}}
joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}
states: {beats: {rate: r*b.velocity.x, initial: b0}, lag: {rate: b.position.x - lag}}
forces: {s: {type: force, on: b, value: [F - k*b.position.x, 0, 0]}}
output: {record: [b.position.x, beats, lag]}
END
expect 0 sens counts.yaml --of static --param k --param b0 --param F --check --quiet -o -
prints "9 derivatives agree" "d(beats)/d(b0)                            1                     1"
# balls of a bearing are free at rest: what is said to hold them does, and the rotor sags on the races
cat >rotor.yaml <<END
nutate: 1
gravity: [0, -9.81, 0]
bodies: {shaft: {mass: 1.5, inertia: [2e-3, 2e-3, 1e-4]}}
bearings:
  left: {designation: "6206", outer: ground, inner: shaft, at: [0, 0, -0.15], axis: [0, 0, 1], clearance: -4e-6}
  right: {designation: "6206", outer: ground, inner: shaft, at: [0, 0, 0.15], axis: [0, 0, 1], clearance: -4e-6}
simulation: {duration: 1e-3, method: semi-explicit-2, step: 1e-6}
output: {record: [shaft.position, left.load, right.load]}
END
expect 2 static rotor.yaml
says "balls of bearings spin and run along their grooves, which nothing resists at rest" \
    "left.ball1.rotation, left.ball1.translation.y" "as the shaft"
holds=$(sed -n 's/.*{hold: \[\(left[^]]*\)\]}.*/\1/p' err)
(cat rotor.yaml && echo "static: {hold: [$holds, shaft.rotation.z]}") >rests.yaml
expect 0 static rests.yaml
tail -n 1 rests.static.csv | awk -F, '
    function near(x, y) { return x - y < 1e-6 * y && y - x < 1e-6 * y }
    { half = 1.5 * 9.81 / 2; exit !(near($5, half) && near($8, half)) }' ||
    fail "loads of the bearings: $(cat rests.static.csv)"
# a rate of steady motion is no function of time
cat >round.yaml <<END
nutate: 1
parameters: {w: 4}
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 2, point: true, position: [0.8, 0, -0.6]}}
joints: {string: {type: distance, between: [ground, bob], points: [[0, 0, 0], [0, 0, 0]], length: 1}}
steady: {round: {axis: [0, 0, 1], rate: w}}
END
expect 0 modes round.yaml --about steady
expect 2 modes round.yaml --about steady --set 'steady.round.rate=w*t'
says "steady 'round': the rate depends on the time t, expected one that stays as it is"
# a moment that drives a rotor out of its steady rotation is what is left over, however far the search has gone with it
cat >driven.yaml <<END
nutate: 1
gravity: [0, 0, 0]
bodies: {disk: {mass: 3, inertia: [0.05, 0.03, 0.03]}}
forces:
  left: {type: bushing, between: [ground, disk], at: [-0.13, 0, 0], stiffness: [5e4, 2e4, 2.4e4, 0, 0, 0]}
  right: {type: bushing, between: [ground, disk], at: [0.13, 0, 0], stiffness: [5e4, 2e4, 2.4e4, 0, 0, 0]}
  drive: {type: torque, on: disk, value: [0.1, 0, 0]}
steady: {turn: {axis: [1, 0, 0], rate: 100}}
END
expect 3 modes driven.yaml --about steady
says "the loads do not allow it, moment on body disk about x is left with 0.1 N m"
# without loads none can be put on, and what the search said is said
cat >away.yaml <<END
nutate: 1
gravity: [0, 0, 0]
bodies: {bob: {mass: 2, inertia: [1, 1, 1]}}
forces:
  pull: {type: spring, between: [ground, bob], at: [[0, 0, 0], [1, 0, 0]], stiffness: 10, length: 1e-3}
  push: {type: bushing, between: [ground, bob], at: [0, 0, 0], stiffness: [-1, -1, -1, -1, -1, -1]}
END
expect 3 static away.yaml
says "no static state found: after" "steps of a damped motion it still moves"
# a motion is an input at times of a run too, whose rates stand beside it: a mass on a slide that is moved by u(t) at its
# middle, so that x' has no input of its own but the mass has the slide's acceleration
cat >slide.yaml <<END
nutate: 1
gravity: [0, 0, 0]
bodies:
  slide: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}
  mass: {mass: 2, point: true, position: [0, 0, 0], velocity: [1, 0, 0.5]}
joints:
  drive: {type: prismatic, between: [ground, slide], at: [0, 0, 0], axis: [1, 0, 0], motion: t + t^2}
  rail: {type: prismatic, between: [slide, mass], at: [0, 0, 0], axis: [0, 0, 1]}
simulation: {duration: 1, step: 1e-3}
output: {record: [mass.acceleration]}
END
expect 0 linearise slide.yaml --at 0.2 --input drive.motion -o slide.mtx
says "linear at t = 0.2 s: 2 states (1 displacements, 1 velocities), 1 input, 3 outputs"
awk '$1 == 1 && $2 == 1 { off = $3 - 1; good = off < 1e-9 && -off < 1e-9 } END { exit !good }' slide.D2.mtx || fail "acceleration of the mass by that of the slide: $(cat slide.D2.mtx)"
[ -s slide.B1.mtx ] && [ -s slide.B2.mtx ] || fail "no B1 and B2"
# what moves freely is held along a path too, as a shaft that a load turns; what gravity moves is not, though it stands
# level, without stiffness, on that shaft
cat >shaft.yaml <<END
nutate: 1
parameters: {pull: 3, w: 2}
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 2, inertia: [0.1, 0.1, 0.02], position: [0, 0, 0]}
  bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0]}
joints:
  spin: {type: revolute, between: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}
  hinge: {type: revolute, between: [shaft, bob], at: [0.1, 0, 0], axis: [0, 1, 0]}
forces:
  motor: {type: joint_torque, joint: spin, value: pull}
static: {hold: [free]}
simulation: {duration: 1, step: 1e-3}
output: {record: [spin.angle, hinge.angle]}
END
expect 0 static shaft.yaml
says "held: 0 directions as asked for, 1 that move freely" "stable; softest: rotation of body bob about y"
for path in pull gravity "pull --arc-length"; do
    expect 0 static shaft.yaml --along $path
    says "the last one under 1 of the load" "held against a load that nothing else carries: rotation of body shaft about z by -3 N m"
    tail -n 1 shaft.static.csv | awk -F, '
        function near(x, y) { return x - y < 1e-9 && y - x < 1e-9 }
        { exit !($1 == 1 && near($2, 0) && near($3, atan2(1, 0))) }' || fail "--along $path: $(cat shaft.static.csv)"
done
# an arc begins where gravity holds nothing yet, and holds what it should not
expect 3 static shaft.yaml --along gravity --arc-length
says "held what moves freely where it begins: " "rotation of body bob about y" "expected a path of loads"
# a spring between one point and itself says why it has no value
cat >none.yaml <<END
nutate: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}
forces: {s: {type: spring, between: [ground, b], at: [[0, 0, 0], [0, 0, 0]], stiffness: 10, length: 0.4}}
END
expect 2 static none.yaml
says "none.yaml:3:10: force s has no value" "its two ends are one point, and it has no direction there"
# friction that is set-valued sticks, in words; what is regularised holds nothing
sed 's/axis: \[1, 0, 0\]}/axis: [1, 0, 0], friction: {dry: 4, law: set-valued}}/' upright.yaml >sticks.yaml
expect 0 static sticks.yaml
says "friction: 1 of 1 stick: joint rail (0 of what it can hold)"
expect 0 static sticks.yaml --set joints.rail.friction.law=regularised
says "friction that is regularised creeps, and holds nothing at rest (law: set-valued sticks): joint rail"
# a page shows runs: nothing is written in its place
expect 2 static sticks.yaml -o page.html
says "-o: 'page.html' shows runs; expected a name that ends in .csv or .nc"
[ -z "$(ls page* 2>/dev/null)" ] || fail "a page that is refused leaves $(ls page*)"
finish
