/* A made-up graph of interactions between items, in whose absence real ones are private: few items
 * are in many of them, and hidden groups of items within a class are closer than the class. */
#pragma once

#include "core/base/rng.h"
#include "core/graph/graph.h"

typedef struct {
  gsize n;
  const gint64 *classes; /* of each item; NULL: all are of one */
  double mean_degree;    /* mean_degree n / 2 links are drawn */
  double exponent;       /* of the power law of activities, above 1 */
} AssayInteractions;

/* Activities t_i = min (u^(-1 / (exponent - 1)), sqrt n). The items of each class are cut at random
 * into groups of 60. Of the links half are inside a group, 0.3 inside a class and 0.2 anywhere: the
 * first end has probability ~ t over all items, the second ~ t over those of the first one's group,
 * of its class, or all. Loops and repeated links are dropped, so that there are fewer edges.
 * ASSAY_ERROR_MEMORY. */
AssayGraph *assay_interactions_draw (const AssayInteractions *interactions, AssayStream *stream,
                                     GError **error);
