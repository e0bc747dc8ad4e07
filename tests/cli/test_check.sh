# nutate check: what is allowed but seldom meant is remarked on, and only that.
. "$(dirname "$0")/common.sh"

# arm KEYS [BETWEEN [JOINT]]: arm.yaml, an arm of half a metre
arm() {
    cat >arm.yaml <<END
nutate: 1
bodies:
  arm: {mass: 2, position: [0.5, 0, 0], $1}
  leg: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, -0.5]}
joints:
  hinge: {between: [${2-ground}, arm], at: [0, 0, 0], ${3-type: revolute, axis: [0, 1, 0]}}
  knee: {type: fixed, between: [arm, leg], at: [0.5, 0, 0]}
END
}
remarks() {
    expect 0 check arm.yaml
    [ "$(grep -c '^remark: ' out)" = $# ] || fail "remarks on $(cat arm.yaml): $(grep '^remark' out)"
    for text in "$@"; do
        prints "remark: arm.yaml:$text"
    done
}
right="inertia: [0.02, 0.2, 0.2]"

arm "$right"
remarks
arm "inertia: [0.02e6, 0.2e6, 0.2e6]" # kg mm2
remarks "3:3: body arm: its radius of gyration is 316 m, the whole model measures 0.707 m: inertia is in kg m2"
arm "$right, orientation: {axis: [0, 1, 0], angle: 45}"
remarks "3:3: body arm: its orientation is 45 rad, more than a turn: angles are in radians"
arm "$right, orientation: {rotation_vector: [0, 0, -90]}"
remarks "3:3: body arm: its orientation is 90 rad, more than a turn: angles are in radians"
arm "$right, orientation: {axis: [0, 1, 0], angle: 2*pi}"
remarks
arm "$right" ground "type: fixed"
remarks " the joints leave no degree of freedom: nothing moves"
arm "$right" ground "type: revolute, axis: [0, 1, 0], motion: t"
remarks
arm "$right" leg
remarks "3:3: bodies arm and leg hang together, but nothing joins them to the ground"
arm "$right, orientation: {axis: [0, 1, 0], angle: 45}" leg
remarks "3:3: body arm: its orientation" "3:3: bodies arm and leg hang together"
arm "$right, fixed_point: [0, 0, 0]" leg
remarks

# A rope hangs what it is fastened to on what it runs over.
hoist() {
    cat >arm.yaml <<END
nutate: 1
bodies: {load: {mass: 2, point: true}, weight: {mass: 2, point: true, position: [1, 0, 0]}}
forces: {rope: {type: rope, stiffness: 1e4, through: [[load, [0, 0, 0]], ${1-}[weight, [1, 0, 0]]]}}
simulation: {duration: 1}
END
}
hoist
remarks "2:10: bodies load and weight hang together, but nothing joins them to the ground"
hoist "[ground, [0.5, 0, 2]], "
remarks

# So does a cable between two points of the ground; one between two bodies does not.
for ends in "ground, ground" "load, ground" "load, weight"; do
    cat >arm.yaml <<END
nutate: 1
bodies: {load: {mass: 2, point: true}, weight: {mass: 2, point: true, position: [1, 0, 0]}}
cables:
  line: {between: [$ends], at: [[0, 0, 0], [1, 0, 0]], length: 1.2, mass: 1, stiffness: 1e5}
  short: {between: [$ends], at: [[0, 0, 0], [1, 0, 0]], length: 1.2, mass: 1, stiffness: 1e5,
          elements: 1}
simulation: {duration: 1}
END
    if [ "$ends" = "load, weight" ]; then
        remarks "2:10: bodies load and weight hang together, but nothing joins them to the ground"
    else
        remarks
    fi
done

# Numbers beyond what can be computed with are refused in words, at a place.
for length in 1e60 1e100 1e200 1e300 1e-70; do
    cat >far.yaml <<END
nutate: 1
parameters: {m: 2}
bodies:
  top: {mass: m, inertia: [0.2, 0.4, 0.2], position: [0, $length, 0]}
joints:
  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}
simulation: {duration: 0.1, step: 1e-3}
END
    for command in "check" "run" "sens --param m"; do
        expect 3 $command far.yaml
        says "nutate: far.yaml:" "expected distances between 1e-50 and 1e50 m"
    done
done
# ---- a smooth pulse between two steps ----
cat >pulse.yaml <<'END'
nutate: 1
parameters: {w: 1e-3}
gravity: [0, 0, 0]
bodies: {m: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}
forces:
  push: {type: force, body: m, at: [0, 0, 0], value: ["1000*exp(-((t - 1.0037)/w)^2)", 0, 0]}
