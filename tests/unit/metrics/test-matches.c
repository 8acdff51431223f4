/* Nearest neighbours of two pictures' descriptors, the filters, and the lifting of a receiver. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "metrics/matching/lifted-references.h"
#include "metrics/matching/matches.h"
#include "metrics/matching/vocabulary.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static AssayFlats *
points_of (const AssayMatrix *matrix)
{
  return assay_flats_new (
      &(AssaySubspaces){ .count = matrix->rows, .cols = matrix->cols, .translation = matrix->data },
      NULL, matrix->rows, NULL);
}

static double
naive_distance (const AssayMatrix *a, gsize i, const AssayMatrix *b, gsize j)
{
  double sum = 0;

  for (gsize c = 0; c < a->cols; c++) {
    const double gap = (double) a->data[i * a->cols + c] - b->data[j * b->cols + c];

    sum += gap * gap;
  }
  return sqrt (sum);
}

/* The obvious form: distances of items (sets of @width rows of @released) to all references, then
 * the definition of each filter, item by item. */
static gboolean
naive_is_match (const AssayMatrix *distances, gsize item, gsize reference, MatchFilter filter,
                double ratio)
{
  const float own = distances->data[item * distances->cols + reference];
  gboolean is_match = TRUE;

  for (gsize j = 0; j < distances->cols; j++) {
    const float other = distances->data[item * distances->cols + j];

    is_match &= j == reference || own < other;
    if (filter == FILTER_RATIO || filter == FILTER_BOTH)
      is_match &= j == reference || own < ratio * other;
  }
  for (gsize i = 0; i < distances->rows; i++)
    if (filter == FILTER_MUTUAL || filter == FILTER_BOTH)
      is_match &= own <= distances->data[i * distances->cols + reference];
  return is_match;
}

static gsize
count_pairs (const GArray *matches, gsize item, gsize reference)
{
  gsize count = 0;

  for (guint i = 0; i < matches->len; i++) {
    const MatchedPair *pair = &g_array_index (matches, MatchedPair, i);

    count += pair->item == item && pair->reference == reference;
  }
  return count;
}

/* Row 0 to 69 of the references are near rows 0 to 69 of the released: filters have something to
 * pass. More rows than a panel has. */
Test (matches, filters_are_what_they_say)
{
  enum { N = 90, R = 110, D = 6, NEAR = 70 };
  g_autoptr (AssayMatrix) released = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) references = fixture_normal (R, D, 2);
  g_autoptr (AssayMatrix) distances = assay_matrix_new (N, R, NULL);
  g_autoptr (AssayFlats) a = NULL;
  g_autoptr (AssayFlats) b = NULL;
  g_autoptr (Neighbours) neighbours = NULL;
  const MatchedItems items = { .n_items = N, .width = 1 };
  gsize found[4] = { 0 };

  for (gsize i = 0; i < NEAR * D; i++)
    references->data[i] = released->data[i] + references->data[i] / 4;
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < R; j++)
      distances->data[i * R + j] = (float) naive_distance (released, i, references, j);
  a = points_of (released);
  b = points_of (references);
  neighbours = neighbours_new (a, b, NULL);
  for (guint filter = FILTER_NONE; filter <= FILTER_BOTH; filter++) {
    g_autoptr (GArray) matches = matches_new (neighbours, &items, filter, 0.8);

    for (gsize i = 0; i < N; i++)
      for (gsize j = 0; j < R; j++)
        cr_assert (count_pairs (matches, i, j)
                       == (gsize) naive_is_match (distances, i, j, filter, 0.8),
                   "filter %u, %zu with %zu", filter, i, j);
    found[filter] = matches->len;
  }
  cr_assert (found[FILTER_NONE] == N && found[FILTER_MUTUAL] < N && found[FILTER_RATIO] < N
             && found[FILTER_BOTH] <= found[FILTER_RATIO] && found[FILTER_BOTH] > 30);
}

/* Sets of 3 among 40 flats. Joint: the set's distance is that of its nearest member. One by one:
 * the pairs of all members together. */
