/* How fast is SSIM? Pairs of pictures, and queries against a prepared set, beside the same by the
 * naive reference and by NumPy (bench/image-quality.py, same run).
 *
 *   bench-image-quality [--runs N] [--threads N] [--numpy PYTHON --script FILE]
 *
 * Minimum and median over the runs, of whole calls (the preparation of pairs is timed, that of a
 * set is not). The naive form is timed on one thread and NAIVE_PAIRS pairs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/image-quality.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "tests/reference/naive-image-quality.h"

#define SEED 1
#define NAIVE_PAIRS 20

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

static void
stop (const GError *error)
{
  fprintf (stderr, "bench-image-quality: %s\n", error->message);
  exit (1);
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

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

static void
run_once (const Job *job)
{
  const AssayView a = assay_matrix_view (job->a), b = assay_matrix_view (job->b);
  g_autoptr (GError) error = NULL;

  if (job->set != NULL
          ? !assay_ssim_set_compare (job->set, a, job->values, &error)
          : !assay_image_ssim_pairs (&job->ssim, a, b, NULL, job->c->n, job->values, &error))
    stop (error);
}

/* Microseconds of a pair by the naive form. */
static double
time_naive (const Job *job)
{
  const gsize n = MIN (NAIVE_PAIRS, MIN (job->a->rows, job->b->rows));
  const gint64 start = g_get_monotonic_time ();
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += naive_ssim (job->ssim.shape, 1, assay_matrix_row (job->a, i),
                       assay_matrix_row (job->b, i));
  if (!(sum < (double) n))
    fprintf (stderr, "bench-image-quality: naive SSIM of noise: %g\n", sum / (double) n);
  return (double) (g_get_monotonic_time () - start) / (double) n;
}

/* Microseconds of a pair by NumPy on one core, or 0 without it. */
static double
ask_numpy (const char *python, const char *script, const Case *c)
{
  g_autofree char *height = g_strdup_printf ("%" G_GSIZE_FORMAT, c->shape.height);
  g_autofree char *width = g_strdup_printf ("%" G_GSIZE_FORMAT, c->shape.width);
  g_autofree char *channels = g_strdup_printf ("%" G_GSIZE_FORMAT, c->shape.channels);
  const char *argv[]
      = { python, script, height, width, channels, c->n_queries > 0 ? "set" : "pairs", NULL };
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
run_case (const Case *c, const char *python, const char *script, guint runs)
{
  const gsize cols = c->shape.height * c->shape.width * c->shape.channels;
  const gsize n_pairs = c->n * MAX (c->n_queries, 1);
  g_autoptr (AssayMatrix) a = make_pictures (c->n_queries > 0 ? c->n_queries : c->n, cols, "a");
  g_autoptr (AssayMatrix) b = make_pictures (c->n, cols, "b");
  g_autoptr (AssaySsimSet) set = NULL;
  g_autofree double *values = g_new (double, n_pairs);
  g_autofree double *seconds = g_new (double, runs);
  g_autoptr (GError) error = NULL;
  Job job = { .c = c, .ssim = { .shape = c->shape, .range = 1 }, .a = a, .b = b, .values = values };
  double naive, numpy, each;

  if (c->n_queries > 0) {
    set = assay_ssim_set_new (&job.ssim, assay_matrix_view (b), &error);
    if (set == NULL)
      stop (error);
    job.set = set;
  }
  for (guint i = 0; i < runs; i++) {
    const gint64 start = g_get_monotonic_time ();

    run_once (&job);
    seconds[i] = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  }
  qsort (seconds, runs, sizeof *seconds, compare_doubles);
  each = 1e6 * seconds[0] / (double) n_pairs;
  naive = time_naive (&job);
  numpy = ask_numpy (python, script, c);
  printf ("| %zu x %zu x %zu | ", c->shape.height, c->shape.width, c->shape.channels);
  if (c->n_queries > 0)
    printf ("%zu queries x %zu", c->n_queries, c->n);
  else
    printf ("%zu pairs", c->n);
  printf (" | %.4f | %.4f | %s | %.2f | %.0f | ", seconds[0], seconds[runs / 2],
          c->wanted > 0 ? (seconds[0] < c->wanted ? "under 1 s" : "under 1 s MISSED") : "", each,
          naive);
  if (numpy > 0)
    printf ("%.1f ", numpy);
  printf ("|\n");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const char *python = NULL, *script = NULL;
  int runs = 5, threads = 0;
  const GOptionEntry entries[]
      = { { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Runs of each case (5)", "N" },
          { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "Threads (one per processor)", "N" },
          { "numpy", 0, 0, G_OPTION_ARG_FILENAME, &python, "A Python that has NumPy", "PYTHON" },
          { "script", 0, 0, G_OPTION_ARG_FILENAME, &script, "bench/image-quality.py", "FILE" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) options = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error))
    stop (error);
  if (runs < 1 || threads < 0 || (python != NULL && script == NULL)) {
    fprintf (stderr,
             "bench-image-quality: --runs from 1, --threads from 0, --numpy with --script\n");
    return 2;
  }
  assay_parallel_set_threads ((guint) threads);
  printf ("SSIM on %u threads, best and median of %d; seed %d. Naive and NumPy: one core.\n\n"
          "| pictures | what | best s | median s | wanted | us a pair | naive us | NumPy us |\n"
          "| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |\n",
          assay_parallel_threads (), runs, SEED);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (&cases[i], python, script, (guint) runs);
  return 0;
}
