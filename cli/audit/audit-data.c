/* The rows of an audit.
 *
 * Division: half of the rows are secrets and half are what an attacker has, at random, so that a
 * file that is sorted by class does not give each side classes of its own. Rows that are equal stay
 * on one side: a secret that is public as well would be found, whatever the defense does. */
#include "cli/audit/audit-data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/dataset/dataset.h"
#include "core/base/rng.h"
#include "core/base/vectors.h"
#include "core/data/formats/csv-column.h"
#include "core/data/row-file.h"
#include "core/math/row-copies.h"
#include "datasets/tables/table-value.h"

#define MAX_CLASSES 1000
#define MAX_LABEL 16777216.0f

/* More rows than these cost time and tell little. */
#define MAX_SIDE 20000

/* Claims of 10 % cannot be upheld by much fewer, several at a time; and who asks whether a record
 * was released needs as many that were not. */
#define LEAST_SECRETS 60
#define USUAL_SECRETS 200

/* Of recovery-rate. */
#define USUAL_TAU 0.3
#define CHANCE 0.01
#define N_GUESSES (gsize) 200
#define TAU_ROWS (gsize) 2000

void
cli_audit_data_clear (CliAuditData *data)
{
  g_clear_pointer (&data->rows, assay_matrix_free);
  g_clear_pointer (&data->labels, g_free);
}

void
cli_audit_split_clear (CliAuditSplit *split)
{
  g_clear_pointer (&split->order, g_free);
}

/* ---- Numbers ---- */

static double
number_at (const AssayTable *table, gconstpointer values, gsize i)
{
  const AssayTableValue value = assay_table_value (table->info.type, values, i);

  return value.is_whole ? (double) value.whole : value.value;
}

/* The next row, as float32. */
static gboolean
read_row (AssayTable *table, gsize row, gpointer values, guint8 *labels, float *ret_row,
          GError **error)
{
  if (!assay_table_read (table, 1, values, labels, error))
    return FALSE;
  for (gsize j = 0; j < table->info.cols; j++) {
    ret_row[j] = (float) number_at (table, values, j);
    if (!isfinite (ret_row[j]))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: row %zu, column %zu is not finite as float32; expected numbers",
                         table->path, row, j);
  }
  return TRUE;
}

static AssayMatrix *
read_table (const char *name, GError **error)
{
  g_autoptr (AssayTable) table = cli_dataset_open (name, NULL, error);
  g_autoptr (AssayMatrix) rows = NULL;
  g_autofree gpointer values = NULL;
  guint8 labels[ASSAY_TABLE_MAX_LABELS];

  if (table == NULL)
    return NULL;
  rows = assay_matrix_new (table->info.count, table->info.cols, error);
  values = assay_alloc (table->info.cols, assay_type_size (table->info.type), "a row", error);
  if (rows == NULL || values == NULL)
    return NULL;
  for (gsize i = 0; i < rows->rows; i++)
    if (!read_row (table, i, values, labels, assay_matrix_row (rows, i), error))
      return NULL;
  return g_steal_pointer (&rows);
}

/* ---- Labels ---- */

/* The names of the columns of a CSV file. */
static char *
name_columns (const char *path)
{
  g_autofree char *text = NULL;
  GString *names = g_string_new (NULL);
  gsize length = 0;
  gboolean is_end = !g_file_get_contents (path, &text, &length, NULL);
  g_auto (AssayCsvReader) reader = assay_csv_reader (text != NULL ? text : "", length);

  while (!is_end && assay_csv_read_field (&reader, &is_end, NULL))
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", reader.field->str);
  return g_string_free (names, FALSE);
}

/* A column of words or numbers: each distinct one is a class. */
static gboolean
read_named (const char *file, const char *column, gsize n, gint64 **ret_labels, GError **error)
{
  const char *const here[] = { ".", NULL };
  g_autofree char *path = assay_row_file_find (file, here, error);
  g_autoptr (AssayCsvColumn) read
      = path != NULL ? assay_csv_column_read (path, column, n, error) : NULL;

  if (read == NULL)
    return FALSE;
  *ret_labels = g_steal_pointer (&read->groups);
  return TRUE;
}

/* One column of whole numbers, the smallest of which may be any. */
static gboolean
read_numbered (const char *file, gsize n, gint64 **ret_labels, GError **error)
{
  g_autoptr (AssayMatrix) rows = read_table (file, error);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int_hash, g_int_equal, g_free, NULL);
  g_autofree gint64 *labels = NULL;

  if (rows == NULL)
    return FALSE;
  if (rows->rows != n || rows->cols != 1) {
    g_autofree char *names = g_str_has_suffix (file, ".csv") ? name_columns (file) : g_strdup ("");

    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s has %zu rows of %zu columns; expected one column with a label for each "
                       "of the %zu rows of the data%s%s",
                       file, rows->rows, rows->cols, n,
                       *names != '\0' ? ", or FILE.csv:COLUMN, of " : "", names);
  }
  labels = g_new (gint64, n);
  for (gsize i = 0; i < n; i++) {
    const int value = fabsf (rows->data[i]) < MAX_LABEL ? (int) rows->data[i] : 0;
    gpointer number;

    if ((float) value != rows->data[i])
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: row %zu is %g; expected whole numbers, one for each class", file, i,
                         (double) rows->data[i]);
    if (!g_hash_table_lookup_extended (known, &value, NULL, &number)) {
      number = GUINT_TO_POINTER (g_hash_table_size (known));
      g_hash_table_insert (known, g_memdup2 (&value, sizeof value), number);
    }
    labels[i] = GPOINTER_TO_UINT (number);
  }
  *ret_labels = g_steal_pointer (&labels);
  return TRUE;
}

