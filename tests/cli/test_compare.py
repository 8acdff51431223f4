"""assay compare: points on common axes, what is shown to dominate, and what is not comparable."""

import contextlib
import csv
import html
import io
import json
import math
import os
import shutil
import sqlite3
import struct

import data
import tiny

HEAD = """\
[scenario]
title = Side by side
seed = 3
trials = 2

[dataset]
plugin = vectors
private = private.fvecs
public = public.npy
database = database.fvecs
secrets = 20
"""
VERBATIM = """
[attack verbatim]
plugin = verbatim
"""
PLAIN = """
[defense plain]
plugin = none
"""
NOISY = """
[defense noisy]
plugin = additive-noise
share = {}
"""
SHAPES = """\
[scenario]
seed = 5
trials = 2

[dataset]
plugin = shapes
private_images = 80
test_images = 150
public_images = 0
size = 8
secrets = 30

[utility classification]
plugin = classification
epochs = 2
"""


def run(sandbox, out, text, *options):
    tiny.write(sandbox, text, f"{out.replace('/', '-')}.scenario")
    return sandbox.expect(sandbox.assay("run", f"{out.replace('/', '-')}.scenario", "--out", out,
                                        "--quiet", *options))


def two_runs(sandbox):
    run(sandbox, "a", HEAD + PLAIN + VERBATIM)
    run(sandbox, "b", HEAD + NOISY.format("0.01; 0.9") + VERBATIM)


def table(sandbox, name):
    return list(csv.DictReader(io.StringIO(sandbox.read(name))))


def compare(sandbox, *arguments):
    result = sandbox.expect(sandbox.assay("compare", *arguments, "--out", "both"), err="")
    return result, table(sandbox, "both/comparison.csv"), table(sandbox, "both/dominance.csv")


def refused(sandbox, message, *arguments):
    before = sandbox.tree()
    sandbox.refuses(sandbox.assay("compare", *arguments), message)
    assert sandbox.tree() == before, "a folder changed"


@contextlib.contextmanager
def database(sandbox, name):
    with contextlib.closing(sqlite3.connect(sandbox.path / name / "run.sqlite")) as opened, opened:
        yield opened


