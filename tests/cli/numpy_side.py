#!/usr/bin/env python3
"""What a NumPy user does: writes a release by hand, reads one of Assay's. Run by test_numpy.py.

    numpy_side.py write FOLDER DTYPE    secrets, database, release/ and truth/ below FOLDER
    numpy_side.py read FOLDER           every array of a release, guess or truth; prints JSON
    numpy_side.py types FOLDER          a file of each type and order; prints their names
    numpy_side.py same FOLDER           that NAME-again.npy holds the numbers of NAME.npy
    numpy_side.py rows FOLDER           .npz, .csv and .tsv files; prints what is to be read of them
    numpy_side.py rows-read FOLDER      that truth-I holds what was meant by the one number I"""

import csv
import json
import pathlib
import sys

import numpy as np

SECRETS, DATABASE, COLUMNS, DIMENSION = 50, 2000, 32, 4


def save(folder, record, **arrays):
    folder.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    record["arrays"] = {name: {"file": f"{name}.npy"} for name in arrays}
    next_to = record["format"].split("/")[0].removeprefix("assay-")
    (folder / f"{next_to}.json").write_text(json.dumps(record))


def rows_around(rng, centres, count):
    rows = centres[rng.integers(len(centres), size=count)]
    return rows + 0.3 * rng.standard_normal(rows.shape) / np.sqrt(COLUMNS)


def lift(rng, secret, adversarial):
    """An affine subspace through a secret and the adversarial rows: translation and basis."""
    directions = np.vstack([adversarial - secret,
                            rng.uniform(-1, 1, (DIMENSION - len(adversarial), COLUMNS))])
    basis = np.linalg.qr(directions.T)[0].T
    start = rng.uniform(-1, 1, COLUMNS)
    return secret + basis.T @ (basis @ (start - secret)), basis


def write(folder, dtype):
    rng = np.random.default_rng(20)
    centres = rng.standard_normal((200, COLUMNS))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    secrets, database = (rows_around(rng, centres, n) for n in (SECRETS, DATABASE))
    numbers = np.array([rng.choice(DATABASE, DIMENSION // 2, replace=False)
                        for _ in range(SECRETS)])
    lifted = [lift(rng, secret, database[chosen])
              for secret, chosen in zip(secrets, numbers, strict=True)]
    np.save(folder / "database.npy", database.astype(dtype))
    save(folder / "release", {"format": "assay-release/1", "kind": "subspaces", "defense": "numpy"},
         translation=np.array([t for t, _ in lifted], dtype),
         basis=np.ascontiguousarray([b for _, b in lifted], dtype))
    save(folder / "truth", {"format": "assay-truth/1"}, secrets=secrets.astype(dtype),
         adversarial=numbers.astype(np.int32 if dtype == "float64" else np.int64))


def read(folder):
    """{array: [dtype, shape, finite]}; and that the JSON file says the same."""
    record = json.loads(next(folder.glob("*.json")).read_text())
    found = {}
    for name, about in record["arrays"].items():
        array = np.load(folder / about["file"])
        assert [str(array.dtype), list(array.shape)] == [about["type"], about["shape"]], about
        found[name] = [str(array.dtype), list(array.shape), bool(np.isfinite(array).all())]
    files = {path.name for path in folder.glob("*.npy")}
    assert files == {about["file"] for about in record["arrays"].values()}, files
    print(json.dumps(found))


TYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")


def write_types(folder):
    rng = np.random.default_rng(21)
    names = []
    for kind in TYPES:
        for order in "<>":
            for layout in "CF":
                name = f"{kind}-{'little' if order == '<' else 'big'}-{layout}"
                # Any bits, but for whole numbers of 64 unsigned ones, and for what is not finite.
                bits = rng.integers(0, 256, (7, 5, np.dtype(kind).itemsize), dtype=np.uint8)
                values = bits.view(kind)[..., 0]
                if kind[0] == "f":
                    values = np.where(np.isfinite(values), values, -0.0).astype(kind)
                elif kind == "u8":
                    values = values >> np.uint64(1)
                elif kind == "b1":
                    values = bits[..., 0] > 127
                np.save(folder / f"{name}.npy", np.asarray(values.astype(order + kind), order=layout))
                names.append(name)
    print(json.dumps(names))


def check_same(folder):
    for path in folder.glob("*-again.npy"):
        before = np.load(folder / path.name.replace("-again", ""))
        after = np.load(path)
        assert after.flags.c_contiguous and after.shape == before.shape, path
        assert np.array_equal(after, before), f"{path}\n{before}\n{after}"
        assert np.array_equal(np.signbit(after), np.signbit(before)), path


def write_rows(folder):
    """The same numbers in every way; the rows that each specification means."""
    rng = np.random.default_rng(22)
    rows = rng.normal(size=(60, 6)) * 10.0 ** rng.integers(-20, 20, (60, 6))
    names = ["a", "b,b", "c c", "d]", "e", "-f"]
    np.savez(folder / "stored.npz", rows=rows, other=rows[::-1])
    np.savez_compressed(folder / "packed.npz", rows.astype("f4"))
    np.savetxt(folder / "bare.csv", rows, delimiter=",", fmt="%.17g")
    for name, separator in (("named.csv", ","), ("semicolons.csv", ";"), ("tabs.tsv", "\t")):
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=separator)
            writer.writerow(["name", *names])
            writer.writerows([f"Ann; {i}", *map(repr, row.tolist())] for i, row in enumerate(rows))
    (folder / "semicolons.csv").write_text(
        (folder / "semicolons.csv").read_text().replace("b,b", "b"), encoding="utf-8")
    meant = {
        "stored.npz[rows]": rows, "stored.npz[other][10:]": rows[::-1][10:], "packed.npz": rows,
        "bare.csv[:50]": rows[:50], "named.csv[-name]": rows, "tabs.tsv[-name][5:9]": rows[5:9],
        'named.csv["b,b","d]",-f,a]': rows[:, [1, 3, 5, 0]],
        "semicolons.csv[e, b][1:]": rows[1:, [4, 1]],
    }
    for i, values in enumerate(meant.values()):
        np.save(folder / f"meant-{i}.npy", values.astype("f4"))
    print(json.dumps(list(meant)))


def check_rows(folder):
    for path in sorted(folder.glob("meant-*.npy")):
        number = path.stem.removeprefix("meant-")
        read = np.load(folder / f"truth-{number}" / "secrets.npy")
        assert np.array_equal(read, np.load(path)), number


if sys.argv[1] == "write":
    write(pathlib.Path(sys.argv[2]), sys.argv[3])
else:
    {"read": read, "types": write_types, "same": check_same, "rows": write_rows,
     "rows-read": check_rows}[sys.argv[1]](pathlib.Path(sys.argv[2]))
