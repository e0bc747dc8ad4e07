"""Runs the notebooks of examples/python, which end with assertions."""

import os
import sys

import nbclient
import nbformat
import pytest

import nutate
from conftest import ROOT

FOLDER = ROOT / "examples" / "python"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(nutate.__file__)))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), "outputs are not kept"
    client = nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    client.execute()


def test_there_are_some():
    assert len(list(FOLDER.glob("*.ipynb"))) == 4
