/* How long do private graphs take: the triangles of each edge, and a release with noise of all
 * pairs of nodes, checked as every release is?
 *
 *   bench-graphs [--runs N] [--threads N] [--quick] [--json]
 *
 * Graphs are drawn (core/graph/interactions.h) on n = 2,173 and n = 20,000 items in ten classes
 * (2,400,000 and 200,000,000 pairs), D = 100 and T = 10; the largest once, without --quick.
 * Triangles are those of ego-Facebook where ASSAY_DATA has it (graphs/ego_facebook.txt), else of
 * the drawn graph. Memory: the peak of the process over what it held before. */
#include <math.h>

#include "bench/measure.h"
#include "core/data/row-file.h"
#include "core/graph/edge-array.h"
#include "core/graph/edge-list.h"
#include "core/graph/interactions.h"
#include "core/graph/triangles.h"
#include "runner/run/steps.h"

#define SEED 1
#define COLS 16
#define CLASSES 10
#define MEAN_DEGREE 40

static AssayGraph *
draw_graph (gsize n)
{
  g_autofree gint64 *labels = g_new (gint64, n);
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "graph", "bench-graphs"), n);
  g_autoptr (GError) error = NULL;
  AssayGraph *graph;

  for (gsize i = 0; i < n; i++)
    labels[i] = (gint64) (i % CLASSES);
  graph = assay_interactions_draw (
      &(AssayInteractions){
          .n = n, .classes = labels, .mean_degree = MEAN_DEGREE, .exponent = 2.5 },
      &stream, &error);
  if (graph == NULL)
    measure_stop ("graph", error);
  return graph;
}

/* Of the file, if it is there. */
static AssayGraph *
read_graph (const char **ret_name)
{
  const char *folders[] = { assay_data_folder (NULL), NULL };
  g_autofree char *path = assay_row_file_find ("graphs/ego_facebook.txt", folders, NULL);
  g_autoptr (AssayEdgeList) list = path != NULL ? assay_edge_list_read (path, NULL) : NULL;

  *ret_name = list != NULL ? "triangles, ego-Facebook" : "triangles, drawn";
  return list != NULL ? g_steal_pointer (&list->graph) : draw_graph (4000);
}

static void
run_triangles (Report *report, const MeasureOptions *options)
{
  const char *name;
  g_autoptr (AssayGraph) graph = read_graph (&name);
  g_autofree guint32 *counts = g_new (guint32, assay_graph_slots (graph));
  Samples samples = { 0 };
  guint64 total = 0;

  for (int run = 0; run < options->runs; run++) {
    const Moment start = measure_moment ();

    if (!assay_graph_triangles (graph, counts, &total, NULL))
      measure_stop ("triangles", NULL);
    measure_add (&samples, start);
  }
  report_case (report, "%s", name);
  report_times (report, "all s", measure_times (&samples));
  report_number (report, "triangles", (double) total, 0);
  report_number (report, "edges", (double) assay_graph_edges (graph), 0);
}

static AssayMatrix *
draw_items (gsize n)
{
  AssayMatrix *items = assay_matrix_new (n, COLS, NULL);
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "items", "bench-graphs"), n);

  if (items == NULL)
    measure_stop ("items", NULL);
  for (gsize k = 0; k < n * COLS; k++)
    items->data[k] = (float) assay_stream_normal (&stream);
  return items;
}

static void
release_once (const AssaySettings *settings, const AssaySecrets *secrets)
{
  const AssayDefense *defense
      = assay_defense_of (measure_plugin (ASSAY_PLUGIN_DEFENSE, "dmp-graph"));
  const AssayStreamKey key = assay_stream_key (SEED, 0, "release", "bench-graphs");
  const AssayKnowledge nothing = { .database = NULL };
  const AssayProtecting how
      = { .settings = settings, .stream = key, .common = key, .knowledge = &nothing };
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (GError) error = NULL;

  if (!assay_step_protect (defense, &how, secrets, &release, &truth, &error))
    measure_stop ("release", error);
}

static void
run_release (Report *report, gsize n, int runs, const char *assignments)
{
  const AssayPlugin *plugin = measure_plugin (ASSAY_PLUGIN_DEFENSE, "dmp-graph");
  g_autoptr (AssaySettings) settings = measure_settings (plugin, assignments);
  g_autoptr (AssayGraph) graph = draw_graph (n);
  g_autoptr (AssayArray) edges = assay_edge_array_new (graph, NULL);
  g_autoptr (AssayMatrix) items = draw_items (n);
  const AssaySecrets secrets = { .rows = assay_matrix_view (items), .edges = edges };
  Samples samples = { 0 };
  gint64 before;

  measure_reset_peak ();
  before = measure_status ("VmHWM:");
  for (int run = 0; run < runs; run++) {
    const Moment start = measure_moment ();

    release_once (settings, &secrets);
    measure_add (&samples, start);
  }
  report_case (report, "n = %zu, %s", n, assignments);
  report_times (report, "all s", measure_times (&samples));
  report_number (report, "pairs", (double) assay_pair_count (n), 0);
  report_number (report, "GiB", (double) (measure_status ("VmHWM:") - before) / 1073741824.0, 2);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("graphs", 3, NULL, argc, argv);
  g_autoptr (Report) report = report_new (&options, SEED, "private graphs");

  run_triangles (report, &options);
  report_next_table (report);
  run_release (report, options.is_quick ? 500 : 2173, options.runs, "bound=100 rounds=10");
  run_release (report, options.is_quick ? 500 : 20000, options.runs,
               "bound=100 rounds=10 support=private");
  run_release (report, options.is_quick ? 1000 : 20000, 1, "bound=100 rounds=10");
  return 0;
}
