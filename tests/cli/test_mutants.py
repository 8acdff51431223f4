"""assay selftest --mutants: which mistakes an audit would have seen, and where that is kept."""

import json
import random
import shutil
import time

import pytest

import data
from exec_mechanisms import (CLAIM, DISTINGUISH, FLIP, HEAD, START, WRITE, claiming, prepare_claims,
                             starts_of)
from exec_programs import write_program

# Laplace keeps its epsilon; one column, so that mistakes of several columns cannot be made.
LAPLACE = """\
[scenario]
seed = 5

[dataset]
plugin = values

[defense laplace]
plugin = laplace
epsilon = 1

[attack distinguish]
plugin = distinguish
runs = 20000
training = 20000

[claim holds]
measure = epsilon
at-most = claimed
"""
# The claim is true by far, and names one of two defenses.
VECTORS = """\
[scenario]
seed = 3

[dataset]
plugin = vectors
private = private.fvecs
secrets = 200

[defense noisy]
plugin = additive-noise
share = 0.9

[defense plain]
plugin = none

[attack verbatim]
plugin = verbatim

[claim hidden]
measure = recovery-rate
defense = noisy
at-most = 0.05
"""


def write(sandbox, text, name="a.scenario"):
    numbers = random.Random(1)
    rows = [[numbers.gauss(0, 1) for _ in range(16)] for _ in range(200)]
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", rows))
    sandbox.write(name, text)


def play(sandbox, *options, code=0):
    return sandbox.expect(sandbox.assay("selftest", "--mutants", "a.scenario", "--quiet", *options),
                          code)


def ids(result, verdict):
    lines = (line.split() for line in result.out.splitlines() if line.startswith(verdict + " "))
    return {words[len(verdict.split())] for words in lines}


def test_mechanism(sandbox):
    write(sandbox, LAPLACE)
    result = play(sandbox)
    assert result.out.endswith("\nthis audit would have seen 14 of 16 mutants\n"), result
    assert ids(result, "seen") == {
        "constant-seed", "seed-of-16-bits", "half-noise", "noise-on-some-inputs", "leak-1e-2",
        "third-digit", "last-bit", "no-clamp", "bounded-noise", "noise-of-one-sign", "overflow",
        "timing"}
    assert ids(result, "stopped") == {"counter-seed", "noise-used-twice"}, result
    assert ids(result, "missed") == {"leak-1e-3", "leak-1e-4"}, result
    assert ids(result, "does not apply") == {
        "noise-of-one-column", "columns-agree", "off-by-one", "weak-column"}, result
    assert "what would see it: attack distinguish with more training runs" in result.out, result
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    again = play(sandbox, "--jobs", "1", "--out", "out")
    kept = "kept in out: mutants.json; its reports were written again\n"
    assert again.out == result.out + kept, "the threads change it"
    check_what_is_kept(sandbox)


def check_what_is_kept(sandbox):
    """Beside the run, and in every export of it."""
    kept = json.loads(sandbox.read("out/mutants.json"))
    results = json.loads(sandbox.read("out/results.json"))
    assert (kept["format"], kept["seen"], kept["counted"]) == ("assay-mutants/1", 14, 16), kept
    assert kept["claims_sha256"] == results["scenario"]["claims"], kept
    assert kept["plan_sha256"] == results["scenario"]["plan"], kept
    assert {one["claim"] for one in kept["mutants"] if one["verdict"] == "seen"} == {"holds"}
    assert results["mutants"]["seen"] == 14 and not results["mutants"]["stale"], results["mutants"]
    assert len(results["mutants"]["all"]) == 20, results["mutants"]
    assert '<property name="mutants-seen" value="14"/>' in sandbox.read("out/claims.xml")
    for text in (sandbox.read("out/summary.md"), sandbox.read("out/report.html"),
                 sandbox.expect(sandbox.assay("report", "out")).out):
        assert "this audit would have seen 14 of 16 mutants" in text, text
        assert "leak-1e-3" in text, text


@pytest.mark.slow
def test_what_would_see_it_sees_it(sandbox):
    """More training runs for a rare leak, as the sentence says."""
    write(sandbox, LAPLACE.replace("= 20000", "= 100000"))
    assert "leak-1e-3" in ids(play(sandbox), "seen")


