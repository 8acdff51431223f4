"""Who wants to pass: changes of claims, scenario, store and baseline after a look at the results. None
of them ends in exit code 0."""

import contextlib
import json
import sqlite3

import pytest

from test_baseline import NOISY, both
from test_claims import HEAD, claim, write

OF_VERBATIM = "defense = plain\nattack = verbatim\n"
LOST = claim("lost", "at-most = 0.1")  # `nearest` finds the 12 of 60 secrets that are public
WON = claim("won", "at-least = 0.9", OF_VERBATIM)


def run(sandbox, code, *options):
    """A run, or --resume of it: what it printed."""
    result = sandbox.assay("run", "known.scenario", "--out", "out", "--quiet", *options)
    sandbox.expect(result, code)
    return result.out + result.err


def begin(sandbox, claims=LOST + WON, code=1):
    write(sandbox, HEAD + claims, n_public=12)
    run(sandbox, code)


def resume(sandbox, text, code, *options):
    sandbox.write("known.scenario", text)
    return run(sandbox, code, "--resume", *options)


@contextlib.contextmanager
def store(sandbox):
    with contextlib.closing(sqlite3.connect(sandbox.path / "out/run.sqlite")) as opened, opened:
        yield opened


# ---- Claims ----

@pytest.mark.parametrize("claims", [
    WON,
    LOST.replace("0.1", "0.4") + WON,
    LOST.replace("attack = nearest", "attack = verbatim").replace("= plain", "= lifting") + WON,
    LOST.replace("at-most", "at-least") + WON,
    WON.replace("0.9", "0.8"),
    WON + "confidence = 0.9\n",
    WON + claim("more", "at-least = 0.5", OF_VERBATIM),
], ids=["dropped", "wider", "elsewhere", "turned", "weaker", "surer", "added"])
def test_claims_that_were_changed(sandbox, claims):
    begin(sandbox)
    said = resume(sandbox, HEAD + claims, 3)
    assert "claims were changed after cells had run; expected a new run" in said, said
    assert "what was sealed:\n  lost recovery-rate" in said, said


def test_a_name_that_looks_like_another(sandbox):
    begin(sandbox)
    said = resume(sandbox, HEAD + LOST.replace("lost", "l\u043est") + WON, 2)
    assert "NAME of letters, digits, - and _" in said, said


def test_claims_that_were_all_dropped(sandbox):
    """A run without claims ends with 0; not where some were sealed."""
    begin(sandbox)
    said = resume(sandbox, HEAD, 3)
    assert "there is no claim now, so that the run is inconclusive" in said, said
    assert "  lost recovery-rate recovery-rate at-most  0.1 " in said, said
    assert json.loads(sandbox.read("out/results.json"))["scenario"]["claims_changed"] is True
    assert "they were **changed** since" in sandbox.read("out/summary.md")
    said = resume(sandbox, HEAD, 0, "--accept-changed-claims")
    assert "no claim now" not in said and resume(sandbox, HEAD + LOST + WON, 1), said


def test_a_seal_that_was_taken_off(sandbox):
    """Cells that have run are not sealed anew."""
    begin(sandbox)
    with store(sandbox) as opened:
        opened.execute("DELETE FROM meta WHERE key = 'claims'")
    said = resume(sandbox, HEAD + WON, 3)
    assert "the store lacks the claims that were sealed before its first cell" in said, said
    assert "no claim now" in resume(sandbox, HEAD, 3)
    resume(sandbox, HEAD + LOST + WON, 1)


def test_the_store_of_weaker_claims(sandbox):
    """It has the same plan, of which claims are no part; what judges are the scenario's."""
    begin(sandbox, WON, 0)
    said = resume(sandbox, HEAD + claim("lost", "at-least = 0.95", OF_VERBATIM), 3)
    assert "they were changed after cells had run" in said, said
    resume(sandbox, HEAD + LOST, 1)


# ---- Scenarios ----

@pytest.mark.parametrize("old, new", [
    ("seed = 3", "seed = 4"),
    ("secrets = 60", "secrets = 20"),
    ("tau = 0.001", "tau = 1e-30"),
    ("[attack verbatim]", "[attack other]"),
    ("dimension = 4", "dimension = 6"),
    ("[defense lifting]\nplugin = affine-lifting\ndimension = 4\nnormalize = no\n", ""),
    ("[attack verbatim]\nplugin = verbatim\n", ""),
], ids=["seed", "secrets", "tau", "name", "setting", "defense", "attack"])
def test_another_scenario_is_not_gone_on_with(sandbox, old, new):
    begin(sandbox, LOST)
    before = sandbox.read("out/results.json")
    assert old in HEAD
    said = resume(sandbox, (HEAD + LOST).replace(old, new), 2)
    assert "holds the run of another scenario or of other settings" in said, said
    assert sandbox.read("out/results.json") == before


@pytest.mark.parametrize("words", ["verbatim", "lifting", "verbatim against plain"])
def test_cells_that_were_left_out(sandbox, words):
    """A claim that is upheld by them, or none: other cells have not shown anything."""
    for claims in (WON, ""):
        write(sandbox, HEAD + claims, n_public=12)
        said = run(sandbox, 3, "--cells", words)
        assert "cells were not asked for" in said, said
        sandbox.shell("rm -rf out out.new")


# ---- Baselines ----

LESS = "  it was asked for less than the baseline, by which something may have got worse unseen: "


@pytest.mark.parametrize("old, new, says", [
    ("secrets = 10", "secrets = 2", "secrets was 10, is 2"),
    ("seed = 3", "seed = 3\nconfidence = 0.999999", "confidence was 0.95, is 0.999999"),
])
def test_a_worse_defense_that_is_asked_for_less(sandbox, old, new, says):
    """So few secrets, or such a level, that no test could tell."""
    text = NOISY.replace("secrets = 40", "secrets = 10")
    both(sandbox, 1, text.format(0.9), text.format(0.01))
    lines, record = both(sandbox, 3, text.format(0.9), text.format(0.01).replace(old, new))
    assert record["worse"] == 0 and LESS + says in lines, lines


def test_fewer_trials_than_the_baseline(sandbox):
    text = NOISY.format(0.12).replace("secrets = 40", "secrets = 13")
    lines, _ = both(sandbox, 3, text.replace("seed = 3", "seed = 3\ntrials = 3"), text)
    assert LESS + "trials was 3, is 1" in lines, lines
