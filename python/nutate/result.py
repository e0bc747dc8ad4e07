"""Results: what a run, a static search, a sweep or a file holds, row by row."""

from __future__ import annotations

import html
import math
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._core import check, ffi, lib, new_error, outside, text
from .errors import FileError, Status, UsageError

Array = npt.NDArray[np.float64]

#: the columns of each quantity and their components
Groups = Dict[str, Tuple[List[int], List[str]]]

#: the page of reports, which the package carries where it could be built
PAGE = Path(__file__).with_name("report.html")

_DIMENSIONS = {("x", "y", "z"): "vector", ("w", "x", "y", "z"): "quaternion"}


class Column:
    """A number of each row: its name "top.position.x", unit "m" and meaning."""

    __slots__ = ("name", "unit", "meaning")

    def __init__(self, name: str, unit: str = "", meaning: str = "") -> None:
        self.name = name
        self.unit = unit
        self.meaning = meaning

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.unit!r}, {self.meaning!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return Column, (self.name, self.unit, self.meaning)


def _split(name: str) -> Tuple[str, str]:
    """Splits the component off: "top.position.x" is ("top.position", "x"), and
    "d(top.position.x)/d(m)" is ("d(top.position)/d(m)", "x"). No component: ("energy", "")."""
    if name.startswith("d(") and ")/d(" in name:
        inner, outer = name[2:].split(")/d(", 1)
        parameter, _, rotation = outer.partition(")")
        if rotation:  # d(top.orientation)/d(m).x
            return f"d({inner})/d({parameter})", rotation[1:]
        quantity, _, component = inner.rpartition(".")
        return (f"d({quantity})/d({parameter})", component) if quantity else (name, "")
    quantity, _, component = name.rpartition(".")
    return (quantity, component) if quantity else (name, "")


def format_of(path: Union[str, Path]) -> int:
    """The format that a file's name says."""
    formats = {".nc": lib.NT_NETCDF, ".csv": lib.NT_CSV}
    end = os.path.splitext(path)[1]
    if end not in formats:
        raise UsageError(f"expected a name that ends in .csv or .nc, got '{path}'")
    return int(formats[end])


def group_columns(columns: Sequence[Column]) -> Groups:
    """Collects the columns of each quantity: {"top.position": ([1, 2, 3], ["x", "y", "z"])}. A
    derivative of an orientation is its rotation vector; the components of the quaternion are to be
    had by their own names."""
    groups: Groups = {}
    rotations = {
        _split(c.name)[0] for c in columns if c.name.startswith("d(") and c.name[-2] == "."
    }
    for i, column in enumerate(columns):
        quantity, component = _split(column.name)
        if quantity in rotations and column.name.endswith(")"):
            continue
        places, components = groups.setdefault(quantity, ([], []))
        places.append(i)
        components.append(component)
    return groups


class Table(Mapping[str, Array]):
    """Rows of numbers under named columns.

    `table["top.position"]` is an array (rows, components), `table["top.position.x"]` and
    `table["energy.total"]` are arrays (rows,): views of `data`, which they keep alive.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        values: Array,
        attributes: Optional[Mapping[str, str]] = None,
        groups: Optional[Groups] = None,
        texts: Optional[Mapping[str, Sequence[str]]] = None,
    ) -> None:
        self.columns: Tuple[Column, ...] = tuple(columns)
        #: (rows, columns), float64, SI units
        self.data: Array = values
        #: texts about the whole: title, model, method, ...
        self.attributes: Dict[str, str] = dict(attributes or {})
        #: columns of words, such as methods of a sweep: data holds the places in these lists
        self.texts: Dict[str, Sequence[str]] = dict(texts or {})
        self._groups = groups if groups is not None else group_columns(self.columns)
        self._named: Optional[Dict[str, int]] = None

    @property
    def _places(self) -> Dict[str, int]:
        if self._named is None:
            self._named = {column.name: i for i, column in enumerate(self.columns)}
        return self._named

    # ---- by name

    def labels(self, name: str) -> List[str]:
        """Returns the words of a column of words (rows,), such as methods of a sweep."""
        if name not in self.texts:
            raise KeyError(f"'{name}' is no column of words")
        known = self.texts[name]
        return [known[int(value)] for value in self[name]]

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str):
            raise TypeError(f"expected a name, as 'time', got {name!r}")
        place = self._places.get(name)
        if place is not None:
            return self.data[:, place]
        found = self._groups.get(name)
        if found is None:
            raise KeyError(self._unknown(name))
        places = found[0]
        if len(places) == 1:
            return self.data[:, places[0]]
        stride = places[1] - places[0]
        if all(b - a == stride for a, b in zip(places, places[1:])):
            return self.data[:, places[0] : places[-1] + 1 : stride]
        return self.data[:, places]

    def _unknown(self, name: str) -> str:
        names = [*self._groups, *self._places]
        words = [ffi.new("char[]", n.encode()) for n in names]
        near = lib.nt_suggest(name.encode(), len(name.encode()), words or ffi.NULL, len(words))
        hint = f"; did you mean '{text(near)}'?" if near else f", there are {', '.join(self)}"
        return f"nothing is recorded under '{name}'{hint}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self._groups

    def column(self, name: str) -> Column:
        """Returns name, unit and meaning of a column, or of the first one of a quantity."""
        place = self._places.get(name)
        if place is None:
            if name not in self._groups:
                raise KeyError(self._unknown(name))
            place = self._groups[name][0][0]
        return self.columns[place]

    def components(self, name: str) -> List[str]:
        """Returns the components of a quantity, such as ["x", "y", "z"]; [""] of a number."""
        if name not in self._groups:
            raise KeyError(self._unknown(name))
        return list(self._groups[name][1])

    def derivative(self, name: str, parameter: str) -> Array:
        """Returns the derivative of a recorded quantity in a parameter: (rows, components), of an
        orientation the rotation vector (rows, 3), ground axes, rad per unit of the parameter."""
        return self[f"d({name})/d({parameter})"]

    # ---- in other forms

    @property
    def index(self) -> Column:
        """The column that numbers the rows: time, of other tables `load` or whatever is first."""
        return self.columns[0]

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a column for each number of a row, indexed by the first
        one (time in s). Units and meanings are in its `attrs`."""
        import pandas

        first = self.columns[0].name
        frame = pandas.DataFrame(
            self.data[:, 1:],
            index=pandas.Index(self.data[:, 0], name=first),
            columns=[column.name for column in self.columns[1:]],
        )
        for name in self.texts:
            frame[name] = self.labels(name)
        frame.attrs = dict(
            self.attributes,
            units={c.name: c.unit for c in self.columns},
            long_names={c.name: c.meaning for c in self.columns},
        )
        return frame

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: a variable for each recorded quantity, along the first column
        (time, in seconds, as numbers) and, of vectors and quaternions, along `vector` (x, y, z) or
        `quaternion` (w, x, y, z), with units and long names."""
        import xarray

        first = self.columns[0]
        index = xarray.Variable((first.name,), self.data[:, 0], _said(first))
        variables: Dict[str, Any] = {}
        coordinates: Dict[str, Any] = {first.name: index}
        for name, (places, components) in self._groups.items():
            if places == [0]:
                continue
            dimension = _DIMENSIONS.get(tuple(components))
            if dimension is not None:
                coordinates[dimension] = (dimension, components)
                said = _said(self.columns[places[0]])
                said["long_name"] = said["long_name"].replace(f", {components[0]}", "", 1)
                variables[name] = ((first.name, dimension), self[name], said)
                continue
            for place in places:
                column = self.columns[place]
                values = self.labels(column.name) if column.name in self.texts else None
                variables[column.name] = (
                    (first.name,),
                    self.data[:, place] if values is None else values,
                    _said(column),
                )
        return xarray.Dataset(variables, coordinates, dict(self.attributes))

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Draws quantities over the first column by matplotlib, one panel for each; all that is
        recorded where no name is given. Returns the array of matplotlib Axes (panels,). axes: as
        many Axes as names, to draw into."""
        import matplotlib.pyplot as pyplot

        wanted = list(names) or [name for name in self if self._groups[name][0] != [0]]
        if axes is None:
            _, axes = pyplot.subplots(
                len(wanted), 1, sharex=True, squeeze=False, figsize=(7, 1 + 1.8 * len(wanted))
            )
        panels = np.asarray(axes, dtype=object).ravel()
        if len(panels) != len(wanted):
            raise ValueError(f"{len(wanted)} quantities and {len(panels)} axes")
        for panel, name in zip(panels, wanted):
            lines = panel.plot(self.data[:, 0], self[name])
            labels = self._groups[name][1] if name in self._groups else [""]
            if len(lines) > 1:
                for line, label in zip(lines, labels):
                    line.set_label(label)
                panel.legend(loc="upper right", fontsize="small")
            unit = self.column(name).unit
            panel.set_ylabel(name if unit in ("", "1") else f"{name} ({unit})")
        if len(panels) > 0:
            panels[-1].set_xlabel(f"{self.columns[0].name} ({self.columns[0].unit or '1'})")
        return panels

    def save(self, path: Union[str, Path]) -> None:
        """Writes the rows as CSV or, where the name ends in .nc, as NetCDF, by the library."""
        if self.texts:
            raise UsageError(
                f"{', '.join(self.texts)}: words are not written here, expected to_pandas().to_csv"
            )
        self._write(path, ffi.NULL)

    def write_beside(self, path: Union[str, Path]) -> None:
        """Writes this table of events beside the file of a result: run.events.nc of run.nc."""
        self._write(path, ffi.new("char[]", b"events"))

    def _write(self, path: Union[str, Path], table: Any) -> None:
        error = new_error()
        keep: List[Any] = []

        def word(value: str) -> Any:
            keep.append(ffi.new("char[]", value.encode()))
            return keep[-1]

        texts = []
        for name, said in self.texts.items():
            keep.append(ffi.new("char *[]", [word(one) for one in said]))
            texts.append((self._places[name], keep[-1], len(said)))
        file = ffi.new("nt_result_file *", (word(os.fspath(path)), format_of(path)))
        columns = ffi.new(
            "nt_result_column[]",
            [(word(c.name), word(c.unit), word(c.meaning)) for c in self.columns],
        )
        attributes = ffi.new(
            "nt_result_attribute[]",
            [(word(k), word(v), len(v.encode())) for k, v in self.attributes.items()] or 1,
        )
        setup = ffi.new("nt_result_setup *")
        setup.files, setup.n_files = file, 1
        setup.columns, setup.n_columns = columns, len(self.columns)
        setup.attributes, setup.n_attributes = attributes, len(self.attributes)
        words = ffi.new("nt_result_words[]", texts or 1)
        setup.words, setup.n_words = words, len(texts)
        setup.table = table
        writer = ffi.new("nt_result_writer **")
        check(lib.nt_result_create(writer, setup, error), error)
        status = 0
        for row in np.ascontiguousarray(self.data):
            status = lib.nt_result_write(writer[0], ffi.from_buffer("double[]", row), error)
            if status:
                break
        closed = lib.nt_result_finish(writer[0], error if not status else ffi.NULL)
        check(status or closed, error)

    # ---- to be looked at

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind}: {len(self.data)} rows of {', '.join(self)}>"

    def _html_rows(self) -> Iterator[Tuple[str, ...]]:
        yield "quantity", "unit", "first", "last"
        for column, first, last in zip(self.columns, self.data[0], self.data[-1]):
            yield column.name, column.unit, f"{first:.9g}", f"{last:.9g}"

    def _repr_html_(self) -> str:
        if len(self.data) == 0:
            return html.escape(repr(self))
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._html_rows()
        )
        title = html.escape(self.attributes.get("title", repr(self)))
        return f"<b>{title}</b>, {len(self.data)} rows<table>{rows}</table>"


