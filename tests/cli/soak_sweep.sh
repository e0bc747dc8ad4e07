# soak_sweep.sh NUTATE SCRATCH ENGINE KILLS: sweeps by an engine whose workers, the command itself,
# or both are killed (SIGKILL) at random moments, KILLS times of each, and go on with --resume. Each
# sweep that comes to its end has the table of one that nobody disturbed, byte for byte.
. "$(dirname "$0")/common.sh"
engine=$3 kills=$4
if [ "$engine" = slurm ]; then
    . "$here/cluster.sh"
    trap cluster_end EXIT
    trap 'exit 1' INT TERM
    cluster_begin
fi
sed -i 's/duration: 0.1/duration: 1/' top.yaml
cat >plan.yaml <<END
sweep: 1
model: top.yaml
vary: {m: 10..20:$(rows_for 4 top.yaml)}
keep: {final: [top.position, top.orientation], maximum: [pivot.force], mean: [energy]}
END
begun=$(date +%s%N)
expect 0 sweep plan.yaml -o whole --quiet
took=$((($(date +%s%N) - begun) / 1000000)) # ms
expect 0 sweep --collect whole -o whole.nc -o whole.csv --quiet
awk -v most="$took" 'BEGIN {
    srand(7)
    while (i++ < 10000) printf "%.3f %d\n", 0.7e-3 * most * rand(), 3 * rand()
}' >moments

# compare FOLDER: its table against that of the undisturbed sweep
compare() {
    expect 0 sweep --collect "$1" -o "$1.nc" -o "$1.csv" --quiet
    same "$1.nc" whole.nc
    same "$1.csv" whole.csv
}

commands=0 killed=0 ended=0
while { [ $commands -lt "$kills" ] || [ $killed -lt "$kills" ]; } && read -r moment victim; do
    folder=disturbed$ended
    "$nutate" sweep plan.yaml -o $folder --engine "$engine" --threads 2 --resume >out 2>err </dev/null &
    job=$!
    while kill -0 $job 2>/dev/null && [ -z "$(workers $folder)" ]; do sleep 0.02; done
    sleep "$moment"
    if [ "$victim" != 0 ]; then
        for pid in $(workers $folder); do
            kill -9 "$pid" 2>/dev/null && killed=$((killed + 1)) && break
        done
    fi
    [ "$victim" = 1 ] || kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    case $? in
    137) commands=$((commands + 1)) ;;
    0)
        compare $folder
        ended=$((ended + 1))
        ;;
    *) fail "after $commands and $killed kills: $(cat err)" ;;
    esac
    [ $failures -lt 10 ] || finish
done <moments
[ $commands -ge "$kills" ] && [ $killed -ge "$kills" ] || fail "$commands commands, $killed workers"
expect 0 sweep plan.yaml -o disturbed$ended --engine "$engine" --threads 2 --resume
compare disturbed$ended
echo "$engine: killed $commands times the command, $killed times a worker: $((ended + 1)) sweeps with the same table"
finish
