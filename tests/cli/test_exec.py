"""Programs of others as defense and attack: small Python scripts (standard library alone) that
behave, and that misbehave in every way that a user's program is likely to."""

import json
import os
import pathlib
import shutil
import sys
import time

import pytest

import data
import tiny
from places import SOURCE


# What the scripts share; a script is a body of a few lines behind it.
HELPER = '''
import ast, json, os, pathlib, random, struct, sys

FOLDER = pathlib.Path(sys.argv[-1])
REQUEST = json.loads((FOLDER / "request.json").read_text())


def load(name):
    content = (FOLDER / name).read_bytes()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:10 + length].decode())
    flat = struct.unpack(f"<{(len(content) - 10 - length) // 4}f", content[10 + length:])
    n, d = header["shape"]
    return [list(flat[i * d:(i + 1) * d]) for i in range(n)]


def npy(rows, shape=None):
    shape = shape or (len(rows), len(rows[0]))
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\\n"
    flat = [value for row in rows for value in row]
    return (b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(flat)}f", *flat))


def answer(name, **arrays):
    folder = FOLDER / name
    folder.mkdir()
    record = {"format": f"assay-{name}/1", "kind": "vectors",
              "arrays": {key: {"file": key + ".npy"} for key in arrays}}
    for key, content in arrays.items():
        (folder / (key + ".npy")).write_bytes(content)
    (folder / (name + ".json")).write_text(json.dumps(record))


def scaled(rows, factor):
    return [[factor * value for value in row] for row in rows]
'''


def write_program(sandbox, name, body):
    """A script @name that begins with the helper; returns the command."""
    sandbox.write(name, HELPER + body)
    return f"{sys.executable} {name}"


def prepare(sandbox):
    """The data, and a place for temporary files that can be looked at."""
    tiny.write(sandbox)
    (sandbox.path / "tmp").mkdir()
    sandbox.environment["TMPDIR"] = str(sandbox.path / "tmp")


def check_nothing_left(sandbox):
    left = os.listdir(sandbox.path / "tmp")
    assert left == [], f"left behind: {left}"


def protect(sandbox, command, *words):
    shutil.rmtree(sandbox.path / "release", ignore_errors=True)
    shutil.rmtree(sandbox.path / "truth", ignore_errors=True)
    result = sandbox.assay("protect", "--defense", "exec", "--set", f"command={command}",
                           "--secrets", "private.fvecs[0:8]", "--release", "release", "--truth",
                           "truth", *words)
    check_nothing_left(sandbox)
    return result


def run_scenario(sandbox, parts, code=0, out="out", seed=3):
    """{(defense, attack): [cells]} of a run of @parts on the tiny data."""
    head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0].replace("seed = 3", f"seed = {seed}")
    sandbox.write("exec.scenario", head + parts)
    sandbox.run_ok("exec.scenario", "--out", out, "--quiet", code=code)
    check_nothing_left(sandbox)
    found = {}
    for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]:
        key = (cell["defense"]["label"], cell["attack"]["label"])
        found.setdefault(key, []).append(cell)
    return found


SCALE = "answer('release', vectors=npy(scaled(load('secrets.npy'), 1.25)))\n"
UNSCALE = "answer('guess', estimates=npy(scaled(load('release/vectors.npy'), 1 / 1.25)))\n"


def median_errors(cells):
    return [value["estimate"] for cell in cells for value in cell["measurements"]
            if value["metric"] == "relative-error-median"]


VERBATIM = "[attack verbatim]\nplugin = verbatim\n"


def group(role, name, command, *lines):
    rest = "".join(f"{line}\n" for line in lines)
    return f"[{role} {name}]\nplugin = exec\ncommand = {command}\n{rest}"


# ---- Programs that behave ----


def test_defense_and_attack_end_to_end(sandbox):
    """The defense takes every number times 1.25, an error of 1/4; the attack takes it back."""
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    unscale = write_program(sandbox, "unscale.py", UNSCALE)
    found = run_scenario(
        sandbox, group("defense", "scaled", scale) + VERBATIM
        + group("attack", "program", unscale, "grants = other-releases"))
    verbatim = median_errors(found["scaled", "verbatim"])
    program = median_errors(found["scaled", "program"])
    assert len(verbatim) == 2 and all(abs(error - 0.25) < 1e-6 for error in verbatim), verbatim
    assert len(program) == 2 and all(error < 1e-6 for error in program), program


