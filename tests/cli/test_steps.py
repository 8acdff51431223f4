"""The three steps alone, on files: what they give equals what a run gives, and what any other
program can make of it by the formats alone (struct and json here, NumPy in test_numpy.py)."""

import json
import math
import os
import random
import struct

import pytest

import data
import tiny

DATABASE_SETTINGS = ("--set", "neighbours=40", "--set", "averaged=3")


# ---- Commands ----


def protect(sandbox, *words, defense="affine-lifting"):
    database = ("--database", "database.fvecs") if defense != "none" else ()
    return sandbox.expect(sandbox.assay(
        "protect", "--defense", defense, "--secrets", "private.fvecs", *database, "--release",
        "release", "--truth", "truth", *words), out="", err="")


def attack(sandbox, name, *words, guess="guess", release="release"):
    return sandbox.expect(sandbox.assay(
        "attack", "--attack", name, "--release", release, "--guess", guess, *words), out="", err="")


def measure(sandbox, *words, guess="guess"):
    """{measure: record}."""
    result = sandbox.expect(sandbox.assay(
        "measure", "--truth", "truth", "--guess", guess, "--json", *words), err="")
    return {record["measure"]: record for record in json.loads(result.out)}


# ---- Plain arithmetic ----


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def residual(point, translation, basis):
    """||(I - B'B)(p - t)||: the distance of a point to a subspace."""
    rest = minus(point, translation)
    for row in basis:
        along = dot(row, rest)
        rest = [x - along * y for x, y in zip(rest, row, strict=True)]
    return math.sqrt(dot(rest, rest))


def rows_of(path, *shape):
    """A .npy file as nested lists of the shape that is expected."""
    kind, found, flat = data.read_npy(path)
    assert found == shape, f"{path.name}: shape {found}, expected {shape}"
    for size in reversed(shape[1:]):
        flat = [flat[i:i + size] for i in range(0, len(flat), size)]
    return kind, flat


# ---- What the files hold ----


