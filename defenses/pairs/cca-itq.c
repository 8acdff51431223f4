/* Cross-modal codes by canonical correlations and iterative quantisation (Gong and Lazebnik 2011,
 * "Iterative Quantization: A Procrustean Approach to Learning Binary Codes", section 2.3, of two
 * modalities): a baseline that sees features alone, no graph and no labels.
 *
 * Columns of both modalities have mean 0 and deviation 1. With covariances C_II and C_TT, each with
 * `ridge` on its diagonal, and C_IT, the canonical directions a_k, b_k solve
 *   C_IT C_TT^-1 C_TI a = rho^2 C_II a,  a' C_II a = 1,  b = C_TT^-1 C_TI a / rho,
 * of which the c = min (bits, d_I, d_T) with the largest correlations rho are taken, times rho. The
 * rows of both modalities in them, one set on top of the other (V, 2n x c), are then rotated
 * towards the corners of a cube: R is c x bits with R R' = I. Where bits are more than c, V has
 * columns of zeros up to them, and the first c rows of the square rotation of ITQ
 * (itq-rotation.h) are the R of the smaller Procrustes problem. More correlations than the
 * modality with fewer columns has there are not: further bits are further signs of the same c
 * numbers. `extend = no` refuses them.
 *
 * The hash functions that are released have means and deviations folded in. */
#include <math.h>

#include "core/math/linalg.h"
#include "defenses/codes/itq-rotation.h"
#include "defenses/pairs/paired-release.h"

/* Of the common stream: no item of a secret. */
#define ROTATION_ITEM G_MAXUINT64

typedef struct {
  gint64 bits;
  gint64 iterations;
  double ridge;
  bool extend;
} CcaItq;

typedef struct {
  const PairedRows *rows;
  double *directions[ASSAY_N_PAIRED]; /* c x d: canonical ones, times their correlations */
  gsize n, count;                     /* c */
} Canonical;

static void
canonical_clear (Canonical *canonical)
{
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    g_free (canonical->directions[s]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Canonical, canonical_clear)

/* ---- Canonical directions ---- */

/* A' B / n of the standardised rows of two modalities, in double; @ridge on the diagonal. */
static double *
covary (const Canonical *canonical, guint a, guint b, double ridge, GError **error)
{
  const AssayMatrix *rows[] = { canonical->rows->standard[a], canonical->rows->standard[b] };
  double *covariance
      = assay_alloc (rows[0]->cols, rows[1]->cols * sizeof (double), "covariances", error);

  if (covariance == NULL)
    return NULL;
  for (gsize i = 0; i < canonical->n; i++)
    for (gsize j = 0; j < rows[0]->cols; j++)
      for (gsize k = 0; k < rows[1]->cols; k++)
        covariance[j * rows[1]->cols + k] += (double) rows[0]->data[i * rows[0]->cols + j]
                                             * (double) rows[1]->data[i * rows[1]->cols + k]
                                             / (double) canonical->n;
  for (gsize j = 0; a == b && j < rows[0]->cols; j++)
    covariance[j * rows[0]->cols + j] += ridge;
  return covariance;
}

/* rho a and rho b = C_TT^-1 C_TI a, which needs no division by a correlation of 0. */
static gboolean
scale_directions (Canonical *canonical, const double *solved, const double *values, GError **error)
{
  const gsize d = canonical->rows->rows[0].cols, e = canonical->rows->rows[1].cols,
              c = canonical->count;
  double *image = canonical->directions[0];
  double *text = assay_alloc (c, e * sizeof (double), "directions", error);

  if (text == NULL)
    return FALSE;
  canonical->directions[1] = text;
  assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (image, c, d),
                               assay_view_of_doubles (solved, e, d), text, e);
  for (gsize k = 0; k < c; k++)
    for (gsize j = 0; j < d; j++)
      image[k * d + j] *= sqrt (MAX (values[k], 0));
  return TRUE;
}

static gboolean
find_directions (Canonical *canonical, double ridge, GError **error)
{
  const gsize d = canonical->rows->rows[0].cols, e = canonical->rows->rows[1].cols;
  g_autofree double *image = covary (canonical, 0, 0, ridge, error);
  g_autofree double *text = image != NULL ? covary (canonical, 1, 1, ridge, error) : NULL;
  g_autofree double *cross = text != NULL ? covary (canonical, 0, 1, 0, error) : NULL;
  g_autofree double *solved = cross != NULL ? covary (canonical, 1, 0, 0, error) : NULL;
  g_autofree double *matrix = assay_alloc (d, d * sizeof (double), "covariances", error);
  g_autofree double *values = g_new0 (double, canonical->count);

  canonical->directions[0]
      = assay_alloc (canonical->count, d * sizeof (double), "directions", error);
  if (solved == NULL || matrix == NULL || canonical->directions[0] == NULL
      || !assay_linalg_solve_spd (e, d, text, solved, error))
    return FALSE;
  assay_linalg_product_double (ASSAY_NN, assay_view_of_doubles (cross, d, e),
                               assay_view_of_doubles (solved, e, d), matrix, d);
  return assay_linalg_definite_eigen (&(AssayPencil){ d, matrix, image }, canonical->count, values,
                                      canonical->directions[0], error)
         && scale_directions (canonical, solved, values, error);
}

