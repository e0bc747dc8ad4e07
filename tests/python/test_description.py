"""Models built in code, from dataclasses that mirror the keys of the model file."""

import dataclasses
import json
import subprocess

import numpy as np
import pytest

import nutate
from conftest import ROOT, TOP
from nutate import bearings, contacts, forces, joints, keys


def top_in_code(**changes):
    return nutate.Model(
        title="Heavy top",
        parameters={"m": 15, "arm": 1},
        gravity=[0, 0, -9.81],
        bodies={
            "top": keys.Body(
                mass="m",
                inertia=[0.234375, 0.46875, 0.234375],
                position=[0, "arm", 0],
                angular_velocity=[0, 150, -4.61538],
            )
        },
        joints={"pivot": joints.Spherical(between=["ground", "top"], at=[0, 0, 0])},
        simulation=keys.Simulation(
            duration=2,
            method="generalized-alpha",
            step=1e-3,
            frame="inertial",
            options={"rho_inf": 0.8},
        ),
        output=keys.Output(
            every=1e-2, record=["top.position", "top.orientation", "pivot.force", "energy"]
        ),
        **changes,
    )


def test_the_same_bits_as_the_file(top):
    assert top_in_code().run().data.tobytes() == top.run().data.tobytes()


def test_yaml_again(tmp_path):
    model = top_in_code(
        forces={"wind": forces.Force(on="top", at=[0, 1, 0], value=["0.1*t", 0, 1 / 3])}
    )
    model.save(tmp_path / "top.yaml")
    again = nutate.load(tmp_path / "top.yaml")
    assert again.text == model.to_yaml()
    assert again.run().data.tobytes() == model.run().data.tobytes()


def test_plain_mappings_and_arrays_do_as_well():
    model = nutate.Model(
        bodies={"ball": {"mass": 1, "point": True, "position": np.array([0.0, 0.0, 1.0])}},
        simulation={"duration": 0.1, "step": 0.01},
        output={"record": ["ball.position"]},
    )
    assert model.run()["ball.position"][0].tolist() == [0, 0, 1]


def test_a_mistake_is_met():
    with pytest.raises(TypeError, match="mas"):
        keys.Body(mas=1)
    with pytest.raises(nutate.ModelError, match="body top has mass -1"):
        nutate.Model(bodies={"top": keys.Body(mass=-1)})
    with pytest.raises(TypeError, match="holds no object"):
        nutate.Model(bodies={"top": keys.Body(mass=object())})


def test_texts_that_look_like_something_else():
    model = nutate.Model(title='yes: [no] "#1"', bodies={"a": keys.Body(mass=1, point=True)})
    assert model.title == 'yes: [no] "#1"'


def schema_properties(schema, section):
    return {
        choice["title"]: choice["properties"]
        for choice in schema["properties"][section]["additionalProperties"]["anyOf"]
    }


def test_keys_are_those_of_the_library(command):
    schema = json.loads(subprocess.run([command, "schema"], capture_output=True, check=True).stdout)
    assert {f.name for f in dataclasses.fields(keys.File)} == set(schema["properties"]) - {"nutate"}
    for module in (joints, forces, contacts, bearings):
        section = module.__name__.rsplit(".", 1)[1]
        for title, properties in schema_properties(schema, section).items():
            name = "".join(part.capitalize() for part in title.split("_"))
            fields = {f.name.rstrip("_") for f in dataclasses.fields(getattr(module, name))}
            assert fields == set(properties) - {"type"}, title
    body = schema["properties"]["bodies"]["additionalProperties"]["properties"]
    assert {f.name for f in dataclasses.fields(keys.Body)} == set(body)
    assert set(keys.TYPED) == {
        name
        for name, value in schema["properties"].items()
        if "title" in ((value.get("additionalProperties") or {}) or {}).get("anyOf", [{}])[0]
    }
