"""A program under audit that wants to pass, or wants more than its request: what it reaches is held
against what the same program reaches with `confine = never`, so that each attempt is shown to be one
that would have worked. docs/security.md names these tests."""

import ctypes
import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading

import pytest

import data
from exec_mechanisms import DISTINGUISH, FLIP, WRITE, claiming, prepare_claims, run_claims
from exec_programs import (SCALE, UNSCALE, VERBATIM, group, median_errors, prepare, protect,
                           run_scenario, write_program)
from test_programs import break_bubblewrap, need_bubblewrap, try_to_reach

# Each attempt is a line "NAME: EXPRESSION"; what raises no OSError was possible.
ATTEMPTS = """
import ctypes, socket, subprocess, tempfile

here = pathlib.Path(__file__).resolve().parent
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    "Other errors than a refusal come from what the call was given: it was made."
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0:
        if ctypes.get_errno() in (1, 13):
            raise OSError(ctypes.get_errno(), "refused")

def clone(namespaces):
    "A child in namespaces of its own, which ends at once."
    pid = libc.syscall(ctypes.c_long(56), ctypes.c_long(namespaces | 17), *[ctypes.c_long(0)] * 4)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "refused")
    os.waitpid(pid, 0)

def write(path, flags=os.O_WRONLY):
    end = os.open(path, flags | os.O_NONBLOCK)
    os.write(end, b"secret")
    os.close(end)

def connect(path, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.connect(str(path))
        client.send(b"secret")

def send_from_a_pair(path, kind=socket.SOCK_DGRAM):
    ours, _ = socket.socketpair(socket.AF_UNIX, kind)
    ours.sendto(b"secret", str(path))

def need(condition):
    if not condition:
        raise OSError("no")

def attempt(**attempts):
    done = []
    for name, body in attempts.items():
        try:
            body()
            done.append(name)
        except OSError:
            pass
    sys.exit("did: " + " ".join(done))
"""


def need_all_layers(sandbox):
    """Bubblewrap, and what the kernel and the libraries of this build offer beside it."""
    need_bubblewrap()
    start = pathlib.Path(sandbox.assay_path).resolve().with_name("assay-confine")
    if not start.exists():
        pytest.skip("the program was built without libseccomp")
    offers = subprocess.run([start, "--offers"], capture_output=True, text=True, check=False)
    if offers.stdout.strip() != "Landlock, seccomp":
        pytest.skip(f"this kernel offers: {offers.stdout}{offers.stderr}")


def what_it_did(sandbox, body, *words, name="hostile.py"):
    program = write_program(sandbox, name, ATTEMPTS + body)
    result = protect(sandbox, program, *words)
    assert result.code == 2, str(result)
    return result.err.strip().rpartition("did:")[2].split()


def held_against_never(sandbox, body, expected=()):
    """What it can do confined, whatever of it would work otherwise: here all of it."""
    need_all_layers(sandbox)
    prepare(sandbox)
    assert what_it_did(sandbox, body, "--set", "confine=required") == list(expected)
    return what_it_did(sandbox, body, "--set", "confine=never")


# ---- What it may not read ----

def test_data_and_results_are_out_of_sight(sandbox):
    """The private data, the data it was not granted, results of this run and of others."""
    need_bubblewrap()
    prepare(sandbox)
    sandbox.write("kept/notes.txt", "nothing")
    read = """
attempt(private=lambda: (here / "private.fvecs").read_bytes(),
        public=lambda: (here / "public.npy").read_bytes(),
        run=lambda: need([*here.glob(sys.argv[1] + "/run.sqlite")]),
        own=lambda: (here / "kept/notes.txt").read_text())
"""
    program = write_program(sandbox, "read.py", ATTEMPTS + read)
    for confine, did in (("never", "private public run own"), ("required", "own")):
        found = run_scenario(sandbox, VERBATIM + group("defense", "reader", f"{program} {confine}*",
                                                       f"confine = {confine}"), code=3,
                             out=confine)
        assert f"did: {did}" == found["reader", "verbatim"][0]["message"].rpartition(
            "its last lines: ")[2], found
    # Workers hide what the process that writes hides.
    found = run_scenario(sandbox, VERBATIM + group("defense", "reader", f"{program} two*"), code=3, out="two",
                         words=("--workers=2",))
    assert found["reader", "verbatim"][0]["message"].endswith("did: own"), found


