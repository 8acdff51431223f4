/* Descriptors, drawn or of real SIFT, and subspaces that are lifted from them, for the benchmarks
 * of scans. */
#pragma once

#include "core/data/rows.h"

#define LIFTED_SIFT_COLS 128

/* Where files of real SIFT are: @given, or sift in ASSAY_DATA; NULL: nobody says. To be freed. */
char *lifted_sift_folder (const char *given);
/* The descriptors of five of them, and those of private photographs, which are searched for. Ends
 * the program where they cannot be opened. */
void lifted_open_sift (const char *given, AssayRows **ret_rows, AssayRows **ret_secrets);

/* @n rows of @cols bytes, written to @path and mapped. Ends the program where that fails. */
AssayRows *lifted_rows (const char *path, gsize n, gsize cols, guint64 seed);

/* Subspaces of @dimension m: subspace i goes through row 7 i (modulo their number) and is otherwise
 * random, as affine lifting makes them. @ret_translation is n x cols, @ret_basis n x m x cols. */
void lifted_subspaces (const AssayRows *rows, gsize n, gsize dimension, guint64 seed,
                       float *ret_translation, float *ret_basis);

/* Before the memory of a scan is measured: has the mapped rows in memory, which is not of the scan,
 * gives back what was freed, and sets the peak back. Returns the bytes held. */
gint64 lifted_settle (const AssayRows *rows);
