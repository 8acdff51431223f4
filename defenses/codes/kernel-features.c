/* Kernel features of training rows, and their products. */
#include "defenses/codes/kernel-features.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

/* Rows that are worked on at once, and columns of what is multiplied at once. */
#define PANEL (gsize) 256
#define TILE (gsize) 128

ASSAY_CLEAR_FUNC (KernelFeatures, kernel_features_clear,
                  assay_drop (self->function, assay_hash_function_free),
                  assay_drop (self->features, assay_matrix_free))

/* Whether row @i has the same classes as the first one, where rows have several. */
static gboolean
has_first_set (const HashTraining *training, gsize i)
{
  const gsize words = training->label_words;

  return training->label_sets == NULL
         || memcmp (training->label_sets, training->label_sets + i * words,
                    words * sizeof (gint64))
                == 0;
}

gboolean
kernel_labels_check (const HashTraining *training, GError **error)
{
  gboolean is_varied = FALSE;

  if (training->labels == NULL)
    return assay_fail (
        error, ASSAY_ERROR_MISMATCH,
        "supervised hashing learns from labels: expected labels of the %zu training rows, found "
        "none",
        training->rows.rows);
  for (gsize i = 0; i < training->rows.rows; i++) {
    if (training->labels[i] < 0 || (guint64) training->labels[i] >= training->n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "training row %zu has label %" G_GINT64_FORMAT ": expected 0 to less than "
                         "%zu",
                         i, training->labels[i], training->n_classes);
    is_varied = is_varied || training->labels[i] != training->labels[0]
                || !has_first_set (training, i);
  }
  if (training->rows.rows > 0 && !is_varied)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "all %zu training rows have label %" G_GINT64_FORMAT ": expected two "
                       "classes at least",
                       training->rows.rows, training->labels[0]);
  return TRUE;
}

/* ---- Width ---- */

typedef struct {
  AssayView rows;
  const AssayMatrix *anchors;
  double *anchor_norms;
  double *sums; /* of distances, one a panel */
} Measuring;

static void
sum_distances (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Measuring *measuring = data;
  const gsize first = panel * PANEL, count = MIN (PANEL, measuring->rows.rows - first);
  const gsize m = measuring->anchors->rows, d = measuring->rows.cols;
  g_autofree float *products = g_new (float, count *m);
  double sum = 0;

  assay_linalg_product (ASSAY_NT, assay_view_rows (measuring->rows, first, count),
                        assay_view_of (measuring->anchors->data, m, d), products, m);
  for (gsize i = 0; i < count; i++) {
    const double norm = assay_squared_norm (assay_view_row (measuring->rows, first + i), d);

    for (gsize j = 0; j < m; j++)
      sum += sqrt (MAX (norm + measuring->anchor_norms[j] - 2 * (double) products[i * m + j], 0));
  }
  measuring->sums[panel] = sum;
}

static double
mean_distance (AssayView rows, const AssayMatrix *anchors)
{
  const gsize panels = (rows.rows + PANEL - 1) / PANEL;
  g_autofree double *norms = g_new (double, anchors->rows);
  g_autofree double *sums = g_new (double, panels);
  const Measuring measuring = { rows, anchors, norms, sums };
  double sum = 0;

  for (gsize i = 0; i < anchors->rows; i++)
    norms[i] = assay_squared_norm (anchors->data + i * anchors->cols, anchors->cols);
  assay_parallel_for (panels, sum_distances, (gpointer) &measuring);
  for (gsize p = 0; p < panels; p++)
    sum += sums[p];
  return sum / ((double) rows.rows * (double) anchors->rows);
}

/* ---- Features ---- */

static AssayMatrix *
draw_anchors (const HashTraining *training, gsize count, GError **error)
{
  AssayStream stream = assay_stream (training->stream, KERNEL_ITEM_ANCHORS);
  g_autofree gsize *chosen = g_new (gsize, count);
  AssayMatrix *anchors = assay_matrix_new (count, training->rows.cols, error);

  assay_stream_choose (&stream, training->rows.rows, count, chosen);
  for (gsize i = 0; anchors != NULL && i < count; i++)
    memcpy (assay_matrix_row (anchors, i), assay_view_row (training->rows, chosen[i]),
            anchors->cols * sizeof (float));
  return anchors;
}

