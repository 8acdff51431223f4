/* The rows that users train on. */
#include "defenses/updates/user-rows.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/vectors.h"
#include "defenses/updates/column-scaling.h"

ASSAY_CLEAR_FUNC (UserRows, user_rows_clear, assay_drop (self->rows, assay_matrix_free),
                  assay_drop (self->labels, g_free), user_samples_clear (&self->samples))

gboolean
user_rows_check_labels (const gint64 *labels, gsize n, gsize n_classes, const char *what,
                        GError **error)
{
  if (labels == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "users train a classifier: expected labels of the %zu %s, found none", n,
                       what);
  for (gsize i = 0; i < n; i++)
    if (labels[i] < 0 || (guint64) labels[i] >= n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "label %zu of the %s is %" G_GINT64_FORMAT "; expected 0 to %zu", i, what,
                         labels[i], n_classes - 1);
  return TRUE;
}

/* Samples, then public rows. */
static AssayMatrix *
join (AssayView secrets, const AssayRows *shared, GError **error)
{
  g_autoptr (AssayMatrix) rows = assay_rows_matrix (shared, ASSAY_SCALE_NONE, error);
  AssayMatrix *joined
      = rows != NULL ? assay_matrix_new (secrets.rows + rows->rows, secrets.cols, error) : NULL;

  for (gsize i = 0; joined != NULL && i < joined->rows; i++)
    memcpy (assay_matrix_row (joined, i),
            i < secrets.rows ? assay_view_row (secrets, i)
                             : assay_matrix_row (rows, i - secrets.rows),
            secrets.cols * sizeof (float));
  return joined;
}

static void
shorten (AssayMatrix *rows)
{
  for (gsize i = 0; i < rows->rows; i++) {
    float *row = assay_matrix_row (rows, i);
    const double length = sqrt (assay_lanes_squared_norm (row, rows->cols));

    for (gsize j = 0; length > 1 && j < rows->cols; j++)
      row[j] = (float) ((double) row[j] / length);
  }
}

gboolean
user_rows_init (const AssayDefenseContext *context, AssayView secrets, const UserRowsForm *form,
                UserRows *ret_rows, GError **error)
{
  g_auto (UserRows) made
      = { .n = secrets.rows,
          .n_shared = form->shares_public ? assay_rows_count (context->public_rows) : 0 };
  g_autoptr (AssayMatrix) joined = NULL;

  if (!user_rows_check_labels (context->labels, made.n, context->n_classes, "secrets", error)
      || (made.n_shared > 0
          && !user_rows_check_labels (context->public_labels, made.n_shared, context->n_classes,
                                      "public rows, which are in each user's part", error)))
    return FALSE;
  joined = made.n_shared > 0 ? join (secrets, context->public_rows, error) : NULL;
  if (made.n_shared > 0 && joined == NULL)
    return FALSE;
  made.rows = column_scaling_apply (joined != NULL ? assay_matrix_view (joined) : secrets,
                                    form->scaling, error);
  made.labels = assay_alloc (made.n + made.n_shared, sizeof (gint64), "labels", error);
  if (made.rows == NULL || made.labels == NULL)
    return FALSE;
  memcpy (made.labels, context->labels, made.n * sizeof (gint64));
  if (made.n_shared > 0)
    memcpy (made.labels + made.n, context->public_labels, made.n_shared * sizeof (gint64));
  if (form->is_shortened)
    shorten (made.rows);
  *ret_rows = made;
  made = (UserRows){ 0 };
  return TRUE;
}

static gsize
count_own (const UserRows *rows, gsize user)
{
  return rows->samples.first[user + 1] - rows->samples.first[user];
}

gsize
user_rows_count (const UserRows *rows, gsize user)
{
  return count_own (rows, user) + rows->n_shared;
}

gsize
user_rows_at (const UserRows *rows, gsize user, gsize index)
{
  const gsize own = count_own (rows, user);

  return index < own ? rows->samples.order[rows->samples.first[user] + index]
                     : rows->n + index - own;
}
