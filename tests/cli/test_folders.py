"""Output folders that other users, other processes and full disks get in the way of."""

import os
import shutil
import sqlite3
import signal
import subprocess
import time

import pytest

import tiny
from sandbox import TIMEOUT_S

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


def as_nobody(sandbox):
    """The words that run a command as another user, who may enter the sandbox and read it."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("run by root, and setpriv is not there to become somebody else")
    for folder in (sandbox.root, sandbox.path):
        folder.chmod(0o755)
    tried = subprocess.run([*NOBODY, sandbox.assay_path, "--version"], capture_output=True,
                           check=False)
    if tried.returncode != 0:
        pytest.skip("the program stands where nobody but root may run it")
    return NOBODY


def refuses_as_nobody(sandbox, place, message):
    become = " ".join(as_nobody(sandbox))
    tiny.write(sandbox)
    before = sandbox.tree()
    sandbox.refuses(sandbox.shell(f"{become} assay run tiny.scenario --out {place}"), message)
    assert sandbox.tree() == before, "something was left behind"


def test_path_too_long_for_a_store(sandbox):
    """Told before any work, and what to do."""
    tiny.write(sandbox)
    out = "/".join(["x" * 200] * 3)
    sandbox.refuses(sandbox.assay("run", "tiny.scenario", "--out", out),
                    f"output folder {out}: the path of its run store has {{*}} bytes; expected at "
                    "most 500, which is all that SQLite opens: choose a shorter --out")
    assert not (sandbox.path / ("x" * 200)).exists(), "something was left behind"
    # The longest that is taken is one that works.
    room = 500 - len(str(sandbox.path)) - len("//.new/run.sqlite-journal")
    out = "y" * (room - 201) + "/" + "z" * 200
    sandbox.run_ok("tiny.scenario", "--quiet", "--out", out)


def test_folder_not_writable(sandbox):
    (sandbox.path / "out").mkdir(mode=0o555)
    refuses_as_nobody(sandbox, "out", "output folder out cannot be written: Permission denied")


def test_parent_not_writable(sandbox):
    (sandbox.path / "parent").mkdir(mode=0o555)
    refuses_as_nobody(sandbox, "parent/a/out",
                      "output folder parent/a/out cannot be created: Permission denied")


def test_finished_run_in_a_parent_not_writable(sandbox):
    """Replacing a run needs room beside it."""
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "parent/out", "--quiet")
    subprocess.run(["chmod", "-R", "a+rwX", sandbox.path / "parent"], check=True)
    (sandbox.path / "parent").chmod(0o555)
    refuses_as_nobody(sandbox, "parent/out",
                      "output folder parent/out.new cannot be created: Permission denied")


def test_private_file_not_readable(sandbox):
    become = " ".join(as_nobody(sandbox))
    tiny.write(sandbox)
    (sandbox.path / "private.fvecs").chmod(0o000)
    (sandbox.path / "tiny.scenario").chmod(0o644)
    sandbox.refuses(
        sandbox.shell(f"{become} assay run tiny.scenario --out out"),
        "tiny.scenario:6: [dataset] private: ./private.fvecs: cannot be read: Permission denied")


def test_in_use_by_another_process(sandbox):
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
        process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, f"the first process: exit code {process.returncode}"
    assert sandbox.read("out/results.json") == sandbox.read("whole/results.json"), "other results"


def test_two_begin_at_once(sandbox):
    """One works, the other is refused, or comes late enough to replace what the first has made."""
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "whole", "--quiet")
    for i in range(15):
        both = [sandbox.start("run", "tiny.scenario", "--out", f"out{i}", "--quiet", "--jobs", "1")
                for _ in range(2)]
        said = [process.communicate(timeout=TIMEOUT_S)[1] for process in both]
        codes = sorted(process.returncode for process in both)
        assert codes in ([0, 0], [0, 2]), f"exit codes {codes}: {said}"
        assert (codes == [0, 0] or any("is in use by another process" in text or
                                       "holds an unfinished run" in text for text in said)), (
            str(said))
        assert sandbox.read(f"out{i}/results.json") == sandbox.read("whole/results.json"), "results"


def test_two_of_different_plans_begin_at_once(sandbox):
    """Whoever comes second is refused, whatever it saw before the other began."""
    tiny.write(sandbox)
    expected = {}
    for seed in ("1", "2"):
        sandbox.run_ok("tiny.scenario", "--out", f"whole{seed}", "--seed", seed, "--quiet")
        expected[seed] = sandbox.read(f"whole{seed}/results.json")
    for i in range(30):
        both = {seed: sandbox.start("run", "tiny.scenario", "--out", f"out{i}", "--seed", seed,
                                    "--quiet", "--jobs", "1") for seed in expected}
        said = [process.communicate(timeout=TIMEOUT_S)[1] for process in both.values()]
        codes = {seed: process.returncode for seed, process in both.items()}
        assert sorted(codes.values()) == [0, 2], f"exit codes {codes}: {said}"
        winner = next(seed for seed, code in codes.items() if code == 0)
        assert sandbox.read(f"out{i}/results.json") == expected[winner], "results"


def test_two_replace_at_once(sandbox):
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    expected = sandbox.read("out/results.json")
    for _ in range(15):
        both = [sandbox.start("run", "tiny.scenario", "--out", "out", "--quiet", "--jobs", "1")
                for _ in range(2)]
        said = [process.communicate(timeout=TIMEOUT_S)[1] for process in both]
        codes = sorted(process.returncode for process in both)
        assert codes in ([0, 0], [0, 2]), f"exit codes {codes}: {said}"
        assert sandbox.read("out/results.json") == expected, "results"
        assert not (sandbox.path / "out.new").exists(), "out.new was left behind"


def test_being_replaced_by_another_process(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    process = sandbox.start("run", "tiny.scenario", "--out", "out", "--quiet")
    try:
        wait_for(sandbox.path / "out.new" / "run.sqlite-wal")
        process.send_signal(signal.SIGSTOP)
        before = sandbox.tree("out")
        for words in ([], ["--resume"], ["--seed", "9"]):
            sandbox.refuses(
                sandbox.assay("run", "tiny.scenario", "--out", "out", *words),
                "output folder out is in use by another process; expected it to end first, or "
                "--out with another folder")
        assert sandbox.tree("out") == before, "the finished run changed"
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, f"the first process: exit code {process.returncode}"


def test_foreign_file_that_comes_while_the_run_is_replaced(sandbox):
    tiny.write(sandbox, tiny.LONGER)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    process = sandbox.start("run", "tiny.scenario", "--out", "out", "--quiet")
    wait_for(sandbox.path / "out.new" / "run.sqlite-wal")
    process.send_signal(signal.SIGSTOP)
    sandbox.write("out/thesis.tex", "mine")
    process.send_signal(signal.SIGCONT)
    err = process.communicate(timeout=TIMEOUT_S)[1]
    assert process.returncode == 4 and "it holds 'thesis.tex'" in err, err
    assert sandbox.read("out/thesis.tex") == "mine", "the file changed"
    (sandbox.path / "out" / "thesis.tex").unlink()
    sandbox.expect(sandbox.shell(err.splitlines()[-1].strip()))
    assert not (sandbox.path / "out.new").exists(), "out.new was left behind"


def test_foreign_database_with_a_log_keeps_its_bytes(sandbox):
    """Another program's database that it has open, or left open."""
    tiny.write(sandbox)
    (sandbox.path / "out").mkdir()
    database = sqlite3.connect(sandbox.path / "out" / "run.sqlite")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE t (x)")
    database.commit()
    before = sandbox.tree("out")
    assert set(before) == {"run.sqlite", "run.sqlite-wal", "run.sqlite-shm"}, str(before)
    for words in ([], ["--resume"]):
        sandbox.refuses(sandbox.assay("run", "tiny.scenario", "--out", "out", *words),
                        "out/run.sqlite: is not a run store")
        after = sandbox.tree("out")
        for name in ("run.sqlite", "run.sqlite-wal"):
            assert after[name] == before[name], f"{name} changed"
    database.close()


