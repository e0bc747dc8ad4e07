# Sensitivities: columns, units, objectives, the check, and wrong use.
. "$(dirname "$0")/common.sh"
cat >design.yaml <<'EOF'
nutate: 1
parameters: {m: 15, arm: 1}
gravity: [0, 0, -9.81]
bodies:
  top: {mass: m, inertia: [0.234375, 0.46875, 0.234375], position: [0, arm, 0], angular_velocity: [0, 150, -4.61538]}
joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}
objectives:
  load: {type: maximum, of: sqrt(pivot.force.x^2 + pivot.force.y^2)}
  area: {type: integral, of: m*top.position.x}
simulation: {duration: 0.1, step: 1e-3}
output: {every: 1e-2, record: [top.position, top.orientation]}
EOF

# each column is followed by its derivatives, an orientation by rotation vectors; d(arm) of the
# start is the arm itself; at 0.1 s the derivative in m is the exact one but for the step's error
expect 0 sens design.yaml --param m --param arm --objectives objectives.csv
says "objective load (maximum)" "d/d(m)" "sensitivities to m, arm"
head -n 1 design.csv | grep -q '^time,top.position.x,d(top.position.x)/d(m),d(top.position.x)/d(arm),top.position.y,' ||
    fail "columns: $(head -n 1 design.csv)"
head -n 1 design.csv | grep -q ',d(top.orientation)/d(arm).z$' || fail "no rotation vectors"
[ "$(wc -l <design.csv)" = 12 ] || fail "rows of design.csv"
awk -F, 'NR == 2 && ($7 - 1) ^ 2 > 1e-20 { print "d(y)/d(arm) at the start: " $7; exit 1 }
         NR == 12 && ($3 - 0.0025536094044625) ^ 2 > 1e-10 { print "d(x)/d(m): " $3; exit 1 }' design.csv ||
    fail "derivatives"
[ "$(head -n 1 objectives.csv)" = "objective,type,value,d/d(m),d/d(arm)" ] || fail "objectives.csv"
grep -q '^area,integral,' objectives.csv || fail "no area"
expect 0 run design.yaml
says "objective load (maximum)"

# between steps: rows that fall there agree with those of step ends to the error of interpolation
expect 0 sens design.yaml --param m --set output.every=0.0125 -o between.csv
awk -F, 'NR == 10 && ($1 - 0.1) ^ 2 < 1e-20 { found = 1 } END { exit !found }' between.csv || fail "rows between steps"

# the check agrees, for fixed and for variable steps, and says so on standard output
expect 0 sens design.yaml --param m --param arm --check
prints "d(top.position.x)/d(m)" "d(load)/d(arm)" "agree with differences of whole runs"
expect 0 sens design.yaml --param arm --check --method generalized-alpha-soi2 --set simulation.tolerance=1e-4
says "steps are held"
expect 0 sens design.yaml --param arm --check --method rkmk-dop853 --set simulation.tolerance=1e-6
[ -e check.csv ] && fail "a result of a check"

# every method with a linearised step that can advance a model with rotations: one that is held by
# constraints, else a top about a fixed point
cat >slow.yaml <<'EOF'
nutate: 1
parameters: {m: 100, c: 0.2, I: 1, w: 5}
gravity: [0, 0, -1]
bodies:
  top: {mass: m, inertia: [I, 1, 1], center_of_mass: [0, 0, c], fixed_point: [0, 0, 0], orientation: {rotation_vector: [0.05, 0, 0]}, angular_velocity: [0, 0, w]}
simulation: {duration: 0.5, step: 1e-2}
output: {record: [top.position, top.orientation, top.angular_velocity, energy]}
EOF
checked=0
cat >pushed.yaml <<'END'
nutate: 1
parameters: {k: 0.1, I: 0.4}
gravity: [0, 0, 0]
bodies:
  b: {mass: 5, inertia: [I, 0.5, 0.7], position: [0, 0, 1], orientation: {axis: [1, 2, 0], angle: 0.3},
      angular_velocity: [0.1, 0.2, 1]}
