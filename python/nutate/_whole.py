"""Whole runs of a model, with their rows in memory.

The first run of a set-up is made step by step (WholeRun), and leaves a plan behind: what it chose.
Runs that follow it, with any parameters, step and duration, are one call of the library
(native/whole.c). Those with files, derivatives,
threads or laws in Python are made step by step always.
"""

from __future__ import annotations

import os
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._core import (
    Owner,
    check,
    check_process,
    count_threads,
    ffi,
    lib,
    number,
    outside,
    take_raised,
    text,
    wait_for_columns,
)
from ._motion import Motion, Setup, check_times, choose_times
from .errors import EnergyWarning, Error, Interrupted, Status, UsageError
from .result import Column, Groups, Result, Summary, Table, format_of, group_columns
from .state import copy_numbers, state_of

if TYPE_CHECKING:
    from .model import Model

MOST_PLANS = 32
EVENTS = {"source": "nutate", "result_version": "1", "table": "events"}
EVENT_COLUMNS = (
    Column("time", "s", "when it happened"),
    Column("event", "1", "which event"),
    Column("energy_before", "J", "kinetic and potential energy just before"),
    Column("energy_after", "J", "kinetic and potential energy just behind"),
    Column("energy_lost", "J", "energy that the event took"),
)
_WHOLE, _ERROR = ffi.typeof("py_whole *"), ffi.typeof("nt_error *")


def run_whole(
    model: "Model",
    setup: Setup,
    values: Mapping[str, float],
    files: Sequence[Union[str, Path]],
    derived: tuple[str, ...],
) -> Result:
    """See Model.run and Model.sens."""
    key = None if files or derived or model.laws else _key(setup)
    plan: Optional[Plan] = model._plans.get(key)
    if plan is not None:
        return plan.run(model, values, setup)
    run = WholeRun(model, setup, values, files, derived)
    try:
        if key is not None and not run.aside:
            if len(model._plans) >= MOST_PLANS:
                model._plans.clear()
            model._plans[key] = Plan(run)
        return run.go()
    finally:
        run.close()


# ---- runs in one call ---------------------------------------------------------------------------


def _key(setup: Setup) -> Any:
    """What runs of one plan have in common; None: they have none."""
    if setup.threads != 1:
        return None
    given = setup.tolerance
    return (
        setup.method,
        tuple((k, repr(v)) for k, v in given.items()) if isinstance(given, Mapping) else given,
        tuple((k, repr(v)) for k, v in setup.options.items()) if setup.options else (),
        setup.frame,
        setup.solver,
        bool(setup.energy_check),
    )


class _Caller(Owner):
    """Keeps what a signal raised in a run of this thread."""

    def look(self) -> bool:
        return False


class _Callers(threading.local):
    def __init__(self) -> None:
        self.caller = _Caller()
        self.context = self.caller.handle()


_callers = _Callers()


class Plan:
    """What a run of a model has chosen: method, options, times, columns."""

    __slots__ = (
        "c",
        "method",
        "frame",
        "controlled",
        "simulation",
        "columns",
        "groups",
        "names",
        "objectives",
        "room",
        "sizes",
        "_keep",
    )

    def __init__(self, run: "WholeRun") -> None:
        model = run.model
        self.c = ffi.new("py_plan *")
        energy = model._quantity("energy")
        self.c.model, self.c.setup = model._pointer, run.setup[0]
        self.c.energy = energy or ffi.NULL
        self.c.look = lib.py_look
        self.method, self.frame, self.controlled = run.method, run.frame, run.controlled
        self.simulation = lib.nt_model_simulation(model._pointer)
        self.columns, self.groups = run.columns, run.groups
        self.names = model._parameter_names
        self.objectives = model.objectives
        self.c.objectives = len(self.objectives)
        self.c.events = len(model._event_names)
        self.room = lib.nt_state_room(run.system)
        space, system = run.system.space, run.system
        self.sizes = (space.nq, space.nv, system.nh, system.nn, system.n_memory)
        self._keep = (run._keep, energy)

    def run(self, model: "Model", values: Mapping[str, float], setup: Setup) -> Result:
        """Runs the model with these values of parameters, and with the times of a set-up."""
        check_process()
        begin, end_time, step, _ = choose_times(setup, self.simulation, self.controlled)
        check_times(begin, end_time, step)
        callers = _callers
        whole, error = ffi.new(_WHOLE), ffi.new(_ERROR)
        places = [model._parameter(name) for name in values] if values else ffi.NULL
        given = [number(name, value) for name, value in values.items()] if values else ffi.NULL
        end = self.room + len(self.names)
        numbers = np.empty(end + len(self.objectives))
        memory = ffi.from_buffer("double[]", numbers)
        whole.numbers, whole.parameters, whole.objectives = memory, memory + self.room, memory + end
        motion = whole.motion
        motion.context = callers.context
        motion.start, motion.end, motion.step = begin, end_time, step
        count_threads(1)
        try:
            status = lib.py_run(whole, self.c, places, given, len(values), error)
        finally:
            count_threads(-1)
        result = None
        if whole.ran:
            state = numbers, whole.final, memory, self.sizes
            result = self._result(model, whole, state)
        if status:
            self._fail(status, error, whole, callers.caller, result)
        assert result is not None
        if whole.motion.warning[0] != b"\0":
            warnings.warn(text(whole.motion.warning), EnergyWarning, stacklevel=outside())
        return result

    def _result(self, model: "Model", whole: Any, state: Any) -> Result:
        begin = whole.motion.start

        def later() -> dict[str, Any]:
            numbers = state[0]
            parameters = numbers[self.room : self.room + len(self.names)].tolist()
            objectives = numbers[self.room + len(self.names) :].tolist()
            return account(
                model,
                self.method,
                self.frame,
                begin,
                state,
                whole.motion,
                dict(zip(self.objectives, objectives)),
                {},
                parameters,
            )

        return Result(
            self.columns,
            take_rows(whole.rows, len(self.columns)),
            groups=self.groups,
            later=later,
            events=events_of(model, whole.events),
        )

    def _fail(self, status: int, error: Any, whole: Any, caller: Any, result: Any) -> None:
        if status == Status.INTERRUPTED:
            interrupt(take_raised(caller), result)
        try:
            check(status, error, text(whole.unknown) or None, caller)
        except Error as raised:
            raised.result = result
            raise


