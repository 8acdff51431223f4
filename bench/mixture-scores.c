/* How fast are the scores of mixtures? Ranks of all public images for every mixture, and products
 * of all pairs of mixtures, beside the matrix products that they are made of: sgemm on as many
 * threads, by slices of the rows (same run, same numbers).
 *
 *   bench-mixture-scores [--runs N] [--threads N] [--quick] [--json]
 *
 * The share is sgemm's time over ours. Wanted: 0.7. --quick takes a tenth of the mixtures. */
#include "attacks/mixtures/mixture-scores.h"
#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"

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
  assay_linalg_product (ASSAY_NT, assay_view_rows (job->a, first, last - first),
                        assay_view_rows (job->b, from, job->b.rows - from),
                        job->products + first * job->b.rows + from, job->b.rows);
}

static void
run_case (Report *report, const Case *c)
{
  const gsize n = report->options->is_quick ? c->n / 10 : c->n;
  g_autoptr (AssayMatrix) a = make_rows (n, c->cols, "a");
  g_autoptr (AssayMatrix) b = make_rows (MAX (c->n_public, 1), c->cols, "b");
  const gboolean is_pairs = c->n_public == 0;
  const AssayView left = assay_matrix_view (a), right = is_pairs ? left : assay_matrix_view (b);
  const gsize results = is_pairs ? n * (n - 1) / 2 : n * c->n_public;
  const double operations = 2e-9 * (double) results * (double) c->cols;
  g_autofree float *products = g_new (float, n *right.rows);
  g_autofree float *scores = g_new (float, is_pairs ? results : 1);
  g_autofree gint64 *rows = g_new (gint64, is_pairs ? 1 : results);
  Product product = { left, right, products, is_pairs };
  Samples samples = { 0 }, alone = { 0 };
  Times ours, sgemm;

  for (int run = 0; run < report->options->runs; run++) {
    g_autoptr (GError) error = NULL;
    Moment start = measure_moment ();

    assay_parallel_for (SLICES, multiply_slice, &product);
    measure_add (&alone, start);
    start = measure_moment ();
    if (is_pairs ? !mixture_pair_products (left, right, scores, &error)
                 : !mixture_rank (left, right, c->n_public, rows, &error))
      measure_stop ("scores", error);
    measure_add (&samples, start);
  }
  ours = measure_times (&samples);
  sgemm = measure_times (&alone);
  if (is_pairs)
    report_case (report, "pairs of %zu, %zu columns", n, c->cols);
  else
    report_case (report, "%zu x %zu public, %zu columns", n, c->n_public, c->cols);
  report_times (report, "s", ours);
  report_number (report, "GFLOP/s", operations / ours.minimum, 1);
  report_times (report, "sgemm s", sgemm);
  report_number (report, "sgemm GFLOP/s", operations / sgemm.minimum, 1);
  report_number (report, "share", sgemm.minimum / ours.minimum, 3);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("mixture-scores", 5, NULL, argc, argv);
  g_autoptr (Report) report = report_new (&options, SEED, "Scores of mixtures (wanted: 0.7)");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (report, &cases[i]);
  return 0;
}