forces:
  f: {type: force, on: b, at: [0.3, 0, 1], value: [0, 0, k]}
simulation: {duration: 0.5, step: 1e-2}
output: {record: [b.angular_velocity, b.position], every: 0.5}
END
for method in $("$nutate" methods | awk '{ print $1 }'); do
    "$nutate" methods "$method" | grep -q '^sensitivities  yes' || fail "$method has none"
    "$nutate" methods "$method" | grep -q 'a vector space' && continue
    if "$nutate" check design.yaml --method "$method" >/dev/null 2>&1; then
        expect 0 sens design.yaml --method "$method" --param m --param arm --duration 0.03 --check --quiet
    else
        expect 0 sens slow.yaml --method "$method" --param m --param c --param I --param w --check --quiet
    fi
    if "$nutate" check pushed.yaml --method "$method" >/dev/null 2>&1; then
        expect 0 sens pushed.yaml --method "$method" --param k --param I --check --quiet
    fi
    grep -q 'verdict' out && fail "$method: $(cat out)"
    checked=$((checked + 1))
done
[ "$checked" -ge 14 ] || fail "only $checked methods have sensitivities"

# A ball lands on a floor that moves with a parameter: indentations of 1e-6 m soon after the onset,
# and work by friction and damping; methods with a cubic and with a dense output of their own.
cat >lands.yaml <<'EOF'
nutate: 1
parameters: {z: 0, k: 1e5}
bodies: {ball: {mass: 0.1, inertia: [4e-5, 4e-5, 4e-5], position: [0, 0, 0.101], velocity: [1, 0, 0]}}
contacts:
  floor: {type: sphere_plane, between: [ground, ball], plane: {point: [0, 0, z], normal: [0, 0, 1]}, radius: 0.1, stiffness: k,
          damping: 0.5, friction: {coefficient: 0.3}}
simulation: {duration: 0.025, step: 2e-5}
output: {every: 0.025, record: [ball.position, energy.work, energy.total]}
EOF
for method in generalized-alpha "rkmk-dopri5 --set simulation.tolerance=1e-8"; do
    expect 0 sens lands.yaml --method $method --param z --param k --check --quiet
    prints "10 derivatives agree with differences of whole runs"
done

# What slides does not turn: its angular velocity and the derivative of that are 1e-20 and 1e-15, and both
# are none. And a tangent that is used again leaves something in the runs that are compared, not in the derivative.
cat >slides.yaml <<'EOF'
nutate: 1
parameters: {m: 0.4}
bodies:
  sledge: {mass: 0.8, inertia: [0.06, 0.06, 0.06], center_of_mass: [0.28, 0.2, -0.15], position: [-0.4, 0.4, 0.25],
           orientation: {axis: [-0.2, -0.25, -0.95], angle: 4.6}}
  slide: {mass: m, inertia: [0.14*m, 0.08*m, 0.09*m]}
joints:
  a: {type: prismatic, between: [ground, sledge], at: [-0.1, 0.6, 0.2], axis: [0.65, 0.68, -0.33]}
  b: {type: prismatic, between: [sledge, slide], at: [0.6, -0.8, 0.5], axis: [0.48, -0.71, 0.52]}
simulation: {duration: 0.25, step: 4e-3, method: generalized-alpha-linear, frame: body, options: {parameterization: rotation-vector}}
output: {record: [sledge.velocity, sledge.angular_velocity, sledge.acceleration, sledge.angular_acceleration]}
EOF
expect 0 sens slides.yaml --param m --check --quiet
expect 0 sens design.yaml --param m --check --quiet --step 5e-3 --set simulation.options.reuse_tangent=true \
    --set output.record='[top.angular_acceleration, pivot.force]'

