/* The options that change a plan. */
#include "cli/options.h"

#include <sys/random.h>

#include "core/base/error.h"
#include "core/base/text.h"

/* ---- Seeds that nobody can guess ---- */

#define FRESH "fresh"

static char *drawn; /* NULL: nothing was */

gboolean
cli_seed_draw (guint64 *ret_seed, GError **error)
{
  guint64 word;

  if (getrandom (&word, sizeof word, 0) != sizeof word)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the system gives no random numbers for a seed; expected --seed N");
  *ret_seed = word >> 1;
  return TRUE;
}

gboolean
cli_seed_settle (char **inout_text, GError **error)
{
  guint64 seed;

  if (g_strcmp0 (*inout_text, FRESH) != 0)
    return TRUE;
  if (drawn == NULL) {
    if (!cli_seed_draw (&seed, error))
      return FALSE;
    drawn = g_strdup_printf ("%" G_GUINT64_FORMAT, seed);
  }
  g_free (*inout_text);
  *inout_text = g_strdup (drawn);
  return TRUE;
}

char *
cli_seed_word (char **words, guint i)
{
  if (drawn != NULL && g_str_equal (words[i], "--seed=" FRESH))
    return g_strconcat ("--seed=", drawn, NULL);
  if (drawn != NULL && i > 0 && g_str_equal (words[i], FRESH)
      && g_str_equal (words[i - 1], "--seed"))
    return g_strdup (drawn);
  return g_strdup (words[i]);
}

/* ---- A plan ---- */

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
