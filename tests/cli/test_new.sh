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
prints "complete -o filenames -F _nutate nutate"
expect 0 help zsh
prints "#compdef nutate"
finish
