"""A run against an earlier one: what got worse, what is no baseline, and exit codes."""

import contextlib
import json
import math
import sqlite3
import struct

import data
import tiny

# verbatim recovers all of "plain" at every tau.
ROWS = 40
TAUS = 40
KNOWN = """\
[scenario]
title = Known
seed = 3

[dataset]
plugin = vectors
private = private.fvecs
public = public.npy
database = database.fvecs
secrets = 40

[defense plain]
plugin = none

[defense lifting]
plugin = affine-lifting
dimension = 2; 4

[attack verbatim]
plugin = verbatim
"""
GROUPS = "groups = groups.csv:image\n"
METRICS = f"\n[metric recovery-rate]\ntau = {'; '.join(str((i + 1) / 100) for i in range(TAUS))}\n"


def write(sandbox, text=KNOWN, n_groups=0):
    tiny.write(sandbox, text, "known.scenario")
    if n_groups:
        names = "".join(f"i{i % n_groups}\n" for i in range(ROWS))
        sandbox.write("groups.csv", "image\n" + names)


def run(sandbox, out, *options, code=0):
    return sandbox.run_ok("known.scenario", "--out", out, "--quiet", *options, code=code)


def compare(sandbox, code):
    """The comparison of a second run with the first, as text and as JSON."""
    result = run(sandbox, "new", "--baseline", "old", code=code)
    lines = result.out.splitlines()
    return said(lines), json.loads(sandbox.read("new/baseline.json"))


def said(lines):
    """What stands of the comparison, behind which the last line says what ends with 1."""
    start = next(i for i, line in enumerate(lines) if line.startswith("against baseline old: "))
    end = lines.index("", start)
    worse = any(line.startswith("  worse: ") for line in lines)
    assert (lines[-1] == "exit 1: worse than the baseline") == worse, lines
    return lines[start:end]


@contextlib.contextmanager
def database(sandbox, name="old"):
    with contextlib.closing(sqlite3.connect(sandbox.path / name / "run.sqlite")) as opened, opened:
        yield opened


def make_better(sandbox, cell=0):
    """In the first cell nothing was recovered or identified: all 1 become 0."""
    changed = 0
    with database(sandbox) as opened:
        for metric, series, blob in opened.execute(
                "SELECT metric, series, data FROM outcomes WHERE cell = ?", (cell,)).fetchall():
            values = struct.unpack(f"={len(blob) // 8}d", blob)
            if set(values) != {1.0}:
                continue
            opened.execute(
                "UPDATE outcomes SET data = ? WHERE cell = ? AND metric = ? AND series = ?",
                (struct.pack(f"={len(values)}d", *(0.0 for _ in values)), cell, metric, series))
            changed += 1
    return changed


def refused(sandbox, message, *options, baseline="old"):
    """Exit code 2 with @message, before anything is written."""
    before = sandbox.tree()
    sandbox.refuses(sandbox.assay("run", "known.scenario", "--out", "new", "--quiet",
                                  "--baseline", baseline, *options), message)
    assert sandbox.tree() == before, "the folder changed"


def total(text):
    return int(text.split(" of ")[1].split()[0])


# ---- Comparing ----


def test_identical(sandbox):
    for n_groups in (0, 12, 40):
        write(sandbox, KNOWN.replace("[defense plain]", (GROUPS if n_groups else "")
                                     + "\n[defense plain]"), n_groups)
        run(sandbox, "old")
        lines, record = compare(sandbox, 0)
        n = total(lines[0])
        assert lines == [f"against baseline old: 0 of {n} comparisons got worse"], lines
        assert n == len(record["comparisons"]) >= 9, (n, record)
        assert ((record["format"], record["worse"], record["uncompared"])
                == ("assay-baseline/1", 0, 0)), record
        methods = {
            0: {"mcnemar", "paired-bootstrap-2000"},
            12: {"t-on-group-means"},
            40: {"cluster-bootstrap-2000"},
        }[n_groups]
        assert {one["method"] for one in record["comparisons"]} == methods, record
        cells = {one["id"] for one in json.loads(sandbox.read("new/results.json"))["pooled"]}
        for one in record["comparisons"]:
            assert (one["difference"] == 0 and one["p_value"] >= 0.5 and one["adjusted_p"] == 1
                    and one["n"] == 40 and one["worse"] is False and one["cell"] in cells), one
        sandbox.shell("rm -rf old new")


