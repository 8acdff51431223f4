"""assay audit: from a defense and a file of rows to a verdict."""

import csv
import math
import os
import pathlib
import random
import re
import shlex
import struct
import sys

import pytest

import data
from auditing import people, place, program, verdicts


@pytest.mark.slow
def test_secret_key_is_learned_from_pairs(sandbox):
    """A rotation hides rows from who does not know it, and not from who knows some of them."""
    people(sandbox)
    found = sandbox.assay("audit", "--defense", "random-rotation", "--set", "noise=0.01", "--data",
                          "people.npy", "--time", "200s", "-q")
    assert found.code == 1 and verdicts(found.out)["recovery-rate"] == "violated", str(found)
    assert "learned-inversion-known-pairs against random-rotation" in found.out
    # Of two releases under keys of their own, nobody knows pairs of one key: nothing errs.
    text = sandbox.read(place(found.out, "scenario"))
    assert "[attack cross-linkage]" in text and "cross-linkage-known-pairs" not in text
    assert "error in" not in found.out and "linkability" in verdicts(found.out), str(found)


def table(sandbox, n=300):
    """Names, numbers and words of people in one table: a job and a town can be told from the numbers."""
    rng = random.Random(9)
    lines = ["name,age,job,income,height,town"]
    for i in range(n):
        job, town = rng.choice(("nurse", 'clerk, "senior"', "baker")), rng.choice(("north", "south"))
        quoted = '"' + job.replace('"', '""') + '"'
        lines.append(f"P{i},{len(job) + rng.gauss(0, 0.1)!r},{quoted},{rng.gauss(30, 5)!r},"
                     f"{(town == 'north') + rng.gauss(0, 0.1)!r},{town}")
    sandbox.write("table.csv", "\n".join(lines) + "\n")
    return [dict(zip(lines[0].split(","), row)) for row in csv.reader(lines[1:])]


def test_labels_and_attributes_are_columns_of_the_table(sandbox):
    """They are taken out of the rows, and each stays with its row."""
    rows = {float(row["income"]): row for row in table(sandbox)}
    found = sandbox.assay("audit", "--defense", "none", "--data", "table.csv[-name]", "--labels",
                          "job", "--attributes", "town", "--time", "100s", "-q")
    assert found.code == 1 and verdicts(found.out)["attribute-excess"] == "violated", str(found)
    assert "attack attribute-inference-of-columns against none" in found.out + sandbox.read(
        place(found.out, "report")), str(found)
    scenario = sandbox.read(place(found.out, "scenario"))
    assert "name = town\n" in scenario and "attributes = private-attributes.csv\n" in scenario
    folder = pathlib.Path(place(found.out, "scenario")).parent
    jobs = {}
    for role in ("private", "public"):
        _, (n, cols), numbers = data.read_npy(sandbox.path / folder / f"{role}.npy")
        towns = sandbox.read(folder / f"{role}-attributes.csv").splitlines()
        labels = data.read_npy(sandbox.path / folder / f"{role}-labels.npy")[2]
        assert cols == 3 and towns[0] == "town" and len(towns) == n + 1 == len(labels) + 1
        for i, (town, label) in enumerate(zip(towns[1:], labels)):
            row = next(r for value, r in rows.items() if abs(value - numbers[3 * i + 1]) < 1e-4)
            assert row["town"] == town and jobs.setdefault(label, row["job"]) == row["job"]
    assert len(set(jobs.values())) == 3, jobs


@pytest.mark.slow
def test_labels_as_a_chosen_column_of_a_file(sandbox):
    """FILE[COLUMN], as of Parquet, beside data that have columns of their own: those of FILE.csv:COLUMN."""
    table(sandbox)
    sandbox.write("classes.csv", "x,class\n" + "".join(f"7,{i % 3}\n" for i in range(300)))
    written = []
    for word in ("classes.csv[class]", "classes.csv:class"):
        found = sandbox.assay("audit", "--defense", "none", "--data", "table.csv[age,income]",
                              "--labels", word, "--time", "20s", "-q")
        folder = pathlib.Path(place(found.out, "scenario")).parent
        written.append([list(data.read_npy(sandbox.path / folder / f"{role}-labels.npy")[2])
                        for role in ("private", "public")])
    assert written[0] == written[1] and set(written[0][0]) == {0, 1, 2}, written


