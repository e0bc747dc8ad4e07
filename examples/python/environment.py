"""A pendulum to swing up, with the interface of Gymnasium's environments but without its package:
reset, step, action_space, observation_space. Whatever learns with that interface can use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import nutate

TEXT = """nutate: 1
title: Pendulum to swing up
parameters: {angle: 0, motor: 0}
bodies:
  rod: {mass: 1, inertia: [0.09, 0.09, 0.01], center_of_mass: [0, 0, -0.5],
        orientation: {rotation_vector: [0, angle, 0]}}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  drive: {type: joint_torque, joint: hinge, value: motor}
simulation: {step: 5e-3, method: generalized-alpha-soi2}
"""


class Box:
    """Arrays between two bounds, as gymnasium.spaces.Box has them."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        self.shape, self.dtype = self.low.shape, self.low.dtype

    def contains(self, x: Any) -> bool:
        return bool(np.shape(x) == self.shape and np.all(x >= self.low) and np.all(x <= self.high))

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(self.low, self.high)


class SwingUp:
    """Observation: cosine and sine of the angle from hanging, rate (rad/s). Action: torque, N m. An
    episode ends after 10 s."""

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None
    tick, longest = 0.05, 200  # s, ticks

    def __init__(self) -> None:
        self.action_space = Box([-3.0], [3.0])
        self.observation_space = Box([-1, -1, -100], [1, 1, 100])
        self._stepper = nutate.loads(TEXT).stepper()
        self._random = np.random.default_rng()
        self._ticks, self._begin = 0, 0.0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._begin = float(self._random.uniform(-0.1, 0.1))
        self._stepper.set(angle=self._begin, motor=0.0)
        self._ticks = 0
        return self._look(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        torque = float(np.clip(action, self.action_space.low, self.action_space.high)[0])
        self._stepper.load("motor", torque)
        self._ticks += 1
        self._stepper.advance(self._ticks * self.tick)
        seen = self._look()
        reward = -seen[0] - 0.001 * torque**2 - 0.01 * seen[2] ** 2
        return seen, float(reward), False, self._ticks >= self.longest, {"t": self._stepper.t}

    def close(self) -> None:
        self._stepper.close()

    def _look(self) -> np.ndarray:
        angle = self._begin + self._stepper["hinge.angle"]
        return np.array([np.cos(angle), np.sin(angle), self._stepper["hinge.rate"]])


def pump(seen: np.ndarray) -> np.ndarray:
    """Pushes along with the motion until there is energy for the top, then holds it there."""
    cosine, sine, rate = seen
    if cosine < -0.9:
        from_top = np.arctan2(-sine, -cosine)
        return np.array([-60 * from_top - 12 * rate])
    energy = 0.5 * 0.34 * rate**2 - 9.80665 * 0.5 * cosine  # J, 4.9 at the top
    return np.array([3.0 * np.sign(rate) * (energy < 9.80665 * 0.5) or 0.0])


def main() -> None:
    environment = SwingUp()
    seen, _ = environment.reset(seed=1)
    total, over = 0.0, False
    while not over:
        seen, reward, _, over, info = environment.step(pump(seen))
        total += reward
    print(
        f"after {info['t']:.1f} s: cosine {seen[0]:.3f}, rate {seen[2]:.3f} rad/s, return {total:.1f}"
    )


if __name__ == "__main__":
    main()
