"""Models that users train together, against NumPy: what users send of clusters, and what utilities
say of test rows."""

import itertools
import json
import math

import pytest

np = pytest.importorskip("numpy")

CLASSES = 3
SCENARIO = """[scenario]
title = T
seed = 4
[dataset]
plugin = vectors
private = private.npy
labels = labels.npy
public = public.npy
public_labels = public-labels.npy
test = test.npy
test_labels = test-labels.npy
secrets = 120
[defense average]
plugin = average
steps = 3
{defense}
[attack single-holder]
plugin = {attack}
[utility {utility}]
plugin = {utility}
{settings}
"""


def write_data(sandbox):
    """Classes of unequal size that overlap."""
    rng = np.random.default_rng(8)
    centres = rng.normal(size=(CLASSES, 5)) * 1.5
    for name, n in ("", 120), ("public-", 40), ("test-", 90):
        labels = rng.choice(CLASSES, n, p=(0.5, 0.3, 0.2))
        rows = centres[labels] + rng.normal(size=(n, 5))
        np.save(sandbox.path / f"{name}labels.npy", labels)
        np.save(sandbox.path / {"": "private.npy"}.get(name, f"{name[:-1]}.npy"),
                rows.astype(np.float32))


def run(sandbox, defense, utility, settings=""):
    """Measures of the utility by name, and the arrays of the release and of the truth."""
    write_data(sandbox)
    sandbox.write("a.scenario", SCENARIO.format(
        defense=defense, attack="single-holder", utility=utility, settings=settings))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out"), 0)
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    attack = next(cell for cell in cells if "attack" in cell and cell["attack"] is not None)
    judged = next(cell for cell in cells if cell.get("utility") is not None)
    sandbox.expect(sandbox.assay("export", "out", "--cell", attack["id"], "--to", "cell"), 0)
    found = {value["measure"]: value for value in judged["measurements"]}
    arrays = {name: np.load(sandbox.path / f"cell/release/{name}.npy").astype(float)
              for name in ("models", "locals", "mean", "deviation")}
    for name in "users", "secrets":
        arrays[name] = np.load(sandbox.path / f"cell/truth/{name}.npy")
    test = np.load(sandbox.path / "test.npy").astype(float)
    arrays["test"] = (test - arrays["mean"]) / arrays["deviation"]
    return found, arrays, np.load(sandbox.path / "test-labels.npy")


# ---- Clusters ----


def nearest(rows, centroids):
    return ((rows[:, None] - centroids) ** 2).sum(axis=2).argmin(axis=1)


def entropy(counts, n):
    shares = counts[counts > 0] / n
    return -(shares * np.log(shares)).sum()


def adjusted_information(one, other, norm):
    """Vinh, Epps and Bailey 2010, equation 24a, with factorials by the gamma function."""
    n = len(one)
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1)
    a, b = table.sum(axis=1), table.sum(axis=0)
    information = entropy(a, n) + entropy(b, n) - entropy(table.ravel(), n)
    expected = 0
    for x, y in itertools.product(a.astype(int), b.astype(int)):
        for both in range(max(1, x + y - n), min(x, y) + 1):
            ways = sum(math.lgamma(k + 1) for k in (x, y, n - x, n - y)) - sum(
                math.lgamma(k + 1) for k in (n, both, x - both, y - both, n - x - y + both))
            expected += both / n * math.log(n * both / (x * y)) * math.exp(ways)
    return (information - expected) / (norm(entropy(a, n), entropy(b, n)) - expected)


def test_users_send_sparse_means_of_their_clusters(sandbox):
    found, arrays, labels = run(
        sandbox, "trainer = clusters\nbatch = 0\npenalty = 0.2\nmix = 1", "clustering-agreement")
    rows = (arrays["secrets"] - arrays["mean"]) / arrays["deviation"]
    models = arrays["models"].reshape(4, CLASSES, 5)
    sent = arrays["locals"].reshape(3, 5, CLASSES, 5)
    for step, user in itertools.product(range(3), range(5)):
        own = rows[arrays["users"] == user]
        clusters = nearest(own, models[step])
        centroids = models[step].copy()
        for c in set(clusters):
            centroids[c] = own[clusters == c].mean(axis=0)
        sparse = np.sign(centroids) * np.maximum(np.abs(centroids) - 0.2, 0)
        assert np.abs(sent[step, user] - sparse).max() < 1e-5
    assert np.abs(models[1:] - sent.mean(axis=1)).max() < 1e-6
    assert (sent == 0).mean() > 0.05
    clusters = nearest(arrays["test"], models[-1])
    for name, norm in (("cluster-information", max),
                       ("cluster-information-arithmetic", lambda h, g: (h + g) / 2)):
        expected = adjusted_information(labels, clusters, norm)
        assert found[name]["estimate"] == pytest.approx(expected, abs=1e-9)
        assert 0.1 < expected < 0.95
    first = adjusted_information(labels, nearest(arrays["test"], models[0]), max)
    assert found["first-cluster-information"]["estimate"] == pytest.approx(first, abs=1e-9)
    interval = [adjusted_information(labels[pick], clusters[pick], max) for pick in
                np.random.default_rng(1).integers(0, 90, (400, 90))]
    width = np.subtract(*np.quantile(interval, (0.975, 0.025)))
    value = found["cluster-information"]
    assert value["upper"] - value["lower"] == pytest.approx(width, rel=0.35)


