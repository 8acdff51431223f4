/* A leak of known size, and none: the secret bit is put out flipped with probability b, beside a
 * column of noise that depends on nothing. At b = 1/4 its epsilon is ln ((1 - b) / b) = ln 3, at
 * b = 1/2 it is 0. Outputs are discrete and the density is known, so that every score can play. */
#include "attacks/mechanisms/distinguish-control.h"
#include "core/games/distinguish.h"
#include "core/stats/epsilon.h"

#include <math.h>

#define NOISE_VALUES 8
#define SILENT_LEVEL 1e-6

typedef struct {
  double flip;
  float one; /* what is put out for the bit 1 */
} Control;

static AssayBudget
budget (gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  const Control *control = settings;

  return (AssayBudget){ .epsilon = log ((1 - control->flip) / control->flip) };
}

static void
size (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols, gsize *ret_inputs,
      gsize *ret_outputs)
{
  *ret_inputs = 1;
  *ret_outputs = 2;
}

static void
pair (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols, G_GNUC_UNUSED guint index,
      G_GNUC_UNUSED AssayStream *stream, float *ret_first, float *ret_second)
{
  *ret_first = 1;
  *ret_second = 0;
}

static void
run (gconstpointer settings, G_GNUC_UNUSED gsize cols, AssayStream *stream, const float *input,
     gsize count, float *ret_outputs)
{
  const Control *control = settings;

  for (gsize i = 0; i < count; i++) {
    const gboolean is_flipped = assay_stream_uniform (stream) < control->flip;

    ret_outputs[2 * i] = is_flipped == (*input != 0) ? 0 : control->one;
    ret_outputs[2 * i + 1] = (float) assay_stream_below_u32 (stream, NOISE_VALUES);
  }
}

static void
log_ratio (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  const double epsilon = budget (settings, cols).epsilon;

  for (gsize i = 0; i < count; i++)
    ret_scores[i] = outputs[2 * i] == *pair.first ? epsilon : -epsilon;
}

static const AssayMechanism mechanism = {
  .neighbours = "any two bits",
  .budget = budget,
  .size = size,
  .n_proposed = 1,
  .pair = pair,
  .run = run,
  .log_ratio = log_ratio,
};

/* One whole game, with numbers of its own from @stream. */
static gboolean
play (const AssayAuditor *auditor, const AssayAuditContext *context, Control control,
      AssayStream *stream, AssayAudit *ret_audit, GError **error)
{
  AssayStreamKey key;
  AssayOracle oracle;
  g_autoptr (AssayEvent) event = NULL;

  for (guint i = 0; i < 2; i++)
    key.word[i] = assay_stream_u32 (stream);
  oracle = assay_oracle (&mechanism, &control, 1, key, 0);
  event = auditor->choose_event (context, &oracle, error);
  return event != NULL && assay_distinguish (&oracle, event, ret_audit, error);
}

gboolean
distinguish_control_play (const AssayAuditor *auditor, const AssayAuditContext *context, float one,
                          AssayControlOutcome *ret_outcome, GError **error)
{
  AssayStream stream = assay_stream (context->stream, 0);
  AssayAudit leak, silence;
  double share;

  if (!play (auditor, context, (Control){ 0.25, one }, &stream, &leak, error)
      || !play (auditor, context, (Control){ 0.5, one }, &stream, &silence, error))
    return FALSE;
  share = assay_epsilon_lower (&leak, 0.05) / log (3);
  *ret_outcome = (AssayControlOutcome){
    .is_won
    = share >= auditor->control.at_least && assay_epsilon_lower (&silence, SILENT_LEVEL) == 0,
    .share = share,
    .n = (gsize) leak.runs,
  };
  return TRUE;
}
