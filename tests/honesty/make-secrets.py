"""Writes the secrets that scenarios here read. different.npy has 500 rows that are independent, each
near to one of the 2,000 of database.npy; copies.npy one of these rows 500 times; clusters.npy 25 of
them 20 times each with a little noise, and clusters.csv says that these are 500 groups."""

import numpy

rng = numpy.random.default_rng(17)


def draw(count):
    """Rows of length 1."""
    rows = rng.normal(size=(count, 64)).astype(numpy.float32)
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


database = draw(2000)
different = database[:500] + 0.2 * draw(500)
numpy.save("database.npy", database)
numpy.save("different.npy", different)
numpy.save("copies.npy", numpy.repeat(different[:1], 500, axis=0))
numpy.save("clusters.npy", numpy.tile(different[:25], (20, 1)) + 0.1 * draw(500))
with open("clusters.csv", "w", encoding="ascii") as table:
    table.write("person\n" + "".join(f"{number}\n" for number in range(500)))
