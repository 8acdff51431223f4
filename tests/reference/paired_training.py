#!/usr/bin/env python3
"""Training of paired hash functions in NumPy, from docs/papers/dmp-mh.md and the papers it names:
the losses of dmp-mh, djsrh, jdsh, dcmh and prdh with their derivatives, Adam, and retrieval.

usage: paired_training.py                   the cases of tests/unit/defenses/test-paired-losses.c
       paired_training.py FOLDER [SEEDS]    mAP@50 at 32 bits on the Wikipedia pairs in FOLDER

Codes u and v are B x K."""

import sys

import numpy as np


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# ---- Losses: (loss, dE/du, dE/dv)


def structural(u, v, target, cross=1.0, quantisation=0.01, diagonal="one"):
    """Equation 3 of DMP-MH and its quantisation loss, as means."""
    count, bits = u.shape
    target = target.copy()
    if diagonal != "skip":
        np.fill_diagonal(target, diagonal == "one")
    loss, gu, gv = 0.0, np.zeros_like(u), np.zeros_like(v)
    for a, b, ga, gb, weight in ((u, u, gu, gu, 1), (v, v, gv, gv, 1), (u, v, gu, gv, cross)):
        gap = (a @ b.T / bits + 1) / 2 - target
        if diagonal == "skip":
            np.fill_diagonal(gap, 0)
        loss += weight * (gap ** 2).mean()
        slope = weight * gap / (bits * count ** 2)
        ga += slope @ b
        gb += slope.T @ a
    for a, ga in ((u, gu), (v, gv)):
        loss += quantisation * ((np.abs(a) - 1) ** 2).mean()
        ga += 2 * quantisation * (np.abs(a) - 1) * np.sign(a) / a.size
    return loss, gu, gv


def likeness(rows):
    return 2 * unit(rows) @ unit(rows).T - 1


def djsrh_target(image, text):
    s = 0.3 * likeness(image) + 0.7 * likeness(text)
    return 1.5 * (0.6 * s + 0.4 * s @ s.T / len(s))


def jdsh_target(image, text):
    s_image, s_text = likeness(image), likeness(text)
    both = unit(s_image) @ unit(s_text).T
    s = 0.3 * s_image + 0.3 * s_text + 0.2 * (both + both.T)
    others = s[np.triu_indices(len(s), 1)]
    middle = np.median(others)
    low = middle - 2 * np.sqrt(((others[others < middle] - middle) ** 2).mean())
    high = middle + 4 * (others[others > middle] - middle).mean()
    weights = np.where(s < low, 1 + 0.1 * np.exp(others.min() - s), 1.0)
    weights = np.where(s > high, 1 + 0.2 * np.exp(s - others.max()), weights)
    return 1.47 * s * weights


def cosine_slope(a, b, slope):
    """The derivative by a of sum_ij slope_ij cos (a_i, b_j)."""
    length = np.linalg.norm(a, axis=1, keepdims=True)
    g = slope @ unit(b)
    return (g - unit(a) * (g * unit(a)).sum(axis=1, keepdims=True)) / length


def cosines(u, v, target, cross, intra, aligned):
    count = len(u)
    loss, gu, gv = 0.0, np.zeros_like(u), np.zeros_like(v)
    for a, b, ga, gb, weight in ((u, u, gu, gu, intra), (v, v, gv, gv, intra), (u, v, gu, gv, cross)):
        gap = unit(a) @ unit(b).T - target
        loss += weight * (gap ** 2).mean()
        ga += cosine_slope(a, b, 2 * weight * gap / count ** 2)
        gb += cosine_slope(b, a, 2 * weight * gap.T / count ** 2)
    own = np.eye(count) * aligned / count
    loss -= (own * (unit(u) @ unit(v).T)).sum()
    return loss, gu - cosine_slope(u, v, own), gv - cosine_slope(v, u, own)


def djsrh(u, v, image, text):
    return cosines(u, v, djsrh_target(image, text), 1, 0.3, 0)


def jdsh(u, v, image, text):
    """The cross term twice: S is symmetric."""
    return cosines(u, v, jdsh_target(image, text), 2, 0.1, 1)


def likelihood(u, v, alike, intra=0.0, decorrelation=0.0):
    """DCMH; PRDH has intra = 1."""
    count = len(u)
    loss, gu, gv = 0.0, np.zeros_like(u), np.zeros_like(v)
    for a, b, ga, gb, weight in ((u, u, gu, gu, intra), (v, v, gv, gv, intra), (u, v, gu, gv, 1)):
        theta = a @ b.T / 2
        loss += weight * (np.logaddexp(0, theta) - alike * theta).mean()
        slope = weight * (1 / (1 + np.exp(-theta)) - alike) / (2 * count ** 2)
        ga += slope @ b
        gb += slope.T @ a
    corner = np.where(u + v > 0, 1, -1)
    for a, ga in ((u, gu), (v, gv)):
        loss += ((corner - a) ** 2).sum() / count ** 2 + (a.sum(axis=0) ** 2).sum() / count ** 3
        ga += 2 * (a - corner) / count ** 2 + 2 * a.sum(axis=0) / count ** 3
        covariance = np.cov(a.T, bias=True)
        np.fill_diagonal(covariance, 0)
        loss += decorrelation / 2 * (covariance ** 2).sum()
        ga += 2 * decorrelation * (a - a.mean(axis=0)) @ covariance / count
    return loss, gu, gv


# ---- Training: linear encoders