def test_data_that_the_command_names_stays(sandbox):
    """Whoever writes the scenario may give a program a file by its name."""
    need_bubblewrap()
    prepare(sandbox)
    program = write_program(sandbox, "named.py", ATTEMPTS + (
        "attempt(named=lambda: open(sys.argv[1]).close(),"
        " other=lambda: open(here / 'private.fvecs').close())\n"))
    result = protect(sandbox, f"{program} {sandbox.path}/public.npy", "--set", "confine=required")
    assert result.err.strip().endswith("did: named"), str(result)


def test_environment_is_a_list_of_names(sandbox):
    """No token of whoever runs the audit; what is asked for by name is passed on."""
    prepare(sandbox)
    sandbox.environment.update(CI_TOKEN="secret", SSH_AUTH_SOCK="/run/agent", OMP_NUM_THREADS="1",
                               MODEL_HOME="/models", R_API_TOKEN="secret")
    body = """
attempt(**{name: lambda name=name: need(name in os.environ)
           for name in ("CI_TOKEN", "SSH_AUTH_SOCK", "MODEL_HOME", "OMP_NUM_THREADS", "PATH",
                        "R_API_TOKEN")})
"""
    for confine in ("auto", "never"):
        did = what_it_did(sandbox, body, "--set", f"confine={confine}")
        assert did == ["OMP_NUM_THREADS", "PATH"], did
    sandbox.environment["ASSAY_PASS_ENVIRONMENT"] = "MODEL_HOME, NOT_THERE"
    assert what_it_did(sandbox, body) == ["MODEL_HOME", "OMP_NUM_THREADS", "PATH"]


# ---- Where it may not write ----

def test_ways_out_in_the_file_system(sandbox):
    """A FIFO and sockets that lie beside the program, where a read-only mount stops neither."""
    need_all_layers(sandbox)
    fifo = sandbox.path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    stream, datagrams = (socket.socket(socket.AF_UNIX, kind)
                         for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM))
    stream.bind(str(sandbox.path / "stream"))
    stream.listen()
    datagrams.bind(str(sandbox.path / "datagrams"))
    body = """
attempt(fifo=lambda: write(here / "fifo"), both=lambda: write(here / "fifo", os.O_RDWR),
        stream=lambda: connect(here / "stream"),
        datagrams=lambda: connect(here / "datagrams", socket.SOCK_DGRAM),
        pair=lambda: send_from_a_pair(here / "datagrams"),
        raw=lambda: send_from_a_pair(here / "datagrams", socket.SOCK_RAW),
        both_ends=lambda: [socket.socketpair(socket.AF_UNIX, kind)
                           for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET)],
        null=lambda: write("/dev/null"), shared=lambda: write("/dev/shm/mine", 65), # O_CREAT too
        folder=lambda: write(FOLDER / "mine", 65), piped=lambda: subprocess.run(["true"], input=b""))
"""
    own = ["both_ends", "null", "shared", "folder", "piped"]
    with stream, datagrams:
        assert held_against_never(sandbox, body, own) == [
            "fifo", "both", "stream", "datagrams", "pair", "raw"] + own
        os.unlink("/dev/shm/mine")
        while os.read(reader, 100):  # ended by the last writer's end
            pass
        # Without bubblewrap the rest still holds, where the kernel has Landlock.
        break_bubblewrap(sandbox)
        assert what_it_did(sandbox, body) == ["both_ends", "null", "folder", "piped"]
    assert os.read(reader, 100) == b""
    os.close(reader)


