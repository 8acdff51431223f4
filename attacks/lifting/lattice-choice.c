/* Which of the integer points of a subspace is the secret: what is known tells the others apart.
 *
 * Directions are compared by their projection on one random axis first: all points are sorted by
 * it, and a row of the database is looked up by bisection, so that a database is read once however
 * many points there are. What is within rounding of each other on the axis is compared whole. */
#include "attacks/lifting/lattice-choice.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"

#define CHUNK 1024  /* rows read at a time */
#define WITHIN 2e-6 /* in each number of two equal directions, which float32 leaves */

LatticeCandidates *
lattice_candidates_new (const IntegerPoints *points, gsize n, gsize cols, AssayStream *stream)
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

void
lattice_candidates_free (LatticeCandidates *candidates)
{
  if (candidates == NULL)
    return;
  g_array_unref (candidates->sorted);
  g_free (candidates->axis);
  g_free (candidates);
}

/* ---- Rows ---- */

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

void
lattice_candidates_mark_known (LatticeCandidates *candidates, const AssayRows *rows)
{
  Marking job = { candidates, rows };

  g_array_sort (candidates->sorted, compare_keys);
  assay_parallel_for (assay_pieces (assay_rows_count (rows), CHUNK), mark_chunk, &job);
}

/* ---- Other items ---- */

static gboolean
are_equal (const LatticeCandidate *a, const LatticeCandidate *b, gsize cols)
{
  return memcmp (a->vector, b->vector, cols * sizeof (gint64)) == 0;
}

void
lattice_candidates_count_shared (LatticeCandidates *candidates, gsize first)
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
