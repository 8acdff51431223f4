"""How many weights of the sum of sparse updates have one holder, written again in NumPy: what
scenarios/papers/dphe-verbatim.scenario finds with `average`, `single-holder` and `subtract`, by other
code.

usage: dphe-verbatim.py DATA [STEPS]

DATA is a folder as ASSAY_DATA names it. Prints for each start and number of users the shares of all
steps; the same of what is left of the sum where one user's own update is taken away, on the mean
over the first three users; and how many weights are zero. The penalty is that of the first five users.
"""

import os
import sys

import numpy

PUBLIC, CLASSES, RATE, MIX = 2000, 10, 1e-3, 0.5


def load(folder):
    path = os.path.join(folder, "cifar10/cifar10_gist512_20k")
    raw = numpy.fromfile(path + ".bvecs", numpy.uint8)
    rows = raw.reshape(-1, 4 + 512)[:, 4:].astype(float)
    labels = numpy.fromfile(path + "_label.ivecs", numpy.int32).reshape(-1, 2)[:, 1]
    mean, deviation = rows[:PUBLIC].mean(0), rows[:PUBLIC].std(0)
    signs = numpy.where(labels[:, None] == numpy.arange(CLASSES), 1, -1)
    return (rows - mean) / deviation, signs


def train(model, rows, signs, penalty, order):
    """One pass with the hinge loss and a cumulative penalty (Tsuruoka et al. 2009)."""
    model = model.copy()
    paid, owed = numpy.zeros_like(model), 0
    for i in order:
        slopes = numpy.where(signs[i] * (model @ rows[i]) <= 1, -signs[i], 0)
        model *= 1 - RATE * penalty * (1 - MIX)
        model -= RATE * numpy.outer(slopes, rows[i])
        owed += RATE * penalty * MIX
        kept = numpy.where(model > 0, numpy.maximum(0, model - (owed + paid)),
                           numpy.minimum(0, model + (owed - paid)))
        paid += kept - model
        model = kept
    return model


def find_penalty(start, parts, rows, signs, source, wanted=0.9):
    low, high = numpy.log(1e-4), numpy.log(1e4)
    for _ in range(12):
        middle = (low + high) / 2
        penalty = numpy.exp(middle)
        zeros = [(train(start, rows, signs, penalty, source.permutation(part)) == 0).mean()
                 for part in parts]
        low, high = (low, middle) if numpy.mean(zeros) >= wanted else (middle, high)
    return numpy.exp(high)


def main():
    rows, signs = load(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    source = numpy.random.default_rng(1)
    for passes in 0, 3:
        start = numpy.zeros((CLASSES, rows.shape[1]))
        for _ in range(passes):
            start = train(start, rows, signs, 0, source.permutation(PUBLIC))
        for users in 3, 5, 100:
            parts = numpy.array_split(PUBLIC + source.permutation(len(rows) - PUBLIC), users)
            penalty = find_penalty(start, parts[:5], rows, signs, source)
            model, shares, others, zeros = start, [], [], []
            for _ in range(steps):
                sent = numpy.array([train(model, rows, signs, penalty, source.permutation(part))
                                    for part in parts])
                holders = (sent != 0).sum(0)
                shares.append((holders == 1).sum() / max(1, (holders > 0).sum()))
                # Of what is left after user j has subtracted its own, what one other user sent.
                others.append(numpy.mean([((holders - own) == 1).sum() / ((holders - own) > 0).sum()
                                          for own in (sent[:3] != 0)]))
                zeros.append((sent == 0).mean())
                model = sent.mean(0)
            print(f"start of {passes} passes, {users} users: one holder",
                  *(f"{share:.3f}" for share in shares), "subtract",
                  *(f"{share:.3f}" for share in others), "zeros",
                  *(f"{share:.3f}" for share in zeros), flush=True)


if __name__ == "__main__":
    main()
