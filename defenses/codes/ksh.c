/* ksh: kernel-based supervised hashing. Of l labelled training rows, S (l x l) is 1 for two of one
 * class and -1 for others (of rows that have several, for two that share one). With kernel features
 * K (l x m, of anchors), bit k has the coefficients a_k, the labelled rows have the signs y_k =
 * sign (K a_k), and inner products of codes shall come near to c S, greedily:
 *
 *   R_0 = c S (for c bits),  R_k = R_(k-1) - y_k y_k',  a_k = argmax sign (K a)' R_(k-1) sign (K a)
 *
 * since ||R_k||^2 = ||R_(k-1)||^2 - 2 y_k' R_(k-1) y_k + l^2. That is found in two ways, of which
 * the better one stays: the relaxation without signs, under ||K a||^2 = l, is the first eigenvector
 * of K'R K a = mu K'K a; from it, Nesterov's accelerated gradient ascends g (K a)' R g (K a) with
 * the smooth sign g (x) = 2 / (1 + exp (-x)) - 1. With Z (l x C) of one-hot labels, S is
 * 2 Z Z' - 1 1' and R_k is never written out: a product with it costs l (k + 2). Of rows with
 * several classes C are the sets that occur, and S is 2 Z A Z' - 1 1', A telling which of them
 * meet. The hash function is sign (a_k' z (x)).
 *
 * Source: Liu, Wang, Ji, Jiang and Chang 2012, "Supervised Hashing with Kernels", section 3,
 * algorithm 1; 300 anchors and 1,000 labelled rows as its experiments have.
 * Nesterov's steps with backtracking as in Beck and Teboulle 2009, "A Fast Iterative
 * Shrinkage-Thresholding Algorithm", section 4. */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"
#include "defenses/codes/kernel-features.h"
#include "defenses/codes/ksh-ascent.h"
#include "defenses/codes/label-groups.h"
#include "defenses/codes/supervised-hashing.h"

/* Of the mean diagonal of K'K, added to it: kernels of near anchors are nearly the same. */
#define RIDGE 1e-6

typedef struct {
  AssayArena arena; /* of all arrays */
  KshResidual residual;
  LabelGroups groups; /* of the labelled rows */
  double *relaxed; /* K'R K, m x m */
  double *gram;    /* K'K with its ridge, m x m; behind it in the same block */
  double norm;     /* ||R||^2 */
} Ksh;

/* ---- One bit ---- */

/* The relaxation: coefficients with ||K a||^2 = l. */
static gboolean
relax (const Ksh *ksh, double *ret_coefficients, GError **error)
{
  const gsize m = ksh->residual.m;
  double value;

  if (!assay_linalg_definite_eigen (&(AssayPencil){ m, ksh->relaxed, ksh->gram }, 1, &value,
                                    ret_coefficients, error))
    return assay_prefix (error, "ksh's bit %zu: ", ksh->residual.done);
  for (gsize j = 0; j < m; j++)
    ret_coefficients[j] *= sqrt ((double) ksh->residual.l);
  return TRUE;
}

/* K'R K loses (K'y) (K'y)', R loses y y'. */
static void
take_bit (Ksh *ksh, const double *signs, double gain)
{
  const gsize m = ksh->residual.m, l = ksh->residual.l;
  g_autofree double *sums = g_new (double, m);

  ksh_sum_rows (&ksh->residual, signs, sums);
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < m; j++)
      ksh->relaxed[i * m + j] -= sums[i] * sums[j];
  memcpy (ksh->residual.signs + ksh->residual.done * l, signs, l * sizeof (double));
  ksh->residual.done++;
  ksh->norm += (double) l * (double) l - 2 * gain;
}

/* The next bit's coefficients. */
static gboolean
learn_bit (Ksh *ksh, float *ret_row, gboolean *ret_is_descent, GError **error)
{
  const gsize m = ksh->residual.m, l = ksh->residual.l;
  g_autofree double *relaxed = g_new (double, m);
  g_autofree double *ascended = NULL;
  g_autofree double *margins = g_new (double, l);
  g_autofree double *signs = g_new (double, l);
  g_autofree double *ascended_signs = g_new (double, l);
  double gain, ascended_gain;
  gboolean is_descent;

  if (!relax (ksh, relaxed, error))
    return FALSE;
  ascended = g_memdup2 (relaxed, m * sizeof (double));
  if (!ksh_ascend (&ksh->residual, ascended, error))
    return FALSE;
  ksh_project (&ksh->residual, relaxed, margins);
  gain = ksh_gain (&ksh->residual, margins, FALSE, signs);
  ksh_project (&ksh->residual, ascended, margins);
  ascended_gain = ksh_gain (&ksh->residual, margins, FALSE, ascended_signs);
  is_descent = ascended_gain > gain;
  for (gsize j = 0; j < m; j++)
    ret_row[j] = (float) (is_descent ? ascended[j] : relaxed[j]);
  take_bit (ksh, is_descent ? ascended_signs : signs, MAX (gain, ascended_gain));
  *ret_is_descent = is_descent;
  return TRUE;
}

