"""The job files of examples/ci, played."""

import pytest

yaml = pytest.importorskip("yaml")


def read(text):
    """Every word as text, as it stands there."""
    return yaml.load(text, Loader=yaml.BaseLoader)


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
