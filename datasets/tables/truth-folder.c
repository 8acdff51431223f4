/* Secrets with what is known of them, from a truth folder: `folder = mine/truth`.
 *
 * Source: Assay; the folder is one of core/data/exchange.h (truth.json and .npy files): secrets n x
 * d, and where they are there groups, labels, label-sets, frames, geometry of images, and partners
 * n x 1, the public row that is another record of each secret. Trials take the secrets in the order
 * of the folder, so that an external release is of the same ones; without the key `secrets` all of
 * them are taken, in equal parts. Further labels are the folder's array attributes, n x q, or a
 * table beside it (row-attributes.h).
 *
 * Frames are used where the photographs are there too: of a folder they are not. */
#include "core/base/free.h"
#include "core/data/row-file.h"
#include "core/data/row-table.h"
#include "core/external/external-folder.h"
#include "core/plugin/plugin.h"
#include "datasets/tables/row-attributes.h"

typedef struct {
  char *folder;
  char *public;
  char *database;
  gint64 classes;
  char *attributes;
  char *public_attributes;
} Folder;

typedef struct {
  AssayTruth *truth;
  AssayRowFiles *public_rows, *database; /* NULL: none */
  gsize n_groups, n_classes;
  const AssayArray *groups, *labels, *label_sets, *partners; /* of the truth; NULL: none */
  AssayArray *attributes, *public_attributes;                /* NULL: none */
  char **attribute_names;
} Opened;

ASSAY_LOCAL_CLEAR (Opened, opened_clear, assay_drop (self->truth, assay_truth_free),
                   assay_drop (self->public_rows, assay_row_files_free),
                   assay_drop (self->database, assay_row_files_free),
                   assay_drop (self->attributes, assay_array_free),
                   assay_drop (self->public_attributes, assay_array_free),
                   assay_drop (self->attribute_names, g_strfreev))

static AssayView
secrets_of (const Opened *opened)
{
  return assay_array_view (assay_arrays_get (&opened->truth->arrays, "secrets"));
}

static gboolean
open_rows (const char *key, const char *specification, const Opened *opened,
           const char *const *folders, AssayRowFiles **ret_files, GError **error)
{
  const gsize cols = secrets_of (opened).cols;

  if (*specification == '\0')
    return TRUE;
  *ret_files = assay_row_files_open (specification, folders, error);
  if (*ret_files == NULL)
    return assay_prefix (error, "%s: ", key);
  return assay_rows_cols ((*ret_files)->rows) == cols
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s has %zu columns, expected %zu as the secrets have", key,
                        assay_rows_cols ((*ret_files)->rows), cols);
}

static gsize
count_different (const AssayArray *numbers)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gsize i = 0; numbers != NULL && i < assay_array_count (numbers); i++)
    g_hash_table_add (seen, (gpointer) (assay_array_int64 (numbers) + i));
  return g_hash_table_size (seen);
}

static gboolean
count_classes (const Folder *settings, Opened *opened, GError **error)
{
  for (gsize i = 0; opened->labels != NULL && i < assay_array_count (opened->labels); i++) {
    const gint64 label = assay_array_int64 (opened->labels)[i];

    if (label < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "label of secret %zu is %" G_GINT64_FORMAT ", expected classes from 0", i,
                         label);
    opened->n_classes = MAX (opened->n_classes, (gsize) label + 1);
  }
  if (settings->classes == 0)
    return TRUE;
  if ((gsize) settings->classes < opened->n_classes)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "classes = %" G_GINT64_FORMAT
                       ": the labels have %zu, expected at least as many",
                       settings->classes, opened->n_classes);
  opened->n_classes = (gsize) settings->classes;
  return TRUE;
}

