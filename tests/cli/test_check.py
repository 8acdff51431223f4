"""assay check: what is wrong with a scenario, and what a run of it could not decide."""

import json
import re

import pytest

from described import GENERIC
from test_hidden import png, write_pictures

VALUES = """\
[scenario]
{scenario}
[dataset]
plugin = values
count = 100000
kind = real
columns = 5
low = 1
high = 2
secrets = {secrets}
{dataset}
[defense d]
plugin = laplace
epsilon = {epsilon}
[attack verbatim]
plugin = verbatim
[attack audit]
plugin = distinguish
runs = {runs}
{claims}
"""
RATE = "[claim c{0}]\nmeasure = recovery-rate\nattack = verbatim\nat-most = 0.1\n"


def write_values(sandbox, scenario="", secrets=1000, dataset="", epsilon=1, runs=100000, claims=""):
    sandbox.write("a.scenario", VALUES.format(scenario=scenario, secrets=secrets, dataset=dataset,
                                              epsilon=epsilon, runs=runs, claims=claims))


def warnings_of(sandbox, *arguments):
    result = sandbox.assay("check", "a.scenario", *arguments)
    assert result.code == 0, str(result)
    found = [line.removeprefix("assay: warning: a.scenario: ") for line in result.err.splitlines()]
    # What test_check_generic is about.
    return [line for line in found if GENERIC not in line]


def test_check_generic(sandbox):
    """Verbatim and nearest recover little of any release: no claim rests on them."""
    write_values(sandbox, claims=RATE.format(1))
    result = sandbox.assay("check", "a.scenario")
    assert result.code == 0 and GENERIC in result.err, str(result)
    assert "learned-inversion with the grant mechanism" in result.err, str(result)
    write_values(sandbox, claims=RATE.format(1).replace("at-most", "at-least"))
    result = sandbox.assay("check", "a.scenario")
    assert GENERIC not in result.err, str(result)
    write_values(sandbox, claims=RATE.format(1) + "attackers = adaptive\n")
    result = sandbox.assay("check", "a.scenario")
    assert "[claim c1] demands attackers = adaptive, and no attack against d" in result.err, result
    write_values(sandbox, claims=RATE.format(1) + "attackers = strong\n")
    result = sandbox.assay("check", "a.scenario")
    assert result.code == 2 and "[claim c1] attackers = 'strong': expected any, or adaptive" in result.err, (
        str(result))


def test_check_many(sandbox):
    """Every file is looked at; the worst decides."""
    write_values(sandbox, claims=RATE.format(1))
    sandbox.write("b.scenario", "[dataset]\nplugin = valeus\n")
    result = sandbox.assay("check", "b.scenario", "a.scenario", "c.scenario")
    assert result.code == 2, str(result)
    assert (result.out == "b.scenario: refused\na.scenario: fine, 2 cells, 1 claim, 1 warning\n"
                          "c.scenario: refused\n"), result.out
    assert ("b.scenario:2: [dataset] unknown dataset 'valeus'" in result.err
            and "c.scenario" in result.err), result.err
    said = sandbox.assay("plan", "b.scenario").err
    assert said == result.err.splitlines(keepends=True)[0], f"{said} {result.err}"
    sandbox.expect(sandbox.assay("check"), 2, "",
                   "assay check: expected a scenario file; 'assay check --help' explains\n")
    result = sandbox.assay("check", ".")
    assert result.code == 2 and result.out == ".: refused\n", str(result)


