"""Output folders that other users, other processes and full disks get in the way of."""

import os
import shutil
import signal
import subprocess
import time

import tiny
from harness import Skip, Suite, check

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

HUGE = """\
[dataset]
plugin = scenes
private_images = 100000
public_images = 100000
database_images = 100000
per_image = 10000
secrets = 10

[defense plain]
plugin = none

[attack verbatim]
plugin = verbatim
"""

cases = Suite("folders")


def add_to(suite):
    suite.cases += cases.cases
    return suite


def as_nobody(sandbox):
    """The words that run a command as another user, who may enter the sandbox and read it."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        raise Skip("run by root, and setpriv is not there to become somebody else")
    for folder in (sandbox.root, sandbox.path):
        folder.chmod(0o755)
    tried = subprocess.run([*NOBODY, sandbox.assay_path, "--version"], capture_output=True,
                           check=False)
    if tried.returncode != 0:
        raise Skip("the program stands where nobody but root may run it")
    return NOBODY


def refuses_as_nobody(sandbox, place, message):
    become = " ".join(as_nobody(sandbox))
    tiny.write(sandbox)
    before = sandbox.tree()
    sandbox.refuses(sandbox.shell(f"{become} assay run tiny.scenario --out {place}"), message)
    check(sandbox.tree() == before, "something was left behind")


@cases.case("folder-not-writable")
def _(sandbox):
    (sandbox.path / "out").mkdir(mode=0o555)
    refuses_as_nobody(sandbox, "out", "output folder out cannot be written: Permission denied")


@cases.case("parent-not-writable")
def _(sandbox):
    (sandbox.path / "parent").mkdir(mode=0o555)
    refuses_as_nobody(sandbox, "parent/a/out",
                      "output folder parent/a/out cannot be created: Permission denied")


@cases.case("finished-run-in-a-parent-not-writable")
def _(sandbox):
    """Replacing a run needs room beside it."""
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "parent/out", "--quiet")
    subprocess.run(["chmod", "-R", "a+rwX", sandbox.path / "parent"], check=True)
    (sandbox.path / "parent").chmod(0o555)
    refuses_as_nobody(sandbox, "parent/out",
                      "output folder parent/out.new cannot be created: Permission denied")


@cases.case("private-file-not-readable")
def _(sandbox):
    become = " ".join(as_nobody(sandbox))
    tiny.write(sandbox)
    (sandbox.path / "private.fvecs").chmod(0o000)
    (sandbox.path / "tiny.scenario").chmod(0o644)
    sandbox.refuses(
        sandbox.shell(f"{become} assay run tiny.scenario --out out"),
        "tiny.scenario:6: [dataset] private: ./private.fvecs: cannot be read: Permission denied")


@cases.case("in-use-by-another-process")
def _(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    sandbox.run_ok("tiny.scenario", "--out", "whole", "--quiet")
    process = sandbox.start("run", "tiny.scenario", "--out", "out", "--quiet")
    try:
        wait_for(sandbox.path / "out" / "run.sqlite-wal")
        process.send_signal(signal.SIGSTOP)
        says = ("output folder out is in use by another process; expected it to end first, or "
                "--out with another folder")
        for words in ([], ["--resume"], ["--seed", "9"]):
            sandbox.refuses(sandbox.assay("run", "tiny.scenario", "--out", "out", *words), says)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    check(process.returncode == 0, f"the first process: exit code {process.returncode}")
    check(sandbox.read("out/results.json") == sandbox.read("whole/results.json"), "other results")


@cases.case("two-begin-at-once")
def _(sandbox):
    """One works, the other is refused, or comes late enough to replace what the first has made."""
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "whole", "--quiet")
    for i in range(15):
        both = [sandbox.start("run", "tiny.scenario", "--out", f"out{i}", "--quiet", "--jobs", "1")
                for _ in range(2)]
        said = [process.communicate(timeout=60)[1] for process in both]
        codes = sorted(process.returncode for process in both)
        check(codes in ([0, 0], [0, 2]), f"exit codes {codes}: {said}")
        check(codes == [0, 0] or any("is in use by another process" in text or
                                     "holds an unfinished run" in text for text in said), str(said))
        check(sandbox.read(f"out{i}/results.json") == sandbox.read("whole/results.json"), "results")


def wait_for(path, timeout_s=30):
    end = time.monotonic() + timeout_s
    while not path.exists():
        check(time.monotonic() < end, f"{path} did not appear")
        time.sleep(0.001)


@cases.case("more-memory-than-the-machine-has")
def _(sandbox):
    """Three hundred thousand photographs: some 700 GiB of descriptors."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if machine > 700 * 2**30:
        raise Skip("this machine has more memory than the scenario asks for")
    sandbox.write("huge.scenario", HUGE)
    for command in ("plan", "run"):
        sandbox.refuses(
            sandbox.assay(command, "huge.scenario"),
            "huge.scenario: the run would need about {*}GiB of memory, but the machine has {*}iB; "
            "expected a smaller dataset, fewer secrets a cell or smaller dimensions")
    check(list(sandbox.tree()) == ["huge.scenario"], "something was left behind")
