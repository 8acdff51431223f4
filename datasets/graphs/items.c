/* The items that a graph joins. */
#include "datasets/graphs/items.h"

#include <string.h>

#include "core/base/error.h"
#include "core/data/row-file.h"
#include "datasets/tables/row-labels.h"

/* Streams of what is drawn: a row of items, of queries, the centres of classes. */
#define ITEM(role, row) (((guint64) (role) << 48) | (row))
enum { OF_ITEMS, OF_TEST, OF_CENTRES };

ASSAY_CLEAR_FUNC (GraphItems, graph_items_clear, assay_drop (self->rows, assay_matrix_free),
                  assay_drop (self->test, assay_matrix_free), assay_drop (self->labels, g_free),
                  assay_drop (self->test_labels, g_free))

/* ---- Files ---- */

static void
copy_columns (const AssayRows *rows, gsize at, AssayMatrix *matrix)
{
  for (gsize i = 0; i < matrix->rows; i++)
    assay_rows_read (rows, i, 1, ASSAY_SCALE_NONE, assay_matrix_row (matrix, i) + at);
}

/* Rows of both files side by side. */
static AssayMatrix *
read_rows (const char *first, const char *second, const char *const *folders, gsize *ret_first_cols,
           GError **error)
{
  g_autoptr (AssayRowFiles) left = assay_row_files_open (first, folders, error);
  g_autoptr (AssayRowFiles) right
      = left != NULL && *second != '\0' ? assay_row_files_open (second, folders, error) : NULL;
  gsize n, cols, others = 0;
  AssayMatrix *matrix;

  if (left == NULL || (*second != '\0' && right == NULL))
    return NULL;
  n = assay_rows_count (left->rows);
  cols = assay_rows_cols (left->rows);
  if (right != NULL && assay_rows_count (right->rows) != n)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s has %zu rows and %s has %zu; expected one of each for an item",
                            first, n, second, assay_rows_count (right->rows));
  if (right != NULL)
    others = assay_rows_cols (right->rows);
  matrix = assay_matrix_new (n, cols + others, error);
  if (matrix == NULL)
    return NULL;
  copy_columns (left->rows, 0, matrix);
  if (right != NULL)
    copy_columns (right->rows, cols, matrix);
  *ret_first_cols = right != NULL ? cols : 0;
  return matrix;
}

static gboolean
read_labels (const char *specification, const char *const *folders, gsize n, gint64 **ret_labels,
             GError **error)
{
  g_autoptr (AssayRowFiles) file = assay_row_files_open (specification, folders, error);
  AssayRoleData data = { 0 };
  gsize n_classes;

  if (file == NULL)
    return FALSE;
  if (assay_rows_cols (file->rows) != 1)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s has %zu columns; expected one, the class",
                       specification, assay_rows_cols (file->rows));
  if (!row_labels_read (file->rows, specification, n, &data, &n_classes, error))
    return FALSE;
  *ret_labels = g_memdup2 (assay_array_int64 (data.labels), n * sizeof (gint64));
  assay_role_data_clear (&data);
  return TRUE;
}

static void
number_classes (GraphItems *items)
{
  gint64 *const labels[] = { items->labels, items->test_labels };
  const gsize counts[] = { items->rows->rows, items->test != NULL ? items->test->rows : 0 };
  gint64 least = G_MAXINT64, most = -1;

  for (guint r = 0; r < 2; r++)
    for (gsize i = 0; labels[r] != NULL && i < counts[r]; i++) {
      least = MIN (least, labels[r][i]);
      most = MAX (most, labels[r][i]);
    }
  for (guint r = 0; r < 2; r++)
    for (gsize i = 0; labels[r] != NULL && i < counts[r]; i++)
      labels[r][i] -= least;
  items->n_classes = most >= 0 ? (gsize) (most - least) + 1 : 0;
}

static gboolean
read_test (const GraphItemFiles *files, GraphItems *items, GError **error)
{
  gsize first_cols = 0;

  if ((*files->test_second != '\0') != (*files->second != '\0'))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "test_second: expected a file where second is one, and none where not");
  items->test
      = read_rows (files->test_first, files->test_second, files->folders, &first_cols, error);
  if (items->test == NULL)
    return FALSE;
  if (items->test->cols != items->rows->cols || first_cols != items->first_cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "queries have %zu columns, of which %zu are of the first modality; expected "
                       "%zu and %zu as the items have",
                       items->test->cols, first_cols, items->rows->cols, items->first_cols);
  return *files->test_labels == '\0'
         || read_labels (files->test_labels, files->folders, items->test->rows, &items->test_labels,
                         error)
         || assay_prefix (error, "test_labels: ");
}

