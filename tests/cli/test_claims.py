"""Verdicts, from the scenario to exit codes and reports.

The data is made so that the outcome is known: the attack `nearest` recovers exactly the secrets
that are also public (all others are far from every public row), `verbatim` recovers all of
`plain`."""

import hashlib
import json
import math
import xml.etree.ElementTree

import pytest

import data
from places import SOURCE

ROWS = 60
PRIVATE = data.make_scattered_rows(2 * ROWS, 8, 1)
FAR = [[1000.0 + value for value in row] for row in data.make_rows(20, 8, 2)]

HEAD = """\
[scenario]
title = Known
seed = 3

[dataset]
plugin = vectors
private = private.fvecs
public = public.fvecs
database = database.fvecs
secrets = 60

[defense plain]
plugin = none

[defense lifting]
plugin = affine-lifting
dimension = 4
normalize = no

[attack verbatim]
plugin = verbatim

[attack nearest]
plugin = nearest
grants = public

[metric recovery-rate]
tau = 0.001
"""


def claim(name, bound, rest="", measure="recovery-rate"):
    """A claim on the attack `nearest` against `plain`, unless @rest says otherwise."""
    selectors = rest if "attack" in rest else f"defense = plain\nattack = nearest\n{rest}"
    return f"\n[claim {name}]\nmeasure = {measure}\n{bound}\n{selectors}\n"


def write(sandbox, text, n_public=0, n_groups=0, rows=ROWS, spread=False):
    """@n_public of @rows secrets are public: the first, or one of each of the first groups."""
    private = [list(row) for row in PRIVATE[:rows]]
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", private))
    sandbox.write("public.fvecs", data.file_bytes("public.fvecs", private[:n_public] + FAR))
    sandbox.write("database.fvecs", data.file_bytes("database.fvecs", data.make_rows(40, 8, 3)))
    if n_groups:
        numbers = [i % n_groups if spread else i * n_groups // rows for i in range(rows)]
        sandbox.write("groups.csv", "image\n" + "".join(f"i{g}\n" for g in numbers))
        text = text.replace("secrets = 60", f"secrets = {rows}\ngroups = groups.csv:image")
    sandbox.write("known.scenario", text)
    sandbox.shell("rm -rf out")


def judge(sandbox, code, *options):
    """The claims of results.json by id, with those of an exit code @code."""
    sandbox.run_ok("known.scenario", "--out", "out", "--quiet", *options, code=code)
    record = json.loads(sandbox.read("out/results.json"))
    return {one["id"]: one for one in record["claims"]}


def tail_below(x, n, p):
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(x + 1))


def near(found, expected):
    return math.isclose(found, expected, rel_tol=1e-9)


# ---- Verdicts ----


def test_claims_that_contradict_each_other(sandbox):
    """No outcome keeps both: a scenario that nobody could pass is a mistake, not a leak."""
    for name, at_least, rest, is_refused in (("both", "at-least = 0.5", "", True),
                                             ("apart", "at-least = 0.5", "attack = verbatim", False),
                                             ("between", "at-least = 0.05", "", False)):
        write(sandbox, HEAD + claim("private", "at-most = 0.1") + claim(name, at_least, rest))
        found = sandbox.assay("plan", "known.scenario")
        if is_refused:
            sandbox.refuses(found, "known.scenario:{*}: [claim both] contradicts [claim private] in "
                                   "line {*}: recovery-rate cannot be at least 0.5 and at most 0.1 in "
                                   "the same cell; expected bounds that can both be kept, or a "
                                   "'where' that keeps them apart")
        else:
            assert "contradicts" not in found.err + found.out, str(found)


