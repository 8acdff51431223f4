/* Exact or approximate search for rows near the subspaces of a release. */
#include "attacks/lifting/subspace-search.h"

#include "core/search/scan-approximate.h"

#define MIN_CONTROL_ROWS 4096

G_STATIC_ASSERT (SUBSPACE_SEARCH_MAX_LISTS == ASSAY_LISTS_MAX);

const char *const subspace_search_names[] = { "exact", "approximate", NULL };

gboolean
subspace_search_check (const SubspaceSearch *search, gsize n_rows, GError **error)
{
  AssayProbing probing;

  if (!search->is_approximate)
    return TRUE;
  if (search->lists == 0 && search->probes > SUBSPACE_SEARCH_MAX_OPEN_PROBES)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "probes = %zu: expected at most %d, or of how many: lists = N",
                       search->probes, SUBSPACE_SEARCH_MAX_OPEN_PROBES);
  /* Without the number of rows there may be as many as it takes. */
  return assay_probing_init (&probing, search->lists, search->probes,
                             n_rows > 0 ? n_rows : G_MAXUINT32, error);
}

AssayNearest *
subspace_search_nearest (const SubspaceSearch *search, const AssayAttackContext *context,
                         const AssayObservation *seen, gsize k, AssayGuess *ret_guess,
                         GError **error)
{
  g_autoptr (AssayNearest) nearest = NULL;
  AssayArray *recall = NULL;
  AssayProbing probing;

  if (!search->is_approximate)
    return assay_release_nearest (seen->release, seen->database, k, error);
  if (!assay_probing_init (&probing, search->lists, search->probes,
                           assay_rows_count (seen->database), error))
    return NULL;
  nearest = assay_release_nearest_approximately (seen->release, &probing, seen->database, k, error);
  if (nearest == NULL)
    return NULL;
  recall = assay_release_recall (seen->release, seen->database, nearest, context->stream, error);
  if (recall == NULL)
    return NULL;
  assay_arrays_take (&ret_guess->arrays, "recall", recall);
  return g_steal_pointer (&nearest);
}

/* ---- Estimates ---- */

/* FALSE: it is exact, or will not run. */
static gboolean
probing_of (const SubspaceSearch *search, const AssayShape *shape, AssayProbing *ret_probing)
{
  return search->is_approximate && shape->n_database > 0
         && assay_probing_init (ret_probing, search->lists, search->probes, shape->n_database,
                                NULL);
}

guint64
subspace_search_memory (const SubspaceSearch *search, const AssayShape *shape, gsize k)
{
  AssayProbing probing;

  return probing_of (search, shape, &probing)
             ? assay_approximate_memory (&probing, shape->n_secrets, shape->dimension, shape->cols,
                                         shape->n_database, k)
             : assay_scan_memory (shape->n_secrets, shape->dimension, shape->cols, k);
}

/* ---- Control ---- */

/* Eight rows a list, where their number is given; where it follows from the rows, at least half as
 * many lists again as are read: 4 sqrt (n) >= 3/2 probes. */
gsize
subspace_search_control_rows (const SubspaceSearch *search)
{
  const gsize root = (3 * search->probes + 7) / 8;

  if (!search->is_approximate)
    return 0;
  return MAX (MIN_CONTROL_ROWS, search->lists > 0 ? 8 * search->lists : root * root);
}