def test_check_claims(sandbox):
    """(1 - b)^n against (1 - confidence) / hypotheses, worked out by hand: 0.9^28 = 0.0523 and
    0.9^29 = 0.0471 are on the two sides of 0.05; of two claims 0.025 needs 36 secrets."""
    write_values(sandbox)
    assert (warnings_of(sandbox)
            == ["there is no [claim NAME]: the run will measure, and judge nothing"]), "no claim"
    for secrets, n_claims, expected in ((28, 1, 29), (29, 1, None), (35, 2, 36), (36, 2, None)):
        write_values(sandbox, secrets=secrets,
                     claims="".join(RATE.format(i) for i in range(n_claims)))
        found = warnings_of(sandbox)
        assert len(found) == (n_claims if expected else 0), f"{secrets}: {found}"
        for i, line in enumerate(found):
            assert (line.startswith(f"[claim c{i}] cannot be upheld by {secrets} secrets, whatever "
                                    f"they show; expected at least {expected},")), line
    # What is said comes true: at 28 of 28 secrets kept, the run cannot decide.
    write_values(sandbox, secrets=28, epsilon=0.001, claims=RATE.format(1))
    result = sandbox.assay("run", "a.scenario", "--quiet", "--out", "few")
    assert result.code == 3 and "inconclusive: claim c1" in result.out, str(result)
    write_values(sandbox, secrets=29, epsilon=0.001, claims=RATE.format(1))
    result = sandbox.assay("run", "a.scenario", "--quiet", "--out", "enough")
    assert result.code == 3 and "attack verbatim takes what is released" in result.out, str(result)
    sandbox.expect(sandbox.assay("check", "a.scenario", "--trials", "1", "--set",
                                 "dataset.secrets=5", "--strict"), 2,
                   "a.scenario: fine, 2 cells, 1 claim, 1 warning\n", None)


def test_check_at_least(sandbox):
    """0.9^n again, of at-least; trials multiply secrets."""
    claim = RATE.format(1).replace("at-most = 0.1", "at-least = 0.9")
    write_values(sandbox, scenario="trials = 2", secrets=14, claims=claim)
    assert len(warnings_of(sandbox)) == 1, "28 secrets"
    write_values(sandbox, scenario="trials = 2", secrets=15, claims=claim)
    assert warnings_of(sandbox) == [], "30 secrets"


def test_check_epsilon(sandbox):
    """200 runs, all right: epsilon at most ln (L / U) with L = (alpha / 2)^(1/n), U = 1 - L, at
    alpha = 0.05: ln (0.98173 / 0.01827) = 3.98."""
    claim = "[claim e]\nmeasure = epsilon\nat-most = claimed\n"
    low = 0.025 ** (1 / 200)
    assert abs(low / (1 - low) - 53.7) < 0.1, "by hand"
    for epsilon, message in (
            (3.9, None),
            (4.1, "[claim e] cannot be refuted by attack audit against d: 200 runs certify an epsilon "
                  "of 3.98 at most, and the bound is 4.1")):
        write_values(sandbox, epsilon=epsilon, runs=200, claims=claim)
        found = warnings_of(sandbox)
        assert len(found) == (message is not None), f"{epsilon}: {found}"
        assert not found or found[0].startswith(message), str(found)


SHAPES = """\
[scenario]
trials = 2
[dataset]
plugin = shapes
private_images = 200
public_images = 300
test_images = 0
channels = 1
size = {size}
secrets = {secrets}
[defense blurred]
plugin = gaussian-blur
[defense none]
plugin = none
{attack}
[claim c]
confidence = {confidence}
{claim}
"""
INVERSION = "[attack a]\nplugin = learned-inversion\ngrants = public; mechanism\nmechanism_runs = 4\n"
OTHERS = "grants = public; mechanism\nmechanism_runs = 8\n"
MEMBERS = f"[attack a]\nplugin = membership\n{OTHERS}"
MATES = f"[attack a]\nplugin = cross-linkage\n{OTHERS}"


