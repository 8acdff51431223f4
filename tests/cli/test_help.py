"""assay help and --help: of every command, and what stands in them as an example, pasted."""

import re
import shutil
import struct
import zlib

import pytest

from newcomer import Newcomer, make_people
from test_completion import commands_of

SUBCOMMANDS = ("info", "convert", "extract", "fetch")


@pytest.fixture
def newcomer(sandbox):
    return Newcomer(sandbox.path, sandbox.assay_path, sandbox.environment["PATH"])


def every_command(sandbox):
    return [(name,) for name in commands_of(sandbox) if name != "dataset"] + [
        ("dataset", name) for name in SUBCOMMANDS]


def test_help_before_and_behind(sandbox):
    for command in [("dataset",), *every_command(sandbox)]:
        text = sandbox.expect(sandbox.assay(*command, "--help"), err="").out
        assert sandbox.expect(sandbox.assay("help", *command), err="").out == text, command
    sandbox.refuses(sandbox.assay("help", "rum"),
                    "unknown command 'rum' (did you mean 'run'?); 'assay --help' lists them")


def examples(text):
    """The lines below the options that begin with two blanks: commands, indented as they stand."""
    after = re.split(r"\n(?:Help|Application) Options:\n(?:.+\n)+", text)[-1]
    return [line for line in after.splitlines() if line.startswith("  ")]


def test_examples_are_called_as_the_program_was(newcomer, sandbox):
    """Who has not installed it types build/assay."""
    for command in every_command(sandbox):
        words = " ".join(command)
        told = examples(newcomer.types(f"build/assay {words} --help").stdout)
        assert any(line.startswith("  build/assay ") or "(build/assay " in line for line in told), (
            f"{words}: {told}")
        named = examples(sandbox.assay(*command, "--help").out)
        assert [line.replace("build/assay ", "assay ") for line in told] == named, words
    (newcomer.path / "open.scenario").write_text(
        "[scenario]\ntitle = Open\nseed = 1\n[dataset]\nplugin = gaussian-classes\nsecrets = 50\n"
        "[defense open]\nplugin = none\n[attack verbatim]\nplugin = verbatim\n"
        "[claim hidden]\nmeasure = recovery-rate\nat-most = 0.1\n")
    told = newcomer.types("build/assay run open.scenario --out out").stdout
    again = told.partition("; again: ")[2].splitlines()[0]
    assert again.startswith("build/assay run open.scenario --out "), told
    assert newcomer.types(again).returncode == 0, again
    done = newcomer.types("build/assay init lsh")
    assert done.stdout.endswith("\n  build/assay run lsh.scenario\n"), done


def png(side, number):
    """Squares of random greys, in which there are keypoints."""
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))

    rows = b"".join(
        b"\0" + bytes((x // 12 * 37 + y // 12 * 101 + x // 12 * y // 12 * 53 + number * 29) % 256
                      for x in range(side)) for y in range(side))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_own_files(newcomer):
    """What the examples of `audit` and `dataset extract` name as the reader's own."""
    make_people(newcomer)
    rows = range(2000)
    (newcomer.path / "jobs.csv").write_text("job\n" + "".join(f"{i % 3}\n" for i in rows))
    (newcomer.path / "people.csv").write_text("name,age,income,job\n" + "".join(
        f"p{i},{20 + i * 7919 % 60},{1000 + i * 104729 % 5000},{i % 3}\n" for i in rows))
    (newcomer.path / "published.csv").write_text("age,income\n" + "".join(
        f"{20 + i * 7919 % 60},{1000 + i * 104729 % 5000}\n" for i in rows))
    for folder, count in (("photographs", 300), ("photos", 10)):
        (newcomer.path / folder).mkdir()
        for number in range(count):
            (newcomer.path / folder / f"{number:03}.png").write_bytes(png(96, number))


@pytest.mark.slow
@pytest.mark.usefixtures("python3_has_numpy")
def test_examples_when_pasted(newcomer, sandbox):
    """In the order of the commands, in one folder: measure's example goes on from attack's."""
    make_own_files(newcomer)
    played = 0
    for command in every_command(sandbox):
        words = " ".join(command)
        script = "\n".join(examples(newcomer.types(f"build/assay {words} --help").stdout))
        if command == ("dataset", "fetch") or (command == ("man",) and not shutil.which("man")):
            continue  # no network, no pager
        script = re.sub(r"(build/assay audit (?:(?!--time).)+)$", r"\1 --time 30s", script,
                        flags=re.MULTILINE)
        for line in re.split(r"\n(?=  \S)", script):
            done = newcomer.types(line)
            # 1: a claim is violated; 3: of an audit that had but half a minute.
            allowed = (0, 1, 3) if command == ("audit",) else (0, 1)
            assert done.returncode in allowed, f"{words}: {line}\n{done.stdout}\n{done.stderr}"
            played += 1
    assert played >= 25, played
