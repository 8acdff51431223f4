/* Inverted lists: centres by FAISS, on a sample; the rows by our own scan, as points are subspaces
 * of dimension 0.
 *
 * FAISS's own inverted file (IndexIVFFlat) is not used beyond its quantizer: it would hold a copy
 * of every row as floats, four times the bytes of SIFT, and search near points only. A distance
 * from a subspace is no L2 distance of rows, so the lists are read by scan-approximate.c; all
 * that has to be held are 4 bytes a row.
 *
 * What is kept is one block: the centres as floats, then the list of each row as 32 bits. */
#include "core/search/inverted-lists.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/progress/loop.h"
#include "core/base/rng.h"
#include "core/search/disk-cache.h"
#include "core/search/knn.h"
#include "core/search/scan.h"

#define PER_LIST 32 /* rows that the centre of a list is learned from */
#define SAMPLE_BYTES (128 << 20)
#define ITERATIONS 10         /* as FAISS does for its own lists */
#define PANEL_BYTES (8 << 20) /* of rows that are put into lists together */
#define MIN_PANEL 1024        /* rows of a panel, unless there are fewer */

#define KIND "lists"
/* To be raised with every change, to the bit, of what is computed here, in core/search/knn.c or in
 * core/search/scan.c. */
#define MAKER "assay-lists 1"

typedef struct {
  const AssayRows *rows;
  AssayScale scale;
  gsize n;
  gsize cols;
  gsize count;
  gsize most;   /* rows of a panel */
  float *panel; /* most x cols: the rows at hand */
  gsize first;
  gsize in_panel;
  AssayArray *block; /* centres and lists */
} Making;

gsize
assay_lists_count (gsize n_rows)
{
  const gsize wanted = (gsize) (4 * sqrt ((double) n_rows));

  return CLAMP (MIN (wanted, n_rows / 16), 1, ASSAY_LISTS_MAX);
}

static gsize
sample_size (gsize n_rows, gsize cols, gsize count)
{
  const gsize affordable = SAMPLE_BYTES / sizeof (float) / MAX (cols, 1);

  return MIN (n_rows, MAX (count, MIN (PER_LIST * count, affordable)));
}

static gsize
panel_size (gsize n_rows, gsize cols)
{
  return MIN (n_rows, MAX (MIN_PANEL, PANEL_BYTES / sizeof (float) / MAX (cols, 1)));
}

/* ---- Centres ---- */

/* What keeps centres from being found is said of the row of the set, not of the sample. */
static gboolean
check_sample (AssayView sample, const gsize *numbers, GError **error)
{
  for (gsize i = 0; i < sample.rows; i++)
    for (gsize j = 0; j < sample.cols; j++)
      if (!isfinite (assay_view_row (sample, i)[j]))
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "row %zu, column %zu is not finite: no list can hold it", numbers[i], j);
  return TRUE;
}

static AssayMatrix *
find_centres (const Making *making, GError **error)
{
  const gsize size = sample_size (making->n, making->cols, making->count);
  g_autoptr (AssayMatrix) sample = assay_matrix_new (size, making->cols, error);
  g_autofree gsize *numbers
      = sample != NULL ? assay_alloc (size, sizeof (gsize), "sample of rows", error) : NULL;
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "scan", "lists"), 0);

  if (numbers == NULL)
    return NULL;
  assay_stream_sample (&stream, making->n, size, numbers);
  assay_rows_gather (making->rows, numbers, size, making->scale, sample->data);
  return check_sample (assay_matrix_view (sample), numbers, error)
             ? assay_knn_centres (assay_matrix_view (sample), making->count, ITERATIONS, error)
             : NULL;
}

/* ---- Lists ---- */

