# Sourced: a Slurm cluster with a key, ports, places and processes of its own, of Debian's munged,
# slurmctld and slurmd in the foreground. 77: they are not installed.
#
# cluster_begin [far]: starts it and waits until its nodes are idle: this machine with two
# processors, and with `far` the machine of far_machine.sh besides.
# cluster_end: ends its processes and removes its files.
PATH=$PATH:/usr/sbin:/sbin
for program in munged munge slurmctld slurmd sbatch sinfo; do
    command -v $program >/dev/null || { echo "absent: $program (packages munge slurmctld slurmd slurm-client)" && exit 77; }
done
cluster=$(mktemp -d) # sockets have short names only
started=

cluster_end() {
    for pid in $started; do kill "$pid" 2>/dev/null; done
    for pid in $started; do
        for wait in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null && sleep 0.3; done
        kill -9 "$pid" 2>/dev/null
    done
    [ "$failures" = 0 ] || tail -n 30 "$cluster"/*.log
    rm -rf "$cluster"
}

# free_port FIRST: a port that nobody listens at, from FIRST on
free_port() {
    port=$1
    while grep -qi ":$(printf %04X "$port") 0" /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}

# cluster_start NAME PROGRAM ARGUMENT...: in the foreground of a process of ours
cluster_start() {
    said=$cluster/$1.out
    shift
    "$@" >"$said" 2>&1 </dev/null &
    started="$! $started"
}

# cluster_write [NEAR FAR]: the configuration, with the addresses of this machine and of the other
# one, if there is one; a node is taken for lost after some five seconds
cluster_write() {
    port=$(free_port $((20000 + $$ % 20000)))
    other=$(free_port $((port + 1)))
    user=$(id -un)
    cat >"$SLURM_CONF" <<END_OF_FILE
ClusterName=nutate$$
SlurmctldHost=$host(${1:-127.0.0.1})
SlurmctldPort=$port
SlurmdPort=$other
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$cluster/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
${2:+NodeName=far NodeAddr=$2 CPUs=2 State=UNKNOWN}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END_OF_FILE
}

cluster_begin() {
    host=$(hostname -s)
    nodes=1
    SLURM_CONF=$cluster/slurm.conf
    export SLURM_CONF
    chmod 755 "$cluster"
    mkdir "$cluster/munge" "$cluster/state" "$cluster/spool.$host" "$cluster/spool.far"
    chmod 700 "$cluster/munge"
    dd if=/dev/urandom of="$cluster/munge/key" bs=64 count=1 2>/dev/null
    chmod 400 "$cluster/munge/key"
    cluster_write ${1:+"$near_address" "$far_address"}
    cluster_start munged munged --foreground --force --key-file="$cluster/munge/key" \
        --socket="$cluster/socket" --pid-file="$cluster/munge/pid" \
        --log-file="$cluster/munge.log" --seed-file="$cluster/munge/seed"
    for wait in $(seq 300); do
        [ -S "$cluster/socket" ] && break
        sleep 0.2
    done
    cluster_start slurmctld slurmctld -D -f "$SLURM_CONF"
    cluster_start slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
    if [ -n "${1:-}" ]; then
        cluster_start far far_run unshare --uts sh -c \
            'hostname far && exec slurmd -D -f "$SLURM_CONF" -N far'
        nodes=2
    fi
    for wait in $(seq 300); do
        [ "$(sinfo -N -h -o %T 2>/dev/null | grep -c idle)" = $nodes ] && return
        sleep 0.3
    done
    fail "no idle nodes: $(sinfo 2>&1)"
    cat "$cluster"/*.out
    finish
}