/* Of a truth whose secrets were mixed, the public rows in each image: not a record of a secret. */
static gboolean
find_partners (Opened *opened, GError **error)
{
  const AssayArrays *arrays = &opened->truth->arrays;
  const AssayArray *partners = assay_arrays_get (arrays, "partners");
  const gsize n = secrets_of (opened).rows;
  const gsize n_public = assay_row_files_count (opened->public_rows);

  if (partners == NULL || n_public == 0 || assay_arrays_get (arrays, "sources") != NULL
      || partners->shape[0] != n || partners->shape[1] != 1)
    return TRUE;
  for (gsize i = 0; i < n; i++) {
    const gint64 row = assay_array_int64 (partners)[i];

    if (row < 0 || (guint64) row >= n_public)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "partner of secret %zu is %" G_GINT64_FORMAT
                         ", which is none of the %zu public rows",
                         i, row, n_public);
  }
  opened->partners = partners;
  return TRUE;
}

static gboolean
take_own_attributes (const AssayArray *own, Opened *opened, GError **error)
{
  for (gsize i = 0; i < assay_array_count (own); i++)
    if (assay_array_int64 (own)[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "attribute %zu of secret %zu is %" G_GINT64_FORMAT
                         ", expected values from 0",
                         i % own->shape[1], i / own->shape[1], assay_array_int64 (own)[i]);
  opened->attributes = assay_array_copy (own);
  return TRUE;
}

static gboolean
read_attributes (const AssayDatasetContext *context, Opened *opened, GError **error)
{
  const Folder *settings = context->settings;
  const AssayArray *own = assay_arrays_get (&opened->truth->arrays, "attributes");
  const RowAttributesRole roles[]
      = { { "attributes", settings->attributes, NULL, secrets_of (opened).rows },
          { "public_attributes", settings->public_attributes, opened->public_rows,
            assay_row_files_count (opened->public_rows) } };
  AssayArray *values[G_N_ELEMENTS (roles)] = { NULL, NULL };

  if (own != NULL && *settings->attributes != '\0')
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "attributes = %s: the folder has attributes of its own; expected one of "
                       "them",
                       settings->attributes);
  if (!row_attributes_read (roles, G_N_ELEMENTS (roles), context->folders, values,
                            &opened->attribute_names, error))
    return FALSE;
  opened->attributes = values[0];
  opened->public_attributes = values[1];
  return own == NULL || take_own_attributes (own, opened, error);
}

/* @opened arrives zeroed and is cleared by the caller in any case. */
static gboolean
open_folder (const AssayDatasetContext *context, Opened *opened, GError **error)
{
  const Folder *settings = context->settings;
  const AssayRunPosition position = { .folders = context->folders };
  g_autofree char *path = assay_external_folder_find (settings->folder, &position, error);

  opened->truth = path != NULL ? assay_truth_read (path, error) : NULL;
  if (opened->truth == NULL)
    return FALSE;
  opened->groups = assay_arrays_get (&opened->truth->arrays, "groups");
  opened->labels = assay_arrays_get (&opened->truth->arrays, "labels");
  opened->label_sets = assay_arrays_get (&opened->truth->arrays, "label-sets");
  opened->n_groups = count_different (opened->groups);
  if (count_classes (settings, opened, error)
      && open_rows ("public", settings->public, opened, context->folders, &opened->public_rows,
                    error)
      && open_rows ("database", settings->database, opened, context->folders, &opened->database,
                    error)
      && find_partners (opened, error) && read_attributes (context, opened, error))
    return TRUE;
  return assay_prefix (error, "%s: ", path);
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  g_auto (Opened) opened = { 0 };

  if (!open_folder (context, &opened, error))
    return FALSE;
  *ret_probe = (AssayProbe){ .n_secrets = secrets_of (&opened).rows,
                             .n_public = assay_row_files_count (opened.public_rows),
                             .n_database = assay_row_files_count (opened.database),
                             .n_groups = opened.n_groups,
                             .n_classes = opened.n_classes,
                             .cols = secrets_of (&opened).cols,
                             .geometry = opened.truth->geometry };
  ret_probe->holdings = (opened.labels != NULL ? ASSAY_HAS_LABELS : 0)
                        | (opened.truth->geometry.height > 0 ? ASSAY_HAS_IMAGES : 0)
                        | (opened.partners != NULL ? ASSAY_HAS_COUNTERPARTS : 0)
                        | (opened.attributes != NULL ? ASSAY_HAS_ATTRIBUTES : 0)
                        | (opened.public_attributes != NULL ? ASSAY_HAS_PUBLIC_ATTRIBUTES : 0);
  ret_probe->memory = (guint64) ret_probe->n_secrets * ret_probe->cols * sizeof (float);
  return TRUE;
}

