#!/bin/sh
# check.sh PROGRAM COMMAND MODEL: heights that the program prints are those of the command.
set -eu
for arm in 0.9 1.0 1.1; do
    height=$("$2" run "$3" --set arm=$arm --set simulation.duration=0.5 \
        --set 'output.record=[top.position]' -o - 2>/dev/null | tail -1 | cut -d, -f4)
    printf 'arm %.1f m  height %9.6f m\n' "$arm" "$height"
done >arms.txt
"$1" "$3" | diff - arms.txt
if "$1" none.yaml 2>words.txt; then echo "a file that is not there is read" && exit 1; fi
grep -q 'none.yaml' words.txt
