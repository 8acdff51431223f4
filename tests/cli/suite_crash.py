"""A run that is killed, or whose disk fails, at any point: gone on with, it leaves the same bytes.

Moments are of two kinds: points in time, at random; and system calls, each of which strace can make
the last one, so that every step between two of them is met, however short it is."""

import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import mpi
from harness import TIMEOUT_S, Failure, Result, Skip, Suite, check
from suite_disk import SmallDisk, used

# Attacks, one of them tuned, utilities, pictures, figures, a claim.
SCENES = """\
[scenario]
title = Scenes
seed = 5
trials = 2

[dataset]
plugin = scenes
pictures = yes
views = yes
private_images = 8
public_images = 2
database_images = 2
per_image = 15
width = 64
height = 48
secret_groups = 2
tune_secrets = 10

[defense plain]
plugin = none

[defense lifting]
plugin = affine-lifting
variant = random

[defense ldp]
plugin = ldp-feat
epsilon = 5
dictionary = 16

[attack verbatim]
plugin = verbatim

[attack nearest]
plugin = nearest
grants = public

[attack tuned]
plugin = database
grants = database
tune.neighbours = 10; 20
tune_measure = relative-error-median

[utility matching]
plugin = matching

[claim hidden]
attack = verbatim
defense = lifting
measure = recovery-rate
at-most = 0.5

[pictures painted]
"""

# An audit of a mechanism.
EPSILON = """\
[scenario]
title = Epsilon
seed = 5
trials = 2

[dataset]
plugin = values
kind = whole
values = 10

[defense coin]
plugin = randomised-response
epsilon = 1; 3

[attack distinguish]
plugin = distinguish
runs = 20000
training = 10000

[claim holds]
measure = epsilon
at-most = claimed
"""

RUN = ("run", "scenes.scenario", "epsilon.scenario", "--quiet", "--jobs", "1", "--out")
WHOLE_CODE = 3  # four photographs are too few for the claim

# What changes a disk. Those that a machine does not have are passed over.
CALLS = ("mkdir", "mkdirat", "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename",
         "renameat", "renameat2", "unlink", "unlinkat", "rmdir")

cases = Suite("crash")


def add_to(suite):
    suite.cases += cases.cases
    return suite


# ---- What there must be at the end ----


class Whole:
    """An undisturbed run in the folder "whole", and what it left."""

    def __init__(self, sandbox):
        sandbox.write("scenes.scenario", SCENES)
        sandbox.write("epsilon.scenario", EPSILON)
        sandbox.expect(sandbox.assay(*RUN, "whole"), WHOLE_CODE, err="")
        self.files = lasting(sandbox.tree("whole"))
        kinds = ("results.json", "results.csv", "claims.xml", "summary.md", "report.html",
                 "run.sqlite", "run.json")
        for folder in ("scenes-", "epsilon-"):
            for kind in kinds:
                check(any(name.startswith(folder) and name.endswith(kind) for name in self.files),
                      f"the whole run has no {kind}")
        check(any("pictures/painted.png" in name for name in self.files), "no pictures")
        check(any("figures/" in name for name in self.files), "no figures")

    def check_same(self, sandbox, folder):
        found = lasting(sandbox.tree(folder))
        other = sorted(name for name in found.keys() | self.files.keys()
                       if found.get(name) != self.files.get(name))
        check(not other, f"{folder}: other, missing or too many: {other}")


def lasting(tree):
    """Digests of what must be the same bytes. Seconds and the number of begun cells need not be."""
    return {name: "any" if name.endswith(("run.json", "run.sqlite")) else digest
            for name, digest in tree.items()}


def check_no_orphans(sandbox):
    """No process works in the sandbox; one that has just been told to end may take a moment."""
    end = time.monotonic() + 10
    while found := [place for place in pathlib.Path("/proc").glob("[0-9]*/cwd")
                    if works_in(place, sandbox.root)]:
        check(time.monotonic() < end, f"orphans: {found}")
        time.sleep(0.01)


def works_in(link, root):
    try:
        return pathlib.Path(os.readlink(link)).is_relative_to(root)
    except OSError:  # it has ended, or is another user's
        return False


