"""Equations of motion written in Python, integrated by any method of the library.

    class Pendulum(nutate.System):
        space = [nutate.Rn(1)]

        def residual(self, at):                # 0 = length vdot + gravity sin(q)
            return 1.0 * at.vdot + 9.81 * np.sin(at.q)

    result = nutate.integrate(Pendulum(), q=[1.5], v=[0.0], duration=2, step=1e-3)
    result["q"], result["v"]

A configuration is a product of blocks: `Rn(n)`, `SO3()` (q a unit quaternion w, x, y, z; v an angular
velocity), `R3SO3()` (q of 7, v of 6 numbers) and `First(n)` (numbers x without configuration, whose
x' stands in vdot). The equations are 0 = R(vdot, v, q, lambda, mu, t), with constraints 0 = Phi(q, t)
and 0 = kappa(v, q, t), whose forces stand in R.
"""

from __future__ import annotations

import math
from typing import Any, Callable, ClassVar, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._core import Owner, check, check_process, count_threads, ffi, lib, new_error, owner_of, text
from ._motion import (
    FRAMES,
    SOLVERS,
    Options,
    Setup,
    Tolerance,
    _option_text,
    choose,
    methods,
    suggestion,
)
from .errors import Error, Interrupted, Status, UsageError
from .result import Column, Result
from .state import State, copy_state, pack_state
from .stepper import Steps

Array = npt.NDArray[np.float64]


class Block:
    """A factor of a configuration space: see Rn, SO3, R3SO3 and First."""

    def __init__(self, kind: int, nq: int, nv: int) -> None:
        self.kind, self.nq, self.nv = kind, nq, nv


def Rn(n: int) -> Block:
    """n numbers."""
    return Block(lib.NT_RN, n, n)


def SO3() -> Block:
    """A rotation: a unit quaternion and an angular velocity in the system's frame."""
    return Block(lib.NT_SO3, 4, 3)


def R3SO3() -> Block:
    """A point in space and a rotation."""
    return Block(lib.NT_R3SO3, 7, 6)


def First(n: int) -> Block:
    """n numbers x of first order: v holds x, vdot holds x', and q has no entry."""
    return Block(lib.NT_FIRST, 0, n)


class Point:
    """Where equations are looked at: t (s), q (nq,), v (nv,), vdot (nv,), lambda_ (nh,), mu (nn,).
    Copies, which a system may keep."""

    __slots__ = ("t", "q", "v", "vdot", "lambda_", "mu")

    def __init__(
        self, t: float, q: Array, v: Array, vdot: Array, lambda_: Array, mu: Array
    ) -> None:
        self.t, self.q, self.v, self.vdot = t, q, v, vdot
        self.lambda_, self.mu = lambda_, mu

    def moved(self, **changes: Any) -> "Point":
        """The same with other numbers."""
        return Point(**{**{name: getattr(self, name) for name in self.__slots__}, **changes})


class Tangent:
    """Derivatives of the residual at a point: mass (nv, nv) in vdot, damping (nv, nv) in v, stiffness
    (nv, nv) along increments of q, and that of the constraints along increments, holonomic
    (nh, nv). What is left out (None) is found by differences."""

    def __init__(
        self,
        mass: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        holonomic: Any = None,
    ) -> None:
        self.mass, self.damping, self.stiffness = mass, damping, stiffness
        self.holonomic = holonomic


class System:
    """Equations of motion. A subclass gives `space` and `residual`, and what else it has."""

    #: the blocks of the configuration
    space: ClassVar[Sequence[Block]] = ()
    #: of angular velocities: "inertial" (ground axes) or "body"
    frame: ClassVar[str] = "inertial"
    #: how many constraints in positions and in velocities
    holonomic: ClassVar[int] = 0
    nonholonomic: ClassVar[int] = 0
    #: a length that is typical of the system, m
    length: ClassVar[float] = 1.0
    #: promises: R is affine in vdot, lambda and mu, as that of mechanical systems is; and forces but
    #: gyroscopic ones depend on q and t alone
    affine: ClassVar[bool] = True
    position_forces: ClassVar[bool] = False

    def residual(self, at: Point) -> Any:
        """R (nv,), N and N m, with the forces of multipliers."""
        raise NotImplementedError

    def tangent(self, at: Point) -> Optional[Tangent]:
        """Its derivatives; None: by differences."""
        return None

    def constraints(self, at: Point) -> Any:
        """Phi (nh,) of positions at.q and time."""
        return np.zeros(0)

    def rates(self, at: Point) -> Any:
        """kappa (nn,) of velocities, positions and time."""
        return np.zeros(0)

    def energy(self, at: Point) -> Optional[Tuple[float, float, float]]:
        """Kinetic and potential energy, J, and the power of all forces that have no potential, W;
        None: not known."""
        return None

    def momenta(self) -> Optional[Tuple[Any, Any]]:
        """For methods that advance momenta: the mass of each entry of v (nv,), and the body inertia
        of each rotation (n, 3, 3); None: not constant."""
        return None


