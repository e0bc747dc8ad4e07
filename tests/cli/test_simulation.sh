# What the sections `simulation` and `output` ask for and what method, model and each other allow:
# refused at the place in the file, before anything is computed.
. "$(dirname "$0")/common.sh"

# model SIMULATION [OUTPUT [JOINT]]: rod.yaml, a pendulum
model() {
    cat >rod.yaml <<END
nutate: 1
bodies:
  rod: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]${3-}}
simulation: {$1}
output: {${2-every: 0.1}}
END
}
# refuses PLACE TEXT: by check as by run
refuses() {
    for command in check run; do
        expect 2 $command rod.yaml
        says "nutate: rod.yaml:$1: $2"
        [ "$(wc -l <err)" = 1 ] || fail "more than one line: $(cat err)"
    done
}

# ---- numbers that contradict each other ----
model "duration: 1, step: 0.01, minimum_step: 0.1"
refuses 6:53 "minimum_step: expected at most the step, 0.01 s, got 0.1 s"
model "duration: 1, step: 0.01, maximum_step: 0.001"
refuses 6:53 "maximum_step bounds variable steps, and generalized-alpha takes equal ones"
model "duration: 1, step: 1e-13"
refuses 6:33 "a duration of 1 s in steps of 1e-13 s is 1e+13 steps, expected at most 1e+12"
model "duration: 1, step: 0.01" "every: 1e-13"
refuses 7:17 "a duration of 1 s in rows every 1e-13 s is 1e+13 rows, expected at most 1e+09, or --no-limit"
model "duration: 1, step: 0.01" "every: 5"
expect 0 check rod.yaml
prints "every 5 s (longer than the duration: the start and the end alone)"
expect 0 run rod.yaml
[ "$(wc -l <rod.csv)" = 3 ] || fail "rows of a spacing longer than the duration"
model "step: 0.01"
expect 2 run rod.yaml
says "nutate: rod.yaml:6:13: simulation.duration is missing"

# ---- what the method does not take ----
model "duration: 1, step: 0.01, tolerance: 1e-6"
refuses 6:50 "tolerance: method generalized-alpha does not control its error"
says "methods that would do: generalized-alpha-soi2, rkmk-dopri5, "
model "duration: 1, step: 0.01, frame: inertial, method: lie-newmark"
refuses 6:46 "frame: lie-newmark has the body frame only, got inertial"
model "duration: 1, step: 0.01, options: {hht: 0, rho_inf: 0.5}"
refuses 6:48 "options rho_inf, newmark and hht exclude each other, 2 of them are given"
model "duration: 1, step: 0.01, options: {newmark: 0.5, beta: 0}"
refuses 6:48 "with beta = 0"
model "duration: 1, step: 0.01, method: semi-explicit, options: {steps: stability, alpha: 0}"
refuses 6:71 "steps by stiffness compare forces at two places of the first step, and alpha = 0 leaves one"
# another method, for a while: what is the file's method's own is set aside
model "duration: 1, step: 0.01, maximum_step: 0.1, method: generalized-alpha-soi2, tolerance: 1e-4"
expect 0 run rod.yaml
expect 0 run rod.yaml --method generalized-alpha
says "tolerance is set aside" "maximum_step is set aside"
# what --set gives is meant for the method in use, and is not
expect 2 run rod.yaml --method generalized-alpha --set simulation.maximum_step=0.1
says "maximum_step bounds variable steps, and generalized-alpha takes equal ones"
expect 2 run rod.yaml --method generalized-alpha --set simulation.tolerance=1e-3
says "tolerance: method generalized-alpha does not control its error"
expect 2 run rod.yaml --method lie-newmark --set simulation.frame=inertial
says "frame: lie-newmark has the body frame only, got inertial"
# of --set: no place in the file, the setting itself
model "duration: 1, step: 0.01"
expect 2 run rod.yaml --set simulation.tolerance=1e-6
says "nutate: rod.yaml: --set simulation.tolerance=1e-6: tolerance: method generalized-alpha does not control its error"

