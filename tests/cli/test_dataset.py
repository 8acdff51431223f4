"""assay dataset: what is in data files, and the same numbers in other formats."""

import gzip
import hashlib
import itertools
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import pytest

import data
import tiny
from data import hard_fvecs, idx_bytes, random_bytes
from sandbox import TIMEOUT_S
from test_disk import SmallDisk

CIFAR_PIXELS = 3072


def convert(sandbox, *arguments):
    return sandbox.expect(sandbox.assay("dataset", "convert", *arguments), 0, "", "")


def refuses(sandbox, message, *arguments, code=2):
    """A conversion to out.*, which is not there afterwards, nor anything else that was not."""
    before = sandbox.tree()
    sandbox.expect(sandbox.assay("dataset", "convert", *arguments), code, "", f"assay: {message}\n")
    assert sandbox.tree() == before, f"other files than before: {sorted(sandbox.tree())}"


def numbers_of_info(text):
    return dict(re.findall(r"^  (\S.*?)  +(\S.*)$", text, re.MULTILINE)) | dict(
        re.findall(r"^  (sha256 of rows) (\S+)$", text, re.MULTILINE))


# ---- Round trips ----


def content(path):
    """The bytes; of .npy the type, the shape and every number, because headers differ in spaces."""
    return repr(data.read_npy(path)) if path.suffix == ".npy" else path.read_bytes()


def check_round_trip(sandbox, first, *others, options=()):
    """first -> others -> back.first, which has the bytes of the first."""
    names = [first, *others, f"back.{first}"]
    for source, target in itertools.pairwise(names):
        is_back = target.endswith((".npy", "ubyte"))
        convert(sandbox, source, target, *(options if is_back else ()))
    assert content(sandbox.path / first) == content(sandbox.path / names[-1]), (
        f"{' -> '.join(names)} changed the bytes")
    for name in names[1:]:
        (sandbox.path / name).unlink()


def test_round_trips_of_floats(sandbox):
    sandbox.write("hard.fvecs", hard_fvecs())
    check_round_trip(sandbox, "hard.fvecs", "a.npy")
    check_round_trip(sandbox, "hard.fvecs", "a.csv")
    check_round_trip(sandbox, "hard.fvecs", "a.csv", "b.npy", "c.csv", "d.fvecs")
    doubles = [[0.1, -0.0, 5e-324], [1e300, 1 / 3, 2.0 ** 53 + 2]]
    sandbox.write("hard.npy", data.npy_bytes(doubles, "float64"))
    check_round_trip(sandbox, "hard.npy", "a.csv", options=["--type", "float64"])


def test_round_trips_of_whole_numbers(sandbox):
    sandbox.write("a.bvecs", data.texmex_bytes([[0, 255, 7], [1, 2, 3]], ".bvecs"))
    sandbox.write("a.ivecs", data.texmex_bytes([[-2 ** 31, 2 ** 31 - 1], [16777217, 0]], ".ivecs"))
    sandbox.write("a.npy", data.npy_bytes([[2 ** 63 - 1, -2 ** 63], [2 ** 53 + 1, 0]], "int64"))
    check_round_trip(sandbox, "a.bvecs", "b.fvecs", "b.ivecs", "b.npy", "b.csv", "b.idx")
    check_round_trip(sandbox, "a.ivecs", "b.npy", "b.csv")
    check_round_trip(sandbox, "a.npy", "b.csv", options=["--type", "int64"])
    # The ends of what int64 and float64 share.
    sandbox.write("e.npy", data.npy_bytes([[-2 ** 63, 2 ** 63 - 1024, -2 ** 53]], "int64"))
    convert(sandbox, "e.npy", "f.npy", "--type", "float64")
    assert (data.read_npy(sandbox.path / "f.npy")[::2]
            == ("float64", [-2.0 ** 63, 2.0 ** 63 - 1024, -2.0 ** 53])), "float64"
    convert(sandbox, "f.npy", "g.npy", "--type", "int64")
    assert content(sandbox.path / "g.npy") == content(sandbox.path / "e.npy"), "int64"
    sandbox.write("m.csv", "-9223372036854775808\n0.5\n")
    convert(sandbox, "m.csv", "m.npy")
    assert data.read_npy(sandbox.path / "m.npy") == ("float64", (2, 1), [-2.0 ** 63, 0.5]), "mixed"


