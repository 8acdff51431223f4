"""Python functions as defenses and attacks: called in this process, or written as programs of
their own that scenarios run (plugin exec)."""
import ast
import base64
import dis
import functools
import inspect
import io
import pathlib
import site
import sys
import sysconfig
import textwrap
import types

import numpy as np

from assay import steps

# ---- Source ----

_INSTALLED = [pathlib.Path(place).resolve() for place in
              {*site.getsitepackages(), site.getusersitepackages(),
               sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"),
               "/usr/lib/python3/dist-packages"}]


def _is_installed(module):
    """Whether a program that runs elsewhere can import @module, too."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module in sys.builtin_module_names
    return any(place in pathlib.Path(file).resolve().parents for place in _INSTALLED)


def _names(code):
    """Names that @code and what is defined in it look up outside of themselves."""
    found = {step.argval for step in dis.get_instructions(code)
             if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _without_decorators(function):
    try:
        text = inspect.getsource(function)
    except OSError as problem:
        raise TypeError(f"the source of {function.__name__} is not to be had, which its program "
                        "needs: define it in a file or a notebook") from problem
    tree = ast.parse(textwrap.dedent(text))
    tree.body[0].decorator_list = []
    return ast.unparse(tree)


def _array_text(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    text = base64.b85encode(file.getvalue()).decode()
    return f"numpy.load(io.BytesIO(base64.b85decode({text!r})))"


def _definition(name, value, wanted):
    """Lines that make @value known as @name; functions that they need go to @wanted."""
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}" if "." not in value.__name__ \
            else f"import importlib\n{name} = importlib.import_module({value.__name__!r})"
    module = getattr(value, "__module__", None)
    if isinstance(module, str) and hasattr(value, "__qualname__") and _is_installed(module):
        return f"from {module} import {value.__qualname__} as {name}"
    if isinstance(value, _Function):
        value = value.__wrapped__
    if isinstance(value, types.FunctionType):
        wanted.append(value)
        alias = "" if value.__name__ == name else f"{name} = {value.__name__}"
        return alias
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return f"{name} = {_array_text(value)}"
    try:
        if ast.literal_eval(repr(value)) == value:
            return f"{name} = {value!r}"
    except (ValueError, SyntaxError):
        pass
    raise TypeError(f"'{name}' is a {type(value).__name__}, which cannot be written into a program "
                    "of its own; make it inside of the function, or import it")


def source(function):
    """The source of @function with all of this module, or notebook, that it refers to."""
    definitions, bodies, seen, wanted = [], [], set(), [function]
    while wanted:
        one = wanted.pop()
        if one in seen:
            continue
        seen.add(one)
        bodies.append(_without_decorators(one))
        values = {**one.__globals__, **inspect.getclosurevars(one).nonlocals}
        for name in sorted(_names(one.__code__)):
            if name in values and values[name] is not one:
                definitions.append(_definition(name, values[name], wanted))
    lines = dict.fromkeys(line for line in definitions if line)
    # Other names of functions come after these.
    early = [line for line in lines if "import" in line or "=" in line and not line.split(" = ")[1]
             .isidentifier()]
    late = [line for line in lines if line not in early]
    return "\n".join([*early, "", *reversed(bodies), *late])


# ---- Settings of its own ----


def _values(value):
    """Those of a setting: one, or a list to be swept."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _cast(value):
    """What makes such a value again from its text: the name of a function."""
    kinds = {type(one) for one in _values(value)}
    if kinds and kinds <= {bool}:
        return "bool"
    if kinds and kinds <= {int}:
        return "int"
    if kinds and kinds <= {int, float}:
        return "float"
    if kinds and kinds <= {str}:
        return "str"
    raise TypeError(f"settings: {value!r}; expected numbers, texts or truth values, or a list of "
                    "one of these")


def _text(value):
    text = str(value)
    if not text or any(letter in text for letter in " \t\n;=\\"):
        raise ValueError(f"settings: {value!r}; expected a text without blanks, ';', '=' and "
                         "'\\\\', which separate values in a scenario")
    return text


# ---- Functions ----

