"""How often a member of an average ranks first, in NumPy: averages of random samples of CIFAR-10's
GIST descriptors, each beside all 18,000. What scenarios/papers/dphe-averages.scenario reaches from
updates cannot be far from it.

usage: dphe-averages.py DATA

Prints for each number of samples the share of 1,000 averages whose nearest record is a member: by
the angle, by inner product and by distance, columns scaled by the public rows; and by distance of
columns as they are.
"""

import os
import sys

import numpy

PUBLIC, AVERAGES = 2000, 1000


def main():
    path = os.path.join(sys.argv[1], "cifar10/cifar10_gist512_20k.bvecs")
    raw = numpy.fromfile(path, numpy.uint8).reshape(-1, 4 + 512)[:, 4:].astype(numpy.float32)
    scaled = (raw - raw[:PUBLIC].mean(0)) / raw[:PUBLIC].std(0)
    raw, scaled = raw[PUBLIC:], scaled[PUBLIC:]
    source = numpy.random.default_rng(1)
    for size in 1, 2, 8, 32:
        members = [source.choice(len(raw), size, replace=False) for _ in range(AVERAGES)]

        def first(rows, means, offsets=0):
            best = (rows @ means.T - offsets).argmax(0)
            return numpy.mean([b in own for b, own in zip(best, members)])

        means = numpy.array([scaled[own].mean(0) for own in members])
        raw_means = numpy.array([raw[own].mean(0) for own in members])
        lengths = numpy.linalg.norm(scaled, axis=1)[:, None]
        print(f"{size} samples: angle {first(scaled / lengths, means):.3f}, inner product "
              f"{first(scaled, means):.3f}, distance {first(scaled, means, lengths**2 / 2):.3f}, "
              f"unscaled {first(raw, raw_means, (raw**2).sum(1)[:, None] / 2):.3f}", flush=True)


main()
