# Short names for the usual commands. The build itself is CMake: see CMakePresets.json.
#
#   make run      install what is missing, build, run the heavy top
#   make build    build/release/nutate and the libraries, optimised
#   make test     everything with warnings as errors, then once more under sanitizers; all tests, and
#                 that of threads under the thread sanitizer where the machine can run it;
#                 says what it does and how long each part takes
#   make python   the Python package: build/python, a wheel in build/wheel, and the interpreter
#                 build/python-env/bin/python that finds it
#   make bench    measure against hand-written programs (and Simbody, MuJoCo after `make peers`)
#   make bench-python  measure the Python package against the library itself
#   make precision  error against computing time of every method; draws docs/pictures
#   make fuzz     the model reader against random input for FUZZ_SECONDS
#   make soak     failures of memory and files at every place, a thousand random mechanisms, ten
#                 thousand watched motions, sweeps killed a hundred times with each engine, a
#                 million random invocations (three quarters of an hour on two quiet cores); the log is build/soak.log
#   make format   clang-format in place
#   make install  into PREFIX

PREFIX = /usr/local
FUZZ_SECONDS = 60
JOBS := $(shell nproc)
HEAVY_TOP = examples/heavy_top/heavy_top.yaml

build = sh tools/build $(JOBS)
stage = sh tools/stage

all: build

setup:
	@sh tools/setup build
setup-test:
	@sh tools/setup build test papers
	@sh tools/setup pictures || echo "glTF and VTK are not read back by other programs: these are missing."
	@sh tools/setup report || echo "Pages are not tested: what makes and shows them is missing."
	@sh tools/setup cluster || echo "absent: the packages of group cluster"
setup-python:
	@sh tools/setup build python
# What cannot be installed is absent, and its tests say so.
setup-python-test: setup-python
	@for group in python-test python-torch python-dask; do \
	    sh tools/setup $$group || echo "absent: the packages of group $$group"; done
peers:
	@sh tools/setup peers

build:
	@$(build) release product
run: setup
	@$(build) release product
	@build/release/nutate run $(HEAVY_TOP) -o build/heavy_top.csv

python: setup-python
	@$(build) release product
	@sh tools/python

test: setup-test setup-python-test
	@$(stage) "the Python package, in build/python" $(MAKE) -s python
	@$(stage) "1 of 5: build with warnings as errors, in build/dev" $(build) dev all
	@$(stage) "2 of 5: build under sanitizers, in build/asan" $(build) asan all
	@$(stage) "3 of 5: threads under the thread sanitizer, in build/tsan" sh tools/threads $(JOBS)
	@$(stage) "4 of 5: tests under sanitizers" ctest --preset asan -j $(JOBS); first=$$?; \
	    $(stage) "5 of 5: all tests without them" ctest --preset dev -j $(JOBS) && exit $$first

bench: setup
	@$(build) release bench
bench-python: python
	@cc -std=gnu17 -O2 -shared -fPIC -Iinclude bench/python_yardstick.c -Lbuild/python/nutate \
	    -l:libnutate.so.0.1 -lm -o build/python_yardstick.so
	@build/python-env/bin/python bench/python.py build/python_yardstick.so $(HEAVY_TOP)
pictures: # of README, docs and examples
	@sh tools/setup build papers report
	@$(build) release product
	@sh tools/pictures build/release/nutate
	@sh docs/pictures/make.sh build/release/nutate
	@sh docs/pictures/beams.sh build/release/nutate
	@sh examples/plots.sh build/release/nutate
precision:
	@sh tools/setup build papers
	@$(build) release precision
	@sh docs/pictures/work_precision.sh build/release/bench
fuzz:
	@sh tools/setup build test fuzz
	@$(build) fuzz fuzz_model
	@mkdir -p build/fuzz/corpus
	cd build/fuzz && tests/fuzz_model -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
	    -rss_limit_mb=1024 -print_final_stats=1 corpus $(CURDIR)/tests/fuzz/corpus

soak: setup-test
	@$(build) release all
	@sh tools/soak build/release

format:
	@sh tools/check_format --fix
install: build
	cmake --install build/release --prefix $(PREFIX)
clean:
	rm -rf build

.PHONY: all setup setup-test setup-python setup-python-test python peers build run test bench bench-python pictures precision fuzz soak format install clean
