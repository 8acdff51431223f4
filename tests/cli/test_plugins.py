"""Plugins that are compiled out of the tree: loaded, played, refused; and an installed Assay."""

import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

import tiny
from places import SOURCE


# A defense: every number times FACTOR.
DEFENSE = """
#include "core/plugin/module.h"
static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  AssayMatrix *vectors = assay_matrix_copy (secrets, error);
  (void) context; (void) ret_truth;
  if (vectors == NULL)
    return FALSE;
  for (gsize i = 0; i < secrets.rows * secrets.cols; i++)
    vectors->data[i] *= FACTOR;
  assay_arrays_take (&ret_release->arrays, "vectors", assay_array_take_matrix (vectors));
  return TRUE;
}
ASSAY_DEFENSE (scaled, ID, .summary = "Multiply", .reference = { "a", "b" },
  .produces = ASSAY_RELEASE_VECTORS, .protect = PROTECT);
static const AssayPlugin no_type = { .id = "none" };
ASSAY_MODULE (PLUGINS);
"""
DEFINES = {"ID": '"scaled"', "FACTOR": "1.25f", "PROTECT": "protect",
           "PLUGINS": "&assay_defense_scaled.plugin"}

# Nothing, of each secret.
METRIC = """
#include "core/plugin/module.h"
static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  (void) context; (void) guess; (void) error;
  ret_outcomes->n = assay_array_count (assay_arrays_get (&truth->arrays, "secrets")) / 16;
  ret_outcomes->series[0] = g_new0 (double, ret_outcomes->n);
  return TRUE;
}
static const char *const truth_arrays[] = { "secrets", NULL };
static const char *const guess_arrays[] = { "estimates", NULL };
static const AssayMeasure measures[] = {
  { "zero-share", 0, ASSAY_STATISTIC_RATE, TRUE, FALSE, TRUE, 0, 1, "share", "Always nothing" },
  { .name = NULL } };
ASSAY_METRIC (zero, "zero", .summary = "Zeros", .reference = { "a", "b" },
  .reads_truth = truth_arrays, .reads_guess = guess_arrays, .n_series = 1, .measures = measures,
  .measure = measure);
ASSAY_MODULE (&assay_metric_zero.plugin);
"""


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def compile_plugin(sandbox, target, source=DEFENSE, sources=(), head="", **defines):
    """A shared object at @target in the sandbox."""
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        pytest.skip("cc or pkg-config is not there")
    flags = run(["pkg-config", "--cflags", "glib-2.0"]).split()
    words = [f"-D{key}={value}" for key, value in {**DEFINES, **defines}.items()]
    (sandbox.path / target).parent.mkdir(parents=True, exist_ok=True)
    path = sandbox.write("plugin.c", head + source)
    run(["cc", "-shared", "-fPIC", "-std=gnu17", "-ffp-contract=off", "-I", SOURCE, *flags, *words,
         path, *sources, "-o", sandbox.path / target, "-lm"])


def use(sandbox, folders="plugins"):
    sandbox.environment["ASSAY_PLUGIN_PATH"] = folders


def scenario(parts):
    return tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0] + parts


LOADED = re.compile(r"^assay: plugin file loaded: (.*) \(sha256 (.*)\); it can do what Assay can\n", re.M)


def refuses(sandbox, result, message):
    """Beside what was said when plugins were loaded."""
    assert LOADED.search(result.err), str(result)
    result.err = LOADED.sub("", result.err)
    sandbox.refuses(result, message)


SCALED = scenario("[defense scaled]\nplugin = scaled\n[attack verbatim]\nplugin = verbatim\n")


def median_errors(sandbox, out):
    return [value["estimate"] for cell in json.loads(sandbox.read(f"{out}/results.json"))["cells"]
            for value in cell["measurements"] if value["measure"] == "relative-error-median"]


# ---- Plugins that are loaded ----


