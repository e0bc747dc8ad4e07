"""The programs of examples/python."""

import importlib.util

import numpy as np
import pytest

import nutate
from conftest import ROOT

FOLDER = ROOT / "examples" / "python"


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(4))
def test_identification_finds_what_made_the_data(seed):
    identify = load("identify")
    model = nutate.load(FOLDER / "pendulum.yaml")
    found = identify.identify(model, identify.measure(model, seed))
    for name, (value, width) in found.items():
        assert abs(value - identify.TRUE[name]) < 2 * width, name
        assert width < 0.01 * identify.TRUE[name], name


def test_environment():
    module = load("environment")
    environment = module.SwingUp()
    begin, info = environment.reset(seed=3)
    again, _ = environment.reset(seed=3)
    assert np.array_equal(begin, again) and info == {}
    assert environment.observation_space.contains(begin)
    rng = np.random.default_rng(0)
    for _ in range(5):
        action = environment.action_space.sample(rng)
        seen, reward, terminated, truncated, info = environment.step(action)
        assert environment.observation_space.contains(seen)
        assert isinstance(reward, float) and terminated is False and truncated is False
    over = False
    seen, _ = environment.reset(seed=1)
    while not over:
        seen, _, _, over, info = environment.step(module.pump(seen))
    assert info["t"] == pytest.approx(10) and seen[0] < -0.999
    environment.close()
