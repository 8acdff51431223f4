/* Mutants of SQLite databases that keep the schema: a cell or a row is changed, everything that
 * belongs to the format is SQLite's own work, so that each mutant gets as far as its content. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Changes one to four cells or rows of the database of @size bytes in @data; the new size, at most
 * @max_size. What is no database, or has become too large, stays as it is. The same @seed gives the
 * same mutant. */
size_t fuzz_cells_mutate (uint8_t *data, size_t size, size_t max_size, unsigned int seed);
