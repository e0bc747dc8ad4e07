#!/bin/sh
# sweep.sh NUTATE: draws the pictures of docs/sweep.md from their plans (needs gnuplot; minutes).
set -eu
nutate=${1:-build/release/nutate}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
look="set terminal svg size 760,400 font 'Helvetica,14' background 'white'
set datafile separator ','
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1"

# the straight line: sixty machines of the sweep, and what first order says of all
"$nutate" sweep examples/straight_line/plan.yaml -o "$work/line" --quiet
"$nutate" sweep --collect "$work/line" -o "$work/line.csv" --quiet
"$nutate" sens examples/straight_line/straight_line.yaml --quiet -o "$work/sens.csv" \
    --param a --param g --param c --param r --param p
awk -F, 'NR > 1 && $1 < 60 { if ($1 != last) print ""; last = $1; print 1e3 * $3 "," 1e3 * $4 }' \
    "$work/line.series.csv" >"$work/some"
# miss and its derivatives; the deviations of all lengths are 10 um
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i; if ($i ~ /^d\(miss\)/) d[++n] = i } }
    NR > 1 { s = 0; for (i = 1; i <= n; i++) s += (1e-5 * $(d[i])) ^ 2
        print 1e3 * $(at["pen.position.x"]) "," 1e3 * $(at["miss"]) "," 2e3 * sqrt(s) }' \
    "$work/sens.csv" >"$work/first"
gnuplot <<PLOT
$look
set output 'examples/straight_line/straight_line.svg'
set xlabel 'x of the pen, mm'
set ylabel 'above the line, mm'
set key outside top center horizontal Left reverse samplen 2
plot '$work/some' using 1:2 with lines linewidth 0.5 linecolor '#b8cbe0' title 'sixty machines', \
     '$work/first' using 1:2 with lines linewidth 2 linecolor '#1f5fa8' title 'as drawn', \
     '' using 1:(\$2+\$3) with lines linewidth 1.5 dashtype 2 linecolor '#d68910' title 'two deviations, to first order', \
     '' using 1:(\$2-\$3) with lines linewidth 1.5 dashtype 2 linecolor '#d68910' notitle
PLOT

# the governor: how much the collar still moves
"$nutate" sweep examples/governor_map/plan.yaml -o "$work/map" --quiet
"$nutate" sweep --collect "$work/map" -o "$work/map.csv" --quiet
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $2 != last { print ""; last = $2 }
    { h = $(at["hunting.rms"]); print $3 "," $2 "," log(h > 1e-8 ? h : 1e-8) / log(10) }' \
    "$work/map.csv" >"$work/map.dat"
gnuplot <<PLOT
$look
set output 'examples/governor_map/governor_map.svg'
set view map
set xlabel 'travel of the collar, m'
set ylabel 'damping, N s/m'
set cblabel 'collar after 8 s, m/s'
set format cb '10^{%.0f}'
set xrange [0.038:0.122]
set yrange [-0.5:24.5]
set palette defined (-8 '#f2f6fa', -4 '#9fbedd', -2 '#e9b44c', 0 '#a83232')
set cbrange [-8:0]
unset grid
plot '$work/map.dat' using 1:2:3 with image notitle
PLOT
