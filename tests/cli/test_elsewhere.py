"""External releases and guesses: the page's example, every kind of release against
the run that made it, and folders that do not fit."""

import json
import re
import shutil
import subprocess

import pytest

import data
import test_roundtrip
import tiny
from places import SOURCE


def cells_of(sandbox, place):
    return json.loads(sandbox.read(f"{place}/results.json"))["cells"]


def test_the_page_is_followed(sandbox, numpy_python):
    for name in ("make.py", "mine.scenario"):
        shutil.copy(SOURCE / "examples/elsewhere" / name, sandbox.path)
    subprocess.run([numpy_python, "make.py"], cwd=sandbox.path, check=True)
    result = sandbox.run_ok("mine.scenario", "--out", "out", "--quiet", code=1)
    assert "violated: claim safe" in result.out, str(result)
    found = {cell["attack"]["label"]: cell for cell in cells_of(sandbox, "out")}
    rates = [entry["estimate"] for cell in found.values() for entry in cell["measurements"]
             if entry["measure"] == "recovery-rate"]
    assert rates == [1, 1] and set(found) == {"nearest", "ours"}, str(found)
    # The guess was made by the same rule as that of `nearest`: it measures the same.
    figures = [[(e["measure"], e["estimate"]) for e in cell["measurements"]]
               for cell in found.values()]
    assert figures[0] == figures[1], str(figures)


KINDS = {"plain": "vectors", "gaussian": "vectors", "lifting": "subspaces", "sets": "vector-sets",
         "itq": "codes", "phashing": "codes", "ksh": "codes", "inside": "mixtures",
         "cross": "mixtures", "mixup": "mixtures"}
HOLDS = {"link": "candidates", "linkage": "candidates", "pairs": "pairs"}


def from_folders(sandbox, cell):
    """The exported cell as a scenario of folders alone; its measurements."""
    sandbox.shell("rm -rf again")
    public = ("public = cell/knowledge/public.npy\n"
              if (sandbox.path / "cell/knowledge/public.npy").exists() else "")
    label = cell["attack"]["label"]
    grants = "grants = public\n" if public else ""
    sandbox.write("again.scenario", f"""\
[dataset]
plugin = truth-folder
folder = cell/truth
{public}
[defense d]
plugin = release-folder
folder = cell/release
truth = cell/truth
produces = {KINDS[cell['defense']['label']]}

[attack a]
plugin = guess-folder
folder = cell/guess
holds = {HOLDS.get(label, 'estimates')}
{grants}""")
    sandbox.run_ok("again.scenario", "--out", "again", "--quiet")
    return cells_of(sandbox, "again")[0]["measurements"]


def figures(measurements):
    return {entry["measure"]: entry["estimate"] for entry in measurements
            if entry["measure"] not in test_roundtrip.OF_OTHER_IMAGES}


def measure_again(sandbox, text):
    """Every cell of the run of @text, measured from its folders."""
    count = 0
    for cell in test_roundtrip.run(sandbox, text)["cells"]:
        if cell["trial"] != 0 or not cell["measurements"]:
            continue
        sandbox.shell("rm -rf cell")
        sandbox.expect(sandbox.assay("export", "out", "--cell", cell["id"], "--to", "cell"))
        expected, found = figures(cell["measurements"]), figures(from_folders(sandbox, cell))
        assert found == expected, (
            f"{cell['defense']['label']}, {cell['attack']['label']}: {found}, " f"{expected}")
        count += 1
    return count


def test_vectors_subspaces_and_sets_measure_as_in_their_run(sandbox):
    test_roundtrip.write_vectors(sandbox)
    assert measure_again(sandbox, test_roundtrip.VECTORS) == 7, "cells"


def test_codes_measure_as_in_their_run(sandbox):
    assert measure_again(sandbox, test_roundtrip.CODES) >= 6, "cells"


def test_mixtures_measure_as_in_their_run(sandbox):
    assert measure_again(sandbox, test_roundtrip.MIXTURES) >= 8, "cells"


# ---- Folders that do not fit ----

SCENARIO = """\
[dataset]
plugin = truth-folder
folder = truth

[defense mine]
plugin = release-folder
folder = release

[attack verbatim]
plugin = verbatim

[attack ours]
plugin = guess-folder
folder = guess

[claim silent]
says = Nothing is found
measure = recovery-rate
at-most = 0.9
attack = ours
"""
N = 40


def save(sandbox, folder, record, name, rows, **members):
    sandbox.write(f"{folder}/{name}.npy", data.npy_bytes(rows))
    sandbox.write(f"{folder}/{record}.json", json.dumps(
        {"format": f"assay-{record}/1", "arrays": {name: {"file": f"{name}.npy"}}, **members}))


