/* How alike the features of two items are, which everybody can compute. */
#pragma once

#include "core/data/matrix.h"

/* Of items of two modalities. */
typedef enum {
  ASSAY_SIMILARITY_JOINT, /* the mean of both cosines */
  ASSAY_SIMILARITY_FIRST, /* the cosine of the first modality alone */
  ASSAY_SIMILARITY_SECOND,
} AssaySimilarity;

extern const char *const assay_similarities[]; /* by AssaySimilarity, NULL at the end */

/* Rows of which the inner product is the similarity: those of each modality minus their mean, of
 * length 1 (0 where a row is the mean), for `joint` of length sqrt (1/2). The first modality has
 * @first_cols columns; 0: there is one alone, and the similarity is its cosine. ASSAY_ERROR_MEMORY,
 * or ASSAY_ERROR_MISMATCH for a second modality that is not there. */
AssayMatrix *assay_likeness_rows (AssayView items, gsize first_cols, AssaySimilarity similarity,
                                  GError **error);
/* The similarity of two of them. @rows is an AssayMatrix (as in AssayClipping.likeness). */
double assay_likeness_of_pair (gconstpointer rows, gsize i, gsize j);
/* Those of all pairs i < j, in the order of assay_pair_number. */
void assay_likeness_fill (const AssayMatrix *rows, float *ret_values);
