#!/bin/sh
# numbers.sh NUTATE FOLDER SCRATCH [MODEL [ARGUMENT...]]: runs the model of an example as a user does
# and compares numbers of its result with numbers.csv: time,column,value,tolerance.
set -eu
nutate=$1 folder=$2 scratch=$3
shift 3
name=$(basename "$folder")
model=${1:-$folder/$name.yaml}
[ $# = 0 ] || shift
mkdir -p "$scratch"
for file in README.md numbers.csv mechanism.svg plot.svg; do
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
