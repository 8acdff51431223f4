#!/usr/bin/env python3
"""Mutation testing: would the unit tests notice a changed operator or number? Each mutant is one
change of one token of a file. It is compiled by itself and loaded, with the rest of its folder, in
front of the library that the tests use (LD_PRELOAD), so that nothing is linked anew; a test should
then fail.

usage: tests/mutate.py [--build build] [--jobs 2] [--sample N] [--seed S] [--record FILE] [FILE...]

Prints a line for each mutant that no test noticed, and a table of how many there were. FILE is one
of tests/mutants.toml (default: all of them), which names the tests of each, and the mutants that
are the same program, each with the reason: those are played too, and it is an error if a test
notices one. --record puts the table's rows into FILE in the place of those of the same files, and
the mutants that were missed into the table below it.

Mutants that do not compile are not counted; comments, strings, preprocessor lines, g_assert and
g_return are not changed. The tree is not touched. The exit code is 1 if a mutant survived that
the list does not have, or the list is wrong."""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import tomllib

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools"))

import record_table  # noqa: E402

LIST = SOURCE / "tests" / "mutants.toml"
SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
         "==": "!=", "!=": "==", "&&": "||", "||": "&&", "++": "--", "--": "++", "+=": "-=",
         "-=": "+=", "*=": "/=", "/=": "*=", "MIN": "MAX", "MAX": "MIN", "TRUE": "FALSE",
         "FALSE": "TRUE"}
TOKEN = re.compile(r"""/\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^[ \t]*\#(?:\\\n|.)*?$
                     | (?P<number>(?<![\w.])(?:\d+\.\d*|\.?\d+)(?:e[-+]?\d+)?(?![\w.]))
                     | (?P<word>[A-Za-z_]\w*)
                     | (?P<sign>->|\+\+|--|[-+*/<>=!]=|&&|\|\||<<|>>|[-+*/<>])""",
                   re.VERBOSE | re.MULTILINE | re.DOTALL)
# Of the processor's time, so that a busy machine makes no mutant fail.
TEST_SECONDS = 6
# Criterion may wait for a test that was ended thus: it has failed when none of its processes has
# run for so long, which on a busy machine is not the same as not having ended.
IDLE_SECONDS = 60
# A mutant may ask for any amount of memory: it gets none beyond this.
TEST_BYTES = 8 << 30
MISSED_HEAD = "| missed in | line | changed | into | text |"
HEAD = "| file | mutants | noticed | the same program | missed | seconds | at |"


@dataclasses.dataclass(frozen=True)
class Mutant:
    start: int
    end: int
    old: str
    new: str
    line: str   # the text of its line
    nth: int    # which `old` of that text, from 1, over all lines that are alike
    number: int

    def in_text(self, text):
        return text[:self.start] + self.new + text[self.end:]


def replacement(text, match):
    """What takes the place of a token, or None; a sign is one where operands stand on both sides."""
    start, end, token = match.start(), match.end(), match[0]
    if match["number"]:
        if text[start - 1] == "[" or "e" in token:
            return None
        return f"({token} * 1.01)" if "." in token else str(int(token) + 1)
    if match["word"]:
        return SWAPS.get(token)
    if not match["sign"] or token not in SWAPS:
        return None
    if token in ("++", "--"):
        return SWAPS[token]
    is_binary = (text[start - 1] == " " and text[end:end + 1] == " "
                 and re.search(r"[\w)\]]\s*$", text[:start]))
    is_pointer = token == "*" and not re.match(r"\s*[\w(]", text[end:])
    return SWAPS[token] if is_binary and not is_pointer else None