# ---- what the method cannot treat: the part of the model, and methods that would do ----
model "duration: 1, step: 0.01, method: lie-newmark"
refuses 5:3 "joint hinge: method lie-newmark treats no holonomic constraints, the system has 5;"
says "methods that would do: generalized-alpha, " " bdf"
model "duration: 1, step: 0.01, method: lie-newmark-4" "every: 0.1" \
    ", enforce: penalty, stiffness: 1e5, damping: 10"
refuses 5:3 "joint hinge: method lie-newmark-4 needs forces of position and time alone"
says "methods that would do: " " lie-newmark,"
model "duration: 1, step: 0.01, method: stormer-verlet"
refuses 3:3 "body rod: method stormer-verlet works on vector spaces, the system has 1 rotations"
cat >points.yaml <<END
nutate: 1
bodies:
  bob: {mass: 1, point: true, position: [1, 0, 0]}
  rod: {mass: 1, inertia: [0.1, 0.2, 0.3]}
simulation: {duration: 1, step: 0.01, method: stormer-verlet}
END
expect 2 check points.yaml
says "nutate: points.yaml:4:3: body rod: method stormer-verlet works on vector spaces"
cat >coin.yaml <<END
nutate: 1
bodies:
  coin: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 1], orientation: {axis: [1, 0, 0], angle: pi/2}}
joints:
  rolls: {type: rolling_disk, between: [ground, coin], radius: 1, axis: [0, 0, 1], plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
simulation: {duration: 1, step: 0.01, method: generalized-alpha-linear}
END
expect 2 check coin.yaml --set simulation.method=lie-newmark
says "nutate: coin.yaml:5:3: joint rolls: method lie-newmark treats no holonomic constraints"

# ---- words for what limits steps and for what fails: of a motion, not of its equation ----
model "duration: 0.1, step: 0.01, method: generalized-alpha-soi2, tolerance: 1e-6"
expect 0 run rod.yaml
says "in the last step: " "of body rod a"
grep -q "moment on\|force on" err && fail "an error of a motion is named after an equation: $(cat err)"
model "duration: 1, step: 0.01, minimum_step: 0.01, method: generalized-alpha-soi2, tolerance: 1e-12"
expect 3 run rod.yaml
says "times its tolerance at the smallest step allowed (" "ion of body rod a"
model "duration: 1, step: 0.01" "every: 0.1" ", motion: 1/(t - 0.5) + 2"
expect 3 run rod.yaml --no-energy-check
says "a step turns further than the method can follow: rotation of body rod about x"

# ---- a mechanism that jams: bdf, which has no smallest step but rounding, gives up as well ----
cat >jams.yaml <<END
nutate: 1
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.2, 0, 0]}
joints:
  drive: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], motion: 2*t}
  knee: {type: revolute, between: [crank, rod], at: [1, 0, 0], axis: [0, 0, 1]}
  slot: {type: inline, between: [ground, rod], at: [1.5, 0, 0], axis: [1, 0, 0]}
simulation: {duration: 3, step: 0.01, method: bdf}
END
expect 3 run jams.yaml # the crank of 1 m is at 30 degrees, the rod of 0.5 m upright
says "at t = 0.26179" "the end is out of reach"
expect 3 run jams.yaml --method rkmk-dopri5
says "a step turns further than the method can follow: rotation of body rod about x"
cat >locks.yaml <<END
nutate: 1
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0.5, 0]}
  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.25, 1, 0]}
joints:
  drive: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], motion: -t}
  knee: {type: revolute, between: [crank, rod], at: [1, 0, 0], axis: [0, 0, 1]}
  elbow: {type: revolute, between: [rod, rocker], at: [1, 1, 0], axis: [0, 0, 1]}
  foot: {type: revolute, between: [rocker, ground], at: [1.5, 1, 0], axis: [0, 0, 1]}
simulation: {duration: 3, step: 0.01, method: rkmk-dopri5}
END
expect 3 run locks.yaml # rod and rocker in line: the way back to the constraints does not converge
says "at t = 0.39479" "did not converge; worst: joint " " times its tolerance"
[ "$(sed -n 's/.*, \([0-9]*\)[0-9.e+]* times its tolerance.*/\1/p' err)" -ge 1 ] ||
    fail "what did not converge is within its tolerance: $(cat err)"

