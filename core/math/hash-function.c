/* Applying hash functions, and their form in a release. */
#include "core/math/hash-function.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/codes.h"
#include "core/math/linalg.h"

/* Rows that are worked on at once, and that are read at once from a set. */
#define PANEL 256
#define CHUNK (gsize) 8192

AssayHashFunction *
assay_hash_function_new (void)
{
  return g_atomic_rc_box_new0 (AssayHashFunction);
}

AssayHashFunction *
assay_hash_function_linear (const double *mean, gsize cols, gsize bits, GError **error)
{
  g_autoptr (AssayHashFunction) function = assay_hash_function_new ();

  function->mean = assay_matrix_new (1, cols, error);
  function->projection = function->mean != NULL ? assay_matrix_new (bits, cols, error) : NULL;
  for (gsize j = 0; function->projection != NULL && j < cols; j++)
    function->mean->data[j] = (float) mean[j];
  return function->projection != NULL ? g_steal_pointer (&function) : NULL;
}

AssayHashFunction *
assay_hash_function_ref (AssayHashFunction *function)
{
  return g_atomic_rc_box_acquire (function);
}

static ASSAY_CLEAR_FUNC (AssayHashFunction, clear, assay_matrix_free (self->mean),
                         assay_matrix_free (self->projection), assay_matrix_free (self->anchors),
                         assay_matrix_free (self->hidden), assay_matrix_free (self->waves),
                         assay_picture_kernels_clear (&self->kernels), g_free (self->says))

void
assay_hash_function_free (AssayHashFunction *function)
{
  if (function != NULL)
    g_atomic_rc_box_release_full (function, (GDestroyNotify) clear);
}

gsize
assay_hash_function_bits (const AssayHashFunction *function)
{
  return function->projection->rows;
}

gsize
assay_hash_function_cols (const AssayHashFunction *function)
{
  const AssayPictureKernels *kernels = &function->kernels;

  if (kernels->n > 0)
    return kernels->height * kernels->width * kernels->channels;
  if (function->hidden != NULL)
    return function->hidden->cols - 1;
  return function->anchors != NULL ? function->anchors->cols : function->mean->cols;
}

/* ---- Applying it ---- */

typedef struct {
  const AssayHashFunction *function;
  AssayView rows;
  double *anchor_norms; /* ||anchor||^2; NULL without anchors */
  AssayMatrix *features;
  AssayMatrix *margins; /* NULL: only features are wanted */
} Applying;

/* Inner products with the anchors become kernel values. */
static void
apply_kernel (const Applying *applying, const float *row, float *inout_features)
{
  const AssayHashFunction *function = applying->function;
  const double norm = assay_squared_norm (row, applying->rows.cols);
  const double scale = -0.5 / ((double) function->width * (double) function->width);

  for (gsize i = 0; i < function->anchors->rows; i++) {
    const double square = norm + applying->anchor_norms[i] - 2 * (double) inout_features[i];

    inout_features[i] = (float) (exp (scale * MAX (square, 0)) - (double) function->mean->data[i]);
  }
}

/* Inner products with the weights of hidden units become what these give. */
static void
apply_hidden (const AssayHashFunction *function, float *inout_features)
{
  const AssayMatrix *hidden = function->hidden;

  for (gsize i = 0; i < hidden->rows; i++)
    inout_features[i]
        = MAX (inout_features[i] + hidden->data[(i + 1) * hidden->cols - 1], 0)
          - function->mean->data[i];
}

static void
apply_waves (const AssayHashFunction *function, float *inout_margins)
{
  for (gsize j = 0; j < function->waves->rows; j++) {
    const float *wave = function->waves->data + 2 * j;

    inout_margins[j]
        = (float) cos ((double) wave[0] * (double) inout_margins[j] + (double) wave[1]);
  }
}

