# Rigid limits of joints on the command: derivatives through impacts, runs that are saved, static
# states, and what is refused.
. "$(dirname "$0")/common.sh"

# check MODEL PARAMETER...: the derivatives at the end agree with whole runs
check() {
    model=$1
    shift
    parameters=
    for name in "$@"; do parameters="$parameters --param $name"; done
    # shellcheck disable=SC2086
    expect 0 sens "$model" $parameters --check -o derivatives.csv
    grep -q WRONG out err && fail "$model: $(grep -h WRONG out err)"
    grep -q 'derivatives agree with differences' out err || fail "$model: none agree"
}

# ---- bounces ----
cat >bounce.yaml <<'END'
nutate: 1
parameters: {e: 0.6, high: 1, bed: 0.2, g: 10}
gravity: [0, 0, -g]
bodies: {b: {mass: 2, position: [0, 0, high]}}
joints:
  rail: {type: prismatic, between: [ground, b], points: [[0, 0, 0], [0, 0, 0]],
         axes: [[0, 0, 1], [0, 0, 1]], limits: {lower: bed, restitution: e, rest_speed: 0.01}}
simulation: {duration: 0.9, step: 0.01, method: rkmk-dop853, tolerance: 1e-10}
output: {every: 0.1, record: [rail.displacement, rail.rate]}
END
check bounce.yaml e high bed g
# after two bounces: z' = e^2 u - g (t - T), u^2 = 2 g (high - bed), T = u/g (1 + 2e)
tail -n 1 derivatives.csv | awk -F, '{ u = 4; e = 0.6; g = 10; t = 0.9
    v = e^2*u - g*(t - u/g*(1 + 2*e)); by_e = 2*e*u + 2*u
    by_high = (e^2 + 1 + 2*e)*g/u
    d = ($7 - v)^2 + ($8 - by_e)^2 + ($9 - by_high)^2 + ($10 + by_high)^2; exit !(d < 1e-14) }' ||
    fail "a weight that bounces: $(tail -n 1 derivatives.csv)"

# ---- a double pendulum between limits, until it rests on two of them ----
cat >pendulum.yaml <<'END'
nutate: 1
parameters: {e: 0.5, up: 0.4, m: 1}
bodies:
  a: {mass: m, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  b: {mass: 0.7, inertia: [0.05, 0.05, 0.05], position: [1.3, 0, 0]}
joints:
  shoulder: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],
             limits: {upper: up, restitution: e}}
  elbow: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0],
          limits: {lower: -0.5, upper: 0.6, restitution: e}}
simulation: {duration: 0.9, step: 0.01, method: rkmk-dop853, tolerance: 1e-10}
output: {every: 0.05, record: [shoulder.angle, elbow.angle, shoulder.rate, elbow.rate,
                               shoulder.torque, elbow.torque, energy]}
END
check pendulum.yaml up m
sed 's/duration: 0.9/duration: 0.4/' pendulum.yaml >short.yaml
check short.yaml e up m
for how in rkmk-dop853 generalized-alpha generalized-alpha-soi2 bdf; do
    expect 0 run pendulum.yaml --method $how -o whole.csv
    grep -q 'joint shoulder rests on its upper limit' whole.events.csv || fail "$how: no rest"
    tail -n 1 whole.csv | awk -F, '{ exit !($2 == 0.4 && ($3 - 0.6)^2 < 1e-30 && $4^2 + $5^2 < 1e-20) }' ||
        fail "$how: it does not rest at its limits: $(tail -n 1 whole.csv)"
    # the account of energy: what is left is what the impacts took
    tail -n 1 whole.csv | awk -F, '{ d = $(NF - 1) - $NF; exit !(d*d < 1e-6) }' ||
        fail "$how: energy $(tail -n 1 whole.csv)"
    # saved among bounces, and at rest
    for t in 0.3 0.45 0.65; do
        expect 0 run pendulum.yaml --method $how --duration $t -o part.csv --save part.state
        expect 0 run pendulum.yaml --method $how --restart part.state -o rest.csv
        tail -n 1 rest.csv | awk -F, '{ exit !($2 == 0.4 && ($3 - 0.6)^2 < 1e-30) }' ||
            fail "$how from $t: it does not rest at its limits: $(tail -n 1 rest.csv)"
    done