def test_store_for_folder_and_never_in_place(sandbox):
    write(sandbox)
    run(sandbox, "old")
    result = run(sandbox, "new", "--baseline", "old/run.sqlite")
    assert "comparisons got worse" in result.out, result
    own = "--baseline {}: the results would go there and replace what they are compared with; "
    own += "expected another folder for them with --out"
    before = sandbox.tree()
    for baseline in ("old", "./old/", "old/run.sqlite"):
        sandbox.refuses(sandbox.assay("run", "known.scenario", "--out", "old", "--baseline",
                                      baseline), own.format(baseline))
    assert sandbox.tree() == before, "the baseline changed"


def test_worse(sandbox):
    write(sandbox)
    run(sandbox, "old")
    n_changed = make_better(sandbox)
    lines, record = compare(sandbox, 1)
    worse = [one for one in record["comparisons"] if one["worse"]]
    assert n_changed == len(worse) == record["worse"] == len(lines) - 1 >= 2, (lines, record)
    assert lines[0].startswith(f"against baseline old: {n_changed} of "), lines
    p = 0.5**40 * len(record["comparisons"])
    line = ("  worse: recovery-rate, attack verbatim against plain: 0.0 % to 100.0 %; higher leaks "
            f"more (+1 on average over 40 secrets, p = {p:.3g}, mcnemar)")
    assert line in lines, lines
    for one in worse:
        assert math.isclose(one["p_value"], 0.5**40, rel_tol=1e-9) and one["difference"] == 1, one


def test_better_is_not_worse(sandbox):
    write(sandbox)
    run(sandbox, "old")
    run(sandbox, "new")
    make_better(sandbox)
    sandbox.shell("mv new spare; mv old new; mv spare old")
    lines = run(sandbox, "new", "--resume", "--baseline", "old").out.splitlines()
    assert any(line.startswith("against baseline old: 0 of ") for line in lines), lines


def test_many_comparisons_do_not_hide_a_change(sandbox):
    """Each bootstrap p-value is at least 1/2001; times 129 that would never be below 0.05."""
    write(sandbox, KNOWN.replace("[defense plain]", GROUPS + "\n[defense plain]") + METRICS, 40)
    run(sandbox, "old")
    n_changed = make_better(sandbox)
    lines, record = compare(sandbox, 1)
    n = total(lines[0])
    assert n > 100 and n == len(record["comparisons"]), n
    assert n_changed == TAUS + 1 == record["worse"], (n_changed, lines)
    assert {one["method"] for one in record["comparisons"]} == {"cluster-bootstrap-2000"}, record


# ---- Outcomes that one run lacks ----


def test_outcomes_missing(sandbox):
    write(sandbox)
    run(sandbox, "old")
    with database(sandbox) as opened:
        # What chance recovers and identifies is not compared.
        n = len(opened.execute("SELECT * FROM outcomes WHERE cell = 0").fetchall()) - 2
        opened.execute("DELETE FROM outcomes WHERE cell = 0")
    lines, record = compare(sandbox, 3)
    assert lines[1:] == [f"  {n} could not be compared: only one of the runs measured them"], lines
    assert record["uncompared"] == n and record["worse"] == 0, record


def test_trials_missing_on_both_sides(sandbox):
    """As many outcomes, but of other secrets: the two are not paired."""
    write(sandbox, KNOWN.replace("seed = 3", "seed = 3\ntrials = 2").replace("= 40", "= 20"))
    run(sandbox, "old")
    run(sandbox, "new")
    for name, cell in (("old", 0), ("new", 3)):
        with database(sandbox, name) as opened:
            opened.execute("DELETE FROM outcomes WHERE cell = ?", (cell,))
    result = run(sandbox, "new", "--resume", "--baseline", "old", code=3)
    assert "could not be compared: only one of the runs measured them" in result.out, result


# ---- Another scenario ----

NOISY = KNOWN.split("[defense plain]")[0] + """\
[defense noisy]
plugin = additive-noise
share = {}

[attack verbatim]
plugin = verbatim

[metric recovery-rate]
"""


