# nutate new writes models that run as they are; help knows topics, manual pages and completion.
. "$(dirname "$0")/common.sh"

rm -f top.yaml
expect 0 new
kinds=$(awk '{print $1}' out)
[ "$(echo $kinds | wc -w)" -ge 6 ] || fail "kinds: $kinds"
for kind in $kinds; do
    expect 0 new "$kind"
    expect 0 check "$kind.yaml"
    prints "estimate: "
    expect 0 run "$kind.yaml" -o "$kind.csv"
    [ "$(wc -l <"$kind.csv")" -gt 100 ] || fail "$kind has few rows"
    expect 4 new "$kind"
    says "File exists"
done
expect 0 new top -o -
prints "title: Top"
expect 2 new pendlum
says "there is no kind 'pendlum' of model; did you mean 'pendulum'?"

for topic in units expressions quantities records tables laws plugins methods; do
    expect 0 help $topic
    [ -s out ] || fail "no help on $topic"
done
expect 0 help man run
prints '.TH NUTATE' '\-\-duration'
expect 0 help man
prints 'nutate\-sens'
expect 0 help bash
bash -n out || fail "completion"
cp out completion.bash
cat >complete.sh <<'END'
nutate() { "$COMMAND" "$@"; }
. ./completion.bash
try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _nutate; printf '%s\n' "${COMPREPLY[@]}"; }
has() { local want=$1; shift; try nutate "$@" | grep -qx -e "$want" || echo "$*: no $want"; }
options=0
for command in $(nutate --help | awk '/^  [a-z]/ {print $1}'); do
    has "$command" "${command%?}"
    nutate "$command" --help >text
    for option in $(grep -o '^  -[-a-z]*' text); do
        options=$((options + 1))
        has "$option" "$command" "${option%?}"
    done
    for option in $(try nutate "$command" -); do
        grep -q -e "^  $option\b" text || echo "$command has no $option"
    done
    has "$command" help "${command%?}"
done
[ $options -gt 100 ] || echo "$options options"
has generalized-alpha run --method gen
has klu run --solver k
has orbit sens model.yaml --of o
has quarter.yaml run q
has pendulum new p
has krysl papers k
has bdf methods b
has windio import w
has quarter.yaml import windio q
END
touch quarter.yaml
COMMAND=$nutate bash complete.sh >found 2>&1
[ ! -s found ] || fail "completion: $(cat found)"
prints "complete -o filenames -F _nutate nutate"
expect 0 help zsh
prints "#compdef nutate" '_bash_complete -o filenames -F _nutate'
if command -v zsh >/dev/null; then # the first word to complete, while the file is the body of _nutate
    cat >first.zsh <<'END'
functions[autoload]= functions[bashcompinit]= functions[complete]=
_bash_complete() { echo bridge; }
functions[_nutate]=$(<out)
_nutate
END
    [ "$(zsh -f first.zsh)" = bridge ] || fail "zsh: nothing at the first word"
else
    echo "absent: zsh (package zsh)"
fi
finish