# a rotation about z by w t: its derivative in w is the vector (0, 0, t), in ground axes
cat >spin.yaml <<'EOF'
nutate: 1
parameters: {w: 2}
bodies: {disk: {mass: 1, inertia: [1, 1, 2], angular_velocity: [0, 0, w]}}
simulation: {duration: 1, step: 1e-2}
output: {every: 0.125, record: [disk.orientation]}
EOF
expect 0 sens spin.yaml --param w
awk -F, 'NR > 1 && ($10 ^ 2 + $11 ^ 2 + ($12 - $1) ^ 2 > 1e-20 || ($9 - cos($1) * $1 / 2) ^ 2 > 1e-20) {
             print "rotation at " $1 ": " $0; exit 1 }' spin.csv || fail "rotation vectors"

# NetCDF has no slash in names
expect 0 sens design.yaml --param m -o design.nc
grep -aq 'd(top.position.x)_d(m)' design.nc || fail "no derivative in design.nc"

# wrong use
expect 2 sens design.yaml
says "sens needs --param NAME" "m, arm"
expect 2 sens design.yaml --param arn
says "no parameter 'arn'" "did you mean 'arm'?"
expect 2 sens design.yaml --param q
says "--param: design.yaml has no parameter 'q', expected one of m, arm"
expect 2 sens design.yaml --param m --param m
says "given twice"

# going on: the same bits, rows between the steps and another order of parameters included
for method in generalized-alpha rkmk-dop853; do
    set -- sens design.yaml --method $method --set output.every=0.00073
    expect 0 "$@" --param m --param arm -o whole.csv
    expect 0 "$@" --param m --param arm --duration 0.05 --save half.state -o first.csv
    expect 0 "$@" --param m --param arm --restart half.state -o second.csv
    tail -n +3 second.csv >rest.csv
    tail -n "$(wc -l <rest.csv)" whole.csv >expected.csv
    same expected.csv rest.csv
    expect 0 "$@" --param arm --param m -o whole.csv
    expect 0 "$@" --param arm --param m --restart half.state -o second.csv
    tail -n +3 second.csv >rest.csv
    tail -n "$(wc -l <rest.csv)" whole.csv >expected.csv
    same expected.csv rest.csv
    expect 0 run design.yaml --method $method --restart half.state
    expect 0 "$@" --param arm --restart half.state -o fewer.csv
done
expect 0 sens design.yaml --param m --duration 0.05 --save half.state
expect 2 sens design.yaml --param arm --restart half.state
says "half.state" "derivatives in parameter arm were not saved"
sed 's/^parameters: {/parameters: {other: 1, /' design.yaml >other.yaml
grep -q other other.yaml || fail "no other parameter"
expect 2 sens other.yaml --param m --restart half.state
says "half.state" "other parameters"
expect 2 sens design.yaml --param m --restart half.state --check
says "--check" "not with --restart"
expect 0 run design.yaml --duration 0.05 --save half.state
expect 2 sens design.yaml --param m --restart half.state
says "half.state: the state holds no derivatives" "nutate sens"
sed '/^parameters/d; s/mass: m/mass: 15/; s/, arm, 0/, 1, 0/; /area/d' design.yaml >plain.yaml
expect 2 sens plain.yaml --param m
says "has no parameters"
sed '/^joints/d; /load/d; s/position: \[0, arm, 0\], //' design.yaml >free.yaml
expect 0 sens free.yaml --param m --method bdf --set output.record='[energy]'
sed 's/integral, of: m/final, of: log(top.position.x - 1)*m/' design.yaml >negative.yaml
expect 3 sens negative.yaml --param m
says "nutate: negative.yaml:9:3: objective area has no finite value at t = 0 s"
sed 's/position: \[0, arm, 0\]/position: [0, 1, 0]/; s/at: \[0, 0, 0\]/points: [[0, 0, 0], [0, -arm, 0]]/' design.yaml >held.yaml
expect 2 sens held.yaml --param arm
says "nutate: held.yaml:2:21: initial positions cannot follow parameter arm: joint pivot"
# forces of stiff penalty joints are small differences of positions times the stiffness: what rounding
# leaves in them is told from what changes
cat >stiff.yaml <<'END'
nutate: 1
parameters: {m: 1, k: 1e6, d: 1e3}
gravity: [0, -9.81, 0]
bodies:
  b1: {mass: m, inertia: [0.01, 0.083, 0.083], position: [0, 0.5, 0], orientation: {axis: [0,0,1], angle: pi/2}}
  b2: {mass: m, inertia: [0.01, 0.083, 0.083], position: [0.5, 1, 0]}
  b3: {mass: m, inertia: [0.01, 0.083, 0.083], position: [1, 0.5, 0], orientation: {axis: [0,0,1], angle: pi/2}}
  p: {mass: 0.3, point: true, position: [0.5, 0.8, 0.1]}
  e: {mass: 0.3, inertia: [0.001, 0.002, 0.002], position: [0.7, 1.0, 0.2]}
