/* A scenario to begin with. */
#include "cli/help/starter.h"

#include "cli/help/starter-attacks.h"
#include "cli/help/starter-claims.h"
#include "cli/help/starter-homes.h"
#include "cli/help/starter-programs.h"
#include "core/base/each.h"
#include "core/plugin/registry.h"

#define GAP CLI_GAP

typedef struct {
  const AssayDefense *defense;
  const CliProgram *programs; /* NULL: it is no program */
  const char *const *given;   /* "SETTING=VALUE"; NULL: none */
  AssaySettings *settings;    /* its defaults, with FILL_IN in the gaps, and what was given */
  AssayReleaseKind kind;      /* of its release at these settings */
  const CliBase *base;
  const CliHome *home; /* NULL: the base was found by what can be played on it */
  char *head;          /* [scenario], [dataset] and [defense]: what attacks are tried with */
  gboolean has_gaps;
  gboolean is_blind; /* nothing can be planned before the gaps are filled */
} Starter;

static char *
utility_group (const AssayUtility *utility)
{
  return g_strdup_printf ("[utility %s]\nplugin = %s\n", utility->id, utility->id);
}

static CliGround
ground_of (const Starter *starter)
{
  return (CliGround){ .defense = starter->defense,
                      .settings = starter->settings,
                      .kind = starter->kind,
                      .path = "starter",
                      .head = starter->head,
                      .audits_only = starter->base->audits_only,
                      .is_blind = starter->is_blind };
}

/* Who trains classifiers finds no clusters. */
static gboolean
reads_other_models (const Starter *starter, const AssayUtility *utility)
{
  const AssayParam *trainer = assay_param_find (starter->defense->parameters, "trainer");
  g_autofree char *value = trainer != NULL ? assay_settings_get (starter->settings, trainer) : NULL;

  return g_str_equal (utility->id, "clustering-agreement") && g_strcmp0 (value, "clusters") != 0;
}

static gboolean
is_useful (const Starter *starter, const AssayUtility *utility)
{
  g_autofree char *group = utility_group (utility);
  g_autofree char *text = g_strconcat (starter->head, group, NULL);
  g_autofree char *why_not = NULL;

  /* Test rows stay as they are, and cannot be compared with a release in another space. */
  if (starter->home != NULL && starter->home->is_in_another_space)
    return FALSE;
  return !starter->is_blind && !starter->base->audits_only && !reads_other_models (starter, utility)
         && cli_is_planned ("starter", text, &why_not);
}

/* Who compares rows with a release in another space compares what the defense makes of them. */
static guint
grants_of (const Starter *starter, const AssayPlugin *plugin)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const guint grants
      = cli_attack_grants (starter->defense, starter->settings, starter->kind, plugin);

  return starter->home != NULL && starter->home->is_in_another_space && attack != NULL
                 && attack->wants_pairs && (grants & ASSAY_GRANT_PUBLIC)
             ? grants | ASSAY_GRANT_MECHANISM
             : grants;
}

/* NULL, or why the attack is not played. */
static char *
why_not (const Starter *starter, const CliGround *ground, const AssayPlugin *attack)
{
  const CliHome *home = starter->home;

  return home != NULL && home->without != NULL && g_str_equal (home->without, attack->id)
             ? g_strdup (home->without_because)
             : cli_why_no_attack (ground, attack, grants_of (starter, attack), "");
}

static gboolean
has_any_attack (const Starter *starter)
{
  const CliGround ground = ground_of (starter);
  g_autoptr (GPtrArray) attacks = assay_registry_offers (ASSAY_PLUGIN_ATTACK);

  ASSAY_FOR_EACH (const AssayPlugin, attack, attacks) {
    g_autofree char *reason = why_not (starter, &ground, attack);

    if (reason == NULL)
      return TRUE;
  }
  return FALSE;
}

/* ---- Which data ---- */

static guint
trials_of (const Starter *starter)
{
  return starter->home != NULL && starter->home->trials > 0 ? starter->home->trials
                                                            : starter->base->trials;
}

