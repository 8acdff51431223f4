"""What the program puts into its own environment before libraries are loaded: threads that wait for
each other sleep soon, so that a machine with other work to do is not kept busy by it."""

import re

import pytest

import tiny

SPINS = re.compile(r"GOMP_SPINCOUNT = '(\d+)'")


def spins(sandbox, **environment):
    """How often libgomp looks, as it says itself: the last time that it was loaded."""
    shown = sandbox.assay("--version", OMP_DISPLAY_ENV="verbose", **environment).err
    return [int(number) for number in SPINS.findall(shown)]


@pytest.fixture
def untold(sandbox):
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        sandbox.environment.pop(name, None)
    return sandbox


def test_threads_wait_briefly(untold):
    assert spins(untold)[-1] == 1000


def test_what_the_user_set_stays(untold):
    assert spins(untold, GOMP_SPINCOUNT="77") == [77]
    assert len(spins(untold, OMP_WAIT_POLICY="active")) == 1


def test_it_begins_again_with_its_words_and_files(untold):
    """A scenario with spaces in its name and an open file as its output: the results are the same
    as without."""
    tiny.write(untold)
    (untold.path / "tiny.scenario").rename(untold.path / "a b.scenario")
    shown = untold.assay("run", "--quiet", "--json", "a b.scenario", "--out", "one")
    same = untold.assay("run", "--quiet", "--json", "a b.scenario", "--out", "two",
                        OMP_WAIT_POLICY="passive")
    assert shown.code == same.code == 0, shown
    assert shown.out == same.out and '"pooled"' in shown.out