def test_violated(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5", "defense = plain\nattack = verbatim"))
    one = judge(sandbox, 1)["hidden"]
    assert one["verdict"] == "violated", one
    assert (one["estimate"], one["n"], one["at-most"]) == (1, 60, 0.5), one
    assert near(one["p_value"], 0.5**60) and one["adjusted_p"] == one["p_value"], one
    assert (one["witness"] == {"cell": one["witness"]["cell"], "seed": 3, "trial": 0, "secret": 0,
                               "outcome": 1}), one["witness"]
    assert (one["reason"] == "attack verbatim against plain: recovery-rate is 100 % [94.04, "
            "100] of n = 60 with tau=0.001, the claim says at most 50 %"), one["reason"]


BESIDE = "defense = plain\nattack = verbatim\nbeyond = nearest"


def test_beyond_another_attack(sandbox):
    """`verbatim` recovers all 60, `nearest` 45: a quarter more, secret by secret. Both recover all
    of those who are public; and against `lifting` only one of them can be told anything of."""
    write(sandbox, HEAD + claim("no-more", "at-most = 0.1", BESIDE), n_public=45)
    one = judge(sandbox, 1)["no-more"]
    assert (one["verdict"], one["measure"]) == ("violated", "recovery-rate beyond nearest"), one
    assert (one["estimate"], one["n"], one["witness"]) == (0.25, 60, {}), one
    assert one["lower"] > 0.1 and one["reason"].startswith(
        "attack verbatim against plain: recovery-rate beyond nearest is 25 % ["), one["reason"]
    sandbox.refuses(sandbox.assay("run", "known.scenario", "--out", "out", "--witness", "no-more"),
                    "--witness no-more: the claim is about the difference of two attacks, which no "
                    "single secret shows; expected a claim without 'beyond'")
    write(sandbox, HEAD + claim("no-more", "at-most = 0.1", BESIDE), n_public=60)
    one = judge(sandbox, 3)["no-more"]  # shown, and not earned
    assert (one["estimate"], one["verdict"]) == (0, "inconclusive"), one
    assert one["reason"].startswith("attack verbatim takes what is released"), one["reason"]
    write(sandbox, HEAD + claim("less", "at-least = -0.5", BESIDE), n_public=45)
    assert judge(sandbox, 0)["less"]["verdict"] == "upheld"


def test_beyond_is_refused(sandbox):
    for bound, rest, why in (
            ("at-most = 0.1", "attack = verbatim\nbeyond = neerest",
             "beyond: the scenario has no [attack neerest] (did you mean 'nearest'?)"),
            ("at-most = 1", BESIDE, "no outcome breaks this bound"),
            ("at-most = 1.5", BESIDE, "expected a number, -1 to 1"),
            ("at-most = 0.1", "attack = nearest\nbeyond = nearest", "is about no cell")):
        write(sandbox, HEAD + claim("beside", bound, rest))
        found = sandbox.assay("plan", "known.scenario")
        assert found.code != 0 and why in found.err, str(found)
    write(sandbox, HEAD + claim("beside", "at-most = 0.1", BESIDE, "relative-error-median"))
    found = sandbox.assay("plan", "known.scenario")
    assert "beyond: outcomes of two attacks are compared one by one" in found.err, str(found)


def test_upheld(sandbox):
    write(sandbox, HEAD + claim("found", "at-least = 0.9"), n_public=60)
    one = judge(sandbox, 0)["found"]
    assert (one["verdict"], one["estimate"], one["witness"]) == ("upheld", 1, {}), one
    assert near(one["p_value"], 0.9**60), one
    assert near(one["detectable"], 49 / 60), one["detectable"]
    assert one["reason"].endswith(
        "at least 90 %; an estimate of 81.67 % or less would have violated it"), one


def test_several_are_named(sandbox):
    """As many hypotheses as cells that the lists name, whatever their order."""
    both = "defense = lifting ;plain\nattack = nearest; verbatim"
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5", both)
          + claim("one", "at-most = 0.5", "attack = verbatim"), n_public=3)
    found = judge(sandbox, 1)
    assert len(found["hidden"]["hypotheses"]) == 4 and len(found["one"]["hypotheses"]) == 2, found
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5", "attack = nearest; verbatm"))
    result = sandbox.assay("check", "known.scenario")
    assert "the scenario has no [attack verbatm] (did you mean 'verbatim'?)" in result.err, result


