"""What a program under audit must not see, wherever it lies: each file is tried by its name, by a
program that is confined and by one that is not (docs/security.md)."""

import json
import sys

import pytest

import data
import tiny
from auditing import PROGRAM, people
from exec_programs import SCALE, UNSCALE, VERBATIM, group, prepare, run_scenario, write_program
from test_programs import need_bubblewrap

# Which of the files NAMES can be read, on a line of a file of its own (a program that is not
# confined) or of the error stream.
LOOK = """
def look(names):
    found = []
    for name in names:
        try:
            if pathlib.Path(name).read_bytes():
                found.append(name)
        except OSError:
            pass
    sys.exit("saw: " + " ".join(found))
"""


@pytest.fixture(autouse=True)
def _needs_bubblewrap():
    need_bubblewrap()


def seen_in_run(sandbox, names, parts, role="defense", place=""):
    """What a program of that role sees, by how it is confined: {"never": [...], "required": [...]}.
    The rest of the scenario, with its dataset, is @parts."""
    seen = {}
    for confine in ("never", "required"):
        look = write_program(sandbox, f"{place}look-{confine}.py", LOOK + f"look({names!r})\n")
        sandbox.write("look.scenario", "[scenario]\ntitle = T\nseed = 3\n" + parts
                      + group(role, "looks", look, f"confine = {confine}", *(
                          ["grants = other-releases"] if role == "attack" else [])))
        sandbox.run_ok("look.scenario", "--out", confine, "--quiet", code=3)
        cells = json.loads(sandbox.read(f"{confine}/results.json"))["cells"]
        said = {cell["message"].rpartition("saw:")[2] for cell in cells
                if cell[role]["label"] == "looks"}
        assert len(said) == 1, said
        seen[confine] = said.pop().split()
    return seen


DATASET = """[dataset]
plugin = vectors
private = {private}
public = public.npy
secrets = 8
"""


@pytest.mark.parametrize("folder", ["", "rows/"])
def test_files_of_a_pattern(sandbox, folder):
    """Those of the folder that the program is started in, or lies in, too."""
    prepare(sandbox)
    (sandbox.path / "rows").mkdir()
    names = [f"{folder}row-{i}.txt" for i in range(12)]
    for name, row in zip(names, tiny.PRIVATE):
        sandbox.write(name, " ".join(map(str, row)) + "\n")
    sandbox.write("rows/mine.py", "#")
    seen = seen_in_run(sandbox, [*names, "rows/mine.py"],
                       DATASET.format(private=f"{folder}row-*.txt") + VERBATIM)
    assert seen["never"] == [*names, "rows/mine.py"], seen
    assert seen["required"] in ([], ["rows/mine.py"]), seen


def test_files_beside_the_program(sandbox):
    """A folder that the command names is not hidden, and so its files are, one by one."""
    prepare(sandbox)
    (sandbox.path / "rows").mkdir()
    names = [f"rows/row-{i}.txt" for i in range(12)]
    for name, row in zip(names, tiny.PRIVATE):
        sandbox.write(name, " ".join(map(str, row)) + "\n")
    seen = seen_in_run(sandbox, names, DATASET.format(private="rows/row-*.txt") + VERBATIM,
                       place="rows/")
    assert seen == {"never": names, "required": []}, seen


@pytest.mark.parametrize("given", ["people.csv", "people.npy"])
def test_rows_of_an_audit(sandbox, given):
    """The file that the rows were taken from, and what it was divided into."""
    people(sandbox)
    names = [given, "class.csv", "out/private.npy", "out/public.npy", "out/private-labels.npy"]
    sandbox.write("mine.py", PROGRAM.format(body=LOOK + f"look({names!r})"))
    seen = {}
    for confine in ("never", "required"):
        result = sandbox.assay("audit", "--command", f"{sys.executable} mine.py", "--data", given,
                               "--labels", "class.csv:class", "--out", "out", "--set",
                               f"confine={confine}")
        seen[confine] = result.err.strip().rpartition("saw:")[2].split()
        sandbox.shell("rm -rf out")
    assert seen == {"never": names, "required": []}, seen


def test_truth_of_releases_from_elsewhere(sandbox):
    """An attack does not find the truth that a defense names beside its release, nor releases and
    truths of later trials."""
    prepare(sandbox)
    for name, rows in (("0", "0:8"), ("1", "8:16"), ("all", "0:16")):
        sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets",
                                     f"private.fvecs[{rows}]", "--release", f"{name}/release",
                                     "--truth", f"{name}/truth"), out="", err="")
    names = [f"{trial}/{name}" for trial in range(2)
             for name in ("release/vectors.npy", "truth/secrets.npy")]
    seen = seen_in_run(sandbox, names, """trials = 2
[dataset]
plugin = truth-folder
folder = all/truth
public = public.npy
[defense d]
plugin = release-folder
folder = {trial}/release
truth = {trial}/truth
produces = vectors
""", role="attack")
    assert seen == {"never": names, "required": []}, seen


def test_cache(sandbox):
    """It keeps features of private photographs."""
    prepare(sandbox)
    sandbox.write("cache/sift/" + 64 * "0", "descriptors")
    sandbox.environment["ASSAY_CACHE"] = "cache"
    names = ["cache/sift/" + 64 * "0"]
    seen = seen_in_run(sandbox, names, DATASET.format(private="private.fvecs") + VERBATIM)
    assert seen == {"never": names, "required": []}, seen


def test_folders_that_hold_what_a_program_needs(sandbox):
    """The working folder, or the program: nothing could be hidden, and nothing is started."""
    prepare(sandbox)
    sandbox.shell("mkdir -p truths out")
    scale = write_program(sandbox, "truths/scale.py", SCALE)
    head = "[scenario]\ntitle = T\n" + DATASET.format(private="private.fvecs") + VERBATIM
    sandbox.write("a.scenario", head + group("defense", "d", scale, "confine = required"))
    said = sandbox.shell("cd out && assay run ../a.scenario --out . --quiet")
    assert said.code == 3 and (
        "out is hidden from programs under audit, and holds the working folder; expected data and "
        "results in other folders") in said.out, str(said)
    sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets", "private.fvecs[0:8]",
                                 "--release", "release", "--truth", "truths/mine"), out="", err="")
    sandbox.shell("mv truths/mine/* truths")
    sandbox.write("b.scenario", head.replace("plugin = vectors\nprivate = private.fvecs",
                                             "plugin = truth-folder\nfolder = truths")
                  + group("defense", "d", scale, "confine = required"))
    said = sandbox.assay("run", "b.scenario", "--quiet")
    assert said.code == 3 and (
        "truths is hidden from programs under audit, and holds truths/scale.py of the command; "
        "expected programs in another folder than data and results") in said.out, str(said)