def test_round_trips_of_images(sandbox):
    sandbox.write("a-idx3-ubyte", idx_bytes((5, 4, 3), random_bytes(60, 1)))
    check_round_trip(sandbox, "a-idx3-ubyte", "b.npy", "c-ubyte.gz", "d.idx")
    check_round_trip(sandbox, "a-idx3-ubyte", "b.bvecs", "c.csv", options=["--shape", "4x3"])
    sandbox.write("l-idx1-ubyte", idx_bytes((5,), range(5)))
    check_round_trip(sandbox, "l-idx1-ubyte", "b.npy", "c.ivecs", "d.idx.gz", "e.csv")
    convert(sandbox, "a-idx3-ubyte", "z.idx.gz")
    assert (gzip.decompress((sandbox.path / "z.idx.gz").read_bytes())
            == (sandbox.path / "a-idx3-ubyte").read_bytes()), "gzip reads something else"


def test_many_pieces(sandbox):
    """More than one MiB, compressed and not, and ranges whose ends lie inside of pieces."""
    images = random_bytes(9000 * 784, 2)
    sandbox.write("i-idx3-ubyte.gz", gzip.compress(idx_bytes((9000, 28, 28), images), 1))
    convert(sandbox, "i-idx3-ubyte.gz", "i.npy")
    kind, shape, _ = data.read_npy(sandbox.path / "i.npy")
    assert (kind, shape) == ("uint8", (9000, 28, 28)), f"{kind} {shape}"
    assert (sandbox.path / "i.npy").read_bytes().endswith(images), "numbers"
    for first, end in ((0, 1), (1337, 1338), (1336, 5000), (8999, 9000)):
        convert(sandbox, "i-idx3-ubyte.gz", "part.npy", "--force", "--rows", f"{first}:{end}")
        content = (sandbox.path / "part.npy").read_bytes()
        assert content.endswith(b"\n" + images[first * 784:end * 784]), f"{first}:{end}"
    convert(sandbox, "i.npy", "z-ubyte.gz")
    assert (gzip.decompress((sandbox.path / "z-ubyte.gz").read_bytes())
            == idx_bytes((9000, 28, 28), images)), "compressed again"


def test_cifar_pixels_and_labels(sandbox):
    planes = [random_bytes(CIFAR_PIXELS, seed) for seed in range(3)]
    sandbox.write("c.bin", b"".join(bytes([label]) + image
                                    for label, image in zip((7, 0, 9), planes)))
    convert(sandbox, "c.bin", "c.bvecs", "--labels", "labels.ivecs", "--rows", "1:")
    expected = [[image[c * 1024 + p] for p in range(1024) for c in range(3)] for image in planes]
    assert (sandbox.path / "c.bvecs").read_bytes() == data.texmex_bytes(expected[1:], ".bvecs"), (
        "pixels")
    assert ((sandbox.path / "labels.ivecs").read_bytes()
            == data.texmex_bytes([[0], [9]], ".ivecs")), "labels"
    sandbox.write("c100.bin", bytes([3, 41]) + planes[0] + bytes([5, 99]) + planes[1])
    convert(sandbox, "c100.bin", "c100.npy", "--labels", "both.csv")
    assert sandbox.read("both.csv") == "x0,x1\n3,41\n5,99\n", sandbox.read("both.csv")
    sandbox.expect(sandbox.assay("dataset", "convert", "c.bin", "bare.npy"), 0, "",
                   "assay: the labels of c.bin were left out; --labels FILE keeps them\n")


def test_idx_labels_stand_beside(sandbox):
    sandbox.write("t-images-idx3-ubyte", idx_bytes((4, 2, 2), range(16)))
    sandbox.write("t-labels-idx1-ubyte", idx_bytes((4,), (3, 1, 4, 1)))
    convert(sandbox, "t-images-idx3-ubyte", "t.fvecs", "--labels", "l.npy", "--rows", "1:3")
    assert data.read_npy(sandbox.path / "l.npy") == ("uint8", (2,), [1, 4]), "labels"
    sandbox.write("t-labels-idx1-ubyte", idx_bytes((3,), (3, 1, 4)))
    refuses(sandbox, "--labels: t-labels-idx1-ubyte: expected one number for each of the 4 images "
                     "of t-images-idx3-ubyte",
            "t-images-idx3-ubyte", "out.npy", "--labels", "out.ivecs")
    sandbox.write("other.idx", idx_bytes((4, 2, 2), range(16)))
    refuses(sandbox, "--labels: other.idx: its labels cannot be found by its name; expected one "
                     "with 'images-idx3'", "other.idx", "out.npy", "--labels", "out.ivecs")


