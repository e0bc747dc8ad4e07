"""Models: read from a file or a text, or built in code; their parameters, and their runs."""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    MutableMapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np

from ._core import (
    Owner,
    check,
    check_process,
    ffi,
    lib,
    new_error,
    number,
    text,
)
from ._description import laws_in, to_yaml
from ._motion import Options, Setup, Tolerance, suggestion
from ._whole import run_whole
from .laws import calling, give_laws
from .errors import NoMemoryError, Status, UsageError
from .result import Column, Groups, Result, Table
from .state import State
from .stepper import Stepper
from .analysis import Campbell, Check, Linear, Modes, Static, find_static
from .orbit import Orbit, OrbitSearch
from .sweep import run_sweep

Setting = Union[float, int, bool, str]
_OBJECTIVES = ("final", "integral", "maximum", "rms", "minimum")


class Parameters(MutableMapping[str, float]):
    """The parameters of a model by name. Setting one is a matter of this model object: its runs
    from then on have the value, and parameters that are expressions of it follow."""

    def __init__(self, model: "Model") -> None:
        self._model = model

    def __getitem__(self, name: str) -> float:
        self._model._parameter(name, KeyError)
        return self._model._all_parameters()[name]

    def __setitem__(self, name: str, value: float) -> None:
        self._model._set({name: value})

    def __delitem__(self, name: str) -> None:
        """The parameter has the value of the file again."""
        self._model._parameter(name, KeyError)
        self._model._reset(name)

    def update(self, *others: Any, **named: float) -> None:
        """Sets several at once: what only all of them together make consistent is possible."""
        self._model._set(dict(*others, **named))

    def __iter__(self) -> Iterator[str]:
        return iter(self._model._parameter_names)

    def __len__(self) -> int:
        return len(self._model._parameter_names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Model:
    """A model: bodies, joints, forces and parameters.

    `nutate.load` reads one from a file and `nutate.loads` from a text. `Model(title=...,
    bodies={...}, joints={...}, ...)` builds one from the sections of the model file, whose entries
    are dataclasses (`nutate.keys`, `nutate.joints`, `nutate.forces`, ...) or plain mappings:

        Model(bodies={"top": keys.Body(mass=15, inertia=[0.23, 0.47, 0.23], position=[0, 1, 0])},
              joints={"pivot": joints.Spherical(between=["ground", "top"], at=[0, 0, 0])},
              simulation=keys.Simulation(duration=2, step=1e-3))

    A model may be used by any number of threads at the same time. It can be pickled and copied;
    parameters that are set on a copy do not change the original.
    """

    def __init__(self, **sections: Any) -> None:
        sections = {key: value for key, value in sections.items() if value is not None}
        laws: Dict[str, Callable[..., Any]] = {}
        laws_in(sections, laws)
        self._read(to_yaml(sections), "model", None, {}, None, laws)

    # ---- reading

    def _read(
        self,
        source: Union[str, Path],
        name: str,
        folder: Optional[str],
        settings: Mapping[str, Setting],
        path: Optional[str],
        laws: Mapping[str, Callable[..., Any]],
    ) -> None:
        check_process()
        #: functions of Python that the model names, by name
        self.laws: Dict[str, Callable[..., Any]] = dict(laws)
        error = new_error()
        pointer = ffi.new("nt_model **")
        words = [
            (ffi.new("char[]", str(k).encode()), ffi.new("char[]", _setting(v).encode()))
            for k, v in settings.items()
        ]
        array = ffi.new("nt_setting[]", words) if words else ffi.NULL
        owner = Owner()
        with calling(self.laws, owner):
            if path is not None:
                status = lib.nt_model_read(pointer, os.fsencode(path), array, len(words), error)
            else:
                said = str(source).encode()
                beside = ffi.NULL if folder is None else ffi.new("char[]", os.fsencode(folder))
                status = lib.nt_model_read_text(
                    pointer, said, len(said), name.encode(), beside, array, len(words), error
                )
        check(status, error, None, owner)
        hold = lib.py_hold_create(pointer[0])
        if not hold:
            raise NoMemoryError("out of memory", Status.NO_MEMORY)
        self._pointer, self._hold = pointer[0], ffi.gc(hold, lib.py_hold_drop)
        if self.laws:
            give_laws(self._pointer, self.laws)
        self._name = name
        self._folder = folder
        self._settings: Dict[str, Setting] = dict(settings)
        self._prepare({})

    def _prepare(self, values: Mapping[str, float]) -> None:
        self._values: Dict[str, float] = dict(values)
        self._lock = threading.Lock()
        self._columns: Dict[Tuple[str, ...], Tuple[List[Column], Groups]] = {}
        self._variants: Dict[Tuple[Tuple[str, str], ...], "Model"] = {}
        self._quantities: Dict[str, Any] = {}
        self._plans: Dict[Any, Any] = {}
        error, owner = new_error(), Owner()
        with calling(self.laws, owner):
            status, self._look = self._new_look(error)  # for parameters; guarded by _lock
        check(status, error, None, owner)
        system = lib.nt_run_system(self._look)
        self._parameter_names: List[str] = [
            text(system.parameter_names[i]) for i in range(system.n_parameters)
        ]
        self._places = {name: i for i, name in enumerate(self._parameter_names)}
        happens = lib.nt_model_event_count(self._pointer) + lib.nt_model_sliding_count(self._pointer)
        self._event_names = [text(lib.nt_model_event_name(self._pointer, i)) for i in range(happens)]
        if values:
            self._apply(self._values)

    def _new_look(self, error: Any) -> Tuple[int, Any]:
        """Makes a run that holds the model, whatever is freed first."""
        run = ffi.new("nt_run **")
        status = lib.nt_run_create(run, self._pointer, error)
        if status:
            return status, None
        lib.nt_run_stop_when(run[0], ffi.addressof(lib, "py_stop_asked"), ffi.NULL)
        hold, destroy, drop = lib.py_hold_take(self._hold), lib.nt_run_destroy, lib.py_hold_drop

        def free(made: Any) -> None:
            destroy(made)
            drop(hold)

        return status, ffi.gc(run[0], free)

    def __reduce__(self) -> Any:
        return _rebuild, (
            type(self),
            self.text,
            self._name,
            self._folder,
            self._settings,
            self._values,
            self.laws,
        )

    def __copy__(self) -> "Model":
        copy = type(self).__new__(type(self))
        copy._pointer, copy._hold = self._pointer, self._hold
        copy._name, copy._folder = self._name, self._folder
        copy._settings, copy.laws = dict(self._settings), self.laws
        copy._prepare(self._values)
        return copy

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.__copy__()

    def _variant(self, settings: Mapping[str, Setting]) -> "Model":
        """The same model with other settings, kept for the next time."""
        key = tuple((name, _setting(value)) for name, value in settings.items())
        found = self._variants.get(key)
        if found is None:
            found = _rebuild(
                Model,
                self.text,
                self._name,
                self._folder,
                {**self._settings, **settings},
                {},
                self.laws,
            )
            if len(self._variants) > 32:
                self._variants.clear()
            self._variants[key] = found
        return found

    # ---- what it says

    @property
    def text(self) -> str:
        """The model file, as it was read."""
        length = ffi.new("size_t *")
        said = lib.nt_model_text(self._pointer, length)
        return str(ffi.unpack(said, length[0]).decode())

    def to_yaml(self) -> str:
        """Returns the model file: the text that was read, or was written from the sections."""
        return self.text

    def save(self, path: Union[str, Path]) -> None:
        """Writes the model file."""
        Path(path).write_text(self.text)

    @property
    def title(self) -> str:
        """The title, or the file's name."""
        return text(lib.nt_model_title(self._pointer)) or os.path.basename(self._name)

    @property
    def objectives(self) -> List[str]:
        """Names of the objectives that the model declares."""
        n = lib.nt_model_objective_count(self._pointer)
        return [text(lib.nt_model_objective(self._pointer, i).name) for i in range(n)]

    def _size(self, name: str) -> int:
        """How many numbers something recorded has; 0 of a single one and of objectives."""
        if name in self.objectives:
            return 0
        place, info = self._find(name)
        return 0 if place is not None or info.columns == 1 else int(info.columns)

    def __repr__(self) -> str:
        count = lib.nt_model_count(self._pointer)
        return (
            f"<Model {self.title!r}: {count.bodies} bodies, {count.joints} joints, "
            f"{count.forces} forces, parameters {dict(self.parameters)}>"
        )

    # ---- parameters

    @property
    def parameters(self) -> Parameters:
        """The parameters by name; `model.parameters["arm"] = 1.2` sets one for all later runs."""
        return Parameters(self)

    def _parameter(self, name: str, kind: Any = UsageError) -> int:
        place = self._places.get(name)
        if place is None:
            if not isinstance(name, str):
                raise TypeError(f"expected the name of a parameter, got {name!r}")
            hint = suggestion(name, self._parameter_names)
            there = f", it has {', '.join(self._parameter_names) or 'none'}"
            raise kind(f"the model has no parameter '{name}'{hint or there}")
        return place

    def _apply(self, values: Mapping[str, float]) -> None:
        error = new_error()
        places = [self._parameter(name) for name in values]
        check(
            lib.nt_model_set_several(
                self._look, places, [number(*item) for item in values.items()], len(places), error
            ),
            error,
        )

    def _set(self, values: Mapping[str, float]) -> None:
        with self._lock:
            self._apply(values)
            self._values.update({name: float(value) for name, value in values.items()})

    def _reset(self, name: str) -> None:
        rest = {other: value for other, value in self._values.items() if other != name}
        with self._lock:
            error = new_error()
            status, look = self._new_look(error)
            check(status, error)
            before, self._look = self._look, look
            try:
                self._apply(rest)
            except BaseException:
                self._look = before
                raise
            self._values = rest

    def _all_parameters(self) -> Dict[str, float]:
        values = ffi.new("double[]", len(self._parameter_names) or 1)
        with self._lock:
            system = lib.nt_run_system(self._look)
            if self._parameter_names:
                system.get_parameters(system.self, values)
        return dict(zip(self._parameter_names, values))

    # ---- for the modules of this package

    def _given(
        self, parameters: Optional[Mapping[str, float]], named: Mapping[str, float]
    ) -> Mapping[str, float]:
        """The parameters of a call, by a mapping and by keywords."""
        if parameters is None:
            return named
        if not isinstance(parameters, Mapping):
            raise TypeError(f"parameters: expected a mapping of names to numbers, got {parameters!r}")
        for name in parameters:
            if name in named:
                raise UsageError(f"{name}: is given twice, in parameters and as a keyword")
        return {**parameters, **named}

    def _words_of_end(self, event: int) -> str:
        """Says which event has ended a motion; "" of -1, none."""
        if event < 0:
            return ""
        said = text(lib.nt_model_event_end(self._pointer, event))
        return f"event {self._event_names[event]}: {said}"

    def _quantity(self, name: str) -> Any:
        """The nt_quantity_info of a name, or None."""
        found = self._quantities.get(name)
        if found is None:
            found = ffi.new("nt_quantity_info *")
            if lib.nt_model_quantity(self._pointer, name.encode(), found, ffi.NULL):
                return None
            self._quantities[name] = found
        return found

    def _need_quantity(self, name: str) -> Any:
        found = self._quantity(name)
        if found is None:
            error = new_error()
            check(
                lib.nt_model_quantity(
                    self._pointer, name.encode(), ffi.new("nt_quantity_info *"), error
                ),
                error,
            )
        return found

    def _find(self, name: str) -> Tuple[Optional[int], Any]:
        """The nt_quantity_info of a name, and which of its numbers it is: None for all."""
        info = self._quantity(name)
        if info is not None:
            return None, info
        quantity, _, _ = name.rpartition(".")
        info = self._quantity(quantity) if quantity else None
        if info is not None:
            room = ffi.new("char[3][128]")
            for i in range(info.columns):
                lib.nt_model_quantity_column(self._pointer, info, i, room[0], room[1], room[2], 128)
                if text(room[0]) == name:
                    return i, info
        return None, self._need_quantity(name)

    # ---- looking without a run

    def check(self) -> Check:
        """Counts degrees of freedom, names redundant equations and says what is seldom meant. Its
        text is `str(check)`."""
        return Check(self)

    def static(
        self,
        *,
        along: Union[Sequence[str], Mapping[str, Optional[Tuple[float, float]]], None] = None,
        arc_length: bool = False,
        step: float = 0.0,
        sens: Sequence[str] = (),
        record: Optional[Sequence[str]] = None,
        parameters: Optional[Mapping[str, float]] = None,
        **named: float,
    ) -> Static:
        """Finds where the model rests: one row of what it records, and its stability. along: a path
        of states instead, from load 0 to 1, for what goes along with it: parameters, "loads",
        "gravity", "motions", as {"m": (0, 15)} or, from 0 to their value, ["gravity"]. arc_length:
        follow it where the load falls and rises again. step: the largest of the load, or the first
        along the arc. sens: parameters in which everything recorded is differentiated (of a single
        state)."""
        model = self if record is None else self._variant({"output.record": _list(record)})
        values = {**self._values, **self._given(parameters, named)}
        return find_static(model, values, along, arc_length, step, tuple(sens))

    def modes(
        self,
        count: int = 0,
        *,
        about: str = "static",
        parameters: Optional[Mapping[str, float]] = None,
        **named: float,
    ) -> Modes:
        """Finds the modes of small motions about the static state, the "initial" one, or a "steady"
        motion: the `count` slowest, all where it is 0."""
        return Modes(self, {**self._values, **self._given(parameters, named)}, count, about)

    def campbell(
        self,
        parameter: str,
        values: Sequence[float],
        *,
        count: int = 0,
        about: str = "static",
        parameters: Optional[Mapping[str, float]] = None,
        **named: float,
    ) -> Campbell:
        """Follows modes while a parameter goes through values."""
        own = {**self._values, **self._given(parameters, named)}
        return Campbell(self, own, parameter, values, count, about)

    def linearise(
        self,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        *,
        about: str = "static",
        parameters: Optional[Mapping[str, float]] = None,
        **named: float,
    ) -> Linear:
        """Returns the linear model x' = A x + B u, y = C x + D u + D1 u' + D2 u'' about a state.
        inputs: parameters, or functions of elements such as "push.value.x" and "hinge.motion".
        outputs: what can be recorded."""
        own = {**self._values, **self._given(parameters, named)}
        return Linear(self, own, inputs, outputs, about)

    def orbit(
        self,
        period: Optional[float] = None,
        *,
        parameters: Optional[Mapping[str, float]] = None,
        **asked: Any,
    ) -> Orbit:
        """Finds the periodic motion near the initial values, or near a state, and its multipliers.

        period: s; with free=True the first guess of one that is found, looked for where it is left
        out. steps: of a period, which the method takes; segments: of multiple shooting; method
        ("rkmk-dop853") and its options; state: a State to begin near. advance: what a period may
        add, ["cart.position.x"] of an amount that is found, {"wheel.rotation.y": 6.28} of a given
        one (m, rad), "position.x" or "rotation.z" of the whole model. Parameters of the model as in
        `run`."""
        search = self._orbit_search(period, parameters, asked)
        try:
            return search.found()
        finally:
            search.close()

    def orbit_path(
        self,
        parameter: str,
        to: float,
        period: Optional[float] = None,
        *,
        points: int = 20,
        parameters: Optional[Mapping[str, float]] = None,
        **asked: Any,
    ) -> List[Orbit]:
        """Follows the orbit as a parameter goes from its value to another, in so many points or
        more, round folds, and through places where its stability changes, which are points of their
        own: orbits with their `value` of the parameter and their `event`. The other arguments are
        those of `orbit`."""
        if points < 2:
            raise UsageError(f"points: expected two at least, got {points}")
        search = self._orbit_search(period, parameters, asked)
        try:
            self._parameter(parameter)
            begin = search.parameters()[parameter]
            return search.follow(parameter, to, abs(to - begin) / (points - 1), 20 * points + 100)
        finally:
            search.close()

    def _orbit_search(
        self,
        period: Optional[float],
        parameters: Optional[Mapping[str, float]],
        asked: Mapping[str, Any],
    ) -> OrbitSearch:
        words = ("free", "steps", "segments", "method", "options", "state", "advance")
        named = {name: value for name, value in asked.items() if name not in words}
        rest = {name: value for name, value in asked.items() if name in words}
        return OrbitSearch(self, {**self._values, **self._given(parameters, named)}, period, **rest)

    def sweep(
        self,
        vary: Mapping[str, Sequence[float]],
        *,
        design: str = "grid",
        keep: Optional[Callable[[Result], Mapping[str, float]]] = None,
        executor: Any = None,
        chunk: int = 0,
        **asked: Any,
    ) -> Table:
        """Runs the model for many values of parameters, as the rows of a table.

        vary: values for each parameter; design "grid" takes all combinations, "list" the first
        values of each, then the second ones, and so on. keep: what of a result makes a row, by
        name; what is recorded at the end, and the objectives, where it is left out. executor:
        anything with the interface of concurrent.futures, such as a ProcessPoolExecutor or that of
        a dask.distributed client; without one the rows are run in this thread. chunk: rows that go
        to it together. asked: arguments of `run`.

        The rows come in the order of the design, each once. A row whose run fails has its `status`
        (0 for success) and NaN; its message is in `table.attributes["failures"]`."""
        return run_sweep(self, vary, design, keep, executor, chunk, asked)

    # ---- steps

    def stepper(
        self,
        *,
        method: Optional[str] = None,
        step: Optional[float] = None,
        tolerance: Optional[Tolerance] = None,
        options: Optional[Options] = None,
        frame: Optional[str] = None,
        threads: int = 1,
        solver: str = "auto",
        energy_check: bool = True,
        parameters: Optional[Mapping[str, float]] = None,
        **named: float,
    ) -> Stepper:
        """Returns a motion that the caller advances, which stands at the initial values:

            with model.stepper() as s:
                s.load("motor", 2.5)
                s.step(1e-3)
                s["hinge.angle"], s.state.q

        The arguments are those of `run`."""
        setup = Setup(method, step, None, tolerance, options, frame, threads, solver, energy_check)
        return Stepper(self, setup, {**self._values, **self._given(parameters, named)})

    # ---- runs

    def run(
        self,
        *,
        method: Optional[str] = None,
        step: Optional[float] = None,
        duration: Optional[float] = None,
        tolerance: Optional[Tolerance] = None,
        options: Optional[Options] = None,
        frame: Optional[str] = None,
        threads: int = 1,
        solver: str = "auto",
        energy_check: bool = True,
        record: Optional[Sequence[str]] = None,
        every: Optional[float] = None,
        files: Sequence[Union[str, Path]] = (),
        sens: Sequence[str] = (),
        parameters: Optional[Mapping[str, float]] = None,
        **named: float,
    ) -> Result:
        """Integrates the model and returns what it recorded.

        method: a name of `nutate.methods()`; options that belong to the model's own method and that
        this one lacks are set aside with a warning (SetAside). step, duration: s. tolerance: one
        number, or one for each of position (m), rotation (rad), velocity (m/s) and angular_velocity
        (rad/s): then steps are variable. options: of the method. frame: inertial, body or se3.
        threads: so many evaluate the elements side by side. record: what to record, in place of the
        model's list; every: s between rows, 0 for each step. files: CSV or NetCDF files (.nc) that
        get the rows as they are computed. sens: parameters of exact derivatives, see the function
        of this name. Parameters of the model may be given as keywords, m=12,
        or by `parameters={...}` where a name is one of the words above.

        Raises UsageError, ModelError, RunError (whose `result` holds the rows until then) and, for
        Ctrl-C, Interrupted, whose `result` holds them too.
        """
        setup = Setup(
            method, step, duration, tolerance, options, frame, threads, solver, energy_check
        )
        if isinstance(files, (str, Path)):
            raise TypeError(f"expected a list of files, as [{os.fspath(files)!r}]")
        given = self._given(parameters, named)
        return self._run(setup, given, record, every, files, tuple(sens))

    def sens(self, names: Sequence[str], **asked: Any) -> Result:
        """Runs with exact derivatives of everything recorded in the parameters `names`:
        `result.derivative("top.position", "m")` and `result.gradients[objective]["m"]`. All other
        arguments are those of `run`."""
        if isinstance(names, str):
            raise TypeError(f"expected a list of parameters, as [{names!r}]")
        return self.run(sens=tuple(names), **asked)

    def _run(
        self,
        setup: Setup,
        values: Mapping[str, float],
        record: Optional[Sequence[str]],
        every: Optional[float],
        files: Sequence[Union[str, Path]],
        derived: Tuple[str, ...],
    ) -> Result:
        model = self
        if record is not None or every is not None:
            asked: Dict[str, Setting] = {}
            if record is not None:
                asked["output.record"] = _list(record)
            if every is not None:
                if not every >= 0:
                    raise UsageError(f"every: expected seconds, or 0 for each step, got {every}")
                asked["output.every"] = every if every > 0 else "null"
            model = self._variant(asked)
        own = {**self._values, **values}
        result = run_whole(model, setup, own, files, derived)
        result._again = _Again(model, setup, own, derived)
        return result


class _Again:
    """Makes a run once more, with its rows in a file. It can be pickled with its result."""

    __slots__ = ("model", "setup", "values", "derived")

    def __init__(
        self, model: Any, setup: Setup, values: Mapping[str, float], derived: Tuple[str, ...]
    ) -> None:
        self.model, self.setup, self.values, self.derived = model, setup, values, derived

    @property
    def laws(self) -> Mapping[str, Any]:
        """Functions of Python that the model needs."""
        return self.model.laws if isinstance(self.model, Model) else {}

    def __call__(self, path: str) -> Result:
        if not isinstance(self.model, Model):  # its tables and meshes are read when they are needed
            self.model = _rebuild(*self.model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were said by the first run
            return run_whole(self.model, self.setup, self.values, [path], self.derived)

    def __reduce__(self) -> Any:
        model = self.model.__reduce__()[1] if isinstance(self.model, Model) else self.model
        return _Again, (model, self.setup, self.values, self.derived)


def _list(names: Sequence[str]) -> str:
    if isinstance(names, str):
        raise TypeError(f"expected a list of names, as [{names!r}]")
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _setting(value: Setting) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)


def _rebuild(
    kind: Any,
    said: str,
    name: str,
    folder: Optional[str],
    settings: Mapping[str, Setting],
    values: Mapping[str, float],
    laws: Mapping[str, Callable[..., Any]],
) -> Any:
    model = kind.__new__(kind)
    model._read(said, name, folder, settings, None, laws)
    if values:
        model._set(values)
    return model


def load(
    path: Union[str, Path],
    settings: Optional[Mapping[str, Setting]] = None,
    laws: Optional[Mapping[str, Callable[..., Any]]] = None,
) -> Model:
    """Reads a model file. settings: {"simulation.step": 1e-4, "m": 12}: what `--set` of the command
    takes, a parameter's name or a dotted path of the model file. ModelError with file, line and
    column; FileError where it cannot be read. laws: the functions that forces and joints of the types
    `python` and `python_joint` name, see `nutate.laws`."""
    model = Model.__new__(Model)
    name = os.fspath(path)
    model._read("", name, os.path.dirname(name) or None, settings or {}, name, laws or {})
    return model


def loads(
    said: str,
    name: str = "model",
    folder: Optional[Union[str, Path]] = None,
    settings: Optional[Mapping[str, Setting]] = None,
    laws: Optional[Mapping[str, Callable[..., Any]]] = None,
) -> Model:
    """Reads a model from a text. name stands for the file in messages; in folder the files of
    tables are looked up."""
    if not isinstance(said, str):
        raise TypeError(f"expected the text of a model, got {type(said).__name__}")
    model = Model.__new__(Model)
    model._read(
        said, name, None if folder is None else os.fspath(folder), settings or {}, None, laws or {}
    )
    return model


def load_plugin(path: Union[str, Path]) -> None:
    """Adds the element types of a plugin, a shared library as docs/interface.md describes it, to
    those of model files: for the whole process, and not for those that it starts. FileError where it
    cannot be loaded, UsageError where it is none or brings a type whose name is taken."""
    for library in Path(__file__).parent.glob("libnutate.so.*"):  # whose functions a plugin calls
        ctypes.CDLL(str(library), mode=os.RTLD_NOLOAD | os.RTLD_GLOBAL)
    error = new_error()
    check(lib.nt_plugin_load(os.fsencode(path), error), error)
