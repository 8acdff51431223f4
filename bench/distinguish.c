/* How fast a distinguishing game counts: fresh runs of a mechanism, scored and counted, a second
 * and core; and what the same costs a careful user of NumPy (bench/distinguish.py, same run).
 *
 *   bench-distinguish [--only NAME] [--runs N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * The event is the one that the attack chose. A run is one run on one input: N runs a side are 2 N;
 * a tenth of them with --quick. Beside it, what the choice took: over all pairs of the mechanism
 * and all scores, and over one pair with the one score that audits began with (the likelihood where
 * the density is declared, else the classifier). One thread, whatever --threads says.
 * Memory: the peak of the process over what it held before, for N and for 16 N. */
#include <math.h>

#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/games/distinguish.h"

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
  { "dmp-graph", "bound=10 sensitivity=degree", 2 },
};

/* KiB beyond what is held now. */
static double
peak_of (const AssayOracle *oracle, AssayEvent *event, guint64 runs)
{
  AssayAudit audit;
  gint64 before;

  measure_reset_peak ();
  before = measure_status ("VmHWM:");
  event->runs = runs;
  assay_distinguish (oracle, event, &audit, NULL); /* a mechanism of ours, which cannot fail */
  return (double) (measure_status ("VmHWM:") - before) / 1024;
}

/* Million runs a second of the same job by NumPy, or NAN without it. */
static double
ask_numpy (const MeasureOptions *options, const Case *what)
{
  g_autofree char *out
      = measure_ask_python (options, (const char *[]){ what->defense, what->settings, NULL });

  return out == NULL ? NAN : g_ascii_strtod (out, NULL);
}

/* Chooses an event with the attack's settings @assignments; adds the seconds to @inout_samples. */
static AssayEvent *
choose (const AssayOracle *oracle, const char *assignments, Samples *inout_samples)
{
  const AssayAuditor *auditor
      = (const AssayAuditor *) measure_plugin (ASSAY_PLUGIN_AUDITOR, "distinguish");
  g_autoptr (AssaySettings) settings = measure_settings (&auditor->plugin, assignments);
  const AssayAuditContext context = { .settings = settings->values };
  const Moment start = measure_moment ();
  GError *error = NULL;
  AssayEvent *event = auditor->choose_event (&context, oracle, &error);

  if (event == NULL)
    measure_stop (assignments, error);
  measure_add (inout_samples, start);
  return event;
}

/* The event that all pairs and scores give, and the time of that and of a plain choice. */
static AssayEvent *
time_choices (const AssayOracle *oracle, int runs, Times *ret_all, Times *ret_plain)
{
  const char *plain = assay_oracle_has_density (oracle) ? "candidates=1 score=likelihood"
                                                        : "candidates=1 score=classifier";
  AssayEvent *event = NULL;
  Samples all = { 0 }, one = { 0 };

  for (int i = 0; i < runs; i++) {
    assay_event_free (event);
    event = choose (oracle, "", &all);
    assay_event_free (choose (oracle, plain, &one));
  }
  *ret_all = measure_times (&all);
  *ret_plain = measure_times (&one);
  return event;
}

static void
run_case (Report *report, const Case *what)
{
  const guint64 runs = report->options->is_quick ? RUNS / 10 : RUNS;
  const AssayDefense *defense
      = (const AssayDefense *) measure_plugin (ASSAY_PLUGIN_DEFENSE, what->defense);
  g_autoptr (AssaySettings) settings = measure_settings (&defense->plugin, what->settings);
  g_autoptr (AssayEvent) event = NULL;
  Samples samples = { 0 };
  AssayOracle oracle;
  AssayAudit audit;
  Times times, choice, plain;
  double numpy;

  oracle = assay_oracle (defense->mechanism, settings->values, 1,
                         assay_stream_key (SEED, 0, "bench", what->settings), -1);
  event = time_choices (&oracle, report->options->runs, &choice, &plain);
  for (int i = 0; i < report->options->runs; i++) {
    const Moment start = measure_moment ();

    event->runs = runs;
    assay_distinguish (&oracle, event, &audit, NULL);
    measure_add (&samples, start);
  }
  times = measure_times (&samples);
  numpy = ask_numpy (report->options, what);
  report_case (report, "%s %s", what->defense, what->settings);
  report_times (report, "s", times);
  report_number (report, "million runs a second", 2e-6 * (double) runs / times.minimum, 1);
  report_number (report, "wanted", what->wanted > 0 ? what->wanted : NAN, 0);
  report_number (report, "NumPy", numpy, 1);
  report_number (report, "times NumPy", 2e-6 * (double) runs / times.minimum / numpy, 1);
  report_number (report, "pairs", event->n_pairs, 0);
  report_number (report, "choice, CPU s", choice.cpu, 3);
  report_number (report, "plain choice, CPU s", plain.cpu, 3);
  report_number (report, "KiB for N", peak_of (&oracle, event, runs / 4), 0);
  report_number (report, "KiB for 16 N", peak_of (&oracle, event, runs * 4), 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *only = NULL;
  const GOptionEntry own[]
      = { { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Measure this mechanism alone", "NAME" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("distinguish", 5, own, argc, argv);
  g_autoptr (Report) report = NULL;

  assay_parallel_set_threads (1);
  report = report_new (&options, SEED, "Fresh runs of mechanisms, scored and counted");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (only == NULL || g_str_equal (only, cases[i].defense))
      run_case (report, &cases[i]);
  return 0;
}
