"""What the tests share."""

import os
from pathlib import Path

import pytest

import nutate

ROOT = Path(__file__).resolve().parents[2]
TOP = ROOT / "examples" / "heavy_top" / "heavy_top.yaml"


@pytest.fixture
def top() -> nutate.Model:
    return nutate.load(TOP)


@pytest.fixture
def command() -> str:
    path = os.environ.get("NUTATE_COMMAND")
    if not path:
        pytest.skip("absent: NUTATE_COMMAND, the path of the command")
    return path
