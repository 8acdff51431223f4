/* Mechanisms whose secrets are one number of 0 .. values - 1. */
#include "defenses/mechanisms/single-value.h"

#include "defenses/mechanisms/row-mechanism.h"

gboolean
single_value_check (gconstpointer settings, const AssayShape *shape, GError **error)
{
  const SingleValue *single = settings;

  return shape->cols <= 1
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "secrets have %zu columns; expected one, a whole number from 0 to %zu",
                        shape->cols, (gsize) single->values - 1);
}

gboolean
single_value_check_secrets (gconstpointer settings, AssayView secrets, GError **error)
{
  const SingleValue *single = settings;
  const AssayShape shape = { .cols = secrets.cols };

  return single_value_check (settings, &shape, error)
         && row_mechanism_check_whole (secrets, (gsize) single->values, error);
}

void
single_value_pair (gconstpointer settings, G_GNUC_UNUSED gsize cols, guint index,
                   AssayStream *stream, float *ret_first, float *ret_second)
{
  const SingleValue *single = settings;
  gsize chosen[2] = { 0, 1 };

  if (index > 0)
    assay_stream_choose (stream, (gsize) single->values, 2, chosen);
  *ret_first = (float) chosen[0];
  *ret_second = (float) chosen[1];
}

AssayDomain *
single_value_domain (gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  const SingleValue *single = settings;
  AssayDomain *domain = assay_domain_new (ASSAY_ADJACENCY_ANY, 1, 1);

  domain->lower[0] = 0;
  domain->upper[0] = (double) single->values - 1;
  domain->is_whole = domain->is_trusted = TRUE;
  return domain;
}
