"""Witnesses of audits: what a program with dice of its own put out is kept, outlives a kill, and is
counted again by the script."""

import json
import shutil
import sqlite3
import subprocess
import time

import pytest

from exec_mechanisms import CLAIM, DISTINGUISH, FLIP, HEAD, WRITE, claiming, prepare_claims, run_claims
from exec_programs import write_program

# Numbers of its own, whatever the seed; @waits lets a kill meet the second defense.
OWN = "REQUEST['seed'] = int.from_bytes(os.urandom(6), 'big')\n"
WAITS = """import time
while REQUEST["settings"] == "0.9" and os.path.exists("wait"):
    open("waiting", "w").close()
    time.sleep(0.02)
"""


def count_again(sandbox, python, out):
    return subprocess.run([python, str(sandbox.path / out / "witness" / "as-claimed.py")],
                          capture_output=True, text=True, check=False)


def expect_counts(sandbox, python, out, results):
    """--witness writes the script, which counts what the verdict says."""
    audit = next(cell["audit"] for cell in results["cells"]
                 if cell["id"] == results["claims"][0]["witness"]["cell"])
    sides = ("second", "first") if audit["of-second-input"] else ("first", "second")
    shown = sandbox.assay("run", "claims.scenario", "--out", out, "--witness", "as-claimed")
    assert shown.code == 0 and "as the run counted it" in shown.out, str(shown)
    assert f"count it again: python3 {out}/witness/as-claimed.py (in the runs" in shown.out, shown.out
    counts = (f"seen in {audit['hits']} of {audit['runs']} runs on the {sides[0]} input and in "
              f"{audit['mistakes']} on the {sides[1]}\n")
    assert counts in shown.out, shown.out
    again = count_again(sandbox, python, out)
    assert (again.returncode, again.stdout) == (0, counts), str(again)


@pytest.mark.parametrize("words", ((), ("--workers", "2")))
def test_dice_of_its_own_are_kept(sandbox, numpy_python, words):
    prepare_claims(sandbox)
    own = write_program(sandbox, "own.py", OWN + FLIP + WRITE)
    parts = claiming("leaky", own, "settings = 2") + DISTINGUISH + CLAIM
    _, results = run_claims(sandbox, parts, 1, "out", *words)
    starts = len(sandbox.read("starts.txt").splitlines())
    expect_counts(sandbox, numpy_python, "out", results)
    assert len(sandbox.read("starts.txt").splitlines()) == starts, "the program was asked again"


# What a stranger may have put into the table of counted runs, and the word that the message has.
FORMULAS = "the formula of an event is not one that Assay writes"
SIZES = "runs that were counted are not what their sizes say"
CHANGES = (
    ("python = 'import os'", FORMULAS),
    ("python = python || ' # and more'", FORMULAS),
    ("python = replace (python, 'numpy.', 'numpy.load')", FORMULAS),
    ("python = CAST (x'ff' AS TEXT)", FORMULAS),
    ("python = x'00'", FORMULAS),
    ("columns = columns + 1", SIZES),
    ("width = 16", SIZES),
    ("first = NULL", SIZES),
    ("marks = 'text'", SIZES),
    ("marks = x''", SIZES),
    ("second = substr (second, 2)", SIZES),
)


def test_a_strangers_store_gives_no_program(sandbox):
    """A witness is a program that somebody runs: what a store makes it say is arithmetic."""
    prepare_claims(sandbox)
    own = write_program(sandbox, "own.py", OWN + FLIP + WRITE)
    run_claims(sandbox, claiming("leaky", own, "settings = 2") + DISTINGUISH + CLAIM, 1)
    for change, told in CHANGES:
        shutil.rmtree(sandbox.path / "copy", ignore_errors=True)
        shutil.copytree(sandbox.path / "out", sandbox.path / "copy")
        with sqlite3.connect(sandbox.path / "copy" / "run.sqlite") as database:
            assert database.execute(f"UPDATE counted SET {change}").rowcount > 0, change
        for command in (("report", "copy"),
                        ("run", "claims.scenario", "--out", "copy", "--witness", "as-claimed")):
            result = sandbox.assay(*command)
            assert result.code == 2 and told in result.err, f"{change}\n{result}"
            assert not (sandbox.path / "copy" / "witness").exists(), change


