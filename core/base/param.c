/* Parameter tables. */
#include "core/base/param.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"

#define FIELD(settings, param, type)                                                               \
  (*(type *) (gpointer) ((guint8 *) (settings)->values + (param)->offset))

AssaySettings *
assay_settings_new (const AssayParam *table, gsize size)
{
  AssaySettings *settings = g_new0 (AssaySettings, 1);

  settings->table = table;
  settings->size = size;
  settings->values = g_malloc0 (MAX (size, 1));
  ASSAY_FOR_EACH_PARAM (param, table) {
    switch (param->type) {
    case ASSAY_PARAM_TYPE_BOOL:
      FIELD (settings, param, bool) = param->number != 0;
      break;
    case ASSAY_PARAM_TYPE_INT:
      FIELD (settings, param, gint64) = (gint64) param->number;
      break;
    case ASSAY_PARAM_TYPE_REAL:
      FIELD (settings, param, double) = param->number;
      break;
    case ASSAY_PARAM_TYPE_CHOICE:
      FIELD (settings, param, guint) = (guint) param->number;
      break;
    case ASSAY_PARAM_TYPE_STRING:
      FIELD (settings, param, char *) = g_strdup (param->text);
      break;
    }
  }
  return settings;
}

AssaySettings *
assay_settings_copy (const AssaySettings *settings)
{
  AssaySettings *copy = g_new0 (AssaySettings, 1);

  copy->table = settings->table;
  copy->size = settings->size;
  copy->values = g_malloc0 (MAX (settings->size, 1));
  memcpy (copy->values, settings->values, settings->size);
  ASSAY_FOR_EACH_PARAM (param, copy->table)
    if (param->type == ASSAY_PARAM_TYPE_STRING)
      FIELD (copy, param, char *) = g_strdup (FIELD (settings, param, char *));
  return copy;
}

void
assay_settings_free (AssaySettings *settings)
{
  if (settings == NULL)
    return;
  ASSAY_FOR_EACH_PARAM (param, settings->table)
    if (param->type == ASSAY_PARAM_TYPE_STRING)
      g_free (FIELD (settings, param, char *));
  g_free (settings->values);
  g_free (settings);
}

const AssayParam *
assay_param_find (const AssayParam *table, const char *name)
{
  ASSAY_FOR_EACH_PARAM (param, table)
    if (g_str_equal (param->name, name))
      return param;
  return NULL;
}

gboolean
assay_param_exists (const AssayParam *table, const char *name)
{
  return assay_param_find (table, name) != NULL;
}

gboolean
assay_settings_is_on (const AssaySettings *settings, const char *name)
{
  const AssayParam *param = assay_param_find (settings->table, name);

  return param != NULL && param->type == ASSAY_PARAM_TYPE_BOOL && FIELD (settings, param, bool);
}

static gboolean
fail_unknown (const AssayParam *table, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  ASSAY_FOR_EACH_PARAM (param, table)
    g_ptr_array_add (names, (gpointer) param->name);
  hint = assay_names_hint (names, name);
  return assay_fail (error, ASSAY_ERROR_PARAMETER, "unknown setting '%s'%s", name, hint);
}

/* Both ends of a range as text; "" for a range that is open in practice. */
static char *
describe_range (const AssayParam *param)
{
  g_autofree char *low = assay_text_number (param->low);
  g_autofree char *high = assay_text_number (param->high);
  const char *unit = param->unit != NULL ? param->unit : "";

  return g_strdup_printf ("%s to %s%s%s", low, high, *unit != '\0' ? " " : "", unit);
}

static gboolean
set_number (AssaySettings *settings, const AssayParam *param, const char *text, GError **error)
{
  const gboolean is_int = param->type == ASSAY_PARAM_TYPE_INT;
  gint64 whole = 0;
  double value = 0;
  g_autofree char *range = describe_range (param);

  if (is_int ? !assay_text_to_int (text, &whole) : !assay_text_to_double (text, &value))
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s = '%s': expected %s, %s%s", param->name,
                       text, is_int ? "a whole number" : "a finite number", range,
                       assay_text_value_hint (text, is_int));
  if (is_int)
    value = (double) whole;
  if (value < param->low || value > param->high)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s = %s is out of range: expected %s",
                       param->name, text, range);
  if (is_int)
    FIELD (settings, param, gint64) = whole;
  else
    FIELD (settings, param, double) = value + 0.0; /* -0 and 0 are one setting */
  return TRUE;
}

static gboolean
set_choice (AssaySettings *settings, const AssayParam *param, const char *text, GError **error)
{
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;

  for (guint i = 0; param->choices[i] != NULL; i++)
    if (g_str_equal (param->choices[i], text)) {
      FIELD (settings, param, guint) = i;
      return TRUE;
    }
  hint = assay_text_did_you_mean (text, param->choices);
  all = g_strjoinv (", ", (char **) param->choices);
  return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s = '%s': expected one of %s%s", param->name,
                     text, all, *hint != '\0' ? hint : assay_text_value_hint (text, TRUE));
}

