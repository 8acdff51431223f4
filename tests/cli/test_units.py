"""Columns in units of their own: income beside age."""

import json
import random
import re
import shutil
import sys

import pytest

import data
from exec_programs import HELPER
from sandbox import Result

FACTORS = (1, 2048, 4, 300)
LOOSE = """
[scenario]
title = Units
seed = 3

[dataset]
plugin = vectors
private = private.npy
public = public.npy
records = yes
secrets = 100
{scale}

[defense own]
plugin = exec
command = {command}
produces = {kind}

[attack verbatim]
plugin = verbatim

[claim known]
measure = identification-rate
at-most = 0.2
"""
# Looks at what it is given: whole numbers, as the file has them.
NOISE = HELPER + """
rows = load("secrets.npy")
assert all(value == int(value) for row in rows for value in row), rows[0]
FACTORS = {factors}
rng = random.Random(REQUEST["seed"])
answer("release", vectors=npy([[value + rng.gauss(0, 320 * factor) for value, factor
                                in zip(row, FACTORS)] for row in rows]))
"""


def write_rows(sandbox, factors):
    rng = random.Random(7)
    rows = [[float(round(rng.gauss(0, 80) * 8) * factor) for factor in factors]
            for _ in range(400)]
    sandbox.write("private.npy", data.npy_bytes(rows[:100]))
    sandbox.write("public.npy", data.npy_bytes(rows[100:]))
    sandbox.write("people.npy", data.npy_bytes(rows))


def write_scenario(sandbox, scale, kind="vectors", name="units.scenario"):
    sandbox.write("noise.py", NOISE.replace("{factors}", repr(FACTORS)))
    sandbox.write(name, LOOSE.format(scale=scale, kind=kind,
                                     command=f"{sys.executable} noise.py"))


def measured(sandbox, out):
    """{(attack, measure): estimate}."""
    return {(cell["attack"]["label"], value["measure"]): value["estimate"]
            for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]
            for value in cell["measurements"]}


def test_the_largest_column_is_warned_of(sandbox):
    write_rows(sandbox, FACTORS)
    write_scenario(sandbox, "")
    warning = "column 2 has 9"
    checked = sandbox.assay("check", "units.scenario")
    assert checked.code == 0 and warning in checked.err + checked.out, checked.err
    strict = sandbox.assay("check", "--strict", "units.scenario")
    assert strict.code != 0, strict.err
    run = sandbox.assay("run", "units.scenario", "--out", "out", "--quiet")
    assert f"warning: dataset vectors: {warning}" in run.out, run.out + run.err
    assert warning in sandbox.read("out/report.html") and warning in sandbox.read("out/summary.md")
    assert warning in json.loads(sandbox.read("out/run.json"))["remarks"][0]
    again = sandbox.assay("report", "out")
    assert f"warning: dataset vectors: {warning}" in again.out, again.out


def test_two_large_columns_are_warned_of(sandbox):
    """Neither has 90 % by itself."""
    write_rows(sandbox, (1, 2048, 4, 2048))
    write_scenario(sandbox, "")
    checked = sandbox.assay("check", "units.scenario")
    said = checked.err + checked.out
    assert checked.code == 0 and re.search(
        r"2 of 4 columns \(column [24] is one\) have 100\.0 % of the variance", said), said
    write_rows(sandbox, (1, 2048, 1024, 2048))
    checked = sandbox.assay("check", "units.scenario")
    assert "of the variance" not in checked.err + checked.out, checked.err


def test_programs_get_their_own_units(sandbox):
    """The program asserts them; attacks see as much as if all columns were in one unit."""
    write_rows(sandbox, FACTORS)
    write_scenario(sandbox, "")
    write_scenario(sandbox, "scale = columns", name="columns.scenario")
    sandbox.run_ok("units.scenario", "--out", "stored", "--quiet", code=3)
    run = sandbox.assay("run", "columns.scenario", "--out", "scaled", "--quiet")
    assert run.code == 1, run.out + run.err
    assert "warning: dataset" not in run.out, run.out + run.err
    assert "remarks" not in json.loads(sandbox.read("scaled/run.json"))
    stored, scaled = measured(sandbox, "stored"), measured(sandbox, "scaled")
    hit = ("verbatim", "identification-rate")
    assert scaled[hit] > stored[hit] + 0.2, (stored, scaled)
    error = ("verbatim", "relative-error-median")
    assert 0.3 < scaled[error] < 0.8, scaled  # noise of half a deviation


