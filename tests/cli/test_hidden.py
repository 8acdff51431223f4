"""What a program under audit must not see, wherever it lies: each file is tried by its name, by a
program that is confined and by one that is not (docs/security.md)."""

import json
import random
import struct
import sys
import zlib

import pytest

import data
import tiny
from auditing import PROGRAM, people
from exec_programs import SCALE, UNSCALE, VERBATIM, group, prepare, run_scenario, write_program
from places import SOURCE
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


def png(rows, side):
    """Grey rows of numbers as a PNG of one channel."""
    lines = b"".join(b"\0" + bytes(row) for row in rows)
    parts = ((b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)),
             (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts)


def write_pictures(sandbox, names, side=12):
    for number, name in enumerate(names):
        path = sandbox.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        noise = random.Random(number)
        path.write_bytes(png([[noise.randrange(256) for _ in range(side)] for _ in range(side)],
                             side))


PICTURES = """[dataset]
plugin = image-folder
images = {images}
colour = grey
secrets = 8
"""


@pytest.mark.parametrize("folder", ["pictures", "pictures/cats"])
def test_folders_of_images(sandbox, folder):
    """The folder that the data has, and what its links lead to, be it a file or a class of them."""
    prepare(sandbox)
    names = [f"{folder}/{i}.png" for i in range(12)]
    elsewhere = ["others/a.png", "others/b.png"]
    classes = [f"of-dogs/{i}.png" for i in range(12)] if folder == "pictures/cats" else []
    write_pictures(sandbox, [*names, *elsewhere, *classes, "others/mine.png"])
    for name in elsewhere:
        (sandbox.path / folder / f"link-{name[-5]}.png").symlink_to(sandbox.path / name)
    if classes:
        (sandbox.path / "pictures/dogs").symlink_to("../of-dogs")
    seen = seen_in_run(sandbox, [*names, *elsewhere, *classes],
                       PICTURES.format(images="pictures") + VERBATIM)
    assert seen == {"never": [*names, *elsewhere, *classes], "required": []}, seen


def test_folders_of_photographs(sandbox):
    prepare(sandbox)
    names = [f"photographs/{i}.png" for i in range(12)]
    write_pictures(sandbox, [*names, "others/a.png"], side=64)
    (sandbox.path / "photographs/link.png").symlink_to(sandbox.path / "others/a.png")
    seen = seen_in_run(sandbox, [*names, "others/a.png"], """[dataset]
plugin = photos
private = photographs
public = photographs
secrets = 1
""" + VERBATIM)
    assert seen == {"never": [*names, "others/a.png"], "required": []}, seen


@pytest.mark.parametrize("place", ["./", "cats/"])
def test_images_around_the_program(sandbox, place):
    """With images = . nothing can be hidden: no program is started, wherever in it that lies."""
    prepare(sandbox)
    write_pictures(sandbox, [f"cats/{i}.png" for i in range(12)])
    program = write_program(sandbox, place + "mine.py", LOOK + "look(['cats/3.png'])\n")
    sandbox.write("a.scenario", "[scenario]\ntitle = T\nseed = 3\n" + PICTURES.format(images=".")
                  + VERBATIM + group("defense", "looks", program, "confine = required"))
    said = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert said.code == 3 and "is hidden from programs under audit, and holds" in said.out, str(said)
    assert "saw:" not in said.out + said.err, str(said)


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


def test_secret_key(sandbox):
    """Of a defense whose messages are encrypted; the program that attacks them runs as its owner."""
    prepare(sandbox)
    (sandbox.path / "keys").mkdir(mode=0o700)
    key = (SOURCE / "fuzz/corpus/paillier-key/accepted-1").read_text(encoding="utf-8")
    sandbox.write("keys/key", key)
    (sandbox.path / "keys/key").chmod(0o600)
    seen = seen_in_run(sandbox, ["keys/key"], """[dataset]
plugin = gaussian-classes
count = 24
public_count = 24
columns = 4
secrets = 12
[defense dphe]
plugin = dphe
users = 4
steps = 1
bits = 1024
key_folder = keys
""", role="attack")
    assert seen == {"never": ["keys/key"], "required": []}, seen


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


def started_with(sandbox, words, confine, code=3):
    """What became of a program that tries to read the last of @words, or what is in that folder."""
    program = write_program(sandbox, "named.py", LOOK + """
place = pathlib.Path(sys.argv[-2])
look([str(path) for path in sorted(place.iterdir())] if place.is_dir() else [str(place)])
""")
    sandbox.write("a.scenario", "[scenario]\ntitle = T\nseed = 3\n"
                  + DATASET.format(private="private.fvecs") + VERBATIM
                  + group("defense", "d", f"{program} {words}", f"confine = {confine}"))
    sandbox.shell(f"rm -rf out/{confine}")
    sandbox.run_ok("a.scenario", "--out", f"out/{confine}", "--quiet", code=code)
    return json.loads(sandbox.read(f"out/{confine}/results.json"))["cells"][0]["message"]


def write_links(sandbox):
    """Four names of the private rows that do not say so; the last one does."""
    (sandbox.path / "model.bin").symlink_to("private.fvecs")
    (sandbox.path / "hard.bin").hardlink_to(sandbox.path / "private.fvecs")
    (sandbox.path / "twice.bin").symlink_to("model.bin")
    (sandbox.path / "models").symlink_to(".")
    return ["model.bin", "hard.bin", "twice.bin", "models/private.fvecs"]


