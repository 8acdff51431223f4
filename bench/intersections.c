/* How fast is the clustering attack's intersection test? 200 subspaces of hybrid lifting at m = 16
 * in 128 columns against 5,000 others, of a database small enough that some of them meet.
 *
 *   bench-intersections [--runs N] [--threads N] [--naive]
 *
 * Reports minimum and median of the search, of bringing the subspaces to double precision, which it
 * needs first, and with --naive what one pair costs by the distance itself, without the filter. */
#include <stdio.h>
#include <stdlib.h>

#include "attacks/intersections.h"
#include "core/linalg.h"
#include "core/parallel.h"
#include "core/rng.h"

#define SEED 1
#define SECRETS 200
#define OTHERS 5000
#define DIMENSION 16
#define COLS 128
#define DATABASE 16000
#define NAIVE_PAIRS 2000

static void
stop (const char *what, GError *error)
{
  fprintf (stderr, "bench-intersections: %s: %s\n", what,
           error == NULL ? "failed" : error->message);
  exit (2);
}

/* Subspaces through a normal point, DIMENSION / 2 rows of the database and random directions. */
static void
make_subspaces (float *ret_translation, float *ret_basis)
{
  const AssayStreamKey points = assay_stream_key (SEED, 0, "data", "bench-intersections");
  const AssayStreamKey lifting = assay_stream_key (SEED, 0, "defense", "bench-intersections");
  g_autofree double *span = g_new (double, DIMENSION *COLS);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < OTHERS; i++) {
    AssayStream stream = assay_stream (lifting, i);
    float *t = ret_translation + i * COLS;

    for (gsize j = 0; j < COLS; j++)
      t[j] = (float) assay_stream_normal (&stream);
    for (gsize r = 0; r < DIMENSION; r++) {
      /* Each from a part of the database of its own: no row twice. */
      AssayStream row = assay_stream (
          points, assay_stream_below (&stream, DATABASE / DIMENSION) * DIMENSION + r);

      for (gsize j = 0; j < COLS; j++)
        span[r * COLS + j]
            = r % 2 == 0 ? assay_stream_normal (&row) - t[j] : assay_stream_normal (&stream);
    }
    if (!assay_linalg_orthonormalize (span, DIMENSION, COLS, &error))
      stop ("basis", error);
    for (gsize r = 0; r < DIMENSION; r++) {
      const double part = assay_stream_normal (&stream);

      for (gsize j = 0; j < COLS; j++) {
        ret_basis[(i * DIMENSION + r) * COLS + j] = (float) span[r * COLS + j];
        t[j] += (float) (part * span[r * COLS + j]);
      }
    }
  }
}

static int
compare_seconds (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
print_times (const char *what, double *seconds, gsize runs)
{
  qsort (seconds, runs, sizeof (double), compare_seconds);
  printf ("%-12s %7.3f s (%.3f)\n", what, seconds[0],
          (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2);
}

static double
seconds_now (void)
{
  return (double) g_get_monotonic_time () * 1e-6;
}

/* One run; how many pairs meet. */
static gsize
search_once (const AssaySubspaces *subspaces, double *ret_frames, double *ret_search)
{
  g_autofree double *lengths = g_new (double, OTHERS);
  g_autoptr (GError) error = NULL;
  g_autoptr (Frames) frames = NULL;
  g_autoptr (GPtrArray) found = NULL;
  double start = seconds_now ();
  gsize n_found = 0;

  for (gsize i = 0; i < OTHERS; i++)
    lengths[i] = 12; /* sqrt (COLS) and a little */
  frames = frames_new (subspaces, &error);
  if (frames == NULL)
    stop ("frames", error);
  *ret_frames = seconds_now () - start;
  start = seconds_now ();
  /* The same pairs the other way round: of each of the 5,000 which of the first 200 it meets. */
  found = frames_find_intersections (frames, SECRETS, lengths, 4, &error);
  if (found == NULL)
    stop ("search", error);
  *ret_search = seconds_now () - start;
  for (gsize i = 0; i < found->len; i++)
    n_found += ((const GArray *) found->pdata[i])->len;
  return n_found;
}

static void
time_naive (const AssaySubspaces *subspaces)
{
  g_autoptr (Frames) frames = frames_new (subspaces, NULL);
  const double start = seconds_now ();
  double sum = 0;

  for (gsize i = 1; i <= NAIVE_PAIRS; i++)
    sum += frames_distance (frames, 0, i, 4);
  printf ("without the filter %.1f us a pair on one thread, %.0f s for all (mean distance %.2f)\n",
          1e6 * (seconds_now () - start) / NAIVE_PAIRS,
          (seconds_now () - start) / NAIVE_PAIRS * SECRETS * OTHERS, sum / NAIVE_PAIRS);
}

int
main (int argc, char **argv)
{
  int runs = 3, threads = 0;
  gboolean is_naive = FALSE;
  const GOptionEntry entries[]
      = { { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Runs (3)", "N" },
          { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0: one per processor", "N" },
          { "naive", 0, 0, G_OPTION_ARG_NONE, &is_naive, "Time the distance alone, too", NULL },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree float *translation = g_new (float, OTHERS *COLS);
  g_autofree float *basis = g_new (float, OTHERS *DIMENSION *COLS);
  g_autofree double *preparing = NULL;
  g_autofree double *searching = NULL;
  const AssaySubspaces subspaces = { .count = OTHERS,
                                     .dimension = DIMENSION,
                                     .cols = COLS,
                                     .translation = translation,
                                     .basis = basis };
  gsize n_found = 0;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    stop ("options", error);
  if (runs < 1 || threads < 0)
    stop ("--runs from 1, --threads from 0", NULL);
  assay_parallel_set_threads ((guint) threads);
  make_subspaces (translation, basis);
  preparing = g_new (double, (gsize) runs);
  searching = g_new (double, (gsize) runs);
  for (int run = 0; run < runs; run++)
    n_found = search_once (&subspaces, preparing + run, searching + run);
  printf ("%d subspaces against %d others, m = %d, d = %d, seed %d, %u threads, %s\n"
          "%d runs: minimum (median)\n",
          SECRETS, OTHERS, DIMENSION, COLS, SEED, assay_parallel_threads (),
          assay_linalg_describe (), runs);
  print_times ("in double", preparing, (gsize) runs);
  print_times ("search", searching, (gsize) runs);
  printf ("%zu pairs meet\n", n_found);
  if (is_naive)
    time_naive (&subspaces);
  return 0;
}
