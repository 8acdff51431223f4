"""Accuracy, mean average precision and adjusted mutual information of what users learn together,
written again in NumPy: what scenarios/papers/dphe-accuracy, dphe-labels and dphe-clusters-gist find,
by other code.

usage: dphe-tables.py DATA

DATA is a folder as ASSAY_DATA names it. Five users, ten steps; five of clusters.
"""

import math
import os
import runpy
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = runpy.run_path(os.path.join(HERE, "dphe-verbatim.py"))
USERS, TEST = 5, slice(10000, 12000)
train, find_penalty = CODE["train"], CODE["find_penalty"]


def average_precision(scores, has):
    """No scores are equal, but where a class has no weight left: then the share that has it."""
    if numpy.ptp(scores) == 0:
        return has.mean()
    ranked = has[numpy.argsort(-scores)]
    return (numpy.cumsum(ranked) / numpy.arange(1, len(has) + 1))[ranked].mean()


def learn(rows, signs, sparsity, source):
    start = numpy.zeros((CODE["CLASSES"], rows.shape[1]))
    for _ in range(3):
        start = train(start, rows, signs, 0, source.permutation(CODE["PUBLIC"]))
    private = numpy.r_[CODE["PUBLIC"]:TEST.start, TEST.stop:len(rows)]
    parts = numpy.array_split(source.permutation(private), USERS)
    penalty = find_penalty(start, parts, rows, signs, source, sparsity) if sparsity else 0
    model = start
    for _ in range(10):
        model = numpy.mean([train(model, rows, signs, penalty, source.permutation(part))
                            for part in parts], axis=0)
    return rows[TEST] @ model.T


# ---- Clusters ----


def nearest(rows, centroids):
    return ((centroids ** 2).sum(1) - 2 * rows @ centroids.T).argmin(1)


def begin(rows, source):
    """k-means++ and Lloyd."""
    centroids = rows[source.integers(len(rows))][None]
    while len(centroids) < CODE["CLASSES"]:
        squares = ((rows[:, None] - centroids) ** 2).sum(2).min(1)
        centroids = numpy.vstack([centroids,
                                  rows[source.choice(len(rows), p=squares / squares.sum())]])
    for _ in range(100):
        parts = nearest(rows, centroids)
        centroids = numpy.array([rows[parts == c].mean(0) if (parts == c).any() else centroids[c]
                                 for c in range(len(centroids))])
    return centroids


def cluster(rows, centroids, threshold):
    """Mini-batches of 100, means of all that a centroid was given so far, soft thresholds."""
    centroids, sums = centroids.copy(), numpy.zeros_like(centroids)
    counts = numpy.zeros(len(centroids))
    for first in range(0, len(rows), 100):
        batch = rows[first:first + 100]
        parts = nearest(batch, centroids)
        numpy.add.at(sums, parts, batch)
        counts += numpy.bincount(parts, minlength=len(counts))
        centroids[counts > 0] = (sums / numpy.maximum(counts, 1)[:, None])[counts > 0]
    return numpy.sign(centroids) * numpy.maximum(abs(centroids) - threshold, 0)


def find_threshold(start, parts, rows, wanted):
    low, high = 0, 10
    for _ in range(12):
        middle = (low + high) / 2
        zeros = numpy.mean([(cluster(rows[part], start, middle) == 0).mean() for part in parts])
        low, high = (low, middle) if zeros >= wanted else (middle, high)
    return high


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -(shares * numpy.log(shares)).sum()


def adjusted_information(one, other):
    """Vinh, Epps and Bailey 2010, equation 24a; by the larger entropy."""
    n, table = len(one), numpy.zeros((CODE["CLASSES"], CODE["CLASSES"]))
    numpy.add.at(table, (one, other), 1)
    a, b = table.sum(1), table.sum(0)
    information = entropy(a) + entropy(b) - entropy(table.ravel())
    ln = numpy.array([math.lgamma(k + 1) for k in range(n + 1)])
    expected = 0
    for x in a[a > 0].astype(int):
        for y in b[b > 0].astype(int):
            both = numpy.arange(max(1, x + y - n), min(x, y) + 1)
            ways = (ln[x] + ln[y] + ln[n - x] + ln[n - y] - ln[n] - ln[both] - ln[x - both]
                    - ln[y - both] - ln[n - x - y + both])
            expected += (both / n * numpy.log(n * both / (x * y)) * numpy.exp(ways)).sum()
    return (information - expected) / (max(entropy(a), entropy(b)) - expected)


def find_clusters(rows, users, sparsity, source):
    private = numpy.r_[CODE["PUBLIC"]:TEST.start, TEST.stop:len(rows)]
    parts = numpy.array_split(source.permutation(private), users)
    model = begin(rows[:CODE["PUBLIC"]], source)
    threshold = find_threshold(model, parts, rows, sparsity) if sparsity else 0
    for _ in range(5):
        model = numpy.mean([cluster(rows[source.permutation(part)], model, threshold)
                            for part in parts], axis=0)
    return nearest(rows[TEST], model)


def main():
    rows, signs = CODE["load"](sys.argv[1])
    labels = signs.argmax(1)[TEST]
    source = numpy.random.default_rng(1)
    for sparsity in 0, 0.9:
        scores = learn(rows, signs, sparsity, source)
        precisions = [average_precision(scores[:, c], labels == c) for c in range(10)]
        print(f"sparsity {sparsity}: accuracy {(scores.argmax(1) == labels).mean():.3f}",
              f"mean average precision {numpy.mean(precisions):.3f}", flush=True)
    for users, sparsity in (1, 0), (5, 0), (5, 0.9):
        found = [adjusted_information(labels, find_clusters(rows, users, sparsity, source))
                 for _ in range(5)]
        print(f"clusters of {users} users, sparsity {sparsity}: adjusted mutual information of five"
              f" starts {numpy.mean(found):.3f} ({min(found):.3f} to {max(found):.3f})", flush=True)


main()
