/* What an earlier run has in common with this one. */
#include "runner/compare/twins.h"

#include "core/base/text.h"
#include "core/data/grant.h"
#include "runner/compare/compare-check.h"
#include "runner/store/manifest.h"

static guint
twin_at (const GArray *twins, guint index)
{
  return g_array_index (twins, guint, index);
}

static void
say (GPtrArray *list, const char *what, const AssayComponent *component, const char *rest)
{
  const char *label = *component->label != '\0' ? component->label : component->plugin->id;
  const char *name = component->name != NULL && *component->name != '\0' ? component->name : label;

  g_ptr_array_add (list, g_strdup_printf ("%s %s%s", what, name, rest));
}

/* ---- Differences in words ---- */

static void
append_difference (GString *text, const char *name, const char *before, const char *after)
{
  g_string_append_printf (text, "%s%s was %s, is %s", text->len > 0 ? "; " : "", name,
                          before != NULL && *before != '\0' ? before : "nothing",
                          after != NULL && *after != '\0' ? after : "nothing");
}

/* "share was 0.9, is 0.5", or of plugins "plugin was none, is rounding". */
static char *
difference_of (const AssayComponent *before, const AssayComponent *after)
{
  GString *text = g_string_new (NULL);

  if (before->plugin != after->plugin) {
    append_difference (text, "plugin", before->plugin->id, after->plugin->id);
    return g_string_free (text, FALSE);
  }
  ASSAY_FOR_EACH_PARAM (param, after->settings->table) {
    g_autofree char *was = assay_settings_get (before->settings, param);
    g_autofree char *is = assay_settings_get (after->settings, param);

    if (g_strcmp0 (was, is) != 0)
      append_difference (text, param->name, was, is);
  }
  if (before->grants != after->grants) {
    g_autofree char *was = assay_grants_describe (before->grants);
    g_autofree char *is = assay_grants_describe (after->grants);

    append_difference (text, "what it knows", was, is);
  }
  if (g_strcmp0 (before->tuned_keys, after->tuned_keys) != 0)
    append_difference (text, "what is tuned", before->tuned_keys, after->tuned_keys);
  if (g_strcmp0 (before->tune_measure, after->tune_measure) != 0)
    append_difference (text, "what it is tuned by", before->tune_measure, after->tune_measure);
  return g_string_free (text, FALSE);
}

/* ---- Matching ---- */

typedef struct {
  AssayTwins *twins;
  const char *what; /* "attack" */
  const GPtrArray *now, *then;
  GArray *found;      /* guint, of each of now */
  gboolean *is_taken; /* each of then */
} Match;

static void
take (Match *match, guint i, guint j)
{
  g_array_index (match->found, guint, i) = j;
  match->is_taken[j] = TRUE;
}

/* The first that is the same and not taken, of the same label where there is one. */
static void
match_same (Match *match)
{
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < match->now->len; i++)
      for (guint j = 0; j < match->then->len; j++) {
        const AssayComponent *a = assay_plan_component (match->now, i);
        const AssayComponent *b = assay_plan_component (match->then, j);

        if (twin_at (match->found, i) == ASSAY_NO_COMPONENT && !match->is_taken[j]
            && (pass == 1 || g_str_equal (a->label, b->label)) && assay_compare_is_same (a, b))
          take (match, i, j);
      }
}

/* The one that has @label (NULL: whatever it has); ASSAY_NO_COMPONENT: none, or several. */
static guint
find_only (const GPtrArray *components, const char *label)
{
  guint found = ASSAY_NO_COMPONENT, n = 0;

  for (guint i = 0; i < components->len; i++)
    if (label == NULL || g_str_equal (assay_plan_component (components, i)->label, label)) {
      found = i;
      n++;
    }
  return n == 1 ? found : ASSAY_NO_COMPONENT;
}

static void
match_changed (Match *match, guint i, const char *label)
{
  const guint own = find_only (match->now, label), j = find_only (match->then, label);
  const AssayComponent *after = assay_plan_component (match->now, i), *before;
  g_autofree char *difference = NULL;
  g_autofree char *rest = NULL;

  if (twin_at (match->found, i) != ASSAY_NO_COMPONENT || own != i || j == ASSAY_NO_COMPONENT
      || match->is_taken[j])
    return;
  before = assay_plan_component (match->then, j);
  take (match, i, j);
  difference = difference_of (before, after);
  rest = g_str_equal (before->label, after->label)
             ? g_strdup_printf (": %s", difference)
             : g_strdup_printf (": was called %s%s%s", before->label,
                                *difference != '\0' ? "; " : "", difference);
  say (match->twins->changes, match->what, after, rest);
}

