"""assay plan --time: how long a run takes, from small parts of it."""

import re
import sys
import time

import tiny

FORETOLD = re.compile(r"^time: about (?:\d+ s|a second) \((?:\d+ s|a second) of processors\); parts of up to (all|1/\d+) of each cell "
                      r"were played in (\d+ s|a second)$", re.M)


def test_a_quick_run_is_played_whole(sandbox):
    tiny.write(sandbox)
    before = sandbox.tree(".")
    out = sandbox.expect(sandbox.assay("plan", "tiny.scenario", "--time", "60")).out
    assert FORETOLD.search(out)[1] == "all", out
    assert sandbox.tree(".") == before, "nothing is written"


def test_what_was_set_counts(sandbox):
    """A sweep of --set is played, and what is refused is told as by plan itself."""
    tiny.write(sandbox)
    out = sandbox.expect(sandbox.assay("plan", "tiny.scenario", "--time", "60", "--trials", "1",
                                       "--set", "defense lifting.dimension=2;4;6")).out
    assert "cells: 7 " in out and FORETOLD.search(out), out


SLEEPS = """\
import sys, time
time.sleep(600)
"""


def test_what_does_not_end_is_told(sandbox):
    """A program that sleeps: the time is over, it is ended, and what ended before it counts."""
    sandbox.write("sleeps.py", SLEEPS)
    tiny.write(sandbox, tiny.SCENARIO + f"\n[attack asleep]\nplugin = exec\ncommand = {sys.executable} sleeps.py\ngrants = other-releases\n"
               "confine = never\n")
    start = time.monotonic()
    result = sandbox.expect(sandbox.assay("plan", "tiny.scenario", "--time", "3"))
    assert time.monotonic() - start < 110
    assert re.search(r"^time: more than .*: of \d+ kinds of cells \d+ had no part that ended well "
                     r"within \d+ s, the first of them asleep of plain$", result.out, re.M), result
