"""Protect here, attack here and measure here from files: the release, the guess and the figures of
the cell of a run, to the bit. Every kind of release, and attacks that draw random numbers."""

import json

import data
import tiny


# Groups and labels, so that intervals are drawn from groups and labels reach the defense. Labels
# up to 6, of which a cell's few secrets hardly show all.
VECTORS = """\
[scenario]
seed = 9
trials = 2

[dataset]
plugin = vectors
private = private.fvecs
public = public.npy
database = database.fvecs
groups = groups.csv:group
labels = labels.npy
secrets = 10

[defense plain]
plugin = none

[defense gaussian]
plugin = gaussian
epsilon = 1

[defense lifting]
plugin = affine-lifting
dimension = 4

[defense sets]
plugin = ldp-feat
dictionary = 32

[attack nearest]
plugin = nearest
grants = public

[attack database]
plugin = database
grants = database
tune.neighbours = 20; 40
averaged = 3
tune_measure = relative-error-median

[attack clustering]
plugin = clustering
grants = public; other-releases

[attack set-guess]
plugin = set-guess

[attack majority]
plugin = majority
grants = repeats; public
repeats = 2
"""

CODES = """\
[scenario]
seed = 4

[dataset]
plugin = gaussian-classes
count = 200
public_count = 150
columns = 16
classes = 4
records = yes
secrets = 60

[defense itq]
plugin = itq
bits = 12

[defense phashing]
plugin = phashing
bits = 12
epsilon = 2

[defense ksh]
plugin = ksh
bits = 8
anchors = 20
labelled = 60

[attack inversion]
plugin = code-inversion
grants = hash-function

[attack linkage]
plugin = code-linkage
grants = public; hash-function

[attack majority]
plugin = code-majority
grants = repeats
repeats = 3
"""

MIXTURES = """\
[scenario]
seed = 2

[dataset]
plugin = shapes
size = 16
private_images = 60
test_images = 0
public_images = 80
secrets = 12

[defense inside]
plugin = instahide-inside
k = 2
epochs = 2

[defense cross]
plugin = instahide-cross
k = 4

[defense mixup]
plugin = mixup
k = 2
epochs = 3

[attack known]
plugin = averaging
grants = groups

[attack found]
plugin = averaging

[attack pairs]
plugin = inner-product-pair

[attack link]
plugin = inner-product
grants = public
"""

# Compared with other images of the dataset: left out where its public rows were not exported.
OF_OTHER_IMAGES = ("image-ssim-chance", "image-ssim-gain", "image-correlation-chance")

ENTRIES = ("estimate", "lower", "upper", "n", "unit", "method", "confidence", "settings")


def run(sandbox, text, code=0):
    sandbox.write("a.scenario", text)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=code)
    return json.loads(sandbox.read("out/results.json"))


def paths(folder, *options):
    """--OPTION FOLDER/... for what there is."""
    return [word for option, name in options if (folder / name).exists()
            for word in (option, str(folder / name))]


def by_hand(sandbox, cell):
    """Exports the cell, makes release and guess again from its files, and measures."""
    root = sandbox.path / "cell"
    sandbox.shell("rm -rf cell hand")
    like = ("--like", "out", "--cell", cell["id"])
    sandbox.expect(sandbox.assay("export", "out", "--cell", cell["id"], "--to", "cell"))
    material = paths(root / "knowledge", ("--database", "database.npy"), ("--public", "public.npy"))
    sandbox.expect(sandbox.assay("protect", *like, "--secrets", "cell/secrets", *material,
                                 "--release", "hand/release", "--truth", "hand/truth"))
    repeats = []
    for number in range(1, 100):
        if not (root / f"knowledge/repeat-{number}").exists():
            break
        sandbox.expect(sandbox.assay(
            "protect", *like, "--secrets", "cell/secrets", *material, "--repeat", number,
            "--release", f"hand/repeat-{number}", "--truth", f"hand/truth-{number}"))
        repeats += ["--repeat", f"hand/repeat-{number}"]
    sandbox.expect(sandbox.assay(
        "attack", *like, "--release", "hand/release", *material, *repeats,
        *paths(root / "knowledge", ("--groups", "groups.npy")), "--guess", "hand/guess"))
    measured = sandbox.assay(
        "measure", *like, "--truth", "hand/truth", "--guess", "hand/guess", "--release",
        "hand/release", *paths(root / "knowledge", ("--public", "public.npy")), "--json")
    if not cell["measurements"]:
        sandbox.refuses(measured, "no metric applies: {*}")
        return [], len(repeats) // 2
    return json.loads(sandbox.expect(measured).out), len(repeats) // 2


