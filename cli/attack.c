/* assay attack: step 2 alone. */
#include "cli/cli.h"
#include "cli/step.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/secret-paths.h"
#include "runner/by-hand/steps-by-hand.h"

static struct {
  CliStepOptions step;
  char *release, *groups, *guess, *pairs, *grants;
  char **repeats;
  gboolean withholds_parameters;
} options = { .step.seed = 1 };

static const GOptionEntry entries[] = {
  { "attack", 'a', 0, G_OPTION_ARG_STRING, &options.step.name, "The attack", "NAME" },
  CLI_STEP_SET (options.step, "A setting of the attack"),
  { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release,
    "Folder of the release, made by Assay or by any program", "DIR" },
  { "database", 0, 0, G_OPTION_ARG_STRING, &options.step.database,
    "Granted: the rows from which the defense drew", "FILE[a:b]" },
  { "public", 0, 0, G_OPTION_ARG_STRING, &options.step.public_rows,
    "Granted: public rows of the same kind as the secrets", "FILE[a:b]" },
  { "groups", 0, 0, G_OPTION_ARG_STRING, &options.groups,
    "Granted: a number for each released item, equal for those of one group", "FILE[a:b]" },
  { "repeat", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.repeats,
    "Granted: a further release of the same secrets; may be given several times", "DIR" },
  { "pairs", 0, 0, G_OPTION_ARG_FILENAME, &options.pairs,
    "Granted: rows of the attacker's own and what the defense released of them, in the "
    "folders DIR/truth and DIR/release, or DIR/0/truth, DIR/0/release, DIR/1/truth ...",
    "DIR" },
  { "grants", 0, 0, G_OPTION_ARG_STRING, &options.grants,
    "What the attack may use, as in a scenario (\"public; labels\", or none); default: all that "
    "the release holds and all that is given here",
    "LIST" },
  { "withhold-parameters", 0, 0, G_OPTION_ARG_NONE, &options.withholds_parameters,
    "Not granted: the public parameters of the release", NULL },
  { "guess", 'g', 0, G_OPTION_ARG_FILENAME, &options.guess, "New folder for the guess", "DIR" },
  CLI_STEP_SEED (options.step, "Seed (default 1)"),
  CLI_STEP_HIDE (options.step),
  CLI_STEP_LIKE (options.step, "the attack, settings, grants and random numbers"),
  CLI_STEP_QUIET (options.step),
  G_OPTION_ENTRY_NULL
};

/* A further release of the same secrets. */
static gboolean
read_repeat (const char *folder, const AssayRelease *release, GPtrArray *repeats, GError **error)
{
  AssayRelease *repeat = assay_release_read (folder, error);

  if (repeat == NULL)
    return FALSE;
  g_ptr_array_add (repeats, repeat);
  if (repeat->kind != release->kind || assay_release_count (repeat) != assay_release_count (release)
      || assay_release_cols (repeat) != assay_release_cols (release))
    return assay_fail (
        error, ASSAY_ERROR_MISMATCH,
        "--repeat %s: holds %s (%zu x %zu), but the release %s (%zu x %zu); expected a further "
        "release of the same secrets",
        folder, assay_release_kind_name (repeat->kind), assay_release_count (repeat),
        assay_release_cols (repeat), assay_release_kind_name (release->kind),
        assay_release_count (release), assay_release_cols (release));
  return TRUE;
}

/* Of all secrets together the release does not say how many secrets there are. */
static gboolean
read_groups (const char *place, const AssayRelease *release, gint64 **ret_groups, GError **error)
{
  g_autoptr (AssayRows) rows = NULL;

  if (!cli_open_rows (place, "groups", &rows, error))
    return FALSE;
  return rows == NULL
         || cli_read_numbers (place, "groups",
                              assay_kind (release->kind)->items == ASSAY_ITEM_OF_ALL_SECRETS
                                  ? assay_rows_count (rows)
                                  : assay_release_count (release),
                              ret_groups, error);
}

static GPtrArray *
read_repeats (const AssayRelease *release, GError **error)
{
  g_autoptr (GPtrArray) repeats
      = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);

  for (guint i = 0; options.repeats != NULL && options.repeats[i] != NULL; i++)
    if (!read_repeat (options.repeats[i], release, repeats, error))
      return NULL;
  return g_steal_pointer (&repeats);
}

static gboolean
read_grants (const char *text, guint *ret_grants, GError **error)
{
  g_auto (GStrv) names = g_strsplit_set (text, ";,", -1);
  guint grants = options.withholds_parameters ? ASSAY_GRANT_NO_PARAMETERS : 0;

  for (guint i = 0; names[i] != NULL && !g_str_equal (g_strstrip (names[0]), "none"); i++) {
    guint grant = 0;

    if (!assay_grant_named (g_strstrip (names[i]), &grant)) {
      g_autofree char *hint = assay_text_did_you_mean (names[i], assay_grant_names);
      g_autofree char *all = g_strjoinv (", ", (char **) assay_grant_names);

      return assay_fail (error, ASSAY_ERROR_PARAMETER,
                         "--grants: unknown grant '%s'%s; expected none, or some of %s", names[i],
                         hint, all);
    }
    grants |= grant;
  }
  *ret_grants = grants;
  return TRUE;
}