joints:
  j1: {type: revolute, between: [ground, b1], at: [0,0,0], axis: [0,0,1]}
  j2: {type: revolute, between: [b1, b2], at: [0,1,0], axis: [0,0,1]}
  j3: {type: revolute, between: [b2, b3], at: [1,1,0], axis: [0,0,1]}
  j4: {type: revolute, between: [b3, ground], at: [1,0,0], axis: [0,0,1]}
  jp: {type: spherical, between: [b2, p], points: [[0,-0.2,0.1],[0,0,0]], enforce: penalty, stiffness: k, damping: d}
  je: {type: fixed, between: [b2, e], at: [0.7,1,0.1], enforce: penalty, stiffness: k, damping: d}
forces:
  tq: {type: joint_torque, joint: j1, value: "2*cos(3*t) - 0.1*j1.rate"}
simulation: {duration: 0.1, step: 1e-3}
output: {every: 0.1, record: [je.force]}
END
expect 0 sens stiff.yaml --param k --check --quiet
# A stone that is released at an angle: what the release moves is in the derivatives.
cat >release.yaml <<'END'
nutate: 1
parameters: {rel: 0.805, k: 500}
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 5, inertia: [1, 1, 0.1]}
  stone: {mass: 1, point: true, position: [1, 0, 0]}
joints:
  pivot: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  drive: {type: joint_torque, joint: pivot, value: "-40"}
  hold: {type: force, on: stone, at: [1, 0, 0],
         value: ["-k*if(pivot.angle > -rel, 1, 0)*(stone.position.x - cos(pivot.angle))", "0",
                 "-k*if(pivot.angle > -rel, 1, 0)*(stone.position.z + sin(pivot.angle))"]}
objectives: {range: {type: final, of: stone.position.x}}
simulation: {duration: 1, step: 1e-2}
output: {every: 0.1, record: [stone.position]}
END
expect 0 sens release.yaml --param rel --check --method rkmk-dop853
prints "4 derivatives agree" "d(range)/d(rel)" "-7.7650377"
expect 0 sens release.yaml --param rel --check
prints "1 derivatives agree" "3 without verdict" "equal steps follow the events"
expect 0 sens release.yaml --param k --check --duration 0.2
prints "4 derivatives agree"

# loads that follow reactions and other forces
cat >follow.yaml <<'END'
nutate: 1
parameters: {m: 2, k: 50, c: 0.2}
bodies:
  arm: {mass: m, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}
  bob: {mass: 1, inertia: [0.02, 0.01, 0.03], position: [1.2, 0.1, 0]}
joints:
  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0.1]}
  elbow: {type: cylindrical, between: [arm, bob], at: [1, 0, 0], axis: [0, 0.3, 1]}
forces:
  hold: {type: spring, between: [arm, bob], at: [[0.2, 0, 0.3], [1.2, 0.1, 0]], stiffness: k, length: 0.4}
  motor: {type: joint_torque, joint: pin, value: "c*(elbow.force.z - pin.torque.x) - c*pin.rate*abs(elbow.force.y)"}
  mimic: {type: force, on: bob, at: [1.2, 0.1, 0], value: [0.05*hold.tension, 0.1*elbow.torque.z, 0.02*pin.force.z]}
simulation: {duration: 0.5, step: 1e-3, method: generalized-alpha}
output: {every: 0.1, record: [bob.position, pin.force, elbow.torque]}
END
for method in generalized-alpha generalized-alpha-soi2 rkmk-dop853; do
    expect 0 sens follow.yaml --param m --param k --param c --check --method $method
    prints "27 derivatives agree"