static gboolean
read_labels (const char *specification, CliAuditData *data, GError **error)
{
  const gsize n = data->rows->rows;
  const char *colon = strstr (specification, ".csv:");
  g_autofree char *file = colon != NULL
                              ? g_strndup (specification, (gsize) (colon - specification) + 4)
                              : g_strdup (specification);
  g_autofree char *names
      = colon == NULL && g_str_has_suffix (file, ".csv") ? name_columns (file) : NULL;
  const char *column = colon != NULL ? colon + strlen (".csv:") : names;
  /* One column of a CSV file with a header may hold words. */
  const gboolean is_named = column != NULL && *column != '\0'
                            && (colon != NULL
                                || (strchr (column, ',') == NULL
                                    && g_ascii_strtod (column, NULL) == 0 && *column != '0'));

  if (names != NULL && strchr (names, ',') != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "--labels: %s has the columns %s; expected --labels %s:COLUMN", file, names,
                       file);
  if (is_named ? !read_named (file, column, n, &data->labels, error)
               : !read_numbered (file, n, &data->labels, error))
    return assay_prefix (error, "--labels: ");
  for (gsize i = 0; i < n; i++)
    data->n_classes = MAX (data->n_classes, (gsize) data->labels[i] + 1);
  if (data->n_classes < 2 || data->n_classes > MAX_CLASSES || 2 * data->n_classes > n)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "--labels: %s has %zu different values in %zu rows; expected classes, 2 to "
                       "%d, of two rows each on average at least",
                       specification, data->n_classes, n, MAX_CLASSES);
  return TRUE;
}

gboolean
cli_audit_data_read (const char *data, const char *labels, CliAuditData *ret_data, GError **error)
{
  if (g_file_test (data, G_FILE_TEST_IS_DIR))
    return assay_fail (
        error, ASSAY_ERROR_DATA,
        "--data: %s is a folder; expected a file of rows (.npy, .csv, .fvecs, IDX or "
        "CIFAR)",
        data);
  ret_data->rows = read_table (data, error);
  if (ret_data->rows == NULL)
    return assay_prefix (error, "--data: ");
  return labels == NULL || read_labels (labels, ret_data, error);
}

/* ---- Division ---- */

/* How many secrets at a time, of @n_private. */
static gboolean
choose_secrets (const CliAuditData *data, gboolean has_public, gsize wanted, CliAuditSplit *split,
                GError **error)
{
  const gsize n = data->rows->rows;
  const gsize secrets = wanted > 0 ? wanted : MIN (USUAL_SECRETS, split->n_private / 2);
  const gsize least = (has_public ? 2 : 4) * MAX (wanted, LEAST_SECRETS);

  if (secrets < LEAST_SECRETS)
    return wanted > 0 ? assay_fail (error, ASSAY_ERROR_DATA,
                                    "--secrets %zu: expected %d at least; fewer decide no claim",
                                    wanted, LEAST_SECRETS)
                      : assay_fail (error, ASSAY_ERROR_DATA,
                                    "--data: %zu rows are too few; expected %zu at least: %d to be "
                                    "protected at a time, as many to compare them with%s",
                                    n, least, LEAST_SECRETS,
                                    has_public ? "" : ", and twice as many for the attacker");
  if (2 * secrets > split->n_private)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "--secrets %zu: expected at most half of the %zu rows that are private",
                       secrets, split->n_private);
  split->n_secrets = secrets;
  return TRUE;
}

static gboolean
has_length (AssayView rows, gsize row)
{
  for (gsize j = 0; j < rows.cols; j++)
    if (assay_view_row (rows, row)[j] != 0)
      return TRUE;
  return FALSE;
}

/* Whole parts of equal rows, in random order, until there are @most_private. What is recovered of a
 * row of zeros cannot be measured, so that it is public. */