HISTOGRAM = """\
[scenario]
seed = 4

[dataset]
plugin = values
secrets = 10

[defense histogram]
plugin = noisy-histogram
epsilon = 0.5
bins = 20000

[attack one-run]
plugin = one-run
canaries = 20000
guesses = 6000

[claim holds]
measure = epsilon
at-most = claimed
"""


def test_one_run(sandbox):
    """Mistakes of what one run makes of a dataset; and what would see one sees it: few guesses see
    the few records that count too often, and not that half of the numbers have less noise."""
    often = {"half-noise", "fifth-of-noise", "noise-of-one-number", "noise-of-one-sign",
             "even-sizes", "counted-twice", "1-in-10-ten-times"}
    write(sandbox, HISTOGRAM)
    result = play(sandbox)
    assert result.out.endswith("\nthis audit would have seen 8 of 20 mutants\n"), result
    assert ids(result, "seen") == often | {"half-of-numbers"}, result
    assert len(ids(result, "missed")) == 12, result
    write(sandbox, HISTOGRAM.replace("guesses = 6000", "guesses = 100"))
    assert ids(play(sandbox), "seen") == often | {"1-in-100-hundred-times"}


def test_release(sandbox):
    write(sandbox, VECTORS)
    result = play(sandbox)
    assert "\nthis audit would have seen 3 of 19 mutants\n" in result.out, result
    assert ids(result, "seen") == {"copied-1-in-10", "tenth-of-noise", "some-unprotected"}, result
    assert ids(result, "does not apply") == {"duplicates-shown"}, result
    assert len(ids(result, "missed")) == 16, result
    assert "  claim hidden is inconclusive without any mistake, too: " in result.out, result


def test_a_run_of_the_same_keeps_them_and_others_do_not(sandbox):
    write(sandbox, VECTORS)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    play(sandbox, "--out", "out")
    again = sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    assert "this audit would have seen 3 of 19 mutants" in again.out, again
    write(sandbox, VECTORS.replace("0.05", "0.06"))
    other = sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    assert "mutants" not in other.out, other
    assert not (sandbox.path / "out/mutants.json").exists(), "those of other claims were kept"


def test_killed(sandbox):
    """What was played before stays, and the same command goes on."""
    write(sandbox, HISTOGRAM.replace("20000", "2000").replace("6000", "600"))
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    part = sandbox.path / "out/mutants.part.json"
    command = ("selftest", "--mutants", "a.scenario", "--quiet", "--out", "out")
    running = sandbox.start(*command)
    while running.poll() is None and not part.exists():
        time.sleep(0.001)
    sandbox.kill(running)
    play(sandbox, "--out", "out")
    assert not part.exists(), "nothing is left to play"
    whole = sandbox.read("out/mutants.json")
    assert json.loads(whole)["seen"] == 6, whole
    # What was kept is taken as it stands, if it is of the same claims, and not played again.
    kept = json.loads(whole)
    kept["mutants"] = kept["mutants"][:9]
    assert kept["mutants"][5]["verdict"] == "missed", kept
    kept["mutants"][5]["verdict"] = "seen"
    part.write_text(json.dumps(kept))
    assert "half-of-numbers" in ids(play(sandbox, "--out", "out"), "seen"), "it was played again"
    kept["claims_sha256"] = "other"
    part.write_text(json.dumps(kept))
    play(sandbox, "--out", "out")
    assert sandbox.read("out/mutants.json") == whole, "of other claims"


def test_stale(sandbox):
    write(sandbox, VECTORS)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    play(sandbox, "--out", "out")
    text = sandbox.read("out/mutants.json")
    for name in ("plan_sha256", "claims_sha256", "data_sha256", "version"):
        kept = json.loads(text)
        kept[name] = "other"
        sandbox.write("out/mutants.json", json.dumps(kept))
        result = sandbox.expect(sandbox.assay("report", "out"))
        assert "the mutants beside this run are of another plan, of other claims" in result.out
        assert "3 of 19" not in result.out and "3 of 19" not in sandbox.read("out/report.html")
    for damaged in ("{", "[]", json.dumps({"format": "assay-mutants/1"}),
                    text.replace('"missed"', '"unheard of"')):
        sandbox.write("out/mutants.json", damaged)
        result = sandbox.expect(sandbox.assay("report", "out"), 0)
        assert result.err.startswith("assay: warning: out/mutants.json"), result


