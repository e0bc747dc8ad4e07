# Runs in which something happens: the table of events in both formats; a run that is killed at any
# moment, or saved between two events, goes on with the same bits; what never settles is named.
. "$(dirname "$0")/common.sh"
# Every state waits for the disk: where there is a disk in memory the test takes a tenth of the time.
if fast=$(mktemp -d /dev/shm/nutate.XXXXXX 2>/dev/null); then
    trap 'rm -rf "$fast"' EXIT
    cp ./*.yaml "$fast" && cd "$fast" || exit 1
fi
seed=${NUTATE_SEED:-$(date +%s)}
echo "moments from NUTATE_SEED=$seed"

# ---- the table ----
expect 0 run bouncing.yaml -o whole.csv -o whole.nc
head -n 1 whole.events.csv >got.csv
echo "time,event,energy_before,energy_after,energy_lost" >expected.csv
same expected.csv got.csv
for event in turn middle let_go; do
    grep -q ",$event," whole.events.csv || fail "no event $event in the table"
done
says "events $(($(wc -l <whole.events.csv) - 1))"
expect 0 convert whole.events.nc -o converted.csv
same whole.events.csv converted.csv
expect 0 convert whole.events.csv -o converted.nc
expect 0 convert converted.nc -o again.csv
same whole.events.csv again.csv

# ---- no table is written over, nor over anything ----
expect 2 run bouncing.yaml -o r.nc -o r.events.nc
says "-o: 'r.events.nc' is the table beside the result"
expect 2 run bouncing.yaml -o r.events.nc -o r.nc
says "-o: 'r.events.nc' is the table beside the result"
expect 2 run bouncing.yaml -o r.csv -o ./r.events.csv
says "-o: './r.events.csv' is the table beside the result"
[ ! -e r.nc ] && [ ! -e r.events.nc ] && [ ! -e r.csv ] || fail "refused, and yet written"
: >r.events.csv && ln r.events.csv other.csv
expect 2 run bouncing.yaml -o r.csv -o other.csv
says "-o: 'other.csv' is the table beside the result"
: >first.events.nc && ln first.events.nc second.events.nc
expect 2 run bouncing.yaml -o first.nc -o second.nc
says "-o: the table 'second.events.nc' beside 'second.nc' is the table beside the result"
cp bouncing.yaml r.events.nc
expect 2 run r.events.nc -o r.nc
says "-o: the table 'r.events.nc' beside 'r.nc' is the model itself"
expect 2 run bouncing.yaml -o r.csv --save r.events.csv
says "--save: 'r.events.csv' is the table beside the result"
rm -f r.events.* other.csv first.* second.*

# ---- an event that ends the run and changes something has a row behind the one before it ----
cat >ended.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
parameters: {push: 2}
quantities: {pushes: push + 0}
bodies: {b: {mass: 1, point: true}}
states: {s: {rate: 1}}
forces: {f: {type: force, on: b, value: [push, 0, 0]}}
events: {far: {when: b.position.x - 1, then: [{set: {s: 50, push: -3}}, {stop: far}]}}
simulation: {duration: 3, method: rkmk-dop853, step: 0.25}
output: {record: [s, pushes]}
END
for every in 0 0.5 0.7; do
    if [ $every = 0 ]; then expect 0 run ended.yaml -o ended.csv; else
        expect 0 run ended.yaml --set output.every=$every -o ended.csv; fi
    tail -n 1 ended.csv | grep -q '^1,50,-3$\|^1.000000000[0-9]*,50,-3$' ||
        fail "every $every: the last row is $(tail -n 1 ended.csv)"
done
[ "$(grep -c '^1[,.0]' ended.csv)" = 1 ] || fail "two rows at the end, of which one is no row's time"
sed 's/{set: {s: 50, push: -3}}, //' ended.yaml >only.yaml
expect 0 run only.yaml -o ended.csv
[ "$(grep -c '^1[,.0]' ended.csv)" = 1 ] || fail "nothing has changed, and there are two rows"

# ---- stopped at any moment ----
stops=0
# each HOW...: whole, and killed up to three times
each() {
    rm -f cut.*
    begun=$(date +%s%N)
    expect 0 "$@" --save-every 0.02 -o whole.csv -o whole.nc
    length=$(($(date +%s%N) - begun))
    grep objective err >whole.objectives
    for stop in 1 2 3 4; do
        resume=
        [ -e cut.csv.state ] && resume=--resume
        seed=$((seed + 1))
        # shellcheck disable=SC2086
        "$nutate" "$@" --save-every 0.02 $resume -o cut.csv -o cut.nc 2>err </dev/null &
        job=$!
        sleep "$(awk -v s=$seed -v l="$length" 'BEGIN { srand(s); print rand() * l / 2e9 }')"
        signal=$(awk -v s=$seed 'BEGIN { srand(7 * s); print rand() < 0.7 ? "KILL" : "TERM" }')
        [ $stop = 4 ] || kill -s "$signal" $job 2>/dev/null
        wait $job 2>/dev/null
        got=$?
        case $got in
        0) break ;;
        # 143: SIGTERM has come before the program listens for it, as it starts
        130 | 137 | 143) stops=$((stops + 1)) ;;
        *) fail "nutate $* $resume ($signal, seed $seed): exit status $got" && cat err ;;
        esac
    done
    grep objective err >cut.objectives
    for file in csv nc events.csv events.nc objectives; do
        same "whole.$file" "cut.$file"
    done
}
each run bouncing.yaml --duration 2.5
each run bouncing.yaml --frame body --method generalized-alpha-soi2 --duration 2.5
each run bouncing.yaml --method rkmk-dop853 --set simulation.tolerance=1e-9 --duration 2
each run bouncing.yaml --method bdf --set simulation.tolerance=1e-7 --duration 2
each sens bouncing.yaml --param pull --param kick --duration 0.85 --step 5e-3
# a double pendulum between rigid limits, until it rests on two of them
cat >limited.yaml <<'END'
nutate: 1
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  b: {mass: 0.7, inertia: [0.05, 0.05, 0.05], position: [1.3, 0, 0]}
joints:
  shoulder: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],
             limits: {upper: 0.4, restitution: 0.5}}
  elbow: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0],
          limits: {lower: -0.5, upper: 0.6, restitution: 0.5, impact_law: Poisson}}
simulation: {duration: 0.8, step: 1e-3, method: generalized-alpha}
output: {record: [shoulder.angle, elbow.angle, shoulder.torque, energy]}
END
each run limited.yaml
each run limited.yaml --method rkmk-dop853 --set simulation.tolerance=1e-9
# four feet that stick on a slope
{
    echo 'nutate: 1'
    echo 'parameters: {slope: 0.2, vx: 0.5}'
    echo 'gravity: ["9.81*sin(slope)", 0, "-9.81*cos(slope)"]'
    echo 'bodies: {table: {mass: 10, inertia: [1, 1.5, 2], position: [0, 0, 0.4],'
    echo '  velocity: [vx, 0.2, 0], angular_velocity: [0, 0, 0.5]}}'
    echo 'contacts:'
    foot=0
    for place in '0.5, 0.3' '-0.5, 0.3' '0.5, -0.3' '-0.5, -0.3'; do
        foot=$((foot + 1))
        echo "  f$foot: {type: sphere_plane, between: [ground, table], plane: {normal: [0, 0, 1]},"
        echo "    at: [$place, -0.38], radius: 0.02, stiffness: 1e5, exponent: 1, damping: 1,"
        echo "    friction: {coefficient: 0.3, law: set-valued}}"
    done
    echo 'simulation: {duration: 0.7, step: 1e-3, method: generalized-alpha}'
} >table.yaml
each run table.yaml
expect 0 sens table.yaml --method rkmk-dop853 --duration 0.6 --set simulation.tolerance=1e-8 \
    --param vx --check
grep -q '^[0-9]* derivatives agree with differences of whole runs$' out err ||
    fail "derivatives of a table that stops: $(cat out err)"
# a stop at the end of every step, none of which has happened yet where steps are looked at
cat >sampled.yaml <<'END'
nutate: 1
bodies:
  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
forces:
  f: {type: force, on: b, value: [pilot.push, 0, 0]}
sampled:
  pilot: {every: 1e-3, values: {push: -b.position.x - 0.1*b.velocity.x}}
events:
  once: {when: b.position.x, then: [{impulse: {on: b, value: [0, 0.1, 0]}}]}
simulation: {duration: 20, step: 1e-3}
output: {every: 0.1, record: [b.position.x, b.velocity.x]}
END
each run sampled.yaml
each run sampled.yaml --method generalized-alpha-soi2 --duration 30
echo "$stops stops"
[ $stops -ge 5 ] || fail "only $stops stops"

# ---- heard at stops ----
"$nutate" run sampled.yaml --duration 1e5 -o long.csv 2>err </dev/null &
job=$!
while kill -0 $job 2>/dev/null && [ ! -s long.csv ]; do sleep 0.01; done
kill -s TERM $job
for wait in $(seq 100); do
    kill -0 $job 2>/dev/null || break
    sleep 0.1
done
kill -s KILL $job 2>/dev/null && fail "SIGTERM is not heard where every step ends at a sample"
wait $job
[ $? = 130 ] || fail "exit status after SIGTERM"

# ---- saved in the middle, between two stops and at one ----
sed 's/every: 0.00173, //; s/duration: 4/duration: 1.2/' bouncing.yaml >each.yaml
expect 0 run each.yaml -o whole.csv
for part in 0.01 0.026 0.03; do
    expect 0 run each.yaml --duration $part --save half.state -o first.csv
    expect 0 run each.yaml --restart half.state -o second.csv
    tail -n "$(($(wc -l <second.csv) - 1))" whole.csv >expected.csv
    tail -n +2 second.csv >rest.csv
    same expected.csv rest.csv
done

# ---- what never settles ----
sed 's/-kick\*sign(x)/0/; s/\(turn: .*\)then:.*/\1then: [{start: back}]}/
    s/^  let_go/  back: {then: [{start: turn}]}\n  let_go/' bouncing.yaml >restless.yaml
