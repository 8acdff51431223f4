/* The integer points of all subspaces of a release.
 *
 * With what precision integers stand in it is tried on a few of the subspaces, spread over all of
 * them: where none has any, nothing is searched for in the others. */
#include "attacks/lifting/lattice-search.h"

#include "core/base/error.h"
#include "core/base/parallel.h"

/* What precision integers may stand in a release with, best first: float32's, then what dither
 * leaves. Lower ones have hardly an integer to find. */
static const double precisions[] = { LATTICE_FLOAT_PRECISION, 1e5, 1e4, 1e3 };

#define USUAL_LENGTH 600 /* of integer vectors, where none is given */

typedef struct {
  LatticeSearch *search;
  const gsize *items; /* the probes */
  gsize precision;
  IntegerPoints *points; /* of them */
} Probes;

/* Three tries, each on twice as many columns as the one before: the smallest columns may all be
 * zeros. */
static gboolean
try_precision (LatticeSearch *search, const Span *span, gsize index, double precision,
               IntegerPoints *ret_points, GError **error)
{
  const double length = search->rules.length > 0 ? search->rules.length : USUAL_LENGTH;
  AssayStream stream = assay_stream (search->stream, index);
  gsize columns = lattice_view_columns (precision, span->width, span->cols, length);

  *ret_points = (IntegerPoints){ 0 };
  for (gsize round = 0; round < 3 && ret_points->count == 0; round++) {
    const LatticeView view = { precision, columns };
    IntegerLattice lattice;

    if (search->deadline != 0 && g_get_monotonic_time () >= search->deadline) {
      g_atomic_int_set (&search->is_late, TRUE);
      return TRUE;
    }
    integer_points_clear (ret_points);
    if (!integer_lattice_find (span, &view, &stream, &lattice, error))
      return FALSE;
    integer_points_find (span, &lattice, &search->rules, view.precision, ret_points);
    integer_lattice_clear (&lattice);
    if (columns == span->cols)
      break;
    columns = MIN (span->cols, 2 * columns);
  }
  return TRUE;
}

/* One of the probes, with one precision. */
static gboolean
probe_one (gsize index, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Probes *probes = data;
  const gsize item = probes->items[index];
  Span span = { 0 };
  const gboolean is_ok
      = span_fill (&probes->search->subspaces, item, &span, error)
        && try_precision (probes->search, &span, item, precisions[probes->precision],
                          probes->points + index, error);

  span_clear (&span);
  return is_ok || assay_prefix (error, "subspace %zu: ", item);
}

/* One subspace, with the precision of the probes. */
static gboolean
search_one (gsize index, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  LatticeSearch *search = data;
  const gsize d = search->subspaces.cols;
  Span span = { 0 };
  gboolean is_ok = span_fill (&search->subspaces, index, &span, error);

  for (gsize j = 0; is_ok && j < d; j++)
    search->feet[index * d + j] = (float) span.foot[j];
  if (is_ok && search->precision > 0)
    is_ok = try_precision (search, &span, index, search->precision, search->points + index, error);
  span_clear (&span);
  return is_ok || assay_prefix (error, "subspace %zu: ", index);
}

/* The first precision with which half of a few subspaces have integer points, or else that with
 * which most have; 0 where none has. */
static gboolean
probe (LatticeSearch *search, GError **error)
{
  const gsize n = search->subspaces.count, n_probes = MIN (n, LATTICE_PROBES);
  gsize items[LATTICE_PROBES], most = 0;
  IntegerPoints points[LATTICE_PROBES] = { 0 };
  Probes probes = { .search = search, .items = items, .points = points };

  search->precision = 0;
  for (gsize i = 0; i < n_probes; i++)
    items[i] = i * n / n_probes;
  for (gsize p = 0; p < G_N_ELEMENTS (precisions) && 2 * most < n_probes; p++) {
    gsize found = 0;
    gboolean is_ok;

    probes.precision = p;
    is_ok = assay_parallel_try (n_probes, probe_one, &probes, error);
    for (gsize i = 0; i < n_probes; i++) {
      found += points[i].count > 0;
      integer_points_clear (points + i);
    }
    if (!is_ok)
      return FALSE;
    if (found > most)
      search->precision = precisions[p];
    most = MAX (most, found);
  }
  return TRUE;
}

gboolean
lattice_search_run (LatticeSearch *search, GError **error)
{
  return probe (search, error)
         && assay_parallel_try (search->subspaces.count, search_one, search, error);
}
