# Sourced: a machine that can vanish, a network namespace behind a link of its own. 77: none can be
# made here.
#
# far_begin: this machine is $near_address, the other one $far_address, on a network that no other
# link of this machine has; the namespace is $far.
# far_run COMMAND...: runs a command on the other machine, which sees the same files.
# far_vanish: cuts the link and ends all that works there, without a word to anybody.
# far_plan: writes plan.yaml, a sweep of $rows rows that takes two seconds, and here.nc, what comes of
# it on this machine alone.
# far_vanish_from PID COMMAND...: lets the machine vanish as soon as a worker of the sweep PID is at
# work there, and waits for the sweep, which must do all its rows. COMMAND says what is going on,
# where no worker comes.
# far_end: removes it.
PATH=$PATH:/usr/sbin:/sbin
for program in ip nsenter; do
    command -v $program >/dev/null || { echo "absent: $program (packages iproute2 util-linux)" && exit 77; }
done
far=nutate$$

# Of the 64 networks of four addresses in 198.51.100.0/24, which is for documentation and tests alone
# (RFC 5737), the first after one of this process's own that is free: a link that another test, or
# one that was killed, left here would take what is sent.
far_addresses() {
    for turn in $(seq 0 63); do
        low=$(((($$ + turn) % 64) * 4))
        near_address=198.51.100.$((low + 1))
        far_address=198.51.100.$((low + 2))
        ip -o address | grep -qF " $near_address/" || return 0
    done
    echo "absent: a free network of 198.51.100.0/24: $(ip -o address)" && exit 77
}

far_begin() {
    far_addresses
    { ip netns add $far && ip link add nu$$ type veth peer name eth0 netns $far &&
        ip address add $near_address/30 dev nu$$ && ip link set nu$$ up &&
        ip -n $far address add $far_address/30 dev eth0 && ip -n $far link set eth0 up &&
        ip -n $far link set lo up; } 2>far_said ||
        { echo "absent: network namespaces: $(cat far_said)" && exit 77; }
}

far_run() { nsenter --net=/run/netns/$far "$@"; }

# far_worker: a process there that runs rows of a sweep
far_worker() {
    for pid in $(ip netns pids $far); do
        case $(cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ') in
        "$nutate"\ sweep\ *--rows*) echo "$pid" && return ;;
        esac
    done
}

far_vanish() {
    ip link set nu$$ down
    while far_pids=$(ip netns pids $far) && [ -n "$far_pids" ]; do
        kill -9 $far_pids 2>/dev/null
        sleep 0.05
    done
}

far_end() {
    for pid in $(ip netns pids $far 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
    ip netns del $far 2>/dev/null
    ip link del nu$$ 2>/dev/null
}

far_plan() {
    sed -i 's/duration: 0.1/duration: 1/' top.yaml
    cases=$(rows_for 2 top.yaml)
    [ "$cases" -gt 1000 ] || cases=1000
    rows=$((2 * cases))
    cat >plan.yaml <<END
sweep: 1
model: top.yaml
vary: {m: 10..20:$cases, arm: [1, -1]}
keep: {final: [top.position], maximum: [pivot.force.z]}
END
    expect 0 sweep plan.yaml -o here --quiet
    expect 0 sweep --collect here -o here.nc --quiet
}

far_vanish_from() {
    sweep=$1 worker=
    shift
    while [ -z "$worker" ] && kill -0 "$sweep" 2>/dev/null; do
        sleep 0.02
        worker=$(far_worker)
    done
    [ -n "$worker" ] || fail "no worker on the machine that is to vanish: $("$@")"
    far_vanish
    wait "$sweep"
    got=$?
    [ $got = 0 ] || fail "exit status $got: $(cat err)"
    says "$rows of $rows rows done, 0 of them failed"
}