simulation: {duration: 3, step: 1e-2}
END
expect 0 check pulse.yaml
grep -q "pulse.yaml:6:3: force push: value rises and falls within one step near t = 1.0037" out err ||
    fail "the pulse is not named"
sed 's/w: 1e-3/w: 0.1/' pulse.yaml >wide.yaml
expect 0 check wide.yaml
grep -q "rises and falls" out err && fail "a wide pulse is named"
# ... also where it begins and ends by jumps, between which there is one step; a pulse that is one
# level between its jumps is none
sed 's/value: .*/value: ["if(t > 1.003, if(t < 1.0044, sin(pi*(t - 1.003)\/0.0014), 0), 0)", 0, 0]}/' \
    pulse.yaml >half_wave.yaml
expect 0 check half_wave.yaml
grep -q "half_wave.yaml:6:3: force push: value rises and falls within one step near t = 1.003" \
    out err || fail "a half wave between jumps is not named"
sed 's/value: .*/value: ["if(t > 1.003, if(t < 1.0044, 3, 0), 0)", 0, 0]}/' pulse.yaml >level.yaml
expect 0 check level.yaml
grep -q "rises and falls" out err && fail "a level between jumps is named"
# a rope that is taut from the start
cat >taut.yaml <<'END'
nutate: 1
bodies: {b: {mass: 1, point: true, position: [0, 0, -2]}}
forces: {r: {type: rope, through: [[ground, [0, 0, 0]], [b, [0, 0, -2]]], length: 0.5, stiffness: 1e4}}
END
expect 0 check taut.yaml
prints "taut.yaml:3:10: force r: its length 0.5 m is shorter than its way of 2 m" "it pulls with 1.5e+04 N there"

# ---- a law that loads the reaction that it follows, and leaves it without a value ----
cat >jam.yaml <<'END'
nutate: 1
parameters: {mu: 0.5, rise: 0}
bodies:
  block: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  other: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 5, 0]}
joints:
  rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}
  far: {type: prismatic, between: [ground, other], at: [0, 5, 0], axis: [1, 0, 0]}
forces:
  heed: {type: force, on: other, value: [norm(rail.force), 0, 0]}
  press: {type: force, on: block, value: [0, 0, -(mu + rise*t)*norm(rail.force)]}
  follow: {type: joint_force, joint: rail, value: -0.1*press.force.z*block.velocity.x}
static: {hold: [block.translation.x, other.translation.x]}
simulation: {duration: 1, step: 1e-2}
END
expect 0 check jam.yaml
for mu in 1 1.5; do
    expect 3 check jam.yaml --set mu=$mu
    says "nutate: jam.yaml:11:3: initial accelerations at t = 0 s: " \
        "; force press (line 11) follows rail.force.x of joint rail (line 7), " \
        "force follow (line 12) follows press.force.z of force press (line 11), which it loads itself: where"
    grep -q "force heed\|no inertia" err && fail "what does not load the rail is named: $(cat err)"
done
for method in generalized-alpha rkmk-dopri5 bdf; do
    expect 3 run jam.yaml --method $method --set rise=1 -o jam.csv
    says "nutate: jam.yaml:11:3: at t = 0." "force follow (line 12)" "force press (line 11) follows rail.force.x"
done
expect 3 static jam.yaml --set mu=1.5
says "nutate: jam.yaml:11:3: no static state found" "force press (line 11) follows rail.force.x"
sed 's/(mu + rise\*t)\*norm(rail.force)/9/; s/0.1\*press.force.z/0.1/' jam.yaml >free.yaml # none is loaded
expect 0 check free.yaml

# ---- what can be recorded stands in the reference, of every kind of object ----
cat >kinds.yaml <<'END'
nutate: 1
bodies:
  d: {mass: 1, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.3]}
  s: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0.3]}
  k: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}
  v: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0]}
  w: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [4, 0, 0]}
  x: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 3, 0.3]}
  y: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 3, 0.3]}
  p: {mass: 1, point: true, position: [1, 4, 0.3]}
markers: {m: {on: d}}
joints:
  j1: {type: rolling_disk, between: [ground, d], radius: 0.3, axis: [0, 1, 0]}
  j2: {type: rolling_sphere, between: [ground, s], radius: 0.3}
  j3: {type: knife_edge, between: [ground, k], axis: [0, 1, 0]}
  j4: {type: revolute, between: [ground, v], at: [3, 0, 0], axis: [0, 0, 1]}
  j5: {type: revolute, between: [ground, w], at: [4, 0, 0], axis: [0, 0, 1]}
  j6: {type: gear, joints: [j4, j5], ratio: -2}
  j7: {type: cylindrical, between: [x, y], at: [0, 3, 0], axis: [0, 1, 0]}
  j8: {type: prismatic, between: [ground, p], at: [1, 4, 0.3], axis: [0, 1, 0]}
