"""Networks that were trained on images and made public: what noise hides of who was in the
training, and networks of others, laid out as docs/formats.md has it."""

import json
import random
import subprocess

import pytest

CIFAR = """[scenario]
title = T
seed = 3
[dataset]
plugin = cifar
images = train.bin
test_images = test.bin
scale = unit
order = file
secrets = 40
{parts}
[attack losses]
plugin = loss-membership
[utility accuracy]
plugin = network-accuracy
"""
TRAINED = """[defense plain]
plugin = private-network
noise = no
{training}
[defense private]
plugin = private-network
epsilon = 0.5
{training}
[attack distinguish]
plugin = distinguish
runs = 20000
training = 5000
[claim members]
measure = member-auc
defense = plain
at-most = 0.6
[claim epsilon]
measure = epsilon
defense = private
at-most = claimed
"""
TRAINING = "width = 8\nstride = 2\nrate = 0.5\nbatch = 20\nrounds = 100\nlearning_rate = 0.1"
# What docs/formats.md says, by PyTorch; and how many of the test images it knows.
TORCH = """
import json, pathlib, sys
import numpy, torch
from torch import nn

torch.manual_seed(1)


def block(given, out, stride):
    main = nn.Sequential(nn.Conv2d(given, out, 3, stride, 1), nn.GroupNorm(out // 8, out), nn.ReLU(),
                         nn.Conv2d(out, out, 3, 1, 1), nn.GroupNorm(out // 8, out))
    around = (nn.Identity() if given == out and stride == 1
              else nn.Conv2d(given, out, 1, stride))
    return nn.ModuleList([main, around])


first = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.GroupNorm(2, 16), nn.ReLU())
blocks = nn.ModuleList([block(16, 16, 1), block(16, 16, 1), block(16, 32, 2), block(32, 32, 1),
                        block(32, 64, 2), block(64, 64, 1)])
last = nn.Linear(64, 10)
network = nn.ModuleList([first, blocks, last])
for parameter in network.parameters():  # scales and shifts that are not 1 and 0, too
    with torch.no_grad():
        parameter.add_(torch.randn_like(parameter) / 10)
raw = numpy.fromfile("test.bin", "u1").reshape(-1, 3073)
x = torch.tensor(raw[:, 1:].reshape(-1, 3, 32, 32) / 255 * 4 - 2, dtype=torch.float32)
with torch.no_grad():
    x = first(x)
    for main, around in blocks:
        x = torch.relu(main(x) + around(x))
    shares = torch.softmax(last(x.mean((2, 3))), 1).numpy()
weights = numpy.concatenate([p.detach().numpy().ravel() for p in network.parameters()])
folder = pathlib.Path("release")
folder.mkdir()
numpy.save(folder / "weights.npy", weights[None].astype("f4"))
(folder / "release.json").write_text(json.dumps({
    "format": "assay-release/1", "kind": "network", "arrays": {"weights": {"file": "weights.npy"}},
    "parameters": {"height": 32, "width": 32, "channels": 3, "classes": 10, "filters": 16,
                   "blocks": 2, "stride": 2, "black": 0, "white": 1}}))
right = shares[numpy.arange(len(raw)), raw[:, 0]]
print(json.dumps([float((shares.argmax(1) == raw[:, 0]).mean()),
                  float(-numpy.log(right).mean())]))
"""


def write_images(sandbox, train, test):
    """CIFAR's files: stripes across or down of a random colour each, and noise. Labels of the
    training images are random, so that they can only be learned by heart."""
    draw = random.Random(4)
    for name, count in (("train.bin", train), ("test.bin", test)):
        rows = bytearray()
        for _ in range(count):
            rows.append(draw.randrange(10))
            down, colours = draw.randrange(2), [draw.randrange(256) for _ in range(3)]
            for colour in colours:
                for at in range(1024):
                    lit = (at % 32 if down else at // 32) // 4 % 2
                    rows.append((colour * lit + draw.randrange(128)) // 2)
        (sandbox.path / name).write_bytes(rows)


def figures(sandbox):
    """Estimates by defense and measure."""
    found = {}
    for cell in json.loads(sandbox.read("out/results.json"))["cells"]:
        for one in cell["measurements"]:
            found[cell["defense"]["label"], one["measure"]] = one["estimate"]
    return found


def test_noise_hides_who_was_in_the_training(sandbox):
    """Forty images with random labels, learned by heart: without noise most are told from forty
    others, and tested on them the network knows many by their labels."""
    write_images(sandbox, 80, 50)
    known = bytearray((sandbox.path / "train.bin").read_bytes()[:40 * 3073])
    for at in range(1, len(known), 3073):  # private images themselves are refused
        known[at] ^= 1
    (sandbox.path / "test.bin").write_bytes(known)
    sandbox.write("a.scenario", CIFAR.format(parts=TRAINED.format(training=TRAINING)))
    result = sandbox.run_ok("a.scenario", "--out", "out", "--quiet", code=1)
    assert "violated: claim members" in result.out, str(result)
    assert "unrefuted: claim epsilon" in result.out, str(result)
    found = figures(sandbox)
    assert found["plain", "member-auc"] > 0.8, found
    assert found["private", "member-auc"] < 0.7, found
    assert found["plain", "network-accuracy"] > 0.3, found  # by chance 0.1
    assert found["plain", "network-loss"] < 2 < found["private", "network-loss"], found


def test_networks_of_others(sandbox):
    python = "/usr/bin/python3"
    tried = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("PyTorch is not installed (Debian's python3-torch)")
    write_images(sandbox, 80, 300)
    made = subprocess.run([python, "-c", TORCH], cwd=sandbox.path, check=True, text=True,
                          capture_output=True)
    accuracy, loss = json.loads(made.stdout)
    sandbox.write("a.scenario", CIFAR.format(
        parts="[defense theirs]\nplugin = release-folder\nfolder = release\nproduces = network\n"))
    sandbox.run_ok("a.scenario", "--out", "out", "--quiet")
    found = figures(sandbox)
    assert found["theirs", "network-accuracy"] == pytest.approx(accuracy), found
    assert found["theirs", "network-loss"] == pytest.approx(loss, rel=1e-4), found


def test_what_is_refused(sandbox):
    write_images(sandbox, 80, 50)
    for setting, message in (
            ("width = 12", "width = 12: expected a multiple of 8"),
            ("width = 1024", "weights needs")):
        sandbox.write("a.scenario", CIFAR.format(
            parts=f"[defense d]\nplugin = private-network\n{setting}\n"))
        result = sandbox.assay("check", "a.scenario")
        assert result.code == 2 and message in result.err, str(result)
    sandbox.write("a.scenario", CIFAR.format(
        parts="[defense d]\nplugin = private-network\nwidth = 8\nrounds = 1\n").replace(
            "scale = unit", "scale = vector"))
    result = sandbox.assay("run", "a.scenario", "--out", "out", "--quiet")
    assert "which numbers show black and white is not known" in result.out + result.err, str(result)
