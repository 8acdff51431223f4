/* The member "parameters" of release.json. */
#include "core/data/folders/parameters-json.h"

#include "core/base/error.h"
#include "core/base/text.h"

void
assay_parameters_write (AssayJson *json, const AssayParameters *parameters)
{
  if (parameters->known == 0)
    return;
  assay_json_write (json, "parameters {");
  json->is_compact = TRUE;
  for (guint i = 0; parameters->values->table[i].name != NULL; i++)
    if ((parameters->known >> i) & 1)
      assay_json_setting (json, parameters->values, &parameters->values->table[i]);
  assay_json_end_object (json);
  json->is_compact = FALSE;
}

/* ---- Reading ---- */

/* The value as a scenario would write it; NULL: it is of another type. */
static char *
text_of (const AssayParam *param, JsonNode *node)
{
  const GType type
      = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (param->type == ASSAY_PARAM_TYPE_BOOL && type == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "yes" : "no");
  if (param->type == ASSAY_PARAM_TYPE_CHOICE && type == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  if (type == G_TYPE_INT64
      && (param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL))
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  if (type == G_TYPE_DOUBLE && param->type == ASSAY_PARAM_TYPE_REAL)
    return assay_text_number (json_node_get_double (node));
  return NULL;
}

static const char *
type_name (const AssayParam *param)
{
  switch (param->type) {
  case ASSAY_PARAM_TYPE_BOOL:
    return "true or false";
  case ASSAY_PARAM_TYPE_INT:
    return "a whole number";
  case ASSAY_PARAM_TYPE_REAL:
    return "a number";
  default:
    return "text";
  }
}

static gboolean
fail_unknown (const char *name, const char *kind, const AssayParameters *parameters, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;

  for (guint i = 0; parameters->values != NULL && parameters->values->table[i].name != NULL; i++)
    g_ptr_array_add (names, (gpointer) parameters->values->table[i].name);
  hint = assay_names_hint (names, name);
  all = names->len > 1 ? g_strjoinv (", ", (char **) names->pdata) : g_strdup ("none");
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "release.json: parameters: unknown parameter '%s'%s; releases of kind %s have "
                     "%s",
                     name, hint, kind, all);
}

static gboolean
read_parameter (const char *name, JsonNode *node, const char *kind, AssayParameters *parameters,
                GError **error)
{
  const guint place = assay_parameter_find (parameters, name);
  const AssayParam *param;
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;

  if (place == G_MAXUINT)
    return fail_unknown (name, kind, parameters, error);
  param = &parameters->values->table[place];
  text = text_of (param, node);
  if (text == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "release.json: parameters: expected '%s' to be %s",
                       name, type_name (param));
  if (!assay_settings_set (parameters->values, name, text, &problem))
    return assay_fail (error, ASSAY_ERROR_DATA, "release.json: parameters: %s", problem->message);
  parameters->known |= G_GUINT64_CONSTANT (1) << place;
  return TRUE;
}

gboolean
assay_parameters_read (JsonObject *root, const char *kind, AssayParameters *parameters,
                       GError **error)
{
  JsonNode *node = json_object_get_member (root, "parameters");
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return assay_fail (error, ASSAY_ERROR_DATA, "release.json: expected an object 'parameters'");
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &name, &member))
    if (!read_parameter (name, member, kind, parameters, error))
      return FALSE;
  return TRUE;
}