class Evaluation:
    """A System as the library sees it."""

    STEP = 1e-6  # of differences, relative to 1 + |x|: derivatives are good to some 1e-9

    def __init__(self, system: System) -> None:
        self.system = system
        blocks = list(system.space)
        self.blocks = ffi.new("nt_block[]", max(len(blocks), 1))
        for to, block in zip(self.blocks, blocks):
            to.kind, to.nv = block.kind, block.nv
        self.c = ffi.new("nt_system *")
        lib.nt_space_init(ffi.addressof(self.c, "space"), self.blocks, len(blocks))
        self.nq, self.nv = self.c.space.nq, self.c.space.nv
        self.nh, self.nn = system.holonomic, system.nonholonomic
        self.name = ffi.new("char[]", type(system).__name__.encode())
        self.c.name, self.c.frame = self.name, choose(FRAMES, system.frame, "frame")
        self.c.nh, self.c.nn, self.c.length = self.nh, self.nn, system.length
        self.c.evaluate = lib.py_evaluate
        bits = lib.NT_HAS_TANGENT | lib.NT_ALL_LEVELS
        bits |= lib.NT_AFFINE if system.affine else 0
        bits |= lib.NT_POSITION_FORCES if system.position_forces else 0
        if type(system).energy is not System.energy:
            bits |= lib.NT_HAS_ENERGY
            self.c.energy = lib.py_energy
        momenta = system.momenta()
        if momenta is not None:
            bits |= lib.NT_HAS_MOMENTA
            self.masses = np.array(momenta[0], dtype=float).reshape(self.nv)
            self.inertias = np.array(momenta[1], dtype=float).reshape(self.c.space.n_rotations, 9)
            self.momenta = ffi.new("nt_momenta *")
            self.momenta.mass = ffi.from_buffer("double[]", self.masses)
            self.momenta.inertia = ffi.from_buffer("double[]", self.inertias)
            self.c.momenta = self.momenta
        self.c.capabilities = bits

    # ---- the residual and its parts

    def residual(self, at: Point) -> Array:
        found = np.asarray(self.system.residual(at), dtype=float)
        if found.shape != (self.nv,):
            raise ValueError(
                f"residual: expected an array of shape ({self.nv},), got {found.shape}"
            )
        return found

    def part(self, at: Point, parts: int) -> Array:
        """Those parts of the residual: the mass is what goes with vdot, reactions are what goes with
        multipliers, and all else counts as an implicit force."""
        none = np.zeros(self.nv)
        still = at.moved(vdot=none)
        loose = still.moved(lambda_=np.zeros(self.nh), mu=np.zeros(self.nn))
        if parts & lib.NT_ALL_PARTS == lib.NT_ALL_PARTS:
            return self.residual(at)
        found = none.copy()
        if parts & lib.NT_MASS:
            found += self.residual(at) - self.residual(still)
        if parts & lib.NT_REACTIONS and self.nh + self.nn > 0:
            found += self.residual(still) - self.residual(loose)
        if parts & lib.NT_IMPLICIT:
            found += self.residual(loose)
        return found

    def rows(self, at: Point, level: int) -> Array:
        """Phi and kappa, or their derivatives along the motion."""

        def phi(p: Point) -> Array:
            return self.shaped(self.system.constraints(p), self.nh, "constraints")

        def kappa(p: Point) -> Array:
            return self.shaped(self.system.rates(p), self.nn, "rates")

        def along(s: float) -> Point:
            v = at.v + s * at.vdot
            return at.moved(t=at.t + s, q=self.compose(at.q, s * at.v + s * s / 2 * at.vdot), v=v)

        rate = max(
            1.0,
            float(np.max(np.abs(at.v), initial=0)),
            math.sqrt(float(np.max(np.abs(at.vdot), initial=0))),
        )
        h = 3e-3 / rate
        first = [1, -8, 0, 8, -1], [-2, -1, 0, 1, 2]
        holonomic, nonholonomic = np.zeros(self.nh), np.zeros(self.nn)
        if self.nh > 0:
            if level == lib.NT_POSITION:
                holonomic = phi(at)
            elif level == lib.NT_VELOCITY:
                still = at.moved(vdot=np.zeros(self.nv))
                at, kept = still, at
                holonomic = sum((w * phi(along(k * h)) for w, k in zip(*first) if w), holonomic)
                holonomic, at = holonomic / (12 * h), kept
            else:
                second = [-1, 16, -30, 16, -1]
                holonomic = sum(
                    (w * phi(along((k - 2) * h)) for k, w in enumerate(second)), holonomic
                )
                holonomic = holonomic / (12 * h * h)
        if self.nn > 0:
            if level == lib.NT_ACCELERATION:
                nonholonomic = sum(
                    (w * kappa(along(k * h)) for w, k in zip(*first) if w), nonholonomic
                )
                nonholonomic = nonholonomic / (12 * h)
            else:
                nonholonomic = kappa(at)
        return np.concatenate([holonomic, nonholonomic])

    @staticmethod
    def shaped(value: Any, n: int, what: str) -> Array:
        found = np.asarray(value, dtype=float)
        if found.shape != (n,):
            raise ValueError(f"{what}: expected an array of shape ({n},), got {found.shape}")
        return found

    def compose(self, q: Array, dq: Array) -> Array:
        """q moved by an increment."""
        out = np.empty(self.nq)
        lib.nt_space_compose(
            ffi.addressof(self.c, "space"),
            self.c.frame,
            ffi.from_buffer("double[]", q if q.size else np.zeros(1)),
            ffi.from_buffer("double[]", np.ascontiguousarray(dq)),
            ffi.from_buffer("double[]", out if out.size else np.zeros(1), require_writable=True),
        )
        return out

    # ---- derivatives

    def difference(self, of: Callable[[Point], Array], at: Point, what: str, n: int) -> Array:
        """The derivative of a function in q (along increments), v, vdot, lambda_ or mu: columns."""
        columns = []
        for i in range(n):
            size = 1.0 if what == "q" else 1 + abs(float(getattr(at, what)[i]))
            h = self.STEP * size
            step = np.zeros(n)
            step[i] = h
            if what == "q":
                ends = [at.moved(q=self.compose(at.q, s * step)) for s in (1, -1)]
            else:
                ends = [at.moved(**{what: getattr(at, what) + s * step}) for s in (1, -1)]
            columns.append((of(ends[0]) - of(ends[1])) / (2 * h))
        return np.array(columns).T if columns else np.zeros((len(of(at)), 0))

    def matrix(self, at: Point, parts: int, level: int, c: Any) -> Dict[str, Array]:
        """The blocks of the matrix for a combination."""
        nv, nh, nn = self.nv, self.nh, self.nn
        given = self.system.tangent(at) or Tangent()
        whole = parts & lib.NT_ALL_PARTS == lib.NT_ALL_PARTS

        def known(value: Any, what: str) -> Array:
            if value is not None and whole:
                return np.asarray(value, dtype=float).reshape(nv, nv)
            return self.difference(lambda p: self.part(p, parts), at, what, nv)

        found = np.zeros((nv, nv))
        for factor, value, what in (
            (c.mass, given.mass, "vdot"),
            (c.damping, given.damping, "v"),
            (c.stiffness, given.stiffness, "q"),
        ):
            if factor != 0:
                found += factor * known(value, what)
        blocks = {"vv": found}
        if nh + nn == 0:
            return blocks
        blocks["rows"] = self.row_matrix(at, level, c, given)
        if parts & lib.NT_REACTIONS:
            G = np.hstack(
                [
                    self.difference(self.residual, at, "lambda_", nh).reshape(nv, nh),
                    self.difference(self.residual, at, "mu", nn).reshape(nv, nn),
                ]
            )
            blocks["forces"] = c.multiplier * G
        return blocks

    def row_matrix(self, at: Point, level: int, c: Any, given: Tangent) -> Array:
        """Derivatives of the constraint rows of a level."""
        nv, nh = self.nv, self.nh

        def rows(p: Point) -> Array:
            return self.rows(p, level)

        found = np.zeros((nh + self.nn, nv))
        if level == lib.NT_ACCELERATION and c.row_mass != 0:
            found += c.row_mass * self.difference(rows, at, "vdot", nv)
        if c.row_damping != 0:
            part = c.row_damping * self.difference(rows, at, "v", nv)
            if level == lib.NT_POSITION:
                part[:nh] = 0
            found += part
        if c.row_stiffness != 0:
            if level == lib.NT_POSITION and given.holonomic is not None and self.nn == 0:
                found += c.row_stiffness * np.asarray(given.holonomic, float).reshape(nh, nv)
            else:
                found += c.row_stiffness * self.difference(rows, at, "q", nv)
        return found


