/* Releases of kind statistics: numbers of all secrets together. */
#include "core/data/kinds/statistics.h"

#include "core/base/error.h"
#include "core/data/kinds/vectors.h"

static const AssayArraySpec arrays[] = {
  { "statistics", "nd", ASSAY_FLOAT32, FALSE, 0 },
  { .name = NULL },
};

static const AssayParam parameters[] = {
  ASSAY_PARAM_CHOICE (AssayStatisticsParameters, noise, 0, assay_noises,
                      "What was added to each number"),
  ASSAY_PARAM_REAL (AssayStatisticsParameters, scale, 0, 0, G_MAXDOUBLE, "",
                    "Of the noise: its standard deviation; of laplace b, which is the deviation "
                    "divided by the root of 2"),
  ASSAY_PARAM_END
};

static gboolean
check (const AssayRelease *release, GError **error)
{
  const gsize rows = assay_arrays_get (&release->arrays, "statistics")->shape[0];

  return rows == 1
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "statistics has %zu rows; expected 1, of all secrets", rows);
}

const AssayKind assay_kind_statistics = {
  .arrays = arrays,
  .parameters = parameters,
  .parameters_size = sizeof (AssayStatisticsParameters),
  .items = ASSAY_ITEM_OF_ALL_SECRETS,
  .check = check,
};
