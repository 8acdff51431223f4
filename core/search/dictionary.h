/* A dictionary: few rows that stand for many, by k-means. */
#pragma once

#include "core/base/rng.h"
#include "core/data/array.h"
#include "core/data/rows.h"

typedef struct {
  gsize entries;    /* K */
  guint iterations; /* at most; 0: rows drawn at random */
  AssayScale scale; /* of the rows; under ASSAY_SCALE_UNIT entries are of unit length too */
  AssayStreamKey stream;
} AssayDictionarySpec;

/* The entries, float32 K x d, of @rows. They depend on the rows and on @spec, not on the number of
 * threads, to the bit. They are kept with the rows, so that who asks for the same ones again is
 * given the same memory; and those that take more than a quarter of a second or so on disk too
 * (core/search/disk-cache.h, kind "dictionary"), for whoever has the same rows again. Costs 2 n K d
 * operations an iteration for n rows of d columns. ASSAY_ERROR_MISMATCH: no entries, or more than
 * there are rows; ASSAY_ERROR_NUMERIC: a value that is not finite. */
AssayArray *assay_dictionary (const AssayRows *rows, const AssayDictionarySpec *spec,
                              GError **error);

/* Bytes that making it holds at most, the result included. */
guint64 assay_dictionary_memory (gsize n_rows, gsize cols, gsize entries);
