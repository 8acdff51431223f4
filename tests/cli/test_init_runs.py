"""What assay init writes, run: one defense a kind of release."""

import json


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
