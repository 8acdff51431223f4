/* Rows near affine subspaces, approximately: of rows in lists (inverted-lists.h) only those of
 * the lists whose centres are nearest to a subspace are looked at. What is found is at its true
 * distance; what lies in other lists is missed. So a search says by a sample what share of the
 * nearest rows it finds: recall. */
#pragma once

#include "core/base/rng.h"
#include "core/search/inverted-lists.h"
#include "core/search/scan.h"

typedef struct {
  gsize lists;
  gsize probes; /* lists that are read for each subspace */
} AssayProbing;

/* As settings have it for @n_rows rows: 0 lists are assay_lists_count () of them, and 0 probes a
 * sixteenth of the lists. ASSAY_ERROR_MISMATCH: more lists than rows, or more probes than lists. */
gboolean assay_probing_init (AssayProbing *ret_probing, gsize lists, gsize probes, gsize n_rows,
                             GError **error);

typedef struct {
  guint64 pairs;  /* of rows and subspaces */
  guint64 looked; /* those of them whose distance was computed */
} AssayProbingWork;

/* As assay_scan_subspaces, of the rows in the @probes lists nearest to each subspace, and where
 * those hold fewer than @k rows of as many more as it takes. Distances are those of the exact scan:
 * with all lists, so is the result (to the bit, where the products of BLAS do not depend on the
 * shapes of their factors: prune_has_chains). Does not depend on the number of threads, to the bit.
 * Errors are those of the scan and of the lists. @ret_work may be NULL. */
AssayNearest *assay_scan_approximately (const AssayProbing *probing,
                                        const AssaySubspaces *subspaces, const AssaySearchSet *set,
                                        gsize k, AssayProbingWork *ret_work, GError **error);

/* The same for the subspaces of @release, in the scale of its secrets; kept with it, as by
 * assay_release_nearest, for the same @k; where all lists would be read, what that returns. */
AssayNearest *assay_release_nearest_approximately (const AssayRelease *release,
                                                   const AssayProbing *probing,
                                                   const AssayRows *rows, gsize k, GError **error);

/* Subspaces of which recall is measured, at most. */
#define ASSAY_RECALL_SAMPLE 64

/* Recall of @nearest, which was found for the subspaces of @release: for each of a sample of them
 * (drawn from @stream; all, where they are no more) three numbers, the subspace's, how many of its
 * k nearest rows by the exact scan are among those of @nearest, and k. An array of int64, q x 3. */
AssayArray *assay_release_recall (const AssayRelease *release, const AssayRows *rows,
                                  const AssayNearest *nearest, AssayStreamKey stream,
                                  GError **error);

/* Bytes that search and lists hold at most, results included, and then recall. */
guint64 assay_approximate_memory (const AssayProbing *probing, gsize n_subspaces, gsize dimension,
                                  gsize cols, gsize n_rows, gsize k);
