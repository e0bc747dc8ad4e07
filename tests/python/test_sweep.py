"""Many runs: grids and lists, executors, plans."""

import os
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import nutate
from conftest import TOP

VARY = {"m": [12, 15, 18], "arm": [0.9, 1.0, 1.1, 1.2]}


@pytest.fixture(scope="module")
def expected():
    return nutate.load(TOP).sweep(VARY, duration=0.1)


def test_a_grid(top, expected):
    assert expected.data.shape[0] == 12
    assert expected["m"].tolist() == [m for m in VARY["m"] for _ in VARY["arm"]]
    end = top.run(duration=0.1, m=15, arm=1.1)["top.position"][-1]
    assert np.array_equal(expected["top.position"][6], end)
    assert expected.column("top.position.x").unit == "m"


@pytest.mark.parametrize(
    "make",
    [
        lambda: ThreadPoolExecutor(4),
        lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    ],
)
def test_executors_give_the_same_table(top, expected, make):
    with make() as executor:
        found = top.sweep(VARY, duration=0.1, executor=executor, chunk=2)
    assert found.data.tobytes() == expected.data.tobytes()


def lowest(result):
    return {"lowest": result["top.position.z"].min()}


def test_what_is_kept_and_lists(top):
    found = top.sweep({"m": [12, 15], "arm": [1, 2]}, design="list", keep=lowest, duration=0.1)
    assert [c.name for c in found.columns] == ["row", "m", "arm", "status", "lowest"]
    assert found.data.shape == (2, 5)


def test_rows_that_fail_say_so(top):
    found = top.sweep({"m": [15, -1, 12]}, duration=0.01)
    assert found["status"].tolist() == [0, nutate.Status.BAD_MODEL, 0]
    assert np.isnan(found["top.position"][1]).all()
    assert "row 1:" in found.attributes["failures"] and "mass" in found.attributes["failures"]
    with pytest.raises(ValueError, match="m: expected at least one value"):
        top.sweep({"m": []})
    with pytest.raises(nutate.UsageError, match="no parameter"):
        top.sweep({"mass": [1]})


def test_plans_of_the_library(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"""sweep: 1
model: {TOP}
vary: {{m: [12, 15], simulation.duration: [0.1]}}
keep: {{final: [top.position]}}
"""
    )
    table = nutate.run_plan(plan, tmp_path / "rows", threads=2)
    assert table.data.shape[0] == 2
    end = nutate.load(TOP).run(m=12, duration=0.1)["top.position"][-1]
    assert [table[f"top.position.{c}"][0] for c in "xyz"] == end.tolist()
    with pytest.raises(nutate.Error):
        nutate.run_plan(plan, tmp_path / "rows")
    again = nutate.run_plan(plan, tmp_path / "rows", resume=True)
    assert again.data.tobytes() == table.data.tobytes()


def test_plans_over_words(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"sweep: 1\nmodel: {TOP}\nset: {{simulation.duration: 0.01}}\n"
        "vary: {m: [12, -1], method: [generalized-alpha, rkmk-dop853]}\n"
        "cases: {earth: {}, 'moon, dark': {gravity: [0, 0, -1.62]}}\n"
        "keep: {final: [top.position], series: [top.position.z]}\n"
    )
    table = nutate.run_plan(plan, tmp_path / "rows")
    assert table.labels("method") == 4 * ["generalized-alpha", "rkmk-dop853"]
    assert table.labels("case") == 4 * ["earth"] + 4 * ["moon, dark"]
    assert table["status"].tolist() == 2 * [0, 0, 4, 4]
    assert table.column("top.position.x.final").unit == "m"
    assert list(table.to_pandas()["method"]) == table.labels("method")
    assert table.to_xarray()["case"].values.tolist() == table.labels("case")
    with pytest.raises(nutate.UsageError, match="words"):
        table.save(tmp_path / "other.csv")
    with pytest.raises(KeyError, match="no column of words"):
        table.labels("m")
    command = os.environ.get("NUTATE_COMMAND", "build/release/nutate")
    said = [command, "sweep", "--collect", tmp_path / "rows", "-o", tmp_path / "all.csv"]
    subprocess.run(said, check=True, capture_output=True)
    again = nutate.open(tmp_path / "all.csv")
    assert again.data.tobytes() == table.data.tobytes()
    assert again.texts == table.texts
