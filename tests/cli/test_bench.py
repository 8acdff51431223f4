"""bench/run: what it compares, draws and refuses; and, as the long case, two benchmarks of it."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import types
import xml.etree.ElementTree

import pytest

import tiny
from places import SOURCE

RUN = SOURCE / "bench" / "run"


def module_of(name):
    loader = importlib.machinery.SourceFileLoader("bench_script", str(RUN.parent / name))
    spec = importlib.util.spec_from_loader("bench_script", loader)
    loaded = importlib.util.module_from_spec(spec)
    loader.exec_module(loaded)
    return loaded


def module():
    return module_of("run")


def results(*times, bench="growth", name="rows {}"):
    """Cases with (minimum, median) of the column s."""
    return {bench: {"bench": bench, "about": "", "runs": 3, "load": 0, "cases": [
        {"name": name.format(10 ** i), "values": {
            "s": {"minimum": minimum, "median": median, "cpu": minimum / 2}, "GFLOP/s": 1.5,
            "none": None, "text": "word"}} for i, (minimum, median) in enumerate(times)]}}


def bench(sandbox, *arguments, **environment):
    build = pathlib.Path(sandbox.assay_path).parent
    return subprocess.run(
        [sys.executable, str(RUN), "--build", str(build), "--results", str(sandbox.root / "kept"),
         *arguments], capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, **environment})


def test_changes_beyond_noise():
    run = module()
    before = results((1.0, 1.1), (1.0, 1.1), (1.0, 1.01), (1.0, 1.5), (1.0, 1.1), (0.0, 0.0))
    now = results((1.09, 1.1), (1.2, 1.21), (0.5, 0.51), (1.4, 1.41), (0.92, 1.2), (1.0, 1.0))
    changes = run.compare(now, before)
    assert [c["is_changed"] for c in changes] == [False, True, True, False, False], changes
    assert [round(c["ratio"], 2) for c in changes] == [1.09, 1.2, 0.5, 1.4, 0.92], changes
    assert [round(c["noise"], 3) for c in changes[:4]] == [1.1, 1.1, 1.05, 1.5], changes


def test_a_busy_machine_is_no_change():
    """Twice the time by the clock, the same of the processor; without the latter, a change."""
    run = module()
    before, now = results((1.0, 1.0)), results((2.0, 2.0))
    times = now["growth"]["cases"][0]["values"]["s"]
    for cpu, expected in ((0.5, False), (0.52, False), (0.6, True), (None, True), (0.3, False)):
        times["cpu"] = cpu
        (change,) = run.compare(now, before)
        assert change["is_changed"] == expected and change["ratio"] == 2, f"{cpu}: {change}"


def test_only_what_both_have_is_compared():
    run = module()
    changes = run.compare(results((1.0, 1.0), (2.0, 2.0)), results((1.0, 1.0)))
    assert [(c["bench"], c["case"], c["column"]) for c in changes] == [("growth", "rows 1", "s")], (
        changes)
    assert run.compare(results((1.0, 1.0)), results((1.0, 1.0), bench="codes")) == [], "names"


def test_newest_of_the_same_sizes(sandbox):
    run = module()
    folder = sandbox.root / "kept"
    folder.mkdir()
    for name, is_quick in (("2026-01-01T00-00-00", False), ("2026-01-02T00-00-00", False),
                           ("2026-01-03T00-00-00", True)):
        (folder / f"{name}.json").write_text(json.dumps(
            {"is_quick": is_quick, "results": results((1.0, 1.0))}))
    (folder / "2026-01-04T00-00-00.json").write_text('{"is_quick": false, "resu')
    with contextlib.redirect_stderr(io.StringIO()) as said:
        path, found = run.find_previous(folder, False)
    assert path.name == "2026-01-02T00-00-00.json" and not found["is_quick"], path
    assert "2026-01-04T00-00-00.json" in said.getvalue(), said.getvalue()
    assert run.find_previous(sandbox.root / "nothing", False) == (None, None), "an empty folder"


def test_figures(sandbox):
    if shutil.which("gnuplot") is None:
        pytest.skip("gnuplot is not there")
    run = module()
    measured = {**results((1.0, 1.1), (2.0, 2.0), (4.0, 4.4)),
                **results((1.0, 1.0), (2.0, 2.0), bench="cells", name="cells {}")}
    drawn = run.draw(measured, sandbox.root)
    assert [path.name for path in drawn] == ["growth-rows.svg", "growth-cells.svg"], drawn
    text = drawn[0].read_text()
    xml.etree.ElementTree.fromstring(text)
    assert "of the processor" in text and ">rows<" in text and ">100<" in text, "labels"


PHASES = """\
| case | seed | median | secrets | above .8 |
| --- | ---: | ---: | ---: | ---: |
| k 4, 25 % known, T 5 | 1 | 0.2 | 50 | 10 |
| k 4, 25 % known, T 10 | 1 | 0.9 | 50 | 40 |
| k 4, all known, T 5 | 1 | 0.9 | 40 | 38 |
| k 6, all known, T 10 | 1 | 0.5 | 50 | 0 |
"""


def test_phases_are_drawn_from_their_table(sandbox):
    if shutil.which("gnuplot") is None:
        pytest.skip("gnuplot is not there")
    phases = module_of("mixture-phases.py")
    cells = phases.read_cells(PHASES.splitlines())
    assert cells == {4: {"25 %": [(5, 20), (10, 80)], "all": [(5, 95)]}, 6: {"all": [(10, 0)]}}
    out = sandbox.root / "phases.svg"
    drawn = subprocess.run([sys.executable, str(RUN.parent / "mixture-phases.py"), str(out)],
                           input=PHASES, encoding="utf-8", check=False)
    text = out.read_text()
    xml.etree.ElementTree.fromstring(text)
    assert drawn.returncode == 0 and ">k = 4<" in text and ">k = 6<" in text, "titles"
    nothing = subprocess.run([sys.executable, str(RUN.parent / "mixture-phases.py"), str(out)],
                             input="", encoding="utf-8", check=False, capture_output=True)
    assert nothing.returncode == 1 and "expected the table" in nothing.stderr, nothing.stderr


def test_what_sharing_costs():
    """Of 100 cells: 1 s alone; shared 0.55 s by the clock and 1.2 s of the processors."""
    def times(clock, cpu):
        return {"minimum": clock, "median": clock, "cpu": cpu}

    whole = {"alone, 1 thread": times(1.5, 1.4), "2 workers": times(1.25, 1.9)}
    start = {"alone, 1 thread": times(0.5, 0.4), "2 workers": times(0.7, 0.7)}
    alone, shared = module().whole_runs.sharing_cases("attacks", whole, start, 100)
    assert alone["name"] == "attacks, alone, 1 thread", alone["name"]
    found = [(case["values"]["ms a cell"], case["values"]["CPU ms a cell"],
              case["values"]["CPU loss %"], case["values"]["clock loss %"] or 0)
             for case in (alone, shared)]
    expected = [(10, 10, 0, 0), (5.5, 12, 20, 10)]
    assert all(abs(x - y) < 1e-9 for a, b in zip(found, expected) for x, y in zip(a, b)), found


def test_what_cannot_begin(sandbox):
    (sandbox.root / "text.json").write_text("{")
    (sandbox.root / "other.json").write_text('{"results": [1]}')
    (sandbox.root / "shape.json").write_text('{"results": {"growth": {"cases": [{}]}}}')
    for arguments, message in (
            (("--only", "nothing"), "no benchmark 'nothing'; expected some of"),
            (("--runs", "0"), "--runs: expected 1 to 1000"),
            (("--runs", "two"), "invalid int value: 'two'"),
            (("--threads", "-1"), "--threads: expected 0 or more"),
            (("--build", str(sandbox.root)), "no meson build folder"),
            (("--results", "/proc/nothing/here"), "--results:"),
            (("--show", str(sandbox.root / "shape.json")), "--show: "),
            (("--against", "missing.json"), "missing.json: "),
            (("--against", str(sandbox.root / "text.json")), "text.json: Expecting"),
            (("--against", str(sandbox.root / "other.json")), "expected a file that bench/run wrote"),
            (("--against", str(sandbox.root / "shape.json")), "expected a file that bench/run wrote"),
    ):
        done = bench(sandbox, "--only", "roofline", *arguments)
        assert done.returncode == 2 and message in done.stderr, f"{arguments}: {done.stderr}"
    assert not list((sandbox.root / "kept").glob("*.json")), "something was written"


def test_list(sandbox):
    done = bench(sandbox, "--list")
    names = [line.split()[0] for line in done.stdout.splitlines()]
    expected = {"roofline", "growth", "subspace", "distinguish", "intersections", "codes",
                "mixture-scores", "image-quality", "classification", "whitened",
                "mixture-inversion", "cells", "workers", "ranks", "scan-pruned",
                "scan-approximate", "search", "paillier", "update-attacks"}
    assert expected <= set(names) and "claim-calibration" not in names, names


# ---- Beside FAISS ----

def test_scripts_that_cannot_be_run():
    run = module()
    run.python_with = lambda *modules: None if "faiss" in modules else "some-python"
    options = types.SimpleNamespace(no_numpy=False)
    python, script, why = run.script_of("search", options)
    assert (python is None and script.name == "search.py" and why
            == "not compared with search.py: no python3 imports numpy and faiss"), why
    assert run.script_of("codes", options)[::2] == ("some-python", None), "NumPy is there"
    assert run.script_of("roofline", options) == (None, None, None), "it has no script"
    assert run.script_of("search", types.SimpleNamespace(no_numpy=True)) == (None, None, None), (
        "nobody wants one")


def worst_first(kind, query, row):
    """What the best rows have the least of."""
    if kind == "codes":
        return sum(bin(a ^ b).count("1") for a, b in zip(query, row))
    length = sum(b * b for b in row) ** 0.5
    if kind == "product":
        return -sum(a * b / length for a, b in zip(query, row))
    return sum((a - b / length) ** 2 for a, b in zip(query, row))


def write_search(folder, kind, rows, queries, k, found):
    folder.mkdir(exist_ok=True)
    cols = len(rows[0])
    (folder / "sizes.json").write_text(json.dumps(
        {"kind": kind, "n": len(queries), "rows": len(rows), "cols": cols, "k": k, "threads": 1,
         "lists": 4, "probes": 4}))
    (folder / "rows.u8").write_bytes(b"".join(map(bytes, rows)))
    if kind == "codes":
        (folder / "queries.u8").write_bytes(b"".join(map(bytes, queries)))
    else:
        (folder / "queries.f32").write_bytes(b"".join(struct.pack(f"{cols}f", *q)
                                                      for q in queries))
    (folder / "found.i64").write_bytes(b"".join(struct.pack(f"{k}q", *some) for some in found))


def ask_search(python, folder, runs):
    done = subprocess.run([python, str(SOURCE / "bench" / "search.py"), str(folder)],
                          input="\n" * runs, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return [list(map(float, line.split())) for line in done.stdout.splitlines()]


def test_what_faiss_finds_is_checked(sandbox):
    """Against the best rows by plain Python: all are the same; of rows that are not the best, none
    counts but those that are as far as the last."""
    python = module().python_with("numpy", "faiss")
    if python is None:
        pytest.skip("no python3 imports numpy and faiss")
    draw = random.Random(1)
    n, count, cols, k = 5, 60, 8, 4
    rows = [[draw.randrange(1, 256) for _ in range(cols)] for _ in range(count)]
    for kind in ("l2", "product", "codes", "lists"):
        queries = [[draw.randrange(256) if kind == "codes" else draw.random() / 2
                    for _ in range(cols)] for _ in range(n)]
        ranked = [sorted(range(count), key=lambda i: (worst_first(kind, q, rows[i]), i))
                  for q in queries]
        found = [order[:k] for order in ranked]
        write_search(sandbox.root / kind, kind, rows, queries, k, found)
        said = ask_search(python, sandbox.root / kind, 3)
        assert said[0] == [0] and [len(line) for line in said] == [1, 2, 2, 2, 3], said
        assert min(map(min, said[1:])) >= 0 and said[-1][2] == 1, f"{kind}: {said}"
        found[2] = found[2][:k - 1] + [ranked[2][-1]]
        write_search(sandbox.root / kind, kind, rows, queries, k, found)
        said = ask_search(python, sandbox.root / kind, 1)
        assert abs(said[-1][2] - (1 - 1 / (n * k))) < 1e-12, f"{kind}, a wrong row: {said}"
    rows = [[1 << j] + [0] * (cols - 1) for j in range(cols)]  # all as far
    write_search(sandbox.root / "ties", "codes", rows, [[0] * cols], 2, [[6, 7]])
    assert ask_search(python, sandbox.root / "ties", 1)[-1][2] == 1, "ties"


@pytest.mark.slow
def test_without_faiss(sandbox):
    (sandbox.root / "faiss.py").write_text("raise ImportError('not here')\n")
    done = bench(sandbox, "--quick", "--only", "search", "--runs", "1", "--json",
                 PYTHONPATH=str(sandbox.root))
    assert done.returncode == 0, done.stderr
    note = "not compared with search.py: no python3 imports numpy and faiss"
    assert f"search ... {note}; " in done.stderr, done.stderr
    record = json.loads(done.stdout)
    assert record["results"]["search"]["note"] == note and record["failures"] == {}, record
    assert record["versions"]["faiss of Python"] is None, record["versions"]
    timed = [case["values"] for case in record["results"]["search"]["cases"]
             if "Assay s" in case["values"]]  # with ASSAY_DATA there is one more, of making lists
    assert len(timed) in (8, 14), record["results"]["search"]
    for values in timed:
        assert (values["Assay s"]["minimum"] > 0 and values["FAISS s"]["minimum"] is None
                and values.get("same") is None and values.get("FAISS, recall") is None), values
    (kept,) = (sandbox.root / "kept").glob("*.json")
    shown = bench(sandbox, "--show", str(kept), "--no-figures")
    assert shown.returncode == 0 and f"; {note}." in shown.stdout, shown.stdout
    program = pathlib.Path(sandbox.assay_path).parent / "bench" / "bench-search"
    python = module().python_with("numpy")
    if python is None:
        pytest.skip("no python3 imports numpy")
    alone = subprocess.run([str(program), "--quick", "--runs", "1", "--numpy", python, "--script",
                            str(SOURCE / "bench" / "search.py")], capture_output=True,
                           encoding="utf-8", check=False,
                           env={**os.environ, "PYTHONPATH": str(sandbox.root)})
    assert (alone.returncode == 0 and "search.py: not here" in alone.stderr
            and "| Hamming, 256 bits, k = 1010 |" in alone.stdout), alone


@pytest.mark.slow
def test_with_faiss(sandbox):
    if module().python_with("numpy", "faiss") is None:
        pytest.skip("no python3 imports numpy and faiss")
    done = bench(sandbox, "--quick", "--only", "search", "--runs", "2", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    all_cases = record["results"]["search"]["cases"]
    cases_of = [case for case in all_cases if "same" in case["values"]]
    assert len(cases_of) == 8 and record["results"]["search"]["note"] is None, record
    recalls = [(case["values"]["recall"], case["values"]["FAISS, recall"]) for case in all_cases
               if "recall" in case["values"]]  # with ASSAY_DATA
    assert len(recalls) in (0, 6) and all(0 < min(pair) and max(pair) <= 1 for pair in recalls), (
        recalls)
    assert record["versions"]["faiss of Python"], record["versions"]
    for case in cases_of:
        values = case["values"]
        assert (values["same"] == 1 and values["FAISS s"]["minimum"] > 0
                and values["FAISS, index CPU s"] > 0), case
        ratio = values["FAISS s"]["minimum"] / values["Assay s"]["minimum"]
        assert abs(values["FAISS / Assay"] - ratio) < 1e-6 * ratio, case


def least_seconds(record, change):
    (values,) = (case["values"] for case in record["results"][change["bench"]]["cases"]
                 if case["name"] == change["case"])
    return values[change["column"]]["minimum"]


@pytest.mark.slow
def test_two_benchmarks_twice(sandbox):
    arguments = ("--quick", "--only", "roofline,image-quality", "--runs", "2", "--json")
    first = bench(sandbox, *arguments)
    assert first.returncode == 0, first.stderr
    record = json.loads(first.stdout)
    (kept,) = (sandbox.root / "kept").glob("*.json")
    assert json.loads(kept.read_text()) == record, "the file is not what was printed"
    assert record["machine"]["processors"] >= 1 and record["machine"]["processor"], "machine"
    assert record["versions"]["compiler"] and record["versions"]["glib"], record["versions"]
    assert record["is_quick"] and record["changes"] == [] and record["failures"] == {}, "first"
    roofline, quality = (record["results"][name] for name in ("roofline", "image-quality"))
    values = {case["name"]: case["values"] for case in roofline["cases"]}
    rates = [value["GFLOP/s"] for name, value in values.items() if name.startswith("sgemm")]
    assert len(rates) == 5 and min(rates) > 0, rates
    meet = values["where the roofs meet"]["operations a byte"]
    assert abs(meet - max(rates) / values["triad"]["GB/s"]) < 1e-6 * meet, meet
    assert len(quality["cases"]) == 7, quality["cases"]
    for result in (roofline, quality):
        assert 0 < result["took"]["cpu"] and 0 < result["took"]["clock"], result["took"]
    for case in roofline["cases"][:5] + quality["cases"]:
        assert 0 < case["values"]["s"]["minimum"] <= case["values"]["s"]["median"], case
    shown = bench(sandbox, "--show", str(kept))
    assert shown.returncode == 0 and "| where the roofs meet |" in shown.stdout, shown.stdout
    second = bench(sandbox, *arguments)
    again = json.loads(second.stdout)
    assert again["compared_with"] == str(kept), "the time before"
    assert len(again["changes"]) == 8 + 7, again["changes"]
    for change in again["changes"]:
        before, after = (least_seconds(made, change) for made in (record, again))
        assert abs(change["ratio"] - after / before) < 1e-9 * change["ratio"], change


def differences(sandbox, *arguments):
    build = pathlib.Path(sandbox.assay_path).parent
    subprocess.run(["ninja", "-C", str(build), "bench/attack-differences"], check=True,
                   capture_output=True)
    return subprocess.run([str(build / "bench" / "attack-differences"), *arguments],
                          cwd=sandbox.path, capture_output=True, encoding="utf-8", check=False)


def read_differences(made):
    """By what stands before the numbers: mean, lower and upper end, units."""
    assert made.returncode == 0, made.stderr
    pattern = re.compile(r"(.*): ([-+.\d]+) \[([-+.\d]+), ([-+.\d]+)\], n = (\d+)( \*)?$")
    matches = [pattern.fullmatch(line) for line in made.stdout.splitlines()]
    assert all(matches), made.stdout
    for match in matches:
        low, high = float(match[3]), float(match[4])
        assert (match[6] is not None) == (low > 0 or high < 0), match[0]
    return {match[1]: tuple(float(match[i]) for i in (2, 3, 4, 5)) for match in matches}


PAIRED = tiny.SCENARIO + """
[attack verbatim]
plugin = verbatim

