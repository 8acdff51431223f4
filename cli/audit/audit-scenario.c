/* The scenario of an audit: everything that applies.
 *
 * Games that need further records of the secrets among the public rows (link) and games that must
 * not have them (an attacker who has a copy has reconstructed nothing) stand in one scenario: the
 * dataset is swept over `records`, and `where` of an attack says which of the two it is played on.
 * Every attack is tried by the planner, as `assay init` does; which the planner refuses stands in a
 * comment, with the reason. Attackers who learn may run the defense on the public rows, without its
 * key; where one release draws a key for all its secrets, there is one more of each who knows some
 * rows beside their release, and where items are of a row each, one who knows some of the rows in
 * the very release: what a defense fits to it is in no other. `unprotected` shows that attacks win
 * where nothing is protected, without which nothing is upheld. */
#include "cli/audit/audit-labels.h"
#include "cli/audit/audit.h"
#include "cli/help/starter-attacks.h"
#include "cli/help/starter-claims.h"
#include "cli/help/starter.h"
#include "core/base/each.h"
#include "core/base/text.h"
#include "core/plugin/registry.h"
#include "runner/judge/earned/asks-less.h"

/* Two looks, each at half the error: docs/audit-your-own.md. */
#define CONFIDENCE_OF_TWO "0.975"

#define USUAL_OWN_RUNS 20
#define LEAST_OWN_RUNS 2
#define USUAL_MEMBER_RUNS 32
#define LEAST_MEMBER_RUNS 8

/* Rows that an attacker knows beside what was released of them, under the same key. */
#define KNOWN_PAIRS (gsize) 200

/* ---- How much ---- */

/* Runs of the defense in a look at one trial: the release and the attackers' own on data with
 * further records and without, and those for membership and for cross-linkage. */
static double
seconds_of_look (const CliAudit *audit, guint own_runs, guint member_runs)
{
  const guint known_pairs = audit->has_key ? 2 : 0;
  const guint known_rows = 4; /* two releases, of secrets and these */

  return audit->run_seconds
         * (2 + 2 * (double) own_runs + 2 * (double) member_runs + known_pairs + known_rows);
}

gboolean
cli_audit_choose_runs (CliAudit *audit, GError **error)
{
  const gsize most = audit->public_rows.rows / MAX (audit->n_secrets, 1) + 2;
  guint own = (guint) MIN (most, USUAL_OWN_RUNS), member = USUAL_MEMBER_RUNS;
  double least;

  while (seconds_of_look (audit, own, member) > audit->seconds / 2
         && (own > LEAST_OWN_RUNS || member > LEAST_MEMBER_RUNS)) {
    /* Fewer than are enough decide no claim: those are given up last. */
    if (member > ASSAY_ENOUGH_RUNS)
      member = ASSAY_ENOUGH_RUNS;
    else if (own == LEAST_OWN_RUNS)
      member = MAX (member / 2, LEAST_MEMBER_RUNS);
    own = MAX (own / 2, LEAST_OWN_RUNS);
  }
  least = seconds_of_look (audit, own, member);
  if (least > audit->seconds)
    return assay_fail (
        error, ASSAY_ERROR_DATA,
        "one run of the defense on %zu rows takes %.1f s, and an audit makes %.0f of "
        "them at least; expected --time %.0fs or more, or fewer rows (--secrets)",
        audit->n_secrets, audit->run_seconds, least / audit->run_seconds, 2 * least);
  audit->own_runs = own;
  audit->member_runs = member;
  return TRUE;
}

/* ---- Head ---- */

