"""What the program puts into its own environment before libraries are loaded: threads that wait for
each other sleep soon, so that a machine with other work to do is not kept busy by it."""

import re

import pytest

import data
import tiny

SPINS = re.compile(r"GOMP_SPINCOUNT = '(\d+)'")


def spins(sandbox, *words, **environment):
    """How often libgomp looks, as it says itself each time that it is loaded."""
    shown = sandbox.assay(*words or ["--version"], OMP_DISPLAY_ENV="verbose", **environment).err
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


@pytest.mark.parametrize("words", (["list", "defenses"], ["describe", "gaussian"], ["--help"],
                                   ["completion", "bash"], ["man"], ["init", "gaussian"]))
def test_what_computes_nothing_begins_once(untold, words):
    assert len(spins(untold, *words)) == 1


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


LIFTED = """\
[scenario]
trials = 1
[dataset]
plugin = vectors
private = rows.npy[0:4]
database = rows.npy[4:300]
secrets = 4
[defense lift]
plugin = affine-lifting
[attack lattice]
plugin = lattice
[metric recovery-rate]
"""


def test_without_flint(sandbox):
    """It is loaded by the attack that needs it: where it is broken, nothing is judged, and a run
    goes on when it is mended."""
    sandbox.write("rows.npy", data.npy_bytes(data.make_rows(300, 16, 1)))
    sandbox.write("lifted.scenario", LIFTED)
    name = re.search(rb"libflint\.so[.\d]*(?=\0)", sandbox.assay_path.read_bytes())[0].decode()
    sandbox.write(f"lib/{name}", "")
    found = sandbox.assay("run", "lifted.scenario", "--quiet", "--out", "out",
                          LD_LIBRARY_PATH=str(sandbox.path / "lib"))
    assert found.code == 4 and f"{name} cannot be loaded: " in found.err, str(found)
    assert sandbox.assay("list", LD_LIBRARY_PATH=str(sandbox.path / "lib")).code == 0
    again = sandbox.assay("run", "lifted.scenario", "--quiet", "--out", "out", "--resume")
    assert again.code in (0, 1) and "error in" not in again.out, str(again)
