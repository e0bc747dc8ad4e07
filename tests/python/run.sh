#!/bin/sh
# run.sh MODULES COMMAND...: runs `python -m COMMAND...` with the package in build/python. Status 77,
# with words, where a module of the list or the package is not there.
set -eu
cd "$(dirname "$0")/../.."
modules=$1
shift
python=build/python-env/bin/python
absent() { echo "absent: $*" && exit 77; }
library=build/python/.built
[ -x $python ] && [ -e $library ] || absent "the package (make python builds it)"
new=$(find include src python -name '*.[chp]*' -newer $library ! -name '*.pyc' -print | head -n 1)
[ -z "$new" ] || absent "the package of today: $new is newer than build/python (make python)"
for module in $modules; do
    $python -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' $module ||
        absent "the Python module $module (tools/setup installs it)"
done
# Threads of a linear algebra that wait by turning slow down whatever else the machine does.
export PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg PYTHONWARNINGS=default OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
pytest) shift && $python -m pytest -q -p no:cacheprovider --basetemp "$work/pytest" "$@" ;;
mypy) shift && $python -m mypy --cache-dir "$work/mypy" "$@" ;;
*) $python "$@" ;;
esac
