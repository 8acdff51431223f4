#!/usr/bin/env python3
"""Baselines of paired codes that see features alone, in NumPy, on Wikipedia's pairs: LSH, SH,
CCA-ITQ and CMFH, mAP@50 I->T and T->I over five seeds. Written from docs/papers/dmp-mh.md and the
papers, with random numbers of its own; what is to be compared is the means.

    ASSAY_DATA=FOLDER tests/reference/paired-baselines.py [BITS ...]"""

import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import paired_codes  # noqa: E402

K = 50


def read(name, dtype):
    data = pathlib.Path(os.environ["ASSAY_DATA"]) / "crossmodal" / name
    raw = np.fromfile(data, dtype="<i4")
    rows = raw.reshape(-1, raw[0] + 1)[:, 1:]
    return rows.view(dtype) if dtype == "<f4" else rows[:, 0]


def load():
    sides = []
    for name in ("image128", "text10"):
        train, test = (read(f"wiki_{role}_{name}.fvecs", "<f4").astype(float)
                       for role in ("train", "test"))
        mean, deviation = train.mean(axis=0), train.std(axis=0)
        deviation[deviation == 0] = 1
        sides.append(((train - mean) / deviation, (test - mean) / deviation))
    return sides, *(read(f"wiki_{role}_label.ivecs", "<i4") for role in ("train", "test"))


def precision_at(items, relevant, k):
    """Expected AP@k over random order within ties, from counts at each distance."""
    total, found, before, right = 0.0, 0.0, 0, 0
    for here, good in zip(items, relevant):
        for place in range(1, int(min(here, k - before)) + 1):
            share = good / here
            ahead = right + (place - 1) * ((good - 1) / (here - 1) if here > 1 else 0)
            total += share * (ahead + 1) / (before + place)
            found += share
        before, right = before + here, right + good
        if before >= k:
            break
    return total / found if found else 0.0


def retrieve(queries, codes, query_labels, labels):
    """The quotient of expectations in place of the expected quotient: they differ by less than a
    thousandth."""
    bits = codes.shape[1]
    distances = (bits - (2.0 * queries - 1) @ (2.0 * codes - 1).T) / 2
    values = []
    for row, label in zip(distances.astype(int), query_labels):
        counts = np.bincount(row, minlength=bits + 1)
        good = np.bincount(row[labels == label], minlength=bits + 1)
        values.append(precision_at(counts, good, K))
    return np.mean(values)


def lsh(train, bits, rng):
    return [lambda x, p=rng.normal(size=(side.shape[1], bits)): x @ p > 0 for side in train]


def sh(train, bits, _rng):
    functions = []
    for side in train:
        _, vectors = np.linalg.eigh(side.T @ side)
        axes = vectors[:, ::-1][:, :min(bits, side.shape[1])]
        places = side @ axes
        low, high = places.min(axis=0), places.max(axis=0)
        frequencies = np.arange(1, bits + 1)[:, None] / (high - low)
        order = np.argsort(frequencies, axis=None, kind="stable")[:bits]
        wave, axis = np.unravel_index(order, frequencies.shape)

        def code(x, axes=axes, low=low, frequencies=frequencies, wave=wave, axis=axis):
            return np.cos(np.pi * frequencies[wave, axis] * (x @ axes - low)[:, axis]) > 0

        functions.append(code)
    return functions


def cmfh(train, bits, rng):
    ridge, mu, weight = 0.01, 100.0, 0.5
    sides = [side.T for side in train]
    shared = rng.normal(size=(bits, sides[0].shape[1]))

    def function(x):
        return shared @ x.T @ np.linalg.inv(x @ x.T + ridge / mu * np.eye(len(x)))

    for _ in range(30):
        bases = [x @ shared.T @ np.linalg.inv(shared @ shared.T + ridge / weight * np.eye(bits))
                 for x in sides]
        functions = [function(x) for x in sides]
        left = (2 * mu + ridge) * np.eye(bits) + sum(weight * u.T @ u for u in bases)
        right = sum((weight * u.T + mu * p) @ x for u, p, x in zip(bases, functions, sides))
        shared = np.linalg.solve(left, right)
    return [lambda x, p=function(side): x @ p.T > 0 for side in sides]


def cca_itq(train, bits, rng):
    directions = paired_codes.canonical(*train, min(bits, *(side.shape[1] for side in train)))
    stacked = np.vstack([side @ a for side, a in zip(train, directions)])
    stacked = np.hstack([stacked, np.zeros((len(stacked), bits - stacked.shape[1]))])
    rotation = np.linalg.qr(rng.normal(size=(bits, bits)))[0]
    for _ in range(50):
        left, _, right = np.linalg.svd(np.sign(stacked @ rotation).T @ stacked)
        rotation = (left @ right).T
    count = directions[0].shape[1]
    return [lambda x, p=a @ rotation[:count]: x @ p > 0 for a in directions]


def main():
    sides, labels, query_labels = load()
    for bits in [int(word) for word in sys.argv[1:]] or [16, 32, 64]:
        for method in (lsh, sh, cca_itq, cmfh):
            found = []
            for seed in range(5):
                codes = method([train for train, _ in sides], bits, np.random.default_rng(seed))
                (image, query_image), (text, query_text) = [
                    (f(train), f(test)) for f, (train, test) in zip(codes, sides)]
                found.append((retrieve(query_image, text, query_labels, labels),
                              retrieve(query_text, image, query_labels, labels)))
            mean, deviation = np.mean(found, axis=0), np.std(found, axis=0)
            print(f"{method.__name__:8} {bits:3} bits  I->T {mean[0]:.3f}  T->I {mean[1]:.3f}  "
                  f"(deviations {deviation[0]:.3f}, {deviation[1]:.3f})", flush=True)


if __name__ == "__main__":
    main()
