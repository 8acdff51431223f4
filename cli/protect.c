/* assay protect: step 1 alone. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "core/parallel.h"
#include "core/registry.h"
#include "runner/steps.h"

typedef struct {
  char *defense, *secrets, *groups, *labels, *database, *public_rows, *release, *truth;
  char **assignments;
  gint64 seed;
} ProtectOptions;

static void
options_clear (ProtectOptions *options)
{
  g_free (options->defense);
  g_free (options->secrets);
  g_free (options->groups);
  g_free (options->labels);
  g_free (options->database);
  g_free (options->public_rows);
  g_free (options->release);
  g_free (options->truth);
  g_strfreev (options->assignments);
}

#define MAX_NUMBER (1 << 24)

/* Whole numbers, one per secret, from a file of one column. */
static gboolean
read_numbers (const char *option, const char *place, gsize n, gint64 **ret_numbers, GError **error)
{
  g_autoptr (AssayRows) rows = NULL;
  g_autofree float *values = NULL;

  if (!cli_open_rows (place, option, &rows, error))
    return FALSE;
  if (rows == NULL)
    return TRUE;
  if (assay_rows_count (rows) != n || assay_rows_cols (rows) != 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--%s: expected one column of %" G_GSIZE_FORMAT
                       " numbers, found %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT,
                       option, n, assay_rows_count (rows), assay_rows_cols (rows));
  values = g_new (float, n);
  assay_rows_read (rows, 0, n, ASSAY_SCALE_NONE, values);
  *ret_numbers = g_new (gint64, n);
  for (gsize i = 0; i < n; i++) {
    /* Beyond that, neighbouring numbers are one float32: two groups would become one. */
    if (values[i] != truncf (values[i]) || fabsf (values[i]) > MAX_NUMBER)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "--%s: row %" G_GSIZE_FORMAT " is %.9g; expected a whole number, at "
                         "most %d",
                         option, i, (double) values[i], MAX_NUMBER);
    (*ret_numbers)[i] = (gint64) values[i];
  }
  return TRUE;
}

/* Labels count classes from 0. */
static gboolean
count_classes (const gint64 *labels, gsize n, gsize *ret_count, GError **error)
{
  *ret_count = 0;
  for (gsize i = 0; labels != NULL && i < n; i++) {
    if (labels[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "--labels: row %" G_GSIZE_FORMAT " is %" G_GINT64_FORMAT
                         "; expected classes from 0",
                         i, labels[i]);
    *ret_count = MAX (*ret_count, (gsize) labels[i] + 1);
  }
  return TRUE;
}

static gboolean
protect_rows (const ProtectOptions *options, const AssayDefense *defense,
              const AssaySettings *settings, const AssayRows *secrets,
              const AssayKnowledge *knowledge, GError **error)
{
  const gsize n = assay_rows_count (secrets);
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (n, assay_rows_cols (secrets), error);
  g_autofree gint64 *groups = NULL;
  g_autofree gint64 *labels = NULL;
  g_autofree char *canonical = assay_settings_canonical (settings);
  g_autofree char *upstream = g_strconcat (defense->id, "\n", canonical, NULL);
  const AssayStreamKey stream = assay_stream_key ((guint64) options->seed, 0, "defense", upstream);
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  AssaySecrets protected;

  if (matrix == NULL || !read_numbers ("groups", options->groups, n, &groups, error)
      || !read_numbers ("labels", options->labels, n, &labels, error))
    return FALSE;
  assay_rows_read (secrets, 0, n, ASSAY_SCALE_NONE, matrix->data);
  protected
      = (AssaySecrets){ .rows = assay_matrix_view (matrix), .groups = groups, .labels = labels };
  return count_classes (labels, n, &protected.n_classes, error)
         && assay_step_protect (defense, settings, stream, stream, &protected, knowledge, &release,
                                &truth, error)
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
  g_autoptr (AssayRows) database = NULL;
  g_autoptr (AssayRows) public_rows = NULL;
  AssayKnowledge knowledge;

  if (settings != NULL && is_one_folder (options->release, options->truth))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--release and --truth are both %s; expected two folders, because whoever "
                       "gets the release must not get the truth",
                       options->release);
  if (settings == NULL || !assay_exchange_check_target (options->release, error)
      || !assay_exchange_check_target (options->truth, error)
      || !cli_open_rows (options->secrets, "secrets", &secrets, error)
      || !cli_open_rows (options->database, "database", &database, error)
      || !cli_open_rows (options->public_rows, "public", &public_rows, error))
    return FALSE;
  knowledge = (AssayKnowledge){ .database = database, .public_rows = public_rows };
  return protect_rows (options, (const AssayDefense *) plugin, settings, secrets, &knowledge,
                       error);
}

int
cli_protect (int argc, char **argv)
{
  ProtectOptions options = { .seed = 1 };
  const GOptionEntry entries[]
      = { { "defense", 'd', 0, G_OPTION_ARG_STRING, &options.defense, "The defense", "NAME" },
          { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.assignments, "A setting of it",
            "SETTING=VALUE" },
          { "secrets", 0, 0, G_OPTION_ARG_STRING, &options.secrets,
            "What to protect: .npy, .fvecs, .bvecs or .ivecs", "FILE[a:b]" },
          { "groups", 0, 0, G_OPTION_ARG_STRING, &options.groups,
            "One number per secret: which belong together", "FILE[a:b]" },
          { "labels", 0, 0, G_OPTION_ARG_STRING, &options.labels,
            "The class of each secret, counted from 0", "FILE[a:b]" },
          { "database", 0, 0, G_OPTION_ARG_STRING, &options.database,
            "What the defense draws from, if it does", "FILE[a:b]" },
          { "public", 0, 0, G_OPTION_ARG_STRING, &options.public_rows,
            "Public rows that it mixes secrets with, if it does", "FILE[a:b]" },
          { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release, "Folder for the release",
            "DIR" },
          { "truth", 't', 0, G_OPTION_ARG_FILENAME, &options.truth, "Folder for the truth", "DIR" },
          { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed (default 1)", "N" },
          G_OPTION_ENTRY_NULL };
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
