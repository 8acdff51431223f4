"""Programs of others that misbehave in every way that a user's program is likely to: answers that
are none, commands that are none, time, memory and files without end."""

import os
import stat
import time

import pytest

import data
import tiny
from exec_programs import SCALE, check_ended, prepare, protect, write_program
from test_hostile import need_all_layers


SECRETS = "rows = load('secrets.npy')\n"
RELEASE = "answer('release', vectors=npy(rows))\n"
VECTORS = "(FOLDER / 'release' / 'vectors.npy')"
EDIT = """
path = FOLDER / "release" / "release.json"
text = path.read_text()
assert {0!r} in text, text
path.write_text(text.replace({0!r}, {1!r}))
"""
# A header that says something else than what follows it.
HEADER = """
content = npy(rows)
header = repr({{"descr": {0!r}, "fortran_order": False, "shape": {1!r}}}).ljust(117) + "\\n"
(FOLDER / "release" / "vectors.npy").write_bytes(
    b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(header)) + header.encode() + content[-512:])
"""

MISTAKES = [
    ("dies", "print('Traceback', file=sys.stderr)\nsys.exit('no such\\x1b[31m budget')",
     "the program ended with exit status 1; its last lines: Traceback | no such [31m budget"),
    ("killed-by-a-signal", "os.kill(os.getpid(), 9)", "the program was killed by signal 9 (Killed)"),
    ("writes-nothing", "print('bye', file=sys.stderr)",
     "the program did not write the folder release/ that was expected; its last lines: bye"),
    ("no-json", "(FOLDER / 'release').mkdir()",
     "release/release.json: there is no such file; expected a folder with release.json"),
    ("release-is-a-file", "(FOLDER / 'release').write_text('')",
     "release is a file; expected a folder that the program made"),
    ("release-is-a-link", "os.symlink('.', FOLDER / 'release')",
     "release is a symbolic link; expected a folder that the program made"),
    ("nan", SECRETS + "rows[3][2] = float('nan')\n" + RELEASE,
     "release: release of kind vectors: vectors: row 3, column 2 is not a finite number"),
    ("too-many-rows", SECRETS + "rows += rows[:1]\n" + RELEASE,
     "the release holds 9 items, expected one for each of 8 secrets of the cell, in their order"),
    ("too-few-rows", SECRETS + "rows.pop()\n" + RELEASE,
     "the release holds 7 items, expected one for each of 8 secrets of the cell, in their order"),
    ("wrong-dimensions", SECRETS + "answer('release', vectors=npy(rows, (8, 2, 2, 2, 2)))\n",
     "release: {*}vectors.npy: has 5 dimensions; expected 1 to 4{*}"),
    ("short-file", SECRETS + "answer('release', vectors=npy(rows)[:-4])\n",
     "release: {*}vectors.npy: {*}"),
    ("array-is-a-link", SECRETS + RELEASE + f"{VECTORS}.unlink()\n"
     f"os.symlink(os.path.abspath('outside.npy'), {VECTORS})\n",
     "release/vectors.npy is a symbolic link; expected plain files alone"),
    ("array-is-a-pipe", SECRETS + RELEASE + f"{VECTORS}.unlink()\nos.mkfifo({VECTORS})\n",
     "release/vectors.npy is no plain file; expected plain files alone"),
    # As mknod makes it, which needs no privilege and none of the sockets that are refused.
    ("array-is-a-socket", SECRETS + RELEASE + f"{VECTORS}.unlink()\n"
     f"os.mknod({VECTORS}, stat.S_IFSOCK | 0o600)\n",
     "release/vectors.npy is no plain file; expected plain files alone"),
    ("array-is-a-link-to-a-device", SECRETS + RELEASE + f"{VECTORS}.unlink()\n"
     f"os.symlink('/dev/zero', {VECTORS})\n",
     "release/vectors.npy is a symbolic link; expected plain files alone"),
    ("release-is-a-socket", "os.mknod(FOLDER / 'release', stat.S_IFSOCK | 0o600)",
     "release is a file; expected a folder that the program made"),
    ("path-that-leads-out", SECRETS + RELEASE + "path = FOLDER / 'release' / 'release.json'\n"
     "path.write_text(path.read_text().replace('vectors.npy', '../secrets.npy'))\n",
     "release: array 'vectors': file '../secrets.npy' is not a plain name inside the folder"),
    ("file-that-leads-out-absolutely", SECRETS + RELEASE
     + "path = FOLDER / 'release' / 'release.json'\n"
     "path.write_text(path.read_text().replace('vectors.npy', os.path.abspath('outside.npy')))\n",
     "release: array 'vectors': file '{*}/outside.npy' is not a plain name inside the folder"),
    ("unknown-kind", SECRETS + RELEASE + EDIT.format('"vectors", "arrays"', '"vectros", "arrays"'),
     "release: release.json: kind is 'vectros', expected vectors, subspaces, {*}"),
    ("unknown-version", SECRETS + RELEASE + EDIT.format("assay-release/1", "assay-release/7"),
     "release/release.json: format is 'assay-release/7', expected 'assay-release/1'"),
    ("no-such-array", SECRETS + RELEASE + EDIT.format('"vectors": {"file"', '"vektors": {"file"'),
     "release: release of kind vectors: array 'vectors' is missing"),
    ("array-without-its-file", SECRETS + RELEASE + f"{VECTORS}.unlink()\n",
     "release: release/vectors.npy: cannot be read: No such file or directory"),
    ("json-cut-short", SECRETS + RELEASE + "path = FOLDER / 'release' / 'release.json'\n"
     "path.write_text(path.read_text()[:-3])\n", "release/release.json:{*}: the file ends inside of its object"),
    ("header-of-a-huge-array", SECRETS + RELEASE + HEADER.format("<f4", (1 << 40, 1 << 40)),
     "release: release/vectors.npy: announces float32 1099511627776 x 1099511627776, more than any "
     "memory holds"),
    ("header-larger-than-its-file", SECRETS + RELEASE + HEADER.format("<f4", (1 << 20, 16)),
     "release: release/vectors.npy: truncated: the header announces float32 1048576 x 16, {*}"),
    ("header-of-objects", SECRETS + RELEASE + HEADER.format("|O", (8, 16)),
     "release: release/vectors.npy: holds Python objects ('|O'); expected {*}"),
    ("header-of-a-negative-size", SECRETS + RELEASE + HEADER.format("<f4", (-8, 16)),
     "release: release/vectors.npy: has a negative size in its shape"),
    ("header-cut-short", SECRETS + RELEASE
     + f"{VECTORS}.write_bytes({VECTORS}.read_bytes()[:40])\n",
     "release: release/vectors.npy: truncated: a header of 118 bytes is announced, {*}"),
    ("ends-as-a-signal-does", "sys.exit(137)", "the program was killed by signal 9 (Killed)"),
    ("cannot-be-decoded", "sys.stderr.buffer.write(b'\\xff\\xfe no\\n')\nsys.exit(3)",
     "the program ended with exit status 3; its last lines: {*} no"),
    ("closes-its-folder", SECRETS + RELEASE + "os.chmod(FOLDER / 'release', 0)\n"
     "os.chmod(FOLDER, 0o500)\nsys.exit(1)", "the program ended with exit status 1"),
]


