#!/usr/bin/env python3
"""Would a protection that was taken away be noticed? Each entry of tests/protections.toml takes one
away from the sources, by replacing a piece of text, and names the tests that must fail then.

usage: tests/without.py [--build build] [--list] [--why] [NAME...]

Builds a program without it beside the real one (BUILD/without) and plays the tests on both: they
pass on the real one, and fail on the other. The tree is not touched. Prints a line for each, with
--why what a test said, and ends with 1 if one was taken away and a test of it passed. An entry:

    name    of the protection, one word
    line    how its line in a table of docs/security.md begins
    file    where it is; `edits` holds further files of a protection in two places
    old     the text that is replaced, once in the file
    new     by this (default: nothing)
    fails   "SUITE::TEST" of tests/cli, "test-NAME" or "test-NAME --filter=PATTERN" of tests/unit;
            a list where tests notice it together
    seconds within which a test must have ended (default 120): one that hangs has failed"""

import argparse
import functools
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

import tomllib

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LIST = SOURCE / "tests" / "protections.toml"
NOTHING_PLAYED = 77  # tests/cli/conftest.py: all was skipped
TEST_LIBRARY = "tests/libassay-for-tests.so"
OBJECTS = ("assay.p", "libassay.a.p", "assay-confine.p")


def protections():
    return tomllib.loads(LIST.read_text())["protection"]


def edits_of(entry):
    """(file, old, new) of each."""
    pieces = entry.get("edits", [entry])
    return [(piece["file"], piece["old"], piece.get("new", "")) for piece in pieces]


def changed_texts(entry):
    """{file: text} without the protection; each piece must be there once."""
    texts = {}
    for file, old, new in edits_of(entry):
        text = texts.get(file) or (SOURCE / file).read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{entry['name']}: {file} has {text.count(old)} times: {old.strip()}")
        texts[file] = text.replace(old, new)
    return texts


def tests_of(entry):
    return [entry["fails"]] if isinstance(entry["fails"], str) else entry["fails"]


class Build:
    """What is compiled and linked as in the folder of a build, but for some of its files."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.place = self.folder / "without"
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()

    def build(self, *targets):
        subprocess.run(["ninja", "-C", self.folder, *targets], stdout=subprocess.DEVNULL, check=True)

    def command(self, target):
        done = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s", target],
                              capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if not line.startswith("ninja: ")]
        return shlex.split(lines[-1]) if done.returncode == 0 and lines else None

    def run(self, words):
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{shlex.join(map(str, words))[:300]}\n{done.stderr}")

    def compile(self, file, text):
        """{the object of the real file: that of the changed one}."""
        stem = file.replace("/", "_").removesuffix(".c") + ".c.o"
        made = {}
        changed = self.place / stem.replace(".c.o", ".c")
        changed.write_text(text)
        for target in (f"{folder}/{stem}" for folder in OBJECTS):
            words = self.command(target)
            if words is None:
                continue
            words = [word for word in words if word not in ("-MD", "-Werror")]
            for option in ("-MQ", "-MF", "-o", "-c"):
                at = words.index(option)
                del words[at:at + 2]
            made[target] = str(self.place / stem)
            # What only the removed piece used is not used any more.
            self.run([*words, "-w", "-I", (SOURCE / file).parent, "-c", changed, "-o", made[target]])
        if not made:
            raise SystemExit(f"{file} belongs to none of {', '.join(OBJECTS)}")
        return made

    def link(self, target, made, output):
        """The library is listed object by object: then none of it is there twice."""
        library = sorted(str(path.relative_to(self.folder))
                         for path in (self.folder / "libassay.a.p").glob("*.o"))
        words = []
        for word in self.command(target):
            if word == "libassay.a":
                words += library
            elif word != target and word not in ("-Wl,--whole-archive", "-Wl,--no-whole-archive"):
                words.append(word)
        words[words.index("-o") + 1:words.index("-o") + 1] = [str(output)]
        if shutil.which("ld.lld"):
            words.insert(1, "-fuse-ld=lld")
        self.run([made.get(word, word) for word in words])

    def programs(self, made):
        """A folder with the program and what confines its programs; what else a suite looks for
        beside it is the real one's."""
        folder = self.place / "program"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in os.listdir(self.folder):
            if name not in ("assay", "assay-confine", "without"):
                (folder / name).symlink_to(self.folder / name)
        for name in ("assay", "assay-confine"):
            if any(path.startswith((f"{name}.p/", "libassay.a.p/") if name == "assay"
                                   else f"{name}.p/") for path in made):
                self.link(name, made, folder / name)
            else:
                shutil.copy2(self.folder / name, folder / name)
        return folder / "assay"


