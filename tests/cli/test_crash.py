"""A run that is killed, or whose disk fails, at any point: gone on with, it leaves the same bytes.
What several processes do then is in test_crash_processes.py.

Moments are of two kinds: points in time, at random; and system calls, each of which strace can make
the last one, so that every step between two of them is met, however short it is."""

import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest

from disturbed_runs import (RUN, WHOLE_CODE, Whole, change, check_no_orphans, forgive_cells,
                            kill_after, lasting, resumed)
from system_calls import at_each, choose, inject, points_of, strace
from test_disk import SmallDisk, used

# ---- Points in time ----


def seconds_of_a_run(sandbox):
    """The shortest of three: a longer time would put most kills behind the end."""
    seconds = []
    for i in range(3):
        start = time.monotonic()
        sandbox.expect(sandbox.assay(*RUN, f"timed{i}"), WHOLE_CODE)
        seconds.append(time.monotonic() - start)
        shutil.rmtree(sandbox.path / f"timed{i}")
    return min(seconds)


def kill_at_moments(sandbox, count, is_replacing):
    """Each time with one to three kills, until the run ends."""
    whole = Whole(sandbox)
    seconds = seconds_of_a_run(sandbox)
    moments = random.Random(9)
    n_hit = 0
    if is_replacing:
        shutil.copytree(sandbox.path / "whole", sandbox.path / "out")
    before = set(os.listdir(sandbox.path)) | {"out"}
    for i in range(count):
        try:
            n_hit += kill_after(sandbox, moments.uniform(0, seconds), *RUN, "out")
            while moments.random() < 0.4:
                forgive_cells(sandbox, "out")
                kill_after(sandbox, moments.uniform(0, seconds), *RUN, "out", "--resume")
            if is_replacing:
                check_place(sandbox, whole)
            forgive_cells(sandbox, "out")
            resumed(sandbox, "out", whole)
            check_no_orphans(sandbox)
            assert set(os.listdir(sandbox.path)) <= before, str(os.listdir(sandbox.path))
        except AssertionError as problem:
            raise AssertionError(f"moment {i}: {problem}") from problem
        if not is_replacing:
            shutil.rmtree(sandbox.path / "out")
    assert n_hit >= count / 3, f"only {n_hit} of {count} kills met a run that was under way"


def check_place(sandbox, whole):
    """While runs are replaced, each place holds a whole one."""
    found = lasting(sandbox, "out")
    found = {name: digest for name, digest in found.items()
             if not re.match(r"[^/]*\.new(/|$)", name)
             and not name.endswith(("-wal", "-shm", ".tmp"))}
    other = sorted(name for name in found.keys() | whole.files.keys()
                   if found.get(name) != whole.files.get(name))
    assert not other, f"a place does not hold a whole run: {other}"


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_moments(sandbox, count):
    kill_at_moments(sandbox, count, False)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_moments_while_replacing(sandbox, count):
    kill_at_moments(sandbox, count, True)


# ---- System calls ----


def points_of_run(sandbox):
    points = points_of(sandbox, *RUN, "out", code=WHOLE_CODE)
    names = collections.Counter(name for name, _, _ in points)
    assert len(names) >= 6 and names["pwrite64"] > 50 and names["write"] > 20, f"few calls: {names}"
    return points


def kill_at_calls(sandbox, count, is_replacing):
    whole = Whole(sandbox)
    if is_replacing:
        shutil.copytree(sandbox.path / "whole", sandbox.path / "out")
    points = points_of_run(sandbox)
    before = set(os.listdir(sandbox.path)) | {"out"}

    def kill(point):
        if not is_replacing:
            shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = strace(sandbox, inject(point, "signal=KILL"), *RUN, "out")
        assert result.code == -signal.SIGKILL, f"not killed: {result}"
        if is_replacing:
            check_place(sandbox, whole)
        resumed(sandbox, "out", whole)
        check_no_orphans(sandbox)
        assert set(os.listdir(sandbox.path)) <= before, str(os.listdir(sandbox.path))

    at_each(choose(points, count), kill)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_system_calls(sandbox, count):
    kill_at_calls(sandbox, count, False)


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_system_calls_while_replacing(sandbox, count):
    kill_at_calls(sandbox, count, True)


# ---- Disks that fail ----


