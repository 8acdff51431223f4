/* assay audit: from a defense and a file of rows to a verdict, without a scenario. */
#include <math.h>
#include <string.h>

#include "cli/audit/audit-folder.h"
#include "cli/audit/audit-released.h"
#include "cli/audit/audit.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/help/starter-attacks.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/math/column-units.h"
#include "core/plugin/registry.h"
#include "runner/by-hand/steps-by-hand.h"

#define MAX_SIZE 4096 /* of image-folder */

static struct {
  char *defense, *command, *data, *released, *labels, *attributes, *public_rows, *database;
  char *out, *time;
  char **assignments, **bounds;
  gint secrets, size, jobs;
  char *seed_text; /* NULL: it was not given */
  gint64 seed;
  gboolean quiet;
} given = { .seed = 1, .jobs = CLI_NOT_GIVEN };

static const GOptionEntry entries[] = {
  { "defense", 'd', 0, G_OPTION_ARG_STRING, &given.defense,
    "The defense (default: exec, where there is a --command)", "NAME" },
  { "command", 'c', 0, G_OPTION_ARG_STRING, &given.command,
    "The program that protects your rows (the defense exec)", "TEXT" },
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &given.assignments, "A setting of the defense",
    "SETTING=VALUE" },
  { "data", 0, 0, G_OPTION_ARG_FILENAME, &given.data,
    "Rows of numbers, one for each person: .npy, .npz, .csv, .tsv, .h5, .fvecs, IDX or "
    "CIFAR; or a folder of images, whose sub-folders are their labels",
    "FILE" },
  { "released", 'r', 0, G_OPTION_ARG_FILENAME, &given.released,
    "In place of a defense: a release that exists already, with a row for each row of --data",
    "FILE" },
  { "size", 0, 0, G_OPTION_ARG_INT, &given.size,
    "Of a folder of images: the middle square of each is scaled to this many pixels a side",
    "PIXELS" },
  { "labels", 0, 0, G_OPTION_ARG_FILENAME, &given.labels,
    "The class of each row: a column of --data, a file, or FILE.csv:COLUMN", "FILE" },
  { "attributes", 0, 0, G_OPTION_ARG_FILENAME, &given.attributes,
    "What else nobody should be able to infer: columns of --data, or FILE.csv:COLUMN,...",
    "COLUMNS" },
  { "public", 0, 0, G_OPTION_ARG_FILENAME, &given.public_rows,
    "Rows that attackers have (default: half of --data)", "FILE" },
  { "database", 0, 0, G_OPTION_ARG_FILENAME, &given.database,
    "Rows from which the defense draws, if it does (.npy, .fvecs)", "FILE" },
  { "secrets", 0, 0, G_OPTION_ARG_INT, &given.secrets,
    "Rows that are protected together (default: 200, or fewer where there are fewer)", "N" },
  { "claim", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.bounds,
    "What you claim, in place of the usual bound: recovery-rate=0.01, for one", "MEASURE=BOUND" },
  { "time", 't', 0, G_OPTION_ARG_STRING, &given.time,
    "Time that all of it may take, such as 90s, 5m or 1h (default: 5m)", "TIME" },
  { "out", 'o', 0, G_OPTION_ARG_FILENAME, &given.out,
    "A new folder for scenario, data and results (default: assay-out/audit-DEFENSE-DATA)", "DIR" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &given.seed_text,
    "Another seed; fresh: one that is drawn, and that nobody can guess", "N" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &given.jobs,
    "Threads to use (default: one per processor); results do not depend on it", "N" },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "No progress", NULL },
  G_OPTION_ENTRY_NULL
};

/* ---- What was given ---- */

