/* The integer points of all subspaces of a release.
 *
 * With what precision integers stand in it is tried on a few of the subspaces, spread over all of
 * them: where none has any, nothing is searched for in the others. Where some stand in it exactly,
 * it is tried whether others do less precisely, as a secret that was dithered beside rows that were
 * not. */
#include "attacks/lifting/lattice-search.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"

/* What precision integers may stand in a release with, best first: float32's, then what dither
 * leaves. Lower ones have hardly an integer to find. */
static const double precisions[]
    = { LATTICE_FLOAT_PRECISION, 1e5, 4e4, 2e4, 1e4, 6e3, 4e3, 3e3, 2e3, 1e3 };

typedef struct {
  LatticeSearch *search;
  const gsize *items; /* the probes */
  gsize precision;
  IntegerPoints *points; /* of them */
} Probes;

/* Whether a span has hardly an integer vector by chance that stands in it with this precision: of
 * those of the length there are about (2 length)^width, as so many columns fix the others, and
 * those are all near integers with a chance of (2 within)^(cols - width). What float32 leaves is
 * taken as it is here: round_vector may be a little laxer with it. */
static gboolean
is_told_from_chance (const LatticeSearch *search, double precision)
{
  const double length = search->rules.length > 0 ? search->rules.length : LATTICE_USUAL_LENGTH;
  const double width = (double) search->subspaces.dimension + 1;
  const double cols = (double) search->subspaces.cols;
  const double within = precision < LATTICE_FLOAT_PRECISION
                            ? lattice_within (precision)
                            : LATTICE_USUAL_LENGTH / LATTICE_FLOAT_PRECISION;

  return width * log (2 * length) + (cols - width) * log (2 * within) < 0;
}

/* Whether the time is up. */
static gboolean
is_over (const LatticeSearch *search)
{
  return search->deadline != 0 && g_get_monotonic_time () >= search->deadline;
}

/* Three tries, each on twice as many columns as the one before: the smallest columns may all be
 * zeros. */
