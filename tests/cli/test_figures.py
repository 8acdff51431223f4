"""tools/check-figures: what a page says is what its scenario's run has, to the digits it gives."""

import json
import subprocess

import places
import tiny

MARK = """\
<!-- figures: small.scenario
row: defense.dimension
2: recovery-rate of near where defense=lifting
3: relative-error-median of near
-->

| m | recovered | error |
| --- | --- | --- |
"""
LISTED = "rows: defense=lifting \\\n defense.dimension=2; -"
ROW = "| {m} | {rate:.1f} % [{lower:.1f}, {upper:.1f}] | {error:.3f} |\n"


def check(sandbox, *arguments):
    command = [str(places.SOURCE / "tools" / "check-figures"), "--assay", sandbox.assay_path,
               "--root", str(sandbox.path), *arguments, str(sandbox.path / "page.md")]
    done = subprocess.run(command, env=sandbox.environment, check=False, capture_output=True,
                          text=True, cwd=sandbox.path)
    return done.returncode, done.stdout + done.stderr


def scenario(sandbox):
    """Lifting at two dimensions, its run, and by hand what the run has of each."""
    text = tiny.SCENARIO.replace("[attack nearest]", "[attack near]")
    tiny.write(sandbox, text, "small.scenario")
    sandbox.expect(sandbox.assay("run", "small.scenario", "--out", "runs/small", "--quiet"))
    found = {}
    for cell in json.loads(sandbox.read("runs/small/results.json"))["pooled"]:
        if cell["attack"]["label"] == "near" and cell["defense"]["label"] == "lifting":
            by_name = {m["measure"]: m for m in cell["measurements"]}
            rate, error = by_name["recovery-rate"], by_name["relative-error-median"]
            found[cell["defense"]["settings"]["dimension"]] = {
                "rate": 100 * rate["estimate"], "lower": 100 * rate["lower"],
                "upper": 100 * rate["upper"], "error": error["estimate"]}
    assert sorted(found) == [2, 4]
    return found


def write_page(sandbox, found, mark=MARK):
    rows = "".join(ROW.format(m=m, **numbers) for m, numbers in sorted(found.items()))
    sandbox.write("page.md", (mark + rows).encode())


def test_right_figures_pass_and_wrong_ones_do_not(sandbox):
    found = scenario(sandbox)
    write_page(sandbox, found)
    assert check(sandbox, "--results", "runs") == (0, "")
    for name, by in (("rate", 0.2), ("lower", 0.2), ("upper", -0.2), ("error", 0.002)):
        wrong = {m: dict(numbers) for m, numbers in found.items()}
        wrong[4][name] += by
        write_page(sandbox, wrong)
        code, text = check(sandbox, "--results", "runs")
        assert code == 1 and text.count("\n") == 1, text
        column = 3 if name == "error" else 2
        assert text.startswith(f"{sandbox.path}/page.md:10: column {column}: says "), text


def test_without_results_the_scenario_is_run(sandbox):
    found = scenario(sandbox)
    write_page(sandbox, found)
    assert check(sandbox) == (0, "")


def test_what_is_not_there_is_told(sandbox):
    found = scenario(sandbox)
    write_page(sandbox, {8: found[4]})
    code, text = check(sandbox, "--results", "runs")
    assert code == 1
    assert "column 2: no measurements in small.scenario are recovery-rate of near at defense.dimension=8" in text
    write_page(sandbox, found, MARK.replace("recovery-rate of", "recovery-rate tau=0.7 of"))
    assert "are recovery-rate of near at defense.dimension=2; " in check(sandbox, "--results", "runs")[1]
    write_page(sandbox, found, MARK.replace("small.scenario", "other.scenario"))
    assert check(sandbox, "--read") == (1, f"{sandbox.path}/page.md:1: there is no other.scenario\n")


def test_marks_that_cannot_be_read(sandbox):
    found = scenario(sandbox)
    for mark, message in ((MARK.replace("row:", "rose:"), "'rose: defense.dimension' is neither"),
                          (MARK.replace("row: defense.dimension", LISTED.replace("; -", "")),
                           "the mark in line 1 lists 1 rows, but the table has 2"),
                          (MARK.replace("row: defense.dimension\n", ""), "needs a line 'row: ...'"),
                          (MARK.replace("-->\n", "\n"), "does not end in a line of '-->'")):
        write_page(sandbox, found, mark)
        code, text = check(sandbox, "--read")
        assert code == 1 and message in text, text
    sandbox.write("page.md", MARK.partition("|")[0].encode())
    assert "no table follows the mark in line 1" in check(sandbox, "--read")[1]


