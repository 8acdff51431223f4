"""assay report: every export again from the run store alone, of whole and of broken runs."""

import contextlib
import fcntl
import json
import os
import re
import shutil
import sqlite3
from xml.etree import ElementTree

import tiny

CLAIM = """
[claim hidden]
measure = recovery-rate
attack = nearest
at-most = 0.5
"""
OPTIONS = ("--seed", "9", "--trials", "2", "--set", "defense lifting.dimension=2;6")


def run(sandbox, out="out", text=tiny.LONGER + CLAIM):
    """A run of which neither scenario nor data are there any more."""
    tiny.write(sandbox, text)
    result = sandbox.assay("run", "tiny.scenario", "--out", out, "--quiet", *OPTIONS)
    assert result.code in (0, 1, 3), result
    for path in sandbox.path.iterdir():
        if path.is_file():
            path.unlink()
    return result


@contextlib.contextmanager
def database(sandbox, name="out"):
    with contextlib.closing(sqlite3.connect(sandbox.path / name / "run.sqlite")) as opened, opened:
        yield opened


def refused(sandbox, message, *arguments):
    before = sandbox.tree()
    sandbox.refuses(sandbox.assay("report", *arguments), message)
    assert sandbox.tree() == before, "the folder changed"


# ---- The same bytes ----


def test_same_bytes_without_scenario_and_data(sandbox):
    first = run(sandbox)
    before = sandbox.tree("out")
    assert {"results.json", "results.csv", "claims.xml", "summary.md", "run.json"} <= set(before), (
        before)
    for name in before:
        if name != "run.sqlite" and (sandbox.path / "out" / name).is_file():
            (sandbox.path / "out" / name).unlink()
    result = sandbox.expect(sandbox.assay("report", "out"), err="")
    assert sandbox.tree("out") == before, "other files"
    # The table is that of the run; what follows it says where things are.
    table = first.out.rsplit("\nresults in ", 1)[0]
    assert result.out == f"{table}\nreports in out\n", result


def test_durations_are_asked_for(sandbox):
    """Of the claim's cells, and of all; without the option the file is that of the run again."""
    run(sandbox)
    before = sandbox.tree("out")
    seconds = json.loads(sandbox.read("out/run.json"))["seconds"]
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    own = sum(seconds[cell["id"]] for cell in cells if cell["attack"]["label"] == "nearest")
    sandbox.expect(sandbox.assay("report", "out", "--durations", "--quiet"), out="", err="")
    suites = ElementTree.fromstring(sandbox.read("out/claims.xml"))
    (case,) = (case for case in suites.iter("testcase") if case.get("name") == "hidden")
    assert 0 < own < sum(seconds.values()), seconds
    assert abs(float(case.get("time")) - own) <= 0.0005 + 1e-9, case.attrib
    for suite in (suites, suites[0]):
        assert abs(float(suite.get("time")) - sum(seconds.values())) <= 0.0005 + 1e-9, suite.attrib
    sandbox.expect(sandbox.assay("report", "out", "--quiet"), out="", err="")
    assert sandbox.tree("out") == before, "other files"


def test_into_another_folder(sandbox):
    run(sandbox)
    before = sandbox.tree("out")
    sandbox.shell("chmod -R a-w out")
    if os.geteuid() != 0:
        refused(sandbox, "out: cannot be written: Permission denied; expected --out with another "
                "folder", "out")
    sandbox.expect(sandbox.assay("report", "out", "--out", "a/b", "--quiet"), out="", err="")
    assert sandbox.tree("out") == before, "the run changed"
    written = sandbox.tree("a/b")
    assert written == {name: before[name] for name in before if name != "run.sqlite"}, written


def test_open_shows_the_page(sandbox):
    """In whatever xdg-open takes for the browser; where there is none, it says where the page is."""
    run(sandbox)
    sandbox.write("bin/xdg-open", '#!/bin/sh\necho "$1" > opened.new && mv opened.new opened\n')
    done = sandbox.shell('chmod +x bin/xdg-open; PATH="$PWD/bin:$PATH" assay report out --quiet --open;'
                         " for i in $(seq 500); do [ -f opened ] || sleep 0.2; done; cat opened")
    assert done.code == 0 and done.out == f"{sandbox.path}/out/report.html\n", done
    program = shutil.which("assay", path=f"{sandbox.path}/bin") or sandbox.assay_path
    done = sandbox.shell(f"PATH=/nowhere {program} report out --quiet --open")
    assert done.code == 2 and "report.html is written, but no browser was found" in done.err, done


