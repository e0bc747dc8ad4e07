"""Counts, static states, modes, linear models, orbits: the numbers of the command."""

import csv
import math
import subprocess

import numpy as np
import pytest

import nutate
from conftest import ROOT

PENDULUM = """nutate: 1
parameters: {l: 2, k: 0}
gravity: [0, 0, -9.81]
bodies:
  bob: {mass: 1, point: true, position: [0.3, 0, -l]}
forces:
  wire: {type: spring, between: [ground, bob], at: [[0, 0, 0], [0.3, 0, -l]], stiffness: 1e4,
         length: l}
  side: {type: force, on: bob, at: [0.3, 0, -l], value: [k, 0, 0]}
simulation: {duration: 1, step: 1e-3}
output: {record: [bob.position, energy]}
"""


def example(name):
    return nutate.load(ROOT / "examples" / name / f"{name}.yaml")


def test_check(top):
    check = top.check()
    assert (check.bodies, check.joints, check.degrees_of_freedom) == (1, 1, 3)
    assert check.redundant == [] and "degrees of freedom 3" in str(check)
    bricard = example("bricard").check()
    assert len(bricard.redundant) == 1 and bricard.degrees_of_freedom == 1


def test_static():
    rest = nutate.loads(PENDULUM).static(record=["bob.position"])
    depth = 2 + 9.81 / 1e4
    assert rest["bob.position"].shape == (1, 3)
    assert np.allclose(rest["bob.position"][0], [0, 0, -depth], atol=1e-9)
    assert rest.stable and rest.frequency == pytest.approx(math.sqrt(9.81 / depth) / 2 / math.pi)
    assert rest.state.q[2] == pytest.approx(-depth)


def test_static_with_derivatives():
    model = nutate.loads(PENDULUM)
    rest = model.static(sens=["l", "k"], record=["bob.position"])
    d = rest.derivative("bob.position", "k")[0]
    h = 1e-3
    ends = [model.static(record=["bob.position"], k=s * h)["bob.position"][0] for s in (1, -1)]
    assert np.allclose(d, (ends[0] - ends[1]) / (2 * h), atol=1e-6)
    assert rest.derivative("bob.position", "l")[0][2] == pytest.approx(-1, abs=1e-6)


def test_a_path_of_static_states(command, tmp_path):
    model = example("two_bar_truss")
    path = ROOT / "examples" / "two_bar_truss" / "two_bar_truss.yaml"
    file = tmp_path / "path.csv"
    subprocess.run([command, "static", path, "--arc-length", "-o", file, "--quiet"], check=True)
    found = model.static(arc_length=True)
    expected = nutate.open(file)
    assert found.columns[0].name == "load"
    assert found.data.tobytes() == expected.data.tobytes()
    assert len(found.limits) == 2


def test_modes(command, tmp_path):
    path = ROOT / "examples" / "jeffcott_rotor" / "jeffcott_rotor.yaml"
    file = tmp_path / "modes.csv"
    subprocess.run([command, "modes", path, "-o", file, "--quiet"], check=True)
    with open(file) as rows:
        expected = [float(row["frequency"]) for row in csv.DictReader(rows)]
    modes = nutate.load(path).modes()
    assert np.array_equal(modes.frequencies, expected)
    assert modes.shapes.shape == (len(modes), len(modes.state.v))
    assert np.all(modes.residuals < 1e-10)
    with pytest.raises(KeyError, match="there is no body"):
        modes.displacement("nobody")
    with pytest.raises(ValueError, match="about: expected one of static"):
        nutate.load(path).modes(about="somewhere")


def test_modes_change_with_parameters():
    model = nutate.loads(PENDULUM)
    modes = model.modes()
    assert modes.frequencies[0] == pytest.approx(
        math.sqrt(9.81 / (2 + 9.81 / 1e4)) / 2 / math.pi, rel=1e-9
    )
    assert modes.displacement("bob").shape == (3, 6)
    stiff = model.modes(l=2.2)
    rates = modes.derivatives("l")
    change = stiff.frequencies[2] - modes.frequencies[2]
    assert rates.frequencies[2] * 0.2 == pytest.approx(change, abs=0.1 * abs(change) + 1e-9)
    campbell = model.campbell("l", [1.5, 2, 2.5])
    assert campbell.frequencies.shape == (3, 3)
    assert campbell.frequencies[0, 1] == pytest.approx(modes.frequencies[0], rel=1e-9)