/* "90s", "5m", "1h", "90" */
static gboolean
read_time (const char *text, double *ret_seconds, GError **error)
{
  static const struct {
    char unit;
    double seconds;
  } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
  g_autofree char *number = g_strdup (text != NULL ? text : "5m");
  const gsize length = strlen (number);
  double factor = 1, value;

  for (guint i = 0; length > 0 && i < G_N_ELEMENTS (units); i++)
    if (number[length - 1] == units[i].unit) {
      factor = units[i].seconds;
      number[length - 1] = '\0';
      break;
    }
  if (!assay_text_to_double (number, &value) || !(value * factor >= 1 && value * factor <= 1e6))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--time %s: expected 1 s at least, such as 90s, 5m or 1h", text);
  *ret_seconds = value * factor;
  return TRUE;
}

static gboolean
check_bounds (GError **error)
{
  for (guint i = 0; given.bounds != NULL && given.bounds[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (given.bounds[i], "=", 2);
    double value;

    if (pair[1] == NULL || *pair[0] == '\0'
        || (!assay_text_to_double (pair[1], &value) && !g_str_equal (pair[1], "claimed")))
      return assay_fail (error, ASSAY_ERROR_PARAMETER,
                         "--claim '%s': expected MEASURE=BOUND, such as recovery-rate=0.01%s",
                         given.bounds[i],
                         g_str_has_suffix (given.bounds[i], "%") ? "; 10 % is 0.1" : "");
  }
  return TRUE;
}

/* Words NAME=VALUE of the text `settings` that "set.NAME=VALUE" adds, as in a scenario. */
static gboolean
takes_named (const AssayPlugin *plugin, const char *assignment)
{
  return g_str_has_prefix (assignment, "set.") && strchr (assignment, '=') != NULL
         && strpbrk (assignment, " \t") == NULL
         && assay_param_exists (plugin->parameters, "settings");
}

/* What --set and --command say; a program that hangs is given up after a quarter of the time. */
static AssaySettings *
read_settings (const AssayPlugin *plugin, double seconds, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) named = g_string_new ("settings=");
  const gsize length = named->len;
  gboolean has_limit = !assay_param_exists (plugin->parameters, "time_limit");

  for (guint i = 0; given.assignments != NULL && given.assignments[i] != NULL; i++) {
    const char *one = given.assignments[i];

    if (takes_named (plugin, one))
      g_string_append_printf (named, "%s%s", named->len > length ? " " : "", one + strlen ("set."));
    else
      g_ptr_array_add (words, g_strdup (one));
    has_limit |= g_str_has_prefix (one, "time_limit");
  }
  if (named->len > length)
    g_ptr_array_add (words, g_strdup (named->str));
  if (given.released != NULL)
    g_ptr_array_add (words, g_strdup ("folder=release"));
  if (given.command != NULL)
    g_ptr_array_add (words, g_strconcat ("command=", given.command, NULL));
  if (!has_limit)
    g_ptr_array_add (words,
                     g_strdup_printf ("time_limit=%.0f", CLAMP (ceil (seconds / 4), 5, 600)));
  g_ptr_array_add (words, NULL);
  return assay_by_hand_settings (plugin, (const char *const *) words->pdata, "--set: ", error);
}

/* ---- The whole ---- */

static gboolean
write_scenario (const CliAudit *audit, GError **error)
{
  g_autofree char *text = cli_audit_scenario (audit, error);
  g_autofree char *why_refused = NULL;

  if (text != NULL && !cli_is_planned (audit->scenario, text, &why_refused))
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "%s%s",
                       audit->bounds != NULL ? "with these --claim: " : "", why_refused);
  return text != NULL
         && (g_file_set_contents (audit->scenario, text, -1, NULL)
             || assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written", audit->scenario));
}

/* The rows of --data and --public, in the folder. */
typedef struct {
  CliAuditData data, others;
  CliAuditSplit split;
  AssayMatrix *private_rows, *public_rows;
  AssayMatrix *compared; /* public rows with columns on one scale; NULL: these are */
  AssayMatrix *released; /* beside all rows of --data; NULL: a defense makes it */
} Parts;

