"""What cells share: kept within --cache-memory, and the same results whatever is kept."""

import os
import re
import subprocess

import pytest

import tiny


LINE = re.compile(r"^(?P<who>.*): shared work: found (?P<found>\d+) times, made (?P<made>\d+), "
                  r"dropped for room (?P<dropped>\d+); at most (?P<peak>.*), of (?P<room>.*) to keep$",
                  re.MULTILINE)

# Tuned attacks, a dictionary and sets of it: some 28 KiB to share.
SCENARIO = tiny.LONGER + """
[attack tuned-too]
plugin = database
grants = database
tune.averaged = 1; 3
neighbours = 100
tune_measure = relative-error-median

[defense sets]
plugin = ldp-feat
dictionary = 32
members = 4
epsilon = 4

[attack guess]
plugin = set-guess
grants = public
rule = centroid
"""
TUNED_SETS = """\
[scenario]
title = Tuned
seed = 3
trials = 3

[dataset]
plugin = vectors
private = private.fvecs
database = database.fvecs
secrets = 8

[defense sets]
plugin = ldp-feat
dictionary = 32
members = 4
epsilon = 4; 8

"""
TRIALS, SETS = 3, 2


def run(sandbox, out, *words, scenarios=("tiny.scenario",)):
    """What was counted: one match a process, the one that writes last."""
    result = sandbox.run_ok(*scenarios, "--quiet", "--verbose", "--out", out, *words)
    found = [match.groupdict() for match in LINE.finditer(result.err)]
    assert found, f"no line on shared work in {result.err!r}"
    return found


def count(lines, what):
    return sum(int(line[what]) for line in lines)


def test_same_bytes_with_any_budget(sandbox):
    tiny.write(sandbox, SCENARIO)
    whole = run(sandbox, "whole")
    assert count(whole, "dropped") == 0, f"nothing has to go: {whole}"
    assert count(whole, "found") > count(whole, "made"), f"most is found: {whole}"
    made = []
    for i, size in enumerate(("16K", "12KiB", "0")):
        lines = run(sandbox, f"out{i}", "--cache-memory", size)
        for name in ("results.json", "results.csv", "report.html", "summary.md"):
            assert sandbox.read(f"out{i}/{name}") == sandbox.read(f"whole/{name}"), (
                f"--cache-memory {size}: {name} has other bytes")
        assert count(lines, "dropped") > 0, f"--cache-memory {size}: {lines}"
        made.append(count(lines, "made"))
    assert count(whole, "made") < made[0] < made[1] < made[2], (
        f"the smaller, the more is made again: {count(whole, 'made')}, {made}")
    assert whole[0]["who"] == "assay", whole


def test_a_tuning_release_is_made_once_for_all_attacks(sandbox):
    tuned = ("[attack {}]\nplugin = set-guess\ntune.rule = first; centroid\n"
             "tune_measure = recovery-rate\n")
    tiny.write(sandbox, TUNED_SETS + tuned.format("one"))
    one = count(run(sandbox, "one"), "made")
    assert one == 1 + 1 + SETS * (1 + TRIALS), f"data, dictionary and releases: {one}"
    tiny.write(sandbox, TUNED_SETS + tuned.format("one") + tuned.format("twin"))
    twins = run(sandbox, "twins")
    assert count(twins, "made") == one, f"made {one}, with a twin {twins}"
    apart = run(sandbox, "apart", "--cache-memory", "0")
    assert count(apart, "made") >= one + SETS, f"made {one}, with a twin and no room {apart}"
    assert sandbox.read("apart/results.json") == sandbox.read("twins/results.json"), "other bytes"


def test_scenarios_of_one_command_share_data(sandbox):
    tiny.write(sandbox, tiny.SCENARIO)
    tiny.write(sandbox, tiny.SCENARIO.replace("title = Tiny", "title = Other"), "other.scenario")
    one = count(run(sandbox, "one"), "made")
    both = run(sandbox, "both", scenarios=("tiny.scenario", "other.scenario"))
    assert count(both, "made") == 2 * one - 1, f"made {one}, for two {both}"


def test_workers_share_the_budget(sandbox):
    tiny.write(sandbox, SCENARIO)
    run(sandbox, "alone")
    lines = run(sandbox, "three", "--workers", 3, "--cache-memory", "3MiB")
    assert sandbox.read("three/results.json") == sandbox.read("alone/results.json"), "other bytes"
    rooms = sorted((line["who"], line["room"]) for line in lines)
    assert rooms == [("a worker", "1.0 MiB")] * 3 + [("assay", "3.0 MiB")], rooms


def test_nothing_is_said_unless_asked(sandbox):
    tiny.write(sandbox)
    result = sandbox.run_ok("tiny.scenario", "--quiet", "--out", "out")
    assert "shared work" not in result.err, result.err


def test_more_than_the_machine_has_beside_the_run(sandbox):
    tiny.write(sandbox)
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    result = sandbox.assay("run", "tiny.scenario", "--out", "out", "--cache-memory", machine)
    assert result.code == 2, result
    assert (re.search(r"--cache-memory of .*iB and about .*iB for the run are more than the .*iB that "
                      r"the machine has; expected at most .*iB$", result.err.strip())), result
    assert not (sandbox.path / "out").exists(), "something was written"


# ---- Memory of a cell ----

NULL_CELLS = """\
[scenario]
title = Null cells
trials = {cells}

[dataset]
plugin = values
kind = real
columns = 4
count = {cells}
secrets = 1

[defense none]
plugin = none

[attack verbatim]
plugin = verbatim

[metric relative-error]
"""
FEW, MANY = 2000, 22000
# Of a cell without a result the plan knows 20 bytes, its secret and the secret's place are 40, its
# outcome 16, and arrays that grow have room to spare. A cell that stays in memory takes 1,000.
MOST_BYTES_A_CELL = 500


def peak_of(sandbox, cells):
    """The most memory that a run held, in bytes."""
    sandbox.write("null.scenario", NULL_CELLS.format(cells=cells))
    process = sandbox.start("run", "null.scenario", "--quiet", "--jobs", 1, "--out", f"out{cells}",
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{cells} cells: exit code {process.returncode}"
    return used.ru_maxrss * 1024


@pytest.mark.slow
def test_memory_does_not_grow_with_cells(sandbox):
    few, many = peak_of(sandbox, FEW), peak_of(sandbox, MANY)
    a_cell = (many - few) / (MANY - FEW)
    assert a_cell < MOST_BYTES_A_CELL, f"{a_cell:.0f} bytes a cell ({few} and {many} in all)"
