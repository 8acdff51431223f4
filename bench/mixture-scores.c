/* How fast are the scores of mixtures? Ranks of all public images for every mixture, and products
 * of all pairs of mixtures, beside the matrix products that they are made of: sgemm on as many
 * threads, by slices of the rows (same run, same numbers).
 *
 *   bench-mixture-scores [--runs N] [--threads N]
 *
 * Minimum over the runs; the share is sgemm's time over ours. Wanted: 70 %. */
#include <stdio.h>
#include <stdlib.h>

#include "attacks/mixture-scores.h"
#include "core/linalg.h"
#include "core/parallel.h"

#define SEED 1
#define SLICES 8 /* of sgemm's rows, more than threads for an even load */

typedef struct {
  gsize n;        /* mixtures */
  gsize n_public; /* 0: pairs of mixtures */
  gsize cols;
} Case;

static const Case cases[]
    = { { 200, 3718, 3072 }, { 5000, 3718, 3072 }, { 1000, 9000, 3072 }, { 5000, 10000, 784 },
        { 1414, 0, 3072 },   { 5000, 0, 3072 },    { 5000, 0, 784 } };

typedef struct {
  AssayView a;
  AssayView b;
  float *products;
  gboolean is_triangle; /* rows of a against those of b from the same place on */
} Product;

static AssayMatrix *
make_rows (gsize n, gsize cols, const char *role)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, role, "bench-mixture-scores");
  AssayMatrix *rows = assay_matrix_new (n, cols, NULL);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);

    for (gsize j = 0; j < cols; j++)
      assay_matrix_row (rows, i)[j] = (float) assay_stream_uniform (&stream) - 0.5f;
  }
  return rows;
}

static void
multiply_slice (gsize index, guint worker, gpointer data)
{
  const Product *job = data;
  const gsize n = job->a.rows, first = n * index / SLICES, last = n * (index + 1) / SLICES;
  const gsize from = job->is_triangle ? first : 0;

  (void) worker;
  assay_linalg_product_nt (last - first, job->b.rows - from, job->a.cols,
                           assay_view_row (job->a, first), job->a.stride,
                           assay_view_row (job->b, from), job->b.stride,
                           job->products + first * job->b.rows + from, job->b.rows);
}

static double
seconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
}

static void
run_case (const Case *c, guint runs)
{
  g_autoptr (AssayMatrix) a = make_rows (c->n, c->cols, "a");
  g_autoptr (AssayMatrix) b = make_rows (MAX (c->n_public, 1), c->cols, "b");
  const gboolean is_pairs = c->n_public == 0;
  const AssayView left = assay_matrix_view (a), right = is_pairs ? left : assay_matrix_view (b);
  const gsize results = is_pairs ? c->n * (c->n - 1) / 2 : c->n * c->n_public;
  g_autofree float *products = g_new (float, c->n *right.rows);
  g_autofree float *scores = g_new (float, is_pairs ? results : 1);
  g_autofree gint64 *rows = g_new (gint64, is_pairs ? 1 : results);
  Product product = { left, right, products, is_pairs };
  double ours = G_MAXDOUBLE, sgemm = G_MAXDOUBLE;

  for (guint run = 0; run < runs; run++) {
    gint64 start = g_get_monotonic_time ();

    assay_parallel_for (SLICES, multiply_slice, &product);
    sgemm = MIN (sgemm, seconds_since (start));
    start = g_get_monotonic_time ();
    if (is_pairs ? !mixture_pair_products (left, right, scores, NULL)
                 : !mixture_rank (left, right, c->n_public, rows, NULL))
      exit (1);
    ours = MIN (ours, seconds_since (start));
  }
  printf ("| %zu | %zu | %zu | %.4f | %.1f | %.4f | %.1f | %.0f %%%s |\n", c->n, c->n_public,
          c->cols, ours, 2e-9 * (double) results * (double) c->cols / ours, sgemm,
          2e-9 * (double) results * (double) c->cols / sgemm, 100 * sgemm / ours,
          sgemm / ours >= 0.7 ? "" : " MISSED");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  int runs = 5, threads = 0;
  const GOptionEntry entries[]
      = { { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Runs of each case (5)", "N" },
          { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "Threads (one per processor)", "N" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) options = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error) || runs < 1 || threads < 0) {
    fprintf (stderr, "bench-mixture-scores: %s\n",
             error != NULL ? error->message : "--runs from 1, --threads from 0");
    return 2;
  }
  assay_parallel_set_threads ((guint) threads);
  printf ("Scores of mixtures on %u threads, best of %d; seed %d; %s.\n\n"
          "| mixtures | public (0: pairs) | columns | s | Gflop/s | sgemm s | sgemm Gflop/s "
          "| share |\n"
          "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
          assay_parallel_threads (), runs, SEED, assay_linalg_describe ());
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (&cases[i], (guint) runs);
  return 0;
}