def test_bubblewrap_alone(sandbox):
    """Without Landlock and seccomp its mounts and namespaces still hold."""
    need_bubblewrap()
    prepare(sandbox)
    (sandbox.root / "bare").mkdir()
    sandbox.assay_path = pathlib.Path(shutil.copy2(sandbox.assay_path, sandbox.root / "bare"))
    said, made = try_to_reach(sandbox, "--set", "confine=required")
    assert (said, made) == ("folder temporary", [])
    # Nor in memory that counts nowhere.
    assert what_it_did(sandbox, """
attempt(run=lambda: write("/run/mine", 65), devices=lambda: write("/dev/mine", 65),
        tmp=lambda: write("/tmp/mine", 65), shared=lambda: write("/dev/shm/mine", 65),
        own=lambda: write(tempfile.gettempdir() + "/mine", 65), null=lambda: write("/dev/null"))
""", "--set", "confine=required") == ["shared", "own", "null"]


def test_calls_that_reach_further(sandbox):
    """Other processes' memory, keys that outlive it, code in the kernel, namespaces of its own, memory
    that no limit sees, hiding from the looks of Assay; and a socket whose family has bits that the kernel does not read."""
    body = """
numbers = dict(ptrace=(101, 16, 2**30), process_vm_readv=(310, os.getppid()), keyctl=(250, 0, -3),
               bpf=(321, 0), userfaultfd=(323, 0), io_uring=(425, 1), perf=(298, 0), unshare=(272, 0),
               open_by_handle=(304, -1), mount=(165, 0), clone3=(435, 0, 0),
               wide_family=(41, 2**32 + 1, 1), later_family=(41, 99, 1), memory=(29, 0x7a57, 4096, 0),
               queue=(68, 0x7a57, 0), semaphores=(64, 0x7a57, 1, 0),
               hide_itself=(157, 4, 0))
inner = dict(clone_user=0x10000000, clone_network=0x50000000)
attempt(**{name: lambda given=given: call(*given) for name, given in numbers.items()
           if os.uname().machine == "x86_64"},
        **{name: lambda given=given: clone(given) for name, given in inner.items()},
        processes=lambda: need(subprocess.run(["sh", "-c", "exit 3"]).returncode == 3))
"""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of the calls are those of x86-64")
    never = held_against_never(sandbox, body, ["clone3", "processes"])
    assert {"ptrace", "unshare", "clone3", "clone_user", "processes", "wide_family", "later_family",
            "memory", "queue", "semaphores", "hide_itself"} <= set(never), never


def test_nothing_is_kept_for_the_next_start(sandbox):
    """Temporary files, shared memory, queues of messages, its own home, and a process that stays."""
    need_bubblewrap()
    prepare(sandbox)
    own = f"mark-of-{sandbox.root.name}"
    body = f"""
import time
marks = [pathlib.Path(place) / "{own}" for place in
         (tempfile.gettempdir(), "/dev/shm", pathlib.Path.home(), here, "/var/tmp")]
seen = [str(mark) for mark in marks if mark.exists()]
queues = libc if hasattr(libc, "mq_open") else ctypes.CDLL("librt.so.1")
if queues.mq_open(b"/{own}", os.O_RDONLY) >= 0:
    seen.append("queue")
queues.mq_open(b"/{own}", os.O_RDWR | os.O_CREAT, 0o600, None)
for mark in marks:
    try:
        mark.write_text("seen")
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.3)
        for mark in marks:
            try:
                mark.write_text("later")
            except OSError:
                pass
    os._exit(0)
sys.exit("did: " + " ".join(seen))
"""
    for _ in range(2):
        assert what_it_did(sandbox, body, "--set", "confine=required") == []
    what_it_did(sandbox, body, "--set", "confine=never")
    kept = what_it_did(sandbox, body, "--set", "confine=never")
    for place in ("/dev/shm", str(sandbox.path), "/var/tmp"):
        if os.path.exists(f"{place}/{own}"):
            os.unlink(f"{place}/{own}")
    threading.Event().wait(0.5)
    for place in ("/dev/shm", str(sandbox.path), "/var/tmp"):
        if os.path.exists(f"{place}/{own}"):
            os.unlink(f"{place}/{own}")
    queues = ctypes.CDLL(None)
    queues = queues if hasattr(queues, "mq_unlink") else ctypes.CDLL("librt.so.1")
    queues.mq_unlink(f"/{own}".encode())
    assert "queue" in kept and f"/dev/shm/{own}" in kept, kept