def mutants_of(text):
    found, seen = [], collections.Counter()
    for match in TOKEN.finditer(text):
        start = match.start()
        line = text[text.rfind("\n", 0, start) + 1:text.find("\n", start)].strip()
        if re.match(r"g_assert|g_return|(static\s+)?const char\b", line):
            continue
        new = replacement(text, match)
        if new is not None:
            seen[line, match[0]] += 1
            found.append(Mutant(start, match.end(), match[0], new, line, seen[line, match[0]],
                                text.count("\n", 0, start) + 1))
    return found


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (TEST_SECONDS, TEST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (TEST_BYTES, TEST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def processor_time(session):
    """Of all processes of a session, in clock ticks; those that ended meanwhile are left out."""
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks


def run(command, folder=None, **how):
    """The exit code. What does not end is ended, with the processes that it started."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True, **how) as process:
        before = None
        while True:
            try:
                return process.wait(IDLE_SECONDS)
            except subprocess.TimeoutExpired:
                now = processor_time(process.pid)
                if now == before:
                    os.killpg(process.pid, signal.SIGKILL)
                    return -1
                before = now


class Build:
    """How the build compiles a file; what is made lies in a folder of each thread's own."""

    def __init__(self, folder, tests, work):
        self.folder, self.work = pathlib.Path(folder).resolve(), pathlib.Path(work)
        self.own = threading.local()
        subprocess.run(["ninja", "-C", self.folder, *(f"tests/test-{test}" for test in tests)],
                       stdout=subprocess.DEVNULL, check=True)

    def place(self):
        if not hasattr(self.own, "place"):
            self.own.place = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        return self.own.place

    def command(self, path):
        """What compiles a file, without its outputs."""
        done = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s",
                               self.object_of(path)], capture_output=True, text=True, check=True)
        words = shlex.split([line for line in done.stdout.splitlines()
                             if not line.startswith("ninja: ")][-1])
        words = [word for word in words if word not in ("-MD", "-Werror", "ccache")]
        for option in ("-MQ", "-MF", "-o", "-c"):
            at = words.index(option)
            del words[at:at + 2]
        # -O1 compiles faster, and mutants are about what is written, not about the optimiser.
        return [*words, "-w", "-O1", "-I", str((SOURCE / path).parent)]

    @staticmethod
    def object_of(path):
        return f"libassay.a.p/{str(path).replace('/', '_')}.o"

    def library(self, path, text, command):
        """A shared library of the file's folder in which the file has this text, or None."""
        place = self.place()
        (place / "mutant.c").write_text(text)
        if run([*command, "-c", place / "mutant.c", "-o", place / "mutant.o"], self.folder) != 0:
            return None
        others = [self.object_of(other.relative_to(SOURCE))
                  for other in sorted((SOURCE / path).parent.glob("*.c"))
                  if other != SOURCE / path]
        linker = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
        subprocess.run([command[0], *linker, "-shared", "-o", place / "mutant.so",
                        place / "mutant.o", *others], cwd=self.folder, check=True)
        return place / "mutant.so"

    def is_noticed(self, library, tests):
        return any(run([self.folder / "tests" / f"test-{test}", "-j1", "--fail-fast"], SOURCE,
                       env={**os.environ, "LD_PRELOAD": str(library),
                            "ASSAY_SOURCE": str(SOURCE), "ASSAY_CACHE": "",
                            "G_DEBUG": "fatal-warnings"},
                       preexec_fn=limit) != 0 for test in tests)


class File:
    """A file of the list: its text, mutants, tests, and which mutants are the same program."""

    def __init__(self, entry):
        self.name, self.tests = entry["name"], entry["tests"]
        self.text = (SOURCE / self.name).read_text()
        self.mutants = mutants_of(self.text)
        self.same = {}
        by_key = {(m.line, m.old, m.nth): m for m in self.mutants}
        for line, tokens, why in entry.get("same", []):
            for token in tokens:
                old, _, nth = token.partition("#")
                mutant = by_key.get((line, old, int(nth or 1)))
                if mutant is None or not why:
                    sys.exit(f"{LIST.name}: {self.name} has no '{token}' in: {line}")
                self.same[mutant] = why


def check_unchanged(build, file, command):
    """The text as it is passes; one that ends the process does not, so that it is what runs."""
    if build.is_noticed(build.library(file.name, file.text, command), file.tests):
        sys.exit(f"{file.name}: the tests fail before anything is changed")
    ended = file.text + ("\n__attribute__ ((constructor)) static void leave (void)"
                         "{ __builtin_trap (); }\n")
    if not build.is_noticed(build.library(file.name, ended, command), file.tests):
        sys.exit(f"{file.name}: the tests do not load what is changed")


