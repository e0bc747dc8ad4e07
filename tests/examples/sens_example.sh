#!/bin/sh
# sens_example.sh NUTATE FOLDER [DURATION]: derivatives of everything that the example records, with
# respect to all of its parameters, against differences of whole runs over a twentieth of its
# duration. Parameters that its initial values, given as numbers, cannot follow are left out.
set -eu
nutate=$1 model=$2/$(basename "$2").yaml
duration=$(awk '/^simulation:/ {
    match($0, /duration: [0-9.]+/); print substr($0, RSTART + 10, RLENGTH - 10) / 20
}' "$model")
names=$("$nutate" sens "$model" 2>&1 | sed -n 's/.*the parameters of .* are: //p' | tr -d ',')
chosen=""
for name in $names; do
    status=0
    words=$("$nutate" sens "$model" --param "$name" --duration 1e-5 --quiet -o - 2>&1 >/dev/null) || status=$?
    if [ "$status" = 0 ]; then
        chosen="$chosen --param $name"
    else
        case $words in
        *"cannot follow parameter $name"*) echo "$name is held by initial values" ;;
        *) echo "$words" && exit 1 ;;
        esac
    fi
done
[ -n "$chosen" ] || { echo "no parameter of $model can be changed" && exit 1; }
# shellcheck disable=SC2086
"$nutate" sens "$model" $chosen --duration "${3:-$duration}" --check --quiet
