#!/bin/sh
# check.sh NUTATE PLUGIN MODEL: the model is refused without the plugin, with its place, and turns as
# expected with it; a library that is no plugin, and none at all, are told.
set -eu
nutate=$1 plugin=$2 model=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$nutate" check "$model" 2>words && exit 1
grep -q 'car.yaml:32:19: type: .*got .tyre. (types of plugins are known with --plugin)' words
"$nutate" check "$model" --plugin libm.so.6 2>words && exit 1
grep -q 'libm.so.6 cannot be loaded' words
"$nutate" check "$model" --plugin "$(dirname "$nutate")/libnutate.so" 2>words && exit 1
grep -q 'lacks the symbol nutate_plugin' words
"$nutate" check "$model" --plugin "$plugin" --plugin "$plugin" 2>words && exit 1
grep -q 'there is an element type tyre already' words
"$nutate" run "$model" --plugin "$plugin" -o car.csv --quiet
# yaw rate and lateral acceleration of the steady turn: speed times yaw rate, to 1 %
awk -F, 'END {
    if ($5 < 0.2047 || $5 > 0.2069) { print "yaw rate " $5 ", expected 0.2058 +- 0.0011"; exit 1 }
    if ($7 < 4.02 || $7 > 4.07) { print "lateral acceleration " $7 ", expected 4.043 +- 0.025"; exit 1 }
}' car.csv
"$nutate" sens "$model" --plugin "$plugin" --param grip --duration 1 -o sens.csv --quiet

# rows of a sweep belong to the plugin that they were computed with
printf 'sweep: 1\nmodel: %s\nset: {simulation.duration: 0.1}\nvary: {grip: [0.9, 1]}\n' "$model" >plan.yaml
"$nutate" sweep plan.yaml --plugin "$plugin" -o rows --rows 0 --quiet
cp "$plugin" other.so
"$nutate" sweep plan.yaml --plugin other.so -o rows --rows 0 --quiet
echo >>other.so
"$nutate" sweep plan.yaml --plugin other.so -o rows --resume 2>words && exit 1
grep -q 'rows of another model: the model.s file, a table of it or a plugin has changed' words