done

expect 0 run pendulum.yaml --method generalized-alpha --set simulation.frame=se3 -o se3.csv
expect 0 run pendulum.yaml --method generalized-alpha -o inertial.csv
tail -n 1 inertial.csv >>se3.csv
tail -n 2 se3.csv | awk -F, 'NR == 1 { a = $2; b = $3; w = $4; n = $NF }
    NR == 2 { exit !((a - $2)^2 + (b - $3)^2 + w^2 < 1e-20 && (n - $NF)^2 < 1e-4) }' ||
    fail "limits in frame se3: $(tail -n 2 se3.csv)"
# and a latch in that frame
cat >latch.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 0], angular_velocity: [0, 0, 12]}}
joints: {s: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}
events: {l: {when: s.angle - 2, direction: rising, then: [{latch: s}]}}
simulation: {duration: 1, step: 0.01, method: generalized-alpha, frame: se3}
output: {record: [s.angle, s.rate]}
END
expect 0 run latch.yaml -o latch.csv
tail -n 1 latch.csv | awk -F, '{ exit !(($2 - 2)^2 + $3^2 < 1e-18) }' ||
    fail "a latch in frame se3: $(tail -n 1 latch.csv)"

# a latch of what moves in a plane, or anywhere without tilting, holds it where it is
for type in planar parallel; do
    cat >flat.yaml <<END
nutate: 1
gravity: [0, 0, 0]
bodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.2, 0, 0], velocity: [0.7, 0.4, 0], angular_velocity: [0, 0, 1.5]}}
joints: {s: {type: $type, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}
forces: {f: {type: force, on: b, value: [0.3, 0.2, 0]}}
events: {l: {when: b.position.x - 0.4, then: [{latch: s}]}}
simulation: {duration: 1, step: 0.01}
output: {record: [b.position, b.velocity, b.angular_velocity]}
END
    for how in generalized-alpha generalized-alpha-soi2 rkmk-dop853 bdf; do
        expect 0 run flat.yaml --method $how -o flat.csv
        tail -n 1 flat.csv | awk -F, '{ exit !(($2 - 0.4)^2 + ($3 - 0.114836)^2 < 1e-11 &&
            $5^2 + $6^2 + $7^2 + $10^2 < 1e-20) }' ||
            fail "a $type joint that is latched, $how: $(tail -n 1 flat.csv)"
    done
done

# a latch of what turns about no axis of its own: two free bodies move as one, from where they are
for type in 'spherical, at: [0.5, 0.1, 0]' 'universal, at: [0.5, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]' \
    'inline, at: [0.5, 0.1, 0], axis: [0.3, 0.2, 1]'; do
    cat >pose.yaml <<END
nutate: 1
gravity: [0, 0, 0]
parameters: {k: 2, at: 0.5}
bodies:
  a: {mass: 3, inertia: [0.1, 0.2, 0.25], angular_velocity: [1, 0.5, 0.3], velocity: [0.2, 0.1, 0]}
  b: {mass: 1, inertia: [0.05, 0.02, 0.04], position: [0.9, 0.1, 0.2], angular_velocity: [0.3, 2, -1]}
initial: {correct: true}
markers: {x: {on: b, at: [1, 0, 0]}, y: {on: b, at: [0, 1, 0]}, z: {on: b, at: [0, 0, 1]},
  o: {on: a, at: [1, 2, -1]}, u: {on: a, at: [-2, 0, 1]}, v: {on: a, at: [0, -1, 2]}}
