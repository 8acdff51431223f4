/* Labels of rows, from files of whole numbers. */
#include "datasets/tables/row-labels.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/formats/label-sets.h"

#define CHUNK (gsize) 4096

typedef struct {
  const char *name;
  gsize cols;
  gint64 *labels;
  gint64 *sets; /* of words each; NULL: one column */
  gsize words;
  gsize n_classes;
} Reading;

static gboolean
take_class (Reading *reading, gsize row, float value, GError **error)
{
  if (!(value >= 0 && value < ROW_LABELS_MAX_CLASSES) || value != floorf (value))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: label of row %zu is %g; expected a whole number from 0 to %d",
                       reading->name, row, (double) value, ROW_LABELS_MAX_CLASSES - 1);
  reading->labels[row] = (gint64) value;
  reading->n_classes = MAX (reading->n_classes, (gsize) value + 1);
  return TRUE;
}

/* Rows without a class are a class of their own to who reads one label a row, behind the others. */
static gboolean
take_set (Reading *reading, gsize row, const float *values, GError **error)
{
  gint64 *set = reading->sets + row * reading->words;

  reading->labels[row] = (gint64) reading->cols;
  memset (set, 0, reading->words * sizeof *set);
  for (gsize j = reading->cols; j > 0; j--) {
    if (values[j - 1] != 0 && values[j - 1] != 1)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: row %zu, class %zu is %g; expected 1 where the row has the class "
                         "and 0 where not",
                         reading->name, row, j - 1, (double) values[j - 1]);
    if (values[j - 1] == 1) {
      assay_label_set_add (set, j - 1);
      reading->labels[row] = (gint64) (j - 1);
    }
  }
  reading->n_classes = MAX (reading->n_classes, (gsize) reading->labels[row] + 1);
  return TRUE;
}

static gboolean
read_all (Reading *reading, const AssayRows *file, GError **error)
{
  const gsize n = assay_rows_count (file), cols = reading->cols;
  g_autofree float *values = assay_alloc (MIN (n, CHUNK) * cols, sizeof (float), "labels", error);

  if (values == NULL)
    return FALSE;
  for (gsize first = 0; first < n; first += CHUNK) {
    const gsize count = MIN (CHUNK, n - first);

    assay_rows_read (file, first, count, ASSAY_SCALE_NONE, values);
    for (gsize i = 0; i < count; i++)
      if (!(cols == 1 ? take_class (reading, first + i, values[i], error)
                      : take_set (reading, first + i, values + i * cols, error)))
        return FALSE;
  }
  return TRUE;
}

gboolean
row_labels_read (const AssayRows *file, const char *name, gsize expected, AssayRoleData *data,
                 gsize *ret_classes, GError **error)
{
  const gsize n = assay_rows_count (file);
  g_autofree gint64 *labels = NULL;
  g_autofree gint64 *sets = NULL;
  Reading reading = { .name = name, .cols = assay_rows_cols (file) };

  if (n != expected)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s has labels of %zu rows; expected %zu", name, n,
                       expected);
  if (reading.cols > ROW_LABELS_MAX_SET)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s has %zu columns; expected one with the number of a class, or one for "
                       "each of at most %d classes",
                       name, reading.cols, ROW_LABELS_MAX_SET);
  reading.words = assay_label_set_words (reading.cols);
  labels = assay_alloc (n, sizeof *labels, "labels", error);
  sets = labels != NULL && reading.cols > 1
             ? assay_alloc (n, reading.words * sizeof *sets, "labels", error)
             : NULL;
  if (labels == NULL || (reading.cols > 1 && sets == NULL))
    return FALSE;
  reading.labels = labels;
  reading.sets = sets;
  if (!read_all (&reading, file, error))
    return FALSE;
  data->labels = assay_array_take (ASSAY_INT64, 1, &n, g_steal_pointer (&labels));
  if (sets != NULL)
    data->label_sets = assay_label_sets_take (n, reading.words, g_steal_pointer (&sets));
  *ret_classes = reading.cols > 1 ? MAX (reading.cols, reading.n_classes) : reading.n_classes;
  return TRUE;
}

guint64
row_labels_memory (const AssayRoleData *data, gsize n)
{
  const gsize words = 1 + MAX (assay_label_sets_words (data->label_sets), 1);

  return data->labels != NULL ? words * sizeof (gint64) * n : 0;
}

void
row_labels_hash (GChecksum *checksum, const AssayRoleData *data)
{
  const AssayArray *arrays[] = { data->labels, data->label_sets, data->attributes };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i] != NULL)
      g_checksum_update (checksum, arrays[i]->data,
                         (gssize) (assay_array_count (arrays[i]) * sizeof (gint64)));
}
