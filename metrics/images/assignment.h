/* Which estimate is of which secret, where an attack cannot know. */
#pragma once

#include "core/data/matrix.h"

/* For each of @n rows a column of its own, of @m >= n, such that the sum of the costs (n x m,
 * finite) is least: the Hungarian method by shortest augmenting paths (Jonker and Volgenant 1987,
 * "A shortest augmenting path algorithm for dense and sparse linear assignment problems"). Takes
 * n^2 m steps at most. */
gboolean metric_assign (const double *costs, gsize n, gsize m, gsize *ret_columns, GError **error);

#define METRIC_NO_MATCH G_MAXSIZE

/* For each row of @a a row of @b of its own (both of as many columns), such that the sum of their
 * correlations is largest, or of the absolute ones (@is_either_sign). METRIC_NO_MATCH: there are
 * fewer rows of @b, and this one is better left without. */
gboolean metric_match (AssayView a, AssayView b, gboolean is_either_sign, gsize *ret_matches,
                       GError **error);

/* For each row of @a the largest correlation (or absolute one) that the row of @b that is its own,
 * @matches, has with another row of @a; 0 where it has none, or there is no other. */
gboolean metric_largest_correlations (AssayView a, AssayView b, gboolean is_either_sign,
                                      const gsize *matches, double *ret_largest, GError **error);
