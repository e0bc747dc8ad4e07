"""Models, runs and results: the same bits as those of the command, the same messages."""

import copy
import gc
import pickle
import subprocess

import numpy as np
import pytest

import nutate
from conftest import ROOT, TOP

# ---- the bits of the command ----------------------------------------------------------------------

RUNS = [
    ("heavy_top", [], {}),
    (
        "heavy_top",
        ["--method", "rkmk-dop853", "--set", "m=12"],
        {"method": "rkmk-dop853", "parameters": {"m": 12}},
    ),
    ("heavy_top", ["--method", "bdf", "--duration", "0.1"], {"method": "bdf", "duration": 0.1}),
    ("four_bar", [], {}),
    ("slider_crank", ["--step", "1e-3"], {"step": 1e-3}),
    ("bouncing_balls", ["--duration", "0.5"], {"duration": 0.5}),
    ("crane", [], {}),
]


@pytest.mark.filterwarnings("ignore::nutate.SetAside")
@pytest.mark.parametrize(
    "name, arguments, asked", RUNS, ids=[f"{r[0]}-{i}" for i, r in enumerate(RUNS)]
)
def test_bits_are_those_of_the_command(command, tmp_path, name, arguments, asked):
    model = ROOT / "examples" / name / f"{name}.yaml"
    file = tmp_path / "run.nc"
    subprocess.run([command, "run", model, *arguments, "-o", file, "--quiet"], check=True)
    expected = nutate.open(file)
    result = nutate.load(model).run(**asked)
    assert [c.name for c in result.columns] == [c.name for c in expected.columns]
    assert [c.unit for c in result.columns] == [c.unit for c in expected.columns]
    assert result.data.tobytes() == expected.data.tobytes()


def test_derivatives_are_those_of_the_command(command, tmp_path, top):
    file = tmp_path / "sens.nc"
    subprocess.run(
        [command, "sens", TOP, "--param", "m", "--param", "arm", "-o", file, "--quiet"], check=True
    )
    expected = nutate.open(file)
    result = top.sens(["m", "arm"])
    assert [c.name for c in result.columns] == [c.name for c in expected.columns]
    assert result.data.tobytes() == expected.data.tobytes()
    assert result.derivative("top.position", "m").shape == (201, 3)
    assert result.derivative("top.orientation", "arm").shape == (201, 3)


def test_files_get_the_rows_too(top, tmp_path):
    result = top.run(files=[tmp_path / "a.csv", tmp_path / "a.nc"])
    for name in ("a.csv", "a.nc"):
        assert nutate.open(tmp_path / name).data.tobytes() == result.data.tobytes()


# ---- models ---------------------------------------------------------------------------------------


def test_parameters(top):
    assert dict(top.parameters) == {"m": 15, "arm": 1}
    end = top.run(arm=1.2)["top.position"][-1]
    top.parameters["arm"] = 1.2
    assert np.array_equal(top.run()["top.position"][-1], end)
    assert top.run(parameters={"m": 12}).parameters == {"m": 12, "arm": 1.2}
    del top.parameters["arm"]
    assert top.parameters["arm"] == 1
    with pytest.raises(nutate.UsageError, match="no parameter 'amr'; did you mean 'arm'"):
        top.run(amr=2)
    with pytest.raises(nutate.ModelError, match="mass"):
        top.parameters["m"] = -1
    assert top.parameters["m"] == 15


def test_parameters_together():
    model = nutate.loads(
        "nutate: 1\nparameters: {a: 1, b: 1}\n"
        "bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [a, 0, 0]}}\n"
        "joints: {pin: {type: spherical, between: [ground, arm],\n"
        "               points: [[b, 0, 0], [0, 0, 0]]}}\n"
        "simulation: {duration: 0.1, step: 1e-2}\noutput: {record: [arm.position]}\n"
    )
    with pytest.raises(nutate.ModelError):
        model.parameters["a"] = 2
    model.parameters.update(a=2, b=2)
    assert model.run()["arm.position"][0].tolist() == [2, 0, 0]


