/* sdh: supervised discrete hashing. Training rows with labels, one-hot in Y (t x C), are given
 * codes B (t x c, of -1 and 1) from which a linear classifier W (c x C) tells the label (of rows
 * that have several classes, or none, Y has as many ones), and which
 * an embedding F (x) = P' z (x) of kernel features z (m, of anchors) comes near to:
 *
 *   min  ||Y - B W||^2 + lambda ||W||^2 + nu (||B - Z P||^2 + delta ||P||^2)
 *
 * by turns, each of which cannot raise the objective:
 *   G   W = (B'B + lambda I)^-1 B'Y
 *   F   P = (Z'Z + delta I)^-1 Z'B
 *   B   every row by itself: b minimises b' W W' b - 2 q' b with q = W y + nu P' z, bit after bit:
 *       b_l = sign (q_l - sum_(k != l) (W W')_lk b_k), until no bit changes
 * and the hash function is sign (P' z (x)). The paper has no delta; its authors' program adds 1e-2
 * to the diagonal, which is kept here: Z'Z of near anchors is singular to working precision.
 *
 * Source: Shen, Shen, Liu and Shen 2015, "Supervised Discrete Hashing", section 3,
 * algorithm 1; 1,000 anchors, lambda 1, nu 1e-5 and 5 iterations as its experiments have. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"
#include "defenses/codes/kernel-features.h"
#include "defenses/codes/label-groups.h"
#include "defenses/codes/supervised-hashing.h"

/* Rows that are worked on at once. */
#define PANEL (gsize) 256
/* Sweeps over the bits of a code: each change lowers the objective, so that they come to an end but
 * for rounding. */
#define MOST_SWEEPS 100
/* Share of the objective by which an iteration must lower it for another one. */
#define LEAST_FALL 1e-6

typedef struct {
  AssayArena arena; /* of all arrays but matrices */
  const HashTraining *training;
  const HashSettings *settings;
  gsize t, m, bits, n_classes;
  const AssayMatrix *features; /* Z, t x m */
  AssayMatrix *codes;          /* B, t x c */
  AssayMatrix *embedded;       /* Z P, t x c */
  AssayMatrix *projection;     /* P', c x m */
  double *gram;                /* Z'Z + delta I, m x m */
  double *classifier;          /* W, c x C */
  double *classifier_gram;     /* W W', c x c */
  double *losses;              /* a panel: of the classifier and of the embedding */
} Sdh;

/* ---- Codes ---- */

void
sdh_code_row (gsize bits, const double *gram, const double *linear, double *inout_code)
{
  g_autofree double *sums = g_new (double, bits); /* G b */
  gboolean is_changed = TRUE;

  for (gsize l = 0; l < bits; l++) {
    sums[l] = 0;
    for (gsize k = 0; k < bits; k++)
      sums[l] += gram[l * bits + k] * inout_code[k];
  }
  for (guint sweep = 0; is_changed && sweep < MOST_SWEEPS; sweep++) {
    is_changed = FALSE;
    for (gsize l = 0; l < bits; l++) {
      const double pull = linear[l] - sums[l] + gram[l * bits + l] * inout_code[l];

      if (pull * inout_code[l] >= 0)
        continue;
      inout_code[l] = -inout_code[l];
      is_changed = TRUE;
      for (gsize k = 0; k < bits; k++)
        sums[k] += 2 * inout_code[l] * gram[l * bits + k];
    }
  }
}

static void
draw_codes (Sdh *sdh)
{
  for (gsize i = 0; i < sdh->t; i++) {
    AssayStream stream = assay_stream (sdh->training->stream, KERNEL_ITEM_CODES + i);

    for (gsize l = 0; l < sdh->bits; l++)
      sdh->codes->data[i * sdh->bits + l] = assay_stream_u32 (&stream) >> 31 != 0 ? 1 : -1;
  }
}

/* (W y)_l of a training row. */
static double
told (const Sdh *sdh, gsize row, gsize l)
{
  const double *weights = sdh->classifier + l * sdh->n_classes;
  double sum = 0;

  if (sdh->training->label_sets == NULL)
    return weights[(gsize) sdh->training->labels[row]];
  for (gsize k = 0; k < sdh->n_classes; k++)
    sum += hash_row_has (sdh->training, row, k) ? weights[k] : 0;
  return sum;
}

/* Step B. */
static void
code_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  Sdh *sdh = data;
  const gsize first = panel * PANEL, end = MIN (first + PANEL, sdh->t), bits = sdh->bits;
  g_autofree double *linear = g_new (double, bits);
  g_autofree double *code = g_new (double, bits);

  for (gsize i = first; i < end; i++) {
    float *row = assay_matrix_row (sdh->codes, i);

    for (gsize l = 0; l < bits; l++) {
      linear[l] = told (sdh, i, l)
                  + sdh->settings->nu * (double) assay_matrix_row (sdh->embedded, i)[l];
      code[l] = (double) row[l];
    }
    sdh_code_row (bits, sdh->classifier_gram, linear, code);
    for (gsize l = 0; l < bits; l++)
      row[l] = (float) code[l];
  }
}

