"""Epsilon audits, from the scenario to exit codes and reports."""

import csv
import io
import json
import math
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

import pytest

from places import SOURCE
from sandbox import TIMEOUT_S

HEAD = """\
[scenario]
title = Epsilon
seed = 5
trials = 2

[dataset]
plugin = values
kind = whole
values = 10

[attack distinguish]
plugin = distinguish
runs = 20000
training = 10000

"""
CLAIM = "[claim holds]\nsays = It is private\nmeasure = epsilon\nat-most = claimed\n"
RIGHT = "[defense coin]\nplugin = randomised-response\nepsilon = 1; 3\n\n"
BROKEN = "[defense encoding]\nplugin = unary-encoding\nepsilon = 1\ndefect = mixed\n\n"


def run(sandbox, text, code, *arguments):
    sandbox.write("a.scenario", text)
    result = sandbox.run_ok("a.scenario", "--out", "out", "--quiet", *arguments, code=code)
    return result, json.loads(sandbox.read("out/results.json"))


def test_unrefuted(sandbox):
    result, record = run(sandbox, HEAD + RIGHT + CLAIM, 0)
    claim, = record["claims"]
    assert claim["verdict"] == "unrefuted" and claim["witness"] == {}, claim
    bounds = [one["bound"] for one in claim["hypotheses"]]
    assert bounds == [1, 3], bounds
    for one in claim["hypotheses"]:
        # 40,000 runs in two trials: within a tenth of the claim, and seen for sure at 1.5 times.
        assert 0.9 * one["bound"] < one["lower"] < one["bound"], one
        assert one["detectable"] > 8 and one["power"] > 0.999 and one["upper"] is None, one
        assert one["n"] == 40000 and one["delta"] == 0 and one["p_upheld"] == 1, one
    assert "unrefuted: claim holds" in result.out and "certified up to" in result.out, result.out
    assert "> 0.9" in result.out and "of 200 secrets" not in result.out, result.out
    for cell in record["cells"]:
        audit = cell["audit"]
        assert audit["runs"] == 20000 and audit["trained-on"] > 0, audit
        assert "log-likelihood ratio" in audit["event"], audit
    assert "| at least 0.9" in sandbox.read("out/summary.md"), sandbox.read("out/summary.md")
    suite = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    assert suite.get("failures") == "0" and suite.get("errors") == "0", suite.attrib
    for row in csv.DictReader(io.StringIO(sandbox.read("out/results.csv"))):
        assert row["upper"] == "" and float(row["lower"]) > 0.9, row


def test_violated_and_its_witness(sandbox):
    result, record = run(sandbox, HEAD + BROKEN + CLAIM, 1)
    claim, = record["claims"]
    # The probabilities of the two encodings mixed up: 1.5 times the claim.
    assert claim["verdict"] == "violated" and 1.3 < claim["lower"] < 1.5, claim
    assert claim["adjusted_p"] < 1e-6 and "at least 1." in claim["reason"], claim
    assert {"cell", "seed", "trial", "pair", "event", "outcome"} == set(claim["witness"]), claim
    assert "; again: assay run a.scenario --out 'out' --witness holds\n" in result.out, result.out
    suite = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    assert suite.get("failures") == "1", suite.attrib
    before = sandbox.tree("out")
    replay = sandbox.assay("run", "a.scenario", "--out", "out", "--witness", "holds")
    assert replay.code == 0 and "the same as in the run" in replay.out, str(replay)
    for line in ("neighbours: any two values", "first input ", "second input ",
                 f"event: {claim['witness']['event']}", "seen in "):
        assert line in replay.out, replay.out
    after = sandbox.tree("out")
    assert {name: after[name] for name in before} == before, "the witness changed the run"


