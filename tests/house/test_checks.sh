#!/bin/sh
# The checks of this folder notice what they are there for: each gets a copy of a small tree with
# one fault in it.
set -eu
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/include/nutate" "$work/tree/tools"
    cp "$tools"/check_* "$tools"/stage "$work/tree/tools/"
    echo 'echo build gcc cmake' >"$work/tree/tools/setup"
    cd "$work/tree"
    for layer in base group system method model cli; do mkdir -p src/$layer; done
    mkdir -p tests/base papers/krysl
    echo 'target_sources(nutate_objects PRIVATE a.c)' >src/base/CMakeLists.txt
    echo '# none yet' >tests/CMakeLists.txt
    echo '#include <stddef.h>' >include/nutate/status.h
    echo '#include <nutate/status.h>' >include/nutate/method.h
}
expect() { # pass|fail CHECK TEXT
    if sh tools/$2 >out 2>&1; then got=pass; else got=fail; fi
    [ $got = "$1" ] || { echo "$2 should $1: $3" && cat out && bad=1; }
}
include() { # pass|fail FILE INCLUDE
    fresh
    echo "#include $3" >"$2"
    expect "$1" check_layers "$2 includes $3"
}

include pass src/method/a.c '"base/arena.h"'
include pass src/method/a.c '"method/a.h"'
include pass src/model/a.c '"system/a.h"'
include pass src/cli/main.c '<nutate/nutate.h>'
include pass src/method/a.c '<nutate/method.h>'
include pass src/cli/main.c '"papers/papers.h"'
include pass papers/krysl/a.c '"papers/papers.h"'
include pass papers/krysl/a.c '<nutate/nutate.h>'
include fail papers/krysl/a.c '"base/vector3.h"'
include fail papers/krysl/a.c '"cli/cli.h"'
include fail src/model/a.c '"papers/papers.h"'
include fail src/base/a.c '"group/so3.h"'
include fail src/base/a.c '<nutate/method.h>'
include fail src/model/a.c '"method/a.h"'
include fail src/model/a.c '<nutate/method.h>'
include fail src/system/a.c '"arena.h"'
include fail src/system/a.c '"elsewhere/arena.h"'
include fail src/cli/main.c '"base/arena.h"'
include fail src/model/a.c '<nutate/nutate.h>'
include fail src/model/a.c '<yaml.h>'
include pass include/nutate/model.h '<nutate/method.h>'
include fail include/nutate/system.h '<nutate/method.h>'
include fail include/nutate/status.h '<nutate/method.h>'
include fail include/nutate/status.h '"base/arena.h"'

fresh
cat >include/nutate/element.h <<'END'
typedef struct nt_element_type {
    int (*rows)(int i);
    bool (*vary)(int i);
} nt_element_type;
END
echo 'int n = e->type->rows(1);' >src/model/a.c
expect pass check_layers "a function of a type is called"
echo 'if (e->type->vary && i > 0)' >src/model/a.c
expect fail check_layers "a function of a type is asked for"
mv src/model/a.c src/model/element.h
expect pass check_layers "where it belongs"
echo 'if (e->type == &nt_joint_gear)' >src/model/a.c
expect fail check_layers "which type an element is of is asked for"
echo 'const nt_element_type nt_joint_gear = {' >>src/model/a.c
expect pass check_layers "in the file of that type"

fresh
expect pass check_tree "a tidy tree"
printf 'int a;' >src/base/a.c
expect fail check_tree "no newline at the end"
printf 'int a; \n' >src/base/a.c
expect fail check_tree "a blank at the end"
printf '\tint a;\n' >src/base/a.c
expect fail check_tree "a tab"
printf '/* TO''DO */\n' >src/base/a.c
expect fail check_tree "unfinished"
printf '/* see %s */\n' /home"/someone/notes" >src/base/a.c
expect fail check_tree "a path of one machine"
yes 'int a;' | head -801 >src/base/a.c
expect fail check_tree "801 lines"
printf '/* With\n *\n *   c = a + b + a + b + a + b + a + b + a + b + a + b + a + b + a + b + a +\n * b\n */\n' >src/base/a.c
expect fail check_tree "a formula that runs into the next line"
echo 'int b;' >src/base/a.c
expect pass check_tree "tidy again"
echo 'int b;' >src/base/b.c
expect fail check_tree "a source that is not built"
mkdir src/base/family && mv src/base/b.c src/base/family/
expect fail check_tree "a source of a family that is not built"
rm -r src/base/family
echo 'int b;' >tests/base/test_b.c
expect fail check_tree "a test that is not registered"
echo 'nutate_test(base/test_b)' >>tests/CMakeLists.txt
expect pass check_tree "a registered test"
rm tests/base/test_b.c
expect fail check_tree "a registered test without a file"