static void
append_data (GString *text, const CliAudit *audit)
{
  g_autofree char *joined = audit->n_joined > 0
                                ? g_strdup_printf (" %zu rows that repeat another one went where "
                                                   "that is.",
                                                   audit->n_joined)
                                : g_strdup ("");
  g_autofree char *left_out
      = audit->n_left_out > 0
            ? g_strdup_printf (" %zu rows, drawn at random, are left out.", audit->n_left_out)
            : g_strdup ("");

  cli_append_comment (text,
                      "The rows of %s, divided at random: %zu to be protected, %zu that attackers "
                      "have.%s%s %s",
                      audit->data, audit->n_private, audit->public_rows.rows, joined, left_out,
                      audit->released == NULL
                          ? "With records = yes attackers also have another record of each person, "
                            "with noise of a tenth of a column's deviation."
                      : audit->scales_released
                          ? "Columns of rows and release are in units of their own, and divided by "
                            "powers of two."
                          : "");
  g_string_append (text,
                   "[dataset]\nplugin = vectors\nprivate = private.npy\npublic = public.npy\n");
  if (audit->has_labels)
    g_string_append (text, "labels = private-labels.npy\npublic_labels = public-labels.npy\n");
  if (audit->attributes != NULL)
    g_string_append (text, "attributes = private-attributes.csv\n"
                           "public_attributes = public-attributes.csv\n");
  if (audit->geometry.height > 0)
    g_string_append_printf (text, "images = %zux%zux%zu\n", audit->geometry.height,
                            audit->geometry.width, audit->geometry.channels);
  if (audit->scales_columns) {
    cli_append_comment (text, "Columns are in units of their own: attacks and measures compare "
                              "them on one scale, and the program gets them as they are.");
    g_string_append (text, "scale = columns\n");
  }
  if (audit->database != NULL)
    g_string_append_printf (text, "database = %s\n", audit->database);
  g_string_append_printf (text, "%s\nsecrets = %zu\n\n",
                          audit->released != NULL ? "order = file" : "records = no; yes",
                          audit->n_secrets);
}

static gboolean
is_in_another_space (const CliAudit *audit)
{
  return audit->kind == ASSAY_RELEASE_VECTORS && audit->released_cols != audit->public_rows.cols;
}

static char *
make_head (const CliAudit *audit)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (
      text, "[scenario]\ntitle = An audit of %s on %s\nseed = %" G_GUINT64_FORMAT "\n",
      audit->released != NULL  ? audit->released
      : audit->command != NULL ? audit->command
                               : audit->defense->id,
      audit->data, audit->seed);
  if (audit->most_trials > 1)
    cli_append_comment (text,
                        "Two looks: this trial first; where claims are open and time is left, "
                        "--trials 2 to %u, as many as fit. How many that is depends on the time "
                        "that the first took and on nothing else, and each look has half of the "
                        "error that a verdict may have (confidence of the claims).",
                        audit->most_trials);
  g_string_append (text, "trials = 1\nstarts = 3\n\n");
  append_data (text, audit);
  cli_append_defense (text, audit->defense, audit->settings);
  /* Pairs of a release in another space are none of rows as they are. */
  if (!g_str_equal (audit->defense->id, "none")
      && (audit->released == NULL || !is_in_another_space (audit))) {
    g_string_append_c (text, '\n');
    cli_append_comment (text, "What attacks find where nothing is protected.");
    g_string_append (text, "[defense unprotected]\nplugin = none\n");
  }
  return g_string_free (text, FALSE);
}

/* ---- Attacks ---- */

/* Who compares rows with a release of other columns compares what the defense makes of them. */
static guint
grants_of (const CliAudit *audit, const AssayPlugin *plugin)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const guint grants = cli_attack_grants (audit->defense, audit->settings, audit->kind, plugin);

  if (audit->released != NULL) /* which nobody makes again */
    return grants & ~(guint) (ASSAY_GRANT_MECHANISM | ASSAY_GRANT_KEY);
  return attack != NULL && attack->wants_pairs && (grants & ASSAY_GRANT_PUBLIC)
                 && is_in_another_space (audit)
             ? grants | ASSAY_GRANT_MECHANISM
             : grants;
}