expect 3 run restless.yaml -o restless.csv
says "at t = 0.4099" "event back at restless.yaml:$(grep -n "^  back:" restless.yaml | cut -d: -f1):3 has happened a thousand times at once" "does not settle"

# ---- a blow at a place that depends on a parameter: a marker's ----
sed 's/on: cart, value/on: cart, at: [pull, 0, 0], value/' bouncing.yaml >struck.yaml
expect 2 check struck.yaml
says "at: this place depends on parameters, expected numbers, or a marker"

# ---- a pendulum that is let go where its joint is pulled too hard: the time of it follows the reaction ----
cat >pulled.yaml <<'END'
nutate: 1
parameters: {g: 9.81, limit: 12, m: 1}
gravity: [0, 0, -g]
bodies: {b: {mass: m, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}}
joints: {pivot: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}
events: {off: {when: pivot.force.z - limit, then: [{release: pivot}]}}
simulation: {duration: 0.8, step: 1e-3, method: rkmk-dop853, tolerance: 1e-11}
output: {record: [b.position.x, b.position.z]}
END
expect 0 sens pulled.yaml --param g --param limit --param m --check
prints "6 derivatives agree"
expect 0 run pulled.yaml -o whole.csv
[ "$(wc -l <whole.events.csv)" = 2 ] || fail "the pendulum is not let go once"