def test_rows_may_be_listed(sandbox):
    found = scenario(sandbox)
    mark = MARK.replace("row: defense.dimension", LISTED)
    found[4]["rate"] += 50  # of a row that is not looked at
    write_page(sandbox, found, mark)
    assert check(sandbox, "--results", "runs") == (0, "")
    found[2]["rate"] += 0.2
    write_page(sandbox, found, mark)
    code, text = check(sandbox, "--results", "runs")
    assert code == 1 and text.startswith(f"{sandbox.path}/page.md:10: column 2: says "), text


def test_rows_may_name_the_attack(sandbox):
    found = scenario(sandbox)
    near = MARK.replace("row: defense.dimension", "rows: defense.dimension=2 attack=near;\n"
                        "defense.dimension=4 attack=near").replace("of near", "of *")
    write_page(sandbox, found, near)
    assert check(sandbox, "--results", "runs") == (0, "")
    write_page(sandbox, found, near.replace(" attack=near", ""))
    code, text = check(sandbox, "--results", "runs")
    assert code == 1 and "2 measurements in small.scenario are recovery-rate of *" in text, text


def test_rows_may_name_a_setting_of_the_metric(sandbox):
    found = scenario(sandbox)
    mark = MARK.replace("row: defense.dimension", "rows: defense.dimension=2 metric.tau={tau};\n"
                        "defense.dimension=4 metric.tau={tau}").replace("3: relative", "")
    mark = "\n".join(line for line in mark.split("\n") if not line.startswith("-error"))
    write_page(sandbox, found, mark.format(tau="0.30"))
    assert check(sandbox, "--results", "runs") == (0, "")
    write_page(sandbox, found, mark.format(tau="0.7"))
    code, text = check(sandbox, "--results", "runs")
    assert code == 1 and "at defense.dimension=2 metric.tau=0.7; expected one" in text, text


def test_a_cell_may_have_several_figures(sandbox):
    found = scenario(sandbox)
    mark = MARK.replace("2: recovery-rate of near where defense=lifting",
                        "2.1: recovery-rate of near where defense=lifting\n"
                        "2.2: relative-error-median of near")
    row = "| {m} | {rate:.1f} % [{lower:.1f}, {upper:.1f}]{between}{error:.3f} | {error:.3f} |\n"

    def write(between, numbers):
        rows = "".join(row.format(m=m, between=between, **one)
                       for m, one in sorted(numbers.items()))
        sandbox.write("page.md", (mark + rows).encode())

    for between in ("; ", " / "):
        write(between, found)
        assert check(sandbox, "--results", "runs") == (0, "")
    wrong = {m: {**one, "lower": one["lower"] + 0.2} for m, one in found.items()}
    write("; ", wrong)
    code, text = check(sandbox, "--results", "runs")
    assert code == 1 and text.count(" column 2.1: says ") == text.count("\n") == 2, text
    code, text = check(sandbox, "--results", "runs", "--write")
    assert code == 0 and text.count("written") == 2, text
    assert check(sandbox, "--results", "runs") == (0, "")
    write_page(sandbox, found, mark)
    code, text = check(sandbox, "--results", "runs")
    assert code == 1 and text.count("has 1 figures; expected 2") == 2, text


