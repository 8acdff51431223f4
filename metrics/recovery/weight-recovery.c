/* What was found of the weights that users of a federation sent: whether claims "in step t user n
 * sent the value v of weight w" are right, and how much of all updates right claims show.
 *
 * The unit is a column of samples, with its weights in all classes, steps and users together: what
 * users learned of one column hangs together. Columns are taken for independent, and the users, of
 * whom there are few, as they are; intervals say nothing of other users. A share is one of all
 * claims, and not a mean of shares: what a column does to it is by how much it is off, times its
 * part of the claims (the delta method for a ratio; Cochran 1977, "Sampling Techniques", section
 * 6.3). */
#include "core/data/kinds/updates.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { RIGHT, FOUND, NAMED, N_SERIES };

/* Right ones of all, of each column. */
typedef struct {
  double *right, *all;
} Counts;

/* Counts the claims of each column; what is shown twice counts once. */
static gboolean
count_claims (AssayView updates, gsize users, const AssayGuess *guess, gsize width,
              Counts counts[N_SERIES], GError **error)
{
  const AssayArray *claims = assay_arrays_get (&guess->arrays, "weight-claims");
  g_autofree guint8 *is_shown
      = assay_alloc (updates.rows, updates.cols, "weights that were shown", error);

  if (is_shown == NULL)
    return FALSE;
  for (gsize i = 0; i < claims->shape[0]; i++) {
    const gint64 *claim = assay_array_int64 (claims) + i * ASSAY_CLAIM_NUMBERS;
    const gsize weight = (gsize) claim[ASSAY_CLAIM_WEIGHT], column = weight % width;
    const gboolean is_right = assay_weight_claim_is_right (updates, users, guess, i);
    const gboolean is_named = claim[ASSAY_CLAIM_USER] >= 0;

    counts[RIGHT].right[column] += is_right;
    counts[RIGHT].all[column]++;
    counts[NAMED].right[column] += is_right && is_named;
    counts[NAMED].all[column]++;
    for (gsize u = 0; is_right && u < users; u++)
      if (assay_weight_claim_is_of (updates, users, guess, i, u))
        is_shown[((gsize) claim[ASSAY_CLAIM_STEP] * users + u) * updates.cols + weight] = 1;
  }
  for (gsize row = 0; row < updates.rows; row++)
    for (gsize i = 0; i < updates.cols; i++)
      if (assay_view_row (updates, row)[i] != 0) {
        counts[FOUND].all[i % width]++;
        counts[FOUND].right[i % width] += is_shown[row * updates.cols + i];
      }
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const gsize width = assay_updates_width (context->release);
  g_autofree double *room = g_new0 (double, 2 * N_SERIES * width);
  Counts counts[N_SERIES];
  static const char *const none[N_SERIES] = { [RIGHT] = "the attack claims nothing",
                                              [NAMED] = "the attack claims nothing",
                                              [FOUND] = "all weights of all updates are 0" };

  for (guint s = 0; s < N_SERIES; s++)
    counts[s] = (Counts){ room + 2 * s * width, room + (2 * s + 1) * width };
  if (!count_claims (updates, assay_weights_users (truth, context->release), guess, width, counts,
                     error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, width, error))
    return FALSE;
  for (guint s = 0; s < N_SERIES; s++)
    if (!metric_take_ratio (counts[s].right, counts[s].all, width, ret_outcomes->series[s]))
      metric_leave_out (ret_outcomes, s, s + 1, "%s", none[s]);
  return TRUE;
}

UPDATES_METRIC (weight_recovery, "weight-recovery",
  .summary = "Weights of users that were found from what a federation released",
  .reference = { ASSAY_PAPER_DPHE, "theorem 8; the measures are ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("weight-claims", "claimed-values"),
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RIGHT, "weight-claims-right", MEAN, 0, 1, "share of claims",
                   "Claims about weights that are right: the value is what the named user sent or, "
                   "where none is named, what one of them sent",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (NAMED, "weight-owners-right", MEAN, 0, 1, "share of claims",
                   "Claims that are right and name the user whose weight it is",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (FOUND, "weights-found", MEAN, 0, 1, "share of users' weights",
                   "Weights of users, other than 0, that right claims show", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)));