NUMPY_SIDE = """
import hashlib, numpy
found, wanted = numpy.load("a.npy"), numpy.load("all.npy")[10:20].reshape(10, 2, 3)
print(found.dtype, found.shape, found.flags.c_contiguous, found.tobytes() == wanted.tobytes())
print(hashlib.sha256(found.tobytes()).hexdigest())
numpy.savetxt("text.csv", found[:, 0, 1].astype(float), fmt="%.17g")
"""


def test_numpy_reads_it(sandbox, numpy_python):
    rows = data.make_rows(30, 6, 3)
    sandbox.write("a.fvecs", data.texmex_bytes(rows, ".fvecs"))
    sandbox.write("all.npy", data.npy_bytes(rows))
    convert(sandbox, "a.fvecs", "a.npy", "--rows", "10:20", "--shape", "2x3")
    told = subprocess.run([numpy_python, "-c", NUMPY_SIDE], cwd=sandbox.path, check=True,
                          capture_output=True, text=True).stdout.splitlines()
    assert told[0] == "float32 (10, 2, 3) True True", told[0]
    info = sandbox.expect(sandbox.assay("dataset", "info", "a.npy"), 0, None, "").out
    assert numbers_of_info(info)["sha256 of rows"] == told[1], info
    convert(sandbox, "text.csv", "back.fvecs")
    assert ((sandbox.path / "back.fvecs").read_bytes()
            == data.texmex_bytes([[row[1]] for row in rows[10:20]], ".fvecs")), "NumPy's text"


# ---- info ----


def test_info(sandbox):
    rows = [[1.5, 2.0], [0.25, -8.0], [1.5, 2.0], [1.5, 2.0], [0.0, 2.0], [-0.0, 2.0]]
    content = data.texmex_bytes(rows, ".fvecs")
    sandbox.write("a.fvecs", content)
    bare = b"".join(struct.pack("<2f", *row) for row in rows)
    sandbox.expect(
        sandbox.assay("dataset", "info", "a.fvecs"), 0,
        "a.fvecs\n"
        "  format         fvecs\n"
        "  shape          6 x 2\n"
        "  type           float32\n"
        "  range          -8 to 2\n"
        "  mean           0.5625\n"
        "  not finite     0\n"
        "  duplicates     2\n"
        f"  sha256         {hashlib.sha256(content).hexdigest()}\n"
        f"  sha256 of rows {hashlib.sha256(bare).hexdigest()}\n", "")


def test_info_of_what_is_not_finite(sandbox):
    nan, inf = float("nan"), float("inf")
    sandbox.write("a.npy", data.npy_bytes([[nan, 3.0], [-inf, 5.0], [inf, nan]], "float64"))
    info = sandbox.expect(sandbox.assay("dataset", "info", "a.npy"), 0, None, "").out
    found = numbers_of_info(info)
    assert (found["not finite"], found["range"], found["mean"]) == ("4", "3 to 5", "4"), info
    sandbox.write("b.npy", data.npy_bytes([[nan], [nan]], "float32"))
    info = sandbox.expect(sandbox.assay("dataset", "info", "b.npy"), 0, None, "").out
    assert "range" not in info and numbers_of_info(info)["duplicates"] == "1", info


def test_info_of_every_format(sandbox):
    labels = (4, 9, 6)
    images = [random_bytes(CIFAR_PIXELS, seed) for seed in (1, 1, 2)]
    sandbox.write("a.bin", b"".join(bytes([k]) + image for k, image in zip(labels, images)))
    sandbox.write("a-ubyte.gz", gzip.compress(idx_bytes((3, 2, 2), range(12))))
    sandbox.write("a.csv", "\ufeffx,y\r\n1, 9007199254740993\r\n\"3\",-4\r\n")
    sandbox.write("b.csv", "1,-0\n")
    sandbox.write("a.ivecs", data.texmex_bytes([[5], [5]], ".ivecs"))
    expected = {
        "a.bin": {"format": "cifar", "shape": "3 x 3072", "label 0": "4 to 9", "duplicates": "1"},
        "a-ubyte.gz": {"format": "idx, gzip", "shape": "3 x 2 x 2", "mean": "5.5"},
        "a.csv": {"shape": "2 x 2", "type": "int64", "range": "-4 to 9007199254740993"},
        "b.csv": {"shape": "1 x 2", "type": "float64, all whole numbers", "mean": "0.5"},
        "a.ivecs": {"shape": "2 x 1", "type": "int32", "range": "5 to 5", "duplicates": "1"},
    }
    out = sandbox.expect(sandbox.assay("dataset", "info", *expected), 0, None, "").out
    for part in re.split(r"^(?=\S)", out, flags=re.MULTILINE)[1:]:
        name = part.splitlines()[0]
        found = numbers_of_info(part)
        for key, value in expected.pop(name).items():
            assert found[key] == value, f"{key}: expected {value} in\n{part}"
    assert not expected, f"{expected} not shown"