ASSAY_LOCAL_CLEAR (Parts, parts_clear, cli_audit_data_clear (&self->data),
                   cli_audit_data_clear (&self->others), cli_audit_split_clear (&self->split),
                   assay_drop (self->private_rows, assay_matrix_free),
                   assay_drop (self->compared, assay_matrix_free),
                   assay_drop (self->released, assay_matrix_free),
                   assay_drop (self->public_rows, assay_matrix_free))

static gboolean
read_parts (Parts *parts, GError **error)
{
  const CliAuditFiles files = { .option = "--data",
                                .data = given.data,
                                .labels = given.labels,
                                .attributes = given.attributes,
                                .size = (gsize) given.size };
  const CliAuditFiles of_public = { .option = "--public",
                                    .data = given.public_rows,
                                    .size = (gsize) given.size,
                                    .like = &parts->data };

  if (!cli_audit_data_read (&files, &parts->data, error))
    return FALSE;
  if (given.public_rows == NULL)
    return TRUE;
  if (given.labels != NULL || given.attributes != NULL)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--public and --%s: the public rows need %s, too; expected --data with all "
                       "rows and their %s, which are divided",
                       given.labels != NULL ? "labels" : "attributes",
                       given.labels != NULL ? "labels" : "attributes",
                       given.labels != NULL ? "labels" : "attributes");
  if (!cli_audit_data_read (&of_public, &parts->others, error))
    return FALSE;
  /* Those of sub-folders, which both have or none. */
  if (parts->others.labels == NULL)
    g_clear_pointer (&parts->data.labels, g_free);
  return parts->others.rows->cols == parts->data.rows->cols
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "--public: %s has %zu columns; expected %zu as %s has", given.public_rows,
                        parts->others.rows->cols, parts->data.rows->cols, given.data);
}

static gboolean
write_parts (const char *folder, Parts *parts, GError **error)
{
  const CliAuditSplit *split = &parts->split;
  g_autofree gsize *all = NULL;

  parts->private_rows = cli_audit_write_part (folder, "private", &parts->data, split->order,
                                              split->n_private, error);
  if (parts->private_rows == NULL)
    return FALSE;
  if (parts->others.rows != NULL) {
    all = g_new (gsize, parts->others.rows->rows);
    for (gsize i = 0; i < parts->others.rows->rows; i++)
      all[i] = i;
    parts->public_rows = cli_audit_write_part (folder, "public", &parts->others, all,
                                               parts->others.rows->rows, error);
  } else {
    parts->public_rows = cli_audit_write_part (
        folder, "public", &parts->data, split->order + split->n_private, split->n_public, error);
  }
  return parts->public_rows != NULL;
}

static void
describe_parts (CliAudit *audit, const Parts *parts)
{
  audit->n_private = parts->split.n_private;
  /* What exists already is one release, of all that are attacked. */
  audit->n_secrets = given.released != NULL ? audit->n_private : parts->split.n_secrets;
  audit->n_joined = parts->split.n_joined;
  audit->n_left_out = parts->split.n_left_out;
  audit->has_labels = parts->data.labels != NULL;
  audit->attributes = parts->data.attributes;
  audit->geometry = parts->data.geometry;
  audit->public_rows = assay_matrix_view (parts->public_rows);
  audit->most_trials = (guint) (audit->n_private / audit->n_secrets);
}

/* Rows for a program are compared column by column where their deviations differ as those of units
 * do. What is built in would have to be set for columns so scaled, and gets them as they are. */
