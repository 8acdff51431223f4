/* An update by many samples gives a blend of them away. Where a user has no sample of class k, all
 * of its samples are negative in row k, and the gradient of the row adds them up with one sign:
 *   hinge     G_k = 1/K sum over the samples x that do not meet the margin, exactly
 *   logistic  G_k = 1/K sum of P (k | x) x, near 0 where the model is sure that x is not of class k
 * With a bias, its own gradient is the sum of these factors, and the estimate the mean that they
 * weigh; without one the blend is known up to its length.
 *
 * A class that users have nothing of is given (`class`, as of a detector of rare events), or is
 * looked for message by message: rows of absent classes add up the same samples with one sign, and
 * agree with each other; rows of present ones take some of them away. The row is chosen whose
 * cosines with all others have the greatest sum. It is a guess: a user who has samples of all
 * classes has no such row, and of two classes no attack knows which one it has.
 *
 * One estimate for each message, in the order of the messages; one of which no row can be such a
 * sum (no margin was missed, or every bias went up) is all zeros and sure of no column.
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section A.2.2, equations 13 and 14; the choice of the row is
 * ours. */
#include <math.h>
#include <string.h>

#include "attacks/updates/samples/update-control.h"
#include "attacks/updates/samples/update-gradient.h"
#include "attacks/updates/samples/update-guess.h"
#include "core/plugin/plugin.h"

typedef struct {
  gint64 class;
} UpdateAverage;

/* ---- The row ---- */

/* Cosine of two rows over the columns that both tell. */
static double
agreement (const UpdateGradient *gradient, gsize cols, gsize row, gsize other)
{
  double product = 0, square = 0, other_square = 0;

  for (gsize j = 0; j < cols; j++) {
    const gsize a = row * gradient->width + j, b = other * gradient->width + j;

    if (gradient->half[a] > 0 || gradient->half[b] > 0)
      continue;
    product += gradient->middle[a] * gradient->middle[b];
    square += gradient->middle[a] * gradient->middle[a];
    other_square += gradient->middle[b] * gradient->middle[b];
  }
  return square > 0 && other_square > 0 ? product / sqrt (square * other_square) : 0;
}

/* Whether all samples can be negative in the row: its bias then went down. */
static gboolean
can_be_absent (const AssayLinearTraining *training, const UpdateGradient *gradient, gsize row)
{
  const gsize bias = row * gradient->width + training->cols;

  return gradient->is_moved[row]
         && (!training->has_bias || gradient->middle[bias] > gradient->noise[bias]);
}

/* G_MAXSIZE: there is none. */
static gsize
choose_row (const AssayLinearTraining *training, const UpdateGradient *gradient, gint64 class)
{
  gsize best = G_MAXSIZE;
  double most = 0;

  if (class >= 0)
    return can_be_absent (training, gradient, (gsize) class) ? (gsize) class : G_MAXSIZE;
  for (gsize k = 0; k < training->classes; k++) {
    double sum = 0;

    for (gsize l = 0; l < training->classes; l++)
      if (l != k && gradient->is_moved[l])
        sum += agreement (gradient, training->cols, k, l);
    if (can_be_absent (training, gradient, k) && (best == G_MAXSIZE || sum > most)) {
      best = k;
      most = sum;
    }
  }
  return best;
}

/* ---- The attack ---- */

/* The row as an estimate; FALSE: none. */
static gboolean
read_average (const AssayLinearTraining *training, const UpdateGradient *gradient, gint64 class,
              UpdateFound *inout_found, double *ret_values, guint8 *ret_is_known)
{
  const gsize row = choose_row (training, gradient, class);
  const gsize start = row * gradient->width;
  const double factor
      = row != G_MAXSIZE && training->has_bias ? gradient->middle[start + training->cols] : 1;

  memset (ret_values, 0, training->cols * sizeof *ret_values);
  memset (ret_is_known, 0, training->cols);
  inout_found->values = ret_values;
  inout_found->is_known = ret_is_known;
  inout_found->row = row != G_MAXSIZE ? (gint64) row : -1;
  for (gsize j = 0; row != G_MAXSIZE && j < training->cols; j++) {
    ret_is_known[j] = gradient->half[start + j] == 0;
    ret_values[j] = ret_is_known[j] ? gradient->middle[start + j] / factor : 0;
  }
  return row != G_MAXSIZE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const gint64 class = ((const UpdateAverage *) context->settings)->class;
  const AssayRelease *release = seen->release;
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  AssayLinearTraining training;
  AssayView locals;
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (UpdateGuess) found = { 0 };
  g_autofree double *numbers = NULL;
  g_autofree guint8 *is_known = NULL;
  gsize users, silent = 0;

  if (!update_messages_of (release, &locals, error)
      || !update_training_of (release, &training, error)
      || !update_gradient_init (&training, &gradient, error))
    return FALSE;
  if (class >= (gint64) training.classes)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "class = %" G_GINT64_FORMAT ": the models have classes 0 to %zu", class,
                       training.classes - 1);
  users = locals.rows / assay_updates_steps (release);
  numbers = assay_alloc (models.cols + training.cols, sizeof *numbers, "an update", error);
  is_known = assay_alloc (training.cols, 1, "an update", error);
  if (numbers == NULL || is_known == NULL)
    return FALSE;
  update_guess_init_averages (&found, training.cols);
  for (gsize l = 0; l < locals.rows; l++) {
    UpdateFound one = { .step = l / users, .user = (gint64) (l % users), .label = -1 };

    for (gsize i = 0; i < models.cols; i++)
      numbers[i] = (double) assay_view_row (locals, l)[i];
    update_gradient_read (&training, assay_view_row (models, l / users), numbers, 1, &gradient);
    silent += !read_average (&training, &gradient, class, &one, numbers + models.cols, is_known);
    update_guess_add (&found, &one);
  }
  update_guess_take (&found, release, ret_guess);
  ret_guess->says = g_strdup_printf ("of %zu messages %zu tell nothing: no class can be one that "
                                     "their user has nothing of",
                                     locals.rows, silent);
  return TRUE;
}

/* ---- The control ---- */

/* A sample of its own is the average of one, up to the sign, which the hinge loss keeps. */
ASSAY_CONTROL (make_control, update_control_make, UpdateControl, UpdateAverage,
               .training = { .classes = (gsize) MAX (settings->class + 2, 4), .cols = 16,
                             .loss = ASSAY_LOSS_HINGE, .rate = 1e-2 },
               .users = 24, .steps = 1, .absent = &settings->class, .has_locals = TRUE)

ASSAY_ATTACK (update_average, "update-average",
  .summary = "Recover the average of a user's samples from what the user made of the public model",
  .reference = { ASSAY_PAPER_DPHE, "section A.2.2" },
  ASSAY_SETTINGS (UpdateAverage,
    ASSAY_PARAM_INT (UpdateAverage, class, -1, -1, 100000, "",
                     "A class of which no user has a sample; -1: looked for in each message")),
  .memory = update_guess_memory,
  .reads = ASSAY_RELEASE_UPDATES,
  .reads_gradients = TRUE,
  .needs = ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("locals"),
  .writes = update_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "the average of one sample is the sample",
               .make = make_control,
               .at_least = 0.9,
               .within = 1e-3 });
