/* What varies in a scenario, and names of lines from it. */
#include "report/plots/curve-names.h"

#include <string.h>

static void
varied_clear (gpointer data)
{
  g_ptr_array_unref (((AssayVaried *) data)->varying);
}

static void
varied_unref (gpointer group)
{
  g_rc_box_release_full (group, varied_clear);
}

static gboolean
varies (const GPtrArray *parts, guint first, guint end, const AssayParam *param)
{
  g_autofree char *value = assay_settings_get (assay_plan_part (parts, first)->settings, param);

  for (guint i = first + 1; i < end; i++) {
    g_autofree char *other = assay_settings_get (assay_plan_part (parts, i)->settings, param);

    if (g_strcmp0 (other, value) != 0)
      return TRUE;
  }
  return FALSE;
}

static AssayVaried *
varied_of_label (const GPtrArray *parts, guint first)
{
  const AssayPart *part = assay_plan_part (parts, first);
  AssayVaried *group = g_rc_box_new0 (AssayVaried);

  group->first = first;
  group->end = first + 1;
  while (group->end < parts->len
         && g_strcmp0 (assay_plan_part (parts, group->end)->label, part->label) == 0)
    group->end++;
  group->varying = g_ptr_array_new ();
  for (const AssayParam *param = part->settings->table; param != NULL && param->name != NULL;
       param++)
    if (varies (parts, first, group->end, param))
      g_ptr_array_add (group->varying, (gpointer) param);
  return group;
}

GPtrArray *
assay_varied_new (const GPtrArray *parts)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (varied_unref);

  for (guint i = 0; i < parts->len; i++) {
    const gboolean is_more
        = i > 0 && i < ((const AssayVaried *) g_ptr_array_index (groups, i - 1))->end;

    g_ptr_array_add (groups, is_more ? g_rc_box_acquire (g_ptr_array_index (groups, i - 1))
                                     : varied_of_label (parts, i));
  }
  return groups;
}

gboolean
assay_varied_is_number (const AssayParam *param)
{
  return param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL;
}

const AssayParam *
assay_varied_find (const AssayVaried *group, const char *name)
{
  for (guint i = 0; i < group->varying->len; i++) {
    const AssayParam *param = group->varying->pdata[i];

    if (assay_varied_is_number (param) && g_str_equal (param->name, name))
      return param;
  }
  return NULL;
}

static guint
count_values (const AssayVaried *group, const GPtrArray *parts, const AssayParam *param)
{
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = group->first; i < group->end; i++)
    g_hash_table_add (values, assay_settings_get (assay_plan_part (parts, i)->settings, param));
  return g_hash_table_size (values);
}

const AssayParam *
assay_varied_longest (const AssayVaried *group, const GPtrArray *parts)
{
  const AssayParam *longest = NULL;
  guint most = 0;

  for (guint i = 0; i < group->varying->len; i++) {
    const AssayParam *param = group->varying->pdata[i];
    const guint count = assay_varied_is_number (param) ? count_values (group, parts, param) : 0;

    if (count > 0 && count >= most) {
      most = count;
      longest = param;
    }
  }
  return longest;
}

double
assay_varied_value (const AssayPart *part, const AssayParam *param)
{
  g_autofree char *text = assay_settings_get (part->settings, param);

  return g_ascii_strtod (text, NULL);
}

char *
assay_varied_name (const AssayVaried *group, const AssayPart *part, const char *except)
{
  GString *name = g_string_new (part->label);

  for (guint i = 0; i < group->varying->len; i++) {
    const AssayParam *param = group->varying->pdata[i];
    g_autofree char *value = NULL;

    if (g_strcmp0 (param->name, except) == 0)
      continue;
    value = assay_settings_get (part->settings, param);
    g_string_append_printf (name, "%s%s=%s", name->len > 0 ? " " : "", param->name, value);
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