CLAIM = """
[claim hidden]
attack = verbatim
defense = plain
measure = recovery-rate
at-most = 0.01

[attack verbatim]
plugin = verbatim
"""


def test_run_on_read_only_media(sandbox):
    """It can be a baseline, and its witness played."""
    become = " ".join(as_nobody(sandbox))
    tiny.write(sandbox, tiny.SCENARIO + CLAIM)
    sandbox.run_ok("tiny.scenario", "--out", "old", "--quiet", code=1)
    subprocess.run(["chmod", "-R", "a+rX,a-w", sandbox.path / "old"], check=True)
    (sandbox.path / "new").mkdir()
    (sandbox.path / "new").chmod(0o777)
    before = sandbox.tree("old")
    run = f"{become} assay run tiny.scenario --quiet"
    result = sandbox.expect(sandbox.shell(f"{run} --out new --baseline old"), 1, err="")
    assert "results in new" in result.out, result.out
    result = sandbox.expect(sandbox.shell(f"{run} --out old --witness hidden"), 0, err="")
    assert result.out.startswith("witness of claim hidden"), result.out
    assert sandbox.tree("old") == before, "the old run changed"


def wait_for(path, timeout_s=100):
    end = time.monotonic() + timeout_s
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.001)


def test_more_memory_than_the_machine_has(sandbox):
    """Three hundred thousand photographs: some 700 GiB of descriptors."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if machine > 700 * 2**30:
        pytest.skip("this machine has more memory than the scenario asks for")
    sandbox.write("huge.scenario", HUGE)
    for command in ("plan", "run"):
        sandbox.refuses(
            sandbox.assay(command, "huge.scenario"),
            "huge.scenario: the run would need about {*}GiB of memory, but the machine has {*}iB; "
            "expected a smaller dataset, fewer secrets a cell or smaller dimensions")
    assert list(sandbox.tree()) == ["huge.scenario"], "something was left behind"