def write(sandbox):
    save(sandbox, "truth", "truth", "secrets", tiny.PRIVATE)
    save(sandbox, "release", "release", "vectors", tiny.PRIVATE, kind="vectors")
    save(sandbox, "guess", "guess", "estimates", [[-x for x in row] for row in tiny.PRIVATE])
    sandbox.write("a.scenario", SCENARIO)


def test_silence_of_a_guess_upholds_nothing(sandbox):
    """The guess is the opposite of every secret, and nobody knows whether its maker tried."""
    write(sandbox)
    result = sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    assert "inconclusive: claim silent" in result.out and "no control tells" in result.out, (
        str(result))
    sandbox.write("a.scenario", SCENARIO.replace("attack = ours", "attack = verbatim"))
    sandbox.run_ok("a.scenario", "--out", "other", "--quiet", code=1)


def alter(text, other):
    return lambda box: box.write("a.scenario", SCENARIO.replace(text, other))


RELEASE = "a.scenario:5: [defense mine] "
GUESS = "a.scenario:12: [attack ours] "
MISTAKES = [
    ("no-folder", alter("folder = release", "folder = nowhere"),
     RELEASE + "there is no folder 'nowhere'; looked for {*}nowhere{*}"),
    ("another-kind", alter("folder = release", "folder = release\nproduces = codes"),
     "a.scenario:{*}[attack verbatim] fits no defense of the scenario: {*}"),
    ("other-number-of-secrets",
     lambda box: save(box, "release", "release", "vectors", tiny.PRIVATE[1:], kind="vectors"),
     RELEASE + "{*}release: the release holds 39 items, expected one for each of 40 secrets of "
     "the cell, in their order"),
    ("unknown-kind",
     lambda box: save(box, "release", "release", "vectors", tiny.PRIVATE, kind="vector"),
     RELEASE + "{*}release: release.json: kind is 'vector', expected vectors, {*}"),
    ("kind-that-was-not-announced",
     lambda box: save(box, "release", "release", "statistics", tiny.PRIVATE[:1],
                      kind="statistics"),
     RELEASE + "{*}release: the release holds statistics, expected vectors (setting 'produces')"),
    ("another-version",
     lambda box: save(box, "release", "release", "vectors", tiny.PRIVATE, kind="vectors",
                      format="assay-release/2"),
     RELEASE + "{*}release.json: format is 'assay-release/2', expected 'assay-release/1'"),
    ("no-array", lambda box: (box.path / "release/vectors.npy").unlink(),
     RELEASE + "{*}vectors.npy: cannot be read: No such file or directory"),
    ("one-folder-for-trials", alter("[dataset]", "[scenario]\ntrials = 2\n[dataset]"),
     "a.scenario:7: [defense mine] 'release' is one folder for 2 trials; expected {trial} in its "
     "name, and a folder for each"),
    ("unknown-word", alter("folder = release", "folder = {dataset}"),
     RELEASE + "'{dataset}' has no meaning; expected {trial}, {repeat} or {defense}"),
    ("one-guess-for-defenses",
     alter("[attack verbatim]", "[defense plain]\nplugin = none\n\n[attack verbatim]"),
     "a.scenario:15: [attack ours] 'guess' is one folder for 2 defenses; expected {defense} in its "
     "name, and a folder for each"),
    ("no-guess", alter("folder = guess", "folder = guesses"),
     GUESS + "there is no folder 'guesses'; looked for {*}"),
    ("nan-in-the-guess",
     lambda box: save(box, "guess", "guess", "estimates", [[float("nan")] * 16] * N),
     GUESS + "{*}guess: guess: estimates: row 0, column 0 is not a finite number"),
    ("random-order", lambda box: (
        box.write("p.npy", data.npy_bytes(tiny.PRIVATE)),
        box.write("a.scenario", SCENARIO.replace(
            "plugin = truth-folder\nfolder = truth",
            f"plugin = vectors\nprivate = p.npy\nsecrets = {N}"))),
     "a.scenario:6: [defense mine] external releases and guesses are of secrets in the order of "
     "their file, but this dataset is taken in a random one; expected order = file in [dataset]"),
]

@pytest.mark.parametrize(("change", "message"),
                         [pytest.param(*case, id=name) for name, *case in MISTAKES])
def test_refused(sandbox, change, message):
    write(sandbox)
    change(sandbox)
    sandbox.refuses(sandbox.assay("run", "a.scenario", "--out", "out"), message)
    assert not (sandbox.path / "out").exists(), "something was begun"


def test_guess_of_another_shape_is_an_error_of_its_cell(sandbox):
    write(sandbox)
    save(sandbox, "guess", "guess", "estimates", tiny.PRIVATE[1:])
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    cell = [c for c in cells_of(sandbox, "out") if c["attack"]["label"] == "ours"][0]
    assert cell["status"] == "error" and "estimate for each of 40 secrets" in cell["message"], (
        str(cell))


