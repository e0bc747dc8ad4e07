"""Measures the Python package against the library's own loops (bench/python_yardstick.c).

python.py YARDSTICK MODEL: runs of the model, and steps of a stepper, in turns with those of the
yardstick, in one process: processor time, of which the least counts. Ends with status 1 where a run
takes more than 1.05 times the library's, or a step more than 1 us beyond it.
"""

import ctypes
import os
import sys
import time

import nutate

RUNS, STEPS, TURNS = 200, 100000, 10


def runs(model: nutate.Model) -> float:
    begun = time.process_time()
    for _ in range(RUNS):
        model.run()
    return (time.process_time() - begun) / RUNS


def steps(model: nutate.Model) -> float:
    with model.stepper() as s:
        begun = time.process_time()
        for _ in range(STEPS):
            s.step(1e-6)
        return (time.process_time() - begun) / STEPS


def main() -> int:
    path = sys.argv[2]
    model = nutate.load(path)
    model.run()
    yardstick = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    yardstick.yardstick_runs.restype = yardstick.yardstick_steps.restype = ctypes.c_double
    found = []
    for _ in range(TURNS):
        own_run = yardstick.yardstick_runs(path.encode(), ctypes.c_long(RUNS))
        run = runs(model)
        own_step = yardstick.yardstick_steps(path.encode(), ctypes.c_long(STEPS))
        found.append((own_run, own_step, run, steps(model)))
    own_run, own_step, run, step = map(min, zip(*found))
    ratio, beyond = run / own_run, 1e6 * (step - own_step)
    print(f"a run:  library {1e3 * own_run:.4f} ms, Python {1e3 * run:.4f} ms, {ratio:.3f} times")
    print(
        f"a step: library {1e6 * own_step:.3f} us, Python {1e6 * step:.3f} us, {beyond:.3f} us beyond"
    )
    return int(ratio > 1.05 or beyond > 1.0)


if __name__ == "__main__":
    sys.exit(main())
