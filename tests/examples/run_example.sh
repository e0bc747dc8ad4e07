#!/bin/sh
# run_example.sh NUTATE FOLDER SCRATCH: check and run the example as a user does; its folder holds
# what an example needs, and the result has the rows and columns that the model asks for.
set -eu
nutate=$1 folder=$2 scratch=$3
name=$(basename "$folder")
mkdir -p "$scratch"
for file in README.md expected.txt "$name.yaml"; do
    [ -s "$folder/$file" ] || { echo "$folder has no $file" && exit 1; }
done
"$nutate" check "$folder/$name.yaml"
"$nutate" run "$folder/$name.yaml" --duration "$(awk '/^simulation:/ {
    match($0, /duration: [0-9.]+/); print substr($0, RSTART + 10, RLENGTH - 10) / 20
}' "$folder/$name.yaml")" -o "$scratch/$name.csv"
awk -F, 'NR == 1 { columns = NF } NF != columns { print "row " NR " has " NF " columns"; exit 1 }
         END { if (NR < 3) { print "only " NR " rows"; exit 1 } }' "$scratch/$name.csv"