def test_listed_described_and_played(sandbox):
    compile_plugin(sandbox, "plugins/scaled.so")
    use(sandbox, "::plugins:")
    listing = sandbox.expect(sandbox.assay("list", "defenses")).out.splitlines()
    names = [line.split()[0] for line in listing[1:]]
    assert names == sorted(names), names
    line = next(line for line in listing if line.startswith("  scaled "))
    assert line.split(maxsplit=1)[1] == "Multiply (from scaled.so)", line
    about = json.loads(sandbox.expect(sandbox.assay("describe", "scaled", "--json")).out)
    path = sandbox.path / "plugins" / "scaled.so"
    sha256 = sandbox.tree("plugins")["scaled.so"]
    assert (about["file"], about["sha256"]) == (str(path), sha256), about
    told = sandbox.expect(sandbox.assay("describe", "scaled")).out
    assert f"\nLoaded from {path}\nsha256 {sha256}\n" in told, told
    tiny.write(sandbox, SCALED)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    errors = median_errors(sandbox, "out")
    assert len(errors) == 2 and all(abs(error - 0.25) < 1e-6 for error in errors), errors
    kept = json.loads(sandbox.read("out/results.json"))["plugins"]
    assert kept == [{"type": "defense", "id": "scaled", "sha256": sha256}], kept
    kept = json.loads(sandbox.read("out/run.json"))["plugins"]
    assert [one["file"] for one in kept] == [str(path)], kept
    page = sandbox.read("out/report.html").replace("<wbr>", "")
    assert sha256 in page and "SHA-256 of the defense scaled" in page, "not in the page"


# Its second release says how it came about; a loop of it is told.
SAYING = DEFENSE.replace('#include "core/plugin/module.h"\n', """\
#include "core/base/progress/loop.h"
#include "core/plugin/module.h"
""").replace("(void) context; (void) ret_truth;", """
  g_auto (AssayLoop) loop = { "pass", .turns = 2 };
  assay_loop_at (&loop, 1);
  if (context->position.trial == 1)
    ret_truth->says = g_strdup ("training ended early");""")
SAID = "the release: training ended early"


def test_a_release_that_says_how_it_came_about(sandbox):
    """In each cell of it, in every report; what attacks say follows. Attacks do not hear of it."""
    compile_plugin(sandbox, "plugins/scaled.so", SAYING)
    use(sandbox)
    tiny.write(sandbox, SCALED + "[attack nearest]\nplugin = nearest\ngrants = public\n")
    table = sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet").out
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    assert [cell["message"] for cell in cells] == ["", "", SAID, SAID], f"{cells}"
    # Of several trials the first that has something of its release.
    assert f"verbatim against scaled: {SAID}\n" in table, table
    assert f"Of verbatim, nearest against scaled: {SAID}\n" in sandbox.read("out/summary.md")
    page = re.sub("</?bdi>|<wbr>", "", sandbox.read("out/report.html"))
    assert f"<td>verbatim, nearest</td><td>scaled</td><td>{SAID}</td>" in page, "not in the page"
    assert 'href="#said"' in page, "no way to it"
    again = sandbox.expect(sandbox.assay("report", "out")).out
    assert SAID in again, again
    assert not re.search("ended early", "".join(
        sandbox.read(f"out/{name}") for name in ("results.csv", "claims.xml"))), "in a table"


def test_a_lost_control_takes_nothing_away_from_it(sandbox):
    """What the release says begins the message of a cell whose attack lost its control, too. The
    control of the only attack is one that the store knows as lost."""
    compile_plugin(sandbox, "plugins/scaled.so", SAYING)
    use(sandbox)
    tiny.write(sandbox, SCALED)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    store = sqlite3.connect(sandbox.path / "out" / "run.sqlite")
    with store:
        for change in ("DELETE FROM cells", "DELETE FROM outcomes",
                       "DELETE FROM meta WHERE key = 'state'",
                       "UPDATE meta SET value = 'lost 0.25 12' WHERE key = 'control.0.0'"):
            store.execute(change)
    store.close()
    lost = "the attack lost its control with these settings"
    table = sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet", "--resume", code=3).out
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    assert [cell["status"] for cell in cells] == ["control-failed"] * 2, f"{cells}"
    assert [cell["message"] for cell in cells] == [lost, f"{SAID}; {lost}"], f"{cells}"
    page = re.sub("</?bdi>|<wbr>", "", sandbox.read("out/report.html"))
    assert f"<td>{SAID}; {lost}</td>" in page, "not in the page"
    for text in (table, sandbox.read("out/summary.md")):
        assert f"{SAID}; {lost}" in text, text


