/* Vectors from files: the rows to protect, and where there are any, public rows and the rows that
 * a defense draws from. Formats and ranges are those of core/data/row-file.h.
 *
 * A row that has two roles would make an attack look better than it is (a secret that is also
 * public is found at distance 0), so that overlapping ranges are refused. Equal rows at different
 * places are data and stay.
 *
 * Groups say which secrets belong together (descriptors of one photograph): row i of the CSV
 * belongs to row i of the private file, and a range of the file takes the same range of the CSV.
 * Equal text is one group, in different CSVs too: taking strangers for relatives widens intervals,
 * the other way round would narrow them without reason.
 *
 * Labels are files of whole numbers (row-labels.h), one row for each row that they belong
 * to; they and the test rows are for retrieval, which searches the secrets for what is like a test
 * row. Labels of public rows are what an attacker learns from who infers labels, and so are further
 * attributes (row-attributes.h). */
#include <string.h>

#include "core/data/formats/csv-column.h"
#include "core/data/formats/file-pattern.h"
#include "core/data/formats/label-sets.h"
#include "core/data/row-file.h"
#include "core/data/row-table.h"
#include "core/plugin/plugin.h"
#include "core/search/dictionary.h"
#include "datasets/tables/class-files.h"
#include "datasets/tables/record-copies.h"
#include "datasets/tables/row-attributes.h"
#include "datasets/tables/row-centres.h"
#include "datasets/tables/row-images.h"
#include "datasets/tables/row-labels.h"
#include "datasets/tables/row-scale.h"

typedef struct {
  char *private;
  char *public;
  char *database;
  char *groups;
  char *labels;
  char *public_labels;
  char *test;
  char *test_labels;
  char *attributes;
  char *public_attributes;
  bool records;
  double record_noise;
  gint64 database_centres;
  guint scale;
  char *images;
} Vectors;

enum { PRIVATE, PUBLIC, DATABASE, TEST, N_ROLES };
static const char *const role_names[N_ROLES] = { "private", "public", "database", "test" };

/* Everything that the settings name. */
typedef struct {
  AssayRowFiles *roles[N_ROLES]; /* NULL where left out */
  gint64 *groups;                /* a number per private row; NULL where left out */
  gsize n_groups;
  AssayRoleData secret_data; /* labels and attributes alone */
  AssayRoleData public_data;
  AssayRoleData test_data;
  gsize n_classes;
  char **attribute_names;
} Files;

static void
clear_files (Files *files)
{
  for (guint r = 0; r < N_ROLES; r++)
    g_clear_pointer (&files->roles[r], assay_row_files_free);
  g_clear_pointer (&files->groups, g_free);
  assay_role_data_clear (&files->secret_data);
  assay_role_data_clear (&files->public_data);
  assay_role_data_clear (&files->test_data);
  g_clear_pointer (&files->attribute_names, g_strfreev);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Files, clear_files)

/* ---- Roles ---- */

static gboolean
open_roles (const AssayDatasetContext *context, AssayRowFiles **ret_roles, GError **error)
{
  const Vectors *settings = context->settings;
  const char *specifications[N_ROLES]
      = { settings->private, settings->public, settings->database, settings->test };

  for (guint r = 0; r < N_ROLES; r++) {
    if (r != PRIVATE && *specifications[r] == '\0')
      continue;
    ret_roles[r] = assay_row_files_open (specifications[r], context->folders, error);
    if (ret_roles[r] == NULL)
      return assay_prefix (error, "%s: ", role_names[r]);
  }
  return TRUE;
}

static gboolean
check_pair (AssayRowFiles *const *roles, guint a, guint b, GError **error)
{
  if (roles[a] == NULL || roles[b] == NULL)
    return TRUE;
  if (assay_rows_cols (roles[a]->rows) != assay_rows_cols (roles[b]->rows))
    return assay_fail (
        error, ASSAY_ERROR_MISMATCH, "%s has %zu columns (%s), %s has %zu (%s); expected as many",
        role_names[a], assay_rows_cols (roles[a]->rows), assay_row_files_range (roles[a], 0)->path,
        role_names[b], assay_rows_cols (roles[b]->rows), assay_row_files_range (roles[b], 0)->path);
  return assay_row_files_check_disjoint (roles[a], role_names[a], roles[b], role_names[b], error);
}

