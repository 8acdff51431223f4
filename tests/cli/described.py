"""What the program says of its own plugins."""

import json

# What `check` says of a claim that verbatim and nearest alone test.
GENERIC = "by attacks alone that take what is released for the secret"


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
