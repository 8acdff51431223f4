/* Descriptors, drawn or of real SIFT, and subspaces that are lifted from them, for the benchmarks
 * of scans. */
#pragma once

#include "core/rows.h"

/* @n rows of @cols bytes, written to @path and mapped. Ends the program where that fails. */
AssayRows *lifted_rows (const char *path, gsize n, gsize cols, guint64 seed);

/* Subspaces of @dimension m: subspace i goes through row 7 i (modulo their number) and is otherwise
 * random, as affine lifting makes them. @ret_translation is n x cols, @ret_basis n x m x cols. */
void lifted_subspaces (const AssayRows *rows, gsize n, gsize dimension, guint64 seed,
                       float *ret_translation, float *ret_basis);

/* Before the memory of a scan is measured: has the mapped rows in memory, which is not of the scan,
 * gives back what was freed, and sets the peak back. Returns the bytes held. */
gint64 lifted_settle (const AssayRows *rows);

/* Files of real SIFT: those of a database, and descriptors of other photographs. */
#define SIFT_ROWS                                                                                  \
  "sift_places_public.bvecs,homography_sift.bvecs,sacre_coeur_sift.bvecs,"                         \
  "sceaux_castle_sift.bvecs,bigann10k.bvecs"
#define SIFT_SECRETS "sift_private_queries.bvecs"

/* Where they are: @given, or sift in ASSAY_DATA; NULL: nobody says. To be freed. */
char *sift_folder (const char *given);
/* Their rows. Ends the program where they cannot be opened. */
AssayRows *sift_rows (const char *files, const char *folder);
