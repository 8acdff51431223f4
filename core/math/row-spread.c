/* How far apart rows usually are. */
#include "core/math/row-spread.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/each.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"

#define MAX_PAIRS ((gsize) 1 << 17)
#define MAX_VALUES ((gsize) 1 << 28) /* that are read for them */
#define MIN_PAIRS 4096
#define PIECE 256
#define USUAL 0.9

typedef struct {
  AssayView rows;
  const gsize *parts;
  AssayStreamKey key;
  gboolean is_sample; /* otherwise all pairs, row after row */
  double *distances;  /* -1: no pair of different parts */
} Work;

static double
distance_of (const Work *work, gsize a, gsize b)
{
  if (a == b || (work->parts != NULL && work->parts[a] == work->parts[b]))
    return -1;
  return sqrt (assay_lanes_squared_distance_float (assay_view_row (work->rows, a),
                                                   assay_view_row (work->rows, b),
                                                   work->rows.cols));
}

static void
sample_pairs (gsize piece, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Work *work = data;
  AssayStream stream = assay_stream (work->key, piece);

  for (gsize i = 0; i < PIECE; i++) {
    const gsize a = assay_stream_below (&stream, work->rows.rows);
    const gsize b = assay_stream_below (&stream, work->rows.rows);

    work->distances[piece * PIECE + i] = distance_of (work, a, b);
  }
}

static void
pair_row (gsize b, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Work *work = data;

  for (gsize a = 0; a < b; a++)
    work->distances[b * (b - 1) / 2 + a] = distance_of (work, a, b);
}

static gsize
find_distances (Work *work)
{
  const gsize n = work->rows.rows;
  const gsize most = CLAMP (MAX_VALUES / work->rows.cols, MIN_PAIRS, MAX_PAIRS);
  const gsize all = n <= 4096 ? n * (n - 1) / 2 : G_MAXSIZE;
  const gsize count = all <= most ? all : most / PIECE * PIECE;

  work->distances = g_new (double, count + 1);
  work->is_sample = all > most;
  if (work->is_sample)
    assay_parallel_for (count / PIECE, sample_pairs, work);
  else
    assay_parallel_for (n, pair_row, work);
  return count;
}

AssaySpread *
assay_spread_new (AssayView rows, const gsize *parts, AssayStreamKey key)
{
  Work work = { .rows = rows, .parts = parts, .key = key };
  AssaySpread *spread;
  gsize count, n = 0;

  if (rows.rows < 2 || rows.cols == 0)
    return NULL;
  count = find_distances (&work);
  for (gsize i = 0; i < count; i++)
    if (work.distances[i] >= 0)
      work.distances[n++] = work.distances[i];
  if (n == 0) {
    g_free (work.distances);
    return NULL;
  }
  qsort (work.distances, n, sizeof (double), assay_compare_doubles);
  spread = g_new (AssaySpread, 1);
  *spread = (AssaySpread){ .n_pairs = n,
                           .nearest = work.distances,
                           .usual = work.distances[(gsize) (USUAL * (double) (n - 1))] };
  return spread;
}

ASSAY_FREE_FUNC (AssaySpread, assay_spread_free, g_free (self->nearest))

static gsize
count_within (const AssaySpread *spread, double distance)
{
  gsize first = 0, last = spread->n_pairs;

  ASSAY_BISECT (gsize, pair, first, last, spread->nearest[pair] <= distance)
  return first;
}

double
assay_spread_share (const AssaySpread *spread, double distance)
{
  return (double) count_within (spread, distance) / (double) spread->n_pairs;
}

/* One pair more than were seen: of none nothing could be said. */
double
assay_spread_chance (const AssaySpread *spread, double distance)
{
  const double half = spread->usual / 2;
  const double share
      = (double) (count_within (spread, half) + 1) / (double) (spread->n_pairs + 1);
  const double power = MAX (0, log2 (USUAL / share));

  return MIN (share, USUAL) * pow (distance / half, power);
}

/* ---- Columns of one scale ---- */

typedef struct {
  AssayMatrix *rows, *like;
  double *deviations;
} Columns;

#define COLUMNS 64 /* a piece: rows are read from their beginning to their end */

static void
add_deviations (const AssayMatrix *rows, gsize first, gsize count, double *inout_deviations)
{
  double sums[COLUMNS] = { 0 }, squares[COLUMNS] = { 0 };

  /* Around the first row: numbers far from zero lose no digits. */
  for (gsize i = 1; i < rows->rows; i++)
    for (gsize j = 0; j < count; j++) {
      const double value = (double) rows->data[i * rows->cols + first + j] - rows->data[first + j];

      sums[j] += value;
      squares[j] += value * value;
    }
  for (gsize j = 0; rows->rows > 1 && j < count; j++) {
    const double mean = sums[j] / (double) rows->rows;
    const double variance = squares[j] / (double) rows->rows - mean * mean;

    inout_deviations[first + j] = MAX (inout_deviations[first + j], sqrt (MAX (variance, 0)));
  }
}

static void
find_deviations (gsize piece, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Columns *columns = data;
  const gsize first = piece * COLUMNS;
  const gsize count = MIN (COLUMNS, columns->rows->cols - first);

  add_deviations (columns->rows, first, count, columns->deviations);
  if (columns->like->rows > 0)
    add_deviations (columns->like, first, count, columns->deviations);
}

static void
divide (AssayMatrix *rows, const double *deviations)
{
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      rows->data[i * rows->cols + j] /= (float) deviations[j];
}

gsize
assay_rows_scale_columns (AssayMatrix *inout_rows, AssayMatrix *inout_like)
{
  const gsize cols = inout_rows->cols;
  g_autofree double *deviations = g_new0 (double, cols);
  g_autofree double *varying = g_new (double, cols);
  Columns columns = { inout_rows, inout_like, deviations };
  gsize n = 0;

  assay_parallel_for (assay_pieces (cols, COLUMNS), find_deviations, &columns);
  for (gsize j = 0; j < cols; j++)
    if (deviations[j] > 0)
      varying[n++] = deviations[j];
  if (n == 0)
    return 0;
  qsort (varying, n, sizeof (double), assay_compare_doubles);
  for (gsize j = 0; j < cols; j++)
    deviations[j] = MAX (deviations[j], varying[n / 2]);
  divide (inout_rows, deviations);
  if (inout_like->rows > 0)
    divide (inout_like, deviations);
  return n;
}