def recovery(record):
    return next(one for one in record["comparisons"] if one["measure"] == "recovery-rate")


def both(sandbox, code, then, now, *options):
    """Runs @then as old and @now with it as baseline."""
    for name in ("old", "new"):
        sandbox.shell(f"rm -rf {name}")
    write(sandbox, then)
    run(sandbox, "old")
    write(sandbox, now)
    result = run(sandbox, "new", "--baseline", "old", *options, code=code)
    lines = result.out.splitlines()
    return said(lines), json.loads(sandbox.read("new/baseline.json"))


def rates(sandbox, name):
    """Of every secret whether it was recovered, by trials."""
    with database(sandbox, name) as opened:
        blobs = opened.execute("SELECT data FROM outcomes WHERE metric = 0 AND series = 0 "
                               "ORDER BY cell").fetchall()
    return [struct.unpack(f"={len(blob) // 8}d", blob) for blob, in blobs]


def test_a_weaker_defense_of_the_same_name_is_worse(sandbox):
    lines, record = both(sandbox, 1, NOISY.format(0.9), NOISY.format(0.01))
    assert lines[:2] == ["against baseline old: 3 of 3 comparisons got worse",
                         "  changed: defense noisy: share was 0.9, is 0.01"], lines
    assert record["changed"] == ["defense noisy: share was 0.9, is 0.01"], record
    one = recovery(record)
    before, = rates(sandbox, "old")
    after, = rates(sandbox, "new")
    up = sum(b < a for b, a in zip(before, after))
    assert not any(b > a for b, a in zip(before, after)) and up > 30, (before, after)
    assert one["method"] == "mcnemar" and math.isclose(one["p_value"], 0.5**up), one
    lines, _ = both(sandbox, 0, NOISY.format(0.01), NOISY.format(0.9))
    assert lines == ["against baseline old: 0 of 3 comparisons got worse",
                     "  changed: defense noisy: share was 0.01, is 0.9"], lines


def test_another_plugin_or_name_of_the_only_defense(sandbox):
    plain = NOISY.replace("additive-noise\nshare = {}", "none")
    lines, _ = both(sandbox, 1, NOISY.format(0.9), plain)
    assert "  changed: defense noisy: plugin was additive-noise, is none" in lines, lines
    renamed = plain.replace("[defense noisy]", "[defense ours]")
    lines, _ = both(sandbox, 1, NOISY.format(0.9), renamed)
    assert ("  changed: defense ours: was called noisy; plugin was additive-noise, is none"
            in lines), lines


LOST = "  what the baseline alone has may have got worse: expected it in both runs, or a new baseline"


def test_what_only_one_run_has_is_named(sandbox):
    """What is not there any more shows nothing, and so do other settings of it; what is new does."""
    more = NOISY.format("0.1; 0.2").replace("[metric", "[attack near]\nplugin = nearest\n"
                                            "grants = public\n\n[metric")
    lines, record = both(sandbox, 3, NOISY.format("0.1; 0.3"), more)
    assert lines == ["against baseline old: 0 of 3 comparisons got worse",
                     "  not compared: defense noisy share=0.2 is new",
                     "  not compared: defense noisy share=0.3 is in the baseline alone",
                     "  not compared: attack near is new", LOST], lines
    assert len(record["not_compared"]) == 3 and record["uncompared"] == 0, record
    lines, _ = both(sandbox, 0, NOISY.format("0.1"), more.replace("0.1; 0.2", "0.1"))
    assert lines[1:] == ["  not compared: attack near is new"], lines
    lines, _ = both(sandbox, 3, more, NOISY.format("0.1; 0.2"))
    assert lines[1:] == ["  not compared: attack near is in the baseline alone", LOST], lines


def test_another_metric_measures_something_else(sandbox):
    text = NOISY.format(0.1).replace("[metric recovery-rate]", "[metric recovery-rate]\ntau = {}")
    lines, record = both(sandbox, 3, text.format(0.3), text.format(0.1))
    assert lines[1:] == ["  not compared: metric recovery-rate: tau was 0.3, is 0.1", LOST], lines
    assert ([one["measure"] for one in record["comparisons"]]
            == ["identification-rate", "relative-error-median"]), record