NARROW = "answer('release', vectors=npy([row[:5] for row in load('secrets.npy')]))\n"


def test_release_of_another_width(sandbox):
    """Five of sixteen columns. What is released cannot be taken for the secret, and is not measured;
    who runs the program on public rows compares in the space of the release, and finds rows that
    are secrets as well; who may not is told what is missing."""
    prepare(sandbox)
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", tiny.PUBLIC[:40]))
    nearest = "[attack {}]\nplugin = nearest\ngrants = public{}\n"
    claim = "[claim c]\nmeasure = recovery-rate\n{}at-most = 0.5\n"
    defense = group("defense", "narrow", write_program(sandbox, "narrow.py", NARROW))
    found = run_scenario(sandbox, defense + VERBATIM + nearest.format("alike", "; mechanism")
                         + claim.format(""), code=1)
    assert all(cell["status"] == "ok" and not cell["measurements"]
               and cell["message"] == "what was released has 5 columns and the secrets have 16, so "
               "that it cannot be taken for them: not measured"
               for cell in found["narrow", "verbatim"]), found
    assert median_errors(found["narrow", "alike"]) == [0, 0]
    # The claim is about the attack that could be played; of the other alone nothing can be said.
    hypotheses = json.loads(sandbox.read("out/results.json"))["claims"][0]["hypotheses"]
    assert len(hypotheses) == 1, hypotheses
    found = run_scenario(sandbox, defense + VERBATIM + nearest.format("blind", "")
                         + claim.format("attack = verbatim\n"), code=3, out="blind")
    assert found["narrow", "blind"][0]["message"].endswith(
        "the public set has 16 columns, but the release has 5; expected grants = public; mechanism, "
        "to compare with what the defense makes of public rows")
    judged = json.loads(sandbox.read("blind/results.json"))["claims"][0]
    assert judged["verdict"] == "inconclusive" and len(judged["hypotheses"]) == 1, judged


def test_worse_than_chance_is_no_evidence(sandbox):
    """A program that turns all signs where one secret has a number above 8. Who runs it on other
    rows learns the signs the wrong way round."""
    prepare(sandbox)
    rows = data.make_scattered_rows(400, 4, 1)
    secret = [list(row) for row in data.make_scattered_rows(150, 4, 2)]
    secret[0][1] = 9.0
    sandbox.write("private.npy", data.npy_bytes(secret))
    sandbox.write("public.npy", data.npy_bytes(rows))
    flip = write_program(sandbox, "flip.py", "rows = load('secrets.npy')\n"
                         "sign = -1 if max(map(max, rows)) > 8 else 1\n"
                         "answer('release', vectors=npy(scaled(rows, sign)))\n")
    sandbox.write("flip.scenario", "[scenario]\nseed = 1\n[dataset]\nplugin = vectors\n"
                  "private = private.npy\npublic = public.npy\nsecrets = 150\n"
                  + group("defense", "flip", flip) + "[defense plain]\nplugin = none\n"
                  "[attack infer]\nplugin = attribute-inference\ngrants = public; mechanism\n"
                  "attribute = threshold\ncolumn = 2\nmechanism_runs = 2\n"
                  "[claim c]\nmeasure = attribute-excess\ndefense = flip\nat-most = 0.2\n")
    sandbox.run_ok("flip.scenario", "--out", "out", "--quiet", code=3)
    judged = json.loads(sandbox.read("out/results.json"))["claims"][0]
    assert "wrong more often than by chance" in judged["reason"], judged


def test_python_attack_equals_the_built_in_one(sandbox):
    """examples/exec/nearest_attack.py finds the same public rows as `nearest`."""
    prepare(sandbox)
    shutil.copy(SOURCE / "examples" / "exec" / "nearest_attack.py", sandbox.path)
    found = run_scenario(
        sandbox, "[defense plain]\nplugin = none\n[attack nearest]\nplugin = nearest\n"
        "grants = public\n" + group("attack", "program", f"{sys.executable} nearest_attack.py",
                                    "grants = public; other-releases"))
    ours, theirs = (found["plain", name] for name in ("nearest", "program"))
    assert [cell["measurements"] for cell in ours] == [cell["measurements"] for cell in theirs], (
        f"{median_errors(ours)} and {median_errors(theirs)}")


