#!/bin/sh
# check.sh PROGRAM PAGE: the top ends where it should, and the page shows the program and its text.
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" >"$work/out"
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2" | diff - "$here/heavy_top.c" || {
    echo "docs/first-system.md shows another program than examples/first_system/heavy_top.c"
    exit 1
}
awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2" | diff - "$work/out" || {
    echo "docs/first-system.md shows other output"
    exit 1
}
# -0.148012736 -0.722647168 -0.675183902 is where examples/heavy_top ends with the same steps;
# -0.15041682 -0.72416559 -0.67302227 is where its motion ends with a tolerance of 1e-12
awk 'function far(a, b) { return (a - b) * (a - b) > 1e-12 }
     NR == 1 && (far($4, -0.148012736) || far($5, -0.722647168) || far($6, -0.675183902)) { bad = 1 }
     NR == 2 && (far($4, -0.15041682) || far($5, -0.72416559) || far($6, -0.67302227)) { bad = 1 }
     END { exit bad || NR != 2 }' "$work/out" || { cat "$work/out" && exit 1; }
