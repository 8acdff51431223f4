"""The job of bench/subspace.c as a careful user of NumPy would write it, in two forms.

usage: subspace.py FOLDER

FOLDER holds rows.u8 (N x d), translation.f32 (n x d), basis.f32 (n x m x d), found.i64 (n x k, what
Assay found) and sizes.json. It tries several block sizes for each form; when it is ready, it prints
a 0. Then, for each line of its input, it does the job in both forms and prints the seconds of each;
then the share of Assay's rows that it found.

The distances come block by block, in float32. The plain form is the formula: one matrix product of a
block with all subspaces, and a sum of squares (einsum). The tuned form makes a product for each
direction of the bases, and squares and subtracts it in place while it is in cache. In both, the
nearest k of a block (argpartition) are merged with the nearest so far.
"""

import json
import os
import sys
import time

import numpy as np


def read_block(rows, first, block):
    w = rows[first : first + block].astype(np.float32)
    w /= np.sqrt(np.einsum("rd,rd->r", w, w))[:, None]
    return w, np.einsum("rd,rd->r", w, w)


def orthogonal_part(translation, basis):
    t = translation.astype(np.float64)
    b = basis.astype(np.float64)
    t -= np.einsum("nm,nmd->nd", np.einsum("nmd,nd->nm", b, t), b)
    return t.astype(np.float32), np.einsum("nd,nd->n", t, t).astype(np.float32)


def plain_squares(rows, translation, basis, block):
    n, m, d = basis.shape
    t, t2 = orthogonal_part(translation, basis)
    stack = np.concatenate([t[:, None, :], basis], axis=1).reshape(n * (m + 1), d)
    for first in range(0, len(rows), block):
        w, w2 = read_block(rows, first, block)
        product = (stack @ w.T).reshape(n, m + 1, len(w))
        inner = product[:, 1:]
        square = w2 + t2[:, None] - 2 * product[:, 0] - np.einsum("njr,njr->nr", inner, inner)
        yield first, square


def tuned_squares(rows, translation, basis, block):
    n, m, d = basis.shape
    t, t2 = orthogonal_part(translation, basis)
    directions = [np.ascontiguousarray(basis[:, j, :]) for j in range(m)]
    product = np.empty((n, block), dtype=np.float32)
    for first in range(0, len(rows), block):
        w, w2 = read_block(rows, first, block)
        out = product[:, : len(w)]
        square = t @ w.T
        square *= -2
        square += w2
        square += t2[:, None]
        for direction in directions:
            np.matmul(direction, w.T, out=out)
            np.multiply(out, out, out=out)
            square -= out
        yield first, square


def scan(squares, rows, translation, basis, k, block):
    n = len(basis)
    best = np.full((n, 0), np.inf, dtype=np.float32)
    best_rows = np.zeros((n, 0), dtype=np.int64)
    for first, square in squares(rows, translation, basis, block):
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
    folder = sys.argv[1]
    with open(os.path.join(folder, "sizes.json")) as file:
        size = json.load(file)
    n, m, d, k = size["n"], size["m"], size["d"], size["k"]

    def read(name, dtype, shape):
        return np.memmap(os.path.join(folder, name), dtype=dtype, mode="r", shape=shape)

    rows = read("rows.u8", np.uint8, (size["rows"], d))
    translation = read("translation.f32", np.float32, (n, d))
    basis = read("basis.f32", np.float32, (n, m, d))
    expected = np.asarray(read("found.i64", np.int64, (n, k)))

    def run(squares, block):
        start = time.perf_counter()
        found, _ = scan(squares, rows, translation, basis, k, block)
        return time.perf_counter() - start, found

    forms = [
        (form, min((run(form, block)[0], block) for block in blocks)[1])
        for form, blocks in (
            (plain_squares, (256, 1024, 4096)),
            (tuned_squares, (1024, 4096, 16384)),
        )
    ]
    print(0, flush=True)
    for _ in sys.stdin:
        for form, block in forms:
            seconds, found = run(form, block)
            print(seconds, flush=True)
    same = sum(len(np.intersect1d(a, b)) for a, b in zip(found, expected))
    print(same / (n * k), flush=True)


main()
