# Spectra of the columns of a result.
. "$(dirname "$0")/common.sh"

# 0.5 s at 1000 rows a second: 5 + 3 sin(2 pi 40 t), and a line that is not on the grid
awk 'BEGIN { print "time,a,b"; pi = atan2(0, -1)
    for (i = 0; i < 500; i++) { t = i / 1000
        printf "%.17g,%.17g,%.17g\n", t, 5 + 3 * sin(2 * pi * 40 * t), 2 * sin(2 * pi * 81 * t) } }' \
    </dev/null >lines.csv
expect 0 spectrum lines.csv --record a -o s.csv
[ "$(head -n 1 s.csv)" = "frequency,a" ] || fail "head: $(head -n 1 s.csv)"
[ "$(wc -l <s.csv)" = 252 ] || fail "rows: $(wc -l <s.csv)"
awk -F, 'NR == 1 { next }
    NR == 2 { if ($1 != 0 || ($2 - 5)^2 > 1e-20) bad = 1; next }
    ($1 - 2 * (NR - 2))^2 > 1e-12 { bad = 1 }
    ($1 - 40)^2 < 1e-12 { if (($2 - 3)^2 > 1e-20) bad = 1; next }
    ($1 - 40)^2 > 5 { if ($2 > 1e-10) bad = 1 }
    END { exit bad }' s.csv || fail "amplitudes"
expect 0 spectrum lines.csv --record b --record a --window flat-top -o both.nc
expect 0 convert both.nc -o both.csv
[ "$(head -n 1 both.csv)" = "frequency,b,a" ] || fail "head: $(head -n 1 both.csv)"
awk -F, 'NR > 1 && $2 > most { most = $2 } END { exit !((most - 2)^2 < 1e-5) }' both.csv ||
    fail "the flat top between lines"
expect 0 spectrum lines.csv --record a --from 0.25 -o -
[ "$(wc -l <out)" = 127 ] || fail "rows from 0.25 s on: $(wc -l <out)"
# a row that rounding puts just before the time is one of them, and one a step before is not
awk 'BEGIN { print "time,a"; for (i = 0; i < 100; i++) { printf "%.17g,%d\n", t, i; t += 0.01 } }' </dev/null >sum.csv
grep -q '^0\.09999' sum.csv || fail "times are added up"
expect 0 spectrum sum.csv --record a --from 0.1 -o -
[ "$(wc -l <out)" = 47 ] || fail "rows from 0.1 s on: $(wc -l <out)"
expect 0 spectrum sum.csv --record a --from 0.105 -o -
[ "$(wc -l <out)" = 46 ] || fail "rows from 0.105 s on: $(wc -l <out)"

# ---- refused ----
expect 2 spectrum lines.csv --record a
says "spectrum needs -o FILE"
expect 2 spectrum lines.csv -o s.csv
says "spectrum needs --record NAME"
expect 2 spectrum lines.csv --record c -o s.csv
says "--record: 'lines.csv' has no column 'c' beside time"
expect 2 spectrum lines.csv --record time -o s.csv
says "no column 'time' beside time"
expect 2 spectrum lines.csv --record a --window han -o s.csv
says "expected none, hann or flat-top, got 'han'; did you mean 'hann'?"
expect 2 spectrum lines.csv --record a -o lines.csv
says "is the result that is read"
expect 2 spectrum lines.csv --record a --from 0.4995 -o s.csv
says "0 rows from there on, expected two or more"
sed 200d lines.csv >gap.csv
expect 2 spectrum gap.csv --record a -o s.csv
says "gap.csv: rows are not equally far apart: 0.002 s at t = 0.199 s, 0.001 s at the start"
expect 4 spectrum missing.csv --record a -o s.csv
says "missing.csv: cannot be opened"
expect 4 spectrum lines.csv --record a -o missing/s.csv
says "missing/s.csv: cannot be written"
finish