/* What is handed over and may not be used is a mistake. */
static gboolean
check_grants (guint grants, GError **error)
{
  const struct {
    guint grant;
    const char *option;
    gconstpointer given;
  } given[] = { { ASSAY_GRANT_DATABASE, "database", options.step.database },
                { ASSAY_GRANT_PUBLIC, "public", options.step.public_rows },
                { ASSAY_GRANT_GROUPS, "groups", options.groups },
                { ASSAY_GRANT_REPEATS, "repeat", options.repeats },
                { ASSAY_GRANT_MECHANISM, "pairs", options.pairs } };

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    if (given[i].given != NULL && (grants & given[i].grant) == 0) {
      g_autofree char *name = assay_grants_describe (given[i].grant);

      return assay_fail (error, ASSAY_ERROR_PARAMETER,
                         "--%s is given, and --grants has no '%s'; expected both or neither",
                         given[i].option, name);
    }
  return TRUE;
}

/* What is given on the command line is what is granted, and the release is given whole but for what
 * is withheld or not in the list of grants; with --like only what the cell grants is. */
static guint
grants_of (const CliStep *step)
{
  if (options.grants != NULL)
    return step->grants;
  return options.step.like.cell != NULL
             ? step->grants
             : ASSAY_GRANT_DATABASE | ASSAY_GRANT_PUBLIC | ASSAY_GRANT_OTHER_RELEASES
                   | ASSAY_GRANT_LABELS | ASSAY_GRANT_HASH_FUNCTION | ASSAY_GRANT_GROUPS
                   | ASSAY_GRANT_REPEATS | ASSAY_GRANT_AGGREGATOR | ASSAY_GRANT_MESSAGES
                   | ASSAY_GRANT_USER | ASSAY_GRANT_KEY_GENERATOR | ASSAY_GRANT_MODEL
                   | (options.withholds_parameters ? ASSAY_GRANT_NO_PARAMETERS : 0);
}

/* A program gets of the release what is granted, and nothing of the truth: it is not to find them
 * where they are. 'assay protect' writes the one beside the other. */
static void
hide_release (void)
{
  g_autofree char *whole = g_canonicalize_filename (options.release, NULL);
  g_autofree char *parent = g_path_get_dirname (whole);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;

  assay_secret_path_add (options.release);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *beside = g_build_filename (parent, name, NULL);
    g_autofree char *truth = g_build_filename (beside, "truth.json", NULL);

    if (g_file_test (truth, G_FILE_TEST_EXISTS))
      assay_secret_path_add (beside);
  }
}

static gboolean
play (const CliStep *step, const AssayGranted *granted, AssayGuess **ret_guess, GError **error)
{
  g_autofree char *canonical = assay_settings_canonical (step->settings);
  CliProgress *progress = cli_progress_of_step (options.step.quiet, step->plugin->id);
  const gboolean is_ok = assay_by_hand_attack (
      step->plugin, step->settings,
      cli_step_stream (&options.step, "attack", step->plugin->id, step->settings, canonical),
      granted, ret_guess, error);

  cli_progress_free (progress);
  return is_ok;
}

static gboolean
attack_release (CliStep *step, GError **error)
{
  g_autoptr (AssayRelease) release = assay_release_read (options.release, error);
  g_autofree gint64 *groups = NULL;
  g_autoptr (GPtrArray) repeats = NULL;
  g_autoptr (AssayPairs) pairs = NULL;
  g_autoptr (AssayGuess) guess = NULL;
  AssayKnowledge knowledge;
  AssayGranted granted;

  if (release == NULL || !cli_step_open_rows (step, &release->geometry, error)
      || !read_groups (options.groups, release, &groups, error)
      || (repeats = read_repeats (release, error)) == NULL
      || (options.pairs != NULL && (pairs = assay_pairs_read (options.pairs, error)) == NULL))
    return FALSE;
  knowledge = (AssayKnowledge){ .database = step->database, .public_rows = step->public_rows };
  granted = (AssayGranted){ .grants = grants_of (step),
                            .release = release,
                            .knowledge = &knowledge,
                            .groups = groups,
                            .repeats = repeats,
                            .pairs = pairs };
  return play (step, &granted, &guess, error) && assay_guess_write (guess, options.guess, error);
}

static int
attack (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  const CliStepOptions *given = &options.step;
  g_auto (CliStep) step = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean is_ok;

  if ((given->name == NULL && given->like.folder == NULL) || options.release == NULL
      || options.guess == NULL)
    return cli_refuse ("expected --attack, --release and --guess");
  if (given->like.folder != NULL && (given->name != NULL || given->assignments != NULL))
    return cli_refuse ("--like: the cell says which attack it is, with which settings; expected "
                       "neither --attack nor --set");
  if (given->like.folder != NULL && options.grants != NULL)
    return cli_refuse ("--like: the cell says what is granted; expected no --grants");
  if (given->like.folder != NULL && options.withholds_parameters)
    return cli_refuse ("--like: the cell says what is granted; expected no --withhold-parameters");
  hide_release ();
  is_ok = assay_exchange_check_target (options.guess, &error)
          && cli_step_open (&options.step, ASSAY_PLUGIN_ATTACK, &step, &error)
          && (options.grants == NULL
              || (read_grants (options.grants, &step.grants, &error)
                  && check_grants (step.grants, &error)))
          && attack_release (&step, &error);
  return is_ok ? EXIT_OK : cli_fail (error);
}

const CliUsage cli_attack = {
  .parameters = "",
  .summary = "Attacks a release with exactly the knowledge that is given, and writes the guess.",
  .description = "Example, after that of 'protect --help':\n"
                 "  assay attack --attack database --release release \\\n"
                 "    --database database.npy --guess guess\n",
  .entries = entries,
  .run = attack,
};
