"""A run that several processes share, one of which is killed at any moment: a worker, a rank of
MPI, or the process that started them."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import pytest

import mpi
from disturbed_runs import (RUN, WHOLE_CODE, Whole, check_no_orphans, forgive_cells, kill_after,
                            resumed)
from sandbox import TIMEOUT_S


def test_coordinator_killed(sandbox):
    """Its workers end too; the run goes on with any number of them."""
    whole = Whole(sandbox)
    n_hit = 0
    for i, delay_s in enumerate((0.1, 0.3, 0.6)):
        n_hit += kill_after(sandbox, delay_s, *RUN, f"out{i}", "--workers", "2")
        check_no_orphans(sandbox)
        forgive_cells(sandbox, f"out{i}")
        resumed(sandbox, f"out{i}", whole)
    assert n_hit > 0, "no kill met a run that was under way"


def seconds_of(process, called):
    """For which there are processes of this name in an undisturbed run, which was just started."""
    named_children(process, called)
    begin = time.monotonic()
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == WHOLE_CODE, f"an undisturbed run: exit {process.returncode}"
    return time.monotonic() - begin


def first_word(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except OSError:  # it has ended
        return ""


def named_children(process, called):
    """What @process has started under this name, so not what draws figures; waits for some."""
    while process.poll() is None:
        found = [pid for pid in sorted(mpi.children_of(process.pid)) if first_word(pid) == called]
        if found:
            return found
        time.sleep(0.002)
    return []


def kill_one_of(process, called, delay_s, moments):
    """Ends one of these processes so long after they began; TRUE if there was one."""
    named_children(process, called)
    time.sleep(delay_s)
    found = [pid for pid in sorted(mpi.children_of(process.pid)) if first_word(pid) == called]
    if process.poll() is not None or not found:
        return False
    try:
        os.kill(moments.choice(found), signal.SIGKILL)
    except ProcessLookupError:  # it has just ended
        return False
    return True


def kill_workers(sandbox, count):
    """One of two, at any moment: the run ends as if nothing had been."""
    whole = Whole(sandbox)
    moments = random.Random(21)

    def start(folder):
        return sandbox.start(*RUN, folder, "--workers", "2")

    seconds = seconds_of(start("timed"), "/proc/self/exe")
    n_hit = 0
    for i in range(count):
        process = start("out")
        is_hit = kill_one_of(process, "/proc/self/exe", moments.uniform(0, seconds), moments)
        seconds *= 1 if is_hit else 0.7  # it was timed when the machine had more to do
        n_hit += is_hit
        _, err = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == WHOLE_CODE and not err, (
            f"kill {i}: exit {process.returncode}: {err}")
        whole.check_same(sandbox, "out")
        check_no_orphans(sandbox)
        shutil.rmtree(sandbox.path / "out")
    assert n_hit >= count / 3, f"only {n_hit} of {count} kills met a worker"


def kill_ranks(sandbox, count):
    """Any of three, also the one that writes: the launcher ends the others, and the run goes on."""
    whole = Whole(sandbox)
    moments = random.Random(22)

    def start(folder):
        return subprocess.Popen(mpi.launch(sandbox, 3, *RUN, folder), cwd=sandbox.path,
                                env=mpi.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    seconds = seconds_of(start("timed"), str(sandbox.assay_path))
    n_hit = 0
    for _ in range(count):
        process = start("out")
        is_hit = kill_one_of(process, str(sandbox.assay_path), moments.uniform(0, seconds), moments)
        seconds *= 1 if is_hit else 0.7  # it was timed when the machine had more to do
        process.communicate(timeout=TIMEOUT_S)
        n_hit += is_hit and process.returncode not in (0, WHOLE_CODE)
        check_no_orphans(sandbox)
        forgive_cells(sandbox, "out")
        resumed(sandbox, "out", whole)
        shutil.rmtree(sandbox.path / "out")
    assert n_hit >= count / 3, f"only {n_hit} of {count} kills met ranks that were at work"


@pytest.mark.parametrize("count", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_workers_killed(sandbox, count):
    kill_workers(sandbox, count)


@pytest.mark.parametrize("count", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_ranks_killed(sandbox, count):
    kill_ranks(sandbox, count)