forces:
  f1: {type: force, on: d, value: [0, 0, 1]}
  f2: {type: bushing, between: [ground, k], at: [0, 0, 0], stiffness: [1, 1, 1, 1, 1, 1]}
  f3: {type: aerodynamic, on: s, area: 1, drag: 1}
  f4: {type: rope, through: [[ground, [0, 0, 3]], [d, [0, 0, 0.3]]], stiffness: 3}
  f5: {type: spring, between: [ground, d], stiffness: 3}
  f6: {type: torsion_spring, joint: j4, stiffness: 3}
  f7: {type: joint_force, joint: j7, value: 3}
  f8: {type: mass, on: d, matrix: [1, 1, 1, 1, 1, 1]}
contacts: {c1: {type: sphere_plane, between: [ground, x], plane: {normal: [0, 0, 1]}, radius: 0.2, stiffness: 1e4}}
END
records=0
for object in d p m j1 j2 j3 j4 j6 j7 j8 f1 f2 f3 f4 f5 f6 f7 f8 c1; do
    expect 2 check kinds.yaml --set "output.record=[$object.nonsense]"
    case $object in d | p) family="BODY" ;; m) family="MARKER" ;; j*) family="JOINT" ;; f*) family="FORCE" ;; *) family="CONTACT" ;; esac
    for name in $(sed -n "s/ (--set .*//; s/.*has no 'nonsense', expected one of //p" err | tr -d ','); do
        records=$((records + 1))
        awk -v family="$family" -v name="- \`$name\`" '
            /^\*\*/ { inside = index($0, "**" family) == 1 }
            inside && index($0, name) == 1 { found = 1 }
            END { exit !found }' "$here/../../docs/model-file.md" || fail "$object.$name is not in the reference of $family"
    done
done
[ "$records" -gt 120 ] || fail "$records records of all objects"

# ---- without -o analyses write beside the model, and say where ----
mkdir -p beside
cat >beside/swing.yaml <<'END'
nutate: 1
parameters: {m: 1}
bodies: {b: {mass: m, inertia: [1, 1, 1], position: [0, 0, -1]}}
joints: {j: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}
END
expect 0 modes beside/swing.yaml
says "1 row in beside/swing.modes.csv"
expect 0 modes beside/swing.yaml --over m=1..2:3
says "3 rows in beside/swing.campbell.csv"
expect 0 static beside/swing.yaml
says "1 row in beside/swing.static.csv"
[ -f beside/swing.modes.csv ] && [ -f beside/swing.campbell.csv ] && [ -f beside/swing.static.csv ] ||
    fail "results without -o are not beside the model"

# ---- names that YAML of other programs turns into others ----
cat >truth.yaml <<'END'
nutate: 1
bodies:
  Yes: {mass: 1, point: true}
  "no": {mass: 1, point: true}
  y: {mass: 1, point: true}
quantities: {off: 2*t}
END
expect 0 check truth.yaml
prints "remark: truth.yaml:3:3: body 'Yes': some programs that write YAML turn this name into true, false or null" \
    "remark: truth.yaml:6:14: quantity 'off': some programs"
[ "$(grep -c "some programs" out)" = 2 ] || fail "remarks on names: $(cat out)"

# ---- the speed of the air in the law of its own drag is no circle ----
cat >wing.yaml <<'END'
nutate: 1
bodies: {wing: {mass: 1, inertia: [1, 1, 1], velocity: [5, 0, 0]}}
forces:
  air: {type: aerodynamic, on: wing, area: 1, drag: 0.1 + 0.01*air.airspeed}
END
expect 0 check wing.yaml
sed 's/air.airspeed/norm(air.force)/' wing.yaml >ring.yaml
expect 2 check ring.yaml
says "nutate: ring.yaml:4:3: force air: depends on a force or reaction that follows from its own, air.force."

# ---- motions by tables that are not smooth, at their points or where the motion leaves them ----
printf '0,0\n0.3,0.2\n0.6,0.1\n1,0.5\n' >way.csv
printf '0,0\n0.3,0.2\n0.6,0.1\n1,0\n' >round.csv
# rough FILE KEYS MOTION [TEXT]: what is told of it within two seconds, or nothing
rough() {
    cat >rough.yaml <<END
nutate: 1
tables: {q: {file: $1, $2}}
bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}
joints:
  p: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0], motion: "$3"}
