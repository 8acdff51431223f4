#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <glib/gstdio.h>

#include "core/base/parallel.h"
#include "core/math/linalg.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* ---- Options ---- */

MeasureOptions
measure_options (const char *bench, int runs, const GOptionEntry *own, int argc, char **argv)
{
  MeasureOptions options = { .bench = bench, .runs = 0 };
  const GOptionEntry entries[] = {
    { "runs", 0, 0, G_OPTION_ARG_INT, &options.runs, "Runs of each case", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "0: one per processor", "N" },
    { "quick", 0, 0, G_OPTION_ARG_NONE, &options.is_quick, "Small sizes", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.is_json, "Print JSON", NULL },
    { "numpy", 0, 0, G_OPTION_ARG_FILENAME, &options.python, "A Python that has NumPy", "PYTHON" },
    { "script", 0, 0, G_OPTION_ARG_FILENAME, &options.script, "The same job in Python", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  g_autofree char *name = g_strdup_printf ("bench-%s", bench);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_set_prgname (name);
  options.runs = runs;
  g_option_context_add_main_entries (context, entries, NULL);
  if (own != NULL)
    g_option_context_add_main_entries (context, own, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    measure_stop ("options", error);
  if (argc > 1)
    measure_stop (argv[1],
                  g_error_new (G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "not expected; see --help"));
  if (options.runs < 1 || options.runs > MEASURE_MOST_RUNS || options.threads < 0
      || (options.python != NULL && options.script == NULL)) {
    fprintf (stderr, "%s: expected --runs from 1 to %d, --threads from 0, --numpy with --script\n",
             name, MEASURE_MOST_RUNS);
    exit (2);
  }
  assay_parallel_set_threads ((guint) options.threads);
  return options;
}

void
measure_options_clear (MeasureOptions *options)
{
  g_clear_pointer (&options->python, g_free);
  g_clear_pointer (&options->script, g_free);
}

void
measure_stop (const char *where, const GError *error)
{
  fprintf (stderr, "%s: %s: %s\n", g_get_prgname (), where,
           error == NULL ? "failed" : error->message);
  exit (2);
}

/* ---- Time ---- */

Moment
measure_moment (void)
{
  struct rusage used;

  getrusage (RUSAGE_SELF, &used);
  return (Moment){ .clock = 1e-6 * (double) g_get_monotonic_time (),
                   .cpu = (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                          + 1e-6 * (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec) };
}

double
measure_seconds_since (Moment start)
{
  return measure_moment ().clock - start.clock;
}

void
measure_add (Samples *samples, Moment start)
{
  const Moment now = measure_moment ();

  g_return_if_fail (samples->n < MEASURE_MOST_RUNS);
  samples->clock[samples->n] = now.clock - start.clock;
  samples->cpu[samples->n++] = now.cpu - start.cpu;
}

void
measure_add_seconds (Samples *samples, double clock, double cpu)
{
  g_return_if_fail (samples->n < MEASURE_MOST_RUNS);
  samples->clock[samples->n] = clock;
  samples->cpu[samples->n++] = cpu;
}

static int
compare_seconds (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

Times
measure_times (const Samples *samples)
{
  const guint n = samples->n;
  g_autofree double *sorted = g_memdup2 (samples->clock, n * sizeof (double));
  Times times = { .cpu = samples->cpu[0] };

  g_return_val_if_fail (n > 0, times);
  qsort (sorted, n, sizeof (double), compare_seconds);
  times.minimum = sorted[0];
  times.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  for (guint i = 1; i < n; i++)
    times.cpu = fmin (times.cpu, samples->cpu[i]);
  return times;
}

Times
measure_once (Moment start)
{
  Samples samples = { 0 };

  measure_add (&samples, start);
  return measure_times (&samples);
}

/* ---- Memory, other programs, plugins ---- */

gint64
measure_status (const char *name)
{
  g_autofree char *text = NULL;
  const char *line = NULL;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    line = strstr (text, name);
  return line == NULL ? 0 : g_ascii_strtoll (line + strlen (name), NULL, 10) * 1024;
}

/* proc(5), clear_refs. */
void
measure_reset_peak (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "w");

  if (file == NULL)
    return;
  fputs ("5", file);
  fclose (file);
}

/* Strings are not copied. */
static GPtrArray *
script_words (const MeasureOptions *options, const char *const *arguments)
{
  GPtrArray *argv = g_ptr_array_new ();

  g_ptr_array_add (argv, options->python);
  g_ptr_array_add (argv, options->script);
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  return argv;
}

MeasureFolder
measure_folder_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("assay-bench-XXXXXX", &error);

  if (folder == NULL)
    measure_stop ("temporary folder", error);
  return folder;
}

void
measure_folder_remove (MeasureFolder folder)
{
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  const char *name;

  while (files != NULL && (name = g_dir_read_name (files)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

char *
measure_ask_python (const MeasureOptions *options, const char *const *arguments)
{
  g_autoptr (GPtrArray) argv = NULL;
  g_autofree char *out = NULL;
  int status;

  if (options->python == NULL)
    return NULL;
  argv = script_words (options, arguments);
  if (!g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
                     &status, NULL)
      || status != 0)
    return NULL;
  return g_steal_pointer (&out);
}

MeasureScript
measure_script_start (const MeasureOptions *options, const char *const *arguments)
{
  MeasureScript script = { .name = options->script };
  g_autoptr (GPtrArray) argv = NULL;
  g_autoptr (GError) error = NULL;
  gint to, from;

  if (options->python == NULL)
    return script;
  argv = script_words (options, arguments);
  if (!g_spawn_async_with_pipes (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                                 NULL, &to, &from, NULL, &error))
    measure_stop (options->python, error);
  script.to = fdopen (to, "w");
  script.from = fdopen (from, "r");
  if (measure_script_number (&script) != 0)
    measure_script_clear (&script);
  return script;
}

void
measure_script_go (MeasureScript *script)
{
  fputs ("\n", script->to);
  fflush (script->to);
}

double
measure_script_number (MeasureScript *script)
{
  double number;

  if (fscanf (script->from, "%lf", &number) != 1)
    measure_stop (script->name, NULL);
  return number;
}

void
measure_script_finish (MeasureScript *script)
{
  g_clear_pointer (&script->to, fclose);
}

void
measure_script_clear (MeasureScript *script)
{
  g_clear_pointer (&script->to, fclose);
  g_clear_pointer (&script->from, fclose);
}

const AssayPlugin *
measure_plugin (AssayPluginType type, const char *id)
{
  g_autoptr (GError) error = NULL;
  const AssayPlugin *plugin = assay_registry_find (type, id, &error);

  if (plugin == NULL)
    measure_stop ("plugin", error);
  return plugin;
}

AssaySettings *
measure_settings (const AssayPlugin *plugin, const char *assignments)
{
  AssaySettings *settings = assay_settings_new (plugin->parameters, plugin->settings_size);
  g_auto (GStrv) words = g_strsplit (assignments, " ", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);
    g_autoptr (GError) error = NULL;

    if (pair[0] != NULL && pair[1] != NULL
        && !assay_settings_set (settings, pair[0], pair[1], &error))
      measure_stop (assignments, error);
  }
  return settings;
}

/* ---- Reports ---- */

Report *
report_new (const MeasureOptions *options, guint64 seed, const char *about)
{
  Report *report = g_new0 (Report, 1);

  report->options = options;
  if (options->is_json) {
    AssayJson *json = report->json = assay_json_new ();

    assay_json_begin_object (json);
    assay_json_member_string (json, "bench", options->bench);
    assay_json_member_string (json, "about", about);
    assay_json_member_string (json, "compiler", COMPILER);
    assay_json_member_int (json, "threads", assay_parallel_threads ());
    assay_json_member_string (json, "blas", assay_linalg_describe ());
    assay_json_member_int (json, "seed", (gint64) seed);
    assay_json_member_int (json, "runs", options->runs);
    assay_json_key (json, "is_quick");
    assay_json_bool (json, options->is_quick);
    assay_json_key (json, "cases");
    assay_json_begin_array (json);
  } else {
    printf ("%s. %u threads, seed %" G_GUINT64_FORMAT ", %d runs: least seconds (median); %s\n",
            about, assay_parallel_threads (), seed, options->runs, assay_linalg_describe ());
    report->head = g_string_new (NULL);
  }
  return report;
}

static void
end_case (Report *report)
{
  if (report->row == NULL)
    return;
  if (report->json != NULL) {
    assay_json_end_object (report->json);
    assay_json_end_object (report->json);
  } else {
    if (report->head != NULL) {
      printf ("\n%s |\n", report->head->str);
      for (const char *c = report->head->str; *c != '\0'; c++)
        if (*c == '|')
          fputs (c == report->head->str ? "| ---" : " | ---:", stdout);
      printf (" |\n");
      g_string_free (g_steal_pointer (&report->head), TRUE);
    }
    printf ("%s |\n", report->row->str);
    fflush (stdout);
  }
  g_string_free (g_steal_pointer (&report->row), TRUE);
}

void
report_free (Report *report)
{
  end_case (report);
  if (report->json != NULL) {
    g_autofree char *text = NULL;

    assay_json_end_array (report->json);
    assay_json_end_object (report->json);
    text = assay_json_finish (report->json);
    fputs (text, stdout);
  }
  if (report->head != NULL)
    g_string_free (report->head, TRUE);
  g_free (report);
}

void
report_next_table (Report *report)
{
  end_case (report);
  if (report->json == NULL && report->head == NULL)
    report->head = g_string_new (NULL);
}

void
report_case (Report *report, const char *format, ...)
{
  g_autofree char *name = NULL;
  va_list arguments;

  va_start (arguments, format);
  name = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  end_case (report);
  report->row = g_string_new (NULL);
  g_string_printf (report->row, "| %s", name);
  if (report->head != NULL)
    g_string_assign (report->head, "| case");
  if (report->json != NULL) {
    assay_json_begin_object (report->json);
    assay_json_member_string (report->json, "name", name);
    assay_json_key (report->json, "values");
    assay_json_begin_object (report->json);
  }
}

/* One more cell of the row. */
static void
add_cell (Report *report, const char *column, const char *text)
{
  if (report->head != NULL)
    g_string_append_printf (report->head, " | %s", column);
  g_string_append_printf (report->row, " | %s", text);
}

void
report_times (Report *report, const char *column, Times times)
{
  g_autofree char *text = g_strdup_printf ("%.4f (%.4f)", times.minimum, times.median);

  add_cell (report, column, isnan (times.minimum) ? "" : text);
  if (report->json == NULL)
    return;
  assay_json_key (report->json, column);
  assay_json_begin_object (report->json);
  assay_json_member_double (report->json, "minimum", times.minimum);
  assay_json_member_double (report->json, "median", times.median);
  assay_json_member_double (report->json, "cpu", times.cpu);
  assay_json_end_object (report->json);
}

void
report_number (Report *report, const char *column, double value, int digits)
{
  g_autofree char *text = g_strdup_printf ("%.*f", digits, value);

  add_cell (report, column, isnan (value) ? "" : text);
  if (report->json != NULL)
    assay_json_member_double (report->json, column, value);
}

void
report_interval (Report *report, const char *column, double estimate, double lower, double upper,
                 int digits)
{
  g_autofree char *text
      = g_strdup_printf ("%.*f [%.*f, %.*f]", digits, estimate, digits, lower, digits, upper);

  add_cell (report, column, text);
  if (report->json == NULL)
    return;
  assay_json_key (report->json, column);
  assay_json_begin_object (report->json);
  assay_json_member_double (report->json, "estimate", estimate);
  assay_json_member_double (report->json, "lower", lower);
  assay_json_member_double (report->json, "upper", upper);
  assay_json_end_object (report->json);
}

void
report_text (Report *report, const char *column, const char *text)
{
  add_cell (report, column, text);
  if (report->json != NULL)
    assay_json_member_string (report->json, column, text);
}
