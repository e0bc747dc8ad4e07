"""The library behind the package: errors of its calls, calls from it into Python, and what a
process may do with it."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from typing import Any, Callable, Dict, Optional

from ._library import ffi as ffi, lib as lib
from .errors import ForkError, Status, UsageError, error_of

OK = Status.OK

# ---- one interpreter ----------------------------------------------------------------------------


def _claim() -> None:
    """Refuses a second interpreter in one process: functions that the library calls go to the
    interpreter that came first."""
    if not lib.py_claim(id(sys)):  # each interpreter has a module sys of its own
        raise ImportError(
            "nutate is in use by another interpreter of this process, and calls from the library "
            "into Python can go to one only: import it in one interpreter, or use processes"
        )


_claim()

# ---- fork ---------------------------------------------------------------------------------------

_threads = 0  # runs with threads of their own, and calls under way
_forked = False
_lock = threading.Lock()


def count_threads(by: int) -> None:
    """Counts runs that have threads, and whole runs that are under way."""
    global _threads
    with _lock:
        _threads += by


def _in_child() -> None:
    global _forked, _lock
    _lock = threading.Lock()
    if _threads > 0:
        _forked = True


os.register_at_fork(after_in_child=_in_child)


def check_process() -> None:
    """Raises ForkError in a process that was forked while the library had threads."""
    if _forked:
        raise ForkError(
            "this process was forked while nutate had threads, which did not come along: start "
            "processes by 'spawn' (multiprocessing.get_context('spawn')) or fork before"
        )


# ---- errors -------------------------------------------------------------------------------------


def text(pointer: Any) -> str:
    """Returns a C text as a str."""
    return str(ffi.string(pointer), "utf-8", "replace") if pointer else ""


def check(status: int, error: Any, unknown: Optional[str] = None, owner: Any = None) -> None:
    """Raises what a failed call says; an exception that a function of the user's raised within the
    call is raised again as it was."""
    if status == OK:
        return
    raised = take_raised(owner)
    if raised is not None:
        raise raised
    raise error_of(
        status,
        message=text(error.message) or text(lib.nt_status_text(status)),
        file=text(error.file),
        line=error.line,
        column=error.column,
        time=error.time,
        step=error.step,
        iteration=error.iteration,
        residual=error.residual,
        unknown=unknown,
    )


def new_error() -> Any:
    """Returns room for the words of a failure."""
    return ffi.new("nt_error *")


def outside() -> int:
    """Returns the stacklevel of a warning that concerns whoever called into this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == "nutate":
        level, frame = level + 1, frame.f_back
    return level


def number(name: str, value: Any) -> float:
    """Returns a number that was given under a name."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: expected a number, got {value!r}") from None


# ---- calls from the library ---------------------------------------------------------------------
#
# A function of the user's is called in the middle of a call to the library. What it raises is kept
# with the object that made the call and raised when that returns.

_owners: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()


class Owner:
    """What calls from the library belong to: has a handle for C, and keeps what was raised."""

    raised: Optional[BaseException] = None

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} belongs to the library and is neither copied nor pickled: "
            "copy its model, or what save() returns"
        )

    def handle(self) -> Any:
        """Returns the pointer by which C names this object."""
        number = id(self)
        _owners[number] = self
        return ffi.cast("void *", number)


def owner_of(handle: Any) -> Any:
    """Returns the object of a handle; None when it is gone."""
    return _owners.get(int(ffi.cast("uintptr_t", handle)))


def take_raised(owner: Any) -> Optional[BaseException]:
    """Returns what was raised within the last call of the owner's, and forgets it."""
    raised: Optional[BaseException] = getattr(owner, "raised", None)
    if raised is None:
        raised = getattr(_lost, "raised", None)
    if raised is not None:
        if owner is not None:
            owner.raised = None
        _lost.raised = None
    lib.py_stop_over()
    return raised


_lost = threading.local()


def _stopped(kind: Any, value: Any, trace: Any) -> int:
    """A signal's exception that came before py_look knew its owner: it stops the run."""
    _lost.raised = value
    return 1


@ffi.def_extern(onerror=_stopped)
def py_look(context: Any) -> int:
    """Lets signals in, which raise what they raise, and asks the owner whether to stop."""
    owner = owner_of(context)
    try:
        return 1 if owner is None else int(owner.look())
    except BaseException as raised:  # KeyboardInterrupt among them
        if owner is not None:
            owner.raised = raised
        return 1


def _let_in() -> None:
    """Handlers of signals run between the steps of the interpreter: here, if anywhere."""


@ffi.def_extern(onerror=_stopped)
def py_signals() -> int:
    """Lets signals in; what they raise stops whatever computes in this thread."""
    try:
        _let_in()
    except BaseException as raised:  # KeyboardInterrupt among them
        _lost.raised = raised
        return 1
    return 0


_columns: Dict[int, Callable[[str, str, str], None]] = {}


@ffi.def_extern()
def py_take_column(taker: Any, column: Any) -> None:
    """Tells whoever waits for the columns of a record of one."""
    take = _columns.get(int(ffi.cast("uintptr_t", taker)))
    if take is not None:
        take(text(column.name), text(column.unit), text(column.meaning))


def wait_for_columns(taker: Any, take: Optional[Callable[[str, str, str], None]]) -> None:
    """Calls take(name, unit, meaning) for each column of the record with this taker; None: no
    longer."""
    number = int(ffi.cast("uintptr_t", taker))
    if take is None:
        _columns.pop(number, None)
    else:
        _columns[number] = take
