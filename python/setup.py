"""Builds the package: `make python` calls this with the places of what it builds."""

import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from build_library import BUILD, INCLUDE  # noqa: E402


def version() -> str:
    """Returns the version that the public headers state."""
    text = (INCLUDE / "nutate" / "status.h").read_text()
    return ".".join(
        text.split(f"NT_VERSION_{part} ", 1)[1].split()[0] for part in ("MAJOR", "MINOR", "PATCH")
    )


class BuildLibrary(build_ext):
    """Puts the library beside the module that needs it, and writes the dataclasses of the model
    file's keys, which the library knows."""

    def run(self) -> None:
        super().run()
        package = Path(self.build_lib) / "nutate"
        name = "libnutate.so." + ".".join(version().split(".")[:2])
        (package / name).unlink(missing_ok=True)  # another process may have it in use
        shutil.copy2(BUILD / name, package / name)
        page = BUILD / "share" / "nutate" / "report.html"
        if page.exists():  # it takes node to build, which need not be there
            shutil.copy2(page, package / "report.html")
        subprocess.run([sys.executable, str(HERE / "write_keys.py"), str(package)], check=True)


class BuildModules(build_py):
    """Copies what is new."""

    def run(self) -> None:
        self.force = True
        super().run()


setup(
    name="nutate",
    version=version(),
    description="Time integration of mechanisms with large rotations",
    license="MIT",
    packages=["nutate"],
    package_data={"nutate": ["py.typed", "*.pyi"]},
    python_requires=">=3.9",
    install_requires=["cffi>=1.15", "numpy", "xarray"],
    setup_requires=["cffi"],
    cffi_modules=["build_library.py:builder"],
    cmdclass={"build_ext": BuildLibrary, "build_py": BuildModules},
    zip_safe=False,
)