# ---- calls of the library -----------------------------------------------------------------------


def _numbers(pointer: Any, n: int) -> Array:
    if n == 0 or not pointer:
        return np.zeros(n)
    return np.frombuffer(ffi.buffer(pointer, 8 * n)).copy()


def _point(e: Evaluation, at: Any) -> Point:
    return Point(
        at.t,
        _numbers(at.q, e.nq),
        _numbers(at.v, e.nv),
        _numbers(at.vdot, e.nv),
        _numbers(getattr(at, "lambda"), e.nh),
        _numbers(at.mu, e.nn),
    )


def _add(pointer: Any, values: Array, write: bool = False) -> None:
    if values.size == 0:
        return
    to = np.frombuffer(ffi.buffer(pointer, 8 * values.size)).reshape(values.shape)
    to[...] = values if write else to + values


@ffi.def_extern(error=lib.NT_NO_MEMORY)
def py_evaluate(self: Any, at: Any, terms: Any) -> int:
    """Asks a System for residual, rows and matrix."""
    owner = owner_of(self)
    if owner is None or owner.raised is not None:
        return int(lib.NT_NO_MEMORY)  # for lack of memory nothing is tried again
    try:
        e: Evaluation = owner.evaluation
        point = _point(e, at)
        if terms.residual:
            _add(terms.residual, e.part(point, terms.parts))
        if terms.rows:
            _add(terms.rows, e.rows(point, terms.level), write=True)
        if terms.matrix:
            blocks = e.matrix(point, terms.parts, terms.level, terms.combination)
            for slot, name in enumerate(("vv", "forces", "rows")):
                if name in blocks:
                    _add(lib.nt_matrix_block(terms.matrix, slot), blocks[name])
        return 0
    except FloatingPointError:
        return int(lib.NT_NOT_FINITE)
    except BaseException as raised:
        owner.raised = raised
        return int(lib.NT_NO_MEMORY)