joints: {j: {type: $type, between: [a, b]}}
forces: {push: {type: torque, on: b, value: ['0.1*k', '-0.3*sin(3*t)', 0.2]}}
quantities:
  xo: (x.position.x - o.position.x)^2 + (x.position.y - o.position.y)^2 + (x.position.z - o.position.z)^2
  yo: (y.position.x - o.position.x)^2 + (y.position.y - o.position.y)^2 + (y.position.z - o.position.z)^2
  zo: (z.position.x - o.position.x)^2 + (z.position.y - o.position.y)^2 + (z.position.z - o.position.z)^2
  xu: (x.position.x - u.position.x)^2 + (x.position.y - u.position.y)^2 + (x.position.z - u.position.z)^2
  yu: (y.position.x - u.position.x)^2 + (y.position.y - u.position.y)^2 + (y.position.z - u.position.z)^2
  zv: (z.position.x - v.position.x)^2 + (z.position.y - v.position.y)^2 + (z.position.z - v.position.z)^2
states: {turned: {rate: a.angular_velocity.x}}
events: {l: {when: turned - at, then: [{latch: j}]}}
simulation: {duration: 1, step: 0.01}
output: {record: [xo, yo, zo, xu, yu, zv]}
END
    for how in generalized-alpha generalized-alpha-soi2 rkmk-dop853 bdf theta 'generalized-alpha --frame se3'; do
        # shellcheck disable=SC2086 # words
        expect 0 run pose.yaml --method $how -o pose.csv
        tail -n 20 pose.csv | awk -F, 'NR == 1 { for (i = 2; i <= 7; i++) at[i] = $i }
            { for (i = 2; i <= 7; i++) if (($i - at[i])^2 > 1e-24) bad = 1 }
            END { exit bad }' || fail "a ${type%%,*} joint that is latched, $how: it moves"
        head -n 20 pose.csv | awk -F, 'NR == 2 { at = $2 } END { exit !(($2 - at)^2 > 1e-6) }' ||
            fail "a ${type%%,*} joint before it is latched, $how: it does not move"
    done
    expect 0 sens pose.yaml --method rkmk-dop853 --param k --param at --check
done
expect 2 run pose.yaml --set 'joints.j={type: fixed, between: [a, b], at: [0, 0, 0]}'
says "latch: joint j (fixed) has no free coordinate that could be locked"
cat >geared.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1.4, inertia: [0.1, 0.2, 0.3], angular_velocity: [0, 0, 1.2]}
  b: {mass: 0.7, inertia: [0.05, 0.06, 0.07], position: [1, 0, 0], angular_velocity: [0, 0, -3]}
joints:
  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  k: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}
  g: {type: gear, joints: [j, k], ratio: -0.4}
events: {l: {when: j.angle - 0.5, then: [{latch: g}]}}
simulation: {duration: 1, step: 0.01}
output: {record: [j.angle, k.angle]}
END
expect 2 run geared.yaml
says "latch: joint g (gear) has no free coordinate that could be locked" "of a gear one of the two joints"
sed 's/latch: g/latch: k/' geared.yaml >train.yaml
expect 0 run train.yaml -o train.csv
tail -n 1 train.csv | awk -F, '{ exit !(($2 - 0.5)^2 < 1e-20 && ($3 + 1.25)^2 < 1e-20) }' ||
    fail "the train of a gear is not held where one of its joints is latched"

# Friction that sticks in a thread: it holds the nut, or lets it sink as its inertia allows.
cat >nut.yaml <<END
nutate: 1
parameters: {dry: 12}
bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, 0, 0]}}
joints: {j: {type: screw, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.3,
  friction: {dry: dry, law: set-valued}}}
