/* Fuzz target: tables of numbers as CSV. */
#include "tests/fuzz/table.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz_read_table (ASSAY_TABLE_CSV, data, size);
  return 0;
}