def test_request_says_what_the_scenario_says(sandbox):
    """Settings, sizes and inputs; a seed of its own in every trial, and the same in every run."""
    prepare(sandbox)
    note = """
with open(f"seen-{REQUEST['role']}.txt", "a") as log:
    files = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*"))
    log.write(json.dumps([REQUEST, files, oct(FOLDER.stat().st_mode)]) + "\\n")
"""
    defense = write_program(sandbox, "noise.py", note + """
noise = random.Random(REQUEST["seed"])
answer("release", vectors=npy([[value + noise.uniform(-1, 1) for value in row]
                               for row in load("secrets.npy")]))
""")
    attack = write_program(sandbox, "read.py", note + (
        "answer('guess', estimates=npy(load('release/vectors.npy')))\n"))
    # What they saw they write into the working folder.
    parts = (group("defense", "noise", defense, "settings = level=3, 'x' \"y\"", "uses = database",
                   "confine = never")
             + group("attack", "program", attack, "grants = other-releases", "confine = never")
             + group("attack", "knowing", attack, "grants = public; database; other-releases",
                     "confine = never"))
    first = run_scenario(sandbox, parts)
    seen = [json.loads(line) for line in sandbox.read("seen-defense.txt").splitlines()]
    assert len(seen) == 2, f"{len(seen)} starts of the defense for two trials"
    for request, files, mode in seen:
        expected = {"format": "assay-request/1", "role": "defense", "kind": "vectors", "n": 8,
                    "d": 16, "settings": "level=3, 'x' \"y\"", "grants": [],
                    "arrays": {"secrets": "secrets.npy", "database": "database.npy"}}
        assert {**request, **expected} == request, str(request)
        assert files == ["database.npy", "request.json", "secrets.npy"], str(files)
        assert mode == "0o40700", mode
        assert 0 <= request["seed"] < 2**53, str(request["seed"])
    assert seen[0][0]["seed"] != seen[1][0]["seed"], "both trials have one seed"
    # Nothing but what was granted, neither in the control (whose release says so) nor in the cells.
    release = ["release", "release/release.json", "release/vectors.npy", "request.json"]
    attacks = [json.loads(line) for line in sandbox.read("seen-attack.txt").splitlines()]
    knowledge = {tuple(sorted(request["grants"])): sorted(set(files) - set(release))
                 for request, files, _ in attacks if request["n"] == 8 and len(request["grants"])}
    assert knowledge[("other-releases",)] == [], str(knowledge)
    assert knowledge[("database", "other-releases", "public")] == ["database.npy", "public.npy"], (
        str(knowledge))
    again = run_scenario(sandbox, parts, out="again")
    assert median_errors(first["noise", "program"]) == median_errors(again["noise", "program"]), (
        "two runs differ")
    assert median_errors(first["noise", "program"])[0] > 0.1, "there was no noise"


def test_other_kinds_are_matched_and_read(sandbox):
    """Lines through the secrets: `verbatim` reads the translation. What reads vectors alone is not
    combined with them."""
    prepare(sandbox)
    lines = write_program(sandbox, "lines.py", """
rows = load("secrets.npy")
axis = [[float(j == 0) for j in range(REQUEST["d"])] for _ in rows]
answer("release", translation=npy(rows), basis=npy(axis, (len(rows), 1, REQUEST["d"])))
path = FOLDER / "release" / "release.json"
path.write_text(path.read_text().replace('"vectors"', f'"{REQUEST["kind"]}"'))
""")
    found = run_scenario(sandbox, group("defense", "lines", lines, "produces = subspaces") + VERBATIM)
    assert median_errors(found["lines", "verbatim"]) == [0, 0], str(found)
    result = protect(sandbox, lines, "--set", "produces=codes")
    sandbox.refuses(result, "defense exec: release: {*}")
    sandbox.write("codes.scenario", sandbox.read("exec.scenario").replace("= subspaces", "= codes"))
    result = sandbox.assay("plan", "codes.scenario")
    assert "releases codes" in result.out + result.err, str(result)


