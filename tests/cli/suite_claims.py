"""Verdicts, from the scenario to exit codes and reports.

The data is made so that the outcome is known: the attack `nearest` recovers exactly the secrets
that are also public (all others are far from every public row), `verbatim` recovers all of
`plain`."""

import json
import math
import xml.etree.ElementTree

import data
from harness import SOURCE, Suite, check

ROWS = 60
PRIVATE = data.make_rows(2 * ROWS, 8, 1)
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

cases = Suite("claims")


def add_to(suite):
    suite.cases += cases.cases
    return suite


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


@cases.case("violated")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5", "defense = plain\nattack = verbatim"))
    one = judge(sandbox, 1)["hidden"]
    check(one["verdict"] == "violated", one)
    check((one["estimate"], one["n"], one["at-most"]) == (1, 60, 0.5), one)
    check(near(one["p_value"], 0.5**60) and one["adjusted_p"] == one["p_value"], one)
    check(one["witness"] == {"cell": one["witness"]["cell"], "seed": 3, "trial": 0, "secret": 0,
                             "outcome": 1}, one["witness"])
    check(one["reason"] == "attack verbatim against plain: recovery-rate is 1 [0.9404, 1] of n = "
          "60, the claim says at most 0.5", one["reason"])


@cases.case("upheld")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.1"))
    one = judge(sandbox, 0)["hidden"]
    check((one["verdict"], one["estimate"], one["witness"]) == ("upheld", 0, {}), one)
    check(near(one["p_value"], 0.9**60), one)
    check(one["detectable"] == 11 / 60, one["detectable"])


@cases.case("inconclusive-and-how-many-more-would-decide")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.1"), n_public=3)
    one = judge(sandbox, 3)["hidden"]
    check(one["verdict"] == "inconclusive", one)
    check(near(one["hypotheses"][0]["p_upheld"], tail_below(3, 60, 0.1)), one)
    needed = next(n for n in range(60, 1000)
                  if tail_below(math.ceil(0.05 * n - 1e-9), n, 0.1) < 0.05)
    check(abs(one["hypotheses"][0]["units_needed"] - needed) <= 40, (needed, one))
    more = one["hypotheses"][0]["units_needed"] - 60
    check(one["reason"] == "underpowered: attack nearest against plain: "
          "recovery-rate is 0.05 [0.01043, 0.1392] of n = 60, the claim says at most 0.1; about "
          f"{more:.0f} more secrets "
          "would decide it if the estimate stays", one["reason"])


@cases.case("inconclusive-at-the-bound")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.1"), n_public=6)
    one = judge(sandbox, 3)["hidden"]
    check(one["reason"].endswith("; the estimate is too near the bound for any number of secrets "
                                 "to decide"), one["reason"])


@cases.case("at-least")
def _(sandbox):
    write(sandbox, HEAD + claim("useful", "at-least = 0.5", "defense = plain\nattack = verbatim")
          + claim("useless", "at-least = 0.5"), n_public=1)
    found = judge(sandbox, 1)
    check(found["useful"]["verdict"] == "upheld", found["useful"])
    check(found["useless"]["verdict"] == "violated", found["useless"])
    check(found["useless"]["witness"]["outcome"] == 0, found["useless"]["witness"])


@cases.case("holm-takes-a-verdict-back")
def _(sandbox):
    """p is between 0.025 and 0.05: enough alone, and beside a claim that is decided; not enough
    beside one that is not."""
    p = tail_below(2, 60, 0.105)
    check(0.025 < p < 0.05, p)
    ours = claim("ours", "at-most = 0.105")
    for other, verdict, factor, code in (
        ("", "upheld", 1, 0),
        (claim("decided", "at-most = 0.5"), "upheld", 1, 0),
        (claim("open", "at-most = 0.04"), "inconclusive", 2, 3),
    ):
        write(sandbox, HEAD + ours + other, n_public=2)
        one = judge(sandbox, code)["ours"]
        check(one["verdict"] == verdict, (other, one))
        check(near(one["hypotheses"][0]["adjusted_upheld"], factor * p), (other, one))


@cases.case("holm-takes-a-violation-back")
def _(sandbox):
    """For breaches the correction runs on its own: a claim that is upheld is none, and costs."""
    p = 1 - tail_below(10, 60, 0.1)
    check(0.025 < p < 0.05, p)
    for other, verdict, factor, code in (
        ("", "violated", 1, 1),
        (claim("broken", "at-most = 0.01"), "violated", 1, 1),
        (claim("kept", "at-most = 0.9"), "inconclusive", 2, 3),
    ):
        write(sandbox, HEAD + claim("ours", "at-most = 0.1") + other, n_public=11)
        one = judge(sandbox, code)["ours"]
        check(one["verdict"] == verdict, (other, one))
        check(near(one["hypotheses"][0]["adjusted_violated"], factor * p), (other, one))