/* What has no twin, on both sides. One of the same label that was changed is named once. */
static void
say_lone (const Match *match)
{
  const gboolean is_metric = g_str_equal (match->what, "metric");
  guint n_lost = 0;

  for (guint j = 0; j < match->then->len; j++)
    n_lost += !match->is_taken[j];
  *(is_metric ? &match->twins->n_lost_metrics : &match->twins->n_lost) += n_lost;
  for (guint i = 0; i < match->now->len; i++) {
    const AssayComponent *after = assay_plan_component (match->now, i);
    const guint j = find_only (match->then, after->label);
    g_autofree char *difference = NULL;
    g_autofree char *rest = NULL;

    if (twin_at (match->found, i) != ASSAY_NO_COMPONENT)
      continue;
    if (j != ASSAY_NO_COMPONENT && !match->is_taken[j]
        && find_only (match->now, after->label) == i) {
      match->is_taken[j] = TRUE;
      difference = difference_of (assay_plan_component (match->then, j), after);
      rest = g_strdup_printf (": %s", difference);
    } else {
      rest = g_strdup (" is new");
    }
    say (match->twins->left_out, match->what, after, rest);
  }
  for (guint j = 0; j < match->then->len; j++)
    if (!match->is_taken[j])
      say (match->twins->left_out, match->what, assay_plan_component (match->then, j),
           " is in the baseline alone");
}

static GArray *
match_all (AssayTwins *twins, const char *what, const GPtrArray *now, const GPtrArray *then)
{
  const guint none = ASSAY_NO_COMPONENT;
  g_autofree gboolean *is_taken = g_new0 (gboolean, then->len + 1);
  Match match = { twins, what, now, then, g_array_new (FALSE, FALSE, sizeof (guint)), is_taken };

  for (guint i = 0; i < now->len; i++)
    g_array_append_val (match.found, none);
  match_same (&match);
  /* Whether a dataset's data are the same is seen when they are opened. */
  if (g_str_equal (what, "defense") || g_str_equal (what, "dataset")) {
    for (guint i = 0; i < now->len; i++)
      match_changed (&match, i, assay_plan_component (now, i)->label);
    for (guint i = 0; i < now->len; i++)
      match_changed (&match, i, NULL);
  }
  say_lone (&match);
  return match.found;
}

/* ---- Secrets ---- */

static void
compare_number (GString *text, const char *name, guint64 before, guint64 after)
{
  g_autofree char *was = g_strdup_printf ("%" G_GUINT64_FORMAT, before);
  g_autofree char *is = g_strdup_printf ("%" G_GUINT64_FORMAT, after);

  if (before != after)
    append_difference (text, name, was, is);
}

/* What was asked of the earlier run, and is not of this one: by less of it a change for the worse
 * goes unseen. */
static void
compare_effort (AssayTwins *twins)
{
  const AssayPlan *now = twins->now, *then = twins->then;
  g_autoptr (GString) text = g_string_new (NULL);

  if (now->secrets < then->secrets)
    compare_number (text, "secrets", then->secrets, now->secrets);
  if (now->secret_groups < then->secret_groups)
    compare_number (text, "secret_groups", then->secret_groups, now->secret_groups);
  if (now->trials < then->trials)
    compare_number (text, "trials", then->trials, now->trials);
  if (now->starts < then->starts)
    compare_number (text, "starts", then->starts, now->starts);
  if (now->tune_secrets < then->tune_secrets)
    compare_number (text, "tune_secrets", then->tune_secrets, now->tune_secrets);
  if (now->confidence > then->confidence) {
    g_autofree char *was = assay_text_number (then->confidence);
    g_autofree char *is = assay_text_number (now->confidence);

    append_difference (text, "confidence", was, is);
  }
  if (text->len > 0)
    twins->less = g_strdup (text->str);
}

/* Whole groups are set apart for tuning, which leaves other secrets to the trials. */
static void
compare_draws (AssayTwins *twins)
{
  const AssayPlan *now = twins->now, *then = twins->then;
  GString *text = g_string_new (NULL);

  compare_number (text, "seed", then->seed, now->seed);
  compare_number (text, "secrets", then->secrets, now->secrets);
  compare_number (text, "secret_groups", then->secret_groups, now->secret_groups);
  if (assay_plan_has_groups (now))
    compare_number (text, "tune_secrets", then->tune_secrets, now->tune_secrets);
  if (!g_str_equal (assay_plan_order (then), assay_plan_order (now)))
    append_difference (text, "order", assay_plan_order (then), assay_plan_order (now));
  twins->is_paired = text->len == 0;
  twins->trials = MIN (now->trials, then->trials);
  if (!twins->is_paired)
    g_ptr_array_add (twins->changes,
                     g_strdup_printf ("%s: the secrets are others, so that two samples are "
                                      "compared, which shows less than the same secrets would",
                                      text->str));
  else if (now->trials != then->trials)
    g_ptr_array_add (twins->changes,
                     g_strdup_printf ("trials was %zu, is %zu: the first %" G_GUINT64_FORMAT
                                      " of them are compared",
                                      then->trials, now->trials, twins->trials));
  g_string_free (text, TRUE);
}

AssayTwins *
assay_twins_new (const AssayPlan *now, const AssayPlan *then)
{
  AssayTwins *twins = g_new0 (AssayTwins, 1);

  twins->now = now;
  twins->then = then;
  twins->changes = g_ptr_array_new_with_free_func (g_free);
  twins->left_out = g_ptr_array_new_with_free_func (g_free);
  compare_draws (twins);
  compare_effort (twins);
  twins->datasets = match_all (twins, "dataset", now->datasets, then->datasets);
  twins->defenses = match_all (twins, "defense", now->defenses, then->defenses);
  twins->attacks = match_all (twins, "attack", now->attacks, then->attacks);
  twins->utilities = match_all (twins, "utility", now->utilities, then->utilities);
  twins->metrics = match_all (twins, "metric", now->metrics, then->metrics);
  return twins;
}

