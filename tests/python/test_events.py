"""What happens at times of its own, interruptions, and types of elements from elsewhere."""

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import ROOT, TOP

import nutate

TREBUCHET = ROOT / "examples" / "trebuchet" / "trebuchet.yaml"


@pytest.fixture(scope="module")
def trebuchet():
    return nutate.load(TREBUCHET)


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_events_are_those_of_the_command(command, tmp_path, trebuchet, ending):
    file = tmp_path / f"run.{ending}"
    subprocess.run([command, "run", TREBUCHET, "-o", file, "--quiet"], check=True)
    theirs = nutate.open(file).events
    own = tmp_path / f"own.{ending}"
    first = trebuchet.run(files=[own])
    for ours in (first.events, trebuchet.run().events, nutate.open(own).events):
        assert ours.labels("event") == theirs.labels("event") == ["lift", "launch", "landing"]
        assert [c.name for c in ours.columns] == [c.name for c in theirs.columns]
        at = [i for i, column in enumerate(ours.columns) if column.name != "event"]
        assert ours.data[:, at].tobytes() == theirs.data[:, at].tobytes()
    assert (first.summary.events, first.summary.ended) == (3, "event landing: the stone lands")
    assert "by event landing: the stone lands\n  events 3\n" in str(first.summary)


def test_events_are_copied_saved_and_shown(tmp_path, trebuchet):
    result = trebuchet.run()
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        other.save(tmp_path / "run.nc")
        read = nutate.open(tmp_path / "run.nc")
        assert read.events.data.tobytes() == result.events.data.tobytes()
        assert read.events.labels("event") == result.events.labels("event")
    (tmp_path / "run.events.nc").write_bytes(b"CDF")
    with pytest.warns(UserWarning, match="events is left out"):
        assert nutate.open(tmp_path / "run.nc").events is None
    assert nutate.load(TOP).run(duration=0.01).events is None


def test_a_stepper_says_what_ended_it(trebuchet):
    with trebuchet.stepper() as s:
        s.advance(1)
        assert s.ended == ""
        s.advance(100)
        assert s.t < 10 and s.ended == "event landing: the stone lands"


def test_reports_show_the_run_that_was(tmp_path, top):
    """Whatever is set afterwards, and from a copy."""
    result = top.run(duration=0.1)
    top.parameters["m"] = 10
    for other in (result, copy.copy(result), pickle.loads(pickle.dumps(result))):
        other._again(tmp_path / "again.nc")
        again = nutate.open(tmp_path / "again.nc")
        assert again["top.position"].tobytes() == result["top.position"].tobytes()
    assert top.run(duration=0.1).data.tobytes() != result.data.tobytes()


# ---- interruptions ----------------------------------------------------------------------------------


def test_interrupted_sweeps_keep_their_rows(top):
    rows = 0

    def keep(result):
        nonlocal rows
        rows += 1
        if rows == 4:
            raise KeyboardInterrupt
        return {"z": result["top.position"][-1, 2]}

    with pytest.raises(nutate.Interrupted, match="after 3 of 6 rows") as caught:
        top.sweep({"m": [10, 11, 12, 13, 14, 15]}, keep=keep, duration=0.01)
    table = caught.value.result
    assert list(table["m"]) == [10, 11, 12] and np.isfinite(table["z"]).all()


def test_interrupted_sweeps_take_back_what_waits(top):
    class Executor(ThreadPoolExecutor):
        def submit(self, *arguments, **options):
            submitted.append(super().submit(*arguments, **options))
            if len(submitted) == 3:
                raise KeyboardInterrupt
            return submitted[-1]

    submitted = []
    with Executor(1) as executor, pytest.raises(nutate.Interrupted, match="of 500 rows"):
        top.sweep({"m": np.linspace(10, 15, 500)}, executor=executor, duration=1.0)
    assert submitted[1].cancelled()


def test_interrupted_laws_and_systems_keep_what_they_had():
    def law(t, a, b):
        if t > 0.5:
            raise KeyboardInterrupt
        return 0 * b.velocity

    model = nutate.Model(
        bodies={"ball": nutate.keys.Body(mass=1, point=True)},
        forces={"air": nutate.forces.Python(between=["ground", "ball"], law=law)},
        simulation=nutate.keys.Simulation(duration=1, step=0.01),
        output=nutate.keys.Output(record=["ball.position"]),
    )
    with pytest.raises(nutate.Interrupted) as caught:
        model.run()
    assert 0.4 < caught.value.result.time[-1] <= 0.5

    class Falling(nutate.System):
        space = [nutate.Rn(1)]

        def residual(self, at):
            if at.t > 0.5:
                raise KeyboardInterrupt
            return at.vdot + 9.81

    with pytest.raises(nutate.Interrupted) as caught:
        nutate.integrate(Falling(), q=[0.0], v=[0.0], duration=1, step=0.01)
    assert 0.4 < caught.value.result.time[-1] <= 0.5


# ---- wrong use ------------------------------------------------------------------------------------


def test_arguments_are_named(top):
    for wrong, said in (
        (lambda: top.run(m="x"), "m: expected a number, got 'x'"),
        (lambda: top.run(step="x"), "step: expected a number"),
        (lambda: top.run(parameters={"m": 12}, m=13), "m: is given twice"),
        (lambda: top.sweep({"m": [1]}, m=3), "m: is varied, and given besides"),
        (lambda: top.sweep({"m": [1]}, chunk=-1), "chunk: expected"),
    ):
        with pytest.raises(nutate.UsageError, match=said):
            wrong()
    for wrong, said in (
        (lambda: top.run(method=3), "method: expected a name, got 3"),
        (lambda: top.run(options=3), "options: expected a mapping"),
        (lambda: top.run(files="a.csv"), "expected a list of files"),
        (lambda: top.run(parameters=3), "parameters: expected a mapping"),
        (lambda: top.run(parameters={1: 2}), "expected the name of a parameter"),
        (lambda: top.sweep({"m": 5}), "m: expected a list of values"),
        (lambda: top.sweep({"m": [5]}, executor=3), "executor: expected"),
    ):
        with pytest.raises(TypeError, match=said):
            wrong()


def test_warnings_point_at_the_caller(top):
    with pytest.warns(nutate.SetAside) as caught:
        top.run(duration=0.01, method="rkmk-dopri5")
    assert [warning.filename for warning in caught] == [__file__]


def test_plugins(tmp_path):
    library = tmp_path / "tyre.so"
    source = ROOT / "examples" / "tyre_plugin" / "tyre.c"
    compiler = ["cc", "-shared", "-fPIC", "-O2", f"-I{ROOT / 'include'}", "-o", library, source]
    subprocess.run(compiler, check=True)
    code = f"""
import nutate
nutate.load_plugin({str(library)!r})
car = nutate.load({str(ROOT / "examples/tyre_plugin/model/car.yaml")!r})
print(len(car.run(duration=0.01).time) > 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
    with pytest.raises(nutate.FileError, match="none.so"):
        nutate.load_plugin(tmp_path / "none.so")
