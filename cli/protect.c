/* assay protect: step 1 alone. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/step.h"
#include "config.h"
#include "core/base/free.h"
#include "core/data/folders/image-rows.h"
#include "core/data/npy.h"
#include "core/data/row-file.h"
#include "runner/run/steps.h"

#define NO_SEED G_MININT64

static struct {
  CliStepOptions step;
  char *secrets, *groups, *labels, *release, *truth;
  gint64 repeat, classes;
} options = { .step.seed = NO_SEED };

static const GOptionEntry entries[] = {
  { "defense", 'd', 0, G_OPTION_ARG_STRING, &options.step.name, "The defense", "NAME" },
  CLI_STEP_SET (options.step, "A setting of the defense"),
  { "secrets", 0, 0, G_OPTION_ARG_STRING, &options.secrets,
    "What to protect: .npy, .fvecs, .bvecs or .ivecs, or a truth folder", "FILE[a:b]" },
  { "groups", 0, 0, G_OPTION_ARG_STRING, &options.groups,
    "One number for each secret: equal for those that belong together", "FILE[a:b]" },
  { "labels", 0, 0, G_OPTION_ARG_STRING, &options.labels,
    "The class of each secret, counted from 0", "FILE[a:b]" },
  { "database", 0, 0, G_OPTION_ARG_STRING, &options.step.database,
    "Rows from which the defense draws, if it needs them", "FILE[a:b]" },
  { "public", 0, 0, G_OPTION_ARG_STRING, &options.step.public_rows,
    "Public rows with which the defense mixes secrets, if it does", "FILE[a:b]" },
  { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release, "New folder for the release",
    "DIR" },
  { "truth", 't', 0, G_OPTION_ARG_FILENAME, &options.truth, "New folder for the truth", "DIR" },
  { "classes", 0, 0, G_OPTION_ARG_INT64, &options.classes,
    "How many classes there are (default: as many as labels show)", "N" },
  CLI_STEP_SEED (options.step,
                 "Seed, to make a release again (default: a fresh one, written to TRUTH/seed)"),
  { "repeat", 0, 0, G_OPTION_ARG_INT64, &options.repeat,
    "Further release number N of the same secrets: other noise, the same hash function", "N" },
  CLI_STEP_HIDE (options.step),
  CLI_STEP_LIKE (options.step, "the defense, settings and random numbers"),
  CLI_STEP_QUIET (options.step),
  G_OPTION_ENTRY_NULL
};

/* Labels count classes from 0. */
static gboolean
count_classes (const gint64 *labels, gsize n, gsize *inout_count, GError **error)
{
  for (gsize i = 0; labels != NULL && i < n; i++) {
    if (labels[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "--labels: row %zu is %" G_GINT64_FORMAT "; expected classes from 0", i,
                         labels[i]);
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

ASSAY_LOCAL_CLEAR (Given, given_clear, assay_truth_free (self->truth),
                   assay_matrix_free (self->matrix), g_free (self->groups), g_free (self->labels))

/* The height, width and channels of images in one .npy file of three dimensions or more. Of any
 * other, and of shapes that are no images, nothing is known. */
static AssayGeometry
find_geometry (const char *place)
{
  const char *const folders[] = { ".", assay_data_folder (ASSAY_DEFAULT_DATA), NULL };
  AssayRowSpan span;
  g_autofree char *name = assay_row_span_split (place, &span, NULL);
  g_autofree char *path = name != NULL && g_str_has_suffix (name, ".npy")
                              ? assay_row_file_find (name, folders, NULL)
                              : NULL;
  g_autoptr (AssayArray) array = path != NULL ? assay_npy_map (path, NULL) : NULL;
  AssayGeometry geometry = { 0 };
  AssayArrays arrays;

  if (array == NULL || array->n_dimensions < 3)
    return geometry;
  assay_arrays_init (&arrays);
  assay_arrays_take (&arrays, "secrets", assay_array_copy (array));
  if (!assay_image_rows_take (&arrays, "secrets", ASSAY_ORDER_NOT_TOLD, &geometry, NULL))
    geometry = (AssayGeometry){ 0 };
  assay_arrays_clear (&arrays);
  return geometry;
}

/* Rows of a file, with the geometry of images in it; or a truth folder: then with its groups,
 * labels, frames and geometry. */
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
  given->secrets.geometry = find_geometry (place);
  return TRUE;
}

static gboolean
read_given (Given *given, GError **error)
{
  AssaySecrets *secrets = &given->secrets;

  if (!read_secrets (options.secrets, given, error)
      || !cli_read_numbers (options.groups, "groups", secrets->rows.rows, &given->groups, error)
      || !cli_read_numbers (options.labels, "labels", secrets->rows.rows, &given->labels, error))
    return FALSE;
  if (given->groups != NULL)
    secrets->groups = given->groups;
  if (given->labels != NULL) {
    secrets->labels = given->labels;
    secrets->n_classes = 0;
  }
  if (!count_classes (secrets->labels, secrets->rows.rows, &secrets->n_classes, error))
    return FALSE;
  if (options.classes == 0)
    return TRUE;
  if ((gsize) options.classes < secrets->n_classes)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "--classes %" G_GINT64_FORMAT
                       ": the labels have %zu; expected at least as many",
                       options.classes, secrets->n_classes);
  secrets->n_classes = (gsize) options.classes;
  return TRUE;
}

/* The stream of release number @repeat; 0: the one that is attacked. */
static AssayStreamKey
stream_of (const CliStep *step, gint64 repeat)
{
  g_autofree char *role = repeat > 0 ? g_strdup_printf ("defense-repeat-%" G_GINT64_FORMAT, repeat)
                                     : g_strdup ("defense");

  return cli_step_stream (step->options, role, step->plugin->id, step->settings, NULL);
}

/* Noise of a seed that others know, or guess, can be subtracted: without one that was asked for,
 * the system's random numbers give one. */
static gboolean
draw_seed (gint64 *ret_seed, GError **error)
{
  guint64 seed = 0;
  const gboolean is_drawn = cli_seed_draw (&seed, error);

  *ret_seed = (gint64) seed;
  return is_drawn;
}

/* The seed is the owner's alone: beside the truth, never in the release. */
static gboolean
write_seed (gint64 seed, GError **error)
{
  g_autofree char *place = g_build_filename (options.truth, "seed", NULL);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "\n", seed);

  return g_file_set_contents (place, text, -1, error);
}