def forgive_cells(sandbox, folder):
    """A cell that two processes ended in is passed over, which tests/cli/suite_resume.py is about.
    Here it is chance that strikes twice. Returns how often that was."""
    count = 0
    for path in (sandbox.path / folder).glob("*/run.sqlite"):
        copy = sandbox.path / "looked-at"
        shutil.copytree(path.parent, copy)
        try:
            is_twice = begun_twice(copy / "run.sqlite")
        finally:
            shutil.rmtree(copy)
        if is_twice:
            change(path, "UPDATE cells SET begun = 1 WHERE status = 0")
            count += 1
    return count


def begun_twice(path):
    database = sqlite3.connect(path)
    try:
        return database.execute("SELECT count(*) FROM cells WHERE status = 0 AND begun > 1"
                                ).fetchone()[0] > 0
    except sqlite3.OperationalError:  # killed before there were tables
        return False
    finally:
        database.close()


def change(path, *statement):
    database = sqlite3.connect(path)
    database.execute(*statement)
    database.commit()
    database.close()


def resumed(sandbox, folder, whole):
    sandbox.expect(sandbox.assay(*RUN, folder, "--resume"), WHOLE_CODE, err="")
    whole.check_same(sandbox, folder)


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


def kill_after(sandbox, delay_s, *words):
    """Starts a run and kills it; TRUE if it was still under way."""
    process = sandbox.start(*words)
    time.sleep(delay_s)
    sandbox.kill(process)
    return process.returncode == -signal.SIGKILL


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
            check(set(os.listdir(sandbox.path)) <= before, str(os.listdir(sandbox.path)))
        except Failure as problem:
            raise Failure(f"moment {i}: {problem}") from problem
        if not is_replacing:
            shutil.rmtree(sandbox.path / "out")
    check(n_hit >= count / 3, f"only {n_hit} of {count} kills met a run that was under way")


def check_place(sandbox, whole):
    """While runs are replaced, each place holds a whole one."""
    found = lasting(sandbox.tree("out"))
    found = {name: digest for name, digest in found.items()
             if not re.match(r"[^/]*\.new(/|$)", name)
             and not name.endswith(("-wal", "-shm", ".tmp"))}
    other = sorted(name for name in found.keys() | whole.files.keys()
                   if found.get(name) != whole.files.get(name))
    check(not other, f"a place does not hold a whole run: {other}")


for name, count, is_long in (("", 10, False), ("-200", 200, True)):
    @cases.case(f"killed-at{name}-moments", is_slow=is_long)
    def _(sandbox, count=count):
        kill_at_moments(sandbox, count, False)

    @cases.case(f"killed-at{name}-moments-while-replacing", is_slow=is_long)
    def _(sandbox, count=count):
        kill_at_moments(sandbox, count, True)


# ---- System calls ----


