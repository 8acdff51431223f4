/* Fuzz target: .fvecs, .bvecs, .ivecs, .npy, .tsv, .txt and .npz files as tables. The first byte of
 * an input is the format, the rest is the file; up to its first line end it is also taken for the
 * name of a format and of a file. */
#include "fuzz/table.h"

static void
check_names (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  g_autofree char *name = fuzz_take_text (&input, '\n');
  g_autoptr (GError) unknown = NULL, untold = NULL;
  AssayTableFormat format;
  gboolean is_ok = assay_table_format_from_name (name, &format, &unknown);

  fuzz_check_outcome (is_ok, unknown);
  is_ok = assay_table_format_of_path (name, &format, &untold);
  fuzz_check_outcome (is_ok, untold);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const AssayTableFormat formats[]
      = { ASSAY_TABLE_FVECS, ASSAY_TABLE_BVECS, ASSAY_TABLE_IVECS, ASSAY_TABLE_NPY,
          ASSAY_TABLE_TSV,   ASSAY_TABLE_TEXT,  ASSAY_TABLE_NPZ };
  FuzzInput input = { data, size };
  const guint kind = fuzz_take_byte (&input) % (G_N_ELEMENTS (formats) + 1);

  if (kind == G_N_ELEMENTS (formats))
    check_names (input.data, input.left);
  else
    fuzz_read_table (formats[kind], input.data, input.left);
  return 0;
}
