"""What assay init writes, run: one defense a kind of release."""

import json

import pytest


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


# Of users who train together: what is decided, and how, of what `init` writes as it is.
UPDATES = {
    "average": {"sample-recovery-rate": "upheld", "recovery-rate": "upheld",
                "member-auc": "violated", "weight-claims-right": "violated"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UPDATES)
def test_updates_are_decided(sandbox, name):
    sandbox.expect(sandbox.assay("init", name), 0, None, "")
    verdicts = UPDATES[name]
    result = sandbox.assay("run", f"{name}.scenario", "--quiet", "--out", name)
    results = json.loads(sandbox.read(f"{name}/results.json"))
    assert {claim["measure"]: claim["verdict"] for claim in results["claims"]} == verdicts, result
    assert result.code == int("violated" in verdicts.values()), result
    for cell in results["cells"]:
        assert cell["status"] == "ok", f"{name}: {cell['message']}"
