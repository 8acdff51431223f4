"""Where a run may find itself: without an environment, in other languages, under limits, in paths of
any bytes and of any length, stopped, on file systems whose locks fail, with its folder taken away.
It ends with the bytes of any other run, or says what is the matter and leaves nothing half."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from disturbed_runs import EPSILON, RUN, WHOLE_CODE, Whole, lasting, resumed
from sandbox import TIMEOUT_S
from system_calls import inject, strace

TINY = EPSILON.replace("1; 3", "1").replace("20000", "2000").replace("10000", "1000")
SHORT = ("run", "tiny.scenario", "--quiet", "--jobs", "1", "--out")


@pytest.fixture
def usual(sandbox):
    """What the run leaves anywhere else."""
    sandbox.write("tiny.scenario", TINY)
    result = sandbox.assay(*SHORT, "usual")
    assert result.err == "", str(result)
    return result, lasting(sandbox, "usual")


def run_in(sandbox, environment, *words):
    return subprocess.run([sandbox.assay_path, *words], cwd=sandbox.path, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
                          check=False)


def sanitizers(sandbox):
    return {name: value for name, value in sandbox.environment.items() if "SAN_" in name}


# ---- What it is told ----

def test_no_environment(sandbox, usual):
    done = run_in(sandbox, sanitizers(sandbox), *SHORT, "out")
    assert (done.returncode, done.stderr) == (usual[0].code, "")
    assert lasting(sandbox, "out") == usual[1]


@pytest.mark.parametrize("home", [None, "", "/nowhere", "/proc/self", "relative", "a\nb"])
def test_homes(sandbox, usual, home):
    environment = {**sandbox.environment, "HOME": home or ""}
    if home is None:
        del environment["HOME"]
    done = run_in(sandbox, environment, *SHORT, "out")
    assert (done.returncode, done.stderr) == (usual[0].code, "")
    assert lasting(sandbox, "out") == usual[1]


@pytest.mark.parametrize("name", ["de_DE", "ar_EG", "tr_TR", "ps_AF"])
def test_languages(sandbox, usual, name):
    """Decimal commas, other digits, an i without a dot: made here, since few machines have them."""
    if shutil.which("localedef") is None:
        pytest.skip("there is no localedef")
    made = subprocess.run(["localedef", "-c", "-i", name, "-f", "UTF-8",
                           f"{sandbox.root}/{name}.UTF-8"], capture_output=True, text=True,
                          check=False)
    if not (sandbox.root / f"{name}.UTF-8").exists():
        pytest.skip(f"localedef does not make {name}: {made.stderr.strip()}")
    language = {"LOCPATH": str(sandbox.root), "LC_ALL": f"{name}.UTF-8"}
    decimal = sandbox.shell("locale decimal_point", **language).out.strip()
    assert name == "ar_EG" or decimal != ".", f"the language is not in force: {decimal}"
    result = sandbox.assay(*SHORT, "out", **language)
    assert (result.code, result.err) == (usual[0].code, "")
    assert result.out.replace("results in out", "results in usual") == usual[0].out
    assert lasting(sandbox, "out") == usual[1]
    assert sandbox.assay("report", "out", "--out", "again", **language).code == usual[0].code
    assert sandbox.read("again/results.csv") == sandbox.read("usual/results.csv")


# ---- Limits ----

def check_refused(sandbox, result, folder, usual):
    """A message of this program and an exit code of its list, and --resume goes on from there."""
    assert result.code in (2, 4), str(result)
    assert result.err.startswith("assay: "), str(result)
    done = sandbox.assay(*SHORT, folder, "--resume")
    assert (done.code, done.err) == (usual[0].code, ""), str(done)
    assert lasting(sandbox, folder) == usual[1]


def test_few_files(sandbox, usual):
    """Twenty are enough; with fewer it says that there are too many open files."""
    result = sandbox.shell(f"ulimit -n 20; assay {' '.join(SHORT)} out")
    assert (result.code, result.err) == (usual[0].code, ""), str(result)
    assert lasting(sandbox, "out") == usual[1]
    for count in range(4, 12, 2):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = sandbox.shell(f"ulimit -n {count}; assay {' '.join(SHORT)} out")
        if result.code == usual[0].code and result.err == "":
            assert lasting(sandbox, "out") == usual[1]
        elif result.code != 127:  # the loader found no library
            check_refused(sandbox, result, "out", usual)


def test_small_files(sandbox, usual):
    for blocks in (0, 1, 8, 64, 100):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = sandbox.shell(f"ulimit -f {blocks}; assay {' '.join(SHORT)} out")
        if result.code == usual[0].code and result.err == "":
            assert lasting(sandbox, "out") == usual[1]
        else:
            check_refused(sandbox, result, "out", usual)


def test_little_address_space(sandbox, usual):
    """GLib ends a program that gets no memory, as does the loader; OpenBLAS would ask for ever."""
    if sandbox.is_sanitized():
        pytest.skip("the sanitizers reserve terabytes")
    seen = set()
    for mib in (100, 200, 350, 700):
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        result = sandbox.shell(f"ulimit -v {mib * 1024}; exec assay {' '.join(SHORT)} out")
        seen.add(result.code)
        if result.code == usual[0].code and result.err == "":
            assert lasting(sandbox, "out") == usual[1]
            continue
        assert "address space is limited" in result.err or mib != 200, str(result)
        assert result.err != "", str(result)
        done = sandbox.assay(*SHORT, "out", "--resume")
        assert (done.code, done.err) == (usual[0].code, ""), f"{mib} MiB: {result} then {done}"
        assert lasting(sandbox, "out") == usual[1]
    assert len(seen) > 1, f"no limit was met: {seen}"


# ---- Paths ----

EVERY_BYTE = bytes(byte for byte in range(1, 256) if byte != ord("/"))


def test_names_of_every_byte(sandbox, usual):
    """In folders of results and the scenario's own name; what is written is UTF-8 all the same."""
    for name in (EVERY_BYTE[:120], EVERY_BYTE[120:], b"-n", b" ", b"a\nb\t", b"\xff\xfe"):
        place = os.path.join(os.fsencode(sandbox.path), b"in" + name)
        os.mkdir(place)
        shutil.copy(sandbox.path / "tiny.scenario", os.path.join(place, b"s" + name))
        done = subprocess.run([os.fsencode(sandbox.assay_path), b"run", b"./s" + name, b"--quiet",
                               b"--jobs", b"1", b"--out", b"./o" + name], cwd=place,
                              env=sandbox.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == usual[0].code, (name, done.stderr)
        (done.stdout + done.stderr).decode()
        assert b"\x1b" not in done.stdout and b"\x07" not in done.stdout, done.stdout
        found = pathlib.Path(os.fsdecode(os.path.join(place, b"o" + name)))
        json.loads((found / "results.json").read_text(encoding="utf-8"))
        (found / "report.html").read_text(encoding="utf-8")
        theirs = (sandbox.path / "usual" / "results.csv").read_text()
        assert (found / "results.csv").read_text() == theirs


def test_long_paths(sandbox, usual):
    """A scenario and data at 4,000 bytes are read; results there are refused before anything runs,
    since SQLite opens no such path."""
    deep = sandbox.path
    here = os.open(sandbox.path, os.O_RDONLY)
    while len(str(deep)) < 3900:
        part = "d" * min(200, 3985 - len(str(deep)))
        os.mkdir(part, dir_fd=here)
        inner = os.open(part, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here, deep = inner, deep / part
    with open(os.open("tiny.scenario", os.O_WRONLY | os.O_CREAT, dir_fd=here), "w") as file:
        file.write(TINY)
    os.close(here)
    path = str(deep / "tiny.scenario")
    assert 3900 < len(path) < 4096, len(path)
    result = sandbox.assay("run", path, "--quiet", "--jobs", "1", "--out", "out")
    assert (result.code, result.err) == (usual[0].code, ""), str(result)
    assert sandbox.read("out/results.csv") == sandbox.read("usual/results.csv")
    result = sandbox.assay(*SHORT, str(deep / "out"))
    assert result.code == 2 and "choose a shorter --out" in result.err, str(result)
    for length in (4096, 5000, 70000):
        for words in (["run", "d/" * (length // 2)], [*SHORT, "d/" * (length // 2)],
                      ["report", "d/" * (length // 2)], ["compare", "d" * length, "usual"]):
            result = sandbox.assay(*words)
            assert result.code in (2, 4) and result.err.startswith("assay: "), (length, words[0])


# ---- Time and others ----

def under_way(sandbox, *words):
    """A run that has begun its cells, stopped."""
    process = sandbox.start(*words)
    end = time.monotonic() + 100
    while not any(path.stat().st_size > 100_000
                  for path in (sandbox.path / "out").glob("*/run.sqlite*")):
        assert process.poll() is None and time.monotonic() < end, "over before it was met"
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)
    return process


def test_stopped_and_gone_on(sandbox):
    """As when a machine sleeps; for some seconds here."""
    whole = Whole(sandbox)
    process = under_way(sandbox, *RUN, "out")
    time.sleep(3)
    process.send_signal(signal.SIGCONT)
    assert (process.communicate()[1], process.returncode) == ("", WHOLE_CODE)
    whole.check_same(sandbox, "out")


def test_folder_that_is_taken_away(sandbox):
    """Removed, or moved elsewhere: the run says so, and writes nowhere else."""
    whole = Whole(sandbox)
    for number, take in enumerate((shutil.rmtree, lambda path: path.rename(path.with_name("moved")))):
        process = under_way(sandbox, *RUN, "out")
        take(sandbox.path / "out")
        process.send_signal(signal.SIGCONT)
        err = process.communicate()[1]
        assert process.returncode == 4 and err.startswith("assay: "), (number, err)
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        assert set(os.listdir(sandbox.path)) <= {"whole", "moved", "scenes.scenario",
                                                 "epsilon.scenario"}
    (sandbox.path / "moved").rename(sandbox.path / "out")
    resumed(sandbox, "out", whole)


def test_locks_that_fail(sandbox, usual):
    """As on a network's file system whose lock server is gone. No run works where it holds no lock."""
    result = strace(sandbox, ["-e", "trace=flock", "-e", "inject=flock:error=ENOLCK"], *SHORT,
                    "out")
    assert result.code == 4 and re.match(
        r"assay: output folder out cannot be locked: .*locks", result.err), str(result)
    assert not (sandbox.path / "out" / "results.json").exists()
    # SQLite's own, from the first and from some later one on.
    sandbox.expect(strace(sandbox, ["-e", "trace=fcntl"], *SHORT, "out"), usual[0].code)
    lines = (sandbox.root / "trace").read_text().splitlines()
    locks = [number for number, line in enumerate(lines, 1) if "F_SETLK" in line]
    assert len(locks) > 4, "SQLite takes no locks"
    for number in (locks[0], locks[2], locks[len(locks) // 2], locks[-1]):
        shutil.rmtree(sandbox.path / "out")
        result = strace(sandbox, inject(("fcntl", number, ""), "error=ENOLCK"), *SHORT, "out")
        if result.code == usual[0].code:
            assert lasting(sandbox, "out") == usual[1]
        else:
            check_refused(sandbox, result, "out", usual)