@pytest.mark.parametrize("attack, claim, changes, expected", (
    # A mean of shares: at best 0.5^n <= 0.05 / 2 with both defenses, n = 6 of two trials.
    (INVERSION, "measure = image-ssim-gain\nat-most = 0", {"secrets": 5, "confidence": 0.9999},
     "[claim c] cannot be upheld by any number of units: no test of image-ssim-gain of at most 0 has "
     "a p-value of 5e-05"),
    (INVERSION, "measure = image-ssim\nat-most = 0.5", {"size": 10},
     "[claim c] cannot be decided: image-ssim will not be measured: images of 10 x 10 pixels are too "
     "small; expected 11 on each side at least"),
    (INVERSION, "measure = relative-error-median\nat-least = 0.1", {"secrets": 2},
     "[claim c] cannot be upheld by 4 secrets, whatever they show; expected at least 6, for "
     "relative-error-median of at least 0.1"),
    (MEMBERS, "measure = member-true-positives-at-1-percent\nat-most = 0.5", {"secrets": 99},
     "[claim c] cannot be decided: member-true-positives-at-1-percent will not be measured: a share "
     "0.01 of 99 records that were not released is less than one; expected 100 records or more"),
    (MEMBERS, "measure = member-true-positives-at-10-percent\nat-most = 0.1", {"secrets": 17},
     "[claim c] cannot be upheld by 34 secrets, whatever they show; expected at least 36"),
    (MEMBERS, "measure = member-true-positives-at-10-percent\nat-most = 0.1", {"secrets": 18}, None),
    (MATES, "measure = linkability\nat-most = 0.3", {"secrets": 19},
     "[claim c] cannot be decided: linkability will not be measured: 19 items of the second release "
     "have a mate; expected 20 at least"),
))
def test_check_what_only_a_run_told(sandbox, attack, claim, changes, expected):
    """Two hypotheses, one a defense; what is said comes true."""
    numbers = {"size": 12, "secrets": 100, "confidence": 0.95} | changes
    sandbox.write("a.scenario", SHAPES.format(attack=attack, claim=claim, **numbers))
    found = warnings_of(sandbox)
    if expected is None:
        assert not found, found
        return
    assert len(found) == 1 and found[0].startswith(expected), found
    result = sandbox.assay("run", "a.scenario", "--quiet", "--out", "out")
    assert result.code in (1, 3) and "upheld: claim c" not in result.out, str(result)


def test_check_programs(sandbox):
    """What a run could not start; files are looked for where the run would look."""
    sandbox.write("sub/mine.py", "print()\n")
    for command, said in (
            ("not-there x", "the program 'not-there' cannot be started: there is no such file"),
            ("./other.py", "the program './other.py' cannot be started: there is no such file"),
            ("sub/mine.py", "the program 'sub/mine.py' cannot be started: it is not executable"),
            ("sh sub/other.py", "command: there is no file 'sub/other.py', neither in the "
             "scenario's folder nor in the working folder"),
            ("sh -c other.py", "command: there is no file 'other.py', neither in the scenario's "
             "folder nor in the working folder"),
            ("sh -c mine.pyx --other.py", None),
            ("sh sub/mine.py", None)):
        for kind in ("defense", "attack"):
            write_values(sandbox, claims=RATE.format(1) + f"[{kind} mine]\nplugin = exec\n"
                         + f"command = {command}\n"
                         + "grants = other-releases\n" * (kind == "attack"))
            expected = [f"[{kind} mine] {said}"] if said else []
            found = [line for line in warnings_of(sandbox) if "claim c1" not in line]
            assert found == expected, f"{command}: {found}"
    (sandbox.path / "sub" / "mine.py").chmod(0o755)
    sandbox.shell("mv a.scenario sub")
    sandbox.write("sub/a.scenario", sandbox.read("sub/a.scenario").replace("sh sub/", "./"))
    result = sandbox.assay("check", "sub/a.scenario")
    assert result.code == 0 and "mine" not in result.err, str(result)


def test_formal_claim_without_a_mechanism(sandbox):
    sandbox.expect(sandbox.assay("init", "ldp-feat"), 0, None, "")
    text = " ".join(sandbox.read("ldp-feat.scenario").replace("\n# ", " ").split())
    assert ("attack 'distinguish' tests a formal claim by running the mechanism, and defense "
            "'ldp-feat' offers none to run" in text), text


def test_check_the_rest(sandbox):
    write_values(sandbox, claims=RATE.format(1) + "[defense alone]\nplugin = noisy-histogram\n"
                 "bins = 5000\n")
    sandbox.write("a.scenario", sandbox.read("a.scenario").replace("columns = 5\n", "")
                  .replace("[attack audit]\nplugin = distinguish\nruns = 100000\n", ""))
    assert (warnings_of(sandbox)
            == ["[defense alone] is met by no attack and no utility of the scenario"]), (
        str(warnings_of(sandbox)))
    sandbox.expect(sandbox.assay("init", "lsh"), 0, None, "")
    sandbox.write("a.scenario", sandbox.read("lsh.scenario").replace(
        "[attack code-majority]\n", "[attack code-majority]\ntune.repeats = 4\n"
        "tune_measure = bits-recovered\n"))
    found = warnings_of(sandbox, "--set", "dataset.count=9000")
    assert (len(found) == 1 and found[0].startswith("[attack code-majority] repeats=4 leaves one "
                                                    "candidate: nothing is chosen")), str(found)


