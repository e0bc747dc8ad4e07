"""Motions step by step: for control, co-simulation and learning."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._core import check_process, count_threads, ffi, lib, take_raised, text
from ._motion import Motion, Setup, suggestion
from .errors import Interrupted, ModelError, Status, UsageError
from .laws import own_run
from .state import State, copy_state, pack_state

Array = npt.NDArray[np.float64]


class SavedState:
    """Where a stepper stands, to be restored in it or in one of the same set-up: bytes of the
    library, the values of the parameters, and which forces have loads. It can be pickled and
    copied."""

    __slots__ = ("data", "parameters", "t", "stale", "loads")

    def __init__(
        self,
        data: bytes,
        parameters: Mapping[str, float],
        t: float,
        stale: bool,
        loads: Mapping[str, int] = {},
    ) -> None:
        self.data = data
        self.parameters: Dict[str, float] = dict(parameters)
        #: s
        self.t = t
        #: whether loads were changed since the last step
        self.stale = stale
        #: forces by name, and how many numbers the load of each has
        self.loads: Dict[str, int] = dict(loads)

    def __reduce__(self) -> Any:
        return SavedState, (self.data, self.parameters, self.t, self.stale, self.loads)

    def __repr__(self) -> str:
        return f"<SavedState at t = {self.t:.9g} s, {len(self.data)} bytes>"


class Steps(Motion):
    """What steps of models and of systems written in Python have in common."""

    _step_size: float

    def _begin_steps(self) -> None:
        self._busy = threading.Lock()
        self._stale = False
        self._loads: Dict[str, int] = {}
        self._advance = lib.nt_integrator_step

    def look(self) -> bool:
        """Nothing stops a motion but signals."""
        return False

    # ---- stepping

    def step(self, h: Optional[float] = None) -> None:
        """Advances by h (s), the step of the model where it is left out. Where the equations cannot
        be solved the step is halved and tried again; RunError where that fails: the state is then
        that of the last step that was accepted."""
        if not self._busy.acquire(False):
            raise UsageError("the stepper is in use by another thread")
        try:
            if self._stale:
                self._refresh()
            status = self._advance(self.integrator, self._step_size if h is None else h, self.error)
        finally:
            self._busy.release()
        if status:
            self._fail(status)

    def advance(self, end: float, h: Optional[float] = None) -> None:
        """Advances to the time `end` (s): in equal steps of at most h, or in variable ones, of which
        h is the first."""
        with self._alone():
            if self._stale:
                self._refresh()
            if not end > self.t:
                raise UsageError(f"expected a time after t = {self.t:.9g} s, got {end}")
            motion = ffi.new("py_motion *")
            motion.integrator, motion.end = self.integrator, end
            motion.step = self._step_size if h is None else h
            motion.look, motion.context = lib.py_look, self.handle()
            count_threads(1)
            try:
                status = lib.py_advance(motion, self.error)
            finally:
                count_threads(-1)
        if status:
            self._fail(status)

    def _alone(self) -> "_Alone":
        return _Alone(self)

    def _fail(self, status: int) -> None:
        if not self.integrator:
            raise UsageError("the stepper is closed")
        raised = take_raised(self)
        if raised is not None and type(raised) is not KeyboardInterrupt:
            raise raised
        if raised is not None or status == Status.INTERRUPTED:
            raise Interrupted(f"interrupted at t = {self.t:.9g} s") from None
        self.check(status)

    def _refresh(self) -> None:
        self.check(lib.nt_integrator_refresh(self.integrator, self.error))
        self._stale = False

    # ---- looking

    @property
    def t(self) -> float:
        """The present time, s."""
        return float(lib.nt_integrator_state(self._open()).t)

    @property
    def state(self) -> State:
        """A copy of the present state, with accelerations and multipliers that belong to the present
        loads."""
        with self._alone():
            if self._stale:
                self._refresh()
            return copy_state(self.system, lib.nt_integrator_state(self.integrator))

    @property
    def statistics(self) -> Dict[str, Any]:
        """What the motion took since its start: counts, and sizes of steps in s."""
        took = lib.nt_integrator_statistics(self._open())
        names = (
            "steps",
            "rejected",
            "iterations",
            "factorisations",
            "solves",
            "evaluations",
            "fallbacks",
            "rank_changes",
            "smallest_step",
            "largest_step",
            "position_drift",
        )
        return {name: getattr(took, name) for name in names}

    @property
    def ended(self) -> str:
        """"event landing: the stone lands" where an event has ended the motion, which then stands;
        else ""."""
        event = lib.nt_integrator_ended_by(self._open())
        return "" if event < 0 else self._words_of_end(event)

    def _words_of_end(self, event: int) -> str:
        return f"event {event}"

    def _open(self) -> Any:
        if not self.integrator:
            raise UsageError("the stepper is closed")
        return self.integrator

    # ---- saving

    def save(self) -> SavedState:
        """Returns where the motion stands: after a restore the same bits follow as if it had gone
        on (but see `saves_whole`)."""
        with self._alone():
            return SavedState(
                self._bytes(), self._saved_parameters(), self.t, self._stale, self._loads
            )

    def _bytes(self) -> bytes:
        room = bytearray(lib.nt_integrator_saved_size(self.integrator))
        lib.nt_integrator_save(self.integrator, ffi.from_buffer(room))
        return bytes(room)

    def restore(self, saved: SavedState) -> None:
        """Puts the motion back to where it was saved, with the loads of that moment."""
        if not isinstance(saved, SavedState):
            raise TypeError(f"expected what save() returned, got {type(saved).__name__}")
        with self._alone():
            if saved.loads != self._loads:
                self._give_loads(saved.loads)
            if saved.parameters:
                self._load(saved.parameters)
            self.check(
                lib.nt_integrator_restore(self.integrator, saved.data, len(saved.data), self.error)
            )
            self._stale = saved.stale

    @property
    def saves_whole(self) -> bool:
        """Whether a state saved now is whole: True for every method but bdf."""
        return bool(lib.nt_integrator_saves_whole(self._open()))

    def _saved_parameters(self) -> Dict[str, float]:
        return self.parameters()

    def _load(self, values: Mapping[str, float]) -> None:
        raise NotImplementedError

    def _give_loads(self, loads: Mapping[str, int]) -> None:
        raise UsageError("a state of a model with loads on its forces cannot be restored here")

    def __enter__(self) -> "Steps":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


class _Alone:
    """Keeps other threads out of a stepper, in words."""

    __slots__ = ("of",)

    def __init__(self, of: Steps) -> None:
        self.of = of

    def __enter__(self) -> None:
        self.of._open()
        check_process()
        if not self.of._busy.acquire(False):
            raise UsageError("the stepper is in use by another thread")

    def __exit__(self, *unused: Any) -> None:
        self.of._busy.release()


class Stepper(Steps):
    """A motion of a model, step by step; `Model.stepper` makes one, which a `with` statement closes.

    It belongs to one thread at a time. Computing releases the interpreter's lock, so that other
    threads go on.
    """

    def __init__(self, model: Any, setup: Setup, values: Mapping[str, float]) -> None:
        super().__init__(model, setup, values)
        self._as_read, self._asked, self._values = model, setup, dict(values)
        self._step_size = self.step_size = self.step_of_setup
        self._begin_steps()
        if not self._step_size > 0:
            self._step_size = float("nan")
        self.start()

    def _words_of_end(self, event: int) -> str:
        return self.model._words_of_end(event)

    def start(self, state: Optional[State] = None) -> None:
        """Begins anew, at the model's initial values or at t, q, v and memory of a state."""
        with self._alone():
            if state is None:
                self.begin()
            else:
                packed, keep = pack_state(self.system, state)
                self.begin(packed)
                del keep
            self._stale = False

    def set(self, **parameters: float) -> None:
        """Sets parameters as `Model.run(m=12)` does and begins anew: initial values follow."""
        with self._alone():
            self.set_parameters(parameters)
            self._values.update(parameters)
        self.start()

    def load(
        self,
        name: Union[str, Mapping[str, Union[float, Sequence[float]]]],
        value: Union[float, Sequence[float]] = 0.0,
        *,
        refresh: bool = True,
    ) -> None:
        """Sets a load or a set point while the motion is under way: a parameter, `load("u", 2.5)`,
        or a force, `load("motor", 2.5)`, whose `value` this number is from then on, in place of what
        the model says: of a `force` or `torque` three, `load("push", [0, 0, 3])`, in its own frame.
        Or several, `load({"fx": 1, "motor": 2})`. Initial values do not matter any more and stay.

        Accelerations jump with a load; they are made consistent before the next step. Where a step
        is repeated with another load at its end, as in coupled solvers, refresh=False leaves them
        as they belong to the load of the step before."""
        asked = {name: value} if isinstance(name, str) else dict(name)
        numbers: Dict[str, float] = {}
        loads = dict(self._loads)
        for key, given in asked.items():
            if key in self._as_read._places:
                numbers[key] = float(given)  # type: ignore[arg-type]
                continue
            vector = np.ndim(given) > 0
            loads[key] = np.size(given) if vector else 0
            for place, number in zip(self._names_of(key, loads[key]), np.ravel(given)):
                numbers[place] = float(number)
        with self._alone():
            if loads != self._loads:
                self._give_loads(loads)
            self._load(numbers)
            self._stale = self._stale or refresh

    def _names_of(self, force: str, n: int) -> List[str]:
        """Names of the parameters that a force's load is made of; n: 0 for one that is no list."""
        own = f"load_of_{force}"
        while any(name == own or name.startswith(own + "_") for name in self._as_read._places):
            own = "_" + own
        return [own] if n == 0 else [f"{own}_{i + 1}" for i in range(n)]

    def _give_loads(self, loads: Mapping[str, int]) -> None:
        """Goes on with a model whose forces have these loads, at the same state."""
        settings: Dict[str, Union[float, str]] = {}
        for force, n in loads.items():
            names = self._names_of(force, n)
            settings.update({f"parameters.{name}": 0 for name in names})
            settings[f"forces.{force}.value"] = names[0] if n == 0 else f"[{', '.join(names)}]"
        try:
            model = self._as_read._variant(settings) if loads else self._as_read
        except ModelError as error:
            known = [name for name in loads if name not in self._loads]
            hint = suggestion(known[0], self._as_read._parameter_names) if known else ""
            raise UsageError(
                f"the model has no parameter '{', '.join(known)}'{hint}, and no force of this name "
                f"takes such a load: {error.message}"
            ) from None
        now, saved = self.parameters(), self._bytes()
        other = Motion(model, self._asked, self._values)
        try:
            other.begin()
            other.check(
                lib.nt_integrator_restore(other.integrator, saved, len(saved), other.error)
            )
            self._exchange(other)
        finally:
            other.close()
        self._loads = dict(loads)
        self._load({name: value for name, value in now.items() if name in model._places})

    def _exchange(self, other: Motion) -> None:
        """Takes the run and the integrator of another motion, and gives it its own to be closed."""
        names = ("model", "run", "system", "integrator", "setup", "_keep", "_counted", "_hold")
        for name in names:
            mine, its = getattr(self, name), getattr(other, name)
            setattr(self, name, its)
            setattr(other, name, mine)
        own_run(self.run, self)

    def _load(self, values: Mapping[str, float]) -> None:
        now = ffi.new("double[]", max(len(self.model._parameter_names), 1))
        self.system.get_parameters(self.system.self, now)
        for name, value in values.items():
            now[self.model._parameter(name)] = float(value)
        status = self.system.set_parameters(self.system.self, now)
        if status:
            raise UsageError(
                f"the loads {dict(values)} are refused: " f"{text(lib.nt_status_text(status))}",
                status=status,
            )

    def __getitem__(self, name: str) -> Union[float, Array]:
        """What could be recorded under this name, at the present state: a float or an array
        (components,), a copy."""
        place, info = self.model._find(name)
        with self._alone():
            if self._stale:
                self._refresh()
            state = ffi.new("nt_state *", lib.nt_integrator_state(self.integrator))
            reactions = ffi.NULL
            n = self.system.nh + self.system.nn
            if info.needs_accelerations:
                self.check(lib.nt_integrator_balance(self.integrator, state, state, self.error))
            if info.needs_reactions and n > 0:
                reactions = ffi.new("double[]", n)
                self.check(
                    lib.nt_integrator_reactions(
                        self.integrator, state, lib.nt_run_length(self.run), reactions, self.error
                    )
                )
            out = np.empty(info.columns)
            room = ffi.from_buffer("double[]", out, require_writable=True)
            self.check(lib.nt_run_sample(self.run, info, state, reactions, room, self.error))
        if place is not None:
            return float(out[place])
        return float(out[0]) if info.columns == 1 else out

    def sample(self, names: Sequence[str]) -> Array:
        """Returns the numbers of several quantities one after the other (numbers,), a copy."""
        return np.concatenate([np.atleast_1d(self[name]) for name in names])

    def __repr__(self) -> str:
        at = f"at t = {self.t:.9g} s" if self.integrator else "closed"
        return f"<Stepper of {self.model.title!r} by {self.method}, {at}>"

    def __enter__(self) -> "Stepper":
        return self