def test_tau_of_rows_that_are_alike(sandbox):
    """It is small, has three digits at most, and is explained."""
    rng = random.Random(3)
    sandbox.write("alike.csv", "a,b\n" + "".join(
        f"{100 + rng.gauss(0, 1)!r},{200 + rng.gauss(0, 1)!r}\n" for _ in range(300)))
    found = sandbox.assay("audit", "--defense", "none", "--data", "alike.csv", "--time", "1s")
    scenario = next((sandbox.path / "assay-out").glob("*/audit.scenario")).read_text()
    tau = re.search(r"^tau = (\S+)$", scenario, re.MULTILINE).group(1)
    assert float(tau) < 0.01 and len(tau.lstrip("0.")) <= 3, tau
    assert f"rows are alike: a row counts as recovered by a guess that is {tau} of its" in found.err, \
        str(found)


def test_columns_that_cannot_be_labels(sandbox):
    table(sandbox)
    for words, message in (
            (("table.csv[-name]", "--labels", "jop"), "--data: ./table.csv: has no column 'jop' (did "
             "you mean 'job'?)"),
            (("table.csv[age,income]", "--labels", "job", "--attributes", "name"),
             "--attributes: name has 300 different values in 300 rows; expected classes"),
            (("table.csv[age,job]", "--labels", "job", "--attributes", "town,town"),
             "--attributes: town appears twice"),
            (("table.csv[job]", "--labels", "job"),
             "--data: table.csv[job]: each of its columns is a label or an attribute; expected "
             "numbers beside them"),
            (("table.csv[\"age\"x]", "--labels", "job"), "--data: table.csv[\"age\"x]: line 1: "),
            (("table.csv[age]", "--attributes", "other.csv:town"), "--attributes: other.csv: no such"),
            (("table.csv[-name,-job]", "--attributes", "town", "--public", "table.csv[age]"),
             "--public and --attributes: the public rows need attributes, too"),
    ):
        found = sandbox.assay("audit", "--defense", "none", "--data", *words, "-q")
        assert found.code == 2 and found.err.startswith(f"assay: {message}"), str(found)
        assert not list((sandbox.path / "assay-out").glob("*")), words


def test_bad_input(sandbox):
    people(sandbox)
    sandbox.write("few.npy", data.npy_bytes(data.make_rows(100, 4, 1)))
    sandbox.write("ten.npy", data.npy_bytes(list(range(10)), kind="int64"))
    sandbox.write("same.npy", data.npy_bytes([1] * 400, kind="int64"))
    sandbox.write("nan.csv", "a,b\n" + "1,2\n" * 300 + "1,1e60\n")
    os.mkfifo(sandbox.path / "pipe.csv")  # which nobody writes into: whoever waits for it waits on
    python = shlex.quote(sys.executable)
    program(sandbox, "named.py",
            "sys.exit('k is ' + request['set']['k'] + ', ' + request['set']['way'])")
    program(sandbox, "failing.py", "sys.exit('no key: set MY_KEY')")
    none = ("--defense", "none")
    for words, message in (
            ((*none,), "assay audit: expected --data FILE: the rows to be protected; "
                       "'assay audit --help' explains"),
            (("--data", "people.npy"), "assay audit: expected --command 'PROGRAM', or --defense "
                                       "NAME; 'assay list defenses' shows all"),
            (("--defense", "gausian", "--data", "people.npy"),
             "assay: unknown defense 'gausian' (did you mean 'gaussian'?); 'assay list defenses' "
             "shows all"),
            ((*none, "--data", "missing.npy"), "assay: --data: missing.npy: no such file"),
            ((*none, "--data", "few.npy"),
             "assay: --data: 100 rows are too few; expected 240 at least: 60 to be protected at a "
             "time, as many to compare them with, and twice as many for the attacker"),
            ((*none, "--data", "people.npy", "--labels", "ten.npy"),
             "assay: --labels: ten.npy has 10 rows of 1 columns; expected one column with a label "
             "for each of the 400 rows of the data"),
            ((*none, "--data", "people.npy", "--labels", "same.npy"),
             "assay: --labels: same.npy has 1 different values in 400 rows; expected classes"),
            ((*none, "--data", "people.npy", "--labels", "class.csv"),
             "assay: --labels: class.csv has the columns id, class; expected "
             "class.csv:COLUMN"),
            ((*none, "--data", "people.npy", "--labels", "pipe.csv"),
             "assay: --labels: pipe.csv: is not a regular file"),
            ((*none, "--data", "nan.csv"),
             "assay: --data: ./nan.csv: row 300, column 1 is beyond the range of float32"),
            ((*none, "--data", "people.npy", "--time", "soon"),
             "assay: --time soon: expected 1 s at least, such as 90s, 5m or 1h"),
            ((*none, "--data", "people.npy", "--claim", "recovery-rate"),
             "assay: --claim 'recovery-rate': expected MEASURE=BOUND"),
            ((*none, "--data", "people.npy", "--claim", "recovery-rate=10%"),
             "assay: --claim 'recovery-rate=10%': expected MEASURE=BOUND, such as "
             "recovery-rate=0.01; 10 % is 0.1"),
            (("--command", "failing.py", "--data", "people.npy"),
             "assay: defense exec: the program 'failing.py' cannot be started: it is not in PATH; "
             "expected an interpreter before it"),
            (("--command", f"{python} named.py", "--set", "set.k=3", "--set", "set.way=far",
              "--data", "people.npy"),
             "assay: defense exec: the program ended with exit status 1; its last lines: k is 3, "
             "far"),
            ((*none, "--data", "people.npy", "--secrets", "150"),
             "assay: --secrets 150: expected at most half of the 200 rows that are private"),
            (("--command", f"{python} failing.py", "--data", "people.npy"),
             "assay: defense exec: the program ended with exit status 1; its last lines: no key: set "
             "MY_KEY"),
    ):
        found = sandbox.assay("audit", *words, "-q")
        assert found.code == 2 and found.err.startswith(message) and not found.out, str(found)
        assert not list((sandbox.path / "assay-out").glob("*")), words