/* The further attributes, one after the other. */
static void
append_names (GString *text, const CliAudit *audit)
{
  for (guint i = 0; i < audit->attributes->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "name = ",
                            ((const CliAuditColumn *) audit->attributes->pdata[i])->name);
  g_string_append_c (text, '\n');
}

/* Lines of an attack's group beside its grants. */
static char *
lines_of (const CliAudit *audit, const AssayPlugin *plugin, guint grants)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const gboolean compares_runs
      = attack != NULL && (attack->game == ASSAY_GAME_MEMBER || attack->game == ASSAY_GAME_CROSS);
  GString *text = g_string_new (NULL);
  gsize column;

  if (attack == NULL)
    return g_string_free (text, FALSE);
  if (audit->released == NULL)
    g_string_append_printf (text, "where = dataset.records = %s\n",
                            attack->game == ASSAY_GAME_LINK ? "yes" : "no");
  else if (attack->adapts && attack->wants_pairs)
    g_string_append (text, "pairs = pairs\n");
  if (grants & ASSAY_GRANT_MECHANISM)
    g_string_append_printf (text, "mechanism_runs = %u\n",
                            compares_runs ? audit->member_runs : audit->own_runs);
  if (attack->game == ASSAY_GAME_INFER && !audit->has_labels && audit->attributes != NULL)
    append_names (text, audit);
  else if (attack->game == ASSAY_GAME_INFER && !audit->has_labels
           && cli_audit_dividing_column (audit->public_rows, &column))
    g_string_append_printf (text, "attribute = threshold\ncolumn = %zu\n", column);
  return g_string_free (text, FALSE);
}

/* What the planner cannot know: what the release looks like, and what the data hold. */
static char *
why_not (const CliAudit *audit, const CliGround *ground, const AssayPlugin *plugin,
         const char *lines)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  gsize column;

  if (attack != NULL && attack->game == ASSAY_GAME_INFER && !audit->has_labels
      && audit->attributes == NULL && !cli_audit_dividing_column (audit->public_rows, &column))
    return g_strdup ("there are no labels, and no column whose median divides the rows");
  if (attack != NULL && attack->is_generic && !attack->wants_pairs && is_in_another_space (audit))
    return g_strdup_printf ("what is released has %zu columns and a row has %zu, so that it cannot "
                            "be taken for one",
                            audit->released_cols, audit->public_rows.cols);
  if (attack != NULL && attack->wants_pairs && !attack->adapts && audit->released != NULL
      && is_in_another_space (audit))
    return g_strdup_printf ("what is released has %zu columns and a row has %zu, and nobody can "
                            "make a release of other rows to compare it with",
                            audit->released_cols, audit->public_rows.cols);
  return cli_why_no_attack (ground, plugin, grants_of (audit, plugin), lines);
}

/* Whether there is something to learn from pairs of one key. Members are found by comparing runs
 * that each have a key, and in the game cross the second release has a key of its own. */
static gboolean
learns_of_one_key (const AssayAttack *attack)
{
  return attack->game != ASSAY_GAME_MEMBER && attack->game != ASSAY_GAME_CROSS;
}

/* The attacker who knows some rows beside their release: what is secret in a rotation or in a
 * permutation is learned from few of them. */
static void
append_known_pairs (GString *text, const CliAudit *audit, const AssayPlugin *plugin,
                    const char *lines)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const gsize pairs = MIN (KNOWN_PAIRS, audit->public_rows.rows);
  const guint grants = grants_of (audit, plugin);
  g_autofree char *label = g_strconcat (plugin->id, "-known-pairs", NULL);
  g_autofree char *more = g_strdup_printf ("%smechanism_rows = %zu\n", lines, pairs);
  g_autofree char *group = NULL;

  if (!audit->has_key || !(grants & ASSAY_GRANT_MECHANISM) || !learns_of_one_key (attack))
    return;
  group = cli_attack_group (plugin, label, grants | ASSAY_GRANT_KEY, more);
  g_string_append_c (text, '\n');
  cli_append_comment (text,
                      "The same by who knows %zu rows beside what was released of them under the "
                      "same key, and not how others were protected.",
                      pairs);
  g_string_append (text, group);
}

