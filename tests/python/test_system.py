"""Equations written in Python, integrated by the library's methods."""

import numpy as np
import pytest

import nutate

G = 9.81


class Pendulum(nutate.System):
    space = [nutate.Rn(1)]

    def residual(self, at):
        return at.vdot + G * np.sin(at.q)

    def energy(self, at):
        return 0.5 * at.v[0] ** 2, -G * np.cos(at.q[0]), 0.0


class PendulumWithTangent(Pendulum):
    position_forces = True

    def tangent(self, at):
        return nutate.Tangent(mass=[[1]], damping=[[0]], stiffness=[[G * np.cos(at.q[0])]])

    def momenta(self):
        return [1.0], np.zeros((0, 3, 3))


class PointOnCircle(nutate.System):
    """The same pendulum as a point in the plane that keeps its distance."""

    space = [nutate.Rn(2)]
    holonomic = 1

    def residual(self, at):
        return at.vdot + np.array([0, G]) + 2 * at.q * at.lambda_

    def constraints(self, at):
        return np.array([at.q @ at.q - 1])


class Top(nutate.System):
    """A free body: I w' + w x I w = 0 in body axes."""

    space = [nutate.SO3()]
    frame = "body"
    inertia = np.diag([1.0, 2.0, 3.0])
    position_forces = True

    def residual(self, at):
        return self.inertia @ at.vdot + np.cross(at.v, self.inertia @ at.v)

    def momenta(self):
        return np.ones(3), self.inertia[None]


def exact():
    return nutate.integrate(
        PendulumWithTangent(),
        [1.5],
        [0],
        duration=2,
        step=1e-2,
        method="rkmk-dop853",
        tolerance=1e-13,
    )["q"][-1]


METHODS = [
    "generalized-alpha",
    "generalized-alpha-soi2",
    "rkmk-dopri5",
    "rkmk-dop853",
    "bdf",
    "theta",
    "stormer-verlet",
]


@pytest.mark.parametrize("method", METHODS)
def test_any_method_integrates_it(method):
    asked = {"tolerance": 1e-9} if method == "bdf" else {}
    result = nutate.integrate(
        PendulumWithTangent(), [1.5], [0], duration=2, step=1e-3, method=method, **asked
    )
    assert result["q"][-1] == pytest.approx(exact(), abs=5e-3 if method == "theta" else 2e-5)


def test_differences_do_where_no_tangent_is_given():
    with nutate.stepper(Pendulum(), [1.5], [0], step=1e-3) as s:
        assert s.check_tangent() < 1e-6
        s.advance(2)
        assert s.state.q[0] == pytest.approx(exact()[0] if exact().shape else exact(), abs=2e-5)


@pytest.mark.parametrize("method", ["generalized-alpha", "generalized-alpha-soi2", "rkmk-dop853"])
def test_constraints(method):
    begin = [np.sin(1.5), -np.cos(1.5)]
    with nutate.stepper(
        PointOnCircle(),
        begin,
        [0, 0],
        step=1e-2 if method == "rkmk-dop853" else 2e-3,
        method=method,
    ) as s:
        assert s.check_tangent() < 1e-4
        s.advance(2)
        end = s.state
    angle = float(np.ravel(exact())[0])
    assert np.allclose(end.q, [np.sin(angle), -np.cos(angle)], atol=2e-4)
    assert np.linalg.norm(end.q) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("method", ["generalized-alpha", "rkmk-dop853", "lie-newmark", "akw"])
def test_rotations(method):
    result = nutate.integrate(
        Top(),
        [1, 0, 0, 0],
        [0.1, 2, 0.1],
        duration=1,
        step=1e-2 if method == "rkmk-dop853" else 2e-3,
        method=method,
        **({"frame": "body"} if method == "generalized-alpha" else {})
    )
    q, w = result["q"], result["v"]
    assert np.allclose(np.linalg.norm(q, axis=1), 1, atol=1e-12)
    L = w @ Top.inertia
    assert np.allclose(np.linalg.norm(L, axis=1), np.linalg.norm(L[0]), rtol=1e-4)


class Trouble(Exception):
    pass


class Troubled(Pendulum):
    def residual(self, at):
        if at.t > 0.5:
            raise Trouble(at.t)
        return super().residual(at)


def test_exceptions_come_back_with_the_state_kept():
    with nutate.stepper(Troubled(), [1.5], [0], step=1e-2) as s:
        with pytest.raises(Trouble):
            s.advance(1)
        assert s.t == pytest.approx(0.5)
        saved = s.save()
        s.restore(saved)
        assert s.t == saved.t


class Wrong(Pendulum):
    def residual(self, at):
        return np.zeros(2)


def test_wrong_shapes_are_met():
    with pytest.raises(ValueError, match=r"shape \(1,\), got \(2,\)"):
        nutate.stepper(Wrong(), [0], [0], step=1e-2)
    with pytest.raises(ValueError, match="state.q has shape"):
        nutate.stepper(Pendulum(), [0, 1], [0], step=1e-2)
