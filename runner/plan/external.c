/* External releases and guesses of a scenario. */
#include "runner/plan/external.h"

#include <string.h>

#include "core/external/external-folder.h"
#include "runner/plan/fit.h"
#include "runner/plan/own-rows.h"

/* The name of its folder: external plugins have a setting `folder`. */
static char *
folder_of (const AssayComponent *component)
{
  const AssayParam *param = assay_param_find (component->settings->table, "folder");

  return param != NULL ? assay_settings_get (component->settings, param) : g_strdup ("");
}

/* That the folder's name has @word: otherwise one folder would stand for several cells. */
static gboolean
check_name_has (const AssayComponent *component, const char *word, gsize count, const char *things,
                GError **error)
{
  g_autofree char *folder = folder_of (component);

  return count <= 1 || strstr (folder, word) != NULL
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "'%s' is one folder for %zu %s; expected %s in its name, and a folder "
                        "for each",
                        folder, count, things, word);
}

static gboolean
check_one_dataset (const AssayPlan *plan, GError **error)
{
  return plan->datasets->len == 1
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "external releases and guesses are of one dataset, but the scenario has %u",
                        plan->datasets->len);
}

static gboolean
is_external (const AssayComponent *component)
{
  const AssayExternal *external = assay_plugin_external (component->plugin);

  return external != NULL && external->verify != NULL;
}

/* The folder of @position, and those of so many further releases. */
static gboolean
verify_folders (const AssayPlan *plan, const AssayComponent *component, AssayRunPosition position,
                gsize n_repeats, GChecksum *checksum, GError **error)
{
  const AssayExternal *external = assay_plugin_external (component->plugin);
  const AssayShape shape = assay_plan_shape (plan, &plan->probes[0]);

  for (position.repeat = 0; position.repeat <= n_repeats; position.repeat++) {
    g_autofree char *sha256
        = external->verify (component->settings->values, &position, &shape, error);

    if (sha256 == NULL)
      return FALSE;
    g_checksum_update (checksum, (const guchar *) sha256, -1);
  }
  return TRUE;
}

/* Further releases that an attack of the scenario wants of @defense, and that no attack is tuned
 * on it. */
static gboolean
check_attacks (const AssayPlan *plan, const AssayComponent *defense, gsize *ret_repeats,
               GError **error)
{
  *ret_repeats = 0;
  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks) {
    g_autofree char *why_not = assay_fit_why_not (defense, component);

    if (why_not != NULL)
      continue;
    if (component->candidates != NULL)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "attack '%s' is tuned on secrets that are set apart, of which there is no "
                         "release; expected it without tune.SETTING",
                         component->label);
    *ret_repeats = MAX (*ret_repeats, assay_component_repeats (component, component->settings));
  }
  return TRUE;
}

static gboolean
verify_releases (const AssayPlan *plan, const AssayComponent *component, GChecksum *checksum,
                 GError **error)
{
  AssayRunPosition position
      = { .folders = (const char *const *) plan->folders, .defense = component->name };
  gsize n_repeats;

  if (!check_one_dataset (plan, error)
      || !check_name_has (component, ASSAY_FOLDER_TRIAL, plan->trials, "trials", error)
      || !check_attacks (plan, component, &n_repeats, error))
    return FALSE;
  if (!assay_plan_keeps_order (plan, 0))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "external releases and guesses are of secrets in the order of their "
                       "file, but this dataset is taken in a random one; expected order = file "
                       "in [dataset]");
  for (position.trial = 0; position.trial < plan->trials; position.trial++)
    if (!verify_folders (plan, component, position, n_repeats, checksum, error))
      return FALSE;
  return TRUE;
}

static gboolean
verify_guesses (const AssayPlan *plan, const AssayComponent *component, GChecksum *checksum,
                GError **error)
{
  AssayRunPosition position = { .folders = (const char *const *) plan->folders };
  guint n_releases = 0;

  if (component->candidates != NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "an external guess has nothing to tune");
  ASSAY_FOR_EACH (const AssayComponent, defense, plan->defenses) {
    g_autofree char *why_not = assay_fit_why_not (defense, component);

    n_releases += why_not == NULL;
  }
  if (!check_one_dataset (plan, error)
      || !check_name_has (component, ASSAY_FOLDER_TRIAL, plan->trials, "trials", error)
      || !check_name_has (component, ASSAY_FOLDER_DEFENSE, n_releases, "defenses", error))
    return FALSE;
  ASSAY_FOR_EACH (const AssayComponent, defense, plan->defenses) {
    g_autofree char *why_not = assay_fit_why_not (defense, component);

    position.defense = defense->name;
    for (position.trial = 0; why_not == NULL && position.trial < plan->trials; position.trial++)
      if (!verify_folders (plan, component, position, 0, checksum, error))
        return FALSE;
  }
  return TRUE;
}

typedef gboolean (*Verify) (const AssayPlan *plan, const AssayComponent *component,
                            GChecksum *checksum, GError **error);

static gboolean
verify_all (const AssayPlan *plan, const GPtrArray *components, Verify verify, GChecksum *checksum,
            const AssayComponent **ret_component, GError **error)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components)
    if (is_external (component)) {
      *ret_component = component;
      if (!verify (plan, component, checksum, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
assay_external_verify (AssayPlan *plan, const AssayComponent **ret_component, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gboolean are_pairs;

  *ret_component = NULL;
  if (!verify_all (plan, plan->defenses, verify_releases, checksum, ret_component, error)
      || !verify_all (plan, plan->attacks, verify_guesses, checksum, ret_component, error)
      || !assay_own_rows_verify (plan, checksum, &are_pairs, ret_component, error))
    return FALSE;
  if (*ret_component != NULL)
    plan->external = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}
