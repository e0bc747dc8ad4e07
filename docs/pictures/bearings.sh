#!/bin/sh
# bearings.sh NUTATE: draws the pictures of docs/bearings.md from the examples (needs gnuplot).
set -eu
nutate=${1:-build/release/nutate}
cd "$(dirname "$0")/../.."
run=$(mktemp) flaw=$(mktemp) spectrum=$(mktemp)
trap 'rm -f "$run" "$flaw" "$spectrum"' EXIT
"$nutate" run examples/ball_bearing/ball_bearing.yaml --quiet --set output.every=2e-6 \
    --set 'output.record=[b.cage.speed, b.ball1.outer.force, b.ball1.inner.force, b.ball1.pocket.force]' -o - >"$run"
"$nutate" run examples/bearing_flaw/bearing_flaw.yaml --quiet \
    --set 'output.record=[house.acceleration.y]' -o - >"$flaw"
# Amplitudes by Hann's window from 0.02 s on.
awk -F, 'NR > 1 && $1 >= 0.02 { t[n] = $1; a[n] = $2; mean += $2; n++ }
    END { mean /= n
        for (f = 20; f <= 1300; f += 2) {
            re = im = 0
            for (i = 0; i < n; i++) {
                w = 1 - cos(6.283185307 * i / n); x = 6.283185307 * f * t[i]
                re += w * (a[i] - mean) * cos(x); im += w * (a[i] - mean) * sin(x)
            }
            print f, 2 * sqrt(re * re + im * im) / n
        } }' "$flaw" >"$spectrum"
gnuplot <<PLOT
set terminal svg size 900,700 font 'Helvetica,14' background 'white'
set output 'docs/pictures/bearings.svg'
set multiplot layout 2,2 margins 0.08,0.96,0.09,0.94 spacing 0.1,0.2
set border 3 linecolor '#555555'
set tics nomirror textcolor '#333333'
set grid linecolor '#dddddd' linetype 1
set key top right
set datafile separator ','
set xlabel 'time, us'
set title 'Speed of the cage, rad/s'
plot '$run' using (1e6*\$1):2 skip 1 with lines linewidth 1.5 linecolor '#1f5fa8' notitle
set title 'Loads of ball 1, N'
plot '$run' using (1e6*\$1):3 skip 1 with lines linewidth 1.5 linecolor '#1f5fa8' title 'outer race', \
     '' using (1e6*\$1):4 skip 1 with lines linewidth 1.5 linecolor '#c0392b' title 'inner race'
set title 'Ball 1 in its pocket, N'
plot '$run' using (1e6*\$1):5 skip 1 with lines linewidth 1.5 linecolor '#1f5fa8' notitle
set datafile separator whitespace
set title 'Housing over a flaw of the outer race, m/s^2'
set xlabel 'frequency, Hz'
set xtics 229.4
plot '$spectrum' using 1:2 with lines linewidth 1.2 linecolor '#1f5fa8' notitle
PLOT
