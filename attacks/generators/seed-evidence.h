/* What of a release hints at the random numbers behind it, before any seed is tried.
 *
 * Each kind gives weights e_i so that sum_i e_i g_i is large if g are the numbers that it was made
 * with, and is of mean 0 and variance sum_i e_i^2 var g if they are not, whatever the release is:
 *   vectors   x = s + a g: the score of g, e = P (x - mean), P the inverse covariance of x with a
 *             ridge: noise shows where the rows of a release are otherwise alike
 *   codes     bits of +-1, flipped where g = 1: e = -b E (b | the other bits of its code), by least
 *             squares: a bit that its neighbours contradict looks flipped
 *   mixtures  x = g * image, g of +-1: neighbouring pixels of an image have equal signs mostly, so
 *             that e_i = x_i x_j stands before g_i g_j, for the neighbours j to the right and below
 */
#pragma once

#include "core/plugin/plugin.h"

#define SEED_EVIDENCE_SETS 2

typedef struct {
  gsize count; /* of numbers, those of the first rows */
  gsize n_sets;
  gsize steps[SEED_EVIDENCE_SETS];    /* 0: weights of single numbers; else of i and i + step */
  float *weights[SEED_EVIDENCE_SETS]; /* count each */
  double norm;                        /* root of the sum of all squares */
  AssayMatrix *inverse;               /* P of vectors; NULL: of other kinds, or too many columns */
} SeedEvidence;

/* Of at least the first @numbers numbers of @release (vectors, codes or mixtures), as far as there
 * are. ASSAY_ERROR_MEMORY, ASSAY_ERROR_NUMERIC. */
gboolean seed_evidence_find (const AssayRelease *release, gsize numbers, SeedEvidence *ret_evidence,
                             GError **error);
ASSAY_DECLARE_CLEAR (SeedEvidence, seed_evidence_clear)

/* The release's numbers as rows: bits as +-1. */
AssayMatrix *seed_release_rows (const AssayRelease *release, GError **error);

/* How many deviations from what other numbers would give: the first @count of them, of variance
 * @variance, @g has @evidence->count or more. */
double seed_evidence_score (const SeedEvidence *evidence, const double *g, gsize count,
                            double variance);

/* How much of a known noise g is in rows x = s + a g: the most likely a of normal s of any
 * covariance, by generalised least squares. The covariance is that of x - a g with the a before: at
 * the true a it is that of the secrets, and smallest. Of many columns plain least squares. */
gboolean seed_noise_scale (const AssayMatrix *rows, const AssayMatrix *noise, double *ret_scale,
                           GError **error);
