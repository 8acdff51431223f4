"""README.md and the pages of docs/, typed as a newcomer would: none of our variables, no data."""

import hashlib
import re
import shlex

import pytest

from newcomer import Newcomer, make_people
from places import SOURCE, data_folder

COMMAND = re.compile(r"`(build/assay [^`]+)`|^ {4}(build/assay .+)$", re.MULTILINE)
# What stands for something that readers have.
NAMED = {
    "build/assay COMMAND --help": "build/assay run --help",
    "build/assay report DIR": "build/assay report first",
    "build/assay compare DIR DIR": "build/assay compare first second",
    "build/assay run SCENARIO --baseline OLD":
        "build/assay run small.scenario --baseline first --out again",
    "build/assay audit --command 'python3 mine.py' --data people.npy --labels people.csv --time 5m":
        "build/assay audit --command 'python3 mine.py' --data people.npy --labels people.csv "
        "--time 20s",
}


def commands(page):
    """In the order of the page, each once."""
    found = []
    for one in COMMAND.findall((SOURCE / page).read_text()):
        text = " ".join((one[0] or one[1]).split())
        if text not in found:
            found.append(text)
    return found


@pytest.fixture
def newcomer(sandbox):
    return Newcomer(sandbox.path, sandbox.assay_path, sandbox.environment["PATH"])


SMALL = """[scenario]
title = Small
seed = 1
[dataset]
plugin = gaussian-classes
count = 200
secrets = 50
[defense {name}]
plugin = none
[attack verbatim]
plugin = verbatim
[metric recovery-rate]
"""


@pytest.mark.slow
@pytest.mark.usefixtures("python3_has_numpy")
def test_every_command_of_the_readme(newcomer):
    """Exit codes 0 and 1 (a claim is violated): everything else is a command that does not work."""
    for name in ("first", "second"):
        (newcomer.path / f"{name}.scenario").write_text(SMALL.format(name=name))
        done = newcomer.types(f"build/assay run {name}.scenario --quiet --out {name}")
        assert done.returncode == 0, done
    (newcomer.path / "small.scenario").write_text(SMALL.format(name="first"))
    make_people(newcomer)
    found = ["build/assay run scenarios/quickstart.scenario", *commands("README.md")]
    assert len(found) >= 11, found
    for text in found:
        command = NAMED.get(text, text)
        unfilled = re.findall(r"\b[A-Z]{3,}\b", command)
        assert not unfilled, f"README.md: {text}: nothing says what {unfilled} stand for"
        done = newcomer.types(command)
        assert done.returncode in (0, 1), f"README.md: {text}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", sorted(
    str(path.relative_to(SOURCE)) for folder in ("docs", "examples")
    for path in (SOURCE / folder).rglob("*.md")))
def test_scenarios_that_pages_name_are_planned(newcomer, page):
    """Each command that runs a scenario of the tree: `check` takes it, or says that data is missing
    and where it is to be had, and never names a folder of ours."""
    for text in commands(page):
        words = text.split()
        if words[1] not in ("run", "plan", "check") or "SCENARIO" in text:
            continue
        for word in words[2:]:
            if word.startswith("scenarios/"):
                done = newcomer.types(f"build/assay check {shlex.quote(word)}")
                if done.returncode != 0:
                    assert "ASSAY_DATA" in done.stderr, f"{page}: {text}\n{done.stderr}"
                assert "shared/data" not in done.stdout + done.stderr, f"{page}: {text}"


def data_files():
    """Files below data folders that scenarios of the tree name, without ranges and columns."""
    found = set()
    for scenario in (SOURCE / "scenarios").rglob("*.scenario"):
        for value in re.findall(r"^[a-z_]+ = (.+)$", scenario.read_text(), re.MULTILINE):
            for word in re.split(r"[;,]\s*", value):
                name = re.sub(r"[\[:].*", "", word.strip())
                if re.match(r"(cifar10|crossmodal|fashion_mnist|graphs|mnist|photos|sift)/", name):
                    found.add(name)
    return sorted(found)


def test_every_data_file_has_a_recipe():
    page = (SOURCE / "docs" / "data-recipes.md").read_text()
    files = data_files()
    assert len(files) > 15, files
    missing = [name for name in files if f"`{name}`" not in page]
    assert not missing, f"docs/data-recipes.md says nothing of {missing}"


def test_checksums_of_the_recipes():
    """Where the data is, it is what the page tells."""
    if data_folder() is None:
        pytest.skip("real data is neither in ASSAY_DATA nor in ../shared/data")
    page = (SOURCE / "docs" / "data-recipes.md").read_text()
    told = re.findall(r"`([a-z0-9_]+/[\w./-]+)`[^`]*`([0-9a-f]{64})`", page)
    assert len(told) > 15, told
    for name, expected in told:
        found = hashlib.sha256((data_folder() / name).read_bytes()).hexdigest()
        assert found == expected, name


@pytest.mark.usefixtures("python3_has_numpy")
def test_draw_of_cifar(newcomer):
    """The script of the recipes: as many of each class as it says, out of what was given."""
    page = (SOURCE / "docs" / "data-recipes.md").read_text()
    script = re.search(r"<!-- file: draw_cifar.py -->\n```python\n(.*?)^```$", page,
                       re.MULTILINE | re.DOTALL)[1].replace("1000", "20").replace("200", "5")
    (newcomer.path / "draw_cifar.py").write_text(script)
    for number, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        records = b"".join(bytes([i % 10]) + bytes([number]) * 3072 for i in range(60))
        (newcomer.path / f"{name}.bin").write_bytes(records)
    done = newcomer.types("python3 draw_cifar.py .")
    assert done.returncode == 0, done
    for name, count, allowed in (("cifar10_train10k", 20, range(5)), ("cifar10_test2k", 5, [5])):
        data = (newcomer.path / f"{name}.bin").read_bytes()
        labels = list(data[::3073])
        assert sorted(labels) == sorted(list(range(10)) * count), name
        assert labels != sorted(labels), f"{name}: in order"
        assert set(data[1::3073]) <= set(allowed), name
