# nutate sweep --engine parallel with a machine that vanishes while it works: a network namespace
# with an sshd of its own, whose link is cut and whose processes end without a word. 77: no such
# namespace can be made here, or GNU parallel or sshd are not installed.
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin:/sbin
for program in parallel sshd ssh ssh-keygen; do
    command -v $program >/dev/null || { echo "absent: $program (packages parallel openssh-server openssh-client)" && exit 77; }
done
. "$here/far_machine.sh"
home=$(mktemp -d)
clean() {
    far_end
    [ "$failures" = 0 ] || tail -n 20 "$home/sshd.log" "$PWD"/*/parallel.log
    rm -rf "$home"
}
trap clean EXIT
trap 'exit 1' INT TERM
far_begin
ssh-keygen -q -t ed25519 -N '' -f "$home/host"
ssh-keygen -q -t ed25519 -N '' -f "$home/user"
cp "$home/user.pub" "$home/known"
printf '%s %s\n' $far_address "$(cut -d' ' -f1,2 "$home/host.pub")" >"$home/hosts"
cat >"$home/sshd_config" <<END
ListenAddress $far_address
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
far_run "$(command -v sshd)" -f "$home/sshd_config" -E "$home/sshd.log"
login="ssh -i $home/user -o UserKnownHostsFile=$home/hosts -o BatchMode=yes -o ServerAliveInterval=1 -o ServerAliveCountMax=2 $(id -un)@$far_address"
await_login "$login" || { fail "no login: $(cat "$home/sshd.log")" && finish; }

far_plan
"$nutate" sweep plan.yaml -o lost --engine parallel --threads 2 --sshlogin "$login" --sshlogin : \
    >out 2>err </dev/null &
job=$!
far_vanish_from $job cat lost/joblog
expect 0 sweep --collect lost -o lost.nc --quiet
same lost.nc here.nc
finish
