"""What can be said of a model without following a motion step by step: counts, where it rests, how it
shakes, what is linear about it, which motions repeat."""

from __future__ import annotations

import math
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np
import numpy.typing as npt

from ._core import ffi, lib, new_error, owner_of, take_raised, text, wait_for_columns
from ._motion import Motion, Options, RunOf, Setup, choose
from .errors import Interrupted, Status, UsageError
from .result import Column, Table
from .state import State, copy_state, pack_state

if TYPE_CHECKING:
    from .model import Model

Array = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]

ABOUT = {
    "static": lib.NT_ABOUT_STATIC,
    "initial": lib.NT_ABOUT_INITIAL,
    "steady": lib.NT_ABOUT_STEADY,
}


def _array(pointer: Any, *shape: int) -> Array:
    """A copy of an array of the library's."""
    n = math.prod(shape)
    if n == 0 or not pointer:
        return np.zeros(shape)
    return np.frombuffer(ffi.buffer(pointer, 8 * n)).reshape(shape).copy()


def _words(fill: Callable[..., Any], *of: Any) -> str:
    """What a function of the library writes into a text."""
    room = ffi.new("char[]", 1200)
    fill(*of, room, 1200)
    return text(room)


# ---- counts -------------------------------------------------------------------------------------


class Check:
    """What a model is made of.

    bodies, points, joints, forces, contacts, markers, velocities, holonomic, nonholonomic: counts.
    inactive: those of the joints that wait for an event.
    degrees_of_freedom: what is left of the velocities. redundant: equations that say the same as
    others, in words. remarks: what is allowed but seldom meant, with its place.
    """

    def __init__(self, model: "Model") -> None:
        counts = lib.nt_model_count(model._pointer)
        self.title = model.title
        self.bodies: int = counts.bodies
        self.points: int = counts.points
        self.joints: int = counts.joints
        self.inactive: int = counts.inactive
        self.forces: int = counts.forces
        self.contacts: int = counts.contacts
        self.markers: int = counts.markers
        self.parameters: int = counts.parameters
        self.states: int = counts.states
        self.velocities: int = counts.velocities - counts.states
        self.holonomic: int = counts.holonomic
        self.nonholonomic: int = counts.nonholonomic
        self.redundant: List[str] = [
            _words(lib.nt_model_redundant_text, model._pointer, i) for i in range(counts.redundant)
        ]
        self.degrees_of_freedom: int = (
            self.velocities - self.holonomic - self.nonholonomic + len(self.redundant)
        )
        self.remarks: List[str] = []
        remark = new_error()
        while lib.nt_model_remark(model._pointer, len(self.remarks), remark):
            self.remarks.append(_words(lib.nt_error_text, remark))

    def __str__(self) -> str:
        lines = [
            self.title,
            f"bodies {self.bodies} ({self.points} of them points), joints {self.joints}, forces "
            f"{self.forces}, contacts {self.contacts}, markers {self.markers}",
            f"velocities {self.velocities}, constraint equations "
            f"{self.holonomic + self.nonholonomic} ({self.nonholonomic} of them nonholonomic)",
            f"redundant equations {len(self.redundant)}",
            *("  " + words for words in self.redundant),
            f"degrees of freedom {self.degrees_of_freedom}",
            *("remark: " + words for words in self.remarks),
        ]
        return "\n".join(lines)

    __repr__ = __str__


# ---- static states ------------------------------------------------------------------------------


class Static(Table):
    """Where a model rests: one row of what it records, or one for each point of a path, whose first
    column is `load`.

    state: the last `State`. stable, softness: of that state; words: the entries of the motion that
    is softest. frequency: Hz, of that motion; of an unstable state NaN, and rate, 1/s, that at which
    it is left. limits: loads that are largest or smallest along the path; branches: loads under
    which another path crosses it. free: what nothing determines and was held.
    """

    state: State
    stable: bool
    softness: float
    words: str
    frequency: float
    rate: float
    limits: List[float]
    branches: List[float]
    free: List[str]


