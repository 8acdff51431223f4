/* How fast is SSIM? Pairs of pictures, and queries against a prepared set, beside the same by the
 * naive reference and by NumPy (bench/image-quality.py, same run).
 *
 *   bench-image-quality [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * Times are of whole calls (the preparation of pairs is timed, that of a set is not). The naive
 * form is timed on one thread and NAIVE_PAIRS pairs; --quick takes a tenth of each set. */
#include <math.h>
#include <stdio.h>

#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/image-quality.h"
#include "tests/reference/naive-image-quality.h"

#define SEED 1
#define NAIVE_PAIRS 20
#define MOST_NAIVE 100000 /* values of a picture with --quick */

typedef struct {
  AssayImageShape shape;
  gsize n_queries; /* 0: pairs */
  gsize n;         /* pairs, or pictures of the set */
  double wanted;   /* seconds; 0: as they come */
} Case;

static const Case cases[] = {
  { { 32, 32, 1 }, 0, 10000, 1 }, { { 32, 32, 3 }, 0, 10000, 0 },  { { 480, 640, 3 }, 0, 1, 0 },
  { { 28, 28, 1 }, 0, 10000, 0 }, { { 32, 32, 1 }, 200, 3718, 0 }, { { 32, 32, 3 }, 200, 3718, 0 },
  { { 32, 32, 1 }, 1, 3718, 0 },
};

typedef struct {
  const Case *c;
  AssaySsim ssim;
  AssayMatrix *a;
  AssayMatrix *b;
  AssaySsimSet *set;
  double *values;
} Job;

/* Numbers of 0 .. 1, uniform. */
static AssayMatrix *
make_pictures (gsize n, gsize cols, const char *role)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, role, "bench-image-quality");
  AssayMatrix *matrix = assay_matrix_new (n, cols, NULL);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);

    for (gsize j = 0; j < cols; j++)
      assay_matrix_row (matrix, i)[j] = (float) assay_stream_uniform (&stream);
  }
  return matrix;
}

static gboolean
compare_pair (gsize i, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Job *job = data;

  return assay_image_ssim (&job->ssim, assay_matrix_row (job->a, i), assay_matrix_row (job->b, i),
                           &job->values[i], error);
}

static void
run_once (const Job *job)
{
  g_autoptr (GError) error = NULL;

  if (job->set != NULL ? !assay_ssim_set_compare (job->set, assay_matrix_view (job->a), job->values,
                                                  &error)
                       : !assay_parallel_try (job->b->rows, compare_pair, (gpointer) job, &error))
    measure_stop ("SSIM", error);
}

/* Microseconds of a pair by the naive form. */
static double
time_naive (const Job *job)
{
  const gsize n = MIN (NAIVE_PAIRS, MIN (job->a->rows, job->b->rows));
  const Moment start = measure_moment ();
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += naive_ssim (job->ssim.shape, 1, assay_matrix_row (job->a, i),
                       assay_matrix_row (job->b, i));
  if (!(sum < (double) n))
    fprintf (stderr, "bench-image-quality: naive SSIM of noise: %g\n", sum / (double) n);
  return 1e6 * measure_seconds_since (start) / (double) n;
}

/* Microseconds of a pair by NumPy on one core, or NAN without it. */
static double
ask_numpy (const MeasureOptions *options, const Case *c)
{
  g_autofree char *height = g_strdup_printf ("%" G_GSIZE_FORMAT, c->shape.height);
  g_autofree char *width = g_strdup_printf ("%" G_GSIZE_FORMAT, c->shape.width);
  g_autofree char *channels = g_strdup_printf ("%" G_GSIZE_FORMAT, c->shape.channels);
  g_autofree char *out
      = measure_ask_python (options, (const char *[]){ height, width, channels,
                                                       c->n_queries > 0 ? "set" : "pairs", NULL });

  return out == NULL ? NAN : g_ascii_strtod (out, NULL);
}

static void
report_job (Report *report, const Job *job, const Samples *samples)
{
  const Case *c = job->c;
  const Times times = measure_times (samples);

  if (c->n_queries > 0)
    report_case (report, "%zu x %zu x %zu, %zu queries x %zu", c->shape.height, c->shape.width,
                 c->shape.channels, c->n_queries, job->b->rows);
  else
    report_case (report, "%zu x %zu x %zu, %zu pairs", c->shape.height, c->shape.width,
                 c->shape.channels, job->b->rows);
  report_times (report, "s", times);
  report_number (report, "wanted s", c->wanted > 0 ? c->wanted : NAN, 0);
  report_number (report, "us a pair",
                 1e6 * times.minimum / (double) (job->b->rows * MAX (c->n_queries, 1)), 2);
  report_number (report, "naive us",
                 report->options->is_quick && job->b->cols > MOST_NAIVE ? NAN : time_naive (job),
                 0);
  report_number (report, "NumPy us", ask_numpy (report->options, c), 1);
}

static void
run_case (Report *report, const Case *c)
{
  const gsize cols = c->shape.height * c->shape.width * c->shape.channels;
  const gsize n = report->options->is_quick ? MAX (c->n / 10, 1) : c->n;
  g_autoptr (AssayMatrix) a = make_pictures (c->n_queries > 0 ? c->n_queries : n, cols, "a");
  g_autoptr (AssayMatrix) b = make_pictures (n, cols, "b");
  g_autoptr (AssaySsimSet) set = NULL;
  g_autofree double *values = g_new (double, n *MAX (c->n_queries, 1));
  g_autoptr (GError) error = NULL;
  Job job = { .c = c, .ssim = { .shape = c->shape, .range = 1 }, .a = a, .b = b, .values = values };
  Samples samples = { 0 };

  if (c->n_queries > 0) {
    set = assay_ssim_set_new (&job.ssim, assay_matrix_view (b), &error);
    if (set == NULL)
      measure_stop ("SSIM", error);
    job.set = set;
  }
  for (int i = 0; i < report->options->runs; i++) {
    const Moment start = measure_moment ();

    run_once (&job);
    measure_add (&samples, start);
  }
  report_job (report, &job, &samples);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("image-quality", 5, NULL, argc, argv);
  g_autoptr (Report) report = report_new (&options, SEED, "SSIM; naive and NumPy on one core");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (report, &cases[i]);
  return 0;
}
