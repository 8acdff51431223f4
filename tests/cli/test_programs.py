"""Programs of others: what they cannot reach, what ends them, and that a run keeps to those that it
began with."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import tiny
from exec_programs import (SCALE, UNSCALE, VERBATIM, check_ended, check_nothing_left,
                           find_processes, group, median_errors, prepare, protect, run_scenario,
                           write_program)
from sandbox import TIMEOUT_S


def need_bubblewrap():
    command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all",
               "--cap-drop", "ALL", "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("bwrap is not installed")
    if done.returncode != 0:
        pytest.skip(f"bwrap does not work here: {done.stderr.strip()}")


def break_bubblewrap(sandbox):
    """A bwrap that comes first in PATH and says what one says without user namespaces."""
    path = sandbox.root / "bin" / "bwrap"
    path.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    path.chmod(0o755)


@contextlib.contextmanager
def listening(family, address):
    """A server that takes whoever comes."""
    with socket.socket(family) as server:
        server.bind(address)
        server.listen()
        server.settimeout(0.1)
        is_over = threading.Event()

        def serve():
            while not is_over.is_set():
                with contextlib.suppress(TimeoutError):
                    server.accept()[0].close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()
        finally:
            is_over.set()
            thread.join()


# ---- Confinement ----

# Says at the end what it was able to do.
REACH = """
import signal, socket, tempfile

def reach(family, address):
    with socket.socket(family) as client:
        client.settimeout(5)
        client.connect(address)

def write(path):
    with open(path, "w") as file:
        file.write("made")

def see(pid):
    os.kill(pid, 0)

here = pathlib.Path(__file__).resolve().parent
known = json.loads((here / "known.json").read_text())
done = []
for name, attempt in (
        ("network", lambda: reach(socket.AF_INET, ("127.0.0.1", known["port"]))),
        ("abstract", lambda: reach(socket.AF_UNIX, "\\0" + known["abstract"])),
        ("socket", lambda: reach(socket.AF_UNIX, known["socket"])),
        ("here", lambda: write("made-here")),
        ("home", lambda: write(pathlib.Path.home() / "made-home")),
        ("beside", lambda: write(here.parent / "made-beside")),
        ("system", lambda: write("/var/tmp/" + known["abstract"])),
        ("process", lambda: see(known["pid"])),
        ("remount", lambda: os.mkdir("/proc/sys/made") or None),
        ("folder", lambda: write(FOLDER / "made")),
        ("temporary", lambda: write(pathlib.Path(tempfile.gettempdir()) / "made")),
        ("read", lambda: (here / "private.fvecs").read_bytes())):
    try:
        attempt()
        done.append(name)
    except OSError:
        pass