# What it is given is what it gives back; of each start it notes what numbers there were.
NOTE = HELPER + """
rows = load("secrets.npy")
sizes = {abs(value) for row in rows for value in row}
with open("seen.txt", "a") as log:
    log.write(json.dumps([len(rows), sorted(sizes)[:2], max(sizes) > 1e5]) + "\\n")
answer("release", vectors=npy(rows))
"""


def test_canaries_are_in_their_own_units(sandbox):
    """The records of one run, which are corners of the bounds: no dataset has scaled them."""
    write_rows(sandbox, FACTORS)
    sandbox.write("note.py", NOTE)
    text = LOOSE.format(scale="scale = columns", kind="vectors\nconfine = never\nepsilon = 1\n"
                        "delta = 1e-5\nlower = -1e8\nupper = 1e8",
                        command=f"{sys.executable} note.py")
    sandbox.write("units.scenario", text[:text.index("[claim")]
                  + "[attack one]\nplugin = one-run\ncanaries = 20\nguesses = 10\n")
    sandbox.run_ok("units.scenario", "--out", "out", "--quiet")
    seen = [json.loads(line) for line in sandbox.read("seen.txt").splitlines()]
    secrets = [record for record in seen if record[0] == 100]
    canaries = [record for record in seen if record[0] < 20]
    assert secrets and all(is_large for _, _, is_large in secrets), seen
    assert [sizes for _, sizes, _ in canaries] == [[1e8]], seen


def test_kinds_whose_rows_are_not_vectors_are_refused(sandbox):
    write_rows(sandbox, FACTORS)
    write_scenario(sandbox, "scale = columns", kind="subspaces")
    sandbox.write("noise.py", HELPER.replace('"kind": "vectors"', '"kind": "subspaces"')
                  + "answer('release', translation=npy(load('secrets.npy')), "
                  "basis=npy([[1, 0, 0, 0]] * 100, (100, 1, 4)))\n")
    text = re.sub(r"\[attack verbatim\].*", "[attack near]\nplugin = nearest\ngrants = public\n",
                  sandbox.read("units.scenario"), flags=re.S)
    sandbox.write("units.scenario", text)
    run = sandbox.assay("run", "units.scenario", "--out", "out", "--quiet")
    assert "scale = columns is not for releases of kind subspaces" in run.out, run.out + run.err


@pytest.mark.slow
def test_audit_finds_units(sandbox):
    write_rows(sandbox, FACTORS)
    sandbox.write("noise.py", NOISE.replace("{factors}", repr(FACTORS)))
    words = ("audit", "--command", f"{sys.executable} noise.py", "--data", "people.npy",
             "--secrets", "100", "--out", "audit", "--time")
    audit = sandbox.assay(*words, "8s")
    more = re.search(r"expected --time (\d+)s or more", audit.err)
    if more:  # a busy machine, where the command's own limit would be too short, too
        shutil.rmtree(sandbox.path / "audit", ignore_errors=True)
        process = sandbox.start(*words, f"{2 * int(more[1])}s")
        out, err = process.communicate()
        audit = Result("assay audit", process.returncode, out, err)
    # Or its time is over: what is asked here stands in the scenario, which comes first.
    assert audit.code in (0, 1, 3, 4), audit.err
    assert "compared on one scale (scale = columns)" in audit.err, audit.err
    scenario = sandbox.read("audit/audit.scenario")
    assert "\nscale = columns\n" in scenario
    assert 0.01 < float(re.search(r"\ntau = (.*)", scenario)[1]) <= 0.3
