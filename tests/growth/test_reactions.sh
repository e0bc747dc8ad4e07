# What the reactions of a redundant linkage cost grows in proportion to it.
. "$(dirname "$0")/common.sh"

# N + 1 uprights and N beams between their tops: N parallelograms in a row, each of whose loops says
# three things twice.
linkage() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\ngravity: [0, -9.81, 0]\nbodies:"
        for (i = 0; i <= n; i++)
            printf "  u%d: {mass: 1, inertia: [0.083, 0, 0.083], position: [%d, 0.5, 0]%s}\n", i, i,
                   (i == 0 ? ", angular_velocity: [0, 0, -1]" : "")
        for (i = 1; i <= n; i++)
            printf "  b%d: {mass: 1, inertia: [0, 0.083, 0.083], position: [%.1f, 1, 0]}\n", i, i - 0.5
        print "joints:"
        for (i = 0; i <= n; i++)
            printf "  f%d: {type: revolute, between: [ground, u%d], at: [%d, 0, 0], axis: [0, 0, 1]}\n",
                   i, i, i
        for (i = 1; i <= n; i++) {
            printf "  l%d: {type: revolute, between: [u%d, b%d], at: [%d, 1, 0], axis: [0, 0, 1]}\n", i,
                   i - 1, i, i - 1
            printf "  r%d: {type: revolute, between: [b%d, u%d], at: [%d, 1, 0], axis: [0, 0, 1]}\n", i,
                   i, i, i
        }
        print "simulation: {duration: 0.005, step: 1e-3}"
        print "output: {record: [f0.force]}"
    }'
}
arguments="run model.yaml -o result.csv"
grows reactions 15 linkage
finish