/* "FILE.csv:COLUMN"; the column may have colons in its name. */
static gboolean
split_groups (const char *text, char **ret_name, char **ret_column, GError **error)
{
  const char *extension = strstr (text, ".csv:");
  const char *column = extension != NULL ? extension + strlen (".csv:") : "";

  if (*column == '\0' || extension == text)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s': expected FILE.csv:COLUMN", text);
  *ret_name = g_strndup (text, (gsize) (column - 1 - text));
  *ret_column = g_strdup (column);
  return TRUE;
}

/* The group of every row of @range into @ret_groups, numbered by @numbers from text to number. */
static gboolean
read_range_groups (const AssayRowRange *range, const char *text, const char *const *folders,
                   GHashTable *numbers, gint64 *ret_groups, GError **error)
{
  g_autofree char *name = NULL;
  g_autofree char *column_name = NULL;
  g_autofree char *path = NULL;
  g_autoptr (AssayCsvColumn) column = NULL;

  if (!split_groups (text, &name, &column_name, error))
    return FALSE;
  path = assay_row_file_find (name, folders, error);
  if (path == NULL)
    return FALSE;
  column = assay_csv_column_read (path, column_name, range->n_in_file, error);
  if (column == NULL)
    return FALSE;
  for (gsize row = range->first; row < range->end; row++) {
    const char *value = g_ptr_array_index (column->values, column->groups[row]);
    gpointer known;

    if (!g_hash_table_lookup_extended (numbers, value, NULL, &known)) {
      known = GUINT_TO_POINTER (g_hash_table_size (numbers));
      g_hash_table_insert (numbers, g_strdup (value), known);
    }
    ret_groups[row - range->first] = GPOINTER_TO_UINT (known);
  }
  return TRUE;
}

static gboolean
is_one_file (const AssayRowFiles *files)
{
  for (guint i = 1; i < files->ranges->len; i++)
    if (!g_str_equal (assay_row_files_range (files, i)->path,
                      assay_row_files_range (files, 0)->path))
      return FALSE;
  return TRUE;
}

static gboolean
read_groups (const AssayDatasetContext *context, Files *files, GError **error)
{
  const Vectors *settings = context->settings;
  const AssayRowFiles *secrets = files->roles[PRIVATE];
  const guint n_ranges = secrets->ranges->len;
  g_auto (GStrv) texts = g_strsplit (settings->groups, ",", -1);
  const guint n_texts = g_strv_length (texts);
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize done = 0;

  if (n_texts == 0)
    return TRUE;
  if (n_texts != n_ranges && !(n_texts == 1 && is_one_file (secrets)))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%u FILE.csv:COLUMN for %u private files; expected one for each", n_texts,
                       n_ranges);
  files->groups = assay_alloc (assay_rows_count (secrets->rows), sizeof (gint64), "groups", error);
  if (files->groups == NULL)
    return FALSE;
  for (guint i = 0; i < n_ranges; i++) {
    const AssayRowRange *range = assay_row_files_range (secrets, i);
    const char *text = g_strstrip (texts[n_texts == 1 ? 0 : i]);

    if (!read_range_groups (range, text, context->folders, numbers, files->groups + done, error))
      return FALSE;
    done += range->end - range->first;
  }
  files->n_groups = g_hash_table_size (numbers);
  return TRUE;
}

/* ---- Labels ---- */

/* The labels of the rows of a role, if it has any. */
static gboolean
read_labels (const AssayDatasetContext *context, const char *specification,
             const AssayRowFiles *rows, AssayRoleData *data, gsize *inout_classes, GError **error)
{
  const gsize expected = assay_row_files_count (rows);
  g_autoptr (AssayRowFiles) file = NULL;
  g_autoptr (AssayRows) labels = NULL;
  gsize n_classes = 0;

  if (*specification == '\0')
    return TRUE;
  if (rows == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "there are no rows that they belong to");
  if (assay_is_file_pattern (specification)) {
    labels = class_files_read (specification, context->folders, expected, error);
  } else {
    file = assay_row_files_open (specification, context->folders, error);
    labels = assay_row_files_ref_rows (file);
  }
  if (labels == NULL || !row_labels_read (labels, specification, expected, data, &n_classes, error))
    return FALSE;
  *inout_classes = MAX (*inout_classes, n_classes);
  return TRUE;
}

