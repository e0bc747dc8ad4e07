"""A motion of a model in the library: its run, the integrator, and how it is set up."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._core import (
    Owner,
    check,
    check_process,
    count_threads,
    ffi,
    lib,
    new_error,
    number,
    outside,
    text,
)
from .laws import calling, own_run
from .errors import SetAside, UsageError

if TYPE_CHECKING:
    from .model import Model

FRAMES = {"inertial": lib.NT_INERTIAL, "body": lib.NT_BODY, "se3": lib.NT_SE3}
FRAME_NAMES = {number: word for word, number in FRAMES.items()}
SOLVERS = {
    "auto": lib.NT_SOLVER_AUTO,
    "dense": lib.NT_SOLVER_DENSE,
    "block": lib.NT_SOLVER_BLOCK,
    "klu": lib.NT_SOLVER_KLU,
}
#: more than anybody can wait for: a slip of the exponent
MOST_STEPS = 1e12
KINDS = ("position", "rotation", "velocity", "angular_velocity")

Tolerance = Union[float, Mapping[str, float]]
Options = Mapping[str, Union[float, int, bool, str]]


def choose(words: Mapping[str, int], word: str, what: str) -> int:
    """Returns the number of a word; ValueError with the words that there are."""
    if word not in words:
        raise ValueError(f"{what}: expected one of {', '.join(words)}, got '{word}'")
    return words[word]


def suggestion(name: str, known: Sequence[str]) -> str:
    """Returns "; did you mean 'x'?" where a known name is near, else ""."""
    words = [ffi.new("char[]", k.encode()) for k in known]
    near = lib.nt_suggest(name.encode(), len(name.encode()), words or ffi.NULL, len(words))
    return f"; did you mean '{text(near)}'?" if near else ""


def _option_text(value: Union[float, int, bool, str]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)


@dataclass
class Setup:
    """What is asked of an integrator, beyond what the model says."""

    method: Optional[str] = None
    step: Optional[float] = None
    duration: Optional[float] = None
    tolerance: Optional[Tolerance] = None
    options: Optional[Options] = None
    frame: Optional[str] = None
    threads: int = 1
    solver: str = "auto"
    energy_check: bool = True

    def __post_init__(self) -> None:
        for name, word in (("method", self.method), ("frame", self.frame), ("solver", self.solver)):
            if word is not None and not isinstance(word, str):
                raise TypeError(f"{name}: expected a name, got {word!r}")
        if self.options is not None and not isinstance(self.options, Mapping):
            raise TypeError(f"options: expected a mapping of names to values, got {self.options!r}")


def choose_times(
    setup: Setup, simulation: Any, controlled: bool
) -> Tuple[float, float, float, float]:
    """Returns begin, end, step and first step, s: equal steps, duration / ceil(duration / step);
    controlled: of steps that a tolerance chooses."""
    duration = simulation.duration if setup.duration is None else number("duration", setup.duration)
    step = simulation.step if setup.step is None else number("step", setup.step)
    for name, value, given in (
        ("duration", duration, setup.duration),
        ("step", step, setup.step),
    ):
        if given is not None and not (0 < value < math.inf):
            raise UsageError(f"{name}: expected a positive number of seconds, got {value}")
    if controlled and not step > 0:
        step = 1e-4 * duration
    equal = step
    if duration > 0 and step > 0 and not controlled:
        equal = duration / max(1.0, math.ceil(duration / step * (1 - 1e-12)))
    begin = simulation.start
    return begin, begin + duration, equal, equal if equal > 0 else step


def check_times(begin: float, end: float, step: float) -> None:
    """Refuses times that say neither how long nor with what step, and more steps than ever end."""
    duration = end - begin
    for name, value in (("duration", duration), ("step", step)):
        if not value > 0:
            raise UsageError(f"simulation.{name} is missing: give it in the model, or as {name}=")
    if duration / step > MOST_STEPS:
        raise UsageError(
            f"a duration of {duration:g} s in steps of {step:g} s is "
            f"{duration / step:.3g} steps, expected at most {MOST_STEPS:g}"
        )


class RunOf(Owner):
    """An nt_run of a model with parameters set."""

    run: Any = ffi.NULL
    _hold: Any = ffi.NULL

    def __init__(self, model: "Model", values: Mapping[str, float], threads: int = 1) -> None:
        check_process()
        self.model = model
        self.error = new_error()
        self._counted = 0
        run = ffi.new("nt_run **")
        with calling(self.model.laws, self):
            status = lib.nt_run_create(run, self.model._pointer, self.error)
        self.check(status)
        self.run = run[0]
        lib.nt_run_stop_when(self.run, ffi.addressof(lib, "py_stop_asked"), ffi.NULL)
        self._hold = lib.py_hold_take(model._hold)
        own_run(self.run, self)
        self.system = lib.nt_run_system(self.run)
        self.set_parameters(values)
        if threads != 1:
            self.check(lib.nt_run_set_threads(self.run, threads, self.error))
            self._counted = 1
            count_threads(1)

    def look(self) -> bool:
        """Nothing stops it but signals."""
        return False

    def check(self, status: int) -> None:
        """Raises what a failed call says."""
        if status:
            check(status, self.error, None, self)

    def name_of(self, number: int) -> str:
        """Words for an unknown of (v, lambda, mu)."""
        room = ffi.new("char[]", 200)
        system = self.system
        name = system.coordinate_name if number < system.space.nv else system.equation_name
        if not name:
            return f"unknown {number}"
        name(system.self, number, room, 200)
        return text(room)

    def set_parameters(self, values: Mapping[str, float]) -> None:
        """Sets parameters by name, all at once."""
        if values:
            places = [self.model._parameter(name) for name in values]
            numbers = [number(name, value) for name, value in values.items()]
            self.check(lib.nt_model_set_several(self.run, places, numbers, len(places), self.error))

    def parameters(self) -> Dict[str, float]:
        """Values of all parameters."""
        names = self.model._parameter_names
        values = ffi.new("double[]", len(names) or 1)
        if names:
            self.system.get_parameters(self.system.self, values)
        return dict(zip(names, values))

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        if self.run:
            own_run(self.run, None)
            lib.nt_run_destroy(self.run)
            self.run = ffi.NULL
        lib.py_hold_drop(self._hold)
        self._hold = ffi.NULL
        count_threads(-self._counted)
        self._counted = 0

    def __del__(self) -> None:
        if hasattr(self, "_counted"):
            self.close()


class Motion(RunOf):
    """A run of a model, and an nt_integrator for it."""

    integrator: Any = ffi.NULL
    #: whether something that the model says was set aside
    aside = False

    def __init__(self, model: "Model", setup: Setup, values: Mapping[str, float]) -> None:
        self._keep: List[Any] = []
        try:
            super().__init__(model, values, setup.threads)
            self._make_integrator(setup)
        except BaseException:
            self.close()
            raise

    # ---- making

    def _make_integrator(self, setup: Setup) -> None:
        to = ffi.new("nt_integrator_setup *")
        simulation = lib.nt_model_simulation(self.model._pointer)
        status = lib.nt_run_setup(self.run, to, self.error)
        if setup.method is None:
            self.check(status)
        else:
            self._choose_method(to, setup, simulation)
        self._choose_options(to, setup, simulation)
        self._choose_tolerance(to, setup)
        self._choose_frame(to, setup, simulation)
        to.solver = choose(SOLVERS, setup.solver, "solver")
        if not setup.energy_check:
            to.energy_check = lib.NT_ENERGY_UNWATCHED
        self._choose_times(setup, simulation, any(value > 0 for value in to.tolerance))
        self.method = text(lib.nt_method_name(to.method))
        self.frame = FRAME_NAMES[to.frame]
        self.setup = to
        times = (self.begin_time or 0.0, self.end_time or 0.0)
        self.check(lib.nt_run_bound_steps(self.run, *times, to, self.error))
        integrator = ffi.new("nt_integrator **")
        self.check(lib.nt_integrator_create(integrator, to, self.error))
        self.integrator = integrator[0]

    def _choose_method(self, to: Any, setup: Setup, simulation: Any) -> None:
        assert setup.method is not None
        to.method = lib.nt_method_find(setup.method.encode())
        if not to.method:
            known = methods()
            raise UsageError(
                f"there is no method '{setup.method}'{suggestion(setup.method, known)}"
            )

    def _choose_options(self, to: Any, setup: Setup, simulation: Any) -> None:
        """Options of the file belong to its method: another one takes those that it has."""
        other = setup.method is not None and setup.method != text(simulation.method)
        if not other and not setup.options:
            return
        count = ffi.new("int *")
        keys = lib.nt_method_options(to.method, count)
        known = {text(keys[i].name) for i in range(count[0])}
        given: Dict[str, str] = {}
        for i in range(to.n_options):
            name = text(to.options[i].name)
            if not other or name in known:
                given[name] = text(to.options[i].value)
            else:
                self._set_aside(f"option {name}", to)
        for name, value in (setup.options or {}).items():
            given[name] = _option_text(value)
        words = [(self._word(name), self._word(value)) for name, value in given.items()]
        options = ffi.new("nt_option[]", words) if words else ffi.NULL
        self._keep.append(options)
        to.options, to.n_options = options, len(words)

    def _choose_tolerance(self, to: Any, setup: Setup) -> None:
        if setup.tolerance is not None:
            given = setup.tolerance
            if isinstance(given, Mapping):
                wrong = [kind for kind in given if kind not in KINDS]
                if wrong:
                    raise ValueError(f"tolerance: expected {', '.join(KINDS)}, got '{wrong[0]}'")
                to.tolerance = [number(kind, given.get(kind, 0)) for kind in KINDS]
            else:
                to.tolerance = [number("tolerance", given)] * 4
        elif setup.method is not None and any(value > 0 for value in to.tolerance):
            if lib.nt_method_check_tolerance(to.method, self.system, ffi.NULL):
                to.tolerance = [0.0] * 4
                self._set_aside("tolerance", to)

    def _choose_frame(self, to: Any, setup: Setup, simulation: Any) -> None:
        if setup.frame is not None:
            to.frame = choose(FRAMES, setup.frame, "frame")
        elif not lib.nt_method_has_frame(to.method, to.frame):
            inertial = lib.nt_method_has_frame(to.method, lib.NT_INERTIAL)
            if simulation.frame_given and setup.method is None:
                return  # refused by the library
            to.frame = lib.NT_INERTIAL if inertial else lib.NT_BODY
            if simulation.frame_given:
                self._set_aside("frame", to)

    def _set_aside(self, what: str, to: Any) -> None:
        name = text(lib.nt_method_name(to.method))
        self.aside = True
        said = f"{what} of the model is set aside: {name} has none"
        warnings.warn(said, SetAside, stacklevel=outside())

    def _choose_times(self, setup: Setup, simulation: Any, controlled: bool) -> None:
        self.controlled = controlled
        self.begin_time, self.end_time, self.plan_step, self.step_of_setup = choose_times(
            setup, simulation, controlled
        )

    def need_times(self) -> None:
        """Refuses a model that says neither how long nor with what step."""
        check_times(self.begin_time, self.end_time, self.plan_step)

    def _word(self, value: str) -> Any:
        word = ffi.new("char[]", value.encode())
        self._keep.append(word)
        return word

    # ---- use

    def check(self, status: int) -> None:
        """Raises what a failed call of this motion says."""
        if status:
            check(status, self.error, self.unknown(), self)

    def unknown(self) -> Optional[str]:
        """Words for the unknown that the last failed step named."""
        number = lib.nt_integrator_failed_unknown(self.integrator) if self.integrator else -1
        return self.name_of(number) if number >= 0 else None

    def begin(self, state: Any = None) -> None:
        """Starts at the model's initial values, or at (t, q, v, memory) of a packed state."""
        if state is None:
            null = ffi.NULL
            self.check(
                lib.nt_integrator_start(
                    self.integrator, self.begin_time, null, null, null, self.error
                )
            )
        else:
            self.check(
                lib.nt_integrator_start(
                    self.integrator, state.t, state.q, state.v, state.memory, self.error
                )
            )

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        lib.nt_integrator_destroy(self.integrator)
        self.integrator = ffi.NULL
        if hasattr(self, "_counted"):
            super().close()


def methods() -> List[str]:
    """Returns the names of all methods."""
    return [text(lib.nt_method_name(lib.nt_method_at(i))) for i in range(lib.nt_method_count())]