class _StaticSearch(RunOf):
    """An nt_static of a run, with rows."""

    state: Any = ffi.NULL
    loading: Any = ffi.NULL
    record: Any = ffi.NULL
    rows: Any = None

    def __init__(self, model: "Model", values: Mapping[str, float]) -> None:
        super().__init__(model, values)
        self.limits: List[float] = []
        self.branches: List[float] = []
        n = self.system.nh + self.system.nn
        self.reactions = ffi.new("double[]", max(n, 1))

    def make(self, along: Mapping[str, Optional[Tuple[float, float]]]) -> None:
        keep = [ffi.new("char[]", name.encode()) for name in along]
        ranges = ffi.new("nt_load_range[]", max(len(keep), 1))
        for i, bounds in enumerate(along.values()):
            ranges[i].name = keep[i]
            setattr(ranges[i], "from", math.nan if bounds is None else float(bounds[0]))
            ranges[i].to = math.nan if bounds is None else float(bounds[1])
        to = ffi.new("nt_loading **")
        self.check(lib.nt_loading_create(to, self.run, ranges, len(keep), self.error))
        self.loading = to[0]
        setup = ffi.new("nt_static_setup *")
        self.check(lib.nt_run_static_setup(self.run, setup, self.error))
        setup.set_load = ffi.addressof(lib, "nt_loading_apply")
        setup.context = self.loading
        made = ffi.new("nt_static **")
        self.check(lib.nt_static_create(made, setup, self.error))
        self.state = made[0]
        s = self.system
        q, v = ffi.new("double[]", s.space.nq + 1), ffi.new("double[]", s.space.nv + 1)
        memory = ffi.new("double[]", s.n_memory + 1)
        lib.nt_run_initial(self.run, q, v, memory)
        start = lib.nt_model_simulation(self.model._pointer).start
        self.check(lib.nt_static_start(self.state, start, q, v, memory, self.error))

    def open(self, path: bool, derived: Sequence[int]) -> None:
        self.rows = ffi.new("py_rows *")
        setup = ffi.new("nt_record_setup *")
        words = [ffi.new("char[]", w) for w in (b"load", b"1", b"part of the loads of the path")]
        first = ffi.new("nt_result_column *", words)
        places = ffi.new("int[]", list(derived) or 1)
        setup.run, setup.first, setup.n_first = self.run, first, int(path)
        setup.parameters, setup.n_parameters = places, len(derived)
        setup.take_row, setup.taker = ffi.addressof(lib, "py_rows_take"), self.rows
        setup.take_column = lib.py_take_column
        self.columns: List[Column] = []
        wait_for_columns(self.rows, lambda *column: self.columns.append(Column(*column)))
        to = ffi.new("nt_record **")
        try:
            self.check(lib.nt_record_create(to, setup, self.error))
        finally:
            wait_for_columns(self.rows, None)
        self.record = to[0]

    def put(self, derived: Sequence[int] = ()) -> None:
        """Appends the row of the present state."""
        state = ffi.new("nt_state *", lib.nt_static_state(self.state))
        length = lib.nt_run_length(self.run)
        self.check(lib.nt_static_reactions(self.state, length, self.reactions, self.error))
        row = ffi.new("nt_record_row *")
        row.first = ffi.new("double *", lib.nt_static_load(self.state))
        load = ffi.new("double *", lib.nt_static_load(self.state))
        row.first, row.state, row.reactions = load, state, self.reactions
        n = self.system.nh + self.system.nn
        keep: List[Any] = []
        rates = ffi.new("nt_state_rate[]", max(len(derived), 1))
        forces = np.zeros((max(len(derived), 1), max(n, 1)))
        for i, k in enumerate(derived):
            tangent = ffi.new("nt_state_tangent *")
            self.check(lib.nt_static_tangent(self.state, k, tangent, self.error))
            out = ffi.from_buffer("double[]", forces[i], require_writable=True)
            self.check(
                lib.nt_static_reaction_rates(self.state, k, tangent, length, out, self.error)
            )
            numbers = ffi.new("double[]", lib.nt_state_room(self.system))
            copy = ffi.new("nt_state_tangent *")
            lib.nt_state_tangent_copy(copy, numbers, self.system, tangent)
            keep += [numbers, copy]
            rates[i].dq, rates[i].dv, rates[i].dvdot = copy.q, copy.v, copy.vdot
            rates[i].dlambda, rates[i].dmu = getattr(copy, "lambda"), copy.mu
            rates[i].dmemory, rates[i].parameter = copy.memory, k
        row.rates = rates
        packed = np.ascontiguousarray(forces[: len(derived), :n])
        if packed.size > 0:
            row.reaction_rates = ffi.from_buffer("double[]", packed)
        self.check(lib.nt_record_put(self.record, row, self.error))

    def point(self, load: float, event: int) -> bool:
        """A point of the path."""
        if event == lib.NT_STATIC_LIMIT:
            self.limits.append(load)
        if event == lib.NT_STATIC_BRANCH:
            self.branches.append(load)
        self.put()
        return False

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        lib.nt_record_close(self.record, ffi.NULL)
        lib.nt_static_destroy(self.state)
        lib.nt_loading_destroy(self.loading)
        self.record = self.state = self.loading = ffi.NULL
        if self.rows is not None and self.rows.values:
            lib.py_rows_free(self.rows.values)
            self.rows.values = ffi.NULL
        super().close()