def take_rows(rows: Any, columns: int) -> Any:
    """Returns rows of C as an array, which owns their memory."""
    n = rows.n
    if n == 0:
        return np.empty((0, columns))
    size = n * rows.columns * 8
    memory = ffi.gc(rows.values, lib.py_rows_free, size)
    rows.values = ffi.NULL
    return np.frombuffer(ffi.buffer(memory, size)).reshape(n, rows.columns)


def events_of(model: "Model", rows: Any) -> Optional[Table]:
    """Returns the table of what happened in a run; None for a model without events."""
    if not model._event_names:
        return None
    said = {"title": model.title, **EVENTS, "nutate_version": text(lib.nt_version())}
    names = {"event": model._event_names}
    return Table(EVENT_COLUMNS, take_rows(rows, len(EVENT_COLUMNS)), said, texts=names)


def interrupt(raised: Optional[BaseException], result: Result) -> None:
    """Raises what was raised while a run was under way, in a signal's handler or in a law."""
    if raised is None or type(raised) is KeyboardInterrupt:
        said = f"interrupted at t = {result.final.t:.9g} s"
        raise Interrupted(said, result) from None
    raise raised


def account(
    model: "Model",
    method: str,
    frame: str,
    begin: float,
    state: Any,
    motion: Any,
    objectives: dict[str, float],
    gradients: dict[str, dict[str, float]],
    parameters: Sequence[float],
) -> dict[str, Any]:
    """What a result says besides its rows; state: copied numbers."""
    return {
        "attributes": {
            "title": model.title,
            "method": method,
            "frame": frame,
            "model": model.text,
            "nutate_version": text(lib.nt_version()),
        },
        "summary": _summary(model, method, frame, begin, state, motion),
        "objectives": objectives,
        "gradients": gradients,
        "parameters": dict(zip(model._parameter_names, parameters)),
        "final": state_of(state),
    }


# ---- runs step by step --------------------------------------------------------------------------


