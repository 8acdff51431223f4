/* Fuzz target: CSV files as tables of numbers, and one of their columns as groups. For the latter
 * the first byte of an input says how many rows there should be, the first line which column, the
 * rest is the file. */
#include "core/data/formats/csv-column.h"
#include "fuzz/table.h"

static void
read_column (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  const gsize n_rows = fuzz_take_byte (&input);
  g_autofree char *column = fuzz_take_text (&input, '\n');
  g_autoptr (AssayCsvColumn) read = NULL;
  g_autoptr (GError) error = NULL;
  gint64 next = 0;

  fuzz_files_add ("a.csv", input.data, input.left);
  read = assay_csv_column_read ("a.csv", column, n_rows, &error);
  fuzz_check_outcome (read != NULL, error);
  FUZZ_REQUIRE (error == NULL || g_utf8_validate (error->message, -1, NULL)
                || !g_utf8_validate (column, -1, NULL));
  FUZZ_REQUIRE (read == NULL || (read->n_rows == n_rows && read->values->len == read->n_groups));
  /* Numbered in order of first appearance. */
  for (gsize i = 0; read != NULL && i < n_rows; i++) {
    FUZZ_REQUIRE (read->groups[i] >= 0 && read->groups[i] <= next);
    next = MAX (next, read->groups[i] + 1);
  }
  FUZZ_REQUIRE (read == NULL || (gsize) next == read->n_groups);
  fuzz_files_forget ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz_read_table (ASSAY_TABLE_CSV, data, size);
  read_column (data, size);
  return 0;
}
