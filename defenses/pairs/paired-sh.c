/* Spectral hashing of either modality by itself (Weiss, Torralba and Fergus 2008;
 * defenses/codes/sh.c), of columns of mean 0 and deviation 1. As with paired-lsh, nothing joins the
 * codes of the two modalities.
 *
 * A bit of spectral hashing is whether cos (pi t) is above 0, with t = k (y - a) / (b - a) along a
 * principal component y with the range [a, b]. Hash functions of paired codes have layers of
 * ReLUs, and the triangle wave
 *   f (t) = s + sum_{v = -k}^{2 k} c_v max (t - v, 0)
 * with f (v) = (-1)^v at whole numbers v, and straight between them, is above 0 where the cosine
 * is: c_v = -4 (-1)^v inside, half of that at -k, and at 2 k what makes it level. So the first
 * layer has 3 k + 1 units for each bit of k, and bits are those of the cosine on the range and as
 * far again on either side of it; beyond, where a cosine goes on to change, the wave is level. */
#include <math.h>

#include "core/math/linalg.h"
#include "defenses/codes/hash-learning.h"
#include "defenses/pairs/paired-release.h"

typedef struct {
  gint64 bits;
} PairedSh;

/* Layers as they are filled: a unit for each corner of the waves. */
typedef struct {
  const AssayHashFunction *function;
  gsize *counts; /* k of each bit */
  gsize units;   /* of all bits */
} Waves;

static double
sign_of (gint64 corner)
{
  return corner % 2 == 0 ? 1 : -1;
}

static void
waves_init (const AssayHashFunction *function, const double *ranges, Waves *ret_waves)
{
  const gsize bits = function->projection->rows;

  *ret_waves = (Waves){ .function = function, .counts = g_new (gsize, bits) };
  for (gsize l = 0; l < bits; l++) {
    ret_waves->counts[l] = (gsize) MAX (lround (ranges[l]), 1);
    ret_waves->units += 3 * ret_waves->counts[l] + 1;
  }
}

/* k of each bit: half waves within the range of its component. */
static gboolean
count_half_waves (const AssayHashFunction *function, AssayView rows, double *ret_counts,
                  GError **error)
{
  const gsize bits = function->projection->rows;
  g_autoptr (AssayMatrix) features = assay_hash_function_features (function, rows, error);
  g_autoptr (AssayMatrix) places = assay_matrix_new (rows.rows, bits, error);

  if (features == NULL || places == NULL)
    return FALSE;
  assay_linalg_product_in_parallel (ASSAY_NT, assay_matrix_view (features),
                                    assay_matrix_view (function->projection), places->data);
  for (gsize l = 0; l < bits; l++) {
    float low = places->data[l], high = low;

    for (gsize i = 1; i < rows.rows; i++) {
      low = MIN (low, assay_matrix_row (places, i)[l]);
      high = MAX (high, assay_matrix_row (places, i)[l]);
    }
    ret_counts[l]
        = (double) assay_matrix_row (function->waves, l)[0] * ((double) high - (double) low) / G_PI;
  }
  return TRUE;
}

/* t - v of all corners v of all bits, as functions of standardised columns. */
static void
release_corners (const PairedRows *rows, guint side, const Waves *waves, AssayRelease *ret_release)
{
  const AssayHashFunction *function = waves->function;
  const gsize d = rows->rows[side].cols;
  g_autofree double *weights = g_new (double, waves->units *d);
  g_autofree double *biases = g_new (double, waves->units);
  gsize unit = 0;

  for (gsize l = 0; l < function->projection->rows; l++) {
    const float *wave = assay_matrix_row (function->waves, l);
    const gint64 k = (gint64) waves->counts[l];

    for (gint64 corner = -k; corner <= 2 * k; corner++, unit++) {
      biases[unit] = (double) wave[1] / G_PI - (double) corner;
      for (gsize j = 0; j < d; j++) {
        const double weight
            = (double) assay_matrix_row (function->projection, l)[j] * (double) wave[0] / G_PI;

        weights[unit * d + j] = weight;
        biases[unit] -= weight * (double) function->mean->data[j];
      }
    }
  }
  paired_release_linear (rows, side, &(PairedLinear){ waves->units, weights, biases }, ret_release);
}

static void
release_waves (guint side, const Waves *waves, AssayRelease *ret_release)
{
  const gsize bits = waves->function->projection->rows, cols = waves->units + 1;
  float *layer = g_new0 (float, bits *cols);
  gsize unit = 0;

  for (gsize l = 0; l < bits; l++) {
    const gint64 k = (gint64) waves->counts[l];

    for (gint64 corner = -k; corner <= 2 * k; corner++, unit++)
      layer[l * cols + unit]
          = (float) (sign_of (corner) * (corner == -k || corner == 2 * k ? -2 : -4));
    layer[l * cols + waves->units] = (float) sign_of (k);
  }
  assay_arrays_take (&ret_release->arrays, assay_paired_layer_2[side],
                     assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ bits, cols }, layer));
}

static gboolean
learn_side (const PairedRows *rows, guint side, const HashSettings *settings,
            AssayRelease *ret_release, GError **error)
{
  const HashTraining training = { .rows = assay_matrix_view (rows->standard[side]) };
  g_autoptr (AssayHashFunction) function = sh_learn (&training, settings, error);
  g_autofree double *counts = g_new (double, (gsize) settings->bits);
  Waves waves;

  if (function == NULL || !count_half_waves (function, training.rows, counts, error)) {
    g_prefix_error (error, "%s: ", side == ASSAY_PAIRED_IMAGE ? "images" : "texts");
    return FALSE;
  }
  waves_init (function, counts, &waves);
  release_corners (rows, side, &waves, ret_release);
  release_waves (side, &waves, ret_release);
  g_free (waves.counts);
  return TRUE;
}

static gboolean
learn (const AssayDefenseContext *context, const PairedRows *rows, AssayRelease *ret_release,
       GError **error)
{
  const HashSettings settings = { .bits = ((const PairedSh *) context->settings)->bits };

  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    if (!learn_side (rows, s, &settings, ret_release, error))
      return FALSE;
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  return paired_release (learn, (gsize) ((const PairedSh *) context->settings)->bits, context,
                         secrets, ret_release, error);
}

/* ---- Descriptor ---- */

/* Were all waves along one component, bit l would have l half waves. */
static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const guint64 bits = (guint64) ((const PairedSh *) data)->bits, units = bits * (3 * bits + 5) / 2;
  const guint64 cols = shape->cols;

  return paired_rows_memory (shape) + sizeof (double) * 2 * cols * cols
         + sizeof (float) * (guint64) shape->n_secrets * (2 * bits + units)
         + (sizeof (double) + sizeof (float)) * units * cols + sizeof (float) * bits * units;
}

ASSAY_DEFENSE (paired_sh, "paired-sh",
  .summary = "Hash codes of two modalities: waves along principal components of each by itself",
  .reference = { "Weiss, Torralba and Fergus 2008, Spectral Hashing", "section 3" },
  ASSAY_SETTINGS (PairedSh,
    ASSAY_PARAM_INT (PairedSh, bits, 32, 1, 512, "bits", "Length of either code")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .protect = protect);
