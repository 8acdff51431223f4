"""The job files of examples/ci, played line by line, and claims.xml as CI systems read it.

Around the jobs there is no GitHub and no GitLab: apt-get is a stub, and the repository that they
clone has a setup that puts the program under test where the real one compiles it. Everything else
that they run is run."""

import contextlib
import json
import re
import shutil
import sqlite3
import struct
import sys
import xml.etree.ElementTree

import pytest

import data
import junit_rules
import workflow
from places import SOURCE
from test_claims import HEAD, HOSTILE, claim, write

FOLDER = SOURCE / "examples" / "ci"
SYSTEMS = ("github", "gitlab")
SETUP = """\
#!/bin/sh
set -e
cd "$(dirname "$0")"
mkdir -p build
ln -sf {assay} build/assay
echo compiled >> ../compiled
"""

# An auditor wants a claim that says that little is found: here the epsilon of a mechanism.
UPHELD = HEAD.replace("[attack verbatim]", """\
[defense noisy]
plugin = laplace

[attack audit]
plugin = distinguish
runs = 40000
training = 5000

[attack verbatim]""") + claim("hidden", "at-least = 0.5", "defense = plain\nattack = verbatim") + """
[claim little]
measure = epsilon
defense = noisy
attack = audit
at-most = claimed
"""
VIOLATED = HEAD.replace("Known", "Broken") + claim(
    "broken", "at-most = 0.5", "defense = plain\nattack = verbatim")
OPEN = HEAD.replace("Known", "Open") + claim("open", "at-most = 0.1")


def job_file(system):
    return workflow.read((FOLDER / f"{system}.yml").read_text())


class Repository:
    """A user's repository on one system, with scenarios, in a sandbox without assay."""

    def __init__(self, sandbox, system, **scenarios):
        if shutil.which("git") is None:
            pytest.skip("git is not installed")
        self.sandbox, self.system = sandbox, system
        self.workflow = job_file(system)
        programs = sandbox.root / "bin"
        (programs / "assay").unlink()
        (programs / "apt-get").write_text("#!/bin/sh\necho apt-get \"$@\"\n")
        (programs / "apt-get").chmod(0o755)
        origin = sandbox.root / "origin"
        origin.mkdir()
        (origin / "setup").write_text(SETUP.format(assay=sandbox.assay_path))
        (origin / "setup").chmod(0o755)
        done = sandbox.shell(f"cd '{origin}' && git init -q && git add setup && git "
                             "-c user.name=a -c user.email=a@b commit -qm a && git tag v1")
        assert done.code == 0, done
        self.variables = {"ASSAY_REPOSITORY": str(origin), "ASSAY_VERSION": "v1"}
        for name, text in scenarios.items():
            self.add(name, text)

    def add(self, name, text, n_public=0):
        write(self.sandbox, text, n_public=n_public)
        done = self.sandbox.shell("mkdir -p scenarios && mv *.fvecs scenarios && "
                                  f"mv known.scenario scenarios/{name}.scenario")
        assert done.code == 0, done

    def play(self, code, branch="main", **variables):
        played = workflow.PLAY[self.system](self.sandbox, self.workflow, branch,
                                            {**self.variables, **variables})
        assert played.code == code, f"expected exit {code} on {self.system}, found {played}"
        return played

    def has(self, path):
        return (self.sandbox.path / path).exists()


on_each_system = pytest.mark.parametrize("system", SYSTEMS)
# Both files run the same audit, which a test asserts: what takes several runs is played of one.
of_gitlab_slowly = pytest.mark.parametrize(
    "system", ["github", pytest.param("gitlab", marks=pytest.mark.slow)])


def forget_what_was_found(sandbox, name):
    """The baseline of a scenario as if nothing had been recovered in its first cell."""
    path = sandbox.path / "baseline" / name / "run.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as opened, opened:
        blobs = {blob for blob, in opened.execute("SELECT data FROM outcomes WHERE cell = 0")}
        ones = [blob for blob in blobs
                if set(struct.unpack(f"={len(blob) // 8}d", blob)) == {1.0}]
        assert ones, "the first cell recovers nothing"
        for blob in ones:
            opened.execute("UPDATE outcomes SET data = zeroblob(length(data)) "
                           "WHERE cell = 0 AND data = ?", (blob,))


