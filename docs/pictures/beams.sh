#!/bin/sh
# beams.sh NUTATE: draws the pictures of the examples of beams and cables in motion (needs gnuplot).
set -eu
nutate=$(realpath "${1:-build/release/nutate}")
cd "$(dirname "$0")/../../examples"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GNUPLOT_LIB="$work" # where data are found by name, so that pictures hold no paths

look="set terminal svg size 900,360 font 'Helvetica,14' background 'white'
set datafile separator ','
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1
set linetype 1 linecolor '#1f5fa8' linewidth 1.6
set linetype 2 linecolor '#d68910' linewidth 1.6
set linetype 3 linecolor '#2e8b57' linewidth 1.6"

# shapes NAME BEAM N EVERY DURATION: places of all nodes at times, one block for each
shapes() {
    nodes="$2.root.position, $(seq -s ', ' -f "$2.node%.0f.position" 2 $(($3 - 1))), $2.tip.position"
    "$nutate" run "$1/$1.yaml" --quiet -o - --duration "$5" --set output.every="$4" --set "output.record=[$nodes]" |
        awk -F, -v count="$3" 'NR > 1 {
            for (i = 2; i < 2 + 3 * count; i += 3) print $i "," $(i + 1) "," $(i + 2)
            print ""; print ""
        }' >"$work/shapes"
}

shapes step_load bar 5 0.02 0.2
"$nutate" run step_load/step_load.yaml --quiet -o "$work/step.csv" --duration 1
gnuplot <<PLOT
$look
set output 'step_load/step_load.svg'
set multiplot layout 1,2
unset key
set xlabel 'x, m'
set ylabel 'z, m'
plot for [i = 0:10] 'shapes' using 1:3 index i smooth csplines linetype 1
set xlabel 'time, s'
set ylabel 'height of the end, m'
set key
plot 'step.csv' using 1:2 skip 1 with lines linetype 1 title 'here', '-' with points pointtype 7 linetype 2 title 'BeamDyn'
0.05,0.76836577
0.1,2.05348501
0.15,2.20529689
0.2,1.10647129
0.25,0.15758876
0.5,0.27880849
1,0.54135602
e
PLOT

"$nutate" run spin_up/spin_up.yaml --quiet -o "$work/spin.csv"
gnuplot <<PLOT
$look
set output 'spin_up/spin_up.svg'
set xlabel 'time, s'
set ylabel 'lag of the end, m'
set y2label 'shortening, mm'
set y2tics
set border 11
plot 'spin.csv' using 1:(-column(4)) skip 1 with lines linetype 1 title 'lag', \
     '' using 1:(-1e3*column(3)) skip 1 axes x1y2 with lines linetype 2 title 'shortening'
PLOT

"$nutate" run three_blade_rotor/three_blade_rotor.yaml --quiet -o "$work/rotor.csv"
shapes three_blade_rotor blade1 6 0.02 0.14
gnuplot <<PLOT
$look
set output 'three_blade_rotor/three_blade_rotor.svg'
set multiplot layout 1,2
unset key
set xlabel 'from the axis, m'
set ylabel 'z, mm'
plot for [i = 0:7] 'shapes' using (sqrt(\$1**2 + \$2**2)):(1e3*\$3) index i smooth csplines linetype 1
set xlabel 'time, s'
set ylabel 'height of the ends, mm'
plot 'rotor.csv' using 1:(1e3*\$4) skip 1 with lines linetype 1
PLOT

"$nutate" run right_angle_frame/right_angle_frame.yaml --quiet -o "$work/frame.csv"
shapes right_angle_frame frame 19 1 8
gnuplot <<PLOT
$look
set output 'right_angle_frame/right_angle_frame.svg'
set multiplot layout 1,2
set key
set xlabel 'time, s'
set ylabel 'out of the plane, m'
plot 'frame.csv' using 1:4 skip 1 with lines linetype 1 title 'elbow', \
     '' using 1:7 skip 1 with lines linetype 2 title 'end'
unset key
set xlabel 'x, m'
set ylabel 'y, m'
set zlabel 'z, m'
set view 65, 35
set view equal xyz
set border 31
splot for [i = 0:8] 'shapes' using 1:2:3 index i with lines linetype (i == 0 ? 2 : 1)
PLOT

shapes flying_beam rod 16 0.75 9
gnuplot <<PLOT
$look
set output 'flying_beam/flying_beam.svg'
set xlabel 'x, m'
set ylabel 'y, m'
set size ratio -1
unset key
plot for [i = 0:12] 'shapes' using 1:2 index i with lines linetype 1
PLOT

"$nutate" run tethered_body/tethered_body.yaml --quiet -o "$work/float.csv"
gnuplot <<PLOT
$look
set output 'tethered_body/tethered_body.svg'
set multiplot layout 1,2
unset key
set xlabel 'x, m'
set ylabel 'z, m'
plot 'float.csv' using 2:4 skip 1 with lines linetype 1
set key
set xlabel 'time, s'
set ylabel 'tension, kN'
plot 'float.csv' using 1:(column(9)/1e3) skip 1 with lines linetype 1 title 'at the float', \
     '' using 1:(column(8)/1e3) skip 1 with lines linetype 2 title 'at the bed'
PLOT
