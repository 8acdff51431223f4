"""Whether records were trained on, told by how models moved: whole runs."""

import json

import pytest

SCENARIO = """[scenario]
title = T
seed = 3
trials = 4
[dataset]
plugin = gaussian-classes
count = 400
public_count = 200
columns = 64
classes = 4
secrets = 40
[defense average]
plugin = average
steps = 10
users = 1; 10
sparsity = 0; 0.8
[defense frozen]
plugin = average
penalty = 1e5
mix = 1
[attack update-membership]
plugin = update-membership
{grants}
[metric member]
"""


def areas(sandbox, out, grants=""):
    sandbox.write("a.scenario", SCENARIO.format(grants=grants))
    sandbox.expect(sandbox.assay("run", "a.scenario", "--out", out), 0)
    found = {}
    for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]:
        settings = cell["defense"]["settings"]
        area, = (value["estimate"] for value in cell["measurements"]
                 if value["measure"] == "member-auc")
        key = "frozen" if cell["defense"]["label"].startswith("frozen") else (
            settings["users"], settings["sparsity"])
        found.setdefault(key, []).append(area)
    return {key: sum(values) / len(values) for key, values in found.items()}


def test_members_are_told_less_by_models_of_many(sandbox):
    """A user's own update tells most, sparse ones less; a model that stays zero tells nothing."""
    messages = areas(sandbox, "messages", "grants = messages")
    models = areas(sandbox, "models")
    assert messages[1, 0] == models[1, 0] > 0.65, (messages, models)
    assert 0.55 < messages[1, 0.8] < messages[1, 0], messages
    assert 0.55 < models[10, 0] < messages[10, 0] > messages[1, 0], (messages, models)
    assert messages["frozen"] == models["frozen"] == pytest.approx(0.5), (messages, models)
