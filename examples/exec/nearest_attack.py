#!/usr/bin/env python3
"""An attack in Python alone, without NumPy: guesses the public row nearest to what was released.

Assay calls it with a folder. It is told release/ and what the scenario granted it: here public.npy.
"""
import array
import ast
import json
import math
import pathlib
import struct
import sys


def load(path):
    """A float32 array of two dimensions as a list of rows."""
    content = path.read_bytes()
    length = struct.unpack("<H", content[8:10])[0]
    rows, columns = ast.literal_eval(content[10:10 + length].decode())["shape"]
    numbers = array.array("f", content[10 + length:])
    return [numbers[i * columns:(i + 1) * columns] for i in range(rows)]


def save(path, rows):
    header = repr({"descr": "<f4", "fortran_order": False, "shape": (len(rows), len(rows[0]))})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    numbers = b"".join(array.array("f", row).tobytes() for row in rows)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + numbers)


folder = pathlib.Path(sys.argv[-1])
public = load(folder / "public.npy")
released = load(folder / "release" / "vectors.npy")

guess = folder / "guess"
guess.mkdir()
save(guess / "estimates.npy", [min(public, key=lambda row: math.dist(row, vector))
                               for vector in released])
(guess / "guess.json").write_text(json.dumps({
    "format": "assay-guess/1",
    "arrays": {"estimates": {"file": "estimates.npy"}},
}))