def test_words_that_lead_to_data(sandbox):
    """A file of the vendor's package that is the private data under another name."""
    prepare(sandbox)
    for name in write_links(sandbox):
        assert started_with(sandbox, name, "never").endswith(f"saw: {name}"), name
        said = started_with(sandbox, name, "required")
        assert said == (
            f"defense exec: {name} of the command leads to {sandbox.path}/private.fvecs, which is "
            "hidden from programs under audit; expected that file by its own name where the program "
            "is to have it, or another one"), said
    for name in ("private.fvecs", "./private.fvecs", f"{sandbox.path}/private.fvecs"):
        assert "private.fvecs" in started_with(sandbox, name, "required").partition("saw:")[2], name


def test_words_that_name_hidden_folders(sandbox):
    """The results of earlier runs, by the name that they have."""
    prepare(sandbox)
    for begin in ("", "./", f"{sandbox.path}/"):
        for confine in ("never", "required"):
            (sandbox.path / "out" / confine).mkdir(parents=True, exist_ok=True)
        assert "run.sqlite" in started_with(sandbox, f"{begin}out/never", "never"), begin
        words = f"{begin}out/required"
        said = started_with(sandbox, words, "required")
        assert said == (
            f"defense exec: {sandbox.path}/out/required is hidden from programs under audit, and is {words} of "
            "the command; expected programs in another folder than data and results"), said


def test_auditor_is_told_of_words(sandbox):
    """Before anything runs: of the data by its own name, too, which a program may be given."""
    prepare(sandbox)
    sandbox.write("settings.txt", "nothing")
    for name in [*write_links(sandbox), "private.fvecs", "settings.txt"]:
        program = write_program(sandbox, "scale.py", SCALE)
        sandbox.write("a.scenario", "[scenario]\ntitle = T\n"
                      + DATASET.format(private="private.fvecs") + VERBATIM
                      + group("defense", "d", f"{program} {name}"))
        said = sandbox.assay("check", "--auditor", "a.scenario")
        is_told = (f"defense d: its command names {name}, and so opens {sandbox.path}/private.fvecs, "
                   "which is hidden from other programs; expected a command without data of the "
                   "audit") in said.err
        assert is_told == (name != "settings.txt"), str(said)


def test_earlier_runs(sandbox):
    """That with which a run is compared, from workers, too; and the one whose cell a step repeats."""
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    names = ["before/run.sqlite", "before/results.json"]
    scenario = "[scenario]\ntitle = T\nseed = 3\n" + DATASET.format(private="private.fvecs") + VERBATIM
    sandbox.write("a.scenario", scenario + group("defense", "d", scale))
    sandbox.run_ok("a.scenario", "--out", "before", "--quiet")
    look = write_program(sandbox, "look.py", LOOK + f"look({names!r})\n")
    for out, words in (("a", ["--baseline", "before"]),
                       ("b", ["--baseline", "before/run.sqlite", "--workers=2"])):
        for confine, seen in (("never", names), ("required", [])):
            sandbox.write("b.scenario", scenario + group("defense", "d", look, f"confine = {confine}"))
            sandbox.run_ok("b.scenario", "--out", f"{out}/{confine}", "--quiet", *words, code=3)
            cell = json.loads(sandbox.read(f"{out}/{confine}/results.json"))["cells"][0]
            assert cell["message"].rpartition("saw:")[2].split() == seen, cell["message"]
    write_program(sandbox, "scale.py", LOOK + f"look({names!r})\n")
    cell = json.loads(sandbox.read("before/results.json"))["cells"][0]["id"]
    said = sandbox.assay("protect", "--like", "before", "--cell", cell, "--secrets",
                         "private.fvecs[0:8]", "--release", "release", "--truth", "truth")
    assert said.err.strip().endswith("saw:"), str(said)


def test_steps_by_hand(sandbox):
    """A program that attacks a release finds neither what was not granted of it nor the truth beside
    it; what else it is not to see is said by --hide."""
    prepare(sandbox)
    sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets", "private.fvecs[0:8]",
                                 "--release", "release", "--truth", "truth"), out="", err="")
    names = ["release/vectors.npy", "truth/secrets.npy", "private.fvecs", "public.npy"]
    look = write_program(sandbox, "look.py", LOOK + f"look({names!r})\n")
    for confine, hide, seen in (("never", ["private.fvecs"], names),
                                ("required", [], ["private.fvecs", "public.npy"]),
                                ("required", ["private.fvecs"], ["public.npy"]),
                                ("required", ["private.fvecs", "public.npy"], [])):
        said = sandbox.assay("attack", "--attack", "exec", "--set", f"command={look}", "--set",
                             f"confine={confine}", "--release", "release", "--guess", "guess",
                             *(f"--hide={name}" for name in hide))
        assert said.err.strip().rpartition("saw:")[2].split() == seen, str(said)
    for hide, seen in ([], ["public.npy"]), (["--hide", "public.npy"], []):
        said = sandbox.assay("protect", "--defense", "exec", "--set", f"command={look}", "--set",
                             "confine=required", "--secrets", "private.fvecs[0:8]", "--release", "r",
                             "--truth", "t", *hide)
        found = said.err.strip().rpartition("saw:")[2].split()
        assert found == [*names[:2], *seen], str(said)
