/* Fuzz target: .fvecs, .bvecs, .ivecs and .npy files as tables. The first byte of an input is the
 * format, the rest is the file. */
#include "fuzz/table.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const AssayTableFormat formats[]
      = { ASSAY_TABLE_FVECS, ASSAY_TABLE_BVECS, ASSAY_TABLE_IVECS, ASSAY_TABLE_NPY };
  FuzzInput input = { data, size };
  const AssayTableFormat format = formats[fuzz_take_byte (&input) % G_N_ELEMENTS (formats)];

  fuzz_read_table (format, input.data, input.left);
  return 0;
}
