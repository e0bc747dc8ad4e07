#!/bin/sh
# plots.sh NUTATE: draws plot.svg of the machines below from their runs (needs gnuplot).
set -eu
nutate=$(realpath "${1:-build/release/nutate}")
cd "$(dirname "$0")"
data=$(mktemp)
trap 'rm -f "$data"' EXIT

# draw NAME XLABEL YLABEL Y2LABEL PLOT [ARGUMENT...]: columns by names or numbers; the axis y2 where
# Y2LABEL is not empty; arguments for the run
draw() {
    name=$1 x=$2 y=$3 y2=$4 plot=$5
    shift 5
    "$nutate" run "${model:-$name/$name.yaml}" --quiet -o - "$@" >"$data"
    gnuplot <<PLOT
set terminal svg size 760,380 font 'Helvetica,14' background 'white'
set output '$name/plot.svg'
set datafile separator ','
set datafile columnheaders
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1
set key outside top center horizontal reverse Left samplen 2
set xlabel '$x'
set ylabel '$y'
if ('$y2' ne '') { set y2label '$y2'; set y2tics; set border 11 }
set linetype 1 linecolor '#1f5fa8' linewidth 1.6
set linetype 2 linecolor '#d68910' linewidth 1.6
set linetype 3 linecolor '#2e8b57' linewidth 1.6
set linetype 4 linecolor '#a83232' linewidth 1.6
set linetype 5 linecolor '#6a4fa3' linewidth 1.6
set linetype 6 linecolor '#555555' linewidth 1.6
d = '$data'
plot $plot
PLOT
}

t="using 'time':"
draw car_suspension 't, s' 'angle, degrees' 'tyre, kN' "d $t'pitch' with lines title 'pitch', \
    d $t'roll' with lines title 'roll', d $t(-\$13/1000) axes x1y2 with lines title 'left front tyre'"
draw arm_trajectory 't, s' 'torque, N m' 'power, W' "d $t'torque1' with lines title 'joint 1', \
    d $t'torque2' with lines title '2', d $t'torque3' with lines title '3', \
    d $t'torque5' with lines title '5', d $t'power' axes x1y2 with lines title 'power'"
draw washing_machine 'speed of the drum, 1/min' 'shake of the tub, mm' '' \
    "d using 'speed':(\$3*1000) with lines notitle"
draw crank_train 'angle of the crank, rad' 'force, kN' 'speed, 1/min' \
    "d using 'main.angle':(\$5/1000) with lines title 'gas', \
    d using 'main.angle':(\$9/1000) with lines title 'main bearing, along the cylinder', \
    d using 'main.angle':'engine_speed' axes x1y2 with lines title 'speed'"
draw crane 't, s' 'pull of the rope, kN' 'swing, degrees' "d $t(\$10/1000) with lines title 'at the winch', \
    d $t(\$11/1000) with lines title 'at the hook', d $t'swing' axes x1y2 with lines title 'swing'"
draw quadcopter 't, s' 'place, m' 'lift, N' "d $t'frame.position.x' with lines title 'x', \
    d $t'frame.position.y' with lines title 'y', d $t'frame.position.z' with lines title 'z', \
    d $t'lift1' axes x1y2 with lines title 'front rotor', d $t'lift2' axes x1y2 with lines title 'left rotor'"
draw dc_motor 't, s' 'current, A' 'speed, rad/s' "d $t'current' with lines title 'current', \
    d $t'emf' with lines title 'back EMF, V', d $t'axle.rate' axes x1y2 with lines title 'speed'"
draw hydraulic_cylinder 't, s' 'pressure, MPa' 'place, m' "d $t'lower' with lines title 'lower', \
    d $t'upper' with lines title 'upper', d $t'wish' axes x1y2 with lines title 'wish', \
    d $t'rod.displacement' axes x1y2 with lines title 'load'"
draw pid_arm 't, s' 'moment, N m' 'angle, rad' "d $t'motor1' with lines title 'shoulder', \
    d $t'motor2' with lines title 'elbow', d $t'shoulder.angle' axes x1y2 with lines title 'its angle', \
    d $t'elbow.angle' axes x1y2 with lines title 'its angle'"
draw arm_at_its_stops 't, s' 'angle, rad' 'energy, J' "d $t'shoulder.angle' with lines title 'shoulder', \
    d $t'elbow.angle' with lines title 'elbow', d $t'energy.total' axes x1y2 with lines title 'energy'" \
    --duration 0.8 --set output.every=5e-4
draw quadcopter_sampled 't, s' 'lift, N' 'place, m' "d $t'wish1' with lines title 'wish, front', \
    d $t'lift1' with lines title 'lift, front', d $t'frame.position.x' axes x1y2 with lines title 'x', \
    d $t'frame.position.z' axes x1y2 with lines title 'z'"
draw trebuchet 'x, m' 'z, m' '' "d using (\$1 < 1.9 ? \$2 : NaN):4 with lines title 'stone', \
    d using (\$1 < 1.16 ? \$5 : NaN):7 with lines title \"the beam's tip\"" --set output.every=2e-3
draw bouncing_ball 't, s' 'height, m' 'energy, J' "d $t'gap' with lines title 'gap', \
    d $t'energy.total' axes x1y2 with lines title 'energy'"
draw escapement 't, s' 'angle, rad' 'energy, J' "d $t'staff.angle' with lines title 'balance', \
    d $t'energy.total' axes x1y2 with lines title 'energy'"
# The bicycle is pushed; see its README.md.
push='forces.push={type: force, on: frame, value: [0, "30*(step(t, 0.5, 0, 0.6, 1) - step(t, 0.7, 0, 0.8, 1))", 0]}'
model=bicycle/bicycle.yaml
draw bicycle_ride 't, s' 'angle, degrees' '' "d $t(\$7*180/pi) with lines title 'lean', \
    d $t(\$8*180/pi) with lines title 'steering'" --set "$push" \
    --set 'output.record=[frame.position, frame.euler_zyx, steering.angle]'

# The systems written by hand: what the program prints, and the same equation as states of a model.
library=$(dirname "$nutate")
cc -I../include -o "$data.program" by_hand/pendulum.c "$library/libnutate.so" -lm
LD_LIBRARY_PATH=$library "$data.program" | awk 'BEGIN { print "time,angle\n0,1.5" } { print $1 "," $3 }' >"$data.csv"
"$nutate" plot "$data.csv" angle -o by_hand/plot.svg
cat >"$data.yaml" <<'MODEL'
nutate: 1
parameters: {length: 1, gravity: 9.81, drag: 0.2}
bodies: {nothing: {mass: 1, point: true, velocity: [0, 0, 0]}}
states:
  angle: {rate: turning, initial: 1.5}
  turning: {rate: -(gravity*sin(angle) + drag*turning)/length, initial: 0}
simulation: {duration: 2, step: 1e-3, method: rkmk-dop853}
output: {every: 1e-2, record: [angle]}
MODEL
"$nutate" sens "$data.yaml" --param length --param gravity --param drag --quiet -o "$data.csv"
"$nutate" plot "$data.csv" 'd(angle)/d(length)' 'd(angle)/d(gravity)' 'd(angle)/d(drag)' -o by_hand_derivatives/plot.svg
rm -f "$data".*
