#!/usr/bin/env python3
"""An independent reading of KSH (Liu et al. 2012, algorithm 1) on GIST of CIFAR-10, beside which
the figures of docs/papers/phashing.md stand.

Usage: ksh-reading.py [--bits B] [--seeds N] [--steps S,...] [--rows N] [--queries N] [DATA]

DATA (or the environment variable ASSAY_DATA) is the data folder. For each of N seeds (3) and each
number of steps (0,10,30,100,500) prints, as soon as it is known, the mean average precision of
1,000 queries (--queries) against the codes of 19,000 images, ties in random order, of codes learned
from 300 anchors and 1,000 labelled rows (--rows). Each bit begins with the relaxation, from which
Nesterov's gradient goes so many steps at most; the better of the two is kept. 0 is the relaxation
alone. The kernel is exp (-d^2 / (2 w^2)) with w^2 the mean of d^2, as in the authors' program;
`width` is the last number of steps with w the mean of d, as Assay has it.
"""
import argparse
import os
import pathlib
import sys

import numpy as np


def read_rows(path, kind):
    raw = np.fromfile(path, dtype=np.uint8)
    cols = int(raw[:4].view("<i4")[0])
    size = np.dtype(kind).itemsize
    raw = raw.reshape(-1, 4 + cols * size)[:, 4:]
    return np.ascontiguousarray(raw).view(kind).reshape(-1, cols)


def squares(rows, anchors):
    return np.maximum((rows ** 2).sum(1)[:, None] + (anchors ** 2).sum(1)[None, :]
                      - 2 * rows @ anchors.T, 0)


class Residual:
    """R = c S - y_1 y_1' - ..., which is never written out: S is 2 Z Z' - 1 1' for one-hot Z."""

    def __init__(self, labels, bits):
        self.one_hot = (labels[:, None] == np.unique(labels)[None, :]).astype(float)
        self.bits = bits
        self.found = np.zeros((len(labels), 0))

    def times(self, y):
        return (self.bits * (2 * self.one_hot @ (self.one_hot.T @ y) - y.sum(0))
                - self.found @ (self.found.T @ y))

    def take_out(self, signs):
        self.found = np.column_stack([self.found, signs])


def ascend(kernel, residual, start, steps):
    """Minimises -g (K a)' R g (K a) with g = tanh (K a / 2), with the authors' momentum and halving
    of the step."""
    l = len(kernel)
    lipschitz = 1.0

    def cost(a):
        y = np.tanh(kernel @ a / 2)
        product = residual.times(y)
        return -y @ product / l, -(kernel.T @ (product * (1 - y ** 2))) / l

    a, before, t, t_before = start.copy(), start.copy(), 1.0, 1.0
    best, _ = cost(a)
    for _ in range(steps):
        ahead = a + (t_before - 1) / t * (a - before)
        value, gradient = cost(ahead)
        square = gradient @ gradient
        for _ in range(60):
            moved = ahead - gradient / lipschitz
            now, _ = cost(moved)
            if now <= value - square / (2 * lipschitz):
                break
            lipschitz *= 2
        before, a = a, moved
        t_before, t = t, (1 + np.sqrt(1 + 4 * t * t)) / 2
        if abs(best - now) <= 1e-6 * abs(best):
            break
        best = now
    return a


def learn(kernel, labels, bits, steps):
    """The coefficients of each bit, from the features and labels of the labelled rows."""
    l, m = kernel.shape
    residual = Residual(labels, bits)
    gram = kernel.T @ kernel
    gram += 1e-6 * np.trace(gram) / m * np.eye(m)
    chol = np.linalg.cholesky(gram)
    columns = []
    for _ in range(bits):
        inner = np.linalg.solve(chol,
                                np.linalg.solve(chol, kernel.T @ residual.times(kernel)).T)
        _, vectors = np.linalg.eigh((inner + inner.T) / 2)
        a = np.linalg.solve(chol.T, vectors[:, -1]) * np.sqrt(l)
        signs = np.where(kernel @ a > 0, 1.0, -1.0)
        if steps > 0:
            other = ascend(kernel, residual, a, steps)
            others = np.where(kernel @ other > 0, 1.0, -1.0)
            if others @ residual.times(others) > signs @ residual.times(signs):
                a, signs = other, others
        columns.append(a)
        residual.take_out(signs)
    return np.array(columns).T


def mean_average_precision(items, queries, item_labels, query_labels, rng):
    order = rng.permutation(len(items))
    items, item_labels = items[order], item_labels[order]
    total = 0.0
    for code, label in zip(queries, query_labels):
        near = np.argsort(-(items @ code), kind="stable")
        right = item_labels[near] == label
        places = np.flatnonzero(right) + 1
        total += (np.arange(1, len(places) + 1) / places).mean()
    return total / len(queries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bits", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", default="0,10,30,100,500")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("data", nargs="?", default=os.environ.get("ASSAY_DATA"))
    given = parser.parse_args()
    if given.data is None:
        sys.exit("ksh-reading.py: where the data is: DATA or ASSAY_DATA")
    folder = pathlib.Path(given.data) / "cifar10"
    rows = read_rows(folder / "cifar10_gist512_20k.bvecs", "u1").astype(np.float32)
    labels = read_rows(folder / "cifar10_gist512_20k_label.ivecs", "<i4").ravel()
    test = np.arange(10000, 11000)
    asked = test[:given.queries]
    base = np.setdiff1d(np.arange(20000), test)
    steps = [int(one) for one in given.steps.split(",")]
    ways = [(f"{one} steps", one, False) for one in steps] + [("width", steps[-1], True)]
    for seed in range(1, given.seeds + 1):
        print(f"seed {seed}, {given.bits} bits:", end="", flush=True)
        for name, most, of_mean in ways:
            rng = np.random.default_rng(seed)
            anchors = rows[rng.choice(base, 300, replace=False)]
            labelled = rng.choice(base, given.rows, replace=False)
            square = squares(rows, anchors)
            width = np.sqrt(square[base]).mean() ** 2 if of_mean else square[base].mean()
            kernel = np.exp(-square / (2 * width))
            kernel -= kernel[base].mean(0)
            a = learn(kernel[labelled].astype(np.float64), labels[labelled], given.bits, most)
            codes = np.where(kernel @ a.astype(np.float32) > 0, 1, -1).astype(np.float32)
            found = mean_average_precision(codes[base], codes[asked], labels[base],
                                           labels[asked], rng)
            print(f" {name} {found:.3f}", end="", flush=True)
        print(flush=True)


if __name__ == "__main__":
    main()
