"""The system calls of a command that change the disk, each of which strace can make fail, or the last
one."""

import collections
import random
import re
import shutil
import subprocess

import pytest

from sandbox import TIMEOUT_S, Result

# What changes a disk. Those that a machine does not have are passed over.
CALLS = ("mkdir", "mkdirat", "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename",
         "renameat", "renameat2", "unlink", "unlinkat", "rmdir")


def strace(sandbox, expressions, *words, program=None):
    """Runs the program (or @program) where strace makes some of its calls fail, or the last one."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed, which ends a run at a chosen system call")
    # Leaks cannot be looked for in a process that is traced already.
    sanitizer = sandbox.environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    done = subprocess.run(
        ["strace", "-qq", "-o", sandbox.root / "trace", *expressions,
         program or sandbox.assay_path, *words],
        cwd=sandbox.path, env={**sandbox.environment, "ASAN_OPTIONS": sanitizer},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if "PTRACE" in done.stderr or "ptrace" in done.stderr:
        pytest.skip(f"processes cannot be traced here: {done.stderr.strip()}")
    # As a shell says it: strace ends itself as the program ended.
    return Result(" ".join(["assay", *words]), done.returncode, done.stdout, done.stderr)


def points_of(sandbox, *words, code=0, program=None):
    """Every call of an undisturbed run that changes the disk, as (name, which of that name, path).
    Writes are counted by path, since GLib writes to a descriptor of its own to wake itself up,
    while figures are drawn, now more often and now less. Other calls have no path here."""
    wanted = ",".join(f"?{name}" for name in CALLS)
    sandbox.expect(strace(sandbox, ["-y", "-e", f"trace={wanted}"], *words, program=program), code)
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
        except AssertionError as problem:
            raise AssertionError(f"at {point}: {problem}") from problem
