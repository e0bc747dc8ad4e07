# nutate sweep --statistics: moments and quantiles recomputed from the table, Sobol indices of
# Ishigami's function, first order beside the samples.
. "$(dirname "$0")/common.sh"

# value FILE KEY COLUMN [CASE]: of the row whose quantity (and second key) are KEY
value() {
    awk -F, -v key="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i }
        NR > 1 && ($1 == key || $1 "," $2 == key) { print $k; exit }' "$1"
}
# near GOT WANTED TOLERANCE WORDS
near() {
    awk -v got="$1" -v want="$2" -v tol="$3" \
        'BEGIN { exit !(got != "" && got - want <= tol && want - got <= tol) }' ||
        fail "$4: got '$1', expected $2 within $3"
}

# ---- Ishigami: f = sin a + 7 sin^2 b + 0.1 c^4 sin a, uniform in [-pi, pi]^3 ----
cat >ishigami.yaml <<'END'
nutate: 1
parameters: {a: 1, b: 2, c: 3}
bodies: {point: {point: true, mass: 1}}
quantities: {f: sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a)}
simulation: {duration: 1e-3, step: 1e-3}
output: {record: [f]}
END
cat >plan.yaml <<'END'
sweep: 1
model: ishigami.yaml
vary:
  a: {low: -3.14159265358979, high: 3.14159265358979}
  b: {low: -3.14159265358979, high: 3.14159265358979}
  c: {low: -3.14159265358979, high: 3.14159265358979}
design: sobol
samples: 4096
indices: true
keep: {final: [f]}
END
expect 0 sweep plan.yaml -o ishigami --quiet
expect 0 sweep --statistics ishigami -o ishigami.csv --quiet
f=f.final
# mean a/2, variance a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2
near "$(value ishigami.csv $f mean)" 3.5 0.01 mean
near "$(value ishigami.csv $f deviation)" 3.7208322 0.01 deviation
near "$(value ishigami.csv $f rows)" 8192 0 rows
set -- a 0.3139051911 0.5575888552 b 0.4424111448 0.4424111448 c 0 0.2436836641
while [ $# -gt 0 ]; do
    for part in first total; do
        wanted=$2
        [ $part = first ] || wanted=$3
        got=$(value ishigami.indices.csv "$f,$1" $part)
        near "$got" "$wanted" 0.01 "$part index of $1"
        awk -v low="$(value ishigami.indices.csv "$f,$1" $part.low)" -v want="$wanted" \
            -v high="$(value ishigami.indices.csv "$f,$1" $part.high)" \
            'BEGIN { exit !(low < want + 1e-9 && want < high + 1e-9) }' ||
            fail "$part index of $1 outside of its interval"
    done
    shift 3
done
sed -i 's/design: sobol/design: random/; s/4096/3000/' plan.yaml
expect 0 sweep plan.yaml -o random --quiet
expect 0 sweep --statistics random -o random.csv --quiet
near "$(value random.indices.csv $f,b first)" 0.4424 0.06 "first index of b, random"
near "$(value random.indices.csv $f,a total)" 0.5576 0.06 "total index of a, random"

# ---- moments and quantiles, from the table itself ----
cat >normal.yaml <<'END'
sweep: 1
model: ishigami.yaml
vary:
  a: {mean: 1, deviation: 0.01}
  b: {mean: 0.3, deviation: 0.02}
design: random
samples: 2001
seed: 7
END
expect 0 sweep normal.yaml -o normal --quiet
expect 0 sweep --collect normal -o table.csv --quiet
expect 0 sweep normal.yaml --statistics normal -o normal.csv --quiet
awk -F, 'NR > 1 { print $5 }' table.csv | sort -g >sorted
awk '{ x[NR] = $1; sum += $1 } END {
        mean = sum / NR
        for (i = 1; i <= NR; i++) ss += (x[i] - mean) ^ 2
        printf "%.12g %.12g %.12g %.12g %.12g %.12g\n", mean, sqrt(ss / (NR - 1)), x[1], x[NR],
               x[1001], x[101] }' sorted >wanted
read -r mean deviation low high median q05 <wanted
near "$(value normal.csv $f mean)" "$mean" 1e-10 mean
near "$(value normal.csv $f deviation)" "$deviation" 1e-10 deviation
near "$(value normal.csv $f minimum)" "$low" 1e-10 minimum
near "$(value normal.csv $f maximum)" "$high" 1e-10 maximum
near "$(value normal.csv $f q0.5)" "$median" 1e-10 median
near "$(value normal.csv $f q0.05)" "$q05" 1e-10 "5 % quantile"
near "$(value normal.csv $f coverage)" 0.998504003 1e-8 coverage
near "$(awk -F, 'NR > 1 { sum += $4 } END { print sum }' normal.histogram.csv)" 2001 0 histogram

# first order: df/da = cos a (1 + 0.1 c^4), df/db = 7 sin 2b at c = 3
near "$(value normal.indices.csv $f,a derivative)" 4.91675 1e-4 "derivative in a"
near "$(value normal.indices.csv $f,b derivative)" 3.952497 1e-4 "derivative in b"
near "$(value normal.csv $f first_order.deviation)" 0.0930932 1e-6 "deviation to first order"
near "$deviation" 0.0931 0.004 "deviation of the samples"
value normal.csv $f believe | grep -q "first order: the samples do not differ" ||
    fail "whom to believe: $(value normal.csv $f believe)"
near "$(value normal.indices.csv $f,a first_order.share)" 0.278946 1e-5 "share of a"
corr=$(value normal.correlation.csv $f,a pearson)
near "$corr" 0.528 0.03 "correlation with a: the root of its share"
near "$(value normal.correlation.csv $f,a spearman)" "$corr" 0.05 "of ranks"

# where the quantity is curved, the samples are to be believed
sed -i 's/mean: 0.3, deviation: 0.02/mean: 0, deviation: 0.3/' normal.yaml
expect 0 sweep normal.yaml -o curved --quiet
expect 0 sweep normal.yaml --statistics curved -o curved.csv --quiet
value curved.csv $f believe | grep -q "^samples: first order is off by" ||
    fail "whom to believe: $(value curved.csv $f believe)"
expect 2 sweep --statistics curved -o curved.nc
says "expected -o FILE.csv"

# ---- a run's first order: derivatives of extremes and means against whole runs ----
cat >run.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: {mean: 15, deviation: 0.1}, arm: {mean: 1, deviation: 0.01}}
design: latin_hypercube
samples: 400
keep: {final: [top.position.z], mean: [pivot.force.x], rms: [top.position.x], maximum: [energy.total]}
END
expect 0 sweep run.yaml -o run --quiet
expect 0 sweep run.yaml --statistics run -o run.csv --quiet
cat >differences.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: [14.99, 15.01], arm: [1, 1]}
design: list
keep: {final: [top.position.z], mean: [pivot.force.x], rms: [top.position.x], maximum: [energy.total]}
END
expect 0 sweep differences.yaml -o differences --quiet
expect 0 sweep --collect differences -o differences.csv --quiet
for name in top.position.z.final pivot.force.x.mean top.position.x.rms energy.total.maximum; do
    wanted=$(awk -F, -v name=$name '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i }
        NR == 2 { low = $k } NR == 3 { printf "%.12g\n", ($k - low) / 0.02 }' differences.csv)
    got=$(value run.indices.csv $name,m derivative)
    near "$got" "$wanted" "$(awk -v x="$wanted" 'BEGIN { print (x < 0 ? -x : x) * 1e-5 + 1e-9 }')" \
        "derivative of $name in m"
done
finish
