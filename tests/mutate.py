#!/usr/bin/env python3
"""Mutation testing: would the unit tests notice a changed operator or number? Each mutant is one
change of one token of a file; it is built and the tests are run, which should fail.

usage: tests/mutate.py [--build build] [--sample N] [--seed S] [--seconds T] --tests A,B,... FILE...

Prints a line for each mutant that no test noticed, and how many there were of each file. Mutants
that do not compile are not counted, and neither are comments, strings, preprocessor lines and
"g_assert". A mutant that is the same program (i < n for i != n) survives by right: look at each.
The file is put back as it was, however the program ends. Takes some seconds a mutant, so that
--sample or --seconds bound it; the sample is the same for the same seed."""

import argparse
import collections
import pathlib
import random
import re
import signal
import subprocess
import sys
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


def run(command, seconds):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        return -1


def is_noticed(build, tests):
    return any(run([f"{build}/tests/test-{test}"], TEST_SECONDS) != 0 for test in tests)


def try_mutant(path, text, mutant, build, tests):
    """None: it does not compile."""
    start, end, new = mutant
    path.write_text(text[:start] + new + text[end:])
    try:
        if run(["ninja", "-C", build, *(f"tests/test-{test}" for test in tests)], 600) != 0:
            return None
        return is_noticed(build, tests)
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--sample", type=int, default=0, help="mutants of all files together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--tests", required=True, help="names, as in build/tests/test-NAME")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    tests = options.tests.split(",")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    texts = {path: path.read_text() for path in options.files}
    all_mutants = [(path, mutant) for path, text in texts.items() for mutant in mutants_of(text)]
    if options.sample:
        all_mutants = random.Random(options.seed).sample(
            all_mutants, min(options.sample, len(all_mutants)))
    if is_noticed(options.build, tests):
        sys.exit("the tests fail before anything is changed")
    counts = collections.Counter()
    end = time.monotonic() + options.seconds
    for path, mutant in all_mutants:
        if time.monotonic() > end:
            break
        text = texts[path]
        noticed = try_mutant(path, text, mutant, options.build, tests)
        counts[path, "not compiled" if noticed is None else noticed] += 1
        if noticed is False:
            at = text.count("\n", 0, mutant[0]) + 1
            print(f"{path}:{at}: {mutant[2]} for {text[mutant[0]:mutant[1]]}: "
                  f"{text.splitlines()[at - 1].strip()}", flush=True)
    run(["ninja", "-C", options.build, *(f"tests/test-{test}" for test in tests)], 600)
    print("\n| file | mutants | noticed |\n| --- | ---: | ---: |")
    for path in texts:
        n = counts[path, True] + counts[path, False]
        print(f"| {path} | {n} | {counts[path, True]} |")
    n, noticed = sum(counts[p, k] for p in texts for k in (True, False)), sum(
        counts[p, True] for p in texts)
    print(f"| all | {n} | {noticed} ({noticed / max(n, 1):.1%}) |")


if __name__ == "__main__":
    main()