/* What claims allow. */
static const char *const *
bounds_of (const Starter *starter)
{
  return starter->home != NULL && starter->home->bounds[0] != NULL ? starter->home->bounds
                                                                   : starter->base->bounds;
}

static const char *
data_of (const Starter *starter)
{
  return starter->home != NULL && starter->home->data != NULL ? starter->home->data
                                                              : starter->base->group;
}

static void
set_base (Starter *starter, const CliBase *base)
{
  g_autoptr (GString) text = g_string_new (NULL);

  starter->base = base;

  g_string_append_printf (text, "[scenario]\ntrials = %u\n[dataset]\n%s", trials_of (starter),
                          data_of (starter));
  cli_append_defense (text, starter->defense, starter->settings);
  g_free (starter->head);
  starter->head = g_string_free (g_steal_pointer (&text), FALSE);
}

/* Which settings are not at their defaults, and why; "": all are. */
static char *
but_which (const Starter *starter)
{
  const CliHome *home = starter->home;
  const gboolean is_changed = home != NULL && home->changed[0] != NULL;
  const char *changed = !is_changed ? ""
                        : home->because != NULL
                            ? home->because
                            : "those that cost most: attackers who learn run the defense "
                              "dozens of times";

  return g_strconcat (changed, is_changed && starter->given != NULL ? "; and " : "",
                      starter->given != NULL ? "those that '--set' gave" : "", NULL);
}