def test_inconclusive_and_how_many_more_would_decide(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.1"), n_public=3)
    one = judge(sandbox, 3)["hidden"]
    assert one["verdict"] == "inconclusive", one
    assert near(one["hypotheses"][0]["p_upheld"], tail_below(3, 60, 0.1)), one
    needed = next(n for n in range(60, 1000)
                  if tail_below(math.ceil(0.05 * n - 1e-9), n, 0.1) < 0.05)
    assert abs(one["hypotheses"][0]["units_needed"] - needed) <= 40, (needed, one)
    more = one["hypotheses"][0]["units_needed"] - 60
    assert (one["reason"] == "underpowered: attack nearest against plain: "
            "recovery-rate is 5 % [1.043, 13.92] of n = 60 with tau=0.001, the claim says at "
            "most 10 %; "
            f"about {more:.0f} more secrets "
            "would decide it if the estimate stays"), one["reason"]


def test_inconclusive_at_the_bound(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.1"), n_public=6)
    one = judge(sandbox, 3)["hidden"]
    assert (one["reason"].endswith("; the estimate is too near the bound for any number of secrets "
                                   "to decide")), one["reason"]


def test_at_least(sandbox):
    write(sandbox, HEAD + claim("useful", "at-least = 0.5", "defense = plain\nattack = verbatim")
          + claim("useless", "at-least = 0.5"), n_public=1)
    found = judge(sandbox, 1)
    assert found["useful"]["verdict"] == "upheld", found["useful"]
    assert found["useless"]["verdict"] == "violated", found["useless"]
    assert found["useless"]["witness"]["outcome"] == 0, found["useless"]["witness"]


def test_holm_takes_a_verdict_back(sandbox):
    """p is between 0.025 and 0.05: enough alone, and beside a claim that is decided; not enough
    beside one that is not."""
    p = tail_below(2, 60, 0.105)
    assert 0.025 < p < 0.05, p
    ours = claim("ours", "at-least = 0.895")
    for other, verdict, factor, code in (
        ("", "upheld", 1, 0),
        (claim("decided", "at-least = 0.5"), "upheld", 1, 0),
        (claim("open", "at-least = 0.96"), "inconclusive", 2, 3),
    ):
        write(sandbox, HEAD + ours + other, n_public=58)
        one = judge(sandbox, code)["ours"]
        assert one["verdict"] == verdict, (other, one)
        assert near(one["hypotheses"][0]["adjusted_upheld"], factor * p), (other, one)


def test_holm_takes_a_violation_back(sandbox):
    """For breaches the correction runs on its own: a claim that is upheld is none, and costs."""
    p = 1 - tail_below(10, 60, 0.1)
    assert 0.025 < p < 0.05, p
    for other, verdict, factor, code in (
        ("", "violated", 1, 1),
        (claim("broken", "at-most = 0.01"), "violated", 1, 1),
        (claim("kept", "at-most = 0.9"), "inconclusive", 2, 3),
    ):
        write(sandbox, HEAD + claim("ours", "at-most = 0.1") + other, n_public=11)
        one = judge(sandbox, code)["ours"]
        assert one["verdict"] == verdict, (other, one)
        assert near(one["hypotheses"][0]["adjusted_violated"], factor * p), (other, one)


def test_holm_counts_cells_not_claims(sandbox):
    """One claim about two cells, of which one is open: both pay."""
    write(sandbox, HEAD + claim("ours", "at-least = 0.895", "attack = nearest"), n_public=58)
    one = judge(sandbox, 3)["ours"]
    p = tail_below(2, 60, 0.105)
    assert [near(h["adjusted_upheld"], 2 * p) for h in one["hypotheses"]] == [True, True], one
    write(sandbox, HEAD + claim("ours", "at-least = 0.895",
                                "attack = nearest\nwhere = defense.dimension = 4"), n_public=58)
    assert judge(sandbox, 0)["ours"]["verdict"] == "upheld", "one cell"


# ---- Several settings ----


def test_one_violated_cell_violates(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5", "attack = verbatim"))
    one = judge(sandbox, 1)["hidden"]
    plain, lifted = one["hypotheses"]
    assert one["verdict"] == "violated" and one["estimate"] == 1, one
    assert plain["adjusted_violated"] < 0.05 < lifted["adjusted_violated"], one
    assert lifted["adjusted_upheld"] < 0.05 < plain["adjusted_upheld"], one


def test_upheld_needs_all(sandbox):
    text = claim("found", "at-least = 0.9", "defense = plain\nattack = {}")
    both = text.replace("attack = {}\n", "")
    write(sandbox, HEAD + text.format("verbatim"), n_public=57)
    assert judge(sandbox, 0)["found"]["verdict"] == "upheld", "verbatim alone"
    write(sandbox, HEAD + both, n_public=57)
    assert "attack = nearest" not in both, both
    one = judge(sandbox, 3)["found"]
    assert [h["adjusted_upheld"] < 0.05 for h in one["hypotheses"]] == [True, False], one
    assert one["verdict"] == "inconclusive" and one["estimate"] == 0.95, one
    assert "attack nearest against plain: recovery-rate is " in one["reason"], one["reason"]


# ---- Groups ----


def test_fewer_than_ten_groups_decide_nothing(sandbox):
    text = HEAD + claim("hidden", "at-most = 0.5", "defense = plain\nattack = verbatim")
    write(sandbox, text, n_groups=9, rows=63)
    one = judge(sandbox, 3)["hidden"]
    assert one["verdict"] == "inconclusive", one
    assert (one["reason"] == "attack verbatim against plain: its secrets come from 9 groups, fewer "
            "than 10"), one["reason"]
    excluded = one["hypotheses"][0]
    assert excluded["excluded"] == "its secrets come from 9 groups, fewer than 10", excluded
    assert excluded["p_violated"] == excluded["adjusted_violated"] == 1, excluded
    assert excluded["p_upheld"] == excluded["adjusted_upheld"] == 1, excluded
    assert excluded["detectable"] is None and excluded["units_needed"] is None, excluded
    write(sandbox, text, n_groups=10)
    one = judge(sandbox, 1)["hidden"]
    assert near(one["p_value"], 0.5**10), one


def test_more_than_a_hundred_hypotheses_in_groups_can_be_decided(sandbox):
    """40 groups of 2, of which 8 have one that is not recovered: means of 1 and 1/2, so that the
    p-value against 0.45 is a product of 0.45 and 0.45/0.5. Resamples, which judged this before, could say
    no less than 1/2001, and 101/2001 is over 0.05."""
    text = "".join(claim(f"c{i}", "at-least = 0.45") for i in range(101))
    write(sandbox, HEAD + text, n_public=72, n_groups=40, rows=80, spread=True)
    for one in judge(sandbox, 0).values():
        found = one["hypotheses"][0]
        assert near(found["p_upheld"], 0.45**32 * (0.45 / 0.5)**8), found
        assert near(found["adjusted_upheld"], 101 * found["p_upheld"]), found


def test_a_success_is_no_evidence_against_successes(sandbox):
    """No success in 40 groups leaves 0.05 open (0.95^40 is 0.13); one must not uphold it."""
    for n_public in (0, 1):
        write(sandbox, HEAD + claim("hidden", "at-most = 0.05"), n_public=n_public, n_groups=40,
              rows=120, spread=True)
        one = judge(sandbox, 3)["hidden"]
        assert one["hypotheses"][0]["p_upheld"] >= 0.95**40 * (1 - 1e-9), one


def test_a_figure_has_one_interval(sandbox):
    write(sandbox, HEAD + claim("found", "at-least = 0.5"), n_public=72, n_groups=40, rows=80,
          spread=True)
    judge(sandbox, 0)
    record = json.loads(sandbox.read("out/results.json"))
    one = record["claims"][0]
    cell = next(c for c in record["pooled"] if c["id"] == one["hypotheses"][0]["cell"])
    pooled = next(m for m in cell["measurements"] if m["measure"] == "recovery-rate")
    for key in ("estimate", "lower", "upper", "n", "confidence"):
        assert pooled[key] == one[key], (key, pooled, one)


# ---- A cell that decides nothing (others: unit/runner/judge/test-judge.c) ----


def test_a_cell_in_error_decides_nothing(sandbox):
    """A secret of zeros has no relative error. What does not need that cell is still judged."""
    text = HEAD.replace("seed = 3", "seed = 3\ntrials = 2").replace("= 60", "= 30")
    write(sandbox, text + claim("hidden", "at-most = 0.5"))
    rows = [list(row) for row in PRIVATE[:ROWS]]
    rows[7] = [0.0] * 8
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", rows))
    one = judge(sandbox, 3)["hidden"]
    assert one["verdict"] == "inconclusive", one
    assert one["reason"].startswith("attack nearest against plain: a cell ended in an error "
                                    "(1 of 2 trials did not end well: "), one


# ---- Judging again ----


def check_auditor_sees_the_seal(sandbox, sealed):
    """Before anything runs: of the claims as they were nothing, of others that they are others. A
    folder with the run of another plan, or with none, says nothing of these claims."""
    other = ("--set", "claim found.at-least=0.7")
    doubt = ("the claims are not those that the run in out was begun with, so that it could not be "
             "gone on with to exit code 0; expected those, or a new run")
    for words, is_seen in (((), False), (other, True), ((*other, "--seed", "9"), False)):
        checked = sandbox.assay("check", "--auditor", "--out", "out", "known.scenario", *words)
        assert (doubt in checked.err) == is_seen, (words, str(checked))
        assert not is_seen or checked.code == 2, str(checked)
    assert doubt not in sandbox.assay("check", "--auditor", "known.scenario", *other).err
    assert doubt not in sandbox.assay("check", "--out", "out", "known.scenario", *other).err
    assert sandbox.read("out/results.json").count(json.dumps(sealed)[1:-1]) == 1, "was changed"


def test_a_changed_claim_is_judged_on_the_stored_run(sandbox):
    """By a claim that was made after a look at the cells nothing is earned, unless that is
    accepted; and the verdict says so."""
    write(sandbox, HEAD + claim("found", "at-least = 0.9"), n_public=60)
    assert judge(sandbox, 0)["found"]["verdict"] == "upheld", "at least 0.9"
    sealed = json.loads(sandbox.read("out/results.json"))["scenario"]
    assert len(sealed["claims"]) == 64 and "claims_changed" not in sealed, sealed
    before = json.loads(sandbox.read("out/run.json"))["seconds"]
    change = ("--resume", "--set", "claim found.at-least=0.8")
    one = judge(sandbox, 3, *change)["found"]
    assert one["verdict"] == "inconclusive" and one["at-least"] == 0.8, one
    assert (one["reason"] == "claims were changed after cells had run; expected a new run, or "
            "--accept-changed-claims with --resume"), one
    assert json.loads(sandbox.read("out/run.json"))["seconds"] == before, "cells were run again"
    record = json.loads(sandbox.read("out/results.json"))["scenario"]
    assert record["claims"] == sealed["claims"] and record["claims_changed"], record
    # Every export shows what was sealed, not what is claimed now.
    text = record["claims_text"]
    assert hashlib.sha256(text.encode()).hexdigest() == record["claims"] and " 0.9 " in text, text
    shown = sandbox.assay("run", "known.scenario", "--out", "out", "--quiet", *change).out
    assert f"before the first cell: sha256 {record['claims']}\n" in shown, shown
    assert f"after cells had run; what was sealed:\n  {text}" in shown, shown
    for name in ("claims.xml", "report.html"):
        assert text.strip() in sandbox.read(f"out/{name}"), name
    one = judge(sandbox, 0, *change, "--accept-changed-claims")["found"]
    assert one["reason"].endswith(
        "; the claims were changed after cells had run, which was accepted"), one
    check_auditor_sees_the_seal(sandbox, record["claims_text"])
    # What was accepted stays accepted, and nothing else is.
    assert judge(sandbox, 0, *change)["found"]["verdict"] == "upheld", "accepted once"
    judge(sandbox, 3, "--resume", "--set", "claim found.at-least=0.7")
    # The claims of the beginning need no leave.
    assert "accepted" not in judge(sandbox, 0, "--resume")["found"]["reason"], "as sealed"
    # A violation needs none either.
    sandbox.write("known.scenario", HEAD + claim("found", "at-most = 0.5"))
    judge(sandbox, 1, "--resume")


def test_accepting_goes_with_resume(sandbox):
    write(sandbox, HEAD + claim("found", "at-least = 0.9"), n_public=60)
    sandbox.expect(sandbox.assay("run", "known.scenario", "--accept-changed-claims"), 2, "",
                   "assay run: --accept-changed-claims goes with --resume: a new run seals its "
                   "claims anew\n")


def test_runs_of_one_scenario_are_counted(sandbox):
    write(sandbox, HEAD + claim("found", "at-least = 0.9"), n_public=60)
    for number in (1, 2, 3):
        shown = sandbox.run_ok("known.scenario", "--out", "out", "--quiet", code=0).out
        assert json.loads(sandbox.read("out/run.json"))["run"] == number, number
        says = f"run {number} of this scenario with these data"
        assert (says in shown) == (number > 1), shown


def test_same_bytes_for_any_number_of_threads(sandbox):
    write(sandbox, HEAD + claim("one", "at-most = 0.2", "defense = lifting\nattack = nearest")
          + claim("two", "at-most = 0.9", "defense = plain\nattack = verbatim"),
          n_public=8, n_groups=40, rows=80, spread=True)
    for jobs in (1, 2):
        sandbox.run_ok("known.scenario", "--out", f"out{jobs}", "--quiet", "--jobs", jobs, code=1)
    for name in ("results.json", "claims.xml", "summary.md", "results.csv"):
        assert sandbox.read(f"out1/{name}") == sandbox.read(f"out2/{name}"), name


def test_several_scenarios_violated_says_most(sandbox):
    write(sandbox, HEAD + claim("open", "at-most = 0.1"), n_public=6)
    sandbox.write("broken.scenario", HEAD.replace("Known", "Broken")
                  + claim("broken", "at-most = 0.5", "attack = verbatim"))
    for order in (("known", "broken"), ("broken", "known")):
        names = [f"{name}.scenario" for name in order]
        sandbox.run_ok(*names, "--out", order[0], "--quiet", code=1)


# ---- Witness ----


def test_witness(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.01") + claim("kept", "at-most = 0.9"),
          n_public=5)
    found = judge(sandbox, 1)
    witness = found["hidden"]["witness"]
    tree = sandbox.tree()
    words = ("run", "known.scenario", "--out", "out", "--quiet")
    played = sandbox.expect(sandbox.assay(*words, "--witness", "hidden"), 0, err="")
    lines = played.out.splitlines()
    assert (lines[0] == f"witness of claim hidden: cell {witness['cell']}, seed 3, trial 0, secret "
            f"{witness['secret']}"), lines
    assert lines[1] == "recovery-rate of this secret: 1 now, 1 in the run: the same", lines
    secret, estimate = (line.split() for line in lines[2:])
    assert secret[0] == "secret" and estimate[0] == "estimate" and len(secret) == 9, lines
    assert secret[1:] == estimate[1:], "nearest found the secret itself"
    # The secret that is printed is a row of the file, one of the public ones.
    rows = [[float(value) for value in row] for row in PRIVATE[:5]]
    shown = [float(value) for value in secret[1:]]
    assert any(all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(row, shown)) for row in rows), (
        shown)
    sandbox.refuses(sandbox.assay(*words, "--witness", "hiden"),
                    "--witness: the scenario has no claim 'hiden' (did you mean 'hidden'?)")
    sandbox.refuses(sandbox.assay(*words, "--witness", "kept"),
                    "--witness kept: the claim is inconclusive; only a violated one has a witness")
    assert sandbox.tree() == tree, "a replay changed the folder"


def test_witness_without_a_run(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.01"))
    words = ("run", "known.scenario", "--out", "out", "--quiet")
    result = sandbox.assay(*words, "--witness", "hidden")
    sandbox.expect(result, 2, out="")
    assert "--witness needs the finished run of this scenario: " in result.err, result
    assert not (sandbox.path / "out").exists(), "a folder was made"


# ---- Reports ----

HOSTILE = (
    "<script>alert('1')</script> \"q\" & ]]> | `x` [a](http://b) $x$ \x01\x1b[31m\x7f\x85 "
    "\u202egnp.exe\u202c \u05d0\u05d1 \U0001f600 \ufffe\uffff a|b ##"
)


def test_hostile_text_in_every_report(sandbox):
    text = HEAD.replace("title = Known", f"title = {HOSTILE}") + claim(
        "hidden", "at-most = 0.5", f"defense = plain\nattack = verbatim\nsays = {HOSTILE}\n"
        f"source = {HOSTILE}") + claim(
        "kept", "at-least = 0.5", f"defense = plain\nattack = verbatim\nsays = {HOSTILE}")
    write(sandbox, text + "\n[attack db]\nplugin = database\ngrants = database\nneighbours = 20\n"
          "averaged = 3\n")
    result = sandbox.run_ok("known.scenario", "--out", "out", "--quiet", code=1)
    for character in "\x01\x1b\x7f\x85":
        assert character not in result.out, f"{character!r} reaches the terminal"

    record = json.loads(sandbox.read("out/results.json"))
    assert record["scenario"]["title"] == HOSTILE, record["scenario"]["title"]
    assert [one["says"] for one in record["claims"]] == [HOSTILE, HOSTILE], "says"
    assert record["claims"][0]["source"] == HOSTILE, "source"

    root = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    suite, = root
    tested = suite.findall("testcase")
    assert (suite.attrib == {"name": suite.get("name"), "tests": "3", "failures": "1", "errors": "0",
                             "skipped": "1", "time": "0"}), suite.attrib
    assert "<script>alert('1')</script> \"q\" & ]]>" in suite.get("name"), suite.get("name")
    assert tested[0].get("name").startswith("hidden: <script>"), tested[0].attrib
    assert tested[0].find("failure").get("type") == "violated", "failure"
    assert tested[1].find("failure") is None and tested[1].find("error") is None, "upheld"
    assert tested[2].find("skipped") is not None, "the pair that does not fit"
    properties = {p.get("name"): p.get("value") for p in tested[0].iter("property")}
    assert properties["estimate"] == "1" and properties["n"] == "60", properties
    assert properties["at-most"] == "0.5" and properties["measure"] == "recovery-rate", properties

    summary = sandbox.read("out/summary.md")
    for character in "\x01\x1b\x7f\x85\u202e\u202c":
        assert character not in summary, f"{character!r} in summary.md"
    assert "<" not in summary and "\u05d0\u05d1 \U0001f600" in summary, summary
    row = next(line for line in summary.splitlines() if line.startswith("| **violated**"))
    cells = row.replace("\\|", "").split("|")
    assert len(cells) == 6, f"the row has other columns: {row}"
    for mark in ("`", "[", "$"):
        assert row.count(mark) == row.count("\\" + mark), f"{mark} is not escaped: {row}"


def test_hostile_names_are_refused(sandbox):
    """Names become identifiers in every export: nothing runs, and nothing raw is shown."""
    for name in ("<b>", "a&b", 'a"b', "../../out", "a b", "]]>", "\u202egnp", "\u05d0",
                 "a\x1b[31m", "\x7f\x85", "a\x01"):
        write(sandbox, HEAD + claim(name, "at-most = 0.5"))
        for words in (("check", "known.scenario"), ("run", "known.scenario", "--out", "out")):
            result = sandbox.assay(*words)
            assert result.code == 2 and "known.scenario:30: " in result.err, str(result)
            assert not any(one in result.err + result.out
                           for one in "\x01\x1b\x7f\x85\u202e"), repr(result.err)
        assert not (sandbox.path / "out").exists(), "a run was begun"


def test_inconclusive_is_an_error_in_junit(sandbox):
    write(sandbox, HEAD + claim("open", "at-most = 0.1"), n_public=6)
    judge(sandbox, 3)
    root = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    assert (root.get("failures"), root.get("errors")) == ("0", "1"), root.attrib
    error = root.find("testsuite/testcase/error")
    assert error.get("type") == "inconclusive" and "underpowered" in error.get("message"), error
    assert root.find("testsuite/testcase").get("name") == "open", "a claim that says nothing"


def test_without_claims_there_is_an_empty_suite(sandbox):
    write(sandbox, HEAD)
    assert judge(sandbox, 0) == {}, "claims"
    root = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    assert root.get("tests") == "0" and root.find("testsuite/testcase") is None, root.attrib


# ---- The scenarios of scenarios/controls ----


def play_control(sandbox, name, code, verdict):
    path = SOURCE / "scenarios" / "controls" / f"{name}.scenario"
    sandbox.run_ok(path, "--out", "out", "--quiet", code=code)
    record = json.loads(sandbox.read("out/results.json"))
    assert record["claims"], "no claims"
    for one in record["claims"]:
        assert one["verdict"] == verdict, one


@pytest.mark.slow
def test_control_lifting_violated(sandbox):
    play_control(sandbox, "lifting-violated", 1, "violated")


@pytest.mark.slow
def test_control_lifting_upheld(sandbox):
    play_control(sandbox, "lifting-upheld", 0, "upheld")