# ---- an event that its zero is nearly too far for: beside it none happens, so there is no verdict ----
cat >graze.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
parameters: {k: 1, c: 0}
bodies: {m: {mass: 1, point: true}}
states: {y: {rate: "2*(t - 0.5)*(1 + c)", initial: 0.25 - 1e-13}, z: {rate: k}}
events: {x: {when: y, then: [{set: {k: 2}}]}}
simulation: {duration: 1, step: 1e-2, method: rkmk-dop853}
output: {record: [z]}
END
expect 0 sens graze.yaml --param c --param k --check --quiet
prints "1 derivatives agree" "1 without verdict (other events happen" "no verdict: other events happen, or in another order"

# ---- a swing that comes to an event's zero and no further: on the dense output of a long step it
# ---- passes by rounding, in shorter ones it does not; the event is there, and has no derivative ----
cat >touch.yaml <<'END'
nutate: 1
parameters: {c: 1, w: 2}
gravity: [0, 0, 0]
bodies: {b: {mass: 1, point: true, position: [c, 0, 0]}}
forces: {f: {type: force, on: b, value: [-w^2*b.position.x, 0, 0]}}
events: {top: {when: b.position.x + 1, direction: falling, then: [{impulse: {on: b, value: [0.1, 0, 0]}}]}}
simulation: {duration: 2, step: 1e-2, method: rkmk-dop853, tolerance: 1e-10}
output: {record: [b.position.x]}
END
expect 0 run touch.yaml -o touch.csv
awk -F, 'NR == 2 { e = $1 - atan2(1, 0); exit !(e*e < 1e-9) }' touch.events.csv ||
    fail "a touch: $(cat touch.events.csv)"
expect 3 sens touch.yaml --param w -o touch.csv
says "event top at touch.yaml:6:10 only touches its zero"

# ---- an event ends the run: in the run by a tighter tolerance it is later or sooner ----
cat >thrown.yaml <<'END'
nutate: 1
parameters: {v: 9, k: 0.05}
gravity: [0, 0, -9.81]
bodies: {stone: {mass: 1, point: true, position: [0, 0, 1], velocity: [v, 0, v]}}
forces: {drag: {type: force, on: stone, value: ["-k*stone.velocity.x", 0, "-k*stone.velocity.z"]}}
events: {land: {when: stone.position.z, direction: falling, then: [{stop: "landed"}]}}
simulation: {duration: 9, step: 1e-2}
output: {record: [stone.position.x]}
objectives: {range: {type: final, of: stone.position.x}, way: {type: integral, of: stone.position.x}}
END
for how in bdf rkmk-dopri5 rkmk-dop853; do
    for tolerance in 1e-6 1e-9; do
        expect 0 sens thrown.yaml --param v --param k --method $how --set simulation.tolerance=$tolerance --check --quiet
        prints "6 derivatives agree"
    done
