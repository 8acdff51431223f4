#!/usr/bin/env python3
"""Column sums with Laplace noise, as a mechanism in NumPy that claims epsilon = 1.

Every number is between 0 and 1, and one record may be changed. Each of d sums then moves by 1 at
most, and all of them together by d: noise of scale d / epsilon is private. What is often written
instead is the sensitivity of one column, 1, for all of them. The setting says which of the two.

A sum of doubles has bits that tell what was added: of a sum with noise by a formula, another input
could not have given most of them (Mironov 2012). So what is released is rounded to a grid far
coarser than doubles; the setting as-doubles leaves that out.
"""
import json
import pathlib
import sys

import numpy

EPSILON = 1

folder = pathlib.Path(sys.argv[-1])
request = json.loads((folder / "request.json").read_text())
if request["role"] != "mechanism":
    sys.exit("this program has no releases to make; expected an attack that tests claims")
records = numpy.load(folder / "input.npy").astype("float64")  # n x d

columns = records.shape[1]
sensitivity = {"all-columns": columns, "one-column": 1, "as-doubles": columns}[request["settings"]]
random = numpy.random.default_rng(request["seed"])
noise = random.laplace(scale=sensitivity / EPSILON, size=(request["count"], columns))
released = records.sum(axis=0) + noise
if request["settings"] != "as-doubles":
    released = numpy.rint(released * 2**20) / 2**20

# One run a row: each the same sums with noise of its own.
numpy.save(folder / "outputs.npy", released)
