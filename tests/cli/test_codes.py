"""Hash codes, from the scenario and from folders: what is learned, released, attacked and found."""

import json
import math
import random

import pytest

import data

BITS = 24
SECRETS = 400
COUNTS = "count = 400\npublic_count = 300\ntest_count = 60\n"

HEAD = f"""\
[scenario]
title = Codes
seed = 7

[dataset]
plugin = gaussian-classes
{COUNTS}columns = 32
classes = 4
separation = 3
records = yes
secrets = {SECRETS}

"""

DEFENSES = f"""\
[defense lsh]
plugin = lsh
bits = {BITS}

[defense itq]
plugin = itq
bits = {BITS}

[defense ksh]
plugin = ksh
bits = {BITS}
anchors = 60
labelled = 200

[defense phashing]
plugin = phashing
bits = {BITS}
epsilon = 0.25; 1; 2; 4

[defense pitq]
plugin = pitq
bits = {BITS}

"""


# ---- Whole runs ----


def run(sandbox, text, code=0):
    """{(defense or "defense epsilon", label, radius): {measure: estimate}}"""
    sandbox.write("a.scenario", text)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=code)
    found = {}
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        defense, part = cell["defense"], cell.get("attack") or cell["utility"]
        epsilon = defense["settings"].get("epsilon") if defense["label"] == "phashing" else None
        name = defense["label"] if epsilon is None else f"phashing {epsilon:g}"
        found[name, part["label"], part["settings"].get("radius")] = {
            entry["measure"]: entry["estimate"] for entry in cell["measurements"]}
    for place, measures in found.items():
        for name, value in measures.items():
            assert math.isfinite(value), f"{place}: {name} = {value}"
    return found


def rising(values, what):
    assert all(a < b for a, b in zip(values, values[1:], strict=False)), f"{what}: {values}"


def test_retrieval_is_in_the_order_of_the_papers(sandbox):
    found = run(sandbox, HEAD + DEFENSES + "[utility map]\nplugin = map\n\n"
                "[utility pr]\nplugin = pr-curve\nradius = 0; 2; 6; 12; 24\n")
    precision = {name: found[name, "map", None]["map"] for name, label, _ in found
                 if label == "map"}
    rising([precision[name] for name in ("lsh", "itq", "ksh")], "map")
    rising([precision[f"phashing {epsilon}"] for epsilon in ("0.25", "1", "2", "4")], "map")
    assert precision["phashing 4"] < precision["itq"] + 0.02, precision
    assert abs(precision["pitq"] - precision["itq"]) < 0.05, precision
    # Sixty queries, four classes: what everything holds is a quarter for all methods.
    assert 0.2 < precision["phashing 0.25"] < 0.3, precision
    share = found["itq", "map", None]["precision-at-k"]
    for name, value in precision.items():
        cell = found[name, "map", None]
        assert cell["database-codes"] == SECRETS and cell["queries-without-relevant"] == 0, cell
        # k = 1000 is more than there are: the whole list.
        assert math.isclose(cell["map-at-k"], value) and cell["recall-at-n"] == 1, cell
        curve = [found[name, "pr", radius] for radius in (0, 2, 6, 12, 24)]
        recall = [point["recall-at-radius"] for point in curve]
        assert recall == sorted(recall) and recall[-1] == 1, f"{name}: {recall}"
        assert math.isclose(curve[-1]["precision-at-radius"], share), f"{name}: {curve[-1]}"
        empty = [point["empty-lookups"] for point in curve]
        assert empty == sorted(empty, reverse=True) and empty[-1] == 0, f"{name}: {empty}"