done

# ---- a ball whose bounces become ever shorter, down to nothing, is not let through the floor ----
cat >ever.yaml <<'END'
nutate: 1
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 0.5, inertia: [2e-3, 2e-3, 2e-3], position: [0, 0, 1e-3]}}
joints:
  floor: {type: planar, between: [ground, ball], points: [[0, 0, 0], [0, 0, 0]], axes: [[0, 0, 1], [0, 0, 1]],
    active: false, restitution: 0.9, rest_speed: 1e-300}
events: {bounce: {when: ball.position.z, direction: falling, then: [{engage: floor}]}}
simulation: {duration: 20, step: 10, method: rkmk-dop853}
output: {record: [ball.position.z, ball.velocity.z]}
END
for how in "rkmk-dop853" "generalized-alpha --step 0.05"; do
    # shellcheck disable=SC2086 # words
    expect 0 run ever.yaml --method $how -o ever.csv
    tail -n 1 ever.csv | awk -F, '{ exit !($2 * $2 < 1e-18 && $3 * $3 < 1e-18) }' ||
        fail "a ball that bounces to rest with $how: $(tail -n 1 ever.csv)"
done

# ---- a relay by a table of steps slides as the same one by sign does ----
printf 'v,f\n-1,1\n0,-1\n' >relay.csv
cat >relay.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
tables: {relay: {file: relay.csv, interpolation: previous}}
bodies: {b: {mass: 1, point: true, velocity: [1, 0, 0]}}
forces: {f: {type: force, on: b, value: ["5*table(relay, b.velocity.x) + if(t > 1, 6*t, 0)", 0, 0]}}
simulation: {duration: 2, step: 1e-2}
output: {every: 0.1, record: [b.position.x, b.velocity.x]}
END
sed 's/5\*table(relay, b.velocity.x)/-5*sign(b.velocity.x)/' relay.yaml >by_sign.yaml
for how in generalized-alpha generalized-alpha-soi2 rkmk-dop853 theta; do
    expect 0 run relay.yaml --method $how -o relay_of.csv
    says "sliding mode  1 times, for 0.8 s in all"
    expect 0 run by_sign.yaml --method $how -o by_sign.csv
    paste -d, relay_of.csv by_sign.csv | awk -F, 'NR > 1 && (($2 - $5)^2 + ($3 - $6)^2 > 1e-18) { bad = 1 }
        END { exit bad }' || fail "a relay by a table with $how"
done

# ---- a smooth pulse of 0.35 ms: steps that a method chooses do not pass over it, equal ones say so ----
cat >pulse.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
bodies: {b: {mass: 1, point: true}}
forces: {f: {type: force, on: b, value: ["1000*exp(-((t - 0.5005)/2e-4)^2)", 0, 0]}}
simulation: {duration: 1, step: 1e-2}
output: {record: [b.velocity.x]}
END
for how in rkmk-dop853 rkmk-dopri5 bdf; do
    expect 0 run pulse.yaml --method $how --set simulation.tolerance=1e-9 -o pulse.csv
    tail -n 1 pulse.csv | awk -F, '{ e = $2 - 0.2*sqrt(atan2(0, -1)); exit !(e*e < 1e-14) }' ||
        fail "a pulse with $how: $(tail -n 1 pulse.csv)"
done
expect 0 run pulse.yaml --step 2e-2 -o pulse.csv
says "pulse.yaml:4:10: force f: value rises and falls within one step near t = 0.500"
expect 0 run pulse.yaml --step 1e-4 -o pulse.csv
grep -q "rises and falls" err && fail "a pulse that steps follow is said to be passed over"
# a parameter that follows one that an event sets passes zero with it
cat >follows.yaml <<'END'
nutate: 1
parameters: {a: 1, b: 2*a}
bodies:
  body: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}
forces:
  p: {type: force, on: body, value: [b, 0, 0]}
events:
  first: {when: t - 0.2, then: [{set: {a: 2}}]}
  last: {when: b - 3, then: [{stop: "b is large"}]}
simulation: {duration: 1, step: 0.01}
output: {record: [body.position]}
END
expect 0 run follows.yaml -o follows.csv
says "b is large"

# an angle far from the origin is as small as one near it
cat >far.yaml <<'END'
nutate: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1e9], angular_velocity: [0, 0, 1e-3]}
  c: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1e9]}
joints:
  s: {type: revolute, between: [c, a], at: [0, 0, 1e9], axis: [0, 0, 1]}
events:
  l: {when: s.angle - 5e-6, then: [{stop: "turned"}]}
simulation: {duration: 0.02, step: 0.001}
output: {record: [s.angle]}
END
expect 0 run far.yaml -o far.csv
says "turned"

finish
