"""Parquet files, written by DuckDB: the same numbers as it was given. Skipped without its library,
which "./setup --parquet" fetches."""

import ctypes
import ctypes.util
import json
import shutil

import pytest

from places import SOURCE

np = pytest.importorskip("numpy")

FOLDER = SOURCE / ".deps" / "duckdb"
LIBRARY = FOLDER / "libduckdb.so"
RANDOM = np.random.default_rng(6)
ROWS = RANDOM.normal(size=(3000, 4))  # more than DuckDB hands over at once
COUNTS = RANDOM.integers(-1000, 1000, size=(3000, 2))
LARGE = 2**53 + 1


class Result(ctypes.Structure):
    _fields_ = [("of_no_interest", ctypes.c_uint64 * 3), ("columns", ctypes.c_void_p),
                ("error", ctypes.c_char_p), ("data", ctypes.c_void_p)]


class DuckDB:
    def __init__(self, name):
        self.library = ctypes.CDLL(str(name))
        self.library.duckdb_result_error.restype = ctypes.c_char_p
        self.connection = ctypes.c_void_p()
        database = ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(database)) == 0
        assert self.library.duckdb_connect(database, ctypes.byref(self.connection)) == 0

    def run(self, sql):
        result = Result()
        failed = self.library.duckdb_query(self.connection, sql.encode(), ctypes.byref(result))
        assert not failed, self.library.duckdb_result_error(ctypes.byref(result))
        self.library.duckdb_destroy_result(ctypes.byref(result))

    def write(self, path, what, options=""):
        self.run(f"COPY (SELECT {what}) TO '{path}' (FORMAT parquet{options})")


@pytest.fixture(name="duckdb", scope="module")
def loaded_duckdb():
    name = ctypes.util.find_library("duckdb") or LIBRARY
    if name == LIBRARY and not LIBRARY.exists():
        pytest.skip("there is no libduckdb.so; ./setup --parquet fetches it")
    return DuckDB(name)