# ---- Programs ----

BIT = HEAD + claiming("bit", "{}", "settings = 0.5") + DISTINGUISH + CLAIM


def break_after(sandbox, starts):
    """A randomised bit that breaks once it was started so often; what it says when it does."""
    prepare_claims(sandbox)
    program = write_program(sandbox, "flip.py", FLIP + START
                            + f"if start > {starts}: sys.exit('it broke')\n" + WRITE)
    sandbox.write("a.scenario", BIT.format(program))


def starts_of_a_run(sandbox):
    break_after(sandbox, 10**6)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    return len(starts_of(sandbox))


def play_until_it_breaks(sandbox, starts, code):
    (sandbox.path / "starts.txt").unlink()
    shutil.rmtree(sandbox.path / "tmp")
    break_after(sandbox, starts)
    result = play(sandbox, code=code)
    assert "it broke" in result.out, result
    return result


@pytest.mark.slow
def test_a_program_that_breaks(sandbox):
    """Its mutants are lost."""
    result = play_until_it_breaks(sandbox, starts_of_a_run(sandbox), 3)
    assert len(ids(result, "failed")) == 20, result
    assert not ids(result, "seen") | ids(result, "stopped"), result


@pytest.mark.slow
def test_what_was_seen_before_it_broke_stays(sandbox):
    result = play_until_it_breaks(sandbox, 2 * starts_of_a_run(sandbox) + 2, 0)
    assert len(ids(result, "failed")) == 17, result
    assert ids(result, "seen") | ids(result, "stopped") == {"constant-seed"}, result
    assert {"counter-seed", "seed-of-16-bits"} == ids(result, "does not apply"), result


def test_claims_that_say_nothing(sandbox):
    write(sandbox, VECTORS.split("[claim")[0])
    result = play(sandbox, code=2)
    assert result.err == ("assay: a.scenario: has no claim about what leaks; expected a [claim] "
                          "about epsilon or about what attacks recover, which mutants could "
                          "break\n"), result
    write(sandbox, VECTORS.replace("defense = noisy", "defense = plain"))
    result = play(sandbox, code=3)
    assert result.err == ("assay: a.scenario: every claim that mutants could break is violated as "
                          "it is, which says nothing of what else would have been seen\n"), result


def test_bad_usage(sandbox):
    write(sandbox, LAPLACE)
    before = sandbox.tree()
    for options, message in (
            (("--mutants", "nothing.scenario"),
             "assay: nothing.scenario: cannot be read: No such file or directory\n"),
            (("--mutant", "a.scenario"),
             "assay selftest: Unknown option --mutant (did you mean '--mutants'?); 'assay selftest "
             "--help' explains\n"),
            (("--mutants", "a.scenario", "--out", "none"),
             "assay: none: expected the output folder of a run\n"),
            (("--mutants", "a.scenario", "--out", ""), "assay selftest: --out: expected a folder\n"),
            (("--mutants", "a.scenario", "--jobs=-1"),
             "assay selftest: --jobs: expected 1 to 4096\n"),
            (("--out", "x"), "assay selftest: --out goes with --mutants\n"),
            (("--trials", "2"), "assay selftest: --trials goes with --mutants\n"),
            (("--seed", "x"), "assay selftest: --seed x: expected a whole number of at least 0\n")):
        sandbox.expect(sandbox.assay("selftest", *options), 2, "", message)
    assert sandbox.tree() == before, "something was written"


def test_another_run(sandbox):
    write(sandbox, VECTORS)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=3)
    sandbox.expect(
        sandbox.assay("selftest", "--mutants", "a.scenario", "--out", "out", "--seed", "4"), 2, "",
        "assay: --out out: is the run of another scenario or of other settings; expected one of "
        "a.scenario as it is now\n")
