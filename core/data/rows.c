/* Rows that stay where they are, read a panel at a time as float32. */
#include "core/data/rows.h"

#include <math.h>
#include <string.h>

#include "core/base/each.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "core/base/vectors.h"

typedef struct {
  gsize first; /* number of its first row in the set */
  gsize count;
  const guint8 *base;
  gsize stride; /* bytes */
  AssayType type;
  GBytes *bytes;
} Segment;

struct _AssayRows {
  gatomicrefcount references;
  gsize cols;
  gsize count;
  GArray *segments; /* of Segment, by first row, none of them empty */
  GMutex lock;      /* of what follows */
  guint64 owner;    /* of what was made of the rows; 0: nothing was */
  char *sha256;     /* NULL: not yet computed */
};

/* Loads through memcpy: rows of a mapped file begin anywhere (TEXMEX rows of bytes are four bytes
 * apart from alignment), and compilers turn this into unaligned vector loads. */
#define CONVERT(Type)                                                                              \
  for (gsize j = 0; j < cols; j++) {                                                               \
    Type value;                                                                                    \
                                                                                                   \
    memcpy (&value, from + j * sizeof value, sizeof value);                                        \
    ret_row[j] = (float) value;                                                                    \
  }

static void
convert_row (const guint8 *restrict from, AssayType type, gsize cols, float *restrict ret_row)
{
  switch (type) {
  case ASSAY_FLOAT32:
    memcpy (ret_row, from, cols * sizeof (float));
    break;
  case ASSAY_FLOAT64:
    CONVERT (double);
    break;
  case ASSAY_UINT8:
    CONVERT (guint8);
    break;
  case ASSAY_INT32:
    CONVERT (gint32);
    break;
  case ASSAY_INT64:
    CONVERT (gint64);
    break;
  }
}

static void
scale_to_unit (float *row, gsize cols)
{
  const double sum = assay_lanes_squared_norm (row, cols);
  const double factor = sum > 0 ? 1 / sqrt (sum) : 1;

  for (gsize j = 0; j < cols; j++)
    row[j] = (float) ((double) row[j] * factor);
}

static void
read_segment (const Segment *segment, gsize first, gsize count, gsize cols, AssayScale scale,
              float *ret_values)
{
  const guint8 *from = segment->base + first * segment->stride;

  for (gsize i = 0; i < count; i++, from += segment->stride, ret_values += cols) {
    convert_row (from, segment->type, cols, ret_values);
    if (scale == ASSAY_SCALE_UNIT)
      scale_to_unit (ret_values, cols);
  }
}

/* The segment that holds @row, which the caller has checked to be in range. */
static const Segment *
find_segment (const AssayRows *rows, gsize row)
{
  guint low = 0;
  guint high = rows->segments->len;

  ASSAY_BISECT_BETWEEN (guint, s, low, high,
                        g_array_index (rows->segments, Segment, s).first <= row)
  return &g_array_index (rows->segments, Segment, low);
}

static ASSAY_CLEAR_FUNC (Segment, clear_segment, g_bytes_unref (self->bytes))

/* Names that are made from here on are others than those so far. */
static void
forget_made (AssayRows *rows)
{
  if (rows->owner != 0)
    assay_shared_forget_all (rows->owner);
  rows->owner = 0;
}

AssayRows *
assay_rows_new (gsize cols)
{
  AssayRows *rows = g_new0 (AssayRows, 1);

  g_atomic_ref_count_init (&rows->references);
  rows->cols = cols;
  rows->segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  g_array_set_clear_func (rows->segments, (GDestroyNotify) clear_segment);
  g_mutex_init (&rows->lock);
  return rows;
}

AssayRows *
assay_rows_ref (AssayRows *rows)
{
  g_atomic_ref_count_inc (&rows->references);
  return rows;
}

void
assay_rows_unref (AssayRows *rows)
{
  if (rows == NULL || !g_atomic_ref_count_dec (&rows->references))
    return;
  forget_made (rows);
  g_array_unref (rows->segments);
  g_free (rows->sha256);
  g_mutex_clear (&rows->lock);
  g_free (rows);
}

