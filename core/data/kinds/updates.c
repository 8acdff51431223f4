/* Releases of kind updates: the models w_0 .. w_T that were made public, and what parties of the
 * protocol saw beside them: the aggregator the sum of each step, and who reads the users' messages
 * these. Mean and deviation are those by which all users scaled their columns. */
#include "core/data/kinds/updates.h"

#include "core/base/error.h"
#include "core/data/exchange.h"
#include "core/data/grant.h"

/* ---- Rules for encrypted messages, which others may have made ---- */

/* What the release says of its federation. */
typedef struct {
  gsize users; /* 0: it does not say */
  gsize steps;
  gsize weights;
} UpdateSizes;

static const AssayArray *
get (const AssayRelease *release, const char *name)
{
  return assay_arrays_get (&release->arrays, name);
}

/* Numbers from @least to @end - 1. */
static gboolean
check_numbers (const AssayRelease *release, const char *name, gint64 least, gint64 end,
               GError **error)
{
  const AssayArray *array = get (release, name);
  const gsize cols = array != NULL && array->n_dimensions > 1 ? array->shape[1] : 1;
  const gsize n = array != NULL ? array->shape[0] * cols : 0;

  for (gsize i = 0; i < n; i++)
    if (assay_array_int64 (array)[i] < least || assay_array_int64 (array)[i] >= end)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: message %zu has %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT
                         " to %" G_GINT64_FORMAT,
                         name, i / cols, assay_array_int64 (array)[i], least, end - 1);
  return TRUE;
}

static gboolean
check_messages (const AssayRelease *release, const UpdateSizes *sizes, GError **error)
{
  const gint64 users = sizes->users > 0 ? (gint64) sizes->users : G_MAXINT64;

  if (get (release, "slots") != NULL
      && (get (release, "senders") == NULL || get (release, "sent-steps") == NULL))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "slots without senders or sent-steps; expected of each message who sent it, "
                       "and in which step");
  return check_numbers (release, "slots", -1, (gint64) sizes->weights, error)
         && check_numbers (release, "senders", 0, users, error)
         && check_numbers (release, "sent-steps", 0, (gint64) sizes->steps, error);
}

/* Of rows[0] or rows[1] permutations of @p weights. */
static gboolean
check_permutations (const AssayArray *array, const char *name, gsize p, const gsize rows[2],
                    GError **error)
{
  const gsize few = rows[0], many = rows[1];
  g_autofree guint8 *is_there = NULL;

  if (array == NULL)
    return TRUE;
  if (array->shape[1] != p || (array->shape[0] != few && array->shape[0] != many))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s are %zu x %zu; expected %zu, or %zu, of %zu weights", name,
                       array->shape[0], array->shape[1], few, many, p);
  for (gsize r = 0; r < array->shape[0]; r++) {
    g_free (is_there);
    is_there = assay_alloc (p, 1, "a permutation", error);
    if (is_there == NULL)
      return FALSE;
    for (gsize i = 0; i < p; i++) {
      const gint64 row = assay_array_int64 (array)[r * p + i];

      if (row < 0 || (guint64) row >= p || is_there[row])
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "%s: number %zu of row %zu is %" G_GINT64_FORMAT
                           "; expected each of 0 to %zu once",
                           name, i, r, row, p - 1);
      is_there[row] = 1;
    }
  }
  return TRUE;
}

static gboolean
check_key (const AssayRelease *release, GError **error)
{
  const AssayArray *ciphertexts = get (release, "ciphertexts"), *modulus = get (release, "modulus");
  const AssayArray *factors = get (release, "factors");

  if (ciphertexts != NULL && modulus != NULL && ciphertexts->shape[1] != 2 * modulus->shape[0])
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "ciphertexts have %zu bytes and the modulus %zu; expected twice as many of "
                       "a ciphertext",
                       ciphertexts->shape[1], modulus->shape[0]);
  if (factors != NULL && modulus != NULL
      && (factors->shape[0] != 2 || 2 * factors->shape[1] != modulus->shape[0]))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "factors are %zu x %zu; expected 2 of half the %zu bytes of the modulus",
                       factors->shape[0], factors->shape[1], modulus->shape[0]);
  return TRUE;
}

