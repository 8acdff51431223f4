"""Mean average precision of hash codes as a user of NumPy would write it.

usage: codes.py FOLDER BITS

FOLDER has items.codes, items.labels, queries.codes and queries.labels (raw bytes). Prints, for two
ways, seconds a query (the best of three) and the mean average precision with ties in database
order: as in the code that papers on hashing share (inner products of +-1 codes, argsort), and with
the distances as 16-bit integers, which NumPy sorts by radix.
"""

import math
import os
import sys
import time

import numpy as np


def read(folder, name, bits):
    codes = np.fromfile(os.path.join(folder, name + ".codes"), dtype=np.uint8)
    labels = np.fromfile(os.path.join(folder, name + ".labels"), dtype=np.uint64)
    return codes.reshape(len(labels), (bits + 7) // 8), labels


def signs(codes, bits):
    return 2 * np.unpackbits(codes, axis=1, bitorder="little")[:, :bits].astype(np.float32) - 1


def average_precision(order, labels, label):
    relevant = (labels == label)[order]
    places = np.flatnonzero(relevant) + 1
    return np.mean(np.arange(1, len(places) + 1) / places)


def plain(items, queries, labels, wanted, bits):
    precisions = []
    for query, label in zip(queries, wanted):
        distances = 0.5 * (bits - query @ items.T)
        precisions.append(average_precision(np.argsort(distances, kind="stable"), labels, label))
    return np.mean(precisions)


def tuned(items, queries, labels, wanted, bits):
    distances = (0.5 * (bits - queries @ items.T)).astype(np.uint16)
    return np.mean([average_precision(np.argsort(row, kind="stable"), labels, label)
                    for row, label in zip(distances, wanted)])


def main():
    folder, bits = sys.argv[1], int(sys.argv[2])
    items, labels = read(folder, "items", bits)
    queries, wanted = read(folder, "queries", bits)
    items, queries = signs(items, bits), signs(queries, bits)
    for way in (plain, tuned):
        best = math.inf
        for _ in range(3):
            start = time.perf_counter()
            found = way(items, queries, labels, wanted, bits)
            best = min(best, time.perf_counter() - start)
        print(best / len(queries), found)


main()
