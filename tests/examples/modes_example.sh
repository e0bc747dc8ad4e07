#!/bin/sh
# Modes of an example against the numbers in its expected_modes.txt: modes_example.sh COMMAND FOLDER
# SCRATCH; or with `linearise` behind, transfer functions in expected_linearise.txt. Lines:
#   run WORDS...             arguments of `nutate modes MODEL`, whose result the next lines are about
#   ROW COLUMN VALUE TOL     |number - VALUE| <= TOL max(|VALUE|, 1) in row ROW (the head is row 0)
set -eu
command=$1 folder=$2 scratch=$3 analysis=${4:-modes}
model=$folder/$(basename "$folder").yaml
mkdir -p "$scratch"
result=$scratch/$analysis.csv
failed=0
while read -r first rest; do
    case $first in
    '' | '#'*) ;;
    run) "$command" "$analysis" "$model" $rest --quiet -o "$result" ;;
    *)
        set -- $rest
        awk -F, -v row="$first" -v name="$1" -v value="$2" -v tolerance="$3" '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
            NR == row + 1 { got = $column; seen = 1 }
            END {
                size = value < 0 ? -value : value
                off = got - value
                if (!column || !seen || !((off < 0 ? -off : off) <= tolerance * (size > 1 ? size : 1))) {
                    printf "row %d, %s: expected %.15g to %g, got %.15g\n", row, name, value, tolerance, got
                    exit 1
                }
            }' "$result" || failed=1
        ;;
    esac
done <"$folder/expected_$analysis.txt"
exit $failed
