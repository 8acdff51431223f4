"""assay run -k: some cells of a scenario, and the rest later."""

import json
import re

import tiny
from test_html import CLAIMS


def partly(sandbox, *options, words="database", code=1, out="part"):
    tiny.write(sandbox, tiny.SCENARIO + CLAIMS)
    result = sandbox.assay("run", "tiny.scenario", "--out", out, "-k", words, *options)
    assert result.code == code, result
    return result


def whole(sandbox):
    tiny.write(sandbox, tiny.SCENARIO + CLAIMS)
    sandbox.assay("run", "tiny.scenario", "--out", "whole", "--quiet")
    return sandbox.read("whole/results.json")


def test_only_the_chosen_cells_are_run(sandbox):
    """Upper and lower case are alike, and all words must be part of the cell's name."""
    result = partly(sandbox, words="LIFTING database =2")
    cells = json.loads(sandbox.read("part/results.json"))["cells"]
    ran = [(cell["attack"]["label"], cell["defense"]["settings"].get("dimension"))
           for cell in cells if cell["status"] == "ok"]
    assert ran and set(ran) == {("database", 2)}, ran
    assert f"unfinished: {tiny.CELLS - 2} of {tiny.CELLS} cells were not asked for" in result.out
    assert "report.html" in sandbox.tree("part")
    assert re.search(r"^2 of 2 cells$", result.err, re.M), f"progress is of what is run: {result}"


def test_what_was_not_run_decides_nothing(sandbox):
    """Alone, the attack that finds nothing earns no verdict, and no exit code 0."""
    result = partly(sandbox, words="nearest", code=3)
    claims = {claim["id"]: claim for claim in json.loads(sandbox.read("part/results.json"))["claims"]}
    assert claims["lifting-hides"]["verdict"] == "inconclusive", claims
    assert "were not run" in claims["lifting-hides"]["reason"], claims
    assert "ended in an error" not in result.out, result


def test_the_rest_gives_the_same_bytes(sandbox):
    expected = whole(sandbox)
    result = partly(sandbox)
    again = result.out.strip().splitlines()[-1].split()
    assert again[1:] == ["run", "tiny.scenario", "--out", "part", "--resume"], again
    done = sandbox.assay(*again[1:])
    assert done.code == 1, done
    assert re.search(r"^4 of 10 cells$", done.err, re.M), f"progress counts what is done: {done}"
    assert sandbox.read("part/results.json") == expected


def test_workers_run_the_same_cells(sandbox):
    expected = whole(sandbox)
    partly(sandbox, "--workers", "2", "--quiet")
    partly(sandbox, "--quiet", out="alone")
    assert sandbox.read("part/results.json") == sandbox.read("alone/results.json")
    # What is left may be chosen, too: then all is done.
    partly(sandbox, "--resume", "--workers", "2", "--quiet", words="nearest")
    assert sandbox.read("part/results.json") == expected


def test_words_that_no_cell_has(sandbox):
    tiny.write(sandbox)
    sandbox.refuses(
        sandbox.assay("run", "tiny.scenario", "-k", "naerest"),
        "--cells 'naerest': no cell of tiny.scenario has these words; expected words of cells, such "
        "as 'nearest against plain'")
    result = sandbox.assay("run", "tiny.scenario", "-k", "nearest", "--baseline", "old")
    sandbox.expect(result, 2, "", "assay run: "
                    "--cells does not go with --baseline and --witness, which are about whole runs\n")


def test_what_was_not_run_is_no_error(sandbox):
    """It stood as `error` in the tables of the terminal and of the report."""
    tiny.write(sandbox)
    done = sandbox.assay("run", "tiny.scenario", "--out", "out", "-k", "nearest plain")
    assert "recovery-rate" in done.out and "not asked for" in done.out, str(done)
    assert not re.search(r"^  \w.* error\b", done.out, re.M), done.out
    assert ">error<" not in sandbox.read("out/report.html")
