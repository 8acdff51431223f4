"""Programs of others in the other games: as mechanisms that claim epsilon, and as attacks that link
and pair. Scripts of the standard library alone."""

import json
import math
import os
import shutil

import pytest

import data
import pytest
from places import SOURCE
from sandbox import matches
from test_exec import check_nothing_left, group, write_program


# ---- Mechanisms ----

HEAD = """\
[scenario]
title = Claims of programs
seed = 4

[dataset]
plugin = values
count = 20
secrets = 4

"""

# Small batches, so that there are several: of 10,000 runs three, of 5,000 training runs two, and of
# the 2,500 that each of two pairs is given one. Both sides each.
BATCH = 4096
DISTINGUISH = "[attack distinguish]\nplugin = distinguish\nruns = 10000\ntraining = 5000\n"
STARTS = 2 * (2 * 1 + 2 + 3)
# Beside them, on the first input alone, what tests that runs are independent: one seed twice with
# 1024 runs, and single runs until two differ.
TWICE = 2

CLAIM = """
[claim as-claimed]
says = As private as it says
measure = epsilon
at-most = claimed
"""

# A bit, flipped with probability 1 / (1 + exp (leak)): the leak is what the settings say.
FLIP = """
import math
flip = 1 / (1 + math.exp(float(REQUEST["settings"])))
numbers = random.Random(REQUEST["seed"])
bit = load("input.npy")[0][0]
with open("starts.txt", "a") as log:
    log.write(json.dumps([REQUEST, load("input.npy"), sorted(os.listdir(FOLDER))]) + "\\n")
rows = [[abs(bit - (numbers.random() < flip))] for _ in range(REQUEST["count"])]
"""
WRITE = "(FOLDER / 'outputs.npy').write_bytes(npy(rows))\n"
START = "start = len(open('starts.txt').readlines())\n"


def prepare(sandbox):
    """Two pairs of bits, and a place for temporary files that can be looked at."""
    (sandbox.path / "tmp").mkdir()
    sandbox.environment["TMPDIR"] = str(sandbox.path / "tmp")
    sandbox.write("pairs.npy", data.npy_bytes([[0], [1], [1], [0]]))


def claiming(name, command, *lines):
    """Its program may write into the working folder what it saw."""
    return group("defense", name, command, "epsilon = 1", "neighbours = pairs.npy",
                 f"batch = {BATCH}", "confine = never", *lines)


def run_claims(sandbox, parts, code=0, out="out", *words):
    """Cells by defense, and the claims' verdicts, of @parts against `distinguish`."""
    sandbox.write("claims.scenario", HEAD + parts)
    sandbox.run_ok("claims.scenario", "--out", out, "--quiet", *words, code=code)
    check_nothing_left(sandbox)
    results = json.loads(sandbox.read(f"{out}/results.json"))
    cells = {cell["defense"]["label"]: cell for cell in results["cells"]}
    return cells, results


def lower_bound(cell):
    return next(value["lower"] for value in cell["measurements"] if value["metric"] == "epsilon")


def starts_of(sandbox):
    return [json.loads(line) for line in sandbox.read("starts.txt").splitlines()]


