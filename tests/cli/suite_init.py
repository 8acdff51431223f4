"""assay init, check, completion and man: what helps to begin, made from the program's own tables."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from harness import Skip, Suite, check

cases = Suite("init")


def add_to(suite):
    suite.cases += cases.cases
    return suite


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


@cases.case("every-defense-is-planned")
def _(sandbox):
    """As written: the planner takes it, with an attack and a claim, and with every setting at the
    default that `describe` tells."""
    for name in defenses(sandbox):
        out = sandbox.expect(sandbox.assay("init", name), 0, None, "").out
        check(out.endswith(f"\n  assay run {name}.scenario\n"), out)
        text = sandbox.read(f"{name}.scenario")
        check(all(len(line) <= 100 for line in text.splitlines()), f"{name}: a long line")
        groups = groups_of(text)
        plugin = parameters(sandbox, "defense", name)
        for setting in plugin["parameters"]:
            check(setting["help"].split()[-1] in text, f"{name}: {setting['name']} unexplained")
            check(re.search(rf"^#?{setting['name']} =", text, re.MULTILINE),
                  f"{name}: no {setting['name']}")
            given = groups[f"defense {name}"].get(setting["name"])
            if setting["default"] is None:
                check(given == "FILL_IN", f"{name}: {given}")
            elif setting["type"] in ("int", "real"):
                check(given is None or float(given) == setting["default"], f"{name}: {given}")
        attacks = [group for group in groups if group.startswith("attack ")]
        claims = [group for group in groups if group.startswith("claim ")]
        check(attacks and len(claims) == len(attacks), f"{name}: {list(groups)}")
        result = sandbox.assay("check", f"{name}.scenario", "--strict")
        if "FILL_IN" in text:
            check(result.code == 2 and "FILL_IN" in result.err, str(result))
        else:
            sandbox.expect(result, 0, f"{name}.scenario: fine, {{*}}\n", "")
        # A program claims what its settings say: by default nothing.
        if plugin["claim"] is not None and plugin.get("density") is not None and name != "exec":
            check(any(groups[claim].get("at-most") == "claimed" for claim in claims),
                  f"{name}: its own claim is not there")


@cases.case("run-to-a-verdict")
def _(sandbox):
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
        check(result.code in (0, 1, 3), f"{name}: {result}")
        results = json.loads(sandbox.read(f"{name}/results.json"))
        for cell in results["cells"]:
            check(cell["status"] == "ok", f"{name}: {cell['message']}")
        for claim in results["claims"]:
            check(claim["verdict"] in ("upheld", "violated", "unrefuted", "inconclusive"), claim)
            check("does not apply" not in (claim["reason"] or ""), f"{name}: {claim['reason']}")
            check(claim["hypotheses"][0]["estimate"] is not None or claim["measure"] == "epsilon",
                  f"{name}: {claim}")


@cases.case("grants-and-reasons")
def _(sandbox):
    sandbox.expect(sandbox.assay("init", "affine-lifting", "-o", "a"), 0, None, "")
    groups = groups_of(sandbox.read("a"))
    check(groups["attack clustering"]["grants"] == "public; other-releases", groups)
    check(groups["attack database"]["grants"] == "database", groups)
    check("grants" not in groups["attack verbatim"], groups)
    check(groups["defense unprotected"] == {"plugin": "none"}, groups)
    check(groups["claim database"] == {"measure": "recovery-rate", "defense": "affine-lifting",
                                       "attack": "database", "at-most": "0.10"}, groups)
    sandbox.expect(sandbox.assay("init", "mixup", "-o", "m"), 0, None, "")
    check("attack braverman" not in groups_of(sandbox.read("m")), "looks for what is not there")
    check("# - braverman: at these settings no public images are mixed in" in sandbox.read("m"), "")
    sandbox.expect(sandbox.assay("init", "noisy-histogram", "-o", "h"), 0, None, "")
    check("# - one-run: wants 1000 canaries, but defense 'noisy-histogram' has room for 10"
          in sandbox.read("h"), sandbox.read("h"))


@cases.case("exec-filled-in")
def _(sandbox):
    """What is left to be filled in is one value: then it is an audit."""
    sandbox.expect(sandbox.assay("init", "exec"), 0,
                   "exec.scenario: replace FILL_IN in it, then\n  assay run exec.scenario\n", "")
    sandbox.expect(sandbox.assay("check", "exec.scenario"), 0,
                   "exec.scenario: fine, 20 cells, 2 claims, 1 warning\n",
                   "assay: warning: exec.scenario: [defense exec] command = FILL_IN is to be "
                   "replaced\n")
    sandbox.write("exec.scenario", sandbox.read("exec.scenario").replace("FILL_IN: this", "This")
                  .replace("= FILL_IN", "= false"))
    sandbox.expect(sandbox.assay("check", "exec.scenario", "--strict"), 0,
                   "exec.scenario: fine, 20 cells, 2 claims\n", "")


@cases.case("nothing-is-replaced")
def _(sandbox):
    sandbox.write("lsh.scenario", "mine\n")
    sandbox.refuses(sandbox.assay("init", "lsh"),
                    "lsh.scenario: is there already and is not replaced; expected another name "
                    "with --out FILE")
    (sandbox.path / "broken").symlink_to("nowhere")
    for place in ("lsh.scenario", "broken", "."):
        sandbox.refuses(sandbox.assay("init", "lsh", "--out", place),
                        f"{place}: is there already and is not replaced; expected another name "
                        "with --out FILE")
    check(sandbox.read("lsh.scenario") == "mine\n", "replaced")
    sandbox.refuses(sandbox.assay("init", "lsh", "--out", ""), "--out: expected a file name")
    result = sandbox.assay("init", "lsh", "--out", "no/such/folder")
    check(result.code in (2, 4) and "no/such/folder" in result.err, str(result))
    check(sorted(sandbox.tree()) == ["broken", "lsh.scenario"], f"left behind: {sorted(sandbox.tree())}")


@cases.case("without-a-defense")
def _(sandbox):
    out = sandbox.expect(sandbox.assay("init"), 0, None, "").out
    check(out.startswith("Usage: assay init DEFENSE [--out FILE]\n"), out)
    listed = [line.split()[0] for line in out.splitlines()[3:]]
    check(listed == defenses(sandbox), out)
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
    check(result.code == 0, str(result))
    return [line.removeprefix("assay: warning: a.scenario: ") for line in result.err.splitlines()]


@cases.case("check-many")
def _(sandbox):
    """Every file is looked at; the worst decides."""
    write_values(sandbox, claims=RATE.format(1))
    sandbox.write("b.scenario", "[dataset]\nplugin = valeus\n")
    result = sandbox.assay("check", "b.scenario", "a.scenario", "c.scenario")
    check(result.code == 2, str(result))
    check(result.out == "b.scenario: refused\na.scenario: fine, 2 cells, 1 claim\n"
                        "c.scenario: refused\n", result.out)
    check("b.scenario:2: [dataset] unknown dataset 'valeus'" in result.err
          and "c.scenario" in result.err, result.err)
    said = sandbox.assay("plan", "b.scenario").err
    check(said == result.err.splitlines(keepends=True)[0], f"{said} {result.err}")
    sandbox.expect(sandbox.assay("check"), 2, "",
                   "assay check: expected a scenario file; 'assay check --help' explains\n")
    result = sandbox.assay("check", ".")
    check(result.code == 2 and result.out == ".: refused\n", str(result))


@cases.case("check-claims")
def _(sandbox):
    """(1 - b)^n against (1 - confidence) / hypotheses, worked out by hand: 0.9^28 = 0.0523 and
    0.9^29 = 0.0471 are on the two sides of 0.05; of two claims 0.025 needs 36 secrets."""
    write_values(sandbox)
    check(warnings_of(sandbox)
          == ["there is no [claim NAME]: the run will measure, and judge nothing"], "no claim")
    for secrets, n_claims, expected in ((28, 1, 29), (29, 1, None), (35, 2, 36), (36, 2, None)):
        write_values(sandbox, secrets=secrets,
                     claims="".join(RATE.format(i) for i in range(n_claims)))
        found = warnings_of(sandbox)
        check(len(found) == (n_claims if expected else 0), f"{secrets}: {found}")
        for i, line in enumerate(found):
            check(line.startswith(f"[claim c{i}] cannot be upheld by {secrets} secrets, whatever "
                                  f"they show; expected at least {expected},"), line)
    # What is said comes true: at 28 of 28 secrets kept, the run cannot decide.
    write_values(sandbox, secrets=28, epsilon=0.001, claims=RATE.format(1))
    result = sandbox.assay("run", "a.scenario", "--quiet", "--out", "few")
    check(result.code == 3 and "inconclusive: claim c1" in result.out, str(result))
    write_values(sandbox, secrets=29, epsilon=0.001, claims=RATE.format(1))
    result = sandbox.assay("run", "a.scenario", "--quiet", "--out", "enough")
    check(result.code == 0 and "upheld: claim c1" in result.out, str(result))
    sandbox.expect(sandbox.assay("check", "a.scenario", "--trials", "1", "--set",
                                 "dataset.secrets=5", "--strict"), 2,
                   "a.scenario: fine, 2 cells, 1 claim, 1 warning\n", None)


@cases.case("check-at-least")
def _(sandbox):
    """0.9^n again, of at-least; trials multiply secrets."""
    claim = RATE.format(1).replace("at-most = 0.1", "at-least = 0.9")
    write_values(sandbox, scenario="trials = 2", secrets=14, claims=claim)
    check(len(warnings_of(sandbox)) == 1, "28 secrets")
    write_values(sandbox, scenario="trials = 2", secrets=15, claims=claim)
    check(warnings_of(sandbox) == [], "30 secrets")


@cases.case("check-epsilon")
def _(sandbox):
    """200 runs, all right: epsilon at most ln (L / U) with L = (alpha / 2)^(1/n), U = 1 - L, at
    alpha = 0.05: ln (0.98173 / 0.01827) = 3.98."""
    claim = "[claim e]\nmeasure = epsilon\nat-most = claimed\n"
    low = 0.025 ** (1 / 200)
    check(abs(low / (1 - low) - 53.7) < 0.1, "by hand")
    for epsilon, is_warned in ((3.9, False), (4.1, True)):
        write_values(sandbox, epsilon=epsilon, runs=200, claims=claim)
        found = warnings_of(sandbox)
        check(bool(found) == is_warned, f"{epsilon}: {found}")
        check(not found or found[0].startswith(
            "[claim e] cannot be refuted by attack audit against d: 200 runs certify an epsilon of "
            "3.98 at most, and the bound is 4.1"), str(found))


@cases.case("check-programs")
def _(sandbox):
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
            check(found == expected, f"{command}: {found}")
    (sandbox.path / "sub" / "mine.py").chmod(0o755)
    sandbox.shell("mv a.scenario sub")
    sandbox.write("sub/a.scenario", sandbox.read("sub/a.scenario").replace("sh sub/", "./"))
    sandbox.expect(sandbox.assay("check", "sub/a.scenario"), 0, None, "")


@cases.case("formal-claim-without-a-mechanism")
def _(sandbox):
    sandbox.expect(sandbox.assay("init", "ldp-feat"), 0, None, "")
    text = " ".join(sandbox.read("ldp-feat.scenario").replace("\n# ", " ").split())
    check("attack 'distinguish' tests a formal claim by running the mechanism, and defense "
          "'ldp-feat' offers none to run" in text, text)


@cases.case("check-the-rest")
def _(sandbox):
    write_values(sandbox, claims=RATE.format(1) + "[defense alone]\nplugin = noisy-histogram\n"
                 "bins = 5000\n")
    sandbox.write("a.scenario", sandbox.read("a.scenario").replace("columns = 5\n", "")
                  .replace("[attack audit]\nplugin = distinguish\nruns = 100000\n", ""))
    check(warnings_of(sandbox)
          == ["[defense alone] is met by no attack and no utility of the scenario"],
          str(warnings_of(sandbox)))
    sandbox.expect(sandbox.assay("init", "lsh"), 0, None, "")
    sandbox.write("a.scenario", sandbox.read("lsh.scenario").replace(
        "[attack code-majority]\n", "[attack code-majority]\ntune.repeats = 4\n"
        "tune_measure = bits-recovered\n"))
    found = warnings_of(sandbox, "--set", "dataset.count=9000")
    check(len(found) == 1 and found[0].startswith("[attack code-majority] repeats=4 leaves one "
                                                  "candidate: nothing is chosen"), str(found))


# ---- Completion ----


def have(program):
    found = shutil.which(program)
    if found is None:
        raise Skip(f"{program} is not installed")
    return found


def complete_in_bash(sandbox, *words):
    """What bash would offer for the last of @words."""
    line = " ".join("'" + word.replace("'", "'\\''") + "'" for word in ("assay", *words))
    script = (f"source ./assay.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _assay; "
              "for word in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$word\"; done")
    done = subprocess.run([have("bash"), "--norc", "-c", script], cwd=sandbox.path,
                          env=sandbox.environment, capture_output=True, text=True, check=False)
    check(done.returncode == 0 and done.stderr == "", f"{words}: {done}")
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


@cases.case("bash")
def _(sandbox):
    write_script(sandbox, "bash")
    subprocess.run([have("bash"), "-n", sandbox.path / "assay.bash"], check=True)
    commands = commands_of(sandbox)
    check(len(commands) > 10, str(commands))
    offered = complete_in_bash(sandbox, "")
    check(sorted(offered) == sorted(["--help", "--version", *commands]), str(offered))
    for command in [(name,) for name in commands if name != "dataset"] + [
            ("dataset", name) for name in complete_in_bash(sandbox, "dataset", "")
            if not name.startswith("--")]:
        check(sorted(complete_in_bash(sandbox, *command, "--")) == options_of(sandbox, *command),
              f"{command}: {complete_in_bash(sandbox, *command, '--')}")
    check(complete_in_bash(sandbox, "describe", "ldp") == ["ldp-feat"], "describe")
    check(complete_in_bash(sandbox, "init", "") == defenses(sandbox), "init")
    check(complete_in_bash(sandbox, "protect", "--defense", "s") == ["sdh", "sh", "sparse-vector"],
          "a defense")
    check(complete_in_bash(sandbox, "attack", "-a", "one") == ["one-run"], "an attack")
    check(complete_in_bash(sandbox, "list", "m") == ["metrics"], "a choice")
    settings = [setting["name"] + "=" for setting in
                parameters(sandbox, "defense", "ldp-feat")["parameters"]]
    check(complete_in_bash(sandbox, "protect", "--defense", "ldp-feat", "--set", "") == settings,
          "settings")
    check(complete_in_bash(sandbox, "protect", "--defense", "=", "ldp-feat", "-s", "epsi")
          == ["epsilon="], "as bash splits --defense=ldp-feat")
    check(complete_in_bash(sandbox, "plan", "--seed", "") == [], "nothing to offer")
    check(complete_in_bash(sandbox, "rum", "") == [], "no command")


@cases.case("bash-files")
def _(sandbox):
    write_script(sandbox, "bash")
    have("bash")
    sandbox.write("my audit.scenario", "[dataset]\nplugin = values\n[defense it's]\n")
    sandbox.write("rows.npy", "")
    (sandbox.path / "runs").mkdir()
    check(complete_in_bash(sandbox, "run", "") == ["my audit.scenario", "runs"], "scenarios")
    check(complete_in_bash(sandbox, "run", "--out", "r") == ["runs"], "folders")
    check(sorted(complete_in_bash(sandbox, "dataset", "info", "r")) == ["rows.npy", "runs"], "files")
    sandbox.expect(sandbox.assay("init", "laplace", "--out", "l.scenario"), 0, None, "")
    check(complete_in_bash(sandbox, "run", "l.scenario", "--set", "defense\\ laplace.")
          == ["defense\\ laplace.epsilon=", "defense\\ laplace.sensitivity="], "keys")
    check(complete_in_bash(sandbox, "run", "l.scenario", "--set", '"dataset.sec')
          == ["dataset.secrets=", "dataset.secret_groups="], "keys within quotes")


@cases.case("keys-of")
def _(sandbox):
    """Every key that is offered is one that --set takes."""
    sandbox.expect(sandbox.assay("init", "laplace"), 0, None, "")
    keys = sandbox.expect(sandbox.assay("completion", "--keys-of", "laplace.scenario"), 0, None,
                          "").out.split("=\n")[:-1]
    check("defense laplace.sensitivity" in keys and "scenario.trials" in keys
          and "attack distinguish.runs" in keys, str(keys))
    for key in keys:
        result = sandbox.assay("check", "laplace.scenario", "--set", f"{key}=nonsense;")
        check("unknown key" not in result.err and "no group" not in result.err, f"{key}: {result}")
    result = sandbox.assay("completion", "--keys-of", "none.scenario")
    check(result.code == 2 and "none.scenario" in result.err, str(result))


@cases.case("zsh")
def _(sandbox):
    write_script(sandbox, "zsh")
    subprocess.run([have("zsh"), "-n", sandbox.path / "assay.zsh"], check=True)
    text = sandbox.read("assay.zsh")
    check(text.startswith("#compdef assay\n"), "compdef must stand first")
    script = ("compdef () { }; source ./assay.zsh; _describe () { print -rl -- ${(P)4} }; "
              "_assay_commands; print -r -- '---'; _assay_defense; print -r -- '---'; offers=(); "
              "_assay_settings ldp-feat; print -rl -- $offers")
    done = subprocess.run([shutil.which("zsh"), "-f", "-c", script], cwd=sandbox.path,
                          env=sandbox.environment, capture_output=True, text=True, check=False)
    check(done.returncode == 0 and done.stderr == "", str(done))
    commands, offered, settings = (part.split("\n") for part in done.stdout.split("---\n"))
    check([line.split(":")[0] for line in commands[:-1]] == commands_of(sandbox), str(commands))
    check([line.split(":")[0] for line in offered[:-1]] == defenses(sandbox), str(offered))
    check("dictionary=" in settings, str(settings))
    for name in commands_of(sandbox):
        if name != "dataset":
            own = text.split(f"  ('{name}')\n")[1].split(";;")[0]
            for option in options_of(sandbox, name):
                check(option in own, f"{name} {option}")


@cases.case("fish")
def _(sandbox):
    write_script(sandbox, "fish")
    fish = have("fish")
    subprocess.run([fish, "-n", sandbox.path / "assay.fish"], check=True)
    sandbox.expect(sandbox.assay("init", "laplace"), 0, None, "")

    def complete(line):
        done = subprocess.run([fish, "--no-config", "-c",
                               f"source assay.fish; complete -C '{line}'"],
                              cwd=sandbox.path, env=sandbox.environment, capture_output=True,
                              text=True, check=False)
        check(done.returncode == 0 and done.stderr == "", f"{line}: {done}")
        return [entry.split("\t")[0] for entry in done.stdout.splitlines()]

    check(sorted(complete("assay ")) == sorted(commands_of(sandbox)), str(complete("assay ")))
    check(complete("assay dataset conv") == ["convert"], "dataset")
    check(complete("assay describe ldp") == ["ldp-feat"], "describe")
    check(complete("assay init omeg") == ["omega-subset"], "init")
    check(complete("assay protect -d ldp-feat --set epsi") == ["epsilon="], "settings")
    check(complete("assay run lap") == ["laplace.scenario"], "scenarios")
    check(complete("assay run laplace.scenario --set scenario.tr") == ["scenario.trials="], "keys")
    for command in ("run", "dataset info"):
        check(sorted(complete(f"assay {command} --")) == options_of(sandbox, *command.split()),
              command)


@cases.case("completion-usage")
def _(sandbox):
    sandbox.expect(sandbox.assay("completion"), 2, "",
                   "assay completion: expected bash, zsh or fish; 'assay completion --help' "
                   "explains\n")
    sandbox.expect(sandbox.assay("completion", "tcsh"), 2, "",
                   "assay completion: 'tcsh': expected bash, zsh or fish\n")


# ---- The manual page ----


@cases.case("manual")
def _(sandbox):
    """Every command, option and exit code stands in it, and man has nothing to object to."""
    page = sandbox.expect(sandbox.assay("man"), 0, None, "").out
    sandbox.write("assay.1", page)
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    names = commands_of(sandbox)
    names += [f"dataset {name}" for name in ("info", "convert", "extract")]
    for name in names:
        if name == "dataset":
            continue
        check(f".SS assay {name}" in plain, name)
        own = plain.split(f".SS assay {name}")[1].split("\n.S")[0]
        for option in options_of(sandbox, *name.split()):
            check(option == "--help" or option in own, f"{name} {option}")
    for word in ("ASSAY_DATA", "ASSAY_CACHE", "ASSAY_PLUGIN_PATH", "NO_COLOR", "TMPDIR"):
        check(word in page, word)
    for code in (0, 1, 2, 3, 4, 130):
        check(f".TP\n.B {code}\n" in page, f"exit code {code}")
    man = have("man")
    done = subprocess.run([man, "--warnings", "-l", "assay.1"], cwd=sandbox.path,
                          env={**sandbox.environment, "MANWIDTH": "100"}, capture_output=True,
                          text=True, check=False)
    if "This system has been minimized" in done.stdout:
        raise Skip("man is a stub here")
    check(done.returncode == 0 and done.stderr == "", str(done.stderr))
    check("assay compare first second" in done.stdout, done.stdout)


@cases.case("built-and-up-to-date")
def _(sandbox):
    """What meson has made beside the program, to be installed, is what the program says."""
    folder = pathlib.Path(os.path.realpath(sandbox.assay_path)).parent
    for name, words in (("assay.1", ("man",)), ("assay.bash", ("completion", "bash")),
                        ("_assay", ("completion", "zsh")), ("assay.fish", ("completion", "fish"))):
        if not (folder / name).exists():
            raise Skip(f"{name} is not beside the program")
        check((folder / name).read_text()
              == sandbox.expect(sandbox.assay(*words), 0, None, "").out, name)
