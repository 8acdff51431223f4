/* Whether secrets come back as well as a control of the cell's own shape asks. */
#include "core/games/control-shape.h"

#include <math.h>

#include "core/base/vectors.h"

enum { MOST_JUDGED = 256 };

/* Whether some estimate has a correlation of @above with the secret, up to the sign. */
static gboolean
is_found (AssayView estimates, const float *secret, double above)
{
  for (gsize e = 0; e < estimates.rows; e++)
    if (fabs (assay_correlation (assay_view_row (estimates, e), secret, estimates.cols)) >= above)
      return TRUE;
  return FALSE;
}

AssayControlOutcome
assay_control_shape_judge (const AssayAttack *attack, const AssayTruth *truth,
                           const AssayGuess *guess)
{
  const AssayArray *secrets = assay_arrays_get (&truth->arrays, "secrets");
  const AssayArray *estimates = assay_arrays_get (&guess->arrays, "estimates");
  AssayControlOutcome outcome = { 0 };
  gsize found = 0, judged;

  if (secrets == NULL || estimates == NULL || secrets->shape[1] != estimates->shape[1])
    return outcome;
  outcome.n = secrets->shape[0];
  judged = MIN (outcome.n, MOST_JUDGED);
  for (gsize i = 0; i < judged; i++)
    found += is_found (assay_array_view (estimates), assay_view_row (assay_array_view (secrets), i),
                       attack->control.like_above);
  outcome.share = judged > 0 ? (double) found / (double) judged : 0;
  outcome.is_won = judged > 0 && outcome.share >= attack->control.like_at_least;
  return outcome;
}
