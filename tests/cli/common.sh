# Sourced by the tests of the command: test_NAME.sh NUTATE SCRATCH.
set -u
nutate=$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 1
cp "$here"/*.yaml .
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: run nutate, output into files out and err
expect() {
    wanted=$1
    shift
    "$nutate" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || {
        fail "nutate $*: exit status $got, expected $wanted"
        sed 's/^/    /' err
    }
}

# says TEXT...: each text stands in file err; prints: in file out
says() {
    for text in "$@"; do
        grep -qF -e "$text" err || { fail "message without '$text':" && sed 's/^/    /' err; }
    done
}
prints() {
    for text in "$@"; do
        grep -qF -e "$text" out || { fail "output without '$text':" && sed 's/^/    /' out; }
    done
}

# rows_for SECONDS MODEL: how many rows take that much processor time here
rows_for() {
    printf 'sweep: 1\nmodel: %s\nvary: {m: 10..20:50}\nkeep: {final: [top.position]}\n' "$2" >trial.yaml
    expect 0 sweep trial.yaml -o trial --threads 1
    sed -n 's/.* \([^ ]*\) ms of processor time each$/\1/p' err |
        awk -v seconds="$1" '{ printf "%d\n", 1 + 1000 * seconds / $1 }'
    rm -rf trial
}

# workers FOLDER: the processes that run rows of a sweep there, children of an engine
workers() {
    for pid in $(pgrep -f -- "-o '*$PWD/$1'* --rows" 2>/dev/null); do
        case $(cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ') in
        "$nutate"\ sweep\ *) echo "$pid" ;;
        esac
    done
}

same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

finish() {
    [ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
    exit 0
}

# await_login COMMAND: until a server takes it, 10 s at most. sshd is a daemon before it listens.
await_login() {
    for _ in $(seq 100); do
        $1 true 2>/dev/null && return
        sleep 0.1
    done
    $1 true
}
