/* Collective matrix factorisation hashing (Ding, Guo and Zhou 2014, "Collective Matrix
 * Factorization Hashing for Multimodal Data", section 3): one row of numbers V for an item, from
 * which each modality can be had, and which can be had from either.
 *
 * With the standardised columns of a modality as X_m (d_m x n), weights w_m = 1/2 and the ridge g,
 * the objective
 *   sum_m  w_m ||X_m - U_m V||^2 + mu ||V - P_m X_m||^2 + g (||U_m||^2 + ||P_m||^2)  +  g ||V||^2
 * is lowered by turns, each the least squares of one with the others fixed:
 *   U_m = X_m V' (V V' + (g / w_m) I)^-1
 *   P_m = V X_m' (X_m X_m' + (g / mu) I)^-1
 *   V   = (sum_m w_m U_m'U_m + (2 mu + g) I)^-1 sum_m (w_m U_m' + mu P_m) X_m
 * from normal V. Bits are whether P_m x is above its mean over the items, which is 0, as that of
 * x is; so that the hash function of a modality is linear, and known features of an item give its
 * code as those of others do. */
#include "core/math/linalg.h"
#include "defenses/pairs/paired-release.h"

/* Of the common stream: no item of a secret. */
#define START_ITEM G_MAXUINT64

#define WEIGHT 0.5

typedef struct {
  gint64 bits;
  gint64 iterations;
  double agreement;
  double ridge;
} Cmfh;

typedef struct {
  const Cmfh *settings;
  gsize n, k; /* k bits */
  gsize d[ASSAY_N_PAIRED];
  double *items[ASSAY_N_PAIRED];       /* X', n x d */
  double *covariance[ASSAY_N_PAIRED];  /* X X' with its ridge, d x d */
  double *basis[ASSAY_N_PAIRED];       /* U', k x d */
  double *function[ASSAY_N_PAIRED];    /* P, k x d */
  double *shared;                      /* V, k x n */
  double *gram, *square, *wide, *tall; /* room: k x k, k x k, k x d, d x k */
} Factors;

static void
factors_clear (Factors *factors)
{
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    g_free (factors->items[s]);
    g_free (factors->covariance[s]);
    g_free (factors->basis[s]);
    g_free (factors->function[s]);
  }
  g_free (factors->shared);
  g_free (factors->gram);
  g_free (factors->square);
  g_free (factors->wide);
  g_free (factors->tall);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Factors, factors_clear)

static void
transpose (const double *matrix, gsize rows, gsize cols, double *ret_turned)
{
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < cols; j++)
      ret_turned[j * rows + i] = matrix[i * cols + j];
}

static gboolean
open_side (const PairedRows *rows, guint s, Factors *factors, GError **error)
{
  const gsize n = factors->n, k = factors->k, d = rows->rows[s].cols;

  factors->d[s] = d;
  factors->items[s] = assay_alloc (n, d * sizeof (double), "items", error);
  factors->covariance[s] = assay_alloc (d, d * sizeof (double), "covariances", error);
  factors->basis[s] = assay_alloc (k, d * sizeof (double), "factors", error);
  factors->function[s] = assay_alloc (k, d * sizeof (double), "functions", error);
  if (factors->items[s] == NULL || factors->covariance[s] == NULL || factors->basis[s] == NULL
      || factors->function[s] == NULL)
    return FALSE;
  for (gsize i = 0; i < n * d; i++)
    factors->items[s][i] = (double) rows->standard[s]->data[i];
  assay_linalg_product_double (ASSAY_TN, assay_view_of_doubles (factors->items[s], n, d),
                               assay_view_of_doubles (factors->items[s], n, d),
                               factors->covariance[s], d);
  for (gsize j = 0; j < d; j++)
    factors->covariance[s][j * d + j] += factors->settings->ridge / factors->settings->agreement;
  return TRUE;
}

static gboolean
open_factors (const PairedRows *rows, AssayStreamKey key, Factors *factors, GError **error)
{
  const gsize n = factors->n, k = factors->k;
  const gsize widest = MAX (rows->rows[0].cols, rows->rows[1].cols);
  AssayStream stream = assay_stream (key, START_ITEM);

  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    if (!open_side (rows, s, factors, error))
      return FALSE;
  factors->shared = assay_alloc (k, n * sizeof (double), "factors", error);
  factors->gram = assay_alloc (k, k * sizeof (double), "factors", error);
  factors->square = assay_alloc (k, k * sizeof (double), "factors", error);
  factors->wide = assay_alloc (k, widest * sizeof (double), "factors", error);
  factors->tall = assay_alloc (k, MAX (widest, n) * sizeof (double), "factors", error);
  if (factors->shared == NULL || factors->gram == NULL || factors->square == NULL
      || factors->wide == NULL || factors->tall == NULL)
    return FALSE;
  for (gsize i = 0; i < k * n; i++)
    factors->shared[i] = assay_stream_normal (&stream);
  return TRUE;
}

/* ---- Least squares by turns ---- */