@ffi.def_extern(onerror=lambda *unused: 1)
def py_static_point(context: Any, state: Any, load: float, event: int) -> int:
    """Tells a search of a point of its path."""
    owner = owner_of(context)
    try:
        return 1 if owner is None else int(owner.point(load, event))
    except BaseException as raised:
        owner.raised = raised
        return 1


def find_static(
    model: "Model",
    values: Mapping[str, float],
    along: Union[Sequence[str], Mapping[str, Optional[Tuple[float, float]]], None],
    arc_length: bool,
    step: float,
    sens: Tuple[str, ...],
) -> Static:
    """See Model.static."""
    if isinstance(along, str):
        raise TypeError(f"expected a list of names, as [{along!r}]")
    ways: Dict[str, Optional[Tuple[float, float]]] = (
        dict(along) if isinstance(along, Mapping) else {name: None for name in along or ()}
    )
    is_path = along is not None or arc_length
    if is_path and sens:
        raise UsageError("sens is for a single state, not for a path")
    search = _StaticSearch(model, values)
    try:
        derived = [model._parameter(name) for name in sens]
        search.make(ways)
        search.open(is_path, derived)
        if is_path:
            path = ffi.new("nt_static_path *")
            setattr(path, "from", 0.0)
            path.to, path.arc_length, path.step = 1.0, int(arc_length), step
            path.observe, path.context = lib.py_static_point, search.handle()
            status = lib.nt_static_follow(search.state, path, search.error)
            if status == Status.INTERRUPTED:
                raised = take_raised(search)
                if raised is not None and type(raised) is not KeyboardInterrupt:
                    raise raised
                rows = _array(search.rows.values, search.rows.n, search.rows.columns)
                raise Interrupted("interrupted on the path", Table(search.columns, rows)) from None
            search.check(status)
        else:
            search.check(lib.nt_static_solve(search.state, search.error))
            search.put(derived)
        return _static_of(search)
    finally:
        search.close()


def _static_of(search: _StaticSearch) -> Static:
    rows = search.rows
    found = Static(
        search.columns,
        _array(rows.values, rows.n, rows.columns),
        {"title": search.model.title, "model": search.model.text},
    )
    found.state = copy_state(search.system, lib.nt_static_state(search.state))
    found.limits, found.branches = search.limits, search.branches
    found.free = [
        search.name_of(lib.nt_static_free_entry(search.state, i))
        for i in range(lib.nt_static_free_count(search.state))
    ]
    stability = ffi.new("nt_stability *")
    search.check(lib.nt_static_stability(search.state, stability, search.error))
    found.stable, found.softness = bool(stability.stable), stability.softness
    found.words = text(stability.words)
    root = math.sqrt(abs(stability.rate)) if stability.direction else math.nan
    found.frequency = root / (2 * math.pi) if found.stable else math.nan
    found.rate = math.nan if found.stable else root
    return found


# ---- modes --------------------------------------------------------------------------------------


