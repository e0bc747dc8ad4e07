"""Describes the module nutate._library to cffi.

Its declarations are those of the public headers, as the preprocessor shows them, so that they
cannot differ from the library's; the compiler checks the layout of every struct.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
BUILD = Path(os.environ.get("NUTATE_BUILD", HERE.parent / "build" / "release")).resolve()

# What is written in the folder `native`: its headers are declared to Python as well.
NATIVE = ["integrate", "laws", "process", "whole"]

# What element.h declares, and functions of Python that the library calls.
CALLED = """
nt_status nt_plugin_load(const char *path, nt_error *error);
extern "Python" int py_look(void *context);
extern "Python+C" int py_signals(void);
extern "Python" void py_take_column(void *taker, const nt_result_column *column);
extern "Python" int py_static_point(void *context, nt_static *state, double load,
                                    nt_static_event event);
extern "Python" int py_orbit_point(void *context, const nt_orbit *orbit, double value,
                                   nt_orbit_event event);
extern "Python" nt_status py_evaluate(void *self, const nt_point *at, const nt_terms *terms);
extern "Python" nt_status py_energy(void *self, const nt_point *at, nt_energy *energy);
extern "Python" int py_sweep_progress(void *context, const nt_sweep_progress *progress);
extern "Python+C" int py_has_law(const void *model, const char *law);
extern "Python+C" int py_force(const void *model, const void *run, const char *law, double t,
                               const double *motions, double *out);
extern "Python+C" int py_equations(const void *model, const void *run, const char *law, double t,
                              const double *motions, int n, double *phi, double *jacobian);
"""


def declarations() -> str:
    """Returns the public headers but element.h, and those of `native`, without the preprocessor's
    directives and without the system's headers."""
    headers = sorted(header.name for header in (INCLUDE / "nutate").glob("*.h"))
    program = "".join(
        f"#include <nutate/{name}>\n" for name in headers if name not in ("element.h", "nutate.h")
    )
    program += "".join(f'#include "{name}.h"\n' for name in NATIVE)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdbool.h", "stdint.h", "string.h"):
            Path(folder, name).touch()
        Path(folder, "nutate").mkdir()
        for name in headers:  # each but element.h, in whose place stands nothing
            text = (
                "" if name in ("element.h", "nutate.h") else (INCLUDE / "nutate" / name).read_text()
            )
            Path(folder, "nutate", name).write_text(text)
        command = [
            os.environ.get("CC", "cc"),
            "-E",
            "-P",
            "-nostdinc",
            "-D__attribute__(x)=",
            "-I",
            folder,
            "-I",
            str(HERE / "native"),
            "-x",
            "c",
            "-",
        ]
        done = subprocess.run(command, input=program, capture_output=True, text=True, check=True)
    return re.sub(r"\bstatic inline\b[^{]*\{[^}]*\}", "", done.stdout)


builder = cffi.FFI()
builder.cdef(declarations() + CALLED)
builder.set_source(
    "nutate._library",
    "#include <nutate/nutate.h>\n" + "".join(f'#include "{name}.h"\n' for name in NATIVE),
    sources=[f"native/{name}.c" for name in NATIVE],
    include_dirs=[str(INCLUDE), str(HERE / "native")],
    library_dirs=[str(BUILD)],
    libraries=["nutate", "m"],
    extra_compile_args=["-std=gnu17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra"],
    extra_link_args=["-Wl,-rpath,$ORIGIN"],
    depends=[str(path) for path in [*INCLUDE.glob("nutate/*.h"), *HERE.glob("native/*.h")]],
)
