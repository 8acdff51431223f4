"""Guarding a claim of a program that is being worked on: edited between two runs it is another
defense, and what it leaks more stands wherever a reader of the run looks."""

import csv
import io
import json
import xml.etree.ElementTree

import junit_rules
from exec_programs import VERBATIM, group, prepare, run_scenario, write_program

# What is released is the secret, times something that keeps every row (or none) near itself.
SCALED = "answer('release', vectors=npy(scaled(load('secrets.npy'), {})))\n"
NOTHING, LITTLE = SCALED.format(9), SCALED.format(1.1)


def run_program(sandbox, body, out, code=0, words=()):
    command = write_program(sandbox, "ours.py", body)
    return run_scenario(sandbox, group("defense", "ours", command) + VERBATIM, code=code, out=out,
                        words=words)


def pairs_of(sandbox):
    sandbox.expect(sandbox.assay("compare", "a", "b", "--out", "both"), err="")
    return list(csv.DictReader(io.StringIO(sandbox.read("both/dominance.csv"))))


def test_an_edited_program_is_another_defense(sandbox):
    prepare(sandbox)
    run_program(sandbox, NOTHING, "a")
    run_program(sandbox, LITTLE, "b")
    run_program(sandbox, NOTHING, "again")
    pairs = [pair for pair in pairs_of(sandbox) if pair["privacy"].startswith("recovery-rate")]
    assert [pair["not_compared"] for pair in pairs] == ["", ""], pairs
    found = {(pair["better.run"], pair["better"]): pair["dominates"] for pair in pairs}
    assert found == {("a", "ours"): "yes", ("b", "ours"): "no"}, pairs
    told = sandbox.expect(sandbox.assay("compare", "a", "b"), err="")
    assert "\nours (run a) leaks less than ours (run b), p = " in told.out, told
    same = sandbox.expect(sandbox.assay("compare", "a", "again"), err="")
    assert "they are the same defense with the same settings" in same.out, same
    gated = sandbox.expect(sandbox.assay("compare", "a", "b", "--fail-if-worse", "recovery-rate"),
                           1, err="")
    assert "  changed: defense ours: ours.py was " in gated.out, gated
    gated = sandbox.expect(sandbox.assay("compare", "a", "again", "--fail-if-worse",
                                         "recovery-rate"), 0, err="")
    assert "changed" not in gated.out, gated


def test_an_edited_attack_is_another_attack(sandbox):
    """What was not attacked by the newer one is not said to leak less."""
    prepare(sandbox)
    for out, factor in (("a", 1), ("b", 2)):
        defense = write_program(sandbox, f"{out}.py", SCALED.format(1.01))
        attack = write_program(sandbox, "attack.py", "answer('guess', estimates=npy(scaled(load("
                               f"'release/vectors.npy'), {factor})))\n")
        run_scenario(sandbox, group("defense", out, defense)
                     + group("attack", "theirs", attack, "grants = other-releases"), out=out)
    said = {pair["not_compared"] for pair in pairs_of(sandbox)}
    assert said == {f"attack theirs of {run} could be played against it, and was not"
                    for run in "ab"}, said


CLAIM = """
[defense plain]
plugin = none

[claim kept]
measure = recovery-rate
defense = plain
at-least = 0.5
"""


def guarded(sandbox, body, out, code, *words):
    command = write_program(sandbox, "ours.py", body)
    run_scenario(sandbox, group("defense", "ours", command) + VERBATIM + CLAIM, code=code, out=out,
                 words=words)


def exports(sandbox, out):
    return {name: sandbox.read(f"{out}/{name}")
            for name in ("report.html", "summary.md", "claims.xml", "results.json")}


def test_what_got_worse_stands_in_every_export(sandbox):
    """Though every claim is upheld. `report` writes the same bytes again."""
    prepare(sandbox)
    guarded(sandbox, NOTHING, "old", 0)
    guarded(sandbox, LITTLE, "new", 1, "--baseline", "old")
    found = exports(sandbox, "new")
    member = json.loads(found["results.json"])["baseline"]
    rate, = (line for line in member["got_worse"] if line.startswith("recovery-rate,"))
    assert rate.startswith("recovery-rate, attack verbatim against ours: 0.0 % to 100.0 %; higher "
                           "leaks more (+1 on average over 16 secrets, p = "), rate
    assert (member["folder"], member["worse"], member["open"]) == (
        "old", len(member["got_worse"]), False), member
    changed, = member["notes"]
    assert changed.startswith("changed: defense ours: ours.py was "), changed
    assert "Worse than the baseline." in found["report.html"] and "0.0 % to 100.0 %; higher" in (
        found["report.html"]), "report.html"
    assert "**Worse than the baseline.** Against the run in old, " in found["summary.md"]
    assert not junit_rules.problems_of(found["claims.xml"]), found["claims.xml"]
    case = list(xml.etree.ElementTree.fromstring(found["claims.xml"]).iter("testcase"))[-1]
    failure, = case
    assert (case.get("name"), failure.tag, failure.get("type"), failure.get("message")) == (
        "baseline: nothing leaks more", "failure", "baseline",
        "worse: " + member["got_worse"][0]), case.attrib
    sandbox.expect(sandbox.assay("report", "new", "--out", "again", "--quiet"))
    assert exports(sandbox, "again") == found, "another report"


def test_a_comparison_is_that_of_the_last_command(sandbox):
    """Exit codes and exports agree: where no baseline is named, none stands there."""
    prepare(sandbox)
    guarded(sandbox, LITTLE, "old", 0)
    guarded(sandbox, LITTLE, "new", 0, "--baseline", "old")
    found = xml.etree.ElementTree.fromstring(sandbox.read("new/claims.xml"))
    case = list(found.iter("testcase"))[-1]
    assert [one.tag for one in case] == ["system-out"], case.attrib
    assert "Not worse than the baseline." in sandbox.read("new/summary.md")
    guarded(sandbox, LITTLE, "new", 0, "--resume")
    assert "baseline" not in json.loads(sandbox.read("new/results.json")), "results.json"
    assert "baseline" not in sandbox.read("new/claims.xml"), "claims.xml"