def test_info_goes_on_after_an_error(sandbox):
    sandbox.write("a.bvecs", data.texmex_bytes([[1, 2]], ".bvecs"))
    result = sandbox.assay("dataset", "info", "none.npy", "a.bvecs")
    assert result.code == 2 and result.out.startswith("a.bvecs\n  format"), str(result)
    assert result.err.startswith("assay: none.npy: no such file"), str(result)


# ---- Refusals ----


def test_numbers_that_do_not_fit(sandbox):
    def row(name, value, kind):
        sandbox.write(name, data.npy_bytes([[1, 2], [3, value]], kind))

    for value, text in ((0.5, "0.5"), (256.0, "256"), (-1.0, "-1"), (-0.0, "-0"),
                        (float("nan"), "NaN"), (float("-inf"), "-infinity"), (1e30, "1e+30")):
        row("a.npy", value, "float64")
        refuses(sandbox, f"a.npy: row 1, column 1 is {text}; expected whole numbers 0 to 255 "
                         "(uint8) for bvecs", "a.npy", "out.bvecs")
    row("a.npy", 2 ** 31, "int64")
    refuses(sandbox, "a.npy: row 1, column 1 is 2147483648; expected whole numbers of 32 bits "
                     "(int32) for ivecs", "a.npy", "out.ivecs")
    row("a.npy", 2 ** 24 + 1, "int32")
    refuses(sandbox, "a.npy: row 1, column 1 is 16777217; expected numbers that float32 holds "
                     "exactly for fvecs", "a.npy", "out.fvecs")
    for value in (0.1, 1e39, 1e-300):
        row("a.npy", value, "float64")
        refuses(sandbox, f"a.npy: row 1, column 1 is {value:g}; expected numbers that float32 "
                         "holds exactly for fvecs", "a.npy", "out.fvecs")
    for value in (2 ** 53 + 1, 2 ** 63 - 1):
        row("a.npy", value, "int64")
        refuses(sandbox, f"a.npy: row 1, column 1 is {value}; expected numbers that float64 holds "
                         "exactly for npy", "a.npy", "out.npy", "--type", "float64")
    row("a.npy", 2.0 ** 63, "float64")
    refuses(sandbox, "a.npy: row 1, column 1 is 9.223372036854776e+18; expected whole numbers of "
                     "64 bits (int64) for npy", "a.npy", "out.npy", "--type", "int64")
    row("a.npy", float("inf"), "float32")
    refuses(sandbox, "a.npy: row 1, column 1 is infinity; expected finite numbers for csv",
            "a.npy", "out.csv")
    # Rows are numbered as in the file, wherever the range and the piece begin.
    sandbox.write("a.npy", data.npy_bytes([[1.0]] * 5000 + [[1.5]], shape=[5001, 1]))
    refuses(sandbox, "a.npy: row 5000, column 0 is 1.5; expected whole numbers 0 to 255 (uint8) "
                     "for bvecs", "a.npy", "out.bvecs", "--rows", "4990:")
    convert(sandbox, "a.npy", "rows.bvecs", "--rows", ":5000")
    row("a.npy", float("inf"), "float32")
    # Between equal types every bit stays, NaN's too.
    convert(sandbox, "a.npy", "same.fvecs")


