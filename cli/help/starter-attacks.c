/* What can be played in a scenario that is being written. */
#include "cli/help/starter-attacks.h"

#include <string.h>

#include "runner/plan/planner.h"

#define GAP CLI_GAP

/* What an attack can do without, but not against every defense of the kind that it reads. */
static const struct {
  const char *attack;
  guint grants;
} also_granted[] = {
  { "code-inversion", ASSAY_GRANT_PUBLIC },
};

gboolean
cli_is_planned (const char *path, const char *text, char **ret_why_not)
{
  const AssayPlanOptions options = { .text = text };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = assay_plan_new (path, &options, &error);
  const char *const before[] = { "] ", "fits no defense of the scenario: " };
  const char *said = plan == NULL ? error->message : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (before) && said != NULL; i++) {
    const char *at = strstr (said, before[i]);

    said = at != NULL ? at + strlen (before[i]) : said;
  }
  *ret_why_not = g_strdup (said);
  return plan != NULL;
}

gboolean
cli_has_gap (const AssayParam *table)
{
  ASSAY_FOR_EACH_PARAM (param, table)
    if (param->type == ASSAY_PARAM_TYPE_STRING && param->text == NULL)
      return TRUE;
  return FALSE;
}

/* Codes come with their hash function, by which others hash their queries: who runs the defense
 * runs that one. But whether a record went into it, and what two of them have in common, is learned
 * from others. */
static gboolean
runs_hash_function (AssayReleaseKind kind, const AssayAttack *attack)
{
  return kind == ASSAY_RELEASE_CODES && attack != NULL && attack->adapts
         && attack->game != ASSAY_GAME_MEMBER && attack->game != ASSAY_GAME_CROSS;
}

/* Whether public images are in its mixtures. */
static gboolean
mixes_public (const AssayDefense *defense, const AssaySettings *settings, AssayReleaseKind kind)
{
  const guint uses = defense->uses != NULL ? defense->uses (settings->values) : ASSAY_GRANT_NONE;

  return kind == ASSAY_RELEASE_MIXTURES && (uses & ASSAY_GRANT_PUBLIC);
}

guint
cli_attack_grants (const AssayDefense *defense, const AssaySettings *settings,
                   AssayReleaseKind kind, const AssayPlugin *plugin)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  guint grants = attack != NULL ? attack->needs : ASSAY_GRANT_NONE;

  /* Of public images it looks for the seed of their choice, too. */
  if (g_str_equal (plugin->id, "weak-seed") && mixes_public (defense, settings, kind))
    grants |= ASSAY_GRANT_PUBLIC;
  for (guint i = 0; i < G_N_ELEMENTS (also_granted); i++)
    if (g_str_equal (also_granted[i].attack, plugin->id))
      grants |= also_granted[i].grants;
  if (runs_hash_function (kind, attack))
    grants |= ASSAY_GRANT_HASH_FUNCTION;
  /* Who runs the defense has rows to run it on. */
  return grants & ASSAY_GRANT_MECHANISM ? grants | ASSAY_GRANT_PUBLIC : grants;
}

/* What they read off model updates is which weights are 0. */
static const char *const read_zeros[]
    = { "permutation-intercept", "permutation-match", "single-holder",
        "support-guess",         "support-leak",      NULL };

/* Whether it looks for zeros in updates that have none at these settings. */
static gboolean
looks_for_zeros (const CliGround *ground, const AssayPlugin *plugin)
{
  const AssayParam *sparsity;

  if (ground->kind != ASSAY_RELEASE_UPDATES || !g_strv_contains (read_zeros, plugin->id))
    return FALSE;
  sparsity = assay_param_find (ground->defense->parameters, "sparsity");
  return sparsity == NULL || sparsity->number <= 0;
}

/* Whether it takes sums apart of as many samples as there are classes, or more. */
static gboolean
has_too_many_users (const CliGround *ground, const AssayPlugin *plugin)
{
  const AssayParam *users = assay_param_find (ground->defense->parameters, "users");
  const char *classes = strstr (ground->head, "\nclasses = ");
  g_autofree char *value = NULL;

  if (!g_str_equal (plugin->id, "sum-unmix") || users == NULL || classes == NULL)
    return FALSE;
  value = assay_settings_get (ground->settings, users);
  return g_ascii_strtoll (value, NULL, 10)
         >= g_ascii_strtoll (classes + strlen ("\nclasses = "), NULL, 10);
}

/* The kinds of release that an attack or an auditor reads. */
static guint
reads_of (const AssayPlugin *plugin)
{
  const AssayAttack *attack = assay_attack_of (plugin);

  return attack != NULL ? attack->reads : assay_auditor_of (plugin)->reads;
}

