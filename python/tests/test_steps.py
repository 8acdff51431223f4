"""Arrays in and out, and the same numbers as the program."""
import json
import subprocess

import numpy as np
import pytest

import assay

RANDOM = np.random.default_rng(3)
SECRETS = RANDOM.normal(size=(40, 12)).astype("float32")
ROWS = RANDOM.normal(size=(600, 12)).astype("float32")
TYPES = ("float32", "float64", "uint8", "int32", "int64")


def any_array(random):
    """Any bits of any type in one to three dimensions, in any order of memory."""
    dtype = np.dtype(random.choice(TYPES))
    shape = tuple(random.integers(0, 6, random.integers(1, 4)))
    bits = random.integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8)
    array = np.ascontiguousarray(bits).view(dtype)[..., 0]
    if random.integers(2):
        array = np.asfortranarray(array)
    return array[::-1] if random.integers(2) else array


def assert_same_bits(array):
    held = assay.Guess.of({"made": array})["made"]
    assert held.dtype == array.dtype and held.shape == array.shape
    assert held.tobytes() == np.ascontiguousarray(array).tobytes()


def test_what_is_handed_over_comes_back_bit_for_bit():
    random = np.random.default_rng(4)
    for _ in range(300):
        assert_same_bits(any_array(random))


def test_what_hypothesis_hands_over_comes_back_bit_for_bit():
    hypothesis = pytest.importorskip("hypothesis")
    numpy_strategies = pytest.importorskip("hypothesis.extra.numpy")
    shapes = numpy_strategies.array_shapes(min_dims=1, max_dims=3, min_side=0)

    @hypothesis.given(hypothesis.strategies.sampled_from(TYPES).flatmap(
        lambda kind: numpy_strategies.arrays(kind, shapes)))
    @hypothesis.settings(max_examples=100, deadline=None)
    def check(array):
        assert_same_bits(array)

    check()


@pytest.mark.parametrize("kind", ["float16", "bool", "int8", "int16", "uint16", "uint32"])
def test_narrow_types_are_widened_without_loss(kind):
    values = np.array([[0, 1], [1, 0]]).astype(kind)
    held = assay.Guess.of({"made": values})["made"]
    assert held.dtype.name in TYPES and np.array_equal(held, values)


def test_views_outlive_their_set_and_cannot_be_written():
    view = assay.release(SECRETS)["vectors"]
    again = [assay.release(ROWS)["vectors"] for _ in range(20)]
    assert np.array_equal(view, SECRETS) and np.array_equal(again[0], ROWS)
    with pytest.raises(ValueError):
        view[0, 0] = 1


def test_protect_attack_and_measure_are_those_of_the_program(program, tmp_path):
    np.save("secrets.npy", SECRETS)
    np.save("rows.npy", ROWS)

    def play(*words):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    play("protect", "--defense", "affine-lifting", "--set", "dimension=2", "--secrets",
         "secrets.npy", "--database", "rows.npy", "--release", "release", "--truth", "truth",
         "--seed", "5")
    play("attack", "--attack", "database", "--set", "averaged=3", "--release", "release",
         "--database", "rows.npy", "--guess", "guess", "--seed", "6")
    expected = json.loads(play("measure", "--truth", "truth", "--guess", "guess", "--json",
                               "--seed", "7"))

    release, truth = assay.protect("affine-lifting", SECRETS, database=ROWS, dimension=2, seed=5)
    guess = assay.attack("database", release, database=ROWS, averaged=3, seed=6)
    for of, made, kind in (("release", release, assay.Release), ("truth", truth, assay.Truth),
                           ("guess", guess, assay.Guess)):
        read = kind.read(of)
        assert set(read) == set(made), of
        for name in read:
            assert read[name].tobytes() == made[name].tobytes(), f"{of}: {name}"
    assert list(assay.measure(truth, guess, seed=7)) == expected

    release.write("again")
    assert assay.Release.read("again")["basis"].tobytes() == release["basis"].tobytes()
    # And a folder of ours is one of the program's.
    play("attack", "--attack", "nearest", "--release", "again", "--public", "rows.npy", "--guess",
         "nearest")


def test_arrays_of_other_programs():
    noise = SECRETS + 0.01
    guess = assay.attack("nearest", noise, public=np.vstack([ROWS, SECRETS]))
    measured = assay.measure(SECRETS, guess)
    assert measured["recovery-rate"]["estimate"] == 1
    assert "<td>recovery-rate</td>" in measured._repr_html_()
    with pytest.raises(KeyError, match="measured are"):
        measured["recovery"]


def test_rows_of_files():
    with open("people.csv", "w", encoding="utf-8") as file:
        file.write("name,age,income\nAnn,30,1.5\nBob,40,2.5\nEve,50,3.5\n")
    np.savez("rows.npz", a=ROWS, b=SECRETS)
    assert assay.rows("people.csv[income,age][1:]").tolist() == [[2.5, 40], [3.5, 50]]
    assert np.array_equal(assay.rows("rows.npz[b]"), SECRETS)
    with pytest.raises(assay.BadInput, match="did you mean 'age'"):
        assay.rows("people.csv[agee]")


@pytest.mark.parametrize("mistake, message", [
    (lambda: assay.protect("affine-liftin", SECRETS), "did you mean 'affine-lifting'"),
    (lambda: assay.protect("affine-lifting", SECRETS, dimensoin=4), "did you mean 'dimension'"),
    (lambda: assay.protect("affine-lifting", SECRETS), "database"),
    (lambda: assay.protect("none", SECRETS[0]), "expected rows x columns"),
    (lambda: assay.attack("nearest", SECRETS, public=ROWS[:, :3]), "12"),
    (lambda: assay.attack("distinguish", SECRETS), "plays with the defense itself"),
    (lambda: assay.release({"vectors": SECRETS}, kind="vector"), "no release of kind"),
    (lambda: assay.Release.read("nowhere"), "nowhere"),
    (lambda: assay.run("nowhere.scenario"), "nowhere.scenario"),
    (lambda: assay.results("nowhere"), "nowhere"),
])
def test_mistakes_say_what_was_expected(mistake, message):
    with pytest.raises(assay.BadInput, match=message):
        mistake()


@pytest.mark.parametrize("values", [np.array(["a"]), np.array([1j]), np.zeros((1, 1, 1, 1))])
def test_arrays_that_the_library_has_not(values):
    with pytest.raises((TypeError, ValueError), match="expected"):
        assay.Guess.of({"made": values})


def test_what_there_is():
    plugins = assay.plugins()
    assert "affine-lifting" in plugins["defenses"] and "database" in plugins["attacks"]
    assert assay.__version__.count(".") == 2
