"""bench/run: what it compares, draws and refuses; and, as the long case, two benchmarks of it."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from harness import SOURCE, Skip, Suite, check

RUN = SOURCE / "bench" / "run"
cases = Suite("bench")


def add_to(suite):
    suite.cases += cases.cases
    return suite


def module():
    loader = importlib.machinery.SourceFileLoader("bench_run", str(RUN))
    spec = importlib.util.spec_from_loader("bench_run", loader)
    loaded = importlib.util.module_from_spec(spec)
    loader.exec_module(loaded)
    return loaded


def results(*times, bench="growth", name="rows {}"):
    """Cases with (minimum, median) of the column s."""
    return {bench: {"bench": bench, "about": "", "runs": 3, "load": 0, "cases": [
        {"name": name.format(10 ** i), "values": {
            "s": {"minimum": minimum, "median": median, "cpu": minimum / 2}, "GFLOP/s": 1.5,
            "none": None, "text": "word"}} for i, (minimum, median) in enumerate(times)]}}


def bench(sandbox, *arguments):
    build = pathlib.Path(sandbox.assay_path).parent
    return subprocess.run(
        [sys.executable, str(RUN), "--build", str(build), "--results", str(sandbox.root / "kept"),
         *arguments], capture_output=True, encoding="utf-8", check=False)


@cases.case("changes-beyond-noise")
def _(_):
    run = module()
    before = results((1.0, 1.1), (1.0, 1.1), (1.0, 1.01), (1.0, 1.5), (1.0, 1.1), (0.0, 0.0))
    now = results((1.09, 1.1), (1.2, 1.21), (0.5, 0.51), (1.4, 1.41), (0.92, 1.2), (1.0, 1.0))
    changes = run.compare(now, before)
    check([c["is_changed"] for c in changes] == [False, True, True, False, False], changes)
    check([round(c["ratio"], 2) for c in changes] == [1.09, 1.2, 0.5, 1.4, 0.92], changes)
    check([round(c["noise"], 3) for c in changes[:4]] == [1.1, 1.1, 1.05, 1.5], changes)


@cases.case("a-busy-machine-is-no-change")
def _(_):
    """Twice the time by the clock, the same of the processor; without the latter, a change."""
    run = module()
    before, now = results((1.0, 1.0)), results((2.0, 2.0))
    times = now["growth"]["cases"][0]["values"]["s"]
    for cpu, expected in ((0.5, False), (0.52, False), (0.6, True), (None, True), (0.3, False)):
        times["cpu"] = cpu
        (change,) = run.compare(now, before)
        check(change["is_changed"] == expected and change["ratio"] == 2, f"{cpu}: {change}")


@cases.case("only-what-both-have-is-compared")
def _(_):
    run = module()
    changes = run.compare(results((1.0, 1.0), (2.0, 2.0)), results((1.0, 1.0)))
    check([(c["bench"], c["case"], c["column"]) for c in changes] == [("growth", "rows 1", "s")],
          changes)
    check(run.compare(results((1.0, 1.0)), results((1.0, 1.0), bench="codes")) == [], "names")


@cases.case("newest-of-the-same-sizes")
def _(sandbox):
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
    check(path.name == "2026-01-02T00-00-00.json" and not found["is_quick"], path)
    check("2026-01-04T00-00-00.json" in said.getvalue(), said.getvalue())
    check(run.find_previous(sandbox.root / "nothing", False) == (None, None), "an empty folder")


@cases.case("figures")
def _(sandbox):
    if shutil.which("gnuplot") is None:
        raise Skip("gnuplot is not there")
    run = module()
    measured = {**results((1.0, 1.1), (2.0, 2.0), (4.0, 4.4)),
                **results((1.0, 1.0), (2.0, 2.0), bench="cells", name="cells {}")}
    drawn = run.draw(measured, sandbox.root)
    check([path.name for path in drawn] == ["growth-rows.svg", "growth-cells.svg"], drawn)
    text = drawn[0].read_text()
    xml.etree.ElementTree.fromstring(text)
    check("of the processor" in text and ">rows<" in text and ">100<" in text, "labels")


@cases.case("what-sharing-costs")
def _(_):
    """Of 100 cells: 1 s alone; shared 0.55 s by the clock and 1.2 s of the processors."""
    def times(clock, cpu):
        return {"minimum": clock, "median": clock, "cpu": cpu}

    whole = {"alone, 1 thread": times(1.5, 1.4), "2 workers": times(1.25, 1.9)}
    start = {"alone, 1 thread": times(0.5, 0.4), "2 workers": times(0.7, 0.7)}
    alone, shared = module().whole_runs.sharing_cases("attacks", whole, start, 100)
    check(alone["name"] == "attacks, alone, 1 thread", alone["name"])
    found = [(case["values"]["ms a cell"], case["values"]["CPU ms a cell"],
              case["values"]["CPU loss %"], case["values"]["clock loss %"] or 0)
             for case in (alone, shared)]
    expected = [(10, 10, 0, 0), (5.5, 12, 20, 10)]
    check(all(abs(x - y) < 1e-9 for a, b in zip(found, expected) for x, y in zip(a, b)), found)


@cases.case("what-cannot-begin")
def _(sandbox):
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
        check(done.returncode == 2 and message in done.stderr, f"{arguments}: {done.stderr}")
    check(not list((sandbox.root / "kept").glob("*.json")), "something was written")


@cases.case("list")
def _(sandbox):
    done = bench(sandbox, "--list")
    names = [line.split()[0] for line in done.stdout.splitlines()]
    expected = {"roofline", "growth", "subspace", "distinguish", "intersections", "codes",
                "mixture-scores", "image-quality", "classification", "whitened",
                "mixture-inversion", "cells", "workers", "ranks", "scan-pruned",
                "scan-approximate"}
    check(expected <= set(names) and "claim-calibration" not in names, names)


def least_seconds(record, change):
    (values,) = (case["values"] for case in record["results"][change["bench"]]["cases"]
                 if case["name"] == change["case"])
    return values[change["column"]]["minimum"]


@cases.case("two-benchmarks-twice", is_slow=True)
def _(sandbox):
    arguments = ("--quick", "--only", "roofline,image-quality", "--runs", "2", "--json")
    first = bench(sandbox, *arguments)
    check(first.returncode == 0, first.stderr)
    record = json.loads(first.stdout)
    (kept,) = (sandbox.root / "kept").glob("*.json")
    check(json.loads(kept.read_text()) == record, "the file is not what was printed")
    check(record["machine"]["processors"] >= 1 and record["machine"]["processor"], "machine")
    check(record["versions"]["compiler"] and record["versions"]["glib"], record["versions"])
    check(record["is_quick"] and record["changes"] == [] and record["failures"] == {}, "first")
    roofline, quality = (record["results"][name] for name in ("roofline", "image-quality"))
    values = {case["name"]: case["values"] for case in roofline["cases"]}
    rates = [value["GFLOP/s"] for name, value in values.items() if name.startswith("sgemm")]
    check(len(rates) == 5 and min(rates) > 0, rates)
    meet = values["where the roofs meet"]["operations a byte"]
    check(abs(meet - max(rates) / values["triad"]["GB/s"]) < 1e-6 * meet, meet)
    check(len(quality["cases"]) == 7, quality["cases"])
    for result in (roofline, quality):
        check(0 < result["took"]["cpu"] and 0 < result["took"]["clock"], result["took"])
    for case in roofline["cases"][:5] + quality["cases"]:
        check(0 < case["values"]["s"]["minimum"] <= case["values"]["s"]["median"], case)
    shown = bench(sandbox, "--show", str(kept))
    check(shown.returncode == 0 and "| where the roofs meet |" in shown.stdout, shown.stdout)
    second = bench(sandbox, *arguments)
    again = json.loads(second.stdout)
    check(again["compared_with"] == str(kept), "the time before")
    check(len(again["changes"]) == 8 + 7, again["changes"])
    for change in again["changes"]:
        before, after = (least_seconds(made, change) for made in (record, again))
        check(abs(change["ratio"] - after / before) < 1e-9 * change["ratio"], change)