Test (matches, sets_are_matched_by_their_members)
{
  enum { N = 50, W = 3, FLATS = 40, R = 60, D = 5 };
  g_autoptr (AssayMatrix) flats = fixture_normal (FLATS, D, 3);
  g_autoptr (AssayMatrix) references = fixture_normal (R, D, 4);
  g_autoptr (AssayMatrix) distances = assay_matrix_new (N, R, NULL);
  g_autoptr (AssayMatrix) single = assay_matrix_new (FLATS, R, NULL);
  g_autoptr (AssayFlats) a = points_of (flats);
  g_autoptr (AssayFlats) b = points_of (references);
  g_autoptr (Neighbours) neighbours = neighbours_new (a, b, NULL);
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "sets", ""), 0);
  gsize members[N * W];
  MatchedItems items = { .n_items = N, .width = W, .members = members };

  for (gsize i = 0; i < N; i++)
    assay_stream_choose (&stream, FLATS, W, members + i * W);
  for (gsize i = 0; i < FLATS; i++)
    for (gsize j = 0; j < R; j++)
      single->data[i * R + j] = (float) naive_distance (flats, i, references, j);
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < R; j++) {
      distances->data[i * R + j] = INFINITY;
      for (gsize k = 0; k < W; k++)
        distances->data[i * R + j]
            = MIN (distances->data[i * R + j], single->data[members[i * W + k] * R + j]);
    }
  for (guint filter = FILTER_NONE; filter <= FILTER_BOTH; filter++) {
    g_autoptr (GArray) joint = NULL;
    g_autoptr (GArray) each = NULL;

    items.is_joint = TRUE;
    joint = matches_new (neighbours, &items, filter, 0.9);
    items.is_joint = FALSE;
    each = matches_new (neighbours, &items, filter, 0.9);
    cr_assert (joint->len > 0 && each->len > joint->len, "filter %u", filter);
    for (gsize i = 0; i < N; i++)
      for (gsize j = 0; j < R; j++) {
        gboolean any = FALSE;

        /* Every flat is in some set, so that the nearest flat is that of the nearest set. */
        for (gsize k = 0; k < W; k++)
          any |= naive_is_match (single, members[i * W + k], j, filter, 0.9);
        cr_assert (count_pairs (each, i, j) == (gsize) any, "filter %u, each, %zu with %zu", filter,
                   i, j);
        cr_assert (count_pairs (joint, i, j)
                       == (gsize) naive_is_match (distances, i, j, filter, 0.9),
                   "filter %u, joint, %zu with %zu", filter, i, j);
      }
  }
}

/* Nothing to match, and one reference, which has no second nearest. */
Test (matches, few_references)
{
  g_autoptr (AssayMatrix) released = fixture_normal (3, 4, 6);
  g_autoptr (AssayMatrix) one = fixture_normal (1, 4, 7);
  g_autoptr (AssayMatrix) none = assay_matrix_new (0, 4, NULL);
  g_autoptr (AssayFlats) a = points_of (released);
  g_autoptr (AssayFlats) b = points_of (one);
  g_autoptr (AssayFlats) c = points_of (none);
  g_autoptr (Neighbours) with_one = neighbours_new (a, b, NULL);
  g_autoptr (Neighbours) with_none = neighbours_new (a, c, NULL);
  const MatchedItems items = { .n_items = 3, .width = 1 };
  g_autoptr (GArray) ratio = matches_new (with_one, &items, FILTER_RATIO, 0.8);
  g_autoptr (GArray) mutual = matches_new (with_one, &items, FILTER_MUTUAL, 0.8);
  g_autoptr (GArray) nothing = matches_new (with_none, &items, FILTER_NONE, 0.8);

  cr_assert_eq (ratio->len, 3);
  cr_assert_eq (mutual->len, 1);
  cr_assert_eq (nothing->len, 0);
}

Test (matches, sizes_that_cannot_be)
{
  g_autoptr (AssayMatrix) released = fixture_normal (3, 4, 8);
  g_autoptr (AssayMatrix) wider = fixture_normal (2, 5, 9);
  g_autoptr (AssayFlats) a = points_of (released);
  g_autoptr (AssayFlats) b = points_of (wider);
  const ReferenceLifting lifting
      = { .variant = LIFTING_RANDOM, .dimension = 2, .stream = assay_stream_key (1, 0, "", "") };
  g_autoptr (AssayFlats) planes = lifted_references_new (&lifting, assay_matrix_view (released),
                                                         (const guint64[]){ 0, 1, 2 }, NULL);
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (neighbours_new (a, b, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "the release has 4 columns and the descriptors of the other view "
                               "have 5, expected equal numbers",
                               NULL, &why),
             "%s", why);
  cr_assert (neighbours_new (planes, planes, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "subspaces of dimensions 2 and 2 in 4 columns always meet; expected "
                               "a sum of dimensions under the columns",
                               NULL, &why),
             "%s", why);
}

/* ---- Words ---- */

/* The word nearest to a row by the obvious form, and how far it is. */
static gsize
naive_word (const AssayMatrix *rows, gsize i, const AssayMatrix *words, double *ret_distance)
{
  gsize best = 0;

  for (gsize w = 1; w < words->rows; w++)
    if (naive_distance (rows, i, words, w) < naive_distance (rows, i, words, best))
      best = w;
  *ret_distance = naive_distance (rows, i, words, best);
  return best;
}

/* Items of two words each, among few words, so that references crowd at them: every pair that
 * shares a word and no other, and with nearest_only one a word, of which none is nearer. */
