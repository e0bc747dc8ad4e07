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
    EnergyWarning,
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
from . import beams, bearings, blocks, cables, contacts, forces, joints, keys, states
from ._motion import methods
from .model import Model, Parameters, load, load_plugin, loads
from .result import Column, Result, Summary, Table, open
from .laws import Motion
from .state import State
from .stepper import SavedState, Stepper
from .analysis import Campbell, Check, Linear, ModeRates, Modes, Static
from .orbit import Orbit
from .sweep import run_plan
from .system import (
    R3SO3,
    SO3,
    First,
    Point,
    Rn,
    System,
    SystemStepper,
    Tangent,
    integrate,
    stepper,
)

__version__: str = _text(_lib.nt_version())

__all__ = [
    "Campbell",
    "Check",
    "Column",
    "EnergyWarning",
    "Error",
    "FileError",
    "First",
    "ForkError",
    "Interrupted",
    "Linear",
    "ModeRates",
    "Model",
    "ModelError",
    "Modes",
    "Motion",
    "NoMemoryError",
    "Orbit",
    "Parameters",
    "Point",
    "R3SO3",
    "Result",
    "Rn",
    "RunError",
    "SO3",
    "SavedState",
    "SetAside",
    "State",
    "Static",
    "Status",
    "Stepper",
    "Summary",
    "System",
    "SystemStepper",
    "Table",
    "Tangent",
    "UsageError",
    "beams",
    "bearings",
    "blocks",
    "cables",
    "contacts",
    "forces",
    "integrate",
    "joints",
    "keys",
    "load",
    "load_plugin",
    "loads",
    "methods",
    "open",
    "run_plan",
    "states",
    "stepper",
]
