"""Run stores that somebody changed: their pages are whole, what their cells hold is not ours."""

import os
import random
import shutil
import sqlite3

import pytest

import tiny

# Pictures, groups, tuning: something in every table.
SCENARIO = """\
[scenario]
trials = 2

[dataset]
plugin = scenes
pictures = yes
private_images = 8
public_images = 3
database_images = 2
per_image = 15
width = 64
height = 48
secret_groups = 2
tune_secrets = 20

[defense plain]
plugin = none

[attack near]
plugin = nearest
grants = public
tune.project = yes; no
tune_measure = relative-error-median

[pictures faces]

[claim hidden]
measure = recovery-rate
at-most = 0.1
"""
KEYS = {
    "meta": ["key"],
    "cells": ["cell"],
    "outcomes": ["cell", "metric", "series"],
    "groups": ["dataset", "trial"],
    "tunings": ["dataset", "defense", "attack"],
    "thumbnails": ["sha256"],
    "pictures": ["cell", "metric", "role", "unit"],
}
NOT_UTF8 = "CAST (x'ff80' AS TEXT)"
WITH_ZERO = "CAST (x'61006200' AS TEXT)"

# What is done to the store, and the word that the message has for it.
CHANGES = [
    (f"UPDATE meta SET value = {NOT_UTF8} WHERE key = 'state'", "a text is not one"),
    (f"UPDATE meta SET value = {WITH_ZERO} WHERE key = 'state'", "a text is not one"),
    ("UPDATE meta SET value = x'00' WHERE key = 'plan'", "a text is not one"),
    ("UPDATE meta SET key = 7.5 || x'ff' WHERE key = 'state'", "a text is not one"),
    (f"UPDATE cells SET message = {NOT_UTF8}", "a cell's message is not text"),
    ("UPDATE cells SET message = x'61'", "a cell's message is not text"),
    ("UPDATE cells SET message = hex(zeroblob(600000))", "longer than any that Assay writes"),
    ("UPDATE meta SET value = hex(zeroblob(9000000)) WHERE key = 'serial'",
     "longer than any that Assay writes"),
    ("UPDATE meta SET value = value || char (27) || '[31m' WHERE key = 'version'",
     "meta version: a text would steer the terminal"),
    ("UPDATE meta SET value = char (8238) || value WHERE key = 'state'",
     "meta state: a text would steer the terminal"),
    ("UPDATE meta SET key = char (155) || key WHERE key = 'state'",
     "a text would steer the terminal"),
    ("UPDATE cells SET status = -1", "a cell has a status that there is not"),
    ("UPDATE cells SET status = 1e18", "a cell has a status that there is not"),
    ("UPDATE cells SET status = 'ok'", "a cell's numbers are none"),
    ("UPDATE cells SET begun = x''", "a cell's numbers are none"),
    ("UPDATE cells SET seconds = 'long'", "a cell's numbers are none"),
    ("UPDATE cells SET seconds = 9e999", "a cell's numbers are none"),
    ("UPDATE cells SET cell = cell - 3", "a cell's numbers are none"),
    ("UPDATE outcomes SET data = 'text'", "outcomes are no numbers"),
    ("UPDATE outcomes SET data = substr (data, 2)", "outcomes are no numbers"),
    ("UPDATE outcomes SET metric = 'm' || metric", "outcomes are no numbers"),
    ("UPDATE groups SET data = x'0102'", "groups are no numbers"),
    ("UPDATE tunings SET chosen = 2", "tuning chose what it did not try"),
    ("UPDATE tunings SET chosen = -1", "tuning chose what it did not try"),
    ("UPDATE tunings SET estimates = x''", "tuning chose what it did not try"),
    ("UPDATE thumbnails SET width = width + 1", "a picture has not the bytes that its size says"),
    ("UPDATE thumbnails SET height = 0", "a picture has not the bytes that its size says"),
    ("UPDATE thumbnails SET channels = 2", "a picture has not the bytes that its size says"),
    ("UPDATE thumbnails SET width = 1 << 62", "a picture has not the bytes that its size says"),
    ("DELETE FROM thumbnails", "a picture is missing"),
    (f"UPDATE pictures SET thumbnail = {NOT_UTF8}", "a picture is missing"),
    ("CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM outcomes; END",
     "its tables are not those of a run store"),
    ("CREATE VIEW v AS SELECT * FROM cells", "its tables are not those of a run store"),
    ("DROP TABLE groups", "its tables are not those of a run store"),
    ("ALTER TABLE cells ADD COLUMN more", "its tables are not those of a run store"),
    ("CREATE TABLE other (a)", "its tables are not those of a run store"),
    ("CREATE INDEX i ON cells (status)", "its tables are not those of a run store"),
]


