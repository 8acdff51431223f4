/* How fast is the clustering attack's intersection test? 200 subspaces of hybrid lifting at m = 16
 * in 128 columns against 5,000 others, of a database small enough that some of them meet.
 *
 *   bench-intersections [--runs N] [--threads N] [--quick] [--json]
 *
 * Reports the search, what bringing the subspaces to double precision takes, which it needs first,
 * and what one pair costs by the distance itself on one thread, without the filter. 20 against 500
 * subspaces with --quick. */
#include "attacks/lifting/intersections.h"
#include "bench/measure.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"

#define SEED 1
#define SECRETS 200
#define OTHERS 5000
#define DIMENSION 16
#define COLS 128
#define DATABASE 16000
#define NAIVE_PAIRS 400

/* Subspaces through a normal point, DIMENSION / 2 rows of the database and random directions. */
static void
make_subspaces (gsize n, float *ret_translation, float *ret_basis)
{
  const AssayStreamKey points = assay_stream_key (SEED, 0, "data", "bench-intersections");
  const AssayStreamKey lifting = assay_stream_key (SEED, 0, "defense", "bench-intersections");
  g_autofree double *span = g_new (double, DIMENSION *COLS);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < n; i++) {
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
      measure_stop ("basis", error);
    for (gsize r = 0; r < DIMENSION; r++) {
      const double part = assay_stream_normal (&stream);

      for (gsize j = 0; j < COLS; j++) {
        ret_basis[(i * DIMENSION + r) * COLS + j] = (float) span[r * COLS + j];
        t[j] += (float) (part * span[r * COLS + j]);
      }
    }
  }
}

/* One run; how many pairs meet. */
static gsize
search_once (const AssaySubspaces *subspaces, gsize n_secrets, Samples *preparing,
             Samples *searching)
{
  g_autofree double *lengths = g_new (double, subspaces->count);
  g_autoptr (GError) error = NULL;
  g_autoptr (Frames) frames = NULL;
  g_autoptr (GPtrArray) found = NULL;
  Moment start = measure_moment ();
  gsize n_found = 0;

  for (gsize i = 0; i < subspaces->count; i++)
    lengths[i] = 12; /* sqrt (COLS) and a little */
  frames = frames_new (subspaces, &error);
  if (frames == NULL)
    measure_stop ("frames", error);
  measure_add (preparing, start);
  start = measure_moment ();
  /* The same pairs the other way round: of each of the others which of the secrets it meets. */
  found = frames_find_intersections (frames, n_secrets, lengths, 4, &error);
  if (found == NULL)
    measure_stop ("search", error);
  measure_add (searching, start);
  for (gsize i = 0; i < found->len; i++)
    n_found += ((const GArray *) found->pdata[i])->len;
  return n_found;
}

/* Microseconds of a pair on one thread. */
static double
time_naive (const AssaySubspaces *subspaces, double *ret_mean)
{
  g_autoptr (Frames) frames = frames_new (subspaces, NULL);
  const Moment start = measure_moment ();
  double sum = 0;

  for (gsize i = 1; i <= NAIVE_PAIRS; i++)
    sum += frames_distance (frames, 0, i, 4);
  *ret_mean = sum / NAIVE_PAIRS;
  return 1e6 * measure_seconds_since (start) / NAIVE_PAIRS;
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("intersections", 3, NULL, argc, argv);
  const gsize others = options.is_quick ? OTHERS / 10 : OTHERS;
  const gsize secrets = options.is_quick ? SECRETS / 10 : SECRETS;
  g_autofree char *about = g_strdup_printf ("%zu subspaces against %zu others, m = %d, d = %d",
                                            secrets, others, DIMENSION, COLS);
  g_autofree float *translation = g_new (float, others *COLS);
  g_autofree float *basis = g_new (float, others *DIMENSION *COLS);
  const AssaySubspaces subspaces = { .count = others,
                                     .dimension = DIMENSION,
                                     .cols = COLS,
                                     .translation = translation,
                                     .basis = basis };
  Samples preparing = { 0 }, searching = { 0 };
  g_autoptr (Report) report = report_new (&options, SEED, about);
  gsize n_found = 0;
  double naive, mean;

  make_subspaces (others, translation, basis);
  for (int run = 0; run < options.runs; run++)
    n_found = search_once (&subspaces, secrets, &preparing, &searching);
  naive = time_naive (&subspaces, &mean);
  report_case (report, "%zu x %zu", secrets, others);
  report_times (report, "in double s", measure_times (&preparing));
  report_times (report, "search s", measure_times (&searching));
  report_number (report, "pairs that meet", (double) n_found, 0);
  report_number (report, "without filter, us a pair", naive, 1);
  report_number (report, "without filter, s for all", 1e-6 * naive * (double) (secrets * others),
                 0);
  report_number (report, "mean distance", mean, 2);
  return 0;
}
