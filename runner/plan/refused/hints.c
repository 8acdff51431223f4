/* What was meant by what is refused. */
#include "runner/plan/refused/hints.h"

#include <string.h>

#include "core/base/text.h"

/* Of a program's text of settings, as in component.c. */
#define NAMED_PREFIX "set."

/* Of a group that is named by its label or its kind alone, where only one can be meant; @rest:
 * "KEY=VALUE". */
static char *
hint_group (const AssayScenario *scenario, const char *name, const char *rest)
{
  const AssayGroup *meant = NULL;
  g_autofree char *known = NULL;
  guint n = 0;

  ASSAY_FOR_EACH (const AssayGroup, group, scenario->groups) {
    /* One that has no label is there. */
    if (*group->label == '\0'
        || (!g_str_equal (group->label, name) && !g_str_equal (group->kind, name)))
      continue;
    meant = group;
    n++;
  }
  if (n != 1)
    return g_strdup ("");
  known = assay_group_name (meant);
  return g_strdup_printf (" (did you mean '%s.%s'?)", known, rest);
}

/* Of "KEY=VALUE" without a group, by the group that has the key. */
static char *
hint_key (const AssayScenario *scenario, const char *assignment)
{
  const char *equals = strchr (assignment, '=');
  g_autofree char *key = g_strstrip (g_strndup (assignment, strcspn (assignment, "=")));
  g_autofree char *own = g_strconcat (NAMED_PREFIX, key, NULL);
  g_autofree char *meant = NULL;

  ASSAY_FOR_EACH (const AssayGroup, group, scenario->groups) {
    const AssayEntry *entry = assay_group_find (group, key);
    g_autofree char *name = assay_group_name (group);

    entry = entry != NULL ? entry : assay_group_find (group, own);
    if (entry == NULL)
      continue;
    if (meant != NULL)
      return g_strdup ("");
    meant = g_strdup_printf (" (did you mean '%s.%s%s'?)", name, entry->key,
                             equals != NULL ? equals : "=VALUE");
  }
  return meant != NULL ? g_steal_pointer (&meant) : g_strdup ("");
}

gboolean
assay_hint_set (const AssayScenario *scenario, const char *assignment, GError **error)
{
  const char *dot = strchr (assignment, '.');
  const char *equals = strchr (assignment, '=');
  g_autofree char *name = NULL;
  g_autofree char *hint = NULL;
  char *message;

  if (error == NULL || *error == NULL || g_str_has_suffix ((*error)->message, ")"))
    return FALSE;
  name = g_strstrip (g_strndup (assignment, strcspn (assignment, ".")));
  hint = dot != NULL && (equals == NULL || dot < equals) ? hint_group (scenario, name, dot + 1)
                                                         : hint_key (scenario, assignment);
  message = g_strconcat ((*error)->message, hint, NULL);
  g_free ((*error)->message);
  (*error)->message = message;
  return FALSE;
}

char *
assay_hint_bound (const AssayMeasure *measure, const char *value)
{
  double percent;
  g_autofree char *share = NULL;

  if (*value == '[' || *value == '(')
    return g_strdup (" (one number: a claim with at-least and another with at-most bound a range)");
  if (!assay_text_to_double (value, &percent) || percent < 1 || percent > 100
      || !g_str_has_prefix (measure->unit, "share"))
    return g_strdup (assay_text_value_hint (value, FALSE));
  share = assay_text_number (percent / 100);
  return g_strdup_printf (" (did you mean %s, which is %s %%?)", share, value);
}

char *
assay_hint_file (const char *path)
{
  g_autofree char *complete
      = g_strconcat (path, g_str_has_suffix (path, ".scenario") ? "" : ".scenario", NULL);
  g_autofree char *below = g_build_filename ("scenarios", complete, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  if (g_file_test (complete, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&complete);
  return g_file_test (below, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&below) : NULL;
}