MISTAKES = """\
[scenario]
sed = 3
trials = 1 # often
[dataset]
plugin = gaussian-classes
count = 2, 4, 8
[defense noise]
plugin = additive-nois
[attack a]
plugin = verbatim
share = 0.5
[attack b]
plugin = nearest
grants = pubic
[claim c]
measure = recovery-rat
defense = noise
at-most = 10%
[claim d]
measure = recovery-rate
where = dataset.colums = 8
at-most = 0.1
"""


def test_all_mistakes_are_told_at_once(sandbox):
    """Each with its line; and nothing that only follows from another one."""
    sandbox.write("a.scenario", MISTAKES.replace("additive-nois", "additive-noise")
                  .replace("count = 2, 4, 8\n", ""))
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    assert result.code == 2
    told = [line.removeprefix("assay: ").split(":")[1] for line in result.err.splitlines()]
    assert told == ["2", "3", "10", "13", "15"], result.err
    sandbox.write("a.scenario", MISTAKES)
    result = sandbox.assay("check", "a.scenario")
    told = [line.removeprefix("assay: ").split(":")[1] for line in result.err.splitlines()]
    assert told == ["2", "3", "6", "8", "11", "14"] and "noise' is" not in result.err, result.err


def test_mistakes_of_the_text_are_told_with_the_others(sandbox):
    """Lines and groups that cannot be read, and below them what is wrong with the rest: even with
    data that nobody has. The keys of a group that is not known are no further mistakes."""
    sandbox.write("a.scenario", """\
[scenario]
seed = x
no equals sign
[dataset]
plugin = gaussian-clases
[defense noise]
plugin = additive-noise
share = 10%
[attak z]
plugin = verbatim
[attack b]
plugin = nearst
[metric recovery-rate]
tau = 0.3, 0.4
[claim]
at-most = 0.1
""")
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    assert result.code == 2
    told = [int(line.removeprefix("assay: ").split(":")[1]) for line in result.err.splitlines()]
    assert sorted(told) == [2, 3, 5, 8, 9, 12, 14, 15], result.err
    assert "did you mean 'attack'?" in result.err and "0.1 for 10 %" in result.err, result.err


@pytest.mark.parametrize("value, hint", (
    ("2, 4, 8", "separated by semicolons"), ("[2,4,8]", "separated by semicolons"),
    ("2 4 8", "separated by semicolons"), ("4 # often", "a comment has a line of its own"),
    ("10%", "10 in place of 10 %")))
def test_hints_for_whole_numbers(sandbox, value, hint):
    sandbox.write("a.scenario", "[dataset]\nplugin = gaussian-classes\n[defense a]\n"
                  f"plugin = pixelation\ncells = {value}\n[attack a]\nplugin = verbatim\n")
    result = sandbox.assay("check", "a.scenario")
    assert result.code == 2 and ":5: [defense a] cells" in result.err and hint in result.err, result


def test_jobs_are_a_number_of_threads(sandbox):
    for command in (("run", "a.scenario"), ("selftest",)):
        result = sandbox.assay(*command, "--jobs", "0")
        assert result.code == 2 and "--jobs: expected 1 to 4096" in result.err, result


def test_one_mistake_is_told_once(sandbox):
    """A defense that is gone is no second mistake of the claim about it."""
    text = MISTAKES.replace("sed = 3\ntrials = 1 # often\n", "seed = 3\n").replace(
        "count = 2, 4, 8\n", "").replace("share = 0.5\n", "").replace("pubic", "public").replace(
        "recovery-rat\n", "recovery-rate\n").replace("10%", "0.1").replace(
        "where = dataset.colums = 8\n", "")
    sandbox.write("a.scenario", text)
    result = sandbox.assay("check", "a.scenario")
    assert len(result.err.splitlines()) == 1 and ":6: [defense noise]" in result.err, result.err


CONTROLS = """\
[scenario]
seed = {seed}
[dataset]
plugin = shapes
size = 16
channels = 1
public_images = 60
secrets = 30
[defense mixed]
plugin = instahide-cross
[attack removal]
plugin = whitened-removal
{keys}
grants = public
{claim}
"""


