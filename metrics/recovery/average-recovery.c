/* Averages of users' samples that were read off model updates. The unit is the update of a user in
 * a step, of those that secrets were first trained on in; of estimates of one update its first
 * counts.
 *
 * How long an average is, an update need not tell (attacks/updates/samples/update-average.c), so
 * that directions are compared, in the columns that the attack is sure of, and as users scaled
 * them, where the release says how. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"

enum { MEMBER, COSINE, CHANCE, N_SERIES };

typedef struct {
  gint64 step, user;
  gsize estimate; /* G_MAXSIZE: the attack says nothing of it */
} Update;

typedef struct {
  AssayView secrets, estimates;
  const guint8 *is_known; /* of estimates; NULL: all columns */
  const gint64 *users, *steps;
  const float *mean, *deviation; /* NULL: columns are compared as they are */
  GArray *updates;               /* Update */
  double *const *series;
} Averages;

static gint
compare_updates (gconstpointer a, gconstpointer b)
{
  const Update *x = a, *y = b;

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return x->user < y->user ? -1 : x->user > y->user;
}

/* The updates of the secrets, in order, each once. */
static void
collect_updates (Averages *averages)
{
  GArray *updates = averages->updates;
  guint n = 0;

  for (gsize i = 0; i < averages->secrets.rows; i++) {
    const Update update = { averages->steps[i], averages->users[i], G_MAXSIZE };

    if (update.step >= 0)
      g_array_append_val (updates, update);
  }
  g_array_sort (updates, compare_updates);
  for (guint i = 0; i < updates->len; i++) {
    const Update update = g_array_index (updates, Update, i);

    if (n == 0 || compare_updates (&update, &g_array_index (updates, Update, n - 1)) != 0)
      g_array_index (updates, Update, n++) = update;
  }
  g_array_set_size (updates, n);
}

static void
find_estimates (Averages *averages, const gint64 *of_steps, const gint64 *of_users)
{
  for (gsize e = 0; e < averages->estimates.rows; e++) {
    const Update wanted = { of_steps[e], of_users[e], 0 };
    guint place;

    if (g_array_binary_search (averages->updates, &wanted, compare_updates, &place)) {
      Update *update = &g_array_index (averages->updates, Update, place);

      update->estimate = MIN (update->estimate, e);
    }
  }
}

static double
scaled (const Averages *averages, const float *row, gsize j)
{
  const double value = (double) row[j];

  return averages->mean != NULL
             ? (value - (double) averages->mean[j]) / (double) averages->deviation[j]
             : value;
}

/* The first column of rows: @ret_row is of d numbers, 0 in columns that are not known. */
static void
scale_row (const Averages *averages, const float *row, const guint8 *is_known, double *ret_row)
{
  for (gsize j = 0; j < averages->secrets.cols; j++)
    ret_row[j] = is_known == NULL || is_known[j] ? scaled (averages, row, j) : 0;
}

static double
cosine (const double *x, const double *y, gsize n)
{
  double product = 0, x_square = 0, y_square = 0;

  for (gsize j = 0; j < n; j++) {
    product += x[j] * y[j];
    x_square += x[j] * x[j];
    y_square += y[j] * y[j];
  }
  return x_square > 0 && y_square > 0 ? product / sqrt (x_square * y_square) : 0;
}

static void
judge_update (gsize unit, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Averages *averages = data;
  const Update *update = &g_array_index (averages->updates, Update, unit);
  const gsize d = averages->secrets.cols;
  g_autofree double *rows = g_new0 (double, 3 * d);
  double *estimate = rows, *row = rows + d, *mean = rows + 2 * d, highest = 0;
  const guint8 *is_known = NULL;
  gboolean is_member = FALSE;
  gsize members = 0;

  if (update->estimate != G_MAXSIZE) {
    is_known = averages->is_known != NULL ? averages->is_known + update->estimate * d : NULL;
    scale_row (averages, assay_view_row (averages->estimates, update->estimate), is_known,
               estimate);
  }
  for (gsize i = 0; i < averages->secrets.rows; i++) {
    const gboolean is_of = averages->steps[i] == update->step && averages->users[i] == update->user;
    double here;

    scale_row (averages, assay_view_row (averages->secrets, i), is_known, row);
    here = cosine (estimate, row, d);
    members += is_of;
    for (gsize j = 0; is_of && j < d; j++)
      mean[j] += row[j];
    if (here > highest) {
      highest = here;
      is_member = is_of;
    }
  }
  averages->series[MEMBER][unit] = is_member;
  averages->series[COSINE][unit] = CLAMP (cosine (estimate, mean, d), -1, 1);
  averages->series[CHANCE][unit] = (double) members / (double) averages->secrets.rows;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *known = assay_arrays_get (&guess->arrays, "known-columns");
  const AssayArray *mean
      = context->release != NULL ? assay_arrays_get (&context->release->arrays, "mean") : NULL;
  g_autoptr (GArray) updates = g_array_new (FALSE, FALSE, sizeof (Update));
  Averages averages = {
    .secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets")),
    .estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")),
    .is_known = known != NULL ? known->data : NULL,
    .users = assay_array_int64 (assay_arrays_get (&truth->arrays, "users")),
    .steps = assay_array_int64 (assay_arrays_get (&truth->arrays, "steps")),
    .updates = updates,
  };

  if (averages.estimates.cols != averages.secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates have %zu columns; expected %zu, as the secrets have",
                       averages.estimates.cols, averages.secrets.cols);
  if (mean != NULL) {
    averages.mean = assay_array_view (mean).data;
    averages.deviation
        = assay_array_view (assay_arrays_get (&context->release->arrays, "deviation")).data;
  }
  collect_updates (&averages);
  if (updates->len == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "no secret was trained on in any step");
  find_estimates (&averages, assay_array_int64 (assay_arrays_get (&guess->arrays, "of-steps")),
                  assay_array_int64 (assay_arrays_get (&guess->arrays, "of-users")));
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, updates->len, error))
    return FALSE;
  averages.series = ret_outcomes->series;
  assay_parallel_for (updates->len, judge_update, &averages);
  return TRUE;
}

ASSAY_METRIC (average_recovery, "average-recovery",
  .summary = "Averages of users' samples that were found in model updates",
  .reference = { ASSAY_PAPER_DPHE, "section A.2.2; the measures are ours" },
  .reads = ASSAY_RELEASE_UPDATES,
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "users", "steps"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates", "of-steps", "of-users", "of-rows"),
  .finds_order = TRUE,
  .has_own_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (MEMBER, "average-member-rate", RATE, 0, 1, "share of updates",
                   "Updates for which, of all samples of the cell, the one nearest in direction to "
                   "the estimated average went into the update",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (COSINE, "average-cosine", MEAN, -1, 1, "cosine",
                   "Cosine of the estimated average and the average of the samples of the update",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CHANCE, "average-member-chance", MEAN, 0, 1, "share of updates",
                   "Updates of which a sample drawn at random is part: the same by chance",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE)),
  .measure = measure);
