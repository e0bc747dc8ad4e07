#!/bin/sh
# static.sh NUTATE: draws the pictures of the examples of static states (needs gnuplot).
set -eu
nutate=${1:-build/release/nutate}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GNUPLOT_LIB="$work" # where data are found by name, so that pictures hold no paths

look="set terminal svg size 640,400 font 'Helvetica,14' background 'white'
set datafile separator ','
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1"

# one line for each link: x, z
chain() {
    "$nutate" static examples/catenary/catenary.yaml --quiet -o - --set \
        "output.record=[$(seq -s ', ' -f 'link%.0f.position' 64)]" "$@" |
        awk -F, 'NR == 2 { for (i = 1; i < NF; i += 3) print $i "," $(i + 2) }'
}
chain >"$work/rest"
awk 'BEGIN { c = 0.6; s = -sqrt(1 - c * c); l = 2 / 64
    for (i = 0.5; i < 64; i++) print (i < 32 ? i * l * c : 1.2 - (64 - i) * l * c) "," (i < 32 ? i : 64 - i) * l * s }' \
    >"$work/placed"
gnuplot <<PLOT
$look
set output 'examples/catenary/catenary.svg'
set size ratio -1
set xlabel 'x, m'
set ylabel 'z, m'
set key at graph 0.5,0.9 center
a = 2.04879073/6.2784
plot 'placed' using 1:2 with points pointtype 6 pointsize 0.4 linecolor '#aaaaaa' title 'as placed', \
     [0:1.2] a*(cosh((x - 0.6)/a) - cosh(0.6/a)) with lines linecolor '#d68910' title 'without links', \
     'rest' using 1:2 with points pointtype 7 pointsize 0.4 linecolor '#1f5fa8' title 'at rest'
PLOT

for phi in 0.2 1.2 2 3 4 5 6; do
    "$nutate" static examples/four_bar_rest/four_bar_rest.yaml --quiet -o - --set phi=$phi \
        --set 'output.record=[foot.angle, energy.potential]' | awk -F, -v phi=$phi 'NR == 2 {
            turn = 6.283185307179586; x = phi - $1; x -= turn * int(x / turn); print (x < 0 ? x + turn : x) "," $2 }'
done >"$work/states"
gnuplot <<PLOT
$look
set output 'examples/four_bar_rest/four_bar_rest.svg'
set xlabel 'angle of the crank, rad'
set ylabel 'potential energy, J'
set xrange [0:2*pi]
set samples 400
a = 0.4; b = 1; c = 0.8; d = 1
e(x) = sqrt((d - a*cos(x))**2 + (a*sin(x))**2)
u(x) = (b**2 - c**2 + e(x)**2)/(2*e(x))
cz(x) = a*sin(x) + (-u(x)*a*sin(x) + sqrt(b**2 - u(x)**2)*(d - a*cos(x)))/e(x)
V(x) = 2*9.81*(a*a*sin(x)/2 + b*(a*sin(x) + cz(x))/2 + c*cz(x)/2)
set key at graph 0.98,0.95 right
plot V(x) with lines linewidth 1.5 linecolor '#1f5fa8' title 'by the angle of the crank', \
     'states' using 1:2 with points pointtype 7 linecolor '#d68910' title 'static states found'
PLOT

"$nutate" static examples/two_bar_truss/two_bar_truss.yaml --quiet --arc-length -o - >"$work/path"
gnuplot <<PLOT
$look
set output 'examples/two_bar_truss/two_bar_truss.svg'
set xlabel 'height of the top, m'
set ylabel 'load, N'
set xrange [0.55:-0.65]
set samples 400
l = sqrt(1.25)
set key at graph 0.05,0.95 left
plot [0.55:-0.65] 2000*(l/sqrt(1 + x*x) - 1)*x with lines linecolor '#d68910' title 'formula', \
     'path' using 4:(60*column(1)) skip 1 with points pointtype 7 pointsize 0.6 linecolor '#1f5fa8' \
     title 'points of the path'
PLOT

bar=examples/twisted_cantilever/twisted_cantilever.yaml
nodes=$(seq -s ', ' -f 'bar.node%.0f.position' 2 11)
for part in 0 0.25 0.5 0.75 1; do
    "$nutate" static $bar --quiet -o - --set F="4e6*$part" \
        --set "output.record=[bar.root.position, $nodes, bar.tip.position]" |
        awk -F, 'NR == 2 { for (i = 1; i < NF; i += 3) print $i "," $(i + 1) "," $(i + 2) } END { print ""; print "" }'
