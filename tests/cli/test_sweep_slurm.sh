# nutate sweep --engine slurm with a cluster of its own: munged, slurmctld and slurmd of Debian, with
# a key, ports, places and processes of this test alone. 77: they are not installed.
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin:/sbin
for program in munged munge slurmctld slurmd sbatch sinfo; do
    command -v $program >/dev/null || { echo "absent: $program (packages munge slurmctld slurmd slurm-client)" && exit 77; }
done
cluster=$(mktemp -d) # sockets have short names only
started=
clean() {
    for pid in $started; do kill "$pid" 2>/dev/null; done
    for pid in $started; do
        for wait in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null && sleep 0.3; done
        kill -9 "$pid" 2>/dev/null
    done
    [ "$failures" = 0 ] || tail -n 30 "$cluster"/*.log
    rm -rf "$cluster"
}
trap clean EXIT
trap 'exit 1' INT TERM

# a port that nobody listens at, from $1 on
free_port() {
    port=$1
    while grep -qi ":$(printf %04X "$port") 0" /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}
port=$(free_port $((20000 + $$ % 20000)))
other=$(free_port $((port + 1)))
user=$(id -un)
host=$(hostname -s)
chmod 755 "$cluster"
mkdir "$cluster/munge" "$cluster/state" "$cluster/spool"
chmod 700 "$cluster/munge"
dd if=/dev/urandom of="$cluster/munge/key" bs=64 count=1 2>/dev/null
chmod 400 "$cluster/munge/key"
cat >"$cluster/slurm.conf" <<END
ClusterName=nutate$$
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$other
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$cluster/socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF
# begin PROGRAM ARGUMENT...: in the foreground of a process of ours
begin() {
    "$@" >"$cluster/${1##*/}.out" 2>&1 </dev/null &
    started="$! $started"
}
begin munged --foreground --force --key-file="$cluster/munge/key" --socket="$cluster/socket" \
    --pid-file="$cluster/munge/pid" --log-file="$cluster/munge.log" \
    --seed-file="$cluster/munge/seed"
for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -S "$cluster/socket" ] && break
    sleep 0.2
done
begin slurmctld -D -f "$SLURM_CONF"
begin slurmd -D -f "$SLURM_CONF" -N "$host"
ready=
for wait in $(seq 100); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && ready=yes && break
    sleep 0.3
done
[ -n "$ready" ] || { fail "no idle node: $(sinfo 2>&1)" && cat "$cluster"/*.out && finish; }

cat >plan.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: 10..20:1500, arm: [1, -1]}
keep: {final: [top.position], maximum: [pivot.force.z]}
END
sed -i 's/duration: 0.1/duration: 1/' top.yaml
expect 0 sweep plan.yaml -o by_slurm --engine slurm --threads 2
says "3000 of 3000 rows done, 0 of them failed"
jobs=$(wc -l <by_slurm/jobs)
[ "$jobs" -ge 2 ] || fail "jobs: $(cat by_slurm/jobs)"
[ "$(ls by_slurm/slurm-*.log | wc -l)" = "$jobs" ] || fail "not every job had a place: $(ls by_slurm)"
expect 0 sweep --collect by_slurm -o by_slurm.nc --quiet
expect 0 sweep plan.yaml -o here --quiet
expect 0 sweep --collect here -o here.nc --quiet
same by_slurm.nc here.nc
# ---- the command ended while its jobs are out: they run on, and --resume runs what is left ----
for moment in 1 2; do
    "$nutate" sweep plan.yaml -o master --engine slurm --threads 2 --resume >out 2>err </dev/null &
    job=$!
    for wait in $(seq 100); do
        [ -z "$(squeue -h -t R 2>/dev/null)" ] || break
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    kill -9 $job 2>/dev/null
    wait $job
    got=$?
    [ $got = 137 ] || [ $moment = 2 ] || fail "the command could not be ended while jobs ran: $got"
done
expect 0 sweep plan.yaml -o master --engine slurm --threads 2 --resume
says "3000 of 3000 rows done, 0 of them failed"
expect 0 sweep --collect master -o master.nc --quiet
same master.nc here.nc

# ---- interrupted: its jobs are taken back ----
"$nutate" sweep plan.yaml -o stopped --engine slurm --threads 2 >out 2>err </dev/null &
job=$!
for wait in $(seq 100); do
    [ -z "$(squeue -h 2>/dev/null)" ] || break
    sleep 0.1
done
kill -INT $job
wait $job
got=$?
[ $got = 130 ] || fail "interrupted: exit status $got: $(cat err)"
for wait in $(seq 50); do
    [ -n "$(squeue -h 2>/dev/null)" ] || break
    sleep 0.1
done
[ -z "$(squeue -h)" ] || fail "jobs of a sweep that was interrupted: $(squeue)"
expect 0 sweep -o stopped --status
grep -q '^left 0$' out && fail "no row was left by a sweep that was interrupted"

expect 0 sweep plan.yaml -o by_slurm --engine slurm --resume
says "3000 of 3000 rows done"
finish
