"""Learning to undo a defense by ridge regression as a user of NumPy would write it.

usage: learned.py FOLDER PAIRS COLUMNS SECRETS

FOLDER has inputs, outputs (PAIRS x COLUMNS) and seen (SECRETS x COLUMNS), raw float32. A fifth of the
pairs is held out, the penalty is chosen by the leave-one-out error in closed form on 32 random
combinations of outputs, the error on held-out pairs is taken, and all pairs are learned from: what
the attack learned-inversion does with learner = ridge. Prints seconds (the best of three) and the
median relative error on held-out pairs.
"""

import math
import os
import sys
import time

import numpy as np

PENALTIES = 10.0 ** np.arange(-8, 1.01, 0.5)


def fit(x, y):
    mean, deviation, offset = x.mean(axis=0), x.std(axis=0), y.mean(axis=0)
    x, y = (x - mean) / deviation, y - offset
    wide = x.astype(np.float64)
    values, vectors = np.linalg.eigh(wide.T @ wide)
    vectors = vectors.astype(np.float32)
    scores = x @ vectors
    seen = y
    if y.shape[1] > 32:
        signs = np.random.default_rng(1).choice([-1, 1], (y.shape[1], 32)) / math.sqrt(32)
        seen = y @ signs.astype(np.float32)
    products, squares = scores.T @ seen, scores.astype(np.float64) ** 2
    best, least = None, math.inf
    for penalty in PENALTIES * values.max():
        shrunk = (products / (values + penalty)[:, None]).astype(np.float32)
        left = 1 - 1 / len(x) - squares @ (1 / (values + penalty))
        error = np.sum(np.sum((seen - scores @ shrunk) ** 2, axis=1) / left ** 2)
        if error < least:
            best, least = penalty, error
    shrunk = ((scores.T @ y) / (values + best)[:, None]).astype(np.float32)
    return mean, deviation, offset, vectors @ shrunk


def predict(model, x):
    mean, deviation, offset, weights = model
    return (x - mean) / deviation @ weights + offset


def invert(inputs, outputs, seen):
    held = min(len(inputs) // 5, 2000)
    order = np.random.default_rng(1).permutation(len(inputs))
    inputs, outputs = inputs[order], outputs[order]
    model = fit(inputs[:-held], outputs[:-held])
    error = np.median(np.linalg.norm(predict(model, inputs[-held:]) - outputs[-held:], axis=1)
                      / np.linalg.norm(outputs[-held:], axis=1))
    predict(fit(inputs, outputs), seen)
    return error


def main():
    folder, pairs, columns, secrets = sys.argv[1], *map(int, sys.argv[2:])
    read = lambda name, n: np.fromfile(os.path.join(folder, name), np.float32).reshape(n, columns)
    inputs, outputs = read("inputs", pairs), read("outputs", pairs)
    seen = read("seen", secrets)
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        error = invert(inputs, outputs, seen)
        best = min(best, time.perf_counter() - start)
    print(best, error)


main()
