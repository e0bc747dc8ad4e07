# nutate sweep --engine slurm with a cluster of its own: munged, slurmctld and slurmd of Debian, with
# a key, ports, places and processes of this test alone. 77: they are not installed.
. "$(dirname "$0")/common.sh"
. "$here/cluster.sh"
trap cluster_end EXIT
trap 'exit 1' INT TERM
cluster_begin

sed -i 's/duration: 0.1/duration: 1/' top.yaml
cases=$(rows_for 2 top.yaml)
[ "$cases" -gt 1500 ] || cases=1500
rows=$((2 * cases))
cat >plan.yaml <<END
sweep: 1
model: top.yaml
vary: {m: 10..20:$cases, arm: [1, -1]}
keep: {final: [top.position], maximum: [pivot.force.z]}
END
expect 0 sweep plan.yaml -o by_slurm --engine slurm --threads 2
says "$rows of $rows rows done, 0 of them failed"
jobs=$(wc -l <by_slurm/jobs)
[ "$jobs" -ge 2 ] || fail "jobs: $(cat by_slurm/jobs)"
[ "$(ls by_slurm/slurm-*.log | wc -l)" = "$jobs" ] || fail "not every job had a place: $(ls by_slurm)"
expect 0 sweep --collect by_slurm -o by_slurm.nc --quiet
expect 0 sweep plan.yaml -o here --quiet
expect 0 sweep --collect here -o here.nc --quiet
same by_slurm.nc here.nc

# ---- a worker ended without a word while it works: its rows are run again ----
"$nutate" sweep plan.yaml -o killed --engine slurm --threads 2 >out 2>err </dev/null &
job=$!
n=0
while [ $n = 0 ] && kill -0 $job 2>/dev/null; do
    for pid in $(workers killed); do kill -9 "$pid" 2>/dev/null && n=1 && break; done
    sleep 0.05
done
wait $job
got=$?
[ $n = 1 ] || fail "no worker could be killed"
[ $got = 0 ] || fail "exit status $got: $(cat err)"
says "$rows of $rows rows done, 0 of them failed"
expect 0 sweep --collect killed -o killed.nc --quiet
same killed.nc here.nc

# ---- the command ended while its jobs are out: they run on, and --resume runs what is left ----
for moment in 1 2; do
    "$nutate" sweep plan.yaml -o master --engine slurm --threads 2 --resume >out 2>err </dev/null &
    job=$!
    while kill -0 $job 2>/dev/null && [ -z "$(workers master)" ]; do sleep 0.1; done
    kill -9 $job 2>/dev/null
    wait $job
    got=$?
    [ $got = 137 ] || [ $moment = 2 ] || fail "the command could not be ended while jobs ran: $got"
done
expect 0 sweep plan.yaml -o master --engine slurm --threads 2 --resume
says "$rows of $rows rows done, 0 of them failed"
expect 0 sweep --collect master -o master.nc --quiet
same master.nc here.nc

# ---- interrupted: its jobs are taken back ----
"$nutate" sweep plan.yaml -o stopped --engine slurm --threads 2 >out 2>err </dev/null &
job=$!
while kill -0 $job 2>/dev/null && [ -z "$(squeue -h 2>/dev/null)" ]; do sleep 0.1; done
kill -INT $job
wait $job
got=$?
[ $got = 130 ] || fail "interrupted: exit status $got: $(cat err)"
for wait in $(seq 600); do # it is told, and ends its processes
    [ -n "$(squeue -h 2>/dev/null)" ] || break
    sleep 0.1
done
[ -z "$(squeue -h)" ] || fail "jobs of a sweep that was interrupted: $(squeue)"
expect 0 sweep -o stopped --status
grep -q '^left 0$' out && fail "no row was left by a sweep that was interrupted"

expect 0 sweep plan.yaml -o by_slurm --engine slurm --resume
says "$rows of $rows rows done"
finish
