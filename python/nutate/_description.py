"""Models in code: what the dataclasses of the model file's keys have in common, and how they are
written as YAML."""

from __future__ import annotations

import dataclasses
import json
import keyword
import math
import re
from typing import Any, Callable, ClassVar, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

#: a number, or an expression of the parameters
Number = Union[float, str]
#: a number, or an expression of t, the parameters and what can be recorded
Function = Union[float, str]
Numbers = Sequence[Number]
#: [x, y, z]
Vector = Sequence[Number]
#: [x, y, z], or the name of a marker
Point = Union[Sequence[Number], str]
Matrix = Sequence[Sequence[Number]]
#: a function, or the name of one that is given with the model
Law = Union[str, Callable[..., Any]]


class Part:
    """A mapping of the model file. Keys that are None are left out of the file."""

    #: the value of the key `type`, where there is one
    _type: ClassVar[Optional[str]] = None

    def as_dict(self) -> Dict[str, Any]:
        """Returns the keys that are given, with plain values."""
        found: Dict[str, Any] = {}
        if self._type is not None:
            found["type"] = self._type
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            key = field.name[:-1] if keyword.iskeyword(field.name[:-1]) else field.name
            if value is not None:
                found[key] = plain(value)
        return found


def plain(value: Any) -> Any:
    """Turns dataclasses, arrays and tuples into dicts, lists, numbers and texts."""
    if isinstance(value, Part):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (np.generic,)):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__  # a law, which the model collects
    raise TypeError(f"a model file holds no {type(value).__name__}: {value!r}")


def laws_in(value: Any, found: Dict[str, Callable[..., Any]]) -> None:
    """Collects the functions of a description by their names."""
    if isinstance(value, Part):
        for field in dataclasses.fields(value):  # type: ignore[arg-type]
            laws_in(getattr(value, field.name), found)
    elif isinstance(value, Mapping):
        for entry in value.values():
            laws_in(entry, found)
    elif callable(value) and hasattr(value, "__name__"):
        if found.setdefault(value.__name__, value) is not value:
            raise ValueError(f"two laws have the name {value.__name__}")


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*( [A-Za-z0-9_.]+)*")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"a model file holds finite numbers, got {value}")
        return repr(value)
    if isinstance(value, int):
        return str(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow(entry) for entry in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    return _scalar(value)


def _block(value: Mapping[str, Any], indent: str, lines: List[str]) -> None:
    for key, entry in value.items():
        flow = f"{indent}{_scalar(key)}: {_flow(entry)}"
        if isinstance(entry, dict) and entry and len(flow) > 100:
            lines.append(f"{indent}{_scalar(key)}:")
            _block(entry, indent + "  ", lines)
        else:
            lines.append(flow)


def to_yaml(sections: Mapping[str, Any]) -> str:
    """Writes a model file of these sections, whose numbers read back to the bit."""
    lines = ["nutate: 1"]
    for key, value in sections.items():
        value = plain(value)
        if isinstance(value, dict) and value and key not in ("parameters", "simulation", "output"):
            lines.append(f"{key}:")
            _block(value, "  ", lines)
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n"
