# nutate sweep --engine parallel with a machine that vanishes while it works: a network namespace
# with an sshd of its own, whose link is cut and whose processes end without a word. 77: no such
# namespace can be made here, or GNU parallel or sshd are not installed.
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin:/sbin
for program in parallel sshd ssh ssh-keygen ip; do
    command -v $program >/dev/null || { echo "absent: $program (packages parallel openssh-server openssh-client iproute2)" && exit 77; }
done
host=nutate$$
home=$(mktemp -d)
clean() {
    for pid in $(ip netns pids $host 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
    ip netns del $host 2>/dev/null
    ip link del nu$$ 2>/dev/null
    [ "$failures" = 0 ] || tail -n 20 "$home/sshd.log" "$PWD"/*/parallel.log
    rm -rf "$home"
}
trap clean EXIT
trap 'exit 1' INT TERM
network=198.51.100 # for documentation and tests alone (RFC 5737)
{ ip netns add $host && ip link add nu$$ type veth peer name eth0 netns $host &&
    ip address add $network.1/30 dev nu$$ && ip link set nu$$ up &&
    ip -n $host address add $network.2/30 dev eth0 && ip -n $host link set eth0 up; } 2>"$home/said" ||
    { echo "absent: network namespaces: $(cat "$home/said")" && exit 77; }
ssh-keygen -q -t ed25519 -N '' -f "$home/host"
ssh-keygen -q -t ed25519 -N '' -f "$home/user"
cp "$home/user.pub" "$home/known"
printf '%s %s\n' $network.2 "$(cut -d' ' -f1,2 "$home/host.pub")" >"$home/hosts"
cat >"$home/sshd_config" <<END
ListenAddress $network.2
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
ip netns exec $host "$(command -v sshd)" -f "$home/sshd_config" -E "$home/sshd.log"
login="ssh -i $home/user -o UserKnownHostsFile=$home/hosts -o BatchMode=yes -o ServerAliveInterval=1 -o ServerAliveCountMax=2 $(id -un)@$network.2"
$login true || { fail "no login: $(cat "$home/sshd.log")" && finish; }

sed -i 's/duration: 0.1/duration: 1/' top.yaml
cat >plan.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: 10..20:1000, arm: [1, -1]}
keep: {final: [top.position], maximum: [pivot.force.z]}
END
expect 0 sweep plan.yaml -o here --quiet
expect 0 sweep --collect here -o here.nc --quiet
"$nutate" sweep plan.yaml -o lost --engine parallel --threads 2 --sshlogin "$login" --sshlogin : \
    >out 2>err </dev/null &
job=$!
worker=
for wait in $(seq 400); do
    for pid in $(ip netns pids $host); do
        case $(cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ') in
        "$nutate"\ sweep\ *--rows*) worker=$pid ;;
        esac
    done
    [ -z "$worker" ] || break
    kill -0 $job 2>/dev/null || break
    sleep 0.02
done
[ -n "$worker" ] || fail "no worker on the machine that is to vanish: $(cat lost/joblog)"
ip link set nu$$ down
for pid in $(ip netns pids $host); do kill -9 "$pid"; done
wait $job
got=$?
[ $got = 0 ] || fail "exit status $got: $(cat err)"
says "2000 of 2000 rows done, 0 of them failed"
expect 0 sweep --collect lost -o lost.nc --quiet
same lost.nc here.nc
finish