/* ---- Classifier and embedding ---- */

/* Step G. */
static gboolean
fit_classifier (Sdh *sdh, GError **error)
{
  const gsize bits = sdh->bits, n_classes = sdh->n_classes;
  const AssayView codes = assay_matrix_view (sdh->codes);
  g_autofree double *gram = assay_alloc (bits * bits, sizeof (double), "codes' products", error);

  if (gram == NULL)
    return FALSE;
  kernel_cross_products (codes, codes, gram);
  for (gsize l = 0; l < bits; l++)
    gram[l * bits + l] += sdh->settings->lambda;
  memset (sdh->classifier, 0, bits * n_classes * sizeof (double));
  for (gsize i = 0; i < sdh->t; i++)
    for (gsize k = 0; k < n_classes; k++)
      for (gsize l = 0; l < bits && hash_row_has (sdh->training, i, k); l++)
        sdh->classifier[l * n_classes + k] += (double) sdh->codes->data[i * bits + l];
  if (!assay_linalg_solve_spd (bits, n_classes, gram, sdh->classifier, error))
    return assay_prefix (error, "sdh's classifier, lambda = %g: ", sdh->settings->lambda);
  assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (sdh->classifier, bits, n_classes),
                               assay_view_of_doubles (sdh->classifier, bits, n_classes),
                               sdh->classifier_gram, bits);
  return TRUE;
}

/* Step F. */
static gboolean
fit_embedding (Sdh *sdh, GError **error)
{
  const gsize m = sdh->m, bits = sdh->bits;
  g_autofree double *right = assay_alloc (m * bits, sizeof (double), "embedding", error);

  if (right == NULL)
    return FALSE;
  kernel_cross_products (assay_matrix_view (sdh->features), assay_matrix_view (sdh->codes), right);
  if (!assay_linalg_solve_spd (m, bits, sdh->gram, right, error))
    return assay_prefix (error, "sdh's embedding by %zu anchors: ", m);
  for (gsize l = 0; l < bits; l++)
    for (gsize j = 0; j < m; j++)
      sdh->projection->data[l * m + j] = (float) right[j * bits + l];
  return TRUE;
}

/* Z P of a panel, and what the panel adds to the objective. */
static void
embed_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  Sdh *sdh = data;
  const gsize first = panel * PANEL, count = MIN (PANEL, sdh->t - first), bits = sdh->bits;
  float *embedded = assay_matrix_row (sdh->embedded, first);
  double classified = 0, away = 0;

  assay_linalg_product (ASSAY_NT,
                        assay_view_of (sdh->features->data + first * sdh->m, count, sdh->m),
                        assay_view_of (sdh->projection->data, bits, sdh->m), embedded, bits);
  for (gsize i = 0; i < count; i++) {
    const float *code = assay_matrix_row (sdh->codes, first + i);

    for (gsize k = 0; k < sdh->n_classes; k++) {
      double error = hash_row_has (sdh->training, first + i, k) ? 1 : 0;

      for (gsize l = 0; l < bits; l++)
        error -= (double) code[l] * sdh->classifier[l * sdh->n_classes + k];
      classified += error * error;
    }
    for (gsize l = 0; l < bits; l++) {
      const double distance = (double) code[l] - (double) embedded[i * bits + l];

      away += distance * distance;
    }
  }
  sdh->losses[2 * panel] = classified;
  sdh->losses[2 * panel + 1] = away;
}

/* ---- The turns ---- */

static gsize
panels_of (const Sdh *sdh)
{
  return (sdh->t + PANEL - 1) / PANEL;
}

/* Steps G and F, and the objective after them. */
static gboolean
fit (Sdh *sdh, double *ret_objective, GError **error)
{
  double classified = 0, away = 0, classifier = 0, projection = 0;

  if (!fit_classifier (sdh, error) || !fit_embedding (sdh, error))
    return FALSE;
  assay_parallel_for (panels_of (sdh), embed_panel, sdh);
  for (gsize p = 0; p < panels_of (sdh); p++) {
    classified += sdh->losses[2 * p];
    away += sdh->losses[2 * p + 1];
  }
  for (gsize i = 0; i < sdh->bits * sdh->n_classes; i++)
    classifier += sdh->classifier[i] * sdh->classifier[i];
  for (gsize i = 0; i < sdh->bits * sdh->m; i++)
    projection += (double) sdh->projection->data[i] * (double) sdh->projection->data[i];
  *ret_objective = classified + sdh->settings->lambda * classifier
                   + sdh->settings->nu * (away + SDH_EMBEDDING_RIDGE * projection);
  return TRUE;
}