static void
hash_numbers (GChecksum *checksum, const AssayArray *numbers)
{
  if (numbers != NULL)
    g_checksum_update (checksum, numbers->data,
                       (gssize) (assay_array_count (numbers) * sizeof (gint64)));
}

static char *
hash_of (const Opened *opened)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const AssayRowFiles *files[] = { opened->public_rows, opened->database };

  assay_external_hash (checksum, "truth", &opened->truth->arrays);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *line
        = g_strdup_printf ("%u %s\n", i, files[i] != NULL ? files[i]->sha256 : "none");

    g_checksum_update (checksum, (const guchar *) line, -1);
  }
  hash_numbers (checksum, opened->attributes);
  hash_numbers (checksum, opened->public_attributes);
  return g_strdup (g_checksum_get_string (checksum));
}

static gint64 *
copy_numbers (const AssayArray *array)
{
  return array != NULL ? g_memdup2 (array->data, assay_array_count (array) * sizeof (gint64))
                       : NULL;
}

static gboolean
open_dataset (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  g_auto (Opened) opened = { 0 };
  AssayMatrix *secrets;

  if (!open_folder (context, &opened, error))
    return FALSE;
  secrets = assay_matrix_copy (secrets_of (&opened), error);
  if (secrets == NULL)
    return FALSE;
  *ret_dataset = (AssayDataset){ .secrets = assay_rows_take_matrix (secrets),
                                 .public_rows = assay_row_files_ref_rows (opened.public_rows),
                                 .database = assay_row_files_ref_rows (opened.database),
                                 .groups = copy_numbers (opened.groups),
                                 .n_groups = opened.n_groups,
                                 .counterparts = copy_numbers (opened.partners),
                                 .n_classes = opened.n_classes,
                                 .geometry = opened.truth->geometry,
                                 .attribute_names = g_steal_pointer (&opened.attribute_names),
                                 .sha256 = hash_of (&opened) };
  ret_dataset->secret_data.attributes = g_steal_pointer (&opened.attributes);
  ret_dataset->public_data.attributes = g_steal_pointer (&opened.public_attributes);
  if (opened.labels != NULL)
    ret_dataset->secret_data.labels = assay_array_copy (opened.labels);
  if (opened.label_sets != NULL)
    ret_dataset->secret_data.label_sets = assay_array_copy (opened.label_sets);
  return TRUE;
}

ASSAY_DATASET (truth_folder, "truth-folder",
  .summary = "Secrets with labels, groups and geometry, as a folder of .npy files",
  .reference = { "Assay", "core/data/exchange.h" },
  ASSAY_SETTINGS (Folder,
    ASSAY_PARAM_STRING (Folder, folder, NULL,
                        "The truth folder: secrets, and where they are known groups, labels, "
                        "label-sets, partners and geometry"),
    ASSAY_PARAM_STRING (Folder, public, "",
                        "Public rows of the same kind: FILE, FILE[100:200], or several separated "
                        "by commas; " ASSAY_ROW_FORMATS),
    ASSAY_PARAM_STRING (Folder, database, "",
                        "Rows from which a defense draws its material, in the same form"),
    ASSAY_PARAM_INT (Folder, classes, 0, 0, 1000000, "classes",
                     "How many classes there are; 0: as many as the labels show"),
    ASSAY_PARAM_STRING (Folder, attributes, "",
                        "Further labels of the secrets: a table of categories with a line for each "
                        "secret, .csv with column names or .npy of whole numbers",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Folder, public_attributes, "",
                        "Further labels of the public rows, with the same columns",
                        ASSAY_PARAM_EXTRA)),
  .probe = probe,
  .open = open_dataset,
  .keeps_order = TRUE);
