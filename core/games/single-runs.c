/* Audits of programs that fail. */
#include "core/games/single-runs.h"

/* A side. With all of the runs on one input failing, and none on the other, the bound is 3.5 at
 * level 0.05; and 1.7 where each may take as long as the program has time. */
#define TRAINING 32
#define RUNS 128
#define SLOW_TRAINING 8
#define SLOW_RUNS 24

#define TRIED 2 /* runs a side, of which one has to succeed */

gboolean
assay_single_runs (const AssayOracle *oracle, guint pair, gboolean is_slow, AssayOracle *ret_single,
                   GError **error)
{
  g_autofree float *inputs = assay_oracle_inputs (oracle, pair, NULL);
  g_autofree double *outputs = g_new (double, TRIED * oracle->n_outputs);

  *ret_single = *oracle;
  ret_single->single_pair = pair;
  ret_single->single_training = is_slow ? SLOW_TRAINING : TRAINING;
  ret_single->single_runs = is_slow ? SLOW_RUNS : RUNS;
  if (inputs == NULL)
    return FALSE;
  for (guint side = 0; side < 2; side++) {
    const AssayOracleRuns source = { ret_single, inputs, ASSAY_PURPOSE_PROBE, side, pair };

    if (!assay_oracle_run_batch (&source, 0, TRIED, outputs, error))
      return FALSE;
    for (gsize i = 0; i < TRIED; i++)
      if (!assay_output_is_failed (outputs[i * oracle->n_outputs]))
        return TRUE;
  }
  return FALSE;
}
