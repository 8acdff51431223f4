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


def test_all_of_them_are_played():
    assert len(SCENARIOS) >= 12, SCENARIOS