done >"$work/bar"
gnuplot <<PLOT
$look
set output 'examples/twisted_cantilever/twisted_cantilever.svg'
set xlabel 'x, m'
set ylabel 'y (dashed), z, m'
set key at graph 0.03,0.3 left
set size ratio -1
plot for [i = 0:4] 'bar' using 1:3 index i smooth csplines linewidth 2 linecolor rgb '#1f5fa8' \
     title (i == 0 ? 'z, load of 0 to 4 MN' : ''), \
     for [i = 0:4] 'bar' using 1:2 index i smooth csplines dashtype 2 linewidth 2 linecolor rgb '#d68910' \
     title (i == 0 ? 'y' : '')
PLOT

# nodes NAME N: what to record of a beam with the nodes root, node2 to nodeN and tip
nodes() {
    echo "$1.root.position, $(seq -s ', ' -f "$1.node%.0f.position" 2 "$2"), $1.tip.position"
}
# COUNT places in the columns from FROM on, one block for each row
lines() {
    awk -F, -v from="$1" -v count="$2" 'NR > 1 {
        for (i = from; i < from + 3 * count; i += 3) print $i "," $(i + 1) "," $(i + 2)
        print ""; print ""
    }'
}

for part in 0 0.25 0.5 0.75 1; do
    "$nutate" static examples/roll_up/roll_up.yaml --quiet -o - --set turns=$part \
        --set "output.record=[$(nodes strip 8)]" | lines 1 9
done >"$work/strip"
gnuplot <<PLOT
$look
set output 'examples/roll_up/roll_up.svg'
set xlabel 'x, m'
set ylabel 'z, m'
set size ratio -1
set parametric
set samples 200
r(k) = 10/(2*pi*k)
set trange [0:1]
unset key
plot for [k in '0.25 0.5 0.75 1'] r(k)*sin(2*pi*k*t), r(k)*(1 - cos(2*pi*k*t)) linewidth 1.5 linecolor '#1f5fa8', \
     10*t, 0 linewidth 1.5 linecolor '#1f5fa8', \
     for [i = 0:4] 'strip' using 1:3 index i with points pointtype 7 pointsize 0.6 linecolor '#d68910'
PLOT

for load in 0 300 600; do
    "$nutate" static examples/bend_45/bend_45.yaml --quiet -o - --set F=$load \
        --set "output.record=[$(nodes bar 10)]" | lines 1 11
done >"$work/bend"
gnuplot <<PLOT
$look
set output 'examples/bend_45/bend_45.svg'
set xlabel 'y, m'
set ylabel 'z, and x (dashed), m'
set size ratio -1
set key at graph 0.03,0.95 left
plot for [i = 0:2] 'bend' using 2:3 index i smooth csplines linewidth 2 linecolor rgb '#1f5fa8' \
     title (i == 0 ? 'z, under 0, 300, 600 N' : ''), \
     for [i = 0:2] 'bend' using 2:1 index i smooth csplines dashtype 2 linewidth 2 linecolor rgb '#d68910' \
     title (i == 0 ? 'x' : '')
PLOT

"$nutate" static examples/composite_cantilever/composite_cantilever.yaml --quiet --along F=0..600 --path-step 0.05 \
    -o - >"$work/composite"
gnuplot <<PLOT
$look
set output 'examples/composite_cantilever/composite_cantilever.svg'
set xlabel 'load, N'
set ylabel 'displacement of the end, m'
set key at graph 0.03,0.95 left
plot 'composite' using (600*column(1)):4 skip 1 with lines linewidth 2 linecolor '#1f5fa8' title 'up', \
     '' using (600*column(1)):3 skip 1 with lines linewidth 2 linecolor '#d68910' title 'to the side', \
     '' using (600*column(1)):(column(2) - 10) skip 1 with lines linewidth 2 linecolor '#2e8b57' title 'along the bar'
PLOT

"$nutate" static examples/princeton_beam/princeton_beam.yaml --quiet --along loads --path-step 0.05 -o - >"$work/princeton"
gnuplot <<PLOT
$look
set output 'examples/princeton_beam/princeton_beam.svg'
set xlabel 'weight, N'
set ylabel 'across the edge, mm'
set y2label 'along the edge, mm'
set y2tics
set border 11
set key at graph 0.03,0.95 left
plot 'princeton' using (8.896*column(1)):(1e3*column(4)) skip 1 with lines linewidth 2 linecolor '#1f5fa8' \
     title 'across', \
     '' using (8.896*column(1)):(1e3*column(3)) skip 1 axes x1y2 with lines linewidth 2 linecolor '#d68910' title 'along'
PLOT