done

# loads that follow power and energy
cat >power.yaml <<'END'
nutate: 1
parameters: {m: 2, k: 300, mu: 0.2}
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: m, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}
  ball: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, 3, 0.1], velocity: [0.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],
        friction: {dry: 0.3, viscous: 0.1, slip: 0.05}, limits: {upper: 0.3, stiffness: 500, damping: 2}}
forces:
  coil: {type: torsion_spring, joint: pin, stiffness: k/20, damping: 0.1}
  follow: {type: force, on: ball, value: ["0.05*pin.power", "0.05*coil.energy + 0.01*pin.energy", 0]}
  twist: {type: torque, on: ball, value: [0, "0.01*floor.power", "0.02*floor.energy"]}
contacts:
  floor: {type: sphere_plane, between: [ground, ball], plane: {point: [0, 0, 0], normal: [0, 0, 1]}, radius: 0.1,
          stiffness: 2e4, damping: 0.4, friction: {coefficient: mu, slip: 0.05}}
simulation: {duration: 0.4, step: 1e-3, method: generalized-alpha}
output: {every: 0.1, record: [ball.position, pin.energy, coil.energy, floor.power, floor.energy, floor.torque]}
END
expect 0 sens power.yaml --param m --param k --param mu --check
prints "30 derivatives agree"

# what a bearing is made of, under a film of oil; contacts of all shapes in their radii
cat >bearing.yaml <<'END'
nutate: 1
parameters: {speed: 1000*pi/3, load: 1000, eta: 0.02, fr: 1e-6, clear: 1e-5, D: 9.525e-3, dm: 46e-3, fi: 0.52, fo: 0.52, E: 207e9, rho: 7800, play: 2e-4, pm: 6e-3, kp: 1e9}
gravity: [0, -9.81, 0]
bodies:
  ring: {mass: 0.06, inertia: [1e-5, 1e-5, 1e-5], position: [0, 0, 1.12144741295e-4], angular_velocity: [0, 0, speed],
         velocity: [0, 0, 0]}
joints:
  drive: {type: parallel, between: [ground, ring], at: [0, 0, 0], axis: [0, 0, 1], motion: speed*t}
forces:
  axial: {type: force, on: ring, value: [0, 0, load]}
bearings:
  b:
    balls: 9
    ball_diameter: D
    pitch_diameter: dm
    inner_groove: fi
    outer_groove: fo
    outer: ground
    inner: ring
    points: [[0, 0, 0], [0, 0, 0]]
    axes: [[0, 0, 1], [0, 0, 1]]
    clearance: clear
    material: {E: E, nu: 0.3, density: rho}
    traction: {law: film, slip: 0.006}
    lubricant: {viscosity: eta, limit: 0.08}
    rolling: {resistance: fr}
    cage: {mass: pm, inertia: [1.7e-6, 1.7e-6, 3.2e-6], pocket_clearance: play, friction: 0.05}
    start: {cage: 0.95, irregularity: 40e-6}
simulation: {duration: 3e-4, method: semi-explicit-2, step: 1e-6}
output: {every: 3e-4, record: [b.cage.speed, ring.position, b.ball1.outer.force, b.ball1.outer.angle, b.torque]}
END
expect 0 sens bearing.yaml --param eta --param fr --param clear --param D --param dm --param fi --param fo --param E --check
prints "56 derivatives agree"
expect 0 sens bearing.yaml --set bearings.b.traction.law=coulomb --set bearings.b.traction.slip=0.05 --param fr \
    --param clear --check
