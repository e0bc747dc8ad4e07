#!/bin/sh
# check.sh PROGRAM README: the program ends where the exact solution is, and README shows its text.
set -eu
here=$(dirname "$0")
# angle at 2 s, by a Runge-Kutta method of order 4 with steps of 1e-4 s: 0.9723659; the program's
# steps of 1e-3 s leave an error of 1e-5
"$1" | awk 'END { d = $3 - 0.9723659; if ($1 != "2.0" || d * d > 4e-10) { print "ends with: " $0; exit 1 } }'
# the only C block of README
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2" | diff - "$here/pendulum.c" || {
    echo "README.md shows another program than examples/by_hand/pendulum.c"
    exit 1
}
awk '/^```yaml$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2" |
    diff - "$here/../heavy_top/heavy_top.yaml" || {
    echo "README.md shows another model than examples/heavy_top/heavy_top.yaml"
    exit 1
}
