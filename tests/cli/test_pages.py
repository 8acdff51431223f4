"""The pages that newcomers follow, followed."""

import re
import shutil

import pytest

from pages import follow, prepare
from places import SOURCE


@pytest.mark.usefixtures("python3_has_numpy")
def test_audit_your_own(sandbox):
    prepare(sandbox)
    assert follow(sandbox, "docs/audit-your-own.md") == 7, "scripts"
    defense = sandbox.read("audit/my_defense.py").splitlines()
    assert len([line for line in defense if line.strip()]) <= 30, "the defense has over 30 lines"


@pytest.mark.usefixtures("python3_has_numpy")
def test_formats(sandbox):
    """Releases that NumPy writes are attacked, and guesses and codes that it reads."""
    prepare(sandbox)
    assert follow(sandbox, "docs/formats.md") == 5, "scripts"


@pytest.mark.usefixtures("python3_has_numpy")
def test_reused_mask(sandbox):
    """The wrong defense violates its claim, and the right one does not."""
    prepare(sandbox, "reused-mask")
    assert follow(sandbox, "examples/reused-mask/README.md") == 1, "scripts"


def test_reused_mask_differs_in_one_line():
    """As its README says: the same lines in another order."""
    folder = SOURCE / "examples" / "reused-mask"
    wrong, right = ((folder / name).read_text() for name in ("masked_defense.py",
                                                              "masked_defense_fixed.py"))
    wrong, right = (sorted(line.strip() for line in re.sub(r'\A.*?"""\n(?=import)', "", text, count=1,
                                                           flags=re.DOTALL).splitlines()
                           if line.strip()) for text in (wrong, right))
    assert wrong == right, "other lines"


def test_exec_node(sandbox):
    if shutil.which("node") is None:
        pytest.skip("node is not there")
    prepare(sandbox, "exec-node")
    assert follow(sandbox, "examples/exec-node/README.md") == 1, "scripts"


def test_exec_node_is_right(sandbox):
    """All 32 directions give every vector back; 0 directions are refused with the program's words."""
    if shutil.which("node") is None:
        pytest.skip("node is not there")
    prepare(sandbox, "exec-node")
    command = "build/assay run examples/exec-node/projection.scenario --quiet --out"
    whole = sandbox.shell(f"{command} a --set 'defense projection.settings=32' "
                          "--set 'claim projection-hides-vectors.where=defense.settings = 32'")
    assert (re.search(r"recovery-rate.*\n.*\n  projection +100\.0 % \S+ \S+ +100\.0 %", whole.out)
            and whole.code == 1), str(whole)
    none = sandbox.shell(f"{command} b --set 'defense projection.settings=0' "
                         "--set 'claim projection-hides-vectors.where=defense.settings = 0'")
    assert none.code == 3 and "settings = 0: expected 1 to 32 directions" in none.out, str(none)
