# nutate sweep killed (SIGKILL) at a hundred random moments, gone on with each time: the table is
# that of a sweep that nobody disturbed, byte for byte.
. "$(dirname "$0")/common.sh"
sed -i 's/duration: 0.1/duration: 0.5/' top.yaml
cat >plan.yaml <<'END'
sweep: 1
model: top.yaml
vary: {m: 10..20:3000}
keep: {final: [top.position, top.orientation], maximum: [pivot.force], mean: [energy]}
END
begun=$(date +%s%N)
expect 0 sweep plan.yaml -o whole --quiet
took=$((($(date +%s%N) - begun) / 1000000)) # ms
expect 0 sweep --collect whole -o whole.nc -o whole.csv --quiet
most=$((took / 20 > 200 ? took / 20 : 200))
awk -v most="$most" 'BEGIN { srand(1); while (i++ < 2000) printf "%.3f\n", most / 1000 * rand() ^ 2 }' >moments
killed=0 begun=0
while [ $killed -lt 100 ] && read -r moment; do
    "$nutate" sweep plan.yaml -o killed$begun --resume --quiet >out 2>err </dev/null &
    job=$!
    sleep "$moment"
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    case $? in
    137) killed=$((killed + 1)) ;;
    0) # it was done: another one
        expect 0 sweep --collect killed$begun -o killed.nc --quiet
        same killed.nc whole.nc
        begun=$((begun + 1))
        ;;
    *) fail "after $killed times: $(cat err)" ;;
    esac
done <moments
[ $killed = 100 ] || fail "it was killed $killed times only"
echo "$killed killed, $(ls -d killed$begun/rows/*.journal 2>/dev/null | wc -l) journals in the last folder"
expect 0 sweep plan.yaml -o killed$begun --resume
expect 0 sweep --collect killed$begun -o killed.nc -o killed.csv --quiet
same killed.nc whole.nc
same killed.csv whole.csv
finish
