# nutate papers: the list, the files it leaves, and what it says without gnuplot or its own files.
. "$(dirname "$0")/common.sh"

expect 0 papers
prints bruls-eberhard krysl jay-negrut modin kynema figure-8
expect 2 papers kyrsl
says "there is no paper 'kyrsl'" "did you mean 'krysl'?"
expect 2 papers krysl --step 1

# every picture of every paper; needs gnuplot: sh tools/setup papers
for paper in bruls-eberhard jay-negrut krysl kynema modin; do
    expect 0 papers $paper
    grep -i warning err && fail "gnuplot warns"
    for script in papers-$paper/*.gp; do
        picture=${script%.gp}
        [ "$picture" = papers-$paper/style ] && continue
        grep -q '</svg>' "$picture.svg" || fail "no picture $picture.svg, or it is cut off"
        [ -s "$picture.png" ] || fail "no picture $picture.png"
        says "drawn: $picture.svg"
    done
done
for file in figure-1.dat figure-1.gp figure-1.svg figure-2.svg style.gp; do
    [ -s papers-jay-negrut/$file ] || fail "no papers-jay-negrut/$file"
done

# a picture can be drawn again where it lies
rm papers-jay-negrut/figure-1.svg
(cd papers-jay-negrut && gnuplot figure-1.gp) || fail "gnuplot figure-1.gp"
[ -s papers-jay-negrut/figure-1.svg ] || fail "figure-1.svg is not drawn again"

# without gnuplot: tables and data all the same, and the exit status says that pictures are missing
mkdir empty
saved=$PATH
PATH=$PWD/empty
"$nutate" papers kynema -o dry --quiet >out 2>err
got=$?
PATH=$saved
[ "$got" = 4 ] || fail "exit status $got without gnuplot, expected 4"
says "gnuplot is not installed" "gnuplot-nox" "dry"
prints "0.0045824"
[ -s dry/convergence.dat ] && [ -s dry/convergence.gp ] || fail "data or script missing"
[ -e dry/convergence.svg ] && fail "a picture without gnuplot"
[ "$(grep -c . err)" = 1 ] || fail "--quiet says more than one line"

# the data read back as the numbers they are
[ "$(grep -vc '^#' dry/convergence.dat)" = 6 ] || fail "rows of convergence.dat"
grep -q '^# .*reaction \[N\]' dry/convergence.dat || fail "columns without names and units"

# a script that fails leaves no half picture
source=$(dirname "$nutate")/share/nutate/papers
mkdir -p own/common own/kynema
cp "$source"/common/style.gp own/common/
cp "$source"/kynema/heavy_top.yaml own/kynema/
printf 'name = "convergence"; width = 300; height = 300\nload "style.gp"\nplot "nowhere.dat"\n' \
    >own/kynema/convergence.gp
NUTATE_PAPERS=$PWD/own expect 4 papers kynema -o half
says "gnuplot failed to draw convergence"
[ -s half/convergence.dat ] || fail "data of a picture that failed"
[ -e half/convergence.svg ] && fail "half a picture"

NUTATE_PAPERS=$PWD/empty expect 4 papers krysl
says "NUTATE_PAPERS" "empty"
touch file
expect 4 papers krysl -o file
says "the folder file cannot be made"
expect 4 papers krysl -o file/below
says "cannot be made"
"$nutate" papers >/dev/full 2>err
[ $? = 4 ] || fail "papers on a full disk"
finish