def test_a_truth_keeps_what_its_release_says(sandbox):
    compile_plugin(sandbox, "plugins/scaled.so",
                   SAYING.replace("context->position.trial == 1", "context != NULL"))
    use(sandbox)
    tiny.write(sandbox)
    made = sandbox.assay("protect", "--defense", "scaled", "--secrets", "private.fvecs", "--release",
                         "release", "--truth", "truth")
    assert LOADED.sub("", made.err) == f"assay: warning: {SAID}\n", str(made)
    assert json.loads(sandbox.read("truth/truth.json"))["says"] == "training ended early"
    assert "ended early" not in sandbox.read("release/release.json"), "whoever attacks reads it"
    sandbox.write("truth/truth.json", sandbox.read("truth/truth.json").replace("ended ", "ended\\n"))
    sandbox.expect(sandbox.assay("attack", "--attack", "verbatim", "--release", "release", "--guess",
                                 "guess"))
    refuses(sandbox, sandbox.assay("measure", "--truth", "truth", "--guess", "guess"),
            "truth: truth.json: expected 'says' to be one line of at most 1000 bytes")


def test_without_it_no_page_has_the_section(sandbox):
    compile_plugin(sandbox, "plugins/scaled.so")
    use(sandbox)
    tiny.write(sandbox, SCALED)
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    assert "#said" not in sandbox.read("out/report.html"), "in the page"
    assert "Of verbatim" not in sandbox.read("out/summary.md"), "in the summary"


def test_what_is_loaded_is_said(sandbox):
    """Its code runs whether a scenario names it or not: at once on the terminal, and in the reports;
    where a run goes on with another file, of both."""
    compile_plugin(sandbox, "plugins/zero.so", METRIC)
    use(sandbox)
    tiny.write(sandbox)
    done = sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet", "--cells", "nearest against plain",
                          code=3)
    path, sha256 = sandbox.path / "plugins" / "zero.so", sandbox.tree("plugins")["zero.so"]
    assert LOADED.findall(done.err) == [(str(path), sha256[:12])], str(done)
    again = sandbox.path / "plugins" / "another.so"
    compile_plugin(sandbox, "plugins/another.so", METRIC.replace("zero", "naught"))
    path.unlink()
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet", "--resume")
    other = sandbox.tree("plugins")["another.so"]
    assert json.loads(sandbox.read("out/run.json"))["plugin_files"] == [
        {"file": str(path), "sha256": sha256}, {"file": str(again), "sha256": other}]
    use(sandbox, "")
    said = sandbox.assay("report", "out")
    assert not LOADED.search(said.err), str(said)
    for text in (said.out, sandbox.read("out/summary.md"), sandbox.read("out/report.html")):
        for name, build in (("zero.so", sha256), ("another.so", other)):
            assert "loaded into Assay, and could do what it can: " + f"{name}, sha256 {build}" in (
                text.replace("<wbr>", "")), text


def test_attack_of_the_tree_gives_the_same_numbers(sandbox):
    """`nearest` compiled as a plugin under another id guesses what the built-in one guesses."""
    source = (SOURCE / "attacks" / "lifting" / "nearest.c").read_text()
    source = source.replace('"nearest"', '"again"')
    compile_plugin(sandbox, "plugins/again.so",
                   source=source + "\n#include \"core/plugin/module.h\"\n"
                   "ASSAY_MODULE (&assay_attack_nearest.plugin);\n",
                   sources=[SOURCE / "attacks" / "lifting" / name
                            for name in ("subspace.c", "subspace-control.c")]
                   + [SOURCE / "core" / "base" / "vectors.c"])
    use(sandbox)
    parts = "[defense plain]\nplugin = none\n[defense lifting]\nplugin = affine-lifting\n" + "".join(
        f"[attack {name}]\nplugin = {name}\ngrants = public\n" for name in ("nearest", "again"))
    tiny.write(sandbox, scenario(parts))
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    cells = json.loads(sandbox.read("out/results.json"))["cells"]
    values = {name: [value["estimate"] for cell in cells if cell["attack"]["label"] == name
                     for value in cell["measurements"]] for name in ("nearest", "again")}
    assert len(values["again"]) > 8 and values["again"] == values["nearest"], values
    assert "again" in sandbox.expect(sandbox.assay("selftest")).out, "not in the selftest"


