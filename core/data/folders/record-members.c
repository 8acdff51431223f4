/* Members of JSON records that nobody knows.
 *
 * They are refused: who writes `unit-norm`, or unit_norm outside of `geometry`, would otherwise be
 * audited on another scale, and believe that all was read. */
#include "core/data/folders/record-members.h"

#include "core/base/error.h"
#include "core/base/text.h"

/* Members that are often written one level too high. */
static const struct {
  const char *name;
  const char *object;
} inner[] = {
  { "unit_norm", "geometry" }, { "height", "geometry" },        { "width", "geometry" },
  { "channels", "geometry" },  { "black", "geometry" },         { "white", "geometry" },
  { "variant", "parameters" }, { "adversarial", "parameters" }, { "sub_databases", "parameters" },
  { "translation", "arrays" }, { "basis", "arrays" },           { "vectors", "arrays" },
  { "secrets", "arrays" },     { "estimates", "arrays" },
};

static char *
hint_of (const char *name, const char *const *known)
{
  for (guint i = 0; i < G_N_ELEMENTS (inner); i++)
    if (g_str_equal (name, inner[i].name) && g_strv_contains (known, inner[i].object))
      return g_strdup_printf (" (it belongs into '%s')", inner[i].object);
  return assay_text_did_you_mean (name, known);
}

gboolean
assay_record_check_members (JsonObject *object, const char *where, const char *const *known,
                            GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    if (!g_strv_contains (known, name)) {
      g_autofree char *hint = hint_of (name, known);
      g_autofree char *all = g_strjoinv (", ", (char **) known);

      return assay_fail (error, ASSAY_ERROR_DATA, "%s: unknown member '%s'%s; expected %s", where,
                         name, hint, all);
    }
  return TRUE;
}