simulation: {duration: 2, step: 0.01}
output: {record: [j.displacement]}
END
for how in generalized-alpha generalized-alpha-soi2 rkmk-dop853 bdf theta 'generalized-alpha --frame body'; do
    # shellcheck disable=SC2086 # words
    expect 0 run nut.yaml --method $how -o nut.csv
    tail -n 1 nut.csv | awk -F, '{ exit !($2^2 < 1e-32) }' || fail "a nut that sticks, $how: $(tail -n 1 nut.csv)"
    # shellcheck disable=SC2086 # words
    expect 0 run nut.yaml --method $how --set dry=8 -o nut.csv
    tail -n 1 nut.csv | awk -F, '{ k = 0.3 / 6.283185307179586
        exit !(($2 + (9.80665 - 8) / (1 + 0.39 / k^2) * 2)^2 < 1e-12) }' ||
        fail "a nut that slips, $how: $(tail -n 1 nut.csv)"
done

# ---- what becomes due by a jump has the time of the jump ----
cat >due.yaml <<'END'
nutate: 1
parameters: {T: 0.3137, F: 20}
gravity: [0, 0, 0]
bodies:
  a: {mass: 2, position: [0, 0, 0]}
  b: {mass: 2, position: [0, 1, 0]}
  c: {mass: 2, position: [0, 2, 0]}
joints:
  stuck: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0],
          friction: {dry: 5, law: set-valued}}
  limit: {type: prismatic, between: [ground, b], at: [0, 1, 0], axis: [1, 0, 0],
          limits: {lower: 0}}
  rail: {type: prismatic, between: [ground, c], at: [0, 2, 0], axis: [1, 0, 0]}
  lock: {type: fixed, between: [ground, c], at: [0, 2, 0]}
quantities: {push: "F*heaviside(t - T)"}
forces:
  fa: {type: force, on: a, value: [push, 0, 0]}
  fb: {type: force, on: b, value: ["push - 5", 0, 0]}
  fc: {type: force, on: c, value: [5, 0, 0]}
events: {go: {when: fa.force.x - 3, then: [{release: lock}]}}
simulation: {duration: 1, step: 0.01, method: rkmk-dop853, tolerance: 1e-10}
output: {record: [stuck.displacement, limit.displacement, rail.displacement]}
END
check due.yaml T F
tail -n 1 derivatives.csv | awk -F, '{ s = 1 - 0.3137
    d = ($3 + 7.5*s)^2 + ($6 + 7.5*s)^2 + ($9 + 2.5*s)^2; exit !(d < 1e-16) }' ||
    fail "the time of a jump: $(tail -n 1 derivatives.csv)"

sed 's/when: fa.force.x - 3/when: push - 3/' due.yaml >jumps.yaml
expect 3 sens jumps.yaml --param T -o derivatives.csv
says 'event go at jumps.yaml:20:10 passes its zero by a jump, from 17'

# ---- where a motion turns sharply a step is made again until its event is at its end ----
cat >rubs.yaml <<'END'
nutate: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0.2, 0, 0]}}
joints:
  r: {type: prismatic, between: [ground, b], at: [0.2, 0, 0], axis: [0, 0, 1],
      friction: {dry: 30, law: set-valued}, limits: {lower: -0.2, upper: 0.3, restitution: 0.9}}
forces: {f: {type: force, on: b, value: [0, 0, "60*sin(9*t)"]}}
simulation: {duration: 0.7, step: 0.01}
END
for how in generalized-alpha generalized-alpha-soi2 theta rkmk-dop853; do
    expect 0 run rubs.yaml --method $how -o rubs.csv
    awk -F, '$2 ~ /sticks/ { n++; if ($5^2 > 1e-20) bad = 1; t = $1 }
        END { exit bad || n != 2 || (t - 0.67632)^2 > 2.5e-7 }' rubs.events.csv ||
        fail "$how: it sticks where it moves: $(grep sticks rubs.events.csv)"
done

# ---- static states ----
cat >hangs.yaml <<'END'
nutate: 1
parameters: {low: -0.05, k: 100}
gravity: [0, 0, -10]
bodies: {b: {mass: 2, position: [0, 0, 0]}}
joints:
  rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1],
         limits: {lower: low, upper: 0.3}}