def test_linearise():
    linear = nutate.loads(PENDULUM).linearise(["side.value.x"], ["bob.position"])
    depth = 2 + 9.81 / 1e4
    assert linear.A.shape == (6, 6) and linear.B.shape == (6, 1) and linear.C.shape == (3, 6)
    assert linear.inputs == ["side.value.x"]
    static = linear.response([0.0])[0]
    assert static[0, 0] == pytest.approx(depth / 9.81, rel=1e-6)
    with pytest.raises(nutate.UsageError, match="side.value.x"):
        nutate.loads(PENDULUM).linearise(["sid.value.x"], [])


def test_orbit():
    model = nutate.loads(
        """nutate: 1
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0]}}
joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [1, 0, 0]}}
simulation: {duration: 5, step: 1e-2}
"""
    )
    orbit = model.orbit(free=True)
    frequency = math.sqrt(9.81 / 1.1)
    period = 4 * agm_period(math.sin(math.pi / 4)) / frequency
    assert orbit.period == pytest.approx(period, rel=1e-6)
    assert orbit.stability == "neutral" and orbit.miss < 1e-8
    assert abs(np.prod(orbit.multipliers)) == pytest.approx(1, rel=1e-6)
    with pytest.raises(nutate.UsageError, match="needs the period"):
        model.orbit()


def test_orbits_that_advance():
    """Two masses on a line with a spring between them: the whole moves on while they swing."""
    line = """nutate: 1
gravity: [0, 0, 0]
parameters: {k: 40}
bodies:
  cart: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}
  bob: {mass: 1, inertia: [1, 1, 1], position: [1.2, 0, 0], velocity: [1, 0, 0]}
joints:
  track: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}
  rail: {type: prismatic, between: [ground, bob], at: [1.2, 0, 0], axis: [1, 0, 0]}
forces: {spring: {type: spring, between: [cart, bob], at: [[0, 0, 0], [1.2, 0, 0]], stiffness: k, length: 1}}
simulation: {duration: 5, step: 1e-2}
"""
    model = nutate.loads(line)
    period = 2 * math.pi / math.sqrt(40 * 1.5)
    orbit = model.orbit(period, advance=["position.x"])
    assert orbit.advances["position.x"] == pytest.approx(period, rel=1e-9)  # at 1 m/s
    given = model.orbit(period, advance={"position.x": period})
    assert given.miss < 1e-8
    with pytest.raises(nutate.UsageError, match="no coordinate 'cat.position.x'"):
        model.orbit(period, advance=["cat.position.x"])


def test_a_path_of_orbits():
    """Van der Pol's period is 2 pi (1 + mu^2/16 + ...): T(1) = 6.6632868593."""
    model = nutate.load(ROOT / "examples" / "limit_cycle" / "limit_cycle.yaml")
    path = model.orbit_path("mu", 1.0, free=True, points=3, steps=300, mu=0.5)
    assert len(path) >= 3 and path[-1].value == pytest.approx(1)
    assert path[-1].period == pytest.approx(6.6632868593, rel=1e-6)
    assert all(orbit.stability == "stable" and orbit.event == "" for orbit in path)
    assert [orbit.period for orbit in path] == sorted(orbit.period for orbit in path)
    with pytest.raises(nutate.UsageError, match="no parameter 'um'"):
        model.orbit_path("um", 1.0, free=True)
    with pytest.raises(nutate.UsageError, match="points"):
        model.orbit_path("mu", 1.0, free=True, points=1)


def agm_period(k):
    """The complete elliptic integral K(k)."""
    a, b = 1.0, math.sqrt(1 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)
