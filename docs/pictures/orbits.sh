#!/bin/sh
# orbits.sh NUTATE: draws the pictures of the examples of nutate orbit (needs gnuplot).
set -eu
cd "$(dirname "$0")/../.."
nutate=${1:-build/release/nutate}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

# draw EXAMPLE COMMANDS: the data of the example is in `$data/EXAMPLE*.csv`.
draw() {
    gnuplot <<PLOT
set terminal svg size 640,360 font 'Helvetica,14' background 'white'
set output 'examples/$1/$1.svg'
set datafile separator ','
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1
set style line 1 linewidth 1.5 linecolor '#1f5fa8' pointtype 7 pointsize 0.5
set key off
$2
PLOT
}

orbit() {
    example=$1 result=$2
    shift 2
    "$nutate" orbit "examples/$example/$example.yaml" --quiet "$@" -o "$data/$result.csv"
}

orbit driven_pivot up --period pi --along g=0.1..9.9:160 --steps 60
orbit driven_pivot down --period pi --along g=0.1..-0.4:20 --steps 60
draw driven_pivot "set xlabel 'g, m/s^2'
set ylabel 'largest multiplier'
set yrange [0.9:2]
plot '$data/up.csv' using 1:(sqrt(column(6)**2 + column(7)**2)) skip 1 with lines linestyle 1, \\
     '$data/down.csv' using 1:(sqrt(column(6)**2 + column(7)**2)) skip 1 with lines linestyle 1"

orbit limit_cycle one --free
orbit limit_cycle four --free --set mu=4
draw limit_cycle "set xlabel 'place, m'
set ylabel 'velocity, m/s'
set key right top
plot '$data/one.csv' using 2:3 skip 1 with lines linestyle 1 title 'mu = 1', \\
     '$data/four.csv' using 2:3 skip 1 with lines linewidth 1.5 linecolor '#d68910' title 'mu = 4'"

orbit large_swing swing --free
draw large_swing "set xlabel 'height, m'
set ylabel 'rate, rad/s'
plot '$data/swing.csv' using 4:5 skip 1 with lines linestyle 1"

orbit driven_pendulum doubling --period '3*pi' --after 565.4866776461628 --along drive=1.05..1.075:13 \
    --steps 100
draw driven_pendulum "set xlabel 'moment, N m'
set ylabel 'multiplier'
plot -1 with lines linecolor '#999999', \\
     '$data/doubling.csv' using 1:6 skip 1 with lines linestyle 1, \\
     '' using 1:8 skip 1 with lines linestyle 1"

orbit two_bladed_rotor speeds --period '2*pi/w' --along w=20..60:41 --steps 60
draw two_bladed_rotor "set xlabel 'speed, rad/s'
set ylabel 'largest multiplier'
plot 1 with lines linecolor '#999999', \\
     '$data/speeds.csv' using 1:(sqrt(column(6)**2 + column(7)**2)) skip 1 with lines linestyle 1"

# gnuplot writes into a picture where its numbers were read.
sed -i "s#<title>'$data/#<title>'#" examples/*/*.svg