gboolean
graph_items_read (const GraphItemFiles *files, GraphItems *ret_items, GError **error)
{
  g_auto (GraphItems) items = { 0 };

  items.rows = read_rows (files->first, files->second, files->folders, &items.first_cols, error);
  if (items.rows == NULL)
    return FALSE;
  if (*files->labels != '\0'
      && !read_labels (files->labels, files->folders, items.rows->rows, &items.labels, error))
    return assay_prefix (error, "labels: ");
  if (*files->test_first != '\0' && !read_test (files, &items, error))
    return FALSE;
  number_classes (&items);
  *ret_items = items;
  items = (GraphItems){ 0 };
  return TRUE;
}

/* ---- Drawn ---- */

typedef struct {
  AssayStreamKey key;
  guint role;
  gsize classes;
  const AssayMatrix *centres;
  const gint64 *labels; /* NULL: drawn */
} RowDraw;

static AssayMatrix *
draw_rows (const RowDraw *draw, gsize count, gint64 *ret_labels, GError **error)
{
  const AssayMatrix *centres = draw->centres;
  const gint64 *labels = draw->labels;
  AssayMatrix *matrix = assay_matrix_new (count, centres->cols, error);

  for (gsize i = 0; matrix != NULL && i < count; i++) {
    AssayStream stream = assay_stream (draw->key, ITEM (draw->role, i));
    const guint64 drawn = assay_stream_below (&stream, draw->classes);
    float *row = assay_matrix_row (matrix, i);

    ret_labels[i] = labels != NULL ? labels[i] : (gint64) drawn;
    for (gsize j = 0; j < centres->cols; j++)
      row[j] = centres->data[(gsize) ret_labels[i] * centres->cols + j]
               + (float) assay_stream_normal (&stream);
  }
  return matrix;
}

gboolean
graph_items_draw (const GraphItemDraw *draw, AssayStreamKey key, GraphItems *ret_items,
                  GError **error)
{
  const gsize cols = draw->first_cols + draw->second_cols;
  g_auto (GraphItems) items
      = { .first_cols = draw->second_cols > 0 ? draw->first_cols : 0, .n_classes = draw->classes };
  g_autoptr (AssayMatrix) centres = assay_matrix_new (draw->classes, cols, error);
  AssayStream stream = assay_stream (key, ITEM (OF_CENTRES, 0));

  items.labels = assay_alloc (draw->count, sizeof (gint64), "labels", error);
  if (centres == NULL || items.labels == NULL)
    return FALSE;
  for (gsize k = 0; k < draw->classes * cols; k++)
    centres->data[k] = (float) (draw->separation * assay_stream_normal (&stream));
  items.rows = draw_rows (&(RowDraw){ key, OF_ITEMS, draw->classes, centres, draw->labels },
                          draw->count, items.labels, error);
  if (items.rows == NULL)
    return FALSE;
  if (draw->test_count > 0) {
    items.test_labels = assay_alloc (draw->test_count, sizeof (gint64), "labels", error);
    if (items.test_labels == NULL)
      return FALSE;
    items.test = draw_rows (&(RowDraw){ key, OF_TEST, draw->classes, centres, NULL },
                            draw->test_count, items.test_labels, error);
    if (items.test == NULL)
      return FALSE;
  }
  *ret_items = items;
  items = (GraphItems){ 0 };
  return TRUE;
}

/* ---- Chosen ---- */

gboolean
graph_items_choose (GraphItems *items, const gsize *chosen, gsize count, GError **error)
{
  AssayMatrix *rows = assay_matrix_new (count, items->rows->cols, error);
  gint64 *labels = NULL;

  if (rows == NULL)
    return FALSE;
  for (gsize i = 0; i < count; i++)
    memcpy (assay_matrix_row (rows, i), assay_matrix_row (items->rows, chosen[i]),
            rows->cols * sizeof (float));
  if (items->labels != NULL) {
    labels = g_new (gint64, MAX (count, 1));
    for (gsize i = 0; i < count; i++)
      labels[i] = items->labels[chosen[i]];
  }
  assay_matrix_free (items->rows);
  g_free (items->labels);
  items->rows = rows;
  items->labels = labels;
  return TRUE;
}
