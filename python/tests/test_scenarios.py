"""Runs, results, and functions as programs."""
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import assay

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebook" / "audit.ipynb"
RUNNER = pathlib.Path(__file__).with_name("run_notebook.py")

SCENARIO = """
[dataset]
plugin = gaussian-classes
count = 400
columns = 8
secrets = 60

[defense noise]
plugin = additive-noise

[attack verbatim]
plugin = verbatim

[claim hidden]
measure = recovery-rate
defense = noise
at-most = 0.5
"""


def test_results_are_those_of_the_program(program):
    results = assay.run(SCENARIO, out="out")
    done = subprocess.run([program, "run", "audit.scenario", "--out", "theirs", "--json"],
                          capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == results.record
    assert json.loads(pathlib.Path("out/results.json").read_text()) == results.record
    assert results.report.exists() and results.verdict == results.claims[0]["verdict"]
    measured = [one for one in results.measurements if one["measure"] == "recovery-rate"]
    assert [(one["defense"], one["attack"]) for one in measured] == [("noise", "verbatim")]
    shown = results._repr_html_()
    assert f'">{results.verdict}</strong>' in shown
    assert assay.results("out").record == results.record


def test_the_curve_of_a_swept_setting_is_shown():
    swept = SCENARIO.replace("additive-noise", "gaussian\nepsilon = 1; 20").replace(
        "defense = noise\n", "")
    shown = assay.run(swept, out="out")._repr_html_()
    assert 'alt="recovery-rate' in shown and "data:image/svg+xml;base64," in shown


def test_frames_without_pandas(monkeypatch):
    results = assay.run(SCENARIO, out="out")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas"):
        results.frame()


def test_frames_have_what_tells_rows_apart():
    """The setting that is swept, and none of those that are the same everywhere."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    swept = SCENARIO.replace("additive-noise", "gaussian\nepsilon = 1; 20").replace(
        "defense = noise\n", "")
    results = assay.run(swept, out="out")
    frame = results.frame()
    assert list(frame.columns) == ["dataset", "defense", "attack", "defense.epsilon", "measure",
                                   "estimate", "lower", "upper", "n", "unit"], list(frame.columns)
    rates = frame[(frame.measure == "recovery-rate") & (frame.defense == "noise")]
    assert sorted(rates["defense.epsilon"].astype(float)) == [1, 20], rates
    for _, row in rates.iterrows():
        (same,) = [one for one in results.measurements if one["measure"] == "recovery-rate"
                   and one.get("defense.epsilon") == row["defense.epsilon"]]
        assert (row.estimate, row.lower, row.upper, row.n) == (
            same["estimate"], same["lower"], same["upper"], same["n"])
    whole = results.frame(all=True)
    assert len(whole) == len(frame) and set(frame.columns) < set(whole.columns)
    assert list(results.frame("claims")["id"]) == ["hidden"]


def test_a_run_that_is_stopped_can_be_resumed():
    text = SCENARIO.replace("[dataset]", "[scenario]\ntrials = 3\n\n[dataset]")
    seen = []

    def stop_after_one(done, total, doing):
        seen.append((done, total))
        return done >= 1

    with pytest.raises(assay.Cancelled, match="can be resumed"):
        assay.run(text, out="out", progress=stop_after_one)
    assert seen and seen[-1][0] < seen[-1][1]
    resumed = assay.run(text, out="out", resume=True)
    assert resumed.record == assay.run(text, out="whole").record

    def fail(done, total, doing):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.run(text, out="other", progress=fail)


SHIFT = np.arange(8.0)


def shifted(rows):
    return rows + SHIFT


@assay.defense
def far_away(secrets, random):
    return shifted(secrets) + 0 * random.standard_normal(secrets.shape)


@assay.attack
def back_again(release):
    return release - SHIFT


def test_functions_in_this_process_and_as_programs():
    secrets = np.random.default_rng(5).normal(size=(30, 8)).astype("float32")
    release, truth = far_away.protect(secrets)
    assert np.allclose(release["vectors"], secrets + SHIFT)
    guess = assay.attack(back_again, release)
    assert assay.measure(truth, guess)["recovery-rate"]["estimate"] == 1
    assert np.array_equal(far_away(secrets, np.random.default_rng(1)), secrets + SHIFT)

    results = assay.run(SCENARIO, functions=[far_away, back_again], out="out",
                        set=["claim hidden.defense=far_away"])
    assert not results.problems, results.problems
    found = {(one["defense"], one["attack"]): one["estimate"] for one in results.measurements
             if one["measure"] == "recovery-rate"}
    assert found["far_away", "back_again"] == 1 and found["far_away", "verbatim"] < 0.1, found
    assert results.verdict == "violated"


@assay.defense
def says_how_it_is_confined(secrets):
    import sys
    with open("/proc/self/status", encoding="ascii") as file:
        sys.exit(" ".join(line.strip() for line in file if line.startswith(("Seccomp:", "NSpid:"))))


def test_functions_are_confined_as_by_the_program(program):
    """By the same means, though what runs here is Python: bubblewrap, Landlock, seccomp."""
    results = assay.run(SCENARIO, functions=[says_how_it_is_confined], out="out")
    done = subprocess.run([program, "run", "audit.scenario", "--out", "theirs", "--json"],
                          capture_output=True, text=True, check=False)
    ours, theirs = ({word for cell in record["cells"] if cell["status"] != "ok"
                     for word in re.findall(r"Seccomp:\s+\d", cell["message"])}
                    for record in (results.record, json.loads(done.stdout)))
    assert ours == theirs and ours, (ours, theirs, results.problems[:1])
    # The run says by what, as the program's does; and results are out of sight.
    said = [json.loads((pathlib.Path(out) / "run.json").read_text())["confinement"]
            for out in ("out", "theirs")]
    assert said[0] == said[1] and len(said[0]) == 1, said


@assay.defense
def looks_for_results(secrets):
    import os
    import sys
    sys.exit("found " + " ".join(sorted(os.listdir("out"))))


def test_results_are_out_of_sight(program):
    results = assay.run(SCENARIO, functions=[looks_for_results], out="out")
    confined = json.loads(pathlib.Path("out/run.json").read_text())["confinement"]
    if not confined[0].partition(": ")[2].startswith("bubblewrap"):
        pytest.skip(f"bubblewrap does not work here: {confined[0]}")
    messages = {cell["message"] for cell in results.record["cells"] if cell["status"] != "ok"}
    assert len(messages) == 1 and messages.pop().endswith("its last lines: found"), messages


def test_functions_that_cannot_be_played_are_refused():
    with pytest.raises(TypeError, match="'rows' is not known to a defense"):
        assay.defense(lambda rows: rows)
    with pytest.raises(TypeError, match="back needs public"):
        @assay.attack
        def back(release, public):
            return public

        back.attack(SHIFT[None])
    handle = object()

    @assay.defense
    def stuck(secrets):
        return handle

    with pytest.raises(TypeError, match="'handle' is a object"):
        stuck.program()


def test_the_notebook_runs(tmp_path):
    (tmp_path / "audit").mkdir()  # as the pages make one
    for _ in range(2):
        done = subprocess.run([sys.executable, RUNNER, NOTEBOOK], capture_output=True, text=True,
                              check=False, cwd=tmp_path,
                              env={**os.environ, "PYTHONPATH": str(RUNNER.parents[1])})
        assert done.returncode == 0, done.stderr
        assert "recovered as released" in done.stdout and "<strong" in done.stdout
        assert done.stdout.strip().endswith("'violated'"), done.stdout[-300:]


def test_the_notebook_runs_in_jupyter(tmp_path):
    pytest.importorskip("nbclient", reason="no Jupyter is installed (nbclient)")
    nbformat = pytest.importorskip("nbformat")
    import nbclient
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    sys_path = f"import sys; sys.path.insert(0, {str(RUNNER.parents[1])!r})"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(sys_path))
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()


@assay.defense(settings={"k": 2, "way": "down"})
def rounded(secrets, k, way, settings):
    if settings != {"k": k, "way": way} or not isinstance(k, int):
        raise TypeError(settings)
    return (np.floor if way == "down" else np.ceil)(secrets * k) / k


def test_settings_of_functions_have_names_and_are_swept():
    secrets = np.array([[0.3, 0.9]], "float32")
    assert np.array_equal(rounded.protect(secrets)[0]["vectors"], [[0, 0.5]])
    assert np.array_equal(rounded.protect(secrets, k=4, way="up")[0]["vectors"], [[0.5, 1]])
    text = SCENARIO.replace("defense = noise\n", "")
    results = assay.run(text, functions=[rounded], out="out",
                        settings={"rounded": {"k": [1, 1000]}})
    assert not results.problems, str(results)
    found = {one["defense.settings"]: one["estimate"] for one in results.measurements.short()
             if one["measure"] == "recovery-rate" and one["defense"] == "rounded"}
    assert sorted(found) == ["k=1 way=down", "k=1000 way=down"], found
    assert found["k=1000 way=down"] == 1 and found["k=1 way=down"] < 0.9, found
    for refused, message in (({"settings": {"rounded": {"q": 1}}}, "no setting 'q'; it has k, way"),
                             ({"settings": {"squared": {"k": 1}}}, "'squared' is none of")):
        with pytest.raises(TypeError, match=message):
            assay.run(text, functions=[rounded], **refused)
    with pytest.raises(ValueError, match="without blanks"):
        assay.run(text, functions=[rounded], settings={"rounded": {"way": "up and down"}})
    with pytest.raises(TypeError, match="its own settings="):
        assay.defense(lambda secrets, k: secrets)


@assay.attack(settings={"take": 1.0})
def moved(release, take):
    return release - take * SHIFT


def test_settings_of_attacks_have_names_and_are_swept():
    """The attacker who takes back what was added recovers all, and who takes nothing none."""
    rows = shifted(np.zeros((4, 8)))
    assert np.array_equal(moved.attack(rows)["estimates"], np.zeros((4, 8)))
    assert np.array_equal(moved.attack(rows, take=0.0)["estimates"], rows)
    results = assay.run(SCENARIO.replace("defense = noise\n", ""), functions=[far_away, moved],
                        out="out", settings={"moved": {"take": [0.0, 1.0]}})
    found = {one["attack.settings"]: one["estimate"] for one in results.measurements.short()
             if (one["measure"], one["defense"], one["attack"])
             == ("recovery-rate", "far_away", "moved")}
    assert found == {"take=0.0": 0, "take=1.0": 1}, f"{found} {results}"
    with pytest.raises(TypeError, match="no setting 'give'; it has take"):
        assay.run(SCENARIO, functions=[moved], settings={"moved": {"give": 1}})


@assay.defense
def failing(secrets):
    raise RuntimeError("no budget left")


def test_what_is_printed_tells_verdicts_and_problems():
    results = assay.run(SCENARIO, functions=[failing], out="out")
    assert len(results.problems) == 1
    shown = str(results)
    assert f"{results.verdict}: hidden" in shown and results.claims[0]["reason"] in shown
    assert "error in 1 cell (verbatim against failing): " in shown and "no budget left" in shown
    assert "1 cells with problems" in repr(results)


def test_what_is_not_finite_is_bad_input():
    rows = np.zeros((8, 3))
    rows[2, 1] = np.nan
    for play in (lambda: assay.protect("additive-noise", rows),
                 lambda: assay.attack("verbatim", rows)):
        with pytest.raises(assay.BadInput, match="row 2, column 1 is not a finite number"):
            play()
