# nutate sweep --engine slurm with a node that vanishes while it works: a network namespace with a
# slurmd of its own, whose link is cut and whose processes end without a word. Slurm runs its jobs
# again on the node that is left. 77: no such namespace can be made here, or Slurm is not installed.
. "$(dirname "$0")/common.sh"
. "$here/far_machine.sh"
. "$here/cluster.sh"
trap 'far_end; cluster_end' EXIT
trap 'exit 1' INT TERM
far_begin
cluster_begin far

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
"$nutate" sweep plan.yaml -o lost --engine slurm --threads 4 >out 2>err </dev/null &
job=$!
worker=
while [ -z "$worker" ] && kill -0 $job 2>/dev/null; do
    sleep 0.02
    worker=$(far_worker)
done
[ -n "$worker" ] || fail "no worker on the node that is to vanish: $(squeue)"
far_vanish
wait $job
got=$?
[ $got = 0 ] || fail "exit status $got: $(cat err)"
says "$rows of $rows rows done, 0 of them failed"
sinfo -N -h -n far -o %T | grep -q down || fail "the node is not lost: $(sinfo -N)"
expect 0 sweep --collect lost -o lost.nc --quiet
same lost.nc here.nc
finish
