/* What a run is of: its manifest.
 *
 * One text in the store, so that it is always whole: a GVariant in its own text form, which is read
 * back with its types checked and prints doubles exactly. Paths and assignments are byte strings:
 * file names need not be UTF-8.
 */
#include "runner/store/manifest.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/network/kernels.h"
#include "core/plugin/external.h"
#include "core/plugin/registry.h"
#include "runner/plan/planner.h"

#define META_SCENARIO "scenario"
#define META_TIMES "times"
#define META_CONFINEMENT "confinement"
#define META_KERNELS "kernels"
#define META_MODULES "modules"
#define META_REMARKS "remarks"

/* AssayProbe, in the order of its fields. */
#define PROBE_TYPE "(tttttttu(tttdd)bt)"
/* Path, text, assignments, seed, trials, probes. */
#define SCENARIO_TYPE "(aysaaytta" PROBE_TYPE ")"

/* ---- Writing ---- */

static GVariant *
new_probe (const AssayProbe *probe)
{
  const AssayGeometry *shape = &probe->geometry;

  return g_variant_new (PROBE_TYPE, probe->n_secrets, probe->n_public, probe->n_database,
                        probe->n_test, probe->n_groups, probe->n_classes, probe->cols,
                        probe->holdings, shape->height, shape->width, shape->channels, shape->black,
                        shape->white, probe->is_estimate, probe->memory);
}

static char *
describe (const AssayPlan *plan)
{
  g_autoptr (GVariant) all = NULL;
  GVariantBuilder assignments, probes;

  g_variant_builder_init (&assignments, G_VARIANT_TYPE ("aay"));
  for (guint i = 0; plan->assignments != NULL && plan->assignments[i] != NULL; i++)
    g_variant_builder_add (&assignments, "^ay", plan->assignments[i]);
  g_variant_builder_init (&probes, G_VARIANT_TYPE ("a" PROBE_TYPE));
  for (guint i = 0; i < plan->datasets->len; i++)
    g_variant_builder_add_value (&probes, new_probe (&plan->probes[i]));
  all = g_variant_ref_sink (g_variant_new ("(^aysaaytta" PROBE_TYPE ")", plan->scenario, plan->text,
                                           &assignments, plan->seed, plan->trials, &probes));
  return g_variant_print (all, TRUE);
}

gboolean
assay_manifest_store (const AssayPlan *plan, AssayStore *store, GError **error)
{
  g_autofree char *text = describe (plan);
  g_autofree char *known = NULL;

  if (!assay_store_get (store, META_SCENARIO, &known, error))
    return FALSE;
  return g_strcmp0 (known, text) == 0 || assay_store_set (store, META_SCENARIO, text, error);
}

gboolean
assay_manifest_set_times (AssayStore *store, const AssayRunTimes *times, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                                           times->threads, times->started_us, times->ended_us);

  return assay_store_set (store, META_TIMES, text, error);
}

static gboolean
has_line (const char *text, const char *line)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  return g_strv_contains ((const char *const *) lines, line);
}

static void
describe_components (const GPtrArray *components, GString *text)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    const AssayExternal *external = assay_plugin_external (component->plugin);
    g_autofree char *by = NULL;
    g_autofree char *line = NULL;

    if (external == NULL || external->confinement == NULL)
      continue;
    by = external->confinement (component->settings->values);
    line = g_strdup_printf ("%s %s: %s", component->kind, component->label, by);
    if (!has_line (text->str, line))
      g_string_append_printf (text, "%s\n", line);
  }
}

gboolean
assay_manifest_add_confinement (const AssayPlan *plan, AssayStore *store, GError **error)
{
  g_autofree char *known = NULL;
  g_autoptr (GString) text = NULL;

  if (!assay_store_get (store, META_CONFINEMENT, &known, error))
    return FALSE;
  text = g_string_new (known);
  describe_components (plan->defenses, text);
  describe_components (plan->attacks, text);
  return text->len == 0 || g_strcmp0 (text->str, known) == 0
         || assay_store_set (store, META_CONFINEMENT, text->str, error);
}

