"""What a start of a program under audit gets from Assay beside its request, and what it may do to its
own inputs and to Assay itself. As in test_hostile.py each attempt is one that would have worked."""

import contextlib
import ctypes
import json
import os
import shutil
import sqlite3
import subprocess

import pytest

import tiny
from exec_programs import (SCALE, VERBATIM, check_ended, find_processes, group, prepare, protect,
                           run_scenario, write_program)
from test_hostile import ATTEMPTS, need_all_layers, what_it_did
from test_programs import break_bubblewrap, wait_for


def test_open_files(sandbox):
    """Whoever starts Assay may leave files open to it: a program gets none of them, nor of Assay's
    own, confined or not."""
    need_all_layers(sandbox)
    prepare(sandbox)
    program = write_program(sandbox, "open.py", ATTEMPTS + """
seen = sorted(os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")
              if os.path.exists(f"/proc/self/fd/{name}") and int(name) > 2)
attempt(read=lambda: need(os.pread(int(sys.argv[1]), 6, 0) == b"secret"),
        any=lambda: need([path for path in seen if not path.startswith("/proc")]))
""")
    with open(sandbox.write("kept", "secret"), "rb") as kept:
        words = ["assay", "protect", "--defense", "exec", "--set",
                 f"command={program} {kept.fileno()}", "--secrets", "private.fvecs[0:8]",
                 "--release", "release", "--truth", "truth"]
        for confine in ("never", "auto"):
            done = subprocess.run([*words, "--set", f"confine={confine}"], cwd=sandbox.path,
                                  executable=sandbox.assay_path, env=sandbox.environment,
                                  pass_fds=[kept.fileno()], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False)
            assert done.stderr.strip().endswith("did:"), (confine, done.stderr)


def test_command_lines_and_watches(sandbox):
    """The seed stands in Assay's command line, which /proc shows to everybody; a watch would tell
    which files others open, and so which starts there are beside it."""
    body = """
def lines():
    return [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
            if int(path.parent.name) != os.getpid()]

attempt(seed=lambda: need([line for line in lines() if b"918273645" in line]),
        watch=lambda: call(294, 0) if os.uname().machine == "x86_64" else need(False),
        old_watch=lambda: call(253) if os.uname().machine == "x86_64" else need(False))
"""
    need_all_layers(sandbox)
    prepare(sandbox)
    seed = ("--seed", "918273645", "--set")
    assert what_it_did(sandbox, body, *seed, "confine=required") == []
    watches = ["watch", "old_watch"] if os.uname().machine == "x86_64" else []
    assert what_it_did(sandbox, body, *seed, "confine=never") == ["seed", *watches]


WATCH = """
import fcntl, signal

signal.signal(signal.SIGIO, signal.SIG_IGN) # which would end it
X86 = os.uname().machine == "x86_64"
F_SETLEASE, F_NOTIFY, WIDE = 1024, 1026, 2**32
FILE = os.open(str(here / "watched/file"), os.O_RDONLY)

def in_memory():
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, FILE, ctypes.c_long(0))
    need(libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(4096), ctypes.create_string_buffer(1)) == 0)

def without_waiting():
    os.preadv(FILE, [bytearray(1)], 0, os.RWF_NOWAIT)

attempt(folder=lambda: fcntl.fcntl(os.open(str(here / "watched"), os.O_RDONLY), F_NOTIFY, 1),
        lease=lambda: fcntl.fcntl(FILE, F_SETLEASE, fcntl.F_RDLCK),
        wide=lambda: call(72, FILE, WIDE | F_SETLEASE, fcntl.F_RDLCK) if X86 else need(False),
        in_memory=in_memory, without_waiting=without_waiting,
        statistics=lambda: call(451, FILE, 0, 0, 0),
        own=lambda: (fcntl.fcntl(FILE, fcntl.F_GETFD), os.preadv(FILE, [bytearray(1)], 0)))
"""


def test_files_that_others_read(sandbox):
    """Signals when a file is opened or a folder read, and whether a file is in memory already, which
    it is if an earlier start has read it."""
    need_all_layers(sandbox)
    prepare(sandbox)
    sandbox.write("watched/file", bytes(4096))
    assert what_it_did(sandbox, WATCH, "--set", "confine=required") == ["own"]
    did = what_it_did(sandbox, WATCH, "--set", "confine=never")
    assert {"folder", "lease", "in_memory", "without_waiting", "own"} <= set(did), did
    assert "wide" in did or os.uname().machine != "x86_64", did


