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
