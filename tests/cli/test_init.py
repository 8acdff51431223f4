"""assay init, check, completion and man: what helps to begin, made from the program's own tables."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest


def defenses(sandbox):
    out = sandbox.expect(sandbox.assay("list", "defenses"), 0, None, "").out
    return [line.split()[0] for line in out.splitlines()[1:]]


def parameters(sandbox, kind, name):
    """The settings of a plugin as `describe` tells them."""
    text = sandbox.expect(sandbox.assay("describe", name, "--json"), 0, None, "").out
    decoder = json.JSONDecoder()
    while text.strip():
        plugin, end = decoder.raw_decode(text.strip())
        if plugin["type"] == kind:
            return plugin
        text = text.strip()[end:]
    raise AssertionError(f"no {kind} {name}")


def groups_of(text):
    """{"defense ldp-feat": {"epsilon": "5"}}"""
    found = {}
    for line in text.splitlines():
        if line.startswith("["):
            group = found.setdefault(line[1:-1], {})
        elif line and not line.startswith("#"):
            key, value = line.split(" = ", 1)
            group[key] = value
    return found


# ---- init ----


def test_every_defense_is_planned(sandbox):
    """As written: the planner takes it, with an attack and a claim, and with every setting at the
    default that `describe` tells."""
    for name in defenses(sandbox):
        out = sandbox.expect(sandbox.assay("init", name), 0, None, "").out
        assert out.endswith(f"\n  assay run {name}.scenario\n"), out
        text = sandbox.read(f"{name}.scenario")
        assert all(len(line) <= 100 for line in text.splitlines()), f"{name}: a long line"
        groups = groups_of(text)
        plugin = parameters(sandbox, "defense", name)
        for setting in plugin["parameters"]:
            assert setting["help"].split()[-1] in text, f"{name}: {setting['name']} unexplained"
            assert re.search(rf"^#?{setting['name']} =", text, re.MULTILINE), (
                f"{name}: no {setting['name']}")
            given = groups[f"defense {name}"].get(setting["name"])
            if setting["default"] is None:
                assert given in ("FILL_IN", "python3 my_defense.py"), f"{name}: {given}"
            elif setting["type"] in ("int", "real"):
                assert given is None or float(given) == setting["default"], f"{name}: {given}"
        attacks = [group for group in groups if group.startswith("attack ")]
        claims = [group for group in groups if group.startswith("claim ")]
        assert attacks and claims, f"{name}: {list(groups)}"
        assert len({groups[claim]["measure"] for claim in claims}) == len(claims), f"{name}: {claims}"
        result = sandbox.assay("check", f"{name}.scenario", "--strict")
        if "FILL_IN" in text:
            assert result.code == 2 and "FILL_IN" in result.err, str(result)
        else:
            said = [line for line in result.err.splitlines() if GENERIC not in line]
            assert not said and ("learned-inversion" not in text or result.code == 0), str(result)
        # A program claims what its settings say: by default nothing.
        if plugin["claim"] is not None and plugin.get("density") is not None and name != "exec":
            assert any(groups[claim].get("at-most") == "claimed" for claim in claims), (
                f"{name}: its own claim is not there")


def test_run_to_a_verdict(sandbox):
    """Every attack is measured by what its claim names: no cell in error, no claim without a
    figure. Small, so that it takes seconds; 'every-defense-is-planned' has the others."""
    small = {
        "itq": ("dataset.secrets=100", "dataset.count=500"),
        "sh": ("dataset.secrets=100", "dataset.count=500"),
        "laplace": ("dataset.secrets=60", "dataset.count=400", "attack distinguish.runs=2000",
                    "attack distinguish.training=2000"),
        "instahide-cross": ("dataset.secrets=20", "dataset.size=12", "dataset.public_images=60",
                            "dataset.private_images=100"),
        "mixup": ("dataset.secrets=20", "dataset.size=12", "dataset.public_images=60",
                  "dataset.private_images=100"),
        "noisy-histogram": ("attack distinguish.runs=2000", "attack distinguish.training=2000"),
    }
    for name, changes in small.items():
        sandbox.expect(sandbox.assay("init", name), 0, None, "")
        options = [word for change in changes for word in ("--set", change)]
        result = sandbox.assay("run", f"{name}.scenario", "--quiet", "--out", name, *options,
                               "--trials", "2", "--jobs", "1")
        assert result.code in (0, 1, 3), f"{name}: {result}"
        results = json.loads(sandbox.read(f"{name}/results.json"))
        for cell in results["cells"]:
            assert cell["status"] == "ok", f"{name}: {cell['message']}"
        for claim in results["claims"]:
            assert claim["verdict"] in ("upheld", "violated", "unrefuted", "inconclusive"), claim
            assert "does not apply" not in (claim["reason"] or ""), f"{name}: {claim['reason']}"
            assert claim["hypotheses"][0]["estimate"] is not None or claim["measure"] == "epsilon", (
                f"{name}: {claim}")


def test_grants_and_reasons(sandbox):
    sandbox.expect(sandbox.assay("init", "affine-lifting", "-o", "a"), 0, None, "")
    groups = groups_of(sandbox.read("a"))
    assert groups["attack clustering"]["grants"] == "public; other-releases", groups
    assert groups["attack database"]["grants"] == "database", groups
    assert "grants" not in groups["attack verbatim"], groups
    assert groups["defense unprotected"] == {"plugin": "none"}, groups
    claim = groups["claim recovery-rate"]
    assert (claim["measure"], claim["defense"], claim["at-most"]) == (
        "recovery-rate", "affine-lifting", "0.10"), groups
    assert "attack" not in claim, "all of them are measured by it"
    sandbox.expect(sandbox.assay("init", "lsh", "-o", "c"), 0, None, "")
    claim = groups_of(sandbox.read("c"))["claim bits-recovered"]
    assert claim["attack"] == "code-majority", claim
    sandbox.expect(sandbox.assay("init", "mixup", "-o", "m"), 0, None, "")
    assert "attack braverman" not in groups_of(sandbox.read("m")), "looks for what is not there"
    assert "# - braverman: at these settings no public images are mixed in" in sandbox.read("m"), ""
    sandbox.expect(sandbox.assay("init", "noisy-histogram", "-o", "h"), 0, None, "")
    assert ("# - one-run: wants 1000 canaries, but defense 'noisy-histogram' has room for 10"
            in sandbox.read("h")), sandbox.read("h")


@pytest.mark.usefixtures("python3_has_numpy")
def test_programs_that_run(sandbox):
    """A defense and an attack in NumPy stand beside the scenario: it ends in verdicts as it is, and
    the attack finds more than what is released."""
    sandbox.expect(sandbox.assay("init", "exec"), 0,
                   "exec.scenario, my_defense.py, my_attack.py: written. To run it:\n"
                   "  assay run exec.scenario\n", "")
    sandbox.expect(sandbox.assay("check", "exec.scenario"), 0,
                   "exec.scenario: fine, 32 cells, 4 claims\n", "")
    # Those that start the program dozens of times are for test_every_verdict_is_decided.
    text = sandbox.read("exec.scenario")
    for group in ("attack membership", "attack cross-linkage", "claim member-auc",
                  "claim linkability"):
        text = re.sub(rf"\n\[{group}\]\n(\w.*\n)*", "\n", text)
    sandbox.write("exec.scenario", text)
    result = sandbox.assay("run", "exec.scenario", "--quiet", "--out", "out", "--set",
                           "dataset.secrets=100", "--set", "attack learned-inversion.mechanism_runs=4",
                           "--set", "attack attribute-inference.mechanism_runs=4", "--trials", "1")
    assert result.code == 1, str(result)
    results = json.loads(sandbox.read("out/results.json"))
    statuses = {cell["status"] for cell in results["cells"]}
    assert statuses == {"ok"}, statuses
    verdicts = {claim["measure"]: claim["verdict"] for claim in results["claims"]}
    assert verdicts == {"attribute-excess": "violated", "recovery-rate": "violated"}, verdicts
    found = {cell["attack"]["label"]: measured["estimate"] for cell in results["cells"]
             if cell["defense"]["label"] == "exec" and "attack" in cell
             for measured in cell["measurements"] if measured["metric"] == "recovery-rate"}
    assert found["mine"] > found["verbatim"] + 0.1, found


def test_programs_are_not_replaced(sandbox):
    sandbox.write("my_attack.py", "mine\n")
    sandbox.refuses(sandbox.assay("init", "exec"),
                    "my_attack.py: is there already and is not replaced; expected another name "
                    "with --out FILE")
    assert list(sandbox.tree()) == ["my_attack.py"] and sandbox.read("my_attack.py") == "mine\n"
    (sandbox.path / "new").mkdir()
    sandbox.expect(sandbox.assay("init", "exec", "--out", "new/a.scenario"), 0,
                   "new/a.scenario, new/my_defense.py, new/my_attack.py: written. To run it:\n"
                   "  assay run new/a.scenario\n", "")


def test_folder_filled_in(sandbox):
    """What was released elsewhere has secrets from elsewhere."""
    sandbox.expect(sandbox.assay("init", "release-folder"), 0,
                   "release-folder.scenario: replace FILL_IN in it, then\n"
                   "  assay run release-folder.scenario\n", "")
    groups = groups_of(sandbox.read("release-folder.scenario"))
    assert groups["dataset"] == {"plugin": "truth-folder", "folder": "FILL_IN",
                                 "public": "FILL_IN"}, groups
    result = sandbox.assay("check", "release-folder.scenario")
    assert result.code == 2 and "there is no folder 'FILL_IN'" in result.err, str(result)


@pytest.mark.slow
def test_every_verdict_is_decided(sandbox, python3_has_numpy):
    """At full size: nobody who begins meets a claim that the run could not decide."""
    del python3_has_numpy
    for name in defenses(sandbox):
        # The folder is the user's; runs of one's own for membership and cross-linkage have no labels,
        # which supervised hashing learns from.
        if name in ("release-folder", "ksh", "sdh"):
            continue
        sandbox.expect(sandbox.assay("init", name), 0, None, "")
        result = sandbox.assay("run", f"{name}.scenario", "--quiet", "--out", name)
        verdicts = {claim["measure"]: claim["verdict"]
                    for claim in json.loads(sandbox.read(f"{name}/results.json"))["claims"]}
        assert "inconclusive" not in verdicts.values() and result.code in (0, 1), (
            f"{name}: {verdicts} {result.code}")


def test_nothing_is_replaced(sandbox):
    sandbox.write("lsh.scenario", "mine\n")
    sandbox.refuses(sandbox.assay("init", "lsh"),
                    "lsh.scenario: is there already and is not replaced; expected another name "
                    "with --out FILE")
    (sandbox.path / "broken").symlink_to("nowhere")
    for place in ("lsh.scenario", "broken", "."):
        sandbox.refuses(sandbox.assay("init", "lsh", "--out", place),
                        f"{place}: is there already and is not replaced; expected another name "
                        "with --out FILE")
    assert sandbox.read("lsh.scenario") == "mine\n", "replaced"
    sandbox.refuses(sandbox.assay("init", "lsh", "--out", ""), "--out: expected a file name")
    result = sandbox.assay("init", "lsh", "--out", "no/such/folder")
    assert result.code in (2, 4) and "no/such/folder" in result.err, str(result)
    assert sorted(sandbox.tree()) == ["broken", "lsh.scenario"], (
        f"left behind: {sorted(sandbox.tree())}")


def test_without_a_defense(sandbox):
    out = sandbox.expect(sandbox.assay("init"), 0, None, "").out
    assert out.startswith("Usage: assay init DEFENSE [--out FILE]\n"), out
    listed = [line.split()[0] for line in out.splitlines()[3:]]
    assert listed == defenses(sandbox), out
    sandbox.refuses(sandbox.assay("init", "ldp-fat"),
                    "unknown defense 'ldp-fat' (did you mean 'ldp-feat'?); 'assay list defenses' "
                    "shows all")
    sandbox.expect(sandbox.assay("init", "lsh", "itq"), 2, "",
                   "assay init: unexpected 'itq'; 'assay init --help' explains\n")


# ---- check ----

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


GENERIC = "by attacks alone that take what is released for the secret"


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
    for epsilon, is_warned in ((3.9, False), (4.1, True)):
        write_values(sandbox, epsilon=epsilon, runs=200, claims=claim)
        found = warnings_of(sandbox)
        assert bool(found) == is_warned, f"{epsilon}: {found}"
        assert (not found or found[0].startswith(
              "[claim e] cannot be refuted by attack audit against d: 200 runs certify an epsilon of "
              "3.98 at most, and the bound is 4.1")), str(found)


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


# ---- Completion ----


def have(program):
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def complete_in_bash(sandbox, *words):
    """What bash would offer for the last of @words."""
    line = " ".join("'" + word.replace("'", "'\\''") + "'" for word in ("assay", *words))
    script = (f"source ./assay.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _assay; "
              "for word in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$word\"; done")
    done = subprocess.run([have("bash"), "--norc", "-c", script], cwd=sandbox.path,
                          env=sandbox.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", f"{words}: {done}"
    return done.stdout.split("\n")[:-1]


def write_script(sandbox, shell):
    sandbox.write(f"assay.{shell}",
                  sandbox.expect(sandbox.assay("completion", shell), 0, None, "").out)


def commands_of(sandbox):
    out = sandbox.expect(sandbox.assay("--help"), 0, None, "").out
    return re.findall(r"^  ([a-z]+) +[A-Z]", out.split("Commands:")[1].split("\n\n")[0],
                      re.MULTILINE)


def options_of(sandbox, *command):
    out = sandbox.expect(sandbox.assay(*command, "--help"), 0, None, "").out
    return sorted(set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", out, re.MULTILINE)))


def test_bash(sandbox):
    write_script(sandbox, "bash")
    subprocess.run([have("bash"), "-n", sandbox.path / "assay.bash"], check=True)
    commands = commands_of(sandbox)
    assert len(commands) > 10, str(commands)
    offered = complete_in_bash(sandbox, "")
    assert sorted(offered) == sorted(["--help", "--version", *commands]), str(offered)
    for command in [(name,) for name in commands if name != "dataset"] + [
            ("dataset", name) for name in complete_in_bash(sandbox, "dataset", "")
            if not name.startswith("--")]:
        assert sorted(complete_in_bash(sandbox, *command, "--")) == options_of(sandbox, *command), (
            f"{command}: {complete_in_bash(sandbox, *command, '--')}")
    assert complete_in_bash(sandbox, "describe", "ldp") == ["ldp-feat"], "describe"
    assert complete_in_bash(sandbox, "init", "") == defenses(sandbox), "init"
    assert complete_in_bash(sandbox, "protect", "--defense", "s") == ["sdh", "sh", "sparse-vector"], (
        "a defense")
    assert complete_in_bash(sandbox, "attack", "-a", "one") == ["one-run"], "an attack"
    assert complete_in_bash(sandbox, "list", "m") == ["metrics"], "a choice"
    settings = [setting["name"] + "=" for setting in
                parameters(sandbox, "defense", "ldp-feat")["parameters"]]
    assert complete_in_bash(sandbox, "protect", "--defense", "ldp-feat", "--set", "") == settings, (
        "settings")
    assert (complete_in_bash(sandbox, "protect", "--defense", "=", "ldp-feat", "-s", "epsi")
            == ["epsilon="]), "as bash splits --defense=ldp-feat"
    assert complete_in_bash(sandbox, "plan", "--seed", "") == [], "nothing to offer"
    assert complete_in_bash(sandbox, "rum", "") == [], "no command"


def test_bash_files(sandbox):
    write_script(sandbox, "bash")
    have("bash")
    sandbox.write("my audit.scenario", "[dataset]\nplugin = values\n[defense it's]\n")
    sandbox.write("rows.npy", "")
    (sandbox.path / "runs").mkdir()
    assert complete_in_bash(sandbox, "run", "") == ["my audit.scenario", "runs"], "scenarios"
    assert complete_in_bash(sandbox, "run", "--out", "r") == ["runs"], "folders"
    assert sorted(complete_in_bash(sandbox, "dataset", "info", "r")) == ["rows.npy", "runs"], (
        "files")
    sandbox.expect(sandbox.assay("init", "laplace", "--out", "l.scenario"), 0, None, "")
    assert (complete_in_bash(sandbox, "run", "l.scenario", "--set", "defense\\ laplace.")
            == ["defense\\ laplace.epsilon=", "defense\\ laplace.sensitivity="]), "keys"
    assert (complete_in_bash(sandbox, "run", "l.scenario", "--set", '"dataset.sec')
            == ["dataset.secrets=", "dataset.secret_groups="]), "keys within quotes"


def test_keys_of(sandbox):
    """Every key that is offered is one that --set takes."""
    sandbox.expect(sandbox.assay("init", "laplace"), 0, None, "")
    keys = sandbox.expect(sandbox.assay("completion", "--keys-of", "laplace.scenario"), 0, None,
                          "").out.split("=\n")[:-1]
    assert ("defense laplace.sensitivity" in keys and "scenario.trials" in keys
            and "attack distinguish.runs" in keys), str(keys)
    for key in keys:
        result = sandbox.assay("check", "laplace.scenario", "--set", f"{key}=nonsense;")
        assert "unknown key" not in result.err and "no group" not in result.err, f"{key}: {result}"
    result = sandbox.assay("completion", "--keys-of", "none.scenario")
    assert result.code == 2 and "none.scenario" in result.err, str(result)


def test_zsh(sandbox):
    write_script(sandbox, "zsh")
    subprocess.run([have("zsh"), "-n", sandbox.path / "assay.zsh"], check=True)
    assert sandbox.read("assay.zsh").startswith("#compdef assay\n"), "compdef must stand first"
    sandbox.expect(sandbox.assay("init", "laplace"), 0, None, "")

    def complete(*line):
        """What zsh would be told: the offers, or which files."""
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in ("assay", *line))
        script = ("compdef () { }; compset () { }; _describe () { print -rl -- ${(P)4} }; "
                  "_files () { print -r -- files \"$@\" }; source ./assay.zsh; "
                  f"words=({quoted}); CURRENT=$#words; _assay")
        done = subprocess.run([shutil.which("zsh"), "-f", "-c", script], cwd=sandbox.path,
                              env=sandbox.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stderr == "", f"{line}: {done}"
        return [offer.split(":")[0] for offer in done.stdout.splitlines()]

    assert complete("") == ["--help", "--version", *commands_of(sandbox)], str(complete(""))
    assert complete("init", "") == defenses(sandbox), str(complete("init", ""))
    assert complete("run", "") == ["files -g *.scenario(-.)"], "scenarios"
    assert complete("run", "--out=") == ["files -/"], "folders"
    assert "dictionary=" in complete("protect", "-d", "ldp-feat", "--set", ""), "settings"
    assert "defense laplace.epsilon=" in complete("run", "laplace.scenario", "--set", ""), "keys"
    for name in commands_of(sandbox):
        if name != "dataset":
            own = [word for word in complete(name, "--") if word.startswith("--")]
            assert sorted(own) == options_of(sandbox, name), f"{name}: {own}"


def test_fish(sandbox):
    write_script(sandbox, "fish")
    fish = have("fish")
    subprocess.run([fish, "-n", sandbox.path / "assay.fish"], check=True)
    sandbox.expect(sandbox.assay("init", "laplace"), 0, None, "")

    def complete(line):
        done = subprocess.run([fish, "--no-config", "-c",
                               f"source assay.fish; complete -C '{line}'"],
                              cwd=sandbox.path, env=sandbox.environment, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0 and done.stderr == "", f"{line}: {done}"
        return [entry.split("\t")[0] for entry in done.stdout.splitlines()]

    assert sorted(complete("assay ")) == sorted(commands_of(sandbox)), str(complete("assay "))
    assert complete("assay dataset conv") == ["convert"], "dataset"
    assert complete("assay describe ldp") == ["ldp-feat"], "describe"
    assert complete("assay init omeg") == ["omega-subset"], "init"
    assert complete("assay protect -d ldp-feat --set epsi") == ["epsilon="], "settings"
    assert complete("assay run lap") == ["laplace.scenario"], "scenarios"
    assert complete("assay run laplace.scenario --set scenario.tr") == ["scenario.trials="], "keys"
    for command in ("run", "dataset info"):
        assert sorted(complete(f"assay {command} --")) == options_of(sandbox, *command.split()), (
            command)


def test_completion_usage(sandbox):
    sandbox.expect(sandbox.assay("completion"), 2, "",
                   "assay completion: expected bash, zsh or fish; 'assay completion --help' "
                   "explains\n")
    sandbox.expect(sandbox.assay("completion", "tcsh"), 2, "",
                   "assay completion: 'tcsh': expected bash, zsh or fish\n")


# ---- The manual page ----


def test_manual(sandbox):
    """Every command, option and exit code stands in it, and man has nothing to object to."""
    page = sandbox.expect(sandbox.assay("man"), 0, None, "").out
    sandbox.write("assay.1", page)
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    names = commands_of(sandbox)
    names += [f"dataset {name}" for name in ("info", "convert", "extract")]
    for name in names:
        if name == "dataset":
            continue
        assert f".SS assay {name}" in plain, name
        own = plain.split(f".SS assay {name}")[1].split("\n.S")[0]
        for option in options_of(sandbox, *name.split()):
            assert option == "--help" or option in own, f"{name} {option}"
    for word in ("ASSAY_DATA", "ASSAY_CACHE", "ASSAY_PLUGIN_PATH", "NO_COLOR", "TMPDIR"):
        assert word in page, word
    for code in (0, 1, 2, 3, 4, 130):
        assert f".TP\n.B {code}\n" in page, f"exit code {code}"
    man = have("man")
    done = subprocess.run([man, "--warnings", "-l", "assay.1"], cwd=sandbox.path,
                          env={**sandbox.environment, "MANWIDTH": "100"}, capture_output=True,
                          text=True, check=False)
    if "This system has been minimized" in done.stdout:
        pytest.skip("man is a stub here")
    assert done.returncode == 0 and done.stderr == "", str(done.stderr)
    assert "assay compare first second" in done.stdout, done.stdout


def test_built_and_up_to_date(sandbox):
    """What meson has made beside the program, to be installed, is what the program says."""
    folder = pathlib.Path(os.path.realpath(sandbox.assay_path)).parent
    for name, words in (("assay.1", ("man",)), ("assay.bash", ("completion", "bash")),
                        ("_assay", ("completion", "zsh")), ("assay.fish", ("completion", "fish"))):
        if not (folder / name).exists():
            pytest.skip(f"{name} is not beside the program")
        assert ((folder / name).read_text()
                == sandbox.expect(sandbox.assay(*words), 0, None, "").out), name
