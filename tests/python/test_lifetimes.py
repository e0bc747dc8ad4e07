"""Objects are freed in any order: the interpreter's collector, and its end, know none."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import nutate

CYCLE = """
import gc, sys, nutate

class Rig:
    def __init__(self, path):
        self.model = nutate.load(path)
        self.stepper = self.model.stepper(step=1e-3)
        self.stepper.step()
        self.modes = self.model.modes(1)
        self.linear = self.model.linearise()
        self.result = self.model.run(duration=0.01, step=1e-3, record=["energy"])
        self.me = self

for _ in range(5):
    Rig(sys.argv[1])
    gc.collect()
last = Rig(sys.argv[1])  # the interpreter's end frees it
print("done")
"""


def test_cycles_of_objects_are_freed():
    done = subprocess.run(
        [sys.executable, "-c", CYCLE, ROOT / "examples/four_bar_rest/four_bar_rest.yaml"],
        env={**os.environ, "MALLOC_CHECK_": "3", "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


@pytest.mark.parametrize("kind", ["modes", "linear"])
def test_modes_and_linear_models_pickle(kind):
    model = nutate.load(ROOT / "examples/euler_column/euler_column.yaml")
    first = model.modes(3) if kind == "modes" else model.linearise()
    again = pickle.loads(pickle.dumps(first))
    numbers = "eigenvalues" if kind == "modes" else "A"
    assert np.array_equal(getattr(again, numbers), getattr(first, numbers))
    assert len(getattr(again, numbers)) > 2 and repr(again) == repr(first)
