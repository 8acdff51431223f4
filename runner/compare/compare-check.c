/* Whether runs can be compared at all. */
#include "runner/compare/compare-check.h"

#include "core/base/text.h"
#include "runner/plan/fit.h"
#include "runner/store/manifest.h"

static const AssayPlan *
plan_of (const GPtrArray *runs, guint i)
{
  return ((const AssaySavedRun *) runs->pdata[i])->plan;
}

static gboolean
check_finished (const AssaySavedRun *run, const char *name, GError **error)
{
  return run->is_finished
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s is an unfinished run (%" G_GSIZE_FORMAT " of %u cells are missing); "
                        "expected 'assay run %s --out %s --resume' first",
                        name, run->results->n_missing, run->plan->cells->len, run->plan->scenario,
                        run->folder);
}

static gboolean
check_same (const char *what, const char *first, const char *ours, const char *second,
            const char *theirs, GError **error)
{
  return g_str_equal (ours, theirs)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s and %s cannot be compared: %s is %s in %s and %s in %s; expected the "
                        "same",
                        first, second, what, ours, first, theirs, second);
}

static gboolean
check_number (const char *what, const char *first, guint64 ours, const char *second, guint64 theirs,
              GError **error)
{
  g_autofree char *one = g_strdup_printf ("%" G_GUINT64_FORMAT, ours);
  g_autofree char *other = g_strdup_printf ("%" G_GUINT64_FORMAT, theirs);

  return check_same (what, first, one, second, other, error);
}

/* What decides which secrets a trial takes. */
static gboolean
check_secrets (const AssayPlan *a, const char *first, const AssayPlan *b, const char *second,
               GError **error)
{
  const struct {
    const char *what;
    guint64 ours, theirs;
  } numbers[] = {
    { "seed", a->seed, b->seed },
    { "trials", a->trials, b->trials },
    { "secrets", a->secrets, b->secrets },
    { "secret_groups", a->secret_groups, b->secret_groups },
  };
  g_autofree char *ours = assay_text_number (a->confidence);
  g_autofree char *theirs = assay_text_number (b->confidence);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!check_number (numbers[i].what, first, numbers[i].ours, second, numbers[i].theirs, error))
      return FALSE;
  /* Whole groups are set apart for tuning, which leaves other secrets to the trials. */
  return check_same ("confidence", first, ours, second, theirs, error)
         && (!assay_plan_has_groups (a)
             || check_number ("tune_secrets", first, a->tune_secrets, second, b->tune_secrets,
                              error));
}

/* "photos (size=32 count=100)" */
static char *
describe (const AssayComponent *component)
{
  g_autofree char *settings = assay_settings_canonical (component->settings);

  g_strdelimit (g_strchomp (settings), "\n", ' ');
  return *settings != '\0' ? g_strdup_printf ("%s (%s)", component->plugin->id, settings)
                           : g_strdup (component->plugin->id);
}

static gboolean
is_same_component (const AssayComponent *a, const AssayComponent *b)
{
  g_autofree char *ours = assay_settings_canonical (a->settings);
  g_autofree char *theirs = assay_settings_canonical (b->settings);

  return a->plugin == b->plugin && g_str_equal (ours, theirs);
}

static gboolean
check_dataset (const GPtrArray *runs, guint other, guint index, const GPtrArray *names,
               GError **error)
{
  const AssaySavedRun *a = runs->pdata[0], *b = runs->pdata[other];
  const char *ours = assay_result_component (a->results->datasets, index)->sha256;
  const char *theirs = assay_result_component (b->results->datasets, index)->sha256;
  const AssayComponent *component = assay_plan_component (a->plan->datasets, index);
  const AssayComponent *theirs_at = assay_plan_component (b->plan->datasets, index);
  const char *first = names->pdata[0], *second = names->pdata[other];

  if (!is_same_component (component, theirs_at)) {
    g_autofree char *one = describe (component);
    g_autofree char *two = describe (theirs_at);

    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s and %s cannot be compared: their datasets differ: %s and %s", first,
                       second, one, two);
  }
  return g_strcmp0 (ours, theirs) == 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s and %s cannot be compared: their data differ: sha256 %.12s and %.12s",
                        first, second, ours != NULL ? ours : "none",
                        theirs != NULL ? theirs : "none");
}

