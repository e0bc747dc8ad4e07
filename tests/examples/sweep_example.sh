#!/bin/sh
# sweep_example.sh NUTATE FOLDER SCRATCH: runs the plan of an example, smaller, and compares
# its statistics (of a sampled plan) or its table with bounds: KEY COLUMN LOW HIGH in expected.txt.
set -eu
nutate=$1 folder=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
[ -s "$folder/README.md" ] && [ -s "$folder/$(basename "$folder").svg" ]
model=$(sed -n 's/^model: //p' "$folder/plan.yaml")
sed "s|^model: .*|model: $folder/$model|; s/^samples: .*/samples: 128/; s/: 0\.\.24:25/: [0, 24]/
     s/: 0\.04\.\.0\.12:21/: [0.04, 0.12]/" "$folder/plan.yaml" >"$scratch/plan.yaml"
cd "$scratch"
"$nutate" sweep plan.yaml -o rows --quiet
if grep -q '^samples' plan.yaml; then
    "$nutate" sweep plan.yaml --statistics rows -o table.csv --quiet
else
    "$nutate" sweep --collect rows -o table.csv --quiet
fi
awk -F'[, ]' '
    FNR == 1 { file++ }
    file == 1 && !/^#/ { key[++n] = $1; column[n] = $2; low[n] = $3; high[n] = $4 }
    file == 2 && FNR == 1 { split($0, name, ","); for (i in name) place[name[i]] = i }
    file == 2 && FNR > 1 {
        split($0, field, ",")
        for (i = 1; i <= n; i++) {
            if (field[1] != key[i]) continue
            seen[i] = 1
            value = field[place[column[i]]]
            if (!(column[i] in place) || value + 0 < low[i] + 0 || value + 0 > high[i] + 0) {
                print key[i] " " column[i] " is " value ", expected " low[i] " to " high[i]
                bad = 1
            }
        }
    }
    END {
        for (i = 1; i <= n; i++) if (!seen[i]) { print "no row " key[i]; bad = 1 }
        exit bad || n == 0
    }' "$folder/expected.txt" table.csv
