#!/bin/sh
# test_consumer.sh BUILD SCRATCH: install, move the installed tree, and use it from there: through
# pkg-config and CMake, shared and static. Environment: CC, CMAKE, VERSION.
set -eu
build=$1 scratch=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

fail() { echo "consumer: $*" >&2 && exit 1; }
works() { # PROGRAM shared|static
    got=$("$1") || fail "$1 failed"
    [ "$got" = "$VERSION" ] || fail "$1 printed \"$got\" instead of $VERSION"
    linked=static
    if readelf -d "$1" | grep -q 'NEEDED.*libnutate'; then linked=shared; fi
    [ "$linked" = "$2" ] || fail "$1 is linked $linked, not $2"
}

"$CMAKE" --install "$build" --prefix "$scratch/first" >install.log || { cat install.log && exit 1; }
mv first moved
prefix=$scratch/moved
! grep -rIlE "$scratch/first|$build" moved || fail "these files remember where they were built"
for file in include/nutate/status.h share/doc/nutate/LICENSE; do
    [ -f "moved/$file" ] || fail "$file was not installed"
done

pc=$(find "$prefix" -name nutate.pc)
library=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="${pc%/*}"
[ "$(pkg-config --modversion nutate)" = "$VERSION" ] || fail "nutate.pc has another version"
"$CC" "$here/consumer.c" $(pkg-config --cflags --libs nutate) -Wl,-rpath,"$library" -o pc_shared
works ./pc_shared shared
"$CC" "$here/consumer.c" $(pkg-config --cflags --static --libs nutate |
    sed 's/-lnutate/-l:libnutate.a/') -o pc_static
works ./pc_static static

"$CMAKE" -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >cmake.log 2>&1 &&
    "$CMAKE" --build cmake >>cmake.log 2>&1 || { cat cmake.log && exit 1; }
works cmake/consumer_shared shared
works cmake/consumer_static static

# The command finds its library beside itself; its pages and completion are made with it.
if [ -x "$build/nutate" ]; then
    "$prefix/bin/nutate" --version >/dev/null || fail "the installed command does not run"
    for file in man/man1/nutate-run.1 bash-completion/completions/nutate zsh/site-functions/_nutate; do
        [ -s "moved/share/$file" ] || fail "share/$file was not installed"
    done
    ninja -C "$build" -t commands product >commands.log || fail "ninja tells no commands"
    for file in nutate-run.1 nutate.bash _nutate; do
        grep -q "> $file\$" commands.log || fail "the target product does not make $file"
    done
fi
