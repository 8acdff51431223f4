/* How long do the phases of DMP-MH take, and how much memory, beside methods with fewer (Cheng, Dai
 * and Sun 2026, table 6)?
 *
 *   bench-phases [--only METHOD] [--runs N] [--threads N] [--quick] [--json]
 *
 * As many items as the paper trains on (10,500), of 128 and 10 numbers, and drawn interactions; 100
 * epochs of batches of 256 items, 32 bits, D = 100, T = 10, epsilon 2. Phase 1 clips the graph, by
 * cosines of features; phase 2 counts triangles and is noisy mirror descent; phase 3 trains. They
 * are told apart by parts of the work that are played alone: clipping, then dmp-graph, then dmp-mh.
 * JDSH has a batch's similarities in each step; DP-SGD takes as many steps, of 512 edges each.
 * Phases are in seconds of the processor, which other programs on the machine do not change much.
 * Memory: the peak of the process over what it held before. --quick has 400 items and 20 steps. */
#include <math.h>

#include "bench/measure.h"
#include "core/data/kinds/release-kind.h"
#include "core/graph/clipping.h"
#include "core/graph/edge-array.h"
#include "core/graph/interactions.h"
#include "core/graph/likeness.h"
#include "core/plugin/defense.h"

#define SEED 1
#define FIRST 128
#define COLS 138
#define CLASSES 21
#define BOUND 100
#define EPOCHS 100
#define BATCH 256
#define EDGES 512 /* of a step of DP-SGD, on average */

typedef struct {
  AssayMatrix *items;
  AssayArray *edges;
} Material;

static void
material_clear (Material *material)
{
  assay_matrix_free (material->items);
  assay_array_free (material->edges);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Material, material_clear)

static Material
make_material (gsize n)
{
  g_autofree gint64 *labels = g_new (gint64, n);
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "items", "bench-phases"), n);
  AssayStream links = assay_stream (assay_stream_key (SEED, 0, "graph", "bench-phases"), n);
  Material material = { .items = assay_matrix_new (n, COLS, NULL) };
  g_autoptr (AssayGraph) graph = NULL;

  for (gsize i = 0; i < n; i++)
    labels[i] = (gint64) (i % CLASSES);
  graph = assay_interactions_draw (
      &(AssayInteractions){ .n = n, .classes = labels, .mean_degree = 40, .exponent = 2.5 }, &links,
      NULL);
  material.edges = graph != NULL ? assay_edge_array_new (graph, NULL) : NULL;
  if (material.items == NULL || material.edges == NULL)
    measure_stop ("items", NULL);
  for (gsize k = 0; k < n * COLS; k++)
    material.items->data[k] = (float) assay_stream_normal (&stream);
  return material;
}

/* ---- Parts of the work ---- */

static Times
time_clipping (const Material *material, int runs)
{
  Samples samples = { 0 };

  for (int run = 0; run < runs; run++) {
    const Moment start = measure_moment ();
    g_autoptr (AssayGraph) graph
        = assay_edge_array_graph (material->items->rows, material->edges, NULL);
    g_autoptr (AssayMatrix) rows = assay_likeness_rows (assay_matrix_view (material->items), FIRST,
                                                        ASSAY_SIMILARITY_JOINT, NULL);
    g_autoptr (AssayGraph) clipped = NULL;

    if (graph == NULL || rows == NULL)
      measure_stop ("clipping", NULL);
    clipped = assay_graph_clip (graph,
                                &(AssayClipping){ .rank = ASSAY_RANK_COSINE,
                                                  .pruning = ASSAY_PRUNE_MUTUAL,
                                                  .bound = BOUND,
                                                  .likeness = assay_likeness_of_pair,
                                                  .data = rows },
                                NULL);
    measure_add (&samples, start);
  }
  return measure_times (&samples);
}

typedef struct {
  Times times;
  double peak; /* MiB */
} Cost;