static void
divide (AssayView rows, AssayPartition *parts, const gsize *random, gsize most_private,
        CliAuditSplit *split)
{
  const gsize n = parts->n;
  g_autofree gsize *place = g_new (gsize, n);
  g_autofree gsize *sizes = g_new0 (gsize, n);
  gsize first = 0, last;

  for (gsize i = 0; i < n; i++)
    sizes[assay_partition_find (parts, i)]++;
  for (gsize i = 0; i < n; i++) {
    const gsize size = sizes[random[i]]; /* 0: not the first of its part */

    if (size > 0 && first + size <= most_private && has_length (rows, random[i])) {
      place[random[i]] = 0;
      first += size;
    } else {
      place[random[i]] = 1;
    }
  }
  split->n_private = first;
  last = first;
  first = 0;
  for (gsize i = 0; i < n; i++)
    if (place[assay_partition_find (parts, random[i])] == 0)
      split->order[first++] = random[i];
    else
      split->order[last++] = random[i];
  split->n_public = n - split->n_private;
}

gboolean
cli_audit_split (const CliAuditData *data, gboolean has_public, gsize wanted, guint64 seed,
                 CliAuditSplit *ret_split, GError **error)
{
  const gsize n = data->rows->rows;
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "audit-split", ""), 0);
  g_autoptr (AssayPartition) parts = assay_partition_new (n);
  g_autofree gsize *random = g_new (gsize, n);

  ret_split->order = g_new (gsize, n);
  ret_split->n_joined = assay_copies_find_equal (assay_matrix_view (data->rows), parts);
  assay_stream_permutation (&stream, n, random);
  divide (assay_matrix_view (data->rows), parts, random, has_public ? n : n / 2, ret_split);
  if (!choose_secrets (data, has_public, wanted, ret_split, error))
    return FALSE;
  if (ret_split->n_private > MAX_SIDE) {
    memmove (ret_split->order + MAX_SIDE, ret_split->order + ret_split->n_private,
             ret_split->n_public * sizeof *ret_split->order);
    ret_split->n_left_out = ret_split->n_private - MAX_SIDE;
    ret_split->n_private = MAX_SIDE;
  }
  if (ret_split->n_public > MAX_SIDE) {
    ret_split->n_left_out += ret_split->n_public - MAX_SIDE;
    ret_split->n_public = MAX_SIDE;
  }
  return TRUE;
}

/* ---- What is chance ---- */

/* The relative error that one guess for all rows stays below in one row of a hundred. */
static double
error_by_chance (AssayView rows, const double *guess, double *errors)
{
  gsize n = 0;

  for (gsize i = 0; i < rows.rows; i++) {
    const float *row = assay_view_row (rows, i);
    double distance = 0, length = 0;

    for (gsize j = 0; j < rows.cols; j++) {
      distance += pow ((double) row[j] - guess[j], 2);
      length += pow ((double) row[j], 2);
    }
    /* The guess itself is no chance. */
    if (distance > 0 && length > 0)
      errors[n++] = sqrt (distance / length);
  }
  if (n == 0)
    return USUAL_TAU;
  qsort (errors, n, sizeof *errors, assay_compare_doubles);
  return errors[MIN ((gsize) (CHANCE * (double) n), n - 1)];
}

double
cli_audit_tau (AssayView public_rows)
{
  const AssayView rows = assay_view_rows (public_rows, 0, MIN (public_rows.rows, TAU_ROWS));
  g_autofree double *guess = g_new0 (double, rows.cols);
  g_autofree double *errors = g_new (double, rows.rows);
  double tau = USUAL_TAU;

  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < rows.cols; j++)
      guess[j] += (double) assay_view_row (rows, i)[j] / (double) rows.rows;
  tau = MIN (tau, error_by_chance (rows, guess, errors));
  for (gsize i = 0; i < MIN (rows.rows, N_GUESSES); i++) {
    for (gsize j = 0; j < rows.cols; j++)
      guess[j] = (double) assay_view_row (rows, i)[j];
    tau = MIN (tau, error_by_chance (rows, guess, errors));
  }
  return tau;
}

/* The variance of a column whose median divides its numbers: a quarter of them at least are above
 * it, and as many are not. 0: it does not. */
static double
divided_variance (AssayView rows, gsize column, double *numbers)
{
  double sum = 0, squares = 0, above = 0;

  for (gsize i = 0; i < rows.rows; i++) {
    numbers[i] = (double) assay_view_row (rows, i)[column];
    sum += numbers[i] / (double) rows.rows;
    squares += numbers[i] * numbers[i] / (double) rows.rows;
  }
  qsort (numbers, rows.rows, sizeof *numbers, assay_compare_doubles);
  for (gsize i = 0; i < rows.rows; i++)
    above += numbers[i] > numbers[rows.rows / 2] ? 1 / (double) rows.rows : 0;
  return above >= 0.25 && above <= 0.75 ? squares - sum * sum : 0;
}

gboolean
cli_audit_dividing_column (AssayView public_rows, gsize *ret_column)
{
  const AssayView rows = assay_view_rows (public_rows, 0, MIN (public_rows.rows, TAU_ROWS));
  g_autofree double *numbers = g_new (double, rows.rows);
  double most = 0;

  for (gsize j = 0; j < rows.cols; j++) {
    const double variance = divided_variance (rows, j, numbers);

    if (variance > most) {
      most = variance;
      *ret_column = j;
    }
  }
  return most > 0;
}
