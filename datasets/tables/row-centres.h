/* A database of cluster centres.
 *
 * Affine lifting draws from cluster centres: 256,000 of 10 million descriptors, by spherical
 * k-means (LDP-FEAT, Pittaluga and Zhuang 2023, section 6.1). What lies near a subspace depends on
 * that: docs/papers/ldp-feat.md has figures for rows and for centres. */
#pragma once

#include "core/data/rows.h"

/* @count centres of @rows, scaled to length 1. They depend on the rows and on their number alone,
 * and are kept on disk as dictionaries are. */
AssayRows *row_centres_find (const AssayRows *rows, gsize count, GError **error);

/* FALSE with ASSAY_ERROR_DATA: there are fewer than @count rows. */
gboolean row_centres_check (gsize count, gsize n_rows, GError **error);