def test_json(sandbox):
    run(sandbox)
    result = sandbox.expect(sandbox.assay("report", "out", "--json"), err="")
    assert result.out == sandbox.read("out/results.json"), "other text than results.json"


def test_numbers_with_other_processes_and_times(sandbox):
    """run.json of a report is that of the run, not of the report."""
    run(sandbox)
    text = sandbox.read("out/run.json")
    sandbox.expect(sandbox.assay("report", "out", "--quiet", OMP_NUM_THREADS="1"))
    assert sandbox.read("out/run.json") == text, "other times or threads"


def test_claims_of_the_last_resume(sandbox):
    """Claims are no part of the plan: a resume may judge others, and the report knows them."""
    run(sandbox)
    tiny.write(sandbox, tiny.LONGER + CLAIM.replace("at-most = 0.5", "at-most = 0.4"))
    sandbox.assay("run", "tiny.scenario", "--out", "out", "--quiet", "--resume", *OPTIONS)
    text = sandbox.read("out/results.json")
    assert json.loads(text)["claims"][0]["at-most"] == 0.4, "the claim of the resume"
    (sandbox.path / "tiny.scenario").unlink()
    sandbox.expect(sandbox.assay("report", "out", "--quiet"))
    assert sandbox.read("out/results.json") == text, "another claim"


# ---- Unfinished ----


def test_unfinished(sandbox):
    run(sandbox)
    whole = json.loads(sandbox.read("out/results.json"))
    assert "missing_cells" not in whole, "a whole run is marked"
    with database(sandbox) as opened:
        n = opened.execute("SELECT count(*) FROM cells").fetchone()[0]
        opened.execute("DELETE FROM cells WHERE cell >= ?", (n - 3,))
        opened.execute("DELETE FROM outcomes WHERE cell >= ?", (n - 3,))
        opened.execute("DELETE FROM meta WHERE key IN ('state', 'times')")
    result = sandbox.expect(sandbox.assay("report", "out"), err="")
    assert (f"\nunfinished: 3 of {n} cells were not run; 'assay run tiny.scenario --out out "
            "--resume' goes on\n" in result.out), result
    found = json.loads(sandbox.read("out/results.json"))
    assert found["missing_cells"] == 3 and found["cells"] == whole["cells"][:-3], "other cells"
    assert f"\n**Unfinished: 3 of {n} cells were not run.**\n" in sandbox.read("out/summary.md"), (
        "summary.md is not marked")
    assert "nfinished" in sandbox.read("out/report.html"), "report.html is not marked"
    about = json.loads(sandbox.read("out/run.json"))
    assert about["start"] is None and about["end"] is None and about["threads"] is None, about


def test_unfinished_then_resumed(sandbox):
    """Reports in the folder do not stand in the way of the run."""
    run(sandbox)
    whole = sandbox.read("out/results.json")
    with database(sandbox) as opened:
        opened.execute("DELETE FROM cells WHERE cell >= 2")
        opened.execute("DELETE FROM outcomes WHERE cell >= 2")
        opened.execute("DELETE FROM meta WHERE key = 'state'")
    sandbox.expect(sandbox.assay("report", "out", "--quiet"))
    assert sandbox.read("out/results.json") != whole, "the unfinished run is whole"
    tiny.write(sandbox, tiny.LONGER + CLAIM)
    sandbox.assay("run", "tiny.scenario", "--out", "out", "--quiet", "--resume", *OPTIONS)
    assert sandbox.read("out/results.json") == whole, "other results"


# ---- What is no run ----


def test_not_a_run(sandbox):
    refused(sandbox, "nothing: expected the output folder of a run", "nothing")
    sandbox.write("file", "text")
    refused(sandbox, "file: expected the output folder of a run", "file")
    (sandbox.path / "empty").mkdir()
    refused(sandbox, "empty: holds no run; expected the output folder of a run, with run.sqlite",
            "empty")
    sandbox.write("blank/run.sqlite", "")
    refused(sandbox, "blank/run.sqlite: is not a run store", "blank")
    sandbox.write("text/run.sqlite", "no database, but a text" * 99)
    result = sandbox.expect(sandbox.assay("report", "text"), 2, "")
    assert result.err.startswith("assay: text/run.sqlite: "), result