# ---- The files ----


def test_files_leave_to_be_set_what_users_must_set(sandbox):
    for variables in (job_file("github")["env"], job_file("gitlab")["audit"]["variables"]):
        unset = [name for name, value in variables.items() if value == "SET-ME"]
        assert unset == ["ASSAY_REPOSITORY", "ASSAY_VERSION"], variables
    for system in SYSTEMS:
        text = (FOLDER / f"{system}.yml").read_text()
        assert "://" not in text, f"{system}.yml names a host"


def test_github_runs_no_code_of_third_parties(sandbox):
    job, = job_file("github")["jobs"].values()
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert len(used) == 5, used
    for name in used:
        assert re.fullmatch(r"actions/(checkout|cache(/restore|/save)?|upload-artifact)@v\d+", name), (
            name)
    assert job_file("github")["permissions"] == {"contents": "read"}, "permissions"
    assert job_file("github")["defaults"]["run"]["shell"] == "sh", "the shell that is played"


def test_gitlab_publishes_whatever_the_verdict(sandbox):
    job = job_file("gitlab")["audit"]
    assert job["artifacts"]["when"] == "always", job["artifacts"]
    assert job["artifacts"]["reports"] == {"junit": "audits/*/claims.xml"}, job["artifacts"]
    assert job["allow_failure"] == {"exit_codes": "3"}, job["allow_failure"]
    policies = {rule["if"]: rule["variables"]["BASELINE_POLICY"] for rule in job["rules"]}
    assert (policies == {"$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH": "pull-push",
                         '$CI_PIPELINE_SOURCE == "merge_request_event"': "pull"}), policies
    assert all(entry["when"] == "always" for entry in job["cache"]), job["cache"]


def test_both_files_run_the_same_audit(sandbox):
    job, = job_file("github")["jobs"].values()
    step = next(step["run"] for step in job["steps"] if step.get("name") == "Audit")
    script, = job_file("gitlab")["audit"]["script"]
    loops = [text[:text.index("\ndone\n")].replace("the default branch", "main")
             for text in (step, script)]
    assert loops[0] == loops[1], loops


# ---- The jobs ----


@of_gitlab_slowly
def test_a_good_run_of_main_becomes_the_baseline(sandbox, system):
    repository = Repository(sandbox, system, known=UPHELD, other=UPHELD.replace("seed = 3",
                                                                                "seed = 5"))
    first = repository.play(0)
    assert "apt-get update" in first.log and "against baseline" not in first.log, first
    assert ({"known", "known.txt", "known/claims.xml", "known/summary.md", "known/results.json",
             "known/run.sqlite"} <= set(first.published)), first
    assert repository.has("baseline/known/run.sqlite"), "no baseline"
    second = repository.play(0, branch="topic")
    for name in ("known", "other"):
        assert f"against baseline baseline/{name}: 0 of " in second.log, second
    assert json.loads(sandbox.read("audits/known/baseline.json"))["comparisons"], "compared"
    assert "known/baseline.json" in second.published, second
    if system == "github":
        assert "| upheld | hidden |" in second.summary, second
        assert "Against the run in baseline/known, 0 of " in second.summary, second


@on_each_system
def test_a_violated_claim_fails_the_job_and_is_published(sandbox, system):
    repository = Repository(sandbox, system, broken=VIOLATED)
    played = repository.play(1)
    assert {"broken/claims.xml", "broken/summary.md"} <= set(played.published), played
    root = xml.etree.ElementTree.fromstring(sandbox.read("audits/broken/claims.xml"))
    assert root.get("failures") == "1", root.attrib
    assert not repository.has("baseline"), "a bad run became the baseline"
    if system == "github":
        assert "| **violated** | broken |" in played.summary, played


@of_gitlab_slowly
def test_what_leaks_more_than_main_fails_the_job(sandbox, system):
    repository = Repository(sandbox, system, known=UPHELD)
    repository.play(0)
    forget_what_was_found(sandbox, "known")
    before = sandbox.tree("baseline")
    played = repository.play(1)
    assert json.loads(sandbox.read("audits/known/baseline.json"))["worse"] > 0, played
    assert "  worse: recovery-rate, attack verbatim against plain" in played.log, played
    assert sandbox.tree("baseline") == before, "the baseline changed"
    if system == "github":
        assert "**Worse than the baseline.**" in played.summary, played
        assert "- worse: recovery-rate, attack verbatim" in played.summary, played