COPY = """\
import json, pathlib, sys
folder = pathlib.Path(sys.argv[-1])
release = folder / "release"
release.mkdir()
(release / "vectors.npy").write_bytes((folder / "secrets.npy").read_bytes())
(release / "release.json").write_text(json.dumps({
    "format": "assay-release/1", "kind": "vectors",
    "arrays": {"vectors": {"file": "vectors.npy"}}}))
"""


RUN = """\
[scenario]
title = Rows in the folder of results
trials = 1
[dataset]
plugin = vectors
private = assay-out/earlier/rows.npy
secrets = 40
[defense copy]
plugin = exec
command = python3 copy.py
[attack verbatim]
plugin = verbatim
[metric recovery-rate]
"""


def test_rows_in_the_folder_of_results(sandbox):
    """As an audit without --out has them: the folder is hidden from the program, which runs, and
    is not confined by less for it."""
    sandbox.write("copy.py", COPY)
    (sandbox.path / "assay-out" / "earlier").mkdir(parents=True)
    sandbox.write("assay-out/earlier/rows.npy",
                  data.file_bytes("rows.npy", data.make_rows(60, 6, 3)))
    sandbox.write("run.scenario", RUN)
    found = sandbox.assay("run", "run.scenario", "--quiet")
    assert found.code == 0 and "bwrap: " not in found.out, str(found)
    assert "100.0 %" in found.out, f"what is copied is recovered: {found}"