def test_damaged(sandbox):
    run(sandbox)
    data = (sandbox.path / "out/run.sqlite").read_bytes()
    sandbox.write("cut/run.sqlite", data[: len(data) // 2])
    result = sandbox.expect(sandbox.assay("report", "cut"), 2, "")
    assert result.err.startswith("assay: cut/run.sqlite: the run store is damaged ("), result
    with database(sandbox) as opened:
        opened.execute("UPDATE meta SET value = substr(value, 1, 40) WHERE key = 'scenario'")
    refused(sandbox, "out: the scenario kept in run.sqlite is damaged", "out")


# ---- A stranger's folder ----


EXPORTS = ("report.html", "results.json", "results.csv", "claims.xml", "summary.md", "run.json")


def test_links_that_wait_for_the_reader(sandbox):
    """Names that the reports are written under first, made links to a file of the reader, or FIFOs:
    neither is opened."""
    run(sandbox)
    before = sandbox.tree("out")
    kept = sandbox.write("kept", "the reader's own")
    plot = min((sandbox.path / "out/plots").glob("*.csv"))
    places = [sandbox.path / "out" / name for name in EXPORTS] + [plot]
    for place in places:
        place.unlink()
        place.symlink_to(kept)
        place.with_name(place.name + ".tmp").symlink_to(kept)
    sandbox.expect(sandbox.assay("report", "out", "--quiet"), err="")
    assert kept.read_text() == "the reader's own"
    assert sandbox.tree("out") == before and not any(place.is_symlink() for place in places)
    for place in places:
        os.mkfifo(place.with_name(place.name + ".tmp"))
    # Nobody reads what waits there: it is ended here rather than by the time of all tests.
    result = sandbox.shell("timeout 60 assay report out --quiet")
    assert result.code == 0 and sandbox.tree("out") == before, result


def test_folders_that_lead_elsewhere(sandbox):
    """Plots, pictures and the store itself."""
    run(sandbox)
    elsewhere = sandbox.path / "elsewhere"
    shutil.move(sandbox.path / "out/plots", elsewhere)
    (sandbox.path / "out/plots").symlink_to(elsewhere)
    before = {path.name: path.stat().st_mtime_ns for path in elsewhere.iterdir()}
    result = sandbox.expect(sandbox.assay("report", "out", "--quiet"), 4, "")
    assert result.err == ("assay: out/plots: is a link, and files would be written where it leads; "
                          "expected a folder, or no such name\n"), result
    assert {path.name: path.stat().st_mtime_ns for path in elsewhere.iterdir()} == before
    store = shutil.move(sandbox.path / "out/run.sqlite", sandbox.path / "store")
    (sandbox.path / "out/run.sqlite").symlink_to(store)
    tiny.write(sandbox, tiny.LONGER + CLAIM)
    result = sandbox.assay("run", "tiny.scenario", "--out", "out", "--resume", *OPTIONS)
    sandbox.refuses(result, "output folder out holds other files and no run; expected a new folder, "
                    "an empty one, or one of this scenario")


def test_other_versions(sandbox):
    run(sandbox)
    shutil.copytree(sandbox.path / "out", sandbox.path / "old")
    shutil.copytree(sandbox.path / "out", sandbox.path / "other")
    with database(sandbox) as opened:
        opened.execute("PRAGMA user_version = 99")
    refused(sandbox, "out/run.sqlite: made by a newer version of Assay (store 99, this one reads "
            "{*}); expected that version, or a new run in another folder", "out")
    with database(sandbox, "old") as opened:
        opened.execute("DELETE FROM meta WHERE key = 'scenario'")
    refused(sandbox, "old: the scenario kept in run.sqlite is damaged", "old")
    with database(sandbox, "old") as opened:
        opened.execute("UPDATE meta SET value = '0.0.1 (abc)' WHERE key = 'version'")
    refused(sandbox, "old: the run was made by Assay 0.0.1 (abc), and this is {*}, which reads it "
            "otherwise; expected the same version, or the scenario run again with --out in another "
            "folder: the scenario kept in run.sqlite is damaged", "old")
    with database(sandbox, "other") as opened:
        opened.execute("UPDATE meta SET value = 'f00' WHERE key = 'plan_sha256'")
    refused(sandbox, "other: the run was made by Assay {*}, and this is {*}, which reads the "
            "scenario otherwise; expected the same version", "other")


def test_lost_scenario_after_resume(sandbox):
    """A run that goes on keeps its scenario again."""
    run(sandbox)
    with database(sandbox) as opened:
        opened.execute("DELETE FROM meta WHERE key = 'scenario'")
    tiny.write(sandbox, tiny.LONGER + CLAIM)
    sandbox.assay("run", "tiny.scenario", "--out", "out", "--resume", "--quiet", *OPTIONS)
    sandbox.expect(sandbox.assay("report", "out", "--quiet"), err="")


def test_in_use(sandbox):
    run(sandbox)
    held = os.open(sandbox.path / "out", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    refused(sandbox, "output folder out is in use by another process; expected it to end first, or "
            "--out with another folder", "out")
    os.close(held)
    sandbox.expect(sandbox.assay("report", "out", "--quiet"))


def test_bad_usage(sandbox):
    sandbox.expect(sandbox.assay("report"), 2, "", "assay report: expected the output folder of a "
                   "run; 'assay report --help' explains\n")
    sandbox.expect(sandbox.assay("report", "a", "b"), 2, "",
                   "assay report: unexpected 'b'; 'assay report --help' explains\n")
    sandbox.expect(sandbox.assay("report", "a", "--out", ""), 2, "",
                   "assay report: --out: expected a folder\n")
    run(sandbox)
    sandbox.write("file", "text")
    refused(sandbox, "file: cannot be written: {*}", "out", "--out", "file")


# ---- What a verdict rests on ----

PASSES = """\
[scenario]
seed = 5

[dataset]
plugin = values

[defense laplace]
plugin = laplace
epsilon = 1

[attack asked]
plugin = distinguish
runs = 20000
training = 20000

[attack other]
plugin = distinguish
runs = 20000
training = 20000
score = tails

[claim holds]
measure = epsilon
attack = asked
at-most = claimed
"""


def test_what_a_verdict_rests_on_stands_in_every_export(sandbox):
    """The power, the attacks that were asked, and the seal, wherever it says "unrefuted"."""
    sandbox.write("a.scenario", PASSES)
    printed = sandbox.run_ok("a.scenario", "--out", "out", "--quiet").out
    results = json.loads(sandbox.read("out/results.json"))
    claim, = results["claims"]
    decisive = next(one for one in claim["hypotheses"] if one["power"] is not None)
    assert claim["verdict"] == "unrefuted" and decisive["power"] >= 0.8, claim
    assert decisive["power_at"] == 1.5, decisive
    power = f"with probability {decisive['power']:.3g}"
    assert power in claim["reason"] and "it names 1 of 2 attacks" in claim["reason"], claim
    exports = {name: sandbox.read(f"out/{name}")
               for name in ("results.json", "claims.xml", "summary.md", "report.html")}
    for name, text in {**exports, "terminal": printed}.items():
        assert "unrefuted" in text, name
        assert power in text and "it names 1 of 2 attacks" in text, name
    for name, text in exports.items():
        assert results["scenario"]["claims"][:16] in text, name
    names = set(path.name for path in (sandbox.path / "out").iterdir() if path.is_file())
    assert names == set(exports) | {"results.csv", "run.json", "run.sqlite"}, "another export"
    assert "unrefuted" not in sandbox.read("out/results.csv") + sandbox.read("out/run.json")


def plain(text):
    """Of a field of summary.md, without what keeps it from being markup."""
    return re.sub(r"\\(.)", r"\1", text).replace("&lt;", "<").replace("&amp;", "&").strip()


SHARES = ("recovery-", "identification-", "adversarial-found")


def test_summary_has_the_reasons_and_rows_of_the_results(sandbox):
    """Each claim with its verdict and reason; rows name the settings that differ, and no others."""
    run(sandbox)
    record = json.loads(sandbox.read("out/results.json"))
    rows = [[plain(field) for field in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in sandbox.read("out/summary.md").splitlines() if line.startswith("| ")]
    claims = [row for row in rows if len(row) == 4 and row[0] not in ("verdict", "---")]
    assert len(claims) == len(record["claims"]) > 0, claims
    for row, claim in zip(claims, record["claims"]):
        assert row[0].strip("*") == claim["verdict"] and row[1] == claim["id"], row
        assert row[3].startswith(claim["reason"]), f"{row[3]!r}: {claim['reason']!r}"
        assert "; adjusted p (" in row[3] and f" by {claim['test']}, which over all" in row[3], row
    numbers = [row for row in rows if len(row) == 6 and row[0] not in ("defense", "---")]
    assert {row[0] for row in numbers} == {"plain", "lifting dimension=2", "lifting dimension=6"}
    found = {(measured["measure"], number, str(measured["n"]))
             for cell in record["pooled"] for measured in cell["measurements"]
             for number in (f"{measured['estimate']:.4g}", f"{100 * measured['estimate']:.4g} %")}
    for row in numbers:
        assert row[3].endswith(" %") == row[2].startswith(SHARES), f"{row}: its unit"
        assert (row[2].split()[0], row[3], row[5]) in found, f"{row} is not in results.json"


SWEPT = """\
[scenario]
seed = 1
[dataset]
plugin = shapes
private_images = 40
public_images = 10
secrets = 16
size = 16
[defense blur]
plugin = gaussian-blur
sigma = 0.5; 1; 2
[attack verbatim]
plugin = verbatim
[utility classification]
plugin = classification
epochs = 1
[metric image-recovery]
"""


def test_what_chance_gives_is_for_comparison(sandbox):
    """No leak by itself: neither in tables, nor as an axis of a trade-off."""
    sandbox.write("a.scenario", SWEPT)
    table = sandbox.run_ok("a.scenario", "--out", "out", "--quiet").out
    lines = {line.split()[0]: line for line in table.splitlines() if line.startswith("image-ssim")}
    assert "higher leaks more" in lines["image-ssim"], table
    assert "for comparison, no leak by itself" in lines["image-ssim-chance"], table
    sandbox.expect(sandbox.assay("report", "out", "--plots", "svg"), 0, None, None)
    drawn = {path.stem for path in (sandbox.path / "out" / "plots").iterdir()}
    assert any(name.startswith("image-ssim-vs-") for name in drawn), drawn
    assert not any(name.startswith("image-ssim-chance-") for name in drawn), drawn
    assert "blur (chance)" in sandbox.read("out/plots/image-ssim-over-sigma.csv"), "no line of it"


def test_a_classifier_that_learned_nothing_is_said(sandbox):
    """Its accuracy says it of no release: beside the table and in the results."""
    sandbox.write("a.scenario", """[scenario]
[dataset]
plugin = gaussian-classes
secrets = 300
[defense none]
plugin = none
[utility wild]
plugin = classification
model = softmax
epochs = 2
learning_rate = 100
weight_decay = 0.1
[utility tame]
plugin = classification
model = softmax
epochs = 2
""")
    said = "nothing was learned (learning_rate = 100): the loss of the training rows is "
    table = sandbox.run_ok("a.scenario", "--out", "out", "--quiet").out
    assert f"wild against none: {said}" in table and "tame against none" not in table, table
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    assert [cell["message"].startswith(said) for cell in cells] == [True, False], cells


def test_what_is_for_comparison_stands_below(sandbox):
    """In the terminal and in the report: below all headlines of its metric, though plugins list it
    beside the measure that it is compared with."""
    sandbox.write("a.scenario", SWEPT)
    table = sandbox.run_ok("a.scenario", "--out", "out", "--quiet").out
    page = sandbox.read("out/report.html")
    section = page[page.index('id="headlines"'):]
    shown = {"terminal": re.findall(r"^(image-[\w-]+) .*\(", table, re.M),
             "report": re.findall(r"<h3><code>(image-[\w-]+) ",
                                  section[:section.index("</section>")])}
    measures = json.loads(sandbox.assay("describe", "image-recovery", "--json").out)["measures"]
    assert [one["name"] for one in measures if one["reference"] and one["headline"]] == [
        "image-ssim-chance"]
    for place, order in shown.items():
        listed = [one["name"] for one in measures if one["name"] in order]
        assert listed[-1] != "image-ssim-chance", "nothing has to be moved"
        listed.remove("image-ssim-chance")
        assert order == [*listed, "image-ssim-chance"], f"{place}: {order}"