def play(words, seconds, log, **variables):
    """Its exit code; what hangs is ended with all that it started, and has failed."""
    with subprocess.Popen(words, cwd=SOURCE, stdout=log, stderr=subprocess.STDOUT,
                          start_new_session=True, env={**os.environ, **variables}) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            log.write(b"E   it did not end\n")
            return -9


def is_unit(test):
    return test.startswith("test-")


def command_of(test, build, program):
    """Of a unit test its own program; of one of the command line, played on @program."""
    if is_unit(test):
        name, *rest = test.split()
        return [str(build.folder / "tests" / name), *rest]
    suite, _, case = test.partition("::")
    file = SOURCE / "tests" / "cli" / f"test_{suite}.py"
    if not file.exists():
        file = SOURCE / "tests" / "cli" / "cases" / f"{suite}.test"
    return [str(SOURCE / "tests" / "cli" / "run"), "-x", f"--assay={program}",
            f"{file}::{case}" if case else str(file)]


@functools.cache
def check_passes(test, build):
    """With the protection: else its failure without would say nothing."""
    if is_unit(test):
        build.build(f"tests/{test.split()[0]}")
    with open(build.place / "with.log", "wb") as log:
        if play(command_of(test, build, build.folder / "assay"), 600, log) != 0:
            raise SystemExit(f"{test} fails before anything was taken away: {log.name}")


def is_noticed(test, entry, build, made, log):
    check_passes(test, build)
    variables, program = {}, None
    if is_unit(test):
        # The loader takes a library from here before the one beside the tests.
        build.link(TEST_LIBRARY, made, build.place / pathlib.Path(TEST_LIBRARY).name)
        variables = {"LD_LIBRARY_PATH": str(build.place)}
    else:
        program = build.programs(made)
    code = play(command_of(test, build, program), entry.get("seconds", 120), log, **variables)
    return code not in (0, NOTHING_PLAYED)


def play_without(entry, build, tells_why):
    """Whether each of its tests failed."""
    start = time.monotonic()
    made = {}
    for file, text in changed_texts(entry).items():
        made |= build.compile(file, text)
    path = build.place / f"{entry['name']}.log"
    with open(path, "wb") as log:
        failed = {test: is_noticed(test, entry, build, made, log) for test in tests_of(entry)}
    said = "; ".join(f"{test} {'fails' if noticed else 'DOES NOT FAIL'}"
                     for test, noticed in failed.items())
    print(f"{entry['name']}: {said} ({time.monotonic() - start:.0f} s)", flush=True)
    if tells_why:
        reasons = [line for line in path.read_text(errors="replace").splitlines()
                   if line.startswith(("E  ", "[----]"))]
        print("    " + "\n    ".join(line[:200] for line in reasons[:3]))
    return all(failed.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=SOURCE / "build")
    parser.add_argument("--list", action="store_true", help="only what there is")
    parser.add_argument("--why", action="store_true", help="what failed, too")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    entries = [entry for entry in protections() if not options.names or entry["name"] in options.names]
    unknown = set(options.names) - {entry["name"] for entry in entries}
    if unknown:
        parser.error(f"there is no protection {', '.join(sorted(unknown))}")
    if options.list:
        for entry in entries:
            print(f"{entry['name']}: {', '.join(tests_of(entry))}")
        return 0
    build = Build(options.build)
    build.build("program")
    unnoticed = [entry["name"] for entry in entries
                 if not play_without(entry, build, options.why)]
    print(f"{len(entries)} taken away, {len(unnoticed)} of them unnoticed {' '.join(unnoticed)}")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
