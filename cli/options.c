/* The options that change a plan. */
#include "cli/options.h"

#include "core/base/error.h"
#include "core/base/text.h"

/* @ret_value from an option that must be a number of at least @least. */
static gboolean
parse_number (const char *text, const char *option, gint64 least, gint64 most, guint64 *ret_value,
              GError **error)
{
  gint64 value;

  if (!assay_text_to_int (text, &value) || value < least || value > most)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--%s %s: expected a whole number, %" G_GINT64_FORMAT " to %"
                       G_GINT64_FORMAT,
                       option, text, least, most);
  *ret_value = (guint64) value;
  return TRUE;
}

AssayPlan *
cli_plan_new (const char *scenario, const CliPlanOptions *options, GError **error)
{
  AssayPlanOptions resolved = { .assignments = (const char *const *) options->assignments,
                                .has_seed = options->seed != NULL,
                                .has_trials = options->trials != NULL };

  if ((resolved.has_seed
       && !parse_number (options->seed, "seed", 0, G_MAXINT64, &resolved.seed, error))
      || (resolved.has_trials
          && !parse_number (options->trials, "trials", 1, 1000000, &resolved.trials, error)))
    return NULL;
  return assay_plan_new (scenario, &resolved, error);
}