@of_gitlab_slowly
def test_a_changed_scenario_is_compared_as_far_as_it_can_be(sandbox, system):
    repository = Repository(sandbox, system, known=UPHELD)
    repository.play(0)
    repository.add("known", UPHELD.replace("seed = 3", "seed = 4"))
    played = repository.play(0)
    assert "  changed: seed was 3, is 4: the secrets are others" in played.log, played
    assert json.loads(sandbox.read("audits/known/baseline.json"))["worse"] == 0, played
    assert json.loads(sandbox.read("baseline/known/results.json"))["scenario"]["seed"] == 4, (
        "the baseline is the old one")


@on_each_system
def test_a_claim_that_could_not_be_earned_is_told_before_the_run(sandbox, system):
    """verbatim knows nothing, so that a claim of at most so much could not end in 0."""
    repository = Repository(sandbox, system)
    repository.add("open", OPEN, n_public=6)
    played = repository.play(3)
    assert "assay: warning: scenarios/open.scenario: [claim open] " in played.log, played
    assert repository.has("audits/open/results.json"), "not run"


@on_each_system
def test_a_scenario_that_is_wrong_ends_the_job_before_any_run(sandbox, system):
    repository = Repository(sandbox, system, known=UPHELD)
    repository.add("wrong", UPHELD.replace("plugin = none", "plugin = nobody"))
    played = repository.play(2)
    assert "scenarios/wrong.scenario: refused" in played.log, played
    assert not repository.has("audits/known"), "a run was begun"


@of_gitlab_slowly
def test_changed_data_has_no_baseline_and_is_judged(sandbox, system):
    """The refusal comes when the run is done; it is gone on with, not begun again."""
    repository = Repository(sandbox, system, known=UPHELD)
    repository.play(0)
    repository.add("known", VIOLATED.replace("Broken", "Known"))
    rows = data.make_scattered_rows(60, 8, 9)
    sandbox.write("scenarios/private.fvecs", data.file_bytes("private.fvecs", rows))
    played = repository.play(1)
    assert "dataset vectors: its data are others (sha256 " in played.log, played
    assert "known: no comparison with main" in played.log, played
    assert "known/claims.xml" in played.published, played
    assert "known/baseline.json" not in played.published, played


@on_each_system
def test_an_inconclusive_claim_is_the_users_choice(sandbox, system):
    repository = Repository(sandbox, system)
    repository.add("open", OPEN, n_public=6)
    played = repository.play(3)
    assert "open/claims.xml" in played.published, played
    if system == "github":
        assert not repository.has("baseline"), "a failed job became the baseline"
        played = repository.play(0, ASSAY_ACCEPT_INCONCLUSIVE="yes")
        assert "::warning title=Assay::A claim is inconclusive" in played.log, played
    assert repository.has("baseline/open/run.sqlite"), "no baseline"


CRASHING = UPHELD.split("[defense plain]")[0] + """\
[defense ours]
plugin = exec
command = {python} scenarios/ours.py
confine = never

[attack verbatim]
plugin = verbatim
""" + claim("little", "at-most = 0.5", "attack = verbatim")


@of_gitlab_slowly
def test_a_run_with_a_cell_in_error_fails_the_job_and_is_no_baseline(sandbox, system):
    """Also where inconclusive claims are accepted: what crashes has measured nothing."""
    repository = Repository(sandbox, system, known=UPHELD)
    repository.play(0)
    before = sandbox.tree("baseline")
    repository.add("known", CRASHING.format(python=sys.executable))
    sandbox.write("scenarios/ours.py", "raise SystemExit('boom & <bang>')\n")
    played = repository.play(1, ASSAY_ACCEPT_INCONCLUSIVE="yes", ASSAY_CONFINE="auto")
    assert "known: a cell ended in an error, so the job fails" in played.log, played
    assert sandbox.tree("baseline") == before, "the baseline changed"
    found = sandbox.read("audits/known/claims.xml")
    assert not junit_rules.problems_of(found), (junit_rules.problems_of(found), found)
    claimed, cells = xml.etree.ElementTree.fromstring(found).iter("error")
    said = ("defense exec: the program ended with exit status 1; its last lines: "
            "boom & <bang>")
    assert said in claimed.get("message"), claimed.attrib
    assert cells.get("type") == "cell-error", cells.attrib
    assert cells.get("message") == ("1 of 1 cells ended in an error, the first: verbatim against "
                                    f"ours, trial 0: {said}"), cells.attrib
    shutil.rmtree(sandbox.path / "baseline")
    repository.play(1, ASSAY_ACCEPT_INCONCLUSIVE="yes", ASSAY_CONFINE="auto")
    assert not repository.has("baseline"), "a run of errors became the baseline"


