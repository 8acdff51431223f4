"""Golden tables: every estimate of a scenario, as rows of dataset x defense x attack x measure.

One table a scenario: tests/golden/NAME.scenario gives NAME.tsv. tests/golden/regenerate writes
them, test_golden.py compares."""

import collections
import json
import math
import pathlib

from places import SOURCE

FOLDER = SOURCE / "tests" / "golden"
COLUMNS = ("dataset", "defense", "attack", "measure", "n", "estimate")

HEADER = """\
# Made by tests/golden/regenerate from {name}.scenario; compared by the test cli-golden.
#
# Estimates stand with four significant digits. A share may differ by one of its n secrets and
# anything else by 1 %: that much is left to other processors and compilers, whose sums round in
# another order. Nothing else moves these numbers: not threads, not speed, not a new structure. So a
# row changes in a commit of its own, and only because a definition changed (a metric, a
# default, a random stream, a generator) or an error was mended: its message says which and why the
# new number is the right one.
"""


def scenarios():
    return sorted(FOLDER.glob("*.scenario"))


def varying(cells, side):
    """{label: settings in which the cells of that label differ}."""
    seen = collections.defaultdict(lambda: collections.defaultdict(set))
    for cell in cells:
        for key, value in cell[side]["settings"].items():
            seen[cell[side]["label"]][key].add(str(value))
    return {
        label: [key for key, values in settings.items() if len(values) > 1]
        for label, settings in seen.items()
    }


def name_of(part, keys):
    words = [f"{key}={str(part['settings'][key]).lower()}" for key in keys.get(part["label"], [])]
    return " ".join([part["label"], *words])


def rows_of(results, dataset):
    """The rows of a results.json. What tuning chose is a result, and stands with its attack."""
    record = json.loads(results)
    cells = record["pooled"]
    tuned = {tuning["attack"]["label"] for tuning in record["tuning"]}
    defenses = varying(cells, "defense")
    attacks = varying([cell for cell in cells if cell["attack"]["label"] not in tuned], "attack")
    rows = []
    for cell in cells:
        names = (dataset, name_of(cell["defense"], defenses), name_of(cell["attack"], attacks))
        rows += [
            (*names, entry["measure"], entry["n"], entry["unit"], entry["estimate"])
            for entry in cell["measurements"]
        ]
    return rows


def as_text(name, rows):
    lines = ["\t".join(COLUMNS)]
    for *names, n, _unit, estimate in rows:
        lines.append("\t".join([*names, str(n), f"{estimate:.4g}"]))
    return HEADER.format(name=name) + "\n".join(lines) + "\n"


def read_table(path):
    """{names: (n, estimate)}"""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert lines[0].split("\t") == list(COLUMNS), path
    table = {}
    for line in lines[1:]:
        *names, n, estimate = line.split("\t")
        table[tuple(names)] = (int(n), float(estimate))
    return table


def differences(rows, table):
    """What does not agree, in words."""
    found = {tuple(names): (n, unit, estimate) for *names, n, unit, estimate in rows}
    says = [f"{' | '.join(names)}: not in the table" for names in found.keys() - table.keys()]
    says += [f"{' | '.join(names)}: not measured" for names in table.keys() - found.keys()]
    for names in sorted(found.keys() & table.keys()):
        n, unit, estimate = found[names]
        golden_n, golden = table[names]
        is_share = unit in ("share of secrets", "share of adversarial descriptors")
        # Four digits in the table are half a unit in the last of them.
        room = (1 / n if is_share else 0.01 * abs(golden)) + 0.0005 * abs(golden)
        if n != golden_n or not math.isclose(estimate, golden, rel_tol=0, abs_tol=room):
            says.append(f"{' | '.join(names)}: {estimate:.4g} (n = {n}), "
                        f"expected {golden:.4g} +- {room:.2g} (n = {golden_n})")
    return says


def table_path(scenario: pathlib.Path):
    return scenario.with_suffix(".tsv")
