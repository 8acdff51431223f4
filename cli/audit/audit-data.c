/* The rows of an audit.
 *
 * Division: half of the rows are secrets and half are what an attacker has, at random, so that a
 * file that is sorted by class does not give each side classes of its own. Rows that are equal stay
 * on one side: a secret that is public as well would be found, whatever the defense does. */
#include "cli/audit/audit-data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit/audit-images.h"
#include "cli/audit/audit-labels.h"
#include "cli/audit/audit-table.h"
#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/base/vectors.h"
#include "core/data/row-file.h"
#include "core/data/row-table.h"
#include "core/math/row-copies.h"

/* More rows than these cost time and tell little. */
#define MAX_SIDE 20000

/* Claims of 10 % cannot be upheld by much fewer, several at a time; and who asks whether a record
 * was released needs as many that were not. */
#define LEAST_SECRETS 60
#define USUAL_SECRETS 200

/* Of recovery-rate. */
#define CHANCE 0.01
#define N_GUESSES (gsize) 200
#define TAU_ROWS (gsize) 2000

ASSAY_CLEAR_FUNC (CliAuditData, cli_audit_data_clear, assay_drop (self->rows, assay_matrix_free),
                  assay_drop (self->labels, g_free),
                  assay_drop (self->attributes, g_ptr_array_unref),
                  assay_drop (self->classes, g_ptr_array_unref))

ASSAY_CLEAR_FUNC (CliAuditSplit, cli_audit_split_clear, assay_drop (self->order, g_free))

/* ---- Rows and what is known of them ---- */

/* As rows are named in scenarios: columns chosen by name, ranges, arrays of .npz files. With
 * @ret_table, which file that is. */
static AssayMatrix *
read_named_rows (const char *specification, CliAuditTable *ret_table, GError **error)
{
  const char *const here[] = { ".", NULL };
  g_autoptr (AssayRowFiles) files = assay_row_files_open (specification, here, error);

  if (files == NULL)
    return NULL;
  if (ret_table != NULL) {
    const AssayRowRange *range = assay_row_files_range (files, 0);

    *ret_table
        = (CliAuditTable){ g_strdup (range->path), range->first, range->end, range->n_in_file };
  }
  return assay_rows_matrix (files->rows, ASSAY_SCALE_NONE, error);
}

/* What scenarios read themselves; their messages say how columns and arrays are chosen. */
static gboolean
is_of_rows (const char *name)
{
  const AssayRowFormat format = assay_row_format (name);

  return format != ASSAY_ROWS_UNKNOWN && format != ASSAY_ROWS_TEXMEX && format != ASSAY_ROWS_NPY;
}

static AssayMatrix *
read_rows (const CliAuditFiles *files, CliAuditTable *ret_table, GError **error)
{
  g_autoptr (GPtrArray) own = cli_audit_own_columns (files->data, files->labels, error);
  g_autoptr (GPtrArray) more
      = own != NULL ? cli_audit_own_columns (files->data, files->attributes, error) : NULL;
  g_autofree char *rest = NULL;

  if (more == NULL)
    return NULL;
  g_ptr_array_extend_and_steal (own, g_steal_pointer (&more));
  if (own->len > 0) {
    rest = cli_audit_without (files->data, own, error);
    return rest != NULL ? read_named_rows (rest, ret_table, error) : NULL;
  }
  return strchr (files->data, '[') != NULL || is_of_rows (files->data)
             ? read_named_rows (files->data, NULL, error)
             : cli_audit_table_read (files->data, error);
}

/* In the classes and channels of those that they are to be like. */
static gboolean
read_images (const CliAuditFiles *files, CliAuditData *data, GError **error)
{
  const CliAuditImageForm form
      = { .size = files->size,
          .channels = files->like != NULL ? files->like->geometry.channels : 0,
          .classes = files->like != NULL ? files->like->classes : NULL };
  CliAuditImages images;

  if (!cli_audit_images_read (files->data, &form, &images, error))
    return FALSE;
  data->rows = images.rows;
  data->labels = images.labels;
  data->classes = images.classes;
  data->n_classes = images.classes != NULL ? images.classes->len : 0;
  data->geometry = (AssayGeometry){
    .height = images.height, .width = images.width, .channels = images.channels, .white = 1
  };
  return TRUE;
}

static gboolean
read_known (const CliAuditFiles *files, const CliAuditTable *own, CliAuditData *data,
            GError **error)
{
  const gsize n = data->rows->rows;

  if (files->labels != NULL) {
    g_autoptr (CliAuditColumn) labels = cli_audit_labels_read (files->labels, own, n, error);

    if (labels == NULL)
      return FALSE;
    g_free (data->labels);
    data->labels = g_steal_pointer (&labels->numbers);
    data->n_classes = labels->values->len;
  }
  if (files->attributes != NULL)
    data->attributes = cli_audit_attributes_read (files->attributes, own, n, error);
  return files->attributes == NULL || data->attributes != NULL;
}

gboolean
cli_audit_data_read (const CliAuditFiles *files, CliAuditData *ret_data, GError **error)
{
  CliAuditTable table = { 0 };
  gboolean is_ok;

  if (g_file_test (files->data, G_FILE_TEST_IS_DIR)) {
    if (!read_images (files, ret_data, error))
      return assay_prefix (error, "%s: ", files->option);
  } else {
    ret_data->rows = read_rows (files, &table, error);
    if (ret_data->rows == NULL)
      return assay_prefix (error, "%s: ", files->option);
  }
  is_ok = read_known (files, table.path != NULL ? &table : NULL, ret_data, error);
  g_free (table.path);
  return is_ok;
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

AssayMatrix *
cli_audit_data_take (const AssayMatrix *rows, const gsize *numbers, gsize n, GError **error)
{
  const AssayView all = assay_matrix_view (rows);
  AssayMatrix *taken = assay_matrix_new (n, rows->cols, error);

  for (gsize i = 0; taken != NULL && i < n; i++)
    memcpy (assay_matrix_row (taken, i), assay_view_row (all, numbers[i]),
            rows->cols * sizeof (float));
  return taken;
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
    return CLI_AUDIT_USUAL_TAU;
  qsort (errors, n, sizeof *errors, assay_compare_doubles);
  return errors[MIN ((gsize) (CHANCE * (double) n), n - 1)];
}

/* Downwards to three digits, which people can read and nobody gains by. */
static double
round_down (double tau)
{
  const double unit = pow (10, floor (log10 (tau)) - 2);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!(tau > 0))
    return tau;
  g_ascii_formatd (text, sizeof text, "%.3g", floor (tau / unit) * unit);
  return g_ascii_strtod (text, NULL);
}

double
cli_audit_tau (AssayView public_rows)
{
  const AssayView rows = assay_view_rows (public_rows, 0, MIN (public_rows.rows, TAU_ROWS));
  g_autofree double *guess = g_new0 (double, rows.cols);
  g_autofree double *errors = g_new (double, rows.rows);
  double tau = CLI_AUDIT_USUAL_TAU;

  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < rows.cols; j++)
      guess[j] += (double) assay_view_row (rows, i)[j] / (double) rows.rows;
  tau = MIN (tau, error_by_chance (rows, guess, errors));
  for (gsize i = 0; i < MIN (rows.rows, N_GUESSES); i++) {
    for (gsize j = 0; j < rows.cols; j++)
      guess[j] = (double) assay_view_row (rows, i)[j];
    tau = MIN (tau, error_by_chance (rows, guess, errors));
  }
  return tau < CLI_AUDIT_USUAL_TAU ? round_down (tau) : tau;
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