@of_gitlab_slowly
def test_of_several_scenarios_the_worst_counts_and_all_are_run(sandbox, system):
    repository = Repository(sandbox, system, also=UPHELD, broken=VIOLATED)
    repository.add("open", OPEN, n_public=6)  # the data of all three
    played = repository.play(1)
    for verdict in ("upheld: claim hidden", "violated: claim broken", "inconclusive: claim open"):
        assert f"\n{verdict}\n" in played.log, played
    assert {f"{name}/claims.xml" for name in ("also", "broken", "open")} <= set(played.published), (
        played)


@on_each_system
def test_a_scenario_that_is_wrong_ends_the_job_with_2(sandbox, system):
    repository = Repository(sandbox, system)
    assert "scenarios/*.scenario: cannot be read" in repository.play(2).log, "no scenario"
    repository.add("a", UPHELD.replace("recovery-rate", "recovery-rat"))
    repository.add("b", UPHELD)
    played = repository.play(2)
    assert "did you mean 'recovery-rate'" in played.log and "b/claims.xml" not in played.published, (
        played)
    assert not repository.has("baseline"), "a baseline"


@of_gitlab_slowly
def test_the_build_is_cached_and_nothing_is_left_from_before(sandbox, system):
    repository = Repository(sandbox, system, known=UPHELD)
    repository.play(0)
    sandbox.write("audits/gone/claims.xml", "of a scenario that is gone")
    played = repository.play(0, ASSAY_REPOSITORY=str(sandbox.root / "nowhere"))
    assert sandbox.read("compiled") == "compiled\n" * 2, "setup was not run for the libraries"
    assert "gone/claims.xml" not in played.published, played
    assert "pathspec 'v2' did not match" in repository.play(1, ASSAY_VERSION="v2").log, "v2"


# ---- claims.xml ----


def report(sandbox, text, code, n_public=0):
    write(sandbox, text, n_public=n_public)
    sandbox.run_ok("known.scenario", "--out", "out", "--quiet", code=code)
    return sandbox.read("out/claims.xml")


SKIPPED = "\n[attack db]\nplugin = database\ngrants = database\nneighbours = 20\naveraged = 3\n"
ALL = (
    HEAD + claim("kept", "at-least = 0.5", "defense = plain\nattack = verbatim")
    + claim("open", "at-most = 0.1")
    + claim("broken", "at-most = 0.5", "defense = plain\nattack = verbatim") + SKIPPED
)


def test_junit_every_reader_takes_every_verdict(sandbox):
    for text, code, n_public in ((HEAD, 0, 0), (UPHELD, 0, 0), (OPEN, 3, 6), (VIOLATED, 1, 0),
                                 (UPHELD + SKIPPED, 0, 0), (ALL, 1, 6)):
        found = report(sandbox, text, code, n_public)
        assert not junit_rules.problems_of(found), (junit_rules.problems_of(found), found)
    suite, = xml.etree.ElementTree.fromstring(found)
    ends = [[end.tag for end in junit_rules.outcomes(case)] for case in suite]
    assert ends == [[], ["error"], ["failure"], ["skipped"]], found
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["4", "1", "1", "1"], suite.attrib


def test_junit_what_goes_beyond_the_schemas_is_known(sandbox):
    """The properties of a test case, its file and line, nothing else."""
    root = xml.etree.ElementTree.fromstring(report(sandbox, ALL, 1, 6))
    for name, schema in junit_rules.SCHEMAS.items():
        has_lines = "line" in schema["attributes"]["testcase"].split()
        expected = {one for one in junit_rules.BEYOND_SCHEMAS if not has_lines or "child" in one}
        assert junit_rules.schema_problems(root, schema) == expected, name