def compare(sandbox, cell, found):
    """The files made by hand are those that the run would have, and so are the figures."""
    name = f"{cell['defense']['label']}, {cell['attack']['label']}, trial {cell['trial']}"
    for folder in ("release", "truth", "guess"):
        theirs, ours = sandbox.tree(f"cell/{folder}"), sandbox.tree(f"hand/{folder}")
        assert theirs == ours and theirs, f"{name}: {folder} is another one by hand"
    expected = {entry["measure"]: entry for entry in cell["measurements"]}
    has_public = (sandbox.path / "cell/knowledge/public.npy").exists()
    assert ([entry["measure"] for entry in found]
            == [metric for metric in expected if has_public or metric not in OF_OTHER_IMAGES]), (
        f"{name}: {[entry['metric'] for entry in found]}, {list(expected)}")
    for entry in found:
        for key in ENTRIES:
            theirs = expected[entry["measure"]].get(key)
            assert entry[key] == theirs, f"{name}: {entry['metric']}: {key}: {entry[key]}, {theirs}"


def round_trips(sandbox, text, pairs, code=0):
    """@pairs: how many pairs of defense and attack are to be there."""
    seen, repeats, withheld = set(), 0, 0
    for cell in run(sandbox, text, code)["cells"]:
        found, n_repeats = by_hand(sandbox, cell)
        compare(sandbox, cell, found)
        seen.add((cell["defense"]["label"], cell["attack"]["label"]))
        repeats = max(repeats, n_repeats)
        withheld += (sandbox.path / "cell/seen").exists()
    assert len(seen) == pairs, f"{len(seen)} pairs: {sorted(seen)}"
    return repeats, withheld


def write_vectors(sandbox):
    tiny.write(sandbox)
    sandbox.write("groups.csv", "group\n" + "".join(f"{i // 3}\n" for i in range(40)))
    sandbox.write("labels.npy", data.npy_bytes([[i % 7] for i in range(40)], "int64"))


def test_vectors_subspaces_sets(sandbox):
    write_vectors(sandbox)
    repeats, _withheld = round_trips(sandbox, VECTORS, 7)
    assert repeats > 0, "no attack had further releases"


def test_codes(sandbox):
    """Further releases have the same hash function; without the grant it is kept from the attack."""
    repeats, withheld = round_trips(sandbox, CODES, 9)
    assert repeats > 0 and withheld > 0, f"{repeats} repeats, {withheld} releases in part"


def test_mixtures(sandbox):
    """With geometry, labels of shares of all classes, and estimates in an order of their own."""
    round_trips(sandbox, MIXTURES, 12)


# ---- What --like refuses, and what it must not change ----


def small_run(sandbox):
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    return json.loads(sandbox.read("out/results.json"))["cells"]


def test_like_needs_a_cell_of_a_run(sandbox):
    cell = small_run(sandbox)[0]["id"]
    rest = ("--secrets", "private.fvecs", "--release", "release", "--truth", "truth")
    for words, message in (
        (("--like", "out"), "expected --like RUN and --cell ID together: which run, and which of "
                            "its cells"),
        (("--cell", cell), "expected --like RUN and --cell ID together: which run, and which of "
                           "its cells"),
        (("--like", "out", "--cell", "0123"), "--cell: '0123' is no cell of the run in out; "
                                              "expected the 'id' of one of 'cells' in its "
                                              "results.json"),
        (("--like", "nowhere", "--cell", cell), "nowhere: expected the output folder of a run"),
    ):
        if "--like" in words:
            sandbox.refuses(sandbox.assay("protect", *words, *rest), message)
    result = sandbox.assay("protect", "--like", "out", "--cell", cell, "--defense", "none", *rest)
    assert result.code == 2 and "expected neither --defense nor --set" in result.err, str(result)
    result = sandbox.assay("protect", "--defense", "none", "--repeat", "-1", *rest)
    assert result.code == 2 and "--repeat: expected 0 to 1000000" in result.err, str(result)
    sandbox.refuses(sandbox.assay("protect", "--defense", "none", "--cell", cell, *rest),
                    "expected --like RUN and --cell ID together: which run, and which of its "
                    "cells")


def test_export_refuses_what_is_not_there(sandbox):
    cell = small_run(sandbox)[0]["id"]
    sandbox.write("full/file", "x")
    sandbox.refuses(sandbox.assay("export", "out", "--cell", cell, "--to", "full"),
                    "full: expected a new or an empty folder")
    sandbox.refuses(sandbox.assay("export", "out", "--cell", "x", "--to", "cell"),
                    "--cell: 'x' is no cell of the run in out; expected the 'id' of one of 'cells' "
                    "in its results.json")
    sandbox.write("public.npy", data.file_bytes("public.npy", tiny.PRIVATE))
    sandbox.refuses(sandbox.assay("export", "out", "--cell", cell, "--to", "cell"),
                    "the data of the run changed since it began (sha256 {*}, now {*}); "
                    "expected a new run with --out")
    assert not (sandbox.path / "cell").exists(), "something was left behind"