simulation: {duration: 2, step: 1e-3}
END
    expect 0 check rough.yaml
    if [ $# = 4 ]; then
        prints "remark: rough.yaml:5:3: joint p: its motion follows table $1, $4"
    elif grep '^remark' out; then
        fail "a smooth motion, $3 of $1 by $2, is remarked on"
    fi
}
rough way.csv "interpolation: previous" "table(q, t)" "which jumps at every point"
rough way.csv "interpolation: previous" "0.1*t + table(q, 2*t)" "which jumps at every point"
rough way.csv "interpolation: linear" "table(q, t)" "whose slope jumps at every point"
rough way.csv "interpolation: monotone" "table(q, t)" "whose second derivative jumps at every point"
rough way.csv "interpolation: spline" "table(q, t)" "whose slope jumps where the motion leaves"
rough way.csv "interpolation: spline" "table(q, t/2)"
rough way.csv "interpolation: spline" "table(q, (1 - cos(t))/2)"
rough way.csv "interpolation: spline, beyond: error" "table(q, t/2)"
rough way.csv "interpolation: spline, beyond: extrapolate" "table(q, t)"
rough way.csv "interpolation: spline, ends: clamped" "table(q, t)" \
    "whose second derivative jumps where the motion leaves"
rough round.csv "interpolation: spline, beyond: periodic" "table(q, t)" \
    "whose slope jumps where the motion leaves"
rough round.csv "interpolation: spline, ends: periodic, beyond: periodic" "table(q, t)"
# one that has no value there ends the run, in words of the table
rough way.csv "interpolation: spline, beyond: error" "table(q, t)"
expect 3 run rough.yaml
says "nutate: rough.yaml:5:3: constraints beside t = 1 s: the equations have no value: joint p (revolute): table way.csv has no value just beyond 1: it goes from 0 to 1"

# what a result takes: NetCDF holds seventeen numbers in each row besides the eight of the columns
cat >point.yaml <<END
nutate: 1
bodies: {b: {mass: 1, point: true, position: [0, 0, 1]}}
simulation: {duration: 4000, method: rkmk-dop853, step: 1e-2}
output: {every: 0.05, record: [b.position, energy]}
END
expect 0 check point.yaml
prints " rows, CSV 13 MB, NetCDF 16 MB"
sed 's/output: {/output: {poses: false, /' point.yaml >plain.yaml
expect 0 check plain.yaml
prints " rows, CSV 13 MB, NetCDF 5.1 MB"
# high orders of bdf are unstable beside undamped fast oscillations: low ones are tried, and told where they go further
cat >rod.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
beams:
  b: {points: [[0, 0, 0], [10, 0, 0]], order: 2, sections: [{material: {E: 2.1e11, nu: 0.3, density: 7850}, shape: circle, radius: 0.05}]}
forces: {push: {type: force, on: b.tip, value: [0, 0, 'if(t < 0.1, 100, 0)']}}
simulation: {duration: 200, step: 1e-3, method: bdf}
END
expect 0 check rod.yaml
prints "times as far with simulation.options: {max_order: 2}"
expect 0 check rod.yaml --set simulation.options.max_order=2
grep -q "times as far" out && fail "the order was chosen: $(cat out)"
sed -i 's/order: 2,/&damping: 1e-2, /' rod.yaml
expect 0 check rod.yaml
grep -q "times as far" out && fail "what is damped oscillates: $(cat out)"
expect 3 run rod.yaml --set simulation.options.max_steps=50001 --set beams.b.damping=0
says "so many steps may be those of high orders" "nutate check tries options: {max_order: 2}"
expect 3 run rod.yaml --set simulation.options.max_steps=100 --set beams.b.damping=0
grep -q "so many steps" err && fail "a few steps: $(cat err)"
# masses at the ends of two halves of a rod: m (l/2)^2/2 about its middle for m l^2/12
cat >lumped.yaml <<'END'
nutate: 1
beams:
  b: {points: [[0, 0, 0], [1, 0, 0]], order: 1, elements: 2, inertia: lumped, sections: [{material: {E: 2.1e11, nu: 0.3, density: 7850}, shape: circle, radius: 0.05}]}
