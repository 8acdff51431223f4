/* An attack that draws numbers which all secrets share, played with several starts. */
#include "runner/run/starts.h"

#include <math.h>

#include "core/base/progress/loop.h"

gboolean
assay_start_play (const AssayStarts *starts, const AssayCell *cell, guint start,
                  AssayGuess **ret_guess, GError **error)
{
  const AssayPlan *plan = starts->plan;
  const AssayComponent *attack = assay_plan_attack (plan, cell);
  g_autofree char *role
      = start == 0 ? g_strdup ("attack") : g_strdup_printf ("attack-start-%u", start);
  g_autofree char *canonical = NULL;
  const AssaySettings *settings;
  AssayGranted granted;
  AssayJob job;
  guint candidate;

  if (!assay_run_attack_settings (plan, starts->store, cell, &settings, &candidate, error)
      || !assay_workspace_cell (starts->workspace, cell, &job, error)
      || !assay_workspace_grant (starts->workspace, cell, settings, FALSE, &granted, error))
    return FALSE;
  canonical = assay_settings_canonical (settings);
  return assay_step_attack (attack->attack, settings,
                            assay_plan_stream (plan, cell, role, canonical), &granted, ret_guess,
                            error);
}

/* Who does not say is not in doubt, and no surer than that. */
static double
sureness (const AssayGuess *guess)
{
  return isnan (guess->confidence) ? ASSAY_SURE : guess->confidence;
}

gboolean
assay_starts_play (const AssayStarts *starts, const AssayCell *cell, const AssaySettings *settings,
                   AssayStartsRecord *ret_record, AssayGuess **ret_guess, GError **error)
{
  AssayStartsRecord record = { .n = assay_plan_starts (starts->plan, cell, settings) };
  g_autoptr (AssayGuess) best = NULL;
  g_auto (AssayLoop) loop = { "start", .turns = record.n > 1 ? record.n : 0 };

  for (guint s = 0; s < record.n; s++) {
    g_autoptr (AssayGuess) guess = NULL;

    if (record.n > 1)
      assay_loop_at (&loop, s);
    if (!assay_start_play (starts, cell, s, &guess, error)
        || !starts->use (s, guess, starts->data, error))
      return FALSE;
    if (best != NULL && sureness (guess) <= sureness (best))
      continue;
    assay_guess_free (best);
    best = g_steal_pointer (&guess);
    record.chosen = s;
  }
  record.confidence = best->confidence;
  *ret_record = record;
  *ret_guess = g_steal_pointer (&best);
  return TRUE;
}