def damage(folder):
    """Files that are no Parquet, cut short, or overwritten where a page says how long it is."""
    (folder / "text.parquet").write_text("1 2 3\n")
    whole = (folder / "packed.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[:len(whole) // 2])
    (folder / "damaged.parquet").write_bytes(whole[:4] + bytes(40) + whole[44:])


@pytest.fixture(name="written", scope="module")
def written_files(duckdb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    np.savetxt(folder / "all.csv", np.hstack([ROWS, COUNTS]), fmt=["%.17g"] * 4 + ["%d"] * 2,
               delimiter=",", header="a,b,c,d,n,m", comments="")
    table = f"FROM read_csv('{folder}/all.csv')"
    write = lambda name, *what: duckdb.write(folder / name, *what)  # noqa: E731
    write("all.parquet", f"* {table}")
    write("packed.parquet", f"* {table}", ", COMPRESSION zstd, ROW_GROUP_SIZE 2048")
    write("float32.parquet", f"a::FLOAT AS a, b::FLOAT AS b {table}")
    write("lists.parquet", f"n, [a, b]::FLOAT[] AS two, [c, d]::DOUBLE[2] AS fixed, m, "
                           f"abs(n) % 3 AS class {table}")
    write("signs.parquet", f"(a > 0)::INTEGER AS sign, (lag(a, 1, 0) OVER () > 0)::INTEGER AS lower "
                           f"{table}")
    write("small.parquet", "i::TINYINT AS tiny, (i > 1) AS yes, i::UTINYINT AS byte, "
                           "i::USMALLINT AS short FROM range(3) r(i)")
    write("year=2024*.parquet", f"a AS \"x,\"\"y'\", b AS \"-b\" {table}")
    write("people.parquet", "'Ann' AS name, 30 AS age, 1.5::DECIMAL(9, 2) AS income, "
                            "DATE '2024-01-01' AS born, [[1.0]] AS nested, "
                            "[]::INTEGER[] AS nothing, NULL::INTEGER[] AS lacking")
    write("gaps.parquet", "unnest([1, 2, NULL]) AS age, 5 AS other, "
                          "unnest([[1], [NULL], [1]]) AS list, unnest([[1], [2, 3], [4]]) AS ragged")
    write("large.parquet", f"{LARGE} AS n, 0.5::DOUBLE AS x, {2**63}::UBIGINT AS u, "
                           f"[{LARGE}] AS list")
    write("none.parquet", f"* {table} WHERE a > 1e9")
    damage(folder)
    return folder


@pytest.fixture(name="files")
def copied_files(sandbox, written):
    sandbox.environment["LD_LIBRARY_PATH"] = str(FOLDER)
    shutil.copytree(written, sandbox.path, dirs_exist_ok=True)
    return sandbox


@pytest.mark.parametrize("name, dtype, rows", [
    ("all.parquet", "float64", np.hstack([ROWS, COUNTS])),
    ("packed.parquet[n,m]", "int64", COUNTS), ("all.parquet[m,a]", "float64",
                                               np.column_stack([COUNTS[:, 1], ROWS[:, 0]])),
    ("all.parquet[-n,-m]", "float64", ROWS), ("float32.parquet", "float32", ROWS[:, :2]),
    ("lists.parquet[-class]", "float64", np.column_stack([COUNTS[:, 0], ROWS[:, :2].astype("f4"), ROWS[:, 2:],
                                                  COUNTS[:, 1]])),
    ("lists.parquet[two]", "float32", ROWS[:, :2]),
    ("lists.parquet[fixed,two]", "float64", np.hstack([ROWS[:, 2:], ROWS[:, :2].astype("f4")])),
    ("small.parquet", "int32", [[0, 0, 0, 0], [1, 0, 1, 1], [2, 1, 2, 2]]),
    ("small.parquet[yes,byte]", "uint8", [[0, 0], [0, 1], [1, 2]]),
    ("year=2024*.parquet", "float64", ROWS[:, :2]),
    ("people.parquet[age,income]", "float64", [[30, 1.5]]),
    ("large.parquet[n]", "int64", [[LARGE]]),
])
def test_numbers(files, name, dtype, rows):
    files.expect(files.assay("dataset", "convert", name, "back.npy"), 0, None, "")
    back = np.load(files.path / "back.npy")
    assert back.dtype == dtype and np.array_equal(back, np.asarray(rows).astype(dtype)), back


def test_rows_of_a_step(files):
    """A choice and a range, as of the same numbers in .npy; and rows of two files."""
    files.expect(files.assay("protect", "--defense", "none", "--secrets",
                             "all.parquet[b,a][100:200],packed.parquet[c,d][:5]", "--release",
                             "release", "--truth", "truth"), 0, None, None)
    assert np.array_equal(np.load(files.path / "release" / "vectors.npy"),
                          np.vstack([ROWS[100:200, 1::-1], ROWS[:5, 2:]]).astype("f4"))


def test_an_audit(files):
    result = files.assay("audit", "--defense", "random-rotation", "--data", "all.parquet[-n]",
                         "--labels", "lists.parquet[class]", "--time", "3s", "--out", "audit",
                         "--quiet")
    assert result.code in (0, 1, 3, 4), result  # 4: not all of it in so little time


LABELLED = """\
[scenario]
seed = 1
[dataset]
plugin = vectors
private = all.parquet[a,b,c,d][:400]
labels = {labels}[:400]
test = all.parquet[a,b,c,d][400:800]
test_labels = {labels}[400:800]
secrets = 400
[defense plain]
plugin = none
[utility classification]
epochs = 30
"""


def test_labels_belong_to_their_rows(files):
    """The class is the sign of a number of the row: a classifier learns that, and of labels that
    stand a row lower nothing."""
    found = {}
    for name in ("signs.parquet[sign]", "signs.parquet[lower]"):
        files.write("labels.scenario", LABELLED.format(labels=name))
        files.run_ok("labels.scenario", "--out", "out", "--quiet")
        (cell,) = json.loads(files.read("out/results.json"))["cells"]
        found[name] = cell["measurements"][0]["estimate"]
        files.shell("rm -rf out")
    assert found["signs.parquet[sign]"] > 0.95 and found["signs.parquet[lower]"] < 0.65, found


@pytest.mark.parametrize("name, message", [
    ("people.parquet", "column 'name' holds VARCHAR, and no numbers; columns are chosen as in "
                       "FILE[age,income], and FILE[-name] is all but one"),
    ("people.parquet[age,born]", "column 'born' holds DATE, and no numbers"),
    ("people.parquet[nested]", "column 'nested' holds DECIMAL(2,1)[][], and no numbers"),
    ("people.parquet[nothing]", "row 0 has 0 numbers"),
    ("people.parquet[lacking]", "row 0 has no list"),
    ("people.parquet[agee]", "has no column 'agee' (did you mean 'age'?); its columns are name, age"),
    ("gaps.parquet[other,age]", "row 2 has no value in column 'age'; expected a number"),
    ("gaps.parquet[ragged]", "row 1 has 2 numbers; expected lists that are as long as those of the "
                             "first row"),
    ("gaps.parquet[list]", "row 1 has no value in column 'list'"),
    ("large.parquet[x,n]", "column 'n' has a whole number that float64 does not hold exactly"),
    ("large.parquet[x,list]", "column 'list' has a whole number that float64 does not hold exactly"),
    ("large.parquet[u]", "cannot be read: Type UINT64 with value 9223372036854775808"),
    ("none.parquet", "has no rows"), ("text.parquet", "is no Parquet file, or truncated"),
    ("cut.parquet", "is no Parquet file, or truncated"), ("damaged.parquet", "cannot be read: "),
    ("nowhere.parquet", "no such file"),
])
def test_what_is_refused(files, name, message):
    result = files.assay("dataset", "info", name)
    assert result.code == 2 and message in result.err, result


def test_nothing_is_left_beside_it(files):
    before = sorted(files.path.iterdir())
    files.assay("dataset", "info", "all.parquet")
    assert sorted(files.path.iterdir()) == before


def test_without_the_library(sandbox):
    """No loader finds a library in an empty folder alone; where the system has one, it is used."""
    if ctypes.util.find_library("duckdb"):
        pytest.skip("the system has libduckdb")
    sandbox.write("rows.parquet", "PAR1 PAR1")
    result = sandbox.assay("dataset", "info", "rows.parquet")
    assert result.code == 2 and ("rows.parquet: Parquet is read by DuckDB's library, and no "
                                 "libduckdb.so of version 1.0 or later is installed here; in Python: "
                                 "numpy.save ('rows.npy'") in result.err, result
