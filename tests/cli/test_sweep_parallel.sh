# nutate sweep --engine parallel: on this machine, by an sshd of this test's own (a free port of the
# loopback, a key of its own, ended by its process), with workers that are killed. 77: GNU parallel
# or sshd are not installed.
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin
for program in parallel sshd ssh ssh-keygen; do
    command -v $program >/dev/null || { echo "absent: $program (packages parallel openssh-server openssh-client)" && exit 77; }
done
home=$(mktemp -d)
clean() {
    [ -s "$home/pid" ] && kill "$(cat "$home/pid")" 2>/dev/null
    [ "$failures" = 0 ] || tail -n 20 "$home/sshd.log" "$PWD"/*/parallel.log
    rm -rf "$home"
}
trap clean EXIT
trap 'exit 1' INT TERM

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
expect 0 sweep plan.yaml -o here --quiet
expect 0 sweep --collect here -o here.nc --quiet

# ---- this machine, two workers ended without a word while they work ----
"$nutate" sweep plan.yaml -o killed --engine parallel --threads 3 >out 2>err </dev/null &
job=$!
n=0
while [ $n -lt 2 ] && kill -0 $job 2>/dev/null; do
    for pid in $(workers killed); do
        [ $n -lt 2 ] && kill -9 "$pid" 2>/dev/null && n=$((n + 1))
    done
    sleep 0.05
done
wait $job
got=$?
[ $n = 2 ] || fail "no worker could be killed"
[ $got = 0 ] || fail "exit status $got: $(cat err)"
says "$rows of $rows rows done, 0 of them failed"
expect 0 sweep --collect killed -o killed.nc --quiet
same killed.nc here.nc

# ---- this command itself ended as soon as a job is out and a random moment later: with everything
# that it started, as by a machine that stops, or alone with one worker, while its jobs go on ----
moments=$(awk 'BEGIN { srand(2); for (i = 0; i < 6; i++) printf "%.2f\n", 0.15 * rand() }')
jobs_of_master() { pgrep -f -- "-o '*$PWD/master'* --rows" 2>/dev/null; }
n=0
for moment in $moments; do
    "$nutate" sweep plan.yaml -o master --engine parallel --threads 2 --resume >out 2>err </dev/null &
    job=$!
    while kill -0 $job 2>/dev/null && [ -z "$(jobs_of_master)" ]; do sleep 0.01; done
    sleep "$moment"
    if [ $n -lt 3 ]; then
        kill -9 $job $(jobs_of_master) 2>/dev/null
    else
        for pid in $(workers master); do kill -9 "$pid" 2>/dev/null && break; done
        kill -9 $job 2>/dev/null
    fi
    wait $job
    [ $? = 137 ] && n=$((n + 1))
done
[ $n -ge 2 ] || fail "the command was ended $n times only"
expect 0 sweep plan.yaml -o master --engine parallel --threads 2 --resume
says "$rows of $rows rows done, 0 of them failed"
expect 0 sweep --collect master -o master.nc --quiet
same master.nc here.nc
echo "ended $n times, $(ls master/rows/*.journal | wc -l) journals"

# ---- by ssh ----
port=$((20000 + $$ % 20000))
while grep -qi ":$(printf %04X $port) 0" /proc/net/tcp; do port=$((port + 1)); done
ssh-keygen -q -t ed25519 -N '' -f "$home/host"
ssh-keygen -q -t ed25519 -N '' -f "$home/user"
cp "$home/user.pub" "$home/known"
printf '[127.0.0.1]:%s %s\n' $port "$(cut -d' ' -f1,2 "$home/host.pub")" >"$home/hosts"
cat >"$home/sshd_config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $home/host
AuthorizedKeysFile $home/known
PidFile $home/pid
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
END
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
"$(command -v sshd)" -f "$home/sshd_config" -E "$home/sshd.log" || fail "sshd does not start"
login="ssh -p $port -i $home/user -o UserKnownHostsFile=$home/hosts -o BatchMode=yes $(id -un)@127.0.0.1"
await_login "$login" || fail "no login: $(cat "$home/sshd.log")"
expect 0 sweep plan.yaml -o by_ssh --engine parallel --sshlogin "2/$login" --sshlogin 1/:
says "$rows of $rows rows done, 0 of them failed"
grep -q "127.0.0.1" by_ssh/joblog || fail "nothing was run by ssh: $(cat by_ssh/joblog)"
expect 0 sweep --collect by_ssh -o by_ssh.nc --quiet
same by_ssh.nc here.nc

# a machine that is not there: its jobs go to the other one
expect 0 sweep plan.yaml -o gone --engine parallel --sshlogin "1/ssh -p 1 -o BatchMode=yes nobody@127.0.0.1" \
    --sshlogin 2/:
expect 0 sweep --collect gone -o gone.nc --quiet
same gone.nc here.nc

# ---- refused ----
expect 2 sweep plan.yaml -o none --engine paralell
says "expected threads, parallel or slurm, got 'paralell'; did you mean 'parallel'?"
(PATH=/nowhere && export PATH && exec "$nutate" sweep plan.yaml -o none --engine parallel >out 2>err)
[ $? = 2 ] || fail "a program that is absent"
says "there is no program 'parallel' here: expected Debian's package parallel"
finish
