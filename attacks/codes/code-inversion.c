/* Features from codes: the linear estimate of least mean squared error.
 *
 * Release: codes, n x c bits, with the hash function (granted). Reference rows z, whose codes the
 * attacker computes itself, tell how features hang together with bits b in {-1, 1}^c:
 *   x^ = mean z + C_xb g (g^2 (C_bb - diag) + diag + ridge I)^-1 (s - g mean b)
 * s are the released bits, or their means over `repeats` further releases. Flips of probability
 * beta take the covariances of different bits down by g^2, g = 1 - 2 beta, and leave the variances
 * 1 (of a mean of R releases: g^2 + (1 - g^2) / R). Above 1/2 g is negative, which turns bits back.
 * Reference rows are, by what is at hand:
 *   public rows where they are granted;
 *   the anchors of a kernel hash function (ksh, sdh), which are rows of the training set: the
 *   secrets' own, released in the clear;
 *   neither: x^ = mean + P^+ v, v_j = s_j sqrt (2 / pi) ||P_j||, as if features were white.
 * Where features are pixels, x^ is a picture. In the spirit of 1-bit compressed sensing (Boufounos
 * and Baraniuk 2008), with learned moments in place of sparsity. */
#include <math.h>
#include <string.h>

#include "attacks/codes/released-codes.h"
#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/games/control-case.h"
#include "core/math/linalg.h"
#include "core/plugin/callbacks.h"

#define CHUNK (gsize) 4096
#define ASSUMED_RIDGE 1e-3

typedef struct {
  double flip_probability;
  double ridge;
  gint64 repeats;
} CodeInversion;

/* ---- How features hang together with bits ---- */

typedef struct {
  gsize bits, cols, count;
  double *mean;      /* of the features, d */
  double *bit_mean;  /* c */
  double *bit_bit;   /* c x c: covariance */
  double *bit_value; /* c x d */
} Moments;

ASSAY_LOCAL_CLEAR (Moments, clear_moments, g_free (self->mean), g_free (self->bit_mean),
                   g_free (self->bit_bit), g_free (self->bit_value))

static gboolean
new_moments (Moments *moments, gsize bits, gsize cols, GError **error)
{
  *moments = (Moments){ .bits = bits, .cols = cols };
  moments->mean = assay_alloc (cols, sizeof (double), "moments", error);
  moments->bit_mean = assay_alloc (bits, sizeof (double), "moments", error);
  moments->bit_bit = assay_alloc (bits, bits * sizeof (double), "moments", error);
  moments->bit_value = assay_alloc (bits, cols * sizeof (double), "moments", error);
  return moments->mean != NULL && moments->bit_mean != NULL && moments->bit_bit != NULL
         && moments->bit_value != NULL;
}

/* Sums over @count rows (@values, count x d) and their bits (+-1, count x c). */
static gboolean
add_rows (Moments *moments, const float *values, const float *bits, gsize count, GError **error)
{
  const gsize c = moments->bits, d = moments->cols;
  g_autofree float *products = assay_alloc (c, MAX (c, d) * sizeof (float), "moments", error);

  if (products == NULL)
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    for (gsize j = 0; j < d; j++)
      moments->mean[j] += (double) values[i * d + j];
    for (gsize j = 0; j < c; j++)
      moments->bit_mean[j] += (double) bits[i * c + j];
  }
  assay_linalg_product (ASSAY_TN, assay_view_of (bits, count, c), assay_view_of (bits, count, c),
                        products, c);
  for (gsize i = 0; i < c * c; i++)
    moments->bit_bit[i] += (double) products[i];
  assay_linalg_product (ASSAY_TN, assay_view_of (bits, count, c), assay_view_of (values, count, d),
                        products, d);
  for (gsize i = 0; i < c * d; i++)
    moments->bit_value[i] += (double) products[i];
  moments->count += count;
  return TRUE;
}