def _said(column: Column) -> Dict[str, str]:
    return {"units": column.unit, "long_name": column.meaning or column.name}


class Summary:
    """What a run took and how true it stayed.

    title, method, frame: words. start, end: s, where it began and where it ended. steps, rejected,
    iterations, factorisations, evaluations: counts. smallest_step, largest_step: s. seconds: wall
    time. position_drift, velocity_drift: largest error of the constraints, m or rad, m/s or rad/s.
    energy: J, kinetic, potential, total and work of loads at the end, None where the model has
    none; energy_drift: J, what the total has changed by beyond that work. events: how many have
    happened; ended: "event landing: the stone lands" where one has ended the run, else "".
    """

    title: str
    method: str
    frame: str
    start: float
    end: float
    steps: int
    rejected: int
    iterations: int
    factorisations: int
    solves: int
    evaluations: int
    smallest_step: float
    largest_step: float
    seconds: float
    position_drift: float
    velocity_drift: float
    events: int
    ended: str
    energy: Optional[Dict[str, float]]
    energy_drift: float

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.method}, {self.frame} frame, to t = {self.end:.9g} s"]
        if self.energy is not None:
            lines.append(f"energy  {self.energy['total']:.9g} J, drift {self.energy_drift:.3g} J")
        lines.append(
            f"constraint drift  positions {self.position_drift:.2g}, "
            f"velocities {self.velocity_drift:.2g}"
        )
        if self.ended:
            lines.append(f"ended at t = {self.end:.9g} s by {self.ended}")
        if self.events > 0:
            lines.append(f"events {self.events}")
        lines.append(
            f"steps {self.steps}, rejected {self.rejected}, iterations {self.iterations}, "
            f"factorisations {self.factorisations}, evaluations {self.evaluations}"
        )
        each = 1e6 * self.seconds / self.steps if self.steps else math.nan
        lines.append(f"time {self.seconds:.3g} s, {each:.3g} us per step")
        return "\n  ".join(lines)