# As the numbers of a program: how many, bytes of the file in the last, and for how long it stays.
NEST = """
import tempfile, time
NESTED, FILLED, HOLD = {}, {}, {}
for name in (FOLDER, tempfile.gettempdir()):
    os.chdir(name)
    for depth in range(NESTED):
        os.mkdir("inside")
        os.chdir("inside")
    os.mkdir("beside")
    pathlib.Path("file").write_bytes(bytes(FILLED))
    os.chmod(".", 0)
time.sleep(HOLD)
sys.exit("all is made")
"""


def test_folders_within_folders(sandbox):
    """Deeper than a path can name: nothing of it is left, which `protect` looks at. And what lies deep
    counts."""
    prepare(sandbox)
    for confine in ("auto", "never"):
        for name, numbers, limit in (("deep.py", (6000, 0, 0), 1024), ("large.py", (100, 3 << 20, 100), 4)):
            result = protect(sandbox, write_program(sandbox, name, NEST.format(*numbers)), "--set",
                             f"file_limit={limit}", "--set", f"confine={confine}")
            sandbox.refuses(result, f"defense exec: the program wrote more than file_limit = {limit} "
                            "MiB into its folder and was killed")


# ---- Without bubblewrap ----

ALONE = """
def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

def starters():
    "From the one that started it up to Assay."
    pids = [os.getppid()]
    while b"protect" not in open(f"/proc/{pids[-1]}/cmdline", "rb").read().split(b"\\0"):
        pids.append(parent(pids[-1]))
    return pids

def token(pid):
    return b"CI_TOKEN=secret" in open(f"/proc/{pid}/environ", "rb").read()

def of_any(work):
    def attempts():
        errors = []
        for pid in starters():
            try:
                need(work(pid) is not False)
            except OSError as error:
                errors.append(error)
        need(len(errors) < len(starters()))
    return attempts

def queue():
    queues = libc if hasattr(libc, "mq_open") else ctypes.CDLL("librt.so.1")
    need(queues.mq_open(b"/kept", os.O_RDWR | os.O_CREAT, 0o600, None) >= 0)
    queues.mq_unlink(b"/kept")

status = open("/proc/self/status").read()
attempt(capabilities=lambda: need(int(status.split("CapPrm:")[1].split()[0], 16)),
        token=of_any(token), signal=of_any(lambda pid: os.kill(pid, 0)),
        limit=of_any(lambda pid: libc.prlimit(pid, 7, None, ctypes.create_string_buffer(16)) == 0),
        queue=queue, attribute=lambda: os.setxattr(here / "public.npy", "user.mark", b"1"),
        own=lambda: (os.kill(os.getpid(), 0), need(libc.prlimit(0, 7, None, b" " * 16) == 0)))
"""


def scopes_signals():
    """Since version 6 of Landlock."""
    return ctypes.CDLL(None).syscall(ctypes.c_long(444), None, ctypes.c_long(0), ctypes.c_long(1)) >= 6


def test_without_bubblewrap(sandbox):
    """Root's capabilities, the environment of Assay, signals to it, its limits, what a later start
    could find."""
    need_all_layers(sandbox)
    prepare(sandbox)
    sandbox.environment["CI_TOKEN"] = "secret"
    never = what_it_did(sandbox, ALONE, "--set", "confine=never")
    assert {"token", "signal", "limit", "queue", "own"} <= set(never), never
    assert ("capabilities" in never) == (os.getuid() == 0), never
    if "attribute" in never:  # not every file system has them
        os.removexattr(sandbox.path / "public.npy", "user.mark")
    break_bubblewrap(sandbox)
    assert what_it_did(sandbox, ALONE) == ([] if scopes_signals() else ["signal"]) + ["own"]


# In a session of its own, and without a parent.
LEAVES = """
import time
if os.fork() == 0:
    os.setsid()
    for _ in range(3):
        if os.fork() == 0:
            os.closerange(0, 3)
            os.execvp("sleep", ["sleep", "300.00093"])
    os._exit(0)
time.sleep(WAITS)
sys.exit(3)
"""


