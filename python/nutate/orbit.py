"""Motions that repeat: their periods, what they advance by, their multipliers, and paths of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._core import ffi, lib, owner_of, take_raised, text
from ._motion import Motion, Options, Setup
from .errors import Interrupted, Status, UsageError
from .state import State, pack_state

if TYPE_CHECKING:
    from .model import Model

#: names of what goes ever further, with the amount where it is given: m or rad
Advances = Union[Sequence[str], Mapping[str, Optional[float]]]

_STABILITY = {
    lib.NT_ORBIT_STABLE: "stable",
    lib.NT_ORBIT_NEUTRAL: "neutral",
    lib.NT_ORBIT_UNSTABLE: "unstable",
}
_EVENTS = {
    lib.NT_ORBIT_POINT: "",
    lib.NT_ORBIT_FOLD: "fold",
    lib.NT_ORBIT_DOUBLING: "doubling",
    lib.NT_ORBIT_BRANCH: "branch",
    lib.NT_ORBIT_TORUS: "torus",
}
_WHOLE = [f"{kind}.{axis}" for kind in ("position", "rotation") for axis in "xyz"]


def _copy(pointer: Any, *shape: int) -> npt.NDArray[np.float64]:
    n = math.prod(shape)
    if n == 0 or not pointer:
        return np.zeros(shape)
    return np.frombuffer(ffi.buffer(pointer, 8 * n)).reshape(shape).copy()


class Orbit:
    """A motion that repeats.

    period: s. state: the `State` at its begin. advances: by name, m or rad, what a period adds.
    multipliers (n,): complex, the first `trivial` are those of the flow, of the advances and of what
    every motion keeps. stability: "stable", "neutral" or "unstable", and words that say why. miss:
    how well it closes, units of length; steps_miss: by how much with twice as many steps, NaN along
    a path. iterations, steps. Of a point of a path: the value of its parameter, and the event there,
    "" or "fold", "doubling", "branch" or "torus".
    """

    def __init__(self, search: "OrbitSearch", orbit: Any) -> None:
        found = lib.nt_orbit_state(orbit)
        system = search.system
        self.value = math.nan
        self.event = ""
        self.period: float = found.period
        self.state = State(
            found.start,
            _copy(found.q, system.space.nq),
            _copy(found.v, system.space.nv),
            memory=_copy(found.memory, system.n_memory),
            lambda_=np.zeros(system.nh),
            mu=np.zeros(system.nn),
        )
        amounts = _copy(found.advance, len(search.names)).tolist()
        self.advances: dict[str, float] = dict(zip(search.names, amounts))
        self.multipliers: npt.NDArray[np.complex128] = (
            _copy(found.multiplier, found.dimension, 2).view(complex).ravel()
        )
        self.trivial: int = found.trivial
        self.stability: str = _STABILITY.get(found.stability, "unknown")
        room = ffi.new("char[]", 1200)
        self.words: str = text(lib.nt_orbit_words(orbit, room, 1200))
        self.miss: float = found.miss
        self.steps: int = found.steps
        self.iterations: int = found.iterations
        self.steps_miss = math.nan

    def __repr__(self) -> str:
        return f"<Orbit of {self.period:.9g} s, {self.words}>"


class OrbitSearch(Motion):
    """An nt_orbit of a model."""

    orbit: Any = ffi.NULL
    names: list[str]

    def __init__(
        self,
        model: "Model",
        values: Mapping[str, float],
        period: Optional[float] = None,
        free: bool = False,
        steps: Optional[int] = None,
        segments: int = 0,
        method: Optional[str] = "rkmk-dop853",
        options: Optional[Options] = None,
        state: Optional[State] = None,
        advance: Advances = (),
    ) -> None:
        if period is None and not free:
            raise UsageError("orbit needs the period, or free=True to find it")
        super().__init__(model, Setup(method, options=options), values)
        self.path: list[Orbit] = []
        to = self.setup
        to.tolerance, to.minimum_step, to.maximum_step = [0.0] * 4, 0.0, 0.0
        to.energy_check = lib.NT_ENERGY_UNWATCHED
        packed, keep = (None, None) if state is None else pack_state(self.system, state)
        self.begin(packed)
        del keep
        simulation = lib.nt_model_simulation(model._pointer)
        at = lib.nt_integrator_state(self.integrator)
        guess = period or (simulation.duration / 10 if simulation.duration > 0 else 1.0)
        if steps is None:
            steps = max(200, math.ceil(guess / simulation.step)) if simulation.step > 0 else 1000
        setup = ffi.new("nt_orbit_setup *")
        setup.integrator, setup.start = to, at.t
        setup.q, setup.v, setup.memory = at.q, at.v, at.memory
        setup.period, setup.free, setup.steps, setup.segments = guess, int(free), steps, segments
        setup.autonomous = int(not lib.nt_model_clock(model._pointer, ffi.NULL))
        given = advance if isinstance(advance, Mapping) else {name: None for name in advance}
        self.names = list(given)
        advances = ffi.new("nt_orbit_advance[]", max(len(given), 1))
        for entry, (name, amount) in zip(advances, given.items()):
            entry.coordinate = self._coordinate(name)
            entry.found, entry.value = int(amount is None), float(amount or 0)
        setup.advances, setup.n_advances = advances, len(given)
        orbit = ffi.new("nt_orbit **")
        self.check(lib.nt_orbit_create(orbit, setup, self.error))
        self.orbit = orbit[0]
        if period is None:
            longest, h = simulation.duration, simulation.step
            h = min(h, longest / 200) if h > 1e-5 * longest else longest / 2000
            self.check(lib.nt_orbit_guess_period(self.orbit, longest, h, self.error))
        self.check(lib.nt_orbit_find(self.orbit, self.error))

    def _coordinate(self, name: str) -> int:
        """"position.x" of the whole model, or "cart.position.x": the entry of v that it names."""
        if name in _WHOLE:
            return int(lib.NT_ALONG_X) - _WHOLE.index(name)
        body, _, rest = name.partition(".")
        kind, _, axis = rest.rpartition(".")
        words = {
            "position": "translation of body {} along {}",
            "rotation": "rotation of body {} about {}",
        }
        wanted = words.get(kind, "").format(body, axis)
        for i in range(self.system.space.nv):
            if self.name_of(i) == wanted:
                return i
        raise UsageError(
            f"the model has no coordinate '{name}' to advance, expected position.x (y, z) or "
            "rotation.x (y, z) of the whole model, or of a body as in wheel.rotation.y"
        )

    def found(self) -> Orbit:
        """The orbit, and what its steps are wrong by."""
        orbit = Orbit(self, self.orbit)
        miss = ffi.new("double *")
        self.check(lib.nt_orbit_check_steps(self.orbit, miss, self.error))
        orbit.steps_miss = miss[0]
        return orbit

    def follow(self, parameter: str, to: float, step: float, most: int) -> list[Orbit]:
        """The orbits as a parameter goes to a value."""
        place = self.model._parameter(parameter)
        status = lib.nt_orbit_follow(
            self.orbit, place, to, step, most, lib.py_orbit_point, self.handle(), self.error
        )
        if status == Status.INTERRUPTED:
            raised = take_raised(self)
            if raised is not None and type(raised) is not KeyboardInterrupt:
                raise raised
            raise Interrupted("interrupted on the path", self.path) from None
        self.check(status)
        return self.path

    def point(self, orbit: Any, value: float, event: int) -> int:
        """Keeps a point of the path."""
        found = Orbit(self, orbit)
        found.value, found.event = value, _EVENTS.get(event, "")
        self.path.append(found)
        return 0

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        lib.nt_orbit_destroy(self.orbit)
        self.orbit = ffi.NULL
        super().close()


@ffi.def_extern(onerror=lambda *unused: 1)
def py_orbit_point(context: Any, orbit: Any, value: float, event: int) -> int:
    """Tells a search of a point of its path."""
    owner = owner_of(context)
    try:
        return 1 if owner is None else int(owner.point(orbit, value, event))
    except BaseException as raised:
        owner.raised = raised
        return 1
