"""What holds for every command and every plugin, whichever there are."""

import contextlib
import json
import os
import pty
import re

import pytest

import data
import tiny
from described import described
from places import SOURCE

# Of the contract (architecture.md); more may come.
OPTIONS = {
    "run": "out set seed trials jobs resume quiet json",
    "plan": "set seed trials time",
    "list": "",
    "describe": "json",
    "protect": "defense set secrets groups database release truth seed",
    "attack": "attack set release database public guess seed",
    "measure": "truth guess release metric set confidence seed json",
}
FOLDERS = {
    "defenses": "defense", "attacks": "attack", "metrics": "metric", "datasets": "dataset",
}

# Utilities lie in the folder of the metrics.
HEADINGS = FOLDERS | {"utilities": "utility"}


def listed(sandbox):
    """{type: [id...]} as `assay list` says."""
    found = {}
    for line in sandbox.expect(sandbox.assay("list")).out.splitlines():
        if line in HEADINGS:
            current = found.setdefault(HEADINGS[line], [])
        elif line:
            assert re.match(r"  [a-z0-9-]+ +\S", line), f"a name and a summary: '{line}'"
            current.append(line.split()[0])
    return found


def test_help_names_every_command(sandbox):
    text = sandbox.expect(sandbox.assay("--help"), err="").out
    named = re.findall(r"^  ([a-z]+) +[A-Z]", text, re.M)
    assert set(OPTIONS) <= set(named), f"commands in --help: {named}"
    for name in named:
        help_of = sandbox.expect(sandbox.assay(name, "--help"), err="").out
        assert f"assay {name}" in help_of.splitlines()[1], f"usage line of {name}:\n{help_of}"
        for option in OPTIONS.get(name, "").split():
            assert re.search(rf"--{option}\b.*\S", help_of), f"{name} --help lacks --{option}"
    for same in ("-h", "help"):
        assert sandbox.expect(sandbox.assay(same)).out == text, f"{same} and --help differ"
    sandbox.expect(sandbox.assay(), 2, out=text)


def test_list_has_every_plugin_file(sandbox):
    found = listed(sandbox)
    for folder, kind in FOLDERS.items():
        build = (SOURCE / folder / "meson.build").read_text()
        lists = re.findall(r"^[a-z]+_plugins = \[(.*?)^\]", build, re.M | re.S)
        ids = {path.rpartition("/")[2] for names in lists for path in re.findall("'(.*?)'", names)}
        here = found[kind] + (found["utility"] if kind == "metric" else [])
        assert ids == set(here), f"{folder}: files {sorted(ids)}, listed {here}"


def test_describe_every_plugin(sandbox):
    for kind, ids in listed(sandbox).items():
        records = described(sandbox, kind, ids)
        assert set(records) == set(ids), f"{kind}: {sorted(records)}, listed {ids}"
        told = sandbox.expect(sandbox.assay("describe", *ids), err="").out
        titles = {found[2]: found for found in re.finditer(r"^((\S+) \((\w+)\))$", told, re.M)
                  if found[3] == kind}
        for name in ids:
            text = re.split(r"\n\S+ \(\w+\)\n", told[titles[name].end():])[0]
            record = records[name]
            assert record["summary"] in text and record["work"] in text, f"{name}: {text}"
            for parameter in record["parameters"]:
                assert f"\n  {parameter['name']}\n" in text, f"{name}: {parameter['name']}\n{text}"
                assert parameter["help"] in text, f"{name}: {parameter['name']}: help"
                if "low" in parameter:
                    low, value, high = (parameter[k] for k in ("low", "default", "high"))
                    assert low <= value <= high, f"{name}: {parameter}"


def test_json_is_results_json_to_the_byte(sandbox):
    tiny.write(sandbox)
    printed = sandbox.run_ok("tiny.scenario", "--out", "out", "--json", "--quiet").out
    assert printed == sandbox.read("out/results.json"), "--json and results.json differ"
    record = json.loads(printed)
    assert record["format"] == "assay-results/1", record["format"]
    assert len(record["cells"]) == tiny.CELLS, f"{len(record['cells'])} cells"
    assert len(record["pooled"]) == tiny.CELLS / 2, f"{len(record['pooled'])} pooled"
    again = sandbox.run_ok("tiny.scenario", "--out", "out", "--json", "--resume").out
    assert printed == again, "a second --json differs"


def test_quiet_says_nothing(sandbox):
    tiny.write(sandbox)
    sandbox.expect(sandbox.assay("run", "tiny.scenario", "--out", "a", "--quiet"), err="")
    loud = sandbox.run_ok("tiny.scenario", "--out", "b")
    assert loud.err.endswith(f"{tiny.CELLS} of {tiny.CELLS} cells\n"), loud.err