def test_options_that_do_not_fit(sandbox):
    sandbox.write("a.bvecs", data.texmex_bytes([[1, 2, 3, 4]] * 5, ".bvecs"))
    formats = "expected fvecs, bvecs, ivecs, npy, csv, idx, cifar, tsv, text, npz, hdf5 or parquet"
    for message, *arguments in (
        ("--rows 3:3: is an empty range of a.bvecs", "out.npy", "--rows", "3:3"),
        ("--rows 2:6: reaches out of a.bvecs, which has 5 rows", "out.npy", "--rows", "2:6"),
        ("--rows 7:: is an empty range of a.bvecs", "out.npy", "--rows", "7:"),
        ("--rows 3: expected FIRST:END, rows counted from 0 and END not included; either may be "
         "left out", "out.npy", "--rows", "3"),
        ("--rows -1:3: expected FIRST:END, rows counted from 0 and END not included; either may "
         "be left out", "out.npy", "--rows=-1:3"),
        ("--type int16: expected float32, float64, uint8, int32 or int64", "out.npy", "--type",
         "int16"),
        ("--type float32: bvecs holds uint8", "out.bvecs", "--type", "float32"),
        ("--shape 3x1: a row has 4 numbers, not 3", "out.npy", "--shape", "3x1"),
        ("--shape 4: expected HEIGHTxWIDTH, such as 28x28", "out.npy", "--shape", "4"),
        ("--shape: fvecs has rows and columns only; expected npy or idx", "out.fvecs", "--shape",
         "2x2"),
        (f"--to: unknown format 'fvec' (did you mean 'fvecs'?); {formats}", "out.npy", "--to",
         "fvec"),
        ("out.bin: cifar is only read; expected fvecs, bvecs, ivecs, npy, csv or idx",
         "out.bin"),
        ("out.txt: text is only read; expected fvecs, bvecs, ivecs, npy, csv or idx", "out.txt"),
        ("expected --to: out.doc: its name does not tell its format: expected .fvecs, .bvecs, "
         ".ivecs, .npy, .csv, .tsv, .txt, .npz, .h5, .parquet, .bin (CIFAR), .idx or -ubyte (IDX, "
         "also with .gz)", "out.doc"),
        ("--labels: bvecs has none; expected idx images or cifar", "out.npy", "--labels", "l.npy"),
        ("--labels ./out.npy: is the file of the rows; expected another", "out.npy", "--labels",
         "./out.npy"),
        ("no/out.npy: cannot be written: No such file or directory", "no/out.npy"),
    ):
        code = 4 if "cannot be written" in message else 2
        refuses(sandbox, message, "a.bvecs", *arguments, code=code)


def test_never_over_what_is_there(sandbox):
    sandbox.write("a.bvecs", data.texmex_bytes([[1, 2]], ".bvecs"))
    sandbox.write("out.npy", "precious")
    sandbox.write("l.npy", "precious")
    (sandbox.path / "folder.npy").mkdir()
    os.symlink("nowhere", sandbox.path / "link.npy")
    refuses(sandbox, "out.npy: is there already; --force replaces it", "a.bvecs", "out.npy")
    refuses(sandbox, "link.npy: is there already; --force replaces it", "a.bvecs", "link.npy")
    refuses(sandbox, "folder.npy: is a folder; expected the name of a file to write", "a.bvecs",
            "folder.npy", "--force")
    sandbox.write("c.bin", bytes(3073))
    refuses(sandbox, "l.npy: is there already; --force replaces it", "c.bin", "new.npy",
            "--labels", "l.npy")
    convert(sandbox, "a.bvecs", "out.npy", "--force")
    assert data.read_npy(sandbox.path / "out.npy") == ("uint8", (1, 2), [1, 2]), "replaced"
    # A failure leaves what is there, even where it may be replaced; a file may replace itself.
    sandbox.write("half.npy", data.npy_bytes([[0.5]], "float32"))
    refuses(sandbox, "half.npy: row 0, column 0 is 0.5; expected whole numbers 0 to 255 (uint8) "
                     "for npy", "half.npy", "out.npy", "--type", "uint8", "--force")
    convert(sandbox, "out.npy", "out.npy", "--type", "int64", "--force")
    assert data.read_npy(sandbox.path / "out.npy") == ("int64", (1, 2), [1, 2]), "itself"


# ---- Files that are not what they seem ----