static void
apply_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Applying *applying = data;
  const AssayHashFunction *function = applying->function;
  const gsize first = panel * PANEL, count = MIN (PANEL, applying->rows.rows - first);
  const gsize f = function->mean->cols, d = applying->rows.cols;
  float *features = assay_matrix_row (applying->features, first);

  if (function->anchors != NULL)
    assay_linalg_product (ASSAY_NT, assay_view_rows (applying->rows, first, count),
                          assay_view_of (function->anchors->data, f, d), features, f);
  if (function->hidden != NULL)
    assay_linalg_product (ASSAY_NT, assay_view_rows (applying->rows, first, count),
                          (AssayView){ f, d, d + 1, function->hidden->data }, features, f);
  for (gsize i = 0; i < count; i++) {
    const float *row = assay_view_row (applying->rows, first + i);

    if (function->anchors != NULL)
      apply_kernel (applying, row, features + i * f);
    else if (function->hidden != NULL)
      apply_hidden (function, features + i * f);
    else
      for (gsize j = 0; j < f; j++)
        features[i * f + j] = row[j] - function->mean->data[j];
  }
  if (applying->margins == NULL)
    return;
  assay_linalg_product (ASSAY_NT, assay_view_of (features, count, f),
                        assay_view_of (function->projection->data, applying->margins->cols, f),
                        assay_matrix_row (applying->margins, first), applying->margins->cols);
  for (gsize i = 0; function->waves != NULL && i < count; i++)
    apply_waves (function, assay_matrix_row (applying->margins, first + i));
}

static gboolean
apply (Applying *applying, GError **error)
{
  const AssayHashFunction *function = applying->function;
  g_autoptr (AssayMatrix) seen = NULL;
  g_autofree double *norms = NULL;

  if (applying->rows.cols != assay_hash_function_cols (function))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the hash function takes rows of %zu numbers, found %zu",
                       assay_hash_function_cols (function), applying->rows.cols);
  if (function->kernels.n > 0) {
    seen = assay_picture_kernels_apply (&function->kernels, applying->rows, error);
    if (seen == NULL)
      return FALSE;
    applying->rows = assay_matrix_view (seen);
  }
  applying->features = assay_matrix_new (applying->rows.rows, function->mean->cols, error);
  if (applying->features == NULL)
    return FALSE;
  if (function->anchors != NULL) {
    norms = g_new (double, function->anchors->rows);
    for (gsize i = 0; i < function->anchors->rows; i++)
      norms[i]
          = assay_squared_norm (assay_matrix_row (function->anchors, i), function->anchors->cols);
    applying->anchor_norms = norms;
  }
  assay_parallel_for ((applying->rows.rows + PANEL - 1) / PANEL, apply_panel, applying);
  return TRUE;
}

AssayMatrix *
assay_hash_function_features (const AssayHashFunction *function, AssayView rows, GError **error)
{
  Applying applying = { .function = function, .rows = rows };

  return apply (&applying, error) ? applying.features : NULL;
}

AssayMatrix *
assay_hash_function_margins (const AssayHashFunction *function, AssayView rows, GError **error)
{
  g_autoptr (AssayMatrix) margins
      = assay_matrix_new (rows.rows, assay_hash_function_bits (function), error);
  Applying applying = { .function = function, .rows = rows, .margins = margins };

  if (margins == NULL || !apply (&applying, error))
    return NULL;
  assay_matrix_free (applying.features);
  return g_steal_pointer (&margins);
}

AssayArray *
assay_hash_function_codes (const AssayHashFunction *function, AssayView rows, GError **error)
{
  const gsize bytes = assay_code_bytes (assay_hash_function_bits (function));
  g_autofree guint8 *codes = assay_alloc (rows.rows * bytes, 1, "codes", error);

  if (codes == NULL)
    return NULL;
  for (gsize first = 0; first < rows.rows; first += CHUNK) {
    const gsize count = MIN (CHUNK, rows.rows - first);
    g_autoptr (AssayMatrix) margins
        = assay_hash_function_margins (function, assay_view_rows (rows, first, count), error);
    g_autoptr (AssayArray) packed
        = margins != NULL ? assay_codes_pack (assay_matrix_view (margins), error) : NULL;

    if (packed == NULL)
      return NULL;
    memcpy (codes + first * bytes, packed->data, count * bytes);
  }
  return assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ rows.rows, bytes },
                           g_steal_pointer (&codes));
}

/* ---- In a release ---- */

static void
release_matrix (AssayRelease *release, const char *name, const AssayMatrix *matrix,
                guint n_dimensions)
{
  const gsize shape[] = { n_dimensions == 1 ? matrix->cols : matrix->rows, matrix->cols };

  assay_arrays_take (
      &release->arrays, name,
      assay_array_take (ASSAY_FLOAT32, n_dimensions, shape,
                        g_memdup2 (matrix->data, matrix->rows * matrix->cols * sizeof (float))));
}

