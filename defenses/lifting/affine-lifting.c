/* Affine subspace lifting (Dusmanu, Schönberger, Sinha and Pollefeys 2021, "Privacy-Preserving
 * Image Features via Adversarial Affine Subspace Embeddings"; read through LDP-FEAT, Pittaluga and
 * Zhuang 2023, section 3).
 *
 * A secret descriptor d (1 x n) becomes the m-dimensional affine subspace D = d + span (d_1..d_m):
 *   random       every d_i ~ U([-1, 1])^n
 *   adversarial  d_i = a_i - d, with a_i drawn from the database W
 *   hybrid       the first m/2 adversarial, the rest random
 *   sub-hybrid   hybrid, with all a_i of a secret from one part of W: row r belongs to part
 *                r mod sub_databases, and one part is drawn per secret
 * so that D meets the manifold of real descriptors at d and at the a_i. D is then re-parameterised,
 * which changes nothing of the set and hides d and the d_i among its points and directions:
 *   translation  t = projection of e_0 ~ U([-1, 1])^n onto D
 *   basis        orthonormal basis of the projections of e_1..e_m ~ U([-1, 1])^n onto span (d_i)
 * All of it in double, released as float32. The a_i of one secret are distinct rows.
 *
 * With `dither` u, uniform noise in [-u, u] is added to each number of a secret before it is
 * scaled: what is lifted is then no vector of integers any more (attacks/lifting/lattice.c). The
 * truth holds the secrets without it. Database rows are not dithered.
 *
 * The a_i are drawn uniformly. The truth names them (adversarial, n x m/2 or n x m row numbers). */
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/subspaces.h"
#include "core/math/linalg.h"
#include "core/plugin/plugin.h"

typedef struct {
  guint variant;
  gint64 dimension;
  gint64 sub_databases;
  bool normalize;
  double dither;
} AffineLifting;

/* How often a draw whose directions happen to be dependent (a database row equal to the secret) is
 * made again before the secret is given up. */
#define MAX_DRAWS 16

static gsize
adversarial_count (const AffineLifting *settings)
{
  const gsize m = (gsize) settings->dimension;

  return settings->variant == ASSAY_LIFTING_RANDOM        ? 0
         : settings->variant == ASSAY_LIFTING_ADVERSARIAL ? m
                                                          : m / 2;
}

/* @count distinct database rows, from the whole or from one part of it. */
static void
choose_rows (const AffineLifting *settings, AssayStream *stream, gsize n_database, gsize count,
             gsize *ret_rows)
{
  const gsize parts
      = settings->variant == ASSAY_LIFTING_SUB_HYBRID ? (gsize) settings->sub_databases : 1;
  const gsize part = parts > 1 ? assay_stream_below (stream, parts) : 0;
  const gsize part_size = (n_database - part + parts - 1) / parts;

  assay_stream_choose (stream, part_size, count, ret_rows);
  for (gsize i = 0; i < count; i++)
    ret_rows[i] = part + parts * ret_rows[i];
}

static void
fill_uniform (AssayStream *stream, gsize count, double *ret_values)
{
  for (gsize i = 0; i < count; i++)
    ret_values[i] = assay_stream_between (stream, -1, 1);
}

/* v := Q'Q v, the projection onto the span of the m orthonormal rows of Q (m x n). */
static void
project (const double *basis, gsize m, gsize n, const double *vector, double *ret_projected)
{
  memset (ret_projected, 0, n * sizeof (double));
  for (gsize i = 0; i < m; i++) {
    double product = 0;

    for (gsize j = 0; j < n; j++)
      product += basis[i * n + j] * vector[j];
    for (gsize j = 0; j < n; j++)
      ret_projected[j] += product * basis[i * n + j];
  }
}

typedef struct {
  const AssayDefenseContext *context;
  const AffineLifting *settings;
  AssayView secrets;  /* as they are protected */
  float *translation; /* n_secrets x n */
  float *basis;       /* n_secrets x m x n */
  gint64 *adversarial; /* n_secrets x count, or NULL */
} Lifting;

/* Orthonormal rows that span the directions of D for one secret. */
static gboolean
draw_directions (const Lifting *lifting, gsize secret, AssayStream *stream, double *ret_span,
                 GError **error)
{
  const AffineLifting *settings = lifting->settings;
  const gsize m = (gsize) settings->dimension, n = lifting->secrets.cols;
  const gsize count = adversarial_count (settings);
  const float *d = assay_view_row (lifting->secrets, secret);
  const AssayScale scale = settings->normalize ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE;
  g_autofree gsize *chosen = g_new0 (gsize, count + 1);
  g_autofree float *rows = g_new (float, count * n + 1);

  for (guint draw = 1;; draw++) {
    g_autoptr (GError) problem = NULL;

    if (count > 0) {
      choose_rows (settings, stream, assay_rows_count (lifting->context->database), count, chosen);
      assay_rows_gather (lifting->context->database, chosen, count, scale, rows);
    }
    for (gsize i = 0; i < count; i++)
      for (gsize j = 0; j < n; j++)
        ret_span[i * n + j] = (double) rows[i * n + j] - d[j];
    fill_uniform (stream, (m - count) * n, ret_span + count * n);
    if (assay_linalg_orthonormalize (ret_span, m, n, &problem))
      break;
    if (draw == MAX_DRAWS) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  }
  for (gsize i = 0; i < count; i++)
    lifting->adversarial[secret * count + i] = (gint64) chosen[i];
  return TRUE;
}