static gboolean
make_release (const CliStep *step, const AssaySecrets *secrets, AssayRelease **ret_release,
              AssayTruth **ret_truth, GError **error)
{
  const AssayKnowledge knowledge = { .database = step->database, .public_rows = step->public_rows };
  CliProgress *progress = cli_progress_of_step (options.step.quiet, step->plugin->id);
  const gboolean is_ok
      = assay_step_protect ((const AssayDefense *) step->plugin,
                            &(AssayProtecting){ .settings = step->settings,
                                                .stream = stream_of (step, options.repeat),
                                                .common = stream_of (step, 0),
                                                .knowledge = &knowledge },
                            secrets, ret_release, ret_truth, error);

  cli_progress_free (progress);
  return is_ok;
}

static gboolean
protect_rows (const CliStep *step, GError **error)
{
  const CliLike *like = &options.step.like;
  g_auto (Given) given = { 0 };
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  gboolean is_ok;

  if (!read_given (&given, error))
    return FALSE;
  /* Of a cell, as many as its dataset has, though the labels of a few secrets may not show all. */
  if (like->cell != NULL && options.classes == 0)
    given.secrets.n_classes
        = MAX (given.secrets.n_classes, like->run->plan->probes[like->cell->dataset].n_classes);
  is_ok = make_release (step, &given.secrets, &release, &truth, error)
          && assay_release_write (release, options.release, error)
          && assay_truth_write (truth, options.truth, error)
          && (like->folder != NULL || write_seed (options.step.seed, error));
  if (is_ok && truth->says != NULL)
    g_printerr ("assay: warning: %s%s\n", ASSAY_SAYS_OF_RELEASE, truth->says);
  return is_ok;
}

static gboolean
check_folders (GError **error)
{
  if (cli_is_one_place (options.release, options.truth))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--release and --truth are both %s; expected two folders, because whoever "
                       "gets the release must not get the truth",
                       options.release);
  return assay_exchange_check_target (options.release, error)
         && assay_exchange_check_target (options.truth, error);
}

static int
protect (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  const CliStepOptions *given = &options.step;
  g_auto (CliStep) step = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean is_ok;

  if ((given->name == NULL && given->like.folder == NULL) || options.secrets == NULL
      || options.release == NULL || options.truth == NULL)
    return cli_refuse ("expected --defense, --secrets, --release and --truth");
  if (given->like.folder != NULL && (given->name != NULL || given->assignments != NULL))
    return cli_refuse ("--like: the cell says which defense it is, with which settings; expected "
                       "neither --defense nor --set");
  if (options.repeat < 0 || options.repeat > 1000000)
    return cli_refuse ("--repeat: expected 0 to 1000000");
  if (options.classes < 0 || options.classes > 1000000)
    return cli_refuse ("--classes: expected 1 to 1000000");
  if (options.repeat > 0 && options.step.seed == NO_SEED && given->like.folder == NULL)
    return cli_refuse ("--repeat: expected --seed, that of the first release (TRUTH/seed of it): "
                       "what releases have in common is drawn from it");
  is_ok = (options.step.seed != NO_SEED || draw_seed (&options.step.seed, &error))
          && cli_step_open (&options.step, ASSAY_PLUGIN_DEFENSE, &step, &error)
          && check_folders (&error) && cli_step_open_rows (&step, NULL, &error)
          && protect_rows (&step, &error);
  return is_ok ? EXIT_OK : cli_fail (error);
}

const CliUsage cli_protect = {
  .parameters = "",
  .summary = "Protects secrets: writes what is released into one folder, and the truth, which no\n"
             "attack may see, into another.",
  .description
  = "Example:\n"
    "  python3 -c 'import numpy; numpy.save(\"secrets.npy\", numpy.random.rand(100, 16))'\n"
    "  python3 -c 'import numpy; numpy.save(\"database.npy\", numpy.random.rand(900, 16))'\n"
    "  assay protect --defense affine-lifting --set dimension=4 \\\n"
    "    --secrets secrets.npy --database database.npy --release release --truth truth\n",
  .entries = entries,
  .run = protect,
};