@pytest.fixture(name="run")
def fixture_run(sandbox):
    tiny.write(sandbox, SCENARIO)
    result = sandbox.assay("run", "tiny.scenario", "--out", "run", "--quiet")
    assert result.code in (0, 1, 3), result
    return sandbox.path / "run"


def open_copy(run, name="copy"):
    copy = run.parent / name
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    shutil.copy(run / "run.sqlite", copy)
    database = sqlite3.connect(copy / "run.sqlite", isolation_level=None)
    database.text_factory = bytes
    return database


def test_each_change_is_told(sandbox, run):
    for i, (change, told) in enumerate(CHANGES):
        database = open_copy(run)
        database.execute("PRAGMA ignore_check_constraints = 1")
        database.execute(change)
        database.close()
        commands = [["report", "copy"], ["compare", "run", "copy"],
                    ["run", "tiny.scenario", "--out", "copy", "--resume"]]
        for command in commands if i % 8 == 0 else commands[:1]:
            result = sandbox.assay(*command)
            assert result.code == 2, f"{change}\n{result}"
            assert "copy/run.sqlite: the run store is damaged (" in result.err, result
            assert told in result.err, f"{change}\n{result}"


def test_groups_of_one_trial_alone(sandbox, run):
    """A sample over both trials would have more units than groups."""
    for trial in (0, 1):
        database = open_copy(run)
        database.execute(f"DELETE FROM groups WHERE trial = {trial}")
        database.close()
        for command in (["report", "copy"], ["compare", "run", "copy"]):
            result = sandbox.assay(*command)
            assert result.code == 2, result
            assert "the run store is damaged (groups of some trials are missing)" in result.err


def test_sealed_claims_that_steer_the_terminal(sandbox, run):
    """Sealed claims that were changed are printed as they stand in the store."""
    database = open_copy(run)
    database.execute("UPDATE meta SET value = value || 'red' || char (27) || '[31m' || char (9, 133)"
                     " WHERE key = 'claims'")
    database.close()
    result = sandbox.assay("report", "copy")
    assert "they were changed after cells had run" in result.out, result
    assert "red [31m" in result.out, result
    assert not set("\x1b\t\x85") & set(result.out), result


# ---- Programs ----

PROGRAM = """\
[dataset]
plugin = vectors
private = private.fvecs
secrets = 8

[defense ours]
plugin = exec
command = sh ours.sh

[attack verbatim]
plugin = verbatim
"""
RELEASES = """\
mkdir "$1/release"
cp "$1/secrets.npy" "$1/release/vectors.npy"
echo '{"format": "assay-release/1", "kind": "vectors",
       "arrays": {"vectors": {"file": "vectors.npy"}}}' > "$1/release/release.json"
"""
STEERS = "\x1b\x07\x85\x9b\u202e\u2066\u2028"


def write_program(sandbox, folder):
    """A scenario with a program, in a folder of that name; the scenario's path."""
    tiny.write(sandbox)
    sandbox.write(f"{folder}/private.fvecs", (sandbox.path / "private.fvecs").read_bytes())
    sandbox.write(f"{folder}/ours.sh", RELEASES)
    return sandbox.write(f"{folder}/ours.scenario", PROGRAM)


def test_a_program_in_a_folder_of_any_name(sandbox):
    """A name of any bytes does not make a store that cannot be read."""
    scenario = write_program(sandbox, os.fsdecode(b"odd-\xff-\x1b[31m-\xe2\x80\xae-\n-"))
    for command in (["run", scenario, "--out", "out", "--quiet"], ["report", "out"],
                    ["run", scenario, "--out", "out", "--quiet", "--resume"]):
        result = sandbox.assay(*command)
        assert result.code == 0, result
        assert not set(STEERS) & set(result.out + result.err), result
    with sqlite3.connect(sandbox.path / "out" / "run.sqlite") as database:
        said = database.execute("SELECT value FROM meta WHERE key = 'program.defense.0'").fetchone()
    assert "/odd-\ufffd- [31m- - -/ours.sh\n" in said[0], said


