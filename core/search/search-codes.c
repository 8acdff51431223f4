/* Searches by Hamming distance: what takes the place of a product is counting the bits in which
 * words differ (core/data/codes.c). Panels are turned for it, in the memory of products. */
#include "core/base/error.h"
#include "core/base/vectorise.h"
#include "core/search/search-engine.h"

typedef struct {
  Search search;
  const AssayCodes *queries;
} Codes;

/* Codes as rows of their bytes, to words. */
static gboolean
join_bytes (AssayView panel, gsize first, gpointer data, gpointer ret_features,
            G_GNUC_UNUSED float *ret_offsets, GError **error)
{
  const AssayCodes *queries = data;
  guint64 *words = ret_features;

  memset (words, 0, panel.rows * queries->words * sizeof (guint64));
  for (gsize i = 0; i < panel.rows; i++)
    for (gsize b = 0; b < panel.cols; b++) {
      const float value = assay_view_row (panel, i)[b];

      if (!(value >= 0 && value <= 255 && value == floorf (value)))
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "row %zu, column %zu: %g, expected a byte of a code, 0 to 255",
                           first + i, b, (double) value);
      words[i * queries->words + b / 8] |= (guint64) value << (b % 8 * 8);
    }
  return TRUE;
}

/* Flags distances that are no larger than the bar's, and returns whether any is. */
static ASSAY_VECTORISED gboolean
flag_close (const guint16 *distances, float bar, gsize count, float *ret_scores, gint8 *ret_flags)
{
  const guint16 most = bar > G_MAXUINT16 ? G_MAXUINT16 : (guint16) bar;
  guint16 least = G_MAXUINT16;

  for (gsize i = 0; i < count; i++)
    least = MIN (least, distances[i]);
  if (least > most)
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    ret_scores[i] = distances[i];
    ret_flags[i] = distances[i] <= most;
  }
  return TRUE;
}

G_STATIC_ASSERT (ASSAY_CODE_MAX_BITS / 8 <= PANEL * sizeof (float));

static void
turn_panel (Search *search, Slot *slot, gsize count)
{
  const AssayCodes *queries = ((const Codes *) search)->queries;

  assay_codes_turn ((gpointer) slot->panel, count, queries->words, (gpointer) slot->products);
}

static void
compare_codes (Search *search, Slot *slot, gsize first, gsize n, gsize first_row, gsize count)
{
  const AssayCodes *queries = ((const Codes *) search)->queries;
  const gsize words = queries->words;
  const guint64 *turned = (gpointer) slot->products;
  guint16 distances[PANEL];

  for (gsize i = 0; i < n; i++) {
    const guint64 bar = search_bar (search, first + i);

    assay_codes_turned_distances (turned, count, words,
                                  queries->data + (search->first + first + i) * words, count,
                                  distances);
    if (flag_close (distances, bar == NO_KEY ? INFINITY : key_distance (bar), count, slot->scores,
                    slot->flags))
      search_keep (search, slot, first + i, (Lanes){ NULL, count, first_row }, key_from);
  }
}

static const SearchKind codes_kind
    = { .load = turn_panel, .compare = compare_codes, .score = key_distance };

AssayNearest *
assay_search_codes (const AssayCodes *queries, const AssaySearchSet *set, gsize k, GError **error)
{
  const gsize bytes = assay_code_bytes (queries->bits), cols = assay_rows_cols (set->rows);
  const gsize floats = queries->words * sizeof (guint64) / sizeof (float);
  const SearchSizes sizes = { .n = queries->count, .cols = floats, .k = k };
  AssaySearchSet words = *set;
  Codes job = { .queries = queries };
  AssayNearest *nearest = NULL;

  if (set->shape == NULL && cols != bytes)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "expected codes of %zu bytes, found %zu",
                            bytes, cols);
  if (set->shape == NULL) {
    words.shape = join_bytes;
    words.data = (gpointer) queries;
  }
  if (search_init (&codes_kind, &words, &sizes, &job.search, error)
      && search_run (&job.search, error))
    nearest = g_steal_pointer (&job.search.nearest);
  search_clear (&job.search);
  return nearest;
}
