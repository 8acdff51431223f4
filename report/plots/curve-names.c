/* What varies in a scenario, and names of lines from it. */
#include "report/plots/curve-names.h"

static ASSAY_CLEAR_FUNC (AssayVaried, varied_clear, g_ptr_array_unref (self->varying))

static void
varied_unref (gpointer group)
{
  g_rc_box_release_full (group, (GDestroyNotify) varied_clear);
}

static const char *
value_of (const AssayResultComponent *component, const AssayResultSetting *setting)
{
  const char *value = assay_result_setting (component->settings, setting->name);

  return value != NULL ? value : "";
}

static gboolean
varies (const GPtrArray *components, guint first, guint end, const AssayResultSetting *setting)
{
  for (guint i = first + 1; i < end; i++)
    if (!g_str_equal (value_of (assay_result_component (components, i), setting), setting->value))
      return TRUE;
  return FALSE;
}

static AssayVaried *
varied_of_label (const GPtrArray *components, guint first)
{
  const AssayResultComponent *component = assay_result_component (components, first);
  AssayVaried *group = g_rc_box_new0 (AssayVaried);

  group->first = first;
  group->end = first + 1;
  while (group->end < components->len
         && g_strcmp0 (assay_result_component (components, group->end)->label, component->label)
                == 0)
    group->end++;
  group->varying = g_ptr_array_new ();
  for (gsize i = 0; i < component->settings->n; i++)
    if (varies (components, first, group->end, &component->settings->all[i]))
      g_ptr_array_add (group->varying, &component->settings->all[i]);
  return group;
}

GPtrArray *
assay_varied_new (const GPtrArray *components)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (varied_unref);

  for (guint i = 0; i < components->len; i++) {
    const gboolean is_more
        = i > 0 && i < ((const AssayVaried *) g_ptr_array_index (groups, i - 1))->end;

    g_ptr_array_add (groups, is_more ? g_rc_box_acquire (g_ptr_array_index (groups, i - 1))
                                     : varied_of_label (components, i));
  }
  return groups;
}

const AssayResultSetting *
assay_varied_find (const AssayVaried *group, const char *name)
{
  ASSAY_FOR_EACH (const AssayResultSetting, setting, group->varying) {
    if (setting->type == ASSAY_RESULT_NUMBER && g_str_equal (setting->name, name))
      return setting;
  }
  return NULL;
}

static guint
count_values (const AssayVaried *group, const GPtrArray *components,
              const AssayResultSetting *setting)
{
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = group->first; i < group->end; i++)
    g_hash_table_add (values,
                      (gpointer) value_of (assay_result_component (components, i), setting));
  return g_hash_table_size (values);
}

const AssayResultSetting *
assay_varied_longest (const AssayVaried *group, const GPtrArray *components)
{
  const AssayResultSetting *longest = NULL;
  guint most = 0;

  ASSAY_FOR_EACH (const AssayResultSetting, setting, group->varying) {
    const guint count
        = setting->type == ASSAY_RESULT_NUMBER ? count_values (group, components, setting) : 0;

    if (count > 0 && count >= most) {
      most = count;
      longest = setting;
    }
  }
  return longest;
}

double
assay_varied_value (const AssayResultComponent *component, const AssayResultSetting *setting)
{
  return g_ascii_strtod (value_of (component, setting), NULL);
}

char *
assay_varied_name (const AssayVaried *group, const AssayResultComponent *component,
                   const char *except)
{
  GString *name = g_string_new (component->label);

  ASSAY_FOR_EACH (const AssayResultSetting, setting, group->varying) {
    if (g_strcmp0 (setting->name, except) != 0)
      g_string_append_printf (name, "%s%s=%s", name->len > 0 ? " " : "", setting->name,
                              value_of (component, setting));
  }
  return g_string_free (name, FALSE);
}

char *
assay_curve_slug (const char *text, gsize most)
{
  GString *slug = g_string_new (NULL);

  for (; *text != '\0' && slug->len < most; text++) {
    if (g_ascii_isalnum (*text))
      g_string_append_c (slug, g_ascii_tolower (*text));
    else if (slug->len > 0 && slug->str[slug->len - 1] != '-')
      g_string_append_c (slug, '-');
  }
  while (slug->len > 0 && slug->str[slug->len - 1] == '-')
    g_string_truncate (slug, slug->len - 1);
  return g_string_free (slug, FALSE);
}