def check_stopped(result, says):
    """Exit code 4, or 2 where not even the folder could be made; and what the message says."""
    is_begun = re.match(r"assay: output folder [^:]* cannot be created", result.err) is None
    assert result.code == 4 or (result.code == 2 and not is_begun), str(result)
    lines = result.err.splitlines()
    assert re.match(rf"assay: .*out(/.*)?: .*({says})", lines[0]), str(result)
    if is_begun and len(lines) > 1:
        assert lines[1].startswith("What is done is kept in") and lines[2] == "Go on with:", (
            str(result))


def fail_at_calls(sandbox, count, error, says):
    """From a call on, all of its name fail: the run says so, and goes on when they do not."""
    whole = Whole(sandbox)
    points = points_of_run(sandbox)

    def stop(point):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = strace(sandbox, inject(point, f"error={error}", "+"), *RUN, "out")
        if result.code == WHOLE_CODE:
            whole.check_same(sandbox, "out")
        else:
            check_stopped(result, says)
        resumed(sandbox, "out", whole)

    at_each([point for point in choose(points, count) if not point[0].startswith("unlink")], stop)


@pytest.mark.parametrize("count", [8, pytest.param(120, marks=pytest.mark.slow)])
def test_disk_full_at_system_calls(sandbox, count):
    fail_at_calls(sandbox, count, "ENOSPC", "full|space|I/O")


@pytest.mark.parametrize("count", [8, pytest.param(120, marks=pytest.mark.slow)])
def test_read_only_at_system_calls(sandbox, count):
    """As a file system is mounted again after an error of the disk."""
    fail_at_calls(sandbox, count, "EROFS", "ead-only|readonly|I/O")


def test_one_write_that_fails(sandbox):
    """Of each file of the results the last one, where all before and after succeed."""
    whole = Whole(sandbox)
    last = {path: (name, number, path) for name, number, path in points_of_run(sandbox)
            if name == "write" and "/out/epsilon-" in path and path.endswith(".tmp")}
    files = {path.rpartition("/")[2] for path in last}
    assert {"results.json.tmp", "results.csv.tmp", "claims.xml.tmp", "summary.md.tmp",
            "report.html.tmp", "run.json.tmp"} <= files, files

    def fail(point):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = strace(sandbox, inject(point, "error=ENOSPC"), *RUN, "out")
        assert result.code == 4, str(result)
        check_stopped(result, "space")
        resumed(sandbox, "out", whole)

    at_each(last.values(), fail)


def test_read_only_disk_is_not_gone_on_with(sandbox):
    """A killed run on a disk that came back read-only: nothing changes, and it waits."""
    whole = Whole(sandbox)
    with SmallDisk(sandbox, 16384) as disk:
        strace(sandbox, ["-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when=150"],
               *RUN, "disk/out")
        subprocess.run(["mount", "-o", "remount,ro", disk.path], check=True)
        before = sandbox.tree("disk")
        for words in (["--resume"], []):
            result = sandbox.assay(*RUN, "disk/out", *words)
            assert result.code == 2 and result.err.startswith("assay: output folder disk/out/"), (
                str(result))
        assert "Read-only file system" in sandbox.assay(*RUN, "disk/out", "--resume").err, (
            "says what is the matter")
        assert sandbox.tree("disk") == before, "something changed"
        subprocess.run(["mount", "-o", "remount,rw", disk.path], check=True)
        resumed(sandbox, "disk/out", whole)


