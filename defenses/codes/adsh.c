/* adsh: asymmetric deep supervised hashing. The network learns codes of queries alone; those of the
 * training rows, V (n x c, -1 and 1), are learned themselves, so that inner products with u = tanh
 * (f (x)) come near to c S:
 *   J = sum_ij (u_i' v_j - c S_ij)^2 + gamma sum_i ||v_i - u_i||^2
 * By turns: u by Adam for EPOCHS passes; then each column of V in turn, with the others fixed,
 *   v_k = - sign (2 V_-k (U_-k' u_k) + q_k),   Q = - 2 c S'U - 2 gamma U.
 * Source: Jiang and Li 2018, "Asymmetric Deep Supervised Hashing", equations 3 to 9, with gamma =
 * 200; three passes to a turn. As in the authors' program S of rows of different classes is -r,
 * with r the similar pairs for each other one, so that S sums to 0. They draw 2,000 rows for each
 * turn; here all rows are queries, and sums over S go by classes. V begins at random signs (their
 * program: at zeros). And there the database is the training rows, whose released codes are V; here
 * V is only what the network is trained against, and all codes are the network's. */
#include <math.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/math/linalg.h"
#include "defenses/codes/deep-hash.h"
#include "defenses/codes/supervised-hashing.h"

#define GAMMA 200.0
#define EPOCHS 3
#define CODES_ITEM (G_MAXUINT64 - 1)

typedef struct {
  DeepEncoder *encoder;
  LabelGroups groups;   /* of the training rows: those that share a class are alike */
  const gint64 *labels; /* which of them */
  gsize n, bits, n_classes;
  double others;   /* -S of rows of different classes: r */
  double *codes;   /* V: n x c */
  double *gram;    /* V'V, c x c; while V is learned U'U */
  double *sums;    /* of V by class, and behind them of all: (n_classes + 1) x c */
  double *outputs; /* U: n x c */
  gsize step, turn;
  AdshTrace *trace; /* NULL: not wanted */
  GError *problem;  /* what ended a turn beside numbers that are not finite */
  AssayArena arena;
} Adsh;

/* In place of the sums of groups, those over all that share a class with them. */
static void
share_sums (const Adsh *adsh)
{
  const gsize c = adsh->bits, n = adsh->n_classes;
  g_autofree double *own = g_memdup2 (adsh->sums, n * c * sizeof (double));

  memset (adsh->sums, 0, n * c * sizeof (double));
  for (gsize a = 0; a < n; a++)
    for (gsize b = 0; b < n; b++)
      for (gsize k = 0; k < c && label_groups_share (&adsh->groups, a, b); k++)
        adsh->sums[a * c + k] += own[b * c + k];
}

/* Sums of @rows (n x c) by class, and of all. */
static void
sum_classes (const Adsh *adsh, const double *rows)
{
  const gsize c = adsh->bits;
  double *total = adsh->sums + adsh->n_classes * c;

  memset (adsh->sums, 0, (adsh->n_classes + 1) * c * sizeof (double));
  for (gsize i = 0; i < adsh->n; i++)
    for (gsize k = 0; k < c; k++) {
      adsh->sums[(gsize) adsh->labels[i] * c + k] += rows[i * c + k];
      total[k] += rows[i * c + k];
    }
  if (adsh->groups.sets != NULL)
    share_sums (adsh);
}

/* sum_j S_ij r_j, for the rows that were summed: those of the class of @label weigh 1. */
static double
similar_sum (const Adsh *adsh, gint64 label, gsize k)
{
  const double own = adsh->sums[(gsize) label * adsh->bits + k];

  return own - adsh->others * (adsh->sums[adsh->n_classes * adsh->bits + k] - own);
}

static void
make_gram (const Adsh *adsh, const double *rows)
{
  const AssayViewDouble view = assay_view_of_doubles (rows, adsh->n, adsh->bits);

  assay_linalg_product_double (ASSAY_TN, view, view, adsh->gram, adsh->bits);
}

/* ---- Codes of the training rows ---- */

/* FALSE upon Ctrl-C. */
static gboolean
learn_codes (const Adsh *adsh)
{
  const gsize c = adsh->bits;

  sum_classes (adsh, adsh->outputs);
  make_gram (adsh, adsh->outputs);
  for (gsize k = 0; k < c; k++) {
    if (assay_interrupt_is_wanted ())
      return FALSE;
    for (gsize i = 0; i < adsh->n; i++) {
      double *code = adsh->codes + i * c;
      double slope = -2 * (double) c * similar_sum (adsh, adsh->labels[i], k)
                     - 2 * GAMMA * adsh->outputs[i * c + k];

      for (gsize l = 0; l < c; l++)
        slope += l != k ? 2 * code[l] * adsh->gram[l * c + k] : 0;
      code[k] = slope > 0 ? -1 : 1;
    }
  }
  return TRUE;
}

/* J of U and V, in terms of the same sums. */
static double
objective (const Adsh *adsh)
{
  const gsize c = adsh->bits;
  double sum = 0;

  for (gsize i = 0; i < adsh->n; i++)
    for (gsize j = 0; j < adsh->n; j++) {
      const gboolean are_alike
          = label_groups_share (&adsh->groups, (gsize) adsh->labels[i], (gsize) adsh->labels[j]);
      const double similar = are_alike ? 1 : -adsh->others;
      double gap = -(double) c * similar;

      for (gsize k = 0; k < c; k++)
        gap += adsh->outputs[i * c + k] * adsh->codes[j * c + k];
      sum += gap * gap;
    }
  for (gsize k = 0; k < adsh->n * c; k++)
    sum += GAMMA * (adsh->codes[k] - adsh->outputs[k]) * (adsh->codes[k] - adsh->outputs[k]);
  return sum;
}