/* A ciphertext, and an exponent where there are some, of each column. */
static gboolean
check_columns (const AssayRelease *release, GError **error)
{
  const AssayArray *slots = get (release, "slots"), *ciphertexts = get (release, "ciphertexts");
  const AssayArray *exponents = get (release, "exponents");
  gsize columns = 0;

  for (gsize i = 0; slots != NULL && i < slots->shape[0] * slots->shape[1]; i++)
    columns += assay_array_int64 (slots)[i] >= 0;
  if (slots != NULL && ciphertexts != NULL && ciphertexts->shape[0] != columns)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu ciphertexts; expected %zu, as messages have columns",
                       ciphertexts->shape[0], columns);
  if (exponents != NULL && ciphertexts != NULL && exponents->shape[0] != ciphertexts->shape[0])
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu exponents; expected %zu, as there are ciphertexts", exponents->shape[0],
                       ciphertexts->shape[0]);
  return TRUE;
}

/* A modulus of another length than the ciphertexts, as many columns as there are no ciphertexts,
 * permutations of other weights, and rows, senders and steps that cannot be, are refused. */
static gboolean
check_encrypted (const AssayRelease *release, const UpdateSizes *sizes, GError **error)
{
  const gsize n = sizes->users, p = sizes->weights;

  if (get (release, "own-permutations") != NULL && n == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "own-permutations without the parameter 'users'; expected how many have "
                       "one");
  return check_messages (release, sizes, error) && check_key (release, error)
         && check_columns (release, error)
         && check_permutations (get (release, "permutations"), "permutations", p,
                                (const gsize[]){ 1, sizes->steps }, error)
         && check_permutations (get (release, "own-permutations"), "own-permutations", p,
                                (const gsize[]){ n, n * sizes->steps }, error);
}

/* ---- The kind ---- */

const char *const assay_losses[] = { "hinge", "logistic", NULL };
const char *const assay_trainers[] = { "step", "pass", "clusters", "optimum", NULL };
static const char *const keys[] = { "none", "system", "seed", NULL };

static const AssayArraySpec arrays[] = {
  { "models", "tp", ASSAY_FLOAT32, FALSE, 0 },
  { "sums", "sp", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_AGGREGATOR },
  { "locals", "lp", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_MESSAGES }, /* step by step, user by user */
  /* Encrypted updates (core/crypto/dphe.h): the row of each column of each message, -1 where it has
   * fewer columns than others; ciphertexts of its columns one after another. */
  { "slots", "mk", ASSAY_INT64, TRUE, ASSAY_GRANT_MESSAGES },
  { "senders", "m", ASSAY_INT64, TRUE, ASSAY_GRANT_MESSAGES },
  { "sent-steps", "m", ASSAY_INT64, TRUE, ASSAY_GRANT_MESSAGES },
  { "ciphertexts", "cb", ASSAY_UINT8, TRUE, ASSAY_GRANT_MESSAGES },
  { "exponents", "c", ASSAY_INT64, TRUE, ASSAY_GRANT_MESSAGES },
  { "modulus", "z", ASSAY_UINT8, TRUE, ASSAY_GRANT_MESSAGES },
  /* Updates under masks that cancel out in the sum, of 64 bits; step by step, user by user. */
  { "masked", "lp", ASSAY_INT64, TRUE, ASSAY_GRANT_MESSAGES },
  { "own-permutations", "op", ASSAY_INT64, TRUE, ASSAY_GRANT_AGGREGATOR }, /* user by user */
  { "own", "sp", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_USER }, /* what the first user sent, in clear */
  { "permutations", "qp", ASSAY_INT64, TRUE, ASSAY_GRANT_USER },
  { "factors", "xy", ASSAY_UINT8, TRUE, ASSAY_GRANT_KEY_GENERATOR },
  { "mean", "f", ASSAY_FLOAT32, TRUE, 0 },
  { "deviation", "f", ASSAY_FLOAT32, TRUE, 0 },
  { .name = NULL },
};