def test_claims_are_tested_in_few_starts(sandbox):
    """A leak of 2 under a claim of 1, and a leak of 1: one process a batch."""
    prepare(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    parts = (claiming("leaky", flip, "settings = 2") + claiming("right", flip, "settings = 1")
             + DISTINGUISH + CLAIM)
    cells, results = run_claims(sandbox, parts, 1)
    # Of 10,000 runs about 0.05 of the bound is lost, a normal deviate of some 3.
    assert 1.8 < lower_bound(cells["leaky"]) < 2, str(cells["leaky"])
    assert 0.8 < lower_bound(cells["right"]) < 1, str(cells["right"])
    claim = results["claims"][0]
    assert claim["verdict"] == "violated" and claim["witness"]["cell"] == cells["leaky"]["id"], (
        str(claim))
    starts = starts_of(sandbox)
    singles = [start for start in starts if start[0]["count"] == 1]
    assert 2 * 2 <= len(singles) <= 2 * 40, f"{len(singles)} single runs"
    starts = [start for start in starts if start[0]["count"] > 1]
    # What an injected leak would have shown is asked of the claim that holds alone: a look, training
    # on two pairs and on one, runs that leak and runs that do not.
    leak_starts, leak_runs = 17, 1024 + 2 * (5000 + 2 * 2500 + 2048 + 10000)
    assert len(starts) == 2 * (STARTS + TWICE) + leak_starts, str([
        (request["settings"], request["count"]) for request, _, _ in starts])
    # The look and the leak of all runs or none have their noise from runs that are counted apart.
    seeds = [request["seed"] for request, _, _ in starts if request["count"] not in (1024, 2048)]
    assert len(set(seeds)) == len(seeds), "a seed came twice"
    for settings in ("1", "2"):
        own = [request for request, _, _ in starts if request["settings"] == settings]
        is_right = settings == "1"
        assert (len(own) == STARTS + TWICE + is_right * leak_starts
                and sum(request["count"] for request in own)
                == (2 * (10000 + 5000 + 2 * 2500) + TWICE * 1024 + is_right * leak_runs)), (
            f"{len(own)} starts")
        assert max(request["count"] for request in own) == BATCH, str(own)
    request, _, files = starts[0]
    expected = {"format": "assay-request/1", "role": "mechanism", "n": 1, "d": 1, "outputs": 1,
                "arrays": {"input": "input.npy"}, "grants": []}
    assert {**request, **expected} == request and "kind" not in request, str(request)
    assert files == ["input.npy", "request.json"], str(files)
    assert {rows[0][0] for _, rows, _ in starts} == {0, 1}, "one of the inputs was never given"


def test_same_bits_whatever_the_threads(sandbox):
    prepare(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    parts = claiming("leaky", flip, "settings = 2") + DISTINGUISH
    found = [run_claims(sandbox, parts, 0, f"out{jobs}", "--jobs", jobs)[0]["leaky"]
             for jobs in ("1", "5")]
    assert found[0] == found[1], str(found)


def test_resume_keeps_to_its_pairs(sandbox):
    """A run is not gone on with where the file of neighbours changed."""
    prepare(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    run_claims(sandbox, claiming("bit", flip, "settings = 1") + DISTINGUISH)
    sandbox.write("pairs.npy", data.npy_bytes([[0], [1]]))
    sandbox.refuses(sandbox.assay("run", "claims.scenario", "--out", "out", "--quiet", "--resume"),
                    "defense bit: file pairs.npy changed since the run began (sha256 "
                    "{*}, now {*}); expected a new run with --out")


def test_witness_of_a_program(sandbox):
    """The replay starts the program again, and names neighbours as the scenario does."""
    prepare(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    parts = claiming("leaky", flip, "settings = 2", "relation = any two bits") + DISTINGUISH + CLAIM
    run_claims(sandbox, parts, 1)
    result = sandbox.assay("run", "claims.scenario", "--out", "out", "--witness", "as-claimed")
    assert (result.code == 0 and "neighbours: any two bits (pair " in result.out
            and "the same as in the run" in result.out), str(result)
    (sandbox.path / "pairs.npy").unlink()
    sandbox.refuses(sandbox.assay("run", "claims.scenario", "--out", "out", "--witness",
                                  "as-claimed"),
                    "claims.scenario:{*}: [defense leaky] neighbours: pairs.npy: cannot be read: "
                    "{*}")
    # What was found stays there without the file.
    result = sandbox.assay("report", "out")
    assert result.code in (0, 1) and "violated" in sandbox.read("out/summary.md"), str(result)


def test_small_datasets_with_rows_that_are_not_there(sandbox):
    """2p x rows x columns: one record more or less. A count without noise tells them apart."""
    prepare(sandbox)
    nan = math.nan
    first = [[1, 2], [3, 4], [5, 6]]
    sandbox.write("pairs.npy", data.npy_bytes([first, first[:2] + [[nan, nan]]]))
    count = write_program(sandbox, "count.py", """
records = load("input.npy")
with open("inputs.txt", "a") as log:
    log.write(json.dumps([REQUEST["n"], REQUEST["d"], records]) + "\\n")
noise = random.Random(REQUEST["seed"])
rows = [[len(records) + round(noise.expovariate(1) - noise.expovariate(1)), noise.randrange(2)]
        for _ in range(REQUEST["count"])]
""" + WRITE)
    parts = claiming("count", count, "outputs = 2") + DISTINGUISH + CLAIM
    cells, _ = run_claims(sandbox, parts)
    assert 0.7 < lower_bound(cells["count"]) < 1, str(cells["count"])
    inputs = [json.loads(line) for line in sandbox.read("inputs.txt").splitlines()]
    assert [3, 2, first] in inputs and [2, 2, first[:2]] in inputs, str(inputs[:3])
    # And a look, training, a start a side with leaks and three without, for what would be seen.
    known = 2 * (2 + 3) + 1 + 2 * (2 + 1 + 3) + TWICE
    assert known + 2 <= len(inputs) <= known + 40, f"{len(inputs)} starts of one pair"


def test_runs_that_are_not_independent_decide_nothing(sandbox):
    """A seed that is always the same, noise of one start, and numbers of its own, which are fine
    but cannot be played again."""
    for name, before, after, why in (
            ("seed", "REQUEST['seed'] = 7\n", "", "(lag 4096)"),
            ("once", "", "rows = rows[:1] * len(rows)\n", "(lag"),
            ("period", "", "rows = [rows[i % 500] for i in range(len(rows))]\n", "(lag 500)"),
            ("own", "REQUEST['seed'] = os.urandom(8).hex()\n", "", None)):
        shutil.rmtree(sandbox.path / "tmp", ignore_errors=True)
        prepare(sandbox)
        own = write_program(sandbox, "own.py", before + FLIP.replace(
            'random.Random(REQUEST["seed"])', 'random.Random(str(REQUEST["seed"]))') + after + WRITE)
        parts = claiming("bad", own, "settings = 0.5") + DISTINGUISH + CLAIM
        cells, results = run_claims(sandbox, parts, 0 if why is None else 3, name)
        claim, = results["claims"]
        if why is None:
            assert claim["verdict"] == "unrefuted", str(claim)
            assert "no run can be played again" in cells["bad"]["audit"]["event"], str(cells["bad"])
        else:
            assert claim["verdict"] == "inconclusive" and why in claim["reason"], str(claim)


def test_outputs_that_are_not_finite_are_outputs(sandbox):
    """NaN and infinity come in one run of 50, and on one input alone."""
    for name in "nan", "-inf":
        shutil.rmtree(sandbox.path / "tmp", ignore_errors=True)
        prepare(sandbox)
        bad = write_program(sandbox, "bad.py", FLIP + f"""
if load("input.npy")[0][0] > 0.5:
    for row in rows:
        row[0] = float("{name}") if numbers.random() < 0.02 else row[0]
""" + WRITE)
        parts = claiming("bad", bad, "settings = 1") + DISTINGUISH + CLAIM
        cells, _ = run_claims(sandbox, parts, 1, name)
        assert cells["bad"]["status"] == "ok", str(cells["bad"])
        assert lower_bound(cells["bad"]) > 1, str(cells["bad"])


OUTPUTS = "(FOLDER / 'outputs.npy')"
MISTAKES = [
    ("dies-in-the-third-batch", START + "if start > 10:\n    sys.exit('no budget')\n" + WRITE,
     "test runs 4097 to 8192 on the first input of pair {*}: defense exec: the program ended with "
     "exit status 1; its last lines: no budget"),
    ("dies-in-training", "sys.exit(3)", "attack distinguish: training runs 1 to 2500 on the first "
     "input of pair 0: defense exec: the program ended with exit status 3"),
    ("writes-nothing", "print('bye', file=sys.stderr)",
     "{*}the program did not write outputs.npy that was expected; its last lines: bye"),
    ("wrong-count", "rows.pop()\n" + WRITE, "{*}outputs.npy: found float32 2499 x 1; expected 2500 "
     "x 1, one row for each of count runs (setting 'outputs')"),
    ("wrong-columns", "rows = [row * 2 for row in rows]\n" + WRITE,
     "{*}outputs.npy: found float32 2500 x 2; expected 2500 x 1, {*}"),
    ("short-file", f"{OUTPUTS}.write_bytes(npy(rows)[:-4])\n", "{*}outputs.npy: {*}"),
    ("empty-file", f"{OUTPUTS}.write_bytes(b'')\n", "{*}outputs.npy: {*}"),
    ("link", "os.symlink('input.npy', FOLDER / 'outputs.npy')\n",
     "{*}outputs.npy is a symbolic link; expected a plain file"),
    ("folder", f"{OUTPUTS}.mkdir()\n", "{*}outputs.npy is a folder; expected a plain file"),
    ("hangs", START + "import time\nif start > 10:\n    time.sleep(300)\n" + WRITE,
     "test runs 4097 to 8192 on the {*} input of pair {*}: defense exec: the program did not end "
     "within time_limit = 2.5 s and was killed"),
    ("large-whole-numbers", f"""
content = npy(rows, (len(rows),)).replace(b"<f4", b"<i8")
head = content[:len(content) - 4 * len(rows)]
{OUTPUTS}.write_bytes(head + struct.pack(f"<{{len(rows)}}q", *[2**53 + 1] * len(rows)))
""", "{*}outputs.npy: row 0, number 0 is 9007199254740992; expected whole numbers below 2^53 in "
     "size, which float64 holds"),
]


def test_mistakes_become_errors_of_cells(sandbox):
    """And the other cells of the run are played."""
    for name, body, message in MISTAKES:
        shutil.rmtree(sandbox.path / "tmp", ignore_errors=True)
        prepare(sandbox)
        (sandbox.path / "starts.txt").unlink(missing_ok=True)
        bad = write_program(sandbox, "bad.py", FLIP + body)
        cells, _ = run_claims(
            sandbox, claiming("bad", bad, "settings = 1", "time_limit = 2.5") + DISTINGUISH
            + "[defense coin]\nplugin = randomised-response\nepsilon = 1\n", 3, name)
        cell = cells["bad"]
        assert cell["status"] == "error" and matches(message, cell["message"]), (
            f"{name}: {cell['message']}")
        assert cells["coin"]["status"] == "ok", f"{name}: {cells['coin']}"


FAILURES = [
    ("always-on-one", "if bit == 1:\n    os.abort()\n" + WRITE,
     "the program was killed by signal 6 (Aborted)"),
    ("too-few-outputs-on-one", "if bit == 1:\n    rows.pop()\n" + WRITE,
     "one row for each of count runs (setting 'outputs')"),
    ("seldom-on-the-other", """
if any(numbers.random() < (0 if bit else 0.3) for _ in rows):
    sys.exit(4)
""" + WRITE, "the program ended with exit status 4"),
]


@pytest.mark.slow
def test_failures_are_outputs(sandbox):
    """Of a bit that says nothing: what fails on one of two neighbours violates the claim, and one
    start a run is made where a batch fails."""
    for name, body, message in FAILURES:
        shutil.rmtree(sandbox.path / "tmp", ignore_errors=True)
        prepare(sandbox)
        (sandbox.path / "starts.txt").unlink(missing_ok=True)
        bad = write_program(sandbox, "bad.py", FLIP + body)
        cells, results = run_claims(sandbox, claiming("bad", bad, "settings = 0") + DISTINGUISH
                                    + CLAIM, 1, name)
        cell = cells["bad"]
        assert lower_bound(cell) > 1 and cell["audit"]["runs"] == 128, f"{name}: {cell}"
        assert "the program failed" in cell["audit"]["event"], f"{name}: {cell['audit']}"
        assert "a start for every run, because a batch failed: " in cell["audit"]["event"], (
            f"{name}: {cell['audit']}")
        assert message in cell["audit"]["event"], f"{name}: {cell['audit']}"
        assert results["claims"][0]["verdict"] == "violated", f"{name}: {results['claims']}"


@pytest.mark.slow
def test_failures_of_both_inputs_violate_nothing(sandbox):
    """A half of all runs on either input: nothing to tell, and nothing that could be seen."""
    prepare(sandbox)
    flaky = write_program(sandbox, "flaky.py", FLIP + """
if any(numbers.random() < 0.5 for _ in rows):
    sys.exit(4)
""" + WRITE)
    cells, results = run_claims(sandbox, claiming("flaky", flaky, "settings = 0") + DISTINGUISH
                                + CLAIM, 3)
    assert lower_bound(cells["flaky"]) < 1, str(cells["flaky"])
    assert results["claims"][0]["verdict"] == "inconclusive", str(results["claims"])


def test_constant_program_has_epsilon_zero(sandbox):
    """And that pairs on which it is constant show nothing of its claim."""
    prepare(sandbox)
    constant = write_program(sandbox, "constant.py", FLIP + "rows = [[0.5]] * len(rows)\n" + WRITE)
    cells, results = run_claims(sandbox, claiming("constant", constant, "settings = 0")
                                + DISTINGUISH + CLAIM, 3)
    assert lower_bound(cells["constant"]) == 0, str(cells["constant"])
    assert "which has epsilon 0" in cells["constant"]["audit"]["event"], str(cells["constant"])
    assert results["claims"][0]["verdict"] == "inconclusive", str(results["claims"])
    assert "would not show this claim's worst case" in results["claims"][0]["reason"], (
        str(results["claims"]))


def test_whole_numbers_and_lists_are_taken(sandbox):
    """int64 and one dimension, as counting in NumPy gives them: the same counts as of float32."""
    prepare(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    whole = write_program(sandbox, "whole.py", FLIP + f"""
content = npy(rows, (len(rows),)).replace(b"<f4", b"<i8")
head = content[:len(content) - 4 * len(rows)]
{OUTPUTS}.write_bytes(head + struct.pack(f"<{{len(rows)}}q", *(int(row[0]) for row in rows)))
""")
    # One command in both runs: settings name the streams.
    first, _ = run_claims(sandbox, claiming("bit", flip, "settings = 1") + DISTINGUISH)
    shutil.copy(sandbox.path / "whole.py", sandbox.path / "flip.py")
    assert whole.endswith("whole.py"), whole
    second, _ = run_claims(sandbox, claiming("bit", flip, "settings = 1") + DISTINGUISH, 0, "again")
    assert first["bit"]["measurements"] == second["bit"]["measurements"], str(second)


# ---- Scenarios that cannot be run ----

ZERO, ONE = [0.0], [1.0]
FILES = [
    ("no-file", None, "cannot be read: {*}"),
    ("empty", b"", "{*}"),
    ("odd", [ZERO, ONE, ZERO], "found float32 3 x 1; expected 2p x columns or 2p x rows x columns, "
     "p pairs of inputs one after the other"),
    ("one-dimension", [0.0, 1.0], "found float32 2; expected 2p x columns or {*}"),
    ("same", [ZERO, ONE, ONE, ONE], "inputs 2 and 3 are the same; expected neighbours that differ"),
    ("nan", [[[0.0, 1.0]], [[0.0, math.nan]]], "input 1, row 0, column 1 is not a finite number; "
     "expected numbers, or a row of NaN alone for one that is not there"),
    ("absent", [[[0.0, 1.0]], [[math.nan, math.nan]]], "input 1 has no row; expected one at least"),
    ("infinite", [ZERO, [math.inf]], "input 1, row 0, column 0 is not a finite number; {*}"),
]


def test_neighbours_that_cannot_be_used(sandbox):
    prepare(sandbox)
    for name, content, message in FILES:
        (sandbox.path / "pairs.npy").unlink(missing_ok=True)
        if content is not None:
            sandbox.write("pairs.npy",
                          content if isinstance(content, bytes) else data.npy_bytes(content))
        sandbox.write("bad.scenario", HEAD + claiming("bad", "true") + DISTINGUISH)
        sandbox.refuses(sandbox.assay("run", "bad.scenario", "--out", name),
                        f"bad.scenario:{{*}}: [defense bad] neighbours: pairs.npy: {message}")


SETTINGS = [
    (["epsilon = 1"], "epsilon = 1 is claimed for inputs that are neighbours, and there are none; "
     "expected neighbours = a .npy file of pairs, or adjacency, of which pairs are made; "
     "for one-run lower and upper, or canaries"),
    (["epsilon = 1", "adjacency = value", "lower = 0"], "adjacency = value without bounds; expected "
     "lower and upper, between which values may change"),
    (["epsilon = 1", "adjacency = value", "lower = 0, x", "upper = 1"], "lower = 0, x: 'x' is not a "
     "number; expected one for all columns, or one for each with commas"),
    (["epsilon = 1", "adjacency = value", "lower = 0, 1", "upper = 1, 1"], "column 1 has lower = 1 "
     "and upper = 1; expected lower below upper"),
    (["epsilon = 1", "adjacency = value", "lower = 0, 0, 0", "upper = 1, 1"], "lower has 3 numbers "
     "and upper 2; expected as many"),
    (["epsilon = 1", "adjacency = value", "lower = 0, 0", "upper = 1", "columns = 3"], "columns = 3, "
     "and the bounds have 2 numbers; expected as many, or one for all columns"),
    (["epsilon = 1", "adjacency = record", "lower = 0", "upper = 1", "records = 1"], "adjacency = "
     "record with records = 1; expected two at least, as a program is not given an input of no "
     "record"),
    (["epsilon = 1", "adjacency = l1", "numbers = whole", "distance = 0.5"], "distance = 0.5 of whole "
     "numbers; expected at least 1"),
    (["neighbours = pairs.npy"], "neighbours without a claim; expected epsilon > 0, the budget that "
     "is claimed"),
    (["delta = 0.1"], "delta without a claim; expected epsilon > 0, the budget that is claimed"),
    (["epsilon = 1", "neighbours = pairs.npy", "delta = 1"], "delta = 1; expected less than 1"),
    (["epsilon = 1", "neighbours = pairs.npy", "batch = 5000"], "batch = 5000; expected a multiple "
     "of 1024"),
]


def test_settings_that_contradict_themselves(sandbox):
    prepare(sandbox)
    for lines, message in SETTINGS:
        sandbox.write("bad.scenario", HEAD + group("defense", "bad", "true", *lines) + DISTINGUISH)
        sandbox.refuses(sandbox.assay("run", "bad.scenario"),
                        f"bad.scenario:{{*}}: [defense bad] {message}")


def test_attacks_that_ask_for_more(sandbox):
    """A density, further pairs, canaries, a claim: a program has none of them, or need not."""
    prepare(sandbox)
    for attack, defense, message in (
            (DISTINGUISH + "score = likelihood\n", claiming("bad", "true"),
             "score = likelihood needs a defense that offers the density of its outputs, and "
             "defense 'exec' does not"),
            ("[attack distinguish]\nplugin = one-run\n",
             claiming("bad", "true", "produces = statistics"),
             "wants canaries, and defense 'bad' declares no records of which they could be made; "
             "expected lower and upper, or a file of canaries"),
            (DISTINGUISH, group("defense", "bad", "true", "epsilon = 1", "lower = 0", "upper = 1"),
             "needs pairs of neighbouring inputs, and defense 'bad' has none; expected neighbours = "
             "a .npy file of pairs, or adjacency, of which pairs are made"),
            (DISTINGUISH, group("defense", "bad", "true"),
             "attack 'distinguish' tests a formal claim, and defense 'exec' makes none (setting "
             "epsilon)")):
        sandbox.write("bad.scenario", HEAD + defense + attack)
        sandbox.refuses(sandbox.assay("run", "bad.scenario"),
                        f"bad.scenario:{{*}}: [attack distinguish] {{*}}{message}")
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    cells, _ = run_claims(sandbox, claiming("bit", flip, "settings = 1") + DISTINGUISH
                          + "candidates = 3\n", 3)
    assert (cells["bit"]["message"] == "attack distinguish: candidates = 3: the defense has 2 pairs of "
            "neighbours and draws no others; expected at most as many, or a domain from which they "
            "are drawn"), str(cells)
    assert not os.path.exists(sandbox.path / "starts.txt"), "the program was started"


# ---- One run on a whole dataset ----

def example_of_one_run(sandbox, *changes):
    folder = SOURCE / "examples" / "exec-one-run"
    sandbox.write("mean_defense.py", (folder / "mean_defense.py").read_text())
    text = (folder / "one-run.scenario").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    sandbox.write("one-run.scenario", text)


def bounds_of_one_run(sandbox, out="out", code=1):
    sandbox.run_ok("one-run.scenario", "--out", out, "--quiet", code=code)
    results = json.loads(sandbox.read(f"{out}/results.json"))
    bounds = {cell["defense"]["label"]: lower_bound(cell) for cell in results["cells"]}
    return bounds, {claim["id"]: claim for claim in results["claims"]}


@pytest.mark.usefixtures("python3_has_numpy")
def test_one_run_of_a_mean(sandbox):
    """A tenth of the noise is seen in one start; of the right noise nothing that it has not."""
    example_of_one_run(sandbox)
    bounds, claims = bounds_of_one_run(sandbox)
    assert claims["tenth-of-the-noise"]["verdict"] == "violated", claims
    assert claims["right-noise"]["verdict"] == "inconclusive", claims
    assert "guesses are needed" in claims["right-noise"]["reason"], claims
    assert bounds["tenth"] > 2 and bounds["right"] < 1, bounds


@pytest.mark.usefixtures("python3_has_numpy")
def test_canaries_and_scores_of_ones_own(sandbox):
    """Unit vectors as canaries, which a program of the user's scores as the release has them."""
    count = 500
    rows = [[float(i == j) for j in range(count)] for i in range(count)]
    sandbox.write("canaries.npy", data.npy_bytes(rows))
    sandbox.write("score.py", "import numpy, sys\nfolder = sys.argv[1]\n"
                  "canaries, release = (numpy.load(f'{folder}/{name}.npy') for name in "
                  "('canaries', 'release'))\n"
                  "numpy.save(f'{folder}/outputs.npy', canaries.astype(float) @ release[0])\n")
    own = ("lower = -1\nupper = 1", "canaries = canaries.npy\ncanary_score = command\n"
           "score_command = python3 score.py")
    example_of_one_run(sandbox, ("columns = 2000", f"columns = {count}"), own,
                       ("settings = 0.1", "settings = 0.001"))
    bounds, claims = bounds_of_one_run(sandbox)
    # Records are cut at sqrt(500): 0.001 of the noise is 0.083, where a record is 1.
    assert bounds["tenth"] > 2 and claims["tenth-of-the-noise"]["verdict"] == "violated", bounds
    sandbox.write("canaries.npy", data.npy_bytes([row[:3] for row in rows]))
    bad = sandbox.assay("run", "one-run.scenario", "--out", "bad", "--quiet")
    assert "found 500 x 3; expected 500 at least, of 500 columns" in bad.out + bad.err, str(bad)


# ---- Attacks that link and pair ----

# Public rows hold another record of every secret.
RECORDS = """\
[scenario]
title = Links
seed = 2

[dataset]
plugin = gaussian-classes
count = 120
columns = 16
secrets = 12
records = {records}

[defense plain]
plugin = none

"""

LINK = """
import math
public = load("public.npy")
order = lambda row: sorted(range(len(public)), key=lambda i: math.dist(public[i], row))[:5]
released = load("release/" + ("images" if (FOLDER / "release/images.npy").exists() else "vectors")
                + ".npy")
candidates = [order(row) for row in released]
"""
WHOLE = """
def whole(rows):
    content = npy(rows).replace(b"<f4", b"<i8")
    flat = [value for row in rows for value in row]
    return content[:len(content) - 4 * len(flat)] + struct.pack(f"<{len(flat)}q", *flat)


"""
GUESS_LINK = WHOLE + "answer('guess', candidates=whole(candidates))\n"
LINKING = ("grants = public; other-releases", "game = link")


def cells_of(sandbox, text, code=0, out="out"):
    sandbox.write("games.scenario", text)
    sandbox.run_ok("games.scenario", "--out", out, "--quiet", code=code)
    check_nothing_left(sandbox)
    return {cell["attack"]["label"]: cell
            for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]}


def value_of(cell, measure):
    return next(value["estimate"] for value in cell["measurements"] if value["metric"] == measure)


def test_links_of_a_program(sandbox):
    """The nearest public row is another record of the secret; a program that does not look loses its
    control."""
    prepare(sandbox)
    link = write_program(sandbox, "link.py", LINK + GUESS_LINK)
    blind = write_program(sandbox, "blind.py", LINK + "candidates = [[i, i + 1] for i in "
                          "range(len(candidates))]\n" + GUESS_LINK)
    found = cells_of(sandbox, RECORDS.format(records="yes")
                     + group("attack", "link", link, *LINKING)
                     + group("attack", "mixed", link, *LINKING, "control = mixtures")
                     + group("attack", "blind", blind, *LINKING), 3)
    for name in ("link", "mixed"):
        assert found[name]["status"] == "ok" and value_of(found[name], "partner-hit-at-1") == 1, (
            str(found[name]))
    assert found["blind"]["status"] == "control-failed", str(found["blind"])


def test_links_that_cannot_be_judged(sandbox):
    prepare(sandbox)
    link = write_program(sandbox, "link.py", LINK + GUESS_LINK)
    for records, lines, message in (
            ("yes", ("grants = other-releases", "game = link"),
             "attack 'exec' needs the grant 'public'; expected grants = public"),
            ("no", LINKING, "attack 'exec' looks for the public row that is a record of a secret; "
             "expected a dataset with {*}"),
            ("yes", ("grants = other-releases", "game = pair"),
             "fits no defense of the scenario: attack 'exec' reads mixtures, but defense 'none' "
             "releases vectors"),
            ("yes", ("grants = other-releases", "control = mixtures"),
             "control = mixtures is one of the game link; expected vectors or subspaces with game = "
             "reconstruct")):
        sandbox.write("bad.scenario", RECORDS.format(records=records)
                      + group("attack", "bad", link, *lines))
        sandbox.refuses(sandbox.assay("run", "bad.scenario"),
                        f"bad.scenario:{{*}}: [attack bad] {message}")
    for body, message in (
            ("candidates[0][1] = candidates[0][0]\n" + GUESS_LINK, "public row {*} stands twice "
             "among the candidates of item 0"),
            ("candidates[2][0] = 10**6\n" + GUESS_LINK, "candidate 0 of item 2 is 1000000, which is none "
             "of the {*} public rows"),
            ("candidates.pop()\n" + GUESS_LINK, "expected candidates for each of {*} released "
             "items, found {*} x 5"),
            ("answer('guess', estimates=npy(released))\n", "expected candidates for each of {*}")):
        bad = write_program(sandbox, "bad.py", LINK + body)
        shutil.rmtree(sandbox.path / "out", ignore_errors=True)
        cell = cells_of(sandbox, RECORDS.format(records="yes")
                        + group("attack", "bad", bad, *LINKING), 3)["bad"]
        assert cell["status"] == "error" and matches("{*}attack exec: " + message, cell["message"]), (
            cell["message"])


MIXTURES = """\
[scenario]
title = Pairs
seed = 2

[dataset]
plugin = shapes
secrets = 10

[defense mixup]
plugin = mixup
k = 2
epochs = 4

[attack built-in]
plugin = inner-product-pair

"""

PAIR = WHOLE + """
images = load("release/images.npy")
pairs = [[i, j] for i in range(len(images)) for j in range(i)]
scores = [sum(a * b for a, b in zip(images[i], images[j])) for i, j in pairs]
"""
GUESS_PAIR = """
answer("guess", pairs=whole(pairs), scores=npy([scores], (len(scores),)))
"""
PAIRING = ("grants = other-releases", "game = pair")


def test_pairs_of_a_program(sandbox):
    """Inner products in Python are those of the built-in attack; equal scores lose the control."""
    prepare(sandbox)
    pair = write_program(sandbox, "pair.py", PAIR + GUESS_PAIR)
    flat = write_program(sandbox, "flat.py", PAIR + "scores = [1.0] * len(scores)\n" + GUESS_PAIR)
    bad = write_program(sandbox, "bad.py", PAIR + "pairs[3] = [4, 4]\n" + GUESS_PAIR)
    found = cells_of(sandbox, MIXTURES + group("attack", "pair", pair, *PAIRING)
                     + group("attack", "flat", flat, *PAIRING)
                     + group("attack", "bad", bad, *PAIRING), 3)
    ours, theirs = (value_of(found[name], "pair-auc") for name in ("built-in", "pair"))
    assert 0.5 < ours < 1 and abs(ours - theirs) < 1e-4, f"{ours} and {theirs}"
    assert found["pair"]["status"] == "ok", str(found["pair"])
    assert found["flat"]["status"] == "control-failed", str(found["flat"])
    assert (found["bad"]["status"] == "error" and "pair 3 is of items 4 and 4" in
            found["bad"]["message"]), str(found["bad"])


# ---- The example ----


def test_example_of_the_readme(sandbox, numpy_python):
    """Its commands, as they stand there: the wrong sensitivity is found, and what doubles keep of
    the sums; the right one is not."""
    folder = SOURCE / "examples" / "exec-epsilon"
    shutil.copytree(folder, sandbox.path / "examples" / "exec-epsilon",
                    ignore=shutil.ignore_patterns("*.npy"))
    (sandbox.root / "bin" / "python3").symlink_to(numpy_python)
    commands = (folder / "README.md").read_text().split("```\n")[1].splitlines()
    assert len(commands) == 2 and commands[1].startswith("build/assay run "), str(commands)
    assert sandbox.shell(commands[0]).code == 0, commands[0]
    result = sandbox.assay(*commands[1].split()[1:], "--out", "out")
    assert result.code == 1, str(result)
    results = json.loads(sandbox.read("out/results.json"))
    verdicts = {claim["id"]: claim["verdict"] for claim in results["claims"]}
    assert verdicts == {"right-sensitivity": "unrefuted", "wrong-sensitivity": "violated",
                        "as-doubles": "violated"}, str(verdicts)
    bounds = {cell["defense"]["label"]: lower_bound(cell) for cell in results["cells"]}
    # Three columns with noise for one: 3 in place of 1.
    assert 2.8 < bounds["wrong"] < 3 and 0.9 < bounds["right"] < 1, str(bounds)
    assert bounds["doubles"] > 4, str(bounds)
