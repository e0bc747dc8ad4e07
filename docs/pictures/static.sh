#!/bin/sh
# static.sh NUTATE: draws the pictures of the examples of static states (needs gnuplot).
set -eu
nutate=${1:-build/release/nutate}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
plot '$work/placed' using 1:2 with points pointtype 6 pointsize 0.4 linecolor '#aaaaaa' title 'as placed', \
     [0:1.2] a*(cosh((x - 0.6)/a) - cosh(0.6/a)) with lines linecolor '#d68910' title 'without links', \
     '$work/rest' using 1:2 with points pointtype 7 pointsize 0.4 linecolor '#1f5fa8' title 'at rest'
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
     '$work/states' using 1:2 with points pointtype 7 linecolor '#d68910' title 'static states found'
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
     '$work/path' using 4:(60*column(1)) skip 1 with points pointtype 7 pointsize 0.6 linecolor '#1f5fa8' \
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
plot for [i = 0:4] '$work/bar' using 1:3 index i smooth csplines linewidth 2 linecolor rgb '#1f5fa8' \
     title (i == 0 ? 'z, load of 0 to 4 MN' : ''), \
     for [i = 0:4] '$work/bar' using 1:2 index i smooth csplines dashtype 2 linewidth 2 linecolor rgb '#d68910' \
     title (i == 0 ? 'y' : '')
PLOT
