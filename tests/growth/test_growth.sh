# What the command costs grows in proportion to the model, to the rows and to the parameters.
. "$(dirname "$0")/common.sh"

arguments="run model.yaml -o result.csv"
spherical() { chain spherical "$1"; }
revolute() { chain revolute "$1"; }
grows chain 128 spherical # below, arenas grow by doubling
grows hinged_chain 64 revolute

rows() {
    cat <<END
nutate: 1
bodies:
  b: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0], angular_velocity: [1, 2, 3]}
joints:
  j: {type: spherical, between: [ground, b], at: [0, 0, 0]}
simulation: {duration: $1e-3, step: 1e-3}
output: {record: [b.position, b.orientation, j.force, energy]}
END
}
grows rows 200 rows
arguments="run model.yaml -o result.nc"
grows rows_of_netcdf 200 rows

# What grows as n^2 is found, and so is that nothing was counted.
squares() { rows $(($1 * $1 / 10)); }
(grows squares 20 squares && [ $failed = 1 ]) || failed=1
(count=./absent && grows nothing 20 rows 2>absent && [ $failed = 1 ]) || failed=1

# Names, numbers, expressions, markers and loads, all of which name others.
file() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\nparameters:\n  p0: 1"
        for (i = 1; i <= n; i++) printf "  p%d: p%d*1.0001 + %d\n", i, i - 1, i % 7
        print "bodies:"
        for (i = 1; i <= n; i++)
            printf "  b%d: {mass: 1 + p%d^2, inertia: [1, 1, 1], position: [%d, p1, 0]}\n", i, i, i
        print "markers:"
        for (i = 1; i <= n; i++) printf "  m%d: {on: b%d, at: [0, 0, 1]}\n", i, i
        print "forces:"
        for (i = 2; i <= n; i++) {
            printf "  s%d: {type: spring, between: [b%d, b%d], at: [m%d, m%d], stiffness: p%d}\n", i,
                   i - 1, i, i - 1, i, i
            printf "  f%d: {type: force, on: b%d, value: [\"-b%d.velocity.x\", sin(t), p%d]}\n", i,
                   i, i - 1, i
        }
        print "simulation: {duration: 1, step: 1e-3}"
        print "output:\n  record:"
        for (i = 1; i <= n; i++) printf "    - m%d.position\n", i
    }'
}
arguments="check model.yaml --quiet"
grows reader 200 file # below, pieces of memory grow by doubling

# One beam of many elements.
beam() {
    cat <<END
nutate: 1
beams:
  b:
    points: [[0, 0, 0], [10, 0, 0]]
    order: 2
    elements: $1
    sections: [{material: {E: 2e11, nu: 0.3, density: 7800}, shape: circle, radius: 0.05}]
joints:
  j: {type: revolute, between: [ground, b.root], axis: [0, 0, 1], motion: t^2}
simulation: {duration: 1, step: 1e-3}
END
}
grows beam 250 beam

# One cable of many segments, a part of which lies on its bed.
cable() {
    cat <<END
nutate: 1
cables:
  line: {between: [ground, ground], at: [[0, 0, -200], [800, 0, -14]], length: 850, mass: 110, stiffness: 7.5e8,
    damping: 1e-2, elements: $1, seabed: {height: -200, stiffness: 1e5, damping: 1e4, friction: 0.6}}
simulation: {duration: 0.01, step: 1e-3}
output: {every: 0.005, record: [line.tension]}
END
}
arguments="run model.yaml -o result.csv"
grows cable 200 cable

# Names in no order: what loads depend on, and what is recorded.
names() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\nbodies:"
        for (i = 1; i <= n; i++) printf "  b%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i
        print "forces:"
        for (i = 1; i <= n; i++)
            printf "  f%d: {type: force, on: b%d, value: [-b%d.velocity.x, 0, 0]}\n", i, i, i * 7919 % n + 1
        print "simulation: {duration: 1, step: 1e-3}\noutput:\n  record:"
        for (i = 1; i <= n; i++) printf "    - b%d.position\n", i * 7919 % n + 1
    }'
}
arguments="check model.yaml --quiet"
grows names 500 names

# What a saved state is recognised by names every unknown.
bodies() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\nbodies:"
        for (i = 1; i <= n; i++) printf "  b%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i
        print "simulation: {duration: 2e-3, step: 1e-3}\noutput: {record: [b1.position]}"
    }'
}
arguments="run model.yaml -o result.csv"
grows bodies 500 bodies

# Bodies that hang on one: its neighbours are as many.
star() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\nbodies:\n  hub: {mass: 1e3, inertia: [1e4, 1e4, 1e4]}"
        for (i = 1; i <= n; i++)
            printf "  b%d: {mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6], position: [%d, 0, 0]}\n", i, i
        print "joints:"
        for (i = 1; i <= n; i++)
            printf "  j%d: {type: revolute, between: [hub, b%d], at: [%d, 0, 0], axis: [0, 0, 1]}\n", i, i, i
        print "simulation: {duration: 1e-3, step: 1e-3}\noutput: {record: [b1.position]}"
    }'
}
arguments="run model.yaml -o result.csv"
grows star 200 star

# Light bodies between stops of heavy ones, each with an account of its energy.
stops() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\nbodies:"
        for (i = 1; i <= n; i++)
            printf "  a%d: {mass: 1e3, inertia: [1, 1, 1], position: [%d, 0, 0]}\n" \
                   "  b%d: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [%d, 0, 0]}\n", i, i, i, i
        print "joints:"
        for (i = 1; i <= n; i++)
            printf "  j%d: {type: prismatic, between: [a%d, b%d], at: [%d, 0, 0], axis: [0, 0, 1], " \
                   "limits: {lower: -1, stiffness: 1e4}}\n", i, i, i, i
        print "simulation: {duration: 2e-3, step: 1e-3}\noutput: {record: [b1.position]}"
    }'
}
arguments="run model.yaml -o result.csv"
grows stops 250 stops

# Derivatives in n parameters of one model.
masses() {
    awk -v n="$1" 'BEGIN {
        print "nutate: 1\nparameters:"
        for (i = 1; i <= 32; i++) printf "  p%d: 1\n", i
        print "bodies:"
        for (i = 1; i <= 32; i++)
            printf "  b%d: {mass: p%d, inertia: [0.1, 0.1, 0.1], position: [%d, 0, 0]}\n", i, i, i
        print "joints:"
        for (i = 1; i <= 32; i++)
            printf "  j%d: {type: spherical, between: [%s, b%d], at: [%d, 0, 0]}\n", i,
                   (i > 1 ? "b" i - 1 : "ground"), i, i - 1
        print "simulation: {duration: 0.01, step: 1e-3}\noutput: {record: [b32.position]}"
    }'
    given="sens model.yaml -o result.csv"
    for i in $(seq "$1"); do given="$given --param p$i"; done
    echo "$given" >arguments
}
arguments=
grows parameters 4 masses
finish