prints "14 derivatives agree"
cat >shapes.yaml <<'END'
nutate: 1
parameters: {r: 0.02, R: 0.1, e: 0.8, mu: 0.2, c: 0.06, E: 3e9, d: 0.05, fr: 1e-4, tube: 0.024, z: 0.0205}
gravity: [0, 0, -9.81]
bodies:
  p: {mass: 0.1, inertia: [2e-5, 2e-5, 2e-5], position: [0, 0, z], velocity: [0.4, 0, -0.2], angular_velocity: [3, 1, 5]}
  s: {mass: 0.1, inertia: [2e-5, 2e-5, 2e-5], position: [1, 0, 0.1205], velocity: [0.1, 0.05, -0.2], angular_velocity: [0, 1, 5]}
  b: {mass: 0.1, inertia: [2e-5, 2e-5, 2e-5], position: [2, 0.01, -0.0775], velocity: [0.1, 0.15, -0.3], angular_velocity: [1, 0, 5]}
  t: {mass: 0.1, inertia: [2e-5, 2e-5, 2e-5], position: [3, 0.061, -0.0035], velocity: [0.2, 0.0, -0.3], angular_velocity: [1, 0, 2]}
  o: {mass: 0.1, inertia: [2e-5, 2e-5, 2e-5], position: [4, 0.01, 0.1205], velocity: [0.2, 0.0, -0.3], angular_velocity: [1, 0, 2]}
contacts:
  plane: {type: sphere_plane, between: [ground, p], plane: {normal: [0, 0, 1], point: [0, 0, 0]}, radius: r, material: {E: E, nu: 0.3}, restitution: {coefficient: e, speed: 0.2}, friction: {coefficient: mu, slip: 1e-2}, rolling: {resistance: fr}}
  ball: {type: sphere_sphere, between: [ground, s], at: [[1, 0, 0], [0, 0, 0]], radii: [R, r], material: {E: E, nu: 0.3}, damping: d, friction: {coefficient: mu, slip: 1e-2}}
  bore: {type: sphere_cylinder, between: [ground, b], cylinder: {point: [2, 0, 0], axis: [1, 0, 0], radius: R, inside: true}, radius: r, material: {E: E, nu: 0.3}, damping: d, traction: {law: four_parameter, slip: 1e-3, curve: [-0.02, 0.25, 2, 0.02]}}
  outside: {type: sphere_cylinder, between: [ground, o], cylinder: {point: [4, 0, 0], axis: [1, 0, 0], radius: R}, radius: r, material: {E: E, nu: 0.3}, damping: d, friction: {coefficient: mu, slip: 1e-2}}
  groove: {type: sphere_torus, between: [ground, t], torus: {point: [3, 0, 0], axis: [0, 0, 1], radius: c, tube: tube, inside: true}, radius: r, material: {E: E, nu: 0.3}, damping: d, friction: {coefficient: mu, slip: 1e-2}}
simulation: {duration: 0.004, method: rkmk-dop853, step: 1e-5, tolerance: 1e-9}
output: {every: 0.004, record: [p.velocity, s.velocity, b.velocity, t.velocity, o.velocity]}
END
expect 0 sens shapes.yaml --param r --param R --param c --param tube --param E --param e --check
prints "90 derivatives agree"

# Numbers of a beam's line and sections, in all frames. Forces in a stiff beam are small differences
# of large numbers: steps along which records change are not below a number's own size.
cat >blade.yaml <<'END'
nutate: 1
gravity: [1, -2, -9]
parameters: {px: 1.1, py: .5, tw: -.3, nz: .3, C11: 3e5, C45: 20, m2: 2.3, me: .05, oy: .05, pre: 20, d3: 3e-3, at: .4, q1: 3, f1: 4, th: .012, R: .05, E: 3e9}
beams:
  b:
    points: [[0,0,0],[px,py,.3],[1.9,.4,.9],[2.8,-.2,1.1]]
    line: spline
    twist: [[0,.2],[.4,tw],[1,.9]]
    normal: [.2,1,nz]
    order: 3
    damping: [2e-3,2e-3,d3,3e-3,3e-3,2e-3]
    velocity: [0,0,0]
    sections:
      - {at: 0, point: [.01, oy, -.03], prestress: [pre, 1, 2, .5, -1, 2],
         stiffness: [[C11,0,0,0,0,0],[0,9e4,0,0,0,0],[0,0,8e4,0,0,0],[0,0,0,300,C45,0],[0,0,0,C45,400,10],[0,0,0,0,10,500]],
         mass: [[2,0,0,0,me,-.02],[0,2,0,-me,0,0],[0,0,2,.02,0,0],[0,-me,.02,.04,0,0],[me,0,0,0,.03,0],[-.02,0,0,0,0,.03]]}
      - {at: at, stiffness: [C11, 8e4,7e4,250,300,420], mass: [m2,m2,m2,.05,.03,.02]}
      - {at: 1, material: {E: E, nu: .3, density: 1500}, shape: tube, radius: R, thickness: th}