/* ---- All bits ---- */

ASSAY_LOCAL_CLEAR (Ksh, ksh_clear, label_groups_clear (&self->groups),
                   assay_arena_clear (&self->arena))

/* The features of @count labelled rows, drawn at random. */
static AssayMatrix *
draw_labelled (const HashTraining *training, const AssayMatrix *features, gsize count, Ksh *ksh,
               gsize *ret_rows, GError **error)
{
  AssayStream stream = assay_stream (training->stream, KERNEL_ITEM_LABELLED);
  g_autofree gsize *rows = g_new (gsize, count);
  g_autoptr (AssayMatrix) drawn = assay_matrix_new (count, features->cols, error);
  gboolean is_varied = FALSE;

  assay_stream_choose (&stream, features->rows, count, rows);
  if (drawn == NULL || !label_groups_find (training, rows, count, &ksh->groups, error))
    return NULL;
  ksh->residual.labels = ksh->groups.of_rows;
  ksh->residual.n_classes = ksh->groups.n;
  for (gsize i = 0; i < count; i++) {
    memcpy (assay_matrix_row (drawn, i), features->data + rows[i] * features->cols,
            features->cols * sizeof (float));
    is_varied = is_varied || ksh->residual.labels[i] != ksh->residual.labels[0];
  }
  if (!is_varied)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "all %zu labelled rows that were drawn have label %" G_GINT64_FORMAT
                            ": expected "
                            "two classes at least; draw more",
                            count, training->labels[rows[0]]);
  if (ret_rows != NULL)
    memcpy (ret_rows, rows, count * sizeof (gsize));
  return g_steal_pointer (&drawn);
}

/* A, where rows may have several classes. */
static gboolean
relate_groups (Ksh *ksh, GError **error)
{
  const gsize n = ksh->groups.n;
  double *share;

  ksh->residual.shared = assay_arena_alloc (&ksh->arena, n, sizeof (double), "sums", error);
  if (ksh->groups.sets == NULL || ksh->arena.has_failed)
    return !ksh->arena.has_failed;
  share = assay_arena_alloc (&ksh->arena, n * n, sizeof (double), "similarities", error);
  for (gsize i = 0; share != NULL && i < n * n; i++)
    share[i] = label_groups_share (&ksh->groups, i / n, i % n) ? 1 : 0;
  ksh->residual.share = share;
  return share != NULL;
}

/* K'S K c = c (2 sum_k s_k s_k' - s s') with the sums s_k of the classes' rows and s of all; of
 * groups, the first is a sum over pairs that share a class. */
static void
relate (Ksh *ksh, const AssayMatrix *labelled)
{
  const gsize m = labelled->cols, n_classes = ksh->residual.n_classes;
  const double bits = (double) ksh->residual.bits;
  g_autofree double *sums = g_new0 (double, (n_classes + 1) * m);
  g_autofree double *shared = NULL;
  const AssayViewDouble view = assay_view_of_doubles (sums, n_classes, m);
  double *total = sums + n_classes * m;

  for (gsize i = 0; i < labelled->rows; i++)
    for (gsize j = 0; j < m; j++) {
      const double value = (double) labelled->data[i * m + j];

      sums[(gsize) ksh->residual.labels[i] * m + j] += value;
      total[j] += value;
    }
  if (ksh->residual.share != NULL) {
    shared = g_new (double, n_classes * m);
    assay_linalg_product_double (
        ASSAY_NN, assay_view_of_doubles (ksh->residual.share, n_classes, n_classes), view, shared,
        m);
  }
  assay_linalg_product_double (
      ASSAY_TN, view, shared != NULL ? assay_view_of_doubles (shared, n_classes, m) : view,
      ksh->relaxed, m);
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < m; j++)
      ksh->relaxed[i * m + j] = bits * (2 * ksh->relaxed[i * m + j] - total[i] * total[j]);
}