static gboolean
put_panel (Making *making, const AssayRows *centres, guint32 *ret_lists, GError **error)
{
  const AssaySubspaces points
      = { .count = making->in_panel, .cols = making->cols, .translation = making->panel };
  g_autoptr (AssayNearest) nearest = NULL;

  assay_rows_read_in_parallel (making->rows, making->first, making->in_panel, making->scale,
                               making->panel);
  nearest = assay_scan_subspaces (&points, centres, ASSAY_SCALE_NONE, 1, error);
  if (nearest == NULL)
    return FALSE;
  for (gsize i = 0; i < nearest->n; i++) {
    if (!isfinite (nearest->distances[i]))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "row %zu is not finite, or too large for float32: no list can hold it",
                         making->first + i);
    ret_lists[making->first + i] = (guint32) nearest->rows[i];
  }
  return TRUE;
}

static gboolean
put_rows (Making *making, const AssayRows *centres, guint32 *ret_lists, GError **error)
{
  g_auto (AssayLoop) loop = { .what = "panel of an index" };

  making->most = panel_size (making->n, making->cols);
  making->panel = assay_alloc (making->most, making->cols * sizeof (float), "panel of rows", error);
  if (making->panel == NULL)
    return FALSE;
  loop.turns = (making->n + making->most - 1) / making->most;
  for (making->first = 0; making->first < making->n; making->first += making->most) {
    assay_loop_at (&loop, making->first / making->most);
    making->in_panel = MIN (making->most, making->n - making->first);
    if (!put_panel (making, centres, ret_lists, error))
      return FALSE;
  }
  return TRUE;
}

static gsize
block_bytes (const Making *making)
{
  return making->count * making->cols * sizeof (float) + making->n * sizeof (guint32);
}

static gboolean
make (Making *making, GError **error)
{
  const gsize shape[] = { block_bytes (making) }, n_centres = making->count * making->cols;
  g_autoptr (AssayMatrix) found = find_centres (making, error);
  g_autofree float *block
      = found != NULL ? assay_alloc (shape[0], 1, "lists of rows", error) : NULL;
  g_autoptr (AssayRows) centres = NULL;

  if (block == NULL)
    return FALSE;
  memcpy (block, found->data, n_centres * sizeof (float));
  centres = assay_rows_take_matrix (g_steal_pointer (&found));
  if (!put_rows (making, centres, (guint32 *) (gpointer) (block + n_centres), error))
    return FALSE;
  making->block = assay_array_take (ASSAY_UINT8, 1, shape, g_steal_pointer (&block));
  return TRUE;
}

/* ---- Keeping ---- */

static char *
make_disk_key (const Making *making)
{
  const double products
      = (double) making->count * (double) making->cols
        * ((double) making->n
           + ITERATIONS * (double) sample_size (making->n, making->cols, making->count));
  g_autofree char *settings
      = g_strdup_printf ("lists %zu\nscale %d", making->count, (int) making->scale);

  return assay_disk_cache_key_of_rows (making->rows, products, MAKER, settings);
}

static gboolean
load (Making *making, const char *key)
{
  const gsize shape[] = { block_bytes (making) };
  g_autoptr (GBytes) bytes = assay_disk_cache_load (KIND, key);
  const gsize n_skipped = making->count * making->cols * sizeof (float);

  if (bytes == NULL || g_bytes_get_size (bytes) != shape[0])
    return FALSE;
  for (gsize i = 0; i < making->n; i++) {
    guint32 list;

    memcpy (&list, (const guint8 *) g_bytes_get_data (bytes, NULL) + n_skipped + i * sizeof list,
            sizeof list);
    if (list >= making->count)
      return FALSE;
  }
  making->block = assay_array_new (ASSAY_UINT8, 1, shape, bytes, 0);
  return TRUE;
}