# ---- What it answers ----

# A process that outlives its start holds the answer's file, and overwrites its numbers once it was
# read.
LATER = SCALE + """
import time
end = os.open(FOLDER / "release" / "vectors.npy", os.O_RDWR)
if os.fork() == 0:
    os.setsid()
    os.close(2)
    while FOLDER.exists():
        time.sleep(0.01)
    os.pwrite(end, bytes(8 * 16 * 4), os.fstat(end).st_size - 8 * 16 * 4)
    os._exit(0)
"""


def test_answer_that_changes_later(sandbox):
    """What was read once is what every attack sees, though the file changes between two of them."""
    prepare(sandbox)
    late = write_program(sandbox, "late.py", LATER)
    slow = write_program(sandbox, "slow.py", "import time\ntime.sleep(0.5)\n" + UNSCALE)
    found = run_scenario(sandbox, group("defense", "later", late, "confine = never")
                         + group("attack", "slow", slow, "grants = other-releases",
                                 "confine = never") + VERBATIM)
    assert all(abs(error - 0.25) < 1e-6 for error in median_errors(found["later", "verbatim"])), (
        str(found["later", "verbatim"]))


# ---- What the reader is told ----

def test_report_says_what_confined_each_program(sandbox):
    """In the terminal, the report and run.json; what was not confined is a warning."""
    need_all_layers(sandbox)
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    parts = (VERBATIM + group("defense", "loose", scale, "confine = never")
             + group("defense", "scaled", scale))
    run_scenario(sandbox, parts, out="out")
    said = sandbox.assay("report", "out").out
    assert ("warning: defense loose: not confined (confine = never); it could read and write what "
            "its user can, and remember a request that comes twice\nconfinement of defense scaled: bubblewrap, Landlock, seccomp\n") in said
    assert json.loads(sandbox.read("out/run.json"))["confinement"] == [
        "defense loose: not confined (confine = never)",
        "defense scaled: bubblewrap, Landlock, seccomp"]
    for name in ("report.html", "summary.md"):
        assert "not confined" in sandbox.read(f"out/{name}"), name
    checked = sandbox.assay("check", "--auditor", "exec.scenario")
    assert checked.code == 2 and (
        "defense loose: not confined (confine = never); expected confine = auto or required where "
        "bubblewrap works") in checked.out + checked.err, str(checked)
    assert "defense scaled: not confined" not in checked.out + checked.err, str(checked)
    break_bubblewrap(sandbox)
    checked = sandbox.assay("check", "--auditor", "exec.scenario")
    assert "defense scaled: Landlock, seccomp alone" in checked.out + checked.err, str(checked)


def test_confinement_is_demanded_by_the_environment(sandbox):
    """As examples/ci does: for what a scenario leaves open, and against what it switches off."""
    need_all_layers(sandbox)
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    sandbox.environment["ASSAY_CONFINE"] = "required"
    sandbox.expect(protect(sandbox, scale), out="", err="")
    sandbox.refuses(protect(sandbox, scale, "--set", "confine=never"),
                    "defense exec: confine = never, but ASSAY_CONFINE = required; expected confine = "
                    "auto or required")
    parts = (VERBATIM + group("defense", "loose", scale, "confine = never")
             + group("defense", "scaled", scale))
    found = run_scenario(sandbox, parts, code=3)
    assert {name: [cell["status"] for cell in cells] for (name, _), cells in found.items()} == {
        "loose": ["error"] * 2, "scaled": ["ok"] * 2}, found
    checked = sandbox.assay("check", "--auditor", "exec.scenario")
    assert checked.code == 2 and (
        "defense loose: not started, because it is not to be confined (confine = never against "
        "ASSAY_CONFINE = required)") in checked.err, str(checked)
    break_bubblewrap(sandbox)
    sandbox.refuses(protect(sandbox, scale),
                    "defense exec: confine = required, but the program cannot be confined: bwrap: "
                    "No permissions to create new namespace")
    sandbox.environment["ASSAY_CONFINE"] = "Required"
    sandbox.refuses(protect(sandbox, scale),
                    "defense exec: ASSAY_CONFINE = Required; expected required or auto")
    sandbox.environment["ASSAY_CONFINE"] = "auto"
    sandbox.expect(protect(sandbox, scale), out="", err="")