gboolean
assay_compare_check (const GPtrArray *runs, const GPtrArray *names, GError **error)
{
  const AssayPlan *plan = plan_of (runs, 0);

  for (guint r = 0; r < runs->len; r++)
    if (!check_finished (runs->pdata[r], names->pdata[r], error))
      return FALSE;
  for (guint r = 1; r < runs->len; r++) {
    const AssayPlan *other = plan_of (runs, r);

    if (!check_number ("the number of datasets", names->pdata[0], plan->datasets->len,
                       names->pdata[r], other->datasets->len, error))
      return FALSE;
    for (guint d = 0; d < plan->datasets->len; d++)
      if (!check_dataset (runs, r, d, names, error))
        return FALSE;
    if (!check_secrets (plan, names->pdata[0], other, names->pdata[r], error))
      return FALSE;
  }
  return TRUE;
}

gint
assay_compare_find_component (const GPtrArray *other, const AssayComponent *component)
{
  for (guint i = 0; i < other->len; i++)
    if (is_same_component (assay_plan_component (other, i), component))
      return (gint) i;
  return -1;
}

/* Another setting of the same plugin, or NULL. */
static const AssayComponent *
find_plugin (const GPtrArray *components, const AssayPlugin *plugin)
{
  for (guint i = 0; i < components->len; i++)
    if (assay_plan_component (components, i)->plugin == plugin)
      return assay_plan_component (components, i);
  return NULL;
}

/* Whether the two lists have any setting of @plugin in common. */
static gboolean
shares_setting (const GPtrArray *ours, const GPtrArray *theirs, const AssayPlugin *plugin)
{
  for (guint i = 0; i < ours->len; i++)
    if (assay_plan_component (ours, i)->plugin == plugin
        && assay_compare_find_component (theirs, assay_plan_component (ours, i)) >= 0)
      return TRUE;
  return FALSE;
}

gboolean
assay_compare_is_common (const GPtrArray *runs, const GPtrArray *names,
                         const AssayComponent *component, gboolean is_utility, gint *ret_lacks,
                         GError **error)
{
  const AssayPlan *plan = plan_of (runs, 0);
  const GPtrArray *ours = is_utility ? plan->utilities : plan->metrics;

  *ret_lacks = -1;
  for (guint r = 1; r < runs->len; r++) {
    const AssayPlan *other = plan_of (runs, r);
    const GPtrArray *theirs = is_utility ? other->utilities : other->metrics;
    const AssayComponent *twin = find_plugin (theirs, component->plugin);

    if (assay_compare_find_component (theirs, component) >= 0)
      continue;
    if (twin != NULL && !shares_setting (ours, theirs, component->plugin)) {
      g_autofree char *one = describe (component);
      g_autofree char *two = describe (twin);

      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "%s and %s cannot be compared: the %s has other settings: %s and %s",
                         (const char *) names->pdata[0], (const char *) names->pdata[r],
                         is_utility ? "utility" : "metric", one, two);
    }
    *ret_lacks = (gint) r;
    return TRUE;
  }
  return TRUE;
}

gboolean
assay_compare_is_same (const AssayComponent *a, const AssayComponent *b)
{
  return is_same_component (a, b) && a->grants == b->grants
         && g_strcmp0 (a->tuned_keys, b->tuned_keys) == 0
         && g_strcmp0 (a->tune_measure, b->tune_measure) == 0;
}

/* Whether @run plays what attack @index of @other is: a program that was edited is another. */
static gboolean
plays (const AssaySavedRun *run, const AssaySavedRun *other, guint index)
{
  const AssayComponent *attack = assay_plan_component (other->plan->attacks, index);
  const char *theirs = assay_result_component (other->results->attacks, index)->programs;

  for (guint i = 0; i < run->plan->attacks->len; i++) {
    g_autofree char *difference = assay_programs_difference (
        assay_result_component (run->results->attacks, i)->programs, theirs);

    if (difference == NULL
        && assay_compare_is_same (assay_plan_component (run->plan->attacks, i), attack))
      return TRUE;
  }
  return FALSE;
}

char *
assay_compare_lacks_attack (const GPtrArray *runs, const GPtrArray *names, guint r, guint better,
                            guint s, guint worse)
{
  const AssayPlan *plan = plan_of (runs, r), *other = plan_of (runs, s);
  const AssayComponent *defense = assay_plan_component (plan->defenses, better);
  const AssayComponent *their_defense = assay_plan_component (other->defenses, worse);

  for (guint i = 0; i < other->attacks->len; i++) {
    const AssayComponent *attack = assay_plan_component (other->attacks, i);
    g_autofree char *reason = assay_fit_why_not (defense, attack);
    g_autofree char *their_reason = assay_fit_why_not (their_defense, attack);

    if (reason == NULL && their_reason == NULL && !plays (runs->pdata[r], runs->pdata[s], i))
      return g_strdup_printf ("attack %s of %s could be played against it, and was not",
                              attack->name, (const char *) names->pdata[s]);
  }
  return NULL;
}