def test_truth_in_another_order_is_refused(sandbox):
    write(sandbox)
    save(sandbox, "other", "truth", "secrets", tiny.PRIVATE[::-1])
    sandbox.write("a.scenario", SCENARIO.replace("folder = release",
                                                 "folder = release\ntruth = other"))
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    assert (all("secret 0 is not that of the cell" in cell["message"]
                for cell in cells_of(sandbox, "out"))), "taken"


def test_order_of_the_file_and_folders_by_trial(sandbox):
    """Trial t has secrets 20 t to 20 t + 19, and the folder of its number."""
    write(sandbox)
    for trial in (0, 1):
        save(sandbox, f"r/{trial}", "release", "vectors", tiny.PRIVATE[20 * trial:20 * trial + 20],
             kind="vectors")
    sandbox.write("p.npy", data.npy_bytes(tiny.PRIVATE))
    head = SCENARIO.split("[attack ours]", maxsplit=1)[0].replace("release\n", "r/{trial}\n", 1)
    for dataset in ("truth-folder\nfolder = truth",
                    "vectors\nprivate = p.npy\nsecrets = 20\norder = file"):
        sandbox.write("a.scenario", "[scenario]\ntrials = 2\n" + head.replace(
            "folder = release", "folder = r/{trial}").replace(
                "truth-folder\nfolder = truth", dataset))
        sandbox.shell("rm -rf out")
        sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
        for cell in cells_of(sandbox, "out"):
            found = {entry["measure"]: entry for entry in cell["measurements"]}
            assert found["relative-error-median"]["estimate"] == 0, str(found)
            assert found["relative-error-median"]["n"] == 20, str(found)


OPPOSITE = [[-x for x in row] for row in tiny.PRIVATE]


def run_with_guess(sandbox, out, guess, *options, code=0):
    """Without the claim, which a silent guess would leave undecided."""
    write(sandbox)
    sandbox.write("a.scenario", SCENARIO.split("[claim", maxsplit=1)[0])
    save(sandbox, "guess", "guess", "estimates", guess)
    return sandbox.run_ok("a.scenario", "--out", out, "--quiet", *options, code=code)


def test_silence_of_a_guess_is_no_better_than_a_baseline(sandbox):
    """What it finds more counts; what it finds less or the same does not. Half of the comparisons
    are of the other attack."""
    run_with_guess(sandbox, "found", tiny.PRIVATE)
    result = run_with_guess(sandbox, "silent", OPPOSITE, "--baseline", "found", code=3)
    said = re.search(r"  (\d+) of external guesses show nothing: they have no control, and did "
                     r"not get worse\n", result.out)
    record = json.loads(sandbox.read("silent/baseline.json"))
    half = len(record["comparisons"]) // 2
    assert said and record["no_evidence"] == int(said.group(1)) == half, (
        record)
    assert record["worse"] == 0, record
    result = run_with_guess(sandbox, "again", tiny.PRIVATE, "--baseline", "silent", code=1)
    assert "  worse: recovery-rate, attack ours against " in result.out, result


def test_silence_of_a_guess_makes_no_defense_better(sandbox):
    """The other release gives nothing to the attack with a control either, which would be shown
    (40 secrets of 40 against none) if the guess were not there."""
    run_with_guess(sandbox, "found", tiny.PRIVATE)
    save(sandbox, "other", "release", "vectors", OPPOSITE, kind="vectors")
    save(sandbox, "guess", "guess", "estimates", OPPOSITE)
    scenario = sandbox.read("a.scenario")
    other = scenario.replace("folder = release", "folder = other")
    sandbox.write("a.scenario", other)
    sandbox.run_ok("a.scenario", "--out", "silent", "--quiet")
    result = sandbox.expect(sandbox.assay("compare", "found", "silent"))
    assert ("guess ours against mine (run silent) is external: it has no control, and its maker "
            "could have found more" in result.out and "leaks less" not in result.out), result
    for place, text in (("found", scenario), ("silent", other)):
        sandbox.write("a.scenario", text.split("[attack ours]", maxsplit=1)[0])
        sandbox.shell(f"rm -rf {place}")
        sandbox.run_ok("a.scenario", "--out", place, "--quiet")
    result = sandbox.expect(sandbox.assay("compare", "found", "silent"))
    assert "mine (run silent) leaks less than mine (run found)" in result.out, result


def test_changed_folder_is_no_run_to_go_on_with(sandbox):
    write(sandbox)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    save(sandbox, "guess", "guess", "estimates", tiny.PRIVATE)
    sandbox.refuses(sandbox.assay("run", "a.scenario", "--out", "out", "--resume", "--quiet"),
                    "the external releases or guesses changed since the run began (sha256 "
                    "{*}, now {*}); expected a new run with --out")