def test_check_controls(sandbox):
    """Who subtracts nothing recovers nothing, of the control either: check says so, and the run
    finds the same share. Of several settings that tuning may choose one is enough."""
    claim = "[claim c]\nmeasure = image-ssim\nat-most = 0.3\n"
    said = "[attack removal] loses its control with these settings and this seed: "

    def told(*words, keys="partners = 0", claim=claim):
        sandbox.write("a.scenario", CONTROLS.format(seed=3, keys=keys, claim=claim))
        return sandbox.assay("check", "a.scenario", *words)

    lost = told("--auditor")
    assert lost.code == 2 and said in lost.err and "claims about it cannot be upheld" in lost.err, (
        str(lost))
    assert said in told().err and told().code == 0
    assert said not in told("--no-controls").err
    assert said not in told(keys="").err
    unclaimed = told(claim="")
    assert said in unclaimed.err and "cannot be upheld" not in unclaimed.err, str(unclaimed)
    result = sandbox.assay("run", "a.scenario", "--quiet", "--out", "out")
    control = json.loads(sandbox.read("out/results.json"))["controls"][0]
    assert not control["won"] and f"{100 * control['share']:.3g} % of {control['n']}" in lost.err, (
        f"{control} {lost} {result}")
    tuned = "partners = 0; 2\ntune_measure = image-ssim"
    assert said not in told(keys=tuned).err


def test_check_unmeasured(sandbox):
    """A metric that no claim names and that measures nothing on such data: told by check, plan, and
    the run with its exports; it was absent without a word."""
    text = CONTROLS.format(seed=3, keys="", claim="").replace("size = 16", "size = 10")
    sandbox.write("a.scenario", text)
    why = "images of 10 x 10 pixels are too small; expected 11 on each side at least"
    told = sandbox.assay("check", "--no-controls", "a.scenario")
    assert f"[metric image-recovery] measures nothing on shapes: {why}" in told.err, str(told)
    assert f"skipped: image-recovery against shapes: {why}" in sandbox.assay("plan", "a.scenario").out
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert f"skipped: image-recovery against shapes: {why}" in result.out, str(result)
    assert why in sandbox.read("out/report.html") and why in sandbox.read("out/summary.md")
    sandbox.write("b.scenario", text.replace("size = 10", "size = 11"))
    assert "image-recovery" not in sandbox.assay("check", "--no-controls", "b.scenario").err


def test_check_photographs(sandbox):
    """A photograph without a keypoint is told before the run, by its name; a plan reads headers
    alone."""
    write_pictures(sandbox, [f"rooms/{i}.png" for i in range(6)], side=64)
    sandbox.write("a.scenario", "[scenario]\nseed = 3\n[dataset]\nplugin = photos\n"
                  "private = rooms\npublic = rooms\nsecrets = 1\n"
                  "[defense d]\nplugin = none\n[attack v]\nplugin = verbatim\n")
    assert sandbox.assay("check", "a.scenario").code == 0
    (sandbox.path / "rooms/wall.png").write_bytes(png([[90] * 64] * 64, 64))
    assert sandbox.assay("plan", "a.scenario").code == 0
    why = "rooms/wall.png: 64 x 64 pixels without a SIFT keypoint"
    for words in (["check"], ["run", "--out", "out", "--quiet"]):
        result = sandbox.assay(*words, "a.scenario")
        assert result.code == 2 and why in result.err, str(result)
    skipped = sandbox.assay("check", "a.scenario", "--set", "dataset.skip_unreadable=yes")
    assert skipped.code == 0 and why in skipped.err, str(skipped)


def test_check_network_too_large(sandbox):
    """Refused with its own size, by check, plan and run alike, before it is made."""
    sandbox.write("a.scenario", CONTROLS.format(seed=3, keys="", claim="").replace(
        "size = 16", "size = 512").replace("whitened-removal", "demasking\nwidth = 512"))
    for words in (["check", "--no-controls"], ["plan"], ["run", "--out", "out", "--quiet"]):
        result = sandbox.assay(*words, "a.scenario")
        assert result.code == 2, str(result)
        assert re.search(r"\[attack removal\] a network of 120,395,784 weights needs \d{5,} MiB of "
                         r"memory .*; this machine has \d+ MiB", result.err), str(result)
    narrow = ("--set", "attack removal.width=8")
    assert sandbox.assay("check", "--no-controls", "a.scenario", *narrow).code == 0
