#!/bin/sh
# make.sh NUTATE: draws the picture of README.md from a run of the heavy top (needs gnuplot).
set -eu
nutate=${1:-build/release/nutate}
cd "$(dirname "$0")/../.."
data=$(mktemp)
trap 'rm -f "$data"' EXIT
"$nutate" run examples/heavy_top/heavy_top.yaml --quiet --set output.every=5e-3 -o - >"$data"
gnuplot <<PLOT
set terminal svg size 900,400 font 'Helvetica,14' background 'white'
set output 'docs/pictures/heavy_top.svg'
set datafile separator ','
set multiplot layout 1,2 margins 0.09,0.97,0.25,0.9 spacing 0.11
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1
unset key

set title 'Path of the centre of mass, from above' offset 0,-0.3
set size ratio -1
set xlabel 'x, m'
set ylabel 'y, m'
set xrange [-1.05:1.05]
set yrange [-1.05:1.05]
set xtics 0.5
set ytics 0.5
plot '$data' using 2:3 skip 1 with lines linewidth 1.5 linecolor '#1f5fa8' title 'path'

set title 'Reaction at the pivot, on the top' offset 0,-0.3
set size noratio
set xlabel 't, s'
set ylabel 'force, kN'
set xrange [0:2]
set yrange [*:*]
set ytics autofreq
set key at graph 0.5,-0.29 center horizontal Left reverse samplen 2
plot '$data' using 1:(column(9)/1000) skip 1 with lines linewidth 1.5 linecolor '#1f5fa8' title 'x', \
     '' using 1:(column(10)/1000) skip 1 with lines linewidth 1.5 linecolor '#d68910' title 'y', \
     '' using 1:(column(11)/1000) skip 1 with lines linewidth 1.5 linecolor '#2e8b57' title 'z'
PLOT