def table_of(sandbox, name, rows):
    names = ["age", "income", "height", "visits"][: len(rows[0])]
    sandbox.write(name, "\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows)]) + "\n")


def test_release_that_exists_already(sandbox):
    """Row i of one file is what was released of row i of the other. A rotation is learned from the
    half that attackers have; pairs of rows in another order teach nothing, and decide nothing."""
    rng = random.Random(6)
    rows = [[rng.gauss(0, 1) for _ in range(4)] for _ in range(400)]
    turned = [[0.6 * a - 0.8 * b, 0.8 * a + 0.6 * b, d, c] for a, b, c, d in rows]
    table_of(sandbox, "people.csv", rows)
    table_of(sandbox, "turned.csv", turned)
    found = sandbox.assay("audit", "--released", "turned.csv", "--data", "people.csv", "-q")
    assert found.code == 1 and verdicts(found.out)["recovery-rate"] == "violated", str(found)
    assert "attack learned-inversion against release-folder: recovery-rate is 100 %" in found.out
    scenario = place(found.out, "scenario")
    assert "\npairs = pairs\n" in sandbox.read(scenario)
    folder = sandbox.path / pathlib.Path(scenario).parent
    for place_of, of_rows in (("release", "private.npy"), ("pairs/release", "public.npy")):
        released = data.read_npy(folder / place_of / "vectors.npy")[2]
        own = data.read_npy(folder / of_rows)[2]
        assert max(abs(released[4 * i] - 0.6 * own[4 * i] + 0.8 * own[4 * i + 1])
                   for i in range(200)) < 1e-5, place_of
    # The scenario runs again.
    sandbox.expect(sandbox.assay("run", scenario, "--out", "again", "-q"), 1)
    table_of(sandbox, "others.csv", turned[1:] + turned[:1])
    found = sandbox.assay("audit", "--released", "others.csv", "--data", "people.csv", "-q")
    assert set(verdicts(found.out).values()) == {"inconclusive"} and found.code == 3, str(found)
    assert "nothing shows that the attack could break this bound" in found.out, str(found)


def test_advice_on_more_rows(sandbox):
    """One row in eight is released as it is, and the claim allows one in ten: 200 rows do not
    decide it, and the last line says how many would."""
    rng = random.Random(8)
    rows = [[rng.gauss(0, 1) for _ in range(4)] for _ in range(400)]
    table_of(sandbox, "people.csv", rows)
    table_of(sandbox, "some.csv", [row if i % 8 == 0 else [rng.gauss(0, 1) for _ in row]
                                   for i, row in enumerate(rows)])
    found = sandbox.assay("audit", "--released", "some.csv", "--data", "people.csv", "-q", "--claim",
                          "identification-rate=0.6")
    assert found.code == 3 and verdicts(found.out)["recovery-rate"] == "inconclusive", str(found)
    more = re.search(r"^more:     a claim is open for want of rows: about (\d+) private ones would decide "
                     r"it if the estimate stays, and there are 200$", found.out, re.MULTILINE)
    assert more and int(more[1]) > 200, str(found)
    # An allowance that is far away is decided, and nothing is advised.
    found = sandbox.assay("audit", "--released", "some.csv", "--data", "people.csv", "-q",
                          *(word for measure in ("recovery-rate", "identification-rate", "attribute-excess")
                            for word in ("--claim", f"{measure}=0.6")))
    assert "\nmore:" not in found.out, str(found)


def test_release_that_exists_with_columns_of_its_own(sandbox):
    """Two of four columns, one of them in thousands: learners alone, and nothing can be upheld."""
    rng = random.Random(7)
    rows = [[rng.gauss(0, 1), 20000 * rng.gauss(2, 1), rng.gauss(0, 1), rng.gauss(0, 1)]
            for _ in range(400)]
    table_of(sandbox, "people.csv", rows)
    table_of(sandbox, "two.csv", [row[:2] for row in rows])
    found = sandbox.assay("audit", "--released", "two.csv", "--data", "people.csv", "-q")
    said = verdicts(found.out)
    assert found.code == 1 and said["identification-rate"] == "violated", str(found)
    assert "upheld" not in said.values() and "against unprotected" not in found.out, str(found)
    # Who compares rows with releases has none of other rows, and is no failure.
    assert "\nerror:" not in found.out and "ended in an error" not in found.out, str(found)
    assert "- nearest: what is released has 2 columns and a row has 4, and nobody can" in sandbox.read(
        place(found.out, "scenario")), str(found)
    assert "divided by powers of two" in sandbox.read(place(found.out, "scenario")).replace("\n# ", " ")


def npy(kind, values, shape, order=False):
    header = repr({"descr": kind[0], "fortran_order": order, "shape": shape})
    header = header.ljust((len(header) + 11 + 63) // 64 * 64 - 11) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"{kind[2]}{len(values)}{kind[1]}", *values))


@pytest.mark.parametrize("name", (
    "steps.npy", "images.npy",
    # The reader's own tests have every type and order (test-npy, npy-against-numpy).
    *(pytest.param(name, marks=pytest.mark.slow)
      for name in ("half.npy", "double.npy", "fortran.npy"))))
def test_npy_files_that_were_released(sandbox, name):
    """Any type, order and shape of a NumPy array: what is released of a row is all of its numbers."""
    people(sandbox)
    rows = data.read_npy(sandbox.path / "people.npy")[2]
    steps = [max(-127, min(127, round(40 * x))) for x in rows]
    by_columns = [rows[4 * i + j] for j in range(4) for i in range(400)]
    sandbox.write(name, {
        "half.npy": lambda: npy(("<f2", "e", "<"), rows, (400, 4)),
        "double.npy": lambda: npy((">f8", "d", ">"), rows, (400, 4)),
        "steps.npy": lambda: npy(("|i1", "b", "<"), steps, (400, 4)),
        "fortran.npy": lambda: npy(("<f4", "f", "<"), by_columns, (400, 4), True),
        "images.npy": lambda: npy(("<f4", "f", "<"), rows, (400, 2, 2))}[name]())
    found = sandbox.assay("audit", "--released", name, "--data", "people.npy", "-q")
    assert found.code == 1 and verdicts(found.out)["recovery-rate"] == "violated", (name, str(found))
    folder = sandbox.path / pathlib.Path(place(found.out, "scenario")).parent
    _, shape, vectors = data.read_npy(folder / "release" / "vectors.npy")
    private = data.read_npy(folder / "private.npy")[2]
    scale = 40 if name == "steps.npy" else 1
    assert tuple(shape) == (200, 4), name
    assert max(abs(a / scale - b) for a, b in zip(vectors, private) if abs(b) < 3) < 0.02, name


def test_npy_file_of_one_number_for_each_row(sandbox):
    people(sandbox)
    rows = data.read_npy(sandbox.path / "people.npy")[2]
    sandbox.write("one.npy", npy(("<f4", "f", "<"), rows[:400], (400,)))
    found = sandbox.assay("audit", "--released", "one.npy", "--data", "people.npy", "-q")
    assert found.code == 3 and "upheld" not in verdicts(found.out).values(), str(found)
    assert "\nerror:" not in found.out and "ended in an error" not in found.out, str(found)


def test_npy_files_that_cannot_be_released(sandbox):
    people(sandbox)
    rows = data.read_npy(sandbox.path / "people.npy")[2]
    float4 = ("<f4", "f", "<")
    for content, message in (
            (npy(float4, rows[:-4], (399, 4)),
             "r.npy has 399 rows, and --data has 400; expected row i of one to be what was released of "
             "row i of the other"),
            (npy(float4, [*rows[:70], math.nan, *rows[71:]], (400, 4)),
             "r.npy: row 17, column 2 is not finite as float32; expected numbers"),
            (npy(("<f2", "e", "<"), [*rows[:70], math.inf, *rows[71:]], (400, 4)),
             "r.npy: row 17, column 2 is not finite as float32; expected numbers"),
            (npy(("<f8", "d", "<"), [1e60] * 1600, (400, 4)),
             "r.npy: row 0, column 0 is not finite as float32; expected numbers"),
            (npy(("<c8", "f", "<"), rows, (400, 2)), "r.npy: holds complex64 ('<c8'); expected"),
            (npy(float4, [], (400, 0)), "r.npy: dimension 1 is 0"),
            (npy(float4, rows, (400, 4))[:-3], "r.npy: truncated: the header announces float32 400 x 4"),
            (b"1,2\n" * 400, "r.npy: is not a .npy file: the NumPy magic is missing"),
    ):
        sandbox.write("r.npy", content)
        found = sandbox.assay("audit", "--released", "r.npy", "--data", "people.npy", "-q")
        assert found.code == 2 and found.err.startswith(f"assay: --released: {message}"), str(found)
        assert not list((sandbox.path / "assay-out").glob("*")), message


def test_released_files_that_do_not_fit(sandbox):
    people(sandbox)
    sandbox.write("few.csv", "a,b\n" + "1,2\n" * 399)
    for words, message in (
            (("--released", "few.csv"),
             "assay: --released: few.csv has 399 rows, and --data has 400; expected row i of one to be "
             "what was released of row i of the other"),
            (("--released", "none.csv"), "assay: --released: none.csv: no such file"),
            (("--released", "."), "assay: --released .: is a folder; expected a file of rows"),
            (("--released", "few.csv", "--defense", "none"),
             "assay audit: --released is a release that exists: expected no --command, --defense, --set, "
             "--public, --database or --secrets beside it"),
    ):
        found = sandbox.assay("audit", *words, "--data", "people.npy", "-q")
        assert found.code == 2 and found.err.startswith(message) and not found.out, str(found)
        assert not list((sandbox.path / "assay-out").glob("*")), words
