# Several results of one run, poses of all bodies, and results in the other format.
. "$(dirname "$0")/common.sh"

# ---- one run, several files ----
expect 0 run top.yaml -o alone.csv
expect 0 run top.yaml -o a.csv -o a.nc -o b.csv -o b.nc
says "11 rows in a.csv, a.nc, b.csv and b.nc"
same alone.csv a.csv
same alone.csv b.csv
same a.nc b.nc
expect 0 run top.yaml -o - -o c.nc
same alone.csv out
same a.nc c.nc

# ---- NetCDF as the CSV of the same run, byte for byte ----
expect 0 convert a.nc -o back.csv
same a.csv back.csv
expect 0 convert a.nc -o -
same a.csv out
expect 0 sens top.yaml --param m --param arm -o a.csv -o a.nc
expect 0 convert a.nc -o back.csv # names with a slash too
same a.csv back.csv
head -n 1 a.csv | grep -qF 'd(pivot.force.x)/d(m)' || fail "names: $(head -n 1 a.csv)"
expect 0 run top.yaml --set output.every=1e-6 -o a.csv -o a.nc
expect 0 convert a.nc -o back.csv
same a.csv back.csv
expect 0 convert a.csv -o bare.nc
expect 0 convert bare.nc -o back.csv
same a.csv back.csv

# ---- a run that is still going on, or was killed ----
"$nutate" run top.yaml --duration 1e3 --set output.every=1e-3 -o long.csv -o long.nc 2>slow.err </dev/null &
job=$!
sleep 0.5
for file in long.csv long.nc; do
    [ $file = long.csv ] && to=going.nc || to=going.csv
    expect 0 convert $file -o $to
done
kill -KILL $job 2>/dev/null
wait $job 2>/dev/null
expect 0 convert long.nc -o killed.csv
head -n "$(wc -l <killed.csv)" long.csv >expected.csv
[ "$(wc -l <killed.csv)" -gt 100 ] || fail "few rows"
if [ "$(wc -l <long.csv)" -ge "$(wc -l <killed.csv)" ]; then same expected.csv killed.csv; fi
head -n "$(wc -l <going.csv)" killed.csv >expected.csv
same expected.csv going.csv

# ---- poses of all bodies, whatever is recorded ----
expect 0 run top.yaml --set 'output.record=[energy.total]' -o a.csv -o a.nc
[ "$(head -n 1 a.csv)" = time,energy.total ] || fail "columns: $(head -n 1 a.csv)"
expect 0 convert a.nc -o back.csv
same a.csv back.csv
grep -aq 'bodies.position' a.nc && grep -aq 'bodies.orientation' a.nc || fail "no poses"
with=$(wc -c <a.nc)
expect 0 run top.yaml --set 'output.record=[energy.total]' --set output.poses=false -o b.nc
grep -aq 'bodies.position' b.nc && fail "poses that nobody wants"
[ $((with - $(wc -c <b.nc))) -gt $((11 * 7 * 8)) ] || fail "sizes: $with and $(wc -c <b.nc)"
expect 2 run top.yaml --set output.poses=perhaps
says "poses"

# ---- refused ----
expect 2 convert a.nc
says "convert needs -o FILE"
expect 2 convert a.nc -o a.txt
says "ends in .csv or .nc"
expect 2 convert a.nc -o c.nc
says "both NetCDF, expected FILE.csv"
expect 2 convert a.csv -o c.csv
says "both CSV, expected FILE.nc"
ln -f a.nc a-too.csv
expect 2 convert a.nc -o a-too.csv
says "-o: 'a-too.csv' is the result that is read"
expect 4 convert missing.nc -o c.csv
says "missing.nc: cannot be opened: No such file"
expect 4 convert top.yaml -o c.nc
says "top.yaml:"
head -c 500 a.nc >cut.nc
expect 4 convert cut.nc -o c.csv
says "cut.nc: is damaged, or no NetCDF file"
expect 4 convert a.nc -o missing/c.csv
says "missing/c.csv: cannot be written: No such file"
"$nutate" convert a.nc -o - >/dev/full 2>err
[ $? = 4 ] || fail "standard output on a full disk"
finish
