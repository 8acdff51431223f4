"""Protect, attack and measure, with NumPy arrays in and out."""
import collections.abc
import ctypes
import json
import numbers

import numpy as np

from assay import _library
from assay.tables import Measurements


class ArraySet(collections.abc.Mapping):
    """Named arrays that the library holds; reading gives views that cannot be written."""

    what = ""

    def __init__(self, pointer):
        self._pointer = pointer

    def __del__(self):
        if getattr(self, "_pointer", None):
            _library.library.assay_api_set_free(self._pointer)

    @classmethod
    def read(cls, folder):
        """From a folder, as `assay protect` and `assay attack` write it."""
        pointer = ctypes.c_void_p()
        _library.call("set_read", cls.what.encode(), str(folder).encode(), pointer)
        return cls(pointer)

    def write(self, folder):
        """Into a folder that is not there yet or is empty."""
        _library.call("set_write", self._pointer, str(folder).encode())

    @classmethod
    def of(cls, arrays, kind=None):
        pointer = ctypes.c_void_p()
        _library.call("set_new", cls.what.encode(), kind and kind.encode(), pointer)
        made = cls(pointer)
        for name, values in arrays.items():
            array = _library.native(values, name)
            _library.call("set_add", pointer, _library.describe(array, name))
        return made

    def _about(self):
        for index in range(len(self)):
            about = _library.Array()
            _library.library.assay_api_set_array(self._pointer, index, about)
            yield about

    def __len__(self):
        return _library.library.assay_api_set_count(self._pointer)

    def __iter__(self):
        return (about.name.decode() for about in self._about())

    def __getitem__(self, name):
        for about in self._about():
            if about.name.decode() == name:
                return _library.view(about, self)
        raise KeyError(f"{name}: there are {', '.join(self) or 'no arrays'}")

    def __repr__(self):
        inside = ", ".join(f"{name}: {array.dtype} {' x '.join(map(str, array.shape))}"
                           for name, array in self.items())
        return f"<assay.{type(self).__name__} {inside}>"


class Release(ArraySet):
    """What leaves the owner."""
    what = "release"


class Guess(ArraySet):
    """What an attack returns."""
    what = "guess"


class Truth(ArraySet):
    """What only games and metrics may see."""
    what = "truth"


def release(arrays, kind="vectors"):
    """A release made elsewhere: an array of vectors, or the arrays of its kind by name."""
    if isinstance(arrays, Release):
        return arrays
    if not isinstance(arrays, collections.abc.Mapping):
        arrays = {"vectors": np.asarray(arrays, dtype="float32")}
    return Release.of(arrays, kind)


def guess(arrays):
    """A guess made elsewhere: an array of estimates, or the arrays by name."""
    if isinstance(arrays, Guess):
        return arrays
    if not isinstance(arrays, collections.abc.Mapping):
        arrays = {"estimates": np.asarray(arrays, dtype="float32")}
    return Guess.of(arrays)


def truth(arrays):
    """Secrets, n x d, or the arrays of a truth by name."""
    if isinstance(arrays, Truth):
        return arrays
    if not isinstance(arrays, collections.abc.Mapping):
        arrays = {"secrets": np.asarray(arrays, dtype="float32")}
    return Truth.of(arrays)


def rows(specification):
    """Rows of files as float32: "people.csv[-name][0:2000]", "faces.npz[train]", "a.fvecs"."""
    pointer = ctypes.c_void_p()
    _library.call("rows_read", str(specification).encode(), pointer)
    return ArraySet(pointer)["rows"]


# ---- What is played ----

def setting(value):
    """A value as scenarios write it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    return repr(float(value)) if isinstance(value, numbers.Real) else str(value)


class _Call:
    """Arguments of one call, and the memory that they lie in."""

    def __init__(self, plugin, settings, seed):
        self._kept = []
        texts = _library.words([f"{name}={setting(value)}" for name, value in settings.items()])
        self.play = _library.Play(plugin.encode("utf-8"), texts, seed)
        self.known = _library.Known()
        self._kept.append(texts)

    def array(self, name, values):
        array = _library.native(values, name)
        about = _library.describe(array, name)
        self._kept += [array, about]
        return about

    def know(self, **given):
        for name, values in given.items():
            if values is not None:
                setattr(self.known, name, ctypes.pointer(self.array(name, values)))


def protect(defense, secrets, *, database=None, public=None, labels=None, seed=1, **settings):
    """Protects @secrets (n x d) by the defense called @defense: (release, truth).

    The same seed gives what `assay protect --seed` does; whoever knows it can often take the noise
    off again."""
    call = _Call(defense, settings, seed)
    call.know(database=database, public_rows=public,
              labels=None if labels is None else np.asarray(labels, dtype="int64"))
    made, kept = ctypes.c_void_p(), ctypes.c_void_p()
    _library.call("protect", call.play, call.array("secrets", secrets), call.known, made, kept)
    return Release(made), Truth(kept)


def attack(name, released, *, database=None, public=None, seed=1, **settings):
    """Attacks @released (a Release, or an array of vectors) with exactly what is given."""
    call = _Call(name, settings, seed)
    call.know(database=database, public_rows=public)
    of, made = release(released), ctypes.c_void_p()  # kept while the call reads it
    _library.call("attack", call.play, of._pointer, call.known, made)
    return Guess(made)


def measure(true, guessed, released=None, *, confidence=0.95, seed=1):
    """What @guessed recovered of @true (arrays or sets), by every metric that applies."""
    text = ctypes.c_void_p()
    true, guessed = truth(true), guess(guessed)
    of = None if released is None else release(released)
    _library.call("measure", true._pointer, guessed._pointer, of and of._pointer, confidence, seed,
                  text)
    return Measurements(json.loads(_library.take_text(text.value)))
