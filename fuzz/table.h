/* Reads a table of @format from memory: every row, in pieces of different sizes. */
#pragma once

#include "datasets/tables/table.h"
#include "fuzz/fuzz.h"

/* Whether it was read to its end. */
gboolean fuzz_read_table (AssayTableFormat format, const uint8_t *data, size_t size);
