"""What a vendor who wants to pass would try: none of tests/honesty ends with exit code 0, and each
says why."""

import shutil

import pytest

from places import SOURCE

FOLDER = SOURCE / "tests" / "honesty"
SCENARIOS = sorted(path.stem for path in FOLDER.glob("*.scenario"))


@pytest.mark.usefixtures("python3_has_numpy")
@pytest.mark.parametrize("name", SCENARIOS)
def test_asking_less(sandbox, name):
    for path in (FOLDER / f"{name}.scenario", *FOLDER.glob("*.py")):
        shutil.copy(path, sandbox.path)
    code, reason = (line.removeprefix("# ")
                    for line in (FOLDER / f"{name}.scenario").read_text().splitlines()[:2])
    assert int(code) != 0, "a scenario that passes"
    result = sandbox.assay("run", f"{name}.scenario", "--out", "out", "--quiet")
    assert result.code == int(code), str(result)
    assert " ".join(reason.split()) in " ".join((result.out + result.err).split()), str(result)


@pytest.mark.parametrize("name, reason", (
    ("few-runs", "cannot be unrefuted: 200 runs of attack distinguish against gaussian see"),
    ("negated", "cannot be upheld: every attack against negated takes what is released"),
    ("hopeless-attack", "cannot be upheld: it is about all defenses that the attacks on none are"),
    ("weaker-attack-named", "cannot be upheld: every attack against none takes what is released"),
))
def test_an_auditor_is_told_before(sandbox, name, reason):
    """What a plan tells already; without --auditor these are no warnings."""
    shutil.copy(FOLDER / f"{name}.scenario", sandbox.path)
    told = sandbox.assay("check", "--auditor", f"{name}.scenario")
    assert told.code == 2 and reason in told.err, str(told)
    assert reason not in sandbox.assay("check", f"{name}.scenario").err, "told without --auditor"


def test_an_auditor_finds_no_fault_with_a_true_control(sandbox):
    for name in ("lifting-upheld", "epsilon-unrefuted", "codes-unrefuted"):
        sandbox.expect(sandbox.assay("check", "--auditor",
                                     SOURCE / "scenarios" / "controls" / f"{name}.scenario"), 0)


def test_all_of_them_are_played():
    assert len(SCENARIOS) >= 12, SCENARIOS
