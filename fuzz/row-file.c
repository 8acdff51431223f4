/* Fuzz target: rows of TEXMEX, NumPy (.npy, .npz), CSV and text files. An input is a specification
 * as scenarios have it, a line end, and the content of every file that it names. */
#include "fuzz/fuzz.h"

#include <math.h>

#include "core/data/row-file.h"
#include "core/data/row-table.h"

static const char *const names[]
    = { "a.fvecs", "a.bvecs", "a.ivecs", "a.npy", "a.npz", "a.csv", "a.tsv", "a.dat", NULL };

static void
check_rows (const AssayRowFiles *files)
{
  const gsize count = assay_rows_count (files->rows), cols = assay_rows_cols (files->rows);
  g_autofree float *row = g_new (float, cols);
  gsize n = 0;

  FUZZ_REQUIRE (count > 0 && cols > 0 && cols <= ASSAY_ROW_FILE_MAX_COLS);
  for (guint i = 0; i < files->ranges->len; i++) {
    const AssayRowRange *range = assay_row_files_range (files, i);

    FUZZ_REQUIRE (range->first < range->end && range->end <= range->n_in_file);
    n += range->end - range->first;
  }
  FUZZ_REQUIRE (n == count);
  for (gsize i = 0; i < count; i++) {
    assay_rows_read (files->rows, i, 1, ASSAY_SCALE_NONE, row);
    for (gsize j = 0; j < cols; j++)
      FUZZ_REQUIRE (isfinite (row[j]));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *const folders[] = { fuzz_folder (names), NULL };
  FuzzInput input = { data, size };
  g_autofree char *specification = fuzz_take_text (&input, '\n');
  g_autoptr (AssayRowFiles) files = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; names[i] != NULL; i++)
    fuzz_files_add (names[i], input.data, input.left);
  files = assay_row_files_open (specification, folders, &error);
  fuzz_check_outcome (files != NULL, error);
  if (files != NULL) {
    g_autoptr (GError) shared = NULL, twice = NULL;
    const gboolean is_disjoint
        = assay_row_files_check_disjoint (files, "one", files, "other", &shared);
    const gboolean is_distinct = assay_row_files_check_distinct (files, "one", &twice);

    FUZZ_REQUIRE (!is_disjoint && shared != NULL);
    fuzz_check_outcome (is_distinct, twice);
    check_rows (files);
  }
  fuzz_files_forget ();
  return 0;
}