/* ---- Rotation ---- */

/* V: both modalities, one on top of the other, with columns of zeros up to @bits. */
static AssayMatrix *
stack (const Canonical *canonical, gsize bits, GError **error)
{
  AssayMatrix *stacked = assay_matrix_new (2 * canonical->n, bits, error);

  for (guint s = 0; stacked != NULL && s < ASSAY_N_PAIRED; s++) {
    const gsize d = canonical->rows->rows[s].cols;

    for (gsize i = 0; i < canonical->n; i++)
      for (gsize k = 0; k < canonical->count; k++) {
        double sum = 0;

        for (gsize j = 0; j < d; j++)
          sum += canonical->directions[s][k * d + j]
                 * (double) assay_matrix_row (canonical->rows->standard[s], i)[j];
        assay_matrix_row (stacked, s * canonical->n + i)[k] = (float) sum;
      }
  }
  return stacked;
}

static ItqRotation *
rotate (const Canonical *canonical, const CcaItq *settings, const AssayDefenseContext *context,
        GError **error)
{
  AssayStream stream = assay_stream (context->common_stream, ROTATION_ITEM);
  const guint32 word = assay_stream_u32 (&stream);
  const ItqSettings iteration = { .iterations = (gsize) settings->iterations,
                                  .start = { { word, assay_stream_u32 (&stream) } } };
  g_autoptr (AssayMatrix) stacked = stack (canonical, (gsize) settings->bits, error);

  return stacked != NULL ? itq_rotation_new (assay_matrix_view (stacked), &iteration, error) : NULL;
}

/* ---- Release ---- */

/* Layer 1 of a side: R'W'. */
static void
release_function (const Canonical *canonical, guint side, const ItqRotation *rotation,
                  AssayRelease *ret_release)
{
  const gsize d = canonical->rows->rows[side].cols, bits = rotation->rotation->cols;
  g_autofree double *weights = g_new0 (double, bits *d);

  for (gsize l = 0; l < bits; l++)
    for (gsize j = 0; j < d; j++)
      for (gsize k = 0; k < canonical->count; k++)
        weights[l * d + j] += (double) assay_matrix_row (rotation->rotation, k)[l]
                              * canonical->directions[side][k * d + j];
  paired_release_linear (canonical->rows, side, &(PairedLinear){ bits, weights, NULL },
                         ret_release);
}

static gboolean
check_count (const CcaItq *settings, gsize d, gsize e, GError **error)
{
  return settings->extend || (gsize) settings->bits <= MIN (d, e)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "bits = %" G_GINT64_FORMAT ": modalities of %zu and %zu numbers have %zu "
                        "canonical correlations; expected no more bits, or extend = yes",
                        settings->bits, d, e, MIN (d, e));
}

static gboolean
learn (const AssayDefenseContext *context, const PairedRows *rows, AssayRelease *ret_release,
       GError **error)
{
  const CcaItq *settings = context->settings;
  const gsize d = rows->rows[0].cols, e = rows->rows[1].cols;
  g_auto (Canonical) canonical = { .rows = rows,
                                   .n = rows->rows[0].rows,
                                   .count = MIN ((gsize) settings->bits, MIN (d, e)) };
  g_autoptr (ItqRotation) rotation = NULL;

  if (!check_count (settings, d, e, error) || !find_directions (&canonical, settings->ridge, error))
    return FALSE;
  rotation = rotate (&canonical, settings, context, error);
  for (guint s = 0; rotation != NULL && s < ASSAY_N_PAIRED; s++)
    release_function (&canonical, s, rotation, ret_release);
  return rotation != NULL;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  return paired_release (learn, (gsize) ((const CcaItq *) context->settings)->bits, context,
                         secrets, ret_release, error);
}

/* ---- Descriptor ---- */

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const CcaItq *settings = data;
  const guint64 n = shape->n_secrets, d = shape->cols, bits = (guint64) settings->bits;

  return itq_memory (2 * n, bits, bits) + n * (d + 4 * bits) * sizeof (float)
         + 5 * d * d * sizeof (double) + bits * d * (sizeof (double) + sizeof (float));
}

ASSAY_DEFENSE (cca_itq, "cca-itq",
  .summary = "Hash codes of two modalities: canonical correlations, rotated towards bits (ITQ)",
  .reference = { "Gong and Lazebnik 2011, Iterative Quantization: A Procrustean Approach to "
                 "Learning Binary Codes",
                 "sections 2.2 and 2.3" },
  ASSAY_SETTINGS (CcaItq,
    ASSAY_PARAM_INT (CcaItq, bits, 32, 1, 1024, "bits", "Length of either code"),
    ASSAY_PARAM_INT (CcaItq, iterations, 50, 1, 100000, "", "The most iterations of the rotation"),
    ASSAY_PARAM_REAL (CcaItq, ridge, 0.01, 1e-9, 1e9, "",
                      "Ridge added to the diagonals of the covariances, of columns with "
                      "deviation 1"),
    ASSAY_PARAM_BOOL (CcaItq, extend, TRUE,
                      "Whether there may be more bits than canonical correlations; the others are "
                      "further signs of the same numbers")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .protect = protect);
