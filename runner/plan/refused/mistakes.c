/* All mistakes of a scenario: one after another is taken out, and the rest planned anew. */
#include "runner/plan/refused/mistakes.h"
#include "core/base/each.h"

#include <string.h>

#define MAX_ROUNDS 40

typedef struct {
  AssayScenario *scenario;
  GHashTable *touched; /* groups that lost an entry */
  GPtrArray *labels;   /* of groups that were taken out */
  gboolean is_partial; /* a dataset, defense, attack or utility lost something */
} Search;

/* What a message blames: entry NULL, the whole group. */
typedef struct {
  AssayGroup *group;
  AssayEntry *entry;
} Blamed;

/* "FILE:LINE: ..." */
static gboolean
find_blamed (const Search *search, const char *message, Blamed *ret_blamed)
{
  const char *path = search->scenario->path;
  const gsize length = strlen (path);
  guint64 line = 0;

  if (strncmp (message, path, length) != 0 || message[length] != ':'
      || (line = g_ascii_strtoull (message + length + 1, NULL, 10)) == 0)
    return FALSE;
  ASSAY_FOR_EACH (AssayGroup, group, search->scenario->groups) {
    *ret_blamed = (Blamed){ .group = group };
    if (group->line == line)
      return TRUE;
    ASSAY_FOR_EACH (AssayEntry, entry, group->entries) {
      ret_blamed->entry = entry;
      if (entry->line == line)
        return TRUE;
    }
  }
  return FALSE;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '_';
}

/* Whether @message names a group that was taken out. */
static gboolean
names_lost_group (const Search *search, const char *message)
{
  ASSAY_FOR_EACH (const char, label, search->labels) {
    const gsize length = strlen (label);

    for (const char *at = message; (at = strstr (at, label)) != NULL; at++)
      if ((at == message || !is_word (at[-1])) && !is_word (at[length]))
        return TRUE;
  }
  return FALSE;
}

static gboolean
is_judgement (const AssayGroup *group)
{
  return g_str_equal (group->kind, "claim") || g_str_equal (group->kind, "pictures");
}

/* Whether the mistake may be there only because of what was taken out. */
static gboolean
may_follow (const Search *search, const Blamed *blamed, const char *message)
{
  static const char *const selecting[]
      = { "defense", "attack", "utility", "where", "beyond", NULL };

  if (names_lost_group (search, message))
    return TRUE;
  /* Whether something is tuned depends on all keys of the group that tune, and what a measure is of
   * on the `metric` beside it. */
  if (g_hash_table_contains (search->touched, blamed->group)
      && (blamed->entry == NULL || g_str_has_prefix (blamed->entry->key, "tune")
          || g_str_equal (blamed->entry->key, "measure")))
    return TRUE;
  if (!search->is_partial)
    return FALSE;
  /* Without a setting, cells are others: claims may speak of some that are not there. Which grants
   * and secrets suffice depends on other groups, too. */
  return blamed->entry == NULL
         || (is_judgement (blamed->group) && g_strv_contains (selecting, blamed->entry->key));
}

static void
take_group (Search *search, AssayGroup *group)
{
  if (*group->label != '\0')
    g_ptr_array_add (search->labels, g_strdup (group->label));
  search->is_partial |= !is_judgement (group);
  g_hash_table_remove (search->touched, group);
  g_ptr_array_remove (search->scenario->groups, group);
}

/* FALSE: without it, nothing else could be told. */
static gboolean
take_out (Search *search, const Blamed *blamed)
{
  AssayGroup *group = blamed->group;

  if (blamed->entry != NULL && !g_str_equal (blamed->entry->key, "plugin")) {
    g_hash_table_add (search->touched, group);
    search->is_partial |= !is_judgement (group) && !g_str_equal (group->kind, "scenario");
    g_ptr_array_remove (group->entries, blamed->entry);
    return TRUE;
  }
  if (g_str_equal (group->kind, "scenario"))
    return FALSE;
  take_group (search, group);
  return TRUE;
}

void
assay_mistakes_add (AssayScenario *scenario, gboolean is_of_text, AssayPlanMaker make,
                    gconstpointer data, GError **error)
{
  Search search = { .scenario = scenario, .is_partial = is_of_text };
  g_autoptr (GString) all = NULL;
  g_autoptr (GError) next = NULL;
  Blamed blamed;

  if (error == NULL || *error == NULL)
    return;
  all = g_string_new ((*error)->message);
  search.touched = g_hash_table_new (NULL, NULL);
  search.labels = g_ptr_array_new_with_free_func (g_free);
  g_propagate_error (&next, g_error_copy (*error));
  for (guint i = 0; i < MAX_ROUNDS; i++) {
    g_autoptr (AssayPlan) plan = NULL;

    /* What is wrong with the text was left out of what could be read. */
    if ((i > 0 || !is_of_text)
        && !(find_blamed (&search, next->message, &blamed) && take_out (&search, &blamed)))
      break;
    g_clear_error (&next);
    plan = make (scenario, data, &next);
    if (plan != NULL || !find_blamed (&search, next->message, &blamed))
      break;
    if (!may_follow (&search, &blamed, next->message))
      g_string_append_printf (all, "\n%s", next->message);
  }
  g_free ((*error)->message);
  (*error)->message = g_strdup (all->str);
  g_hash_table_unref (search.touched);
  g_ptr_array_unref (search.labels);
}