fresh
git init -q . && echo 'nutate: 1' >trial.yaml
expect pass check_tree "a file at the top that git does not keep"
git add trial.yaml
expect fail check_tree "a file at the top that git keeps"

fresh
expect pass check_headers "headers that stand alone"
echo 'size_t nt_size(void);' >include/nutate/method.h
expect fail check_headers "a header that needs another"
fresh
echo 'int nt_new(int class);' >include/nutate/method.h
expect fail check_headers "a header that is not C++"
fresh
echo 'enum { A };' >include/nutate/method.h
expect fail check_headers "a header without a guard"

fresh
mkdir docs
echo '- `build`: gcc, cmake, [$x$](docs/a.md)' >README.md
echo 'A page of `$HOME`.' >docs/a.md
expect pass check_documents "documents in order"
echo '- `build`: gcc' >README.md
expect fail check_documents "a package that is not named"
printf -- '- `build`: gcc,\n  cmake, and [more](docs/b.md)\n' >README.md
expect fail check_documents "a link to nothing"
echo 'Only half of it.' >docs/b.md
expect pass check_documents "a link to a file, and a list over two lines"
echo 'A formula $x.' >docs/b.md
expect fail check_documents "a formula without an end"
echo 'A formula $x\,y$.' >docs/b.md
expect fail check_documents "a backslash before a sign"
yes ö | head -121 | tr -d '\n' >docs/b.md && echo >>docs/b.md
expect fail check_documents "121 columns"
yes ö | head -120 | tr -d '\n' >docs/b.md && echo >>docs/b.md
expect pass check_documents "120 columns, of more bytes"

fresh
expect pass "stage part true" "a stage that passes"
grep -q 'part: done in [0-9]* s' out || { echo "stage does not say how long it took" && bad=1; }
expect pass "stage part true" "a stage that passes again"
grep -q 'part (last time [0-9]* s)' out || { echo "stage forgets the last time" && bad=1; }
expect fail "stage part false" "a stage that fails"

# A call upwards that no include shows.
fresh
for layer in base model method; do
    mkdir -p objects/src/$layer
    : >src/$layer/a.c
    { [ $layer = base ] || echo 'int nt_base(void);'; echo "int nt_$layer(void); int nt_$layer(void)"
      [ $layer = base ] && echo '{ return 0; }' || echo '{ return nt_base(); }'; } |
        "${CC:-cc}" -x c -c -o objects/src/$layer/a.c.o -
done
expect pass "check_symbols objects" "calls downwards"
echo 'int nt_method(void); int nt_new(void); int nt_new(void) { return nt_method(); }' |
    "${CC:-cc}" -x c -c -o objects/src/model/b.c.o -
expect pass "check_symbols objects" "an object of a source that is gone"
: >src/model/b.c
expect fail "check_symbols objects" "a model that calls a method"

# A status that leaves a public function without words.
words() { # pass|fail TEXT BODY
    fresh
    echo 'NT_API nt_status nt_step(int a,
                             nt_error *error);' >include/nutate/method.h
    printf 'nt_status nt_step(int a, nt_error *error)\n{\n%s\n}\n' "$3" >src/method/a.c
    expect "$1" check_words "$2"
}
words pass "words of its own" '    if (a)
        return nt_fail(error, NT_IO, "a");
    return NT_OK;'
words fail "a status that was found elsewhere" '    nt_status status = f(a);
    return status;'
words fail "a call" '    return g(a,
             error);'
words pass "a status with words" '    nt_error_clear(error);
    return nt_said(error, f(a));'
words fail "what the caller left is no word" '    return nt_said(error, f(a));'
words fail "a local error" '    nt_error mine;
    return NT_OK;'
words pass "no status" '    return NT_OK;'
echo 'NT_API nt_status nt_run(nt_error *error);' >>include/nutate/method.h
expect fail check_words "a function that is nowhere"
exit $bad
