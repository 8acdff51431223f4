/* assay attack: step 2 alone. */
#include "cli/cli.h"
#include "cli/like.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"

typedef struct {
  char *attack, *release, *database, *public_rows, *groups, *guess;
  char **assignments, **repeats;
  gint64 seed;
  CliLike like;
} AttackOptions;

static void
options_clear (AttackOptions *options)
{
  g_free (options->attack);
  g_free (options->release);
  g_free (options->database);
  g_free (options->public_rows);
  g_free (options->guess);
  g_free (options->groups);
  g_strfreev (options->assignments);
  g_strfreev (options->repeats);
  cli_like_clear (&options->like);
}

/* What the options hand over. */
typedef struct {
  AssayRows *database, *public_rows;
  gint64 *groups;
  GPtrArray *repeats;
} Handed;

static void
handed_clear (Handed *handed)
{
  g_clear_pointer (&handed->database, assay_rows_unref);
  g_clear_pointer (&handed->public_rows, assay_rows_unref);
  g_clear_pointer (&handed->repeats, g_ptr_array_unref);
  g_free (handed->groups);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Handed, handed_clear)

/* A further release of the same secrets. */
static gboolean
read_repeat (const char *folder, const AssayRelease *release, Handed *handed, GError **error)
{
  AssayRelease *repeat = assay_release_read (folder, error);

  if (repeat == NULL)
    return FALSE;
  g_ptr_array_add (handed->repeats, repeat);
  if (repeat->kind != release->kind
      || assay_release_count (repeat) != assay_release_count (release)
      || assay_release_cols (repeat) != assay_release_cols (release))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--repeat %s: holds %s (%" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
                       "), but the release %s (%" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
                       "); expected a further release of the same secrets",
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

static gboolean
read_handed (const AttackOptions *options, const AssayRelease *release, Handed *handed,
             GError **error)
{
  if (!cli_open_rows (options->database, "database", &handed->database, error)
      || !cli_open_rows (options->public_rows, "public", &handed->public_rows, error)
      || !read_groups (options->groups, release, &handed->groups, error))
    return FALSE;
  handed->repeats = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
  for (guint i = 0; options->repeats != NULL && options->repeats[i] != NULL; i++)
    if (!read_repeat (options->repeats[i], release, handed, error))
      return FALSE;
  return TRUE;
}

/* What is given on the command line is what is granted, and the release is given whole; with --like
 * only what the cell grants is. */
static guint
grants_of (const AttackOptions *options, const AssayComponent *component)
{
  return options->like.cell != NULL
             ? component->grants
             : ASSAY_GRANT_DATABASE | ASSAY_GRANT_PUBLIC | ASSAY_GRANT_OTHER_RELEASES
                   | ASSAY_GRANT_LABELS | ASSAY_GRANT_HASH_FUNCTION | ASSAY_GRANT_GROUPS
                   | ASSAY_GRANT_REPEATS;
}

static AssayStreamKey
stream_of (const AttackOptions *options, const AssayPlugin *plugin, const AssaySettings *settings)
{
  g_autofree char *canonical = assay_settings_canonical (settings);
  g_autofree char *upstream = g_strconcat (plugin->id, "\n", canonical, NULL);

  if (options->like.cell != NULL)
    return assay_plan_stream (options->like.run->plan, options->like.cell, "attack", canonical);
  return assay_stream_key ((guint64) options->seed, 0, "attack", upstream);
}

static gboolean
attack_release (const AttackOptions *options, const AssayComponent *component,
                const AssaySettings *settings, GError **error)
{
  const AssayAttack *attack = (const AssayAttack *) component->plugin;
  g_autoptr (AssayRelease) release = assay_release_read (options->release, error);
  g_auto (Handed) handed = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  AssayKnowledge knowledge;
  AssayGranted granted;
  AssayShape shape;

  if (release == NULL || !read_handed (options, release, &handed, error))
    return FALSE;
  knowledge
      = (AssayKnowledge){ .database = handed.database, .public_rows = handed.public_rows };
  granted = (AssayGranted){ .grants = grants_of (options, component),
                            .knowledge = &knowledge,
                            .groups = handed.groups,
                            .repeats = handed.repeats };
  shape = (AssayShape){ .n_secrets = assay_release_count (release),
                        .cols = assay_release_cols (release),
                        .n_database
                        = handed.database != NULL ? assay_rows_count (handed.database) : 0,
                        .n_public
                        = handed.public_rows != NULL ? assay_rows_count (handed.public_rows) : 0 };
  return (attack->check == NULL || attack->check (settings->values, &shape, error))
         && assay_step_attack (attack, settings, stream_of (options, component->plugin, settings),
                               release, &granted, &guess, error)
         && assay_guess_write (guess, options->guess, error);
}

static gboolean
attack (AttackOptions *options, GError **error)
{
  g_autoptr (AssaySettings) own_settings = NULL;
  AssayComponent own = { 0 };
  const AssayComponent *component = &own;
  const AssaySettings *settings = NULL;

  if (!assay_exchange_check_target (options->guess, error)
      || !cli_like_open (&options->like, error))
    return FALSE;
  if (options->like.cell != NULL)
    return cli_like_attack (&options->like, &component, &settings, error)
           && attack_release (options, component, settings, error);
  own.plugin = assay_registry_find (ASSAY_PLUGIN_ATTACK, options->attack, error);
  own_settings
      = own.plugin != NULL ? cli_settings (own.plugin, options->assignments, error) : NULL;
  return own_settings != NULL && attack_release (options, &own, own_settings, error);
}

int
cli_attack (int argc, char **argv)
{
  AttackOptions options = { .seed = 1 };
  const GOptionEntry entries[]
      = { { "attack", 'a', 0, G_OPTION_ARG_STRING, &options.attack, "The attack", "NAME" },
          { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.assignments, "A setting of it",
            "SETTING=VALUE" },
          { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release,
            "Folder of the release, made by Assay or by any program", "DIR" },
          { "database", 0, 0, G_OPTION_ARG_STRING, &options.database,
            "Granted: the rows from which the defense drew", "FILE[a:b]" },
          { "public", 0, 0, G_OPTION_ARG_STRING, &options.public_rows,
            "Granted: public rows of the same kind as the secrets", "FILE[a:b]" },
          { "groups", 0, 0, G_OPTION_ARG_STRING, &options.groups,
            "Granted: a number for each released item, equal for those of one group", "FILE[a:b]" },
          { "repeat", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.repeats,
            "Granted: a further release of the same secrets; may be given several times", "DIR" },
          { "guess", 'g', 0, G_OPTION_ARG_FILENAME, &options.guess, "Folder for the guess", "DIR" },
          { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed (default 1)", "N" },
          CLI_LIKE_OPTIONS (options.like, "the attack, settings, grants and random numbers"),
          G_OPTION_ENTRY_NULL };
  g_autoptr (GError) error = NULL;
  int code = EXIT_BAD_INPUT;

  if (!cli_parse (&argc, &argv, "", "Attacks a release with exactly the knowledge that is given.",
                  "Example:\n  assay attack --attack database --release release \\\n"
                  "    --database database.npy --guess guess\n",
                  entries)
      || !cli_check_words (argc, argv, 0))
    ;
  else if ((options.attack == NULL && options.like.folder == NULL) || options.release == NULL
           || options.guess == NULL)
    g_printerr ("assay attack: expected --attack, --release and --guess\n");
  else if (options.like.folder != NULL && (options.attack != NULL || options.assignments != NULL))
    g_printerr ("assay attack: --like: the cell says which attack it is, with which settings; "
                "expected neither --attack nor --set\n");
  else if (!attack (&options, &error))
    code = cli_fail (error);
  else
    code = EXIT_OK;
  options_clear (&options);
  return code;
}