/* From sums to means and covariances. */
static void
finish_moments (Moments *moments)
{
  const gsize c = moments->bits, d = moments->cols;
  const double n = (double) moments->count;

  for (gsize j = 0; j < d; j++)
    moments->mean[j] /= n;
  for (gsize j = 0; j < c; j++)
    moments->bit_mean[j] /= n;
  for (gsize i = 0; i < c; i++) {
    for (gsize j = 0; j < c; j++)
      moments->bit_bit[i * c + j]
          = moments->bit_bit[i * c + j] / n - moments->bit_mean[i] * moments->bit_mean[j];
    for (gsize j = 0; j < d; j++)
      moments->bit_value[i * d + j]
          = moments->bit_value[i * d + j] / n - moments->bit_mean[i] * moments->mean[j];
  }
}

typedef struct {
  const AssayHashFunction *function;
  Moments *moments;
} Learning;

static gboolean
learn_panel (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, GError **error)
{
  const Learning *learning = data;
  g_autoptr (AssayMatrix) bits = assay_hash_function_margins (learning->function, panel, error);

  for (gsize i = 0; bits != NULL && i < bits->rows * bits->cols; i++)
    bits->data[i] = bits->data[i] > 0 ? 1 : -1;
  return bits != NULL && add_rows (learning->moments, panel.data, bits->data, panel.rows, error);
}

static gboolean
learn_moments (const AssayHashFunction *function, const AssayRows *rows, AssayScale scale,
               Moments *ret_moments, GError **error)
{
  Learning learning = { function, ret_moments };

  if (!new_moments (ret_moments, assay_hash_function_bits (function), assay_rows_cols (rows), error)
      || !assay_rows_for_each_panel (rows, CHUNK, scale, learn_panel, &learning, error))
    return FALSE;
  finish_moments (ret_moments);
  return TRUE;
}

/* ---- Estimates ---- */

/* W, c x d: what a released bit adds to each feature. */
static double *
solve_weights (const CodeInversion *settings, const Moments *moments, gsize n_releases,
               GError **error)
{
  const gsize c = moments->bits, d = moments->cols;
  const double g = 1 - 2 * settings->flip_probability;
  const double of_one = g * g + (1 - g * g) / (double) n_releases;
  g_autofree double *matrix = assay_alloc (c, c * sizeof (double), "normal matrix", error);
  g_autofree double *weights = assay_alloc (c, d * sizeof (double), "weights", error);

  if (matrix == NULL || weights == NULL)
    return NULL;
  for (gsize i = 0; i < c; i++)
    for (gsize j = 0; j < c; j++)
      matrix[i * c + j] = g * g * moments->bit_bit[i * c + j];
  /* The variance of a bit about its mean over the rows: E s^2 - (g mean b)^2. */
  for (gsize i = 0; i < c; i++)
    matrix[i * c + i]
        = of_one - g * g * moments->bit_mean[i] * moments->bit_mean[i] + settings->ridge;
  for (gsize i = 0; i < c * d; i++)
    weights[i] = g * moments->bit_value[i];
  if (!assay_linalg_solve_spd (c, d, matrix, weights, error))
    return assay_prefix_null (error, "bits of the reference rows depend on each other: ");
  return g_steal_pointer (&weights);
}

static AssayMatrix *
apply_weights (const CodeInversion *settings, const Moments *moments, const double *weights,
               const AssayMatrix *released, GError **error)
{
  const gsize c = moments->bits, d = moments->cols;
  const double g = 1 - 2 * settings->flip_probability;
  AssayMatrix *estimates = assay_matrix_new (released->rows, d, error);
  g_autofree double *row = assay_alloc (d, sizeof (double), "an estimate", error);

  if (estimates == NULL || row == NULL) {
    assay_matrix_free (estimates);
    return NULL;
  }
  for (gsize i = 0; i < released->rows; i++) {
    memcpy (row, moments->mean, d * sizeof (double));
    for (gsize j = 0; j < c; j++) {
      const double bit = (double) released->data[i * c + j] - g * moments->bit_mean[j];

      for (gsize l = 0; l < d; l++)
        row[l] += bit * weights[j * d + l];
    }
    for (gsize l = 0; l < d; l++)
      assay_matrix_row (estimates, i)[l] = (float) row[l];
  }
  return estimates;
}