class _Reference(RunOf):
    """A state to look about."""

    reference: Any = ffi.NULL
    #: what is made of the run, and how it is freed
    made: Tuple[Any, Any] = (ffi.NULL, None)

    def __init__(self, model: "Model", values: Mapping[str, float], about: str) -> None:
        super().__init__(model, values)
        self.about = choose(ABOUT, about, "about")

    def find(self) -> None:
        to = ffi.new("nt_reference **")
        self.check(lib.nt_reference_create(to, self.run, self.about, self.error))
        self.reference = to[0]
        self.state = ffi.new("nt_state *", lib.nt_reference_state(self.reference))
        self.turn = ffi.new("double[3]")
        lib.nt_reference_turn(self.reference, self.turn)

    def rates(self) -> Dict[str, float]:
        """Rates of the section `steady`, as they were found."""
        found: Dict[str, float] = {}
        while True:
            name = lib.nt_reference_rate_name(self.reference, len(found))
            if not name:
                return found
            found[text(name)] = lib.nt_reference_rate(self.reference, len(found))

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        pointer, destroy = self.made
        if pointer:
            destroy(pointer)
        self.made = (ffi.NULL, None)
        lib.nt_reference_destroy(self.reference)
        self.reference = ffi.NULL
        super().close()


class Modes:
    """Small motions Re(x exp(s t)) about a state, by rising |s|.

    eigenvalues (n,): s, complex, 1/s. frequencies (n,): Hz. damping_ratios (n,). shapes (n, nv):
    complex, displacements (m) and rotation vectors (rad), ground axes. words: what moves in each,
    by shares of the kinetic energy. participation, effective_mass (n, 6): along x, y, z and about
    them. residuals (n,): of the equations. moves_freely (n,): bool. finder: "LAPACK" or "ARPACK".
    state: the `State` looked about; turn (3,): rate of its axes, rad/s; rates: those of a steady
    motion, by name.
    """

    def __init__(self, model: "Model", values: Mapping[str, float], count: int, about: str) -> None:
        self._asked = model, dict(values), count, about
        run = _Reference(model, values, about)
        run.find()
        setup = ffi.new("nt_modes_setup *")
        setup.system, setup.state, setup.turn, setup.count = run.system, run.state, run.turn, count
        to = ffi.new("nt_modes **")
        run.check(lib.nt_modes_create(to, setup, run.error))
        self._run = run
        run.made = to[0], lib.nt_modes_destroy
        self._pointer = to[0]
        n, nv = lib.nt_modes_count(to[0]), run.system.space.nv
        found = [lib.nt_modes_at(to[0], i) for i in range(n)]
        self.eigenvalues: ComplexArray = np.array([complex(*m.eigenvalue) for m in found])
        self.frequencies: Array = np.array([m.frequency for m in found])
        self.damping_ratios: Array = np.array([m.damping_ratio for m in found])
        self.residuals: Array = np.array([m.residual for m in found])
        self.moves_freely = np.array([bool(m.moves_freely) for m in found])
        self.participation: Array = np.array([list(m.participation) for m in found]).reshape(n, 6)
        self.effective_mass: Array = np.array([list(m.effective_mass) for m in found]).reshape(n, 6)
        self.shapes: ComplexArray = np.array(
            [_array(m.shape[0], nv) + 1j * _array(m.shape[1], nv) for m in found]
        ).reshape(n, nv)
        self.words: List[str] = [_words(lib.nt_modes_words, to[0], i) for i in range(n)]
        self.finder: str = text(lib.nt_modes_finder(to[0]))
        self.state: State = copy_state(run.system, run.state[0])
        self.turn: Array = _array(run.turn, 3)
        self.rates: Dict[str, float] = run.rates()

    def __reduce__(self) -> Any:
        return Modes, self._asked

    def __len__(self) -> int:
        return len(self.frequencies)

    def displacement(self, body: str) -> ComplexArray:
        """How a body moves in each mode (n, 6): displacement of its origin (m) and turn (rad), ground
        axes."""
        model = self._run.model._pointer
        names = [
            text(lib.nt_model_body_name(model, b + 1))
            for b in range(lib.nt_model_count(model).bodies)
        ]
        if body not in names:
            raise KeyError(f"there is no body '{body}', there are {', '.join(names)}")
        out = np.zeros((2, len(self), 6))
        q = ffi.from_buffer("double[]", self.state.q)
        for part, shapes in enumerate((self.shapes.real, self.shapes.imag)):
            for i, shape in enumerate(np.ascontiguousarray(shapes)):
                room = ffi.from_buffer("double[]", out[part, i], require_writable=True)
                lib.nt_run_displacement(
                    self._run.run,
                    names.index(body) + 1,
                    q,
                    ffi.from_buffer("double[]", shape),
                    room,
                )
        found: ComplexArray = out[0] + 1j * out[1]
        return found

    def derivatives(self, parameter: str) -> "ModeRates":
        """How the modes change with a parameter."""
        self._run.model._parameter(parameter)
        to = ffi.new("nt_mode_rates **")
        name = parameter.encode()
        self._run.check(
            lib.nt_mode_rates_create(
                to, self._pointer, self._run.run, self._run.about, name, self._run.error
            )
        )
        try:
            return ModeRates([lib.nt_mode_rates_at(to[0], i) for i in range(len(self))])
        finally:
            lib.nt_mode_rates_destroy(to[0])

    def __repr__(self) -> str:
        lines = [
            f"{i + 1:3d}  {f:12.6g} Hz  damping {d:9.3g}  {w}"
            for i, (f, d, w) in enumerate(zip(self.frequencies, self.damping_ratios, self.words))
        ]
        return "\n".join(lines)


