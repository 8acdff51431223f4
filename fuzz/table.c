/* Tables from memory. */
#include "fuzz/table.h"

#include <math.h>
#include <string.h>

/* A file of a hundred bytes must not cost a second: compressed zeros reach far. */
#define MOST_NUMBERS (1 << 16)

static gboolean
read_rows (AssayTable *table, guint8 *ret_values, GError **error)
{
  const AssayTableInfo *info = &table->info;
  const gsize length = info->cols * assay_type_size (info->type);
  g_autofree guint8 *labels = g_malloc (info->count * info->n_labels + 1);
  gsize piece = 1;

  for (gsize done = 0; done < info->count; done += piece, piece++) {
    piece = MIN (piece, info->count - done);
    if (!assay_table_read (table, piece, ret_values + done * length, labels + done * info->n_labels,
                           error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_all (AssayTable *table)
{
  const AssayTableInfo *info = &table->info;
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *values = NULL;
  gsize numbers = 1;
  gboolean is_ok;

  for (guint i = 0; i < info->n_dimensions; i++)
    FUZZ_REQUIRE (info->shape[i] > 0 && g_size_checked_mul (&numbers, numbers, info->shape[i]));
  FUZZ_REQUIRE (info->count == info->shape[0] && info->cols == numbers / info->count);
  FUZZ_REQUIRE (info->cols <= ASSAY_TABLE_MAX_COLS && info->n_labels <= ASSAY_TABLE_MAX_LABELS);
  FUZZ_REQUIRE (assay_table_piece (table) >= 1 && assay_table_piece (table) <= info->count);
  if (numbers > MOST_NUMBERS)
    return FALSE;
  values = g_malloc (numbers * assay_type_size (info->type));
  is_ok = read_rows (table, values, &error);
  fuzz_check_outcome (is_ok, error);
  for (gsize i = 0;
       is_ok && info->format == ASSAY_TABLE_CSV && info->type == ASSAY_FLOAT64 && i < numbers; i++)
    FUZZ_REQUIRE (isfinite (((const double *) (gconstpointer) values)[i]));
  return is_ok;
}

/* Every format has a name that is its own. */
static void
check_name (AssayTableFormat format)
{
  AssayTableFormat found;

  FUZZ_REQUIRE (assay_table_format_from_name (assay_table_format_name (format), &found, NULL));
  FUZZ_REQUIRE (found == format);
}

/* Rows as scenarios have them are told apart by the name. */
static const char *
name_of (AssayTableFormat format)
{
  return format == ASSAY_TABLE_TSV    ? "table.tsv"
         : format == ASSAY_TABLE_TEXT ? "table.txt"
         : format == ASSAY_TABLE_NPZ  ? "table.npz"
                                      : "table";
}

gboolean
fuzz_read_table (AssayTableFormat format, const uint8_t *data, size_t size)
{
  g_autoptr (AssayTable) table = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_read;

  check_name (format);
  fuzz_files_add (name_of (format), data, size);
  table = assay_table_open (name_of (format), format, &error);
  fuzz_check_outcome (table != NULL, error);
  is_read = table != NULL && read_all (table);
  fuzz_files_forget ();
  return is_read;
}