class Result(Table):
    """The rows of a run, with its `summary`; what the model's `objectives` came to, by name, and
    their derivatives, gradients[objective][parameter]; the values of all `parameters` in this run;
    the `State` at the end, `final`; and `events`, the table of what happened when, None where the
    model has no events: `events.labels("event")` are their names."""

    summary: Optional[Summary]
    objectives: Dict[str, float]
    gradients: Dict[str, Dict[str, float]]
    parameters: Dict[str, float]
    final: Any
    events: Optional[Table]

    def __init__(
        self,
        columns: Sequence[Column],
        data: Array,
        attributes: Optional[Mapping[str, str]] = None,
        groups: Optional[Groups] = None,
        later: Optional[Callable[[], Dict[str, Any]]] = None,
        texts: Optional[Mapping[str, Sequence[str]]] = None,
        events: Optional[Table] = None,
    ) -> None:
        super().__init__(columns, data, attributes, groups, texts)
        self.events = events
        self._later = later
        if later is not None:
            del self.attributes
        else:
            self.summary, self.final = None, None
            self.objectives, self.gradients, self.parameters = {}, {}, {}

    #: runs the model again, with its rows in a file
    _again: Optional[Callable[[str], "Result"]] = None

    def save(self, path: Union[str, Path]) -> None:
        """Writes the rows as CSV or, where the name ends in .nc, as NetCDF, by the library, and
        `events` beside it: run.events.nc of run.nc."""
        super().save(path)
        if self.events is not None:
            self.events.write_beside(path)

    def report(self, path: Union[str, Path]) -> None:
        """Writes a page (HTML) that shows the motion, plots, a summary and the model in any browser.
        Of a result of Model.run the model is run again for the motion of all bodies; of others the
        page shows what they hold. FileError where the package was built without the page."""
        if not PAGE.exists():
            raise FileError(f"{PAGE}: the package was built without the page of reports", Status.IO)
        with tempfile.TemporaryDirectory() as folder:
            rows = os.path.join(folder, "result.nc")
            if self._again is not None:
                self._again(rows)
            else:
                self.save(rows)
            error = new_error()
            words = [ffi.new("char[]", os.fsencode(word)) for word in (path, PAGE, rows)]
            results = ffi.new("char *[]", words[2:])
            setup = ffi.new("nt_report_setup *")
            setup.path, setup.page, setup.results, setup.n_results = *words[:2], results, 1
            check(lib.nt_report_write(setup, error), error)

    def _repr_html_(self) -> str:
        """The report, where there is one; of runs that took long, a table that says how to get it."""
        took = 0.0 if self.summary is None else self.summary.seconds
        if not PAGE.exists() or len(self.data) == 0:
            return super()._repr_html_()
        if took > 2.0:
            said = f"its motion takes another run, of {took:.3g} s: report('motion.html')"
            return f"{super()._repr_html_()}<p>{said} writes the page</p>"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "report.html")
            self.report(path)
            page = html.escape(path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0"></iframe>'

    def __getattr__(self, name: str) -> Any:
        later = self.__dict__.get("_later")
        if later is None or name.startswith("__"):
            raise AttributeError(f"a Result has no {name}")
        self.__dict__.update(later(), _later=None)
        return getattr(self, name)

    def __getstate__(self) -> Dict[str, Any]:
        if self._later is not None:
            getattr(self, "summary")
        state = dict(self.__dict__)
        if getattr(self._again, "laws", None):  # functions, of which few can be pickled
            del state["_again"]
        return state

    def __copy__(self) -> "Result":
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)

    @property
    def time(self) -> Array:
        """Times of the rows (rows,), s."""
        return self.data[:, 0]