simulation: {duration: 1e-3, step: 1e-3}
END
expect 0 check lumped.yaml
prints "the moment of inertia of a uniform line about its middle 50 % too large"
expect 0 check lumped.yaml --set beams.b.elements=50
grep -q "too large" out && fail "elements are many: $(cat out)"
expect 0 check lumped.yaml --set beams.b.order=2
grep -q "too large" out && fail "order 2 has it right: $(cat out)"
# thick walls of boxes and I's: torsion is that of thin ones, off by 13 and 11 % by the stress function on a fine mesh
section() {
    sed -i "s/shape: .*}\]/shape: $1}]/" rod.yaml
    expect 0 check rod.yaml --quiet
}
sed -i 's/order: 2,/order: 3,/' rod.yaml
section "box, width: 0.1, height: 0.1, thickness: 0.02"
prints "beam b: section at 0: its walls are thick" "in torsion it is roughly 12 % too soft"
section "box, width: 0.1, height: 0.1, thickness: 0.004"
grep -q thick out && fail "thin walls: $(cat out)"
section "I, width: 0.1, height: 0.1, web: 0.01, flange: 0.02"
prints "in torsion it is roughly 11 % too stiff"
section "I, width: 0.1, height: 0.1, web: 0.01, flange: 0.01"
grep -q thick out && fail "thin walls: $(cat out)"
# a figure that tapers between two stations: half-way its bending stiffness is (3/4)^4 of the
# first one's, the mean (1 + 1/16)/2
section "circle, radius: 0.05}, {at: 1, material: {E: 2.1e11, nu: 0.3, density: 7850}, shape: circle, radius: 0.025"
prints "sections at 0 and 1: stiffness is linear between them, half-way up to 68 % too stiff"
section "circle, radius: 0.05}, {at: 1, material: {E: 2.1e11, nu: 0.3, density: 7850}, shape: circle, radius: 0.0475"
grep -q tapers out && fail "it hardly tapers: $(cat out)"
# a spline that one element follows badly: its tip moves 19 % less than by 120 elements
cat >pin.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
beams:
  b:
    points: [[0, 0, 0], [1, 0, 0], [0.5, 0, 0.3]]
    line: spline
    order: 6
    elements: 1
    sections: [{stiffness: [1e9, 1e9, 1e9, 1e3, 1e3, 2e3], mass: [1, 1, 1, 1e-3, 1e-3, 1e-3]}]
joints: {r: {type: fixed, between: [ground, b.root]}}
forces: {f: {type: force, on: b.tip, value: [0, 0.01, 0.01]}}
output: {record: [b.tip.position]}
END
expect 0 check pin.yaml
prints "remark: pin.yaml:4:3: beam b: its mesh is coarse for the line: elements are off by 8.8 % of its length, element 1"
expect 0 static pin.yaml -o -
says "warning: beam b: its mesh is coarse for the line"
expect 0 static pin.yaml -o - --set beams.b.elements=10
grep -q coarse err && fail "ten elements: $(cat err)"
# one that winds about a spline and is as long as it: its tip moves 6 % more than by 16 elements
sed 's/points: .*/points: [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 0, 0]]/' pin.yaml >round.yaml
expect 0 check round.yaml
prints "remark: round.yaml:4:3: beam b: its mesh is coarse for the line: elements run beside it by 0.52 % of its length in the mean, element 1, from 0 to 1, by 0.033 m"
expect 0 check round.yaml --set beams.b.elements=4
grep -q coarse out && fail "four elements: $(cat out)"

# The shortest rotation from ground x to what is nearly against it hangs on how that leans.
against() { # POINT, text of the remark; none: no remark
    cat >against.yaml <<END
nutate: 1
beams: {b: {points: [[0, 0, 0], $1], sections: [{stiffness: [1e6, 1e6, 1e6, 1e3, 1e3, 1e4], mass: [1, 1, 1, 2e-2, 1e-2, 1e-2]}]}}
END
    expect 0 check against.yaml
    if [ $# = 1 ]; then
        grep "its line begins" out && fail "against $1"
    else
        prints "$2"
    fi
}
against "[-1, 1e-5, 1e-5]" "against.yaml:2:9: beam b: its line begins 1.4e-05 rad off the direction against ground x, where the way it leans decides its section axes: axis 2 is ["
against "[-1, 0, 1e-5]" "axis 2 is [0, 1, 0] before twist; expected normal"
against "[-1, 0, 0]"
against "[-1, 1e-7, 1e-7]"
against "[-1, 0.02, 0.02]"
against "[1, 1e-5, 1e-5]"
sed 's/sections:/normal: [0, 1, 0], &/; s/\[1, 1e-5/[-1, 1e-5/' against.yaml >normal.yaml
expect 0 check normal.yaml
grep "its line begins" out && fail "against x with a normal"
finish