def test_further_releases_have_the_hash_function_of_the_first(sandbox):
    """By the seed alone too, without a run: the function is learned once, noise is drawn anew."""
    tiny.write(sandbox)
    found = {}
    for repeat in (0, 1, 2):
        sandbox.expect(sandbox.assay(
            "protect", "--defense", "phashing", "--set", "bits=12", "--set", "epsilon=2",
            "--secrets", "private.fvecs", "--seed", 5, "--repeat", repeat,
            "--release", f"release-{repeat}", "--truth", f"truth-{repeat}"))
        found[repeat] = sandbox.tree(f"release-{repeat}")
    for repeat in (1, 2):
        assert found[repeat]["projection.npy"] == found[0]["projection.npy"], "another function"
        assert found[repeat]["codes.npy"] != found[0]["codes.npy"], "the same noise"
    assert found[1]["codes.npy"] != found[2]["codes.npy"], "the same noise twice"


def test_secrets_as_a_folder_bring_what_is_known_of_them(sandbox):
    """Groups, labels and frames go from the one truth into the other, and a label twice as large
    as the classes is told."""
    arrays = {"secrets": (tiny.PRIVATE[:6], "float32"), "groups": ([0, 0, 1, 1, 2, 2], "int64"),
              "labels": ([0, 1, 2, 0, 1, 2], "int64"),
              "frames": ([[1.0, 2.0, 3.0, 4.0]] * 6, "float32")}
    for name, (values, kind) in arrays.items():
        sandbox.write(f"known/{name}.npy", data.npy_bytes(values, kind))
    sandbox.write("known/truth.json", json.dumps({
        "format": "assay-truth/1", "arrays": {name: {"file": f"{name}.npy"} for name in arrays},
        "geometry": {"height": 4, "width": 4, "channels": 1, "black": -1, "white": 1}}))
    words = ("protect", "--defense", "none", "--secrets", "known", "--release", "release",
             "--truth", "truth")
    sandbox.expect(sandbox.assay(*words))
    for name in arrays:
        theirs, ours = (data.read_npy(sandbox.path / folder / f"{name}.npy")
                        for folder in ("known", "truth"))
        assert theirs == ours, name
    record = json.loads(sandbox.read("truth/truth.json"))
    assert record["geometry"]["height"] == 4, str(record)
    sandbox.shell("rm -r release truth")
    sandbox.refuses(sandbox.assay(*words, "--classes", 2),
                    "--classes 2: the labels have 3; expected at least as many")


def test_a_repeat_must_be_of_the_same_secrets(sandbox):
    tiny.write(sandbox)
    for name, rows in (("release", "private.fvecs"), ("other", "private.fvecs[0:5]")):
        sandbox.expect(sandbox.assay(
            "protect", "--defense", "phashing", "--set", "bits=4", "--secrets", rows, "--release",
            name, "--truth", f"truth-{name}"))
    sandbox.refuses(
        sandbox.assay("attack", "--attack", "code-majority", "--release", "release", "--repeat",
                      "other", "--guess", "guess"),
        "--repeat other: holds codes (5 x 16), but the release codes (40 x 16); expected a further "
        "release of the same secrets")


def test_members_that_stand_twice(sandbox):
    """Of two arrays of one name nobody could tell which was attacked."""
    tiny.write(sandbox)
    sandbox.write("release/a.npy", data.npy_bytes(tiny.PRIVATE))
    sandbox.write("release/release.json", '{"format": "assay-release/1", "kind": "vectors", '
                  '"arrays": {"vectors": {"file": "a.npy"}, "vectors": {"file": "b.npy"}}}')
    sandbox.refuses(sandbox.assay("attack", "--attack", "verbatim", "--release", "release",
                                  "--guess", "guess"),
                    "release/release.json: 'vectors' appears twice in one object; expected it once")


def test_estimates_without_an_order_stay_so(sandbox):
    """What is said of a guess in memory stands in its folder: rates by secret do not apply."""
    rows = tiny.PRIVATE[:4]
    for folder, name in (("truth", "secrets"), ("guess", "estimates")):
        sandbox.write(f"{folder}/{name}.npy", data.npy_bytes(rows))
    sandbox.write("truth/truth.json", json.dumps({
        "format": "assay-truth/1", "arrays": {"secrets": {"file": "secrets.npy"}}}))
    for is_unordered in (False, True):
        sandbox.write("guess/guess.json", json.dumps({
            "format": "assay-guess/1", "unordered": is_unordered,
            "arrays": {"estimates": {"file": "estimates.npy"}}}))
        result = sandbox.assay("measure", "--truth", "truth", "--guess", "guess")
        assert ("recovery-rate" in result.out) != is_unordered, str(result)
    sandbox.write("guess/guess.json", json.dumps({
        "format": "assay-guess/1", "unordered": 1,
        "arrays": {"estimates": {"file": "estimates.npy"}}}))
    sandbox.refuses(sandbox.assay("measure", "--truth", "truth", "--guess", "guess"),
                    "guess: guess.json: expected 'unordered' to be true or false")
