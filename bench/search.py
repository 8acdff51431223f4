"""The job of bench/search.c as a user of FAISS would write it in Python.

usage: search.py FOLDER

FOLDER holds sizes.json; rows.u8 and the queries, for codes N x bits / 8 and queries.u8, otherwise
N x d, to be scaled to unit length, and queries.f32 (n x d); and found.i64 (n x k), the k best rows
of each query. It makes the index, and when it is ready it prints
a 0; without FAISS a 1, and says so. Then, for each line of its input, it searches and prints the
seconds by the clock and of the processor; and in the end those that reading, converting and
indexing took, and the share of the rows in found.i64 that it found too. A row that is as good as
the last that it found, to rounding, counts as found: float32 cannot tell, or codes are as far.

The kind "l2" is IndexFlatL2, "product" IndexFlatIP, "codes" IndexBinaryFlat, with a heap or by
counting, whichever is the faster here, and "lists" IndexIVFFlat, which is left in lists.index for
the next. What lists miss does not count as found. FAISS has no distance from a subspace: what a
user would write for it is bench/subspace.py, in NumPy. Nor has it squared products.
"""

import json
import os
import sys
import time

import numpy as np

try:
    import faiss
except ImportError as error:
    print(f"search.py: {error}", file=sys.stderr)
    faiss = None

UNIT = 2.0 ** -24  # what rounding to float32 changes at most, relatively


class Job:
    """What is searched: the index, and how good a row is for a query, exactly."""

    def __init__(self, folder, size):
        self.folder = folder
        self.size = size
        self.rows = self.read("rows.u8", np.uint8, (size["rows"], size["cols"]))
        is_coded = size["kind"] == "codes"
        self.queries = np.array(self.read("queries.u8" if is_coded else "queries.f32",
                                          np.uint8 if is_coded else np.float32,
                                          (size["n"], size["cols"])))
        if is_coded:
            self.index = faiss.IndexBinaryFlat(8 * size["cols"])
            self.values = np.array(self.rows)
        else:
            self.index = self.make_index(size)
            self.values = self.rows.astype(np.float32)
            self.values /= np.sqrt(np.einsum("rd,rd->r", self.values, self.values))[:, None]
        if size["kind"] == "lists" and self.index.ntotal == 0:
            self.index.train(self.values)
            self.index.add(self.values)
            faiss.write_index(self.index, os.path.join(folder, "lists.index"))
        elif size["kind"] != "lists":
            self.index.add(self.values)

    def make_index(self, size):
        if size["kind"] == "product":
            return faiss.IndexFlatIP(size["cols"])
        if size["kind"] == "l2":
            return faiss.IndexFlatL2(size["cols"])
        path = os.path.join(self.folder, "lists.index")
        self.quantizer = faiss.IndexFlatL2(size["cols"])  # the index refers to it
        index = (faiss.read_index(path) if os.path.exists(path)
                 else faiss.IndexIVFFlat(self.quantizer, size["cols"], size["lists"]))
        index.nprobe = size["probes"]
        return index

    def read(self, name, dtype, shape):
        return np.memmap(os.path.join(self.folder, name), dtype=dtype, mode="r", shape=shape)

    def choose_way(self):
        if self.size["kind"] != "codes":
            return
        seconds = {}
        for use_heap in (True, False):
            self.index.use_heap = use_heap
            start = time.perf_counter()
            self.index.search(self.queries[:100], self.size["k"])
            seconds[use_heap] = time.perf_counter() - start
        self.index.use_heap = min(seconds, key=seconds.get)

    def search(self):
        return self.index.search(self.queries, self.size["k"])[1]

    def scores(self, query, rows):
        """In double, the larger the better."""
        if self.size["kind"] == "codes":
            return -np.unpackbits(self.values[rows] ^ query, axis=1).sum(axis=1).astype(float)
        values = self.values[rows].astype(np.float64)
        if self.size["kind"] == "product":
            return values @ query
        return -((values - query) ** 2).sum(axis=1)

    def share_of(self, expected, found):
        """Rounding is twice that of two sums of d products, each of at most the squares of unit
        vectors; codes have none."""
        rounding = 0 if self.size["kind"] == "codes" else 8 * (self.size["cols"] + 8) * UNIT
        same = 0
        for query, theirs, ours in zip(self.queries, expected, found):
            missed = np.setdiff1d(theirs, ours)
            same += len(theirs) - len(missed)
            if self.size["kind"] != "lists" and len(missed) > 0:
                worst = self.scores(query, ours).min()
                same += (np.abs(self.scores(query, missed) - worst) <= rounding).sum()
        return same / expected.size


def timed(work):
    start, start_cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - start_cpu


def main():
    if faiss is None:
        print(1, flush=True)
        return
    folder = sys.argv[1]
    with open(os.path.join(folder, "sizes.json"), encoding="utf-8") as file:
        size = json.load(file)
    faiss.omp_set_num_threads(size["threads"])
    job, *making = timed(lambda: Job(folder, size))
    expected = np.array(job.read("found.i64", np.int64, (size["n"], size["k"])))
    job.choose_way()
    found = job.search()
    print(0, flush=True)
    for _ in sys.stdin:
        found, *seconds = timed(job.search)
        print(*seconds, flush=True)
    print(*making, job.share_of(expected, found), flush=True)


main()
