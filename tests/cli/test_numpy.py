"""Releases between Assay and NumPy, both ways. Skipped where no python3 has NumPy."""

import json
import subprocess

import tiny
from places import HERE


def numpy_side(python, *words):
    done = subprocess.run([python, HERE / "numpy_side.py", *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def attack_and_measure(sandbox, folder):
    sandbox.expect(sandbox.assay("attack", "--attack", "database", "--release", f"{folder}/release",
                                 "--database", f"{folder}/database.npy", "--guess",
                                 f"{folder}/guess"))
    result = sandbox.expect(sandbox.assay("measure", "--truth", f"{folder}/truth", "--guess",
                                          f"{folder}/guess", "--json"))
    return {record["measure"]: record["estimate"] for record in json.loads(result.out)}


def test_release_that_numpy_wrote_is_recovered(sandbox, numpy_python):
    """In the types that NumPy saves by itself, and in those of the format: the same result, but
    for what float32 rounds away."""
    measured = {}
    for dtype in ("float64", "float32"):
        (sandbox.path / dtype).mkdir()
        numpy_side(numpy_python, "write", sandbox.path / dtype, dtype)
        measured[dtype] = attack_and_measure(sandbox, dtype)
    for dtype, found in measured.items():
        assert found["adversarial-found"] == 1, f"{dtype}: {found}"
        # Ten rows of the database lie around the centre of each secret; another centre is far.
        assert found["identification-rate"] == 1, f"{dtype}: {found}"
        assert abs(found["relative-error-median"] - 0.178) < 0.02, f"{dtype}: {found}"
        for name, value in found.items():
            assert abs(value - measured["float32"][name]) < 1e-4, f"{name}: {measured}"


def test_numpy_reads_every_array(sandbox, numpy_python):
    tiny.write(sandbox)
    sandbox.expect(sandbox.assay(
        "protect", "--defense", "affine-lifting", "--secrets", "private.fvecs", "--database",
        "database.fvecs", "--release", "release", "--truth", "truth"))
    sandbox.expect(sandbox.assay(
        "attack", "--attack", "database", "--set", "neighbours=40", "--set", "averaged=3",
        "--release", "release", "--database", "database.fvecs", "--guess", "guess"))
    n, d, m = len(tiny.PRIVATE), 16, 4
    for folder, expected in (
        ("release", {"translation": ["float32", [n, d], True],
                     "basis": ["float32", [n, m, d], True]}),
        ("truth", {"secrets": ["float32", [n, d], True],
                   "adversarial": ["int64", [n, m // 2], True]}),
        ("guess", {"estimates": ["float32", [n, d], True],
                   "adversarial": ["int64", [n, m // 2], True]}),
    ):
        found = json.loads(numpy_side(numpy_python, "read", sandbox.path / folder))
        assert found == expected, f"{folder}: {found}"


def test_every_type_and_order_that_numpy_saves(sandbox, numpy_python):
    """What NumPy reads of a file, Assay reads too: the same numbers in a type that holds them."""
    written = json.loads(numpy_side(numpy_python, "types", sandbox.path))
    assert len(written) > 40, written
    for name in written:
        sandbox.expect(sandbox.assay("dataset", "convert", f"{name}.npy", f"{name}-again.npy"))
    numpy_side(numpy_python, "same", sandbox.path)


def test_archives_and_tables_of_text(sandbox, numpy_python):
    """Arrays of .npz, columns of CSV and TSV, and ranges of both: the rows that NumPy has."""
    specifications = json.loads(numpy_side(numpy_python, "rows", sandbox.path))
    assert len(specifications) > 7, specifications
    for i, rows in enumerate(specifications):
        sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets", rows,
                                     "--release", f"release-{i}", "--truth", f"truth-{i}"))
    numpy_side(numpy_python, "rows-read", sandbox.path)


def test_one_file_can_have_public_and_private_rows(sandbox, numpy_python):
    """Two arrays of one archive are apart; the same rows in other columns are not."""
    numpy_side(numpy_python, "rows", sandbox.path)
    (sandbox.path / "apart.scenario").write_text("""[dataset]
secrets = 10
plugin = vectors
private = stored.npz[rows][:20]
public = stored.npz[other][:20]
[defense none]
plugin = none
[attack verbatim]
plugin = verbatim
""", encoding="utf-8")
    (sandbox.path / "shared.scenario").write_text("""[dataset]
secrets = 10
plugin = vectors
private = named.csv[a,e][:20]
public = named.csv[e,a][10:30]
[defense none]
plugin = none
[attack verbatim]
plugin = verbatim
""", encoding="utf-8")
    sandbox.expect(sandbox.assay("run", "apart.scenario", "--out", "out"))
    result = sandbox.assay("run", "shared.scenario", "--out", "shared")
    assert result.code == 2 and "share rows [10:20] of" in result.err, result.err