static gboolean
read_all_labels (const AssayDatasetContext *context, Files *files, GError **error)
{
  const Vectors *settings = context->settings;
  AssayRoleData *secrets = &files->secret_data, *test = &files->test_data;

  if (!read_labels (context, settings->labels, files->roles[PRIVATE], secrets, &files->n_classes,
                    error))
    return assay_prefix (error, "labels: ");
  if (!read_labels (context, settings->public_labels, files->roles[PUBLIC], &files->public_data,
                    &files->n_classes, error))
    return assay_prefix (error, "public_labels: ");
  if (!read_labels (context, settings->test_labels, files->roles[TEST], test, &files->n_classes,
                    error))
    return assay_prefix (error, "test_labels: ");
  return secrets->labels == NULL || test->labels == NULL
         || assay_label_sets_words (secrets->label_sets)
                == assay_label_sets_words (test->label_sets)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "labels and test_labels: expected both with one column, or both with one "
                        "for each class");
}

static gboolean
read_attributes (const AssayDatasetContext *context, Files *files, GError **error)
{
  const Vectors *settings = context->settings;
  const AssayRowFiles *secrets = files->roles[PRIVATE], *known = files->roles[PUBLIC];
  const RowAttributesRole roles[]
      = { { "attributes", settings->attributes, secrets, assay_row_files_count (secrets) },
          { "public_attributes", settings->public_attributes, known,
            assay_row_files_count (known) } };
  AssayArray *values[G_N_ELEMENTS (roles)] = { NULL, NULL };

  if (!row_attributes_read (roles, G_N_ELEMENTS (roles), context->folders, values,
                            &files->attribute_names, error))
    return FALSE;
  files->secret_data.attributes = values[0];
  files->public_data.attributes = values[1];
  return TRUE;
}

/* ---- Callbacks ---- */

/* @files arrives zeroed and is cleared by the caller in any case. */
static gboolean
open_files (const AssayDatasetContext *context, Files *files, GError **error)
{
  const Vectors *settings = context->settings;
  const gsize n_centres = (gsize) settings->database_centres;

  if (!open_roles (context, files->roles, error)
      || !assay_row_files_check_distinct (files->roles[PRIVATE], role_names[PRIVATE], error)
      || !check_pair (files->roles, PRIVATE, PUBLIC, error)
      || !check_pair (files->roles, PRIVATE, DATABASE, error)
      || !check_pair (files->roles, DATABASE, PUBLIC, error)
      || !check_pair (files->roles, PRIVATE, TEST, error)
      || !check_pair (files->roles, PUBLIC, TEST, error)
      || !check_pair (files->roles, DATABASE, TEST, error)
      || !row_centres_check (n_centres, assay_row_files_count (files->roles[DATABASE]), error)
      || !row_scale_check (settings->scale, files->roles, role_names, N_ROLES, error)
      || !read_all_labels (context, files, error) || !read_attributes (context, files, error))
    return FALSE;
  if (!read_groups (context, files, error))
    return assay_prefix (error, "groups: ");
  return TRUE;
}

/* By whose rows columns are compared: of those that attackers have, if any. */
static guint
known_role (const Files *files)
{
  return files->roles[PUBLIC] != NULL ? PUBLIC : PRIVATE;
}

/* Copies of the secrets among the public rows have their labels or attributes, but these are known
 * only where those of the other public rows are. */
