/* What is known of the candidates of each subspace: which are rows of the database, which stand in
 * other releases, too, and how near each is to a public row. */
#include "attacks/lifting/lattice-standing.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/search/scan.h"

#define CHUNK 1024  /* rows read at a time */
#define WITHIN 2e-6 /* in each number of two equal directions, which float32 leaves */

/* ---- Candidates ---- */

/* Directions are compared by their projection on one random axis first: all points are sorted by
 * it, and a row of the database is looked up by bisection, so that a database is read once however
 * many points there are. What is within rounding of each other on the axis is compared whole. */
typedef struct {
  gsize item;  /* whose point it is */
  gsize place; /* among the item's points */
  double key;  /* of its direction; equal points have equal keys to rounding */
  const gint64 *vector;
  double length;
  gint is_known; /* a row of the database has its direction */
  gsize shared;  /* other items that have it, too */
} LatticeCandidate;

typedef struct {
  gsize cols;
  GArray *sorted; /* of LatticeCandidate, by key */
  double *axis;   /* d: keys are projections on it */
} LatticeCandidates;

ASSAY_LOCAL_FREE (LatticeCandidates, candidates_free, g_array_unref (self->sorted),
                  g_free (self->axis))

/* All points of the @n items, which have to outlive them. */
static LatticeCandidates *
candidates_new (const IntegerPoints *points, gsize n, gsize cols, AssayStream *stream)
{
  LatticeCandidates *candidates = g_new0 (LatticeCandidates, 1);

  candidates->cols = cols;
  candidates->sorted = g_array_new (FALSE, TRUE, sizeof (LatticeCandidate));
  candidates->axis = g_new (double, cols);
  for (gsize j = 0; j < cols; j++)
    candidates->axis[j] = assay_stream_between (stream, -1, 1);
  for (gsize i = 0; i < n; i++)
    for (gsize p = 0; p < points[i].count; p++) {
      LatticeCandidate candidate
          = { .item = i, .place = p, .vector = points[i].vectors + p * cols };
      double square = 0;

      for (gsize j = 0; j < cols; j++) {
        square += (double) candidate.vector[j] * (double) candidate.vector[j];
        candidate.key += (double) candidate.vector[j] * candidates->axis[j];
      }
      candidate.length = sqrt (square);
      candidate.key /= candidate.length;
      g_array_append_val (candidates->sorted, candidate);
    }
  return candidates;
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const LatticeCandidate *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->item != y->item)
    return x->item < y->item ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* The first candidate with a key of @key or more. */