char *
cli_attack_group (const AssayPlugin *attack, const char *label, guint grants, const char *more)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "[attack %s]\nplugin = %s\n", label, attack->id);
  if (grants != ASSAY_GRANT_NONE) {
    const char *between = "grants = ";

    for (guint bit = 0; assay_grant_names[bit] != NULL; bit++)
      if (grants & (1u << bit)) {
        g_string_append_printf (text, "%s%s", between, assay_grant_names[bit]);
        between = "; ";
      }
    g_string_append_c (text, '\n');
  }
  g_string_append (text, more);
  return g_string_free (text, FALSE);
}

/* Whether it looks for public images in mixtures that hold none. */
static gboolean
looks_in_vain (const CliGround *ground, const AssayAttack *attack)
{
  return ground->kind == ASSAY_RELEASE_MIXTURES
         && !mixes_public (ground->defense, ground->settings, ground->kind)
         && (attack->game == ASSAY_GAME_LINK
             /* Two images of a mixture are secrets to it, and the others public. */
             || g_str_equal (attack->plugin.id, "mixture-inversion"));
}

/* Whether it looks for mixtures that share a secret where each secret is in one. */
static gboolean
has_no_pairs (const CliGround *ground, const AssayAttack *attack)
{
  const AssayDefense *defense = ground->defense;
  const AssayParam *variant = assay_param_find (defense->parameters, "variant");
  g_autofree char *value = variant != NULL ? assay_settings_get (ground->settings, variant) : NULL;
  AssayShape shape = { .n_secrets = 1000 };

  if (ground->kind != ASSAY_RELEASE_MIXTURES || attack->game != ASSAY_GAME_PAIR
      || defense->release_shape == NULL)
    return FALSE;
  defense->release_shape (ground->settings->values, &shape);
  return shape.n_released == shape.n_secrets
         && (shape.n_members == 1 || g_strcmp0 (value, "public-once") == 0);
}

/* Whether it counts entries of a dictionary where each set is drawn from all possible rows. */
static gboolean
lacks_dictionary (const CliGround *ground, const AssayPlugin *plugin)
{
  return ground->kind == ASSAY_RELEASE_VECTOR_SETS && g_str_equal (plugin->id, "majority")
         && assay_param_find (ground->defense->parameters, "dictionary") == NULL;
}

/* Why an attack that runs the defense says nothing of what was trained on generated images; NULL:
 * it can be played. */
static const char *
lacks_on_training (const CliGround *ground, const AssayAttack *attack)
{
  const guint trained = ASSAY_RELEASE_GRADIENTS | ASSAY_RELEASE_NETWORK;

  if ((ground->kind & trained) == 0 || !attack->adapts
      || strstr (ground->head, "\nplugin = shapes\n") == NULL)
    return NULL;
  if (attack->game != ASSAY_GAME_MEMBER)
    return "who runs the defense needs labels, and public images here have none";
  return ground->kind == ASSAY_RELEASE_GRADIENTS
             ? "it looks for records among what is released, and gradients are no images: it finds "
               "little where gradient-matching finds all"
             : NULL;
}

char *
cli_why_no_attack (const CliGround *ground, const AssayPlugin *plugin, guint grants,
                   const char *more)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  g_autofree char *group = cli_attack_group (plugin, plugin->id, grants, more);
  g_autofree char *text = g_strconcat (ground->head, group, NULL);
  char *why_not = NULL;

  if (cli_has_gap (plugin->parameters))
    return g_strdup ("a setting of it must be given");
  if (ground->audits_only && attack != NULL)
    return g_strdup ("what it recovers is measured relative to a secret's length, and secrets that "
                     "are 0 have none");
  if (attack != NULL && looks_in_vain (ground, attack))
    return g_strdup ("at these settings no public images are mixed in, which it looks for");
  if (attack != NULL && has_no_pairs (ground, attack))
    return g_strdup ("at these settings each secret is in a single mixture, and it looks for "
                     "pairs that share one");
  if (attack != NULL && lacks_on_training (ground, attack) != NULL)
    return g_strdup (lacks_on_training (ground, attack));
  if (lacks_dictionary (ground, plugin))
    return g_strdup ("no two releases have a member in common, and it counts in how many one is");
  if (looks_for_zeros (ground, plugin))
    return g_strdup ("at these settings no weight of an update is 0, and it looks for zeros "
                     "(sparsity)");
  if (has_too_many_users (ground, plugin))
    return g_strdup ("as many users train here as there are classes, or more, and it takes sums of "
                     "fewer apart");
  /* An external release cannot be made again. */
  if (ground->is_blind)
    return attack != NULL && attack->reads & ground->kind
                   && !(attack->needs & ASSAY_GRANT_MECHANISM)
               ? NULL
               : g_strdup ("it does not fit before " GAP " is replaced");
  cli_is_planned (ground->path, text, &why_not);
  return why_not;
}

gboolean
cli_reads_release (const CliGround *ground, const AssayPlugin *attack)
{
  return (reads_of (attack) & ground->kind) != 0;
}
