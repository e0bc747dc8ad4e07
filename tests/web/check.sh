#!/bin/sh
# Are the modules of the page formatted, free of what the linter forbids, and of the types that they
# say? check.sh WEB TESTS FOLDER; 77 where the tools for it cannot be had.
set -eu
web=$1 tests=$2 folder=$3
absent() {
    echo "not run: $1"
    exit 77
}
command -v npm >/dev/null || absent "npm is not installed"
mkdir -p "$folder"
cp "$web/package.json" "$web/package-lock.json" "$web/.npmrc" "$folder"
if ! cmp -s "$web/package-lock.json" "$folder/fetched"; then
    (cd "$folder" && npm ci --ignore-scripts --prefer-offline --fetch-retries=1) >"$folder/log" 2>&1 ||
        absent "npm could not fetch prettier, eslint and typescript (see $folder/log)"
    cp "$web/package-lock.json" "$folder/fetched"
fi
rm -rf "$folder/src" "$folder/tests"
cp -r "$web/src" "$web"/*.js "$web"/*.json "$web"/*.css "$web/.prettierrc.json" "$folder"
mkdir "$folder/tests"
cp "$tests"/*.mjs "$folder/tests"
cd "$folder"
grep -n '"resolved"' package-lock.json && echo "package-lock.json: has addresses of a registry" && exit 1
node_modules/.bin/prettier --log-level warn --check src tests ./*.js ./*.json ./*.css
node_modules/.bin/eslint src tests ./*.js
node_modules/.bin/tsc --noEmit