def test_trials_may_learn_from_the_same_secrets(sandbox):
    """Three trials of all 400 rows: as many functions, and intervals that know that they differ."""
    text = HEAD.replace("seed = 7", "seed = 7\ntrials = 3") + """\
[defense sh]
plugin = sh
bits = 8

[defense lsh]
plugin = lsh
bits = 8

[utility map]
plugin = map
"""
    sandbox.write("others.scenario", text)
    refused = sandbox.assay("plan", "others.scenario")
    assert refused.code == 2, refused
    assert "takes 1200 distinct secrets (3 trials x 400), but the dataset has 400" in refused.err
    sandbox.write("same.scenario", text.replace("secrets = 400", "secrets = 400\norder = same"))
    sandbox.run_ok("same.scenario", "--out", "out", "--quiet")
    results = json.loads(sandbox.read("out/results.json"))

    def of(cells, label):
        return [next(m for m in cell["measurements"] if m["measure"] == "map")
                for cell in cells if cell["defense"]["label"] == label]

    # Spectral hashing draws nothing: three times the same database is the same.
    assert len({one["estimate"] for one in of(results["cells"], "sh")}) == 1
    drawn = [one["estimate"] for one in of(results["cells"], "lsh")]
    assert len(set(drawn)) == 3, drawn
    pooled = of(results["pooled"], "lsh")[0]
    assert math.isclose(pooled["estimate"], sum(drawn) / 3)
    assert pooled["method"] == "t-on-crossed-groups" and pooled["n"] == 180, pooled
    # At least what three functions alone tell of others, by standard errors.
    spread = math.sqrt(sum((one - pooled["estimate"]) ** 2 for one in drawn) / 2 / 3)
    assert pooled["upper"] - pooled["lower"] > 2 * 1.96 * spread, (pooled, drawn)


