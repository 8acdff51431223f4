"""Runs whose results do not depend on the processor: --portable pins the kernels of OpenBLAS and
of oneDNN. The environment stands for another processor here, as it chooses others."""

import json
import pathlib
import re
import signal
import sqlite3
import time

import pytest

import tiny

# Kernels that every processor of 64 bits can run, and that sum in another order.
OLDER = "Nehalem"

SCENES = """\
[scenario]
title = Scenes
seed = 5

[dataset]
plugin = scenes
private_images = 3
public_images = 3
database_images = 4
per_image = 100
width = 160
height = 120
secrets = 20

[defense lifting]
plugin = affine-lifting
dimension = 4

[attack nearest]
plugin = nearest
grants = public

[attack database]
plugin = database
grants = database
"""


@pytest.fixture(autouse=True)
def _has_the_instructions():
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    if " avx2 " not in flags or " fma " not in flags:
        pytest.skip("this processor has no AVX2 and FMA")


def results(sandbox, out, *words, kernels):
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", out, *words, OPENBLAS_CORETYPE=kernels)
    return sandbox.read(f"{out}/results.json")


def blas(sandbox, out):
    return json.loads(sandbox.read(f"{out}/run.json"))["libraries"]["blas"]


def test_same_bytes_whatever_the_kernels_of_the_processor(sandbox):
    tiny.write(sandbox, SCENES)
    own = results(sandbox, "own", kernels="Haswell")
    # Else nothing below could fail.
    assert results(sandbox, "older", kernels=OLDER) != own
    assert OLDER in blas(sandbox, "older")
    for number, words in enumerate([(), ("--jobs", "1"), ("--workers", "2")]):
        out = f"portable{number}"
        assert results(sandbox, out, "--portable", *words, kernels=OLDER) == own, words
        assert "Haswell" in blas(sandbox, out)


def has_kernels(store):
    if not store.exists():
        return False
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT 1 FROM meta WHERE key = 'kernels'").fetchone() is not None
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()


def kill_once_begun(sandbox, out):
    """Whether it was killed while it was under way."""
    process = sandbox.start("run", "tiny.scenario", "--quiet", "--jobs", "1", "--out", out)
    end = time.monotonic() + 100
    while not has_kernels(sandbox.path / out / "run.sqlite") and process.poll() is None:
        assert time.monotonic() < end, "the run does not begin"
        time.sleep(0.0005)
    sandbox.kill(process)
    return process.returncode == -signal.SIGKILL


def test_run_that_goes_on_with_other_kernels_says_so(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    sandbox.environment["OPENBLAS_CORETYPE"] = OLDER
    for attempt in range(10):
        out = f"out{attempt}"
        if kill_once_begun(sandbox, out):
            break
    else:
        pytest.fail("ten runs were over before they could be killed")
    went_on = sandbox.expect(sandbox.assay("run", "tiny.scenario", "--quiet", "--out", out,
                                           "--resume", "--portable"))
    assert "was begun with other kernels of linear algebra" in went_on.err
    assert OLDER in blas(sandbox, out) and "Haswell" in blas(sandbox, out)


def test_own_environment_is_kept_without_the_option(sandbox):
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", "out", OPENBLAS_CORETYPE=OLDER)
    assert OLDER in blas(sandbox, "out")


def test_processor_that_openblas_does_not_know_has_kernels_of_its_instructions(sandbox):
    """OpenBLAS takes one that is younger than itself for Intel's of 2004. On others this shows
    nothing, as they have their kernels anyway."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        line = re.search(r"^flags\s*:(.*)$", file.read(), re.MULTILINE)
    flags = set(line[1].split()) if line else set()
    if not {"avx2", "fma"} <= flags:
        pytest.skip("this processor has no AVX2 and FMA")
    sandbox.environment.pop("OPENBLAS_CORETYPE", None)
    said = sandbox.expect(sandbox.assay("--version")).out
    assert "OpenBLAS" in said and " Prescott " not in said
    if {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        assert " Haswell " not in said
    said = sandbox.expect(sandbox.assay("--version", OPENBLAS_CORETYPE="Prescott")).out
    assert " Prescott " in said


NETWORK = """\
[scenario]
title = Network
seed = 5

[dataset]
plugin = shapes
private_images = 128
test_images = 64
public_images = 64
secrets = 16

[defense none]
plugin = none

[utility residual]
plugin = classification
model = residual
epochs = 1
batch = 16
"""


def network_results(sandbox, out, *words, **environment):
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", out, *words, OPENBLAS_CORETYPE="Haswell",
                   **environment)
    cells = json.loads(sandbox.read(f"{out}/results.json"))["cells"]
    return json.dumps([cells, sandbox.read(f"{out}/results.csv")])


def test_networks_too_have_one_set_of_kernels(sandbox):
    """oneDNN's own variable stands for another processor: the option decides, under any name."""
    tiny.write(sandbox, NETWORK)
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    other = "DEFAULT" if " avx512bw " in flags else "AVX"  # kernels of AVX take seven times as long
    own = network_results(sandbox, "own", ONEDNN_MAX_CPU_ISA="AVX2")
    assert blas(sandbox, "own").endswith("AVX2")
    # Else nothing below could fail.
    assert network_results(sandbox, "other", ONEDNN_MAX_CPU_ISA=other) != own
    assert not blas(sandbox, "other").endswith("AVX2")
    for number, name in enumerate(("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")):
        out = f"portable{number}"
        portable = network_results(sandbox, out, "--portable", **{name: other})
        assert blas(sandbox, out).endswith("AVX2")
        assert portable == own, "the numbers are those of other kernels"
