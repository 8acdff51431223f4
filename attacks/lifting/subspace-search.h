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

#define SUBSPACE_SEARCH_MAX_LISTS 16384
/* Probes, where `lists` = 0 leaves it to the number of rows how many lists there are. */
#define SUBSPACE_SEARCH_MAX_OPEN_PROBES 1024

gboolean subspace_search_check (const SubspaceSearch *search, gsize n_rows, GError **error);

/* The @k rows of the database nearest to each subspace of the release. Adds `recall` to @ret_guess
 * where they were searched for approximately. */
AssayNearest *subspace_search_nearest (const SubspaceSearch *search,
                                       const AssayAttackContext *context,
                                       const AssayObservation *seen, gsize k, AssayGuess *ret_guess,
                                       GError **error);

guint64 subspace_search_memory (const SubspaceSearch *search, const AssayShape *shape, gsize k);

/* The rows that a control's database has at least, so that there are many lists and a search reads
 * some of them only; 0 for the exact search. */
gsize subspace_search_control_rows (const SubspaceSearch *search);
