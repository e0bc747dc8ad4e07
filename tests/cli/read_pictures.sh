# read_pictures.sh gltf|assimp|vtk NUTATE SCRATCH EXAMPLES MODULES: results of the examples as glTF
# and VTK, read by Khronos' validator (npm), by assimp and by VTK's own reader. Exit status 77 where
# that program is absent.
set -u
kind=$1 nutate=$2 scratch=$3 examples=$4 modules=$5
here=$(cd "$(dirname "$0")" && pwd)
failures=0
python=/usr/bin/python3 # Debian's, which has its packages

absent() {
    echo "absent: $1"
    exit 77
}
case $kind in
gltf)
    command -v node >/dev/null || absent node
    [ -d "$modules/gltf-validator" ] || absent "gltf-validator (npm)"
    ;;
assimp) command -v assimp >/dev/null || absent "assimp (assimp-utils)" ;;
vtk) "$python" -c 'import vtkmodules.vtkIOXML' 2>/dev/null || absent "VTK (python3-vtk9)" ;;
esac

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Of glTF every example, of the others those with a beam, with contacts, with springs, with loads.
if [ "$kind" = gltf ]; then
    models=$(find "$examples" -mindepth 2 -maxdepth 2 -name '*.yaml' | sort)
else
    models=
    for name in heavy_top twisted_cantilever bouncing_balls washing_machine quadcopter; do
        models="$models $examples/$name/$name.yaml"
    done
fi
count=0
for model in $models; do
    name=$(basename "$model" .yaml)
    grep -q '^nutate: 1' "$model" || continue # a plan
    timeout -k 1 100 "$nutate" run "$model" --duration 0.05 --quiet --no-energy-check -o "$name.nc" 2>"$name.err" ||
        { grep -qE 'plugin|types of plugins' "$name.err" || fail "$model: $(cat "$name.err")"; continue; }
    [ "$kind" = vtk ] && to=$name.pvd || to=$name.glb
    "$nutate" report "$name.nc" -o "$to" 2>"$name.err" || fail "$to: $(cat "$name.err")"
    count=$((count + 1))
done
echo "$count results drawn"
[ "$count" -ge 5 ] || fail "only $count results"

case $kind in
gltf) node "$here/read_gltf.js" "$modules" ./*.glb || failures=$((failures + 1)) ;;
vtk) "$python" "$here/read_vtk.py" ./*.pvd || failures=$((failures + 1)) ;;
assimp)
    for file in ./*.glb; do
        assimp info "$file" >"$file.info" 2>&1 || fail "$file: $(tail -n 3 "$file.info")"
        grep -qE '^Animations: +1$' "$file.info" || fail "$file: no animation"
        grep -qE '^Faces: +[1-9]' "$file.info" || fail "$file: no faces"
    done
    grep -qE '^Bones: +[1-9]' ./twisted_cantilever.glb.info || fail "a beam without bones"
    ;;
esac
[ "$failures" = 0 ] || exit 1