"$nutate" static examples/deep_arch/deep_arch.yaml --quiet --set P=900 --arc-length --along loads -o "$work/arch.csv" \
    --set "output.record=[crown.position, $(nodes arch 32)]"
awk 'NR == 1 || NR == 2 || NR == 13 || NR == 20 || NR == 62' "$work/arch.csv" | lines 5 33 >"$work/shapes"
gnuplot <<PLOT
$look
set terminal svg size 900,400 font 'Helvetica,14' background 'white'
set output 'examples/deep_arch/deep_arch.svg'
set multiplot layout 1,2
unset key
set xlabel 'way of the crown downward, m'
set ylabel 'load, N'
plot 'arch.csv' using (100 - column(4)):(900*column(1)) skip 1 with linespoints pointtype 7 pointsize 0.4 \
     linewidth 1.5 linecolor '#1f5fa8'
set xlabel 'x, m'
set ylabel 'z, m'
set size ratio -1
plot for [i = 0:3] 'shapes' using 1:3 index i with lines linewidth 2 linecolor rgb '#1f5fa8' notitle
PLOT

# free NAME N: inner nodes of a cable of N segments
free() {
    seq -s ', ' -f "$1.node%.0f.position" 1 $(($2 - 1))
}
# cable EXAMPLE CABLE SETTING VALUES LOOK RANGE AND: a cable of 40 segments at rest, a line for each value
cable() {
    for value in $4; do
        "$nutate" static "examples/$1/$1.yaml" --quiet -o - --set "$3=$value" \
            --set "output.record=[$(free "$2" 40)]" | lines 1 39
    done >"$work/cable"
    gnuplot <<PLOT
$look
set output 'examples/$1/$1.svg'
set xlabel 'x, m'
set ylabel 'z, m'
$5
unset key
plot $6 for [i = 0:3] 'cable' using 1:3 index i with linespoints pointtype 7 pointsize 0.3 linecolor '#1f5fa8' $7
PLOT
}
cable hanging_chain chain L '8.5 9 10 12' 'set size ratio -1' '' ''
cable mooring_line line reach '760 780 800 810' '' '[0:850]' ", -200 linewidth 2 linecolor '#d68910'"

"$nutate" run examples/floating_platform/floating_platform.yaml --quiet -o "$work/surge.csv" --set away=8
gnuplot <<PLOT
$look
set output 'examples/floating_platform/floating_platform.svg'
set datafile columnheaders
set xlabel 'time, s'
set ylabel 'surge, m'
set y2label 'tension at the platform, MN'
set y2tics
set border 11
plot 'surge.csv' using 'time':'platform.position.x' with lines linewidth 1.6 linecolor '#1f5fa8' title 'surge', \
     '' using 'time':(column('line1.tension.end')/1e6) axes x1y2 with lines linecolor '#d68910' title 'line 1', \
     '' using 'time':(column('line2.tension.end')/1e6) axes x1y2 with lines linecolor '#2e8b57' title 'lines 2 and 3'
PLOT

for force in 0 1e5 2e5 4e5; do
    "$nutate" static examples/blade_22mw/blade_22mw.yaml --quiet -o - \
        --set "forces.pull={type: force, on: blade.tip, value: [$force, 0, 0]}" \
        --set "output.record=[$(nodes blade 202)]" | lines 1 203
done >"$work/blade"
gnuplot <<PLOT
$look
set output 'examples/blade_22mw/blade_22mw.svg'
set xlabel 'along the blade, m'
set ylabel 'downwind, m'
set size ratio -1
unset key
plot for [i = 0:3] 'blade' using 3:1 index i with lines linewidth 1.6 linecolor '#1f5fa8'
PLOT

# turbine NAME BEAM...: places of nodes in the plane across the wind, and along it
turbine() {
    name=$1 record=$2
    "$nutate" static "examples/$name/$name.yaml" --quiet -o - --set "output.record=[$record]" | lines 1 "$3" >"$work/turbine"
    gnuplot <<PLOT
$look
set output 'examples/$name/$name.svg'
set xlabel 'across the wind (blue), downwind (yellow), m'
set ylabel 'height, m'
set size ratio -1
unset key
plot 'turbine' using 2:3 with points pointtype 7 pointsize 0.25 linecolor '#1f5fa8', \
     '' using (\$1 + 180):3 with points pointtype 7 pointsize 0.25 linecolor '#d68910'
PLOT
}
blades="$(nodes blade1 50), $(nodes blade2 50), $(nodes blade3 50)"
turbine rotor_15mw "$blades" 153
turbine turbine_15mw "$blades, $(nodes tower 30)" 184
