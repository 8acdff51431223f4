/* Vectors that were turned by a secret rotation, and it may be projected and perturbed (Chen and
 * Liu 2005, "Privacy Preserving Data Classification with Rotation Perturbation"; Liu, Kargupta and
 * Ryan 2006, "Random Projection-Based Multiplicative Data Perturbation"; the same is under many
 * cancelable templates of biometrics).
 *
 * One release draws one rotation Q (d x d, uniform: an orthonormal basis of Gaussian rows), its
 * key, and publishes of each secret x (1 x d)
 *   y = [sqrt (d / k) Q_k x + e, 0],   e ~ N (0, noise^2 I_k)
 * where Q_k are the first k rows of Q. Distances between secrets are kept, and to those who lack Q,
 * so the claim goes, nothing else is. The columns beyond k are 0, so that a release has the columns
 * of the secrets, and every attack on vectors reads it. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/data/kinds/vectors.h"
#include "core/math/linalg.h"
#include "core/plugin/plugin.h"

/* Of the common stream: no item of a secret. */
#define KEY_ITEM G_MAXUINT64

typedef struct {
  gint64 columns;
  double noise;
} RandomRotation;

typedef struct {
  const AssayDefenseContext *context;
  double noise;
  gsize kept;
  AssayMatrix *vectors;
} Perturbing;

static gsize
kept_of (const RandomRotation *settings, gsize cols)
{
  return settings->columns == 0 ? cols : (gsize) settings->columns;
}

/* The first @kept rows of the rotation, as float. */
static AssayMatrix *
draw_rotation (AssayStreamKey key, gsize kept, gsize cols, GError **error)
{
  AssayStream stream = assay_stream (key, KEY_ITEM);
  g_autofree double *rows = assay_alloc (kept, cols * sizeof (double), "rotation", error);
  g_autoptr (AssayMatrix) rotation = assay_matrix_new (kept, cols, error);
  const double scale = sqrt ((double) cols / (double) kept);

  if (rows == NULL || rotation == NULL)
    return NULL;
  assay_stream_fast_normals (&stream, kept * cols, rows);
  if (!assay_linalg_orthonormalize (rows, kept, cols, error))
    return NULL;
  for (gsize i = 0; i < kept * cols; i++)
    rotation->data[i] = (float) (scale * rows[i]);
  return g_steal_pointer (&rotation);
}

static void
add_noise (gsize secret, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Perturbing *job = data;
  AssayStream stream = assay_stream (job->context->stream, secret);
  float *vector = assay_matrix_row (job->vectors, secret);

  for (gsize j = 0; j < job->kept; j++)
    vector[j] += (float) (job->noise * assay_stream_normal (&stream));
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const RandomRotation *settings = context->settings;
  const gsize kept = kept_of (settings, secrets.cols);
  g_autoptr (AssayMatrix) rotation
      = draw_rotation (context->common_stream, kept, secrets.cols, error);
  g_autoptr (AssayMatrix) vectors = assay_matrix_new (secrets.rows, secrets.cols, error);
  Perturbing job = { context, settings->noise, kept, vectors };

  if (rotation == NULL || vectors == NULL)
    return FALSE;
  assay_linalg_product (ASSAY_NT, secrets, assay_matrix_view (rotation), vectors->data,
                        secrets.cols);
  if (settings->noise > 0)
    assay_parallel_for (secrets.rows, add_noise, &job);
  assay_arrays_take_matrix (&ret_release->arrays, "vectors", &vectors);
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, noise,
                       settings->noise > 0 ? ASSAY_NOISE_GAUSSIAN : ASSAY_NOISE_NONE);
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, scale, settings->noise);
  return TRUE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const RandomRotation *settings = data;

  return shape->cols == 0 || (gsize) settings->columns <= shape->cols
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "columns = %" G_GINT64_FORMAT ": expected at most %zu, as a secret has",
                        settings->columns, shape->cols);
}

ASSAY_DEFENSE (random_rotation, "random-rotation",
  .summary = "Turn all secrets by one secret rotation; keep some columns, add noise",
  .reference = { "Chen and Liu 2005, Privacy Preserving Data Classification with Rotation "
                 "Perturbation; Liu, Kargupta and Ryan 2006, Random Projection-Based "
                 "Multiplicative Data Perturbation",
                 "the perturbation" },
  ASSAY_SETTINGS (RandomRotation,
    ASSAY_PARAM_INT (RandomRotation, columns, 0, 0, 1000000, "columns",
                     "Columns kept of the rotated vector (k); 0: all"),
    ASSAY_PARAM_REAL (RandomRotation, noise, 0, 0, 1e6, "",
                      "Standard deviation of the Gaussian noise on each kept column")),
  .check = check,
  .holds = { .columns = 5 }, /* the rotation and its factorization, in double, and in float */
  .produces = ASSAY_RELEASE_VECTORS,
  .protect = protect);
