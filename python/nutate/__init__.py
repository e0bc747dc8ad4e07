"""nutate: time integration of mechanisms with large rotations.

    import nutate

    model = nutate.load("heavy_top.yaml")
    result = model.run(m=12)
    result["top.position"]          # (rows, 3), m
    result.to_xarray()

Units are SI throughout, angles in rad; shapes are written (rows, components).
"""

from __future__ import annotations

from ._core import lib as _lib, text as _text
from .errors import (
    Error,
    FileError,
    ForkError,
    Interrupted,
    ModelError,
    NoMemoryError,
    RunError,
    SetAside,
    Status,
    UsageError,
)
from . import bearings, contacts, forces, joints, keys
from ._motion import methods
from .model import EnergyWarning, Model, Parameters, load, loads
from .result import Column, Result, Summary, Table, open
from .laws import Motion
from .state import State
from .stepper import SavedState, Stepper

__version__: str = _text(_lib.nt_version())

__all__ = [
    "Column",
    "EnergyWarning",
    "Error",
    "FileError",
    "ForkError",
    "Interrupted",
    "Model",
    "ModelError",
    "Motion",
    "NoMemoryError",
    "Parameters",
    "Result",
    "RunError",
    "SavedState",
    "SetAside",
    "State",
    "Status",
    "Stepper",
    "Summary",
    "Table",
    "UsageError",
    "bearings",
    "contacts",
    "forces",
    "joints",
    "keys",
    "load",
    "loads",
    "methods",
    "open",
]