/* Moments as they would be of white features of mean `mean`: C_bb = I, and C_xb that of the
 * projection's pseudo-inverse. */
static gboolean
assume_moments (const AssayHashFunction *function, Moments *ret_moments, GError **error)
{
  const gsize c = function->projection->rows, d = function->projection->cols;
  const float *projection = function->projection->data;
  g_autofree double *gram = assay_alloc (c, c * sizeof (double), "projection", error);
  g_autofree double *norms = assay_alloc (c, sizeof (double), "projection", error);
  double trace = 0;

  if (gram == NULL || norms == NULL || !new_moments (ret_moments, c, d, error))
    return FALSE;
  for (gsize j = 0; j < d; j++)
    ret_moments->mean[j] = (double) function->mean->data[j];
  for (gsize i = 0; i < c; i++)
    for (gsize j = 0; j <= i; j++)
      gram[i * c + j] = gram[j * c + i] = assay_dot (projection + i * d, projection + j * d, d);
  /* x^ = P' (P P')^-1 v: solve for (P P')^-1 P, and scale rows by v's magnitudes. */
  for (gsize i = 0; i < c * d; i++)
    ret_moments->bit_value[i] = (double) projection[i];
  for (gsize i = 0; i < c; i++) {
    norms[i] = sqrt (gram[i * c + i]);
    trace += gram[i * c + i];
  }
  /* More bits than features depend on each other: a little ridge serves both cases. */
  for (gsize i = 0; i < c; i++)
    gram[i * c + i] += ASSUMED_RIDGE * trace / (double) c;
  if (!assay_linalg_solve_spd (c, d, gram, ret_moments->bit_value, error))
    return assay_prefix (error, "rows of the projection depend on each other: ");
  for (gsize i = 0; i < c; i++) {
    ret_moments->bit_bit[i * c + i] = 1;
    for (gsize l = 0; l < d; l++)
      ret_moments->bit_value[i * d + l] *= sqrt (M_2_PI) * norms[i];
  }
  return TRUE;
}