[metric recovery-rate]
plugin = recovery-rate
tau = 0.9

[metric identification]
plugin = identification-rate
"""


def rates(folder):
    """Of attacks on all trials together, by defense, attack and measure."""
    pooled = json.loads((folder / "results.json").read_text())["pooled"]
    return {(cell["defense"]["label"], str(cell["defense"]["settings"].get("dimension", "")),
             cell["attack"]["label"], found["measure"]): found["estimate"]
            for cell in pooled if "attack" in cell for found in cell["measurements"]}


@pytest.mark.slow
def test_differences_on_the_same_secrets(sandbox):
    """Beside a release in the clear, where a rate is 1, the interval of a rate has a closed form."""
    tiny.write(sandbox, PAIRED)
    sandbox.run_ok("tiny.scenario", "-q", "-o", "out")
    run = ("tiny.scenario", "out")
    rate = rates(sandbox.path / "out")
    printed = read_differences(differences(sandbox, *run, "recovery-rate", "plain/verbatim"))
    n, t = 16, 2.131450  # qt (0.975, 15)
    compared = 0
    for dimension in ("2", "4"):
        for attack in ("nearest", "database"):
            p = rate["lifting", dimension, attack, "recovery-rate"]
            half = t * (p * (1 - p) / (n - 1)) ** 0.5
            found = printed[f"lifting dimension={dimension} | plain/verbatim - {attack}"]
            assert found == pytest.approx((1 - p, 1 - p - half, 1 - p + half, n), abs=1e-4), attack
            compared += 0 < p < 1
    assert compared > 0, "rates of 0 and 1 have no interval to compare"
    # Two measures: of the attack before the minus the first, of the one behind it the second.
    printed = read_differences(differences(sandbox, *run, "recovery-rate,identification-rate"))
    for before, behind in (("nearest", "database"), ("database", "nearest"),
                           ("nearest", "nearest")):
        expected = (rate["lifting", "2", before, "recovery-rate"]
                    - rate["lifting", "2", behind, "identification-rate"])
        name = (f"lifting dimension=2 | recovery-rate of {before} - "
                f"identification-rate of {behind}")
        assert printed[name][0] == pytest.approx(expected, abs=1e-4), name
    assert "plain | recovery-rate of verbatim - identification-rate of verbatim" in printed


QUERIES = """\
[scenario]
title = Codes
seed = 7

