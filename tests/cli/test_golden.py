"""The golden tables in tests/golden: numbers that only a change of meaning may move."""

import pytest

import golden


@pytest.mark.parametrize("scenario", golden.scenarios(), ids=lambda path: path.stem)
def test_estimates(sandbox, scenario):
    if "plugin = vectors" in scenario.read_text():
        sandbox.use_real_data()
    printed = sandbox.run_ok(scenario, "--out", "out", "--quiet", "--json").out
    says = golden.differences(golden.rows_of(printed, scenario.stem),
                              golden.read_table(golden.table_path(scenario)))
    assert not says, "\n".join(says)


def test_every_table_has_its_scenario():
    tables = {path.stem for path in golden.FOLDER.glob("*.tsv")}
    assert tables == {path.stem for path in golden.scenarios()}, f"tables: {sorted(tables)}"


def test_the_comparison_can_fail():
    """Two secrets of two hundred, and two per cent of an error, are seen; one and half are not."""
    names = ("data", "defense", "attack")
    table = {(*names, "rate"): (200, 0.5), (*names, "error"): (200, 0.2)}

    def seen(rate, error):
        rows = [(*names, "rate", 200, "share of secrets", rate),
                (*names, "error", 200, "share of the secret's length", error)]
        return len(golden.differences(rows, table))

    assert ([seen(0.505, 0.201), seen(0.51, 0.2), seen(0.5, 0.204), seen(0.49, 0.196)]
            == [0, 1, 1, 2]), "tolerances"
