"""Codes of two modalities: how cca-itq makes them, and retrieval of one modality by the other,
against NumPy (tests/reference/paired_codes.py)."""

import json
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reference"))
paired_codes = pytest.importorskip("paired_codes")

FIRST, SECOND = 5, 3
SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = interactions
secrets = {secrets}
first = first.npy
{second}labels = labels.npy
test_first = test_first.npy
{test_second}test_labels = test_labels.npy
mean_degree = 3
[defense d]
plugin = cca-itq
{settings}
[attack code-link]
plugin = code-link
grants = hash-function
[utility paired-map]
plugin = paired-map
k = 4
wide = 5000
[utility paired-triangles]
plugin = paired-triangles
k = 7
radius = {radius}
"""


def scenario(secrets=11, settings="", has_second=True, radius=0):
    return SCENARIO.format(secrets=secrets, settings=settings, radius=radius,
                           second="second = second.npy\n" if has_second else "",
                           test_second="test_second = test_second.npy\n" if has_second else "")


def make_data(sandbox, n=11, queries=9):
    """Of the queries' three classes items have two."""
    rng = np.random.default_rng(5)
    data = {}
    for role, count, classes in (("", n, 2), ("test_", queries, 3)):
        labels = np.arange(count) % classes
        shared = rng.normal(size=(count, 1))
        for name, cols in (("first", FIRST), ("second", SECOND)):
            rows = rng.normal(size=(count, cols)) + shared + labels[:, None]
            data[role + name] = rows.astype(np.float32)
            np.save(sandbox.path / f"{role}{name}.npy", data[role + name])
        data[role + "labels"] = labels
        np.save(sandbox.path / f"{role}labels.npy", labels[:, None])
    return data


def run(sandbox, settings, radius=0):
    """What the utilities found, and the folder of the attacked cell."""
    sandbox.write("a.scenario", scenario(settings=settings, radius=radius))
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    found, cell_id = {}, None
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        part = cell.get("attack") or cell["utility"]
        found[part["plugin"]] = {one["measure"]: one["estimate"] for one in cell["measurements"]}
        cell_id = cell["id"] if part["plugin"] == "code-link" else cell_id
    sandbox.expect(sandbox.assay("export", "out", "--cell", cell_id, "--to", "cell"), 0, out=None)
    return found, sandbox.path / "cell"


@pytest.mark.parametrize("bits", [2, 3, 12])
def test_codes_and_retrieval(sandbox, bits):
    """With fewer bits than correlations, as many, and more."""
    data = make_data(sandbox)
    found, folder = run(sandbox, f"bits = {bits}\n")
    found, release = found["paired-map"], folder / "release"
    directions = paired_codes.canonical(data["first"].astype(float), data["second"].astype(float),
                                        min(bits, FIRST, SECOND))
    layers = [np.load(release / f"{name}-layer1.npy").astype(float) for name in ("image", "text")]
    codes = [paired_codes.unpack(np.load(release / f"{name}-codes.npy"), bits)
             for name in ("image", "text")]
    # R R' = I: products of layers say nothing of the rotation.
    for i in range(2):
        for j in range(2):
            np.testing.assert_allclose(layers[i][:, :-1].T @ layers[j][:, :-1],
                                       directions[i] @ directions[j].T, atol=2e-5)
    for layer, code, name in zip(layers, codes, ("first", "second")):
        rows = data[name].astype(float)
        np.testing.assert_allclose(layer[:, -1], -layer[:, :-1] @ rows.mean(axis=0), atol=2e-5)
        assert (paired_codes.bits(layer, rows) == code).all()

    queries = [paired_codes.bits(layer, data[name].astype(float))
               for layer, name in zip(layers, ("test_first", "test_second"))]
    labels = data["test_labels"], data["labels"]
    for k, wide in ((4, ""), (11, "-wide")):
        for name, query, items in (("image-to-text", queries[0], codes[1]),
                                   ("text-to-image", queries[1], codes[0]),
                                   ("chance", queries[0], None)):
            assert found[name + wide] == pytest.approx(
                paired_codes.mean_average_precision(query, items, *labels, k), abs=1e-9)
    assert found["pairs-without-relevant"] == pytest.approx(1 / 3, abs=1e-12)


