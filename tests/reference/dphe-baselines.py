"""The baselines of DPHE, PRR10 and RA12, written again in NumPy.

usage: dphe-baselines.py epsilon        exact epsilons of one step of RA12
       dphe-baselines.py accuracy DATA  what both cost in accuracy, on CIFAR-10 as GIST

DATA is a folder as ASSAY_DATA names it. `epsilon` integrates the hockey-stick divergence over a grid,
of two columns and delta = 0.05, for the pair q and -q. `accuracy` trains five parties with 3,200 rows
of their own, by themselves and with the 2,000 public rows in the part of each, as Yonetani et al. have
it; rows are scaled by the public ones and shortened to length 1; each class is learned against all
others. Accuracies are of 2,000 test rows, over ten draws of the noise.
"""

import os
import sys

import numpy

PUBLIC, CLASSES, PARTIES, EPSILON, DELTA = 2000, 10, 5, 0.2, 0.05


def gaussian(epsilon):
    return 2 * numpy.sqrt(2 * numpy.log(1.25 / DELTA)) / epsilon


# ---- Epsilon ----

def density(at, deviation, scale):
    """Of a Gaussian plus Laplace noise."""
    if scale == 0:
        return numpy.exp(-at ** 2 / 2 / deviation ** 2) / deviation / numpy.sqrt(2 * numpy.pi)
    b = numpy.linspace(-9 * deviation, 9 * deviation, 4001)
    weights = numpy.exp(-b * b / 2 / deviation ** 2)
    kernel = numpy.exp(-abs(at[:, None] - b[None, :]) / scale) / (2 * scale)
    return kernel @ (weights / weights.sum())


def exact_epsilon(deviation, scale):
    """Of means q and -q, q = (1, 1) / sqrt (2)."""
    end = 8 * deviation + 14 * scale
    at = numpy.linspace(-end, end, 2401)
    shift, cell = numpy.sqrt(0.5), (at[1] - at[0]) ** 2
    one, other = density(at - shift, deviation, scale), density(at + shift, deviation, scale)
    one, other = numpy.outer(one, one), numpy.outer(other, other)
    low, high = 0.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        delta = numpy.maximum(one - numpy.exp(middle) * other, 0).sum() * cell
        low, high = (middle, high) if delta > DELTA else (low, middle)
    return high


def print_epsilons():
    for epsilon in 0.2, 1:
        print(f"epsilon {epsilon}: both noises {exact_epsilon(gaussian(epsilon), 2 / epsilon):.3f},",
              f"Gaussian alone {exact_epsilon(gaussian(epsilon), 0):.3f}")


# ---- Accuracy ----

def load(folder):
    path = os.path.join(folder, "cifar10/cifar10_gist512_20k")
    raw = numpy.fromfile(path + ".bvecs", numpy.uint8)
    rows = raw.reshape(-1, 4 + 512)[:, 4:].astype(float)
    labels = numpy.fromfile(path + "_label.ivecs", numpy.int32).reshape(-1, 2)[:, 1]
    rows = (rows - rows[:PUBLIC].mean(0)) / rows[:PUBLIC].std(0)
    rows /= numpy.maximum(1, numpy.linalg.norm(rows, axis=1, keepdims=True))
    return rows, labels, numpy.where(labels[:, None] == numpy.arange(CLASSES), 1.0, -1.0)


TEST = numpy.arange(10000, 12000)


def accuracy(model, rows, labels):
    return (numpy.argmax(rows[TEST] @ model.T, 1) == labels[TEST]).mean()


def optimum(rows, signs, penalty):
    """L2 logistic regression of every class, by Nesterov's method."""
    model = ahead = numpy.zeros((CLASSES, rows.shape[1]))
    most = penalty + 0.25
    ratio = numpy.sqrt(penalty / most)
    for _ in range(2000):
        slopes = signs / (1 + numpy.exp((rows @ ahead.T) * signs))
        gradient = penalty * ahead - slopes.T @ rows / len(rows)
        following = ahead - gradient / most
        ahead = following + (1 - ratio) / (1 + ratio) * (following - model)
        model = following
        if abs(gradient).max() < 1e-7:
            break
    return model


def descend(parts, rows, signs, penalty, rate, steps, source):
    """RA12's model after each step; of no noise without @source."""
    shape = (len(parts), CLASSES, rows.shape[1])
    once = source.normal(0, gaussian(EPSILON), shape) if source else numpy.zeros(shape)
    model = numpy.zeros(shape[1:])
    for _ in range(steps):
        sent = []
        for part, b in zip(parts, once):
            slopes = -signs[part] * (rows[part] @ model.T * signs[part] <= 1)
            noise = b + (source.laplace(0, 2 / EPSILON, b.shape) if source else 0)
            sent.append((slopes.T @ rows[part] + noise) / len(part) + penalty * model)
        model = model - rate * numpy.mean(sent, 0)
        yield model


def print_accuracies(folder):
    rows, labels, signs = load(folder)
    source = numpy.random.default_rng(1)
    private = numpy.setdiff1d(numpy.arange(PUBLIC, len(rows)), TEST)
    own = numpy.array_split(source.permutation(private), PARTIES)
    for name, parts in (("own rows", own),
                        ("and public rows", [numpy.r_[:PUBLIC, part] for part in own])):
        for penalty in 0.01, 0.03, 0.1, 0.3:
            model = numpy.mean([optimum(rows[part], signs[part], penalty) for part in parts], 0)
            scale = 2 / (min(map(len, parts)) * EPSILON * penalty)
            noisy = [accuracy(model + source.laplace(0, scale, model.shape), rows, labels)
                     for _ in range(10)]
            print(f"{name}: PRR10, penalty {penalty}: without noise",
                  f"{accuracy(model, rows, labels):.3f},", f"with noise {numpy.mean(noisy):.3f}",
                  f"+- {numpy.std(noisy):.3f}", flush=True)
        for rate in 1, 3, 10:
            plain = [accuracy(model, rows, labels)
                     for model in descend(parts, rows, signs, 1e-3, rate, 30, None)]
            noisy = numpy.array([[accuracy(model, rows, labels) for model in
                                  descend(parts, rows, signs, 1e-3, rate, 30, source)]
                                 for _ in range(10)])
            print(f"{name}: RA12, rate {rate}, after 10 and 30 steps: without noise",
                  f"{plain[9]:.3f}, {plain[29]:.3f}, with noise",
                  f"{noisy[:, 9].mean():.3f} +- {noisy[:, 9].std():.3f},",
                  f"{noisy[:, 29].mean():.3f} +- {noisy[:, 29].std():.3f}", flush=True)


if sys.argv[1] == "epsilon":
    print_epsilons()
else:
    print_accuracies(sys.argv[2])
