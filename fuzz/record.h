/* Reads releases, guesses and truths from memory.
 *
 * An input is the JSON file, a NUL byte, and up to RECORD_MOST_ARRAYS descriptions of the files
 * 0.npy, 1.npy, ...: a byte each of type, dimensions, three sizes (all modulo) and what the numbers
 * are (0: zeros with ones on the diagonals, as in orthonormal bases; otherwise the eight bytes that
 * follow, repeated). Files that are no .npy are another target's. */
#pragma once

#include "core/data/exchange.h"
#include "fuzz/fuzz.h"

#define RECORD_MOST_ARRAYS 8

/* Adds @json, which the reader will look for, and the arrays; the folder to read from. */
const char *fuzz_record_add (const char *json, const uint8_t *data, size_t size);
/* Looks at every number. */
void fuzz_record_check_arrays (const AssayArrays *arrays);

/* Where a record may be written: a folder that does not exist. */
const char *fuzz_record_place (void);
/* From now on readers find what was written there, and not the input; the folder goes with
 * fuzz_record_remove_written. */
void fuzz_record_take_written (void);
void fuzz_record_remove_written (void);

/* That both hold the same, which is what was read and what it became. */

void fuzz_record_check_equal (const AssayArrays *a, const AssayArrays *b);
void fuzz_record_check_geometry (const AssayGeometry *a, const AssayGeometry *b);