/* What a batch needs of them. */
static void
sum_codes (const Adsh *adsh)
{
  sum_classes (adsh, adsh->codes);
  make_gram (adsh, adsh->codes);
}

static gboolean
take_turn (Adsh *adsh)
{
  AdshTrace *trace = adsh->trace;
  const gboolean is_traced = trace != NULL && adsh->turn < trace->n;
  const gsize size = adsh->n * adsh->bits * sizeof (double);

  if (!deep_encoder_outputs (adsh->encoder, adsh->outputs, &adsh->problem))
    return FALSE;
  if (is_traced)
    trace->before[adsh->turn] = objective (adsh);
  if (!learn_codes (adsh))
    return FALSE;
  if (is_traced) {
    trace->after[adsh->turn] = objective (adsh);
    memcpy (trace->codes, adsh->codes, size);
    memcpy (trace->outputs, adsh->outputs, size);
  }
  adsh->turn++;
  sum_codes (adsh);
  return TRUE;
}

/* ---- The network ---- */

/* Of a row sum_j (u' v_j - c S_j)^2 = u' G u - 2 c u' sum_j S_j v_j + c^2 sum_j S_j^2; the last
 * term, which u does not change, is left out. All over the n rows of either kind. */
static double
lose (const AssayPairedBatch *batch, gpointer data, double *const inout_slopes[ASSAY_N_PAIRED])
{
  Adsh *adsh = data;
  const gsize c = adsh->bits;
  const gsize steps = EPOCHS * MAX (adsh->n / deep_encoder_batch (adsh->encoder), 1);
  const double weight = 1 / ((double) batch->count * (double) adsh->n);
  double sum = 0;

  if (adsh->step > 0 && adsh->step % steps == 0 && !take_turn (adsh))
    return NAN;
  adsh->step++;
  for (gsize i = 0; i < batch->count; i++) {
    const gsize item = batch->items[i];
    const double *u = batch->outputs[0] + i * c;

    for (gsize k = 0; k < c; k++) {
      const double similar = (double) c * similar_sum (adsh, adsh->labels[item], k);
      const double gap = u[k] - adsh->codes[item * c + k];
      double product = 0;

      for (gsize l = 0; l < c; l++)
        product += adsh->gram[k * c + l] * u[l];
      sum += weight * (u[k] * (product - 2 * similar) + GAMMA * gap * gap);
      inout_slopes[0][i * c + k] += 2 * weight * (product - similar + GAMMA * gap);
    }
  }
  return sum;
}

static gboolean
prepare (const HashTraining *training, DeepEncoder *encoder, Adsh *ret_adsh, GError **error)
{
  AssayStream stream = assay_stream (training->stream, CODES_ITEM);
  const gsize n = training->rows.rows, c = ret_adsh->bits;
  AssayArena *arena = &ret_adsh->arena;
  double similar;

  if (!label_groups_find (training, NULL, n, &ret_adsh->groups, error))
    return FALSE;
  similar = deep_hash_similar (&ret_adsh->groups, n);
  ret_adsh->encoder = encoder;
  ret_adsh->labels = ret_adsh->groups.of_rows;
  ret_adsh->n = n;
  ret_adsh->n_classes = ret_adsh->groups.n;
  ret_adsh->others = similar / (1 - similar);
  ret_adsh->codes = assay_arena_alloc (arena, n, c * sizeof (double), "codes", error);
  ret_adsh->outputs = assay_arena_alloc (arena, n, c * sizeof (double), "codes", error);
  ret_adsh->gram = assay_arena_alloc (arena, c, c * sizeof (double), "codes", error);
  ret_adsh->sums = assay_arena_alloc (arena, ret_adsh->n_classes + 1, c * sizeof (double),
                                      "sums of classes", error);
  if (arena->has_failed)
    return FALSE;
  for (gsize k = 0; k < n * c; k++)
    ret_adsh->codes[k] = assay_stream_uniform (&stream) < 0.5 ? -1 : 1;
  sum_codes (ret_adsh);
  return TRUE;
}

/* What ended a turn, such as that there was no memory for it, is none of training. */
static AssayHashFunction *
train (Adsh *adsh, GError **error)
{
  g_autoptr (GError) problem = NULL;
  const gboolean is_trained = deep_encoder_train (adsh->encoder, lose, adsh, &problem);

  if (adsh->problem == NULL && is_trained)
    return deep_encoder_function (adsh->encoder, error);
  if (adsh->problem != NULL) {
    g_clear_error (&problem);
    problem = g_steal_pointer (&adsh->problem);
  }
  g_propagate_error (error, g_steal_pointer (&problem));
  return NULL;
}

AssayHashFunction *
adsh_learn_traced (const HashTraining *training, const HashSettings *settings, AdshTrace *trace,
                   GError **error)
{
  g_autoptr (DeepEncoder) encoder = deep_encoder_new (training, settings, FALSE, error);
  AssayHashFunction *function = NULL;
  Adsh adsh = { .trace = trace, .bits = (gsize) settings->bits };

  if (encoder != NULL && prepare (training, encoder, &adsh, error))
    function = train (&adsh, error);
  if (trace != NULL)
    trace->n = MIN (trace->n, adsh.turn);
  assay_arena_clear (&adsh.arena);
  label_groups_clear (&adsh.groups);
  return function;
}

AssayHashFunction *
adsh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  return adsh_learn_traced (training, settings, NULL, error);
}

DEEP_DEFENSE (adsh, "adsh", HASH_ADSH,
              .summary
              = "Hash codes by a network for queries, trained against codes learned directly for "
                "training rows",
              .reference
              = { "Jiang and Li 2018, Asymmetric Deep Supervised Hashing", "equations 3 to 9" });