markers: {m: {on: b, station: at}, q: {on: b, station: .7}}
joints: {clamp: {type: fixed, between: [ground, b.root], at: [0,0,0]}}
forces:
  d: {type: distributed, on: b, frame: section, value: [q1*d.station+1, -8*sin(q1*d.station)+4*t, 5], moment: [.5*d.station, .8+t, -.3*d.station^2]}
  ft: {type: force, on: b.tip, frame: body, value: [f1,-6,9]}
  at1: {type: force, on: m, frame: ground, value: [f1,f1*t,1]}
simulation: {duration: .06, step: 2e-3}
output: {every: .03, record: [b.tip.position, b.tip.orientation, b.root.moment, m.moment, q.strain, q.curvature, q.force, clamp.torque, energy.total]}
END
blade='--param nz --param oy --param py --param tw --param at --param E'
for frame in inertial body se3; do
    expect 0 sens blade.yaml $blade --frame $frame --check
    prints "156 derivatives agree"
done

# A corner of the line that is near an element's end: 4 % further it would pass it.
cat >corner.yaml <<'END'
nutate: 1
parameters: {x: 1.2, w: .05, tip: 90}
beams:
  b:
    points: [[0,0,0],[x,.1,0],[2,.3,.4]]
    order: 2
    elements: 9
    sections: [{material: {E: 7e9, nu: .3, density: 2700}, shape: rectangle, width: w, height: .08}]
joints: {clamp: {type: fixed, between: [ground, b.root], at: [0,0,0]}}
forces: {f: {type: force, on: b.tip, value: [3,-60,tip]}}
simulation: {duration: .02, step: 1e-3}
output: {every: .02, record: [b.tip.position, clamp.torque]}
END
expect 0 sens corner.yaml --param x --param w --param tip --check
prints "18 derivatives agree"
expect 2 sens corner.yaml --set x=1.1720285967 --param x
says "derivatives in parameter x: beside its value the model is refused: beam b: its elements end at"

# Placements that close for every value of a parameter, by sines of it: along the tangent of their
# numbers they open with its curvature, and still nothing contradicts anything.
cat >placed.yaml <<'END'
nutate: 1
parameters: {up: 0.3, off: 0}
bodies:
  bob: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0.8*sin(up) + off, 0, -0.8*cos(up)],
        orientation: {axis: [0, 1, 0], angle: -up}}
joints:
  pin: {type: revolute, between: [ground, bob], points: [[0, 0, 0], [0, 0, 0.8]], axes: [[0, -1, 0], [0, -1, 0]]}
simulation: {duration: 0.5, step: 1e-2, method: rkmk-dop853}
output: {record: [pin.angle]}
END
expect 0 sens placed.yaml --param up --check
prints "1 derivatives agree"
expect 2 sens placed.yaml --param off
says "placed.yaml:2:23: initial positions cannot follow parameter off: joint pin, position along x opens by -1 per unit"
# modes next to shear that is 1e4 times stiffer: differences of short steps are noise, and no verdict
expect 0 sens "$here/../../examples/beck_column/beck_column.yaml" --of modes --param P --check --quiet -o beck.csv
prints "no verdict  mode 13  d(eigenvalue)/d(P)" " 0 wrong"
expect 0 sens "$here/../../examples/tethered_body/tethered_body.yaml" --of modes --param V --check --quiet -o tether.csv
prints "149 right, 0 wrong"
finish
