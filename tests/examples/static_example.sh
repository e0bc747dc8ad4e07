#!/bin/sh
# static_example.sh NUTATE FOLDER SCRATCH: static states of an example against its expected.txt
# (which says how), and their derivatives in all of its parameters against differences.
set -eu
nutate=$1 folder=$2 scratch=$3
name=$(basename "$folder")
mkdir -p "$scratch"
model=$folder/$name.yaml
for file in README.md expected.txt "$name.yaml" "$name.svg"; do
    [ -s "$folder/$file" ] || { echo "$folder has no $file" && exit 1; }
done
"$nutate" check "$model"
grep -v '^#' "$folder/expected.txt" | while read -r word rest; do
    case $word in
    static)
        # shellcheck disable=SC2086
        "$nutate" static "$model" $rest -o "$scratch/$name.csv" --quiet
        echo "static $rest"
        ;;
    end) ;;
    *)
        echo "$word $rest" | awk -v result="$scratch/$name.csv" '{
            while ((getline line < result) > 0) { if (!n++) head = line; last = line }
            count = split(head, column, ","); split(last, value, ",")
            for (i = 1; i <= count; i++) if (column[i] == $1) {
                off = value[i] - $2; off = off < 0 ? -off : off
                print "  " $1 " off by " off
                exit off > $3
            }
            print "no column " $1; exit 1
        }'
        ;;
    esac
done
names=$("$nutate" sens "$model" --of static 2>&1 | sed -n 's/.*the parameters of .* are: //p' | tr -d ',')
chosen=""
for parameter in $names; do
    case $parameter in links) ;; *) chosen="$chosen --param $parameter" ;; esac
done
# shellcheck disable=SC2086
"$nutate" sens "$model" --of static $chosen --check --quiet