static gboolean
choose_scale (CliAudit *audit, Parts *parts, GError **error)
{
  g_autoptr (AssayRows) rows = assay_rows_borrow (audit->public_rows);
  g_autofree float *units = NULL;
  double low, high;

  if (!assay_column_deviation_range (rows, &low, &high, error))
    return FALSE;
  audit->compared = audit->public_rows;
  audit->scales_columns
      = audit->command != NULL && audit->geometry.height == 0 && high >= ASSAY_UNLIKE_UNITS * low;
  if (!audit->scales_columns)
    return TRUE;
  units = assay_column_units (rows, error);
  parts->compared
      = units != NULL ? assay_columns_divide (audit->public_rows, units, error) : NULL;
  if (parts->compared == NULL)
    return FALSE;
  audit->compared = assay_matrix_view (parts->compared);
  if (!given.quiet)
    g_printerr ("%s: deviations of columns are from %.3g to %.3g: they are compared on one scale "
                "(scale = columns)\n",
                given.data, low, high);
  return TRUE;
}

/* What counts as recovered. */
static void
choose_tau (CliAudit *audit)
{
  audit->tau = cli_audit_tau (audit->compared);
  if (audit->tau < CLI_AUDIT_USUAL_TAU && !given.quiet)
    g_printerr ("%s: rows are alike: a row counts as recovered by a guess that is %.3g of its "
                "length away at most (recovery-rate tau=%.3g), because one guess for all would be "
                "that near at %g\n",
                given.data, audit->tau, audit->tau, CLI_AUDIT_USUAL_TAU);
}

/* --released, where it is given, beside the rows. */
static gboolean
read_released (CliAudit *audit, Parts *parts, GError **error)
{
  if (given.released == NULL)
    return TRUE;
  parts->released = cli_audit_released_read (given.released, &parts->data, error);
  if (parts->released == NULL)
    return FALSE;
  audit->released_cols = parts->released->cols;
  return parts->data.geometry.height > 0
         || cli_audit_released_scale (&parts->data.rows, &parts->released, &audit->scales_released,
                                      error);
}

/* One that exists is laid out; what makes one is tried. */
static gboolean
begin_release (CliAudit *audit, const Parts *parts, GError **error)
{
  const AssayView private_rows = assay_matrix_view (parts->private_rows);

  return parts->released != NULL
             ? cli_audit_released_write (audit->folder, parts->released, parts->public_rows,
                                         &parts->split, error)
             : cli_audit_try (audit, assay_view_rows (private_rows, 0, audit->n_secrets),
                              &parts->data, parts->split.order, error);
}

/* Everything up to the scenario. */
static gboolean
prepare (CliAudit *audit, Parts *parts, GError **error)
{
  audit->folder = cli_audit_choose_folder (given.out, audit->defense->id, given.data, error);
  if (audit->folder == NULL || !read_parts (parts, error) || !read_released (audit, parts, error)
      || !cli_audit_split (&parts->data, parts->others.rows != NULL, (gsize) given.secrets,
                           audit->seed, &parts->split, error)
      || !cli_make_folder (audit->folder, "--out: ", "", error)
      || !write_parts (audit->folder, parts, error))
    return FALSE;
  describe_parts (audit, parts);
  if (!choose_scale (audit, parts, error))
    return FALSE;
  choose_tau (audit);
  audit->scenario = g_build_filename (audit->folder, CLI_AUDIT_SCENARIO, NULL);
  if (!given.quiet)
    g_printerr ("%s: %zu rows are private, %zu public; %s on %zu\n", given.data, audit->n_private,
                audit->public_rows.rows,
                given.released != NULL ? "attacking what was released" : "trying the defense",
                audit->n_secrets);
  return begin_release (audit, parts, error) && cli_audit_choose_runs (audit, error)
         && write_scenario (audit, error);
}

static int
audit_in_time (CliAudit *audit, gint64 started)
{
  g_auto (Parts) parts = { 0 };
  g_autoptr (GError) error = NULL;

  if (!prepare (audit, &parts, &error)) {
    if (audit->scenario != NULL)
      cli_audit_take_back (audit->folder);
    return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) ? cli_fail (error)
                                                                       : cli_fail_early (error);
  }
  if (!given.quiet)
    g_printerr ("scenario: %s\n", audit->scenario);
  return cli_audit_look (audit, started, given.quiet);
}