static gsize
find_key (const GArray *sorted, double key)
{
  gsize low = 0, high = sorted->len;

  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (g_array_index (sorted, LatticeCandidate, middle).key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gboolean
has_direction (const LatticeCandidate *candidate, const float *direction, gsize cols)
{
  for (gsize j = 0; j < cols; j++)
    if (fabs ((double) candidate->vector[j] / candidate->length - direction[j]) > WITHIN)
      return FALSE;
  return TRUE;
}

typedef struct {
  LatticeCandidates *candidates;
  const AssayRows *rows;
} Marking;

static void
mark_chunk (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Marking *job = data;
  const gsize first = index * CHUNK, d = job->candidates->cols;
  const gsize count = MIN (CHUNK, assay_rows_count (job->rows) - first);
  const double reach = WITHIN * (double) d;
  g_autofree float *rows = g_new (float, count *d);
  GArray *sorted = job->candidates->sorted;

  assay_rows_read (job->rows, first, count, ASSAY_SCALE_UNIT, rows);
  for (gsize i = 0; i < count; i++) {
    const float *row = rows + i * d;
    const double key = assay_lanes_dot_mixed (row, job->candidates->axis, d);

    for (gsize c = find_key (sorted, key - reach); c < sorted->len; c++) {
      LatticeCandidate *candidate = &g_array_index (sorted, LatticeCandidate, c);

      if (candidate->key > key + reach)
        break;
      if (has_direction (candidate, row, d))
        g_atomic_int_set (&candidate->is_known, TRUE);
    }
  }
}

/* Marks those of which a row is a multiple; other lengths and types of the rows do not matter. */
static void
mark_known (LatticeCandidates *candidates, const AssayRows *rows)
{
  Marking job = { candidates, rows };

  g_array_sort (candidates->sorted, compare_keys);
  assay_parallel_for (assay_pieces (assay_rows_count (rows), CHUNK), mark_chunk, &job);
}

static gboolean
are_equal (const LatticeCandidate *a, const LatticeCandidate *b, gsize cols)
{
  return memcmp (a->vector, b->vector, cols * sizeof (gint64)) == 0;
}

/* Counts in how many other items from number @first on each occurs. */
static void
count_shared (LatticeCandidates *candidates, gsize first)
{
  GArray *sorted = candidates->sorted;
  const double reach = WITHIN;

  g_array_sort (sorted, compare_keys);
  for (gsize i = 0; i < sorted->len; i++) {
    LatticeCandidate *one = &g_array_index (sorted, LatticeCandidate, i);

    for (gsize j = i + 1; j < sorted->len; j++) {
      LatticeCandidate *other = &g_array_index (sorted, LatticeCandidate, j);

      if (other->key > one->key + reach)
        break;
      if (other->item != one->item && are_equal (one, other, candidates->cols)) {
        one->shared += other->item >= first;
        other->shared += one->item >= first;
      }
    }
  }
}

/* ---- Points ---- */

void
lattice_point (const LatticeSearch *search, gsize item, gsize place, float *ret_point)
{
  const IntegerPoints *points = search->points + item;
  const gsize d = search->subspaces.cols;
  const gint64 *vector = points->vectors + place * d;
  double square = 0, length;

  for (gsize j = 0; j < d; j++)
    square += (double) vector[j] * (double) vector[j];
  length = points->is_unit ? sqrt (square) : search->rules.unit;
  for (gsize j = 0; j < d; j++)
    ret_point[j] = (float) ((double) vector[j] / length);
}

AssayMatrix *
lattice_directions (const LatticeSearch *search, GError **error)
{
  const gsize d = search->subspaces.cols;
  gsize n_points = 0, row = 0;
  AssayMatrix *directions;

  for (gsize i = 0; i < search->subspaces.count; i++)
    n_points += search->points[i].count;
  directions = assay_matrix_new (n_points, d, error);
  for (gsize i = 0; directions != NULL && i < search->subspaces.count; i++)
    for (gsize p = 0; p < search->points[i].count; p++, row++) {
      float *direction = assay_matrix_row (directions, row);
      double length;

      lattice_point (search, i, p, direction);
      length = sqrt (assay_squared_norm (direction, d));
      for (gsize j = 0; j < d; j++)
        direction[j] = (float) (direction[j] / length);
    }
  return directions;
}

/* ---- Order ---- */

gboolean
lattice_standing_is_like (const LatticeStanding *a, const LatticeStanding *b)
{
  return a->is_known == b->is_known && a->is_exact == b->is_exact && a->shared == b->shared;
}

gboolean
lattice_standing_is_open (const LatticeStanding *standing)
{
  return !standing->is_known && !standing->is_exact && standing->shared == 0;
}

/* Whether @a is the likelier secret. */
static gboolean
is_likelier (const LatticeStanding *a, const LatticeStanding *b)
{
  if (a->is_known != b->is_known)
    return !a->is_known;
  if (a->is_exact != b->is_exact)
    return !a->is_exact;
  if (a->shared != b->shared)
    return a->shared < b->shared;
  return a->distance < b->distance;
}

gsize
lattice_standings_best (const LatticeStandings *standings, gsize item)
{
  const LatticeStanding *own = standings->items[item];
  gsize best = 0;

  for (gsize p = 1; p < standings->search->points[item].count; p++)
    if (is_likelier (own + p, own + best))
      best = p;
  return best;
}

/* ---- What is known ---- */

/* Distances from the points to their nearest public rows. */
static gboolean
measure_distances (const LatticeStandings *standings, const AssayRows *public_rows, GError **error)
{
  const LatticeSearch *search = standings->search;
  g_autoptr (AssayMatrix) points = lattice_directions (search, error);
  g_autoptr (AssayNearest) nearest = NULL;
  gsize row = 0;

  if (points == NULL)
    return FALSE;
  if (points->rows == 0)
    return TRUE;
  nearest = assay_scan_subspaces (
      &(AssaySubspaces){ .count = points->rows, .cols = points->cols, .translation = points->data },
      public_rows, ASSAY_SCALE_UNIT, 1, error);
  if (nearest == NULL)
    return FALSE;
  for (gsize i = 0; i < search->subspaces.count; i++)
    for (gsize p = 0; p < search->points[i].count; p++, row++)
      standings->items[i][p].distance = nearest->distances[row];
  return TRUE;
}

static gboolean
is_exact_beside (const IntegerPoints *points, gsize place)
{
  return points->n_coarse > 0 && place < points->count - points->n_coarse;
}

/* The points of the release, and behind them those of @others (NULL: none). */
static IntegerPoints *
all_points (const LatticeSearch *search, const LatticeSearch *others, gsize *ret_count)
{
  const gsize n = search->subspaces.count;
  const gsize n_others = others != NULL ? others->subspaces.count : 0;
  IntegerPoints *points = g_new0 (IntegerPoints, n + n_others);

  memcpy (points, search->points, n * sizeof *points);
  if (n_others > 0)
    memcpy (points + n, others->points, n_others * sizeof *points);
  *ret_count = n + n_others;
  return points;
}

LatticeStandings *
lattice_standings_new (const LatticeSearch *search, const LatticeSearch *others,
                       const AssayObservation *seen, GError **error)
{
  const gsize n = search->subspaces.count;
  AssayStream stream = assay_stream (search->stream, n);
  gsize n_all = 0;
  g_autofree IntegerPoints *points = all_points (search, others, &n_all);
  g_autoptr (LatticeCandidates) candidates
      = candidates_new (points, n_all, search->subspaces.cols, &stream);
  g_autoptr (LatticeStandings) standings = g_new0 (LatticeStandings, 1);

  standings->search = search;
  standings->items = g_new0 (LatticeStanding *, n);
  for (gsize i = 0; i < n; i++)
    standings->items[i] = g_new0 (LatticeStanding, search->points[i].count + 1);
  if (seen->database != NULL)
    mark_known (candidates, seen->database);
  if (seen->other_releases != NULL)
    count_shared (candidates, others != NULL ? n : 0);
  for (gsize c = 0; c < candidates->sorted->len; c++) {
    const LatticeCandidate *one = &g_array_index (candidates->sorted, LatticeCandidate, c);

    if (one->item >= n)
      continue;
    standings->items[one->item][one->place]
        = (LatticeStanding){ .is_known = one->is_known,
                             .is_exact = is_exact_beside (search->points + one->item, one->place),
                             .shared = one->shared };
    standings->n_shared += one->shared > 0;
  }
  if (seen->public_rows != NULL && !measure_distances (standings, seen->public_rows, error))
    return NULL;
  return g_steal_pointer (&standings);
}

void
lattice_standings_free (LatticeStandings *standings)
{
  if (standings == NULL)
    return;
  for (gsize i = 0; i < standings->search->subspaces.count; i++)
    g_free (standings->items[i]);
  g_free (standings->items);
  g_free (standings);
}