def test_hostile_headers(sandbox):
    whole = data.texmex_bytes([[1, 2, 3]] * 4, ".fvecs")
    wide = data.texmex_bytes([[1, 2, 3], [1, 2, 3]], ".bvecs")
    for name, content, message in (
        ("a.fvecs", b"", "is empty"),
        ("a.fvecs", b"\x01\0", "truncated: row 0 begins with the 4 bytes of its dimension, found "
                               "2"),
        ("a.fvecs", whole[:-1], "truncated: row 3 begins at byte 48 and has 15 bytes; expected "
                                "16"),
        ("a.fvecs", struct.pack("<i", -3) + whole[4:],
         "row 0 has dimension -3; expected 1 to 1048576: is it of the format that its name says?"),
        ("a.fvecs", struct.pack("<i", 2 ** 31 - 1) + whole[4:],
         "row 0 has dimension 2147483647; expected 1 to 1048576: is it of the format that its name "
         "says?"),
        ("a.bvecs", wide[:7] + struct.pack("<i", 2) + wide[11:],
         "row 1 (byte 7) has dimension 2; expected 3 as in row 0"),
        ("a.npy", data.npy_bytes([[1.0]], shape=[2 ** 62, 8]),
         "announces float32 4611686018427387904 x 8, more than any memory holds"),
        ("a.npy", data.npy_bytes([[1.0]], shape=[9, 9]), "truncated: {*}"),
        ("a.npy", data.npy_bytes([], shape=[0, 9]), "dimension 0 is 0"),
        ("a.npy", b"\x93NUMPY\x01\x00\xff\xff{", "truncated: {*}"),
        ("a.npy", data.npy_bytes([[1]], "complex64"), "holds complex64 ('<c8'); expected {*}"),
        ("a.idx", b"\0\0\x08\x04" + bytes(40), "begins with 00 00 08 04; expected 00 00 08 01 to "
         "00 00 08 03, an IDX file of bytes with 1 to 3 dimensions"),
        ("a.idx", b"\0\0\x0d\x01" + bytes(40), "begins with 00 00 0d 01; {*}"),
        ("a.idx", b"\0\0\x08\x03\0\0", "ends after 6 bytes, in its header"),
        ("a.idx", struct.pack(">4I", 0x803, 2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1),
         "the header promises {*}"),
        ("a.idx", idx_bytes((2, 2, 0), b""), "dimension 2 is 0"),
        ("a.idx", idx_bytes((2, 2), range(5)), "the header promises 4 bytes after it, the file has "
                                               "5"),
        ("a.bin", bytes(3072), "3072 bytes; expected a multiple of 3073 or 3074, the records of "
                               "CIFAR's binary format"),
    ):
        sandbox.write(name, content)
        refuses(sandbox, f"{name}: {message}", name, "out.csv")


def test_damaged_compression(sandbox):
    packed = gzip.compress(idx_bytes((50, 4, 4), random_bytes(800, 4)), mtime=0)
    for content, message in (
        (packed[:-200], "the gzip data is truncated ({*})"),
        (packed[:-6] + b"\xff" + packed[-5:], "the gzip data is damaged ({*})"),
        (packed + b"more", "4 bytes follow the end of the gzip data"),
        (gzip.compress(idx_bytes((50, 4, 4), bytes(801))),
         "goes on after the 800 bytes that its header promises"),
        (gzip.compress(idx_bytes((50, 4, 4), bytes(799))),
         "ends after 799 of the 800 bytes that its header promises"),
        (gzip.compress(idx_bytes((2 ** 31, 4, 4), bytes(9))), "the header promises {*}"),
    ):
        sandbox.write("a-ubyte.gz", content)
        refuses(sandbox, f"a-ubyte.gz: {message}", "a-ubyte.gz", "out.npy")


def test_malformed_csv(sandbox):
    finite = "expected a finite number, whole ones within 64 bits"
    choice = "; columns are chosen as in FILE[age,income], and FILE[-name] is all but one"
    for content, message in (
        ("\ufeff", "is empty; expected lines of numbers"),
        ("x,y\n", "has a header and no rows"),
        ("1,2\n3\n", "line 2: has 1 fields; expected 2 as in the first line"),
        ("x,y\n1,2,3\n", "line 2: has 3 fields; expected 2 as in the first line"),
        ("1,b\n", f"line 1, column 2 is 'b'; {finite}"),
        ("name,age\nAnn,7\n", f"line 2, column 1 is 'Ann'; {finite}{choice}"),
        ("nan,inf\n", f"line 1, column 1 is 'nan'; {finite}"),
        ("1,2\n\n3,4\n", f"line 2, column 1 is ''; {finite}"),
        ("x\n1e999\n", f"line 2, column 1 is '1e999'; {finite}{choice}"),
        ("x\n0x10\n", f"line 2, column 1 is '0x10'; {finite}{choice}"),
        ("9223372036854775808\n", f"line 1, column 1 is '9223372036854775808'; {finite}"),
        ("1\n\"2\n", "line 2: a quoted field is not closed"),
        ("1\n2\"\n", "line 2: unexpected quote in a field without quotes"),
        ("\"1\"2\n", "line 1: unexpected text after a closing quote"),
        ("1\n2\0\n", "line 2: has a NUL byte"),
        ("9007199254740993\n0.5\n", "line 1, column 1 is 9007199254740993, which float64 does not "
                                    "hold exactly, beside numbers that are not whole"),
    ):
        sandbox.write("a.csv", content)
        refuses(sandbox, f"a.csv: {message}", "a.csv", "out.npy")


def test_places_that_are_no_files(sandbox):
    (sandbox.path / "d.idx").mkdir()
    os.mkfifo(sandbox.path / "p.bin")
    for name in ("d.idx", "p.bin"):
        sandbox.refuses(sandbox.assay("dataset", "info", name), f"{name}: is not a regular file")
    result = sandbox.assay("dataset", "convert", "none.fvecs", "out.npy")
    assert result.code == 2 and "none.fvecs: no such file" in result.err, str(result)