static gboolean
try_precision (const LatticeSearch *search, const Span *span, gsize index, double precision,
               IntegerPoints *ret_points, GError **error)
{
  const double length = search->rules.length > 0 ? search->rules.length : LATTICE_USUAL_LENGTH;
  AssayStream stream = assay_stream (search->stream, index);
  gsize columns = lattice_view_columns (precision, span->width, span->cols, length);

  *ret_points = (IntegerPoints){ 0 };
  for (gsize round = 0; round < 3 && ret_points->count == 0; round++) {
    const LatticeView view = { precision, columns, search->deadline };
    IntegerLattice lattice = { .is_late = is_over (search) };

    if (!lattice.is_late && !integer_lattice_find (span, &view, &stream, &lattice, error))
      return FALSE;
    integer_points_clear (ret_points);
    if (lattice.is_late)
      *ret_points = (IntegerPoints){ .is_late = TRUE };
    else
      integer_points_find (span, &lattice, &search->rules, &view, ret_points);
    integer_lattice_clear (&lattice);
    if (ret_points->is_late || columns == span->cols)
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

/* Adds what stands in subspace @index with a lower precision than the exact points: at that of the
 * probes, or where it has nothing there, at the others, the most tolerant first. */
static gboolean
add_coarse (LatticeSearch *search, const Span *span, gsize index, GError **error)
{
  IntegerPoints *points = search->points + index;

  for (gsize p = 0; p <= G_N_ELEMENTS (precisions) && points->n_coarse == 0; p++) {
    const double precision = p == 0 ? search->coarse : precisions[G_N_ELEMENTS (precisions) - p];
    IntegerPoints coarse = { 0 };
    gboolean is_ok = TRUE;

    if ((p > 0 && precision == search->coarse) || precision >= search->precision
        || !is_told_from_chance (search, precision))
      continue;
    is_ok = try_precision (search, span, index, precision, &coarse, error);
    if (is_ok)
      integer_points_add_coarse (points, &coarse, search->subspaces.cols);
    points->is_late = points->is_late || coarse.is_late;
    integer_points_clear (&coarse);
    if (!is_ok || points->is_late)
      return is_ok;
  }
  return TRUE;
}

/* One subspace, with the precision of the probes, where it was none of those that have a point. */
static gboolean
search_one (gsize index, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  LatticeSearch *search = data;
  const gsize d = search->subspaces.cols;
  Span span = { 0 };
  gboolean is_ok = span_fill (&search->subspaces, index, &span, error);

  for (gsize j = 0; is_ok && j < d; j++)
    search->feet[index * d + j] = (float) span.foot[j];
  if (is_ok && search->precision > 0 && search->points[index].count == 0)
    is_ok = try_precision (search, &span, index, search->precision, search->points + index, error);
  if (is_ok && search->coarse > 0 && !search->points[index].is_late)
    is_ok = add_coarse (search, &span, index, error);
  span_clear (&span);
  return is_ok || assay_prefix (error, "subspace %zu: ", index);
}

/* Points of the probes at precision @place; with @exact (NULL: none) those alone that these lack.
 * Says how many probes have some. */
static gboolean
find_probes (Probes *probes, gsize place, const IntegerPoints *exact, gsize *ret_found,
             GError **error)
{
  const LatticeSearch *search = probes->search;
  const gsize n_probes = MIN (search->subspaces.count, LATTICE_PROBES), d = search->subspaces.cols;

  probes->precision = place;
  *ret_found = 0;
  if (!assay_parallel_try (n_probes, probe_one, probes, error))
    return FALSE;
  for (gsize i = 0; i < n_probes; i++) {
    IntegerPoints all = { 0 };

    if (exact != NULL)
      integer_points_add_coarse (&all, exact + i, d);
    all.n_coarse = 0;
    integer_points_add_coarse (&all, probes->points + i, d);

    *ret_found += all.n_coarse > 0;
    integer_points_clear (&all);
  }
  return TRUE;
}

static void
clear_probes (IntegerPoints *points)
{
  for (gsize i = 0; i < LATTICE_PROBES; i++) {
    integer_points_clear (points + i);
    points[i] = (IntegerPoints){ 0 };
  }
}

/* The precision below that of number @place with which most of the probes have points beside the
 * @exact ones, of equals the best: rows that were not dithered beside a secret that was. */
static gboolean
probe_coarse (Probes *probes, gsize place, const IntegerPoints *exact, GError **error)
{
  LatticeSearch *search = probes->search;
  const gsize n_probes = MIN (search->subspaces.count, LATTICE_PROBES);
  gsize most = 0;

  for (gsize p = place + 1; p < G_N_ELEMENTS (precisions) && most < n_probes; p++) {
    gsize found = 0;

    if (!is_told_from_chance (search, precisions[p]))
      break;
    if (!find_probes (probes, p, exact, &found, error)) {
      clear_probes (probes->points);
      return FALSE;
    }
    clear_probes (probes->points);
    if (found > most)
      search->coarse = precisions[p];
    most = MAX (most, found);
  }
  return TRUE;
}

/* Whether most probes lack a point for the secret: what a lifting of descriptors that were not
 * dithered leaves is m/2 + 1 points, m + 1, or one, and to look further costs many times more. Up
 * to m = 2 the first two may as well be the rows of an adversarial lifting without its secret. */
static gboolean
wants_coarse (const LatticeSearch *search, const IntegerPoints *exact)
{
  const gsize m = search->subspaces.dimension;
  const gsize n_probes = MIN (search->subspaces.count, LATTICE_PROBES);
  gsize n_whole = 0;

  for (gsize i = 0; i < n_probes; i++) {
    const gsize count = exact[i].count;

    n_whole += count >= m + 1 || (m > 2 && (count == m / 2 + 1 || count == 1));
  }
  return 2 * n_whole < n_probes;
}

/* The precision with which most of a few subspaces have integer points, of equals the best; 0 where
 * none has. What these have is kept. */
static gboolean
probe (LatticeSearch *search, GError **error)
{
  const gsize n = search->subspaces.count, n_probes = MIN (n, LATTICE_PROBES);
  gsize items[LATTICE_PROBES], most = 0, place = 0;
  IntegerPoints points[LATTICE_PROBES] = { 0 }, best[LATTICE_PROBES] = { 0 };
  Probes probes = { .search = search, .items = items, .points = points };
  gboolean is_ok = TRUE;

  search->precision = search->coarse = 0;
  for (gsize i = 0; i < n_probes; i++)
    items[i] = i * n / n_probes;
  for (gsize p = 0; is_ok && p < G_N_ELEMENTS (precisions) && most < n_probes; p++) {
    gsize found = 0;

    if (!is_told_from_chance (search, precisions[p]))
      break;
    is_ok = find_probes (&probes, p, NULL, &found, error);
    if (is_ok && found > most) {
      search->precision = precisions[p];
      place = p;
      clear_probes (best);
      memcpy (best, points, sizeof best);
      memset (points, 0, sizeof points);
    }
    most = MAX (most, found);
    clear_probes (points);
  }
  is_ok = is_ok
          && (search->precision == 0 || !wants_coarse (search, best)
              || probe_coarse (&probes, place, best, error));
  search->is_unsettled = search->precision == 0 && is_over (search);
  for (gsize i = 0; i < n_probes; i++)
    search->points[items[i]] = best[i];
  return is_ok;
}

gboolean
lattice_search_run (LatticeSearch *search, GError **error)
{
  return probe (search, error)
         && assay_parallel_try (search->subspaces.count, search_one, search, error);
}
