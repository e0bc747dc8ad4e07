"""Measures the Python package against the library's own loops (bench/python_yardstick.c).

python.py YARDSTICK MODEL: runs of the model, and steps of a stepper, in turns with those of the
yardstick, in one process: processor time, of which the least counts, in turns so short that some of
them have the machine to themselves. What a set-up's first run costs beyond a later one is the
median of runs each with a value of rho_inf of its own. Ends with status 1 where a run takes more
than 1.05 times the library's, or a step more than 1 us beyond it.
"""

import ctypes
import os
import statistics
import sys
import time

import nutate

RUNS, STEPS, TURNS, FIRST = 20, 10000, 50, 200


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


def first_run(path: str) -> float:
    """Seconds that the first run of a set-up takes beyond the next, of one short step."""
    model = nutate.load(path)
    took: list[list[float]] = [[], []]
    for k in range(FIRST):
        for turn in range(2):
            begun = time.process_time()
            model.run(options={"rho_inf": 0.8 + 1e-4 * k}, duration=1e-3)
            took[turn].append(time.process_time() - begun)
    return statistics.median(took[0]) - statistics.median(took[1])


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
    print(f"the first run of a set-up: {1e6 * first_run(path):.0f} us more")
    return int(ratio > 1.05 or beyond > 1.0)


if __name__ == "__main__":
    sys.exit(main())
