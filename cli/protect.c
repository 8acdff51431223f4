/* assay protect: step 1 alone. */
#include "cli/cli.h"
#include "cli/like.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"

typedef struct {
  char *defense, *secrets, *groups, *labels, *database, *public_rows, *release, *truth;
  char **assignments;
  gint64 seed, repeat, classes;
  CliLike like;
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
  cli_like_clear (&options->like);
}

/* Labels count classes from 0. */
static gboolean
count_classes (const gint64 *labels, gsize n, gsize *inout_count, GError **error)
{
  for (gsize i = 0; labels != NULL && i < n; i++) {
    if (labels[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "--labels: row %" G_GSIZE_FORMAT " is %" G_GINT64_FORMAT
                         "; expected classes from 0",
                         i, labels[i]);
    *inout_count = MAX (*inout_count, (gsize) labels[i] + 1);
  }
  return TRUE;
}

/* What is to be protected, and what the arrays of it are borrowed from. */
typedef struct {
  AssaySecrets secrets;
  AssayTruth *truth;
  AssayMatrix *matrix;
  gint64 *groups, *labels;
} Given;

static void
given_clear (Given *given)
{
  assay_truth_free (given->truth);
  assay_matrix_free (given->matrix);
  g_free (given->groups);
  g_free (given->labels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Given, given_clear)

/* Rows of a file, or a truth folder: then with its groups, labels, frames and geometry. */
static gboolean
read_secrets (const char *place, Given *given, GError **error)
{
  g_autoptr (AssayRows) rows = NULL;

  if (g_file_test (place, G_FILE_TEST_IS_DIR)) {
    given->truth = assay_truth_read (place, error);
    return given->truth != NULL && assay_secrets_of (given->truth, &given->secrets, error);
  }
  if (!cli_open_rows (place, "secrets", &rows, error))
    return FALSE;
  given->matrix = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error);
  if (given->matrix == NULL)
    return FALSE;
  given->secrets.rows = assay_matrix_view (given->matrix);
  return TRUE;
}

static gboolean
read_given (const ProtectOptions *options, Given *given, GError **error)
{
  AssaySecrets *secrets = &given->secrets;

  if (!read_secrets (options->secrets, given, error)
      || !cli_read_numbers (options->groups, "groups", secrets->rows.rows, &given->groups, error)
      || !cli_read_numbers (options->labels, "labels", secrets->rows.rows, &given->labels, error))
    return FALSE;
  if (given->groups != NULL)
    secrets->groups = given->groups;
  if (given->labels != NULL) {
    secrets->labels = given->labels;
    secrets->n_classes = 0;
  }
  if (!count_classes (secrets->labels, secrets->rows.rows, &secrets->n_classes, error))
    return FALSE;
  if (options->classes == 0)
    return TRUE;
  if ((gsize) options->classes < secrets->n_classes)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "--classes %" G_GINT64_FORMAT ": the labels have %" G_GSIZE_FORMAT
                       "; expected at least as many",
                       options->classes, secrets->n_classes);
  secrets->n_classes = (gsize) options->classes;
  return TRUE;
}

/* The stream of release number @repeat; 0: the one that is attacked. */
static AssayStreamKey
stream_of (const ProtectOptions *options, const AssayComponent *component, gint64 repeat)
{
  g_autofree char *role = repeat > 0
                              ? g_strdup_printf ("defense-repeat-%" G_GINT64_FORMAT, repeat)
                              : g_strdup ("defense");
  g_autofree char *canonical = assay_settings_canonical (component->settings);
  g_autofree char *upstream = g_strconcat (component->plugin->id, "\n", canonical, NULL);

  if (options->like.cell != NULL)
    return assay_plan_stream (options->like.run->plan, options->like.cell, role, NULL);
  return assay_stream_key ((guint64) options->seed, 0, role, upstream);
}

static gboolean
protect_rows (const ProtectOptions *options, const AssayComponent *component,
              const AssayKnowledge *knowledge, GError **error)
{
  const CliLike *like = &options->like;
  g_auto (Given) given = { 0 };
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;

  if (!read_given (options, &given, error))
    return FALSE;
  /* Of a cell, as many as its dataset has, though the labels of a few secrets may not show all. */
  if (like->cell != NULL && options->classes == 0)
    given.secrets.n_classes
        = MAX (given.secrets.n_classes, like->run->plan->probes[like->cell->dataset].n_classes);
  return assay_step_protect ((const AssayDefense *) component->plugin, component->settings,
                             stream_of (options, component, options->repeat),
                             stream_of (options, component, 0), &given.secrets, knowledge, &release,
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
protect_with (const ProtectOptions *options, const AssayComponent *component, GError **error)
{
  g_autoptr (AssayRows) database = NULL;
  g_autoptr (AssayRows) public_rows = NULL;
  AssayKnowledge knowledge;

  if (is_one_folder (options->release, options->truth))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--release and --truth are both %s; expected two folders, because whoever "
                       "gets the release must not get the truth",
                       options->release);
  if (!assay_exchange_check_target (options->release, error)
      || !assay_exchange_check_target (options->truth, error)
      || !cli_open_rows (options->database, "database", &database, error)
      || !cli_open_rows (options->public_rows, "public", &public_rows, error))
    return FALSE;
  knowledge = (AssayKnowledge){ .database = database, .public_rows = public_rows };
  return protect_rows (options, component, &knowledge, error);
}

static gboolean
protect (ProtectOptions *options, GError **error)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayComponent own = { 0 };

  if (!cli_like_open (&options->like, error))
    return FALSE;
  if (options->like.cell != NULL)
    return protect_with (options, cli_like_defense (&options->like), error);
  own.plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, options->defense, error);
  settings = own.plugin != NULL ? cli_settings (own.plugin, options->assignments, error) : NULL;
  own.settings = settings;
  return settings != NULL && protect_with (options, &own, error);
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
            "What to protect: .npy, .fvecs, .bvecs or .ivecs, or a truth folder", "FILE[a:b]" },
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
          { "classes", 0, 0, G_OPTION_ARG_INT64, &options.classes,
            "How many classes there are (default: as many as labels show)", "N" },
          { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed (default 1)", "N" },
          { "repeat", 0, 0, G_OPTION_ARG_INT64, &options.repeat,
            "Further release number N of the same secrets: other noise, the same hash function",
            "N" },
          CLI_LIKE_OPTIONS (options.like, "the defense, settings and random numbers"),
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
  else if ((options.defense == NULL && options.like.folder == NULL) || options.secrets == NULL
           || options.release == NULL || options.truth == NULL)
    g_printerr ("assay protect: expected --defense, --secrets, --release and --truth\n");
  else if (options.like.folder != NULL
           && (options.defense != NULL || options.assignments != NULL))
    g_printerr ("assay protect: --like: the cell says which defense it is, with which settings; "
                "expected neither --defense nor --set\n");
  else if (options.repeat < 0 || options.repeat > 1000000)
    g_printerr ("assay protect: --repeat: expected 0 to 1000000\n");
  else if (options.classes < 0 || options.classes > 1000000)
    g_printerr ("assay protect: --classes: expected 1 to 1000000\n");
  else if (!protect (&options, &error))
    code = cli_fail (error);
  else
    code = EXIT_OK;
  options_clear (&options);
  return code;
}