static const AssayArraySpec truth[] = {
  { "updates", "lp", ASSAY_FLOAT32, TRUE, 0 }, /* what users would send unprotected, as locals */
  { "users", "n", ASSAY_INT64, TRUE, 0 },      /* whose each secret is */
  { "steps", "n", ASSAY_INT64, TRUE, 0 },      /* in which it was first trained on; -1: in none */
  { .name = NULL },
};

static const AssayParam parameters[] = {
  ASSAY_PARAM_INT (AssayUpdatesParameters, users, 1, 1, 1000000, "", "How many users train"),
  ASSAY_PARAM_INT (AssayUpdatesParameters, classes, 1, 1, 1000000, "",
                   "Rows of weights, one against all others each"),
  ASSAY_PARAM_INT (AssayUpdatesParameters, batch, 0, 0, 1000000000, "samples",
                   "In one gradient step; 0: all that a user has"),
  ASSAY_PARAM_INT (AssayUpdatesParameters, local_steps, 1, 1, 1000000, "",
                   "Gradient steps, or passes, that a user makes before it sends its model"),
  ASSAY_PARAM_CHOICE (AssayUpdatesParameters, loss, 0, assay_losses, "The loss that is minimised"),
  ASSAY_PARAM_CHOICE (AssayUpdatesParameters, trainer, 0, assay_trainers,
                      "How a user trains: one gradient step, one pass of stochastic descent, or "
                      "one of k-means, whose models are centroids of clusters"),
  ASSAY_PARAM_REAL (AssayUpdatesParameters, rate, 0, 0, G_MAXDOUBLE, "", "Learning rate gamma"),
  ASSAY_PARAM_REAL (AssayUpdatesParameters, penalty, 0, 0, G_MAXDOUBLE, "",
                    "Weight lambda of the penalty"),
  ASSAY_PARAM_REAL (AssayUpdatesParameters, mix, 0, 0, 1, "", "Share rho of L1 in the penalty"),
  ASSAY_PARAM_BOOL (AssayUpdatesParameters, bias, FALSE,
                    "Whether each row ends in the weight of a column of ones"),
  ASSAY_PARAM_CHOICE (AssayUpdatesParameters, key, ASSAY_UPDATES_KEY_NONE, keys,
                      "What the key of ciphertexts was drawn from: the system's randomness; or a "
                      "seed, which decrypts all and is for tests and audits"),
  ASSAY_PARAM_BOOL (AssayUpdatesParameters, shortened, FALSE,
                    "Whether scaled rows longer than 1 were trained on as rows of length 1"),
  ASSAY_PARAM_REAL (AssayUpdatesParameters, epsilon, 0, 0, G_MAXDOUBLE, "nats",
                    "Budget that is claimed of noise that was added, for each class, and for each "
                    "step where there is noise in each"),
  ASSAY_PARAM_END
};

gsize
assay_updates_steps (const AssayRelease *release)
{
  return assay_arrays_get (&release->arrays, "models")->shape[0] - 1;
}

static gsize
count_weights (const AssayRelease *release)
{
  return assay_arrays_get (&release->arrays, "models")->shape[1];
}

gsize
assay_updates_width (const AssayRelease *release)
{
  const gint64 *classes = ASSAY_PARAMETER (release, AssayUpdatesParameters, classes);

  return count_weights (release) / (classes != NULL ? (gsize) *classes : 1);
}

static gsize
cols (const AssayRelease *release)
{
  const gint64 *classes = ASSAY_PARAMETER (release, AssayUpdatesParameters, classes);
  const bool *bias = ASSAY_PARAMETER (release, AssayUpdatesParameters, bias);
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");

  if (mean != NULL)
    return mean->shape[0];
  return classes != NULL && bias != NULL ? count_weights (release) / (gsize) *classes - *bias : 0;
}

gboolean
assay_updates_sum (const AssayRelease *release, gsize step, double *ret_sum, GError **error)
{
  const AssayArray *sums = assay_arrays_get (&release->arrays, "sums");
  const gint64 *users = ASSAY_PARAMETER (release, AssayUpdatesParameters, users);
  const AssayView rows
      = assay_array_view (sums != NULL ? sums : assay_arrays_get (&release->arrays, "models"));
  const float *row = assay_view_row (rows, sums != NULL ? step : step + 1);
  double factor;

  if (sums == NULL && users == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "of model updates neither the sums are known (grant 'aggregator') nor of "
                       "how many users a model is the mean");
  factor = sums != NULL ? 1 : (double) *users;
  for (gsize i = 0; i < rows.cols; i++)
    ret_sum[i] = factor * (double) row[i];
  return TRUE;
}

