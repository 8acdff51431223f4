/* What links items of two releases under different keys, as an attacker learns it from releases of
 * rows of their own (see cross-linkage.c for the model). */
#pragma once

#include "core/data/exchange.h"

/* Ways of seeing the items of a release, of which an attacker tries which one links:
 *   numbers  as they are, less their mean: defenses whose key leaves the axes alone
 *   axes     the sizes of their components along the principal axes of the release itself: turned
 *            and mirrored releases have the same ones (Liu, Giannella and Kargupta 2006)
 *   shape    length, mean and sorted numbers of an item: rotations keep the length, permutations
 *            the sorted numbers, codes under another mask nothing */
typedef enum {
  CROSS_NUMBERS,
  CROSS_AXES,
  CROSS_SHAPE,
  CROSS_N_VIEWS,
} CrossView;

extern const char *const cross_view_names[]; /* ... "best"; NULL ends */

#define CROSS_MOST_DIRECTIONS 64
#define CROSS_MOST_NUMBERS 4096 /* of an item; views with more are left out */

typedef struct {
  CrossView view;
  AssayMatrix *directions; /* k x p: of components of variance 1 */
  double correlations[CROSS_MOST_DIRECTIONS];
  gsize used;     /* of the directions, the first so many */
  double area;    /* that is expected */
  gboolean links; /* the area is above 1/2, in runs that were held out */
} CrossModel;

ASSAY_DECLARE_CLEAR (CrossModel, cross_model_clear)

/* @releases: of AssayOwnRelease, 8 at least; 2 k and 2 k + 1 are of the same rows under keys of
 * their own. @view: CROSS_N_VIEWS for the one that links best. @ret_model arrives zeroed. */
gboolean cross_model_learn (const GPtrArray *releases, guint view, CrossModel *ret_model,
                            GError **error);
/* Adds the scores of all pairs of items to @ret_scores, n x m. */
gboolean cross_model_score (const CrossModel *model, const AssayRelease *release,
                            const AssayRelease *crossed, float *ret_scores, GError **error);