gboolean
assay_manifest_set_remarks (const AssayPlan *plan, AssayStore *store, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint d = 0; d < plan->datasets->len; d++) {
    const AssayComponent *dataset = assay_plan_component (plan->datasets, d);
    const AssayProbe *probe = &plan->probes[d];
    g_autofree char *valid = g_utf8_make_valid (probe->remark, -1); /* may have been cut */
    g_autofree char *plain = assay_text_plain (valid);
    g_autofree char *line = g_strdup_printf ("dataset %s: %s\n", dataset->plugin->id, plain);

    if (*plain != '\0' && strstr (text->str, line) == NULL)
      g_string_append (text, line);
  }
  return text->len == 0 || assay_store_set (store, META_REMARKS, text->str, error);
}

gboolean
assay_manifest_add_kernels (AssayStore *store, gboolean *ret_has_others, GError **error)
{
  const char *now = assay_kernels_describe ();
  g_autofree char *known = NULL;
  g_autofree char *text = NULL;

  *ret_has_others = FALSE;
  if (!assay_store_get (store, META_KERNELS, &known, error))
    return FALSE;
  *ret_has_others = known != NULL && g_strcmp0 (known, now) != 0;
  if (known != NULL && has_line (known, now))
    return TRUE;
  text = known != NULL ? g_strconcat (known, "\n", now, NULL) : g_strdup (now);
  return assay_store_set (store, META_KERNELS, text, error);
}

gboolean
assay_manifest_add_modules (AssayStore *store, const GPtrArray *files, GError **error)
{
  g_autofree char *known = NULL;
  g_autoptr (GString) text = NULL;

  if (files->len == 0)
    return TRUE;
  if (!assay_store_get (store, META_MODULES, &known, error))
    return FALSE;
  text = g_string_new (known);
  ASSAY_FOR_EACH (const AssayPluginOrigin, file, files) {
    g_autofree char *shown = g_filename_display_name (file->path);
    g_autofree char *plain = assay_text_plain (shown);
    g_autofree char *line = g_strdup_printf ("%s %s", file->sha256, plain);

    if (!has_line (text->str, line))
      g_string_append_printf (text, "%s\n", line);
  }
  return assay_store_set (store, META_MODULES, text->str, error);
}

/* ---- Reading ---- */

/* Types t of GVariant are read as sizes. */
G_STATIC_ASSERT (sizeof (gsize) == sizeof (guint64));

static void
read_probe (GVariant *from, AssayProbe *ret_probe)
{
  AssayGeometry *shape = &ret_probe->geometry;

  g_variant_get (from, PROBE_TYPE, &ret_probe->n_secrets, &ret_probe->n_public,
                 &ret_probe->n_database, &ret_probe->n_test, &ret_probe->n_groups,
                 &ret_probe->n_classes, &ret_probe->cols, &ret_probe->holdings, &shape->height,
                 &shape->width, &shape->channels, &shape->black, &shape->white,
                 &ret_probe->is_estimate, &ret_probe->memory);
}

static AssayPlan *
plan_again (GVariant *manifest, GError **error)
{
  g_autoptr (GVariant) probes = g_variant_get_child_value (manifest, 5);
  g_autoptr (GVariant) path = g_variant_get_child_value (manifest, 0);
  g_autoptr (GVariant) given = g_variant_get_child_value (manifest, 2);
  g_autofree const char **assignments = g_variant_get_bytestring_array (given, NULL);
  const guint n = (guint) g_variant_n_children (probes);
  g_autofree AssayProbe *all = g_new0 (AssayProbe, n + 1);
  AssayPlanOptions options = {
    .assignments = assignments, .has_seed = TRUE, .has_trials = TRUE, .probes = all, .n_probes = n
  };

  g_variant_get_child (manifest, 1, "&s", &options.text);
  g_variant_get_child (manifest, 3, "t", &options.seed);
  g_variant_get_child (manifest, 4, "t", &options.trials);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GVariant) one = g_variant_get_child_value (probes, i);

    read_probe (one, &all[i]);
  }
  return assay_plan_new (g_variant_get_bytestring (path), &options, error);
}

gboolean
assay_manifest_plan (AssayStore *store, AssayPlan **ret_plan, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GVariant) manifest = NULL;

  if (!assay_store_get (store, META_SCENARIO, &text, error))
    return FALSE;
  manifest = text != NULL ? g_variant_parse (G_VARIANT_TYPE (SCENARIO_TYPE), text, NULL, NULL, NULL)
                          : NULL;
  if (manifest == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "the scenario kept in %s is damaged",
                       ASSAY_STORE_FILE);
  *ret_plan = plan_again (manifest, error);
  return *ret_plan != NULL;
}

