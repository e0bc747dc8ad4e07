"""Finds mass, inertia and friction of a pendulum from noisy measurements of its angle.

A motor drives the pendulum by a known torque. The residuals and their exact derivatives come from one
run with sensitivities; scipy.optimize.least_squares does the rest. Confidence intervals follow from
the derivatives at the solution: covariance = s^2 (J^T J)^-1.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import optimize, stats

import nutate

NAMES = ["mass", "inertia", "friction"]
TRUE = {"mass": 1.3, "inertia": 0.04, "friction": 0.07}  # kg, kg m^2, N m s
NOISE = 2e-3  # rad


def measure(model: nutate.Model, seed: int) -> np.ndarray:
    """Measured angles (rows,), rad: the true ones and noise."""
    angle = model.run(parameters=TRUE)["hinge.angle"]
    return angle + np.random.default_rng(seed).normal(0, NOISE, angle.shape)


def identify(model: nutate.Model, measured: np.ndarray) -> dict[str, tuple[float, float]]:
    """The value and the half-width of the 95 % confidence interval of each parameter."""
    last: dict[bytes, nutate.Result] = {}

    def run(values: np.ndarray) -> nutate.Result:
        key = values.tobytes()
        if key not in last:
            last.clear()
            last[key] = model.sens(NAMES, parameters=dict(zip(NAMES, values)))
        return last[key]

    def residuals(values: np.ndarray) -> np.ndarray:
        return run(values)["hinge.angle"] - measured

    def jacobian(values: np.ndarray) -> np.ndarray:
        return np.stack([run(values).derivative("hinge.angle", name) for name in NAMES], axis=1)

    begin = [model.parameters[name] for name in NAMES]
    found = optimize.least_squares(
        residuals, begin, jac=jacobian, bounds=(1e-4, np.inf), x_scale=begin, xtol=1e-12, ftol=1e-12
    )
    freedom = len(measured) - len(NAMES)
    covariance = np.linalg.inv(found.jac.T @ found.jac) * (2 * found.cost / freedom)
    widths = stats.t.ppf(0.975, freedom) * np.sqrt(np.diag(covariance))
    return {name: (value, width) for name, value, width in zip(NAMES, found.x, widths)}


def main() -> None:
    model = nutate.load(Path(__file__).with_name("pendulum.yaml"))
    found = identify(model, measure(model, seed=1))
    for name, (value, width) in found.items():
        print(f"{name:10s} {value:.5f} +- {width:.5f}   true {TRUE[name]}")


if __name__ == "__main__":
    main()