# ---- a force without a value is named, beside joints too ----
for joint in "spherical, at: [0, 0, 0]" "inline, at: [0.5, 0, 0], axis: [1, 0, 0]"; do
    cat >pole.yaml <<END
nutate: 1
bodies:
  rod: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}
joints:
  held: {between: [ground, rod], type: $joint}
forces:
  drag: {type: force, on: rod, value: [sqrt(0.5 - t), 0, 0]}
simulation: {duration: 1, step: 0.01}
END
    for method in generalized-alpha generalized-alpha-soi2 rkmk-dopri5 theta; do
        expect 3 run pole.yaml --method $method
        says "the equations have no value: force drag (force)"
    done
done

# ---- solves with pivoting: all of them are counted, not only those that failed before ----
cat >thin.yaml <<END
nutate: 1
bodies:
  rod: {mass: 1, inertia: [1e-15, 0.1, 0.1], position: [0.5, 0, 0]}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
simulation: {duration: 1, step: 0.01, method: rkmk-dop853}
END
expect 0 run thin.yaml
says "linear solver fell back to pivoting"
sed -n 's/.*fell back to pivoting \([0-9]*\) times*: \([0-9]*\) solves made so/\1 \2/p' err >counts
read -r times solves <counts
[ "$solves" -ge $((50 * (times - 1))) ] && [ "$solves" -gt "$times" ] ||
    fail "$solves solves, $times times: each time a hundred factorisations stay with pivoting"

# a pulse of a millisecond in ten seconds: its whole impulse, w sqrt(pi) 1000 N, arrives
cat >pulse.yaml <<'END'
nutate: 1
bodies: {m: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}
forces: {push: {type: force, on: m, value: ["1000*exp(-((t - 5)/1e-3)^2)", 0, 0]}}
simulation: {duration: 10, step: 1e-2, method: rkmk-dop853, tolerance: 1e-9}
output: {record: [m.velocity.x]}
END
for method in rkmk-dop853 rkmk-dopri5 bdf; do
    expect 0 run pulse.yaml --method "$method" -o pulse.csv
    tail -n 1 pulse.csv | awk -F, '{ off = $2 - 1.7724538509055159; exit !(off^2 < 1e-8) }' ||
        fail "$method: the velocity behind a pulse is $(tail -n 1 pulse.csv)"
done
# steps by stability alone: nothing looked at their error, and the summary says so
cat >dropped.yaml <<'END'
nutate: 1
bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1.001]}}
contacts: {floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]},
           radius: 1, stiffness: 1e6}}
simulation: {duration: 0.1, step: 1e-4, method: semi-explicit-2, options: {steps: eigenvalue}}
END
expect 0 run dropped.yaml -o dropped.csv
says ' s: by stability, whatever their error; a tolerance bounds that too'
expect 0 run dropped.yaml --set simulation.tolerance=1e-4 -o dropped.csv
grep -q 'by stability' err && fail 'steps by tolerance are called steps by stability alone'

# ---- dense matrices that nobody waits for ----
awk 'BEGIN { print "nutate: 1\ngravity: [0, 0, 0]\nbodies:"
    for (i = 0; i < 1800; i++) printf "  p%d: {mass: 1, position: [%d, 0, 0], point: true}\n", i, i
    print "parameters: {m: 1}\nsimulation: {duration: 1, step: 0.1}"
    print "output: {every: 1, record: [p0.position]}" }' >many.yaml
for command in "check many.yaml" "run many.yaml" "static many.yaml" "orbit many.yaml --period 1" \
    "sens many.yaml --param m"; do
    # shellcheck disable=SC2086
    expect 2 $command --solver dense
    says "nutate: many.yaml: --solver dense: a matrix of 5400 unknowns has 0.233 GB and takes 1e+11 operations" \
        "expected at most 1e+11, another solver, or --no-limit"
done
expect 0 check many.yaml --quiet
expect 2 check many.yaml --solver dense --no-limit --set simulation.step=1e-13
says "1e+13 steps"

finish
