/* How an attack on subspaces looks for the rows of its database that are near them: by the exact
 * scan, or approximately, and then with the recall of that in the guess. Its settings are those of
 * the attack: search, lists and probes. */
#pragma once

#include "attacks/lifting/subspace.h"

enum { SUBSPACE_SEARCH_EXACT, SUBSPACE_SEARCH_APPROXIMATE };
extern const char *const subspace_search_names[];

typedef struct {
  gboolean is_approximate;
  gsize lists;  /* 0: by the number of rows */
  gsize probes; /* 0: by the number of lists */
} SubspaceSearch;

/* The most lists, and the most probes where `lists` = 0 leaves open of how many. */
#define SUBSPACE_SEARCH_MOST_LISTS 16384
#define SUBSPACE_SEARCH_MOST_OPEN 1024

gboolean subspace_search_check (const SubspaceSearch *search, gsize n_rows, GError **error);

/* The @k rows of the database nearest to each subspace of the release. Adds `recall` to @ret_guess
 * where they were searched for approximately. */
AssayNearest *subspace_search_nearest (const SubspaceSearch *search,
                                       const AssayAttackContext *context,
                                       const AssayObservation *seen, gsize k, AssayGuess *ret_guess,
                                       GError **error);

guint64 subspace_search_memory (const SubspaceSearch *search, const AssayShape *shape, gsize k);

/* So many rows a control's database has at least, so that lists are many and a search reads a part
 * of them only; 0 for the exact one. */
gsize subspace_search_control_rows (const SubspaceSearch *search);