_START = '''#!/usr/bin/env python3
"""{says}: written by the Python package assay. Assay calls it with a folder."""
import base64
import io
import json
import pathlib
import sys

import numpy

{source}


_folder = pathlib.Path(sys.argv[-1])
_request = json.loads((_folder / "request.json").read_text())
_given = {{"random": numpy.random.default_rng(_request["seed"]),
          "settings": _request.get("settings", "")}}
_casts = {casts!r}
_given.update({values!r})
for _name, _text in _request.get("set", {{}}).items():
    _kind = _casts.get(_name, "str")
    _given[_name] = _text == "True" if _kind == "bool" \\
        else {{"int": int, "float": float, "str": str}}[_kind](_text)
if _casts:
    _given["settings"] = {{_name: _given[_name] for _name in _casts}}
'''

_DEFENSE = '''for _name in ("secrets", "database", "public", "labels", "groups"):
    if (_folder / (_name + ".npy")).exists():
        _given[_name] = numpy.load(_folder / (_name + ".npy"))
_made = {name}(**{{_name: _given[_name] for _name in {takes!r}}})
_arrays = _made if isinstance(_made, dict) else {{"vectors": _made}}
_record = {{"format": "assay-release/1", "kind": {kind!r}}}
_place, _file = _folder / "release", "release.json"
'''

_ATTACK = '''_given["release"] = numpy.load(_folder / "release" / "vectors.npy") \\
    if (_folder / "release" / "vectors.npy").exists() else {{}}
if isinstance(_given["release"], dict):
    _given["release"] = {{_path.stem: numpy.load(_path)
                         for _path in (_folder / "release").glob("*.npy")}}
for _name in ("database", "public", "groups"):
    if (_folder / (_name + ".npy")).exists():
        _given[_name] = numpy.load(_folder / (_name + ".npy"))
_made = {name}(**{{_name: _given[_name] for _name in {takes!r}}})
_arrays = _made if isinstance(_made, dict) else {{"estimates": _made}}
_record = {{"format": "assay-guess/1"}}
_place, _file = _folder / "guess", "guess.json"
'''

_END = '''_place.mkdir()
_record["arrays"] = {{}}
for _name, _array in _arrays.items():
    _array = numpy.asarray(_array)
    if _array.dtype.kind == "f":
        _array = _array.astype("float32")
    numpy.save(_place / (_name + ".npy"), numpy.ascontiguousarray(_array))
    _record["arrays"][_name] = {{"file": _name + ".npy"}}
(_place / _file).write_text(json.dumps(_record))
'''


class _Function:
    """A function that Assay can play. Calling it calls the function."""

    role = ""
    known = ()

    def __init__(self, function, settings=None):
        functools.update_wrapper(self, function)
        self.settings = dict(settings or {})
        self.takes = list(inspect.signature(function).parameters)
        for name, value in self.settings.items():
            if name in self.known or not str(name).isidentifier():
                raise TypeError(f"settings: '{name}'; expected names of arguments that are none of "
                                f"{', '.join(self.known)}")
            _cast(value)
        for name in self.takes:
            if name not in self.known and name not in self.settings:
                raise TypeError(f"{function.__name__} ({', '.join(self.takes)}): '{name}' is not "
                                f"known to a {self.role}; it is given any of "
                                f"{', '.join(self.known)}, by these names, and its own settings="
                                f"{{'{name}': VALUE}}")

    def __call__(self, *words, **named):
        return self.__wrapped__(*words, **named)

    def _own(self, given):
        """@given beside the settings, of which it may have some; of a list the first."""
        own = {name: _values(value)[0] for name, value in self.settings.items()}
        own.update({name: given[name] for name in own if name in given})
        return {**given, **own, **({"settings": own} if own else {})}

    def _named(self, settings):
        """Keys set.NAME of its group, with those of @settings in place of its own."""
        unknown = [name for name in settings if name not in self.settings]
        if unknown:
            raise TypeError(f"{self.__name__} has no setting '{unknown[0]}'; it has "
                            f"{', '.join(self.settings) or 'none'}: "
                            f"@assay.{self.role}(settings={{...}})")
        return {f"set.{name}": "; ".join(map(_text, _values(value)))
                for name, value in {**self.settings, **settings}.items()}

    def _play(self, given):
        given = self._own(given)
        missing = [name for name in self.takes if given.get(name) is None]
        if missing:
            raise TypeError(f"{self.__name__} needs {', '.join(missing)}")
        made = self.__wrapped__(**{name: given[name] for name in self.takes})
        return {name: np.asarray(array, "float32") if np.asarray(array).dtype.kind == "f" else array
                for name, array in made.items()} if isinstance(made, dict) else made

    def _text(self, middle, **inside):
        start = _START.format(says=f"The {self.role} {self.__name__}",
                              source=source(self.__wrapped__),
                              casts={name: _cast(one) for name, one in self.settings.items()},
                              values={name: _values(one)[0]
                                      for name, one in self.settings.items()})
        return start + middle.format(name=self.__name__, takes=self.takes, **inside) + _END.format()