/* V X' of a side into the room `wide`. */
static void
multiply_by_items (Factors *factors, guint s)
{
  assay_linalg_product_double (ASSAY_NN,
                               assay_view_of_doubles (factors->shared, factors->k, factors->n),
                               assay_view_of_doubles (factors->items[s], factors->n, factors->d[s]),
                               factors->wide, factors->d[s]);
}

static gboolean
solve_basis (Factors *factors, guint s, GError **error)
{
  const gsize k = factors->k, d = factors->d[s];
  const AssayViewDouble shared = assay_view_of_doubles (factors->shared, k, factors->n);

  assay_linalg_product_double (ASSAY_NT, shared, shared, factors->gram, k);
  for (gsize l = 0; l < k; l++)
    factors->gram[l * k + l] += factors->settings->ridge / WEIGHT;
  multiply_by_items (factors, s);
  memcpy (factors->basis[s], factors->wide, k * d * sizeof (double));
  return assay_linalg_solve_spd (k, d, factors->gram, factors->basis[s], error);
}

static gboolean
solve_function (Factors *factors, guint s, GError **error)
{
  const gsize k = factors->k, d = factors->d[s];

  multiply_by_items (factors, s);
  transpose (factors->wide, k, d, factors->tall);
  if (!assay_linalg_solve_spd (d, k, factors->covariance[s], factors->tall, error))
    return FALSE;
  transpose (factors->tall, d, k, factors->function[s]);
  return TRUE;
}

static gboolean
solve_shared (Factors *factors, GError **error)
{
  const gsize k = factors->k, n = factors->n;
  const double agreement = factors->settings->agreement;

  memset (factors->gram, 0, k * k * sizeof (double));
  memset (factors->shared, 0, k * n * sizeof (double));
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    const gsize d = factors->d[s];
    const AssayViewDouble basis = assay_view_of_doubles (factors->basis[s], k, d);

    assay_linalg_product_double (ASSAY_NT, basis, basis, factors->square, k);
    for (gsize l = 0; l < k * k; l++)
      factors->gram[l] += WEIGHT * factors->square[l];
    for (gsize l = 0; l < k * d; l++)
      factors->wide[l] = WEIGHT * factors->basis[s][l] + agreement * factors->function[s][l];
    assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (factors->wide, k, d),
                                 assay_view_of_doubles (factors->items[s], n, d), factors->tall, n);
    for (gsize i = 0; i < k * n; i++)
      factors->shared[i] += factors->tall[i];
  }
  for (gsize l = 0; l < k; l++)
    factors->gram[l * k + l] += 2 * agreement + factors->settings->ridge;
  return assay_linalg_solve_spd (k, n, factors->gram, factors->shared, error);
}

static gboolean
factorise (Factors *factors, GError **error)
{
  for (gint64 t = 0; t < factors->settings->iterations; t++) {
    for (guint s = 0; s < ASSAY_N_PAIRED; s++)
      if (!solve_basis (factors, s, error) || !solve_function (factors, s, error))
        return FALSE;
    if (!solve_shared (factors, error))
      return FALSE;
  }
  return solve_function (factors, ASSAY_PAIRED_IMAGE, error)
         && solve_function (factors, ASSAY_PAIRED_TEXT, error);
}

/* ---- Release ---- */

static gboolean
learn (const AssayDefenseContext *context, const PairedRows *rows, AssayRelease *ret_release,
       GError **error)
{
  const Cmfh *settings = context->settings;
  g_auto (Factors) factors
      = { .settings = settings, .n = rows->rows[0].rows, .k = (gsize) settings->bits };

  if (!open_factors (rows, context->common_stream, &factors, error) || !factorise (&factors, error))
    return FALSE;
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    paired_release_linear (rows, s, &(PairedLinear){ factors.k, factors.function[s], NULL },
                           ret_release);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  return paired_release (learn, (gsize) ((const Cmfh *) context->settings)->bits, context, secrets,
                         ret_release, error);
}

/* ---- Descriptor ---- */

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const guint64 n = shape->n_secrets, d = shape->cols, bits = (guint64) ((const Cmfh *) data)->bits;

  return paired_rows_memory (shape)
         + sizeof (double) * (n * d + d * d + 4 * bits * d + 2 * bits * (n + bits));
}

ASSAY_DEFENSE (cmfh, "cmfh",
  .summary = "Hash codes of two modalities by one matrix factorisation of both",
  .reference = { "Ding, Guo and Zhou 2014, Collective Matrix Factorization Hashing for Multimodal "
                 "Data",
                 "section 3" },
  ASSAY_SETTINGS (Cmfh,
    ASSAY_PARAM_INT (Cmfh, bits, 32, 1, 1024, "bits", "Length of either code"),
    ASSAY_PARAM_INT (Cmfh, iterations, 30, 1, 100000, "",
                     "Iterations of alternating least squares"),
    ASSAY_PARAM_REAL (Cmfh, agreement, 100, 1e-6, 1e9, "",
                      "Weight mu of the distance between an item's factors and what either hash "
                      "function gives"),
    ASSAY_PARAM_REAL (Cmfh, ridge, 0.01, 1e-9, 1e9, "", "Ridge g on every factor")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .protect = protect);