/* Moves the mean of each column to @ret_mean; the largest magnitude that is left. */
static double
centre (AssayMatrix *inout_features, float *ret_mean)
{
  const gsize t = inout_features->rows, m = inout_features->cols;
  g_autofree double *sums = g_new0 (double, m);
  double largest = 0;

  for (gsize i = 0; i < t; i++)
    for (gsize j = 0; j < m; j++)
      sums[j] += (double) inout_features->data[i * m + j];
  for (gsize j = 0; j < m; j++)
    ret_mean[j] = (float) (sums[j] / (double) t);
  for (gsize i = 0; i < t; i++)
    for (gsize j = 0; j < m; j++) {
      float *value = inout_features->data + i * m + j;

      *value -= ret_mean[j];
      largest = MAX (largest, fabs ((double) *value));
    }
  return largest;
}

gboolean
kernel_features_learn (const HashTraining *training, gsize anchors, double width,
                       KernelFeatures *ret_features, GError **error)
{
  const gsize t = training->rows.rows;
  AssayHashFunction *function = assay_hash_function_new ();

  ret_features->function = function;
  if (t < anchors)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu training rows: expected as many as anchors, %zu, or more", t, anchors);
  if (!hash_rows_check (training->rows, error))
    return FALSE;
  function->anchors = draw_anchors (training, anchors, error);
  function->mean = assay_matrix_new (1, anchors, error);
  if (function->anchors == NULL || function->mean == NULL)
    return FALSE;
  function->width = (float) (width > 0 ? width : mean_distance (training->rows, function->anchors));
  if (!(function->width > 0) || !isfinite (function->width))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the mean distance of training rows and anchors is %g: expected a number "
                       "above 0, of features that vary",
                       (double) function->width);
  ret_features->features = assay_hash_function_features (function, training->rows, error);
  if (ret_features->features == NULL)
    return FALSE;
  if (!(centre (ret_features->features, function->mean->data) > 4 * (double) FLT_EPSILON))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "a kernel of width %g is the same for all training rows: expected a width "
                       "near their distances",
                       (double) function->width);
  return TRUE;
}

AssayHashFunction *
kernel_features_finish (KernelFeatures *features, AssayMatrix *projection)
{
  features->function->projection = projection;
  return g_steal_pointer (&features->function);
}

/* ---- Products ---- */

typedef struct {
  AssayView a, b;
  gsize tiles_b;
  gboolean is_symmetric;
  double *products;
} Multiplying;

ASSAY_VECTORISED static void
widen_kernel_tile (AssayView view, gsize first_row, gsize count, gsize first_col, gsize cols,
                   double *ret_tile)
{
  for (gsize i = 0; i < count; i++) {
    const float *row = view.data + (first_row + i) * view.stride + first_col;

    for (gsize j = 0; j < cols; j++)
      ret_tile[i * cols + j] = (double) row[j];
  }
}

/* One tile of A' B, over all rows in order. */
static void
multiply_tile (gsize piece, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Multiplying *multiplying = data;
  const AssayView a = multiplying->a, b = multiplying->b;
  const gsize row = piece / multiplying->tiles_b * TILE, col = piece % multiplying->tiles_b * TILE;
  const gsize rows = MIN (TILE, a.cols - row), cols = MIN (TILE, b.cols - col);
  g_autofree double *left = NULL;
  g_autofree double *right = NULL;
  g_autofree double *sums = NULL;
  g_autofree double *panel = NULL;

  if (multiplying->is_symmetric && col > row)
    return;
  left = g_new (double, PANEL *rows);
  right = g_new (double, PANEL *cols);
  panel = g_new (double, rows *cols);
  sums = g_new0 (double, rows *cols);
  for (gsize first = 0; first < a.rows; first += PANEL) {
    const gsize count = MIN (PANEL, a.rows - first);

    widen_kernel_tile (a, first, count, row, rows, left);
    widen_kernel_tile (b, first, count, col, cols, right);
    assay_linalg_product_double (ASSAY_TN, assay_view_of_doubles (left, count, rows),
                                 assay_view_of_doubles (right, count, cols), panel, cols);
    for (gsize i = 0; i < rows * cols; i++)
      sums[i] += panel[i];
  }
  for (gsize i = 0; i < rows; i++)
    memcpy (multiplying->products + (row + i) * b.cols + col, sums + i * cols,
            cols * sizeof (double));
}

void
kernel_cross_products (AssayView a, AssayView b, double *ret_products)
{
  const gsize tiles_a = (a.cols + TILE - 1) / TILE, tiles_b = (b.cols + TILE - 1) / TILE;
  const Multiplying multiplying
      = { a, b, tiles_b, a.data == b.data && a.cols == b.cols, ret_products };

  g_assert (a.rows == b.rows);
  assay_parallel_for (tiles_a * tiles_b, multiply_tile, (gpointer) &multiplying);
  for (gsize i = 0; multiplying.is_symmetric && i < a.cols; i++)
    for (gsize j = 0; j < i; j++)
      ret_products[j * a.cols + i] = ret_products[i * a.cols + j];
}