def majority_is_right(releases, beta):
    """P (Bin (releases, 1 - beta) > releases / 2)."""
    return sum(math.comb(releases, k) * (1 - beta) ** k * beta ** (releases - k)
               for k in range(releases // 2 + 1, releases + 1))


def test_attacks_find_what_they_can(sandbox):
    found = run(sandbox, HEAD + DEFENSES + """\
[attack linkage]
plugin = code-linkage
grants = public; hash-function

[attack one]
plugin = code-majority
repeats = 0

[attack five]
plugin = code-majority
grants = repeats
repeats = 4

[attack ungranted]
plugin = code-majority
repeats = 4

[attack inversion]
plugin = code-inversion
grants = public; hash-function
""")
    bits = SECRETS * BITS
    for epsilon in ("0.25", "1", "2", "4"):
        beta = math.exp(-float(epsilon))
        for label, releases in (("one", 1), ("five", 5), ("ungranted", 1)):
            expected = majority_is_right(releases, beta)
            share = found[f"phashing {epsilon}", label, None]["bits-recovered"]
            limit = 6 * math.sqrt(expected * (1 - expected) / bits) + 1e-9
            assert abs(share - expected) < limit, f"{epsilon}, {label}: {share}, not {expected}"
    for name in ("lsh", "itq", "ksh"):
        for label in ("one", "five"):
            cell = found[name, label, None]
            assert cell["bits-recovered"] == cell["codes-recovered"] == 1, f"{name}: {cell}"
    # 700 records are public. Codes that are mostly negated are noticed, and say more than at 1.
    hits = {name: found[name, "linkage", None]["partner-hit-at-1"] for name, label, _ in found
            if label == "linkage"}
    assert min(hits["lsh"], hits["itq"], hits["pitq"]) > 0.5, hits
    rising([hits[f"phashing {epsilon}"] for epsilon in ("1", "2", "4")], "linkage")
    assert hits["phashing 0.25"] > 2 * hits["phashing 1"] > 10 / 700, hits
    errors = {name: found[name, "inversion", None]["relative-error-median"]
              for name, label, _ in found if label == "inversion"}
    assert errors["itq"] < 0.5, errors
    rising([errors["itq"], errors["phashing 2"], errors["phashing 1"]], "inversion")


def test_the_same_bytes_with_one_and_two_threads(sandbox):
    sandbox.write("a.scenario", HEAD.replace(f"secrets = {SECRETS}", "secrets = 80")
                  + DEFENSES.replace("0.25; 1; 2; 4", "1").replace("labelled = 200", "labelled = 80")
                  + "[utility map]\nplugin = map\n\n"
                  "[attack linkage]\nplugin = code-linkage\ngrants = public; hash-function\n")
    found = []
    for jobs in (1, 2):
        sandbox.run_ok("a.scenario", "--out", f"out{jobs}", "--jobs", jobs, "--quiet")
        found.append([sandbox.read(f"out{jobs}/{name}") for name in ("results.json",
                                                                     "results.csv")])
    assert found[0] == found[1], "other results with two threads"


# ---- Files ----

CENTRES = [[random.Random(c).uniform(-1, 1) for c in range(8 * k, 8 * k + 8)] for k in range(3)]


def labelled_rows(count, seed):
    """Rows around three centres, and which it is."""
    numbers = random.Random(seed)
    labels = [numbers.randrange(3) for _ in range(count)]
    return [[x + 0.5 * numbers.uniform(-1, 1) for x in CENTRES[c]] for c in labels], labels


PRIVATE, LABELS = labelled_rows(60, 1)
PUBLIC, _LABELS = labelled_rows(200, 2)
TEST, TEST_LABELS = labelled_rows(20, 3)


def write_rows(sandbox):
    for name, rows in (("private", PRIVATE), ("public", PUBLIC), ("test", TEST)):
        sandbox.write(f"{name}.npy", data.npy_bytes(rows))
    for name, labels in (("labels", LABELS), ("test-labels", TEST_LABELS)):
        sandbox.write(f"{name}.npy", data.npy_bytes(labels, "int64"))


def bits_of(path, count):
    """A file of codes as lists of bits; none is set beyond the last."""
    kind, shape, flat = data.read_npy(path)
    width = (count + 7) // 8
    assert (kind, shape[1]) == ("uint8", width), f"{path.name}: {kind} {shape}"
    found = [[flat[i * width + j // 8] >> j % 8 & 1 for j in range(8 * width)]
             for i in range(shape[0])]
    assert not any(any(code[count:]) for code in found), f"{path.name}: bits beyond {count}"
    return [code[:count] for code in found]


def rows_of(path):
    _kind, shape, flat = data.read_npy(path)
    return [flat[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]


def protect(sandbox, defense, *settings, labels=False):
    words = [word for setting in settings for word in ("--set", setting)]
    words += ["--labels", "labels.npy"] if labels else []
    sandbox.expect(sandbox.assay("protect", "--defense", defense, *words, "--secrets",
                                 "private.npy", "--release", "release", "--truth", "truth"),
                   out="", err="")


def attack(sandbox, name, *words):
    return sandbox.assay("attack", "--attack", name, "--release", "release", "--guess", "guess",
                         *words)


def measure(sandbox, *words):
    result = sandbox.assay("measure", "--truth", "truth", "--guess", "guess", "--json", *words)
    # Of folders nobody says how many public rows there are, and who of them is in no release.
    assert result.code == 0, result
    assert all("is left out: how many public rows there are is not known here" in line
               for line in result.err.splitlines()), result
    return {record["measure"]: record["estimate"] for record in json.loads(result.out)}


def test_codes_are_what_the_function_in_the_release_gives(sandbox):
    write_rows(sandbox)
    for defense in ("lsh", "itq"):
        protect(sandbox, defense, "bits=6")
        release = json.loads(sandbox.read("release/release.json"))
        assert (release["kind"], release["bits"]) == ("codes", 6), release
        _kind, _shape, mean = data.read_npy(sandbox.path / "release/mean.npy")
        projection = rows_of(sandbox.path / "release/projection.npy")
        codes = bits_of(sandbox.path / "release/codes.npy", 6)
        assert len(codes) == 60 and len(projection) == 6, f"{len(codes)}, {len(projection)}"
        for row, code in zip(rows_of(sandbox.path / "truth/secrets.npy"), codes, strict=True):
            for direction, bit in zip(projection, code, strict=True):
                margin = sum(p * (x - m) for p, x, m in zip(direction, row, mean, strict=True))
                assert abs(margin) < 1e-5 or (margin > 0) == bit, f"{defense}: {margin}, {bit}"
        sandbox.shell("rm -r release truth")


def test_flips_are_of_the_released_codes_alone(sandbox):
    write_rows(sandbox)
    protect(sandbox, "phashing", "base=lsh", "bits=100", "epsilon=1")
    released = bits_of(sandbox.path / "release/codes.npy", 100)
    true = bits_of(sandbox.path / "truth/codes.npy", 100)
    same = sum(a == b for x, y in zip(released, true, strict=True)
               for a, b in zip(x, y, strict=True)) / 6000
    kept = 1 - math.exp(-1)
    assert abs(same - kept) < 6 * math.sqrt(kept * (1 - kept) / 6000), f"{same}, not {kept}"
    sandbox.expect(attack(sandbox, "code-majority"))
    assert sandbox.tree("guess")["codes.npy"] == sandbox.tree("release")["codes.npy"], (
        "one release is its own majority")
    # 100 bits take 13 bytes; the four bits that are left over count as nothing.
    assert math.isclose(measure(sandbox, "--release", "release")["bits-recovered"], same), same
    sandbox.refuses(
        sandbox.assay("measure", "--truth", "truth", "--guess", "guess"),
        "metric 'bit-recovery' reads a release of codes; expected it as --release DIR, found none")


def test_steps_find_what_a_run_finds(sandbox):
    """Spectral hashing draws nothing, so that both release the same codes but for their order."""
    write_rows(sandbox)
    found = run(sandbox, "[dataset]\nplugin = vectors\nprivate = private.npy\n"
                "public = public.npy\nsecrets = 60\n\n[defense sh]\nplugin = sh\nbits = 12\n\n"
                "[attack inversion]\nplugin = code-inversion\ngrants = public; hash-function\n\n"
                "[attack majority]\nplugin = code-majority\nrepeats = 0\n")
    protect(sandbox, "sh", "bits=12")
    sandbox.expect(attack(sandbox, "code-inversion", "--public", "public.npy"), out="", err="")
    ours = measure(sandbox, "--release", "release")
    theirs = found["sh", "inversion", None]
    assert set(ours) == set(theirs), f"{ours} and {theirs}"
    for name, value in ours.items():
        # Chance is measured with 50 others of each secret, 3,000 in all, which are drawn.
        near = 0.01 if name == "recovery-chance" else 1e-4
        assert abs(value - theirs[name]) < near, f"{name}: {value} and {theirs[name]}"
    assert 0.05 < ours["relative-error-median"] < 0.5, ours
    assert found["sh", "majority", None]["codes-recovered"] == 1, found


def test_kernel_functions_round_trip_with_their_labels(sandbox):
    """Anchors are training rows in the clear: an attacker without public rows learns from them."""
    write_rows(sandbox)
    private = {tuple(row) for row in rows_of(sandbox.write("a.npy", data.npy_bytes(PRIVATE)))}
    for defense, settings in (("ksh", ("anchors=20", "labelled=40")), ("sdh", ("anchors=20",))):
        protect(sandbox, defense, "bits=8", *settings, labels=True)
        anchors = rows_of(sandbox.path / "release/anchors.npy")
        assert len(anchors) == 20 and all(tuple(row) in private for row in anchors), anchors
        sandbox.expect(attack(sandbox, "code-inversion"), out="", err="")
        error = measure(sandbox, "--metric", "relative-error")["relative-error-median"]
        assert 0 < error < 0.7, f"{defense}: {error}"
        sandbox.shell("rm -r release truth guess")


# ---- Queries that nothing answers ----

RETRIEVAL = """\
[dataset]
plugin = vectors
private = private.npy
labels = labels.npy
test = test.npy
test_labels = test-labels.npy
secrets = 60

[defense itq]
plugin = itq
bits = 6

[utility map]
plugin = map

[utility pr]
plugin = pr-curve
"""


def test_queries_without_relevant_items_are_counted(sandbox):
    write_rows(sandbox)
    everyone = run(sandbox, RETRIEVAL)["itq", "map", None]
    assert everyone["queries-without-relevant"] == 0, everyone
    strangers = [7 if label == 2 else label for label in TEST_LABELS]
    sandbox.write("test-labels.npy", data.npy_bytes(strangers, "int64"))
    found = run(sandbox, RETRIEVAL)
    share = strangers.count(7) / 20
    assert 0 < share < 1, strangers
    assert math.isclose(found["itq", "map", None]["queries-without-relevant"], share), found
    assert math.isclose(found["itq", "pr", 2]["lookups-without-relevant"], share), found
    # The rest is as good as ever, where queries that count as nothing would halve it.
    assert found["itq", "map", None]["map"] > everyone["map"] - 0.1, f"{found}, {everyone}"
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    units = {entry["measure"]: entry["n"] for cell in cells for entry in cell["measurements"]}
    assert units["map"] == 20 - strangers.count(7), units
    sandbox.write("test-labels.npy", data.npy_bytes([7] * 20, "int64"))
    result = sandbox.assay("run", "a.scenario", "--out", "none", "--quiet")
    assert (result.code == 3 and "none of the 20 queries shares a label with any of the 60 secrets; "
            "expected some that do" in result.out), str(result)


def test_labels_in_sets(sandbox):
    """Of one class each, sets say what single labels say."""
    write_rows(sandbox)
    single = run(sandbox, RETRIEVAL)
    for name, labels in (("labels", LABELS), ("test-labels", TEST_LABELS)):
        sets = [[int(label == c) for c in range(3)] for label in labels]
        sandbox.write(f"{name}.npy", data.npy_bytes(sets, "int32"))
    assert run(sandbox, RETRIEVAL) == single, "sets give other figures"


# ---- What does not work ----


def test_nothing_is_learned_from_constant_features(sandbox):
    write_rows(sandbox)
    sandbox.write("private.npy", data.npy_bytes([[0.5] * 8] * 60))
    alike = "all 60 training rows are equal: expected features that vary"
    for defense, settings, says in (
            ("lsh", (), alike),
            ("itq", ("bits=4",), "bits = 4: the 60 training rows vary in 0 directions only; {*}"),
            ("pitq", ("bits=4",), "bits = 4: the 60 training rows vary in 0 directions only; {*}"),
            ("sh", ("bits=4",), "the 60 training rows are all alike; expected rows that vary"),
            ("phashing", ("base=lsh",), alike),
            ("ksh", ("anchors=9", "labelled=30"), alike),
            ("sdh", ("anchors=9",), alike)):
        words = [word for setting in settings for word in ("--set", setting)]
        sandbox.expect(sandbox.assay(
            "protect", "--defense", defense, *words, "--labels", "labels.npy", "--secrets",
            "private.npy", "--release", "release", "--truth", "truth"), code=2, out="",
            err=f"assay: defense {defense}: {says}\n")
        assert not (sandbox.path / "release").exists(), "a release was written"


def test_supervised_hashing_asks_for_labels(sandbox):
    write_rows(sandbox)
    for i, defense in enumerate(("plugin = ksh\nlabelled = 30", "plugin = sdh",
                                 "plugin = phashing\nbase = sdh")):
        sandbox.write("a.scenario", "[dataset]\nplugin = vectors\nprivate = private.npy\n"
                      f"secrets = 60\n\n[defense d]\n{defense}\nanchors = 9\n\n"
                      "[attack majority]\nplugin = code-majority\n")
        result = sandbox.assay("run", "a.scenario", "--out", f"out{i}", "--quiet")
        assert (result.code == 3 and "supervised hashing learns from labels: expected labels of the "
                "60 training rows, found none" in result.out), str(result)


# ---- Releases of other programs ----

AXES = [[1.0 if i == j else 0.0 for j in range(8)] for i in range(6)]


def write_release(sandbox, bits=6, **changed):
    """Signs of the first six columns; @changed: arrays as (values, kind), or None."""
    arrays = {"codes": ([[sum((x > 0) << j for j, x in enumerate(row[:6]))] for row in PRIVATE],
                        "uint8"),
              "mean": ([0.0] * 8, "float64"), "projection": (AXES, "float64"), **changed}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    record = {"format": "assay-release/1", "kind": "codes", "defense": "ours",
              "arrays": {name: {"file": f"{name}.npy"} for name in arrays}}
    sandbox.write("release/release.json",
                  json.dumps(record if bits is None else {**record, "bits": bits}))
    for name, (values, kind) in arrays.items():
        sandbox.write(f"release/{name}.npy", data.npy_bytes(values, kind))


def write_truth(sandbox, **arrays):
    arrays["secrets"] = (PRIVATE, "float32")
    sandbox.write("truth/truth.json", json.dumps({
        "format": "assay-truth/1", "arrays": {name: {"file": f"{name}.npy"} for name in arrays}}))
    for name, (values, kind) in arrays.items():
        sandbox.write(f"truth/{name}.npy", data.npy_bytes(values, kind))


def test_release_of_another_program(sandbox):
    """Public rows are the secrets the other way round; whoever shares a code shares its place."""
    write_release(sandbox)
    write_truth(sandbox, partners=([[59 - i] for i in range(60)], "int32"))
    sandbox.write("public.npy", data.npy_bytes(PRIVATE[::-1]))
    sandbox.expect(attack(sandbox, "code-linkage", "--public", "public.npy", "--set",
                          "score=hamming"), out="", err="")
    codes = [[x > 0 for x in row[:6]] for row in PRIVATE[::-1]]
    _kind, _shape, ranked = data.read_npy(sandbox.path / "guess/candidates.npy")
    for i, row in enumerate(PRIVATE):
        wrong = [sum((x > 0) != bit for x, bit in zip(row, code, strict=False)) for code in codes]
        expected = sorted(range(60), key=lambda place: (wrong[place], place))
        assert ranked[60 * i:60 * i + 60] == expected, f"code {i}"
    expected = sum(codes.index(codes[59 - i]) == 59 - i for i in range(60)) / 60
    found = measure(sandbox)["partner-hit-at-1"]
    assert math.isclose(found, expected) and found > 0.1, f"{found}, not {expected}"


def test_release_without_its_function(sandbox):
    write_release(sandbox, mean=None, projection=None)
    sandbox.write("public.npy", data.npy_bytes(PUBLIC))
    for name in ("code-linkage", "code-inversion"):
        sandbox.refuses(attack(sandbox, name, "--public", "public.npy"),
                        f"attack '{name}' needs 'hash-function', which was not granted")
    sandbox.expect(attack(sandbox, "code-majority"), out="", err="")


def table_of_mistakes():
    """(name, what write_release is told, what is said of it)"""
    beyond = [[64]] * 60
    nan = [[math.nan] * 8, *AXES[1:]]
    of = "release: release of kind codes: array"
    return [
        ("no-bits", {"bits": None},
         "release: release.json: expected 'bits' to be a whole number from 1 to 4096"),
        ("no-whole-bits", {"bits": 6.5},
         "release: release.json: expected 'bits' to be a whole number from 1 to 4096"),
        ("more-bits-than-bytes", {"bits": 9}, "release: codes of 9 bits have 1 bytes; expected 2"),
        ("bits-beyond-the-last", {"codes": (beyond, "uint8")},
         "release: code 0 has a bit set beyond its 6"),
        ("numbers-for-codes", {"codes": ([[1]] * 60, "int64")},
         f"{of} 'codes': expected uint8 of 2 dimensions, found int64 60 x 1"),
        ("fewer-rows-than-bits", {"projection": (AXES[:5], "float32")},
         "release: hash function: projection has 5 rows; expected one for each of 6 bits"),
        ("function-without-mean", {"mean": None},
         "release: hash function: expected mean and projection, and anchors with a width or "
         "neither"),
        ("anchors-without-width", {"anchors": ([[0.0] * 8] * 8, "float32")},
         "release: hash function: expected mean and projection, and anchors with a width or "
         "neither"),
        ("width-of-nothing", {"anchors": ([[0.0] * 8] * 8, "float32"), "width": ([0.0], "float32")},
         "release: hash function: expected width to be one number above 0"),
        ("waves-of-three", {"waves": ([[0.0] * 3] * 6, "float32")},
         "release: hash function: waves has 3 columns; expected 2, frequency and phase"),
        ("waves-of-fewer-bits", {"waves": ([[0.0] * 2] * 5, "float32")}, f"{of} 'waves' is {{*}}"),
        ("mean-of-fewer-columns", {"mean": ([0.0] * 7, "float32")},
         f"{of} 'projection' is float32 6 x 8, but f = 7 by the arrays before it"),
        ("nan", {"projection": (nan, "float32")},
         "release: release of kind codes: projection: row 0, column 0 is not a finite number"),
    ]


@pytest.mark.parametrize(("changed", "message"),
                         [pytest.param(*case, id=name) for name, *case in table_of_mistakes()])
def test_release_is_refused(sandbox, changed, message):
    write_release(sandbox, **changed)
    before = sandbox.tree()
    sandbox.refuses(attack(sandbox, "code-majority"), message)
    assert sandbox.tree() == before, "something was left behind"


def test_codes_of_different_lengths(sandbox):
    """A guess at other codes than the truth's, and public rows of another width."""
    write_release(sandbox)
    sandbox.expect(attack(sandbox, "code-majority"), out="", err="")
    write_truth(sandbox, codes=([[0, 0]] * 60, "uint8"))
    measured = ("measure", "--truth", "truth", "--guess", "guess", "--release", "release")
    sandbox.refuses(
        sandbox.assay(*measured),
        "metric bit-recovery: guessed codes are 60 x 1 bytes, those of the secrets 60 x 2")
    sandbox.write("guess/codes.npy", data.npy_bytes([[0, 0]] * 60, "uint8"))
    sandbox.refuses(
        sandbox.assay(*measured), "metric bit-recovery: codes of the secrets have 2 bytes; "
        "expected 1, for the 6 bits of those that were released")
    sandbox.shell("rm -r guess")
    sandbox.write("public.npy", data.npy_bytes([row[:7] for row in PUBLIC]))
    sandbox.refuses(attack(sandbox, "code-linkage", "--public", "public.npy"),
                    "the public set has 7 columns, but the release has 8")


def test_grants_by_hand(sandbox):
    write_rows(sandbox)
    protect(sandbox, "itq", "bits=8")
    given = ("--public", "public.npy")
    sandbox.expect(attack(sandbox, "code-linkage", *given))
    granted = sandbox.tree("guess")["candidates.npy"]
    sandbox.shell("rm -r guess")
    sandbox.expect(attack(sandbox, "code-linkage", *given, "--grants", "public; hash-function"))
    assert sandbox.tree("guess")["candidates.npy"] == granted
    sandbox.shell("rm -r guess")
    # What the folder holds and is not granted is not seen.
    sandbox.refuses(attack(sandbox, "code-linkage", *given, "--grants", "public"),
                    "attack 'code-linkage' needs 'hash-function', which was not granted")
    sandbox.refuses(attack(sandbox, "code-linkage", *given, "--grants", "hash-function"),
                    "--public is given, and --grants has no 'public'; expected both or neither")
    result = attack(sandbox, "code-linkage", "--grants", "pubic")
    assert result.code == 2 and result.err.startswith(
        "assay: --grants: unknown grant 'pubic' (did you mean 'public'?); expected none, or some "
        "of database, public, "), result