@cases.case("holm-counts-cells-not-claims")
def _(sandbox):
    """One claim about two cells, of which one is open: both pay."""
    write(sandbox, HEAD + claim("ours", "at-most = 0.105", "attack = nearest"), n_public=2)
    one = judge(sandbox, 3)["ours"]
    p = tail_below(2, 60, 0.105)
    check([near(h["adjusted_upheld"], 2 * p) for h in one["hypotheses"]] == [True, True], one)
    write(sandbox, HEAD + claim("ours", "at-most = 0.105",
                                "attack = nearest\nwhere = defense.dimension = 4"), n_public=2)
    check(judge(sandbox, 0)["ours"]["verdict"] == "upheld", "one cell")


# ---- Several settings ----


@cases.case("one-violated-cell-violates")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5", "attack = verbatim"))
    one = judge(sandbox, 1)["hidden"]
    plain, lifted = one["hypotheses"]
    check(one["verdict"] == "violated" and one["estimate"] == 1, one)
    check(plain["adjusted_violated"] < 0.05 < lifted["adjusted_violated"], one)
    check(lifted["adjusted_upheld"] < 0.05 < plain["adjusted_upheld"], one)


@cases.case("upheld-needs-all")
def _(sandbox):
    text = claim("hidden", "at-most = 0.1", "defense = lifting\nattack = {}")
    both = text.replace("attack = {}\n", "")
    write(sandbox, HEAD + text.format("verbatim"), n_public=3)
    check(judge(sandbox, 0)["hidden"]["verdict"] == "upheld", "verbatim alone")
    write(sandbox, HEAD + both, n_public=3)
    check("attack = nearest" not in both, both)
    one = judge(sandbox, 3)["hidden"]
    check([h["adjusted_upheld"] < 0.05 for h in one["hypotheses"]] == [True, False], one)
    check(one["verdict"] == "inconclusive" and one["estimate"] == 0.05, one)
    check("attack nearest against lifting: recovery-rate is " in one["reason"], one["reason"])


# ---- Groups ----


@cases.case("fewer-than-ten-groups-decide-nothing")
def _(sandbox):
    text = HEAD + claim("hidden", "at-most = 0.5", "defense = plain\nattack = verbatim")
    write(sandbox, text, n_groups=9, rows=63)
    one = judge(sandbox, 3)["hidden"]
    check(one["verdict"] == "inconclusive", one)
    check(one["reason"] == "attack verbatim against plain: its secrets come from 9 groups, fewer "
          "than 10", one["reason"])
    excluded = one["hypotheses"][0]
    check(excluded["excluded"] == "its secrets come from 9 groups, fewer than 10", excluded)
    check(excluded["p_violated"] == excluded["adjusted_violated"] == 1, excluded)
    check(excluded["p_upheld"] == excluded["adjusted_upheld"] == 1, excluded)
    check(excluded["detectable"] is None and excluded["units_needed"] is None, excluded)
    write(sandbox, text, n_groups=10)
    one = judge(sandbox, 1)["hidden"]
    check(near(one["p_value"], 0.5**10), one)


@cases.case("more-than-a-hundred-hypotheses-in-groups-can-be-decided")
def _(sandbox):
    """40 groups of 2, of which 8 have one recovered: means of 0 and 1/2, so that the p-value
    against 0.55 is a product of 0.45 and 0.45/0.5. Resamples, which judged this before, could say
    no less than 1/2001, and 101/2001 is over 0.05."""
    text = "".join(claim(f"c{i}", "at-most = 0.55") for i in range(101))
    write(sandbox, HEAD + text, n_public=8, n_groups=40, rows=80, spread=True)
    for one in judge(sandbox, 0).values():
        found = one["hypotheses"][0]
        check(near(found["p_upheld"], 0.45**32 * (0.45 / 0.5)**8), found)
        check(near(found["adjusted_upheld"], 101 * found["p_upheld"]), found)


@cases.case("a-success-is-no-evidence-against-successes")
def _(sandbox):
    """No success in 40 groups leaves 0.05 open (0.95^40 is 0.13); one must not uphold it."""
    for n_public in (0, 1):
        write(sandbox, HEAD + claim("hidden", "at-most = 0.05"), n_public=n_public, n_groups=40,
              rows=120, spread=True)
        one = judge(sandbox, 3)["hidden"]
        check(one["hypotheses"][0]["p_upheld"] >= 0.95**40 * (1 - 1e-9), one)