def test_one_file_under_two_names_is_loaded_once(sandbox):
    compile_plugin(sandbox, "plugins/scaled.so")
    (sandbox.path / "plugins" / "alias.so").symlink_to("scaled.so")
    (sandbox.path / "plugins" / "notes.txt").write_text("no plugin")
    (sandbox.path / "plugins" / "scaled.so.p").mkdir()
    (sandbox.path / "other").symlink_to("plugins")
    use(sandbox, "plugins:other:plugins/")
    listed = sandbox.expect(sandbox.assay("list"))
    assert len(LOADED.findall(listed.err)) == 1 and not LOADED.sub("", listed.err), str(listed)


def test_loaded_metrics_are_measured_where_they_are_named(sandbox):
    """And a plan that names no loaded plugin is the same whatever is there."""
    compile_plugin(sandbox, "plugins/zero.so", METRIC)
    parts = "[defense plain]\nplugin = none\n[attack verbatim]\nplugin = verbatim\n"
    tiny.write(sandbox, scenario(parts))
    tiny.write(sandbox, scenario(parts + "[metric zero]\n"), "named.scenario")
    sandbox.run_ok("tiny.scenario", "--out", "without", "--quiet")
    use(sandbox)
    sandbox.run_ok("tiny.scenario", "--out", "with", "--quiet")
    assert sandbox.tree("without")["results.json"] == sandbox.tree("with")["results.json"], (
        "a plugin that is not named changed results.json")
    sandbox.run_ok("named.scenario", "--out", "named", "--quiet")
    named = sandbox.read("named/results.json")
    assert '"zero-share"' in named and '"zero-share"' not in sandbox.read("with/results.json"), (
        named)


def test_another_build_is_another_audit(sandbox):
    compile_plugin(sandbox, "plugins/scaled.so")
    use(sandbox)
    tiny.write(sandbox, SCALED)
    sandbox.run_ok("tiny.scenario", "--quiet")
    sandbox.run_ok("tiny.scenario", "--out", "out", "--quiet")
    before = sandbox.tree("plugins")["scaled.so"]
    compile_plugin(sandbox, "plugins/scaled.so", FACTOR="1.5f")
    after = sandbox.tree("plugins")["scaled.so"]
    says = f"the defense scaled was another build (sha256 {before[:12]}, now {after[:12]})"
    for words in ((), ("--resume",)):
        refuses(
            sandbox, sandbox.assay("run", "tiny.scenario", "--out", "out", "--quiet", *words),
            f"output folder out: {says}; expected --out with another folder")
    refuses(sandbox, sandbox.assay("report", "out"), f"out: {says}; expected the one of the run")
    sandbox.run_ok("tiny.scenario", "--quiet")
    folders = sorted(os.listdir(sandbox.path / "assay-out"))
    assert len(folders) == 2, folders
    factors = sorted(round(median_errors(sandbox, f"assay-out/{name}")[0], 5) for name in folders)
    assert factors == [0.25, 0.5], factors
    use(sandbox, "")
    sandbox.expect(sandbox.assay("report", "out"), 2, "",
                   "assay: out: tiny.scenario:14: [defense scaled] unknown defense 'scaled'{*}\n")
    # The first build again: its run can be read.
    compile_plugin(sandbox, "plugins/scaled.so")
    assert sandbox.tree("plugins")["scaled.so"] == before, "the compiler is not deterministic"
    use(sandbox)
    sandbox.expect(sandbox.assay("report", "out"))