forces:
  spring: {type: line_force, between: [ground, b], at: [[0, 0, 1], [0, 0, 0]],
           value: "k*(spring.length - 1)"}
simulation: {duration: 1, step: 0.01}
output: {record: [rail.displacement, rail.force.z]}
END
rests() {
    tail -n 1 at_rest.csv | awk -F, -v x="$1" -v f="$2" \
        '{ d = ($1 - x)^2 + ($2 - f)^2; exit !(d < 1e-18) }' || fail "at rest: $(tail -n 1 at_rest.csv)"
}
expect 0 static hangs.yaml -o at_rest.csv
rests -0.05 15
expect 0 static hangs.yaml --set parameters.low=-0.3 -o at_rest.csv
rests -0.2 0
expect 0 static hangs.yaml --set parameters.low=0 -o at_rest.csv
rests 0 20
sed 's/lower: low, upper: 0.3/upper: 0/' hangs.yaml >pulls.yaml
expect 0 static pulls.yaml -o at_rest.csv
rests -0.2 0

# ---- bad input ----
# refuses LIMITS TEXT...
refuses() {
    cat >bad.yaml <<END
nutate: 1
bodies: {b: {mass: 2, position: [0, 0, 0]}}
joints:
  rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], $1}
simulation: {duration: 0.1, step: 0.01}
END
    shift
    expect 2 check bad.yaml
    says "$@"
}
refuses 'limits: {lower: 0.1}' 'bad.yaml:4:3: joint rail (prismatic) is placed at 0 m, beyond its lower limit of 0.1 m by 0.1 m'
refuses 'limits: {restitution: 0.1}' 'bad.yaml:4:3: prismatic rail: limits need lower, upper or both'
refuses 'limits: {lower: -1, restitution: 1.2}' 'the restitution 1.2, expected one from 0 to 1'
refuses 'limits: {lower: -1, stiffness: 3, restitution: 0.1}' 'limits have a stiffness and a restitution, expected one of them'
refuses 'limits: {lower: -1, damping: 3}' "'damping', which says nothing without 'stiffness'"
refuses 'limits: {lower: -1, part: explicit}' 'limits have a part but no stiffness'
refuses 'limits: {lower: -1}, motion: t' 'limits without stiffness are rigid'
refuses 'limits: {lower: -1}, enforce: penalty, stiffness: 1e5' 'limits without stiffness are rigid'
refuses 'limits: {lower: -1, restitution: 0.1, rest_speed: -1}' 'the negative rest_speed -1'
refuses 'limits: {lower: -1, restitution: 0.1, impact_law: newton}' "did you mean 'Newton'"

# a limit that an event moves past the body, and two laws at once
cat >moved.yaml <<'END'
nutate: 1
parameters: {low: -1}
bodies: {b: {mass: 2, position: [0, 0, 0]}}
joints:
  rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], limits: {lower: low}}
events: {move: {when: t - 0.05, then: [{set: {low: 0.2}}]}}
simulation: {duration: 0.1, step: 0.01}
END
expect 3 run moved.yaml -o moved.csv
says 'moved.yaml:5:3: joint rail is beyond its lower limit by 0.2 m at t = 0.05'
cat >laws.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, position: [0, 0, 0], velocity: [1, 0, 0]}, b: {mass: 1, position: [1, 0, 0], velocity: [0, 0, 0]}}
joints:
  ra: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0],
       limits: {upper: 0.3, restitution: 0.5}}
  ab: {type: prismatic, between: [a, b], at: [1, 0, 0], axis: [1, 0, 0],
       limits: {lower: -0.3, restitution: 0.5, impact_law: Poisson}}
simulation: {duration: 1, step: 0.01}
END
expect 3 run laws.yaml -o laws.csv
says "joints meet at once, by Newton's law of impact and by Poisson's"

finish
