"""assay init: a scenario to begin with, made from the program's own tables."""

import json
import re

import pytest

from described import GENERIC, defenses, described

# What begins other than at its default: attackers who learn run defenses dozens of times, and pairs
# of inputs have to come near what a mechanism claims.
CHANGED = {(name, *changed) for name in ("adsh", "dpsh", "dsh", "hashnet")
           for changed in (("hidden", "64"), ("steps", "300"))} | {
           ("ksh", "labelled", "200"), ("ksh", "anchors", "50"), ("sdh", "anchors", "50"),
           ("private-network", "batch", "5"), ("private-network", "rounds", "100"),
           ("private-network", "width", "8"), ("private-classifier", "batch", "3"),
           ("private-classifier", "rounds", "100"),
           ("prr10", "users", "2"), ("ra12", "epsilon", "1"), ("ra12", "delta", "1e-05")}


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


def test_every_defense_is_planned(sandbox):
    """As written: the planner takes it, with an attack and a claim, and with every setting at the
    default that `describe` tells."""
    plugins = described(sandbox, "defense", defenses(sandbox))
    for name, plugin in plugins.items():
        out = sandbox.expect(sandbox.assay("init", name), 0, None, "").out
        assert out.endswith(f"\n  assay run {name}.scenario\n"), out
        text = sandbox.read(f"{name}.scenario")
        assert all(len(line) <= 100 for line in text.splitlines()), f"{name}: a long line"
        groups = groups_of(text)
        for setting in plugin["parameters"]:
            assert setting["help"].split()[-1] in text, f"{name}: {setting['name']} unexplained"
            assert re.search(rf"^#?{setting['name']} =", text, re.MULTILINE), (
                f"{name}: no {setting['name']}")
            given = groups[f"defense {name}"].get(setting["name"])
            if setting["default"] is None:
                assert given in ("FILL_IN", "python3 my_defense.py"), f"{name}: {given}"
            elif setting["type"] in ("int", "real"):
                assert (given is None or float(given) == setting["default"]
                        or (name, setting["name"], given) in CHANGED), f"{name}: {given}"
        attacks = [group for group in groups if group.startswith("attack ")]
        claims = [group for group in groups if group.startswith("claim ")]
        assert attacks and claims, f"{name}: {list(groups)}"
        assert len({groups[claim]["measure"] for claim in claims}) == len(claims), f"{name}: {claims}"
        result = sandbox.assay("check", f"{name}.scenario", "--strict", "--no-controls")
        if "FILL_IN" in text:
            assert result.code == 2 and "FILL_IN" in result.err, str(result)
        else:
            said = [line for line in result.err.splitlines() if GENERIC not in line]
            assert not said and ("learned-inversion" not in text or result.code == 0), str(result)
        # A program claims what its settings say: by default nothing. Of ciphertexts nothing could
        # be decided.
        if (plugin["claim"] is not None and plugin.get("density") is not None
                and name not in ("exec", "paillier-encryption")):
            assert any(groups[claim].get("at-most") == "claimed" for claim in claims), (
                f"{name}: its own claim is not there")


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
    assert claim["attack"] == "code-majority; weak-seed", claim
    sandbox.expect(sandbox.assay("init", "mixup", "-o", "m"), 0, None, "")
    assert "attack braverman" not in groups_of(sandbox.read("m")), "looks for what is not there"
    for name, there in (("ldp-feat", True), ("ldp-feat-naive", False)):
        sandbox.expect(sandbox.assay("init", name, "-o", name), 0, None, "")
        assert ("attack majority" in groups_of(sandbox.read(name))) == there, name
    sandbox.expect(sandbox.assay("init", "instahide-inside", "-o", "i"), 0, None, "")
    assert "attack mixture-inversion" not in groups_of(sandbox.read("i")), "two secrets in each"
    assert "# - braverman: at these settings no public images are mixed in" in sandbox.read("m"), ""
    sandbox.expect(sandbox.assay("init", "noisy-histogram", "-o", "h"), 0, None, "")
    assert ("# - one-run: needs 1000 canaries, but defense 'noisy-histogram' has room for 10"
            in sandbox.read("h")), sandbox.read("h")


