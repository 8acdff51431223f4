/* Releases of kind vector-sets, as attacks read them, and what public rows say of the entries of
 * their dictionary before any set was seen: a prior. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  gsize n;
  gsize w;
  const gint64 *members; /* n x w */
  const AssayArray *dictionary;
  AssayView entries; /* the same, K x d */
  AssayScale scale;  /* of secrets and entries, to which public rows are brought */
} VectorSets;

VectorSets vector_sets_of (const AssayRelease *release);

/* By what entries are ranked, for public rows P:
 *   nearest  the least distance from any of P: the less the likelier
 *   mass     how many of P have the entry as their nearest: the more the likelier; of equals, by
 *            nearest. P (d' = entry) estimated as (count + 1) / (|P| + K), never 0, has the same
 *            order: if secrets come from where P does, the first is the likeliest of a set
 *   both     (count + 1) / distance^4: where P has few rows for each entry, as descriptors of
 *            photographs do, a count of 0 or 1 says little, and the distance goes on
 * The distance also says how good the guess would be if it is wrong, which mass does not. */
typedef enum { VECTOR_SETS_NEAREST, VECTOR_SETS_MASS, VECTOR_SETS_BOTH } VectorSetsPrior;

extern const char *const vector_sets_priors[];

/* What the prior says of entries, one for each of those asked for. */
typedef struct {
  VectorSetsPrior prior;
  float *distances; /* NULL: not needed */
  gint64 *masses;   /* the same */
  double *lifts;    /* by what else stands in its photograph, each entry is so many times as likely
                     * as without (set-photographs.h); NULL: not asked for */
} VectorSetsScores;

/* By the prior of @inout_scores, for @count numbers of entries, which may repeat. Costs a scan of
 * the public rows for each entry that is asked for, and for masses, once, one of the dictionary for
 * each public row. ASSAY_ERROR_MEMORY, and ASSAY_ERROR_MISMATCH where columns differ. */
gboolean vector_sets_score (const VectorSets *sets, const AssayRows *public_rows,
                            const gint64 *entries, gsize count, VectorSetsScores *inout_scores,
                            GError **error);
ASSAY_DECLARE_CLEAR (VectorSetsScores, vector_sets_scores_clear)

/* Which of @count scores from @first on ranks highest, counted from there; of equals the first. */
gsize vector_sets_likeliest (const VectorSetsScores *scores, gsize first, gsize count);

/* The entry nearest to each of @public_rows (the first of equals), scaled as the secrets are:
 * int64, one a row, kept with the rows. -1: the row is not finite, or zeros that have no direction
 * to be scaled to. New reference. ASSAY_ERROR_MEMORY, and ASSAY_ERROR_MISMATCH where columns
 * differ. */
AssayArray *vector_sets_words (const VectorSets *sets, const AssayRows *public_rows,
                               GError **error);

/* How many of @public_rows have each entry as their word: int64, K, kept and shared as well. */
AssayArray *vector_sets_masses (const VectorSets *sets, const AssayRows *public_rows,
                                GError **error);
