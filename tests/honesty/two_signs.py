"""One bit, turned as an epsilon of 0.95 allows, and two numbers whose signs agree where it is set.
Without NumPy, which starts slowly."""

import array
import json
import math
import pathlib
import random
import sys

folder = pathlib.Path(sys.argv[1])
request = json.loads((folder / "request.json").read_text())
content = (folder / "input.npy").read_bytes()
length = 10 + int.from_bytes(content[8:10], "little")
bit = sum(array.array("f", content[length:])) > 0.5
numbers = random.Random(request["seed"])
kept = 1 / (1 + math.exp(-0.95))
outputs = array.array("d")
for _ in range(request["count"]):
    sign = numbers.choice((-1, 1))
    other = sign if bit else -sign
    outputs.extend((float(bit == (numbers.random() < kept)), sign * numbers.random(),
                    other * numbers.random()))
header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(outputs) // 3}, 3), }}"
header += " " * (117 - len(header)) + "\n"
(folder / "outputs.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
                                     + header.encode() + outputs.tobytes())
