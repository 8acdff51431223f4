"""assay completion and assay man: what helps to type, made from the program's own tables."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from described import defenses, parameters


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
    assert complete_in_bash(sandbox, "describe", "ldp") == ["ldp-feat", "ldp-feat-naive"], (
        "describe")
    assert complete_in_bash(sandbox, "init", "") == defenses(sandbox), "init"
    assert complete_in_bash(sandbox, "protect", "--defense", "s") == [
        "sdh", "secure-sum", "sh", "shared-gradient", "sparse-vector"], (
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
    assert complete("assay describe ldp") == ["ldp-feat", "ldp-feat-naive"], "describe"
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