def seen_on_terminal(sandbox, stream, *arguments):
    """What the program writes to a terminal in place of standard output or error."""
    try:
        ours, theirs = pty.openpty()
    except OSError as problem:  # a container without /dev/pts
        pytest.skip(f"no terminal can be opened: {problem}")
    process = sandbox.start(*arguments, **{stream: theirs})
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while chunk := os.read(ours, 4096):
            seen += chunk
    os.close(ours)
    process.communicate()
    assert process.returncode == 0, f"exit code {process.returncode}"
    return seen


def test_colours_on_a_terminal_alone(sandbox):
    tiny.write(sandbox)
    piped = sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet").out
    assert "skipped: " in piped and "\x1b" not in piped, "a pipe is coloured"
    sandbox.environment.pop("NO_COLOR", None)
    sandbox.environment["TERM"] = "xterm"
    coloured = seen_on_terminal(sandbox, "stdout", "report", "out").decode()
    assert "\x1b[2mskipped:\x1b[0m " in coloured, "no colours"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        sandbox.environment.update({"NO_COLOR": "", "TERM": "xterm", name: value})
        plain = seen_on_terminal(sandbox, "stdout", "report", "out").decode()
        assert "\x1b" not in plain and "skipped: " in plain, f"{name} is not honoured"


def test_progress_bar_on_a_terminal(sandbox):
    tiny.write(sandbox)
    seen = seen_on_terminal(sandbox, "stderr", "run", "tiny.scenario", "--out", "out")
    assert f"] {tiny.CELLS}/{tiny.CELLS} cells".encode() in seen, f"no bar: {seen}"
    assert seen.endswith(b"\r\x1b[K"), f"the bar is not cleared: {seen}"


def test_trials_seeds_and_sets_reach_the_results(sandbox):
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet", "--trials", 3, "--seed", 11,
                   "--set", "defense lifting.dimension=2;6", "--set", "attack database.averaged=5")
    record = json.loads(sandbox.read("out/results.json"))
    assert (record["scenario"]["seed"], record["scenario"]["trials"]) == (11, 3), "seed, trials"
    cells = record["cells"]
    assert {cell["trial"] for cell in cells} == {0, 1, 2}, "trials"
    assert {cell["attack"]["settings"].get("averaged") for cell in cells} == {None, 5}, "averaged"
    assert {cell["defense"]["settings"].get("dimension") for cell in cells} == {None, 2, 6}, "m"


def test_changing_an_attack_changes_no_other_cell(sandbox):
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "a", "--quiet")
    sandbox.run_ok("tiny.scenario", "--out", "b", "--quiet", "--set", "attack database.averaged=5")

    def cells(folder, label):
        record = json.loads(sandbox.read(f"{folder}/results.json"))
        return [cell for cell in record["cells"] if cell["attack"]["label"] == label]

    assert cells("a", "nearest") == cells("b", "nearest"), "the other attack's cells changed"
    assert cells("a", "database") != cells("b", "database"), "the attack's own cells did not change"


def test_results_tell_no_time_and_no_machine(sandbox):
    """The same bytes from another folder, at another time, under another name of the program."""
    tiny.write(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "a", "--quiet")
    sandbox.expect(sandbox.shell(
        "mkdir elsewhere && cp tiny.scenario *.fvecs *.npy elsewhere && cd elsewhere &&"
        " sleep 1.1 && assay run ./tiny.scenario --quiet --out ../b"))
    assert sandbox.read("a/results.json") == sandbox.read("b/results.json"), "results.json differ"
    assert sandbox.read("a/results.csv") == sandbox.read("b/results.csv"), "results.csv differ"
    assert sandbox.read("a/run.json") != sandbox.read("b/run.json"), "run.json has no time"


def test_several_scenarios_and_their_exit_code(sandbox):
    """3 of one, for a secret that cannot be normalised, is not covered by 0 of the other."""
    tiny.write(sandbox)
    sandbox.write("zeros.npy", data.npy_bytes([[0.0] * 16, *tiny.PRIVATE[1:16]]))
    sandbox.write("zeros.scenario", tiny.SCENARIO.replace("private.fvecs", "zeros.npy"))
    both = ("zeros.scenario", "tiny.scenario")
    sandbox.run_ok(*both, "--out", "a", "--quiet", code=3)
    sandbox.run_ok(*reversed(both), "--out", "b", "--quiet", code=3)
    assert len(list((sandbox.path / "a").glob("*/results.json"))) == 2, "two folders"