/* Sets what --set gave. */
static gboolean
set_given (const Starter *starter, GError **error)
{
  for (guint i = 0; starter->given != NULL && starter->given[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (starter->given[i], "=", 2);

    if (pair[0] == NULL || pair[1] == NULL)
      return assay_fail (error, ASSAY_ERROR_PARAMETER, "--set '%s': expected SETTING=VALUE",
                         starter->given[i]);
    if (!assay_settings_set (starter->settings, pair[0], pair[1], error)) {
      g_prefix_error (error, "--set: ");
      return FALSE;
    }
  }
  return TRUE;
}

/* Sets what the defense's home wants other than the defaults. */
static gboolean
set_changed (AssaySettings *settings, const CliHome *home, GError **error)
{
  for (guint i = 0; home != NULL && home->changed[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (home->changed[i], "=", 2);

    if (!assay_settings_set (settings, pair[0], pair[1], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
choose_base (Starter *starter, GError **error)
{
  const char *id = starter->defense->id;

  starter->home = cli_home_find (id);
  if (starter->home != NULL) {
    if (!set_changed (starter->settings, starter->home, error) || !set_given (starter, error))
      return FALSE;
    set_base (starter, &cli_bases[starter->home->base]);
    return TRUE;
  }
  for (guint i = 0; i < CLI_N_BASES; i++)
    if (cli_bases[i].kinds & starter->kind) {
      set_base (starter, &cli_bases[i]);
      if (has_any_attack (starter))
        return TRUE;
    }
  if (starter->has_gaps) {
    starter->is_blind = TRUE;
    set_base (starter, &cli_bases[CLI_BASE_FOLDER]);
    return TRUE;
  }
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "defense '%s' releases %s, and no attack on that can be played on generated "
                     "data; expected a scenario written by hand (docs/scenarios.md)",
                     id, assay_release_kind_name (starter->kind));
}

/* ---- The scenario ---- */

static void
append_head (GString *text, const Starter *starter)
{
  g_autofree char *but = but_which (starter);

  cli_append_comment (
      text,
      "A first audit of the defense '%s', written by 'assay init' as a beginning: data, "
      "attacks and claims are there to be changed.",
      starter->defense->id);
  g_string_append (text, "#\n"
                         "#   assay check FILE    is anything wrong with it?\n"
                         "#   assay plan FILE     what would it run, and what would that take?\n"
                         "#   assay run FILE      run it\n"
                         "#\n");
  cli_append_comment (
      text,
      "Settings stand at their defaults%s%s. A list, as in 'key = 1; 2; 4', runs every "
      "value. What can stand where: docs/scenarios.md; what a plugin does: 'assay "
      "describe NAME'.",
      *but != '\0' ? ", but " : "", but);
  g_string_append_printf (text,
                          "[scenario]\n"
                          "title = A first audit of %s\n"
                          "seed = 1\n",
                          starter->defense->id);
  cli_append_comment (text,
                      "Repetitions, each with other secrets: more of them narrow the intervals. "
                      "Data of your own need trials x secrets private rows, or fewer trials.");
  g_string_append_printf (text, "trials = %u\n\n", trials_of (starter));
  cli_append_comment (text, "%s", starter->base->about);
  if (starter->base->own != NULL)
    cli_append_comment (text, "%s", starter->base->own);
  g_string_append_printf (text, "[dataset]\n%s\n", data_of (starter));
}

/* Whether something here reads vectors: then it can show what it gets without the defense. */
static gboolean
wants_comparison (const Starter *starter, const GPtrArray *attacks, const GPtrArray *utilities)
{
  gboolean is_read = FALSE;

  ASSAY_FOR_EACH (const AssayPlugin, plugin, attacks) {
    const AssayAttack *attack = assay_attack_of (plugin);

    is_read |= attack != NULL && (attack->reads & ASSAY_RELEASE_VECTORS);
  }
  for (guint i = 0; i < utilities->len; i++)
    is_read |= (((const AssayUtility *) utilities->pdata[i])->reads & ASSAY_RELEASE_VECTORS) != 0;
  return is_read && !g_str_equal (starter->defense->id, "none");
}

/* What a defense protects less with, which claims leave out: attacks that have nothing to attack
 * where nothing is protected show there that they can win. */
static void
append_weaker (GString *text, const Starter *starter)
{
  static const char only[] = "A claim is upheld only where its attacks win against something.";
  const char *revealing = starter->base->revealing;

  if (starter->home != NULL && starter->home->weaker != NULL) {
    g_string_append_c (text, '\n');
    cli_append_comment (text, "For comparison: settings that protect less. %s", only);
    g_string_append_printf (text, "[defense weaker]\nplugin = %s\n%s", starter->defense->id,
                            starter->home->weaker);
  }
  if (revealing != NULL && !g_str_equal (starter->defense->id, revealing)) {
    g_string_append_c (text, '\n');
    cli_append_comment (text, "For comparison: what hides nothing. %s", only);
    g_string_append_printf (text, "[defense revealing]\nplugin = %s\n", revealing);
  }
}

static void
append_attack (GString *text, const Starter *starter, const AssayPlugin *attack)
{
  const gboolean is_audit = attack->type == ASSAY_PLUGIN_AUDITOR;
  const char *more = is_audit && starter->home != NULL ? starter->home->audit : NULL;
  const guint grants = grants_of (starter, attack);
  g_autofree char *group = cli_attack_group (attack, attack->id, grants, more != NULL ? more : "");
  g_autofree char *needs = assay_grants_describe (grants);

  g_string_append_c (text, '\n');
  cli_append_comment (text, "%s.", attack->summary);
  if (is_audit)
    cli_append_comment (text, "It runs the mechanism on inputs of its own choice.");
  else
    cli_append_comment (text, "The attacker knows the release%s%s.",
                        *needs != '\0' ? " and: " : " alone", needs);
  g_string_append (text, group);
}

static void
append_own_attack (GString *text)
{
  g_string_append_c (text, '\n');
  cli_append_comment (text, "An attack of your own. It must win where the release is what it was "
                            "made for and everything is given away, or what it finds little of is "
                            "no evidence: docs/audit-your-own.md.");
  g_string_append (text, "[attack mine]\nplugin = exec\ncommand = python3 my_attack.py\n"
                         "grants = public; other-releases\n");
}

/* Attacks that read such releases and are not here, with the reason. */
static void
append_left_out (GString *text, const Starter *starter, GPtrArray *ret_attacks)
{
  const CliGround ground = ground_of (starter);
  g_autoptr (GPtrArray) attacks = assay_registry_offers (ASSAY_PLUGIN_ATTACK);
  gboolean is_first = TRUE;

  ASSAY_FOR_EACH (const AssayPlugin, attack, attacks) {
    g_autofree char *reason = why_not (starter, &ground, attack);

    if (reason == NULL) {
      g_ptr_array_add (ret_attacks, (gpointer) attack);
      continue;
    }
    if (!cli_reads_release (&ground, attack))
      continue;
    if (is_first)
      g_string_append (text, "\n# Attacks on such releases that are not played here:\n");
    is_first = FALSE;
    cli_append_comment (text, "- %s: %s", attack->id, reason);
  }
}

static char *
write_starter (const Starter *starter)
{
  g_autoptr (GPtrArray) attacks = g_ptr_array_new ();
  g_autoptr (GPtrArray) utilities = g_ptr_array_new ();
  g_autoptr (GString) omitted = g_string_new (NULL);
  GString *text = g_string_new (NULL);

  append_left_out (omitted, starter, attacks);
  for (guint i = 0; assay_utilities[i] != NULL; i++)
    if (is_useful (starter, assay_utilities[i]))
      g_ptr_array_add (utilities, (gpointer) assay_utilities[i]);
  append_head (text, starter);
  cli_append_defense (text, starter->defense, starter->settings);
  if (wants_comparison (starter, attacks, utilities)) {
    g_string_append_c (text, '\n');
    cli_append_comment (text, "For comparison: what is there without a defense.");
    g_string_append (text, "[defense unprotected]\nplugin = none\n");
  }
  append_weaker (text, starter);
  for (guint i = 0; i < attacks->len; i++)
    append_attack (text, starter, attacks->pdata[i]);
  if (starter->programs != NULL)
    append_own_attack (text);
  g_string_append (text, omitted->str);
  ASSAY_FOR_EACH (const AssayUtility, utility, utilities) {
    g_autofree char *group = utility_group (utility);

    g_string_append_c (text, '\n');
    cli_append_comment (text, "What an honest receiver still has. %s.", utility->summary);
    g_string_append (text, group);
  }
  if (starter->base->has_pictures) {
    /* Gradients are no images. */
    const gboolean is_shown = assay_kind (starter->kind)->picture != NULL;

    g_string_append_c (text, '\n');
    cli_append_comment (text, "What was private, %swhat came back, side by side.",
                        is_shown ? "what was released and " : "and ");
    g_string_append_printf (text, "[pictures some]\ncount = 6\ndefense = %s\n%s",
                            starter->defense->id, is_shown ? "released = yes\n" : "");
  }
  g_string_append_c (text, '\n');
  cli_append_comment (text,
                      "Claims are what the run judges, and decide its exit code. Where at-most is "
                      "'claimed', the bound is the epsilon that the defense itself claims. Every "
                      "other bound here is only an example: put in its place what your defense "
                      "promises, or what you could bear, and who says so.");
  cli_append_claims (text, &(CliClaims){ .defense = starter->defense,
                                         .kind = starter->kind,
                                         .attacks = attacks,
                                         .examples = bounds_of (starter) });
  return g_string_free (text, FALSE);
}

char *
assay_starter_new (const AssayDefense *defense, const char *const *given, gboolean *ret_has_gaps,
                   GError **error)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (defense->parameters, defense->settings_size);
  Starter starter = { .defense = defense,
                      .programs = cli_starter_programs (defense),
                      .given = given,
                      .settings = settings };
  char *text = NULL;

  if (starter.programs != NULL
      && !assay_settings_set (settings, "command", "python3 my_defense.py", error))
    return NULL;
  starter.has_gaps = starter.programs == NULL && cli_has_gap (defense->parameters);

  for (const AssayParam *param = defense->parameters;
       starter.has_gaps && param != NULL && param->name != NULL; param++)
    if (param->type == ASSAY_PARAM_TYPE_STRING && param->text == NULL
        && !assay_settings_set (settings, param->name, GAP, error))
      return NULL;
  if (!set_given (&starter, error)
      || (given != NULL && defense->check != NULL
          && !defense->check (settings->values, &(AssayShape){ 0 }, error)))
    return NULL;
  starter.kind = assay_defense_produces (defense, settings->values);
  if (choose_base (&starter, error)) {
    text = write_starter (&starter);
    *ret_has_gaps = starter.has_gaps;
  }
  g_free (starter.head);
  return text;
}
