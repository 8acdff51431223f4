/* What the machine can do at most, to hold every other figure against: single-precision products by
 * shape, and memory bandwidth.
 *
 *   bench-roofline [--runs N] [--threads N] [--quick] [--json]
 *
 * A product C = A B' of rows x inner and cols x inner counts 2 rows cols inner operations. Each
 * thread multiplies matrices of its own, as the scans do, so that the rate is that of all threads.
 * The triad a = b + 3 c of STREAM (McCalpin 1995) counts 12 bytes an element; the copy a = b counts
 * 8, the sum of b counts 4. Arrays of 64 MiB each are far beyond the caches (4 MiB with --quick,
 * which is not).
 * The intensity at which the two roofs meet is what operations a byte a kernel must do for the
 * processor to be what limits it. */
#include <math.h>

#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "core/search/scan.h"

#define SEED 1
#define PIECES 64 /* of the arrays, cut alike for any number of threads */

typedef struct {
  gsize rows;
  gsize cols;
  gsize inner;
  const char *name;
} Shape;

typedef struct {
  Shape shape;
  float *a; /* a thread's part begins at worker * rows * inner; the others alike */
  float *b;
  float *c;
} Product;

typedef struct {
  gsize n;
  float *a;
  float *b;
  float *c;
  double sums[PIECES];
} Arrays;

static float *
draw (gsize n, const char *role)
{
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, role, "bench-roofline"), 0);
  g_autoptr (GError) error = NULL;
  float *values = assay_alloc (n, sizeof (float), role, &error);

  if (values == NULL)
    measure_stop ("memory", error);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) assay_stream_between (&stream, -1, 1);
  return values;
}

static void
multiply (gsize index, guint worker, gpointer data)
{
  const Product *job = data;
  const Shape *s = &job->shape;

  (void) index;
  assay_linalg_product (ASSAY_NT,
                        assay_view_of (job->a + worker * s->rows * s->inner, s->rows, s->inner),
                        assay_view_of (job->b + worker * s->cols * s->inner, s->cols, s->inner),
                        job->c + worker * s->rows * s->cols, s->cols);
}

/* GFLOP/s of all threads. */
static double
run_product (Report *report, const Shape *shape, guint runs, gboolean is_quick)
{
  const gsize threads = assay_parallel_threads ();
  const double operations = 2.0 * (double) (shape->rows * shape->cols) * (double) shape->inner;
  const gsize repeats = (gsize) ceil ((is_quick ? 2e8 : 1e10) / operations) * threads;
  g_autofree float *a = draw (threads * shape->rows * shape->inner, "a");
  g_autofree float *b = draw (threads * shape->cols * shape->inner, "b");
  g_autofree float *c = draw (threads * shape->rows * shape->cols, "c");
  Product job = { .shape = *shape, .a = a, .b = b, .c = c };
  Samples samples = { 0 };
  Times times;
  double rate;

  assay_parallel_for (threads, multiply, &job); /* pages and threads are there */
  for (guint i = 0; i < runs; i++) {
    const Moment start = measure_moment ();

    assay_parallel_for (repeats, multiply, &job);
    measure_add (&samples, start);
  }
  times = measure_times (&samples);
  rate = 1e-9 * operations * (double) repeats / times.minimum;
  report_case (report, "sgemm %zu x %zu x %zu (%s)", shape->rows, shape->cols, shape->inner,
               shape->name);
  report_times (report, "s", times);
  report_number (report, "GFLOP/s", rate, 1);
  report_number (report, "GFLOP/s and CPU second", 1e-9 * operations * (double) repeats / times.cpu,
                 1);
  return rate;
}

static void
copy_piece (gsize index, guint worker, gpointer data)
{
  const Arrays *arrays = data;

  (void) worker;
  for (gsize i = arrays->n * index / PIECES; i < arrays->n * (index + 1) / PIECES; i++)
    arrays->a[i] = arrays->b[i];
}

static void
triad_piece (gsize index, guint worker, gpointer data)
{
  const Arrays *arrays = data;
  float *a = arrays->a;
  const float *b = arrays->b, *c = arrays->c;

  (void) worker;
  for (gsize i = arrays->n * index / PIECES; i < arrays->n * (index + 1) / PIECES; i++)
    a[i] = b[i] + 3 * c[i];
}

/* Sixteen sums at once, as one would wait for each addition. */
static void
sum_piece (gsize index, guint worker, gpointer data)
{
  Arrays *arrays = data;
  const float *b = arrays->b;
  const gsize last = arrays->n * (index + 1) / PIECES;
  float sums[16] = { 0 };

  (void) worker;
  for (gsize i = arrays->n * index / PIECES; i + 16 <= last; i += 16)
    for (gsize j = 0; j < 16; j++)
      sums[j] += b[i + j];
  arrays->sums[index] = 0;
  for (gsize j = 0; j < 16; j++)
    arrays->sums[index] += sums[j];
}

/* GB/s of all threads. */
static double
run_memory (Report *report, const char *name, AssayWork work, double bytes_each, Arrays *arrays,
            guint runs)
{
  const double bytes = bytes_each * (double) arrays->n;
  Samples samples = { 0 };
  Times times;

  assay_parallel_for (PIECES, work, arrays);
  for (guint i = 0; i < runs; i++) {
    const Moment start = measure_moment ();

    assay_parallel_for (PIECES, work, arrays);
    measure_add (&samples, start);
  }
  times = measure_times (&samples);
  report_case (report, "%s", name);
  report_times (report, "s", times);
  report_number (report, "GB/s", 1e-9 * bytes / times.minimum, 2);
  report_number (report, "GB/s and CPU second", 1e-9 * bytes / times.cpu, 2);
  return 1e-9 * bytes / times.minimum;
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("roofline", 5, NULL, argc, argv);
  const gsize n = options.is_quick ? 1 << 20 : 1 << 24;
  const guint runs = (guint) options.runs;
  g_autoptr (Report) report = report_new (&options, SEED, "The machine: products and memory");
  g_autofree float *a = draw (n, "a");
  g_autofree float *b = draw (n, "b");
  g_autofree float *c = draw (n, "c");
  Arrays arrays = { .n = n, .a = a, .b = b, .c = c };
  Shape shapes[] = { { 1024, 1024, 1024, "large" },
                     { 0, 0, 128, "scan, m = 4" },
                     { 0, 0, 128, "scan, m = 16" },
                     { 256, 256, 784, "images" },
                     { 64, 64, 64, "small" } };
  double peak = 0, triad;

  assay_scan_shape (4, 128, &shapes[1].rows, &shapes[1].cols);
  assay_scan_shape (16, 128, &shapes[2].rows, &shapes[2].cols);
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++) {
    const double rate = run_product (report, &shapes[i], runs, options.is_quick);

    peak = MAX (peak, rate);
  }
  report_next_table (report);
  run_memory (report, "copy", copy_piece, 8, &arrays, runs);
  run_memory (report, "sum", sum_piece, 4, &arrays, runs);
  triad = run_memory (report, "triad", triad_piece, 12, &arrays, runs);
  for (gsize i = 0; i < n; i += n / 64)
    if (fabsf (a[i] - (b[i] + 3 * c[i])) > 1e-6f)
      measure_stop ("triad: wrong sums", NULL);
  report_next_table (report);
  report_case (report, "where the roofs meet");
  report_number (report, "operations a byte", peak / triad, 1);
  return 0;
}
