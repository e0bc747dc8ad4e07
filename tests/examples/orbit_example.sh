#!/bin/sh
# orbit_example.sh NUTATE FOLDER SCRATCH: finds the orbits that orbit.txt names and compares numbers of
# the result. Its lines: `args ARGUMENTS` runs nutate orbit; then `event K COLUMN VALUE TOLERANCE` looks
# at the K-th event of the path, `last` and `first` at those rows (K is 0), `multiplier K` at row K of
# the multipliers.
set -eu
nutate=$1 folder=$2 scratch=$3
name=$(basename "$folder")
mkdir -p "$scratch"
for file in README.md orbit.txt "$name.yaml" "$name.svg"; do
    [ -s "$folder/$file" ] || { echo "$folder has no $file" && exit 1; }
done
"$nutate" check "$folder/$name.yaml"
result=$scratch/$name.csv
looked=0
while read -r word rest; do
    case $word in
    '#'* | '') continue ;;
    args)
        # shellcheck disable=SC2086
        "$nutate" orbit "$folder/$name.yaml" $rest -o "$result"
        continue
        ;;
    esac
    table=$result
    [ "$word" != multiplier ] || table=$scratch/$name.multipliers.csv
    echo "$word $rest" | awk -F, -v table="$table" '
        { split($0, want, " ") }
        END {
            word = want[1]; column = -1; found = 0; events = 0; row = 0
            while ((getline line < table) > 0) {
                n = split(line, cell, ",")
                if (row++ == 0) {
                    for (i = 1; i <= n; i++) { if (cell[i] == want[3]) column = i; if (cell[i] == "event") event = i }
                    continue
                }
                if (word == "event" && cell[event] > 0 && ++events == want[2]) { got = cell[column]; found = 1 }
                if (word == "last" || (word == "first" && row == 2) || (word == "multiplier" && row == want[2] + 1)) {
                    got = cell[column]; found = 1
                }
            }
            off = got - want[4]
            if (!found || column < 0 || off > want[5] || -off > want[5]) {
                print word, want[2], want[3] ": got " got ", expected " want[4] " to " want[5]; exit 1
            }
        }'
    looked=$((looked + 1))
done <"$folder/orbit.txt"
[ "$looked" -gt 0 ] || { echo "$folder/orbit.txt compares nothing" && exit 1; }