@pytest.mark.parametrize("bits, radius", [(12, 0), (8, 3), (12, 1)])
def test_triangles(sandbox, bits, radius):
    """Of near codes among the nearest, against labels and against the private graph."""
    data = make_data(sandbox)
    found, folder = run(sandbox, f"bits = {bits}\n", radius)
    found = found["paired-triangles"]
    layers = [np.load(folder / f"release/{name}-layer1.npy").astype(float)
              for name in ("image", "text")]
    codes = [paired_codes.unpack(np.load(folder / f"release/{name}-codes.npy"), bits)
             for name in ("image", "text")]
    graph = np.zeros((11, 11), bool)
    for i, j in np.load(folder / "truth/edges.npy"):
        graph[i, j] = graph[j, i] = True
    for way, side in (("image-to-text", 0), ("text-to-image", 1)):
        queries = paired_codes.bits(layers[side], data[f"test_{('first', 'second')[side]}"])
        for name, joined in (("triangles", None), ("graph-triangles", graph)):
            expected = paired_codes.triangle_error(
                queries, codes[1 - side], data["test_labels"], data["labels"], k=7,
                radius=radius or bits // 4, graph=joined)
            assert expected > 0
            assert found[f"{way}-{name}"] == pytest.approx(expected, abs=1e-9)
    assert found["triangles-without-relevant"] == pytest.approx(1 / 3, abs=1e-12)


def test_refusals(sandbox):
    make_data(sandbox)
    sandbox.write("a.scenario", scenario(settings="bits = 4\nextend = no\n"))
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert result.code != 0
    assert ("bits = 4: modalities of 5 and 3 numbers have 3 canonical correlations; expected no "
            "more bits, or extend = yes") in " ".join((result.out + result.err).split())
    sandbox.write("b.scenario", scenario(has_second=False))
    result = sandbox.assay("run", "b.scenario", "--out", "b", "--quiet")
    assert result.code != 0
    assert "[utility paired-map] needs rows of two modalities" in result.err


@pytest.mark.parametrize("defense, setting, message", [
    ("dmp-mh", "bound = 1", "bound"),
    ("dmp-mh", "bits = 0", "bits"),
    *((defense, f"epsilon = {epsilon}", "epsilon")
      for defense in ("dmp-mh", "block-mh", "dp-sgd") for epsilon in ("0", "inf")),
    *((defense, "bits = 5000", "bits")
      for defense in ("paired-lsh", "paired-sh", "cmfh", "djsrh", "jdsh", "dcmh", "prdh")),
])
def test_settings_that_are_refused(sandbox, defense, setting, message):
    make_data(sandbox)
    text = scenario(settings=setting + "\n").replace("plugin = cca-itq", f"plugin = {defense}")
    sandbox.write("a.scenario", text)
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    sandbox.expect(result, 2)
    assert f"{message}: expected" in result.err or f"{message} =" in result.err, str(result)


def test_nodes_without_features(sandbox):
    make_data(sandbox)
    (sandbox.path / "edges.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(12)))
    sandbox.write("a.scenario", scenario().replace("mean_degree = 3", "edges = edges.txt"))
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    sandbox.expect(result, 2)
    assert ("edges.txt has 13 nodes and first has 11 rows; expected features of each node, and no "
            "others") in " ".join(result.err.split()), str(result)


def test_queries_of_no_category(sandbox):
    """No item shares a category with any query: there is nothing to average."""
    make_data(sandbox)
    np.save(sandbox.path / "test_labels.npy", np.full((9, 1), 2))
    sandbox.write("a.scenario", scenario())
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert result.code != 0
    assert ("none of the 9 queries shares a label with any of the 11 secrets; expected some that "
            "do") in " ".join((result.out + result.err).split()), str(result)


@pytest.mark.parametrize("defense, settings", [
    ("dmp-mh", "bound = 10\nsteps = 20\n"), ("dmp-mh", "noise = no\nsteps = 20\n"),
    ("block-mh", "clusters = 2\nsteps = 20\n"), ("dp-sgd", "rounds = 20\n"),
    ("dcmh", "target = graph\nsteps = 20\n")])
def test_a_graph_without_triangles(sandbox, defense, settings):
    """A star, all of whose motifs are 0: codes are made of it and looked up."""
    make_data(sandbox)
    (sandbox.path / "edges.txt").write_text("".join(f"0 {i}\n" for i in range(1, 11)))
    text = scenario(settings=settings).replace("mean_degree = 3", "edges = edges.txt")
    sandbox.write("a.scenario", text.replace("plugin = cca-itq", f"plugin = {defense}"))
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    found = {}
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        found |= {one["measure"]: one["estimate"] for one in cell["measurements"]}
    assert 0 < found["image-to-text"] <= 1 and found["image-to-text-triangles"] > 0
    # The private graph has no triangle, so that no error is a share of them.
    assert "image-to-text-graph-triangles" not in found
