#!/bin/sh
# work_precision.sh FOLDER: draws work_precision_*.svg beside itself from the curves that the
# benchmark work_precision left in FOLDER, and keeps the curves there too (needs gnuplot).
set -eu
folder=$(cd "${1:-build/release/bench}" && pwd)
cd "$(dirname "$0")"

# A method looks the same in every picture: a colour for its family, a point and a dash within it.
style() {
    case $1 in
    "generalized-alpha") echo "#1f5fa8 7 1" ;;
    "generalized-alpha, body frame") echo "#1f5fa8 6 2" ;;
    *-linear) echo "#1f5fa8 5 4" ;;
    *-residual) echo "#1f5fa8 4 3" ;;
    "generalized-alpha-soi2") echo "#8e44ad 9 1" ;;
    *soi2*) echo "#8e44ad 8 2" ;;
    semi-explicit) echo "#d68910 11 1" ;;
    theta) echo "#d68910 10 2" ;;
    *dop853*) echo "#c0392b 7 1" ;;
    *dopri5*) echo "#c0392b 6 2" ;;
    bdf*) echo "#7f6000 3 1" ;;
    lie-newmark) echo "#2e8b57 7 1" ;;
    lie-newmark-4) echo "#2e8b57 5 2" ;;
    lie-newmark-6) echo "#2e8b57 9 4" ;;
    lie-euler) echo "#8fbc5a 11 1" ;;
    lie-euler-adjoint) echo "#8fbc5a 10 2" ;;
    lie-midpoint) echo "#17a2b8 7 1" ;;
    simo-wong) echo "#17a2b8 5 2" ;;
    simo-wong-explicit) echo "#17a2b8 4 3" ;;
    akw) echo "#17a2b8 9 4" ;;
    MuJoCo*) echo "#222222 2 1" ;;
    Simbody*) echo "#777777 1 1" ;;
    *) echo "#aaaaaa 12 1" ;;
    esac
}

# One curve for each block of two numbers and more; a block begins with its name.
curves() {
    sed -n 's/^# curve: //p' "$1" | {
        block=0
        while read -r name; do
            set -- $(style "$name")
            printf "'%s' index %d using 1:2 with linespoints linecolor '%s' pointtype %d dashtype %d linewidth 1.2 title '%s', " \
                "$file" "$block" "$1" "$2" "$3" "$name"
            block=$((block + 1))
        done
    }
}

draw() {
    file=work_precision_$1.dat
    cp "$folder/$1.dat" "$file"
    gnuplot <<PLOT
set terminal svg size 860,520 font 'Helvetica,13' background 'white'
set output 'work_precision_$1.svg'
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#e4e4e4' linetype 1
set logscale xy
set format xy '10^{%T}'
set title '$2'
set xlabel 'computing time, s'
set ylabel 'error of the position at the end, m'
set yrange [1e-11:1]
set key outside right top Left reverse samplen 2 font ',11'
set pointsize 0.6
plot $(curves "$file" | sed 's/, $//')
PLOT
}

draw heavy_top "Heavy top, to t = 1 s"
draw slow_top "Slow top, to t = 2 s"
draw chain "Chain of 8 links, to t = 1 s"
draw flyball_governor "Flyball governor, to t = 1 s"
draw rolling_disk "Rolling disk, to t = 1 s"