class Defense(_Function):
    """@assay.defense: takes any of secrets, random, public, database, labels, settings."""

    role = "defense"
    known = ("secrets", "random", "public", "database", "labels", "groups", "settings")

    def __init__(self, function, produces="vectors", settings=None):
        super().__init__(function, settings)
        self.produces = produces

    def protect(self, secrets, *, seed=1, **given):
        """In this process: (release, truth)."""
        secrets = np.asarray(secrets, "float32")
        made = self._play({"secrets": secrets, "random": np.random.default_rng(seed),
                           "settings": "", **given})
        return steps.release(made, self.produces), steps.truth(secrets)

    def keys(self, settings=()):
        """Of the group of a scenario; @settings in place of its own."""
        uses = [name for name in ("database", "public") if name in self.takes]
        return {"produces": self.produces,
                "uses": "both" if len(uses) == 2 else (uses or ["nothing"])[0],
                **self._named(dict(settings))}

    def program(self):
        """The text of a program that does the same (plugin exec)."""
        return self._text(_DEFENSE, kind=self.produces)


class Attack(_Function):
    """@assay.attack: takes any of release, random, public, database, groups, settings."""

    role = "attack"
    known = ("release", "random", "public", "database", "groups", "settings")

    def __init__(self, function, grants=None, settings=None):
        super().__init__(function, settings)
        self.grants = grants

    def attack(self, released, *, seed=1, **given):
        """In this process: the guess."""
        of = steps.release(released)
        seen = of["vectors"] if "vectors" in of else dict(of)
        return steps.guess(self._play({"release": seen, "random": np.random.default_rng(seed),
                                       "settings": "", **given}))

    def keys(self, settings=()):
        grants = self.grants
        if grants is None:
            grants = ["other-releases"]
            grants += [name for name in ("database", "public", "groups") if name in self.takes]
        return {**({"grants": "; ".join(grants)} if grants else {}),
                **self._named(dict(settings))}

    def program(self):
        return self._text(_ATTACK)


def defense(function=None, *, produces="vectors", settings=None):
    """Decorates a function (secrets, random, ...) -> released rows, or arrays by name. @settings:
    arguments of its own and their values, {"k": 2}; a list [2, 4] is swept in scenarios."""
    if function is None:
        return lambda one: Defense(one, produces, settings)
    return Defense(function, produces, settings)


def attack(first=None, released=None, *, grants=None, settings=None, **given):
    """Plays the attack called @first on @released (assay.steps.attack); or decorates a function
    (release, random, ...) -> estimates, or arrays by name. A function sees all items of a release,
    unless @grants says otherwise. @settings: as of a defense."""
    if isinstance(first, Attack) and released is not None:
        return first.attack(released, **given)
    if isinstance(first, str):
        return steps.attack(first, released, **given)
    if first is None:
        return lambda one: Attack(one, grants, settings)
    return Attack(first, grants, settings)


def protect(which, secrets, **given):
    """Plays a defense: the name of one, or a decorated function. (release, truth)."""
    if isinstance(which, Defense):
        return which.protect(secrets, **given)
    return steps.protect(which, secrets, **given)