static guint
held (const Files *files, gboolean records, const AssayArray *own, const AssayArray *known,
      guint of_secrets, guint of_public)
{
  const gboolean is_known = records && files->roles[PUBLIC] == NULL ? own != NULL : known != NULL;

  return (own != NULL ? of_secrets : 0) | (is_known ? of_public : 0);
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const Vectors *settings = context->settings;
  const gsize n_centres = (gsize) settings->database_centres;
  g_auto (Files) files = { 0 };
  const AssayRoleData *own = &files.secret_data, *known = &files.public_data;
  AssayGeometry geometry = { 0 };
  gsize records, n_database;

  if (!open_files (context, &files, error)
      || !row_images_find (settings->images, files.roles[PRIVATE], &geometry, error))
    return FALSE;
  n_database = assay_row_files_count (files.roles[DATABASE]);
  records = settings->records ? assay_row_files_count (files.roles[PRIVATE]) : 0;
  *ret_probe = (AssayProbe){ .n_secrets = assay_row_files_count (files.roles[PRIVATE]),
                             .n_public = assay_row_files_count (files.roles[PUBLIC]) + records,
                             .n_database = n_centres > 0 ? n_centres : n_database,
                             .n_test = assay_row_files_count (files.roles[TEST]),
                             .n_groups = files.n_groups,
                             .n_classes = files.n_classes,
                             .cols = assay_rows_cols (files.roles[PRIVATE]->rows),
                             .geometry = geometry };
  ret_probe->holdings = held (&files, settings->records, own->labels, known->labels,
                              ASSAY_HAS_LABELS, ASSAY_HAS_PUBLIC_LABELS)
                        | held (&files, settings->records, own->attributes, known->attributes,
                                ASSAY_HAS_ATTRIBUTES, ASSAY_HAS_PUBLIC_ATTRIBUTES)
                        | (files.test_data.labels != NULL ? ASSAY_HAS_TEST_LABELS : 0)
                        | (settings->records ? ASSAY_HAS_COUNTERPARTS : 0)
                        | (geometry.height > 0 ? ASSAY_HAS_IMAGES : 0);
  if (n_centres > 0)
    ret_probe->memory = assay_dictionary_memory (n_database, ret_probe->cols, n_centres);
  /* Rows stay in their files, whose pages the kernel may drop. */
  if (files.groups != NULL)
    ret_probe->memory += ret_probe->n_secrets * sizeof (gint64);
  ret_probe->memory += row_labels_memory (&files.secret_data, ret_probe->n_secrets)
                       + row_labels_memory (&files.public_data, ret_probe->n_public)
                       + row_labels_memory (&files.test_data, ret_probe->n_test);
  if (settings->scale != ROW_SCALE_NONE)
    ret_probe->memory
        += (ret_probe->n_secrets + ret_probe->n_public + n_database + ret_probe->n_test)
           * ret_probe->cols * sizeof (float);
  if (settings->records)
    ret_probe->memory += (guint64) ret_probe->n_public * ret_probe->cols * sizeof (float);
  return settings->scale != ROW_SCALE_NONE || geometry.height > 0
         || row_scale_remark (files.roles[known_role (&files)], ret_probe->remark,
                              sizeof ret_probe->remark, error);
}

/* @line is taken over. */
static void
hash_line (GChecksum *checksum, char *line)
{
  g_checksum_update (checksum, (const guchar *) line, -1);
  g_free (line);
}

/* Over the numbers of every role and over the groups; not over names, so that a file that was moved
 * is the same data. */
