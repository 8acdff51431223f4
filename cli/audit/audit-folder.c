/* The folder of an audit: what is written into it, and taken back. */
#include "cli/audit/audit-folder.h"

#include "cli/audit/audit-labels.h"
#include "core/base/error.h"
#include "core/data/npy.h"
#include "core/data/secret-paths.h"
#include <stdio.h>

/* A name of letters, digits, - and _. */
static char *
base_name (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  char *dot = strrchr (name, '.');

  if (dot != NULL && dot != name)
    *dot = '\0';
  return g_strdup (g_strcanon (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_", '-'));
}

char *
cli_audit_choose_folder (const char *out, const char *id, const char *data, GError **error)
{
  g_autofree char *base = base_name (data);

  if (out != NULL)
    return *out != '\0' && !g_file_test (out, G_FILE_TEST_EXISTS)
               ? g_strdup (out)
               : assay_fail_null (error, ASSAY_ERROR_DATA,
                                  "--out %s: expected the name of a new folder", out);
  for (guint i = 1;; i++) {
    g_autofree char *number = i > 1 ? g_strdup_printf ("-%u", i) : g_strdup ("");
    g_autofree char *name = g_strdup_printf ("audit-%s-%s%s", id, base, number);
    g_autofree char *place = g_build_filename ("assay-out", name, NULL);

    if (!g_file_test (place, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&place);
  }
}

static gboolean
write_array (const char *folder, const char *name, AssayArray *taken, GError **error)
{
  g_autoptr (AssayArray) array = taken;
  g_autofree char *path = g_build_filename (folder, name, NULL);

  assay_secret_path_add (path);
  return assay_npy_write (path, array, error);
}

/* Labels and attributes, where there are any, of the rows that @numbers name. */
static gboolean
write_known (const char *folder, const char *role, const CliAuditData *data, const gsize *numbers,
             gsize n, GError **error)
{
  g_autofree char *of_labels = g_strconcat (role, "-labels.npy", NULL);
  g_autofree char *of_attributes = g_strconcat (folder, "/", role, "-attributes.csv", NULL);

  if (data->labels != NULL) {
    gint64 *labels = g_new (gint64, n);

    for (gsize i = 0; i < n; i++)
      labels[i] = data->labels[numbers[i]];
    if (!write_array (folder, of_labels, assay_array_take (ASSAY_INT64, 1, &n, labels), error))
      return FALSE;
  }
  assay_secret_path_add (of_attributes);
  return data->attributes == NULL
         || cli_audit_attributes_write (data->attributes, numbers, n, of_attributes, error);
}

AssayMatrix *
cli_audit_write_part (const char *folder, const char *role, const CliAuditData *data,
                      const gsize *numbers, gsize n, GError **error)
{
  AssayMatrix *rows = cli_audit_data_take (data->rows, numbers, n, error);
  g_autofree char *name = g_strconcat (role, ".npy", NULL);
  g_autoptr (AssayMatrix) copy = NULL;

  if (rows == NULL)
    return NULL;
  copy = assay_matrix_copy (assay_matrix_view (rows), error);
  if (copy != NULL
      && write_array (folder, name, assay_array_take_matrix (g_steal_pointer (&copy)), error)
      && write_known (folder, role, data, numbers, n, error))
    return rows;
  assay_matrix_free (rows);
  return NULL;
}

void
cli_audit_take_back (const char *folder)
{
  static const char *const names[] = { "private.npy",
                                       "public.npy",
                                       "private-labels.npy",
                                       "public-labels.npy",
                                       "private-attributes.csv",
                                       "public-attributes.csv" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    remove (path);
  }
  remove (folder);
}