def test_what_leaves_ends_without_bubblewrap(sandbox):
    """With the program, where that is ended, and where Assay is."""
    prepare(sandbox)
    for waits, words in ((0.5, ()), (100, ("--set", "time_limit=3"))):
        body = f"WAITS = {waits}\n{LEAVES}"
        protect(sandbox, write_program(sandbox, "leaves.py", body), "--set", "confine=never", *words)
        stayed = find_processes("300.00093")
        for pid in stayed:
            os.kill(int(pid), 9)
        assert stayed
    break_bubblewrap(sandbox)
    for waits, words in ((0.5, ()), (100, ("--set", "time_limit=3"))):
        command = write_program(sandbox, "leaves.py", f"WAITS = {waits}\n{LEAVES}")
        result = protect(sandbox, command, *words)
        assert result.code == 2 and not find_processes("300.00093"), result
    shutil.rmtree(sandbox.path / "release", ignore_errors=True)
    shutil.rmtree(sandbox.path / "truth", ignore_errors=True)
    process = sandbox.start("protect", "--defense", "exec", "--set", f"command={command}", "--secrets",
                            "private.fvecs[0:8]", "--release", "release", "--truth", "truth")
    wait_for(lambda: find_processes("300.00093"), "the program did not begin")
    sandbox.kill(process)
    check_ended("300.00093")


def test_status_without_bubblewrap(sandbox):
    """The process between says what the program's end was."""
    prepare(sandbox)
    break_bubblewrap(sandbox)
    for body, said in (("sys.exit(7)", "the program ended with exit status 7"),
                       ("os.kill(os.getpid(), 11)",
                        "the program was killed by signal 11 (Segmentation fault)")):
        sandbox.refuses(protect(sandbox, write_program(sandbox, "ends.py", body)),
                        f"defense exec: {said}")
    sandbox.expect(protect(sandbox, write_program(sandbox, "fine.py", SCALE)), out="", err="")


def test_inputs_that_it_changes(sandbox):
    """They are copies, which nobody reads again: results are those of a program that leaves them."""
    prepare(sandbox)
    write_program(sandbox, "scale.py", SCALE)
    run_scenario(sandbox, VERBATIM + group("defense", "scaled", "python3 scale.py",
                                           "confine = never"), out="left")
    write_program(sandbox, "scale.py", SCALE + """
for name in ("secrets.npy", "request.json"):
    content = (FOLDER / name).read_bytes()
    with open(FOLDER / name, "r+b") as file: # in place, as a copy that shares its bytes would be
        file.write(bytes(len(content)))
    (FOLDER / name).unlink()
""")
    run_scenario(sandbox, VERBATIM + group("defense", "scaled", "python3 scale.py",
                                           "confine = never"), out="changed")
    assert sandbox.read("left/results.json") == sandbox.read("changed/results.json")


FLOOD = """
for _ in range(800):
    os.write(1, b"out " * 16384)
    os.write(2, b"err " * 16384)
print("\\nthe end", file=sys.stderr)
sys.exit(3)
"""


