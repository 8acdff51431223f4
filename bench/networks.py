"""The U-Net of bench/networks.c in PyTorch.

usage: networks.py BATCH WIDTH SIZE THREADS RUNS

Prints seconds of one step of training, the mean of ten, the least of RUNS, by the clock and of the
processor.
"""

import os
import sys
import time

import torch
from torch import nn

STEPS = 10


def block(channels, out):
    return nn.Sequential(nn.Conv2d(channels, out, 3, padding=1), nn.GroupNorm(out // 8, out),
                         nn.ReLU(inplace=True), nn.Conv2d(out, out, 3, padding=1),
                         nn.GroupNorm(out // 8, out), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, width, levels=3):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.down = nn.ModuleList(block(a, b) for a, b in zip([3] + widths, widths))
        self.up = nn.ModuleList(block(3 * w, w) for w in widths[:-1])
        self.last = nn.Conv2d(width, 3, 1)

    def forward(self, x):
        kept = []
        for level, down in enumerate(self.down):
            x = down(nn.functional.max_pool2d(x, 2) if level else x)
            kept.append(x)
        for level in reversed(range(len(self.up))):
            x = nn.functional.interpolate(x, scale_factor=2)
            x = self.up[level](torch.cat([kept[level], x], 1))
        return self.last(x)


def main():
    batch, width, size, threads, runs = map(int, sys.argv[1:])
    torch.set_num_threads(threads)
    net = UNet(width)
    x = torch.sin(torch.arange(batch * 3 * size * size, dtype=torch.float32))
    x = x.reshape(batch, 3, size, size)
    adam = torch.optim.Adam(net.parameters(), lr=1e-4)
    clocks, cpus = [], []
    for _ in range(runs + 1):
        clock, cpu = time.perf_counter(), sum(os.times()[:2])
        for _ in range(STEPS):
            adam.zero_grad()
            ((net(x) - x) ** 2).mean().backward()
            adam.step()
        clocks.append((time.perf_counter() - clock) / STEPS)
        cpus.append((sum(os.times()[:2]) - cpu) / STEPS)
    print(min(clocks[1:]), min(cpus[1:]))


main()
