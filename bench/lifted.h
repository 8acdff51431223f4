/* Descriptors and subspaces that are lifted from them, of any size, for the benchmarks of scans. */
#pragma once

#include "core/rows.h"

#define LIFTED_SIFT_COLS 128

/* The descriptors of five files of real SIFT in @folder (NULL: the folder sift of ASSAY_DATA), and
 * those of private photographs, which are searched for. Ends the program where that fails. */
void lifted_open_sift (const char *folder, AssayRows **ret_rows, AssayRows **ret_secrets);

/* @n rows of @cols bytes, written to @path and mapped. Ends the program where that fails. */
AssayRows *lifted_rows (const char *path, gsize n, gsize cols, guint64 seed);

/* Subspaces of @dimension m: subspace i goes through row 7 i (modulo their number) and is otherwise
 * random, as affine lifting makes them. @ret_translation is n x cols, @ret_basis n x m x cols. */
void lifted_subspaces (const AssayRows *rows, gsize n, gsize dimension, guint64 seed,
                       float *ret_translation, float *ret_basis);

/* Before the memory of a scan is measured: has the mapped rows in memory, which is not of the scan,
 * gives back what was freed, and sets the peak back. Returns the bytes held. */
gint64 lifted_settle (const AssayRows *rows);