def holm(values):
    """By the definition: a naive loop over the ranks."""
    adjusted = {}
    largest = 0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        largest = max(largest, min(1, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return [adjusted[i] for i in range(len(values))]


def outcomes(sandbox, name, defense):
    """recovery-rate of every secret, from the store: 20 of trial 0, 20 of trial 1."""
    results = json.loads(sandbox.read(f"{name}/results.json"))
    numbers = [i for i, cell in enumerate(results["cells"]) if cell["defense"]["label"] == defense[0]
               and cell["defense"]["settings"].get("share") == defense[1]]
    plan = sandbox.assay("plan", f"{name}.scenario").out.splitlines()
    metric = [line.split()[1] for line in plan if line.startswith("  metric ")]
    values = []
    with database(sandbox, name) as opened:
        for number in numbers:
            blob = opened.execute("SELECT data FROM outcomes WHERE cell = ? AND metric = ? AND "
                                  "series = 0", (number, metric.index("recovery-rate"))).fetchone()
            values += struct.unpack(f"={len(blob[0]) // 8}d", blob[0])
    return values


def mcnemar(better, worse):
    more = sum(b < w for b, w in zip(better, worse))
    changed = sum(b != w for b, w in zip(better, worse))
    return sum(math.comb(changed, k) for k in range(more, changed + 1)) / 2**changed


# ---- What is shown ----


def test_dominance_without_utility(sandbox):
    two_runs(sandbox)
    result, points, pairs = compare(sandbox, "a", "b")
    assert {point["utility"] for point in points} == {""}, points
    asked = [pair for pair in pairs if not pair["not_compared"]]
    assert f"p-values by Holm over {len(asked)} pairs\n" in result.out, result
    expected = holm([float(pair["p_value"]) for pair in asked])
    for pair, adjusted in zip(asked, expected):
        assert math.isclose(float(pair["adjusted_p"]), adjusted, rel_tol=1e-12), (pair, adjusted)
        assert (pair["dominates"] == "yes") == (adjusted < 0.05), pair
    rate = [pair for pair in asked if pair["privacy"].startswith("recovery-rate")]
    assert len(rate) == 4, rate
    won = {(pair["better"], pair["worse"]): pair for pair in rate if pair["dominates"] == "yes"}
    assert set(won) == {("noisy share=0.9", "plain")}, won
    pair = won["noisy share=0.9", "plain"]
    p = mcnemar(outcomes(sandbox, "b", ("noisy", 0.9)), outcomes(sandbox, "a", ("plain", None)))
    assert p < 1e-6 and math.isclose(float(pair["p_leak"]), p, rel_tol=1e-9), (pair, p)
    assert (pair["leak.method"], pair["p_utility"]) == ("mcnemar", "0"), pair
    line = f"noisy share=0.9 leaks less than plain, p = {float(pair['adjusted_p']):.3g}\n"
    assert line in result.out and line.strip() in sandbox.read("both/comparison.html"), result


def test_groups_of_the_same_secrets_are_paired(sandbox):
    """Half and three quarters of 40 secrets in 12 images: by t on the differences of each image."""
    sandbox.write("groups.csv", "image\n" + "".join(f"i{i % 12}\n" for i in range(40)))
    text = HEAD.replace("trials = 2", "trials = 1").replace("= 20", "= 40")
    for name, share in (("a", 0.2), ("b", 0.17)):
        run(sandbox, name, text + "groups = groups.csv:image\n" + NOISY.format(share) + VERBATIM
            + "\n[metric recovery-rate]\n")
    _, points, pairs = compare(sandbox, "a", "b")
    found = [round(100 * float(point["privacy.estimate"])) for point in points[:2]]
    assert found == [50, 76], points
    pair = pairs[0]
    assert (pair["better.run"], pair["leak.method"], pair["dominates"]) == (
        "a", "t-on-group-means", "yes"), pair
    assert 0.5**12 < float(pair["p_leak"]) < 0.025, pair


def test_numbers_of_results_json(sandbox):
    """Every figure of the comparison is that of one run's results.json, in the page too."""
    two_runs(sandbox)
    _, points, _ = compare(sandbox, "a", "b")
    page = sandbox.read("both/comparison.html")
    assert len(points) >= 6, points
    for point in points:
        pooled = json.loads(sandbox.read(f"{point['run']}/results.json"))["pooled"]
        cell = next(cell for cell in pooled if cell["id"] == point["cell"])
        name = point["privacy"].split()[0]
        found = next(one for one in cell["measurements"] if one["measure"] == name)
        for key in ("estimate", "lower", "upper", "n"):
            text = point[f"privacy.{key}"]
            assert (None if text == "" else float(text)) == found[key], (point, found)
        assert point["privacy.method"] == found["method"], (point, found)
        assert f'data-value="{point["privacy.estimate"]}"' in page, point


def test_utility_and_margin(sandbox):
    """Two defenses that serve as well: shown with a margin that the number of rows allows."""
    run(sandbox, "a", SHAPES + PLAIN + VERBATIM)
    run(sandbox, "b", SHAPES + NOISY.format("0.4") + VERBATIM)
    result, _, pairs = compare(sandbox, "a", "b", "--margin", "0")
    assert {pair["utility"] for pair in pairs} == {"accuracy by classification"}, pairs
    assert all(pair["dominates"] == "no" for pair in pairs), pairs
    assert "not separable at this n: " in result.out or "no order by" in result.out, result
    result, points, pairs = compare(sandbox, "a", "b", "--margin", "0.9")
    won = [pair for pair in pairs if pair["dominates"] == "yes"]
    assert {(pair["better"], pair["worse"]) for pair in won} == {("noisy", "plain")}, won
    assert ("noisy is at least as useful (to within 0.9) and leaks less than plain, p = "
            in result.out), result
    # Two trainings: their accuracies vary together, which no test of differences counts.
    assert {pair["utility.method"] for pair in won} == {"intervals-apart"}, won
    for pair in won:
        assert float(pair["p_value"]) == max(float(pair["p_leak"]), float(pair["p_utility"])), pair
    figures = len(points) // 2
    assert len(list((sandbox.path / "both/plots").glob("*.gp"))) == figures, "a script for each axis"
    drawn = sandbox.read("both/comparison.html").count("<svg ")
    assert drawn == (figures if shutil.which("gnuplot") else 0), "drawings"


def test_stands_without_gnuplot(sandbox):
    """As in a report: data and script are there, and the page says why there is no picture."""
    run(sandbox, "a", SHAPES + PLAIN + VERBATIM)
    run(sandbox, "b", SHAPES + NOISY.format("0.4") + VERBATIM)
    sandbox.expect(sandbox.assay("compare", "a", "b", "--out", "both", PATH="/nonexistent"))
    page = sandbox.read("both/comparison.html")
    assert "<svg " not in page and "This plot is not drawn: gnuplot is not installed." in page


def test_same_bytes_whatever_the_threads(sandbox):
    two_runs(sandbox)
    compare(sandbox, "a", "b")
    before = sandbox.tree("both")
    sandbox.shell("rm -r both")
    sandbox.expect(sandbox.assay("compare", "a", "b", "--out", "both", OMP_NUM_THREADS="3"))
    assert (sandbox.tree("both") == before and set(before)
            == {"comparison.html", "comparison.csv", "dominance.csv"}), before


def test_optimal_points(sandbox):
    """By estimates: recomputed from the table."""
    run(sandbox, "a", SHAPES + PLAIN + VERBATIM)
    run(sandbox, "b", SHAPES + NOISY.format("0.2; 0.5; 0.9") + VERBATIM)
    _, points, _ = compare(sandbox, "a", "b")
    for point in points:
        sign = -1 if point["privacy"].startswith("relative-error") else 1
        rivals = [other for other in points if other["privacy"] == point["privacy"]]
        values = [(-sign * float(one["privacy.estimate"]), float(one["utility.estimate"]))
                  for one in rivals]
        own = (-sign * float(point["privacy.estimate"]), float(point["utility.estimate"]))
        beaten = any(one[0] >= own[0] and one[1] >= own[1] and one != own for one in values)
        assert point["optimal"] == ("no" if beaten else "yes"), point


def test_without_out_nothing_is_written(sandbox):
    two_runs(sandbox)
    before = sandbox.tree()
    result = sandbox.expect(sandbox.assay("compare", "a", "b"), err="")
    assert sandbox.tree() == before and "comparison in" not in result.out, result


# ---- Which is which ----


def test_same_label_and_same_folder_name(sandbox):
    run(sandbox, "x/out", HEAD + NOISY.format("0.1") + VERBATIM)
    run(sandbox, "y/out", HEAD + NOISY.format("0.9") + VERBATIM)
    result, points, _ = compare(sandbox, "x/out", "y/out")
    assert {point["run"] for point in points} == {"x/out", "y/out"}, points
    assert "noisy (run y/out) leaks less than noisy (run x/out), p = " in result.out, result


def test_the_same_defense_twice(sandbox):
    run(sandbox, "a", HEAD + NOISY.format("0.5") + VERBATIM)
    run(sandbox, "b", HEAD + NOISY.format("0.5; 0.9") + VERBATIM)
    result, _, pairs = compare(sandbox, "a", "b")
    same = [pair for pair in pairs if pair["not_compared"]]
    assert ({pair["not_compared"] for pair in same}
            == {"they are the same defense with the same settings"}), same
    assert "1 pair is not compared: they are the same defense" in result.out, result


def test_an_attack_that_was_not_played(sandbox):
    """What nobody attacked as hard does not leak less for it."""
    both = "\n[attack nearest]\nplugin = nearest\ngrants = public\n"
    run(sandbox, "a", HEAD + PLAIN + VERBATIM + both)
    run(sandbox, "b", HEAD + NOISY.format("0.9") + VERBATIM)
    _, _, pairs = compare(sandbox, "a", "b")
    said = {(pair["better"], pair["not_compared"]) for pair in pairs}
    assert (said == {("noisy", "attack nearest of a could be played against it, and was not"),
                     ("plain", "")}), said


def test_an_attack_that_failed(sandbox):
    """What was not attacked does not leak less for it; what is said of others stays."""
    both = "\n[attack nearest]\nplugin = nearest\ngrants = public\n"
    run(sandbox, "a", HEAD + PLAIN + VERBATIM + both)
    run(sandbox, "b", HEAD + NOISY.format("0.9") + VERBATIM + both)
    for status, says in ((2, "1 of 2 trials did not end well: x"),
                         (3, "1 of 2 trials did not end well")):
        with database(sandbox, "b") as opened:
            opened.execute("UPDATE cells SET status = ?, message = 'x' WHERE cell = 0", (status,))
        result, points, pairs = compare(sandbox, "a", "b")
        assert f"\nb: verbatim against noisy is left out: {says}\n" in result.out, result
        assert {point["attack"] for point in points if point["run"] == "b"} == {"nearest"}, points
        said = {(pair["better"], pair["not_compared"], pair["dominates"]) for pair in pairs}
        assert (said == {("noisy", "attack verbatim against noisy did not end well, and might take "
                          "more", "no"), ("plain", "", "no")}), said


def test_metrics_that_one_run_lacks(sandbox):
    run(sandbox, "a", SHAPES + PLAIN + VERBATIM)
    run(sandbox, "b", SHAPES.split("[utility")[0] + NOISY.format("0.9") + VERBATIM)
    result, points, _ = compare(sandbox, "a", "b")
    assert "\nutility classification is left out: b does not have it\n" in result.out, result
    assert {point["utility"] for point in points} == {""}, points


def test_text_from_scenarios(sandbox):
    title = "title = <script>alert(1)</script> \"&amp; \u202e \U0001f600 `'"
    run(sandbox, "a", HEAD.replace("title = Side by side", title) + PLAIN + VERBATIM)
    run(sandbox, "b", HEAD + NOISY.format("0.9") + VERBATIM)
    compare(sandbox, "a", "b")
    page = sandbox.read("both/comparison.html")
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page, (
        "escaped")
    assert "\u202e" not in page and "default-src 'none'" in html.unescape(page), "direction, policy"


# ---- The gate ----


def gate(sandbox, code, *arguments):
    result = sandbox.expect(sandbox.assay("compare", *arguments), code, err="")
    start = result.out.index(" against baseline ")
    return result.out[result.out.rindex("\n", 0, start) + 1:].splitlines()


def test_gate(sandbox):
    """Only what is named decides, and the first run is the earlier one."""
    run(sandbox, "a", HEAD + NOISY.format("0.9") + VERBATIM)
    run(sandbox, "b", HEAD + NOISY.format("0.01") + VERBATIM)
    lines = gate(sandbox, 1, "a", "b", "--fail-if-worse", "recovery-rate", "--fail-if-worse",
                 "identification-rate")
    assert lines[:2] == ["b against baseline a: 2 of 2 comparisons got worse",
                         "  changed: defense noisy: share was 0.9, is 0.01"], lines
    assert lines[3].startswith("  worse: recovery-rate, attack verbatim against noisy: "), lines
    assert gate(sandbox, 0, "b", "a", "--fail-if-worse", "recovery-rate") == [
        "a against baseline b: 0 of 1 comparison got worse",
        "  changed: defense noisy: share was 0.01, is 0.9"]
    sandbox.expect(sandbox.assay("compare", "a", "b"), 0, err="")


def test_gate_of_several_runs(sandbox):
    for name, share in (("a", 0.5), ("b", 0.5), ("c", 0.01)):
        run(sandbox, name, HEAD + NOISY.format(share) + VERBATIM)
    lines = gate(sandbox, 1, "a", "b", "c", "--fail-if-worse", "recovery-rate")
    assert lines[0] == "b against baseline a: 0 of 1 comparison got worse", lines
    assert "c against baseline a: 1 of 1 comparison got worse" in lines, lines


def test_gate_that_cannot_be_said(sandbox):
    """An attack that is played no more, and cells that did not measure: inconclusive."""
    near = "\n[attack nearest]\nplugin = nearest\ngrants = public\n"
    run(sandbox, "a", HEAD + NOISY.format("0.9") + VERBATIM + near)
    run(sandbox, "b", HEAD + NOISY.format("0.9") + VERBATIM)
    lines = gate(sandbox, 3, "a", "b", "--fail-if-worse", "recovery-rate")
    assert "  not compared: attack nearest is in the baseline alone" in lines, lines
    gate(sandbox, 0, "b", "a", "--fail-if-worse", "recovery-rate")
    with database(sandbox, "b") as opened:
        opened.execute("DELETE FROM outcomes WHERE cell = 0")
    lines = gate(sandbox, 3, "b", "a", "--fail-if-worse", "recovery-rate")
    assert lines[2] == "  1 could not be compared: only one of the runs measured them", lines


def test_gate_of_no_measure(sandbox):
    run(sandbox, "a", SHAPES + PLAIN + VERBATIM)
    run(sandbox, "b", SHAPES.split("[utility")[0] + NOISY.format("0.9") + VERBATIM)
    refused(sandbox, "--fail-if-worse: measure 'recovery-rat': no run has it (did you mean "
            "'recovery-rate'?)", "a", "b", "--fail-if-worse", "recovery-rat")
    refused(sandbox, "--fail-if-worse: measure 'accuracy': b does not have it", "a", "b",
            "--fail-if-worse", "accuracy")
    refused(sandbox, "--fail-if-worse: expected the name of a measure", "a", "b",
            "--fail-if-worse", "")


# ---- What cannot be compared ----


def test_other_seed_trials_secrets_confidence(sandbox):
    two_runs(sandbox)
    for key, value, theirs in (("seed", "4", "3"), ("trials", "1", "2"), ("secrets", "19", "20"),
                               ("confidence", "0.9", "0.95")):
        group = "dataset" if key == "secrets" else "scenario"
        sandbox.expect(sandbox.assay("run", "a.scenario", "--out", key, "--quiet", "--set",
                                     f"{group}.{key}={value}"))
        refused(sandbox, f"b and {key} cannot be compared: {key} is {theirs} in b and {value} in "
                f"{key}; expected the same", "b", key)


def test_other_data(sandbox):
    two_runs(sandbox)
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", data.make_rows(40, 16, 9)))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "c", "--quiet"))
    refused(sandbox, "b and c cannot be compared: their data differ: sha256 {*} and {*}", "b", "c")
    run(sandbox, "d", SHAPES + PLAIN + VERBATIM)
    refused(sandbox, "b and d cannot be compared: their datasets differ: vectors ({*}) and shapes "
            "({*})", "b", "d")


def test_other_settings_of_metrics(sandbox):
    two_runs(sandbox)
    text = HEAD + NOISY.format("0.9") + VERBATIM
    run(sandbox, "c", text + "\n[metric recovery-rate]\ntau = 0.1\n")
    refused(sandbox, "a and c cannot be compared: the metric has other settings: recovery-rate "
            "(tau=0.3) and recovery-rate (tau=0.1)", "a", "c")
    run(sandbox, "d", text + "\n[metric recovery-rate]\ntau = 0.1; 0.3\n")
    sandbox.expect(sandbox.assay("compare", "a", "d"), err="")


def test_unfinished_and_twice(sandbox):
    two_runs(sandbox)
    refused(sandbox, "./a appears twice; expected the folders of different runs", "a", "b", "./a")
    with database(sandbox, "b") as opened:
        opened.execute("DELETE FROM cells WHERE cell >= 3")
        opened.execute("DELETE FROM meta WHERE key = 'state'")
    refused(sandbox, "b is an unfinished run (1 of 4 cells are missing); expected 'assay run "
            "b.scenario --out b --resume' first", "a", "b")


def test_bad_usage(sandbox):
    for arguments in ((), ("a",)):
        sandbox.expect(sandbox.assay("compare", *arguments), 2, "",
                       "assay compare: expected the output folders of two runs or more; 'assay "
                       "compare --help' explains\n")
    refused(sandbox, "a: expected the output folder of a run", "a", "b")
    for margin in ("x", "-0.1", "1", "nan"):
        refused(sandbox, f"--margin '{margin}': expected a share of a measure's range, from 0 to "
                "below 1", "a", "b", f"--margin={margin}")
    sandbox.write("file", "")
    refused(sandbox, "--out file: cannot be written: {*}", "a", "b", "--out", "file")
    if os.geteuid() != 0:
        (sandbox.path / "locked").mkdir(mode=0o555)
        refused(sandbox, "--out locked: cannot be written: Permission denied", "a", "b", "--out",
                "locked")
