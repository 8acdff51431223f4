"""The pages that newcomers follow, followed."""

import re
import shutil

from harness import SOURCE, Skip, Suite, check
from pages import follow, prepare
from suite_numpy import python_with_numpy

cases = Suite("pages")


def add_to(suite):
    suite.cases += cases.cases
    return suite


def use_numpy(sandbox):
    """python3 is one with NumPy, as the pages ask for."""
    python = python_with_numpy()
    if python is None:
        raise Skip("neither /usr/bin/python3 nor this python3 has NumPy")
    (sandbox.root / "bin" / "python3").symlink_to(python)


@cases.case("audit-your-own")
def _(sandbox):
    use_numpy(sandbox)
    prepare(sandbox)
    check(follow(sandbox, "docs/audit-your-own.md") == 4, "scripts")
    defense = sandbox.read("audit/my_defense.py").splitlines()
    check(len([line for line in defense if line.strip()]) <= 30, "the defense has over 30 lines")


@cases.case("reused-mask")
def _(sandbox):
    """The wrong defense violates its claim, and the right one does not."""
    use_numpy(sandbox)
    prepare(sandbox, "reused-mask")
    check(follow(sandbox, "examples/reused-mask/README.md") == 2, "scripts")


@cases.case("reused-mask-differs-in-one-line")
def _(_):
    """As its README says: the same lines in another order."""
    folder = SOURCE / "examples" / "reused-mask"
    wrong, right = ((folder / name).read_text() for name in ("masked_defense.py",
                                                              "masked_defense_fixed.py"))
    wrong, right = (sorted(line.strip() for line in re.sub(r'\A.*?"""\n(?=import)', "", text, count=1,
                                                           flags=re.DOTALL).splitlines()
                           if line.strip()) for text in (wrong, right))
    check(wrong == right, "other lines")


@cases.case("exec-node")
def _(sandbox):
    if shutil.which("node") is None:
        raise Skip("node is not there")
    prepare(sandbox, "exec-node")
    check(follow(sandbox, "examples/exec-node/README.md") == 1, "scripts")


@cases.case("exec-node-is-right")
def _(sandbox):
    """All 32 directions give every vector back; 0 directions are refused with the program's words."""
    if shutil.which("node") is None:
        raise Skip("node is not there")
    prepare(sandbox, "exec-node")
    command = "build/assay run examples/exec-node/projection.scenario --quiet --out"
    whole = sandbox.shell(f"{command} a --set 'defense projection.settings=32' "
                          "--set 'claim projection-hides-vectors.where=defense.settings = 32'")
    check(re.search(r"recovery-rate.*\n.*\n  projection +100\.0 % \S+ \S+ +100\.0 %", whole.out)
          and whole.code == 1, str(whole))
    none = sandbox.shell(f"{command} b --set 'defense projection.settings=0' "
                         "--set 'claim projection-hides-vectors.where=defense.settings = 0'")
    check(none.code == 3 and "settings = 0: expected 1 to 32 directions" in none.out, str(none))
