"""SSIM as a careful user of NumPy would write it for many pictures at once: separable blurs of
blocks that stay in cache, whole windows only, in float32.

usage: image-quality.py HEIGHT WIDTH CHANNELS pairs|set

Prints microseconds a pair on one core, the best of three: all five blurs of pairs, or of one
picture against a set whose means and variances are at hand.
"""

import math
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402

WEIGHTS = [math.exp(-((k - 5) ** 2) / 4.5) for k in range(11)]
WEIGHTS = [np.float32(weight / sum(WEIGHTS)) for weight in WEIGHTS]
C1, C2 = np.float32(0.01**2), np.float32(0.03**2)
PAIRS = 1024
BLOCK_VALUES = 1 << 16


def blur(pictures):
    """n x h x w x c, along h and w."""
    height, width = pictures.shape[1] - 10, pictures.shape[2] - 10
    down = WEIGHTS[0] * pictures[:, :height]
    for k in range(1, 11):
        down += WEIGHTS[k] * pictures[:, k:k + height]
    across = WEIGHTS[0] * down[:, :, :width]
    for k in range(1, 11):
        across += WEIGHTS[k] * down[:, :, k:k + width]
    return across


def prepare(pictures):
    means = blur(pictures)
    return pictures, means, blur(pictures * pictures) - means * means


def compare(a, b):
    products = a[1] * b[1]
    covariances = blur(a[0] * b[0]) - products
    similar = (2 * products + C1) * (2 * covariances + C2)
    similar /= (a[1] * a[1] + b[1] * b[1] + C1) * (a[2] + b[2] + C2)
    return similar.mean(axis=(1, 2, 3), dtype=np.float64)


def main():
    shape = tuple(int(size) for size in sys.argv[1:4])
    block = max(BLOCK_VALUES // math.prod(shape), 1)
    n_blocks = max(PAIRS // block, 1) if block > 1 else 1
    rng = np.random.default_rng(1)
    a, b = (rng.random((n_blocks, block, *shape), dtype=np.float32) for _ in range(2))
    sets = [prepare(pictures) for pictures in b] if sys.argv[4] == "set" else None
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        if sets is not None:
            query = prepare(a[0, :1])
            values = [compare(query, pictures) for pictures in sets]
        else:
            values = [compare(prepare(x), prepare(y)) for x, y in zip(a, b)]
        best = min(best, time.perf_counter() - start)
    assert np.abs(np.concatenate(values)).max() < 0.5
    print(1e6 * best / (n_blocks * block))


main()