def test_recording_something_else(top):
    result = top.run(record=["energy.total", "top.angular_velocity"], every=0.5)
    assert list(result) == ["time", "energy", "top.angular_velocity"]
    assert result.time.tolist() == [0, 0.5, 1, 1.5, 2]
    assert top.run(every=0).data.shape[0] == 2001


def test_models_pickle_and_copy(top):
    top.parameters["m"] = 12
    bits = top.run().data.tobytes()
    other = copy.copy(top)
    other.parameters["m"] = 9
    assert pickle.loads(pickle.dumps(top)).run().data.tobytes() == bits
    assert copy.deepcopy(top).run().data.tobytes() == bits
    assert top.run().data.tobytes() == bits
    assert other.run().data.tobytes() != bits


def test_options_of_another_method_are_set_aside(top):
    with pytest.warns(nutate.SetAside, match="rho_inf"):
        top.run(method="rkmk-dopri5", duration=0.01)


# ---- results --------------------------------------------------------------------------------------


def test_views_keep_their_owner_alive(top):
    position = top.run()["top.position"]
    before = position.copy()
    gc.collect()
    for _ in range(3):
        top.run()
    assert position.base is not None
    assert np.array_equal(position, before)


def test_names(top):
    result = top.run()
    assert result["top.position"].shape == (201, 3)
    assert result["top.orientation"].shape == (201, 4)
    assert np.array_equal(result["top.position.y"], result["top.position"][:, 1])
    assert result.column("pivot.force").unit == "N"
    with pytest.raises(KeyError, match="did you mean 'top.position'"):
        result["top.positon"]


def test_xarray(top):
    data = top.run().to_xarray()
    assert dict(data.sizes) == {"time": 201, "vector": 3, "quaternion": 4}
    assert data["top.position"].dims == ("time", "vector")
    assert data["top.position"].attrs == {
        "units": "m",
        "long_name": "position of body top, ground axes",
    }
    assert data.time.dtype == float and data.time.attrs["units"] == "s"
    assert float(data["top.position"].sel(time=2, vector="z")) == pytest.approx(-0.675183902)


def test_pandas(top):
    frame = top.run().to_pandas()
    assert frame.index.name == "time" and frame.shape == (201, 14)
    assert frame.attrs["units"]["pivot.force.x"] == "N"


def test_plot(top):
    panels = top.run().plot("top.position", "energy.total")
    assert [panel.get_ylabel() for panel in panels] == ["top.position (m)", "energy.total (J)"]
    assert len(panels[0].get_lines()) == 3


def test_results_pickle_and_are_written(top, tmp_path):
    result = top.run()
    other = pickle.loads(pickle.dumps(result))
    assert other.data.tobytes() == result.data.tobytes()
    assert str(other.summary) == str(result.summary)
    assert other.final == result.final
    result.save(tmp_path / "top.nc")
    read = nutate.open(tmp_path / "top.nc")
    assert read.data.tobytes() == result.data.tobytes()
    assert read.attributes["title"] == "Heavy top"


def test_report(top, tmp_path):
    from nutate.result import PAGE

    result = top.run(duration=0.1)
    if not PAGE.exists():
        assert "<table>" in result._repr_html_()
        with pytest.raises(nutate.FileError, match="built without the page"):
            result.report(tmp_path / "top.html")
        return
    assert result._repr_html_().startswith("<iframe srcdoc=")
    result.report(tmp_path / "top.html")
    page = (tmp_path / "top.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html") and "Heavy top" in page
    pickle.loads(pickle.dumps(result)).report(tmp_path / "rows.html")
    assert "top.position.x" in (tmp_path / "rows.html").read_text()


def test_summary(top):
    summary = top.run().summary
    assert (summary.steps, summary.rejected, summary.end) == (2000, 0, 2)
    assert summary.energy["total"] == pytest.approx(5435.672, abs=1e-3)
    assert summary.energy_drift == pytest.approx(-0.0247, abs=1e-4)
    assert "steps 2000" in str(summary)


# ---- errors ---------------------------------------------------------------------------------------