@ffi.def_extern(error=lib.NT_NO_MEMORY)
def py_energy(self: Any, at: Any, energy: Any) -> int:
    """Asks a System for its energies."""
    owner = owner_of(self)
    if owner is None or owner.raised is not None:
        return int(lib.NT_NO_MEMORY)
    try:
        found = owner.evaluation.system.energy(_point(owner.evaluation, at))
        energy.kinetic, energy.potential, energy.power = found
        return 0
    except BaseException as raised:
        owner.raised = raised
        return int(lib.NT_NO_MEMORY)


# ---- motions ------------------------------------------------------------------------------------


class SystemStepper(Steps):
    """A motion of a System, step by step: as a `Stepper` of a model, but for what is recorded."""

    def __init__(
        self, system: System, q: Any, v: Any, t: float, h: Optional[float], setup: Setup
    ) -> None:
        check_process()
        self.integrator = self.run = ffi.NULL
        self._counted = 0
        self.error = new_error()
        self.evaluation = Evaluation(system)
        self.system = self.evaluation.c
        self.system.self = self.handle()
        self._step_size = math.nan if h is None else float(h)
        to = ffi.new("nt_integrator_setup *")
        to.system = self.system
        method = setup.method or "generalized-alpha"
        to.method = lib.nt_method_find(method.encode())
        if not to.method:
            raise UsageError(f"there is no method '{method}'{suggestion(method, methods())}")
        self.method = method
        words = [
            (ffi.new("char[]", k.encode()), ffi.new("char[]", _option_text(x).encode()))
            for k, x in (setup.options or {}).items()
        ]
        options = ffi.new("nt_option[]", words) if words else ffi.NULL
        to.options, to.n_options = options, len(words)
        to.frame = choose(FRAMES, setup.frame or "inertial", "frame")
        to.solver = choose(SOLVERS, setup.solver, "solver")
        to.energy_check = lib.NT_ENERGY_ENDS if setup.energy_check else lib.NT_ENERGY_UNWATCHED
        to.track_work = int(bool(self.system.energy))
        if setup.tolerance is not None:
            given = setup.tolerance
            to.tolerance = (
                [float(given)] * 4
                if not isinstance(given, Mapping)
                else [
                    float(given.get(k, 0))
                    for k in ("position", "rotation", "velocity", "angular_velocity")
                ]
            )
        to.stop.requested = ffi.addressof(lib, "py_stop_asked")
        pointer = ffi.new("nt_integrator **")
        self.check(lib.nt_integrator_create(pointer, to, self.error))
        self.integrator = pointer[0]
        self._begin_steps()
        self.start(State(t, q, v))

    def start(self, state: State) -> None:
        """Begins anew at t, q and v of a state."""
        e = self.evaluation
        full = State(state.t, state.q, state.v, np.zeros(e.nv), np.zeros(e.nh), np.zeros(e.nn))
        packed, keep = pack_state(self.system, full)
        self.check(
            lib.nt_integrator_start(
                self.integrator, packed.t, packed.q, packed.v, ffi.NULL, self.error
            )
        )
        del keep
        self._stale = False

    def refresh(self) -> None:
        """Says that the system's equations have changed (a load, a parameter of its own)."""
        with self._alone():
            self._stale = True

    def check_tangent(self) -> float:
        """The largest difference between the tangent and differences of the residual at the present
        state, relative to the largest entry of the column."""
        state = lib.nt_integrator_state(self._open())
        at = ffi.new("nt_point *")
        at.t, at.q, at.v, at.vdot, at.mu = state.t, state.q, state.v, state.vdot, state.mu
        setattr(at, "lambda", getattr(state, "lambda"))
        out = ffi.new("double *")
        self.check(lib.nt_system_check_tangent(self.system, at, 1e-5, out, self.error))
        return float(out[0])

    def unknown(self) -> Optional[str]:
        """Words for the unknown that the last failed step named."""
        number = lib.nt_integrator_failed_unknown(self.integrator) if self.integrator else -1
        return f"unknown {number}" if number >= 0 else None

    def _saved_parameters(self) -> Dict[str, float]:
        return {}

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        lib.nt_integrator_destroy(self.integrator)
        self.integrator = ffi.NULL

    def __enter__(self) -> "SystemStepper":
        return self