def test_usage(sandbox):
    for arguments, message in (
        ((), ": expected info, convert, import, extract or fetch; 'assay dataset --help' "
         "explains"),
        (("inof",), ": unknown command 'inof' (did you mean 'info'?); expected info, convert, import, "
                    "extract or fetch"),
        (("info",), " info: expected FILE"),
        (("convert", "a"), " convert: expected IN and OUT"),
        (("convert", "a", "b", "c"), " convert: unexpected 'c'; 'assay dataset convert --help' "
                                     "explains"),
        (("extract", "a"), " extract: expected FOLDER and OUT"),
    ):
        sandbox.expect(sandbox.assay("dataset", *arguments), 2, "", f"assay dataset{message}\n")
    help_text = sandbox.expect(sandbox.assay("dataset", "--help"), 0, None, "").out
    options = set(re.findall(r"--[a-z-]+", help_text))
    for name in ("info", "convert", "extract"):
        own = sandbox.expect(sandbox.assay("dataset", name, "--help"), 0, None, "").out
        told = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", own, re.MULTILINE)) - {"--help"}
        assert told <= options, f"{name} has {told - options}, which 'dataset --help' has not"


# ---- Full disks ----


def test_full_disk(sandbox):
    sandbox.write("a.bvecs", data.texmex_bytes([[7] * 1000] * 400, ".bvecs"))
    n_refused = 0
    for size_kib in (4, 64, 1024, 4096):
        with SmallDisk(sandbox, size_kib) as disk:
            for name in ("disk/out.fvecs", "disk/out.csv"):
                result = sandbox.assay("dataset", "convert", "a.bvecs", name)
                if result.code == 0:
                    (sandbox.path / name).unlink()
                    continue
                n_refused += 1
                sandbox.expect(result, 4, "",
                               f"assay: {name}: cannot be written: No space left on device\n")
                assert list(disk.path.iterdir()) == [], "something was left behind"
    assert n_refused == 5, f"{n_refused} refused"


def test_file_size_limit(sandbox):
    """The same without root; labels do not appear without their rows."""
    sandbox.write("c.bin", bytes(3073 * 100))
    command = "assay dataset convert c.bin out.bvecs --labels l.npy"
    libraries = subprocess.run(["ldd", sandbox.assay_path], capture_output=True, text=True,
                               check=False).stdout
    if "libomp" in libraries:
        pytest.skip("clang's OpenMP makes a file in shared memory, and falls to the limit itself")
    before = sandbox.tree()
    # 302,080 of the 307,600 bytes: only what is buffered to the end does not fit.
    for blocks in (1, 100, 500, 590):
        sandbox.expect(sandbox.shell(f"ulimit -f {blocks}; {command}"), 4, "",
                       "assay: out.bvecs: cannot be written: File too large\n")
        assert sandbox.tree() == before, f"left behind: {sorted(sandbox.tree())}"
    sandbox.expect(sandbox.shell(command), 0, "", "")


