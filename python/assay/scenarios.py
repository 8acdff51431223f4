"""Runs of scenarios, with Python functions as defenses and attacks among theirs."""
import ctypes
import pathlib
import shlex
import sys

from assay import _library, tables


def results(folder):
    """The results of a run that was made before, finished or not."""
    text = ctypes.c_void_p()
    _library.call("results", str(folder).encode(), text)
    return tables.load(folder, _library.take_text(text.value))


def _scenario_of(scenario, functions, folder, settings):
    """The file to run: @scenario is a path, or the text itself if it has several lines."""
    unknown = set(settings) - {function.__name__ for function in functions}
    if unknown:
        raise TypeError(f"settings: '{sorted(unknown)[0]}' is none of functions=; expected "
                        "{FUNCTION: {SETTING: VALUE}}")
    is_text = "\n" in str(scenario)
    if not is_text and not functions:
        return pathlib.Path(scenario)
    path = pathlib.Path(folder if is_text else pathlib.Path(scenario).parent)
    path.mkdir(parents=True, exist_ok=True)
    text = str(scenario) if is_text else pathlib.Path(scenario).read_text(encoding="utf-8")
    for function in functions:
        program = path / f"{function.__name__}.py"
        program.write_text(function.program(), encoding="utf-8")
        command = shlex.join([sys.executable, program.name])
        text += f"\n[{function.role} {function.__name__}]\nplugin = exec\ncommand = {command}\n"
        keys = function.keys(settings.get(function.__name__, {}))
        text += "".join(f"{key} = {value}\n" for key, value in keys.items())
    name = "audit" if is_text else pathlib.Path(scenario).stem + "-with-functions"
    (path / f"{name}.scenario").write_text(text, encoding="utf-8")
    return path / f"{name}.scenario"


def run(scenario, *, functions=(), out=None, set=(), resume=False, progress=None, folder=".",
        settings=None):
    """Runs a scenario, and returns its Results; violated claims are results, no exceptions.

    @scenario: the path of a file, or a text of several lines, which is written to
    FOLDER/audit.scenario. @functions: decorated by @assay.defense and @assay.attack; each becomes a
    group of its name, played as a program of its own beside the scenario; @settings have values for
    their own settings, {"rounded": {"k": [2, 4]}}, of which a list is swept. @set: as --set, such as
    ["defense lifting.dimension=4;8"]. @progress (done, total, what): called between cells; if it
    returns True, or at Ctrl-C, the run stops and can be resumed."""
    interrupted = []

    def report(done, total, doing, _):
        try:
            return int(bool(progress and progress(done, total, (doing or b"").decode())))
        except BaseException as problem:  # ctypes would print it and go on
            interrupted.append(problem)
            return 1

    path = _scenario_of(scenario, functions, folder, settings or {})
    assignments = _library.words(list(set))
    options = _library.Run(None if out is None else str(out).encode(), assignments, int(resume),
                           _library.Progress(report), None)
    place = ctypes.c_void_p()
    try:
        _library.call("run", str(path).encode(), options, place)
    except _library.Cancelled:
        if interrupted:
            raise interrupted[0] from None
        raise
    if interrupted:
        raise interrupted[0]
    return results(_library.take_text(place.value))
