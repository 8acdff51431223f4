/* Searches by inner products. */
#include "core/base/vectorise.h"
#include "core/math/linalg.h"
#include "core/search/search-engine.h"

typedef struct {
  Search search;
  AssayView queries;
  gboolean is_squared;
} Products;

/* Smaller for larger scores. */
static guint64
key_of_score (float score, gsize row)
{
  const float largest = isnan (score) ? -INFINITY : score;
  guint32 bits;

  memcpy (&bits, &largest, sizeof bits);
  return (guint64) (bits >> 31 ? bits : ~(bits | 0x80000000u)) << 32 | row;
}

static float
score_of_key (guint64 key)
{
  const guint32 word = (guint32) (key >> 32);
  const guint32 bits = word >> 31 ? word : ~word & 0x7fffffffu;
  float score;

  memcpy (&score, &bits, sizeof score);
  return score;
}

/* The offsets are zeros at least, which also makes 0 of -0: equal scores have equal bits. */
static ASSAY_VECTORISED void
make_scores (const float *products, const float *offsets, gboolean is_squared, gsize count,
             float *ret_scores)
{
  if (is_squared)
    for (gsize i = 0; i < count; i++)
      ret_scores[i] = products[i] * products[i] + offsets[i];
  else
    for (gsize i = 0; i < count; i++)
      ret_scores[i] = products[i] + offsets[i];
}

/* Flags those that may pass the bar (NaN does), and returns whether any does. */
static ASSAY_VECTORISED gboolean
flag_large (const float *scores, float bar, gsize width, gint8 *ret_flags)
{
  gint32 any = 0;

  for (gsize i = 0; i < width; i++)
    any |= !(scores[i] < bar);
  if (any != 0)
    for (gsize i = 0; i < width; i++)
      ret_flags[i] = !(scores[i] < bar);
  return any != 0;
}

static void
compare_products (Search *search, Slot *slot, gsize first, gsize n, gsize first_row, gsize count)
{
  const Products *job = (const Products *) search;
  const AssayView queries = assay_view_rows (job->queries, search->first + first, n);
  const gsize d = search->cols, width = search_whole_tiles (count);

  assay_linalg_product (ASSAY_NT, queries, assay_view_of (slot->panel, width, d), slot->products,
                        PANEL);
  for (gsize i = 0; i < n; i++) {
    const guint64 bar = search_bar (search, first + i);

    make_scores (slot->products + i * PANEL, slot->norms, job->is_squared, width, slot->scores);
    if (flag_large (slot->scores, bar == NO_KEY ? -INFINITY : score_of_key (bar), width,
                    slot->flags))
      search_keep (search, slot, first + i, (Lanes){ NULL, count, first_row }, key_of_score);
  }
}

static const SearchKind products_kind = { .compare = compare_products, .score = score_of_key };

AssayNearest *
assay_search_products (AssaySearchScore score, AssayView queries, const AssaySearchSet *set,
                       gsize k, GError **error)
{
  const SearchSizes sizes = { .n = queries.rows, .cols = queries.cols, .k = k };
  Products job = { .queries = queries, .is_squared = score == ASSAY_SEARCH_SQUARED_PRODUCT };
  AssayNearest *nearest = NULL;

  if (search_init (&products_kind, set, &sizes, &job.search, error)
      && search_run (&job.search, error))
    nearest = g_steal_pointer (&job.search.nearest);
  search_clear (&job.search);
  return nearest;
}