@cases.case("a-figure-has-one-interval")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.5"), n_public=8, n_groups=40, rows=80,
          spread=True)
    judge(sandbox, 0)
    record = json.loads(sandbox.read("out/results.json"))
    one = record["claims"][0]
    cell = next(c for c in record["pooled"] if c["id"] == one["hypotheses"][0]["cell"])
    pooled = next(m for m in cell["measurements"] if m["metric"] == "recovery-rate")
    for key in ("estimate", "lower", "upper", "n", "confidence"):
        check(pooled[key] == one[key], (key, pooled, one))


# ---- A cell that decides nothing (others: unit/test-judge.c) ----


@cases.case("a-cell-in-error-decides-nothing")
def _(sandbox):
    """A secret of zeros has no relative error. What does not need that cell is still judged."""
    text = HEAD.replace("seed = 3", "seed = 3\ntrials = 2").replace("= 60", "= 30")
    write(sandbox, text + claim("hidden", "at-most = 0.5"))
    rows = [list(row) for row in PRIVATE[:ROWS]]
    rows[7] = [0.0] * 8
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", rows))
    one = judge(sandbox, 3)["hidden"]
    check(one["verdict"] == "inconclusive", one)
    check(one["reason"] == "attack nearest against plain: a cell ended in an error "
          "(1 of 2 trials did not end well)", one)


# ---- Judging again ----


@cases.case("a-changed-claim-is-judged-on-the-stored-run")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.1"))
    check(judge(sandbox, 0)["hidden"]["verdict"] == "upheld", "at most 0.1")
    before = json.loads(sandbox.read("out/run.json"))["seconds"]
    one = judge(sandbox, 3, "--resume", "--set", "claim hidden.at-most=0.01")["hidden"]
    check(one["verdict"] == "inconclusive" and one["at-most"] == 0.01, one)
    check(json.loads(sandbox.read("out/run.json"))["seconds"] == before, "cells were run again")


@cases.case("same-bytes-for-any-number-of-threads")
def _(sandbox):
    write(sandbox, HEAD + claim("one", "at-most = 0.2", "defense = lifting\nattack = nearest")
          + claim("two", "at-most = 0.9", "defense = plain\nattack = verbatim"),
          n_public=8, n_groups=40, rows=80, spread=True)
    for jobs in (1, 2):
        sandbox.run_ok("known.scenario", "--out", f"out{jobs}", "--quiet", "--jobs", jobs, code=1)
    for name in ("results.json", "claims.xml", "summary.md", "results.csv"):
        check(sandbox.read(f"out1/{name}") == sandbox.read(f"out2/{name}"), name)


@cases.case("several-scenarios-violated-says-most")
def _(sandbox):
    write(sandbox, HEAD + claim("open", "at-most = 0.1"), n_public=6)
    sandbox.write("broken.scenario", HEAD.replace("Known", "Broken")
                  + claim("broken", "at-most = 0.5", "attack = verbatim"))
    for order in (("known", "broken"), ("broken", "known")):
        names = [f"{name}.scenario" for name in order]
        sandbox.run_ok(*names, "--out", order[0], "--quiet", code=1)


# ---- Witness ----


@cases.case("witness")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.01") + claim("kept", "at-most = 0.9"),
          n_public=5)
    found = judge(sandbox, 1)
    witness = found["hidden"]["witness"]
    tree = sandbox.tree()
    words = ("run", "known.scenario", "--out", "out", "--quiet")
    played = sandbox.expect(sandbox.assay(*words, "--witness", "hidden"), 0, err="")
    lines = played.out.splitlines()
    check(lines[0] == f"witness of claim hidden: cell {witness['cell']}, seed 3, trial 0, secret "
          f"{witness['secret']}", lines)
    check(lines[1] == "recovery-rate of this secret: 1 now, 1 in the run: the same", lines)
    secret, estimate = (line.split() for line in lines[2:])
    check(secret[0] == "secret" and estimate[0] == "estimate" and len(secret) == 9, lines)
    check(secret[1:] == estimate[1:], "nearest found the secret itself")
    # The secret that is printed is a row of the file, one of the public ones.
    rows = [[float(value) for value in row] for row in PRIVATE[:5]]
    shown = [float(value) for value in secret[1:]]
    check(any(all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(row, shown)) for row in rows),
          shown)
    sandbox.refuses(sandbox.assay(*words, "--witness", "hiden"),
                    "--witness: the scenario has no claim 'hiden' (did you mean 'hidden'?)")
    sandbox.refuses(sandbox.assay(*words, "--witness", "kept"),
                    "--witness kept: the claim is upheld; only a violated one has a witness")
    check(sandbox.tree() == tree, "a replay changed the folder")