static gboolean
set_bool (AssaySettings *settings, const AssayParam *param, const char *text, GError **error)
{
  const gboolean is_yes = g_str_equal (text, "yes") || g_str_equal (text, "true");

  if (!is_yes && !g_str_equal (text, "no") && !g_str_equal (text, "false"))
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s = '%s': expected yes or no%s", param->name,
                       text, assay_text_value_hint (text, TRUE));
  FIELD (settings, param, bool) = is_yes;
  return TRUE;
}

gboolean
assay_settings_set (AssaySettings *settings, const char *name, const char *text, GError **error)
{
  const AssayParam *param = assay_param_find (settings->table, name);

  if (param == NULL)
    return fail_unknown (settings->table, name, error);
  switch (param->type) {
  case ASSAY_PARAM_TYPE_BOOL:
    return set_bool (settings, param, text, error);
  case ASSAY_PARAM_TYPE_INT:
  case ASSAY_PARAM_TYPE_REAL:
    return set_number (settings, param, text, error);
  case ASSAY_PARAM_TYPE_CHOICE:
    return set_choice (settings, param, text, error);
  case ASSAY_PARAM_TYPE_STRING:
    break;
  }
  if (*text == '\0' && param->text == NULL)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s is empty", name);
  g_free (FIELD (settings, param, char *));
  FIELD (settings, param, char *) = g_strdup (text);
  return TRUE;
}

gboolean
assay_settings_check_complete (const AssaySettings *settings, GError **error)
{
  ASSAY_FOR_EACH_PARAM (param, settings->table)
    if (param->type == ASSAY_PARAM_TYPE_STRING && FIELD (settings, param, char *) == NULL)
      return assay_fail (error, ASSAY_ERROR_PARAMETER, "'%s' is missing: %s", param->name,
                         param->help);
  return TRUE;
}

char *
assay_settings_get (const AssaySettings *settings, const AssayParam *param)
{
  switch (param->type) {
  case ASSAY_PARAM_TYPE_BOOL:
    return g_strdup (FIELD (settings, param, bool) ? "yes" : "no");
  case ASSAY_PARAM_TYPE_INT:
    return g_strdup_printf ("%" G_GINT64_FORMAT, FIELD (settings, param, gint64));
  case ASSAY_PARAM_TYPE_REAL:
    return assay_text_number (FIELD (settings, param, double));
  case ASSAY_PARAM_TYPE_CHOICE:
    return g_strdup (param->choices[FIELD (settings, param, guint)]);
  case ASSAY_PARAM_TYPE_STRING:
    break;
  }
  return g_strdup (FIELD (settings, param, char *) != NULL ? FIELD (settings, param, char *) : "");
}

static gboolean
is_default (const AssaySettings *settings, const AssayParam *param)
{
  const gint64 whole = (gint64) param->number;

  switch (param->type) {
  case ASSAY_PARAM_TYPE_BOOL:
    return FIELD (settings, param, bool) == (whole != 0);
  case ASSAY_PARAM_TYPE_INT:
    return FIELD (settings, param, gint64) == whole;
  case ASSAY_PARAM_TYPE_REAL:
    return FIELD (settings, param, double) == param->number;
  case ASSAY_PARAM_TYPE_CHOICE:
    return FIELD (settings, param, guint) == (guint) whole;
  case ASSAY_PARAM_TYPE_STRING:
    break;
  }
  return g_strcmp0 (FIELD (settings, param, char *), param->text) == 0;
}

char *
assay_settings_narrowed (const AssaySettings *settings)
{
  ASSAY_FOR_EACH_PARAM (param, settings->table) {
    g_autofree char *value = NULL;

    if (!param->tries_all || is_default (settings, param))
      continue;
    value = assay_settings_get (settings, param);
    return g_strdup_printf ("%s = %s, where %s tries all", param->name, value,
                            param->choices[(guint) param->number]);
  }
  return NULL;
}

char *
assay_settings_canonical (const AssaySettings *settings)
{
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH_PARAM (param, settings->table) {
    g_autofree char *value = assay_settings_get (settings, param);

    if (param->is_extra && is_default (settings, param))
      continue;
    g_string_append_printf (text, "%s=%s\n", param->name, value);
  }
  return g_string_free (text, FALSE);
}

char *
assay_param_describe (const AssayParam *param)
{
  g_autofree char *range = describe_range (param);
  g_autofree char *number = assay_text_number (param->number);
  g_autofree char *all = NULL;

  switch (param->type) {
  case ASSAY_PARAM_TYPE_BOOL:
    return g_strdup_printf ("yes or no, default %s", param->number != 0 ? "yes" : "no");
  case ASSAY_PARAM_TYPE_INT:
    return g_strdup_printf ("whole number, %s, default %s", range, number);
  case ASSAY_PARAM_TYPE_REAL:
    return g_strdup_printf ("number, %s, default %s", range, number);
  case ASSAY_PARAM_TYPE_CHOICE:
    all = g_strjoinv (", ", (char **) param->choices);
    return g_strdup_printf ("one of %s; default %s", all, param->choices[(guint) param->number]);
  case ASSAY_PARAM_TYPE_STRING:
    break;
  }
  if (param->text == NULL)
    return g_strdup ("text, required");
  return *param->text != '\0' ? g_strdup_printf ("text, default %s", param->text)
                              : g_strdup ("text, may be left out");
}
