#!/usr/bin/env python3
"""Mutation testing: would the unit tests notice a changed operator or number? Each mutant is one
change of one token of a file. It is compiled by itself, and each test is linked with it before the
static library, so that all calls reach it and nothing else is built; the tests should then fail.

usage: tests/mutate.py [--build build] [--sample N] [--seed S] [--seconds T] --tests A,B,... FILE...

Prints a line for each mutant that no test noticed, and how many there were of each file. Mutants
that do not compile are not counted, and neither are comments, strings, preprocessor lines and
"g_assert". A mutant that is the same program (i < n for i != n) survives by right: look at each.
The tree is not touched. Takes some seconds a mutant, so that --sample or --seconds bound it; the
sample is the same for the same seed."""

import argparse
import collections
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
         "==": "!=", "!=": "==", "&&": "||", "||": "&&", "++": "--", "--": "++", "+=": "-=",
         "-=": "+=", "*=": "/=", "/=": "*=", "MIN": "MAX", "MAX": "MIN", "TRUE": "FALSE",
         "FALSE": "TRUE"}
TOKEN = re.compile(r"""/\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^[ \t]*\#(?:\\\n|.)*?$
                     | (?P<number>(?<![\w.])(?:\d+\.\d*|\.?\d+)(?:e[-+]?\d+)?(?![\w.]))
                     | (?P<word>[A-Za-z_]\w*)
                     | (?P<sign>->|\+\+|--|[-+*/<>=!]=|&&|\|\||<<|>>|[-+*/<>])""",
                   re.VERBOSE | re.MULTILINE | re.DOTALL)
TEST_SECONDS = 60


def mutants_of(text):
    """(start, end, replacement) of each; a sign is one where operands stand on both sides."""
    found = []
    for match in TOKEN.finditer(text):
        start, end, token = match.start(), match.end(), match[0]
        line = text[text.rfind("\n", 0, start) + 1:text.find("\n", start)]
        if "g_assert" in line or re.match(r"\s*(static\s+)?const char\b", line):
            continue
        if match["number"]:
            new = f"{token}1" if "." in token else str(int(token) + 1) if token.isdigit() else None
            if new is not None and text[start - 1] != "[" and "e" not in token:
                found.append((start, end, new if "." not in token else f"({token} * 1.01)"))
        elif match["word"] in SWAPS:
            found.append((start, end, SWAPS[token]))
        elif match["sign"] in SWAPS:
            is_binary = text[start - 1] == " " and text[end:end + 1] == " " and re.search(
                r"[\w)\]]\s*$", text[:start])
            is_pointer = token == "*" and not re.match(r"\s*[\w(]", text[end:])
            if (is_binary and not is_pointer) or token in ("++", "--"):
                found.append((start, end, SWAPS[token]))
    return found


def run(command, seconds, folder=None):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        return -1


class Build:
    """How a file is compiled, and a test linked, as the build has it."""

    def __init__(self, folder, tests, work):
        self.folder, self.tests, self.work = pathlib.Path(folder), tests, pathlib.Path(work)
        subprocess.run(["ninja", "-C", folder, "libassay.a",
                        *(f"tests/test-{test}" for test in tests)],
                       stdout=subprocess.DEVNULL, check=True)
        # What the program needs beside its own objects.
        words = self.last_command("assay")
        inputs = ("-l", "-Wl,-rpath", "-fopenmp", "-pthread")
        self.libraries = [word for word in words if word.startswith(inputs)
                          or word.endswith((".so", "libfaiss_c.a"))]

    def last_command(self, target):
        """What makes a file of the build, as words; its rpath needs none of ninja's escapes."""
        done = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s", target],
                              capture_output=True, text=True, check=True)
        line = next(line for line in reversed(done.stdout.splitlines())
                    if not line.startswith("ninja: "))
        return shlex.split(line)

    def compile(self, path, text):
        """The object of a changed file, or None."""
        name = str(path).replace("/", "_").removesuffix(".c")
        words = self.last_command(f"libassay.a.p/{name}.c.o")
        changed = self.work / "mutant.c"
        changed.write_text(text)
        drop = {"-MD", "-Werror"}
        words = [word for word in words if word not in drop]
        for option in ("-MQ", "-MF", "-o", "-c"):
            at = words.index(option)
            del words[at:at + 2]
        # -O1 compiles faster, and mutants are about what is written, not about the optimiser.
        done = run([*words, "-O1", "-I", path.resolve().parent, "-c", changed, "-o",
                    self.work / "mutant.o"], 120, self.folder)
        return self.work / "mutant.o" if done == 0 else None

    def is_noticed(self, mutant):
        """The test that is named like the file first."""
        linker = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
        for test in self.tests:
            program = self.work / f"test-{test}"
            linked = run(["c++", *linker, "-o", program, self.object_of(test), mutant,
                          "-Wl,--start-group", "tests/libtest-fixtures.a",
                          "tests/libtest-reference.a", "libassay.a", "-Wl,--end-group",
                          *self.libraries, "-lcriterion", "-lm"], 300, self.folder)
            if linked != 0:
                sys.exit(f"test-{test} cannot be linked with a mutant")
            if run([program], TEST_SECONDS) != 0:
                return True
        return False

    def object_of(self, test):
        return next((self.folder / "tests" / f"test-{test}.p").glob("unit_*.o")).relative_to(
            self.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--sample", type=int, default=0, help="mutants of all files together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--tests", required=True, help="names, as in build/tests/test-NAME")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    texts = {path: path.read_text() for path in options.files}
    all_mutants = [(path, mutant) for path, text in texts.items() for mutant in mutants_of(text)]
    if options.sample:
        all_mutants = random.Random(options.seed).sample(
            all_mutants, min(options.sample, len(all_mutants)))
    with tempfile.TemporaryDirectory() as work:
        play(options, texts, all_mutants, work)


def play(options, texts, all_mutants, work):
    build = Build(options.build, options.tests.split(","), work)
    for path, text in texts.items():
        same = build.compile(path, text)
        if same is None or build.is_noticed(same):
            sys.exit(f"{path} does not compile, or the tests fail, before anything is changed")
    counts = collections.Counter()
    end = time.monotonic() + options.seconds
    for path, mutant in all_mutants:
        if time.monotonic() > end:
            break
        text, (start, stop, new) = texts[path], mutant
        compiled = build.compile(path, text[:start] + new + text[stop:])
        noticed = None if compiled is None else build.is_noticed(compiled)
        counts[path, "not compiled" if noticed is None else noticed] += 1
        if noticed is False:
            at = text.count("\n", 0, mutant[0]) + 1
            print(f"{path}:{at}: {mutant[2]} for {text[mutant[0]:mutant[1]]}: "
                  f"{text.splitlines()[at - 1].strip()}", flush=True)
    print("\n| file | mutants | noticed |\n| --- | ---: | ---: |")
    for path in texts:
        n = counts[path, True] + counts[path, False]
        print(f"| {path} | {n} | {counts[path, True]} |")
    n, noticed = sum(counts[p, k] for p in texts for k in (True, False)), sum(
        counts[p, True] for p in texts)
    print(f"| all | {n} | {noticed} ({noticed / max(n, 1):.1%}) |")


if __name__ == "__main__":
    main()
