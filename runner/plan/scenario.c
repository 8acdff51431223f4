/* A scenario as text. */
#include "runner/plan/scenario.h"

#include <string.h>

#include "core/base/file-map.h"
#include "core/base/text.h"

/* A scenario is written by people; anything larger is another kind of file. */
#define MAX_BYTES (1024 * 1024)
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* The kinds of group, and whether they carry a label. */
static const char *const kinds[]
    = { "scenario", "dataset", "defense",  "attack", "utility",
        "metric",   "claim",   "pictures", NULL };
#define FIRST_LABELLED 2

static ASSAY_FREE_FUNC (AssayEntry, entry_free, g_free (self->key), g_free (self->value))

static ASSAY_FREE_FUNC (AssayGroup, group_free, g_free (self->kind), g_free (self->label),
                        g_ptr_array_unref (self->entries))

ASSAY_FREE_FUNC (AssayScenario, assay_scenario_free, g_free (self->path), g_free (self->text),
                 g_free (self->sha256), g_ptr_array_unref (self->groups))

AssayGroup *
assay_scenario_find (const AssayScenario *scenario, const char *kind, const char *label)
{
  ASSAY_FOR_EACH (AssayGroup, group, scenario->groups) {
    if (g_str_equal (group->kind, kind) && g_str_equal (group->label, label))
      return group;
  }
  return NULL;
}

AssayEntry *
assay_group_find (const AssayGroup *group, const char *key)
{
  ASSAY_FOR_EACH (AssayEntry, entry, group->entries) {
    if (g_str_equal (entry->key, key))
      return entry;
  }
  return NULL;
}

char *
assay_group_name (const AssayGroup *group)
{
  return *group->label != '\0' ? g_strdup_printf ("%s %s", group->kind, group->label)
                               : g_strdup (group->kind);
}

gboolean
assay_group_blame (const AssayGroup *group, const AssayEntry *entry, GError **error)
{
  g_autofree char *name = assay_group_name (group);

  /* Unknown settings name the key themselves; the group says where to look. */
  if (entry != NULL && entry->line == 0)
    g_prefix_error (error, "--set %s.%s: ", name, entry->key);
  else
    g_prefix_error (error, "%s:%u: [%s] ", group->scenario->path,
                    entry != NULL ? entry->line : group->line, name);
  return FALSE;
}

/* Group labels become file names and parts of messages: letters, digits, - and _ only. */
static gboolean
is_word (const char *text, const char *also)
{
  if (*text == '\0')
    return FALSE;
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && strchr (also, *text) == NULL)
      return FALSE;
  return TRUE;
}

/* A group of a scenario: one of @kinds, with a label where it carries one. */
static gboolean
check_group (const char *name, const char *kind, const char *label, GError **error)
{
  guint known = 0;

  while (kinds[known] != NULL && !g_str_equal (kinds[known], kind))
    known++;
  if (kinds[known] == NULL) {
    g_autofree char *hint = assay_text_did_you_mean (kind, kinds);
    g_autofree char *all = g_strjoinv (", ", (char **) kinds);

    return assay_fail (error, ASSAY_ERROR_SCENARIO, "unknown group [%s]%s; expected %s", name,
                       hint, all);
  }
  if (known < FIRST_LABELLED && *label != '\0')
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "group [%s]: expected [%s] without a name",
                       name, kind);
  if (known >= FIRST_LABELLED && !is_word (label, "-_"))
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "group [%s]: expected [%s NAME], NAME of letters, digits, - and _", name,
                       kind);
  return TRUE;
}