def test_trials_that_both_have(sandbox):
    text = NOISY.format(0.12).replace("secrets = 40", "secrets = 13")
    lines, record = both(sandbox, 0, text, text, "--trials", "3")
    assert lines[1:] == ["  changed: trials was 1, is 3: the first 1 of them are compared"], lines
    one = recovery(record)
    assert one["n"] == 13 and one["difference"] == 0, "the same secrets, the same noise"


def test_other_secrets_are_two_samples(sandbox):
    """Another seed draws other secrets: by intervals that are apart, which sees large changes."""
    text = NOISY.replace("secrets = 40", "secrets = 20")
    said = ("  changed: seed was 3, is 4: the secrets are others, so that two samples are "
            "compared, which shows less than the same secrets would")
    lines, record = both(sandbox, 0, text.format(0.12), text.format(0.12), "--seed", "4")
    assert lines[1:] == [said], lines
    assert record["comparisons"][0]["method"] == "intervals-apart", record
    lines, record = both(sandbox, 1, text.format(0.9), text.format(0.01), "--seed", "4")
    assert lines[1] == said and record["worse"] == 3, lines
    one = recovery(record)
    # 0 and 20 of 20: the bounds meet where (a/2)^(1/20) = 1/2.
    assert math.isclose(one["p_value"], 2 * 0.5**20, rel_tol=1e-3), one


# ---- What is no baseline ----


def test_nothing_in_common(sandbox):
    """In plain words, before anything is written."""
    write(sandbox)
    run(sandbox, "old")
    nothing = "nothing can be compared with baseline old: "
    changed = KNOWN.replace("plugin = verbatim", "plugin = nearest\ngrants = public")
    write(sandbox, changed)
    refused(sandbox, nothing + "attack verbatim: plugin was verbatim, is nearest")
    write(sandbox, KNOWN.replace("[attack verbatim]\nplugin = verbatim",
                                 "[attack near]\nplugin = nearest\ngrants = public"))
    refused(sandbox, nothing + "attack near is new; attack verbatim is in the baseline alone")


def test_other_data(sandbox):
    write(sandbox)
    run(sandbox, "old")
    sandbox.write("private.fvecs", data.file_bytes("private.fvecs", data.make_rows(40, 16, 9)))
    result = sandbox.assay("run", "known.scenario", "--out", "new", "--quiet", "--baseline", "old")
    sandbox.expect(result, 2, "",
                   "assay: nothing can be compared with baseline old: dataset vectors: its data "
                   "are others (sha256 {*}, here {*})\n")
    assert not (sandbox.path / "new").exists(), "a folder was made"


def test_read_otherwise(sandbox):
    """A plan that this version would not make of the same scenario."""
    write(sandbox)
    run(sandbox, "old")
    with database(sandbox) as opened:
        opened.execute("UPDATE meta SET value = replace(value, 'trials=1', 'trials=9') "
                       "WHERE key = 'plan'")
    refused(sandbox, "baseline old was made by Assay {*}, and this is {*}, which reads its "
            "scenario otherwise; expected a run of this version")


def test_unfinished(sandbox):
    write(sandbox)
    run(sandbox, "old")
    with database(sandbox) as opened:
        opened.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
    refused(sandbox, "baseline old is an unfinished run")


def test_not_a_run(sandbox):
    write(sandbox)
    missing = "baseline %s: expected the output folder of a finished run, with run.sqlite"
    refused(sandbox, missing % "nothing", baseline="nothing")
    sandbox.shell("mkdir empty other; echo 'no database, but a text' > other/run.sqlite")
    refused(sandbox, missing % "empty", baseline="empty")
    result = sandbox.assay("run", "known.scenario", "--out", "new", "--baseline", "other")
    sandbox.expect(result, 2, "")
    assert result.err.startswith("assay: other/run.sqlite: "), result
    assert not (sandbox.path / "new").exists(), "a folder was made"


def test_newer_version(sandbox):
    write(sandbox)
    run(sandbox, "old")
    with database(sandbox) as opened:
        opened.execute("PRAGMA user_version = 99")
    refused(sandbox, "old/run.sqlite: made by a newer version of Assay (store 99, this one reads "
            "{*}); expected that version, or a new run in another folder")
