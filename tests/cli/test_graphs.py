"""Private graphs, from a list of edges to what is measured of their release, against NumPy
(tests/reference/graph_release.py)."""

import json
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reference"))
graph_release = pytest.importorskip("graph_release")

NODES, FIRST, SECOND, CLASSES = 60, 6, 4, 3
SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = interactions
first = first.npy
second = second.npy
labels = labels.npy
edges = edges.txt
[defense d]
plugin = dmp-graph
noise = no
{settings}
[attack graph-link]
plugin = graph-link
[attack feature-link]
plugin = feature-link
grants = features
[utility graph-error]
"""


@pytest.fixture(name="data")
def made_data(sandbox):
    """Features, and a graph with hubs; in the file it has loops, and edges in both directions."""
    rng = np.random.default_rng(8)
    labels = rng.integers(CLASSES, size=NODES)
    first = rng.normal(size=(NODES, FIRST)) + rng.normal(size=(CLASSES, FIRST))[labels]
    second = rng.normal(size=(NODES, SECOND)) + rng.normal(size=(CLASSES, SECOND))[labels]
    activity = rng.uniform(0.2, 1, NODES)
    chance = np.outer(activity, activity) * np.where(labels[:, None] == labels, 0.9, 0.25)
    graph = np.triu(rng.uniform(size=chance.shape) < chance, 1)
    graph |= graph.T
    np.save(sandbox.path / "first.npy", first.astype(np.float32))
    np.save(sandbox.path / "second.npy", second.astype(np.float32))
    np.save(sandbox.path / "labels.npy", labels[:, None])
    # Ids that rise with the nodes, but are no numbers of them.
    lines = [f"{3 * i + 5} {3 * j + 5}" for i, j in np.argwhere(graph) if rng.uniform() < 0.7 or i < j]
    lines += [f"{3 * i + 5} {3 * i + 5}" for i in range(NODES)]
    (sandbox.path / "edges.txt").write_text("\n".join(lines) + "\n")
    rows = np.hstack([first.astype(np.float32), second.astype(np.float32)]).astype(np.float64)
    return {"graph": graph, "rows": rows, "labels": labels}


def run(sandbox, settings):
    """The measurements of each part, and the folder of the attacked release."""
    sandbox.write("a.scenario", SCENARIO.format(settings=settings))
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    found, cell_id = {}, None
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        part = cell.get("attack") or cell["utility"]
        found[part["plugin"]] = {one["measure"]: one["estimate"] for one in cell["measurements"]}
        cell_id = cell["id"] if part["plugin"] == "graph-link" else cell_id
    sandbox.expect(sandbox.assay("export", "out", "--cell", cell_id, "--to", "cell"), 0, out=None)
    return found, sandbox.path / "cell"


def matrix_of(edges):
    graph = np.zeros((NODES, NODES), bool)
    graph[edges[:, 0], edges[:, 1]] = True
    return graph | graph.T


def weights_of(folder):
    indptr, indices, weights = (np.load(folder / f"{name}.npy")
                                for name in ("indptr", "indices", "weights"))
    dense = np.zeros((NODES, NODES))
    for i in range(NODES):
        dense[i, indices[indptr[i]:indptr[i + 1]]] = weights[indptr[i]:indptr[i + 1]]
    return dense


CASES = [("cosine", "mutual", 8), ("cosine", "greedy", 8), ("cosine", "none", 8),
         ("hash", "mutual", 6), ("hash", "greedy", 6), ("number", "greedy", 7),
         ("number", "mutual", 7), ("neighbours", "mutual", 8), ("cosine", "mutual", 50)]


@pytest.mark.parametrize("rank, pruning, bound", CASES)
def test_clipped_graphs_and_motifs(sandbox, data, rank, pruning, bound):
    """A Euclidean step of 1 from anywhere ends in the motifs, exactly."""
    _, folder = run(sandbox, f"rank = {rank}\npruning = {pruning}\nbound = {bound}\n"
                             "mirror = euclidean\nstep = 1\nrounds = 1\n")
    truth = folder / "truth"
    alike = graph_release.likeness(data["rows"], FIRST)
    clipped = graph_release.clip(data["graph"], bound, rank, pruning, alike)
    tau = graph_release.motifs(clipped)
    assert (matrix_of(np.load(truth / "edges.npy")) == data["graph"]).all()
    assert (matrix_of(np.load(truth / "clipped-edges.npy")) == clipped).all()
    released = weights_of(folder / "release")
    np.testing.assert_array_equal(np.rint(np.expm1(released * np.log1p(tau.max()))), tau)
    np.testing.assert_allclose(released, graph_release.log_normalise(tau), atol=2e-7)
    assert np.load(truth / "modalities.npy").tolist() == [FIRST, SECOND]


@pytest.mark.parametrize("mirror, rounds, step", [("kl", 30, 0.02), ("euclidean", 12, 0.1)])
def test_releases_and_what_is_measured(sandbox, data, mirror, rounds, step):
    found, folder = run(sandbox, f"bound = 9\nmirror = {mirror}\nstep = {step}\nrounds = {rounds}\n")
    alike = graph_release.likeness(data["rows"], FIRST)
    clipped = graph_release.clip(data["graph"], 9, "cosine", "mutual", alike)
    tau = graph_release.motifs(clipped)
    weights = graph_release.descend(tau, clipped, mirror, rounds, step)
    released = graph_release.log_normalise(weights)
    stored = weights_of(folder / "release")
    np.testing.assert_allclose(stored, released, atol=3e-7)

    errors, halves = np.maximum(weights, 0) - tau, np.arange(NODES) < NODES // 2
    np.fill_diagonal(errors, 0)
    largest = graph_release.largest_pairs(stored, int(clipped.sum()) // 2)
    error = found["graph-error"]
    assert error["tce-clipping"] == pytest.approx(
        graph_release.triangle_error(clipped, data["graph"]), abs=1e-9)
    assert error["tce-release"] == pytest.approx(
        graph_release.triangle_error(largest, data["graph"]), abs=1e-9)
    # Weights are stored as float32.
    assert error["cut-error"] == pytest.approx(
        graph_release.cut_error(errors, halves), rel=1e-4, abs=1e-3)
    assert error["cut-error-leading"] == pytest.approx(
        graph_release.cut_error(errors, graph_release.leading_side(errors)), rel=1e-4, abs=1e-3)

    upper = np.triu_indices(NODES, 1)
    is_edge, same = data["graph"][upper], (data["labels"][:, None] == data["labels"])[upper]
    for attack, scores in (("graph-link", stored[upper]), ("feature-link", alike[upper])):
        measured = found[attack]
        areas = [graph_release.area(scores, is_edge),
                 graph_release.area(scores[same], is_edge[same])]
        floors = [graph_release.area(alike[upper], is_edge),
                  graph_release.area(alike[upper][same], is_edge[same])]
        assert measured["edge-auc"] == pytest.approx(areas[0], abs=1e-6)
        assert measured["edge-auc-within"] == pytest.approx(areas[1], abs=1e-6)
        assert measured["edge-gain"] == pytest.approx(areas[0] - floors[0], abs=1e-6)
        assert measured["edge-gain-within"] == pytest.approx(areas[1] - floors[1], abs=1e-6)
    assert found["feature-link"]["edge-precision"] == pytest.approx(
        graph_release.precision(alike[upper], is_edge), abs=1e-9)


@pytest.mark.parametrize("change, message", [
    (("bound = 9", "bound = 1"), "bound"),
    (("bound = 9", "bound = 9\nepsilon = 0"), "epsilon"),
    (("bound = 9", "bound = 9\nepsilon = inf"), "epsilon"),
    (("edges = edges.txt", "edges = few.txt"),
     "few.txt has 2 nodes and first has 60 rows; expected features of each node, and no others"),
    (("edges = edges.txt", "edges = wrong.txt"), "line 2: expected two whole numbers"),
    (("plugin = interactions", "plugin = values\nkind = real"), "private"),
])
def test_bad_input_is_refused(sandbox, data, change, message):
    (sandbox.path / "few.txt").write_text("1 2\n")
    (sandbox.path / "wrong.txt").write_text("1 2\n3 x\n")
    text = SCENARIO.format(settings="bound = 9").replace(*change)
    if "values" in change[1]:
        text = "".join(line + "\n" for line in text.splitlines()
                       if line.split(" ")[0] not in ("first", "second", "labels", "edges"))
    sandbox.write("a.scenario", text)
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    sandbox.expect(result, 2)
    assert message in result.err, str(result)


def test_a_graph_without_triangles(sandbox, data):
    """A star: all motifs are 0, Euclidean weights too, and triangles are not measured."""
    (sandbox.path / "edges.txt").write_text("".join(f"0 {i}\n" for i in range(1, NODES)))
    found, folder = run(sandbox, "bound = 59\nmirror = euclidean\nstep = 1\nrounds = 1\n")
    assert (weights_of(folder / "release") == 0).all()
    assert "tce-release" not in found["graph-error"], found
    assert found["graph-error"]["cut-error"] == 0
    assert found["graph-link"]["edge-auc"] == pytest.approx(0.5)
    result = sandbox.assay("plan", "a.scenario")
    assert "59 of 59 edges in one direction alone" in result.out, str(result)
