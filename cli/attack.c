/* assay attack: step 2 alone. */
#include "cli/cli.h"
#include "core/registry.h"
#include "runner/steps.h"

typedef struct {
  char *attack, *release, *database, *public_rows, *guess;
  char **assignments;
  gint64 seed;
} AttackOptions;

static void
options_clear (AttackOptions *options)
{
  g_free (options->attack);
  g_free (options->release);
  g_free (options->database);
  g_free (options->public_rows);
  g_free (options->guess);
  g_strfreev (options->assignments);
}

static gboolean
attack_release (const AttackOptions *options, const AssayAttack *attack,
                const AssaySettings *settings, const AssayRelease *release, GError **error)
{
  g_autoptr (AssayRows) database = NULL;
  g_autoptr (AssayRows) public_rows = NULL;
  g_autofree char *canonical = assay_settings_canonical (settings);
  g_autofree char *upstream = g_strconcat (attack->id, "\n", canonical, NULL);
  g_autoptr (AssayGuess) guess = NULL;
  AssayKnowledge knowledge;
  /* What is given on the command line is what is granted, and the release is given whole. */
  const AssayGranted granted
      = { .grants = ASSAY_GRANT_DATABASE | ASSAY_GRANT_PUBLIC | ASSAY_GRANT_OTHER_RELEASES
                    | ASSAY_GRANT_LABELS | ASSAY_GRANT_HASH_FUNCTION,
          .knowledge = &knowledge };
  AssayShape shape;

  if (!cli_open_rows (options->database, "database", &database, error)
      || !cli_open_rows (options->public_rows, "public", &public_rows, error))
    return FALSE;
  knowledge = (AssayKnowledge){ .database = database, .public_rows = public_rows };
  shape = (AssayShape){ .n_secrets = assay_release_count (release),
                        .cols = assay_release_cols (release),
                        .n_database = database != NULL ? assay_rows_count (database) : 0,
                        .n_public = public_rows != NULL ? assay_rows_count (public_rows) : 0 };
  return (attack->check == NULL || attack->check (settings->values, &shape, error))
         && assay_step_attack (attack, settings,
                               assay_stream_key ((guint64) options->seed, 0, "attack", upstream),
                               release, &granted, &guess, error)
         && assay_guess_write (guess, options->guess, error);
}

static gboolean
attack (const AttackOptions *options, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_ATTACK, options->attack, error);
  g_autoptr (AssaySettings) settings
      = plugin != NULL ? cli_settings (plugin, options->assignments, error) : NULL;
  g_autoptr (AssayRelease) release = NULL;

  if (settings == NULL || !assay_exchange_check_target (options->guess, error))
    return FALSE;
  release = assay_release_read (options->release, error);
  return release != NULL
         && attack_release (options, (const AssayAttack *) plugin, settings, release, error);
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
          { "guess", 'g', 0, G_OPTION_ARG_FILENAME, &options.guess, "Folder for the guess", "DIR" },
          { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed (default 1)", "N" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GError) error = NULL;
  int code = EXIT_BAD_INPUT;

  if (!cli_parse (&argc, &argv, "", "Attacks a release with exactly the knowledge that is given.",
                  "Example:\n  assay attack --attack database --release release \\\n"
                  "    --database database.npy --guess guess\n",
                  entries)
      || !cli_check_words (argc, argv, 0))
    ;
  else if (options.attack == NULL || options.release == NULL || options.guess == NULL)
    g_printerr ("assay attack: expected --attack, --release and --guess\n");
  else if (!attack (&options, &error))
    code = cli_fail (error);
  else
    code = EXIT_OK;
  options_clear (&options);
  return code;
}