def test_programs_that_are_not_all_named(sandbox):
    """What a store says of programs may be cut short, or be no hashes."""
    scenario = write_program(sandbox, "place")
    ran = sandbox.assay("run", scenario, "--out", "run", "--quiet")
    assert ran.code == 0, ran
    for said, was in (("", "unknown"), ("\n\n", "unknown"), ("abc", "abc"),
                      ("a" + 12 * "\u00e9" + " /x\n", "a" + 5 * "\u00e9" + "\ufffd")):
        database = open_copy(sandbox.path / "run")
        database.execute("UPDATE meta SET value = ? WHERE key = 'program.defense.0'", [said])
        database.execute("UPDATE cells SET status = 0")
        database.close()
        resumed = sandbox.assay("run", scenario, "--out", "copy", "--quiet", "--resume")
        assert resumed.code == 2, f"{said!r}\n{resumed}"
        assert f"changed since the run began (sha256 {was}, now " in resumed.err, resumed
    database = open_copy(sandbox.path / "run")
    database.execute("UPDATE meta SET value = ? WHERE key = 'program.defense.0'",
                     ["a" + 12 * "\u00e9" + " /x\n"])
    database.close()
    gated = sandbox.assay("run", scenario, "--out", "new", "--quiet", "--baseline", "copy")
    assert gated.code == 0, gated
    assert "changed: defense ours: ours.sh was a" + 5 * "\u00e9" + "\ufffd, is " in gated.out, gated


def test_every_table_has_rows(run):
    """What is changed above is there."""
    with sqlite3.connect(run / "run.sqlite") as database:
        for table in KEYS:
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > 0, table


# ---- At random ----


def other_value(old, rng):
    """An expression in SQL with its value, in place of @old."""
    if isinstance(old, bytes) and old and rng.random() < 0.6:
        new = bytearray(old)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(new))
            if rng.random() < 0.5:
                new[at] = rng.randrange(256)
            else:
                del new[at : at + rng.randrange(1, 9)]
            if not new:
                break
        return rng.choice(["CAST (? AS TEXT)", "?"]), bytes(new)
    return "?", rng.choice([None, 0, 1, -1, 255, 2**31, 2**63 - 1, -(2**63), 1.5, 1e308,
                            float("inf"), -0.0, "", "a text", "[" * 3000, b"", b"\xff\x00"])


def change_at_random(database, rng):
    table = rng.choice(list(KEYS))
    names = [row[1].decode() for row in database.execute(f"PRAGMA table_info ({table})")]
    column = rng.choice(names)
    rows = database.execute(f"SELECT {column}, {', '.join(KEYS[table])} FROM {table}").fetchall()
    old, *key = rng.choice(rows)
    expression, value = other_value(old, rng)
    where = " AND ".join(f"CAST ({name} AS BLOB) = CAST (? AS BLOB)" for name in KEYS[table])
    try:
        database.execute(f"UPDATE {table} SET {column} = {expression} WHERE {where}",
                         [value, *key])
    except sqlite3.Error:
        pass  # it breaks a constraint of the table
    return table, column, value


def check_at_random(sandbox, run, seed, count):
    """Whatever the cells hold: results, or an error in words."""
    rng = random.Random(seed)
    for _ in range(count):
        database = open_copy(run)
        changes = [change_at_random(database, rng) for _ in range(rng.randrange(1, 4))]
        database.close()
        for command in (["report", "copy", "--quiet"], ["compare", "run", "copy"]):
            result = sandbox.assay(*command)
            assert result.code in (0, 1, 2, 3), f"{changes}\n{result}"
            assert result.code != 2 or result.err.startswith("assay: "), f"{changes}\n{result}"
            assert "CRITICAL" not in result.err, f"{changes}\n{result}"


def test_some_at_random(sandbox, run):
    check_at_random(sandbox, run, seed=1, count=25)


@pytest.mark.slow
def test_many_at_random(sandbox, run):
    check_at_random(sandbox, run, seed=2, count=2000)