static gboolean
alternate (Sdh *sdh, SdhTrace *trace, GError **error)
{
  const guint64 most = (guint64) sdh->settings->iterations;
  double objective, last = 0;

  draw_codes (sdh);
  if (!fit (sdh, &objective, error))
    return FALSE;
  for (guint64 iteration = 0;; iteration++) {
    if (trace != NULL) {
      trace->n = iteration;
      trace->objective[iteration] = objective;
    }
    if (iteration == most || (iteration > 0 && !(objective < last * (1 - LEAST_FALL))))
      break;
    last = objective;
    assay_parallel_for (panels_of (sdh), code_panel, sdh);
    if (!fit (sdh, &objective, error))
      return FALSE;
  }
  if (trace != NULL) {
    memcpy (trace->classifier, sdh->classifier, sdh->bits * sdh->n_classes * sizeof (double));
    for (gsize i = 0; i < sdh->t * sdh->bits; i++)
      trace->codes[i] = (double) sdh->codes->data[i];
  }
  return TRUE;
}

ASSAY_LOCAL_CLEAR (Sdh, sdh_clear, assay_matrix_free (self->codes),
                   assay_matrix_free (self->embedded), assay_matrix_free (self->projection),
                   assay_arena_clear (&self->arena))

static gboolean
prepare (Sdh *sdh, GError **error)
{
  const gsize bits = sdh->bits, m = sdh->m;

  sdh->codes = assay_matrix_new (sdh->t, bits, error);
  sdh->embedded = sdh->codes != NULL ? assay_matrix_new (sdh->t, bits, error) : NULL;
  sdh->projection = sdh->embedded != NULL ? assay_matrix_new (bits, m, error) : NULL;
  if (sdh->projection == NULL)
    return FALSE;
  sdh->gram = assay_arena_alloc (&sdh->arena, m * m, sizeof (double), "anchors' products", error);
  sdh->classifier = assay_arena_alloc (&sdh->arena, bits * sdh->n_classes, sizeof (double),
                                       "classifier", error);
  sdh->classifier_gram
      = assay_arena_alloc (&sdh->arena, bits * bits, sizeof (double), "classifier", error);
  sdh->losses
      = assay_arena_alloc (&sdh->arena, 2 * panels_of (sdh), sizeof (double), "losses", error);
  if (sdh->arena.has_failed)
    return FALSE;
  kernel_cross_products (assay_matrix_view (sdh->features), assay_matrix_view (sdh->features),
                         sdh->gram);
  for (gsize j = 0; j < m; j++)
    sdh->gram[j * m + j] += SDH_EMBEDDING_RIDGE;
  return TRUE;
}

AssayHashFunction *
sdh_learn_traced (const HashTraining *training, const HashSettings *settings, SdhTrace *trace,
                  GError **error)
{
  g_auto (KernelFeatures) features = { NULL, NULL };
  g_auto (Sdh) sdh = { .training = training,
                       .settings = settings,
                       .t = training->rows.rows,
                       .m = (gsize) settings->anchors,
                       .bits = (gsize) settings->bits,
                       .n_classes = training->n_classes };

  if (!kernel_labels_check (training, error)
      || !kernel_features_learn (training, sdh.m, settings->width, &features, error))
    return NULL;
  sdh.features = features.features;
  if (!prepare (&sdh, error) || !alternate (&sdh, trace, error))
    return NULL;
  return kernel_features_finish (&features, g_steal_pointer (&sdh.projection));
}

AssayHashFunction *
sdh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  return sdh_learn_traced (training, settings, NULL, error);
}

/* ---- The plugin ---- */

HASH_DEFENSE (sdh, "sdh", HASH_SDH,
  .summary = "Hash codes from which a linear classifier predicts the label, learned "
             "bit by bit",
  .reference = { "Shen, Shen, Liu and Shen 2015, Supervised Discrete Hashing",
                 "section 3, algorithm 1" },
  ASSAY_SETTINGS (HashSettings,
    HASH_PARAM_BITS (HashSettings),
    HASH_PARAM_TRAINING (HashSettings),
    HASH_PARAM_LEARNS_FROM (HashSettings),
    ASSAY_PARAM_INT (HashSettings, anchors, 1000, 1, 10000, "rows",
                     "Anchors, drawn at random from the training rows: features are kernels around "
                     "them"),
    ASSAY_PARAM_REAL (HashSettings, width, 0, 0, 1e9, "",
                      "Width of the kernel; 0: the mean distance between training rows and "
                      "anchors"),
    ASSAY_PARAM_INT (HashSettings, iterations, 5, 1, 1000, "",
                     "The most iterations, each of classifier, embedding and codes"),
    ASSAY_PARAM_REAL (HashSettings, lambda, 1, 1e-6, 1e9, "",
                      "Weight of the ridge on the classifier of codes"),
    ASSAY_PARAM_REAL (HashSettings, nu, 1e-5, 0, 1e9, "",
                      "Weight of the distance between codes and the embedding")));