sys.exit(" ".join(done))
"""


def try_to_reach(sandbox, *words):
    """What the program could do, in words; what it made elsewhere is removed."""
    own = f"assay-{sandbox.root.name}"
    # Beneath /tmp directly, which the program has for itself alone.
    place = f"/tmp/{own}.socket"
    program = write_program(sandbox, "reach.py", REACH)
    with (listening(socket.AF_INET, ("127.0.0.1", 0)) as (_, port),
          listening(socket.AF_UNIX, "\0" + own), listening(socket.AF_UNIX, place)):
        sandbox.write("known.json", json.dumps({"port": port, "abstract": own, "socket": place,
                                                "pid": os.getpid()}))
        result = protect(sandbox, program, *words)
    os.unlink(place)
    made = [path for path in (sandbox.path / "made-here", sandbox.path / "made-home",
                              sandbox.root / "made-beside", f"/var/tmp/{own}")
            if os.path.exists(path)]
    for path in made:
        os.unlink(path)
    said = result.err.strip().rpartition("its last lines: ")[2]
    assert result.code == 2, str(result)
    return said, [os.path.basename(path) for path in made]


def test_confined_reaches_nothing_else(sandbox):
    """No network, no sockets, no other process, no file outside, no data; with `never` all of it."""
    need_bubblewrap()
    prepare(sandbox)
    for confine in ("required", "auto"):
        said, made = try_to_reach(sandbox, "--set", f"confine={confine}")
        assert said == "folder temporary", f"{confine}: {said}"
        assert made == [], f"{confine}: {made}"
    said, made = try_to_reach(sandbox, "--set", "confine=never")
    assert said == "network abstract socket here home beside system process folder temporary read", (
        said)
    assert len(made) == 4, str(made)


def test_confinement_that_is_not_possible(sandbox):
    """Required, it is refused; otherwise the program runs as it is."""
    prepare(sandbox)
    break_bubblewrap(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    sandbox.refuses(protect(sandbox, scale, "--set", "confine=required"),
                    "defense exec: confine = required, but the program cannot be confined: bwrap: "
                    "No permissions to create new namespace")
    sandbox.expect(protect(sandbox, scale), out="", err="")
    sandbox.refuses(protect(sandbox, scale, "--set", "confine=sometimes"),
                    "--set: exec: confine = 'sometimes': expected one of auto, never, required{*}")
    sandbox.environment["PATH"] = str(sandbox.root / "bin")
    (sandbox.root / "bin" / "bwrap").unlink()
    sandbox.refuses(protect(sandbox, scale, "--set", "confine=required"),
                    "defense exec: confine = required, but the program cannot be confined: bwrap "
                    "is not installed")


def test_results_do_not_tell_confinement(sandbox):
    """One plan, one folder name and the same bytes, with errors too, with and without bwrap."""
    need_bubblewrap()
    prepare(sandbox)
    parts = VERBATIM
    for name, body in (("scale", SCALE), ("signal", "os.kill(os.getpid(), 11)"),
                       ("status", "sys.exit(3)"), ("temporary", "import tempfile\n"
                        "open(tempfile.gettempdir() + '/none/file')")):
        parts += group("defense", name, write_program(sandbox, f"{name}.py", body))
    sandbox.write("plain", "#!/no/such/interpreter\n").chmod(0o755)
    parts += group("defense", "interpreter", "./plain")
    with_it = run_scenario(sandbox, parts, code=3, out="with")
    assert (with_it["signal", "verbatim"][0]["message"]
            == "defense exec: the program was killed by signal 11 (Segmentation fault)"), (
        str(with_it["signal", "verbatim"][0]))
    assert "/tmp/none/file" in with_it["temporary", "verbatim"][0]["message"], (
        str(with_it["temporary", "verbatim"][0]))
    break_bubblewrap(sandbox)
    run_scenario(sandbox, parts, code=3, out="without")
    assert sandbox.read("with/results.json") == sandbox.read("without/results.json"), (
        "confinement changed results.json")


def test_confined_programs_keep_what_they_need(sandbox):
    """Modules beside a script, an interpreter in a hidden folder, and files that words name."""
    need_bubblewrap()
    prepare(sandbox)
    (sandbox.root / "bin" / "my-python").symlink_to(sys.executable)
    sandbox.write("factor.py", "factor = 1.25\n")
    sandbox.write("notes/size.txt", "8")
    write_program(sandbox, "scale.py", "from factor import factor\n"
                  "assert open(sys.argv[1]).read() == '8' and os.getcwd() == sys.argv[2]\n"
                  "answer('release', vectors=npy(scaled(load('secrets.npy'), factor)))\n")
    sandbox.expect(protect(sandbox, f"my-python scale.py {sandbox.path}/notes/size.txt "
                           f"{sandbox.path}", "--set", "confine=required"), out="", err="")


# ---- Limits ----


def test_disk_is_not_filled(sandbox):
    """Small files without end, deep or empty ones, in the folder or where temporary files go: the
    program is ended while it writes, and the run goes on."""
    prepare(sandbox)
    fill = """
import itertools, tempfile
place = {place}
for i in itertools.count():
    {write}
    if i > 20000:
        time.sleep(100)
        sys.exit("it was not ended while it wrote")
"""
    small = "(place / f'{i}').write_bytes(b'x' * 4096)"
    bodies = {"folder": fill.format(place="FOLDER", write=small),
              "temporary": fill.format(place="pathlib.Path(tempfile.gettempdir())", write=small),
              "empty": fill.format(place="FOLDER", write="(place / f'{i}').touch()"),
              "closed": fill.format(place="FOLDER / 'a'", write="place.mkdir(exist_ok=True); "
                                    "place.chmod(0o300); " + small)}
    for name, body in bodies.items():
        program = write_program(sandbox, f"{name}.py", "import time\n" + body)
        for confine in ("never", "auto"):
            sandbox.refuses(protect(sandbox, program, "--set", "file_limit=1", "--set",
                                    f"confine={confine}"),
                            "defense exec: the program wrote more than file_limit = 1 MiB into its "
                            "folder and was killed")
    found = run_scenario(
        sandbox, group("defense", "fills", f"{sys.executable} folder.py", "file_limit = 1")
        + group("defense", "scaled", write_program(sandbox, "scale.py", SCALE)) + VERBATIM, code=3)
    assert [cell["status"] for cell in found["fills", "verbatim"]] == ["error"] * 2, str(found)
    assert median_errors(found["scaled", "verbatim"])[1] > 0.2, str(found)


def test_inputs_do_not_count_as_written(sandbox):
    """A limit below what the program is given."""
    prepare(sandbox)
    rows = (b"\x10\x00\x00\x00" + b"\x00\x00\x80\x3f" * 16) * 32768
    sandbox.write("large.fvecs", rows)
    scale = write_program(sandbox, "scale.py", SCALE)
    sandbox.expect(protect(sandbox, scale, "--set", "file_limit=1", "--set", "uses=database",
                           "--database", "large.fvecs"), out="", err="")


# ---- Ctrl-C ----

HANG = """
import subprocess, time
subprocess.Popen(["sleep", "300.00081"])
time.sleep(300)
"""


def wait_for(what, says):
    end = time.monotonic() + 100
    while not what():
        assert time.monotonic() < end, says
        time.sleep(0.02)


def interrupt(sandbox, number, *words):
    """Interrupts a command once its program's child is there; returns (code, stderr)."""
    process = sandbox.start(*words)
    wait_for(lambda: find_processes("300.00081"), "the program did not begin")
    start = time.monotonic()
    process.send_signal(number)
    err = process.communicate(timeout=TIMEOUT_S)[1]
    assert time.monotonic() - start < 100, "the program was waited for"
    check_ended("300.00081")
    check_nothing_left(sandbox)
    return process.returncode, err