/* The attacker who knows some of the rows that are in the release: what is fitted to its rows is
 * learned from those. */
static void
append_known_rows (GString *text, const CliAudit *audit, const AssayPlugin *plugin)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const guint grants = grants_of (audit, plugin) & ~(guint) ASSAY_GRANT_MECHANISM;
  const gsize known = MIN (KNOWN_PAIRS, audit->public_rows.rows / 2);
  g_autofree char *label = g_strconcat (plugin->id, "-known-rows", NULL);
  g_autofree char *lines = lines_of (audit, plugin, grants);
  g_autofree char *more = g_strdup_printf ("%sknown_rows = %zu\n", lines, known);
  g_autofree char *group = NULL;

  if (audit->released != NULL || attack == NULL || !attack->adapts || !attack->wants_pairs
      || known < 2 || !(audit->kind & assay_kinds_of_items (ASSAY_ITEM_OF_EACH_SECRET)))
    return;
  group = cli_attack_group (plugin, label, grants, more);
  g_string_append_c (text, '\n');
  cli_append_comment (text,
                      "The same by who knows %zu rows that are protected together with the "
                      "secrets, beside what is released of them. Nobody wins by these.",
                      known);
  g_string_append (text, group);
}

/* Beside the label, the further attributes. */
static void
append_attributes (GString *text, const CliAudit *audit, const AssayPlugin *plugin,
                   const char *lines)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  g_autofree char *label = g_strconcat (plugin->id, "-of-columns", NULL);
  g_autofree char *group = NULL;
  g_autoptr (GString) more = g_string_new (lines);

  if (attack == NULL || attack->game != ASSAY_GAME_INFER || !audit->has_labels
      || audit->attributes == NULL)
    return;
  append_names (more, audit);
  group = cli_attack_group (plugin, label, grants_of (audit, plugin), more->str);
  g_string_append_c (text, '\n');
  cli_append_comment (text, "The same of the further attributes.");
  g_string_append (text, group);
}

static void
append_attack (GString *text, const AssayPlugin *plugin, guint grants, const char *lines)
{
  g_autofree char *group = cli_attack_group (plugin, plugin->id, grants, lines);
  g_autofree char *known = grants != ASSAY_GRANT_NONE ? assay_grants_describe (grants) : NULL;

  g_string_append_c (text, '\n');
  cli_append_comment (text, "%s.", plugin->summary);
  if (plugin->type == ASSAY_PLUGIN_AUDITOR)
    cli_append_comment (text, "It runs the mechanism on inputs of its own choice.");
  else
    cli_append_comment (text, "The attacker knows the release%s%s.",
                        known != NULL ? " and: " : " alone", known != NULL ? known : "");
  g_string_append (text, group);
}

/* All that apply; those of them that claims are about, as they read what the defense releases and
 * not only what is there without one, into @ret_attacks too; those that read such releases and do
 * not apply, as comments. */
static void
append_attacks (GString *text, const CliAudit *audit, const CliGround *ground,
                GPtrArray *ret_attacks)
{
  g_autoptr (GPtrArray) offers = assay_registry_offers (ASSAY_PLUGIN_ATTACK);
  g_autoptr (GString) omitted = g_string_new (NULL);

  ASSAY_FOR_EACH (const AssayPlugin, plugin, offers) {
    g_autofree char *lines = lines_of (audit, plugin, grants_of (audit, plugin));
    g_autofree char *reason = why_not (audit, ground, plugin, lines);

    if (reason == NULL) {
      append_attack (text, plugin, grants_of (audit, plugin), lines);
      append_known_pairs (text, audit, plugin, lines);
      append_known_rows (text, audit, plugin);
      append_attributes (text, audit, plugin, lines);
      if (cli_reads_release (ground, plugin))
        g_ptr_array_add (ret_attacks, (gpointer) plugin);
    } else if (cli_reads_release (ground, plugin)) {
      cli_append_comment (omitted, "- %s: %s", plugin->id, reason);
    }
  }
  if (omitted->len > 0)
    g_string_append_printf (text, "\n# Attacks on such releases that are not played here:\n%s",
                            omitted->str);
}

