#!/usr/bin/env python3
"""dmp-graph and its measures in NumPy and plain Python, from the text of the paper (Cheng, Dai and
Sun 2026) and docs/papers/dmp-mh.md alone: likeness, clipping, motifs, mirror descent, triangles,
cuts, areas under ROC curves. For tests/cli/test_graphs.py.

usage: graph_release.py      the traces of tests/unit/defenses/test-dmp-graph.c, as C

Matrices are n x n, symmetric with a zero diagonal."""

import numpy as np

MASK = (1 << 64) - 1


def likeness(rows, first):
    """The mean of the cosines of both modalities, of rows less their mean."""
    parts = []
    for part in (rows[:, :first], rows[:, first:]):
        centred = part - part.mean(axis=0)
        unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
        parts.append(unit @ unit.T)
    return (parts[0] + parts[1]) / 2


def splitmix64(state):
    z = (state + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def preference(rank, graph, alike, i, j):
    """Higher first."""
    if rank == "cosine":
        return alike[i, j]
    if rank == "hash":
        return -splitmix64(min(i, j) << 32 | max(i, j))
    if rank == "number":
        return j
    degrees = graph.sum(axis=0)
    return round(float((graph[i] & graph[j]).sum() / np.sqrt(degrees[i] * degrees[j])), 12)


def clip(graph, bound, rank, pruning, alike):
    n = len(graph)
    listed = np.zeros_like(graph)
    for i in range(n):
        order = sorted(np.flatnonzero(graph[i]),
                       key=lambda j, i=i: (-preference(rank, graph, alike, i, int(j)), j))
        listed[i, order[:bound]] = True
    if pruning == "mutual":
        return listed & listed.T
    either = listed | listed.T
    if pruning == "none":
        return either
    edges = [(i, j) for i in range(n) for j in range(i + 1, n) if either[i, j]]
    if rank == "number":
        edges.sort(key=lambda e: (-e[1], -e[0]))
    else:
        edges.sort(key=lambda e: (-preference(rank, graph, alike, *e), e))
    kept, degrees = np.zeros_like(graph), [0] * n
    for i, j in edges:
        if degrees[i] < bound and degrees[j] < bound:
            kept[i, j] = kept[j, i] = True
            degrees[i] += 1
            degrees[j] += 1
    return kept


def motifs(clipped):
    a = clipped.astype(np.int64)
    return a * (a @ a)


def descend(tau, clipped, mirror, rounds, step, convexity=0.0, start=1.0):
    weights = np.full(tau.shape, start)
    for _ in range(rounds):
        gradient = weights - tau + 2 * convexity * (weights - clipped)
        if mirror == "kl":
            weights = weights * np.exp(-np.clip(step * gradient, -20, 20))
        else:
            weights = weights - step * gradient
    return weights


def log_normalise(weights):
    logs = np.log1p(np.maximum(0, weights))
    np.fill_diagonal(logs, 0)
    return logs / logs.max()


def triangles(graph):
    a = graph.astype(np.int64)
    return int(np.trace(a @ a @ a)) // 6


def largest_pairs(weights, count):
    n = len(weights)
    pairs = sorted(((-weights[i, j], i, j) for i in range(n) for j in range(i + 1, n)))[:count]
    graph = np.zeros((n, n), bool)
    for _, i, j in pairs:
        graph[i, j] = graph[j, i] = True
    return graph


def triangle_error(found, graph):
    return abs(triangles(found) - triangles(graph)) / triangles(graph)


def cut_error(errors, side):
    return abs(errors[np.ix_(side, ~side)].sum()) / 2


def leading_side(errors):
    values, vectors = np.linalg.eigh(errors)
    return vectors[:, np.argmax(np.abs(values))] > 0


def area(scores, is_edge):
    edges, others = scores[is_edge], scores[~is_edge]
    above = (edges[:, None] > others[None, :]).sum() + (edges[:, None] == others[None, :]).sum() / 2
    return above / (len(edges) * len(others))


def precision(scores, is_edge):
    """Of distinct scores."""
    count = int(is_edge.sum())
    return is_edge[np.argsort(-scores, kind="stable")[:count]].mean()


def print_traces():
    tau = np.array([0, 1, 5, 40, 700.0])
    clipped = np.array([0, 1, 1, 1, 1.0])
    for mirror in ("kl", "euclidean"):
        for rounds, step, convexity in ((1, 0.05, 0), (10, 0.05, 0), (100, 0.01, 0), (25, 0.02, 1.5)):
            weights = descend(tau, clipped, mirror, rounds, step, convexity)
            numbers = ", ".join(repr(float(w)) for w in weights)
            print(f"  {{ DMP_MIRROR_{mirror.upper()}, {rounds}, {step}, {convexity}, {{ {numbers} }} }},")


if __name__ == "__main__":
    print_traces()
