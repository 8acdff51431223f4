"""tests/protections.toml: each entry still finds what it takes away, and the tables of docs/security.md
name each. That tests notice is shown by tests/without.py, which compiles: the test `protections` of
the tier `slow`."""

import importlib.util
import re

from places import SOURCE


def load():
    spec = importlib.util.spec_from_file_location("without", SOURCE / "tests" / "without.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_entries_fit_the_sources():
    without = load()
    entries = without.protections()
    assert len({entry["name"] for entry in entries}) == len(entries) > 50
    for entry in entries:
        texts = without.changed_texts(entry)
        assert all(text != (SOURCE / file).read_text() for file, text in texts.items()), entry["name"]
        for test in without.tests_of(entry):
            assert is_there(test), f"{entry['name']}: there is no {test}"


def is_there(test):
    if test.startswith("test-"):
        return any((SOURCE / "tests" / "unit").rglob(f"{test.split()[0]}.c"))
    suite, _, case = test.partition("::")
    path = SOURCE / "tests" / "cli" / f"test_{suite}.py"
    if not case:
        return path.exists() or (SOURCE / "tests" / "cli" / "cases" / f"{suite}.test").exists()
    return f"def {case.partition('[')[0]}(" in path.read_text()


def test_page_names_them():
    text = (SOURCE / "docs" / "security.md").read_text()
    known = {entry["name"] for entry in load().protections()}
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    threats = [row for row in rows if len(row) == 4 and row[0] not in ("| threat", "| ---")
               and not row[0].startswith("| threat:")]
    assert len(threats) > 30
    for row in threats:
        names = re.findall(r"`([^`]+)`", row[3])
        assert names and set(names) <= known, row[0]
    missing = sorted(name for name in known if f"`{name}`" not in text)
    assert not missing, f"docs/security.md does not name {missing}"