[dataset]
plugin = gaussian-classes
count = 200
test_count = 40
columns = 16
classes = 4
separation = 3
secrets = 200

[defense lsh]
plugin = lsh
bits = 16
learning_seed = 5

[defense phashing]
plugin = phashing
base = lsh
bits = 16
epsilon = 1; 30
learning_seed = 5

[utility map]
plugin = map
"""


@pytest.mark.slow
def test_differences_of_defenses_on_the_same_queries(sandbox):
    """At epsilon = 30 no bit is turned: with one learning_seed the codes are the method's own."""
    sandbox.write("codes.scenario", QUERIES)
    sandbox.run_ok("codes.scenario", "-q", "-o", "out")
    printed = read_differences(differences(sandbox, "codes.scenario", "out", "map", "lsh/map"))
    pooled = json.loads(sandbox.read("out/results.json"))["pooled"]
    of = {str(cell["defense"]["settings"].get("epsilon", "")): found["estimate"]
          for cell in pooled for found in cell["measurements"] if found["measure"] == "map"}
    assert printed["phashing epsilon=30 | lsh/map - map"] == (0, 0, 0, 40)
    found = printed["phashing epsilon=1 | lsh/map - map"]
    assert found[0] == pytest.approx(of[""] - of["1"], abs=1e-4) and found[1] > 0, found


@pytest.mark.slow
def test_differences_of_what_was_not_measured(sandbox):
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "-q", "-o", "out")
    for measures in ("recovery", "recovery-rate,recovery"):
        made = differences(sandbox, "tiny.scenario", "out", measures)
        assert made.returncode == 2 and made.stdout == "", made
        assert made.stderr.endswith(
            ": recovery: no attack or utility of this run is measured by it\n"), made.stderr
    made = differences(sandbox, "tiny.scenario", "out", "a,b,c")
    assert made.returncode == 2 and "MEASURE[,MEASURE]" in made.stderr, made.stderr
