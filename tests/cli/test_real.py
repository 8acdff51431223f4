"""The paper's scenario on real SIFT, made small: the figures that the first audit was built for."""

import json
import re

from places import SOURCE

SCENARIO = SOURCE / "scenarios" / "papers" / "ldp-feat-lifting.scenario"
# Median relative error by dimension. The attack's may be off by a third (how a paper's reader sets
# |V| and |U| moves it), the baseline's by a tenth.
DATABASE = {2: 0.14, 4: 0.23, 8: 0.5, 16: 0.8}
NEAREST = {2: 0.56, 4: 0.85, 8: 0.98, 16: 1.01}


def without_group(text, name):
    return re.sub(rf"^\[{re.escape(name)}\]\n(?:[^\[\n].*\n|\n)*", "", text, flags=re.M)


def test_ldp_feat_lifting(sandbox):
    sandbox.use_real_data()
    sandbox.write("small.scenario", without_group(SCENARIO.read_text(), "attack database-tuned"))
    result = sandbox.run_ok(
        "small.scenario", "--out", "out", "--quiet", "--json", "--trials", 1, "--set",
        "dataset.secrets=200", "--set", "dataset.tune_secrets=1", "--set",
        "defense lifting.variant=hybrid")
    found = {}
    for cell in json.loads(result.out)["pooled"]:
        place = cell["attack"]["label"], cell["defense"]["settings"]["dimension"]
        found[place] = {entry["measure"]: entry["estimate"] for entry in cell["measurements"]}
    assert set(found) == {(a, m) for a in ("nearest", "database") for m in DATABASE}, str(found)
    for m, expected in DATABASE.items():
        database, nearest = found["database", m], found["nearest", m]
        error, baseline = (f["relative-error-median"] for f in (database, nearest))
        assert database["adversarial-found"] >= 0.99, f"m = {m}: {database}"
        assert abs(error - expected) <= expected / 3, f"m = {m}: {error}, expected near {expected}"
        assert abs(baseline - NEAREST[m]) <= NEAREST[m] / 10, (
            f"m = {m}: nearest {baseline}, expected near {NEAREST[m]}")
        assert error < baseline, f"m = {m}: {error} is not below {baseline}"