def test_clusters_are_no_classifiers(sandbox):
    """Attacks that read gradients and utilities of classifiers say so."""
    write_data(sandbox)
    for key, message in (("start = zero", "start = zero with trainer = clusters"),
                         ("bias = yes", "bias = yes with trainer = clusters")):
        sandbox.write("a.scenario", SCENARIO.format(
            defense=f"trainer = clusters\n{key}", attack="single-holder",
            utility="clustering-agreement", settings=""))
        result = sandbox.assay("run", "a.scenario", "--out", "refused")
        sandbox.expect(result, 2)
        assert message in result.err
    for attack, code in (("update-leak\ngrants = messages", 2), ("single-holder", 3)):
        sandbox.write("a.scenario", SCENARIO.format(
            defense="trainer = clusters", attack=attack, utility="model-accuracy", settings=""))
        result = sandbox.assay("run", "a.scenario", "--out", "out")
        sandbox.expect(result, code)
        if code == 2:
            assert "users send centroids of clusters (trainer = clusters)" in result.err
    messages = [cell["message"] for cell in json.loads(sandbox.read("out/results.json"))["cells"]]
    assert "models are centroids of clusters; expected classifiers" in messages[1]


# ---- Detectors ----


def precision(scores, has):
    """The mean precision at the thresholds of rows that have the label."""
    return np.mean([has[scores >= score].mean() for score in scores[has]])


def test_detectors_are_judged_as_numpy_does(sandbox):
    found, arrays, labels = run(sandbox, "rate = 0.01\nsparsity = 0.3", "detection", "top = 2")
    scores = arrays["test"] @ arrays["models"][-1].reshape(CLASSES, 5).T
    counts = np.bincount(np.load(sandbox.path / "labels.npy"), minlength=CLASSES)
    top = np.argsort(-counts)[:2]
    has = labels[:, None] == np.arange(CLASSES)
    expected = np.mean([precision(scores[:, c], has[:, c]) for c in top])
    assert found["label-average-precision"]["estimate"] == pytest.approx(expected, abs=1e-9)
    assert found["label-prevalence"]["estimate"] == pytest.approx(has[:, top].mean())
    right = (scores[:, top] > 0) == has[:, top]
    assert found["label-accuracy"]["estimate"] == pytest.approx(right.mean())
    resampled = [np.mean([precision(scores[pick, c], has[pick, c]) for c in top]) for pick in
                 np.random.default_rng(1).integers(0, 90, (400, 90))]
    width = np.subtract(*np.quantile(resampled, (0.975, 0.025)))
    value = found["label-average-precision"]
    assert value["upper"] - value["lower"] == pytest.approx(width, rel=0.3)


def test_accuracy_over_classes_of_unequal_size(sandbox):
    found, arrays, labels = run(sandbox, "rate = 0.01", "model-accuracy")
    named = (arrays["test"] @ arrays["models"][-1].reshape(CLASSES, 5).T).argmax(axis=1)
    by_class = [np.mean(named[labels == c] == c) for c in range(CLASSES)]
    assert found["model-accuracy"]["estimate"] == pytest.approx(np.mean(named == labels))
    assert found["model-class-accuracy"]["estimate"] == pytest.approx(np.mean(by_class))
    assert abs(np.mean(by_class) - np.mean(named == labels)) > 1e-3


# ---- Users ----


def test_all_samples_are_shared_out_again(sandbox):
    """Six users, of whom two each have all samples: means of clusters, of which there is one."""
    rng = np.random.default_rng(2)
    secrets = rng.normal(size=(31, 4)).astype(np.float32)
    np.save(sandbox.path / "secrets.npy", secrets)
    np.save(sandbox.path / "labels.npy", np.zeros(31, dtype=int))
    np.save(sandbox.path / "public.npy", secrets[:5])

    def protect(*settings, code=0):
        result = sandbox.assay(
            "protect", "--defense", "average", "--set", "trainer=clusters", "--set",
            "standardise=no", "--set", "partition=repeated", *(f"--set={s}" for s in settings),
            "--secrets", "secrets.npy", "--labels", "labels.npy", "--classes", "2", "--public",
            "public.npy", "--seed", "8", "--release", "release", "--truth", "truth")
        sandbox.expect(result, code)
        return result

    result = protect("users=7", "per_split=2", code=2)
    assert "expected a multiple of per_split = 2" in result.err
    result = protect("users=64", "per_split=32", code=2)
    assert "users = 32: expected at most as many as there are secrets, 31" in result.err
    protect("users=6", "per_split=2", "penalty=0", "batch=0")
    assert not (sandbox.path / "truth/users.npy").exists()
    assert not (sandbox.path / "truth/steps.npy").exists()
    models = np.load(sandbox.path / "release/models.npy").reshape(2, 2, 4)
    sent = np.load(sandbox.path / "release/locals.npy").reshape(3, 2, 2, 4)
    clusters = nearest(secrets, models[0])
    totals = np.array([secrets[clusters == c].sum(axis=0) for c in range(2)])
    counts = np.bincount(clusters, minlength=2)
    for split in sent:
        # With n of one user's samples in a cluster and the rest another's, means add up to totals.
        for c in range(2):
            n = np.arange(1, counts[c])[:, None]
            off = np.abs(n * split[0, c] + (counts[c] - n) * split[1, c] - totals[c]).max(axis=1)
            assert off.min() < 1e-3
    assert np.abs(sent[0] - sent[1]).max() > 1e-3 and np.abs(sent[1] - sent[2]).max() > 1e-3
