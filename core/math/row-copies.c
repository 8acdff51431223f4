/* Rows that repeat others. */
#include "core/math/row-copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"

AssayPartition *
assay_partition_new (gsize n)
{
  AssayPartition *partition = g_new (AssayPartition, 1);

  partition->n = n;
  partition->parent = g_new (gsize, n);
  for (gsize i = 0; i < n; i++)
    partition->parent[i] = i;
  return partition;
}

ASSAY_FREE_FUNC (AssayPartition, assay_partition_free, g_free (self->parent))

/* On the way every second row is led to its grandparent: paths halve. */
gsize
assay_partition_find (AssayPartition *partition, gsize row)
{
  gsize *parent = partition->parent;

  while (parent[row] != row) {
    parent[row] = parent[parent[row]];
    row = parent[row];
  }
  return row;
}

gboolean
assay_partition_join (AssayPartition *partition, gsize a, gsize b)
{
  const gsize x = assay_partition_find (partition, a), y = assay_partition_find (partition, b);

  if (x == y)
    return FALSE;
  partition->parent[MAX (x, y)] = MIN (x, y);
  return TRUE;
}

int
assay_compare_keyed_rows (gconstpointer a, gconstpointer b)
{
  const AssayKeyedRow *x = a, *y = b;

  if (x->key != y->key)
    return x->key > y->key ? 1 : -1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static guint64
mix (guint64 key, guint64 word)
{
  key = (key ^ word) * 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

/* The number behind the last of those with the key of @first. */
static gsize
end_of_run (const AssayKeyedRow *keyed, gsize n, gsize first)
{
  gsize end = first + 1;

  while (end < n && keyed[end].key == keyed[first].key)
    end++;
  return end;
}

/* ---- Equal rows ---- */

typedef struct {
  AssayView rows;
  AssayKeyedRow *keyed;
} Hashing;

guint64
assay_row_key (const float *row, gsize cols)
{
  guint64 key = 0;

  for (gsize j = 0; j < cols; j++) {
    const float value = row[j] + 0.0f; /* of -0 it is 0 */
    guint32 bits;

    memcpy (&bits, &value, sizeof bits);
    key = mix (key, bits);
  }
  return key;
}

static void
hash_row (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Hashing *hashing = data;
  const float *row = assay_view_row (hashing->rows, index);

  hashing->keyed[index] = (AssayKeyedRow){ assay_row_key (row, hashing->rows.cols), index };
}

static gboolean
are_equal (AssayView rows, gsize a, gsize b)
{
  const float *x = assay_view_row (rows, a), *y = assay_view_row (rows, b);

  for (gsize j = 0; j < rows.cols; j++)
    if (x[j] != y[j])
      return FALSE;
  return TRUE;
}

gsize
assay_copies_find_equal (AssayView rows, AssayPartition *inout_parts)
{
  g_autofree AssayKeyedRow *keyed = g_new (AssayKeyedRow, rows.rows);
  Hashing hashing = { rows, keyed };
  gsize end, n_joined = 0;

  assay_parallel_for (rows.rows, hash_row, &hashing);
  qsort (keyed, rows.rows, sizeof *keyed, assay_compare_keyed_rows);
  for (gsize first = 0; first < rows.rows; first = end) {
    end = end_of_run (keyed, rows.rows, first);
    /* Rows of one key that are not equal are so rare that each is compared with the first alone. */
    for (gsize i = first + 1; i < end; i++)
      if (are_equal (rows, keyed[first].row, keyed[i].row))
        n_joined += assay_partition_join (inout_parts, keyed[first].row, keyed[i].row);
  }
  return n_joined;
}

/* ---- Chance ---- */

/* How often two of the rows, drawn with replacement, agree in column @col. */
static double
agreement (AssayView rows, gsize col, double *scratch)
{
  const double n = (double) rows.rows;
  double sum = 0;
  gsize first = 0;

  for (gsize i = 0; i < rows.rows; i++)
    scratch[i] = assay_view_row (rows, i)[col];
  qsort (scratch, rows.rows, sizeof (double), assay_compare_doubles);
  for (gsize i = 1; i <= rows.rows; i++)
    if (i == rows.rows || scratch[i] != scratch[first]) {
      sum += (double) (i - first) * (double) (i - first);
      first = i;
    }
  return sum / (n * n);
}

#define FEW_COLUMNS 8
#define OWN_COLUMNS 3
#define TIMES_CHANCE 4.0

gboolean
assay_copies_may_be_chance (AssayView distinct, gsize n, double n_equal)
{
  const double n_pairs = (double) n * ((double) n - 1) / 2;
  g_autofree double *scratch = g_new (double, distinct.rows + 1);
  gsize n_varying = 0, n_own = 0;
  double chance = 1;

  if (distinct.rows < 2)
    return FALSE;
  for (gsize j = 0; j < distinct.cols; j++) {
    const double p = agreement (distinct, j, scratch);

    n_varying += p < 1;
    n_own += p <= 2 / (double) distinct.rows && distinct.rows > 4;
    chance *= sqrt (p);
    if (n_equal > TIMES_CHANCE * chance * n_pairs
        && (n_varying >= FEW_COLUMNS || n_own >= OWN_COLUMNS))
      return FALSE;
  }
  return TRUE;
}

/* ---- Near rows ---- */

#define TABLES 8
#define PER_TABLE 4
#define DIRECTIONS (TABLES * PER_TABLE)
#define WIDTH 6.0 /* of a cell, in distances */

typedef struct {
  AssayView rows;
  const float *directions; /* DIRECTIONS x cols, normal */
  const double *offsets;   /* DIRECTIONS, 0 to 1 */
  double cell;
  AssayKeyedRow *keyed; /* TABLES x rows */
} Projecting;

static void
project_row (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Projecting *work = data;
  const gsize cols = work->rows.cols;
  const float *row = assay_view_row (work->rows, index);

  for (gsize t = 0; t < TABLES; t++) {
    guint64 key = t;

    for (gsize k = t * PER_TABLE; k < (t + 1) * PER_TABLE; k++) {
      const double place = assay_lanes_dot_float (row, work->directions + k * cols, cols);
      const double cell = floor (place / work->cell + work->offsets[k]);

      key = mix (key, (guint64) (gint64) CLAMP (cell, -0x1p62, 0x1p62));
    }
    work->keyed[t * work->rows.rows + index] = (AssayKeyedRow){ key, index };
  }
}

static gsize
join_run (AssayView rows, const AssayKeyedRow *run, gsize n, double distance,
          AssayPartition *inout_parts)
{
  const float square = (float) (distance * distance);
  gsize n_joined = 0;

  for (gsize i = 1; i < n; i++)
    for (gsize j = 0; j < i; j++) {
      const gsize a = run[j].row, b = run[i].row;

      if (assay_partition_find (inout_parts, a) != assay_partition_find (inout_parts, b)
          && assay_lanes_squared_distance_float (assay_view_row (rows, a), assay_view_row (rows, b),
                                                 rows.cols)
                 <= square)
        n_joined += assay_partition_join (inout_parts, a, b);
    }
  return n_joined;
}

gsize
assay_copies_find_near (AssayView rows, double distance, AssayStreamKey key,
                        AssayPartition *inout_parts)
{
  g_autofree float *directions = g_new (float, DIRECTIONS * rows.cols);
  g_autofree AssayKeyedRow *keyed = g_new (AssayKeyedRow, TABLES * rows.rows);
  double offsets[DIRECTIONS];
  Projecting work = { rows, directions, offsets, WIDTH * distance, keyed };
  AssayStream stream = assay_stream (key, 0);
  gsize end, n_joined = 0;

  for (gsize i = 0; i < DIRECTIONS * rows.cols; i++)
    directions[i] = (float) assay_stream_normal (&stream);
  for (gsize k = 0; k < DIRECTIONS; k++)
    offsets[k] = assay_stream_uniform (&stream);
  assay_parallel_for (rows.rows, project_row, &work);
  for (gsize t = 0; t < TABLES; t++) {
    AssayKeyedRow *own = keyed + t * rows.rows;

    qsort (own, rows.rows, sizeof *own, assay_compare_keyed_rows);
    for (gsize first = 0; first < rows.rows; first = end) {
      end = end_of_run (own, rows.rows, first);
      n_joined += join_run (rows, own + first, end - first, distance, inout_parts);
    }
  }
  return n_joined;
}
