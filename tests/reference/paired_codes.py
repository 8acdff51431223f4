"""CCA-ITQ's canonical part and retrieval across modalities in NumPy and plain Python, from the text
of docs/papers/dmp-mh.md. For tests/cli/test_paired.py."""

import itertools

import numpy as np

RIDGE = 0.01


def inverse_root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return vectors / np.sqrt(values) @ vectors.T


def canonical(first, second, count):
    """Directions of rows as they are (d x c of either modality), times their correlations."""
    deviations = first.std(axis=0), second.std(axis=0)
    x = (first - first.mean(axis=0)) / deviations[0]
    z = (second - second.mean(axis=0)) / deviations[1]
    n = len(x)
    root_x = inverse_root(x.T @ x / n + RIDGE * np.eye(x.shape[1]))
    root_z = inverse_root(z.T @ z / n + RIDGE * np.eye(z.shape[1]))
    left, rho, right = np.linalg.svd(root_x @ (x.T @ z / n) @ root_z)
    a = root_x @ left[:, :count] * rho[:count]
    b = root_z @ right[:count].T * rho[:count]
    return a / deviations[0][:, None], b / deviations[1][:, None]


def bits(layer, rows):
    return rows @ layer[:, :-1].T + layer[:, -1] > 0


def unpack(codes, count):
    return np.unpackbits(codes, axis=1, count=count, bitorder="little").astype(bool)


def precision_of_list(relevant):
    """AP over the relevant ones of a list, 0 where there are none."""
    found, total = 0, 0.0
    for place, is_relevant in enumerate(relevant, 1):
        if is_relevant:
            found += 1
            total += found / place
    return total / found if found else 0.0


def orders(distances, relevant):
    """Every different list of relevances that ties allow; all are equally likely."""
    ties = []
    for distance in sorted(set(distances)):
        tie = relevant[distances == distance]
        places = itertools.combinations(range(len(tie)), int(tie.sum()))
        ties.append([[i in chosen for i in range(len(tie))] for chosen in map(set, places)])
    for parts in itertools.product(*ties):
        yield [one for part in parts for one in part]


def average_precision_at(distances, relevant, k):
    values = [precision_of_list(order[:k]) for order in orders(distances, relevant)]
    return sum(values) / len(values)


def mean_average_precision(queries, items, query_labels, item_labels, k):
    """Over queries whose label some item has; where @items is None, chance."""
    values = []
    for query, label in zip(queries, query_labels):
        relevant = item_labels == label
        if relevant.any():
            distances = (items != query).sum(axis=1) if items is not None else 0 * item_labels
            values.append(average_precision_at(distances, relevant, k))
    return sum(values) / len(values)


def triangles(joined):
    """Of a graph as a matrix."""
    joined = joined & ~np.eye(len(joined), dtype=bool)
    return round(np.trace(np.linalg.matrix_power(joined.astype(float), 3)) / 6)


def triangle_error(queries, items, query_labels, item_labels, *, k, radius, graph=None):
    """Of the k nearest (ties by number) of queries whose label some item has."""
    errors = truth = 0
    for query, label in zip(queries, query_labels):
        if (item_labels == label).any():
            nearest = np.argsort((items != query).sum(axis=1), kind="stable")[:k]
            near = items[nearest]
            joined = (near[:, None] != near).sum(axis=2) <= radius
            same = (item_labels[nearest][:, None] == item_labels[nearest] if graph is None
                    else graph[np.ix_(nearest, nearest)])
            errors += abs(triangles(joined) - triangles(same))
            truth += triangles(same)
    return errors / truth if truth else None
