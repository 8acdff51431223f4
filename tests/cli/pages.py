"""Pages of Markdown that are followed literally: every block of code on them is written to a file,
run, or looked for in what was printed, as the comment before it says.

    <!-- file: NAME -->     the block is written to NAME
    <!-- append: NAME -->   the block is put at the end of NAME
    <!-- run: exit N -->    the block is a script for sh; exit N may be left out and is then 0
    <!-- output -->         the block stands, line by line, in what the last script printed
    <!-- output: like -->   the same but for its numbers, where those depend on the machine
    <!-- shown -->          the block shows what something looks like; nothing is done with it

A block without such a comment is a mistake: whoever follows the page could not know what to do."""

import re

from places import SOURCE

BLOCK = re.compile(r"(?:<!-- (.+?) -->\n)?^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def prepare(sandbox, *examples):
    """What a page may rely on: the program where it is built, and some of the examples. Readers have
    set no variable."""
    for name in [one for one in sandbox.environment if one.startswith("ASSAY_")]:
        del sandbox.environment[name]
    (sandbox.path / "build").mkdir()
    (sandbox.path / "build" / "assay").symlink_to(sandbox.assay_path)
    for name in examples:
        for path in (SOURCE / "examples" / name).iterdir():
            sandbox.write(f"examples/{name}/{path.name}", path.read_bytes())


def put(sandbox, words, text):
    path = sandbox.path / words[1]
    before = path.read_text() if words[0] == "append:" else ""
    assert words[0] == "append:" or not path.exists(), f"{path.name} is written twice"
    sandbox.write(words[1], before + text)


def shape(text):
    """Without digits, and without the blanks that the width of a number decides."""
    return re.sub(r" +", " ", re.sub(r"[\d.]+", "#", text))


def follow(sandbox, name):
    """Follows the page @name of the source tree. Returns how many scripts were run."""
    printed, n_run = "", 0
    for comment, text in BLOCK.findall((SOURCE / name).read_text()):
        words = comment.split()
        assert words, f"{name}: nothing says what to do with\n{text}"
        if words[0] in ("file:", "append:"):
            put(sandbox, words, text)
        elif words[0] in ("run", "run:"):
            result = sandbox.shell(f"set -e\n{text}")
            sandbox.expect(result, int(words[2]) if words[0] == "run:" else 0)
            printed, n_run = result.out, n_run + 1
        elif comment in ("output", "output: like"):
            is_there = text in printed if comment == "output" else shape(text) in shape(printed)
            assert is_there, f"{name}: says\n{text}\nbut this was printed:\n{printed}"
        else:
            assert comment == "shown", f"{name}: unknown comment {comment}"
    return n_run