def stepper(
    system: System,
    q: Any,
    v: Any,
    *,
    t: float = 0.0,
    step: Optional[float] = None,
    method: str = "generalized-alpha",
    tolerance: Optional[Tolerance] = None,
    options: Optional[Options] = None,
    frame: Optional[str] = None,
    solver: str = "auto",
    energy_check: bool = True,
) -> SystemStepper:
    """Returns a motion of a System that the caller advances, from q (nq,) and v (nv,) at time t, s."""
    setup = Setup(method, step, None, tolerance, options, frame, 1, solver, energy_check)
    return SystemStepper(system, q, v, t, step, setup)


def integrate(
    system: System,
    q: Any,
    v: Any,
    *,
    duration: float,
    step: float,
    every: float = 0.0,
    t: float = 0.0,
    method: str = "generalized-alpha",
    tolerance: Optional[Tolerance] = None,
    options: Optional[Options] = None,
    frame: Optional[str] = None,
    solver: str = "auto",
    energy_check: bool = True,
) -> Result:
    """Integrates a System from q (nq,) and v (nv,) at time t over a duration (s) and returns a
    Result with the quantities "q", "v" and, where there are constraints, "lambda" and "mu": a row
    every so many seconds; 0: every `step`, which is also the longest of variable steps then."""
    rows: List[Array] = []
    names: List[Column] = [Column("time", "s", "time")]
    with stepper(
        system,
        q,
        v,
        t=t,
        step=step,
        method=method,
        tolerance=tolerance,
        options=options,
        frame=frame,
        solver=solver,
        energy_check=energy_check,
    ) as s:
        e = s.evaluation
        for name, n in (("q", e.nq), ("v", e.nv), ("lambda", e.nh), ("mu", e.nn)):
            names += [Column(f"{name}.{i}", "", f"{name}[{i}]") for i in range(n)]

        def look() -> None:
            now = s.state
            rows.append(np.concatenate([[now.t], now.q, now.v, now.lambda_, now.mu]))

        gap = every if every > 0 else step
        count = max(1, math.ceil(duration / gap * (1 - 1e-12)))
        try:
            look()
            for k in range(1, count + 1):
                s.advance(t + (duration if k == count else k * gap), step)
                look()
        except (Error, KeyboardInterrupt) as error:
            found = Result(names, np.reshape(rows, (-1, len(names))), {"method": method})
            if not isinstance(error, (Error, Interrupted)):
                raise Interrupted(f"interrupted at t = {s.t:.9g} s", found) from None
            error.result = found
            raise
        result = Result(names, np.array(rows), {"title": text(e.name), "method": method})
        result.final = s.state
        return result