def write_hanging(sandbox, confine):
    """A scenario whose attack hangs in the second trial until there is a file `go`."""
    scale = write_program(sandbox, "scale.py", SCALE)
    unscale = write_program(sandbox, "unscale.py", "if not os.path.exists('go') and REQUEST['n'] == "
                            "8 and 'release' in os.listdir(FOLDER) and load('release/vectors.npy')"
                            "[0][0] not in json.load(open('first.json')):\n"
                            + HANG.replace("\n", "\n    ") + "\n" + UNSCALE)
    head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0]
    sandbox.write("exec.scenario", head
                  + group("defense", "scaled", scale, f"confine = {confine}") + VERBATIM
                  + group("attack", "program", unscale, "grants = other-releases",
                          f"confine = {confine}"))


def note_first_trial(sandbox, parts):
    """What the attack sees before the second trial: numbers by which it tells that one. A control
    beside the first trial holds the same numbers in another order."""
    seen = write_program(sandbox, "note.py", "with open('seen.txt', 'a') as log:\n    log.write("
                         "repr([row[0] for row in load('release/vectors.npy')]) + '\\n')\n" + UNSCALE)
    run_scenario(sandbox, parts + group("attack", "program", seen, "grants = other-releases",
                                        "confine = never"), out="note")
    calls = [json.loads(line) for line in sandbox.read("seen.txt").splitlines()]
    assert len(calls) == 3, f"a control and two trials: {calls}"
    sandbox.write("first.json", json.dumps(calls[0]))


def test_interrupted_while_a_program_runs(sandbox):
    """At once, the cell is not stored, nothing is left, and the run goes on to the same end."""
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    note_first_trial(sandbox, group("defense", "scaled", scale, "confine = never"))
    for confine in ("never", "auto"):
        write_hanging(sandbox, confine)
        for number in (signal.SIGINT, signal.SIGTERM):
            (sandbox.path / "go").unlink(missing_ok=True)
            code, err = interrupt(sandbox, number, "run", "exec.scenario", "--out", "out")
            assert code == 130 and "interrupted after 3 of 4 cells" in err, f"{code}: {err}"
            # What is done can be read.
            assert ", with a report.html" in err and (sandbox.path / "out/report.html").exists(), err
            sandbox.write("go", "")
            sandbox.run_ok("exec.scenario", "--out", "out", "--quiet", "--resume")
            sandbox.run_ok("exec.scenario", "--out", "whole", "--quiet")
            assert sandbox.read("out/results.json") == sandbox.read("whole/results.json"), (
                "the run that was gone on with ended otherwise")
            for folder in ("out", "whole"):
                shutil.rmtree(sandbox.path / folder)


def test_interrupted_single_steps(sandbox):
    """`assay protect` and the tuning of a run, whose candidates may fail, but not so."""
    prepare(sandbox)
    hang = write_program(sandbox, "hang.py", HANG)
    for number in (signal.SIGINT, signal.SIGTERM):
        code, err = interrupt(sandbox, number, "protect", "--defense", "exec", "--set",
                              f"command={hang}", "--secrets", "private.fvecs[0:8]", "--release",
                              "release", "--truth", "truth")
        assert (code, err) == (130, "assay: defense exec: the program was killed: interrupted\n"), (
            f"{code}: {err}")
        assert not (sandbox.path / "release").exists(), "a release was written"
    head = tiny.SCENARIO.split("[defense lifting]", maxsplit=1)[0]
    sandbox.write("tuned.scenario", head + "[attack program]\nplugin = exec\n"
                  f"grants = other-releases\ncommand = {hang}\ntune.settings = a, b\n"
                  .replace("a, b", "a; b") + "tune_measure = relative-error-median\n")
    code, err = interrupt(sandbox, signal.SIGINT, "run", "tuned.scenario", "--out", "out")
    assert code == 130 and "interrupted after 0 of 2 cells" in err, f"{code}: {err}"


