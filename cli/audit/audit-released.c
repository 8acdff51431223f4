/* A release that exists already.
 *
 * Row i of one file is row i of the other. Half of the people, at random, are attacked; of the
 * others attackers know both rows, which is what they learn from in place of runs of a program. As
 * the release cannot be made again, there is one trial, and nobody compares runs. */
#include "cli/audit/audit-released.h"

#include "core/base/error.h"
#include "core/data/exchange.h"
#include "core/data/rows.h"
#include "core/math/column-units.h"

AssayMatrix *
cli_audit_released_read (const char *file, const CliAuditData *data, GError **error)
{
  const CliAuditFiles files = { .option = "--released", .data = file };
  g_auto (CliAuditData) read = { 0 };

  if (g_file_test (file, G_FILE_TEST_IS_DIR))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "--released %s: is a folder; expected a file of rows", file);
  if (!cli_audit_data_read (&files, &read, error))
    return NULL;
  if (read.rows->rows != data->rows->rows)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "--released: %s has %zu rows, and --data has %zu; expected row i of "
                            "one to be what was released of row i of the other",
                            file, read.rows->rows, data->rows->rows);
  return g_steal_pointer (&read.rows);
}

/* ---- Units ---- */

/* @ret_units stays NULL where the columns are alike enough. */
static gboolean
find_units (const AssayMatrix *rows, float **ret_units, GError **error)
{
  g_autoptr (AssayRows) view = assay_rows_borrow (assay_matrix_view (rows));
  double low, high;

  if (!assay_column_deviation_range (view, &low, &high, error))
    return FALSE;
  if (high < ASSAY_UNLIKE_UNITS * low)
    return TRUE;
  *ret_units = assay_column_units (view, error);
  return *ret_units != NULL;
}

/* Divides columns by @units; NULL: leaves them. */
static gboolean
divide (AssayMatrix **inout_rows, const float *units, GError **error)
{
  AssayMatrix *divided
      = units != NULL ? assay_columns_divide (assay_matrix_view (*inout_rows), units, error) : NULL;

  if (divided == NULL)
    return units == NULL;
  assay_matrix_free (*inout_rows);
  *inout_rows = divided;
  return TRUE;
}

gboolean
cli_audit_released_scale (AssayMatrix **inout_rows, AssayMatrix **inout_released,
                          gboolean *ret_is_scaled, GError **error)
{
  const gboolean is_same_space = (*inout_rows)->cols == (*inout_released)->cols;
  g_autofree float *units = NULL;
  g_autofree float *others = NULL;

  if (!find_units (*inout_rows, &units, error)
      || (!is_same_space && !find_units (*inout_released, &others, error)))
    return FALSE;
  *ret_is_scaled = units != NULL || others != NULL;
  return divide (inout_rows, units, error)
         && divide (inout_released, is_same_space ? units : others, error);
}

/* ---- The folder ---- */

/* Of the rows that @numbers name; parents are made. */
static gboolean
write_release (const char *place, const AssayMatrix *released, const gsize *numbers, gsize n,
               GError **error)
{
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTORS, "release-folder");
  AssayMatrix *vectors = cli_audit_data_take (released, numbers, n, error);

  if (vectors == NULL)
    return FALSE;
  assay_arrays_take (&release->arrays, "vectors", assay_array_take_matrix (vectors));
  return assay_release_write (release, place, error);
}

static gboolean
write_truth (const char *place, const AssayMatrix *rows, GError **error)
{
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayMatrix *copy = assay_matrix_copy (assay_matrix_view (rows), error);

  if (copy == NULL)
    return FALSE;
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (copy));
  return assay_truth_write (truth, place, error);
}

gboolean
cli_audit_released_write (const char *folder, const AssayMatrix *released,
                          const AssayMatrix *public_rows, const CliAuditSplit *split,
                          GError **error)
{
  g_autofree char *attacked = g_build_filename (folder, "release", NULL);
  g_autofree char *known = g_build_filename (folder, "pairs", "release", NULL);
  g_autofree char *truth = g_build_filename (folder, "pairs", "truth", NULL);

  return write_release (attacked, released, split->order, split->n_private, error)
         && write_release (known, released, split->order + split->n_private, split->n_public, error)
         && write_truth (truth, public_rows, error);
}
