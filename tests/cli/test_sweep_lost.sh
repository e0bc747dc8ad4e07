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

far_plan
"$nutate" sweep plan.yaml -o lost --engine slurm --threads 4 >out 2>err </dev/null &
job=$!
far_vanish_from $job squeue
sinfo -N -h -n far -o %T | grep -q down || fail "the node is not lost: $(sinfo -N)"
expect 0 sweep --collect lost -o lost.nc --quiet
same lost.nc here.nc
finish
