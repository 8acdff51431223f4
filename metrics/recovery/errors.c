/* What the metrics of reconstruction share. */
#include "metrics/recovery/errors.h"

#include "core/base/vectors.h"

#include <math.h>

gboolean
metric_pair (const AssayTruth *truth, const AssayGuess *guess, AssayView *ret_secrets,
             AssayView *ret_estimates, GError **error)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));

  if (secrets.rows != estimates.rows || secrets.cols != estimates.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates are %zu x %zu, but the secrets are %zu x %zu", estimates.rows,
                       estimates.cols, secrets.rows, secrets.cols);
  *ret_secrets = secrets;
  *ret_estimates = estimates;
  return TRUE;
}

double *
metric_relative_errors (const AssayTruth *truth, const AssayGuess *guess, gsize *ret_n,
                        GError **error)
{
  AssayView secrets, estimates;
  g_autofree double *errors = NULL;

  if (!metric_pair (truth, guess, &secrets, &estimates, error))
    return NULL;
  errors = assay_alloc (secrets.rows, sizeof (double), "relative errors", error);
  for (gsize i = 0; errors != NULL && i < secrets.rows; i++) {
    const float *secret = assay_view_row (secrets, i), *estimate = assay_view_row (estimates, i);
    const double length = assay_squared_norm (secret, secrets.cols);

    if (length == 0)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "secret %zu is all zeros: it has no relative error", i);
    errors[i] = sqrt (assay_squared_distance (estimate, secret, secrets.cols) / length);
  }
  if (errors != NULL)
    *ret_n = secrets.rows;
  return g_steal_pointer (&errors);
}

double
metric_group_of (const AssayTruth *truth, gint64 secret)
{
  const AssayArray *groups = assay_arrays_get (&truth->arrays, "groups");

  if (groups == NULL || secret < 0 || (guint64) secret >= groups->shape[0])
    return -1;
  return (double) assay_array_int64 (groups)[secret];
}

#define FNV_START G_GUINT64_CONSTANT (14695981039346656037)

/* FNV-1a. */
static guint64
hash_bytes (guint64 hash, const guint8 *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (1099511628211);
  return hash;
}

double
metric_number_of_secret (const AssayTruth *truth, gint64 secret)
{
  const AssayArray *secrets = assay_arrays_get (&truth->arrays, "secrets");
  const double group = metric_group_of (truth, secret);
  gsize size;

  if (group >= 0 || secret < 0 || secrets == NULL || (guint64) secret >= secrets->shape[0])
    return group;
  size = assay_array_count (secrets) / secrets->shape[0] * assay_type_size (secrets->type);
  return (double) (hash_bytes (FNV_START, secrets->data + (gsize) secret * size, size) >> 12);
}

double
metric_number_of_sum (const AssayRelease *release, gsize step)
{
  guint64 hash = FNV_START ^ step;
  AssayView models;

  if (release == NULL)
    return (double) step;
  models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  if (step + 1 >= models.rows) /* of another release */
    return (double) step;
  /* All models up to it, as sums of sparse updates may all end at 0. */
  hash = hash_bytes (hash, (const guint8 *) models.data, (step + 2) * models.cols * sizeof (float));
  return (double) (hash >> 12); /* which a double holds */
}

gboolean
metric_take_ratio (const double *right, const double *all, gsize n, double *ret_outcomes)
{
  double sum_right = 0, sum = 0;

  for (gsize j = 0; j < n; j++) {
    sum_right += right[j];
    sum += all[j];
  }
  for (gsize j = 0; j < n && sum > 0; j++)
    ret_outcomes[j] = sum_right / sum + (right[j] - sum_right / sum * all[j]) * (double) n / sum;
  return sum > 0;
}

void
metric_leave_out (AssayOutcomes *outcomes, guint first, guint end, const char *reason, ...)
{
  for (guint s = first; s < end; s++) {
    va_list values;

    va_start (values, reason);
    g_clear_pointer (&outcomes->series[s], g_free);
    outcomes->omitted[s] = g_strdup_vprintf (reason, values);
    va_end (values);
  }
}
