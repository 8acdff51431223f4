#!/usr/bin/env python3
"""The clustering attack on affine lifting (LDP-FEAT, Pittaluga and Zhuang 2023, section 4.2) once
more, in NumPy and without Assay: what share of secrets it identifies from farthest-first starts.

Usage: ldp-feat-clustering.py SIFT-FOLDER [ROWS [SECRETS [ATTACKED]]]

Descriptors are those of scenarios/papers/ldp-feat-clustering-starts.scenario, drawn otherwise: of
SECRETS private ones (1500), each lifted with m/2 of the first ROWS rows (2000) of the places file
and m/2 random directions, the first ATTACKED (300) are attacked with the rows from 16,000 on. Which
subspaces share a row is taken from how they were made, not from where they meet. |V| is the best of
30, 100 and 300 for identification, chosen on the very secrets; identified is a guess to which no
other of the SECRETS is nearer. Prints for each m the share identified, and that of secrets whose
every lifting row is shared.
"""
import pathlib
import sys

import numpy as np


def read(path, first=0, end=None):
    rows = np.fromfile(path, np.uint8).reshape(-1, 132)[first:end, 4:].astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def lift(secret, rows, m, rng):
    """An origin and an orthonormal basis (m x d) of the subspace through all of them."""
    spanning = np.vstack([rows - secret, rng.standard_normal((m - len(rows), len(secret)))])
    basis = np.linalg.qr(spanning.T)[0].T.astype(np.float32).astype(np.float64)
    origin = secret + rng.standard_normal(m) @ basis
    return origin, basis


def distances(points, origin, basis):
    foot = origin - origin @ basis.T @ basis
    squares = ((points * points).sum(1) - 2 * points @ foot + foot @ foot
               - ((points @ basis.T) ** 2).sum(1))
    return np.sqrt(np.maximum(squares, 1e-12))


def cluster(rows, k):
    """k-means from the first row and then always the farthest: labels."""
    centres = [rows[0]]
    nearest = ((rows - centres[0]) ** 2).sum(1)
    while len(centres) < k:
        centres.append(rows[np.argmax(nearest)])
        nearest = np.minimum(nearest, ((rows - centres[-1]) ** 2).sum(1))
    centres = np.array(centres)
    labels = None
    for _ in range(50):
        found = np.argmin((centres ** 2).sum(1) - 2 * rows @ centres.T, axis=1)
        if labels is not None and (found == labels).all():
            break
        labels = found
        for c in range(k):
            if (labels == c).any():
                centres[c] = rows[labels == c].mean(0)
    return labels


def attack(origin, basis, public, far, others, count):
    """The guess for one subspace, from which public rows are @far off and which @others meet."""
    k = len(basis) // 2 + 1
    near = np.argpartition(far, count)[:count]
    near = near[np.argsort(far[near])]
    labels = cluster(public[near], k)
    candidates, weights = [], []
    for c in range(k):
        own = near[labels == c]
        if len(own) == 0:
            continue
        weight = 1 / far[own]
        mean = weight @ public[own] / weight.sum()
        candidates.append(origin + (mean - origin) @ basis.T @ basis)
        weights.append(weight.sum())
    candidates = np.array(candidates)
    if not others:
        return candidates[np.argmax(weights)]
    least = np.min([distances(candidates, *other) for other in others], axis=0)
    return candidates[np.argmax(least)]


def main():
    folder = pathlib.Path(sys.argv[1])
    sizes = [2000, 1500, 300]
    sizes[:len(sys.argv) - 2] = map(int, sys.argv[2:])
    n_rows, n_secrets, n_attacked = sizes
    rng = np.random.default_rng(1)
    secrets = read(folder / "sift_private_queries.bvecs")
    secrets = secrets[rng.permutation(len(secrets))[:n_secrets]]
    places = folder / "sift_places_public.bvecs"
    rows, public = read(places, 0, n_rows), read(places, 16000)
    print(f"{n_rows} rows, {n_secrets} secrets, {n_attacked} attacked")
    for m in (2, 4, 8, 16):
        drawn = [rng.choice(n_rows, m // 2, replace=False) for _ in secrets]
        lifted = [lift(s, rows[d], m, rng) for s, d in zip(secrets, drawn)]
        holders = {}
        for i, chosen in enumerate(drawn):
            for row in chosen:
                holders.setdefault(row, []).append(i)
        covered = np.mean([all(len(holders[row]) > 1 for row in chosen)
                           for chosen in drawn[:n_attacked]])
        right = np.zeros(3)
        for i in range(n_attacked):
            others = {j for row in drawn[i] for j in holders[row]} - {i}
            far = distances(public, *lifted[i])
            for c, count in enumerate((30, 100, 300)):
                guess = attack(*lifted[i], public, far, [lifted[j] for j in others], count)
                right[c] += np.argmin(((secrets - guess) ** 2).sum(1)) == i
        shares = right / n_attacked
        print(f"m = {m}: identified {100 * max(shares):.1f} % (|V| of 30, 100, 300: "
              f"{', '.join(f'{100 * s:.1f}' for s in shares)}), covered {100 * covered:.1f} %")


if __name__ == "__main__":
    main()
