#!/bin/sh
# numbers.sh NUTATE FOLDER SCRATCH [MODEL [ARGUMENT...]]: runs the model of an example as a user does
# and compares numbers of its result with numbers.csv: time,column,value,tolerance; where there is an
# events.csv, what happens with it: event,time,energy_lost and a tolerance of each of the two.
set -eu
nutate=$1 folder=$2 scratch=$3
shift 3
name=$(basename "$folder")
model=${1:-$folder/$name.yaml}
[ $# = 0 ] || shift
mkdir -p "$scratch"
drawn=mechanism.svg
[ -s "$folder/$drawn" ] || drawn=picture.png
for file in README.md numbers.csv $drawn plot.svg; do
    [ -s "$folder/$file" ] || { echo "$folder has no $file" && exit 1; }
done
"$nutate" check "$model" >/dev/null
"$nutate" run "$model" "$@" --quiet -o "$scratch/$name.csv"
awk -F, '
    FILENAME == ARGV[1] && !/^#/ { want[++n] = $1; column[n] = $2; value[n] = $3; tolerance[n] = $4 }
    FILENAME == ARGV[2] && FNR == 1 { for (i = 1; i <= NF; i++) place[$i] = i }
    FILENAME == ARGV[2] && FNR > 1 {
        for (i = 1; i <= n; i++) {
            away = $1 - want[i]
            if (away > 1e-9 || away < -1e-9) continue
            seen[i] = 1
            off = $(place[column[i]]) - value[i]
            if (!(column[i] in place) || off > tolerance[i] || off < -tolerance[i]) {
                print column[i] " at " want[i] " s is " $(place[column[i]]) ", expected " value[i] " +- " tolerance[i]
                bad = 1
            }
        }
    }
    END {
        for (i = 1; i <= n; i++) if (!seen[i]) { print "no row at " want[i] " s"; bad = 1 }
        exit bad || n == 0
    }' "$folder/numbers.csv" "$scratch/$name.csv"
[ -s "$folder/events.csv" ] || exit 0
awk -F, '
    function apart(a, b, most) { return a - b > most || b - a > most }
    FILENAME == ARGV[1] && !/^#/ { name[++n] = $1; time[n] = $2; lost[n] = $3; late[n] = $4; off[n] = $5 }
    FILENAME == ARGV[2] && FNR > 1 {
        k = FNR - 1
        if (k <= n && (name[k] != $2 || apart($1, time[k], late[k]) || apart($5, lost[k], off[k]))) {
            print $2 " at " $1 " s takes " $5 " J, expected " name[k] " at " time[k] " s, " lost[k] " J"
            bad = 1
        }
    }
    END {
        if (k != n) print k + 0 " events, expected " n
        exit bad || n == 0 || k != n
    }' "$folder/events.csv" "$scratch/$name.events.csv"