/* NULL, or what is wrong with the words of the command. */
static const char *
why_not (void)
{
  if (given.data == NULL)
    return "expected --data FILE: the rows to be protected; 'assay audit --help' explains";
  if (given.released != NULL
      && (given.defense != NULL || given.command != NULL || given.assignments != NULL
          || given.public_rows != NULL || given.database != NULL || given.secrets != 0))
    return "--released is a release that exists: expected no --command, --defense, --set, "
           "--public, --database or --secrets beside it";
  if (given.defense == NULL && given.command == NULL && given.released == NULL)
    return "expected --command 'PROGRAM', or --defense NAME; 'assay list defenses' shows all";
  if (given.command != NULL && given.defense != NULL && !g_str_equal (given.defense, "exec"))
    return "--command is of the defense exec; expected --set for settings of others";
  if (given.jobs != CLI_NOT_GIVEN && (given.jobs < 1 || given.jobs > 4096))
    return "--jobs: expected 1 to 4096";
  if (given.size < 0 || given.size > MAX_SIZE)
    return "--size: expected 1 to 4096 pixels";
  if (given.secrets < 0)
    return "--secrets: expected 1 or more";
  if (given.seed_text != NULL
      && (!assay_text_to_int (given.seed_text, &given.seed) || given.seed < 0))
    return "--seed: expected a whole number, 0 or more, or fresh";
  return NULL;
}

static int
audit_defense (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  const gint64 started = g_get_monotonic_time ();
  g_autoptr (GError) no_seed = NULL;
  const char *problem
      = cli_seed_settle (&given.seed_text, &no_seed) ? why_not () : no_seed->message;
  const char *name = given.released != NULL  ? "release-folder"
                     : given.defense != NULL ? given.defense
                                             : "exec";
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  CliAudit audit = { .command = given.command,
                     .data = given.data,
                     .released = given.released,
                     .bounds = (const char *const *) given.bounds,
                     .seed = (guint64) given.seed };
  int code;

  if (problem != NULL)
    return cli_refuse ("%s", problem);
  audit.defense = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, name, &error);
  if (audit.defense == NULL || !read_time (given.time, &audit.seconds, &error)
      || !check_bounds (&error))
    return cli_fail_early (error);
  settings = read_settings ((const AssayPlugin *) audit.defense, audit.seconds, &error);
  if (settings == NULL)
    return cli_fail_early (error);
  audit.settings = settings;
  audit.kind = assay_defense_produces (audit.defense, settings->values);
  if (given.database != NULL)
    audit.database = g_canonicalize_filename (given.database, NULL);
  assay_parallel_set_threads ((guint) MAX (given.jobs, 0));
  cli_catch_interrupts ();
  code = audit_in_time (&audit, started);
  g_free (audit.database);
  g_free (audit.folder);
  g_free (audit.scenario);
  return code;
}

const CliUsage cli_audit = {
  .parameters = "",
  .summary
  = "Audits a defense on your own rows: writes the scenario of everything that can attack\n"
    "it, runs that within a time, and ends in a verdict and a report. Exit codes are\n"
    "those of 'assay run'.",
  .description
  = "Example, on rows made up here:\n"
    "  python3 -c 'import numpy; numpy.save(\"people.npy\", numpy.random.rand(2000, 16))'\n"
    "  assay audit --defense laplace --set epsilon=0.5 --data people.npy --time 2m\n\n"
    "Of your own: mine.py reads secrets.npy and writes a release (docs/audit-your-own.md).\n"
    "  assay audit --command 'python3 mine.py' --data people.npy --labels jobs.csv\n"
    "  assay audit -c 'python3 mine.py' --data 'people.csv[-name]' --labels job\n"
    "  assay audit --defense pixelation --data photographs --size 32\n"
    "  assay audit --released published.csv --data 'people.csv[-name]'\n",
  .entries = entries,
  .run = audit_defense,
};
