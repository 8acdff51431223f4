/* Vectors from files: the rows to protect, and where there are any, public rows and the rows that
 * a defense draws from. Formats and ranges are those of core/row-file.h.
 *
 * A row that has two roles would make an attack look better than it is (a secret that is also
 * public is found at distance 0), so that overlapping ranges are refused. Equal rows at different
 * places are data and stay.
 *
 * Groups say which secrets belong together (descriptors of one photograph): row i of the CSV
 * belongs to row i of the private file, and a range of the file takes the same range of the CSV.
 * Equal text is one group, in different CSVs too: taking strangers for relatives widens intervals,
 * the other way round would narrow them without reason. */
#include <string.h>

#include "core/csv-column.h"
#include "core/plugin.h"
#include "core/row-file.h"

typedef struct {
  char *private;
  char *public;
  char *database;
  char *groups;
} Vectors;

enum { PRIVATE, PUBLIC, DATABASE, N_ROLES };
static const char *const role_names[N_ROLES] = { "private", "public", "database" };

/* Everything that the settings name. */
typedef struct {
  AssayRowFiles *roles[N_ROLES]; /* NULL where left out */
  gint64 *groups;                /* a number per private row; NULL where left out */
  gsize n_groups;
} Files;

static void
clear_files (Files *files)
{
  for (guint r = 0; r < N_ROLES; r++)
    g_clear_pointer (&files->roles[r], assay_row_files_free);
  g_clear_pointer (&files->groups, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Files, clear_files)

/* ---- Roles ---- */

static gboolean
open_roles (const AssayDatasetContext *context, AssayRowFiles **ret_roles, GError **error)
{
  const Vectors *settings = context->settings;
  const char *specifications[N_ROLES] = { settings->private, settings->public, settings->database };

  for (guint r = 0; r < N_ROLES; r++) {
    if (r != PRIVATE && *specifications[r] == '\0')
      continue;
    ret_roles[r] = assay_row_files_open (specifications[r], context->folders, error);
    if (ret_roles[r] == NULL) {
      g_prefix_error (error, "%s: ", role_names[r]);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_pair (AssayRowFiles *const *roles, guint a, guint b, GError **error)
{
  if (roles[a] == NULL || roles[b] == NULL)
    return TRUE;
  if (assay_rows_cols (roles[a]->rows) != assay_rows_cols (roles[b]->rows))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s has %" G_GSIZE_FORMAT " columns (%s), %s has %" G_GSIZE_FORMAT
                       " (%s); expected as many",
                       role_names[a], assay_rows_cols (roles[a]->rows),
                       assay_row_files_range (roles[a], 0)->path, role_names[b],
                       assay_rows_cols (roles[b]->rows), assay_row_files_range (roles[b], 0)->path);
  return assay_row_files_check_disjoint (roles[a], role_names[a], roles[b], role_names[b], error);
}

/* ---- Groups ---- */

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

/* ---- Callbacks ---- */

/* @files arrives zeroed and is cleared by the caller in any case. */
static gboolean
open_files (const AssayDatasetContext *context, Files *files, GError **error)
{
  if (!open_roles (context, files->roles, error)
      || !assay_row_files_check_distinct (files->roles[PRIVATE], role_names[PRIVATE], error)
      || !check_pair (files->roles, PRIVATE, PUBLIC, error)
      || !check_pair (files->roles, PRIVATE, DATABASE, error)
      || !check_pair (files->roles, DATABASE, PUBLIC, error))
    return FALSE;
  if (!read_groups (context, files, error)) {
    g_prefix_error (error, "groups: ");
    return FALSE;
  }
  return TRUE;
}

static gsize
count_rows (const AssayRowFiles *files)
{
  return files != NULL ? assay_rows_count (files->rows) : 0;
}

static gboolean
survey (const AssayDatasetContext *context, AssaySurvey *ret_survey, GError **error)
{
  g_auto (Files) files = { 0 };

  if (!open_files (context, &files, error))
    return FALSE;
  *ret_survey = (AssaySurvey){ .n_secrets = count_rows (files.roles[PRIVATE]),
                               .n_public = count_rows (files.roles[PUBLIC]),
                               .n_database = count_rows (files.roles[DATABASE]),
                               .n_groups = files.n_groups,
                               .cols = assay_rows_cols (files.roles[PRIVATE]->rows) };
  /* Rows stay in their files: pages of a mapping are the kernel's to drop. */
  if (files.groups != NULL)
    ret_survey->memory = ret_survey->n_secrets * sizeof (gint64);
  return TRUE;
}

/* Over the numbers of every role and over the groups; not over names, so that a file that was moved
 * is the same data. */
static char *
hash_files (const Files *files)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const gsize n_secrets = count_rows (files->roles[PRIVATE]);

  for (guint r = 0; r < N_ROLES; r++) {
    g_autofree char *line = g_strdup_printf (
        "%s %s\n", role_names[r], files->roles[r] != NULL ? files->roles[r]->sha256 : "none");

    g_checksum_update (checksum, (const guchar *) line, -1);
  }
  if (files->groups != NULL)
    g_checksum_update (checksum, (const guchar *) files->groups,
                       (gssize) (n_secrets * sizeof (gint64)));
  return g_strdup (g_checksum_get_string (checksum));
}

static AssayRows *
ref_rows (const AssayRowFiles *files)
{
  return files != NULL ? assay_rows_ref (files->rows) : NULL;
}

static gboolean
open_dataset (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  g_auto (Files) files = { 0 };
  g_autofree char *sha256 = NULL;

  if (!open_files (context, &files, error))
    return FALSE;
  sha256 = hash_files (&files);
  *ret_dataset = (AssayDataset){ .secrets = ref_rows (files.roles[PRIVATE]),
                                 .public_rows = ref_rows (files.roles[PUBLIC]),
                                 .database = ref_rows (files.roles[DATABASE]),
                                 .groups = g_steal_pointer (&files.groups),
                                 .n_groups = files.n_groups,
                                 .sha256 = g_steal_pointer (&sha256) };
  return TRUE;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_STRING (Vectors, private, NULL,
                      "Rows to protect: FILE, FILE[100:200], or several separated by commas; "
                      ".fvecs, .bvecs, .ivecs or .npy"),
  ASSAY_PARAM_STRING (Vectors, public, "", "Public rows of the same kind, in the same form"),
  ASSAY_PARAM_STRING (Vectors, database, "",
                      "Rows from which a defense draws its material, in the same form"),
  ASSAY_PARAM_STRING (Vectors, groups, "",
                      "Which private rows belong together: FILE.csv:COLUMN, one line a row of the "
                      "private file; one for each private file, separated by commas"),
  ASSAY_PARAM_END
};

const AssayDatasetPlugin assay_dataset_vectors = {
  .id = "vectors",
  .summary = "Vectors from TEXMEX (.fvecs, .bvecs, .ivecs) and NumPy (.npy) files",
  .reference = { "TEXMEX corpora (Jegou, Douze and Schmid 2011); NumPy", "file formats" },
  .parameters = parameters,
  .settings_size = sizeof (Vectors),
  .survey = survey,
  .open = open_dataset,
};