static char *
hash_files (const Files *files, const Vectors *settings)
{
  const gsize n_centres = (gsize) settings->database_centres;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const gsize n_secrets = assay_row_files_count (files->roles[PRIVATE]);

  /* Hashes of data without what came later stay what they were. */
  for (guint r = 0; r < N_ROLES; r++)
    if (r != TEST || files->roles[r] != NULL)
      hash_line (checksum,
                 g_strdup_printf ("%s %s\n", role_names[r],
                                  files->roles[r] != NULL ? files->roles[r]->sha256 : "none"));
  if (files->groups != NULL)
    g_checksum_update (checksum, (const guchar *) files->groups,
                       (gssize) (n_secrets * sizeof (gint64)));
  if (n_centres > 0)
    hash_line (checksum, g_strdup_printf ("centres %zu\n", n_centres));
  if (settings->scale != ROW_SCALE_NONE)
    hash_line (checksum, g_strdup_printf ("%s\n", row_scale_names[settings->scale]));
  row_labels_hash (checksum, &files->secret_data);
  row_labels_hash (checksum, &files->public_data);
  row_labels_hash (checksum, &files->test_data);
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
open_dataset (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Vectors *settings = context->settings;
  const gsize n_centres = (gsize) settings->database_centres;
  g_auto (Files) files = { 0 };
  g_autoptr (AssayRows) database = NULL;
  g_autofree char *sha256 = NULL;
  g_autofree float *units = NULL;

  if (!open_files (context, &files, error)
      || !row_scale_take (settings->scale, files.roles, N_ROLES, known_role (&files), &units,
                          error))
    return FALSE;
  if (n_centres > 0) {
    database = row_centres_find (files.roles[DATABASE]->rows, n_centres, error);
    if (database == NULL)
      return FALSE;
  } else {
    database = assay_row_files_ref_rows (files.roles[DATABASE]);
  }
  sha256 = hash_files (&files, settings);
  *ret_dataset = (AssayDataset){ .secrets = assay_row_files_ref_rows (files.roles[PRIVATE]),
                                 .public_rows = assay_row_files_ref_rows (files.roles[PUBLIC]),
                                 .database = g_steal_pointer (&database),
                                 .groups = g_steal_pointer (&files.groups),
                                 .n_groups = files.n_groups,
                                 .test = assay_row_files_ref_rows (files.roles[TEST]),
                                 .secret_data = files.secret_data,
                                 .public_data = files.public_data,
                                 .test_data = files.test_data,
                                 .n_classes = files.n_classes,
                                 .attribute_names = g_steal_pointer (&files.attribute_names),
                                 .column_units = g_steal_pointer (&units),
                                 .sha256 = g_steal_pointer (&sha256) };
  files.secret_data = files.public_data = files.test_data = (AssayRoleData){ 0 };
  if (!row_images_find (settings->images, files.roles[PRIVATE], &ret_dataset->geometry, error))
    return FALSE;
  ret_dataset->geometry.units = ret_dataset->column_units;
  return !settings->records
         || record_copies_add (ret_dataset, settings->record_noise, context->stream, error);
}

ASSAY_DATASET (vectors, "vectors",
  .summary = "Vectors, or images, from NumPy (.npy, .npz), CSV, Parquet, HDF5, text, TEXMEX files",
  .reference = { "TEXMEX corpora (Jegou, Douze and Schmid 2011); NumPy", "file formats" },
  ASSAY_SETTINGS (Vectors,
    ASSAY_PARAM_STRING (Vectors, private, NULL,
                        "Rows to protect: FILE, FILE[100:200], or several separated by commas; "
                        ASSAY_ROW_FORMATS),
    ASSAY_PARAM_STRING (Vectors, public, "", "Public rows of the same kind, in the same form"),
    ASSAY_PARAM_STRING (Vectors, database, "",
                        "Rows from which a defense draws its material, in the same form"),
    ASSAY_PARAM_STRING (Vectors, groups, "",
                        "Which private rows belong together: FILE.csv:COLUMN, with a line for each "
                        "row of the private file; one for each private file, separated by commas"),
    ASSAY_PARAM_STRING (Vectors, labels, "",
                        "Classes of the private rows: a file of whole numbers in the same form, "
                        "one column with the class or one of 0 and 1 for each class; or a pattern "
                        "of text files, one for each class, with 0 or 1 for each row (NUS-WIDE: "
                        "Labels_*_Train.txt) or the numbers, from 1, of the rows that have it "
                        "(MIRFlickr)",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Vectors, public_labels, "",
                        "Labels of the public rows, for attackers who learn from rows of their own",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Vectors, test, "", "Rows that are never protected: the queries of a search",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Vectors, test_labels, "",
                        "Classes of the test rows, in the same form as labels", ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (Vectors, records, FALSE,
                      "Whether public rows also hold another record of each private row",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_REAL (Vectors, record_noise, 0.1, 0, 1000, "",
                      "Standard deviation of the Gaussian noise on those records, relative to that "
                      "of a column",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Vectors, attributes, "",
                        "Further labels of the private rows: a table of categories with a line for "
                        "each row of the private file, .csv with column names or .npy of whole "
                        "numbers; one for each private file, separated by commas",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Vectors, public_attributes, "",
                        "Further labels of the public rows, with the same columns",
                        ASSAY_PARAM_EXTRA),
    { .name = "database_centres",
    .type = ASSAY_PARAM_TYPE_INT,
    .offset = ASSAY_TYPED_OFFSET (Vectors, database_centres, gint64),
    .high = 16777216,
    .unit = "rows",
    .help = "The database is this many centres of its rows, found by spherical k-means on rows of "
            "length 1; 0: the rows themselves",
    .is_extra = TRUE },
    ASSAY_PARAM_CHOICE (Vectors, scale, ROW_SCALE_NONE, row_scale_names,
                        "How rows are scaled: none, as they are stored; root, RootSIFT: the square "
                        "root of each number's share of its row's sum; columns: each column by "
                        "the power of two next to its deviation (programs get its own numbers)",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Vectors, images, "",
                        "Rows are images, HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS (28x28, 32x32x3)",
                        ASSAY_PARAM_EXTRA)),
  .probe = probe,
  .open = open_dataset);