def strace(sandbox, expressions, *words):
    """Runs the program where strace makes some of its system calls fail, or the last one."""
    if shutil.which("strace") is None:
        raise Skip("strace is not installed, which ends a run at a chosen system call")
    # Leaks cannot be looked for in a process that is traced already.
    sanitizer = sandbox.environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    done = subprocess.run(
        ["strace", "-qq", "-o", sandbox.root / "trace", *expressions, sandbox.assay_path, *words],
        cwd=sandbox.path, env={**sandbox.environment, "ASAN_OPTIONS": sanitizer},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if "PTRACE" in done.stderr or "ptrace" in done.stderr:
        raise Skip(f"processes cannot be traced here: {done.stderr.strip()}")
    # As a shell says it: strace ends itself as the program ended.
    return Result(" ".join(["assay", *words]), done.returncode, done.stdout, done.stderr)


def points_of(sandbox, *words):
    """Every call of an undisturbed run that changes the disk, as (name, which of that name, path).
    Writes are counted by path, since GLib writes to a descriptor of its own to wake itself up,
    while figures are drawn, now more often and now less. Other calls have no path here."""
    wanted = ",".join(f"?{name}" for name in CALLS)
    sandbox.expect(strace(sandbox, ["-y", "-e", f"trace={wanted}"], *words), WHOLE_CODE)
    counts = collections.Counter()
    points = []
    for line in (sandbox.root / "trace").read_text(errors="replace").splitlines():
        call = re.match(r"(\w+)\((?:\d+<([^>]*)>)?", line)
        if call is None:
            continue
        path = (call[2] or "") if call[1] == "write" else ""
        if call[1] == "write" and not path.startswith(f"{sandbox.path}/"):
            continue
        counts[call[1], path] += 1
        points.append((call[1], counts[call[1], path], path))
    names = collections.Counter(name for name, _, _ in points)
    check(len(names) >= 6 and names["pwrite64"] > 50 and names["write"] > 20, f"few calls: {names}")
    return points


def choose(points, count):
    """So many of them: of each name the last and the first, as far as they go, then any."""
    names = sorted({point[0] for point in points})
    named = {name: [point for point in points if point[0] == name] for name in names}
    ends = [named[name][at] for at in (-1, 0) for name in names]
    chosen = list(dict.fromkeys(ends))[:max(count - 2, count // 2)]
    rest = sorted(set(points) - set(chosen))
    return chosen + random.Random(17).sample(rest, min(count - len(chosen), len(rest)))


def inject(point, what, further=""):
    """What strace is told to do at this point."""
    name, number, path = point
    return ["-e", f"trace={name}", *(["-P", path] if path else []),
            "-e", f"inject={name}:{what}:when={number}{further}"]


def at_each(points, function):
    for point in points:
        try:
            function(point)
        except Failure as problem:
            raise Failure(f"at {point}: {problem}") from problem


def kill_at_calls(sandbox, count, is_replacing):
    whole = Whole(sandbox)
    if is_replacing:
        shutil.copytree(sandbox.path / "whole", sandbox.path / "out")
    points = points_of(sandbox, *RUN, "out")
    before = set(os.listdir(sandbox.path)) | {"out"}

    def kill(point):
        if not is_replacing:
            shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = strace(sandbox, inject(point, "signal=KILL"), *RUN, "out")
        check(result.code == -signal.SIGKILL, f"not killed: {result}")
        if is_replacing:
            check_place(sandbox, whole)
        resumed(sandbox, "out", whole)
        check_no_orphans(sandbox)
        check(set(os.listdir(sandbox.path)) <= before, str(os.listdir(sandbox.path)))

    at_each(choose(points, count), kill)


for name, count, is_long in (("", 10, False), ("-200", 200, True)):
    @cases.case(f"killed-at{name}-system-calls", is_slow=is_long)
    def _(sandbox, count=count):
        kill_at_calls(sandbox, count, False)

    @cases.case(f"killed-at{name}-system-calls-while-replacing", is_slow=is_long)
    def _(sandbox, count=count):
        kill_at_calls(sandbox, count, True)


# ---- Disks that fail ----


def check_stopped(result, says):
    """Exit code 4, or 2 where not even the folder could be made; and what the message says."""
    is_begun = re.match(r"assay: output folder [^:]* cannot be created", result.err) is None
    check(result.code == 4 or (result.code == 2 and not is_begun), str(result))
    lines = result.err.splitlines()
    check(re.match(rf"assay: .*out/.*: .*({says})", lines[0]), str(result))
    if is_begun and len(lines) > 1:
        check(lines[1].startswith("What is done is kept in") and lines[2] == "Go on with:",
              str(result))


def fail_at_calls(sandbox, count, error, says):
    """From a call on, all of its name fail: the run says so, and goes on when they do not."""
    whole = Whole(sandbox)
    points = points_of(sandbox, *RUN, "out")

    def stop(point):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = strace(sandbox, inject(point, f"error={error}", "+"), *RUN, "out")
        if result.code == WHOLE_CODE:
            whole.check_same(sandbox, "out")
        else:
            check_stopped(result, says)
        resumed(sandbox, "out", whole)

    at_each([point for point in choose(points, count) if not point[0].startswith("unlink")], stop)


for name, count, is_long in (("", 8, False), ("-many", 120, True)):
    @cases.case(f"disk-full-at{name}-system-calls", is_slow=is_long)
    def _(sandbox, count=count):
        fail_at_calls(sandbox, count, "ENOSPC", "full|space|I/O")

    @cases.case(f"read-only-at{name}-system-calls", is_slow=is_long)
    def _(sandbox, count=count):
        """As a file system is mounted again after an error of the disk."""
        fail_at_calls(sandbox, count, "EROFS", "ead-only|readonly|I/O")


@cases.case("read-only-disk-is-not-gone-on-with")
def _(sandbox):
    """A killed run on a disk that came back read-only: nothing changes, and it waits."""
    whole = Whole(sandbox)
    with SmallDisk(sandbox, 16384) as disk:
        strace(sandbox, ["-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when=150"],
               *RUN, "disk/out")
        subprocess.run(["mount", "-o", "remount,ro", disk.path], check=True)
        before = sandbox.tree("disk")
        for words in (["--resume"], []):
            result = sandbox.assay(*RUN, "disk/out", *words)
            check(result.code == 2 and result.err.startswith("assay: output folder disk/out/"),
                  str(result))
        check("Read-only file system" in sandbox.assay(*RUN, "disk/out", "--resume").err,
              "says what is the matter")
        check(sandbox.tree("disk") == before, "something changed")
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
    check(n_stopped >= count / 2, f"only {n_stopped} of {count} disks were too small")


@cases.case("small-disks")
def _(sandbox):
    fill_disks(sandbox, 8)


@cases.case("small-disks-of-100-sizes", is_slow=True)
def _(sandbox):
    fill_disks(sandbox, 100)


# ---- Clocks ----


@cases.case("clock-that-jumps")
def _(sandbox):
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
            check(result.code in (0, WHOLE_CODE) and result.err == "", str(result))
        written = json.loads(sandbox.read("reports/run.json"))
        check((written["start"], written["end"]) == (texts[start], texts[end]), str(written))
        for name in ("results.json", "results.csv", "claims.xml", "summary.md", "report.html"):
            check(sandbox.read(f"reports/{name}") == sandbox.read(place / name), f"another {name}")
        shutil.rmtree(sandbox.path / "reports")
    resumed(sandbox, "out", whole)


@cases.case("other-monotonic-clock")
def _(sandbox):
    """As after the machine was started anew: a run that was killed goes on there."""
    whole = Whole(sandbox)
    ahead = ["unshare", "--time", "--monotonic", "1000000000", "--boottime", "1000000000"]
    tried = subprocess.run([*ahead, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skip(f"clocks cannot be set for one process here: {tried.stderr.strip()}")
    kill_after(sandbox, 0.2, *RUN, "out")
    sandbox.expect(sandbox.shell(" ".join([*ahead, "assay", *RUN, "out", "--resume"])), WHOLE_CODE,
                   err="")
    whole.check_same(sandbox, "out")


# ---- Several processes ----


@cases.case("coordinator-killed")
def _(sandbox):
    """Its workers end too; the run goes on with any number of them."""
    whole = Whole(sandbox)
    n_hit = 0
    for i, delay_s in enumerate((0.1, 0.3, 0.6)):
        n_hit += kill_after(sandbox, delay_s, *RUN, f"out{i}", "--workers", "2")
        check_no_orphans(sandbox)
        forgive_cells(sandbox, f"out{i}")
        resumed(sandbox, f"out{i}", whole)
    check(n_hit > 0, "no kill met a run that was under way")


def seconds_of(process, called):
    """For which there are processes of this name in an undisturbed run, which was just started."""
    named_children(process, called)
    begin = time.monotonic()
    process.communicate(timeout=TIMEOUT_S)
    check(process.returncode == WHOLE_CODE, f"an undisturbed run: exit {process.returncode}")
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
        check(process.returncode == WHOLE_CODE and not err,
              f"kill {i}: exit {process.returncode}: {err}")
        whole.check_same(sandbox, "out")
        check_no_orphans(sandbox)
        shutil.rmtree(sandbox.path / "out")
    check(n_hit >= count / 3, f"only {n_hit} of {count} kills met a worker")


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
    check(n_hit >= count / 3, f"only {n_hit} of {count} kills met ranks that were at work")


for name, count, is_long in (("", 6, False), ("-100-times", 100, True)):
    @cases.case(f"workers-killed{name}", is_slow=is_long)
    def _(sandbox, count=count):
        kill_workers(sandbox, count)

    @cases.case(f"ranks-killed{name}", is_slow=is_long)
    def _(sandbox, count=count):
        kill_ranks(sandbox, count)