/* ---- Checks ---- */

static gboolean
check_rows (const AssayRelease *release, const char *name, gsize expected, GError **error)
{
  const AssayArray *array = assay_arrays_get (&release->arrays, name);

  if (array == NULL)
    return TRUE;
  if (array->shape[1] != count_weights (release))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s has %zu columns; expected %zu, as models have", name, array->shape[1],
                       count_weights (release));
  return array->shape[0] == expected
         || assay_fail (error, ASSAY_ERROR_MISMATCH, "%s has %zu rows; expected %zu", name,
                        array->shape[0], expected);
}

static gboolean
check_scaling (const AssayRelease *release, GError **error)
{
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");
  const AssayArray *deviation = assay_arrays_get (&release->arrays, "deviation");

  if ((mean == NULL) != (deviation == NULL))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected mean and deviation of the columns, or neither");
  for (gsize j = 0; deviation != NULL && j < deviation->shape[0]; j++)
    if (!(assay_array_view (deviation).data[j] > 0))
      return assay_fail (error, ASSAY_ERROR_DATA, "deviation %zu is %g; expected a number above 0",
                         j, (double) assay_array_view (deviation).data[j]);
  return TRUE;
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  const gint64 *users = ASSAY_PARAMETER (release, AssayUpdatesParameters, users);
  const gint64 *classes = ASSAY_PARAMETER (release, AssayUpdatesParameters, classes);
  const bool *bias = ASSAY_PARAMETER (release, AssayUpdatesParameters, bias);
  const AssayArray *locals = assay_arrays_get (&release->arrays, "locals");
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");
  const gsize weights = count_weights (release), steps = assay_updates_steps (release);
  const UpdateSizes sizes = { users != NULL ? (gsize) *users : 0, steps, weights };

  if (steps == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "models has 1 row; expected 2 or more, before and after each step");
  if (locals != NULL && users == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "locals without the parameter 'users'; expected how many users sent them");
  if (classes != NULL && weights % (gsize) *classes != 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "models of %zu weights; expected as many in each of %" G_GINT64_FORMAT
                       " classes",
                       weights, *classes);
  if (classes != NULL && bias != NULL && mean != NULL
      && mean->shape[0] + *bias != weights / (gsize) *classes)
    return assay_fail (
        error, ASSAY_ERROR_MISMATCH, "mean has %zu columns; expected %zu, as a class has weights%s",
        mean->shape[0], weights / (gsize) *classes - *bias, *bias ? " beside the bias" : "");
  return check_rows (release, "sums", steps, error) && check_rows (release, "own", steps, error)
         && check_rows (release, "locals", users != NULL ? steps * (gsize) *users : 0, error)
         && check_rows (release, "masked", users != NULL ? steps * (gsize) *users : 0, error)
         && check_scaling (release, error) && check_encrypted (release, &sizes, error);
}

/* ---- Numbers: how far the model has come ---- */

static gsize
count_numbers (const AssayRelease *release, G_GNUC_UNUSED gsize n_probes)
{
  return count_weights (release);
}

static void
numbers (const AssayRelease *release, G_GNUC_UNUSED gsize item, G_GNUC_UNUSED AssayView probes,
         float *ret_numbers)
{
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  const float *first = assay_view_row (models, 0);
  const float *last = assay_view_row (models, models.rows - 1);

  for (gsize i = 0; i < models.cols; i++)
    ret_numbers[i] = last[i] - first[i];
}

const AssayKind assay_kind_updates = {
  .arrays = arrays,
  .truth = truth,
  .parameters = parameters,
  .parameters_size = sizeof (AssayUpdatesParameters),
  .items = ASSAY_ITEM_OF_ALL_SECRETS,
  .cols = cols,
  .check = check,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
