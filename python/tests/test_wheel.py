"""The wheel: made as pip makes it, and used where nothing else of Assay is."""
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

import assay._library

PYTHON = pathlib.Path(__file__).resolve().parents[1]

BUILD = "import setuptools.build_meta as made; print(made.build_wheel('dist'))"
USE = """
import assay, assay._library, numpy
guess = assay.attack("verbatim", numpy.eye(4))
assert assay.measure(numpy.eye(4), guess)["recovery-rate"]["estimate"] == 1
print(assay._library.library._name)
"""


def test_the_wheel_holds_all_that_it_needs(tmp_path):
    pytest.importorskip("setuptools", reason="no setuptools")
    pytest.importorskip("wheel", reason="no wheel")
    source = tmp_path / "source"
    shutil.copytree(PYTHON, source, ignore=shutil.ignore_patterns("tests", "__pycache__", "build"))
    library = pathlib.Path(assay._library.library._name).resolve()
    shutil.copy(library, source / "assay" / "libassay.so.0")
    helper = library.parents[1] / "assay-confine"
    if helper.exists():
        shutil.copy(helper, source / "assay")
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=source, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    wheel, = (source / "dist").glob("*.whl")
    assert "-py3-none-linux_" in wheel.name, wheel.name
    with zipfile.ZipFile(wheel) as file:
        file.extractall("installed")
        names = file.namelist()
    assert "assay/libassay.so.0" in names and not any("tests" in name for name in names), names
    assert ("assay/assay-confine" in names) == helper.exists(), names
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_LIBRARY"}
    used = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, check=False,
                          cwd=tmp_path, env={**environment, "PYTHONPATH": str(tmp_path / "installed")})
    assert used.returncode == 0, used.stderr
    assert used.stdout.strip() == str(tmp_path / "installed" / "assay" / "libassay.so.0"), used.stdout