def count_again(sandbox, python):
    return subprocess.run([python, str(sandbox.path / "out" / "witness" / "holds.py")],
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize("columns, score, defense", (
    (1, "classifier", "unary-encoding\nepsilon = 1\ndefect = mixed"),
    (1, "trees", "unary-encoding\nepsilon = 1\ndefect = mixed"),
    (10, "patterns", "sparse-vector\nvariant = unscaled"),
    (1, "repeats", "unary-encoding\nepsilon = 1\ndefect = mixed"),
    (1, "tails", "noisy-max\nnoise = exponential\nreleases = value")))
def test_witness_counted_again(sandbox, numpy_python, columns, score, defense):
    """The script counts what the run did by the event's formula, and tells outputs of which that is
    not true."""
    text = (HEAD.replace("values = 10", f"values = 10\ncolumns = {columns}").replace("trials = 2\n", "")
            + f"score = {score}\n\n[defense broken]\nplugin = {defense}\n\n{CLAIM}")
    _, record = run(sandbox, text.replace("\n\nscore", "\nscore"), 1)
    replay = sandbox.assay("run", "a.scenario", "--out", "out", "--witness", "holds")
    assert replay.code == 0 and "count it again: python3 out/witness/holds.py" in replay.out, (
        str(replay))
    audit = record["cells"][0]["audit"]
    sides = ("second", "first") if audit["of-second-input"] else ("first", "second")
    again = count_again(sandbox, numpy_python)
    assert (again.returncode, again.stdout) == (0, (
        f"seen in {audit['hits']} of {audit['runs']} runs on the {sides[0]} input and in "
        f"{audit['mistakes']} on the {sides[1]}\n")), str(again)
    assert "def event(y)" in sandbox.read("out/witness/holds.py")
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", "out", "--quiet", "--resume"), 1)
    shutil.copy(sandbox.path / "out" / "witness" / "holds-second.npy",
                sandbox.path / "out" / "witness" / "holds-first.npy")
    again = count_again(sandbox, numpy_python)
    assert again.returncode == 1 and "not in the runs in which the audit saw it" in again.stderr, (
        str(again))


def test_programs_of_which_few_runs_can_be_made(sandbox):
    """900 runs in all: the ceiling is ln of the bounds' ratio, and what is beyond it is seen."""
    few = HEAD.replace("runs = 20000\ntraining = 10000", "runs = 300\ntraining = 150").replace(
        "trials = 2\n", "")
    noisy = "[defense max]\nplugin = noisy-max\nnoise = exponential\nreleases = value\n\n"
    _, record = run(sandbox, few + noisy + CLAIM, 1)
    one, = record["claims"][0]["hypotheses"]
    tail = 0.025 ** (1 / 300)
    assert abs(one["detectable"] - math.log(tail / (1 - tail))) < 1e-6 and one["lower"] > 1.5, one


def test_too_few_runs_are_inconclusive(sandbox):
    text = HEAD.replace("runs = 20000", "runs = 300") + RIGHT.replace("1; 3", "12") + CLAIM
    result, record = run(sandbox, text, 3)
    claim, = record["claims"]
    assert claim["verdict"] == "inconclusive" and claim["detectable"] < 12, claim
    assert "underpowered" in claim["reason"] and "runs on each input are needed" in claim["reason"], (
        claim)
    # So many runs with tp = N, fp = 0 would certify 12: a little more than -ln(0.025) e^12.
    needed = int(claim["reason"].split("at most ")[-1].split(": ")[1].split(" ")[0]
                 .replace(",", ""))
    assert 0.9 < needed / (-math.log(0.025) * math.exp(12)) < 1.1, claim["reason"]
    suite = xml.etree.ElementTree.fromstring(sandbox.read("out/claims.xml"))
    assert suite.get("errors") == "1", suite.attrib


def test_delta(sandbox):
    gaussian = "[defense noise]\nplugin = gaussian\nepsilon = 1\ndelta = 0.01\n\n"
    _, record = run(sandbox, HEAD + gaussian + CLAIM + "delta = 0.01\n", 0)
    one, = record["claims"][0]["hypotheses"]
    assert one["delta"] == 0.01 and 0.8 < one["lower"] < 1, one
    # At a smaller delta the same noise has a larger epsilon.
    strict = HEAD.replace("training = 10000\n", "training = 10000\ndelta = 0.0001\n")
    sandbox.write("strict.scenario", strict + gaussian + CLAIM.replace("claimed", "1.05")
                  + "delta = 0.0001\n")
    sandbox.run_ok("strict.scenario", "--out", "strict", "--quiet", "--set",
                   "attack distinguish.runs=2000000", code=1)
    claim, = json.loads(sandbox.read("strict/results.json"))["claims"]
    assert claim["hypotheses"][0]["delta"] == 0.0001, claim


def test_one_run(sandbox):
    text = (HEAD.replace("plugin = distinguish\nruns = 20000\ntraining = 10000", "plugin = one-run")
            + "[defense right]\nplugin = noisy-histogram\nepsilon = 0.5\nbins = 1000\n\n"
              "[defense wrong]\nplugin = noisy-histogram\nepsilon = 0.5\nbins = 1000\n"
              "noise = inverted\n\n"
            + CLAIM + "defense = right\n" + CLAIM.replace("holds", "fails") + "defense = wrong\n")
    _, record = run(sandbox, text, 1)
    right, wrong = record["claims"]
    assert right["verdict"] == "unrefuted" and 0 < right["lower"] < 0.5, right
    assert wrong["verdict"] == "violated" and 1 < wrong["lower"] < 2, wrong
    assert set(wrong["witness"]) == {"cell", "seed", "trial", "event", "outcome"}, wrong
    assert record["cells"][0]["audit"]["canaries"] == 1000, record["cells"][0]
    replay = sandbox.assay("run", "a.scenario", "--out", "out", "--witness", "fails")
    assert replay.code == 0 and "guesses about 1000 canaries right" in replay.out, str(replay)


def test_the_same_bytes_with_one_and_two_threads(sandbox):
    sandbox.write("a.scenario", HEAD + RIGHT + BROKEN + CLAIM)
    found = []
    for jobs in (1, 2):
        sandbox.run_ok("a.scenario", "--out", f"out{jobs}", "--jobs", jobs, "--quiet", code=1)
        found.append([sandbox.read(f"out{jobs}/{name}")
                      for name in ("results.json", "results.csv", "claims.xml")])
    assert found[0] == found[1], "other results with two threads"


def test_a_run_compared_with_itself(sandbox):
    run(sandbox, HEAD + BROKEN, 0)
    result = sandbox.run_ok("a.scenario", "--out", "new", "--quiet", "--baseline", "out")
    assert "0 of 1 comparison got worse" in result.out, result.out
    comparison, = json.loads(sandbox.read("new/baseline.json"))["comparisons"]
    assert comparison["p_value"] == 0.5 and comparison["difference"] == 0, comparison


def test_ctrl_c_within_a_cell(sandbox):
    """A game of days ends when asked to, and its cell is begun afresh."""
    sandbox.write("a.scenario", HEAD.replace("runs = 20000", "runs = 1000000000000").replace(
        "trials = 2", "trials = 1") + RIGHT.replace("1; 3", "1"))
    process = sandbox.start("run", "a.scenario", "--out", "out", "--quiet")
    end = time.monotonic() + 100
    while not (sandbox.path / "out/run.sqlite").exists():
        assert time.monotonic() < end, "the run does not begin"
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130 and "--resume" in told, f"{process.returncode}: {told}"


def test_audits_alone_need_no_secrets(sandbox):
    _, record = run(sandbox, HEAD.replace("trials = 2", "trials = 8").replace(
        "values = 10", "values = 10\ncount = 1\nsecrets = 500") + RIGHT + CLAIM, 0)
    assert len(record["cells"]) == 16, record["cells"]


def test_what_is_not_an_audit_is_not_one(sandbox):
    sandbox.write("a.scenario", HEAD + "[defense plain]\nplugin = none\n")
    sandbox.refuses(sandbox.assay("run", "a.scenario"),
                    "a.scenario:11: [attack distinguish] fits no defense of the scenario: attack "
                    "'distinguish' tests a formal claim, and defense 'none' makes none")
    sandbox.write("a.scenario", HEAD.replace("values = 10", "values = 10\ncolumns = 3")
                  + "[defense subset]\nplugin = omega-subset\n")
    sandbox.refuses(sandbox.assay("run", "a.scenario"),
                    "a.scenario:17: [defense subset] secrets have 3 columns; expected one, a whole "
                    "number from 0 to 199")
    sandbox.write("a.scenario", HEAD + "[attack one]\nplugin = one-run\n"
                  "[defense histogram]\nplugin = noisy-histogram\n")
    sandbox.refuses(sandbox.assay("run", "a.scenario"),
                    "a.scenario:16: [attack one] needs 1000 canaries, but defense 'histogram' has "
                    "room for 10")
    assert not (sandbox.path / "assay-out").exists(), "something was written"


def test_a_score_that_cannot_be_had_is_skipped(sandbox):
    text = (HEAD.replace("training = 10000\n", "training = 10000\nscore = likelihood\n")
            + RIGHT + BROKEN + CLAIM)
    # By its exact ratio alone it is asked for less than it can.
    result, record = run(sandbox, text, 3)
    assert ("score = likelihood needs a defense that offers the density of its outputs, and defense "
            "'unary-encoding' does not" in result.out), result.out
    assert {cell["defense"]["plugin"] for cell in record["cells"]} == {"randomised-response"}, (
        record["cells"])
    sandbox.write("b.scenario", text + "defense = encoding\n")
    refused = sandbox.assay("run", "b.scenario")
    assert refused.code == 2 and "is about no cell" in refused.err, str(refused)


def test_mechanisms_protect(sandbox):
    done = sandbox.shell(
        "python3 -c \"import struct; open('bits.fvecs', 'wb').write(b''.join("
        "struct.pack('<iff', 2, i % 2, 1) for i in range(20)))\" && "
        "assay protect --defense randomised-response --secrets bits.fvecs --release release "
        "--truth truth")
    assert done.code == 0, str(done)
    assert json.loads(sandbox.read("release/release.json"))["kind"] == "vectors", "kind"
    refused = sandbox.shell("assay protect --defense omega-subset --secrets bits.fvecs "
                            "--release two --truth three")
    assert refused.code == 2 and not (sandbox.path / "two").exists(), str(refused)
    refused = sandbox.shell("assay attack --attack distinguish --release release --guess guess")
    assert refused.code == 2 and "expected 'assay run'" in refused.err, str(refused)


# ---- The scenarios of scenarios/controls ----


def play_control(sandbox, name, code, verdicts):
    path = SOURCE / "scenarios" / "controls" / f"{name}.scenario"
    sandbox.run_ok(path, "--out", "out", "--quiet", code=code)
    record = json.loads(sandbox.read("out/results.json"))
    assert {one["id"]: one["verdict"] for one in record["claims"]} == verdicts, record["claims"]


@pytest.mark.slow
def test_control_epsilon_unrefuted(sandbox):
    play_control(sandbox, "epsilon-unrefuted", 0,
                 {"epsilon-holds": "unrefuted", "epsilon-holds-in-one-run": "unrefuted"})


@pytest.mark.slow
def test_control_queries_violated(sandbox):
    play_control(sandbox, "queries-violated", 1,
                 {"right-sparse-vector": "unrefuted", "broken-sparse-vector": "violated",
                  "right-noisy-max": "unrefuted", "broken-noisy-max": "violated"})


@pytest.mark.slow
def test_control_frequencies_violated(sandbox):
    play_control(sandbox, "frequencies-violated", 1,
                 {"wrong-scale": "violated", "wrong-probabilities": "violated",
                  "exchanged-probabilities": "unrefuted"})


@pytest.mark.slow
def test_paper_ldp_feat_epsilon(sandbox):
    path = SOURCE / "scenarios" / "papers" / "ldp-feat-epsilon.scenario"
    sandbox.run_ok(path, "--out", "out", "--quiet")
    claim, = json.loads(sandbox.read("out/results.json"))["claims"]
    for one in claim["hypotheses"]:
        assert one["lower"] > 0.95 * one["bound"], one


# ---- Hash codes: phashing and pitq ----

CODES = """\
[scenario]
title = Codes
seed = 5

[dataset]
plugin = values
kind = real
columns = 2

[attack distinguish]
plugin = distinguish
runs = 20000
training = 10000

"""
EPSILONS = [0.25, 0.5, 1, 2, 4]


def codes(plugin, settings):
    return f"[defense codes]\nplugin = {plugin}\nepsilon = 0.25; 0.5; 1; 2; 4\n{settings}\n\n"


def paper_epsilon(epsilon):
    """Of a bit that is flipped with probability beta = e^-epsilon."""
    beta = math.exp(-epsilon)
    return abs(math.log((1 - beta) / beta))


def hypotheses(claim):
    """By the claimed epsilon; each one's own decision at the level of its claim."""
    return {one["bound"]: one for one in claim["hypotheses"]}


def audit(sandbox, text, folder, code):
    sandbox.write("a.scenario", text)
    sandbox.run_ok("a.scenario", "--out", folder, "--quiet", code=code)
    return json.loads(sandbox.read(f"{folder}/results.json"))["claims"]


def test_hash_codes_one_bit_and_one_code(sandbox):
    """Above the claim below epsilon = 0.4812 alone; a code of 12 bits has 12 times as much."""
    for relation, factor in (("bit", 1), ("code", 12)):
        claim, = audit(sandbox, CODES + codes(
            "phashing", f"base = lsh\nbits = 12\nrelation = {relation}") + CLAIM, relation, 1)
        found = hypotheses(claim)
        assert list(found) == EPSILONS, found
        for epsilon, one in found.items():
            truth = factor * paper_epsilon(epsilon)
            # 20,000 runs certify 8 at most, and of 12 bits the tight event is rare.
            assert 0.6 * min(truth, 8) <= one["lower"] <= truth, f"{relation}: {one}"
            assert (one["adjusted_violated"] < 0.05) == (truth > epsilon), f"{relation}: {one}"


def test_hash_codes_one_record(sandbox):
    """Duplicates share their code in PITQ, whatever epsilon; in PHashing one record turns bits of
    others, three of them, and with h nothing is hidden."""
    small = CODES.replace("runs = 20000", "runs = 3000").replace("10000", "6000")
    for folder, plugin, settings, factor in (
            ("pitq", "pitq", "bits = 2\niterations = 3", math.inf),
            ("rotation", "pitq", "bits = 2\niterations = 3\nlooks_at = all", math.inf),
            ("function", "phashing", "base = itq\nbits = 1\nrecords = 8\nlooks_at = all", math.inf),
            ("codes", "phashing", "base = itq\nbits = 1\nrecords = 8", 3)):
        claim, = audit(sandbox, small + codes(plugin, f"relation = record\n{settings}") + CLAIM,
                       folder, 1)
        for epsilon, one in hypotheses(claim).items():
            assert one["power"] is None or one["power_measured"], one
            assert epsilon < one["lower"] <= factor * paper_epsilon(epsilon), f"{folder}: {one}"
            assert one["adjusted_violated"] < 0.05, f"{folder}: {one}"
    replay = sandbox.assay("run", "a.scenario", "--out", "codes", "--witness", "holds")
    assert replay.code == 0 and "datasets of which one record differs" in replay.out, str(replay)


def test_hash_codes_exactly_as_private_as_claimed(sandbox):
    """Over 10 seeds: of a bit epsilon, of a code of 2 bits twice as much."""
    right = "calibration = randomised-response\nbase = lsh\nbits = 2\nrelation = "
    sandbox.write("a.scenario", CODES + codes("phashing", right + "bit")
                  + codes("phashing", right + "code").replace("codes", "whole") + CLAIM)
    for seed in range(1, 11):
        sandbox.run_ok("a.scenario", "--out", f"out{seed}", "--quiet", "--seed", seed)
        claim, = json.loads(sandbox.read(f"out{seed}/results.json"))["claims"]
        assert claim["verdict"] == "unrefuted", f"seed {seed}: {claim}"
        bounds = [one["bound"] for one in claim["hypotheses"]]
        assert bounds == EPSILONS + [2 * epsilon for epsilon in EPSILONS], bounds


def test_hash_codes_density_and_datasets_that_do_not_do(sandbox):
    sandbox.write("a.scenario", CODES.replace("10000\n", "10000\nscore = likelihood\n")
                  + codes("pitq", "bits = 2\nrelation = record") + CLAIM)
    refused = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert refused.code == 3 and "the defense does not offer the density" in refused.out, (
        str(refused))
    sandbox.write("a.scenario", CODES + "[defense codes]\nplugin = pitq\nbits = 2\n"
                  "relation = record\nrecords = 3\n")
    refused = sandbox.assay("run", "a.scenario")
    assert (refused.code == 2 and "relation = record, 3 records of 2 numbers: bits = 2: "
            in refused.err), str(refused)


@pytest.mark.slow
def test_control_codes_unrefuted(sandbox):
    play_control(sandbox, "codes-unrefuted", 0,
                 {"epsilon-of-a-bit": "unrefuted", "epsilon-of-a-code": "unrefuted",
                  "epsilon-of-the-paper": "unrefuted"})


def play_paper(sandbox, name, verdicts, runs, training):
    """Runs a scenario of a paper with fewer runs, and returns what it found of each claim."""
    sandbox.run_ok(SOURCE / "scenarios" / "papers" / f"{name}.scenario", "--out", "out", "--quiet",
                   "--set", f"attack distinguish.runs={runs}",
                   "--set", f"attack distinguish.training={training}", code=1)
    record = json.loads(sandbox.read("out/results.json"))
    assert {one["id"]: one["verdict"] for one in record["claims"]} == verdicts, record["claims"]
    return {one["id"]: hypotheses(one) for one in record["claims"]}


@pytest.mark.slow
def test_paper_phashing_epsilon(sandbox):
    found = play_paper(sandbox, "phashing-epsilon", {
        "bit-small-epsilon": "violated", "bit": "unrefuted", "code": "violated"},
        1000000, 100000)
    for epsilon, one in {**found["bit-small-epsilon"], **found["bit"]}.items():
        assert 0.95 < one["lower"] / paper_epsilon(epsilon) <= 1, one
    assert all(one["adjusted_violated"] < 0.05 for one in found["code"].values()), found


@pytest.mark.slow
def test_paper_phashing_epsilon_record(sandbox):
    found = play_paper(sandbox, "phashing-epsilon-record", {
        "record-by-codes": "violated", "record-by-all": "violated",
        "record-by-codes-calibrated": "violated"}, 5000, 26000)
    assert (all(one["adjusted_violated"] < 0.05
                for claim in found.values() for one in claim.values())), found


@pytest.mark.slow
def test_paper_pitq_epsilon(sandbox):
    found = play_paper(sandbox, "pitq-epsilon", {
        "record": "violated", "composed-bit": "violated", "composed-code": "violated",
        "one-flip-small-epsilon": "violated", "one-flip": "unrefuted"}, 1500, 2000)
    assert (all(one["adjusted_violated"] < 0.05 and one["lower"] > 5
                for one in found["record"].values())), found
