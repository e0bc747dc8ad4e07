"""Forces and constraints by functions of Python.

A force of the type `python` and a joint of the type `python_joint` name a function, which is given
with the model:

    def drag(t, a, b):
        return -0.3 * b.velocity

    def on_the_slope(t, a, b):
        return [b.position @ [0, 0.6, 0.8]]

    model = nutate.load("model.yaml", laws={"drag": drag, "on_the_slope": on_the_slope})

with `forces: {air: {type: python, between: [ground, ball], law: drag}}` and `joints: {slope: {type:
python_joint, between: [ground, ball], law: on_the_slope, rows: 1}}` in the file. In code the
function itself is the law: `forces.Python(between=["ground", "ball"], law=drag)`.

A force returns the force on B (3,), N, in ground axes, or (force, moment), the moment about B's
reference point, N m; the opposite acts on A at the same point. It may depend on time, positions and
velocities; it is asked at places beside the motion, for derivatives, and has to return the same for
the same arguments.

A joint returns its equations (rows,), which are zero where the joint is closed and depend on time
and positions alone; or (equations, jacobian), with jacobian (rows, 12) their derivatives along
displacements of A (m), turns of A (rad, ground axes), displacements and turns of B. Without a
jacobian a step takes some six hundred calls of the function, with one some twenty.

What a function raises ends the call that it was made in, and is raised there as it was; a motion
then stands at its last accepted step.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, Callable, Dict, Mapping, Optional

import numpy as np
import numpy.typing as npt

from ._core import check, ffi, lib, new_error, text

Array = npt.NDArray[np.float64]
Laws = Mapping[str, Callable[..., Any]]


class Motion:
    """How a body moves, as a law sees it: ground axes, of the body's reference point, which is its
    centre of mass, or its fixed point."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Array) -> None:
        self._numbers = numbers

    @property
    def position(self) -> Array:
        """(3,), m."""
        return self._numbers[0:3]

    @property
    def rotation(self) -> Array:
        """(3, 3), from body axes to ground axes."""
        return self._numbers[3:12].reshape(3, 3)

    @property
    def velocity(self) -> Array:
        """(3,), m/s."""
        return self._numbers[12:15]

    @property
    def angular_velocity(self) -> Array:
        """(3,), rad/s."""
        return self._numbers[15:18]


# ---- who is asked -------------------------------------------------------------------------------

_models: Dict[int, Laws] = {}
_runs: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
_now = threading.local()


def _number(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def give_laws(model: Any, laws: Laws) -> None:
    """Lets an nt_model use functions, as long as the pointer lives."""
    number = _number(model)
    _models[number] = laws
    weakref.finalize(model, _forget, number)


def _forget(number: int) -> None:
    _models.pop(number, None)


def own_run(run: Any, owner: Any) -> None:
    """Says which object made an nt_run, so that what a law raises in it is raised there; None: it is
    gone."""
    if owner is None:
        _runs.pop(_number(run), None)
    else:
        _runs[_number(run)] = owner


class calling:
    """While a model is read or a run is made: the laws, and who gets what they raise."""

    def __init__(self, laws: Laws, owner: Any) -> None:
        self.what = (laws, owner)

    def __enter__(self) -> None:
        self.before = getattr(_now, "what", None)
        _now.what = self.what

    def __exit__(self, *unused: Any) -> None:
        _now.what = self.before


def _find(model: Any, law: Any) -> Optional[Callable[..., Any]]:
    laws = _models.get(_number(model))
    if laws is None:
        what = getattr(_now, "what", None)
        laws = what[0] if what is not None else {}
    return laws.get(text(law))


def _owner(run: Any) -> Any:
    owner = _runs.get(_number(run))
    if owner is None:
        what = getattr(_now, "what", None)
        owner = what[1] if what is not None else None
    return owner


def _motions(pointer: Any) -> Any:
    numbers = np.frombuffer(ffi.buffer(pointer, 48 * 8)).copy()
    return Motion(numbers[:24]), Motion(numbers[24:])


@ffi.def_extern(error=0)
def py_has_law(model: Any, law: Any) -> int:
    """Whether the model's functions have one of this name."""
    return int(_find(model, law) is not None)


@ffi.def_extern(error=1)
def py_force(model: Any, run: Any, law: Any, t: float, motions: Any, out: Any) -> int:
    """Asks a law of a force."""
    owner = _owner(run)
    try:
        if owner is not None and owner.raised is not None:
            return 1
        function = _find(model, law)
        if function is None:
            raise KeyError(text(law))
        found = function(t, *_motions(motions))
        numbers = np.zeros(6)
        if isinstance(found, tuple) and len(found) == 2:
            numbers[:3], numbers[3:] = _three(found[0], law), _three(found[1], law)
        else:
            numbers[:3] = _three(found, law)
        ffi.memmove(out, numbers, 48)
        return 0
    except BaseException as raised:
        if owner is not None:
            owner.raised = raised
        return 1


def _three(value: Any, law: Any) -> Array:
    found = np.asarray(value, dtype=float)
    if found.shape != (3,):
        raise ValueError(
            f"law {text(law)} returned an array of shape {found.shape}, expected (3,), or a tuple "
            "of force and moment"
        )
    return found


@ffi.def_extern(error=1)
def py_equations(
    model: Any, run: Any, law: Any, t: float, motions: Any, n: int, phi: Any, jacobian: Any
) -> int:
    """Asks a law of a joint."""
    owner = _owner(run)
    try:
        if owner is not None and owner.raised is not None:
            return 1
        function = _find(model, law)
        if function is None:
            raise KeyError(text(law))
        found = function(t, *_motions(motions))
        derivative = None
        if isinstance(found, tuple) and len(found) == 2 and np.ndim(found[1]) == 2:
            found, derivative = found
        ffi.memmove(phi, _shaped(found, (n,), law), 8 * n)
        if derivative is not None:
            given = _shaped(derivative, (n, 12), law)
            if jacobian:
                ffi.memmove(jacobian, given, 96 * n)
        return 0
    except BaseException as raised:
        if owner is not None:
            owner.raised = raised
        return 1


def _shaped(value: Any, shape: Any, law: Any) -> Array:
    found = np.ascontiguousarray(value, dtype=float)
    if found.shape != shape:
        raise ValueError(f"law {text(law)}: expected an array of shape {shape}, got {found.shape}")
    return found


def _add_types() -> None:
    error = new_error()
    check(lib.py_add_laws(error), error)


_add_types()