void
assay_rows_append (AssayRows *rows, GBytes *bytes, const guint8 *base, AssayType type, gsize stride,
                   gsize count)
{
  Segment segment = { .first = rows->count,
                      .count = count,
                      .base = base,
                      .stride = stride,
                      .type = type,
                      .bytes = bytes };

  if (count == 0)
    return;
  segment.bytes = g_bytes_ref (bytes);
  g_array_append_val (rows->segments, segment);
  rows->count += count;
  g_mutex_lock (&rows->lock);
  forget_made (rows);
  g_clear_pointer (&rows->sha256, g_free);
  g_mutex_unlock (&rows->lock);
}

AssayRows *
assay_rows_from_array (const AssayArray *array)
{
  gsize cols = 1;
  AssayRows *rows;

  for (guint i = 1; i < array->n_dimensions; i++)
    cols *= array->shape[i];
  rows = assay_rows_new (cols);
  assay_rows_append (rows, array->bytes, array->data, array->type,
                     cols * assay_type_size (array->type), array->shape[0]);
  return rows;
}

AssayRows *
assay_rows_take_matrix (AssayMatrix *matrix)
{
  g_autoptr (AssayArray) array = assay_array_take_matrix (matrix);

  return assay_rows_from_array (array);
}

AssayRows *
assay_rows_borrow (AssayView view)
{
  const gsize held
      = view.rows > 0 ? ((view.rows - 1) * view.stride + view.cols) * sizeof (float) : 0;
  g_autoptr (GBytes) bytes = g_bytes_new_static (view.data, held);
  AssayRows *rows = assay_rows_new (view.cols);

  assay_rows_append (rows, bytes, (const guint8 *) view.data, ASSAY_FLOAT32,
                     view.stride * sizeof (float), view.rows);
  return rows;
}

gsize
assay_rows_count (const AssayRows *rows)
{
  return rows->count;
}

gsize
assay_rows_cols (const AssayRows *rows)
{
  return rows->cols;
}

void
assay_rows_read (const AssayRows *rows, gsize first, gsize count, AssayScale scale,
                 float *ret_values)
{
  const Segment *segment;

  g_return_if_fail (first <= rows->count && count <= rows->count - first);
  if (count == 0)
    return;
  for (segment = find_segment (rows, first); count > 0; segment++) {
    const gsize skipped = first - segment->first;
    const gsize part = MIN (count, segment->count - skipped);

    read_segment (segment, skipped, part, rows->cols, scale, ret_values);
    ret_values += part * rows->cols;
    first += part;
    count -= part;
  }
}

/* Rows that a thread reads at once. */
#define PART 1024

typedef struct {
  const AssayRows *rows;
  gsize first;
  gsize count;
  AssayScale scale;
  float *values;
} Reading;

static void
read_part (gsize part, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Reading *reading = data;
  const gsize first = part * PART;

  assay_rows_read (reading->rows, reading->first + first, MIN (PART, reading->count - first),
                   reading->scale, reading->values + first * reading->rows->cols);
}

void
assay_rows_read_in_parallel (const AssayRows *rows, gsize first, gsize count, AssayScale scale,
                             float *ret_values)
{
  Reading reading = { rows, first, count, scale, ret_values };

  assay_parallel_for (assay_pieces (count, PART), read_part, &reading);
}

AssayMatrix *
assay_rows_matrix (const AssayRows *rows, AssayScale scale, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (rows->count, rows->cols, error);

  if (matrix != NULL)
    assay_rows_read (rows, 0, rows->count, scale, matrix->data);
  return matrix;
}

AssayArray *
assay_rows_array (const AssayRows *rows, AssayScale scale, GError **error)
{
  AssayMatrix *matrix = assay_rows_matrix (rows, scale, error);

  return matrix != NULL ? assay_array_take_matrix (matrix) : NULL;
}

void
assay_rows_gather (const AssayRows *rows, const gsize *index, gsize count, AssayScale scale,
                   float *ret_values)
{
  for (gsize i = 0; i < count; i++) {
    const Segment *segment;

    g_return_if_fail (index[i] < rows->count);
    segment = find_segment (rows, index[i]);
    read_segment (segment, index[i] - segment->first, 1, rows->cols, scale,
                  ret_values + i * rows->cols);
  }
}

