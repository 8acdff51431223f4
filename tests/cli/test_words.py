"""What others wrote, in a scenario or in the message of a program, where a reader meets it: in the
terminal, the log of a job and every file of a report. docs/security.md names these tests."""

import csv
import json
import re

import junit_rules
from exec_programs import SCALE, VERBATIM, group, prepare, run_scenario, write_program

MARKS = ("\x1b\x07\x9b\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u2028\u202c\u202e\u2060"
         "\u2066\u2069\u3164\ufe01\ufeff\ufff9\U0001d173\U000e0041\U000e0101")
BAD = ("\x1b]0;title\x07\x1b[31mred \u202eesrever\u202c \u2066isolated\u2069 \x9b2J \u2028line "
       + MARKS)
# Persian, and an emoji.
WELL = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2764\ufe0f\u200d\U0001f525"
COMMANDS = "::error file=x::pwn ##[add-mask]x ##vso[task.complete] ##teamcity[x] std::vector #1"
LINKS = "@somebody a@b.c https://evil.example WWW.evil.example recall@10"


def reports(sandbox):
    """What a reader may see of the run "out"."""
    said = sandbox.assay("report", "out", "--out", "again")
    names = ("results.csv", "claims.xml", "summary.md", "report.html", "results.json", "run.json")
    return {"terminal": said.out + said.err,
            **{name: sandbox.read(f"out/{name}") for name in names}}


def test_words_for_the_reader(sandbox):
    """Escapes of terminals, marks that reorder or hide, markup, links and formulas, in a message, a
    title and settings. What ordinary writing needs stays."""
    prepare(sandbox)
    program = write_program(sandbox, "talk.py", f"sys.exit({BAD!r} + {WELL!r} + '<plaintext>')\n")
    fine = write_program(sandbox, "fine.py", SCALE)
    formulas = {"fine": "=cmd()", "wide": "\uff1dcmd()", "blank": "\t=cmd()"}
    run_scenario(sandbox, VERBATIM + group("defense", "talks", program)
                 + "".join(group("defense", name, fine, "settings = " + formula)
                           for name, formula in formulas.items())
                 + "[claim c]\nmeasure = recovery-rate\nat-most = 0.5\n", code=1,
                 words=("--set", f"scenario.title=<plaintext> & [a](b) {LINKS} {MARKS}"))
    texts = reports(sandbox)
    for name, text in texts.items():
        bad = [hex(ord(mark)) for mark in MARKS if mark in text]
        assert not bad, f"{name}: {bad}"
    for name in ("terminal", "claims.xml", "summary.md", "report.html", "results.json"):
        assert "red" in texts[name] and WELL in texts[name], name
    for name in ("claims.xml", "summary.md", "report.html"):
        assert "plaintext" in texts[name] and "<plaintext" not in texts[name], name
    assert "[a](b)" not in texts["summary.md"], texts["summary.md"]
    assert texts["summary.md"].startswith(
        "## &lt;plaintext\\> &amp; \\[a\\]\\(b\\) @ somebody a@ b.c https:// evil.example "
        "WWW. evil.example recall@10 "), texts["summary.md"]
    fields = [field for line in csv.reader(texts["results.csv"].splitlines()) for field in line]
    assert not {"=cmd()", " =cmd()", "\uff1dcmd()"} & set(fields), fields
    assert {"'=cmd()", "'\uff1dcmd()"} <= set(fields), fields
    assert not junit_rules.problems_of(texts["claims.xml"])


def test_commands_to_the_reader_of_a_log(sandbox):
    """What a CI system would do where it finds it in the log of a job: in a message, a title and the
    words of a claim; by run, plan and report, as text and as JSON."""
    prepare(sandbox)
    program = write_program(sandbox, "talk.py", f"sys.exit({COMMANDS!r})\n")
    scenario = (VERBATIM + group("defense", "talks", program)
                + group("defense", "fine", write_program(sandbox, "fine.py", SCALE))
                + f"[claim c]\nmeasure = recovery-rate\nat-most = 0.5\nsays = {COMMANDS}\n")
    title = ("--set", f"scenario.title=\u00a0{COMMANDS}")
    run_scenario(sandbox, scenario, code=1, words=title)
    runs = [sandbox.assay("run", "exec.scenario", "--out", "log", *title),
            sandbox.assay("plan", "exec.scenario", *title), sandbox.assay("report", "log"),
            sandbox.assay("report", "log", "--json")]
    for run in runs:
        text = run.out + run.err
        assert "error file=x::pwn" in text and "#1" in text, text
        orders = [line for line in text.splitlines()
                  if line.lstrip().startswith("::") or re.search(r"##[a-z]*\[", line)]
        assert not orders, orders
    assert "std::vector" in runs[0].out, runs[0].out
    assert COMMANDS in json.loads(runs[3].out)["claims"][0]["says"], runs[3].out


def test_settings_for_the_reader(sandbox):
    """A scenario may be a stranger's, too: its settings name the lines of every table."""
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    bad = "a" + BAD.replace(";", ":")  # which would begin another value
    parts = (VERBATIM + group("defense", "scaled", scale, f"settings = {bad}; b")
             + "[claim c]\nmeasure = recovery-rate\nat-most = 0.5\n")
    run_scenario(sandbox, parts, code=1)
    run_scenario(sandbox, parts.replace("; b", "; c"), out="other", code=1)
    for command in (["plan", "exec.scenario"], ["check", "exec.scenario"], ["report", "out"],
                    ["compare", "out", "other"],
                    ["run", "exec.scenario", "--out", "new", "--quiet", "--baseline", "out"]):
        said = sandbox.assay(*command)
        assert said.code in (0, 1, 3) and "red" in said.out + said.err, str(said)
        found = [mark for mark in MARKS if mark in said.out + said.err]
        assert not found, f"{found}: {said}"
    written = sandbox.read("out/results.json")
    assert not [mark for mark in MARKS if mark in written], written
    settings = {cell["defense"]["settings"]["settings"] for cell in json.loads(written)["cells"]}
    assert settings == {bad, "b"}, settings
