/* A defense that is compiled out of Assay's tree: each number is rounded to a multiple of a step,
 * up or down at random so that it is right on average.
 *
 *   v_c = s (floor (x_c / s) + b_c),   b_c = 1 with probability x_c / s - floor (x_c / s), else 0
 *
 * Release: vectors v, n x d. The error of each number is below s. Nothing is claimed of it: it is
 * here to be audited, and to be copied. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/plugin/module.h"

typedef struct {
  double step;
} Rounding;

typedef struct {
  double step;
  AssayStreamKey stream;
  AssayView secrets;
  AssayMatrix *vectors;
} Work;

/* One secret. It draws from a stream of its own, so that the numbers do not depend on threads. */
static void
round_row (gsize secret, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Work *work = data;
  const float *row = assay_view_row (work->secrets, secret);
  float *vector = assay_matrix_row (work->vectors, secret);
  AssayStream stream = assay_stream (work->stream, secret);

  for (gsize c = 0; c < work->secrets.cols; c++) {
    const double steps = row[c] / work->step;
    const double below = floor (steps);

    vector[c]
        = (float) (work->step * (below + (assay_stream_uniform (&stream) < steps - below ? 1 : 0)));
  }
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const Rounding *settings = context->settings;
  Work work = { .step = settings->step, .stream = context->stream, .secrets = secrets };

  work.vectors = assay_matrix_new (secrets.rows, secrets.cols, error);
  if (work.vectors == NULL)
    return FALSE;
  assay_parallel_for (secrets.rows, round_row, &work);
  assay_arrays_take (&ret_release->arrays, "vectors", assay_array_take_matrix (work.vectors));
  return TRUE;
}

ASSAY_DEFENSE (rounding, "rounding",
  .summary = "Round each number to a multiple of a step, up or down at random",
  .reference = { "an example", "examples/plugin-c" },
  ASSAY_SETTINGS (Rounding,
    ASSAY_PARAM_REAL (Rounding, step, 1, 1e-6, 1e6, "", "Step s between numbers that come out")),
  .produces = ASSAY_RELEASE_VECTORS,
  .protect = protect);

ASSAY_MODULE (&assay_defense_rounding.plugin);
