"""Gradients of a known network: what comes back of images, whether anything is mixed or not, and
what is refused."""

import json

SCENARIO = """[scenario]
title = T
seed = 3
[dataset]
plugin = shapes
size = 12
channels = 1
scale = dataset
secrets = 8
{defense}
{attack}
[metric secrets]
plugin = image-recovery
[metric mixture]
plugin = image-recovery
of = mixture
"""
MATCHING = "[attack matching]\nplugin = gradient-matching\ngrants = model\n"


def scenario(defense="plugin = shared-gradient", attack=MATCHING):
    return SCENARIO.format(defense="[defense d]\n" + defense, attack=attack)


def found(sandbox, text):
    """Medians of the correlations with secrets and with mixtures, and what the attack says."""
    sandbox.write("a.scenario", text)
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    cell, = json.loads(sandbox.read("out/results.json"))["cells"]
    values = [one["estimate"] for one in cell["measurements"]
              if one["measure"] == "image-correlation"]
    return values, cell.get("message", "")


def test_what_is_not_mixed_comes_back(sandbox):
    (secrets, mixture), says = found(sandbox, scenario())
    assert secrets == mixture and secrets > 0.95, secrets
    assert "8 of 8 gradients are matched to a tenth of their length" in says


def test_what_is_mixed_comes_back_as_a_mixture(sandbox):
    """Of pixels with random signs, 144 a secret, the median of 8 correlations is near 0: above 0.3
    is at 2.4 deviations for each of them."""
    (secrets, mixture), _ = found(sandbox, scenario("plugin = shared-gradient\nmixing = instahide"))
    assert mixture > 0.95 and abs(secrets) < 0.3, (secrets, mixture)


def test_a_dense_layer_gives_its_input_away(sandbox):
    (secrets, _), _ = found(sandbox, scenario(
        "plugin = shared-gradient\nnetwork = dense\nunits = 5", MATCHING + "method = division\n"))
    assert secrets > 0.999999, secrets


def test_weights_are_granted_or_not_there(sandbox):
    """`model` is what gives the attack the weights: not the release, and not `mechanism`."""
    for grants in ("", "grants = public; mechanism; key\n"):
        sandbox.write("a.scenario", scenario(attack=MATCHING.replace("grants = model\n", grants)))
        sandbox.refuses(sandbox.assay("run", "a.scenario", "--out", "out"),
                        f"a.scenario:12: [attack matching] attack 'gradient-matching' needs the "
                        f"grant 'model'; expected grants = model")


def test_refused(sandbox):
    cases = {
        "plugin = shared-gradient\nbatch = 3":
            "a.scenario:10: [defense d] batch = 3: expected a divisor of the 8 secrets of a cell",
        "plugin = shared-gradient\nmixing = mixup\nk = 9":
            "a.scenario:10: [defense d] k = 9 puts 9 distinct secrets into an image: expected as "
            "many or more secrets, found 8",
    }
    for defense, message in cases.items():
        sandbox.write("a.scenario", scenario(defense))
        sandbox.refuses(sandbox.assay("run", "a.scenario", "--out", "out"), message)


def test_a_network_larger_than_memory(sandbox):
    """Its gradients are counted before anything is made."""
    sandbox.write("a.scenario", scenario(
        "plugin = shared-gradient\nnetwork = dense\nunits = 1000000").replace(
            "size = 12", "size = 64").replace("secrets = 8", "secrets = 800"))
    result = sandbox.assay("run", "a.scenario", "--out", "out")
    assert result.code == 2, result
    assert "a.scenario: the run would need about" in result.err
    assert "of memory, but the machine has" in result.err


def test_metric_without_mixtures(sandbox):
    sandbox.write("a.scenario", scenario("plugin = none", "[attack v]\nplugin = verbatim\n"))
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert ("the truth has no mixtures; of = mixture expects those that were released, or that "
            "gradients are of") in result.out + result.err