def test_the_marks_of_all_pages_can_be_read(sandbox):
    command = [str(places.SOURCE / "tools" / "check-figures"), "--read"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


ANY = """\
<!-- figures: small.scenario
2: any of near
3: any
-->

| m | recovered | error |
| --- | --- | --- |
"""


def test_any_figure_of_the_run_will_do(sandbox):
    """Transposed tables: each figure must be one that the run has, wherever it stands."""
    found = scenario(sandbox)
    swapped = {2: found[4], 4: found[2]}
    write_page(sandbox, swapped, ANY)
    assert check(sandbox, "--results", "runs") == (0, "")
    sandbox.write("page.md", (ANY + "| {:.1f} | {:.1f} [{:.1f}, {:.1f}], of 3 |  |\n".format(
        4, *(found[4][name] for name in ("rate", "lower", "upper")))).encode())
    assert check(sandbox, "--results", "runs") == (0, ""), "per cents without their sign"
    for name, by in (("upper", -0.2), ("error", 0.0371)):
        wrong = {m: dict(numbers) for m, numbers in found.items()}
        wrong[4][name] += by
        write_page(sandbox, wrong, ANY)
        code, text = check(sandbox, "--results", "runs")
        column = 3 if name == "error" else 2
        assert code == 1 and f"page.md:9: column {column}: no figure of the run is " in text, text
    write_page(sandbox, found, ANY.replace("of near", "of nobody"))
    assert check(sandbox, "--results", "runs")[0] == 1


def test_runs_that_are_not_there_may_be_left_out(sandbox):
    found = scenario(sandbox)
    write_page(sandbox, found)
    code, text = check(sandbox, "--results", "other", "--only-kept")
    assert (code, text) == (77, "small.scenario: no results: not checked\n")


def test_names_alone(sandbox):
    """Figures may be of another size of run, but each must be of something that it measures."""
    found = scenario(sandbox)
    found[4]["rate"] += 5
    write_page(sandbox, found)
    assert check(sandbox, "--results", "runs", "--names") == (0, "")
    write_page(sandbox, found, MARK.replace("of near", "of far"))
    assert check(sandbox, "--results", "runs", "--names")[0] == 1


def test_several_scenarios_and_rows_without_anything(sandbox):
    found = scenario(sandbox)
    sandbox.write("other.scenario", sandbox.read("small.scenario"))
    write_page(sandbox, found, ANY.replace("small.scenario\n", "small.scenario\nother.scenario\n"
                                           "rows: *; -\n"))
    assert check(sandbox, "--results", "runs") == (0, "")


def test_figures_that_are_written(sandbox):
    """Wrong ones are replaced in as many digits as they have, and nothing else of the page is."""
    found = scenario(sandbox)
    write_page(sandbox, found)
    right = sandbox.read("page.md") + "\nMore text, and | no table.\n"
    sandbox.write("page.md", right.encode())
    assert check(sandbox, "--results", "runs", "--write") == (0, "")
    wrong = {m: {name: value + 0.31 for name, value in numbers.items()}
             for m, numbers in found.items()}
    write_page(sandbox, wrong)
    sandbox.write("page.md", (sandbox.read("page.md") + "\nMore text, and | no table.\n").encode())
    code, text = check(sandbox, "--results", "runs", "--write")
    assert code == 0 and text.count(": written\n") == 2, text
    assert sandbox.read("page.md") == right


SEEDS = MARK.replace("row:", "seeds: 3\nrow:")


def test_means_over_seeds(sandbox):
    """tools/seeds.py: means, least and most; and marks of them."""
    scenario(sandbox)
    command = [str(places.SOURCE / "tools" / "seeds.py"), "--assay", sandbox.assay_path, "--seeds",
               "3", "--digits", "6", "--results", "kept", "--measure", "recovery-rate"]
    done = subprocess.run([*command, "small.scenario"], env=sandbox.environment, check=False,
                          capture_output=True, text=True, cwd=sandbox.path)
    assert done.returncode == 0, done.stderr
    page = {}
    for m in (2, 4):
        by_name = {"recovery-rate": [], "relative-error-median": []}
        for n in (1, 2, 3):
            text = sandbox.read(f"kept/small/seed-{n}/results.json")
            cell = next(c for c in json.loads(text)["pooled"] if c["attack"]["label"] == "near"
                        and c["defense"]["settings"].get("dimension") == m)
            for one in cell["measurements"]:
                by_name.setdefault(one["measure"], []).append(one["estimate"])
        rates, errors = by_name["recovery-rate"], by_name["relative-error-median"]
        assert len(set(errors)) == 3, "seeds differ"
        mean = sum(rates) / 3
        assert (f"| lifting, dimension = {m} | {mean:.6f} [{min(rates):.6f}, {max(rates):.6f}] |"
                in done.stdout), done.stdout
        page[m] = {"rate": 100 * mean, "lower": 100 * min(rates), "upper": 100 * max(rates),
                   "error": sum(errors) / 3}
    write_page(sandbox, page, SEEDS)
    assert check(sandbox, "--results", "kept") == (0, "")
    assert check(sandbox, "--seeds") == (0, ""), "runs of its own"
    code, text = check(sandbox)
    assert (code, text) == (77, "small.scenario: no results of 3 seeds (--seeds): not checked\n")
    page[4]["error"] += 0.002
    write_page(sandbox, page, SEEDS)
    code, text = check(sandbox, "--results", "kept")
    assert code == 1 and "column 3: says " in text, text


def test_seeds_that_fail(sandbox):
    scenario(sandbox)
    command = [str(places.SOURCE / "tools" / "seeds.py"), "--assay", sandbox.assay_path]
    text = sandbox.read("small.scenario").replace("private.fvecs", "nothing.fvecs")
    sandbox.write("broken.scenario", text)
    for arguments, message in ((["broken.scenario"], "assay run --seed 1 ended with "),
                               (["--seeds", "0", "small.scenario"], "--seeds 0: expected 1"),
                               (["--results", "kept", "--set", "scenario.trials=1",
                                 "small.scenario"], "--results keeps runs of scenarios")):
        done = subprocess.run([*command, *arguments], env=sandbox.environment, check=False,
                              capture_output=True, text=True, cwd=sandbox.path)
        assert done.returncode != 0 and message in done.stderr, done.stderr
