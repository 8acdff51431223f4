"""What assay init writes, run: small, one defense a kind of release; and, slowly, all as it is."""

import json
import time

import pytest

from described import defenses


def test_run_to_a_verdict(sandbox):
    """Every attack is measured by what its claim names: no cell in error, no claim without a
    figure. Small, so that it takes seconds; test_init.py plans the others."""
    small = {
        "itq": ("dataset.secrets=100", "dataset.count=500"),
        "sh": ("dataset.secrets=100", "dataset.count=500"),
        "laplace": ("dataset.secrets=60", "dataset.count=400", "attack distinguish.runs=2000",
                    "attack distinguish.training=2000"),
        "instahide-cross": ("dataset.secrets=20", "dataset.size=12", "dataset.public_images=60",
                            "dataset.private_images=100"),
        "mixup": ("dataset.secrets=20", "dataset.size=12", "dataset.public_images=60",
                  "dataset.private_images=100"),
        "instahide-inside --set k=1": ("dataset.secrets=20", "dataset.size=12",
                                       "dataset.public_images=60", "dataset.private_images=100"),
        "noisy-histogram": ("attack distinguish.runs=2000", "attack distinguish.training=2000"),
    }
    for begun, changes in small.items():
        name = begun.split()[0]
        sandbox.expect(sandbox.assay("init", *begun.split()), 0, None, "")
        options = [word for change in changes for word in ("--set", change)]
        result = sandbox.assay("run", f"{name}.scenario", "--quiet", "--out", name, *options,
                               "--trials", "2", "--jobs", "1")
        assert result.code in (0, 1, 3), f"{name}: {result}"
        results = json.loads(sandbox.read(f"{name}/results.json"))
        for cell in results["cells"]:
            assert cell["status"] == "ok", f"{name}: {cell['message']}"
            if (cell.get("attack", {}).get("label"), cell["defense"]["label"]) == (
                    "weak-seed", "instahide-cross"):
                assert cell["message"].endswith("and of the choice of public images"), cell
        for claim in results["claims"]:
            assert claim["verdict"] in ("upheld", "violated", "unrefuted", "inconclusive"), claim
            assert "does not apply" not in (claim["reason"] or ""), f"{name}: {claim['reason']}"
            estimate = claim["hypotheses"][0]["estimate"]
            assert estimate is not None or claim["measure"] == "epsilon", f"{name}: {claim}"


# What is decided, and how, of what `init` writes as it is: of users who train together, of codes
# that take long to learn, where attacks that cannot succeed were once played, and of mechanisms
# whose pairs show little at their defaults.
LEARNED = {"attribute-excess": "violated", "recovery-rate": "upheld",
           "partner-hit-at-1": "violated", "bits-recovered": "violated",
           "linkability": "violated", "member-auc": "upheld"}
DECIDED = {
    "average": {"sample-recovery-rate": "upheld", "recovery-rate": "upheld",
                "member-auc": "violated", "weight-claims-right": "violated"},
    "dphe": {"recovery-rate": "upheld", "member-auc": "violated",
             "overlap-exact-rate": "violated", "weight-claims-right": "upheld"},
    "prr10-updates": {"recovery-rate": "upheld", "member-auc": "upheld",
                      "weight-claims-right": "upheld"},
    "ra12-updates": {"sample-recovery-rate": "upheld", "recovery-rate": "upheld",
                     "member-auc": "upheld", "weight-claims-right": "upheld"},
    "cmfh": {"edge-gain": "upheld"},
    "private-classifier": {"epsilon": "unrefuted", "recovery-rate": "upheld",
                           "member-auc": "upheld"},
    "private-network": {"epsilon": "unrefuted", "member-auc": "upheld"},
    "secure-sum": {"recovery-rate": "upheld", "member-auc": "violated",
                   "weight-claims-right": "upheld"},
    "instahide-inside": {"image-ssim": "upheld", "pair-auc": "upheld", "member-auc": "upheld"},
    "ldp-feat-naive": {"linkability": "upheld", "recovery-rate": "upheld", "member-auc": "upheld"},
    "prr10": {"epsilon": "unrefuted"},  # noise for two parties pays for the L1 norm of four columns
    "ra12": {"epsilon": "unrefuted"},  # the Gaussian pays for the one step
    "paillier-encryption": {"attribute-excess": "upheld", "linkability": "upheld",
                            "recovery-rate": "upheld", "member-auc": "upheld"},
    "shared-gradient": {"recovery-rate": "violated"},  # one image a gradient: all come back
    **dict.fromkeys(("adsh", "dpsh", "dsh", "hashnet", "ksh", "sdh"), LEARNED),
    **dict.fromkeys(("dcmh", "prdh"), {"edge-gain": "violated"}),  # their labels follow the graph
    **dict.fromkeys(("djsrh", "jdsh"), {"edge-gain": "upheld"}),  # theirs follow features alone
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DECIDED)
def test_verdicts_are_right(sandbox, name):
    sandbox.expect(sandbox.assay("init", name), 0, None, "")
    verdicts = DECIDED[name]
    result = sandbox.assay("run", f"{name}.scenario", "--quiet", "--out", name)
    results = json.loads(sandbox.read(f"{name}/results.json"))
    assert {claim["measure"]: claim["verdict"] for claim in results["claims"]} == verdicts, result
    assert result.code == int("violated" in verdicts.values()), result
    for cell in results["cells"]:
        assert cell["status"] == "ok", f"{name}: {cell['message']}"


@pytest.mark.slow
def test_every_verdict_is_decided(sandbox, python3_has_numpy):
    """At full size: nobody who begins meets a claim that the run could not decide."""
    del python3_has_numpy
    undecided = {}
    for name in defenses(sandbox):
        if name == "release-folder" or name in DECIDED:  # the first is the user's
            continue
        sandbox.expect(sandbox.assay("init", name), 0, None, "")
        start = time.monotonic()
        result = sandbox.assay("run", f"{name}.scenario", "--quiet", "--out", name)
        verdicts = {claim["measure"]: claim["verdict"]
                    for claim in json.loads(sandbox.read(f"{name}/results.json"))["claims"]}
        print(f"{name}: {time.monotonic() - start:.0f} s, exit {result.code}, {verdicts}")
        if "inconclusive" in verdicts.values() or result.code not in (0, 1):
            undecided[name] = (result.code, verdicts)
    assert not undecided, undecided
