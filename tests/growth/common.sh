# Sourced by the tests of growth: test_NAME.sh COUNT SCRATCH, COUNT being growth_count.
#
# grows CASE N FUNCTION: the model that `FUNCTION n` writes into model.yaml is run with the arguments
# in $arguments for n = N, 2N, 4N and 8N, and instructions and bytes are counted. From differences,
# which know nothing of what a run costs without any model, the exponent is
#
#   log2((cost(8N) - cost(4N)) / (cost(4N) - cost(2N))),
#
# and fails above 1.15: 1 is linear, 2 is a loop within a loop.
set -eu
count=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
failed=0

measure() { # instructions, then bytes in total and at most
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        "$count" ${arguments:-$(cat arguments)} >out 2>err || { cat err >&2 && exit 1; }
    awk '/I +refs:/ { gsub(",", ""); instructions = $NF } /^bytes / { bytes = $2 " " $3 }
         END { print instructions, bytes }' err
}

grows() {
    name=$1 n=$2
    for factor in 1 2 4 8; do
        $3 $((n * factor)) >model.yaml
        echo "$((n * factor)) $(measure)"
    done >"$name"
    awk -v name="$name" '
        { size[NR] = $1; for (k = 1; k <= 3; k++) cost[k, NR] = $(k + 1) }
        END {
            split("instructions,bytes in total,bytes at most", what, ",")
            for (k = 1; k <= 3; k++) {
                steps = cost[k, 4] - cost[k, 3]
                before = cost[k, 3] - cost[k, 2]
                # what stood still before and grows now is judged by its whole
                from = before > 0 ? before : cost[k, 3]
                exponent = steps > 0 ? log((before > 0 ? steps : cost[k, 4]) / from) / log(2) : 0
                printf "%s, n = %d to %d: %s %.4g, %.4g, %.4g, %.4g: exponent %.2f\n", name, size[1],
                       size[4], what[k], cost[k, 1], cost[k, 2], cost[k, 3], cost[k, 4], exponent
                bad += !(exponent <= 1.15) || !(cost[k, 1] > 0) # nothing was counted
            }
            exit bad
        }' "$name" || failed=1
}

finish() {
    [ $failed = 0 ] || echo "something grows faster than n^1.15"
    exit $failed
}

# chain TYPE N: bars of 0.2 m hanging on each other, the first on the ground
chain() {
    awk -v type="$1" -v n="$2" 'BEGIN {
        print "nutate: 1\nparameters: {m: 1, g: 9.81}\ngravity: [0, 0, -g]\nbodies:"
        for (i = 1; i <= n; i++)
            printf "  b%d: {mass: m, inertia: [0.001, 0.0034, 0.0034], position: [%.17g, 0, 0]}\n",
                   i, 0.2 * i - 0.1
        print "joints:"
        for (i = 1; i <= n; i++) {
            axis = type == "revolute" ? ", axis: [0, 1, 0]" : ""
            before = i > 1 ? "b" i - 1 : "ground"
            printf "  j%d: {type: %s, between: [%s, b%d], at: [%.17g, 0, 0]%s}\n", i, type, before, i,
                   0.2 * i - 0.2, axis
        }
        print "simulation: {duration: 0.02, step: 1e-3}"
        printf "output: {every: 0.01, record: [b%d.position]}\n", n
    }'
}
