"""HDF5 files, and arrays of images in any file: the same results as of the same numbers in .npy."""

import json

import pytest

np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")

RANDOM = np.random.default_rng(5)
ROWS = RANDOM.normal(size=(40, 6))
IMAGES = RANDOM.integers(0, 256, size=(40, 12, 12, 3), dtype=np.uint8)

SCENARIO = """[dataset]
plugin = vectors
private = {private}
{more}
secrets = 10
order = file
[defense pixelation]
plugin = pixelation
cells = 4
[attack verbatim]
plugin = verbatim
"""


@pytest.fixture(name="files", autouse=True)
def made_files(sandbox):
    with h5py.File(sandbox.path / "rows.h5", "w") as file:
        file["rows"] = ROWS
    with h5py.File(sandbox.path / "many.hdf5", "w") as file:
        file["group/half"] = ROWS.astype("f2")
        file["big-endian"] = ROWS.astype(">f8")
        file.create_dataset("packed", data=ROWS, compression="gzip", chunks=(7, 3))
        file["int16"] = (100 * ROWS).astype("i2")
        file["bool"] = ROWS > 0
        file["uint64"] = np.full((3, 2), 2**63, dtype="u8")
        file["texts"] = np.array([b"a", b"b"])
        file["records"] = np.zeros(3, dtype=[("a", "f4"), ("b", "i4")])
        file["five"] = np.zeros((1, 2, 1, 2, 1))
        file["none"] = np.zeros((0, 3))
        file["circle"] = file["group"]
    with h5py.File(sandbox.path / "images.h5", "w") as file:
        file["x"] = IMAGES
    np.save(sandbox.path / "images.npy", IMAGES)
    np.savez(sandbox.path / "images.npz", x_train=IMAGES, y_train=np.arange(40) % 4)
    np.save(sandbox.path / "flat.npy", IMAGES.reshape(40, -1))
    return sandbox


def released(sandbox, name):
    sandbox.expect(sandbox.assay("protect", "--defense", "none", "--secrets", name, "--release",
                                 "release", "--truth", "truth"), 0, None, None)
    return np.load(sandbox.path / "release" / "vectors.npy")


@pytest.mark.parametrize("name, rows", [
    ("rows.h5", ROWS), ("rows.h5[rows][10:20]", ROWS[10:20]),
    ("many.hdf5[group/half]", ROWS.astype("f2")), ("many.hdf5[/big-endian]", ROWS),
    ("many.hdf5[packed][:5]", ROWS[:5]), ("many.hdf5[int16]", (100 * ROWS).astype("i2")),
    ("many.hdf5[bool]", ROWS > 0), ("rows.h5,many.hdf5[packed][3:]", np.vstack([ROWS, ROWS[3:]])),
    ("images.h5", IMAGES.reshape(40, -1)), ("images.npz[x_train][7:]", IMAGES[7:].reshape(33, -1)),
])
def test_rows(sandbox, name, rows):
    sandbox.assay("protect", "--defense", "none", "--secrets", name, "--release", "release",
                  "--truth", "truth")
    assert np.array_equal(np.load(sandbox.path / "release" / "vectors.npy"), rows.astype("f4"))


@pytest.mark.parametrize("name, message", [
    ("many.hdf5", "holds 11 arrays (big-endian, bool, circle/half, five, group/half, int16, none, "
                  "packed, records, texts, uint64"),
    ("many.hdf5[pakced]", "has no array 'pakced' (did you mean 'packed'?); it holds"),
    ("many.hdf5[uint64]", "number 0 is beyond 2^63 - 1; expected one that int64 holds"),
    ("many.hdf5[texts]", "holds no plain numbers"), ("many.hdf5[records]", "holds no plain numbers"),
    ("many.hdf5[five]", "has 5 dimensions; expected 1 to 4"), ("many.hdf5[none]", "has no rows"),
    ("text.h5", "is no HDF5 file, or truncated or damaged"),
    ("cut.h5", "is no HDF5 file, or truncated or damaged"), ("nowhere.h5", "no such file"),
])
def test_what_is_refused(sandbox, name, message):
    sandbox.write("text.h5", "1 2 3\n")
    (sandbox.path / "cut.h5").write_bytes((sandbox.path / "rows.h5").read_bytes()[:1500])
    result = sandbox.assay("protect", "--defense", "none", "--secrets", name, "--release", "release",
                           "--truth", "truth")
    assert result.code == 2 and message in result.err, result
    assert not (sandbox.path / "release").exists()


def test_commands_on_data(sandbox):
    result = sandbox.assay("dataset", "info", "many.hdf5[group/half]")
    assert "shape          40 x 6" in result.out and "type           float32" in result.out, result
    sandbox.expect(sandbox.assay("dataset", "convert", "many.hdf5[packed]", "back.npy"), 0, None, "")
    assert np.array_equal(np.load(sandbox.path / "back.npy"), ROWS)
    result = sandbox.assay("dataset", "convert", "back.npy", "back.h5")
    assert result.code == 2 and "back.h5: hdf5 is only read" in result.err, result
    sandbox.write("people.tsv", "name\tage\tincome\nAnn\t30\t1.5\nBob\t40\t2.5\n")
    result = sandbox.assay("dataset", "info", "people.tsv[age,income]")
    assert "shape          2 x 2" in result.out, result


def test_images_of_any_file(sandbox):
    """What is seen of the pixels is the same; what is shown is images."""
    cells = {}
    for i, name in enumerate(("images.npy", "images.npz[x_train]", "images.h5", "flat.npy")):
        sandbox.write("a.scenario", SCENARIO.format(private=f"{name}[0:30]", more="images = 12x12x3"))
        sandbox.expect(sandbox.assay("run", "a.scenario", "--quiet", "--out", f"out{i}"), 0, None,
                       None)
        cell, = json.loads(sandbox.read(f"out{i}/results.json"))["cells"]
        assert cell["status"] == "ok", cell
        cells[name] = {one["measure"]: one["estimate"] for one in cell["measurements"]}
        assert "image-ssim" in cells[name], cell
    assert all(one == cells["flat.npy"] for one in cells.values()), cells
    for size, message in (("12x12", "has 144 numbers; the private rows have 432"),
                          ("12", "expected HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS"),
                          ("12x0x3", "expected HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS")):
        sandbox.write("b.scenario", SCENARIO.format(private="images.h5", more=f"images = {size}"))
        result = sandbox.assay("plan", "b.scenario")
        assert result.code == 2 and message in result.err, result


def test_attacks_and_audits_take_it(sandbox):
    """Rows of public ones are guessed, as of .npy; and what is audited is divided and attacked."""
    with h5py.File(sandbox.path / "more.h5", "w") as file:
        file["rows"] = RANDOM.normal(size=(300, 6))
    released(sandbox, "rows.h5")
    result = sandbox.assay("attack", "--attack", "nearest", "--release", "release", "--public",
                           "many.hdf5[packed]", "--guess", "guess")
    assert result.code == 0, result
    guess = json.loads(sandbox.read("guess/guess.json"))["arrays"]["estimates"]["file"]
    assert np.array_equal(np.load(sandbox.path / "guess" / guess), ROWS.astype("f4"))
    result = sandbox.assay("audit", "--defense", "random-rotation", "--data", "more.h5", "--time",
                           "3s", "--out", "audit", "--quiet")
    assert result.code in (0, 1, 3, 4), result  # 4: not all of it in so little time
    public, = sandbox.path.glob("audit/**/public.npy")
    assert len(np.load(public)) == 150