Test (vocabulary, pairs_are_those_that_share_a_word)
{
  enum { N = 30, W = 2, K = 12, R = 50, D = 4 };
  g_autoptr (AssayMatrix) words = fixture_normal (K, D, 13);
  g_autoptr (AssayMatrix) references = fixture_normal (R, D, 14);
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "words", ""), 0);
  gsize item_words[N * W], n_all = 0, n_nearest = 0;
  WordMatching matching = { .words = assay_matrix_view (words),
                            .item_words = item_words,
                            .n_items = N,
                            .width = W,
                            .references = assay_matrix_view (references) };
  g_autoptr (GArray) all = NULL;
  g_autoptr (GArray) nearest = NULL;

  for (gsize i = 0; i < N; i++)
    assay_stream_choose (&stream, K, W, item_words + i * W);
  all = word_matches_new (&matching, NULL);
  matching.nearest_only = TRUE;
  nearest = word_matches_new (&matching, NULL);
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < R; j++) {
      double own, other;
      const gsize word = naive_word (references, j, words, &own);
      const gboolean shared = item_words[i * W] == word || item_words[i * W + 1] == word;
      gboolean is_first = shared;

      for (gsize k = 0; k < R; k++)
        is_first &= naive_word (references, k, words, &other) != word || own <= other;
      cr_assert_eq (count_pairs (all, i, j), (gsize) shared, "%zu with %zu", i, j);
      cr_assert_eq (count_pairs (nearest, i, j), (gsize) is_first, "%zu with %zu", i, j);
      n_all += shared;
      n_nearest += is_first;
    }
  cr_assert (n_nearest > N && n_all > 2 * n_nearest && all->len == n_all);
}

/* ---- Lifting ---- */

/* A lifted descriptor lies in its subspace; the database row that was drawn does, and no other. */
Test (lifted_references, hold_what_they_were_made_of)
{
  enum { N = 8, D = 20, W = 30, M = 5 };
  static const gsize in_it[] = { 0, M, M / 2 };
  g_autoptr (AssayMatrix) points = fixture_normal (N, D, 10);
  g_autoptr (AssayMatrix) rows = fixture_normal (W, D, 11);
  g_autoptr (AssayRows) database = fixture_rows (rows);
  g_autoptr (AssayFlats) of_points = points_of (points);
  g_autoptr (AssayFlats) of_rows = points_of (rows);
  guint64 items[N];

  for (gsize i = 0; i < N; i++)
    items[i] = 100 + i;
  for (guint variant = LIFTING_RANDOM; variant <= LIFTING_HYBRID; variant++) {
    const ReferenceLifting lifting = { .variant = variant,
                                       .dimension = M,
                                       .database = database,
                                       .stream = assay_stream_key (1, 0, "lift", "") };
    g_autoptr (AssayFlats) lifted
        = lifted_references_new (&lifting, assay_matrix_view (points), items, NULL);
    const AssayFlatPairs own = { lifted, of_points, 0, N, 0, N };
    const AssayFlatPairs with_rows = { lifted, of_rows, 0, N, 0, W };
    g_autofree double *room = g_new (double, assay_flats_room (&with_rows));
    double to_points[N * N], to_rows[N * W];

    assay_flats_squares (&own, room, to_points);
    assay_flats_squares (&with_rows, room, to_rows);
    for (gsize i = 0; i < N; i++) {
      gsize met = 0;

      for (gsize j = 0; j < N; j++)
        cr_assert ((to_points[i * N + j] < 1e-9) == (i == j), "variant %u, %zu: %g", variant, i,
                   to_points[i * N + j]);
      for (gsize j = 0; j < W; j++)
        met += to_rows[i * W + j] < 1e-9;
      cr_assert (met == in_it[variant], "variant %u, %zu: %zu rows", variant, i, met);
    }
  }
}

/* A descriptor's subspace depends on its item of the stream, not on its place or threads. */
Test (lifted_references, are_keyed_by_item)
{
  enum { N = 40, D = 12, M = 2 };
  g_autoptr (AssayMatrix) points = fixture_normal (N, D, 12);
  const ReferenceLifting lifting = { .variant = LIFTING_RANDOM,
                                     .dimension = M,
                                     .stream = assay_stream_key (1, 0, "lift", "") };
  const AssayView view = assay_matrix_view (points);
  guint64 items[N], same[2] = { 4, 4 };
  g_autoptr (AssayFlats) all = NULL;
  g_autoptr (AssayFlats) part = NULL;
  g_autoptr (AssayFlats) twice = NULL;
  const gsize stride = (M + 1) * D;

  for (gsize i = 0; i < N; i++)
    items[i] = i;
  assay_parallel_set_threads (3);
  all = lifted_references_new (&lifting, view, items, NULL);
  assay_parallel_set_threads (1);
  part = lifted_references_new (&lifting, assay_view_rows (view, 30, 10), items + 30, NULL);
  twice = lifted_references_new (&lifting, assay_view_rows (view, 4, 2), same, NULL);
  cr_assert (memcmp (all->stack + 30 * stride, part->stack, 10 * stride * sizeof (double)) == 0);
  cr_assert (memcmp (all->stack + 4 * stride, twice->stack, stride * sizeof (double)) == 0);
  cr_assert (memcmp (all->stack + 5 * stride + D, twice->stack + stride + D, sizeof (double)) != 0);
}
