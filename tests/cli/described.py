"""What the program says of its own plugins."""

import json

# What `check` says of a claim that verbatim and nearest alone test.
GENERIC = "by attacks alone that take what is released for the secret"


def defenses(sandbox):
    out = sandbox.expect(sandbox.assay("list", "defenses"), 0, None, "").out
    return [line.split()[0] for line in out.splitlines()[1:]]


def decoded(text):
    """The records that `describe --json` prints one after the other."""
    records = []
    while text := text.strip():
        record, end = json.JSONDecoder().raw_decode(text)
        records.append(record)
        text = text[end:]
    return records


def described(sandbox, kind, ids):
    """{id: record} by one start of the program; plugins of other types may share the names."""
    told = sandbox.expect(sandbox.assay("describe", *ids, "--json"), 0, None, "").out
    return {record["id"]: record for record in decoded(told) if record["type"] == kind}


def parameters(sandbox, kind, name):
    """The settings of a plugin as `describe` tells them."""
    return described(sandbox, kind, [name])[name]
