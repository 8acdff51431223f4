/* What is known of the candidates of each subspace, and how likely that makes them the secret. */
#pragma once

#include "attacks/lifting/lattice-search.h"
#include "core/plugin/plugin.h"

typedef struct {
  double distance;   /* to the nearest public row; 0 where there are none */
  gboolean is_known; /* a row of the database has its direction */
  gboolean is_exact; /* where others are coarse: a row that was not dithered as the secret was */
  gsize shared;      /* other releases that have it, too */
} LatticeStanding;

typedef struct {
  const LatticeSearch *search; /* of the release, which outlives this */
  LatticeStanding **items;     /* a list for each subspace, one entry a point */
  gsize n_shared;              /* points that other releases have, too */
} LatticeStandings;

/* What the grants of @seen say of the points of @search. @others is what was found in the other
 * releases, where these are not the release itself; NULL: they are, or are not granted. */
LatticeStandings *lattice_standings_new (const LatticeSearch *search, const LatticeSearch *others,
                                         const AssayObservation *seen, GError **error);
ASSAY_DECLARE_FREE (LatticeStandings, lattice_standings_free)

/* The place of the likeliest of the candidates of @item, of which there is one at least. */
gsize lattice_standings_best (const LatticeStandings *standings, gsize item);
/* Whether what is known, public rows aside, says of both the same. */
gboolean lattice_standing_is_like (const LatticeStanding *a, const LatticeStanding *b);
/* Whether nothing that is known explains a candidate. */
gboolean lattice_standing_is_open (const LatticeStanding *standing);

/* The points of all subspaces, one after another, scaled to length 1; no rows where there are no
 * points. */
AssayMatrix *lattice_directions (const LatticeSearch *search, GError **error);
/* Point @place of @item as the release has it. */
void lattice_point (const LatticeSearch *search, gsize item, gsize place, float *ret_point);
