"""The job of bench/subspace.c as a careful user of NumPy would write it.

usage: subspace.py FOLDER RUNS

FOLDER holds rows.u8 (N x d), translation.f32 (n x d), basis.f32 (n x m x d), found.i64 (n x k, what
Assay found) and sizes.json. Prints one JSON object: the seconds of each run for the best of several
block sizes, and how many of the rows that were found are the same as Assay's.

The distances come block by block from float32 matrix products with all subspaces, one for each
direction of the bases, which are squared and added in place while they are warm; the nearest k of a
block (argpartition) are merged with the nearest so far.
"""

import json
import os
import sys
import time

import numpy as np


def scan(rows, translation, basis, k, block):
    n, m, d = basis.shape
    # The component of each translation that is orthogonal to its span.
    t = translation.astype(np.float64)
    b = basis.astype(np.float64)
    t -= np.einsum("nm,nmd->nd", np.einsum("nmd,nd->nm", b, t), b)
    t2 = np.einsum("nd,nd->n", t, t).astype(np.float32)
    t = t.astype(np.float32)
    directions = [np.ascontiguousarray(basis[:, j, :]) for j in range(m)]

    best = np.full((n, 0), np.inf, dtype=np.float32)
    best_rows = np.zeros((n, 0), dtype=np.int64)
    product = np.empty((n, block), dtype=np.float32)
    for first in range(0, len(rows), block):
        w = rows[first : first + block].astype(np.float32)
        w /= np.sqrt(np.einsum("rd,rd->r", w, w))[:, None]
        w2 = np.einsum("rd,rd->r", w, w)
        out = product[:, : len(w)]

        square = t @ w.T
        square *= -2
        square += w2
        square += t2[:, None]
        for direction in directions:
            np.matmul(direction, w.T, out=out)
            np.multiply(out, out, out=out)
            square -= out

        if k == 1:
            place = square.argmin(axis=1)[:, None]
        elif k < square.shape[1]:
            place = np.argpartition(square, k, axis=1)[:, :k]
        else:
            place = np.broadcast_to(np.arange(square.shape[1]), square.shape)
        found = np.take_along_axis(square, place, axis=1)
        best = np.concatenate([best, found], axis=1)
        best_rows = np.concatenate([best_rows, place + first], axis=1)
        if best.shape[1] > k:
            keep = np.argpartition(best, k - 1, axis=1)[:, :k]
            best = np.take_along_axis(best, keep, axis=1)
            best_rows = np.take_along_axis(best_rows, keep, axis=1)

    order = np.argsort(best, axis=1, kind="stable")
    distances = np.sqrt(np.maximum(np.take_along_axis(best, order, axis=1), 0))
    return np.take_along_axis(best_rows, order, axis=1), distances


def main():
    folder, runs = sys.argv[1], int(sys.argv[2])
    with open(os.path.join(folder, "sizes.json")) as file:
        size = json.load(file)
    n, m, d, k = size["n"], size["m"], size["d"], size["k"]

    def read(name, dtype, shape):
        return np.memmap(os.path.join(folder, name), dtype=dtype, mode="r", shape=shape)

    rows = read("rows.u8", np.uint8, (size["rows"], d))
    translation = read("translation.f32", np.float32, (n, d))
    basis = read("basis.f32", np.float32, (n, m, d))
    expected = np.asarray(read("found.i64", np.int64, (n, k)))

    # One run tells which block size suits this machine; the others are spent on that one.
    seconds = {}
    for block in (1024, 4096, 16384):
        start = time.perf_counter()
        found, _ = scan(rows, translation, basis, k, block)
        seconds[block] = [time.perf_counter() - start]
    block = min(seconds, key=lambda b: seconds[b][0])
    for _ in range(runs - 1):
        start = time.perf_counter()
        found, _ = scan(rows, translation, basis, k, block)
        seconds[block].append(time.perf_counter() - start)

    same = sum(len(np.intersect1d(a, b)) for a, b in zip(found, expected))
    print(json.dumps({"seconds": seconds[block], "block": block, "same": same / (n * k)}))


main()