def test_what_is_printed_is_dropped(sandbox):
    """More than a pipe holds, on both streams; Assay's own output stays clean."""
    prepare(sandbox)
    noisy = write_program(sandbox, "noisy.py", """
print("noise " * 100000)
print("warning " * 100000, file=sys.stderr)
""" + SCALE)
    sandbox.expect(protect(sandbox, noisy), out="", err="")


# ---- Programs that do not ----

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
    ("wrong-dimensions", SECRETS + "answer('release', vectors=npy(rows, (8, 4, 4)))\n",
     "release: {*}vectors{*}"),
    ("short-file", SECRETS + "answer('release', vectors=npy(rows)[:-4])\n",
     "release: {*}vectors.npy: {*}"),
    ("array-is-a-link", SECRETS + RELEASE + f"{VECTORS}.unlink()\n"
     f"os.symlink(os.path.abspath('outside.npy'), {VECTORS})\n",
     "release/vectors.npy is a symbolic link; expected plain files alone"),
    ("array-is-a-pipe", SECRETS + RELEASE + f"{VECTORS}.unlink()\nos.mkfifo({VECTORS})\n",
     "release/vectors.npy is no plain file; expected plain files alone"),
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
        assert time.monotonic() - start < 60, "it was waited for"
        check_ended("300.00071")


def find_processes(word):
    """Those that run with the argument @word; zombies have none."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in place.read_bytes().split(b"\0"):
                found.append(place.parent.name)
        except OSError:
            continue
    return found


def check_ended(word):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if not find_processes(word):
            return
        time.sleep(0.05)
    assert False, f"processes {find_processes(word)} are still there"


def test_child_that_is_left_behind_is_ended(sandbox):
    prepare(sandbox)
    leave = write_program(sandbox, "leave.py", """
import subprocess
subprocess.Popen(["sleep", "300.00072"])
""" + SCALE)
    for confine in CONFINED:
        start = time.monotonic()
        sandbox.expect(protect(sandbox, leave, "--set", f"confine={confine}"), out="", err="")
        assert time.monotonic() - start < 60, "the child was waited for"
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


def test_cell_becomes_an_error_and_the_run_goes_on(sandbox):
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    bad = write_program(sandbox, "bad.py", "sys.exit('no budget')")
    short = write_program(sandbox, "short.py",
                          "answer('guess', estimates=npy(load('release/vectors.npy')[:5]))\n")
    found = run_scenario(
        sandbox, group("defense", "bad", bad) + group("defense", "scaled", scale) + VERBATIM
        + group("attack", "short", short, "grants = other-releases"), code=3)
    for cell in found["bad", "verbatim"]:
        assert (cell["status"] == "error" and cell["message"]
                == "defense exec: the program ended with exit status 1; its last lines: no budget"), (
            str(cell))
    for cell in found["scaled", "short"]:
        assert (cell["status"] == "error" and "expected an estimate for each of 8 secrets"
                in cell["message"]), str(cell)
    assert all(abs(error - 0.25) < 1e-6 for error in median_errors(found["scaled", "verbatim"])), (
        str(found["scaled", "verbatim"]))


def test_guess_without_an_order(sandbox):
    """A program that cannot tell which estimate is of which secret may say so."""
    prepare(sandbox)
    attack = write_program(sandbox, "unscale.py", UNSCALE + (
        "path = FOLDER / 'guess' / 'guess.json'\n"
        "record = json.loads(path.read_text())\n"
        "record['unordered'] = REQUEST['settings'] == 'unordered'\n"
        "path.write_text(json.dumps(record))\n"))
    protect(sandbox, write_program(sandbox, "scale.py", SCALE))
    for said in ("unordered", "ordered"):
        result = sandbox.assay("attack", "--attack", "exec", "--set", f"command={attack}", "--set",
                               f"settings={said}", "--release", "release", "--guess", said)
        assert result.code == 0, str(result)
        assert (json.loads(sandbox.read(f"{said}/guess.json")).get("unordered", False)
                == (said == "unordered")), said


def test_attack_that_loses_its_control(sandbox):
    """Zeros for everything: whatever they do not find is not thereby private. The control is beside
    the cell of one of the two trials, and is all that there is."""
    prepare(sandbox)
    zeros = write_program(sandbox, "zeros.py", (
        "answer('guess', estimates=npy(scaled(load('release/vectors.npy'), 0)))\n"))
    found = run_scenario(
        sandbox, "[defense plain]\nplugin = none\n"
        + group("attack", "zeros", zeros, "grants = other-releases"), code=3)
    assert sorted(cell["status"] for cell in found["plain", "zeros"]) == ["control-failed", "ok"], (
        str(found))
    (control,) = json.loads(sandbox.read("out/results.json"))["controls"]
    assert control["defense"]["label"] == "plain" and not control["won"], control
    assert abs(control["share"] - 0.5) < 0.2 and control["n"] == 8, control


NOTE = """
names = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file())
said = {key: value for key, value in REQUEST.items() if key != "seed"}
like = [names, said, (FOLDER / "release" / "release.json").read_text(),
        [(FOLDER / name).read_bytes()[:128].hex() for name in names if name.endswith(".npy")]]