def test_kept_runs_outlive_a_kill(sandbox, numpy_python):
    """Killed in the cell after; and what an earlier play of a cell left is not its witness."""
    prepare_claims(sandbox)
    own = write_program(sandbox, "own.py", WAITS + OWN + FLIP + WRITE)
    parts = (claiming("leaky", own, "settings = 2") + claiming("right", own, "settings = 0.9")
             + DISTINGUISH + CLAIM)
    sandbox.write("claims.scenario", HEAD + parts)
    sandbox.write("wait", "")
    process = sandbox.start("run", "claims.scenario", "--out", "out", "--quiet")
    for _ in range(1000):
        if (sandbox.path / "waiting").exists():
            break
        time.sleep(0.02)
    sandbox.kill(process)
    (sandbox.path / "wait").unlink()
    shutil.rmtree(sandbox.path / "tmp")
    (sandbox.path / "tmp").mkdir()
    _, results = run_claims(sandbox, parts, 1, "out", "--resume")
    expect_counts(sandbox, numpy_python, "out", results)
    database = sqlite3.connect(sandbox.path / "out" / "run.sqlite")
    assert database.execute("SELECT count(*) FROM counted").fetchone() == (1,), "of both cells"
    database.execute("UPDATE counted SET marks = zeroblob (length (marks))")
    database.commit()
    database.close()
    shown = sandbox.assay("run", "claims.scenario", "--out", "out", "--witness", "as-claimed")
    assert shown.code == 3 and "the runs that were counted are not in the folder" in shown.err, (
        str(shown))


@pytest.mark.slow
def test_too_many_runs_are_not_kept(sandbox):
    """33 million bytes of marks and outputs a side; what is not kept is said."""
    prepare_claims(sandbox)
    own = write_program(sandbox, "own.py", OWN + FLIP.replace(
        "rows = [[abs(bit - (numbers.random() < flip))]", "rows = [[abs(bit - (numbers.random() < "
        "flip))] * 400") + WRITE)
    parts = (claiming("leaky", own, "settings = 2", "outputs = 400").replace("4096", "2048")
             + DISTINGUISH.replace("10000", "12000").replace("5000", "100") + CLAIM)
    _, results = run_claims(sandbox, parts, 1)
    assert json.dumps(results).count("no run can be played again") > 0
    shown = sandbox.assay("run", "claims.scenario", "--out", "out", "--witness", "as-claimed")
    assert shown.code == 3 and "more than the 64 MiB that are kept" in shown.err, str(shown)


# A bit, flipped seldom, as the first number of two; the other one is NaN now and then, rather where
# the bit is one. Every score sees something of it.
COLUMNS = """
numbers = random.Random(str(REQUEST["seed"]))
bit = load("input.npy")[0][0]
rows = []
for _ in range(REQUEST["count"]):
    value = abs(bit - (numbers.random() < 0.05))
    beside = 0.5 + numbers.randrange(8) / 8
    rows.append([value, float("nan") if numbers.random() < 0.02 + 0.3 * value else beside])
"""
# In doubles, by the textbook's inversion, far out in one run of a hundred, a row that comes again.
INVERTED = """
import math
numbers = random.Random(str(REQUEST["seed"]))
bit = load("input.npy")[0][0]
rows = []
for _ in range(REQUEST["count"]):
    u = numbers.random() - 0.5
    noise = -math.copysign(math.log(1 - 2 * abs(u)), u)
    rows.append([bit + noise, numbers.gauss(0, 1)])
    if numbers.random() < 0.3:
        rows[-1] = [0.125, 3 * bit]
"""
PROGRAMS = {"columns": COLUMNS, "inverted": INVERTED}
SCORES = ("patterns", "classifier", "trees", "repeats", "tails", "digits", "order", "finite", "bits")


@pytest.mark.parametrize("score, name", [(score, "columns") for score in SCORES]
                         + [(score, "inverted") for score in ("repeats", "tails", "bits")])
def test_formulas_hold_in_every_run(sandbox, numpy_python, score, name):
    """The script's formula marks exactly the runs in which the audit saw its event; what the event
    says names columns."""
    prepare_claims(sandbox)
    wide = write_program(sandbox, "wide.py", PROGRAMS[name] + WRITE)
    parts = (claiming("leaky", wide, "outputs = 2") + DISTINGUISH.replace("10000", "1500").replace(
        "5000", "1500") + f"score = {score}\n" + CLAIM.replace("= claimed", "= 0.1"))
    cells, _ = run_claims(sandbox, parts, 1)
    event = cells["leaky"]["audit"]["event"]
    assert " where " in event and ("y1" in event or "the row is (" in event or "y2" in event), event
    shown = sandbox.assay("run", "claims.scenario", "--out", "out", "--witness", "as-claimed")
    assert shown.code == 0 and "the same as in the run" in shown.out, str(shown)
    assert "def event(y)" in sandbox.read("out/witness/as-claimed.py")
    again = count_again(sandbox, numpy_python, "out")
    assert again.returncode == 0 and again.stdout in shown.out, str(again)