def test_a_new_build_is_compared_with_the_old_one(sandbox):
    """--baseline pairs secrets: the streams do not depend on the build. Other metrics do not do."""
    compile_plugin(sandbox, "plugins/scaled.so", FACTOR="1.5f")
    compile_plugin(sandbox, "plugins/zero.so", METRIC)
    use(sandbox)
    tiny.write(sandbox, SCALED + "[metric relative-error]\n[metric zero]\n")
    sandbox.run_ok("tiny.scenario", "--out", "old", "--quiet")
    compile_plugin(sandbox, "plugins/scaled.so", FACTOR="1.1f")
    result = sandbox.assay("run", "tiny.scenario", "--out", "new", "--baseline", "old", "--quiet")
    sandbox.expect(result, 1)
    assert "relative-error" in result.out + result.err, result
    compile_plugin(sandbox, "plugins/zero.so", METRIC.replace("Zeros", "Nothings"))
    refuses(
        sandbox,
        sandbox.assay("run", "tiny.scenario", "--out", "again", "--baseline", "old", "--quiet"),
        "baseline old: the metric zero was another build (sha256 {*}, now {*}), and what it measures "
        "may mean something else now; expected a run with this build")


# ---- Plugins that are refused ----


def check_refused(sandbox, *reasons):
    """Each command but help ends with 2 and "PATH: reason" of every file; paths from the sandbox."""
    expected = "".join(f"assay: plugin refused: {reason}\n" for reason in reasons)
    for words in (("list",), ("run", "tiny.scenario"), ("selftest",)):
        sandbox.expect(sandbox.assay(*words), 2, "", expected)
    assert not (sandbox.path / "assay-out").exists(), "a run began"


def test_folders_that_cannot_be_used(sandbox):
    sandbox.write("file", "x")
    use(sandbox, "nowhere:file")
    check_refused(sandbox, "nowhere: no such folder", "file: expected a folder of plugins")
    sandbox.expect(sandbox.assay("list", "--help"), err="")
    sandbox.expect(sandbox.assay("--version"), err="")


