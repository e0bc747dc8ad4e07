"""Many runs of one model."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import Executor, as_completed
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
    new_error,
    number,
    owner_of,
    take_raised,
)
from .errors import Error, Interrupted, Status, UsageError
from .result import Column, Result, Table, open as open_result

if TYPE_CHECKING:
    from .model import Model

Row = tuple[int, dict[str, float], dict[str, str], str]


def rows_of(vary: Mapping[str, Sequence[float]], design: str) -> list[dict[str, float]]:
    """The combinations of a design, in its order: of a grid the last name goes fastest."""
    if not isinstance(vary, Mapping):
        raise TypeError(f"vary: expected values of each parameter by name, got {vary!r}")
    for name, given in vary.items():
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise TypeError(f"{name}: expected a list of values, got {given!r}")
    values = {name: [number(name, v) for v in given] for name, given in vary.items()}
    for name, given in values.items():
        if not given:
            raise ValueError(f"{name}: expected at least one value")
    if design == "grid":
        return [dict(zip(values, row)) for row in itertools.product(*values.values())]
    if design != "list":
        raise ValueError(f"design: expected grid or list, got '{design}'")
    if len({len(given) for given in values.values()}) > 1:
        raise ValueError("design list: expected as many values of each parameter")
    return [dict(zip(values, row)) for row in zip(*values.values())]


def last_row(result: Result) -> dict[str, float]:
    """What a row keeps where nothing else is said: what is recorded at the end, and objectives."""
    found = {c.name: float(v) for c, v in zip(result.columns[1:], result.data[-1, 1:])}
    found.update(result.objectives)
    return found


def run_rows(
    model: "Model",
    rows: Sequence[Mapping[str, float]],
    keep: Optional[Callable[[Result], Mapping[str, float]]],
    asked: Mapping[str, Any],
) -> list[Row]:
    """Runs some rows: status, numbers, their units and a message of each. This is what goes to an
    executor."""
    found: list[Row] = []
    for row in rows:
        try:
            result = model.run(
                parameters={**asked.get("parameters", {}), **row},
                **{k: v for k, v in asked.items() if k != "parameters"},
            )
            numbers = dict(last_row(result) if keep is None else keep(result))
            units = {c.name: c.unit for c in result.columns if c.name in numbers}
            found.append((0, numbers, units, ""))
        except Error as error:
            found.append((int(error.status), {}, {}, str(error)))
    return found


def run_sweep(
    model: "Model",
    vary: Mapping[str, Sequence[float]],
    design: str,
    keep: Optional[Callable[[Result], Mapping[str, float]]],
    executor: Optional[Executor],
    chunk: int,
    asked: Mapping[str, Any],
) -> Table:
    """See Model.sweep."""
    rows = rows_of(vary, design)
    for name in vary:
        model._parameter(name)
        if name in asked or name in asked.get("parameters", {}):
            raise UsageError(f"{name}: is varied, and given besides")
    if chunk < 0:
        raise UsageError(f"chunk: expected rows that go together, or 0, got {chunk}")
    if executor is not None and not hasattr(executor, "submit"):
        raise TypeError(f"executor: expected one as of concurrent.futures, got {executor!r}")
    found: dict[int, Row] = {}
    try:
        if executor is None:
            for i, row in enumerate(rows):
                found[i] = run_rows(model, [row], keep, asked)[0]
        else:
            _submit_rows(model, rows, keep, executor, chunk, asked, found)
    except KeyboardInterrupt:
        said = f"interrupted after {len(found)} of {len(rows)} rows"
        raise Interrupted(said, _table(model, list(vary), rows, found)) from None
    if len(found) != len(rows):
        raise RuntimeError(f"{len(found)} of {len(rows)} rows came back")
    return _table(model, list(vary), rows, found)


def _submit_rows(
    model: "Model",
    rows: list[dict[str, float]],
    keep: Optional[Callable[[Result], Mapping[str, float]]],
    executor: Executor,
    chunk: int,
    asked: Mapping[str, Any],
    found: dict[int, Row],
) -> None:
    """Gives rows to an executor; those that wait are taken back when something is raised."""
    size = chunk if chunk > 0 else max(1, min(64, len(rows) // 32))
    pieces: dict[Any, int] = {}
    try:
        for i in range(0, len(rows), size):
            pieces[executor.submit(run_rows, model, rows[i : i + size], keep, dict(asked))] = i
        for future in as_completed(pieces):
            found.update(enumerate(future.result(), pieces[future]))
    except BaseException:
        for future, begin in pieces.items():
            future.cancel()
            if future.done() and not future.cancelled() and not future.exception():
                found.update(enumerate(future.result(), begin))
        raise


def _table(
    model: "Model", names: list[str], rows: list[dict[str, float]], by_number: dict[int, Row]
) -> Table:
    numbers_of = sorted(by_number)
    found = [by_number[i] for i in numbers_of]
    kept: list[str] = []
    units: dict[str, str] = {}
    for _, numbers, said, _ in found:
        kept += [name for name in numbers if name not in units]
        units.update({name: said.get(name, "") for name in numbers if name not in units})
    columns = [
        Column("row", "1", "number of the row"),
        *(Column(name, "", f"parameter {name}") for name in names),
        Column("status", "1", "0 for a run that was done"),
        *(Column(name, units[name], f"{name} of the run") for name in kept),
    ]
    data = np.full((len(found), len(columns)), np.nan)
    for i, (place, (status, numbers, _, _)) in enumerate(zip(numbers_of, found)):
        data[i, 0] = place
        data[i, 1 : 1 + len(names)] = [rows[place][name] for name in names]
        data[i, 1 + len(names)] = status
        data[i, 2 + len(names) :] = [numbers.get(name, np.nan) for name in kept]
    attributes = {"title": model.title, "model": model.text}
    failures = [f"row {i}: {row[3]}" for i, row in zip(numbers_of, found) if row[3]]
    if failures:
        attributes["failures"] = "\n".join(failures)
    return Table(columns, data, attributes)


# ---- plans ----------------------------------------------------------------------------------------


class _Plan(Owner):
    def look(self) -> bool:
        return False


def run_plan(
    plan: Union[str, Path],
    folder: Union[str, Path],
    *,
    threads: int = 0,
    resume: bool = False,
) -> Result:
    """Runs a plan (docs/sweep.md), as `nutate sweep PLAN -o FOLDER` does, and returns its table of
    all rows. Rows are safe in the folder; after Ctrl-C, or the end of the process, resume=True goes
    on with those that are missing. threads: 0 for as many as there are processors."""
    check_process()
    error, owner = new_error(), _Plan()
    to = ffi.new("nt_sweep **")
    check(lib.nt_sweep_read(to, os.fsencode(plan), error), error)
    sweep = ffi.gc(to[0], lib.nt_sweep_destroy)
    place = ffi.new("char[]", os.fsencode(folder))
    setup = ffi.new("nt_sweep_setup *")
    setup.folder, setup.threads, setup.resume = place, threads, int(resume)
    setup.watch, setup.context = lib.py_sweep_progress, owner.handle()
    count_threads(1)
    try:
        status = lib.nt_sweep_run(sweep, setup, ffi.NULL, error)
    finally:
        count_threads(-1)
    if status == Status.INTERRUPTED:
        raised = take_raised(owner)
        if raised is not None and type(raised) is not KeyboardInterrupt:
            raise raised
        raise Interrupted("interrupted; resume=True goes on")
    check(status, error, None, owner)
    path = Path(folder) / "rows.nc"
    name = ffi.new("char[]", os.fsencode(path))
    file = ffi.new("nt_result_file *", (name, lib.NT_NETCDF))
    collection = ffi.new("nt_sweep_collection *")
    check(lib.nt_sweep_collect(sweep, place, file, collection, error), error)
    return open_result(path)


@ffi.def_extern(onerror=lambda *unused: 1)
def py_sweep_progress(context: Any, progress: Any) -> int:
    """Lets signals in."""
    owner = owner_of(context)
    try:
        return 1 if owner is None else int(owner.look())
    except BaseException as raised:
        owner.raised = raised
        return 1
