"""The power fails: what was not synced is lost, whole or in part, and a page may be half of before.
tests/power-loss models the disk (LD_PRELOAD); of the moments at which a run changes it, each is one
at which the power can fail. That the model loses what a missing sync would lose is shown by syncs
that do nothing."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess

import pytest

from disturbed_runs import RUN, WHOLE_CODE, Whole, forgive_cells, lasting, resumed
from places import SOURCE
from sandbox import TIMEOUT_S

MODELS = ("ordered", "posix")


@pytest.fixture(scope="module")
def disk(request, tmp_path_factory):
    """The shared library that stands between the program and the disk."""
    if b"__asan_init" in request.config.getoption("--assay").read_bytes():
        pytest.skip("the sanitizer wants to be the first library")
    library = tmp_path_factory.mktemp("disk") / "power-loss.so"
    sources = sorted((SOURCE / "tests" / "power-loss").glob("*.c"))
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O1", "-w",
                    "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-o", library, *sources, "-ldl",
                    "-lpthread"], check=True)
    return library


class Power:
    """Runs a command, and fails at one of the moments at which it changes the disk."""

    def __init__(self, sandbox, library):
        self.sandbox, self.library = sandbox, library
        self.saved = sandbox.root / "saved"

    def run(self, *words, at=None, model="ordered", lies=False):
        shutil.rmtree(self.saved, ignore_errors=True)
        self.saved.mkdir()
        # What the program would otherwise set for itself, by a second start without the library.
        environment = {**self.sandbox.environment, "OMP_WAIT_POLICY": "passive",
                       "LD_PRELOAD": str(self.library),
                       "POWER_LOSS_ROOT": str(self.sandbox.path),
                       "POWER_LOSS_SAVED": str(self.saved), "POWER_LOSS_MODEL": model}
        if at is not None:
            environment["POWER_LOSS_AT"] = str(at)
        if lies:
            environment["POWER_LOSS_LIES"] = "1"
        return subprocess.run([self.sandbox.assay_path, *words], cwd=self.sandbox.path,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=TIMEOUT_S, check=False)

    def moments(self, *words):
        """How many there are; the run is taken away again."""
        done = self.run(*words)
        assert done.returncode == WHOLE_CODE, done.stderr
        count = int((self.saved / "calls").read_text())
        assert count > 300, f"only {count} calls were seen"
        return count

    def fail(self, *words, at, model, lies=False):
        done = self.run(*words, at=at, model=model, lies=lies)
        assert done.returncode == -signal.SIGKILL, f"did not fail: {done.stderr}"
        assert "power-loss" not in done.stderr, done.stderr


def is_finished(store):
    """Whether a run says of itself that it is whole."""
    copy = store.parent.parent / "looked-at"
    shutil.copytree(store.parent, copy)
    database = sqlite3.connect(copy / "run.sqlite")
    try:
        found = database.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()
        return found is not None and found[0] == "finished"
    except sqlite3.OperationalError:  # before there were tables
        return False
    finally:
        database.close()
        shutil.rmtree(copy)


def check_nothing_half(sandbox, whole):
    """What says that it is whole, is."""
    for store in (sandbox.path / "out").glob("*/run.sqlite"):
        if store.parent.suffix == ".new" or not is_finished(store):
            continue
        name = store.parent.name
        found = lasting(sandbox, f"out/{name}")
        for path, digest in whole.files.items():
            if path.startswith(f"{name}/"):
                own = path.removeprefix(f"{name}/")
                assert found.get(own) == digest, f"{path} is half or missing in a finished run"
        json.loads((store.parent / "run.json").read_text())


def chosen(n_moments, count):
    """The last ones and any others: most happens at the end of a run."""
    last = list(range(max(n_moments - 4 * count, 1), n_moments))
    some = random.Random(31)
    return [(at, MODELS[i % 2]) for i, at in enumerate(
        some.sample(last, count // 2) + some.sample(range(1, n_moments), count - count // 2))]


def fail_at_moments(sandbox, library, count, is_replacing):
    power, whole = Power(sandbox, library), Whole(sandbox)
    n_moments = power.moments(*RUN, "out")
    for at, model in chosen(n_moments, count):
        if not is_replacing:
            shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        try:
            power.fail(*RUN, "out", at=at, model=model)
            check_nothing_half(sandbox, whole)
            forgive_cells(sandbox, "out")
            resumed(sandbox, "out", whole)
        except AssertionError as problem:
            raise AssertionError(f"at moment {at} of {n_moments}, {model}: {problem}") from problem


@pytest.mark.parametrize("count", [6, pytest.param(150, marks=pytest.mark.slow)])
def test_run(sandbox, disk, count):
    fail_at_moments(sandbox, disk, count, False)


@pytest.mark.parametrize("count", [6, pytest.param(150, marks=pytest.mark.slow)])
def test_run_that_replaces_another(sandbox, disk, count):
    """The run that stood there is whole until the new one is."""
    fail_at_moments(sandbox, disk, count, True)


def test_results_stand_beside_a_store(sandbox, disk):
    """Results are written last, when the store's log had not been synced: a cut kept them and lost
    the store, and the folder was no run any more."""
    power, whole = Power(sandbox, disk), Whole(sandbox)
    n_moments = power.moments(*RUN, "out")
    for at in range(n_moments - 90, n_moments - 60, 4):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        power.fail(*RUN, "out", at=at, model="posix")
        forgive_cells(sandbox, "out")
        resumed(sandbox, "out", whole)


def test_without_syncs_it_would_be_seen(sandbox, disk):
    """The same with syncs that do nothing: else nothing above could fail."""
    power, whole = Power(sandbox, disk), Whole(sandbox)
    n_moments = power.moments(*RUN, "out")
    for at, model in chosen(n_moments, 20):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        power.fail(*RUN, "out", at=at, model=model, lies=True)
        try:
            check_nothing_half(sandbox, whole)
            forgive_cells(sandbox, "out")
            resumed(sandbox, "out", whole)
        except (AssertionError, sqlite3.DatabaseError):
            return
    raise AssertionError("twenty power losses without a sync left nothing half")