def test_junit_figures_are_those_of_the_results(sandbox):
    root = xml.etree.ElementTree.fromstring(report(sandbox, ALL, 1, 6))
    claims = json.loads(sandbox.read("out/results.json"))["claims"]
    assert len(claims) == 3, claims
    scenario = None
    for one, case in zip(claims, root.iter("testcase")):
        scenario = scenario or sandbox.read(case.get("file")).splitlines()
        assert scenario[int(case.get("line")) - 1] == f"[claim {one['id']}]", case.attrib
        properties = {p.get("name"): p.get("value") for p in case.iter("property")}
        bound = "at-most" if "at-most" in one else "at-least"
        for key in ("estimate", "lower", "upper", "n", "confidence", bound):
            assert float(properties[key]) == one[key], (key, properties, one)
        found = {end: float(properties[f"adjusted-p-{end}"]) for end in ("violated", "upheld")}
        assert one["adjusted_p"] == found["upheld" if one["verdict"] == "upheld" else "violated"]
        decided = {"violated": ["violated"], "upheld": ["upheld"]}.get(
            one["verdict"], ["violated", "upheld"])
        test = ", ".join(f"p ({end}) = {found[end]:.3g}" for end in decided)
        test = f"adjusted {test} by {one['test']}, which over all hypotheses leaves "
        shown, = junit_rules.outcomes(case) or case.findall("system-out")
        assert shown.get("message") in (None, one["reason"]), shown.attrib
        said = shown.text.removeprefix(f"{one['verdict']}: ").split("\n")
        assert said[0] == one["reason"] and said[1].startswith(test), (said, one)
        witness = "witness: assay run known.scenario --witness broken"
        assert (said[-1] == witness) == (one["verdict"] == "violated"), said


def test_junit_text_survives(sandbox):
    """Letters, signs and markup are read back as they were written; what XML cannot hold, or what
    would reorder the line that it stands in, is blank. No reader is given a report that it cannot
    parse."""
    expected = "".join(" " if c in "\x01\x1b\x7f\x85\u202e\u202c\ufffe\uffff" else c
                       for c in HOSTILE)
    text = HEAD.replace("title = Known", f"title = {HOSTILE}") + claim(
        "broken", "at-most = 0.5", f"defense = plain\nattack = verbatim\nsays = {HOSTILE}")
    found = report(sandbox, text + SKIPPED, 1)
    assert not junit_rules.problems_of(found), junit_rules.problems_of(found)
    suite, = xml.etree.ElementTree.fromstring(found)
    assert suite.get("name") == expected, (suite.get("name"), expected)
    assert suite[0].get("name") == f"broken: {expected}", suite[0].get("name")
    assert {case.get("classname") for case in suite} == {expected}, "classname"


def test_junit_rules_find_what_is_wrong(sandbox):
    """Each of these spoils a good report in one place, and one rule must say so."""
    good = report(sandbox, ALL, 1, 6)
    for before, after, problem in (
        ('failures="1"', 'failures="2"', "testsuites: failures 2, there are 1"),
        ('skipped="1"', 'skipped="0"', "testsuite: skipped 0, there are 1"),
        ('"open" time="0"', '"open"', "time is no number"),
        ('"open"', '"kept"', "two test cases are the same one"),
        ('classname="Known" name="open"', 'classname=" " name="open"', "classname is empty"),
        ("<skipped>", "<skipped message='x'>", "skipped: no attribute message"),
        ("<failure ", "<skipped>x</skipped><failure ", "ended in two ways"),
        ("</system-out>", "</system-out><system-out/>", "more than one system-out"),
        ('type="violated"', 'type="integer"', "type integer"),
        ("</testcase>", "<failure>x</failure></testcase>", "system-out failure is not the order"),
        ('tests="4" failures="1" errors="1" skipped', 'failures="1" errors="1" skipped',
         "testsuite: lacks tests"),
        ("<testcase ", "<testcase id='1' ", "testcase: no attribute id"),
    ):
        bad = good.replace(before, after, 1)
        assert bad != good, before
        problems = junit_rules.problems_of(bad)
        assert any(problem in one for one in problems), (problem, problems)
    empty = re.sub(r">[^<]*</failure>", "></failure>", good)
    assert "failure: no text" in junit_rules.problems_of(empty), empty