class WholeRun(Motion):
    """A run from its begin to its end, with rows in memory."""

    record: Any = ffi.NULL
    objectives: Any = ffi.NULL
    sensitivity: Any = ffi.NULL
    rows: Any = None
    events: Any = None
    columns: list[Column]
    groups: Groups

    def __init__(
        self,
        model: "Model",
        setup: Setup,
        values: Mapping[str, float],
        files: Sequence[Union[str, Path]],
        derived: tuple[str, ...],
    ) -> None:
        super().__init__(model, setup, values)
        self.derived = derived
        self.values, self.files = values, files
        self.need_times()
        if derived:
            self._derive()
        self._record(files)
        if lib.nt_model_objective_count(model._pointer) > 0:
            to = ffi.new("nt_objectives **")
            self.check(
                lib.nt_objectives_create(
                    to, self.run, self.integrator, self.sensitivity, self.error
                )
            )
            self.objectives = to[0]

    def look(self) -> bool:
        """Nothing stops it but signals."""
        return False

    def _derive(self) -> None:
        places = [self.model._parameter(name) for name in self.derived]
        if len(set(places)) < len(places):
            raise UsageError("a parameter is given twice")
        to = ffi.new("nt_sensitivity **")
        self.check(lib.nt_sensitivity_create(to, self.integrator, places, len(places), self.error))
        self.sensitivity = to[0]

    def _record(self, files: Sequence[Union[str, Path]]) -> None:
        self.rows, self.events = ffi.new("py_rows *"), ffi.new("py_rows *")
        setup = ffi.new("nt_record_setup *")
        setup.run, setup.sensitivity = self.run, self.sensitivity
        setup.take_row = ffi.addressof(lib, "py_rows_take")
        setup.taker = self.rows
        if files:
            paths = [ffi.new("char[]", os.fsencode(path)) for path in files]
            formats = [format_of(path) for path in files]
            to_files = ffi.new("nt_result_file[]", list(zip(paths, formats)))
            setup.files, setup.n_files = to_files, len(paths)
            said = f"method={self.method}\nframe={self.frame}\nstep={self.plan_step!r} s\n"
            said += "history=nutate.Model.run\n"
            provenance = ffi.new("char[]", said.encode())
            setup.provenance = provenance
        known = self.model._columns.get(self.derived)
        columns: list[Column] = []
        if known is None:
            setup.take_column = lib.py_take_column
            wait_for_columns(self.rows, lambda *column: columns.append(Column(*column)))
        to = ffi.new("nt_record **")
        try:
            self.check(lib.nt_record_create(to, setup, self.error))
        finally:
            if known is None:
                wait_for_columns(self.rows, None)
        self.record = to[0]
        if known is None:
            known = self.model._columns[self.derived] = (columns, group_columns(columns))
        self.columns, self.groups = known

    def go(self) -> Result:
        """Integrates; returns the result, or raises with what there is of it."""
        self.begin()
        if self.sensitivity:
            self.check(lib.nt_sensitivity_start(self.sensitivity, self.error))
        motion = ffi.new("py_motion *")
        motion.run, motion.integrator, motion.record = self.run, self.integrator, self.record
        motion.objectives = self.objectives
        motion.events = self.events if self.model._event_names else ffi.NULL
        motion.start, motion.end, motion.step = self.begin_time, self.end_time, self.plan_step
        motion.look, motion.context = lib.py_look, self.handle()
        motion.energy = self.model._quantity("energy") or ffi.NULL
        count_threads(1)
        try:
            status = lib.py_integrate(motion, self.error)
        finally:
            count_threads(-1)
        closed = lib.nt_record_close(self.record, self.error if not status else ffi.NULL)
        self.record = ffi.NULL
        result = self._result(motion)
        raised = take_raised(self) if status else None
        if raised is not None or status == Status.INTERRUPTED:
            interrupt(raised, result)
        if not closed and result.events is not None:
            for path in self.files:
                result.events.write_beside(path)
        if status or closed:
            try:
                self.check(status or closed)
            except Error as error:
                error.result = result
                raise
        if motion.warning[0] != b"\0":
            warnings.warn(text(motion.warning), EnergyWarning, stacklevel=outside())
        return result

    def _result(self, motion: Any) -> Result:
        values = take_rows(self.rows, len(self.columns))
        events = events_of(self.model, self.events)
        later = self._account(motion)
        return Result(self.columns, values, groups=self.groups, later=later, events=events)

    def _account(self, motion: Any) -> Callable[[], dict[str, Any]]:
        """What a result says besides its rows, from what is copied here, when it is asked for."""
        model, method, frame, begin = self.model, self.method, self.frame, self.begin_time
        state = copy_numbers(self.system, lib.nt_integrator_state(self.integrator))
        parameters = list(self.parameters().values())
        objectives, gradients = self._objectives() if self.objectives else ({}, {})

        def later() -> dict[str, Any]:
            return account(
                model, method, frame, begin, state, motion, objectives, gradients, parameters
            )

        return later

    def _objectives(self) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        objectives: dict[str, float] = {}
        gradients: dict[str, dict[str, float]] = {}
        count = lib.nt_model_objective_count(self.model._pointer) if self.objectives else 0
        for i in range(count):
            name = text(lib.nt_model_objective(self.model._pointer, i).name)
            objectives[name] = lib.nt_objectives_value(self.objectives, i)
            if self.derived:
                gradients[name] = {
                    parameter: lib.nt_objectives_derivative(self.objectives, i, k)
                    for k, parameter in enumerate(self.derived)
                }
        return objectives, gradients

    def close(self) -> None:
        """Frees everything; a second time does nothing."""
        lib.nt_record_close(self.record, ffi.NULL)
        lib.nt_objectives_destroy(self.objectives)
        lib.nt_sensitivity_destroy(self.sensitivity)
        self.record = self.objectives = self.sensitivity = ffi.NULL
        super().close()
        for rows in (self.rows, self.events):
            if rows is not None and rows.values:
                lib.py_rows_free(rows.values)
                rows.values = ffi.NULL


def _summary(
    model: "Model", method: str, frame: str, begin: float, state: Any, motion: Any
) -> Summary:
    took, names = motion.took, ("kinetic", "potential", "total", "work")
    before, after = list(motion.energies[0]), list(motion.energies[1])
    drift = after[2] - before[2] - (after[3] - before[3])
    return Summary(
        title=model.title,
        method=method,
        frame=frame,
        start=begin,
        end=state_of(state).t,
        steps=took.steps,
        rejected=took.rejected,
        iterations=took.iterations,
        factorisations=took.factorisations,
        solves=took.solves,
        evaluations=took.evaluations,
        smallest_step=took.smallest_step,
        largest_step=took.largest_step,
        seconds=motion.seconds,
        position_drift=max(motion.drift[0], took.position_drift),
        velocity_drift=motion.drift[1],
        events=took.events,
        ended=model._words_of_end(motion.ended),
        energy=dict(zip(names, after)) if motion.has_energy else None,
        energy_drift=drift if motion.has_energy else 0.0,
    )