def test_words_without_end(sandbox):
    """50 MB on each stream: Assay keeps the last lines of one, and nothing of the other."""
    prepare(sandbox)
    peaks = []
    for body in ("sys.exit('the end')", FLOOD):
        program = write_program(sandbox, "talk.py", body)
        process = subprocess.Popen(
            [sandbox.assay_path, "protect", "--defense", "exec", "--set", f"command={program}",
             "--secrets", "private.fvecs[0:8]", "--release", "release", "--truth", "truth"],
            cwd=sandbox.path, env=sandbox.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 2 and out == b"", out[:100]
        assert err.endswith(b"the end\n") and len(err) < 6000, err[-100:]
        peaks.append(usage.ru_maxrss)
    assert peaks[1] < peaks[0] + 25_000, peaks


# The first start of one program holds its request open until a start of the other, beside it, has
# looked and is gone.
WAIT = """
import time

here = pathlib.Path(__file__).resolve().parent

def wait(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
"""
STAY = WAIT + """
def looks():
    found = [path for path in FOLDER.parent.parent.glob("assay-exec-*/request/request.json")]
    return [path for path in found if '"settings":"spy"' in path.read_text().replace(" ", "")]

def is_looked_at():
    try:
        return looks()
    except OSError: # it was gone in between
        return False

try:
    (here / "ready").touch(exist_ok=False)
    wait(is_looked_at)
    wait(lambda: not is_looked_at())
except FileExistsError:
    pass
""" + SCALE
SPY = WAIT + """
wait((here / "ready").exists)
seen = [path for path in FOLDER.parent.parent.rglob("*.npy") if FOLDER not in path.parents]
names = sorted({path.name for path in seen if path.read_bytes()})
sys.exit("did: " + " ".join(names))
"""


@pytest.mark.parametrize("place", ["tmp", "link"])
def test_starts_at_the_same_time(sandbox, place):
    """Two workers, whose temporary files are not in /tmp but where a confined program may look: it
    finds the request of the other, and one that a killed run left, where it is not confined."""
    need_all_layers(sandbox)
    prepare(sandbox)
    (sandbox.path / "link").symlink_to("tmp")
    sandbox.environment["TMPDIR"] = str(sandbox.path / place)
    stay, spy = (write_program(sandbox, name, body) for name, body in (("a.py", STAY), ("b.py", SPY)))
    for confine, did in (("never", "left.npy secrets.npy"), ("required", "")):
        requests = sandbox.path / "tmp" / f"assay-requests-{os.getuid()}"
        requests.mkdir(mode=0o700, exist_ok=True)
        sandbox.write(requests / "assay-exec-killed" / "left.npy", "secret")
        parts = (VERBATIM + group("defense", "stays", stay, "confine = never")
                 + group("defense", "spies", spy, "settings = spy", f"confine = {confine}"))
        (sandbox.path / "ready").unlink(missing_ok=True)
        sandbox.write("x.scenario", tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0] + parts)
        sandbox.run_ok("x.scenario", "--out", confine, "--quiet", "--workers=2", code=3)
        cells = json.loads(sandbox.read(f"{confine}/results.json"))["cells"]
        said = [cell["message"].partition("did:")[2].strip() for cell in cells
                if cell["defense"]["label"] == "spies"]
        assert max(said) == did, said
        shutil.rmtree(requests)


def test_a_place_for_requests_that_others_may_read(sandbox):
    """In a folder that all may write to, another user could have made it."""
    prepare(sandbox)
    place = sandbox.path / "tmp" / f"assay-requests-{os.getuid()}"
    command = write_program(sandbox, "scale.py", SCALE)
    elsewhere = sandbox.path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    for make in (lambda: place.mkdir(mode=0o755), lambda: place.symlink_to(elsewhere)):
        make()
        said = sandbox.assay("protect", "--defense", "exec", "--set", f"command={command}",
                             "--secrets", "private.fvecs[0:8]", "--release", "release", "--truth",
                             "truth")
        sandbox.expect(said, 4, "", f"assay: defense exec: {place} is not a folder of this user's "
                       "alone; expected one of mode 0700, or another folder for temporary files "
                       "(TMPDIR)\n")
        sandbox.shell(f"rm -r {place}")
        assert not list(elsewhere.iterdir())


SURROUNDINGS = """
import hashlib, re
def read(path):
    text = pathlib.Path(path).read_text(encoding="latin1")
    text = re.sub("assay-exec-[A-Za-z0-9_]{6}", "FOLDER", text)
    return re.sub(r"^[0-9]+ [0-9]+ [0-9]+:[0-9]+", "", text, flags=re.M)  # numbers of mounts
told = [read(path) for path in ("/proc/1/cmdline", "/proc/self/cmdline", "/proc/self/mountinfo",
                                "/proc/self/limits", "/proc/self/environ", "/proc/self/uid_map")]
assert all(told[:4])
sys.exit("told: " + " ".join(hashlib.sha256(text.encode()).hexdigest()[:16] for text in told))
"""


def test_starts_look_alike_from_within(sandbox):
    """Command lines, mounts, limits, environment and users: over eight starts what is told is the
    same, but for the name of a folder and the numbers that the kernel gives to mounts."""
    need_all_layers(sandbox)
    prepare(sandbox)
    program = write_program(sandbox, "looks.py", SURROUNDINGS)
    run_scenario(sandbox, VERBATIM + group("defense", "looks", program), code=3,
                 words=("--set", "scenario.trials=8", "--set", "dataset.secrets=4"))
    with contextlib.closing(sqlite3.connect(sandbox.path / "out" / "run.sqlite")) as store:
        said = [row[0] for row in store.execute("SELECT message FROM cells")]
    told = {message.partition("told: ")[2] for message in said}
    assert len(said) == 8 and len(told) == 1 and len(told.pop().split()) == 6, said