def test_no_shared_objects(sandbox):
    compile_plugin(sandbox, "whole.so")
    whole = (sandbox.path / "whole.so").read_bytes()
    files = {
        "a.so": (b"", "is no shared object"),
        "b.so": (b"#!/bin/sh\n" * 50, "is no shared object"),
        "c.so": (whole[:64], "is a truncated shared object"),
        "d.so": (whole[:len(whole) // 8], "is a truncated shared object"),
        "e.so": (pathlib.Path("/bin/true").read_bytes(), "cannot be loaded: {*}"),
        "f.so": (b"\x7fELF\x01" + whole[5:], "is no shared object for this machine"),
        "g.so": (whole[:18] + b"\x28\x00" + whole[20:], "cannot be loaded: {*}"),
    }
    for name, (content, _) in files.items():
        sandbox.write(f"plugins/{name}", content)
    (sandbox.path / "plugins" / "h.so").mkdir()
    (sandbox.path / "plugins" / "i.so").symlink_to("nowhere")
    os.mkfifo(sandbox.path / "plugins" / "j.so")
    use(sandbox)
    check_refused(
        sandbox, *[f"{{dir}}/plugins/{name}: {reason}" for name, (_, reason) in files.items()],
        "{dir}/plugins/h.so: is no regular file; expected a shared object",
        "{dir}/plugins/i.so: cannot be read: {*}",
        "{dir}/plugins/j.so: is no regular file; expected a shared object")


def test_others_could_have_written_it(sandbox):
    """The file, its folder, or one above it; by mode, or because it is another user's."""
    compile_plugin(sandbox, "plugins/scaled.so")
    plugins = sandbox.path / "plugins"
    use(sandbox)
    listed = sandbox.assay("list")
    assert listed.code == 0 and "scaled" in listed.out, str(listed)
    for place, name in ((plugins / "scaled.so", "plugins/scaled.so"), (plugins, "plugins"),
                        (sandbox.path, "")):
        before = place.stat().st_mode & 0o7777
        place.chmod(before | 0o002)
        check_refused(sandbox, "{dir}/plugins/scaled.so: is not loaded: {dir}" + f"/{name}".rstrip("/")
                      + f" can be written by others (mode {before | 2:04o}), who could put other "
                      "code there; expected chmod go-w")
        place.chmod(before)
    # Where the sticky bit is set, nobody replaces what is another's.
    plugins.chmod(0o1777)
    assert sandbox.assay("list").code == 0
    plugins.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(plugins, 65534, 65534)
        check_refused(sandbox, "{dir}/plugins/scaled.so: is not loaded: {dir}/plugins belongs to "
                      "another user (number 65534), who could put other code there; expected a "
                      "place of yours or of root")


def test_no_plugins_of_this_assay(sandbox):
    """Each compiles, and is refused with its reason; all of them are named at once."""
    reasons = {}

    def add(name, reason, **how):
        compile_plugin(sandbox, f"plugins/{name}.so", **how)
        reasons[name] = reason

    header = SOURCE / "core" / "plugin" / "common.h"
    abi = re.search(r"define ASSAY_PLUGIN_ABI (\d+)", header.read_text())
    headers = '#include "core/plugin/module.h"\n'
    add("abi", f"was compiled for plugin ABI 4711; expected {abi.group(1)}: compile it with the "
        "headers of this Assay",
        head=headers + "#undef ASSAY_PLUGIN_ABI\n#define ASSAY_PLUGIN_ABI 4711\n")
    add("layout", "was compiled with other headers: its AssayDatasetPlugin has {*} bytes; expected "
        "{*}: compile it with the headers of this Assay",
        head=headers + "#undef ASSAY_MODULE_SIZE\n"
        "#define ASSAY_MODULE_SIZE(Type) (guint32) sizeof (Type) + 8,\n")
    add("library", "is no plugin: it has no symbol assay_module; expected ASSAY_MODULE (...) of "
        "core/plugin/module.h in it",
        source="int something (void);\nint something (void) { return 1; }\n")
    add("nothing", "offers no plugin", PLUGINS="NULL")
    add("no-protect", "'scaled': expected the member protect", PROTECT="NULL")
    add("no-id", "a defense without an id in kebab-case", ID='"Not kebab"')
    add("no-type", "its plugin number 1 is of no type that there is",
        PLUGINS="&no_type")
    add("symbols", "cannot be loaded: undefined symbol: assay_no_such_function",
        source=DEFENSE.replace("(void) ret_truth;", "(void) ret_truth; assay_no_such_function ();"),
        head="void assay_no_such_function (void);\n")
    add("inner", "cannot be loaded: undefined symbol: assay_exec_check",
        source=DEFENSE.replace("(void) ret_truth;", "(void) ret_truth; assay_exec_check ();"),
        head="void assay_exec_check (void);\n")
    add("clash", "there is another defense 'none' already (built in)", ID='"none"')
    use(sandbox)
    check_refused(sandbox, *[f"{{dir}}/plugins/{name}.so: {reasons[name]}"
                             for name in sorted(reasons)])


def test_two_plugins_of_one_name(sandbox):
    compile_plugin(sandbox, "first/scaled.so")
    compile_plugin(sandbox, "second/mine.so", FACTOR="2.0f")
    use(sandbox, "first:second")
    check_refused(sandbox, "{dir}/second/mine.so: there is another defense 'scaled' already "
                           "({dir}/first/scaled.so)")
    compile_plugin(sandbox, "second/mine.so", METRIC.replace('"zero-share"', '"recovery-rate"'))
    check_refused(sandbox, "{dir}/second/mine.so: the metric 'zero' has a measure 'recovery-rate', "
                           "and so has 'recovery-rate' (built in)")


# ---- An installed Assay ----


def install(sandbox):
    """Installs the build that is tested below the sandbox; returns the prefix."""
    build = pathlib.Path(sandbox.assay_path).parent
    meson = shutil.which("meson")
    if meson is None or not (build / "meson-info").is_dir():
        pytest.skip("no meson, or the program is not in its build folder")
    run([meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", sandbox.path / "to"])
    prefix = next((sandbox.path / "to").rglob("bin/assay")).parent.parent
    pc = next(prefix.rglob("assay.pc"))
    # Build folders that were configured before it was relocatable name the prefix.
    pc.write_text(re.sub(r"^prefix=/.*", f"prefix={prefix}", pc.read_text(), flags=re.MULTILINE))
    sandbox.environment.update(PATH=f"{prefix}/bin:{os.environ['PATH']}",
                               PKG_CONFIG_PATH=str(pc.parent))
    return prefix


def test_installed_headers_and_exports(sandbox):
    """Each header compiles by itself with GLib alone, and what they declare the program exports."""
    prefix = install(sandbox)
    flags = sandbox.shell("pkg-config --cflags assay").out.split()
    assert "glib-2.0" in " ".join(flags), flags
    assert sandbox.shell("pkg-config --print-requires assay").out == "glib-2.0\n", "requires more"
    core = prefix / "include" / "assay" / "core"
    headers = sorted(core.rglob("*.h"))
    assert len(headers) > 15, headers
    for header in headers:
        run(["cc", "-fsyntax-only", "-std=gnu17", "-Wall", "-Wextra", "-Wconversion", "-Werror",
             "-Wno-sign-conversion", *flags, "-x", "c", "-include", header, "/dev/null"])
    program = prefix / "bin" / "assay"
    exported = {line.split()[-1]
                for line in run(["nm", "--dynamic", "--defined-only", program]).splitlines()}
    text = "".join(header.read_text() for header in headers)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    declared = set(re.findall(r"^[\w \*]*?\b(assay_\w+) \([^{}]*?\)[^{}]*?;", text, re.MULTILINE))
    inline = set(re.findall(r"static inline[\w \*\n]*?\b(assay_\w+) \(", text))
    assert len(declared - inline) > 80, declared
    assert declared - inline <= exported, f"not exported: {declared - inline - exported}"
    assert not any(name.startswith(("assay_attack_", "assay_defense_n")) for name in exported), (
        "descriptors are exported")


def test_readme_of_the_example(sandbox):
    """examples/plugin-c/README.md to the letter, with what was installed; then with meson."""
    prefix = install(sandbox)
    shutil.copytree(prefix / "share" / "assay" / "examples" / "plugin-c", sandbox.path / "example")
    readme = (sandbox.path / "example" / "README.md").read_text()
    first, second = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    printed = re.search(r"```\n(recovery-rate .*?)```", readme, re.DOTALL).group(1)
    result = sandbox.expect(sandbox.shell("cd example\n" + first), 1)
    assert printed in result.out, result
    assert "violated: claim rounding-hides-vectors" in result.out, result
    earlier = json.loads(next(sandbox.path.rglob("results.json")).read_text())

    # Installed, it is found without the variable, also where the whole was moved.
    result = sandbox.expect(sandbox.shell("set -e\ncd example\nrm rounding.so\n" + second))
    plugins = sandbox.shell("pkg-config --variable=plugindir assay").out.strip()
    assert os.path.exists(f"{plugins}/rounding.so"), result
    moved = sandbox.path / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    shutil.rmtree(prefix)
    sandbox.environment["PATH"] = f"{moved}/bin:{os.environ['PATH']}"
    shutil.rmtree(sandbox.path / "example" / "assay-out")
    sandbox.expect(sandbox.shell("cd example && assay run rounding.scenario --quiet"), 1)
    later = json.loads(next(sandbox.path.rglob("results.json")).read_text())
    assert ([cell["measurements"] for cell in earlier["cells"]]
            == [cell["measurements"] for cell in later["cells"]]), (
        "another compiler line, other numbers")
    # A broken one there is refused as well.
    found = next(moved.rglob("rounding.so"))
    found.write_bytes(found.read_bytes()[:4096])
    sandbox.expect(sandbox.shell("assay list"), 2, "",
                   f"assay: plugin refused: {found}: is a truncated shared object\n")


def test_debian_builds_with_the_packages_of_setup(sandbox):
    """Without compilers, which every build has, and without what runs use if it is there."""
    names = re.search(r"^packages='([^']*)'", (SOURCE / "setup").read_text(), re.MULTILINE)
    others = {"gcc", "g++", "gnuplot-nox", "bubblewrap"}
    control = (SOURCE / "debian" / "control").read_text()
    listed = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.MULTILINE).group(1)
    depends = {line.split()[0].rstrip(",") for line in listed.splitlines()} - {"debhelper-compat"}
    assert set(names.group(1).split()) - others == depends, depends
    version = re.search(r"version: '(.*?)'", (SOURCE / "meson.build").read_text()).group(1)
    changes = (SOURCE / "debian" / "changelog").read_text()
    assert changes.startswith(f"assay ({version}-"), changes.split("\n", maxsplit=1)[0]


def test_debian_packages_hold_all_that_is_installed(sandbox):
    """dh_missing ends a build of packages that leave a file out, minutes after it was begun."""
    prefix = install(sandbox)
    patterns = [line for path in (SOURCE / "debian").glob("*.install")
                for line in path.read_text().split()]
    installed = [pathlib.PurePath("usr") / path.relative_to(prefix)
                 for path in prefix.rglob("*") if not path.is_dir()]
    assert len(installed) > 100, installed
    left = [str(path) for path in installed
            if not any(place.match(pattern) for pattern in patterns
                       for place in (path, *path.parents))]
    assert not left, left


def test_installed_scenarios_run(sandbox):
    prefix = install(sandbox)
    result = sandbox.shell(f"assay plan {prefix}/share/assay/scenarios/quickstart.scenario")
    assert "Affine lifting" in sandbox.expect(result, err="").out, result
    readme = (prefix / "share" / "doc" / "assay" / "README.md").read_text()
    assert readme == (SOURCE / "README.md").read_text(), "another README"


def test_installed_pages_and_examples_name_each_other(sandbox):
    """Links as they stand in the text, from either folder; those into the source are left out."""
    share = install(sandbox) / "share"
    linked = 0
    for folder in (share / "assay", share / "doc" / "assay"):
        for page in (folder / "README.md", *(folder / "docs").glob("**/*.md"),
                     *(folder / "examples").glob("*/README.md")):
            for link in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text()):
                target = pathlib.Path(os.path.normpath(page.parent / link))
                kind = target.relative_to(folder).parts[0]
                if kind in ("README.md", "docs", "examples", "scenarios"):
                    assert target.exists(), f"{page}: {link}"
                    linked += 1
    assert linked > 100, linked
    assert os.path.islink(share / "assay" / "docs"), "two copies"


def test_changed_headers_want_another_number(tmp_path):
    """A member more, or fewer, is noticed; comments, functions and blanks count for nothing."""
    def findings():
        tools = f"import sys; sys.path.insert(0, {str(SOURCE / 'tools')!r}); import plugin_abi, pathlib"
        return subprocess.run(
            [sys.executable, "-c", f"{tools}\nprint(*plugin_abi.findings(pathlib.Path('.')))"],
            cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    shutil.copytree(SOURCE / "core", tmp_path / "core")
    header = tmp_path / "core" / "plugin" / "metric.h"
    text = header.read_text()
    assert findings() == ""
    header.write_text(text.replace("G_BEGIN_DECLS", "/* Said. */\nvoid   more (int);\nG_BEGIN_DECLS"))
    assert findings() == ""
    for old, new in (("gboolean finds_order;", "gboolean finds_order, more;"),
                     ("gboolean finds_order;", "")):
        assert old in text
        header.write_text(text.replace(old, new))
        assert "raise ASSAY_PLUGIN_ABI" in findings()
    number = tmp_path / "core" / "plugin" / "common.h"
    number.write_text(re.sub(r"(define ASSAY_PLUGIN_ABI )\d+", r"\g<1>4711", number.read_text()))
    assert "tools/plugin_abi.py --write" in findings()