static gboolean
find_block (Making *making, GError **error)
{
  g_autofree char *key = g_strdup_printf ("lists %zu %d", making->count, (int) making->scale);
  g_autofree char *disk_key = NULL;

  making->block = assay_rows_kept (making->rows, key);
  if (making->block != NULL)
    return TRUE;
  disk_key = make_disk_key (making);
  if (disk_key == NULL || !load (making, disk_key)) {
    if (!make (making, error))
      return FALSE;
    if (disk_key != NULL)
      assay_disk_cache_keep (KIND, disk_key, making->block->bytes);
  }
  making->block = assay_rows_keep (making->rows, key, making->block);
  return making->block != NULL;
}

/* ---- The whole ---- */

/* Counting sort: rows of one list stand together, in their order. */
static AssayLists *
sort_rows (const Making *making, GError **error)
{
  const gsize bytes = making->count * making->cols * sizeof (float);
  const guint8 *list_of = making->block->data + bytes;
  g_autoptr (AssayLists) lists = g_new0 (AssayLists, 1);
  guint32 list;

  lists->count = making->count;
  lists->centres = assay_rows_new (making->cols);
  assay_rows_append (lists->centres, making->block->bytes, making->block->data, ASSAY_FLOAT32,
                     making->cols * sizeof (float), making->count);
  if ((lists->starts = assay_alloc (making->count + 2, sizeof (gsize), "lists", error)) == NULL
      || (lists->rows = assay_alloc (making->n, sizeof (guint32), "lists", error)) == NULL)
    return NULL;
  for (gsize i = 0; i < making->n; i++) {
    memcpy (&list, list_of + i * sizeof list, sizeof list);
    lists->starts[list + 2]++;
  }
  for (gsize l = 0; l < making->count; l++) {
    lists->longest = MAX (lists->longest, lists->starts[l + 2]);
    lists->starts[l + 2] += lists->starts[l + 1];
  }
  /* Each start moves to where the next list begins, which is its own place then. */
  for (gsize i = 0; i < making->n; i++) {
    memcpy (&list, list_of + i * sizeof list, sizeof list);
    lists->rows[lists->starts[list + 1]++] = (guint32) i;
  }
  return g_steal_pointer (&lists);
}

AssayLists *
assay_lists_new (const AssayRows *rows, AssayScale scale, gsize count, GError **error)
{
  Making making = { .rows = rows,
                    .scale = scale,
                    .n = assay_rows_count (rows),
                    .cols = assay_rows_cols (rows),
                    .count = count };
  AssayLists *lists = NULL;

  if (making.n > G_MAXUINT32)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%zu rows are more than lists can hold, %u", making.n, G_MAXUINT32);
  if (count == 0 || count > MIN (making.n, ASSAY_LISTS_MAX))
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%zu lists of %zu rows were asked for; expected 1 to %zu", count,
                            making.n, MIN (making.n, ASSAY_LISTS_MAX));
  if (find_block (&making, error))
    lists = sort_rows (&making, error);
  assay_array_free (making.block);
  g_free (making.panel);
  return lists;
}

ASSAY_FREE_FUNC (AssayLists, assay_lists_free, assay_rows_unref (self->centres),
                 g_free (self->starts), g_free (self->rows))

/* ---- Estimates ---- */

/* FAISS's clustering has for each row of the sample its centre and distance, and products of 4096
 * with 1024; then the rows are put into lists by a scan. What stays is the block and, as long as
 * they are searched, the lists. */
guint64
assay_lists_memory (gsize n_rows, gsize cols, gsize count)
{
  const guint64 sample = sample_size (n_rows, cols, count);
  const guint64 panel = panel_size (n_rows, cols);
  const guint64 centres = (guint64) count * cols * sizeof (float);
  const guint64 learning = sample * (cols * sizeof (float) + 2 * sizeof (gint64) + sizeof (float))
                           + 3 * centres + (4 << 20) * sizeof (float);
  const guint64 putting = panel * cols * sizeof (float) + assay_scan_memory (panel, 0, cols, 1);

  return centres + 2 * (guint64) n_rows * sizeof (guint32) + (count + 2) * sizeof (gsize)
         + MAX (learning, putting);
}