static void
release_kernels (const AssayPictureKernels *kernels, AssayRelease *release)
{
  static const gsize three = 3;
  const gint64 picture[]
      = { (gint64) kernels->height, (gint64) kernels->width, (gint64) kernels->channels };

  assay_arrays_take (
      &release->arrays, "picture",
      assay_array_take (ASSAY_INT64, 1, &three, g_memdup2 (picture, sizeof picture)));
  for (guint l = 0; l < kernels->n; l++)
    release_matrix (release, assay_codes_kernels[l], kernels->layers[l], 2);
}

void
assay_hash_function_release (const AssayHashFunction *function, AssayRelease *release)
{
  static const gsize one = 1;

  release_matrix (release, "mean", function->mean, 1);
  release_matrix (release, "projection", function->projection, 2);
  if (function->waves != NULL)
    release_matrix (release, "waves", function->waves, 2);
  if (function->hidden != NULL)
    release_matrix (release, "hidden", function->hidden, 2);
  if (function->kernels.n > 0)
    release_kernels (&function->kernels, release);
  if (function->anchors == NULL)
    return;
  release_matrix (release, "anchors", function->anchors, 2);
  assay_arrays_take (
      &release->arrays, "width",
      assay_array_take (ASSAY_FLOAT32, 1, &one, g_memdup2 (&function->width, sizeof (float))));
}

static float
first_number (const AssayArray *array)
{
  return *(const float *) (gconstpointer) array->data;
}

static AssayMatrix *
copy_array (const AssayArray *array)
{
  const AssayView all = assay_array_view (array);
  const AssayView view = array->n_dimensions == 1
                             ? (AssayView){ 1, array->shape[0], array->shape[0], all.data }
                             : all;

  return assay_matrix_copy (view, NULL);
}

static gboolean
copy_kernels (const AssayArrays *arrays, AssayPictureKernels *ret_kernels)
{
  const AssayArray *picture = assay_arrays_get (arrays, "picture");
  const gint64 *sides
      = picture != NULL ? (const gint64 *) (gconstpointer) picture->data : NULL;

  if (sides == NULL)
    return TRUE;
  ret_kernels->height = (gsize) sides[0];
  ret_kernels->width = (gsize) sides[1];
  ret_kernels->channels = (gsize) sides[2];
  for (guint l = 0; l < ASSAY_CODES_MAX_KERNELS; l++) {
    const AssayArray *kernels = assay_arrays_get (arrays, assay_codes_kernels[l]);

    if (kernels == NULL)
      break;
    ret_kernels->layers[l] = copy_array (kernels);
    if (ret_kernels->layers[l] == NULL)
      return FALSE;
    ret_kernels->n = l + 1;
  }
  return TRUE;
}

AssayHashFunction *
assay_hash_function_from (const AssayRelease *release, GError **error)
{
  const AssayArrays *arrays = &release->arrays;
  const AssayArray *anchors = assay_arrays_get (arrays, "anchors");
  const AssayArray *hidden = assay_arrays_get (arrays, "hidden");
  const AssayArray *waves = assay_arrays_get (arrays, "waves");
  g_autoptr (AssayHashFunction) function = assay_hash_function_new ();

  if (assay_arrays_get (arrays, "projection") == NULL)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "the release has no hash function");
  if (!assay_codes_check_function (release, error))
    return NULL;
  function->mean = copy_array (assay_arrays_get (arrays, "mean"));
  function->projection = copy_array (assay_arrays_get (arrays, "projection"));
  if (anchors != NULL) {
    function->anchors = copy_array (anchors);
    function->width = first_number (assay_arrays_get (arrays, "width"));
  }
  if (hidden != NULL)
    function->hidden = copy_array (hidden);
  if (waves != NULL)
    function->waves = copy_array (waves);
  if (!copy_kernels (arrays, &function->kernels) || function->mean == NULL
      || function->projection == NULL
      || (anchors != NULL && function->anchors == NULL)
      || (hidden != NULL && function->hidden == NULL)
      || (waves != NULL && function->waves == NULL))
    return assay_fail_null (error, ASSAY_ERROR_MEMORY, "not enough memory for the hash function");
  return g_steal_pointer (&function);
}
