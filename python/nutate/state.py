"""States: where a motion stands."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._core import ffi, lib

Array = npt.NDArray[np.float64]


class State:
    """A copy of a state, in SI units and rad.

    t: time, s. q (nq,): configuration; of a body the position of its centre of mass, ground axes,
    and its orientation as a unit quaternion (w, x, y, z). v (nv,): velocity; angular velocities in
    ground axes. vdot (nv,): its derivative. lambda_ (nh,) and mu (nn,): multipliers, N or N m, of
    holonomic and nonholonomic constraints. memory (n,): what the system keeps between steps. work:
    J, of non-potential forces since the start. step: s, size of the last step.
    """

    __slots__ = ("t", "q", "v", "vdot", "lambda_", "mu", "memory", "work", "step")

    t: float
    q: Array
    v: Array
    vdot: Array
    lambda_: Array
    mu: Array
    memory: Array
    work: float
    step: float

    def __init__(
        self,
        t: float,
        q: Any,
        v: Any,
        vdot: Any = None,
        lambda_: Any = (),
        mu: Any = (),
        memory: Any = (),
        work: float = 0.0,
        step: float = 0.0,
    ) -> None:
        self.t = float(t)
        self.q = np.asarray(q, dtype=float)
        self.v = np.asarray(v, dtype=float)
        self.vdot = np.zeros_like(self.v) if vdot is None else np.asarray(vdot, dtype=float)
        self.lambda_ = np.asarray(lambda_, dtype=float)
        self.mu = np.asarray(mu, dtype=float)
        self.memory = np.asarray(memory, dtype=float)
        self.work = float(work)
        self.step = float(step)

    def __reduce__(self) -> Any:
        return State, tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self.__slots__
        )

    def __repr__(self) -> str:
        return f"State(t={self.t!r}, q={self.q!r}, v={self.v!r})"


def copy_numbers(system: Any, state: Any) -> Any:
    """Copies an nt_state: what state_of makes a State of."""
    numbers = np.empty(lib.nt_state_room(system))
    copy = ffi.new("nt_state *")
    room = ffi.from_buffer("double[]", numbers)
    lib.nt_state_copy(copy, room, system, ffi.new("nt_state *", state))
    space = system.space
    return numbers, copy, room, (space.nq, space.nv, system.nh, system.nn, system.n_memory)


def state_of(copied: Any) -> State:
    """Returns the State of copied numbers, whose arrays are views of them."""
    numbers, copy, room, (nq, nv, nh, nn, n_memory) = copied
    begin = int(ffi.cast("uintptr_t", room))
    found = State.__new__(State)

    def part(pointer: Any, n: int) -> Array:
        if not pointer or n == 0:
            return np.zeros(n)
        place = (int(ffi.cast("uintptr_t", pointer)) - begin) // 8
        view: Array = numbers[place : place + n]
        return view

    found.t, found.work, found.step = copy.t, copy.work, copy.step
    found.q, found.v, found.vdot = part(copy.q, nq), part(copy.v, nv), part(copy.vdot, nv)
    found.lambda_, found.mu = part(getattr(copy, "lambda"), nh), part(copy.mu, nn)
    found.memory = part(copy.memory, n_memory)
    return found


def copy_state(system: Any, state: Any) -> State:
    """Returns a copy of an nt_state of a system, one of the library's."""
    return state_of(copy_numbers(system, state))


def pack_state(system: Any, state: State) -> Any:
    """Returns (nt_state *, owner) of a State: the pointer lives as long as the owner."""
    keep = [
        np.ascontiguousarray(getattr(state, name), dtype=float)
        for name in ("q", "v", "vdot", "lambda_", "mu", "memory")
    ]
    sizes = (
        system.space.nq,
        system.space.nv,
        system.space.nv,
        system.nh,
        system.nn,
        system.n_memory,
    )
    for array, n, name in zip(keep, sizes, ("q", "v", "vdot", "lambda_", "mu", "memory")):
        if array.shape != (n,):
            raise ValueError(f"state.{name} has shape {array.shape}, expected ({n},)")
    packed = ffi.new("nt_state *")
    packed.t, packed.work, packed.step = state.t, state.work, state.step
    for name, array in zip(("q", "v", "vdot", "lambda", "mu", "memory"), keep):
        setattr(packed, name, pointer_of(array))
    return packed, keep


def pointer_of(array: Optional[Array]) -> Any:
    """Returns the `double *` of an array, NULL of None and of empty ones."""
    if array is None or array.size == 0:
        return ffi.NULL
    return ffi.from_buffer("double[]", array)
