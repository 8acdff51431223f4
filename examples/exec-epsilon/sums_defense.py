#!/usr/bin/env python3
"""Column sums with Laplace noise, as a mechanism in NumPy that claims epsilon = 1.

Every number is between 0 and 1, and one record may be changed. Each of d sums then moves by 1 at
most, and all of them together by d: noise of scale d / epsilon is private. What is often written
instead is the sensitivity of one column, 1, for all of them. The setting says which of the two.
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

sensitivity = {"all-columns": records.shape[1], "one-column": 1}[request["settings"]]
random = numpy.random.default_rng(request["seed"])
noise = random.laplace(scale=sensitivity / EPSILON, size=(request["count"], records.shape[1]))

# One run a row: each the same sums with noise of its own.
numpy.save(folder / "outputs.npy", records.sum(axis=0) + noise)
