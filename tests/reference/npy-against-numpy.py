#!/usr/bin/env python3
"""Our reader of .npy files against NumPy's, on the same bytes: files that NumPy wrote, then changed.

usage: npy-against-numpy.py PROGRAM [--inputs N] [--seed S]

PROGRAM is tests/print-arrays. What NumPy reads of one to three dimensions and of a type that loses
nothing as one of ours, we read with the same numbers; what we read, NumPy reads. A file with bytes
behind its numbers is ours to refuse, and NumPy's to read: it looks at no end. Headers that only a
parser of Python would read are refused by us, and are counted."""

import argparse
import collections
import hashlib
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError:
    system = "/usr/bin/python3"  # which has it more often than others
    if os.path.exists(system) and sys.executable != system:
        os.execv(system, [system, *sys.argv])
    print("neither this python3 nor /usr/bin/python3 has NumPy")
    sys.exit(77)

# As tests/unit/core/data/test-npy-layout.c has it: what each is read as.
AS = {"f2": "f4", "f4": "f4", "f8": "f8", "b1": "u1", "u1": "u1", "i1": "i4", "i2": "i4", "u2": "i4",
      "i4": "i4", "u4": "i8", "i8": "i8", "u8": "i8"}
WORDS = [b"True", b"False", b"'descr'", b"'shape'", b"'fortran_order'", b"(", b")", b",", b":", b"{",
         b"}", b" ", b"\n", b"<f4", b">f8", b"|b1", b"=i4", b"<f2", b"|O", b"<c8", b"0", b"1", b"2",
         b"-1", b"18446744073709551616", b"4294967296", b"\x00", b"\xff", b"\"", b"'", b"[", b"]",
         b"L"]


def original(dice):
    """Bytes of a file as NumPy writes it."""
    kind = dice.choice(["<", ">"]) + dice.choice([*AS, "c8", "S3"])
    shape = tuple(dice.randrange(0, 5) for _ in range(dice.randrange(0, 5)))
    size = int(np.prod(shape))
    raw = dice.randbytes(size * np.dtype(kind).itemsize)
    if kind[1:] == "b1":
        raw = bytes(byte & 1 for byte in raw)
    array = np.frombuffer(raw, dtype=kind).reshape(shape)
    if dice.random() < 0.3:
        array = np.asfortranarray(array)
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=dice.choice([(1, 0), (2, 0), (3, 0)]))
    return file.getvalue()


def header_end(content):
    """Where the numbers begin, as the file says it."""
    wide = content[6:7] != b"\x01"
    return (12 if wide else 10) + int.from_bytes(content[8:12 if wide else 10], "little")


def changed(content, dice):
    """One to three changes, most in the header; most keep its length, so that it is still found."""
    content = bytearray(content)
    for _ in range(dice.choice([0, 1, 1, 1, 2, 3])):
        end = min(max(header_end(content), 11), len(content))
        at = dice.randrange(0, max(end if dice.random() < 0.9 else len(content), 1))
        kind = dice.randrange(6)
        if kind == 0 and content:
            content[at] = dice.randrange(256)
        elif kind == 1 and content:
            content[at] ^= 1 << dice.randrange(8)
        elif kind == 2:
            word = dice.choice(WORDS)
            content[at:at + len(word)] = word
        elif kind == 3:  # put in, and taken from the spaces that fill the header
            word = dice.choice(WORDS)
            spaces = content.rfind(b" " * len(word), 0, end)
            if spaces >= at:
                del content[spaces:spaces + len(word)]
                content[at:at] = word
        elif kind == 4:
            del content[dice.randrange(len(content) + 1):]
        else:
            content += dice.randbytes(dice.randrange(1, 20))
    return bytes(content)


def numpys(content):
    """What NumPy reads, as our program would say it; None where it is not for us; or "refused"."""
    file = io.BytesIO(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.lib.format.read_array(file, allow_pickle=False)
    except Exception:  # NumPy's reader lets out what its parsers raise: SyntaxError, MemoryError...
        return "refused"
    kind = array.dtype.str[1:]
    if kind not in AS or not 1 <= array.ndim <= 4 or array.dtype.names or file.read(1):
        return None
    if kind == "u8" and array.size > 0 and array.max() >= 2**63:
        return None
    if kind == "b1":  # what is neither 0 nor 1 is true
        array = array.view("u1") != 0
    array = np.ascontiguousarray(array).astype(f"<{AS[kind]}")
    shape = "".join(f"{size}," for size in array.shape)
    return f"{array.dtype.name} ({shape}) {hashlib.sha256(array.tobytes()).hexdigest()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--inputs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice, counts, wrong = random.Random(options.seed), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, options.inputs, 1000):
            files = [changed(original(dice), dice) for _ in range(min(1000, options.inputs - start))]
            paths = [pathlib.Path(folder) / f"{i}.npy" for i in range(len(files))]
            for path, content in zip(paths, files):
                path.write_bytes(content)
            done = subprocess.run([options.program], input="".join(f"{path}\n" for path in paths),
                                  capture_output=True, text=True, check=True)
            ours = done.stdout.splitlines()
            assert len(ours) == len(files), "a line for each path"
            for content, our in zip(files, ours):
                theirs = numpys(content)
                kind = ("both refuse" if theirs == "refused" and our.startswith("refused") else
                        "the same" if theirs == our else
                        "not for us" if theirs is None and our.startswith("refused") else
                        "NumPy alone" if our.startswith("refused") else "WE ALONE" if
                        theirs in ("refused", None) else "OTHER NUMBERS")
                counts[kind] += 1
                if kind in ("WE ALONE", "OTHER NUMBERS"):
                    wrong.append((kind, our, theirs, content[:160]))
                elif kind == "NumPy alone":
                    reason = our.rpartition(".npy: ")[2]
                    counts[f"  {reason.partition(', found')[0].partition(';')[0][:70]}"] += 1
    for kind, count in counts.items():
        print(f"{count:8} {kind}")
    for found in wrong[:10]:
        print(*found, sep="\n    ")
    enough = counts["the same"] >= options.inputs / 20 and counts["both refuse"] > options.inputs / 20
    if not enough:
        print("few files were read by both, or refused by both")
    sys.exit(1 if wrong or not enough else 0)


if __name__ == "__main__":
    main()