float *
assay_rows_gathered (const AssayRows *rows, const gsize *index, gsize count)
{
  float *values = rows != NULL ? g_new (float, count * assay_rows_cols (rows)) : NULL;

  if (rows != NULL)
    assay_rows_gather (rows, index, count, ASSAY_SCALE_NONE, values);
  return values;
}

gboolean
assay_rows_for_each_panel (const AssayRows *rows, gsize most, AssayScale scale, AssayPanelWork work,
                           gpointer data, GError **error)
{
  g_autoptr (AssayMatrix) panel = assay_matrix_new (MIN (rows->count, most), rows->cols, error);

  if (panel == NULL)
    return FALSE;
  for (gsize first = 0; first < rows->count; first += most) {
    const gsize count = MIN (most, rows->count - first);

    assay_rows_read (rows, first, count, scale, panel->data);
    if (!work (assay_view_rows (assay_matrix_view (panel), 0, count), first, data, error))
      return FALSE;
  }
  return TRUE;
}

/* Which rows are of which type, ended by an empty line, so that equal bytes of other types and
 * shapes are other rows. */
static void
hash_types (const AssayRows *rows, GChecksum *checksum)
{
  for (guint i = 0; i < rows->segments->len;) {
    const AssayType type = g_array_index (rows->segments, Segment, i).type;
    g_autofree char *line = NULL;
    gsize count = 0;

    for (; i < rows->segments->len && g_array_index (rows->segments, Segment, i).type == type; i++)
      count += g_array_index (rows->segments, Segment, i).count;
    line = g_strdup_printf ("%s %zu x %zu\n", assay_type_name (type), count, rows->cols);
    g_checksum_update (checksum, (const guchar *) line, -1);
  }
  g_checksum_update (checksum, (const guchar *) "\n", 1);
}

static void
hash_segment (const Segment *segment, gsize cols, GChecksum *checksum)
{
  const gsize width = cols * assay_type_size (segment->type);

  if (segment->stride == width)
    g_checksum_update (checksum, segment->base, (gssize) (segment->count * width));
  else
    for (gsize i = 0; i < segment->count; i++)
      g_checksum_update (checksum, segment->base + i * segment->stride, (gssize) width);
}

const char *
assay_rows_sha256 (const AssayRows *rows)
{
  AssayRows *memory = (AssayRows *) rows;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&memory->lock);

  if (memory->sha256 == NULL) {
    g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

    hash_types (rows, checksum);
    for (guint i = 0; i < rows->segments->len; i++)
      hash_segment (&g_array_index (rows->segments, Segment, i), rows->cols, checksum);
    memory->sha256 = g_strdup (g_checksum_get_string (checksum));
  }
  return rows->sha256;
}

guint64
assay_rows_owner (const AssayRows *rows)
{
  AssayRows *memory = (AssayRows *) rows;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&memory->lock);

  if (memory->owner == 0)
    memory->owner = assay_shared_owner ();
  return memory->owner;
}

/* Copies share the bytes, and the bytes hold what is kept. */
static AssayArray *
held_array (AssayShared *shared)
{
  const AssayArray *array = assay_shared_value (shared);
  const gsize bytes = assay_array_count (array) * assay_type_size (array->type);
  g_autoptr (GBytes) held = g_bytes_new_with_free_func (
      array->data, bytes, (GDestroyNotify) assay_shared_release, shared);

  return assay_array_new (array->type, array->n_dimensions, array->shape, held, 0);
}

AssayArray *
assay_rows_kept (const AssayRows *rows, const char *key)
{
  AssayShared *shared = assay_shared_find (assay_rows_owner (rows), key);

  return shared != NULL ? held_array (shared) : NULL;
}

AssayArray *
assay_rows_keep (const AssayRows *rows, const char *key, AssayArray *array)
{
  return held_array (assay_shared_add (assay_rows_owner (rows), key, array,
                                       assay_array_count (array) * assay_type_size (array->type),
                                       (GDestroyNotify) assay_array_free));
}
