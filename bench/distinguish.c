/* How fast a distinguishing game counts: fresh runs of a mechanism, scored and counted, a second
 * and core; and what the same costs a careful user of NumPy (bench/distinguish.py, same run).
 *
 * The event is the one that the attack chose; its choice is not timed. A run is one run on one
 * input: N runs a side are 2 N. Minimum and median over the repetitions. Memory: the peak of the
 * process over what it held before, for N and for 16 N. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/distinguish.h"
#include "core/parallel.h"
#include "core/registry.h"

#define SEED 1
#define RUNS 4000000 /* a side, in a timed repetition */

typedef struct {
  const char *defense;
  const char *settings;
  double wanted; /* million runs a second and core */
} Case;

static const Case cases[] = {
  { "randomised-response", "epsilon=1", 50 },
  { "laplace", "epsilon=1", 20 },
  { "gaussian", "epsilon=1", 0 },
  { "omega-subset", "epsilon=1 dictionary=200 members=8", 5 },
  { "omega-subset", "epsilon=10 dictionary=256000 members=2", 0 },
  { "unary-encoding", "epsilon=1 values=10", 0 },
};

static void
stop (const GError *error)
{
  fprintf (stderr, "bench-distinguish: %s\n", error->message);
  exit (1);
}

static void
set_all (AssaySettings *settings, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    char *equals = strchr (words[i], '=');
    g_autoptr (GError) error = NULL;

    *equals = '\0';
    if (!assay_settings_set (settings, words[i], equals + 1, &error))
      stop (error);
  }
}

/* A line of /proc/self/status, in KiB. */
static gint64
read_status (const char *name)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, name);
  return line != NULL ? g_ascii_strtoll (line + strlen (name), NULL, 10) : 0;
}

/* Sets VmHWM back to what is held now: proc(5), clear_refs. */
static void
reset_peak (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "w");

  if (file == NULL)
    return;
  fputs ("5", file);
  fclose (file);
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* KiB beyond what is held now. */
static gint64
peak_of (const AssayOracle *oracle, AssayEvent *event, guint64 runs)
{
  AssayAudit audit;
  gint64 before;

  reset_peak ();
  before = read_status ("VmHWM:");
  event->runs = runs;
  assay_distinguish (oracle, event, &audit, NULL); /* a mechanism of ours, which cannot fail */
  return read_status ("VmHWM:") - before;
}

/* The seconds of the same job by NumPy, or 0 without it. */
static double
ask_numpy (const char *python, const char *script, const Case *what)
{
  const char *argv[] = { python, script, what->defense, what->settings, NULL };
  g_autofree char *out = NULL;
  int status;

  if (python == NULL
      || !g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                        &status, NULL)
      || status != 0)
    return 0;
  return g_ascii_strtod (out, NULL);
}

static void
run_case (const Case *what, const char *python, const char *script, guint repetitions)
{
  GError *error = NULL;
  const AssayDefense *defense
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, what->defense, &error);
  const AssayAttack *attack
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "distinguish", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (defense->parameters, defense->settings_size);
  g_autoptr (AssaySettings) attack_settings
      = assay_settings_new (attack->parameters, attack->settings_size);
  const AssayAttackContext context = { .settings = attack_settings->values };
  g_autofree double *seconds = g_new (double, repetitions);
  g_autoptr (AssayEvent) event = NULL;
  AssayOracle oracle;
  AssayAudit audit;
  gint64 small, large;
  double rate, numpy;

  set_all (settings, what->settings);
  oracle = assay_oracle (defense->mechanism, settings->values, 1,
                         assay_stream_key (SEED, 0, "bench", what->settings), -1);
  event = attack->choose_event (&context, &oracle, &error);
  if (event == NULL)
    stop (error);
  for (guint i = 0; i < repetitions; i++) {
    const gint64 start = g_get_monotonic_time ();

    event->runs = RUNS;
    assay_distinguish (&oracle, event, &audit, NULL);
    seconds[i] = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  }
  qsort (seconds, repetitions, sizeof *seconds, compare_doubles);
  small = peak_of (&oracle, event, RUNS / 4);
  large = peak_of (&oracle, event, RUNS * 4);
  rate = 2e-6 * RUNS / seconds[0];
  numpy = ask_numpy (python, script, what);
  printf ("| %s | %s | %.1f | %.1f | ", what->defense, what->settings, rate,
          2e-6 * RUNS / seconds[repetitions / 2]);
  if (what->wanted > 0)
    printf ("%g%s | ", what->wanted, rate >= what->wanted ? "" : " MISSED");
  else
    printf ("| ");
  if (numpy > 0)
    printf ("%.1f (%.1fx) | ", numpy, rate / numpy);
  else
    printf ("| ");
  printf ("%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " |\n", small, large);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const char *python = NULL, *script = NULL, *only = NULL;
  int repetitions = 5;
  const GOptionEntry entries[]
      = { { "runs", 0, 0, G_OPTION_ARG_INT, &repetitions, "Repetitions of each case (5)", "N" },
          { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Measure this mechanism alone", "NAME" },
          { "numpy", 0, 0, G_OPTION_ARG_FILENAME, &python, "A Python that has NumPy", "PYTHON" },
          { "script", 0, 0, G_OPTION_ARG_FILENAME, &script, "bench/distinguish.py", "FILE" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) options = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error))
    stop (error);
  if (repetitions < 1 || (python != NULL && script == NULL)) {
    fprintf (stderr, "bench-distinguish: --runs from 1, --numpy with --script\n");
    return 2;
  }
  assay_parallel_set_threads (1);
  printf ("Million runs a second on one core, 2 x %d runs, best and median of %d; seed %d.\n\n"
          "| mechanism | settings | best | median | wanted | NumPy | KiB for N, 16 N |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
          RUNS, repetitions, SEED);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (only == NULL || g_str_equal (only, cases[i].defense))
      run_case (&cases[i], python, script, (guint) repetitions);
  return 0;
}