def fill_disks(sandbox, count):
    """Disks of sizes between none and enough: also what gnuplot draws must find room."""
    whole = Whole(sandbox)
    with SmallDisk(sandbox, 16384) as disk:
        sandbox.expect(sandbox.assay(*RUN, "disk/out"), WHOLE_CODE)
        needed_kib = used(disk.path) // 1024
    n_stopped = 0
    for i in range(count):
        with SmallDisk(sandbox, 4 + (needed_kib - 4) * i // count // 4 * 4) as disk:
            result = sandbox.assay(*RUN, "disk/out")
            if result.code == WHOLE_CODE:
                whole.check_same(sandbox, "disk/out")
            else:
                n_stopped += 1
                check_stopped(result, "full|space|I/O")
            disk.grow()
            resumed(sandbox, "disk/out", whole)
    assert n_stopped >= count / 2, f"only {n_stopped} of {count} disks were too small"


def test_small_disks(sandbox):
    fill_disks(sandbox, 8)


@pytest.mark.slow
def test_small_disks_of_100_sizes(sandbox):
    fill_disks(sandbox, 100)


# ---- Clocks ----


def test_clock_that_jumps(sandbox):
    """A run that ended before it began, at no time, or beyond all calendars, reads as any other."""
    whole = Whole(sandbox)
    shutil.copytree(sandbox.path / "whole", sandbox.path / "out")
    place, = (sandbox.path / "out").glob("scenes-*")
    place = place.relative_to(sandbox.path)
    texts = {0: None, 10**12: "1970-01-12T13:46:40Z", -(10**12): "1969-12-20T10:13:20Z",
             2**63 - 1: None, -(2**63): None}
    for start, end in ((10**12, -(10**12)), (0, 10**12), (2**63 - 1, -(2**63)), (10**12, 0)):
        change(sandbox.path / place / "run.sqlite",
               "UPDATE meta SET value = ? WHERE key = 'times'", (f"1 {start} {end}",))
        for command in (["report", place, "--out", "reports"], ["compare", place, str(place).replace("out", "whole", 1)]):
            result = sandbox.assay(*command)
            assert result.code in (0, WHOLE_CODE) and result.err == "", str(result)
        written = json.loads(sandbox.read("reports/run.json"))
        assert (written["start"], written["end"]) == (texts[start], texts[end]), str(written)
        for name in ("results.json", "results.csv", "claims.xml", "summary.md", "report.html"):
            assert sandbox.read(f"reports/{name}") == sandbox.read(place / name), f"another {name}"
        shutil.rmtree(sandbox.path / "reports")
    resumed(sandbox, "out", whole)


# The wall clock of a process: right at first, then a day back and a year ahead by turns.
JUMPS = """
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static int reads;
static void __attribute__ ((destructor)) tell (void)
{
  if (getenv ("READS") != NULL && reads > 3)
    symlink ("jumped", getenv ("READS"));
}
int clock_gettime (clockid_t id, struct timespec *now)
{
  const long code = syscall (SYS_clock_gettime, id, now);
  if (code == 0 && id == CLOCK_REALTIME && __sync_add_and_fetch (&reads, 1) > 1)
    now->tv_sec += reads % 2 ? 365 * 86400 : -86400;
  return (int) code;
}
int gettimeofday (struct timeval *restrict ret_now, void *restrict zone)
{
  struct timespec now;
  (void) zone;
  clock_gettime (CLOCK_REALTIME, &now);
  *ret_now = (struct timeval) { now.tv_sec, now.tv_nsec / 1000 };
  return 0;
}
time_t time (time_t *ret_now)
{
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  return ret_now != NULL ? (*ret_now = now.tv_sec) : now.tv_sec;
}
"""


def test_clock_that_jumps_while_it_runs(sandbox):
    """A day back and a year ahead at every look: the same bytes, at once and after a kill."""
    if shutil.which("cc") is None:
        pytest.skip("cc is not there")
    whole = Whole(sandbox)
    library = sandbox.path / "jumps.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, sandbox.write("jumps.c", JUMPS)],
                   check=True)
    jumping = ["env", f"LD_PRELOAD={library}", "READS=reads"]
    sandbox.expect(sandbox.shell(" ".join([*jumping, "assay", *RUN, "out"])), WHOLE_CODE)
    whole.check_same(sandbox, "out")
    assert os.readlink(sandbox.path / "reads") == "jumped"
    kill_after(sandbox, 0.2, *RUN, "killed")
    sandbox.expect(sandbox.shell(" ".join([*jumping, "assay", *RUN, "killed", "--resume"])),
                   WHOLE_CODE, err="")
    whole.check_same(sandbox, "killed")


def test_other_monotonic_clock(sandbox):
    """As after the machine was started anew: a run that was killed goes on there."""
    whole = Whole(sandbox)
    ahead = ["unshare", "--time", "--monotonic", "1000000000", "--boottime", "1000000000"]
    tried = subprocess.run([*ahead, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"clocks cannot be set for one process here: {tried.stderr.strip()}")
    kill_after(sandbox, 0.2, *RUN, "out")
    sandbox.expect(sandbox.shell(" ".join([*ahead, "assay", *RUN, "out", "--resume"])), WHOLE_CODE,
                   err="")
    whole.check_same(sandbox, "out")