rows = load("release/vectors.npy")
with open(REQUEST["settings"], "a", encoding="ascii") as notes:
    notes.write(json.dumps([json.dumps(like), sorted(rows)]) + chr(10))
answer("guess", estimates=npy(rows))
"""


def test_control_is_like_the_cells(sandbox):
    """A program notes what it is handed: the control differs from a cell in the order of values and
    in the seed alone, and its place is drawn."""
    prepare(sandbox)
    note = write_program(sandbox, "note.py", NOTE)
    places = set()
    for seed in range(1, 5):
        notes = sandbox.path / f"notes-{seed}"
        found = run_scenario(
            sandbox, "[defense plain]\nplugin = none\n"
            + group("attack", "note", note, "grants = other-releases; public; database",
                    f"settings = {notes}", "confine = never"), out=f"out-{seed}",
            seed=seed)
        assert [cell["status"] for cell in found["plain", "note"]] == ["ok"] * 2, str(found)
        calls = [json.loads(line) for line in notes.read_text().splitlines()]
        assert len(calls) == 3 and len({like.replace(str(notes), "") for like, _ in calls}) == 1, (
            "a call that stands out")
        places.add(tuple(rows == calls[1][1] for _, rows in calls))
    assert places == {(True, True, False), (False, True, True)}, f"always at one place: {places}"


def test_attack_needs_other_releases(sandbox):
    prepare(sandbox)
    head = tiny.SCENARIO.split("[attack nearest]", maxsplit=1)[0]
    sandbox.write("bare.scenario", head + "[attack program]\nplugin = exec\ncommand = true\n")
    sandbox.refuses(sandbox.assay("run", "bare.scenario"),
                    "bare.scenario:{*}: [attack program] attack 'exec' needs the grant "
                    "'other-releases'; expected grants = other-releases")
    sandbox.write("none.scenario", head + "[defense program]\nplugin = exec\n" + VERBATIM)
    result = sandbox.assay("run", "none.scenario")
    assert result.code == 2 and "'command'" in result.err, str(result)


def test_selftest_has_no_program_to_play(sandbox):
    result = sandbox.assay("selftest")
    line = next(line for line in result.out.splitlines() if " exec " in line)
    assert line.startswith("none ") and "command" in line, line


# ---- The example ----


def test_example_of_the_readme(sandbox, numpy_python):
    """As its README has it: noise of a tenth hides nothing, and that of ten deviations much."""
    shutil.copytree(SOURCE / "examples" / "exec", sandbox.path / "examples" / "exec")
    (sandbox.root / "bin" / "python3").symlink_to(numpy_python)
    sandbox.run_ok("examples/exec/noise.scenario", "--out", "out", "--quiet", code=1)
    results = json.loads(sandbox.read("out/results.json"))
    assert [claim["verdict"] for claim in results["claims"]] == ["violated"], str(results["claims"])
    errors = {}
    for cell in results["cells"]:
        key = (cell["defense"]["settings"]["settings"], cell["attack"]["label"])
        errors.setdefault(key, []).extend(median_errors([cell]))
    for level in ("0.1", "1", "10"):
        assert errors[level, "nearest"] == errors[level, "nearest-by-a-program"], str(errors)
    # Noise of deviation s in each number: ten times the noise is ten times the error.
    for low, high in (("0.1", "1"), ("1", "10")):
        ratio = errors[high, "verbatim"][0] / errors[low, "verbatim"][0]
        assert 8 < ratio < 12.5, str(errors)