static gboolean
parse_group (AssayScenario *scenario, AssayGroupCheck check, char *line, guint number,
             AssayGroup **ret_group, GError **error)
{
  char *end = strchr (line, ']');
  g_auto (GStrv) words = NULL;
  const char *name, *kind, *label;
  const AssayGroup *before;
  AssayGroup *group;

  if (end == NULL || end[1] != '\0')
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "'%s': expected a group as [NAME]", line);
  *end = '\0';
  name = g_strstrip (line + 1);
  words = g_strsplit_set (name, " \t", 2);
  kind = words[0] != NULL ? words[0] : "";
  label = words[0] != NULL && words[1] != NULL ? g_strstrip (words[1]) : "";
  if (!check (name, kind, label, error))
    return FALSE;
  before = assay_scenario_find (scenario, kind, label);
  if (before != NULL) {
    g_autofree char *known = assay_group_name (before);

    return assay_fail (error, ASSAY_ERROR_SCENARIO, "group [%s] is already on line %u", known,
                       before->line);
  }
  group = g_new (AssayGroup, 1);
  *group = (AssayGroup){ scenario, g_strdup (kind), g_strdup (label), number,
                         g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free) };
  g_ptr_array_add (scenario->groups, group);
  *ret_group = group;
  return TRUE;
}

static void
add_entry (AssayGroup *group, const char *key, const char *value, guint line)
{
  AssayEntry *entry = g_new (AssayEntry, 1);

  *entry = (AssayEntry){ g_strdup (key), g_strdup (value), line };
  g_ptr_array_add (group->entries, entry);
}

static gboolean
parse_entry (AssayGroup *group, char *line, guint number, GError **error)
{
  char *equals = strchr (line, '=');
  const AssayEntry *before;
  char *key, *value;

  if (equals == NULL)
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "'%s': expected KEY = VALUE or [GROUP]", line);
  if (group == NULL)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "'%s': expected a group as [NAME] before the first key", line);
  *equals = '\0';
  key = g_strstrip (line);
  value = g_strstrip (equals + 1);
  if (!is_word (key, "-_."))
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "key '%s': expected letters, digits, -, _ and dots", key);
  before = assay_group_find (group, key);
  if (before != NULL)
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "key '%s' is already on line %u", key,
                       before->line);
  add_entry (group, key, value, number);
  return TRUE;
}

/* Wrong lines are left out, as are keys of wrong groups; the message has a line for each. */
static gboolean
parse_text (AssayScenario *scenario, AssayGroupCheck check, const char *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) mistakes = g_string_new (NULL);
  AssayGroup *group = NULL;
  gboolean is_lost = FALSE; /* the group */

  for (guint i = 0; lines[i] != NULL; i++) {
    char *line = g_strstrip (lines[i]);
    g_autoptr (GError) mistake = NULL;

    if (*line == '[')
      is_lost = !parse_group (scenario, check, line, i + 1, &group, &mistake);
    else if (*line != '\0' && *line != '#' && !is_lost)
      is_lost = !parse_entry (group, line, i + 1, &mistake) && group == NULL;
    if (mistake != NULL)
      g_string_append_printf (mistakes, "%s%s:%u: %s", mistakes->len > 0 ? "\n" : "",
                              scenario->path, i + 1, mistake->message);
  }
  return mistakes->len == 0 || assay_fail (error, ASSAY_ERROR_SCENARIO, "%s", mistakes->str);
}

static gboolean
check_text (const char *path, const char *text, gsize length, GError **error)
{
  if (length > MAX_BYTES)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "%s: %zu bytes are too many (1 MiB at most)", path, length);
  if (memchr (text, '\0', length) != NULL || !g_utf8_validate_len (text, length, NULL))
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "%s: expected UTF-8 text", path);
  return TRUE;
}

/* What can be read, with @error where that is not all. */
static AssayScenario *
parse_what_can_be (const char *path, const char *text, AssayGroupCheck check, GError **error)
{
  AssayScenario *scenario = g_new0 (AssayScenario, 1);

  scenario->path = g_strdup (path);
  scenario->text = g_strdup (text);
  scenario->sha256 = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  scenario->groups = g_ptr_array_new_with_free_func ((GDestroyNotify) group_free);
  parse_text (scenario, check, text + (g_str_has_prefix (text, BYTE_ORDER_MARK) ? 3 : 0), error);
  return scenario;
}

