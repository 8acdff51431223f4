"""The job of bench/distinguish.c as a careful user of NumPy would write it: blocks that stay in
cache, one vectorised draw a block, the event counted in place.

usage: distinguish.py MECHANISM SETTINGS

Prints million runs a second on one core, the best of three.
"""

import math
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402

BLOCK = 1 << 16
RUNS = 1 << 21


def response(rng, first, epsilon):
    flip = 1 / (1 + math.exp(epsilon))
    return (rng.random(BLOCK, dtype=np.float32) < flip) ^ first


def laplace(rng, first, epsilon):
    return rng.laplace(0.0 if first else 1.0, 1 / epsilon, BLOCK) <= 0


def gaussian(rng, first, epsilon):
    return rng.normal(0.0 if first else 1.0, 3.7, BLOCK) <= 0


def subset(rng, first, epsilon, dictionary, members):
    """The others are the first places of a partial shuffle, redrawn where two are equal."""
    weight = members * math.exp(epsilon)
    has_true = rng.random(BLOCK) < weight / (weight + dictionary - members)
    others = rng.integers(0, dictionary - 1, (BLOCK, members))
    while True:
        ordered = np.sort(others, axis=1)
        bad = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if not bad.any():
            break
        others[bad] = rng.integers(0, dictionary - 1, (int(bad.sum()), members))
    true, other = (0, 1) if first else (1, 0)
    others += others >= true
    others[has_true, 0] = true
    return (others == 0).any(axis=1) & ~(others == 1).any(axis=1)


def encoding(rng, first, epsilon, values):
    p = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
    threshold = np.full(values, 1 - p, dtype=np.float32)
    threshold[0 if first else 1] = p
    bits = rng.random((BLOCK, values), dtype=np.float32) < threshold
    return bits[:, 0] & ~bits[:, 1]


MECHANISMS = {"randomised-response": response, "laplace": laplace, "gaussian": gaussian,
              "omega-subset": subset, "unary-encoding": encoding}


def main():
    run = MECHANISMS[sys.argv[1]]
    settings = {key: float(value) if key == "epsilon" else int(value)
                for key, value in (word.split("=") for word in sys.argv[2].split())}
    rng = np.random.Generator(np.random.SFC64(1))
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        counts = [sum(int(run(rng, first, **settings).sum()) for _ in range(RUNS // BLOCK))
                  for first in (True, False)]
        best = min(best, time.perf_counter() - start)
    assert counts[0] != counts[1]
    print(2e-6 * RUNS / best)


main()
