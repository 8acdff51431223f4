"""libassay.so by ctypes: what lib/assay.h declares."""
import ctypes
import ctypes.util
import os
import pathlib

import numpy as np

SONAME = "libassay.so.0"


class Error(RuntimeError):
    """What the library refused or could not finish; `status` as in lib/assay.h."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class BadInput(Error, ValueError):
    """A name, setting, file, scenario or array is wrong."""


class Cancelled(Error):
    """The caller stopped a run, which can be resumed."""


ERRORS = {2: BadInput, 130: Cancelled}


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("n_dimensions", ctypes.c_uint), ("shape", ctypes.c_size_t * 3),
                ("data", ctypes.c_void_p)]


class Play(ctypes.Structure):
    _fields_ = [("plugin", ctypes.c_char_p), ("settings", ctypes.POINTER(ctypes.c_char_p)),
                ("seed", ctypes.c_uint64)]


class Known(ctypes.Structure):
    _fields_ = [("database", ctypes.POINTER(Array)), ("public_rows", ctypes.POINTER(Array)),
                ("labels", ctypes.POINTER(Array))]


Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p,
                            ctypes.c_void_p)


class Run(ctypes.Structure):
    _fields_ = [("out", ctypes.c_char_p), ("assignments", ctypes.POINTER(ctypes.c_char_p)),
                ("resume", ctypes.c_int), ("progress", Progress), ("data", ctypes.c_void_p)]


SET = ctypes.c_void_p
OUT_SET = ctypes.POINTER(SET)
OUT_TEXT = ctypes.POINTER(ctypes.c_void_p)  # not c_char_p: it has to be freed
TEXT = ctypes.c_char_p
FUNCTIONS = {
    "version": (TEXT,),
    "message": (TEXT,),
    "free": (None, ctypes.c_void_p),
    "set_threads": (None, ctypes.c_uint),
    "load_plugins": (ctypes.c_int, TEXT),
    "list": (ctypes.c_void_p,),
    "set_new": (ctypes.c_int, TEXT, TEXT, OUT_SET),
    "set_read": (ctypes.c_int, TEXT, TEXT, OUT_SET),
    "set_write": (ctypes.c_int, SET, TEXT),
    "set_free": (None, SET),
    "set_add": (ctypes.c_int, SET, ctypes.POINTER(Array)),
    "set_count": (ctypes.c_size_t, SET),
    "set_array": (None, SET, ctypes.c_size_t, ctypes.POINTER(Array)),
    "rows_read": (ctypes.c_int, TEXT, OUT_SET),
    "protect": (ctypes.c_int, ctypes.POINTER(Play), ctypes.POINTER(Array), ctypes.POINTER(Known),
                OUT_SET, OUT_SET),
    "attack": (ctypes.c_int, ctypes.POINTER(Play), SET, ctypes.POINTER(Known), OUT_SET),
    "measure": (ctypes.c_int, SET, SET, SET, ctypes.c_double, ctypes.c_uint64, OUT_TEXT),
    "run": (ctypes.c_int, TEXT, ctypes.POINTER(Run), OUT_TEXT),
    "results": (ctypes.c_int, TEXT, OUT_TEXT),
}


def _places():
    """Where the library may be: named, beside this file, in the source tree, in the system."""
    if os.environ.get("ASSAY_LIBRARY"):
        yield os.environ["ASSAY_LIBRARY"]
        return
    here = pathlib.Path(__file__).resolve().parent
    for path in (here / SONAME, here.parents[1] / "build" / "lib" / SONAME):
        if path.exists():
            yield str(path)
    yield SONAME


def _load():
    problems = []
    # Plugins that were compiled elsewhere find the core in the library, if its names are global.
    plugins = os.environ.get("ASSAY_PLUGIN_PATH", "")
    mode = ctypes.RTLD_GLOBAL if plugins else ctypes.DEFAULT_MODE
    for place in _places():
        try:
            library = ctypes.CDLL(place, mode=mode)
        except OSError as problem:
            problems.append(str(problem))
            continue
        for name, (returns, *takes) in FUNCTIONS.items():
            function = getattr(library, "assay_api_" + name)
            function.restype, function.argtypes = returns, takes
        return library
    raise ImportError("libassay.so was not found: install the package libassay0, compile the "
                      "source tree, or set ASSAY_LIBRARY to its path. Tried: " + "; ".join(problems))


library = _load()


def call(name, *arguments):
    """Calls assay_api_NAME and raises what it refuses."""
    status = getattr(library, "assay_api_" + name)(*arguments)
    if status != 0:
        message = library.assay_api_message().decode("utf-8", "replace")
        # Arrays that the caller gave, and no computation.
        is_given = message.endswith("is not a finite number")
        raise (BadInput if is_given else ERRORS.get(status, Error))(status, message)


if os.environ.get("ASSAY_PLUGIN_PATH"):
    call("load_plugins", os.environ["ASSAY_PLUGIN_PATH"].encode())


def take_text(pointer):
    """A text that the library gave away."""
    try:
        return ctypes.string_at(pointer).decode("utf-8")
    finally:
        library.assay_api_free(pointer)


def words(texts):
    """A list of texts that ends in NULL; its parts live as long as it does."""
    return (ctypes.c_char_p * (len(texts) + 1))(*(text.encode("utf-8") for text in texts), None)


# ---- Arrays ----

NATIVE = ("float32", "float64", "uint8", "int32", "int64")
# Types that another holds without loss.
WIDER = {"float16": "float32", "bool": "uint8", "int8": "int32", "int16": "int32",
         "uint16": "int32", "uint32": "int64"}


def native(values, name="array"):
    """@values as an array of a type and order that the library has."""
    array = np.asarray(values)
    kind = array.dtype.name
    if kind in WIDER:
        kind = WIDER[kind]
    elif kind not in NATIVE:
        raise TypeError(f"{name}: numbers of type {kind}; expected {', '.join(NATIVE)} "
                        f"or one of {', '.join(WIDER)}")
    return np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("="))


def describe(array, name="array"):
    """An Array of @array (native, of one to three dimensions), which must outlive it."""
    if not 1 <= array.ndim <= 3:
        raise ValueError(f"{name}: has {array.ndim} dimensions; expected 1 to 3")
    shape = (ctypes.c_size_t * 3)(*array.shape)
    return Array(name.encode("utf-8"), array.dtype.name.encode(), array.ndim, shape,
                 array.ctypes.data)


def view(about, owner):
    """The numbers of @about as an array that cannot be written, and keeps @owner alive."""
    dtype = np.dtype(about.type.decode())
    shape = tuple(about.shape[:about.n_dimensions])
    size = int(np.prod(shape)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    memory = (ctypes.c_ubyte * size).from_address(about.data)
    memory.owner = owner
    array = np.frombuffer(memory, dtype).reshape(shape)
    array.flags.writeable = False
    return array