AssayScenario *
assay_key_file_parse (const char *path, const char *text, AssayGroupCheck check, GError **error)
{
  GError *mistakes = NULL;
  AssayScenario *scenario = parse_what_can_be (path, text, check, &mistakes);

  if (mistakes == NULL)
    return scenario;
  g_propagate_error (error, mistakes);
  assay_scenario_free (scenario);
  return NULL;
}

/* @scenario, if it has groups. */
static AssayScenario *
refuse_empty (AssayScenario *scenario, GError **error)
{
  if (scenario == NULL || scenario->groups->len > 0)
    return scenario;
  assay_error_set (error, ASSAY_ERROR_SCENARIO,
                   "%s: has no groups; expected [dataset], [defense NAME] and [attack NAME]",
                   scenario->path);
  assay_scenario_free (scenario);
  return NULL;
}

AssayScenario *
assay_scenario_parse (const char *path, const char *text, GError **error)
{
  return refuse_empty (assay_key_file_parse (path, text, check_group, error), error);
}

static char *
load_text (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (path, error);
  const char *content;
  gsize length = 0;

  if (bytes == NULL)
    return NULL;
  content = g_bytes_get_data (bytes, &length);
  if (content == NULL) /* an empty file */
    content = "";
  return check_text (path, content, length, error) ? g_strndup (content, length) : NULL;
}

AssayScenario *
assay_key_file_load (const char *path, AssayGroupCheck check, GError **error)
{
  g_autofree char *text = load_text (path, error);

  return text != NULL ? assay_key_file_parse (path, text, check, error) : NULL;
}

AssayScenario *
assay_scenario_salvage (const char *path)
{
  g_autofree char *text = load_text (path, NULL);
  g_autoptr (GError) mistakes = NULL;

  return text != NULL ? parse_what_can_be (path, text, check_group, &mistakes) : NULL;
}

AssayScenario *
assay_scenario_load (const char *path, GError **error)
{
  return refuse_empty (assay_key_file_load (path, check_group, error), error);
}

static AssayGroup *
find_by_name (const AssayScenario *scenario, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *hint = NULL;

  ASSAY_FOR_EACH (AssayGroup, group, scenario->groups) {
    char *known = assay_group_name (group);

    g_ptr_array_add (names, known);
    if (g_str_equal (known, name))
      return group;
  }
  hint = assay_names_hint (names, name);
  return assay_fail_null (error, ASSAY_ERROR_SCENARIO, "the scenario has no group [%s]%s", name,
                          hint);
}

gboolean
assay_scenario_set (AssayScenario *scenario, const char *assignment, GError **error)
{
  const char *equals = strchr (assignment, '=');
  const char *dot = strchr (assignment, '.');
  g_autofree char *name = NULL;
  g_autofree char *key = NULL;
  g_autofree char *value = NULL;
  AssayGroup *group;
  AssayEntry *entry;

  if (equals == NULL || dot == NULL || dot > equals)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "--set '%s': expected \"GROUP.KEY=VALUE\", such as "
                       "\"defense lifting.dimension=4;8\"",
                       assignment);
  name = g_strstrip (g_strndup (assignment, (gsize) (dot - assignment)));
  key = g_strstrip (g_strndup (dot + 1, (gsize) (equals - dot - 1)));
  value = g_strstrip (g_strdup (equals + 1));
  if (!is_word (key, "-_."))
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "--set '%s': '%s' is not a key", assignment,
                       key);
  group = find_by_name (scenario, name, error);
  if (group == NULL)
    return assay_prefix (error, "--set '%s': ", assignment);
  entry = assay_group_find (group, key);
  if (entry == NULL) {
    add_entry (group, key, value, 0);
    return TRUE;
  }
  /* In its old place, because the order of keys is the order of the sweep. */
  g_free (entry->value);
  entry->value = g_steal_pointer (&value);
  entry->line = 0;
  return TRUE;
}