def train(rows, loss_of, bits=32, steps=1000, batch=256, rate=0.003, seed=1):
    """@loss_of (u, v, items). Weights of columns of mean 0 and deviation 1, the bias last."""
    rng = np.random.default_rng(seed)
    rows = [np.hstack([one, np.ones((len(one), 1))]) for one in rows]
    weights = [np.hstack([rng.normal(size=(bits, one.shape[1] - 1)) / np.sqrt(one.shape[1] - 1),
                          np.zeros((bits, 1))]) for one in rows]
    moments = [[np.zeros_like(w), np.zeros_like(w)] for w in weights]
    order = []
    for step in range(1, steps + 1):
        if len(order) < batch:
            order = list(rng.permutation(len(rows[0])))
        items, order = np.array(order[:batch]), order[batch:]
        codes = [np.tanh(one[items] @ w.T) for one, w in zip(rows, weights)]
        for side, slope in enumerate(loss_of(*codes, items)[1:]):
            g = (slope * (1 - codes[side] ** 2)).T @ rows[side][items]
            first, second = moments[side]
            first += 0.1 * (g - first)
            second += 0.001 * (g * g - second)
            weights[side] = weights[side] - (rate * first / (1 - 0.9 ** step)
                                             / (np.sqrt(second / (1 - 0.999 ** step)) + 1e-8))
    return weights


def precision_at(queries, items, query_labels, item_labels, k=50):
    """Mean average precision at k, ties in one random order."""
    rng = np.random.default_rng(0)
    distances = (queries[:, None, :] != items[None, :, :]).sum(axis=2)
    nearest = np.argsort(distances + rng.uniform(0, 0.5, distances.shape), axis=1)[:, :k]
    relevant = item_labels[nearest] == query_labels[:, None]
    found = relevant.sum(axis=1)
    precisions = np.cumsum(relevant, axis=1) / np.arange(1, k + 1) * relevant
    return np.where(found > 0, precisions.sum(axis=1) / np.maximum(found, 1), 0).mean()


def vectors(folder, name, kind):
    raw = np.fromfile(f"{folder}/{name}", dtype=np.int32)
    return np.ascontiguousarray(raw.reshape(-1, raw[0] + 1)[:, 1:]).view(kind)


def print_figures(folder, seeds):
    data = {role: [vectors(folder, f"wiki_{role}_{name}.fvecs", np.float32).astype(float)
                   for name in ("image128", "text10")] for role in ("train", "test")}
    labels = {role: vectors(folder, f"wiki_{role}_label.ivecs", np.int32)[:, 0] for role in data}
    scaled = {role: [(data[role][m] - data["train"][m].mean(axis=0)) / data["train"][m].std(axis=0)
                     for m in range(2)] for role in data}
    image, text = data["train"]
    alike = (labels["train"][:, None] == labels["train"]).astype(float)
    nothing = np.zeros_like(alike)
    losses = {
        "jdsh": lambda u, v, b: jdsh(u, v, image[b], text[b]),
        "djsrh": lambda u, v, b: djsrh(u, v, image[b], text[b]),
        "dcmh": lambda u, v, b: likelihood(u, v, alike[np.ix_(b, b)]),
        "prdh": lambda u, v, b: likelihood(u, v, alike[np.ix_(b, b)], 1, 0.01),
        "dmp-mh without a graph": lambda u, v, b: structural(u, v, nothing[np.ix_(b, b)]),
    }
    for name, loss_of in losses.items():
        found = []
        for seed in range(1, seeds + 1):
            weights = train(scaled["train"], loss_of, seed=seed)
            codes = {role: [rows @ w[:, :-1].T + w[:, -1] > 0
                            for rows, w in zip(scaled[role], weights)] for role in scaled}
            found.append([precision_at(codes["test"][m], codes["train"][1 - m], labels["test"],
                                       labels["train"]) for m in range(2)])
        print(name, *np.round(np.mean(found, axis=0), 3), flush=True)


# ---- Cases of the unit test


def case(count=6, bits=3, cols=(4, 3)):
    def wave(rows, columns, a, b, c):
        i, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
        return np.sin(a * i + b * j + c)

    u, v = 0.9 * wave(count, bits, 3, 5, 1), 0.8 * wave(count, bits, 7, 2, 4)
    rows = [wave(count, d, 2 + m, 1.3, 0.5 * m) for m, d in enumerate(cols)]
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    weights = np.where(i == j, 0, ((i + j) % 4) / 4.0)
    return u, v, rows, weights, (i % 2 == j % 2).astype(float)


def print_cases():
    u, v, rows, weights, alike = case()
    found = {
        "structural": structural(u, v, weights, 0.5, 0.1),
        "zero": structural(u, v, weights, 0.5, 0.1, "zero"),
        "skip": structural(u, v, weights, 0.5, 0.1, "skip"),
        "djsrh": djsrh(u, v, *rows),
        "jdsh": jdsh(u, v, *rows),
        "dcmh": likelihood(u, v, alike),
        "prdh": likelihood(u, v, alike, 1, 0.3),
    }
    i, b = np.meshgrid(np.arange(len(u)), np.arange(u.shape[1]), indexing="ij")
    along = np.cos(i + 2 * b)
    for name, (loss, gu, gv) in found.items():
        numbers = ", ".join(repr(float(x)) for x in (loss, (gu * along).sum(), (gv * along).sum()))
        print(f'  {{ "{name}", {{ {numbers} }} }},')


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print_figures(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)
    else:
        print_cases()