def test_interrupted(sandbox):
    """Ctrl-C leaves nothing behind."""
    sandbox.write("a.npy", data.npy_bytes([[0] * 1024], "uint8", shape=[30000, 1024])
                  + bytes(1024 * 29999))
    before = sandbox.tree()
    process = sandbox.start("dataset", "convert", "a.npy", "out.csv")
    try:
        deadline = time.monotonic() + 110
        while not list(sandbox.path.glob("out.csv.*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "assay: interrupted; nothing was written\n"), (
        f"{process.returncode} {err}")
    assert sandbox.tree() == before, f"left behind: {sorted(sandbox.tree())}"


# ---- Real data ----


def test_real_files(sandbox):
    """Shapes, ranges and sums as the data's own README tells them, and a round trip of each."""
    sandbox.use_real_data()
    folder = pathlib.Path(sandbox.environment["ASSAY_DATA"])
    sums = {name.removeprefix("./"): digest for digest, name in
            (line.split() for line in (folder / "SHA256SUMS").read_text().splitlines())}
    for name, shape, span, mean in (
        ("sift/siftsmall_query.fvecs", "100 x 128", "0 to 169", None),
        ("cifar10/cifar10_test2k.bin", "2000 x 3072", "0 to 255", "121.3"),
        ("mnist/t10k-images-idx3-ubyte.gz", "10000 x 28 x 28", "0 to 255", "33.8"),
        ("cifar10/cifar10_gist512_20k_label.ivecs", "20000 x 1", "0 to 9", "4.5"),
    ):
        out = sandbox.expect(sandbox.assay("dataset", "info", name), 0, None, "").out
        found = numbers_of_info(out)
        assert (found["shape"], found["range"]) == (shape, span), out
        assert mean is None or f"{float(found['mean']):.1f}" == mean, out
        assert found["sha256"] == sums[name], out
    convert(sandbox, "sift/siftsmall_query.fvecs", "q.bvecs")
    convert(sandbox, "q.bvecs", "q.csv")
    convert(sandbox, "q.csv", "q.fvecs")
    assert ((sandbox.path / "q.fvecs").read_bytes()
            == (folder / "sift/siftsmall_query.fvecs").read_bytes()), "round trip"


def test_extract(sandbox):
    sandbox.use_real_data()
    source = pathlib.Path(sandbox.environment["ASSAY_DATA"]) / "photos/imagenet60/private10"
    photos = sorted(source.glob("*.jpg"))[:2]
    for photo in photos:
        sandbox.write(f"photos/{photo.name}", photo.read_bytes())
    command = ("dataset", "extract", "photos", "s.bvecs", "--largest", "200")
    sandbox.expect(sandbox.assay(*command), 0, "", "")
    lines = sandbox.read("s_keypoints.csv").splitlines()
    rows = (sandbox.path / "s.bvecs").read_bytes()
    assert lines[0] == "photo,x,y,size,angle", lines[0]
    assert len(rows) == (len(lines) - 1) * 132 and len(lines) > 50, f"{len(rows)} {len(lines)}"
    names = [line.split(",")[0] for line in lines[1:]]
    assert names == sorted(names) and set(names) == {photo.name for photo in photos}, "order"
    for line in lines[1:]:
        x, y, size, angle = map(float, line.split(",")[1:])
        assert 0 <= x < 200 and 0 <= y < 200 and size > 0 and 0 <= angle < 360, line
    for at in range(0, len(rows), 132):
        norm = sum(value * value for value in rows[at + 4:at + 132]) ** 0.5
        assert 480 < norm < 540, f"norm {norm} of row {at // 132}; SIFT has about 512"
    before = sandbox.tree()
    sandbox.refuses(sandbox.assay(*command), "s.bvecs: is there already; --force replaces it")
    (sandbox.path / "s.bvecs").unlink()
    sandbox.refuses(sandbox.assay(*command),
                    "s_keypoints.csv: is there already; --force replaces it")
    sandbox.expect(sandbox.assay(*command, "--force"), 0, "", "")
    assert sandbox.tree() == before, "another result the second time"
    sandbox.refuses(sandbox.assay("dataset", "extract", "photos", "s.fvecs"),
                    "s.fvecs: expected a name that ends in .bvecs")
    sandbox.refuses(sandbox.assay("dataset", "extract", "photos", "t.bvecs", "--largest", "8"),
                    "--largest 8: expected 32 to 10000 pixels")
    sandbox.write("photos/broken.jpg", b"\xff\xd8 this is no photograph")
    result = sandbox.assay("dataset", "extract", "photos", "t.bvecs")
    assert result.code == 2 and "broken.jpg" in result.err, str(result)
    result = sandbox.assay("dataset", "extract", "photos", "t.bvecs", "--largest", "200",
                           "--skip-unusable")
    assert result.code == 0 and "warning" in result.err, str(result)
    assert (sandbox.path / "t.bvecs").read_bytes() == rows, "skipping changed the rows"


def test_no_folder_of_developers_is_named(sandbox):
    """Without ASSAY_DATA, a file that is missing was looked for where the scenario is."""
    tiny.write(sandbox)
    (sandbox.path / "private.fvecs").unlink()
    for command in (("run", "tiny.scenario"), ("dataset", "info", "private.fvecs")):
        result = sandbox.assay(*command, ASSAY_DATA="")
        assert result.code == 2 and "private.fvecs: no such file" in result.err, result
        assert "shared/data" not in result.err and "ASSAY_DATA tells" in result.err, result


def test_rows_of_a_whole_file(sandbox):
    """Rows are chosen elsewhere; nobody is told that the file is missing."""
    sandbox.write("a.csv", "1,2\n3,4\n")
    for name in ("a.csv[0:1]", "a.csv[1:]"):
        sandbox.refuses(sandbox.assay("dataset", "info", name),
                        f"{name}: rows are chosen in scenarios and by 'assay audit'; expected a "
                        "whole file, or --rows of 'assay dataset convert'")
