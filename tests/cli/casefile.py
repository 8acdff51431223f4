"""Case files: cases as data.

    # Comments and empty lines are free.
    file tiny.scenario              a file that every case after it begins with; the text is what
        [scenario]                  is indented by four spaces
    data private.fvecs rows=20      a data file (data.py says which options there are)

    case unknown-key                a case, up to the next one; its own "file" and "data" lines
                                    come on top
    edit tiny.scenario: OLD -> NEW  replaces the one line OLD; NEW may be empty, and "\\n" in it
                                    begins a new line
    append tiny.scenario: LINE      adds a line at the end; "\\n" as above
    shell mkdir out                 prepares something; must succeed
    run assay run tiny.scenario     the command: a line of shell, in the case's folder
    refused MESSAGE                 expected: exit code 2, "assay: MESSAGE" alone on stderr,
                                    nothing on stdout, and the folder as it was
    exit N                          or: an exit code (0 where it is left out)
    stdout / stderr                 and the exact text, indented; where one is left out it is empty
    kept                            and the folder is as it was

In expected text {dir} stands for the case's folder, {*} for anything within a line."""

import copy
import textwrap

import pytest

import data
from sandbox import Sandbox


class Case:
    """How its folder begins, its command and what it should do."""

    def __init__(self):
        self.steps = []  # (what to do with the sandbox)
        self.command = None
        self.code = 0
        self.out = self.err = ""
        self.is_kept = False

    def play(self, sandbox):
        for step in self.steps:
            step(sandbox)
        before = sandbox.tree()
        sandbox.expect(sandbox.shell(self.command), self.code, self.out, self.err)
        if self.is_kept:
            after = sandbox.tree()
            changes = set(before.items()) ^ set(after.items())
            assert not changes, f"the folder changed: {changes}"


def edit(name, old, new):
    def step(sandbox):
        lines = sandbox.read(name).split("\n")
        places = [i for i, line in enumerate(lines) if line.strip() == old]
        if len(places) != 1:
            pytest.fail(f"edit {name}: {len(places)} lines are '{old}'")
        lines[places[0]:places[0] + 1] = new.split("\\n")
        sandbox.write(name, "\n".join(lines))

    return step


def append(name, line):
    added = line.replace("\\n", "\n") + "\n"
    return lambda sandbox: sandbox.write(name, sandbox.read(name) + added)


def prepare(command):
    def step(sandbox):
        result = sandbox.shell(command)
        assert result.code == 0, f"could not prepare the case\n{result}"

    return step


def write_file(name, content):
    return lambda sandbox: sandbox.write(name, content)


def write_data(name, words):
    options = dict(word.split("=", 1) if "=" in word else (word, "") for word in words)
    return lambda sandbox: sandbox.write(name, data.made_file(name, options))


def take_block(lines):
    """The indented lines that come next, as text."""
    block = []
    while lines and (not lines[0].strip() or lines[0].startswith("    ")):
        block.append(lines.pop(0))
    while block and not block[-1].strip():
        block.pop()
    return textwrap.dedent("\n".join(block)) + "\n"


def read_directive(case, word, rest, lines):
    """Adds one line of a case file to @case; FALSE for a word that is none."""
    if word == "file":
        case.steps.append(write_file(rest, take_block(lines)))
    elif word == "data":
        name, *options = rest.split()
        case.steps.append(write_data(name, options))
    elif word == "edit":
        name, change = rest.split(": ", 1)
        old, new = change.split(" ->", 1)
        case.steps.append(edit(name, old.strip(), new.strip()))
    elif word == "append":
        case.steps.append(append(*rest.split(": ", 1)))
    elif word == "shell":
        case.steps.append(prepare(rest))
    elif word == "run":
        case.command = rest
    elif word == "refused":
        case.code, case.err, case.is_kept = 2, f"assay: {rest}\n", True
    elif word == "exit":
        case.code = int(rest)
    elif word == "stdout":
        case.out = take_block(lines)
    elif word == "stderr":
        case.err = take_block(lines)
    elif word == "kept":
        case.is_kept = True
    else:
        return False
    return True


def read_cases(path):
    """Yields (name, case) for every case of the file."""
    lines = path.read_text().split("\n")
    common = current = Case()
    number = len(lines)
    while lines:
        line = lines.pop(0)
        word, _, rest = line.partition(" ")
        if not line.strip() or line.startswith("#"):
            continue
        if word == "case":
            current = copy.copy(common)
            current.steps = list(common.steps)
            yield rest, current
        elif not read_directive(current, word, rest, lines):
            pytest.fail(f"{path.name}:{number - len(lines)}: unknown word '{word}'")


class CaseItem(pytest.Item):
    """One case as pytest plays it."""

    def __init__(self, *, case, **more):
        super().__init__(**more)
        self.case = case

    def runtest(self):
        with Sandbox(self.config.getoption("--assay")) as sandbox:
            self.case.play(sandbox)

    def repr_failure(self, excinfo, style=None):
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name


class CaseFile(pytest.File):
    """NAME.test, beside the cases that are written as functions."""

    def collect(self):
        for name, case in read_cases(self.path):
            yield CaseItem.from_parent(self, name=name, case=case)
