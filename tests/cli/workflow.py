"""The job files of examples/ci, read and played.

read() knows the part of YAML that they are written in, and refuses everything else: mappings, lists
of mappings or words, plain and "quoted" words on one line, and blocks of text after "|"."""

import re

KEY = re.compile(r"([\w.-]+):(?: +(.+))?")


class Unreadable(Exception):
    """Not the part of YAML that is known here."""


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def without_comments(text):
    """(indent, line) of what counts; lines of blocks keep their own comments."""
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if "\t" in line:
            raise Unreadable(f"line {number}: a tab")
        indent = indent_of(line)
        if block is not None and (not line.strip() or indent > block):
            yield indent, line
            continue
        block = None
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if re.search(r"(: |- )\|$", line):
            block = indent
        elif re.search(r"\s#|[:-] *[&*>{\[]|[:-] +'", line):
            raise Unreadable(f"line {number}: {line.strip()}")
        yield indent, line


class Reader:
    def __init__(self, text):
        self.lines = list(without_comments(text))
        self.at = 0

    def indent(self):
        return self.lines[self.at][0] if self.at < len(self.lines) else -1

    def word(self, text):
        return text[1:-1] if text.startswith('"') and text.endswith('"') else text

    def block(self, parent):
        """The lines below @parent without their common indentation."""
        found = []
        while self.at < len(self.lines):
            indent, line = self.lines[self.at]
            if line.strip() and indent <= parent:
                break
            found.append(line)
            self.at += 1
        margin = min(indent_of(line) for line in found if line.strip())
        return "\n".join(line[margin:] for line in found).rstrip("\n") + "\n"

    def value(self, text, parent):
        """What stands behind a key or dash, or below it."""
        if text == "|":
            return self.block(parent)
        if text:
            return self.word(text)
        if self.indent() <= parent:
            return ""
        return self.node(self.indent())

    def node(self, indent):
        is_list = self.lines[self.at][1].lstrip().startswith("- ")
        found = [] if is_list else {}
        while self.indent() == indent:
            line = self.lines[self.at][1].strip()
            if line.startswith("- ") != is_list:
                raise Unreadable(line)
            key = KEY.fullmatch(line)
            if is_list and KEY.fullmatch(line[2:]):  # a mapping that begins behind the dash
                self.lines[self.at] = (indent + 2, " " * (indent + 2) + line[2:])
                found.append(self.node(indent + 2))
                continue
            self.at += 1
            if is_list:
                found.append(self.value(line[2:], indent))
            elif key is None or key[1] in found:
                raise Unreadable(line)
            else:
                found[key[1]] = self.value(key[2] or "", indent)
        if self.indent() > indent:
            raise Unreadable(self.lines[self.at][1])
        return found


def read(text):
    reader = Reader(text)
    found = reader.node(0)
    if reader.at < len(reader.lines):
        raise Unreadable(reader.lines[reader.at][1])
    return found


class Played:
    """What a job left behind."""

    def __init__(self):
        self.code, self.log, self.summary, self.published = 0, "", "", None

    def __str__(self):
        return f"exit {self.code}\n{self.log}summary:\n{self.summary}published: {self.published}"


def run_step(sandbox, played, script, environment):
    """One script by "sh -e", as both systems do; the first failure is that of the job."""
    (sandbox.root / "step.sh").write_text(script)
    done = sandbox.shell(f"sh -e '{sandbox.root}/step.sh'", **environment)
    played.log += done.out + done.err
    played.code = played.code or done.code


def play_github(sandbox, workflow, branch, variables):
    """The steps of the one job. Actions only do what the next run of this test can see."""
    played = Played()
    path, summary = sandbox.root / "path", sandbox.root / "summary"
    for file in (path, summary):
        file.write_text("")
    environment = {**workflow["env"], **variables, "GITHUB_PATH": str(path),
                   "GITHUB_STEP_SUMMARY": str(summary)}
    conditions = {
        "": lambda: played.code == 0,
        "${{ !cancelled() }}": lambda: True,
        "github.ref == 'refs/heads/main'": lambda: played.code == 0 and branch == "main",
    }
    job, = workflow["jobs"].values()
    for step in job["steps"]:
        if not conditions[step.get("if", "")]():
            continue
        if "run" in step:
            added = ":".join([*reversed(path.read_text().split()), sandbox.environment["PATH"]])
            run_step(sandbox, played, step["run"], {**environment, "PATH": added})
        elif step["uses"].startswith("actions/upload-artifact@"):
            played.published = sandbox.tree(step["with"]["path"])
    played.summary = summary.read_text()
    return played


def play_gitlab(sandbox, workflow, branch, variables):
    """before_script and script are one script."""
    played = Played()
    job = workflow["audit"]
    environment = {**job["variables"], **variables, "CI_DEFAULT_BRANCH": "main"}
    if branch == "main":  # otherwise it is a pipeline of a merge request
        environment["CI_COMMIT_BRANCH"] = branch
    run_step(sandbox, played, "".join(job["before_script"] + job["script"]), environment)
    folder, = job["artifacts"]["paths"]
    if (sandbox.path / folder).is_dir():
        played.published = sandbox.tree(folder)
    return played


PLAY = {"github": play_github, "gitlab": play_gitlab}