def test_settings_that_are_given(sandbox):
    """Attacks and grants are those of these settings: with k = 1 nothing is mixed, and an attack
    for which nothing is left to find is not played; public images are granted to who tries seeds
    where they are mixed in."""
    def groups(name, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        sandbox.expect(sandbox.assay("init", name, *words, "-o", "x"), 0, None, "")
        text = sandbox.read("x")
        (sandbox.path / "x").unlink()
        return groups_of(text), text

    for name, settings, public, pairs in (("mixup", (), False, True),
                                          ("mixup", ("k=1",), False, False),
                                          ("mixup", ("k=1", "epochs=2"), False, True),
                                          ("mixup", ("variant=public-once",), True, False),
                                          ("instahide-inside", ("k=1",), False, False),
                                          ("instahide-cross", (), True, True)):
        found, text = groups(name, *settings)
        case = f"{name} {settings}: {found}"
        for setting in settings:
            assert found[f"defense {name}"][setting.split("=")[0]] == setting.split("=")[1], case
        assert ("those that '--set' gave" in text) == (settings != ()), case
        assert (found["attack weak-seed"].get("grants") == "public") == public, case
        assert ("attack inner-product-pair" in found) == pairs, case
        assert ("claim pair-auc" in found) == pairs, case
        assert ("# - inner-product-pair: at these settings each secret is in a single mixture"
                in text) != pairs, case
        assert "attack whitened-removal" in found, case
    # It begins with other settings than the defaults, which stay.
    found, text = groups("ksh", "bits=16")
    assert (found["defense ksh"]["labelled"], found["defense ksh"]["bits"]) == ("200", "16"), found
    assert "those that cost most" in text, text
    assert groups("ksh", "labelled=100")[0]["defense ksh"]["labelled"] == "100"
    for setting, message in (("k=one", "--set: k = 'one': expected a whole number, 1 to 64 images"),
                             ("q=1", "--set: unknown setting 'q' (did you mean 'k'?)"),
                             ("k", "--set 'k': expected SETTING=VALUE"),
                             ("max_coefficient=0.1", "max_coefficient = 0.1: expected at least 1 / "
                              "k = 0.25, because k = 4 coefficients sum to 1")):
        sandbox.refuses(sandbox.assay("init", "instahide-inside", "--set", setting), message)


def test_codes_without_their_function(sandbox):
    """Nobody can hash queries for codes that follow a private graph: left out, and no error."""
    sandbox.expect(sandbox.assay("init", "graph-signs"), 0, None, "")
    text = sandbox.read("graph-signs.scenario")
    assert "paired-" not in text, text
    sandbox.write("graph-signs.scenario", text + "\n[utility paired-map]\n\n"
                  "[utility paired-triangles]\n")
    out = sandbox.expect(sandbox.assay("plan", "graph-signs.scenario"), 0, None, "").out
    for utility in ("paired-map", "paired-triangles"):
        assert (f"skipped: {utility} against graph-signs: utility '{utility}' reads 'image-layer1', "
                "which releases of defense 'graph-signs' do not hold with these settings\n") in out
        assert f"skipped: {utility} against revealing" not in out, out


@pytest.mark.usefixtures("python3_has_numpy")
def test_programs_that_run(sandbox):
    """A defense and an attack in NumPy stand beside the scenario: it ends in verdicts as it is, and
    the attack finds more than what is released."""
    sandbox.expect(sandbox.assay("init", "exec"), 0,
                   "exec.scenario, my_defense.py, my_attack.py: written. To run it:\n"
                   "  assay run exec.scenario\n", "")
    sandbox.expect(sandbox.assay("check", "exec.scenario"), 0,
                   "exec.scenario: fine, 36 cells, 4 claims, 1 control of programs that the run "
                   "plays (here: --programs)\n", "")
    sandbox.expect(sandbox.assay("check", "--programs", "exec.scenario"), 0,
                   "exec.scenario: fine, 36 cells, 4 claims\n", "")
    # Those that start the program dozens of times are for test_init_runs.py.
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
             for measured in cell["measurements"] if measured["measure"] == "recovery-rate"}
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
    assert out.startswith("Usage: assay init DEFENSE [--set SETTING=VALUE] [--out FILE]\n"), out
    listed = [line.split()[0] for line in out.splitlines()[3:]]
    assert listed == defenses(sandbox), out
    sandbox.refuses(sandbox.assay("init", "ldp-fat"),
                    "unknown defense 'ldp-fat' (did you mean 'ldp-feat'?); 'assay list defenses' "
                    "shows all")
    sandbox.expect(sandbox.assay("init", "lsh", "itq"), 2, "",
                   "assay init: unexpected 'itq'; 'assay init --help' explains\n")