@cases.case("witness-without-a-run")
def _(sandbox):
    write(sandbox, HEAD + claim("hidden", "at-most = 0.01"))
    words = ("run", "known.scenario", "--out", "out", "--quiet")
    result = sandbox.assay(*words, "--witness", "hidden")
    sandbox.expect(result, 2, out="")
    check("--witness needs the finished run of this scenario: " in result.err, result)
    check(not (sandbox.path / "out").exists(), "a folder was made")


# ---- Reports ----

HOSTILE = (
    "<script>alert('1')</script> \"q\" & ]]> | `x` [a](http://b) $x$ \x01\x1b[31m\x7f\x85 "
    "\u202egnp.exe\u202c \u05d0\u05d1 \U0001f600 \ufffe\uffff a|b ##"
)


@cases.case("hostile-text-in-every-report")
def _(sandbox):
    text = HEAD.replace("title = Known", f"title = {HOSTILE}") + claim(
        "hidden", "at-most = 0.5", f"defense = plain\nattack = verbatim\nsays = {HOSTILE}\n"
        f"source = {HOSTILE}") + claim("kept", "at-most = 0.5", f"says = {HOSTILE}")
    write(sandbox, text + "\n[attack db]\nplugin = database\ngrants = database\nneighbours = 20\n"
          "averaged = 3\n")
    result = sandbox.run_ok("known.scenario", "--out", "out", "--quiet", code=1)
    for character in "\x01\x1b\x7f\x85":
        check(character not in result.out, f"{character!r} reaches the terminal")

    record = json.loads(sandbox.read("out/results.json"))
    check(record["scenario"]["title"] == HOSTILE, record["scenario"]["title"])
    check([one["says"] for one in record["claims"]] == [HOSTILE, HOSTILE], "says")
    check(record["claims"][0]["source"] == HOSTILE, "source")

    root = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    suite, = root
    tested = suite.findall("testcase")
    check(suite.attrib == {"name": suite.get("name"), "tests": "3", "failures": "1", "errors": "0",
                           "skipped": "1", "time": "0"}, suite.attrib)
    check("<script>alert('1')</script> \"q\" & ]]>" in suite.get("name"), suite.get("name"))
    check(tested[0].get("name").startswith("hidden: <script>"), tested[0].attrib)
    check(tested[0].find("failure").get("type") == "violated", "failure")
    check(tested[1].find("failure") is None and tested[1].find("error") is None, "upheld")
    check(tested[2].find("skipped") is not None, "the pair that does not fit")
    properties = {p.get("name"): p.get("value") for p in tested[0].iter("property")}
    check(properties["estimate"] == "1" and properties["n"] == "60", properties)
    check(properties["at-most"] == "0.5" and properties["measure"] == "recovery-rate", properties)

    summary = sandbox.read("out/summary.md")
    for character in "\x01\x1b\x7f\x85\u202e\u202c":
        check(character not in summary, f"{character!r} in summary.md")
    check("<" not in summary and "\u05d0\u05d1 \U0001f600" in summary, summary)
    row = next(line for line in summary.splitlines() if line.startswith("| **violated**"))
    cells = row.replace("\\|", "").split("|")
    check(len(cells) == 6, f"the row has other columns: {row}")
    for mark in ("`", "[", "$"):
        check(row.count(mark) == row.count("\\" + mark), f"{mark} is not escaped: {row}")


@cases.case("inconclusive-is-an-error-in-junit")
def _(sandbox):
    write(sandbox, HEAD + claim("open", "at-most = 0.1"), n_public=6)
    judge(sandbox, 3)
    root = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    check((root.get("failures"), root.get("errors")) == ("0", "1"), root.attrib)
    error = root.find("testsuite/testcase/error")
    check(error.get("type") == "inconclusive" and "underpowered" in error.get("message"), error)
    check(root.find("testsuite/testcase").get("name") == "open", "a claim that says nothing")


@cases.case("without-claims-there-is-an-empty-suite")
def _(sandbox):
    write(sandbox, HEAD)
    check(judge(sandbox, 0) == {}, "claims")
    root = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    check(root.get("tests") == "0" and root.find("testsuite/testcase") is None, root.attrib)


# ---- The scenarios of scenarios/controls ----


def play_control(sandbox, name, code, verdict):
    path = SOURCE / "scenarios" / "controls" / f"{name}.scenario"
    sandbox.run_ok(path, "--out", "out", "--quiet", code=code)
    record = json.loads(sandbox.read("out/results.json"))
    check(record["claims"], "no claims")
    for one in record["claims"]:
        check(one["verdict"] == verdict, one)


@cases.case("control-lifting-violated", is_slow=True)
def _(sandbox):
    play_control(sandbox, "lifting-violated", 1, "violated")


@cases.case("control-lifting-upheld", is_slow=True)
def _(sandbox):
    play_control(sandbox, "lifting-upheld", 0, "upheld")