def open(path: Union[str, Path]) -> Result:
    """Reads a result, CSV or NetCDF as the library writes them, or the table of a sweep: also one
    that is still being written, or that a killed run left, with the whole rows that are there.
    FileError where it cannot be read or is none. Of run.nc the table run.events.nc beside it is the
    result's `events`."""
    result = _read(path)
    base, end = os.path.splitext(os.fspath(path))
    beside = f"{base}.events{end}"
    if os.path.exists(beside):
        try:
            result.events = _read(beside)
        except FileError as error:
            warnings.warn(f"the table of events is left out: {error}", stacklevel=outside())
    return result


def _read(path: Union[str, Path]) -> Result:
    error = new_error()
    pointer = ffi.new("nt_result **")
    check(lib.nt_result_open(pointer, os.fsencode(path), error), error)
    result = ffi.gc(pointer[0], lib.nt_result_close)
    n, rows = lib.nt_result_column_count(result), lib.nt_result_rows(result)
    columns = []
    texts: Dict[str, List[str]] = {}
    for i in range(n):
        column = lib.nt_result_column_at(result, i)
        columns.append(Column(text(column.name), text(column.unit), text(column.meaning)))
        while lib.nt_result_text(result, i, len(texts.get(columns[i].name, ()))):
            known = texts.setdefault(columns[i].name, [])
            known.append(text(lib.nt_result_text(result, i, len(known))))
    attributes = {}
    for i in range(lib.nt_result_attribute_count(result)):
        attribute = lib.nt_result_attribute_at(result, i)
        value = ffi.unpack(attribute.value, attribute.length)
        attributes[text(attribute.name)] = value.decode("utf-8", "replace")
    values = np.empty((rows, n))
    if rows > 0:
        numbers = ffi.from_buffer("double[]", values, require_writable=True)
        check(lib.nt_result_read(result, 0, rows, numbers, error), error)
    return Result(columns, values, attributes, texts=texts)