@pytest.mark.parametrize(("body", "message"),
                         [pytest.param(*case, id=name) for name, *case in MISTAKES])
def test_mistake(sandbox, body, message):
    prepare(sandbox)
    sandbox.write("outside.npy", data.npy_bytes(tiny.PRIVATE[:8]))
    sandbox.refuses(protect(sandbox, write_program(sandbox, "bad.py", body)),
                    f"defense exec: {message}")
    assert not (sandbox.path / "release").exists(), "a release was written"


DEVICE = SECRETS + RELEASE + f"""
{VECTORS}.unlink()
os.mknod({VECTORS}, stat.S_IFCHR | 0o600, os.makedev(1, 5))
"""


def test_device_among_the_answers(sandbox):
    """/dev/zero by another name, which would be read without end: root's programs can make one."""
    prepare(sandbox)
    try:
        os.mknod(sandbox.path / "zero", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("who plays this may not make devices")
    program = write_program(sandbox, "device.py", DEVICE)
    sandbox.refuses(protect(sandbox, program, "--set", "confine=never"),
                    "defense exec: release/vectors.npy is no plain file; expected plain files alone")


def test_no_device_is_made_by_a_confined_program(sandbox):
    need_all_layers(sandbox)
    prepare(sandbox)
    sandbox.refuses(protect(sandbox, write_program(sandbox, "device.py", DEVICE)),
                    "defense exec: the program ended with exit status 1; its last lines: {*}"
                    "Operation not permitted{*}")


def test_programs_that_cannot_be_started(sandbox):
    prepare(sandbox)
    sandbox.write("plain.txt", "no program")
    for command, reason in (("./nowhere --fast", "'./nowhere' cannot be started: there is no such "
                                                 "file"),
                            ("no-such-program", "'no-such-program' cannot be started: there is no "
                                                "such file"),
                            ("./plain.txt", "'./plain.txt' cannot be started: it is not "
                                            "executable")):
        sandbox.refuses(protect(sandbox, command), f"defense exec: the program {reason}")


def test_commands_that_are_none(sandbox):
    """No shell: neither a variable nor a second command is seen."""
    prepare(sandbox)
    sandbox.refuses(protect(sandbox, "# python3"), "defense exec: command is empty; expected a program with "
                    "its arguments, as in 'python3 my_program.py'")
    sandbox.refuses(protect(sandbox, "python3 'x"), "defense exec: command = 'python3 'x' cannot be "
                    "split into words: {*}")
    sandbox.refuses(protect(sandbox, "sh -c 'exit $0' 7; touch made"),
                    "defense exec: the program ended with exit status {*}")
    assert not (sandbox.path / "made").exists(), "a shell ran the command"


CONFINED = ("never", "auto")


def test_hang_is_ended_with_all_that_it_started(sandbox):
    """Deaf to SIGTERM, and with a child that holds standard error open."""
    prepare(sandbox)
    hang = write_program(sandbox, "hang.py", """
import signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "300.00071"])
print("working", file=sys.stderr, flush=True)
time.sleep(300)
""")
    for confine in CONFINED:
        start = time.monotonic()
        sandbox.refuses(protect(sandbox, hang, "--set", "time_limit=1.5", "--set",
                                f"confine={confine}"),
                        "defense exec: the program did not end within time_limit = 1.5 s and was "
                        "killed; its last lines: working")
        assert time.monotonic() - start < 100, "it was waited for"
        check_ended("300.00071")


def test_child_that_is_left_behind_is_ended(sandbox):
    prepare(sandbox)
    leave = write_program(sandbox, "leave.py", """
import subprocess
subprocess.Popen(["sleep", "300.00072"])
""" + SCALE)
    for confine in CONFINED:
        start = time.monotonic()
        sandbox.expect(protect(sandbox, leave, "--set", f"confine={confine}"), out="", err="")
        assert time.monotonic() - start < 100, "the child was waited for"
        check_ended("300.00072")


def test_memory_limit(sandbox):
    """512 MiB do not fit into 200, and do without a limit."""
    prepare(sandbox)
    large = write_program(sandbox, "large.py", "large = bytearray(512 << 20)\n" + SCALE)
    sandbox.expect(protect(sandbox, large), out="", err="")
    sandbox.refuses(protect(sandbox, large, "--set", "memory_limit=200"),
                    "defense exec: the program ended with exit status 1; its last lines: {*}"
                    "MemoryError")


def test_file_limit(sandbox):
    """One file beyond the limit, which Python is told of; and two below it, beyond it together."""
    prepare(sandbox)
    one = write_program(sandbox, "one.py", SCALE + (
        f"with open({VECTORS}, 'ab') as file:\n    file.truncate(9 << 20)\n"))
    sandbox.refuses(protect(sandbox, one, "--set", "file_limit=8"),
                    "defense exec: the program ended with exit status 1; its last lines: {*}File too "
                    "large")
    two = write_program(sandbox, "two.py", SCALE + (
        "for name in 'ab':\n    with open(FOLDER / 'release' / name, 'ab') as file:\n"
        "        file.truncate(5 << 20)\n"))
    sandbox.refuses(protect(sandbox, two, "--set", "file_limit=8"),
                    "defense exec: the files in release/ are together as large as file_limit = 8 MiB "
                    "or larger; expected less")
    sandbox.expect(protect(sandbox, two, "--set", "file_limit=11"), out="", err="")