/* Undoes GLib's escapes; `\;` has been dealt with by the caller. */
static char *
unescape (const char *text, GError **error)
{
  GString *plain = g_string_new (NULL);

  for (const char *c = text; *c != '\0'; c++) {
    static const char codes[] = "sntr\\;";
    static const char means[] = " \n\t\r\\;";
    const char *code;

    if (*c != '\\') {
      g_string_append_c (plain, *c);
      continue;
    }
    c++;
    code = *c != '\0' ? strchr (codes, *c) : NULL;
    if (code == NULL) {
      g_string_free (plain, TRUE);
      return assay_fail_null (error, ASSAY_ERROR_SCENARIO,
                              "'%s': expected one of \\s \\n \\t \\r \\\\ \\; after a backslash",
                              text);
    }
    g_string_append_c (plain, means[code - codes]);
  }
  return g_string_free (plain, FALSE);
}

char *
assay_entry_text (const AssayEntry *entry, GError **error)
{
  if (*entry->value == '\0')
    return assay_fail_null (error, ASSAY_ERROR_SCENARIO, "%s: the value is empty", entry->key);
  return unescape (entry->value, error);
}

/* Adds the item from @start to @end to @items. */
static gboolean
add_item (GPtrArray *items, const char *key, const char *start, const char *end, GError **error)
{
  g_autofree char *raw = g_strstrip (g_strndup (start, (gsize) (end - start)));
  char *plain;

  if (*raw == '\0')
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "%s: a value is empty", key);
  plain = unescape (raw, error);
  if (plain == NULL)
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    if (g_str_equal (items->pdata[i], plain)) {
      assay_fail (error, ASSAY_ERROR_SCENARIO, "%s: the value '%s' appears twice in the list", key,
                  plain);
      g_free (plain);
      return FALSE;
    }
  g_ptr_array_add (items, plain);
  return TRUE;
}

char **
assay_entry_list (const AssayEntry *entry, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  const char *start = entry->value;
  const char *c;

  for (c = entry->value; *c != '\0'; c++) {
    if (*c == '\\' && c[1] != '\0') {
      c++;
    } else if (*c == ';') {
      if (!add_item (items, entry->key, start, c, error))
        return NULL;
      start = c + 1;
    }
  }
  /* As in GLib, a list may end with its separator. */
  if (!(items->len > 0 && start[strspn (start, " \t")] == '\0')
      && !add_item (items, entry->key, start, c, error))
    return NULL;
  g_ptr_array_add (items, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&items), FALSE);
}

/* ---- Keys that are not a plugin's settings ---- */

gboolean
assay_group_check_keys (const AssayGroup *group, const char *const *keys, GError **error)
{
  ASSAY_FOR_EACH (const AssayEntry, entry, group->entries) {
    g_autofree char *hint = NULL;

    if (g_strv_contains (keys, entry->key))
      continue;
    hint = assay_text_did_you_mean (entry->key, keys);
    return assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO, "unknown key '%s'%s",
                             entry->key, hint);
  }
  return TRUE;
}

gboolean
assay_group_text (const AssayGroup *group, const char *key, char **ret_text, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, key);

  *ret_text = entry != NULL ? assay_entry_text (entry, error) : NULL;
  return entry == NULL || *ret_text != NULL || assay_group_blame (group, entry, error);
}

gboolean
assay_group_integer (const AssayGroup *group, const char *key, gint64 low, gint64 high,
                     gint64 *inout_value, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, key);
  gint64 value;

  if (entry == NULL)
    return TRUE;
  if (!assay_text_to_int (entry->value, &value) || value < low || value > high)
    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "%s = '%s': expected a whole number, %" G_GINT64_FORMAT
                             " to %" G_GINT64_FORMAT "%s",
                             key, entry->value, low, high,
                             assay_text_value_hint (entry->value, TRUE));
  *inout_value = value;
  return TRUE;
}

gboolean
assay_group_confidence (const AssayGroup *group, double *inout_value, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "confidence");
  double value;

  if (entry == NULL)
    return TRUE;
  if (!assay_text_to_double (entry->value, &value) || value < 0.5 || value > 0.999999)
    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "confidence = '%s': expected a number, 0.5 to 0.999999%s",
                             entry->value, assay_text_value_hint (entry->value, FALSE));
  *inout_value = value;
  return TRUE;
}
