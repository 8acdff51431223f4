/* The k rows of a large set nearest to each of many affine subspaces: the hot kernel of the family
 * of descriptor attacks (LDP-FEAT, Pittaluga and Zhuang 2023, section 4.1, steps 1 and 2).
 *
 * With t' the component of the translation t orthogonal to the span of B,
 *   dist^2 (w, t + span B) = ||w||^2 - 2 w.t' + ||t'||^2 - ||B w||^2,
 * so that a panel of rows against a block of subspaces is one matrix product, whose epilogue
 * makes distances of it (scan-kernels.h); the nearest are selected as in search.h. Subspaces of
 * dimension 0 are points, and their distances L2. */
#pragma once

#include "core/data/exchange.h"
#include "core/search/search.h"

G_BEGIN_DECLS

/* The @k (at most the number of rows) rows nearest to each subspace; @scale is how the rows are
 * scaled on reading. Distances are never 0: they are clamped from below to what float32 can tell
 * (assay_scan_tolerance). Rows that are not finite come last, at infinity. The result does not
 * depend on the number of threads, to the bit. Memory beyond the result stays under 256 MiB
 * whatever the sizes, as long as rows have no more than 16,384 columns.
 * ASSAY_ERROR_MISMATCH: columns differ, k is 0 or too large, 2^32 rows or more.
 * ASSAY_ERROR_MEMORY: the result and that memory are more than the machine has. */
AssayNearest *assay_scan_subspaces (const AssaySubspaces *subspaces, const AssayRows *rows,
                                    AssayScale scale, gsize k, GError **error);

/* How a scan goes about it, for tests and benchmarks: what it finds is the same to the bit. */
typedef enum {
  ASSAY_SCAN_AUTO,
  ASSAY_SCAN_BRUTE,  /* every product */
  ASSAY_SCAN_PRUNED, /* a coarse pass first, however small the scan is, where the machine can */
} AssayScanMethod;

typedef struct {
  guint64 pairs;  /* of rows and subspaces */
  guint64 coarse; /* those that the coarse pass looked at */
  guint64 left;   /* those of them that it did not rule out */
} AssayScanWork;

/* @ret_work may be NULL. */
AssayNearest *assay_scan_subspaces_by (AssayScanMethod method, const AssaySubspaces *subspaces,
                                       const AssaySearchSet *set, gsize k, AssayScanWork *ret_work,
                                       GError **error);

/* How far from a subspace of @dimension a row of length @length (L2 norm) in @cols columns may seem
 * to be when it lies in it: a distance of no more than this is zero as far as a scan can tell. */
double assay_scan_tolerance (gsize cols, gsize dimension, double length);

/* The same for the subspaces of @release, in the scale of its secrets. What was found is kept with
 * the release, so that several attacks on it, and one attack with several settings, scan once: the
 * k nearest are the first k of any larger number. */
AssayNearest *assay_release_nearest (const AssayRelease *release, const AssayRows *rows, gsize k,
                                     GError **error);

/* Bytes that a scan holds at most, its result included. */
guint64 assay_scan_memory (gsize n_subspaces, gsize dimension, gsize cols, gsize k);

/* The product that a scan is made of, for benchmarks: @ret_rows stacked rows of subspaces against
 * @ret_panel rows of the set. */
void assay_scan_shape (gsize dimension, gsize cols, gsize *ret_rows, gsize *ret_panel);

G_END_DECLS
