#!/usr/bin/env python3
"""through_yaml.py NUTATE EXAMPLES SCRATCH: models that PyYAML has read and dumped are the same.

Each model of the examples goes through yaml.safe_load, and through yaml.safe_dump and yaml.dump in
all their styles: in blocks and in braces, every value in quotes or as a block of text, which brings
tags (`!!float "0.5"`), and the canonical form. `nutate check` must then say the same of it, but for
the remarks on keys that became `true` and for the places of the others, and short runs must have
the same bits.
"""
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    sys.exit(77)

nutate = pathlib.Path(sys.argv[1]).resolve()
examples, scratch = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NAMES = """nutate: 1
bodies: {"yes": {mass: 1, point: true, position: [0, 0, 1]}, n: {mass: 2, point: true},
  "null": {mass: 3, point: true}, e1: {mass: 1e-1, point: true}, x0x1F: {mass: 4, point: true}}
forces: {f: {type: force, on: "yes", value: [yes.position.z, n.position.x, 1e-3*t]},
  "off": {type: force, body: "null", value: [0, 0, 12]}}
simulation: {duration: 1, step: 1e-2}
output: {record: [yes.position, off.force, f.force, "null.position", "norm(yes.position)"]}
"""
# What YAML itself offers besides: anchors, tags, dates, folded and literal texts, signs, escapes.
WORDS = """nutate: 1
title: 2020-01-01
parameters: {L: !!float 2, k: !!str "3 * L", e: 1e-3, big: 1.5e6, n: +3, h: .5, m: -2.5E-3}
quantities:
  bend: >-
    L * sin(e * t)
    + k / big

  drop: |
    L - a.position.z
joints:
  j: {type: spherical, between: &ends [ground, a], at: &zero [0, 0, 0]}
bodies:
  a: &a {mass: !!int 2, inertia: &I [1, 1, !!float "1"], position: [0, 0, -1]}
  b: {mass: 1, inertia: *I, position: *zero, velocity: [m, 0, .1]}
  c: *a
forces:
  s: {type: spring, between: *ends, at: [[0, 0, 1], [0, 0, -1]], stiffness: !!str k + 1e2,
      length: 1.}
  g: {type: force, on: b, value: ["min(bend, drop)", !!float 1e0, "0"]}
initial: {correct: !!bool "true"}
simulation: {duration: 1, step: 1e-2}
output: {record: [bend, drop, a.position, c.position, s.tension]}
"""
UMLAUT = r"""nutate: 1
title: "Kr\u00e4fte \U0001F6E0: 'so', \"so\"\tund so"
bodies: {a: {mass: 1, point: true}}
simulation: {duration: 1, step: 1e-2}
"""
STYLES = [
    {},
    {"default_flow_style": True},
    {"default_flow_style": True, "width": 1000000, "allow_unicode": True},
    {"default_flow_style": None, "indent": 8, "explicit_start": True, "version": (1, 1)},
    {"default_style": '"'},
    {"default_style": "'", "default_flow_style": True},
    {"default_style": "|"},
    {"default_style": ">", "width": 20},
    {"canonical": True},
]
failures = 0


def fail(words):
    global failures
    failures += 1
    print("FAILED:", words)


def said(model):
    """Exit status and words of `check`, but for places and for keys that became `true`."""
    done = subprocess.run(
        [nutate, "check", "--quiet", model.name],
        cwd=model.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    lines = [re.sub(r":[0-9]+:[0-9]+:", ":", line) for line in done.stdout.splitlines()]
    return done.returncode, [line for line in lines if "is read as 'on'" not in line], done.stderr


def rows(model):
    """What twenty steps write, and how they end."""
    result = model.with_suffix(".csv")
    run = [nutate, "run", "--quiet", model.name, "-o", result.name]
    done = subprocess.run(
        run + ["--duration", "1e-3", "--step", "5e-5", "--set", "output.every=1e-4"],
        cwd=model.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    written = result.read_bytes() if result.exists() else b""
    result.unlink(missing_ok=True)
    return done.returncode, written


def compare(folder, text):
    model = folder / "model.yaml"
    model.write_text(text)
    expected, wanted = said(model), rows(model)
    data = yaml.safe_load(text)
    known = set()
    for style in STYLES:
        for dump in yaml.safe_dump, yaml.dump:
            written = dump(data, sort_keys=False, **style)
            if written in known:
                continue
            known.add(written)
            model.write_text(written)
            got = said(model)
            if got[:2] != expected[:2]:
                fail(f"{folder.name}, {style}: said {got}, expected {expected}")
            if ("default_style" in style or not style) and rows(model) != wanted:
                fail(f"{folder.name}, {style}: other rows")
    return expected[0] == 0


shutil.rmtree(scratch, ignore_errors=True)
count = 0
for path in sorted(examples.glob("*/*.yaml")):
    text = path.read_text()
    if not re.search(r"^nutate: 1$", text, re.MULTILINE) or "type: linear_tyre" in text:
        continue
    folder = scratch / path.parent.name / path.stem
    folder.mkdir(parents=True)
    for other in path.parent.iterdir():
        if other.suffix in (".csv", ".txt", ".stl", ".obj"):
            shutil.copy(other, folder)
    count += compare(folder, text)
for name, text in ("names", NAMES), ("words", WORDS), ("umlaut", UMLAUT):
    folder = scratch / name
    folder.mkdir()
    if not compare(folder, text):
        fail(f"{name}: refused: {said(folder / 'model.yaml')[2]}")
if count < 60:
    fail(f"only {count} models")
print(f"{count} models")
sys.exit(1 if failures else 0)