class ModeRates:
    """Derivatives of modes in a parameter: eigenvalues (n,) complex, frequencies (n,) Hz per unit,
    damping_ratios (n,) per unit; repeated (n,): whether a mode shares its eigenvalue with others.
    """

    def __init__(self, found: Sequence[Any]) -> None:
        self.eigenvalues: ComplexArray = np.array([complex(*r.eigenvalue) for r in found])
        self.frequencies: Array = np.array([r.frequency for r in found])
        self.damping_ratios: Array = np.array([r.damping_ratio for r in found])
        self.repeated = np.array([bool(r.repeated) for r in found])


class Campbell:
    """Modes that are followed over values of a parameter: eigenvalues (modes, values), complex, 1/s,
    NaN where there is none; frequencies (modes, values), Hz; likeness (modes, values): to the shape
    at the value before; words: what moves in each at the first value."""

    def __init__(
        self,
        model: "Model",
        own: Mapping[str, float],
        parameter: str,
        values: Sequence[float],
        count: int,
        about: str,
    ) -> None:
        model._parameter(parameter)
        run = _Reference(model, own, about)
        self.values: Array = np.array(values, dtype=float)
        setup = ffi.new("nt_campbell_setup *")
        name, numbers = ffi.new("char[]", parameter.encode()), ffi.new("double[]", list(values))
        setup.run, setup.parameter, setup.values = run.run, name, numbers
        setup.n_values, setup.about, setup.count = len(self.values), run.about, count
        to = ffi.new("nt_campbell **")
        run.check(lib.nt_campbell_create(to, setup, run.error))
        run.made = pointer, _ = to[0], lib.nt_campbell_destroy
        n = lib.nt_campbell_count(pointer)
        self.eigenvalues: ComplexArray = np.empty((n, len(self.values)), dtype=complex)
        self.likeness: Array = np.empty((n, len(self.values)))
        s, likeness = ffi.new("double[2]"), ffi.new("double *")
        for i in range(n):
            for k in range(len(self.values)):
                lib.nt_campbell_at(pointer, i, k, s, likeness)
                self.eigenvalues[i, k] = complex(s[0], s[1])
                self.likeness[i, k] = likeness[0]
        self.frequencies: Array = np.abs(self.eigenvalues.imag) / (2 * math.pi)
        self.words: List[str] = [_words(lib.nt_campbell_words, pointer, i) for i in range(n)]
        run.close()

    def __repr__(self) -> str:
        return f"<Campbell: {len(self.words)} modes over {len(self.values)} values>"


