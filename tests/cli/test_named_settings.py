"""Settings of a program by name: set.NAME = VALUE in a scenario, swept as those of plugins are."""

import json

import tiny
from exec_programs import VERBATIM, group, prepare, run_scenario, write_program

# Says what it was asked.
PROGRAM = """
told = REQUEST
assert told["settings"] == " ".join(f"{name}={value}" for name, value in told["set"].items()), told
sys.stderr.write(f"told {told['settings']}\\n")
sys.exit(f"told {sorted(told['set'].items())}")
"""


def test_every_combination_is_played(sandbox):
    prepare(sandbox)
    program = write_program(sandbox, "told.py", PROGRAM)
    found = run_scenario(sandbox, group("defense", "told", program, "set.k = 2; 4",
                                        "set.sign = plus; minus") + VERBATIM, code=3)
    said = {cell["message"].rpartition("told [")[2]
            for cells in found.values() for cell in cells}
    assert said == {f"('k', '{k}'), ('sign', '{sign}')]" for k in (2, 4)
                    for sign in ("plus", "minus")}, said
    settings = {cell["defense"]["settings"]["settings"]
                for cell in json.loads(sandbox.read("out/results.json"))["cells"]}
    assert settings == {f"k={k} sign={sign}" for k in (2, 4) for sign in ("plus", "minus")}


def test_it_stands_behind_a_text(sandbox):
    prepare(sandbox)
    program = write_program(sandbox, "told.py", PROGRAM.replace("assert", "pass  #"))
    found = run_scenario(sandbox, group("defense", "told", program, "settings = a=1; a=2",
                                        "set.k = 3") + VERBATIM, code=3)
    said = {cell["message"].rpartition("told [")[2] for cells in found.values() for cell in cells}
    assert said == {"('a', '1'), ('k', '3')]", "('a', '2'), ('k', '3')]"}, said


def test_a_list_in_brackets_is_doubted(sandbox):
    """It is one text for the program, which may want that; `check` says how several are written."""
    prepare(sandbox)
    program = write_program(sandbox, "told.py", PROGRAM)
    for value, is_told in (("[2,4,8]", True), ("2; 4; 8", False)):
        head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0]
        sandbox.write("lists.scenario", head + group(
            "defense", "told", program, f"set.k = {value}") + VERBATIM)
        found = sandbox.assay("check", "lists.scenario")
        assert found.code == 0 and is_told == (
            "[defense told] set.k = [2,4,8] is one value, which the program gets as a text; several "
            "are separated by semicolons: 2; 4; 8" in found.err), str(found)


def test_what_is_no_name_or_word(sandbox):
    prepare(sandbox)
    program = write_program(sandbox, "told.py", PROGRAM)
    for line, message in (("set. = 3", "expected a name and values without blanks"),
                          ("set.a=b = 3", "expected a name and values without blanks"),
                          ("set.k = 3 4", "expected a name and values without blanks"),
                          ("set.k = 3; 3", "twice")):
        head = tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0]
        sandbox.write("a.scenario", head + group("defense", "told", program, line) + VERBATIM)
        result = sandbox.assay("check", "a.scenario")
        assert result.code == 2 and message in result.err, f"{line}: {result}"
    sandbox.write("b.scenario", "[scenario]\ntitle = T\n[dataset]\nplugin = gaussian-classes\n"
                  "[defense d]\nplugin = none\nset.k = 2\n[attack v]\nplugin = verbatim\n")
    result = sandbox.assay("check", "b.scenario")
    assert result.code == 2 and "unknown key 'set.k'" in result.err, str(result)
