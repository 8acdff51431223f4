"""An approximate search, from its settings to verdicts: what it missed is said wherever what it
found is, and its silence upholds nothing."""

import json
import math

import data

# Rows in tight clusters; secrets beside some of them.
CENTRES = data.make_scattered_rows(24, 16, 1)
JITTER = data.make_rows(1200, 16, 2)
DATABASE = [[c + 0.2 * j for c, j in zip(CENTRES[i % 24], row)] for i, row in enumerate(JITTER)]
PRIVATE = [[c + 0.2 * j for c, j in zip(CENTRES[i % 24], row)]
           for i, row in enumerate(data.make_rows(60, 16, 3))]

SCENARIO = """\
[scenario]
title = Approximate
seed = 5

[dataset]
plugin = vectors
private = private.fvecs
database = database.fvecs
secrets = 60

[defense lifting]
plugin = affine-lifting
dimension = 4

[attack exact]
plugin = database
grants = database
neighbours = 40
averaged = 5

[attack few]
plugin = database
grants = database
neighbours = 40
averaged = 5
search = approximate
lists = 120
probes = 8

[attack all]
plugin = database
grants = database
neighbours = 40
averaged = 5
search = approximate
lists = 120
probes = 120
"""


def write(sandbox, text=SCENARIO):
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", PRIVATE))
    sandbox.write("database.fvecs", data.file_bytes("database.fvecs", DATABASE))
    sandbox.write("a.scenario", text)
    sandbox.shell("rm -rf out")


def claim(attack, measure, bound):
    return f"\n[claim {attack}]\nattack = {attack}\nmeasure = {measure}\nat-most = {bound}\n"


def measured(record, attack):
    """Measurements of the pooled cell by measure."""
    cell = next(one for one in record["pooled"] if one["attack"]["label"] == attack)
    return {one["measure"]: one for one in cell["measurements"]}


def test_recall_stands_beside_what_was_recovered(sandbox):
    write(sandbox)
    said = sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    record = json.loads(sandbox.read("out/results.json"))
    exact, few, whole = (measured(record, name) for name in ("exact", "few", "all"))
    recall = few["search-recall"]
    assert "search-recall" not in exact, exact
    assert 0.5 < recall["lower"] < recall["estimate"] < recall["upper"] < 1, recall
    assert (recall["n"], whole["search-recall"]["n"]) == (60, 60), recall
    assert whole["search-recall"]["estimate"] == 1, whole
    # The same secrets; each cell resamples them by numbers of its own.
    assert whole["recovery-rate"]["estimate"] == exact["recovery-rate"]["estimate"], whole
    assert abs(whole["recovery-rate"]["lower"] - exact["recovery-rate"]["lower"]) < 0.02, whole
    assert ("search-recall (share of nearest rows; below 1 the silence of the attack upholds no "
            "claim)" in said.out), said.out
    for name in ("report.html", "summary.md", "results.csv"):
        assert "search-recall" in sandbox.read(f"out/{name}"), name


def verdicts(sandbox, code, text):
    write(sandbox, SCENARIO + text)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=code)
    return {one["id"]: one for one in json.loads(sandbox.read("out/results.json"))["claims"]}


def test_its_silence_upholds_nothing(sandbox):
    """What the exact search, and one that missed nothing, looked at is not in question."""
    found = verdicts(sandbox, 3, "".join(claim(name, "recovery-rate", 0.95)
                                         for name in ("exact", "few", "all")))
    few = measured(json.loads(sandbox.read("out/results.json")), "few")["search-recall"]
    for name in ("exact", "all"):
        assert "looked at a part only" not in found[name]["reason"], found[name]
    assert (found["few"]["reason"].endswith(
          ", but the attack looked at a part only of what it was given (search-recall is "
          f"{100 * few['estimate']:.4g} % [{100 * few['lower']:.4g}, "
          f"{100 * few['upper']:.4g}]): what it missed it could "
          "not recover")), found["few"]["reason"]


def test_the_control_is_searched_in_the_same_way(sandbox):
    """Four lists are too few to find its clusters, of which there are five rows each."""
    write(sandbox, SCENARIO.replace("probes = 8", "probes = 4"))
    said = sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    assert ("control-failed: few against lifting, trial 0: the attack lost its control with these "
            "settings" in said.out
            or "cells: the attack lost its control with these settings" in said.out), said.out


def test_what_it_finds_counts(sandbox):
    one = verdicts(sandbox, 1, claim("few", "recovery-rate", 0.001))["few"]
    assert one["verdict"] == "violated" and one["estimate"] > 0, one


def test_jobs_and_the_cache_on_disk_change_nothing(sandbox):
    write(sandbox)
    sandbox.run_ok("a.scenario", "--out", "one", "--quiet", "--jobs", "1")
    for cache in ("", "kept", "kept"):
        sandbox.shell("rm -rf other")
        sandbox.run_ok("a.scenario", "--out", "other", "--quiet", "--jobs", "3",
                       ASSAY_CACHE=f"{sandbox.path}/{cache}" if cache else "")
        assert sandbox.read("other/results.csv") == sandbox.read("one/results.csv"), cache


def test_folders_step_by_step(sandbox):
    """The recall of a guess in a folder is the array recall.npy, and is measured like any other."""
    write(sandbox)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    record = json.loads(sandbox.read("out/results.json"))
    cell = next(one for one in record["cells"] if one["attack"]["label"] == "few")
    sandbox.expect(sandbox.assay("export", "out", "--cell", cell["id"], "--to", "parts"), out=None)
    said = sandbox.expect(sandbox.assay("measure", "--metric", "search-recall", "--truth",
                                        "parts/truth", "--guess", "parts/guess")).out.split()
    recall = next(one for one in cell["measurements"] if one["measure"] == "search-recall")
    assert (said[0] == "search-recall" and math.isclose(float(said[1]), recall["estimate"],
                                                        rel_tol=1e-5)), (said, recall)


def test_lists_that_cannot_be(sandbox):
    for before, after, message in (
        ("lists = 120\nprobes = 8", "lists = 1201\nprobes = 8",
         "lists = 1201: expected at most 1200, the number of rows that they are made of"),
        ("lists = 120\nprobes = 8", "lists = 120\nprobes = 121",
         "probes = 121: expected 1 to 120, the number of lists that 1200 rows are in"),
        ("lists = 120\nprobes = 8", "probes = 76",
         "probes = 76: expected 1 to 75, the number of lists that 1200 rows are in"),
        ("lists = 120\nprobes = 8", "lists = -1", "out of range"),
        ("lists = 120\nprobes = 8", "lists = 16385", "out of range"),
        ("search = approximate", "search = aproximate", "approximate"),
    ):
        write(sandbox, SCENARIO.replace(before, after, 1))
        result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
        assert result.code == 2 and message in result.err, (after, result.code, result.err)
