#!/usr/bin/env python3
"""through_yaml.py NUTATE EXAMPLES SCRATCH: models that PyYAML has read and dumped are the same.

Each model of the examples goes through yaml.safe_load and yaml.safe_dump, once with its mappings in
blocks and once in braces. `nutate check` must then say the same of it, but for the remarks on keys
that became `true` and for the places of the others, and short runs must have the same bits.
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
    for braces in False, True:
        model.write_text(yaml.safe_dump(data, default_flow_style=braces, sort_keys=False))
        got = said(model)
        if got[:2] != expected[:2]:
            fail(f"{folder.name}: said {got}, expected {expected}")
        if rows(model) != wanted:
            fail(f"{folder.name}: other rows")
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
folder = scratch / "names"
folder.mkdir()
if not compare(folder, NAMES):
    fail("names that YAML reads as something else are refused")
if count < 60:
    fail(f"only {count} models")
print(f"{count} models")
sys.exit(1 if failures else 0)
