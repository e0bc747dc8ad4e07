#!/bin/sh
# Run a test of the page by node: run.sh NUTATE TEST FOLDER; 77 where something is not there.
set -eu
nutate=$1 test=$2 folder=$3
absent() {
    echo "not run: $1"
    exit 77
}
command -v node >/dev/null || absent "node is not installed"
[ -e "$(dirname "$nutate")/share/nutate/report.html" ] || absent "the page of reports is not made"
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
exec node "$test" "$nutate" "$folder"