class Linear:
    """x' = A x + B u + B1 u' + B2 u'', y = C x + D u + D1 u' + D2 u'' about a state.

    A (n, n), B, B1, B2 (n, inputs; B1 and B2 are zero but about="initial"), C (outputs, n), D, D1, D2 (outputs, inputs); inputs, outputs: names.
    positions: so many of the states are displacements, which come first. mass, damping, stiffness
    (nv, nv), constraints, constraint_rates (rows, nv): the whole equations. state: looked about.
    """

    def __init__(
        self,
        model: "Model",
        values: Mapping[str, float],
        inputs: Sequence[str],
        outputs: Sequence[str],
        about: str,
    ) -> None:
        self._asked = model, dict(values), list(inputs), list(outputs), about
        run = _Reference(model, values, about)
        run.find()
        keep = [ffi.new("char[]", name.encode()) for name in (*inputs, *outputs)]
        names = ffi.new("char *[]", keep or 1)
        setup = ffi.new("nt_linear_setup *")
        setup.run, setup.state, setup.turn = run.run, run.state, run.turn
        setup.inputs, setup.n_inputs = names, len(inputs)
        setup.outputs, setup.n_outputs = names + len(inputs), len(outputs)
        setup.steady = int(about != "initial")
        to = ffi.new("nt_linear **")
        run.check(lib.nt_linear_create(to, setup, run.error))
        self._run = run
        run.made = to[0], lib.nt_linear_destroy
        self._pointer = to[0]
        m = lib.nt_linear_get(self._pointer)
        n, k, o, nv, rows = m.states, m.inputs, m.outputs, m.velocities, m.rows
        self.positions: int = m.positions
        self.A: Array = _array(m.A, n, n)
        self.B: Array = _array(m.B, n, k)
        self.B1: Array = _array(m.B1, n, k)
        self.B2: Array = _array(m.B2, n, k)
        self.C: Array = _array(m.C, o, n)
        self.D: Array = _array(m.D, o, k)
        self.D1: Array = _array(m.D1, o, k)
        self.D2: Array = _array(m.D2, o, k)
        self.mass: Array = _array(m.mass, nv, nv)
        self.damping: Array = _array(m.damping, nv, nv)
        self.stiffness: Array = _array(m.stiffness, nv, nv)
        self.constraints: Array = _array(m.constraints, rows, nv)
        self.constraint_rates: Array = _array(m.constraint_rates, rows, nv)
        self.inputs: List[str] = [text(lib.nt_linear_input(self._pointer, i)) for i in range(k)]
        self.outputs: List[str] = [text(lib.nt_linear_output(self._pointer, i)) for i in range(o)]
        self.state: State = copy_state(run.system, run.state[0])

    def __reduce__(self) -> Any:
        return Linear, self._asked

    def __repr__(self) -> str:
        return (
            f"<Linear model of {len(self.A)} states about t = {self.state.t:.9g} s: inputs "
            f"{', '.join(self.inputs) or 'none'}, outputs {', '.join(self.outputs) or 'none'}>"
        )

    def response(self, frequencies: Sequence[float]) -> ComplexArray:
        """Transfer functions (frequencies, outputs, inputs) at angular frequencies, rad/s."""
        o, k = self.D.shape
        found = np.empty((len(frequencies), o, k), dtype=complex)
        for i, frequency in enumerate(frequencies):
            room = ffi.from_buffer("double[]", found[i].view(float), require_writable=True)
            status = lib.nt_linear_response(self._pointer, float(frequency), room)
            if status:
                raise UsageError(
                    f"no response at {frequency} rad/s: {text(lib.nt_status_text(status))}",
                    status=status,
                )
        return found

    def to_motion(self, x: Array) -> Tuple[Array, Array]:
        """Displacement (nv,) and change of velocity (nv,) that belong to a state x (n,)."""
        x = np.ascontiguousarray(x, dtype=float)
        if x.shape != (len(self.A),):
            raise ValueError(f"expected an array of shape ({len(self.A)},), got {x.shape}")
        dq, dv = np.zeros(len(self.mass)), np.zeros(len(self.mass))
        lib.nt_linear_to_motion(
            self._pointer,
            ffi.from_buffer("double[]", x),
            ffi.from_buffer("double[]", dq, require_writable=True),
            ffi.from_buffer("double[]", dv, require_writable=True),
        )
        return dq, dv
