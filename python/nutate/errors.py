"""What goes wrong, as exceptions.

Every failure of the library is an `Error`, whose fields say what the library knows of it:

=========== ======================================================================================
status      a `Status`
message     one line: what is wrong, what was expected
file        of a mistake in a model or a result, else ""
line        1-based, 0 where there is none
column      1-based, 0 where there is none
time        of a failed step: when it began, s
step        of a failed step: its size, s
iteration   of a failed step: how many iterations it took
residual    of a failed step: the largest relative to its tolerance
unknown     of a failed step: the unknown that it names, "force on body top along y", else None
result      of a run: the `Result` of what it had computed, else None
=========== ======================================================================================
"""

from __future__ import annotations

import enum
from typing import Any, Dict, Optional, Type


class Status(enum.IntEnum):
    """How a call to the library ended; their numbers are the library's and never change."""

    OK = 0
    INTERRUPTED = 1
    NO_MEMORY = 2
    INVALID = 3
    BAD_MODEL = 4
    INCONSISTENT = 5
    UNSUPPORTED = 6
    NOT_CONVERGED = 7
    SINGULAR = 8
    NOT_FINITE = 9
    IO = 10
    ENERGY = 11

    @classmethod
    def _missing_(cls, value: Any) -> "Status":
        """A status of a later library."""
        other = int.__new__(cls, value)
        other._name_ = f"STATUS_{value}"
        other._value_ = value
        return other


class Error(Exception):
    """A failure of the library. Its fields are described at the top of this module."""

    def __init__(
        self,
        message: str = "",
        status: int = Status.INVALID,
        file: str = "",
        line: int = 0,
        column: int = 0,
        time: float = 0.0,
        step: float = 0.0,
        iteration: int = 0,
        residual: float = 0.0,
        unknown: Optional[str] = None,
        result: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = Status(status)
        self.file = file
        self.line = line
        self.column = column
        self.time = time
        self.step = step
        self.iteration = iteration
        self.residual = residual
        self.unknown = unknown
        self.result = result

    def __str__(self) -> str:
        if not self.file:
            return self.message
        if self.line > 0:
            return f"{self.file}:{self.line}:{self.column}: {self.message}"
        return f"{self.file}: {self.message}"

    def __reduce__(self) -> Any:
        fields = (
            "message status file line column time step iteration residual unknown result".split()
        )
        return type(self), tuple(getattr(self, name) for name in fields)


class UsageError(Error, ValueError):
    """A wrong argument, or a method that cannot do what is asked of it."""


class ModelError(Error, ValueError):
    """A mistake in a model: file, line and column say where."""


class RunError(Error, ArithmeticError):
    """A computation that failed: time, step, iteration, residual and unknown say where."""


class FileError(Error):
    """A file that cannot be read or written."""


class NoMemoryError(Error, MemoryError):
    """Memory is out."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run; `result` holds what it had computed, a `Result`."""

    def __init__(self, message: str = "interrupted", result: Any = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.result)


class ForkError(RuntimeError):
    """The process was forked while the library had threads."""


class EnergyWarning(UserWarning):
    """The energy of a run has grown without a cause."""


class SetAside(UserWarning):
    """A setting of the model's method that the method in use does not have."""


_KINDS: Dict[int, Type[Error]] = {
    Status.NO_MEMORY: NoMemoryError,
    Status.INVALID: UsageError,
    Status.UNSUPPORTED: UsageError,
    Status.BAD_MODEL: ModelError,
    Status.INCONSISTENT: ModelError,
    Status.IO: FileError,
}


def error_of(status: int, **fields: Any) -> Error:
    """Returns the exception of a status."""
    return _KINDS.get(status, RunError)(status=status, **fields)