static gboolean
prepare (Ksh *ksh, const AssayMatrix *labelled, GError **error)
{
  KshResidual *residual = &ksh->residual;
  const gsize l = labelled->rows, m = labelled->cols;
  const gsize n_products = residual->n_classes + residual->bits;
  double trace = 0;

  residual->l = l;
  residual->m = m;
  residual->features = labelled->data;
  residual->panels = ksh_panels (l);
  residual->signs
      = assay_arena_alloc (&ksh->arena, residual->bits * l, sizeof (double), "signs", error);
  residual->partial = assay_arena_alloc (&ksh->arena, residual->panels * MAX (m, n_products),
                                         sizeof (double), "sums", error);
  residual->products = assay_arena_alloc (&ksh->arena, n_products, sizeof (double), "sums", error);
  ksh->relaxed
      = assay_arena_alloc (&ksh->arena, 2 * m * m, sizeof (double), "anchors' products", error);
  if (ksh->arena.has_failed || !relate_groups (ksh, error))
    return FALSE;
  ksh->gram = ksh->relaxed + m * m;
  ksh->norm = (double) (residual->bits * residual->bits) * (double) l * (double) l;
  relate (ksh, labelled);
  kernel_cross_products (assay_matrix_view (labelled), assay_matrix_view (labelled), ksh->gram);
  for (gsize j = 0; j < m; j++)
    trace += ksh->gram[j * m + j];
  for (gsize j = 0; j < m; j++)
    ksh->gram[j * m + j] += RIDGE * trace / (double) m;
  return TRUE;
}

AssayHashFunction *
ksh_learn_traced (const HashTraining *training, const HashSettings *settings, KshTrace *trace,
                  GError **error)
{
  const gsize bits = (gsize) settings->bits, count = (gsize) settings->labelled;
  g_auto (KernelFeatures) features = { NULL, NULL };
  g_auto (Ksh) ksh = { .residual = { .bits = bits } };
  g_autoptr (AssayMatrix) labelled = NULL;
  g_autoptr (AssayMatrix) projection = NULL;

  if (!kernel_labels_check (training, error))
    return NULL;
  if (training->rows.rows < count)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%zu training rows: expected as many as labelled, %zu, or more",
                            training->rows.rows, count);
  if (!kernel_features_learn (training, (gsize) settings->anchors, settings->width, &features,
                              error))
    return NULL;
  labelled = draw_labelled (training, features.features, count, &ksh,
                            trace != NULL ? trace->rows : NULL, error);
  projection = labelled != NULL ? assay_matrix_new (bits, labelled->cols, error) : NULL;
  if (projection == NULL || !prepare (&ksh, labelled, error))
    return NULL;
  for (gsize k = 0; k <= bits; k++) {
    gboolean is_descent;

    if (trace != NULL)
      trace->objective[k] = ksh.norm;
    if (k == bits)
      break;
    if (!learn_bit (&ksh, assay_matrix_row (projection, k), &is_descent, error))
      return NULL;
    if (trace != NULL)
      trace->is_descent[k] = is_descent;
  }
  return kernel_features_finish (&features, g_steal_pointer (&projection));
}

AssayHashFunction *
ksh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  return ksh_learn_traced (training, settings, NULL, error);
}

/* ---- The plugin ---- */

HASH_DEFENSE (ksh, "ksh", HASH_KSH,
  .summary = "Hash codes whose inner products approximate the similarity of labels, learned bit "
             "by bit",
  .reference = { "Liu, Wang, Ji, Jiang and Chang 2012, Supervised Hashing with Kernels",
                 "section 3, algorithm 1" },
  ASSAY_SETTINGS (HashSettings,
    HASH_PARAM_BITS (HashSettings),
    HASH_PARAM_TRAINING (HashSettings),
    HASH_PARAM_LEARNS_FROM (HashSettings),
    ASSAY_PARAM_INT (HashSettings, anchors, 300, 1, 10000, "rows",
                     "Anchors, drawn at random from the training rows: features are kernels around "
                     "them"),
    ASSAY_PARAM_INT (HashSettings, labelled, 1000, 2, 100000, "rows",
                     "Training rows, drawn at random, whose pairs are learned from"),
    ASSAY_PARAM_REAL (HashSettings, width, 0, 0, 1e9, "",
                      "Width of the kernel; 0: the mean distance between training rows and "
                      "anchors")));