/* ---- The whole ---- */

static void
append_metrics (GString *text, const CliAudit *audit)
{
  g_autofree char *tau = assay_text_number (audit->tau);

  g_string_append_c (text, '\n');
  cli_append_comment (text,
                      "Up to which relative error a row counts as recovered: 0.3, or less where "
                      "one guess for everybody (the mean of the public rows, or one of them) would "
                      "be right more often than once in a hundred.");
  g_string_append_printf (text, "[metric recovery-rate]\ntau = %s\n", tau);
  if (audit->geometry.height > 0)
    g_string_append (text, "\n[metric image-recovery]\n");
}

static gboolean
has_game (const GPtrArray *attacks, AssayGame game)
{
  ASSAY_FOR_EACH (const AssayPlugin, plugin, attacks) {
    const AssayAttack *attack = assay_attack_of (plugin);

    if (attack != NULL && attack->game == game)
      return TRUE;
  }
  return FALSE;
}

/* Of rows that are images: secrets beside what was released and guessed, where a sheet of them can
 * be made. */
static void
append_pictures (GString *text, const CliAudit *audit)
{
  static const char *const groups[] = { "\n[pictures recovered]\ncount = 8\nreleased = yes\n",
                                        "\n[pictures recovered]\ncount = 8\n" };

  for (guint i = 0; audit->geometry.height > 0 && i < G_N_ELEMENTS (groups); i++) {
    g_autofree char *more = g_strconcat (text->str, groups[i], NULL);
    g_autofree char *why_not = NULL;

    if (cli_is_planned (audit->scenario, more, &why_not)) {
      g_string_append (text, groups[i]);
      return;
    }
  }
}

char *
cli_audit_scenario (const CliAudit *audit, GError **error)
{
  g_autoptr (GPtrArray) attacks = g_ptr_array_new ();
  g_autofree char *head = make_head (audit);
  const CliGround ground = { .defense = audit->defense,
                             .settings = audit->settings,
                             .kind = audit->kind,
                             .path = audit->scenario,
                             .head = head };
  GString *text = g_string_new (NULL);

  cli_append_comment (text,
                      "Written by 'assay audit': everything that can attack what %s releases, on "
                      "your rows. Change what you like; 'assay run' runs it again.",
                      audit->defense->id);
  g_string_append_printf (text, "%s", head);
  append_attacks (text, audit, &ground, attacks);
  if (attacks->len == 0) {
    g_autofree char *reason = NULL;

    g_string_free (text, TRUE);
    cli_is_planned (audit->scenario, head, &reason);
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "no attack can be played on what defense '%s' releases here: %s",
                            audit->defense->id, reason);
  }
  if (has_game (attacks, ASSAY_GAME_RECONSTRUCT))
    append_metrics (text, audit);
  g_string_append_c (text, '\n');
  cli_append_comment (text,
                      "Claims are what the run judges. Bounds that were not given with --claim are "
                      "only examples: put in their place what you promise.");
  cli_append_claims (
      text, &(CliClaims){ .defense = audit->defense,
                          .kind = audit->kind,
                          .attacks = attacks,
                          .bounds = audit->bounds,
                          .asks_identity = TRUE,
                          .confidence = audit->most_trials > 1 ? CONFIDENCE_OF_TWO : NULL });
  append_pictures (text, audit);
  return g_string_free (text, FALSE);
}