def missed_row(name, mutant):
    """Of the table of what was missed. "the 2. `0`" where its line has several."""
    which = f"the {mutant.nth}. " if mutant.nth > 1 else ""
    cells = [name, str(mutant.number), f"{which}`{mutant.old}`", f"`{mutant.new}`",
             f"`{mutant.line}`"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def record_missed(path, name, missed):
    """What was missed of the file `name` in the place of what was missed before."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begin, end = record_table.find(lines, MISSED_HEAD)
    rows = [line for line in lines[begin:end] if not line.startswith(f"| {name} |")]
    rows += [missed_row(name, mutant) for mutant in missed]
    rows.sort(key=lambda row: record_table.cells_of(row)[0])  # stable: by line within a file
    path.write_text("\n".join([*lines[:begin], *rows, *lines[end:]]) + "\n", encoding="utf-8")


def play_file(build, file, mutants, jobs):
    """Counts of how the file's mutants fared, and those that no test noticed, which are printed."""
    command = build.command(file.name)
    check_unchanged(build, file, command)
    start, counts, missed = time.monotonic(), collections.Counter(), []

    def play(mutant):
        library = build.library(file.name, mutant.in_text(file.text), command)
        return None if library is None else build.is_noticed(library, file.tests)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for mutant, noticed in zip(mutants, pool.map(play, mutants)):
            kind = {None: "not compiled", True: "noticed", False: "missed"}[noticed]
            if mutant in file.same:
                kind = "same" if noticed is False else "listed and noticed"
            counts[kind] += 1
            if kind == "missed":
                missed.append(mutant)
            if kind in ("missed", "listed and noticed"):
                print(f"{file.name}:{mutant.number}: {kind}: {mutant.new} for {mutant.old} "
                      f"({mutant.nth}): {mutant.line}", flush=True)
    counts["seconds"] = round(time.monotonic() - start)
    return counts, missed


def row_of(name, counts, commit):
    n = counts["noticed"] + counts["missed"] + counts["same"] + counts["listed and noticed"]
    return [name, n, counts["noticed"], counts["same"], counts["missed"], counts["seconds"], commit]


def sum_row(rows):
    """With the share of the mutants that are other programs and were noticed."""
    n, noticed, same, missed, seconds = (sum(int(row[column]) for row in rows)
                                         for column in range(1, 6))
    share = noticed / max(n - same, 1)
    return ["all", n, f"{noticed} ({share:.1%} of {n - same})", same, missed, seconds, ""]


def chosen_files(names):
    entries = tomllib.loads(LIST.read_text())["file"]
    unknown = set(names) - {entry["name"] for entry in entries}
    if unknown:
        sys.exit(f"{LIST.name} has no {', '.join(sorted(unknown))}")
    return [File(entry) for entry in entries if not names or entry["name"] in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=SOURCE / "build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=0, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = chosen_files(options.files)
    commit = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%h", "HEAD"],
                            capture_output=True, text=True, check=False).stdout.strip()
    rows, failed = {}, False
    with tempfile.TemporaryDirectory() as work:
        build = Build(options.build, {test for file in files for test in file.tests}, work)
        for file in files:
            mutants = file.mutants
            if options.sample:
                mutants = random.Random(options.seed).sample(
                    mutants, min(options.sample, len(mutants)))
            counts, missed = play_file(build, file, mutants, options.jobs)
            failed |= counts["missed"] + counts["listed and noticed"] > 0
            rows[file.name] = row_of(file.name, counts, commit)
            if options.record:
                record_table.write(options.record, HEAD, {file.name: rows[file.name]}, sum_row)
                record_missed(options.record, file.name, missed)
    print(f"\n{HEAD}")
    for row in [*rows.values(), sum_row(rows.values())]:
        print(f"| {' | '.join(map(str, row))} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
