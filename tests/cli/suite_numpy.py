"""Releases between Assay and NumPy, both ways. Skipped where no python3 has NumPy."""

import functools
import json
import shutil
import subprocess
import sys

import tiny
from harness import HERE, Skip, Suite, check

cases = Suite("numpy")


def add_to(suite):
    suite.cases += cases.cases
    return suite


@functools.cache
def python_with_numpy():
    for python in ("/usr/bin/python3", sys.executable):
        if shutil.which(python) is not None:
            tried = subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False)
            if tried.returncode == 0:
                return python
    return None


def numpy_side(*words):
    if python_with_numpy() is None:
        raise Skip("neither /usr/bin/python3 nor this python3 has NumPy")
    done = subprocess.run([python_with_numpy(), HERE / "numpy_side.py", *words],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, done.stderr)
    return done.stdout


def attack_and_measure(sandbox, folder):
    sandbox.expect(sandbox.assay("attack", "--attack", "database", "--release", f"{folder}/release",
                                 "--database", f"{folder}/database.npy", "--guess",
                                 f"{folder}/guess"))
    result = sandbox.expect(sandbox.assay("measure", "--truth", f"{folder}/truth", "--guess",
                                          f"{folder}/guess", "--json"))
    return {record["metric"]: record["estimate"] for record in json.loads(result.out)}


@cases.case("release-that-numpy-wrote-is-recovered")
def _(sandbox):
    """In the types that NumPy saves by itself, and in those of the format: the same result, but
    for what float32 rounds away."""
    measured = {}
    for dtype in ("float64", "float32"):
        (sandbox.path / dtype).mkdir()
        numpy_side("write", sandbox.path / dtype, dtype)
        measured[dtype] = attack_and_measure(sandbox, dtype)
    for dtype, found in measured.items():
        check(found["adversarial-found"] == 1, f"{dtype}: {found}")
        # Ten rows of the database lie around the centre of each secret; another centre is far.
        check(found["identification-rate"] == 1, f"{dtype}: {found}")
        check(abs(found["relative-error-median"] - 0.178) < 0.02, f"{dtype}: {found}")
        for name, value in found.items():
            check(abs(value - measured["float32"][name]) < 1e-4, f"{name}: {measured}")


@cases.case("numpy-reads-every-array")
def _(sandbox):
    tiny.write(sandbox)
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "affine-lifting", "--secrets", "private.fvecs", "--database",
        "database.fvecs", "--release", "release", "--truth", "truth"))
    sandbox.expect(sandbox.assay(
        "attack", "--attack", "database", "--set", "neighbours=40", "--set", "averaged=3",
        "--release", "release", "--database", "database.fvecs", "--guess", "guess"))
    n, d, m = len(tiny.PRIVATE), 16, 4
    for folder, expected in (
        ("release", {"translation": ["float32", [n, d], True],
                     "basis": ["float32", [n, m, d], True]}),
        ("truth", {"secrets": ["float32", [n, d], True],
                   "adversarial": ["int64", [n, m // 2], True]}),
        ("guess", {"estimates": ["float32", [n, d], True],
                   "adversarial": ["int64", [n, m // 2], True]}),
    ):
        found = json.loads(numpy_side("read", sandbox.path / folder))
        check(found == expected, f"{folder}: {found}")
