#!/usr/bin/env python3
"""How many rows do bounds leave that a scan could rule rows out by? For the head of scan-prune.c.

Usage: scan-bounds.py SIFT-FOLDER      (needs NumPy; two minutes)

The rows are the descriptors of five files of real SIFT, of unit length; the subspaces go through
descriptors of private photographs, half of their m = 4 directions lead to rows drawn at random and
the others are random, as in affine lifting's hybrid variant. Prints for each bound the share of rows
whose bound is no more than the k-th least squared distance, mean over the subspaces.
"""
import pathlib
import sys

import numpy

FILES = ("sift_places_public.bvecs", "homography_sift.bvecs", "sacre_coeur_sift.bvecs",
         "sceaux_castle_sift.bvecs", "bigann10k.bvecs")
COLS = 128
DIMENSION = 4
SUBSPACES = 60
WANTED = (1, 10, 1010)
COMPONENTS = (16, 24, 32, 48, 64)
CELLS = 2000
ROUNDING = 1e-5


def read_unit(path):
    rows = numpy.fromfile(path, numpy.uint8).reshape(-1, COLS + 4)[:, 4:].astype(numpy.float32)
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def quantise(rows, most):
    """Rows of eight bits, and the length of what that changes of each."""
    scales = numpy.abs(rows).max(axis=1, keepdims=True) / most
    quantised = numpy.round(rows / scales) * scales
    return quantised, numpy.linalg.norm(rows - quantised, axis=1)


def nearest_cells(rows, centres):
    """Number of the nearest centre of each row, and the distance from it."""
    cells = numpy.empty(len(rows), numpy.int64)
    distances = numpy.empty(len(rows))
    for first in range(0, len(rows), 4096):
        part = rows[first:first + 4096]
        squares = 2 - 2 * part @ centres.T
        cells[first:first + 4096] = squares.argmin(axis=1)
        distances[first:first + 4096] = numpy.sqrt(numpy.maximum(squares.min(axis=1), 0))
    return cells, distances


def squared_distances(rows, basis, point):
    difference = rows - point
    return (difference ** 2).sum(axis=1) - ((difference @ basis.T) ** 2).sum(axis=1)


def main():
    folder = pathlib.Path(sys.argv[1])
    generator = numpy.random.default_rng(1)
    rows = numpy.concatenate([read_unit(folder / name) for name in FILES])
    secrets = read_unit(folder / "sift_private_queries.bvecs")
    components = numpy.linalg.eigh(rows[::17].T @ rows[::17])[1][:, ::-1]
    rotated = rows @ components
    quantised, changed = quantise(rows, 255)
    centres = rows[generator.choice(len(rows), CELLS, replace=False)]
    cells, radii = nearest_cells(rows, centres)
    left = {}
    for secret in generator.choice(len(secrets), SUBSPACES, replace=False):
        point = secrets[secret].astype(float)
        chosen = rows[generator.choice(len(rows), DIMENSION // 2)] - point
        random = generator.standard_normal((DIMENSION - DIMENSION // 2, COLS))
        basis = numpy.linalg.qr(numpy.concatenate([chosen, random]).T)[0].T
        bars = numpy.partition(squared_distances(rows, basis, point), [k - 1 for k in WANTED])
        bounds = {}
        for count in COMPONENTS:
            inside = numpy.linalg.qr(components[:, :count].T @ basis.T)[0].T
            bounds[f"{count} components"] = squared_distances(
                rotated[:, :count], inside, point @ components[:, :count])
        base = point - basis.T @ (basis @ point)
        stack, errors = quantise(numpy.vstack([base, basis]), 127)
        within = numpy.sqrt(((quantised @ stack[1:].T) ** 2).sum(axis=1)) + changed
        within += numpy.linalg.norm(basis - stack[1:], 2) * (1 + changed)
        along = quantised @ stack[0] + errors[0] * (1 + changed) + numpy.sqrt(base @ base) * changed
        bounds["eight bits"] = 1 + base @ base - 2 * along - within ** 2
        from_centres = numpy.sqrt(numpy.maximum(squared_distances(centres, basis, point), 0))
        bounds[f"{CELLS} cells"] = numpy.maximum(from_centres[cells] - radii, 0) ** 2
        for name, values in bounds.items():
            for k in WANTED:
                share = (values <= bars[k - 1] + ROUNDING).mean()
                left.setdefault(name, {}).setdefault(k, []).append(share)
    print(f"{len(rows)} rows, {SUBSPACES} subspaces, m = {DIMENSION}; median distance of a row from "
          f"the nearest of {CELLS} others: {numpy.median(radii):.3f}")
    for name, shares in left.items():
        print(f"{name:15}", *(f"k = {k}: {100 * numpy.mean(shares[k]):.3f} %" for k in WANTED),
              sep="  ")


if __name__ == "__main__":
    main()
