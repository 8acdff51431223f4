"""assay audit: from a defense and a file of rows to a verdict."""

import shlex
import sys

import data
from auditing import people, program, verdicts


def test_secret_key_is_learned_from_pairs(sandbox):
    """A rotation hides rows from who does not know it, and not from who knows some of them."""
    people(sandbox)
    found = sandbox.assay("audit", "--defense", "random-rotation", "--set", "noise=0.01", "--data",
                          "people.npy", "--time", "200s", "-q")
    assert found.code == 1 and verdicts(found.out)["recovery-rate"] == "violated", str(found)
    assert "learned-inversion-known-pairs against random-rotation" in found.out


def test_bad_input(sandbox):
    people(sandbox)
    sandbox.write("few.npy", data.npy_bytes(data.make_rows(100, 4, 1)))
    sandbox.write("ten.npy", data.npy_bytes(list(range(10)), kind="int64"))
    sandbox.write("same.npy", data.npy_bytes([1] * 400, kind="int64"))
    sandbox.write("nan.csv", "a,b\n" + "1,2\n" * 300 + "1,1e60\n")
    python = shlex.quote(sys.executable)
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
             "assay: --labels: class.csv has the columns id, class; expected --labels "
             "class.csv:COLUMN"),
            ((*none, "--data", "nan.csv"),
             "assay: --data: nan.csv: row 300, column 1 is not finite as float32; expected numbers"),
            ((*none, "--data", "people.npy", "--time", "soon"),
             "assay: --time soon: expected 1 s at least, such as 90s, 5m or 1h"),
            ((*none, "--data", "people.npy", "--claim", "recovery-rate"),
             "assay: --claim 'recovery-rate': expected MEASURE=BOUND"),
            ((*none, "--data", "people.npy", "--secrets", "150"),
             "assay: --secrets 150: expected at most half of the 200 rows that are private"),
            (("--command", f"{python} failing.py", "--data", "people.npy"),
             "assay: defense exec: the program ended with exit status 1; its last lines: no key: set "
             "MY_KEY"),
    ):
        found = sandbox.assay("audit", *words, "-q")
        assert found.code == 2 and found.err.startswith(message) and not found.out, str(found)
        assert not list((sandbox.path / "assay-out").glob("*")), words