ASSAY_FREE_FUNC (AssayTwins, assay_twins_free, g_array_unref (self->datasets),
                 g_array_unref (self->defenses), g_array_unref (self->attacks),
                 g_array_unref (self->utilities), g_array_unref (self->metrics),
                 g_ptr_array_unref (self->changes), g_ptr_array_unref (self->left_out),
                 g_free (self->less))

void
assay_twins_part_data (AssayTwins *twins, guint index, const char *before, const char *after)
{
  g_autofree char *rest
      = g_strdup_printf (": its data are others (sha256 %.12s, here %.12s)",
                         before != NULL ? before : "none", after != NULL ? after : "none");

  g_array_index (twins->datasets, guint, index) = ASSAY_NO_COMPONENT;
  twins->n_lost++;
  say (twins->left_out, "dataset", assay_plan_component (twins->now->datasets, index), rest);
}

/* ---- Programs ---- */

static gboolean
name_programs (AssayTwins *twins, const GPtrArray *now, const GPtrArray *then,
               const GArray *found, AssayStore *const stores[2], GError **error)
{
  for (guint i = 0; i < now->len; i++) {
    const AssayComponent *component = assay_plan_component (now, i);
    const guint j = twin_at (found, i);
    g_autofree char *is = NULL;
    g_autofree char *was = NULL;
    g_autofree char *difference = NULL;
    g_autofree char *rest = NULL;

    if (j == ASSAY_NO_COMPONENT)
      continue;
    if (!assay_programs_of (stores[0], component, i, &is, error)
        || !assay_programs_of (stores[1], assay_plan_component (then, j), j, &was, error))
      return FALSE;
    difference = assay_programs_difference (was, is);
    rest = g_strconcat (": ", difference, NULL);
    if (difference != NULL)
      say (twins->changes, component->kind, component, rest);
  }
  return TRUE;
}

gboolean
assay_twins_name_programs (AssayTwins *twins, AssayStore *now, AssayStore *then, GError **error)
{
  AssayStore *const stores[] = { now, then };

  return name_programs (twins, twins->now->defenses, twins->then->defenses,
                        twins->defenses, stores, error)
         && name_programs (twins, twins->now->attacks, twins->then->attacks,
                           twins->attacks, stores, error);
}

/* ---- Cells ---- */

/* The twin of component @index, which may be none. */
static guint
twin_of (const GArray *twins, guint index)
{
  return index == ASSAY_NO_COMPONENT ? index : twin_at (twins, index);
}

gboolean
assay_twins_cell (const AssayTwins *twins, gsize index, gsize *ret_then)
{
  const AssayCell *cell = assay_plan_cell (twins->now, index);
  const AssayCell wanted = { .dataset = twin_at (twins->datasets, cell->dataset),
                             .defense = twin_at (twins->defenses, cell->defense),
                             .attack = twin_of (twins->attacks, cell->attack),
                             .utility = twin_of (twins->utilities, cell->utility) };

  if (wanted.attack == ASSAY_NO_COMPONENT && wanted.utility == ASSAY_NO_COMPONENT)
    return FALSE;
  for (gsize i = 0; i < twins->then->cells->len; i++) {
    const AssayCell *other = assay_plan_cell (twins->then, i);

    if (other->trial == 0 && other->dataset == wanted.dataset && other->defense == wanted.defense
        && other->attack == wanted.attack && other->utility == wanted.utility) {
      *ret_then = i;
      return TRUE;
    }
  }
  return FALSE;
}

guint
assay_twins_measuring (const AssayTwins *twins, gsize index, guint metric)
{
  return assay_plan_cell (twins->now, index)->utility != ASSAY_NO_COMPONENT
             ? metric
             : twin_at (twins->metrics, metric);
}

static gboolean
has_any (const AssayTwins *twins)
{
  for (gsize i = 0; i < twins->now->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (twins->now, i);
    gsize then;

    if (cell->trial != 0 || !assay_twins_cell (twins, i, &then))
      continue;
    for (guint m = 0; m < assay_plan_n_measuring (twins->now, cell); m++)
      if (assay_twins_measuring (twins, i, m) != ASSAY_NO_COMPONENT)
        return TRUE;
  }
  return FALSE;
}

gboolean
assay_twins_check_any (const AssayTwins *twins, const char *name, GError **error)
{
  g_autofree char **lines = g_new0 (char *, twins->left_out->len + 1);
  g_autofree char *why = NULL;

  if (has_any (twins))
    return TRUE;
  for (guint i = 0; i < twins->left_out->len; i++)
    lines[i] = twins->left_out->pdata[i];
  why = g_strjoinv ("; ", lines);
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "nothing can be compared with baseline %s: %s",
                     name, why);
}