def test_killed_assay_takes_confined_programs_along(sandbox):
    need_bubblewrap()
    prepare(sandbox)
    hang = write_program(sandbox, "hang.py", HANG)
    process = sandbox.start("protect", "--defense", "exec", "--set", f"command={hang}",
                            "--secrets", "private.fvecs[0:8]", "--release", "release", "--truth",
                            "truth")
    wait_for(lambda: find_processes("300.00081"), "the program did not begin")
    sandbox.kill(process)
    check_ended("300.00081")


# ---- Files ----


def test_programs_beside_the_scenario(sandbox):
    """Found from wherever the run is started: by an argument, as the command, and before a file of
    the same name in the working folder, which is found too where it is the only one."""
    prepare(sandbox)
    write_program(sandbox, "audit/scale.py", SCALE)
    unscale = write_program(sandbox, "unscale.py", UNSCALE)
    sandbox.write("audit/scale", "#!/bin/sh\nexec " + sys.executable + " \"$(dirname \"$0\")"
                  "/scale.py\" \"$@\"\n").chmod(0o755)
    sandbox.write("scale.py", "sys.exit('the wrong one')\n")
    for name in ("private.fvecs", "public.npy", "database.fvecs"):
        os.rename(sandbox.path / name, sandbox.path / "audit" / name)
    head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0]
    sandbox.write("audit/exec.scenario", head
                  + group("defense", "argument", f"{sys.executable} scale.py")
                  + group("defense", "command", "./scale") + VERBATIM
                  + group("attack", "program", unscale, "grants = other-releases"))
    sandbox.environment["ASSAY_DATA"] = str(sandbox.path / "audit")
    sandbox.run_ok("audit/exec.scenario", "--out", "out", "--quiet")
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    for cell in cells:
        error = 0.25 if cell["attack"]["label"] == "verbatim" else 0
        assert abs(median_errors([cell])[0] - error) < 1e-6, str(cell)
    assert cells[0]["defense"]["settings"]["command"] == f"{sys.executable} scale.py", (
        str(cells[0]["defense"]))
    # The kept scenario does not need its files.
    shutil.rmtree(sandbox.path / "audit")
    sandbox.expect(sandbox.assay("report", "out"))


def test_changed_program_is_another_run(sandbox):
    """Of the defense, of the attack, and gone: the same file again is the same run."""
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    note_first_trial(sandbox, group("defense", "scaled", scale, "confine = never"))
    write_hanging(sandbox, "auto")
    code, err = interrupt(sandbox, signal.SIGINT, "run", "exec.scenario", "--out", "out")
    assert code == 130, err
    sandbox.write("go", "")
    again = ("run", "exec.scenario", "--out", "out", "--quiet", "--resume")
    for kind, label, name in (("defense", "scaled", "scale.py"), ("attack", "program",
                                                                  "unscale.py")):
        before = sandbox.read(name)
        sandbox.write(name, before + "# changed\n")
        sandbox.refuses(sandbox.assay(*again),
                        f"{kind} {label}: file {name} changed since the run began "
                        "(sha256 {*}, now {*}); expected a new run with --out")
        (sandbox.path / name).unlink()
        sandbox.refuses(sandbox.assay(*again),
                        f"{kind} {label}: file {name}, with which the run began, is not there any "
                        "more; expected it, or a new run with --out")
        sandbox.write(name, before)
    sandbox.expect(sandbox.assay(*again))
    # A finished run, likewise: --resume would show another program's numbers as this one's.
    sandbox.write("scale.py", sandbox.read("scale.py") + "# changed\n")
    sandbox.refuses(sandbox.assay(*again),
                    "defense scaled: file scale.py changed since the run began "
                    "(sha256 {*}, now {*}); expected a new run with --out")
    sandbox.expect(sandbox.assay("report", "out"))
    sandbox.run_ok("exec.scenario", "--out", "out", "--quiet")
    sandbox.expect(sandbox.assay(*again))


def test_program_that_changes_while_it_is_audited(sandbox):
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE
                          + "with open('scale.py', 'a') as own:\n    own.write('# more\\n')\n")
    head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0]
    sandbox.write("exec.scenario", head + group("defense", "scaled", scale, "confine = never")
                  + VERBATIM)
    result = sandbox.assay("run", "exec.scenario", "--out", "out", "--quiet")
    sandbox.refuses(result, "defense scaled: file scale.py changed since the run began "
                    "(sha256 {*}, now {*}); expected a new run with --out")
