/* assay protect: step 1 alone. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "core/parallel.h"
#include "core/registry.h"
#include "runner/steps.h"

typedef struct {
  char *defense, *secrets, *groups, *database, *release, *truth;
  char **assignments;
  gint64 seed;
} ProtectOptions;

static void
options_clear (ProtectOptions *options)
{
  g_free (options->defense);
  g_free (options->secrets);
  g_free (options->groups);
  g_free (options->database);
  g_free (options->release);
  g_free (options->truth);
  g_strfreev (options->assignments);
}

#define MAX_GROUP (1 << 24)

/* Group numbers, one per secret, from a file of one column. */
static gboolean
read_groups (const AssayRows *rows, gsize n, gint64 **ret_groups, GError **error)
{
  g_autofree float *values = NULL;

  if (rows == NULL)
    return TRUE;
  if (assay_rows_count (rows) != n || assay_rows_cols (rows) != 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--groups: expected one column of %" G_GSIZE_FORMAT
                       " numbers, found %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT,
                       n, assay_rows_count (rows), assay_rows_cols (rows));
  values = g_new (float, n);
  assay_rows_read (rows, 0, n, ASSAY_SCALE_NONE, values);
  *ret_groups = g_new (gint64, n);
  for (gsize i = 0; i < n; i++) {
    /* Beyond that, neighbouring numbers are one float32: two groups would become one. */
    if (values[i] != truncf (values[i]) || fabsf (values[i]) > MAX_GROUP)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "--groups: row %" G_GSIZE_FORMAT " is %.9g; expected a whole number, at "
                         "most %d",
                         i, (double) values[i], MAX_GROUP);
    (*ret_groups)[i] = (gint64) values[i];
  }
  return TRUE;
}

static gboolean
protect_rows (const ProtectOptions *options, const AssayDefense *defense,
              const AssaySettings *settings, const AssayRows *secrets, const AssayRows *group_rows,
              const AssayRows *database, GError **error)
{
  const gsize n = assay_rows_count (secrets);
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (n, assay_rows_cols (secrets), error);
  g_autofree gint64 *groups = NULL;
  g_autofree char *canonical = assay_settings_canonical (settings);
  g_autofree char *upstream = g_strconcat (defense->id, "\n", canonical, NULL);
  const AssayShape shape = { .n_secrets = n,
                             .cols = assay_rows_cols (secrets),
                             .n_database = database != NULL ? assay_rows_count (database) : 0 };
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;

  if (matrix == NULL || !read_groups (group_rows, n, &groups, error)
      || (defense->check != NULL && !defense->check (settings->values, &shape, error)))
    return FALSE;
  assay_rows_read (secrets, 0, n, ASSAY_SCALE_NONE, matrix->data);
  return assay_step_protect (defense, settings,
                             assay_stream_key ((guint64) options->seed, 0, "defense", upstream),
                             assay_matrix_view (matrix), groups, database, &release, &truth, error)
         && assay_release_write (release, options->release, error)
         && assay_truth_write (truth, options->truth, error);
}

static gboolean
is_one_folder (const char *a, const char *b)
{
  g_autofree char *first = g_canonicalize_filename (a, NULL);
  g_autofree char *second = g_canonicalize_filename (b, NULL);

  return g_str_equal (first, second);
}

static gboolean
protect (const ProtectOptions *options, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, options->defense, error);
  g_autoptr (AssaySettings) settings
      = plugin != NULL ? cli_settings (plugin, options->assignments, error) : NULL;
  g_autoptr (AssayRows) secrets = NULL;
  g_autoptr (AssayRows) groups = NULL;
  g_autoptr (AssayRows) database = NULL;

  if (settings != NULL && is_one_folder (options->release, options->truth))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--release and --truth are both %s; expected two folders, because whoever "
                       "gets the release must not get the truth",
                       options->release);
  return settings != NULL && assay_exchange_check_target (options->release, error)
         && assay_exchange_check_target (options->truth, error)
         && cli_open_rows (options->secrets, "secrets", &secrets, error)
         && cli_open_rows (options->groups, "groups", &groups, error)
         && cli_open_rows (options->database, "database", &database, error)
         && protect_rows (options, (const AssayDefense *) plugin, settings, secrets, groups,
                          database, error);
}

int
cli_protect (int argc, char **argv)
{
  ProtectOptions options = { .seed = 1 };
  const GOptionEntry entries[] = {
    { "defense", 'd', 0, G_OPTION_ARG_STRING, &options.defense, "The defense", "NAME" },
    { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.assignments, "A setting of it",
      "SETTING=VALUE" },
    { "secrets", 0, 0, G_OPTION_ARG_STRING, &options.secrets,
      "What to protect: .npy, .fvecs, .bvecs or .ivecs", "FILE[a:b]" },
    { "groups", 0, 0, G_OPTION_ARG_STRING, &options.groups,
      "One number per secret: which belong together", "FILE[a:b]" },
    { "database", 0, 0, G_OPTION_ARG_STRING, &options.database,
      "What the defense draws from, if it does", "FILE[a:b]" },
    { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release, "Folder for the release", "DIR" },
    { "truth", 't', 0, G_OPTION_ARG_FILENAME, &options.truth, "Folder for the truth", "DIR" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed (default 1)", "N" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GError) error = NULL;
  int code = EXIT_BAD_INPUT;

  if (!cli_parse (&argc, &argv, "",
                  "Protects secrets: writes a release folder, and the truth apart.",
                  "Example:\n  assay protect --defense affine-lifting --set dimension=4 \\\n"
                  "    --secrets secrets.npy --database database.npy --release release --truth "
                  "truth\n",
                  entries)
      || !cli_check_words (argc, argv, 0))
    ;
  else if (options.defense == NULL || options.secrets == NULL || options.release == NULL
           || options.truth == NULL)
    g_printerr ("assay protect: expected --defense, --secrets, --release and --truth\n");
  else if (!protect (&options, &error))
    code = cli_fail (error);
  else
    code = EXIT_OK;
  options_clear (&options);
  return code;
}
