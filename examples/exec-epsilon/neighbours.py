#!/usr/bin/env python3
"""Writes neighbours.npy: four pairs of small datasets that differ in one record."""
import pathlib

import numpy

RECORDS, COLUMNS = 4, 3

random = numpy.random.default_rng(1)
inputs = []
for position in range(4):
    # Numbers in [0, 1], and one record changed. The worst first: from all 0 to all 1.
    first = random.uniform(size=(RECORDS, COLUMNS))
    second = first.copy()
    first[position], second[position] = (0, 1) if position == 0 else random.uniform(size=(2, COLUMNS))
    inputs += [first, second]

# 2p x rows x columns: inputs 2i and 2i + 1 are a pair.
numpy.save(pathlib.Path(__file__).parent / "neighbours.npy", numpy.stack(inputs))