/* Translation and basis of one secret's subspace. */
static gboolean
lift (const Lifting *lifting, gsize secret, GError **error)
{
  const gsize m = (gsize) lifting->settings->dimension, n = lifting->secrets.cols;
  const float *d = assay_view_row (lifting->secrets, secret);
  AssayStream stream = assay_stream (lifting->context->stream, secret);
  g_autofree double *span = g_new (double, m * n);
  g_autofree double *basis = g_new (double, m * n);
  g_autofree double *random = g_new (double, n);
  g_autofree double *projected = g_new (double, n);

  if (!draw_directions (lifting, secret, &stream, span, error))
    return FALSE;

  fill_uniform (&stream, n, random);
  for (gsize j = 0; j < n; j++)
    random[j] -= d[j];
  project (span, m, n, random, projected);
  for (gsize j = 0; j < n; j++)
    lifting->translation[secret * n + j] = (float) (d[j] + projected[j]);

  for (gsize i = 0; i < m; i++) {
    fill_uniform (&stream, n, random);
    project (span, m, n, random, basis + i * n);
  }
  if (!assay_linalg_orthonormalize (basis, m, n, error))
    return FALSE;
  for (gsize j = 0; j < m * n; j++)
    lifting->basis[secret * m * n + j] = (float) basis[j];
  return TRUE;
}

static gboolean
lift_one (gsize secret, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  return lift (data, secret, error) || assay_prefix (error, "secret %zu: ", secret);
}

/* The secrets scaled to unit length, which are then what the release protects. */
static AssayMatrix *
normalized (AssayView secrets, GError **error)
{
  g_autoptr (AssayMatrix) unit = assay_matrix_copy (secrets, error);

  for (gsize i = 0; unit != NULL && i < unit->rows; i++) {
    float *row = assay_matrix_row (unit, i);
    const double square = assay_squared_norm (row, unit->cols);

    if (square == 0)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "secret %zu is all zeros and cannot be normalised", i);
    for (gsize j = 0; j < unit->cols; j++)
      row[j] = (float) (row[j] / sqrt (square));
  }
  return g_steal_pointer (&unit);
}

/* Items of the stream that draw dither; those below draw the lifting, the same with and without. */
#define FIRST_DITHER_ITEM (G_GUINT64_CONSTANT (1) << 62)

/* The secrets with noise in [-dither, dither]. */
static AssayMatrix *
dithered (const AssayDefenseContext *context, AssayView secrets, double dither, GError **error)
{
  g_autoptr (AssayMatrix) noisy = assay_matrix_copy (secrets, error);

  for (gsize i = 0; noisy != NULL && i < noisy->rows; i++) {
    AssayStream stream = assay_stream (context->stream, FIRST_DITHER_ITEM + i);
    float *row = assay_matrix_row (noisy, i);

    for (gsize j = 0; j < noisy->cols; j++)
      row[j] = (float) (row[j] + assay_stream_between (&stream, -dither, dither));
  }
  return g_steal_pointer (&noisy);
}