def test_release_is_what_the_defense_says(sandbox):
    """Each subspace holds its secret and its adversarial rows, by an orthonormal basis."""
    tiny.write(sandbox)
    protect(sandbox, "--set", "dimension=4")
    n, d, m = len(tiny.PRIVATE), 16, 4
    record = json.loads(sandbox.read("release/release.json"))
    assert (record["format"], record["kind"]) == ("assay-release/1", "subspaces"), str(record)
    assert record["geometry"]["unit_norm"] is True, str(record)
    assert record["settings"]["dimension"] == m, str(record)
    assert set(sandbox.tree("release")) == {"release.json", "translation.npy", "basis.npy"}, (
        "the release folder holds something else")
    kind, translation = rows_of(sandbox.path / "release/translation.npy", n, d)
    _kind, basis = rows_of(sandbox.path / "release/basis.npy", n, m, d)
    number_kind, adversarial = rows_of(sandbox.path / "truth/adversarial.npy", n, m // 2)
    _kind, secrets = rows_of(sandbox.path / "truth/secrets.npy", n, d)
    assert (kind, number_kind) == ("float32", "int64"), f"types {kind}, {number_kind}"
    for i in range(n):
        for a in range(m):
            for b in range(m):
                off = abs(dot(basis[i][a], basis[i][b]) - (a == b))
                assert off < 1e-5, f"secret {i}: basis rows {a}, {b} are off by {off}"
        points = [unit(tiny.PRIVATE[i])] + [unit(tiny.DATABASE[row]) for row in adversarial[i]]
        assert math.dist(points[0], secrets[i]) < 1e-5, f"secret {i} of the truth"
        for point in points:
            off = residual(point, translation[i], basis[i])
            assert off < 1e-5, f"secret {i}: a point lies {off} beside its subspace"
        assert math.dist(points[0], translation[i]) > 1e-3, f"secret {i} is its translation"


def test_same_seed_same_files(sandbox):
    tiny.write(sandbox)
    trees = []
    for seed in (5, 5, 6):
        protect(sandbox, "--seed", seed)
        attack(sandbox, "database", *DATABASE_SETTINGS, "--database", "database.fvecs")
        trees.append([sandbox.tree(folder) for folder in ("release", "truth", "guess")])
        sandbox.shell("rm -r release truth guess")
    assert trees[0] == trees[1], "one seed, two results"
    assert trees[0][0]["basis.npy"] != trees[2][0]["basis.npy"], "two seeds, one release"


def test_without_a_seed_noise_is_nobodys(sandbox):
    """Drawn afresh each time, written beside the truth, and never into the release."""
    tiny.write(sandbox)
    trees, seeds = [], []
    for _ in range(2):
        protect(sandbox)
        seeds.append((sandbox.path / "truth" / "seed").read_text().strip())
        trees.append(sandbox.tree("release"))
        for file in (sandbox.path / "release").iterdir():
            assert seeds[-1].encode() not in file.read_bytes(), f"the seed is in {file}"
        sandbox.shell("rm -r release truth")
    assert seeds[0] != seeds[1], "one seed twice"
    assert trees[0]["basis.npy"] != trees[1]["basis.npy"], "one noise twice"
    protect(sandbox, "--seed", seeds[0])
    assert sandbox.tree("release")["basis.npy"] == trees[0]["basis.npy"], "not its seed"


def test_further_releases_need_the_first_ones_seed(sandbox):
    tiny.write(sandbox)
    result = sandbox.assay(
        "protect", "--defense", "none", "--secrets", "private.fvecs", "--repeat", 1, "--release",
        "release", "--truth", "truth")
    assert result.code == 2 and "--repeat: expected --seed" in result.err, str(result)


def test_plain_release_is_the_secrets(sandbox):
    tiny.write(sandbox)
    protect(sandbox, defense="none")
    kind, found = rows_of(sandbox.path / "release/vectors.npy", len(tiny.PRIVATE), 16)
    packed = data.npy_bytes(tiny.PRIVATE)[128:]
    assert kind == "float32", kind
    assert data.npy_bytes(found)[128:] == packed, "the release is not the secrets"


# ---- Steps against a run ----


def run_on_all_secrets(sandbox, scenario):
    """Pooled measurements of a run whose one trial takes every secret there is."""
    sandbox.write("all.scenario", scenario.replace("trials = 2", "trials = 1")
                  .replace("secrets = 8", f"secrets = {len(tiny.PRIVATE)}"))
    sandbox.run_ok("all.scenario", "--out", "out", "--quiet")
    record = json.loads(sandbox.read("out/results.json"))
    return {
        (cell["defense"]["label"], cell["defense"]["settings"].get("dimension"),
         cell["attack"]["label"]):
            {entry["measure"]: entry for entry in cell["measurements"]}
        for cell in record["cells"]
    }


def test_steps_measure_what_a_run_measures(sandbox):
    """Without noise in the release, every estimate is that of the run, to the last bit: order
    statistics and Clopper-Pearson bounds too. (The run takes the secrets in another order.)"""
    tiny.write(sandbox)
    cells = run_on_all_secrets(sandbox, tiny.SCENARIO)
    protect(sandbox, defense="none")
    attack(sandbox, "nearest", "--public", "public.npy")
    found = measure(sandbox)
    expected = cells["plain", None, "nearest"]
    assert set(found) == set(expected), f"{sorted(found)} and {sorted(expected)}"
    for name, entry in found.items():
        for key in ("estimate", "n", "unit", "settings", "method", "confidence"):
            assert entry[key] == expected[name][key], f"{name}: {entry} and {expected[name]}"
        if entry["method"] in ("clopper-pearson", "order-statistics"):
            assert ((entry["lower"], entry["upper"])
                    == (expected[name]["lower"], expected[name]["upper"])), name


def test_steps_recover_what_a_run_recovers(sandbox):
    """Noise in the release is another one than the run's: figures of 40 secrets agree within four
    standard errors of their difference, and the adversarial rows are found by both."""
    tiny.write(sandbox)
    cells = run_on_all_secrets(sandbox, tiny.SCENARIO)
    n = len(tiny.PRIVATE)
    for dimension in (2, 4):
        protect(sandbox, "--set", f"dimension={dimension}")
        attack(sandbox, "database", *DATABASE_SETTINGS, "--database", "database.fvecs")
        found = measure(sandbox)
        expected = cells["lifting", dimension, "database"]
        for name in ("recovery-rate", "identification-rate"):
            a, b = found[name]["estimate"], expected[name]["estimate"]
            mean = (a + b) / 2
            error = math.sqrt(max(mean * (1 - mean), 1 / n) * 2 / n)
            assert abs(a - b) <= 4 * error, f"m = {dimension}: {name}: {a} and {b}"
        assert found["adversarial-found"]["estimate"] == 1, str(found["adversarial-found"])
        assert expected["adversarial-found"]["estimate"] == 1, str(expected["adversarial-found"])
        sandbox.shell("rm -r release truth guess")


def test_guess_of_nearest_is_the_nearest_row(sandbox):
    """Against an exhaustive search written here."""
    tiny.write(sandbox)
    protect(sandbox, "--set", "dimension=2")
    attack(sandbox, "nearest", "--public", "public.npy")
    n = len(tiny.PRIVATE)
    _kind, translation = rows_of(sandbox.path / "release/translation.npy", n, 16)
    _kind, basis = rows_of(sandbox.path / "release/basis.npy", n, 2, 16)
    _kind, guess = rows_of(sandbox.path / "guess/estimates.npy", n, 16)
    public = [unit(row) for row in tiny.PUBLIC]
    for i in range(n):
        ours = min(residual(row, translation[i], basis[i]) for row in public)
        theirs = residual(guess[i], translation[i], basis[i])
        assert abs(ours - theirs) < 1e-5, f"secret {i}: {theirs} is not the smallest: {ours}"
        assert min(math.dist(guess[i], row) for row in public) < 1e-5, f"secret {i}: no public row"


def test_guess_of_database_names_the_adversarial_rows(sandbox):
    tiny.write(sandbox)
    protect(sandbox, "--set", "dimension=4")
    attack(sandbox, "database", *DATABASE_SETTINGS, "--database", "database.fvecs")
    n = len(tiny.PRIVATE)
    _kind, true = rows_of(sandbox.path / "truth/adversarial.npy", n, 2)
    kind, guess = rows_of(sandbox.path / "guess/adversarial.npy", n, 2)
    assert kind == "int64", kind
    assert [sorted(row) for row in true] == [sorted(row) for row in guess], "other rows"


def test_groups_reach_the_intervals(sandbox):
    """Five secrets a group: the rate is the same, its interval is made from groups and says so."""
    tiny.write(sandbox)
    sandbox.write("groups.npy", data.npy_bytes([[i // 5] for i in range(40)], "int64"))
    protect(sandbox, "--groups", "groups.npy", defense="none")
    attack(sandbox, "nearest", "--public", "public.npy")
    grouped = measure(sandbox, "--metric", "identification-rate")["identification-rate"]
    sandbox.shell("rm -r release truth guess")
    protect(sandbox, defense="none")
    attack(sandbox, "nearest", "--public", "public.npy")
    alone = measure(sandbox, "--metric", "identification-rate")["identification-rate"]
    assert math.isclose(grouped["estimate"], alone["estimate"]), f"{grouped} and {alone}"
    assert grouped["method"] != alone["method"], f"{grouped} and {alone}"


def test_measure_for_people_and_for_programs(sandbox):
    tiny.write(sandbox)
    protect(sandbox, defense="none")
    attack(sandbox, "verbatim")
    text = sandbox.expect(sandbox.assay("measure", "--truth", "truth", "--guess", "guess")).out
    records = measure(sandbox)
    assert [line.split()[0] for line in text.splitlines()] == list(records), text
    assert records["recovery-rate"]["estimate"] == 1, str(records["recovery-rate"])
    assert records["relative-error-median"]["estimate"] == 0, str(records)
    strict = measure(sandbox, "--metric", "recovery-rate", "--set", "tau=0", "--confidence", "0.9")
    assert list(strict) == ["recovery-rate", "recovery-chance"], str(strict)
    assert strict["recovery-rate"]["settings"] == {"tau": 0}, str(strict)
    assert strict["recovery-rate"]["confidence"] == 0.9, str(strict)


# ---- Folders that other programs write ----


def subspaces(n=6, d=5, seed=1):
    """A release of lines through random points: translation, basis, points."""
    numbers = random.Random(seed)
    points = [[numbers.uniform(-1, 1) for _ in range(d)] for _ in range(n)]
    basis = [[unit([numbers.uniform(-1, 1) for _ in range(d)])] for _ in range(n)]
    return points, basis


def write_release(sandbox, translation, basis, record=None, kind="float32"):
    arrays = {"translation": {"file": "translation.npy"}, "basis": {"file": "basis.npy"}}
    sandbox.write("release/release.json", json.dumps(record if record is not None else {
        "format": "assay-release/1", "kind": "subspaces", "defense": "ours", "arrays": arrays}))
    sandbox.write("release/translation.npy", data.npy_bytes(translation, kind))
    sandbox.write("release/basis.npy", data.npy_bytes(basis, kind))


def write_truth(sandbox, secrets, **arrays):
    """@arrays: name = (values, kind)."""
    arrays["secrets"] = (secrets, "float32")
    sandbox.write("truth/truth.json", json.dumps({
        "format": "assay-truth/1", "arrays": {name: {"file": f"{name}.npy"} for name in arrays}}))
    for name, (values, kind) in arrays.items():
        sandbox.write(f"truth/{name}.npy", data.npy_bytes(values, kind))


def test_release_of_another_program(sandbox):
    """As little as the format asks for; the nearest public rows are the points themselves."""
    points, basis = subspaces()
    write_release(sandbox, points, basis)
    write_truth(sandbox, points)
    sandbox.write("public.npy", data.npy_bytes(points))
    attack(sandbox, "nearest", "--public", "public.npy")
    assert measure(sandbox)["recovery-rate"]["estimate"] == 1, "not recovered"


def test_float64_and_int32_are_taken_for_float32_and_int64(sandbox):
    points, basis = subspaces()
    # Numbers that float32 holds exactly, so that both releases are one.
    points = [[round(x * 256) / 256 for x in row] for row in points]
    numbers = [[i, i + 1] for i in range(6)]
    guesses, records = [], []
    for real, whole in (("float32", "int64"), ("float64", "int32")):
        write_release(sandbox, points, basis, kind=real)
        write_truth(sandbox, points, adversarial=(numbers, whole),
                    groups=([0, 0, 1, 1, 2, 2], whole))
        sandbox.write("public.npy", data.npy_bytes(points, real))
        attack(sandbox, "nearest", "--public", "public.npy")
        guesses.append(sandbox.tree("guess"))
        records.append(measure(sandbox))
        sandbox.shell("rm -r release truth guess")
    assert guesses[0] == guesses[1], "two guesses"
    assert records[0] == records[1], "two measurements"


def table_of_mistakes():
    """(name, what is done to a release that is well made, what is said of it)"""
    arrays = {"translation": {"file": "translation.npy"}, "basis": {"file": "basis.npy"}}
    right = {"format": "assay-release/1", "kind": "subspaces", "arrays": arrays}
    points, basis = subspaces()
    double = [[[2 * x for x in row] for row in rows] for rows in basis]
    with_nan = [*points[:-1], [*points[-1][:-1], math.nan]]
    huge = [*points[:-1], [*points[-1][:-1], 1e39]]
    return [
        ("not-json", lambda box: box.write("release/release.json", "{"),
         "release/release.json:1:2: the file ends inside of its object"),
        ("deep-json", lambda box: box.write("release/release.json", '{"a": ' + "[" * 1000000),
         "release/release.json:1:70: more than 64 levels of objects and arrays"),
        ("not-an-object", lambda box: box.write("release/release.json", "[1]"),
         "release/release.json: expected a JSON object"),
        ("another-format", lambda box: write_release(
            box, points, basis, {**right, "format": "assay-guess/1"}),
         "release/release.json: format is 'assay-guess/1', expected 'assay-release/1'"),
        ("no-format", lambda box: write_release(box, points, basis, {"kind": "subspaces"}),
         "release/release.json: format is 'none', expected 'assay-release/1'"),
        ("unknown-kind", lambda box: write_release(
            box, points, basis, {**right, "kind": "subspace"}),
         "release: release.json: kind is 'subspace', expected vectors, subspaces, vector-sets, "
         "statistics, mixtures, codes, updates, graph, paired-codes, gradients or network"),
        ("no-arrays", lambda box: write_release(
            box, points, basis, {"format": "assay-release/1", "kind": "subspaces"}),
         "release: expected an object 'arrays'"),
        ("array-missing", lambda box: write_release(
            box, points, basis, {**right, "arrays": {"basis": {"file": "basis.npy"}}}),
         "release: release of kind subspaces: array 'translation' is missing"),
        ("array-unknown", lambda box: write_release(
            box, points, basis, {**right, "arrays": {**arrays, "more": {"file": "basis.npy"}}}),
         "release: release of kind subspaces: {*}"),
        ("file-missing", lambda box: (box.path / "release/basis.npy").unlink(),
         "release: release/basis.npy: cannot be read: No such file or directory"),
        ("file-outside", lambda box: write_release(
            box, points, basis,
            {**right, "arrays": {**arrays, "basis": {"file": "../basis.npy"}}}),
         "release: array 'basis': file '../basis.npy' is not a plain name inside the folder"),
        ("file-truncated", lambda box: box.write(
            "release/basis.npy", data.npy_bytes(basis)[:-1]),
         "release: release/basis.npy: truncated: the header announces float32 6 x 1 x 5, expected "
         "248 bytes, found 247"),
        ("complex", lambda box: box.write(
            "release/translation.npy", data.npy_bytes(points, "complex64")),
         "release: release/translation.npy: holds complex64 ('<c8'); expected floating point of 16, "
         "32 or 64 bits, whole numbers, or bool"),
        ("counts-differ", lambda box: box.write(
            "release/basis.npy", data.npy_bytes(basis[:-1])),
         "release: release of kind subspaces: array 'basis' is float32 5 x 1 x 5, but n = 6 by the "
         "arrays before it"),
        ("dimensions-differ", lambda box: box.write(
            "release/translation.npy", data.npy_bytes([row[:-1] for row in points])),
         "release: release of kind subspaces: array 'basis' is float32 6 x 1 x 5, but d = 4 by the "
         "arrays before it"),
        ("bytes-for-numbers", lambda box: box.write(
            "release/translation.npy", data.npy_bytes([[1] * 5] * 6, "uint8")),
         "release: release of kind subspaces: array 'translation': expected float32 of 2 "
         "dimensions, found uint8 6 x 5"),
        ("not-orthonormal", lambda box: box.write("release/basis.npy", data.npy_bytes(double)),
         "release: basis of secret 0: rows 0 and 0 have the inner product 4, expected 1"),
        ("nan", lambda box: box.write("release/translation.npy", data.npy_bytes(with_nan)),
         "release: release of kind subspaces: translation: row 5, column 4 is not a finite number"),
        ("nan-in-float64", lambda box: box.write(
            "release/translation.npy", data.npy_bytes(with_nan, "float64")),
         "release: release of kind subspaces: translation: row 5, column 4 is not a finite number"),
        ("beyond-float32", lambda box: box.write(
            "release/translation.npy", data.npy_bytes(huge, "float64")),
         "release: release/translation.npy: number 29 (1e+39) is beyond the range of float32"),
    ]


@pytest.mark.parametrize(("change", "message"),
                         [pytest.param(*case, id=name) for name, *case in table_of_mistakes()])
def test_release_is_refused(sandbox, change, message):
    points, basis = subspaces()
    write_release(sandbox, points, basis)
    sandbox.write("public.npy", data.npy_bytes(points))
    change(sandbox)
    before = sandbox.tree()
    sandbox.refuses(sandbox.assay("attack", "--attack", "nearest", "--release", "release",
                                  "--public", "public.npy", "--guess", "guess"), message)
    assert sandbox.tree() == before, "something was left behind"


def test_arrays_of_holes(sandbox):
    """A release or a dataset of a terabyte, which takes no disk and for ever to read, is refused at
    once; so is what is larger than its header says, whatever it is made of."""
    tiny.write(sandbox)
    protect(sandbox, defense="none")
    header = repr({"descr": "<f4", "fortran_order": False, "shape": (1 << 34, 16)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    for name in ("release/vectors.npy", "private.npy"):
        with open(sandbox.path / name, "wb") as file:
            file.write(start)
            file.truncate(len(start) + (1 << 40))
        if os.stat(sandbox.path / name).st_blocks > 1000:
            pytest.skip("this file system has no holes")
    said = "of its 1.0 TiB fewer than one byte in 100 is on the disk, the rest are holes; expected data"
    sandbox.refuses(sandbox.assay("attack", "--attack", "verbatim", "--release", "release", "--guess",
                                  "guess"), f"release: release/vectors.npy: {said}")
    for command in ("run", "plan"):
        done = sandbox.assay(command, "tiny.scenario", "--set", "dataset.private=private.npy")
        assert done.code == 2 and f"private.npy: {said}" in done.err, str(done)