# ---- What it can tell from its request ----

LOG = """
import hashlib
seen = {"argv": sys.argv[1:-1], "cwd": os.getcwd(), "environment": dict(os.environ),
        "folder": str(FOLDER), "descriptors": len(os.listdir("/proc/self/fd")),
        "files": sorted((str(path.relative_to(FOLDER)), path.stat().st_size, path.stat().st_mode)
                        for path in FOLDER.rglob("*") if path.name != "request.json"),
        "request": {key: value for key, value in REQUEST.items() if key not in ("seed", "key")},
        "seeds": [REQUEST.get("seed"), REQUEST.get("key")]}
with open(pathlib.Path(__file__).parent / "log", "a") as log:
    log.write(json.dumps(seen) + "\\n")
"""


def test_requests_do_not_say_which_they_are(sandbox):
    """Trial, seed of the run, first or later, control or case: but for data and random numbers, which
    do not repeat, each start of a program is told the same as every other."""
    prepare(sandbox)
    defense = write_program(sandbox, "defense.py", LOG + SCALE)
    attack = write_program(sandbox, "attack.py", LOG + UNSCALE)
    run_scenario(sandbox, group("defense", "scaled", defense, "confine = never")
                 + group("attack", "back", attack, "confine = never",
                         "grants = other-releases"), seed=918273645,
                 words=("--set", "scenario.trials=3"))
    seen = [json.loads(line) for line in sandbox.read("log").splitlines()]
    folders = [record.pop("folder") for record in seen]
    assert len(set(folders)) == len(folders), "a folder has had its name before"
    same = os.path.commonprefix([pathlib.Path(folder).parent.name for folder in folders])
    assert len(same) <= len("assay-exec-") + 2, f"names are counted: {same}"
    for folder in folders:
        name = pathlib.Path(folder).parent.name
        assert name.startswith("assay-exec-") and len(name) == len("assay-exec-") + 6, folder
    seeds = [tuple(record.pop("seeds")) for record in seen]
    # One request comes twice, where it is looked at whether the answer is the same.
    assert len(set(seeds)) == len(seeds) - 1, "numbers have come before"
    for role, least in (("defense", 3), ("attack", 4)):
        told = [json.dumps(record, sort_keys=True).replace(
                    str(pathlib.Path(folder).parent), "FOLDER")
                for record, folder in zip(seen, folders) if record["request"]["role"] == role]
        assert len(told) >= least, f"{role}: trials, and a control of attacks: {len(told)}"
        assert len(set(told)) == 1, f"{role}: {set(told)}"
        assert "918273645" not in told[0] and "trial" not in told[0], told[0]
    for number in range(3):
        assert [number, 918273645 + number] not in [list(pair) for pair in seeds]


def test_runs_of_a_mechanism_are_told_alike(sandbox):
    """Training or test, or a test of independence, the first input or the second, of one trial or
    another: but for the input and the random numbers each start is told the same."""
    prepare_claims(sandbox)
    sandbox.write("pairs.npy", data.npy_bytes([[0], [1]]))
    flip = write_program(sandbox, "flip.py", LOG + FLIP + WRITE)
    run_claims(sandbox, claiming("flip", flip, "settings = 1") + DISTINGUISH, 0, "out",
               "--set", "scenario.trials=2")
    seen = [json.loads(line) for line in sandbox.read("log").splitlines()]
    folders = [record.pop("folder") for record in seen]
    seeds = [record.pop("seeds")[0] for record in seen]
    told = {json.dumps(record, sort_keys=True).replace(str(pathlib.Path(folder).parent), "FOLDER")
            for record, folder in zip(seen, folders)}
    assert len(seen) >= 2 * 10 and len(told) == 1, f"{len(seen)}: {told}"
    # One seed comes twice, where it is looked at whether a seed makes the runs.
    assert len(seeds) - len(set(seeds)) <= 2, "numbers have come before"
