"""Programs of others as mechanisms that claim epsilon: few starts, runs that are independent, what
counts as an output, and one run on a whole dataset. Scripts of the standard library alone."""

import json
import math
import shutil

import pytest

import data
from exec_mechanisms import (BATCH, CLAIM, DISTINGUISH, FLIP, START, STARTS, TWICE, WRITE,
                             claiming, lower_bound, prepare_claims, run_claims, starts_of)
from exec_programs import write_program
from places import SOURCE
from sandbox import matches


def test_claims_are_tested_in_few_starts(sandbox):
    """A leak of 2 under a claim of 1, and a leak of 1: one process a batch."""
    prepare_claims(sandbox)
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
    assert {request["count"] for request, _, _ in starts} == {BATCH}, "counts say what runs are for"
    # What an injected leak would have shown is asked of the claim that holds alone: a look, training
    # on two pairs and on one, runs that leak and runs that do not. Batches of which the first run is
    # looked at, until two differ, are 2 to 40.
    for settings, leak_starts in (("1", 17), ("2", 0)):
        seeds = [request["seed"] for request, _, _ in starts if request["settings"] == settings]
        firsts = len(seeds) - STARTS - TWICE - leak_starts
        assert 2 <= firsts <= 40, f"{len(seeds)} starts"
        # One seed comes twice, where it is looked at whether a seed makes the runs. The look and the
        # leak of all runs or none have their noise from runs that are counted apart.
        assert len(seeds) - len(set(seeds)) == 1 + (3 if leak_starts else 0), "seeds come again"
    request, _, files = starts[0]
    expected = {"format": "assay-request/1", "role": "mechanism", "n": 1, "d": 1, "outputs": 1,
                "arrays": {"input": "input.npy"}, "grants": []}
    assert {**request, **expected} == request and "kind" not in request, str(request)
    assert files == ["input.npy", "request.json"], str(files)
    assert {rows[0][0] for _, rows, _ in starts} == {0, 1}, "one of the inputs was never given"


def test_same_bits_whatever_the_threads(sandbox):
    prepare_claims(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    parts = claiming("leaky", flip, "settings = 2") + DISTINGUISH
    found = [run_claims(sandbox, parts, 0, f"out{jobs}", "--jobs", jobs)[0]["leaky"]
             for jobs in ("1", "5")]
    assert found[0] == found[1], str(found)


def test_resume_keeps_to_its_pairs(sandbox):
    """A run is not gone on with where the file of neighbours changed."""
    prepare_claims(sandbox)
    flip = write_program(sandbox, "flip.py", FLIP + WRITE)
    run_claims(sandbox, claiming("bit", flip, "settings = 1") + DISTINGUISH)
    sandbox.write("pairs.npy", data.npy_bytes([[0], [1]]))
    sandbox.refuses(sandbox.assay("run", "claims.scenario", "--out", "out", "--quiet", "--resume"),
                    "defense bit: file pairs.npy changed since the run began (sha256 "
                    "{*}, now {*}); expected a new run with --out")


def test_witness_of_a_program(sandbox):
    """The replay starts the program again, and names neighbours as the scenario does."""
    prepare_claims(sandbox)
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
    prepare_claims(sandbox)
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
        prepare_claims(sandbox)
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
        prepare_claims(sandbox)
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
    ("wrong-count", "rows.pop()\n" + WRITE, "{*}outputs.npy: found float32 4095 x 1; expected 4096 "
     "x 1, one row for each of count runs (setting 'outputs')"),
    ("wrong-columns", "rows = [row * 2 for row in rows]\n" + WRITE,
     "{*}outputs.npy: found float32 4096 x 2; expected 4096 x 1, {*}"),
    ("short-file", f"{OUTPUTS}.write_bytes(npy(rows)[:-4])\n", "{*}outputs.npy: {*}"),
    ("empty-file", f"{OUTPUTS}.write_bytes(b'')\n", "{*}outputs.npy: {*}"),
    ("link", "os.symlink('input.npy', FOLDER / 'outputs.npy')\n",
     "{*}outputs.npy is a symbolic link; expected a plain file"),
    ("folder", f"{OUTPUTS}.mkdir()\n", "{*}outputs.npy is a folder; expected a plain file"),
    ("pipe", f"os.mkfifo({OUTPUTS})\n", "{*}outputs.npy is no plain file; expected a plain file"),
    ("socket", f"os.mknod({OUTPUTS}, stat.S_IFSOCK | 0o600)\n",
     "{*}outputs.npy is no plain file; expected a plain file"),
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
        prepare_claims(sandbox)
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
        prepare_claims(sandbox)
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
    prepare_claims(sandbox)
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
    prepare_claims(sandbox)
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
    prepare_claims(sandbox)
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
