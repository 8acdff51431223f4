/* What an audit saw of mutants of its own defenses. */
#include "runner/judge/mutants.h"

#include "config.h"
#include "core/base/error.h"
#include "core/base/json-file.h"
#include "runner/store/manifest.h"

static char *
data_of (const AssayResults *results)
{
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH (const AssayResultComponent, dataset, results->datasets) {
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "",
                            dataset->sha256 != NULL ? dataset->sha256 : "none");
  }
  return g_string_free (text, FALSE);
}

static AssayResultMutants *
new_empty (void)
{
  AssayResultMutants *mutants = g_new0 (AssayResultMutants, 1);

  mutants->all = g_array_new (FALSE, FALSE, sizeof (AssayResultMutant));
  g_array_set_clear_func (mutants->all, assay_result_mutant_clear);
  return mutants;
}

AssayResultMutants *
assay_mutants_new (const AssayResults *results)
{
  AssayResultMutants *mutants = new_empty ();

  mutants->plan_sha256 = g_strdup (results->plan_sha256);
  mutants->claims_sha256 = g_strdup (results->claims_sha256);
  mutants->data_sha256 = data_of (results);
  mutants->version = g_strdup (ASSAY_THIS_VERSION);
  return mutants;
}

void
assay_mutants_add (AssayResultMutants *mutants, AssayResultMutant mutant)
{
  const gboolean is_seen
      = mutant.verdict == ASSAY_MUTANT_SEEN || mutant.verdict == ASSAY_MUTANT_STOPPED;

  mutants->n_seen += is_seen;
  mutants->n_counted += is_seen || mutant.verdict == ASSAY_MUTANT_MISSED;
  g_array_append_val (mutants->all, mutant);
}

/* ---- Reading ---- */

/* The string @name of @object, copied; NULL: there is none. */
static char *
text_of (JsonObject *object, const char *name)
{
  return g_strdup (assay_json_text (object, name, NULL));
}

static gboolean
read_one (JsonNode *node, AssayResultMutants *mutants)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *verdict = object != NULL ? assay_json_text (object, "verdict", NULL) : NULL;
  AssayResultMutant one = { 0 };

  while (one.verdict <= ASSAY_MUTANT_FAILED
         && g_strcmp0 (verdict, assay_mutant_verdict_name (one.verdict)) != 0)
    one.verdict++;
  if (one.verdict > ASSAY_MUTANT_FAILED)
    return FALSE;
  one.family = text_of (object, "family");
  one.id = text_of (object, "id");
  one.says = text_of (object, "says");
  one.seen_by = text_of (object, "seen_by");
  one.claim = text_of (object, "claim");
  one.reason = text_of (object, "reason");
  assay_mutants_add (mutants, one);
  return one.family != NULL && one.id != NULL && one.says != NULL && one.seen_by != NULL
         && one.reason != NULL;
}

static gboolean
read_all (JsonObject *root, AssayResultMutants *mutants)
{
  JsonNode *node = json_object_get_member (root, "mutants");
  JsonArray *all = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (all == NULL || g_strcmp0 (assay_json_text (root, "format", NULL), ASSAY_MUTANTS_FORMAT) != 0)
    return FALSE;
  for (guint i = 0; i < json_array_get_length (all); i++)
    if (!read_one (json_array_get_element (all, i), mutants))
      return FALSE;
  return TRUE;
}

gboolean
assay_mutants_read (const AssayResults *results, const char *path, AssayResultMutants **ret_mutants,
                    GError **error)
{
  g_autofree char *data = data_of (results);
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (AssayResultMutants) mutants = NULL;
  JsonObject *root;

  *ret_mutants = NULL;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  parser = assay_json_load (path, &root, error);
  if (parser == NULL)
    return FALSE;
  mutants = new_empty ();
  mutants->plan_sha256 = text_of (root, "plan_sha256");
  mutants->claims_sha256 = text_of (root, "claims_sha256");
  mutants->data_sha256 = text_of (root, "data_sha256");
  mutants->version = text_of (root, "version");
  mutants->note = text_of (root, "note");
  if (!read_all (root, mutants))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: is damaged; expected what 'assay selftest --mutants' writes", path);
  mutants->is_stale = g_strcmp0 (mutants->plan_sha256, results->plan_sha256) != 0
                      || g_strcmp0 (mutants->claims_sha256, results->claims_sha256) != 0
                      || g_strcmp0 (mutants->data_sha256, data) != 0
                      || g_strcmp0 (mutants->version, ASSAY_THIS_VERSION) != 0;
  *ret_mutants = g_steal_pointer (&mutants);
  return TRUE;
}

gboolean
assay_mutants_load (AssayResults *results, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_MUTANTS_FILE, NULL);
  AssayResultMutants *mutants;

  if (!assay_mutants_read (results, path, &mutants, error))
    return FALSE;
  if (mutants != NULL) {
    assay_result_mutants_free (results->mutants);
    results->mutants = mutants;
  }
  return TRUE;
}

const AssayResultMutant *
assay_mutants_find (const AssayResultMutants *mutants, const char *family, const char *id)
{
  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all) {
    if (g_str_equal (one->family, family) && g_str_equal (one->id, id))
      return one->verdict != ASSAY_MUTANT_FAILED ? one : NULL;
  }
  return NULL;
}