static Cost
cost_of (const Material *material, const char *name, const char *assignments, int runs)
{
  const AssayPlugin *plugin = measure_plugin (ASSAY_PLUGIN_DEFENSE, name);
  const AssayDefense *defense = assay_defense_of (plugin);
  g_autoptr (AssaySettings) settings = measure_settings (plugin, assignments);
  const AssayDefenseContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (SEED, 0, "release", "bench-phases"),
          .common_stream = assay_stream_key (SEED, 0, "common", "bench-phases"),
          .edges = material->edges,
          .first_cols = FIRST,
          .mechanism = defense->mechanism };
  Samples samples = { 0 };
  gint64 before;

  measure_reset_peak ();
  before = measure_status ("VmHWM:");
  for (int run = 0; run < runs; run++) {
    g_autoptr (AssayRelease) release = assay_release_new (defense->produces, name);
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    g_autoptr (GError) error = NULL;
    const Moment start = measure_moment ();

    if (!defense->protect (&context, assay_matrix_view (material->items), release, truth, &error))
      measure_stop (name, error);
    measure_add (&samples, start);
  }
  return (Cost){ measure_times (&samples),
                 (double) (measure_status ("VmHWM:") - before) / 1048576.0 };
}

/* ---- Rows ---- */

/* Phases a method does not have are NAN. */
static void
report_row (Report *report, const char *name, const double phases[3], Cost whole)
{
  report_case (report, "%s", name);
  for (guint k = 0; k < 3; k++) {
    g_autofree char *column = g_strdup_printf ("phase %u, CPU s", k + 1);

    report_number (report, column, phases[k], 2);
  }
  report_number (report, "all, CPU s", whole.times.cpu, 2);
  report_times (report, "all s", whole.times);
  report_number (report, "MiB", whole.peak, 0);
}

static void
run_trained (Report *report, const Material *material, const char *name, const char *assignments)
{
  const Cost whole = cost_of (material, name, assignments, report->options->runs);

  report_row (report, name, (const double[]){ NAN, NAN, whole.times.cpu }, whole);
}

static void
run_dmp (Report *report, const Material *material, const char *graph, const char *training)
{
  const int runs = report->options->runs;
  g_autofree char *both = g_strconcat (graph, " ", training, NULL);
  g_autofree char *name = g_strconcat ("dmp-mh, ", graph, NULL);
  const double clipped = time_clipping (material, runs).cpu;
  const double released = cost_of (material, "dmp-graph", graph, runs).times.cpu;
  const Cost whole = cost_of (material, "dmp-mh", both, runs);

  report_row (report, name,
              (const double[]){ clipped, released - clipped, whole.times.cpu - released }, whole);
}

int
main (int argc, char **argv)
{
  g_autofree char *only = NULL;
  const GOptionEntry own[]
      = { { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Measure this method alone", "METHOD" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("phases", 1, own, argc, argv);
  const gsize n = options.is_quick ? 400 : 10500;
  const gsize steps = options.is_quick ? 20 : EPOCHS * (n / BATCH);
  g_autofree char *training = g_strdup_printf ("steps=%zu batch=%d", steps, BATCH);
  g_auto (Material) material = make_material (n);
  g_autofree char *private
      = g_strdup_printf ("rounds=%zu batch=%d rate=%g", steps, EDGES,
                         EDGES / (double) MAX (material.edges->shape[0], EDGES));
  g_autofree char *about
      = g_strdup_printf ("%zu items, %zu edges, %zu steps", n, material.edges->shape[0], steps);
  g_autoptr (Report) report = report_new (&options, SEED, about);

  if (only == NULL || g_str_equal (only, "jdsh"))
    run_trained (report, &material, "jdsh", training);
  if (only == NULL || g_str_equal (only, "dp-sgd"))
    run_trained (report, &material, "dp-sgd", private);
  if (only == NULL || g_str_equal (only, "dmp-mh")) {
    run_dmp (report, &material, "bound=100 rounds=10 support=private", training);
    run_dmp (report, &material, "bound=100 rounds=10", training);
  }
  return 0;
}
