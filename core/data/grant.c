/* What a scenario may let an attack know beside the release. */
#include "core/data/grant.h"

const char *const assay_grant_names[]
    = { "database",      "public",        "groups", "other-releases", "repeats", "labels",
        "hash-function", "no-parameters", "mechanism", "key",
        "aggregator",    "messages",      "user",   "key-generator",  "features", "known-edges",
        "keypoints",     "model",         NULL };

char *
assay_grants_describe (guint grants)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; assay_grant_names[i] != NULL; i++)
    if (grants & (1u << i))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", assay_grant_names[i]);
  return g_string_free (text, FALSE);
}

gboolean
assay_grant_named (const char *name, guint *ret_grant)
{
  for (guint i = 0; assay_grant_names[i] != NULL; i++)
    if (g_str_equal (assay_grant_names[i], name)) {
      *ret_grant = 1u << i;
      return TRUE;
    }
  return FALSE;
}