gboolean
assay_manifest_times (AssayStore *store, AssayRunTimes *ret_times, GError **error)
{
  g_autofree char *text = NULL;
  AssayRunTimes times = { 0 };

  if (!assay_store_get (store, META_TIMES, &text, error))
    return FALSE;
  if (text != NULL
      && sscanf (text, "%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &times.threads,
                 &times.started_us, &times.ended_us)
             != 3)
    times = (AssayRunTimes){ 0 };
  *ret_times = times;
  return TRUE;
}

gboolean
assay_manifest_kernels (AssayStore *store, char **ret_text, GError **error)
{
  return assay_store_get (store, META_KERNELS, ret_text, error);
}

gboolean
assay_manifest_modules (AssayStore *store, char **ret_text, GError **error)
{
  return assay_store_get (store, META_MODULES, ret_text, error);
}

gboolean
assay_manifest_confinement (AssayStore *store, char **ret_text, GError **error)
{
  return assay_store_get (store, META_CONFINEMENT, ret_text, error);
}

gboolean
assay_manifest_remarks (AssayStore *store, char **ret_text, GError **error)
{
  return assay_store_get (store, META_REMARKS, ret_text, error);
}

/* ---- Programs ---- */

#define SHOWN 12 /* digits of a hash */

gboolean
assay_programs_of (AssayStore *store, const AssayComponent *component, guint index,
                   char **ret_lines, GError **error)
{
  const AssayExternal *external = assay_plugin_external (component->plugin);
  /* It is of one release, so that every run has another. */
  const gboolean is_guess = external != NULL && external->verify != NULL
                            && component->plugin->type == ASSAY_PLUGIN_ATTACK;
  g_autofree char *sha256 = NULL;

  *ret_lines = NULL;
  if (external == NULL || is_guess)
    return TRUE;
  if (external->verify == NULL)
    return assay_store_get_of (store, ret_lines, error, "program.%s.%u", component->kind, index);
  if (!assay_store_get (store, ASSAY_META_EXTERNAL, &sha256, error))
    return FALSE;
  if (sha256 != NULL)
    *ret_lines = g_strdup_printf ("%s its folder\n", sha256);
  return TRUE;
}

gboolean
assay_programs_keep (AssayStore *store, const AssayComponent *component, guint index,
                     const char *lines, GError **error)
{
  return assay_store_set_of (store, lines, error, "program.%s.%u", component->kind, index);
}

/* The name in a line "SHA256 PATH", and where the hash ends. */
static const char *
split (const char *line, gsize *ret_length)
{
  const char *blank = strchrnul (line, ' ');
  const char *slash = strrchr (blank, '/');

  *ret_length = (gsize) (blank - line);
  return slash != NULL ? slash + 1 : *blank != '\0' ? blank + 1 : blank;
}

char *
assay_programs_difference (const char *before, const char *after)
{
  /* Not g_strsplit, whose strstr measures all that is left for each line under AddressSanitizer. */
  g_auto (GStrv) old = g_strsplit_set (before != NULL ? before : "", "\n", -1);
  g_auto (GStrv) new = g_strsplit_set (after != NULL ? after : "", "\n", -1);

  for (guint i = 0; before != NULL && after != NULL && old[i] != NULL && new[i] != NULL; i++) {
    gsize n, m;
    const char *was = split (old[i], &n), *is = split (new[i], &m);
    g_autofree char *says = NULL;
    g_autofree char *valid = NULL;

    if (n == m && strncmp (old[i], new[i], n) == 0)
      continue;
    says = g_strdup_printf ("%s was %.*s, is %.*s (sha256)", *is != '\0' ? is : was,
                            n > 0 ? (int) MIN (n, SHOWN) : 7, n > 0 ? old[i] : "nothing",
                            m > 0 ? (int) MIN (m, SHOWN) : 7, m > 0 ? new[i] : "nothing");
    valid = g_utf8_make_valid (says, -1); /* what should be a hash may be cut within a character */
    return assay_text_plain (valid);
  }
  return NULL;
}