def test_a_mistake_in_a_model_has_a_place(tmp_path):
    file = tmp_path / "top.yaml"
    file.write_text(TOP.read_text().replace("inertia", "intertia"))
    with pytest.raises(nutate.ModelError) as caught:
        nutate.load(file)
    error = caught.value
    assert error.status == nutate.Status.BAD_MODEL
    assert (error.file, error.line, error.column) == (str(file), 9, 5)
    assert str(error) == (
        f"{file}:9:5: unknown key 'intertia' in body 'top'; did you mean " "'inertia'?"
    )
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(nutate.FileError, match="none.yaml"):
        nutate.load(tmp_path / "none.yaml")
    with pytest.raises(nutate.FileError, match="none.nc"):
        nutate.open(tmp_path / "none.nc")


def test_runs_in_one_call_are_those_step_by_step():
    """The first run of a set-up is made step by step, those that follow in one call."""
    text = TOP.read_text() + "objectives: {low: {type: maximum, of: -top.position.z}}\n"
    for asked in ({}, {"method": "generalized-alpha-soi2", "tolerance": 1e-4}, {"options": {"rho_inf": 0.5}}):
        model = nutate.loads(text, folder=TOP.parent)
        first, second = (model.run(m=12, duration=0.1, **asked) for _ in range(2))
        assert len(model._plans) == 1
        assert second.data.tobytes() == first.data.tobytes() and len(first.data) > 5
        assert second.columns == first.columns and second.attributes == first.attributes
        assert second.final == first.final
        assert second.objectives == first.objectives and second.parameters == first.parameters
        ours, theirs = vars(second.summary), vars(first.summary)
        assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}
        other = model.run(duration=0.1, **asked)
        again = nutate.loads(text, folder=TOP.parent).run(duration=0.1, **asked)
        assert other.data.tobytes() == again.data.tobytes() != first.data.tobytes()


FAILS = """nutate: 1
bodies:
  ball: {mass: 1, inertia: [1, 1, 1], velocity: [0, 0, 1]}
forces:
  pull: {type: force, on: ball, at: [0, 0, 0], value: [0, 0, 1e6*sin(1e9*ball.position.z)*exp(100*(t - 0.5))]}
simulation: {duration: 1, step: 1e-2, minimum_step: 1e-2}
output: {record: [ball.position]}
"""


@pytest.mark.parametrize("times", [1, 2])  # step by step, then in one call
def test_a_run_that_fails_says_where_and_keeps_what_it_had(times):
    model = nutate.loads(FAILS)
    for _ in range(times):
        with pytest.raises(nutate.RunError) as caught:
            model.run()
    error = caught.value
    assert error.status == nutate.Status.NOT_CONVERGED
    assert 0.2 < error.time < 0.9 and error.step == pytest.approx(0.01)
    assert error.iteration > 0 and error.residual > 1
    assert error.unknown == "translation of body ball along z"
    assert error.result.time[-1] == pytest.approx(error.time)
    assert error.result.summary.steps == len(error.result.time) - 1


def test_wrong_use(top):
    with pytest.raises(nutate.UsageError, match="did you mean 'generalized-alpha'"):
        top.run(method="generalised-alpha")
    with pytest.raises(nutate.UsageError, match="step: expected a positive"):
        top.run(step=-1)
    with pytest.raises(nutate.UsageError, match="every: expected seconds"):
        top.run(every=-1)
    with pytest.raises(nutate.UsageError, match="expected at most 1e\\+12"):
        top.run(duration=1e9, step=1e-9)
    with pytest.raises(nutate.UsageError, match="rho_inf"):
        top.run(options={"rho_inf": 3})
    with pytest.raises(nutate.UsageError, match="duration is missing"):
        nutate.loads("nutate: 1\nbodies: {a: {mass: 1, point: true}}\n").run()
    for wrong in (lambda: nutate.loads(b"nutate: 1"), lambda: top.run(duration=0.01)[0]):
        with pytest.raises(TypeError, match="expected"):
            wrong()
    for wrong in (
        lambda: top.run(files=["top.abc"]),
        lambda: top.run(duration=0.01).save("top.abc"),
    ):
        with pytest.raises(nutate.UsageError, match="ends in .csv or .nc, got 'top.abc'"):
            wrong()