/* What is lifted: the secrets as they are to be scaled, and with noise where that is asked for. */
static gboolean
make_lifted (const AssayDefenseContext *context, AssayView secrets, AssayMatrix **ret_lifted,
             GError **error)
{
  const AffineLifting *settings = context->settings;
  g_autoptr (AssayMatrix) noisy = dithered (context, secrets, settings->dither, error);

  if (noisy != NULL)
    *ret_lifted = settings->normalize ? normalized (assay_matrix_view (noisy), error)
                                      : g_steal_pointer (&noisy);
  return *ret_lifted != NULL;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const AffineLifting *settings = context->settings;
  const gsize m = (gsize) settings->dimension, count = adversarial_count (settings);
  g_autoptr (AssayMatrix) unit = settings->normalize ? normalized (secrets, error) : NULL;
  g_autoptr (AssayMatrix) translation = assay_matrix_new (secrets.rows, secrets.cols, error);
  g_autoptr (AssayMatrix) lifted = NULL;
  g_autofree float *basis = NULL;
  g_autofree gint64 *adversarial = NULL;
  Lifting lifting = { .context = context, .settings = settings, .secrets = secrets };

  if (translation == NULL || (settings->normalize && unit == NULL))
    return FALSE;
  basis = assay_alloc (secrets.rows, m * secrets.cols * sizeof (float), "basis", error);
  adversarial = assay_alloc (secrets.rows, count * sizeof (gint64), "adversarial", error);
  if (basis == NULL || adversarial == NULL)
    return FALSE;
  if (unit != NULL)
    lifting.secrets = assay_matrix_view (unit);
  if (settings->dither > 0) {
    if (!make_lifted (context, secrets, &lifted, error))
      return FALSE;
    lifting.secrets = assay_matrix_view (lifted);
  }
  lifting.translation = translation->data;
  lifting.basis = basis;
  lifting.adversarial = adversarial;
  if (!assay_parallel_try (secrets.rows, lift_one, &lifting, error))
    return FALSE;
  ret_release->is_unit_norm = settings->normalize;
  ASSAY_SET_PARAMETER (ret_release, AssaySubspacesParameters, variant, settings->variant);
  ASSAY_SET_PARAMETER (ret_release, AssaySubspacesParameters, adversarial, (gint64) count);
  if (settings->variant == ASSAY_LIFTING_SUB_HYBRID)
    ASSAY_SET_PARAMETER (ret_release, AssaySubspacesParameters, sub_databases,
                         settings->sub_databases);
  assay_arrays_take_matrix (&ret_release->arrays, "translation", &translation);
  assay_arrays_take (&ret_release->arrays, "basis",
                     assay_array_take (ASSAY_FLOAT32, 3,
                                       (const gsize[]){ secrets.rows, m, secrets.cols },
                                       g_steal_pointer (&basis)));
  if (count > 0)
    assay_arrays_take_rows (&ret_truth->arrays, "adversarial", ASSAY_INT64, secrets.rows, count,
                            g_steal_pointer (&adversarial));
  assay_arrays_take_matrix (&ret_truth->arrays, "secrets", &unit);
  return TRUE;
}

static guint
uses (gconstpointer data)
{
  const AffineLifting *settings = data;

  return settings->variant == ASSAY_LIFTING_RANDOM ? ASSAY_GRANT_NONE : ASSAY_GRANT_DATABASE;
}

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  const AffineLifting *settings = data;

  inout_shape->dimension = (gsize) settings->dimension;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const AffineLifting *settings = data;
  const gsize m = (gsize) settings->dimension, count = adversarial_count (settings);
  const gsize parts
      = settings->variant == ASSAY_LIFTING_SUB_HYBRID ? (gsize) settings->sub_databases : 1;

  if ((settings->variant == ASSAY_LIFTING_HYBRID || settings->variant == ASSAY_LIFTING_SUB_HYBRID)
      && m % 2 != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "dimension = %zu: expected an even number, because variant = %s takes half "
                       "of the directions from the database",
                       m, assay_lifting_variants[settings->variant]);
  if (shape->cols > 0 && m >= shape->cols)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "dimension = %zu: expected less than %zu, the dimension of the secrets", m,
                       shape->cols);
  if (count > 0 && shape->n_database > 0 && shape->n_database / parts < count)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "dimension = %zu needs %zu distinct database rows a secret, but %s has %zu",
                       m, count, parts > 1 ? "a sub-database" : "the database",
                       shape->n_database / parts);
  return TRUE;
}

ASSAY_DEFENSE (affine_lifting, "affine-lifting",
  .summary = "Lift each descriptor to an affine subspace that also holds database descriptors",
  .reference = { "Dusmanu et al. 2021, Privacy-Preserving Image Features via Adversarial Affine "
                 "Subspace Embeddings",
                 "read through Pittaluga and Zhuang 2023 (LDP-FEAT), section 3" },
  ASSAY_SETTINGS (AffineLifting,
    ASSAY_PARAM_CHOICE (AffineLifting, variant, ASSAY_LIFTING_HYBRID, assay_lifting_variants,
                        "Where the directions of the subspace come from"),
    ASSAY_PARAM_INT (AffineLifting, dimension, 4, 1, 4096, "",
                     "Dimension m of the subspace; must be even for the hybrid variants"),
    ASSAY_PARAM_INT (AffineLifting, sub_databases, 16, 1, 1000000, "",
                     "variant = sub-hybrid: parts into which the database is divided; a secret "
                     "draws from one of them"),
    ASSAY_PARAM_BOOL (AffineLifting, normalize, TRUE,
                      "Whether secrets and database rows are scaled to unit length first"),
    ASSAY_PARAM_REAL (AffineLifting, dither, 0, 0, 1e6, "",
                      "Each number of a secret gets uniform noise of at most this before the "
                      "secret is scaled",
                      ASSAY_PARAM_EXTRA)),
  .check = check,
  .holds = { .items = 4 },
  .produces = ASSAY_RELEASE_SUBSPACES,
  .uses = uses,
  .release_shape = release_shape,
  .protect = protect);
