"""Programs of others as defense and attack that behave: what they are told, what is made of their
answers, and which of them win their control."""

import json
import shutil
import sys

import pytest

import data
import tiny
from exec_programs import (SCALE, UNSCALE, VERBATIM, group, median_errors, prepare, protect,
                           run_scenario, write_program)
from places import SOURCE


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


# Eight bits with a zero point, as quantised embeddings are kept: the numbers of an array of bytes.
QUANTISED = """\
rows = load("secrets.npy")
flat = [min(255, max(0, round(40 * value + 128))) for row in rows for value in row]
header = repr({"descr": "|u1", "fortran_order": False, "shape": (len(rows), len(rows[0]))})
header += " " * (-(len(header) + 11) % 64) + "\\n"
answer("release", vectors=b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(header))
       + header.encode() + bytes(flat))
"""


def test_quantised_release_of_bytes(sandbox):
    """As wide as the secrets and on a scale of its own: whoever can run the program compares
    releases with releases. Noise alone leaves the public rows themselves the better ones."""
    prepare(sandbox)
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", tiny.PUBLIC[:40]))
    nearest = "[attack {}]\nplugin = nearest\ngrants = public{}\n"
    attacks = nearest.format("alike", "; mechanism") + nearest.format("blind", "")
    found = run_scenario(sandbox, group("defense", "bytes",
                                        write_program(sandbox, "bytes.py", QUANTISED)) + attacks)
    assert median_errors(found["bytes", "alike"]) == [0, 0]
    assert found["bytes", "alike"][0]["message"].startswith("compared what was released with"), found
    assert min(median_errors(found["bytes", "blind"])) > 0.5, found
    noisy = "\n[defense noisy]\nplugin = gaussian\nepsilon = 20\nsensitivity = 0.1\n"
    found = run_scenario(sandbox, noisy + attacks, out="noisy")
    assert (median_errors(found["noisy", "alike"]) == median_errors(found["noisy", "blind"])), found


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

    def measured(cells):
        """All but what chance gives, for which each attack draws others of its own."""
        return [[one for one in cell["measurements"] if not one["measure"].endswith("-chance")]
                for cell in cells]

    assert measured(ours) == measured(theirs), (
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
    assert len(seen) == 3, f"{len(seen)} starts of the defense for two trials, the first twice"
    for request, files, mode in seen:
        expected = {"format": "assay-request/1", "role": "defense", "kind": "vectors", "n": 8,
                    "d": 16, "settings": "level=3, 'x' \"y\"", "grants": [],
                    "arrays": {"secrets": "secrets.npy", "database": "database.npy"}}
        assert {**request, **expected} == request, str(request)
        assert files == ["database.npy", "request.json", "secrets.npy"], str(files)
        assert mode == "0o40700", mode
        assert 0 <= request["seed"] < 2**53, str(request["seed"])
    # The first request comes twice, to see whether the answer is the same.
    assert seen[0][0] == seen[1][0] and seen[0][0]["seed"] != seen[2][0]["seed"], "trials' seeds"
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


def test_equal_failures_are_one_paragraph(sandbox):
    """With their number and the settings with which they happened, in summary.md, too."""
    prepare(sandbox)
    bad = write_program(sandbox, "bad.py", "sys.exit('no budget')")
    found = run_scenario(
        sandbox, group("defense", "bad", bad, "settings = 1; 2; 3; 4; 5; 6") + VERBATIM, code=3)
    n = sum(len(cells) for cells in found.values())
    said = sandbox.read("out/summary.md")
    assert said.count("no budget") == 1 and f"error in {n} cells: " in said, said
    assert "settings=1; settings=2; settings=3; settings=4; settings=5; settings=6" in said, said


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


def test_check_plays_the_controls_of_programs(sandbox):
    """Where it is told to, with the outcome that the run has; otherwise it says that the run will.
    A program that does not start at all is told in the same place."""
    prepare(sandbox)
    programs = {"zeros": "answer('guess', estimates=npy(scaled(load('release/vectors.npy'), 0)))\n",
                "right": "answer('guess', estimates=npy(load('release/vectors.npy')))\n",
                "broken": "sys.exit('no budget')"}
    run_scenario(
        sandbox, "[defense plain]\nplugin = none\n"
        + "".join(group("attack", name, write_program(sandbox, f"{name}.py", program),
                        "grants = other-releases") for name, program in programs.items())
        + "[claim c]\nmeasure = recovery-rate\nat-most = 0.5\nattack = zeros\n", code=3)
    (control,) = [control for control in json.loads(sandbox.read("out/results.json"))["controls"]
                  if control["attack"]["label"] == "zeros"]
    share = f"{100 * control['share']:.3g} %"
    without = sandbox.assay("check", "exec.scenario")
    assert "3 controls of programs that the run plays (here: --programs)" in without.out, without
    assert "control" not in without.err, without
    told = sandbox.assay("check", "--programs", "exec.scenario")
    assert told.code == 0 and "that the run plays" not in told.out, str(told)
    (zeros,) = [line for line in told.err.splitlines() if "[attack zeros]" in line]
    assert f"loses its control with these settings and this seed: {share} of 8" in zeros, zeros
    assert "against plain" in zeros and "claims about it cannot be upheld" in zeros, zeros
    (broken,) = [line for line in told.err.splitlines() if "[attack broken]" in line]
    assert "cannot play its control" in broken and "no budget" in broken, broken
    assert "[attack right]" not in told.err, told
    assert sandbox.assay("check", "--programs", "--strict", "exec.scenario").code == 2


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
    # Where the notes are is a setting, which the place is drawn from: so many seeds as it takes.
    for seed in range(1, 31):
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
        if len(places) > 1:
            break
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


@pytest.mark.slow
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


NOISY = """
{source}
answer('release', vectors=npy([[value + source.random() for value in row]
                               for row in load('secrets.npy')]))
"""


def test_answers_that_differ_are_warned_of(sandbox):
    """Random numbers from the system make a run that cannot be repeated; those of a seed do not."""
    prepare(sandbox)
    for name, source, differs in (
            ("system", "source = random.SystemRandom()", True),
            ("seeded", "source = random.Random(REQUEST['seed'])", False)):
        program = write_program(sandbox, f"{name}.py", NOISY.format(source=source))
        run_scenario(sandbox, group("defense", name, program) + VERBATIM, out=name)
        said = f"warning: defense {name}: answers differ for the same request"
        for place in ("summary.md", "report.html"):
            assert (said in sandbox.read(f"{name}/{place}")) == differs, (name, place)
        record = json.loads(sandbox.read(f"{name}/run.json"))
        assert record.get("unrepeated") == ([name] if differs else None), record