static gboolean
find_moments (const AssayHashFunction *function, const AssayRows *public_rows, AssayScale scale,
              Moments *ret_moments, GError **error)
{
  g_autoptr (AssayRows) anchors = NULL;

  if (public_rows != NULL && assay_rows_count (public_rows) == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected public rows to learn from, found none");
  if (public_rows != NULL)
    return learn_moments (function, public_rows, scale, ret_moments, error);
  if (function->anchors == NULL && function->waves == NULL && function->hidden == NULL)
    return assume_moments (function, ret_moments, error);
  if (function->anchors == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected the grant 'public': a hash function with waves or a hidden layer "
                       "cannot be inverted without rows to learn from");
  anchors
      = assay_rows_take_matrix (assay_matrix_copy (assay_matrix_view (function->anchors), error));
  return anchors != NULL && learn_moments (function, anchors, ASSAY_SCALE_NONE, ret_moments, error);
}

ASSAY_OF_SETTINGS (gsize, repeats, CodeInversion, (gsize) settings->repeats)

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const CodeInversion *settings = context->settings;
  const gsize used = MIN ((gsize) settings->repeats, seen->n_repeats);
  g_autoptr (AssayHashFunction) function = assay_hash_function_from (seen->release, error);
  g_autoptr (AssayMatrix) released = NULL;
  g_auto (Moments) moments = { 0 };
  g_autofree double *weights = NULL;
  AssayMatrix *estimates;

  if (function == NULL
      || !find_moments (function, seen->public_rows, assay_release_scale (seen->release), &moments,
                        error))
    return FALSE;
  released = released_codes_mean (seen, used, FALSE, error);
  weights = solve_weights (settings, &moments, 1 + used, error);
  if (released == NULL || weights == NULL)
    return FALSE;
  estimates = apply_weights (settings, &moments, weights, released, error);
  if (estimates == NULL)
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

/* ---- The control ---- */

#define CONTROL_SECRETS 40
#define CONTROL_PUBLIC 2000
#define CONTROL_COLS 4
#define CONTROL_BITS 128
#define CONTROL_MOST_BITS 2048

/* Many bits of few features: each direction of the plane is cut often, and little is left open. The
 * more often bits are turned the more of them it takes; beyond CONTROL_MOST_BITS, with flips from
 * 0.38 to 0.62, the attack grows blind and loses. */
static gsize
control_bits (const CodeInversion *settings)
{
  const double g = 1 - 2 * settings->flip_probability;

  return (gsize) CLAMP (CONTROL_BITS / (g * g), CONTROL_BITS, CONTROL_MOST_BITS);
}

static void
turn_bits (AssayRelease *release, double probability, AssayStream *stream)
{
  const AssayArray *codes = assay_arrays_get (&release->arrays, "codes");
  guint8 *turned = g_memdup2 (codes->data, assay_array_count (codes));

  for (gsize i = 0; i < codes->shape[0]; i++)
    for (gsize j = 0; j < release->bits; j++)
      if (assay_stream_uniform (stream) < probability)
        turned[i * codes->shape[1] + j / 8] ^= (guint8) (1 << (j % 8));
  assay_arrays_take (&release->arrays, "codes",
                     assay_array_take (ASSAY_UINT8, 2, codes->shape, turned));
}

static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const CodeInversion *settings = data;
  AssayStream stream = assay_stream (key, 1);
  AssayMatrix *rows;

  if (!released_codes_control (CONTROL_SECRETS, CONTROL_COLS, control_bits (settings), key,
                               ret_case, error))
    return FALSE;
  rows = assay_control_normals (CONTROL_PUBLIC, CONTROL_COLS, &stream, error);
  if (rows == NULL)
    return FALSE;
  ret_case->public_rows = assay_rows_take_matrix (rows);
  turn_bits (ret_case->release, settings->flip_probability, &stream);
  return TRUE;
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const CodeInversion *settings = data;

  return settings->flip_probability != 0.5
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "flip_probability = 0.5: expected less or more: bits that are as often "
                        "turned as not say nothing");
}

ASSAY_ATTACK (code_inversion, "code-inversion",
  .summary = "Estimate features from their codes by least squares",
  .reference = { "Boufounos and Baraniuk 2008, 1-Bit Compressive Sensing; PHashing and PITQ",
                 "the problem; section 3.2. The attack is ours" },
  ASSAY_SETTINGS (CodeInversion,
    ASSAY_PARAM_REAL (CodeInversion, flip_probability, 0, 0, 1, "",
                      "Probability with which the defense flips a bit, which the attacker knows"),
    ASSAY_PARAM_REAL (CodeInversion, ridge, 0.01, 1e-9, 1e6, "",
                      "Ridge added to the variance of each bit"),
    ASSAY_PARAM_INT (CodeInversion, repeats, 0, 0, 1023, "",
                     "How many further releases of the same secrets it reads")),
  .check = check,
  .holds = { .items = 1, .numbers = ASSAY_CODE_MAX_BITS, .per_thread = 32 << 20 },
  .reads = ASSAY_RELEASE_CODES,
  .needs = ASSAY_GRANT_HASH_FUNCTION,
  .game = ASSAY_GAME_RECONSTRUCT,
  .repeats = repeats,
  .attack = attack,
  .control = { .says = "four features are recovered from many bits, flipped with the probability "
                       "that is assumed",
               .make = make_control,
               .at_least = 0.5,
               .within = 0.5 });
