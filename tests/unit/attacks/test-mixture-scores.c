/* What attacks on mixtures score by, against naive forms; and what a guess must be. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/naive-products.h"

extern const AssayAttack assay_attack_inner_product_pair;

/* ---- Kernels ---- */

/* Scores that differ in their last bits alone, or not at all: one column, a query of 1, and rows
 * that are the scores. */
Test (mixture_scores, ranks_of_scores_that_are_nearly_equal)
{
  enum { ROWS = 3000 };
  static const guint distinct[] = { 1, 7, 1500, ROWS };

  for (gsize c = 0; c < G_N_ELEMENTS (distinct); c++) {
    const float one = 1;
    g_autofree float *scores = g_new (float, ROWS);
    g_autofree gint64 *rows = g_new (gint64, ROWS);

    for (gsize j = 0; j < ROWS; j++)
      scores[j] = 1 + 0x1p-23f * (float) (j * 1237 % ROWS % distinct[c]);
    cr_assert (mixture_rank ((AssayView){ 1, 1, 1, &one }, (AssayView){ ROWS, 1, 1, scores }, ROWS,
                             rows, NULL));
    for (gsize k = 1; k < ROWS; k++) {
      const gsize before = (gsize) rows[k - 1], row = (gsize) rows[k];

      cr_assert (scores[before] > scores[row] || (scores[before] == scores[row] && before < row),
                 "%u distinct, place %zu", distinct[c], k);
    }
  }
}

Test (mixture_scores, ranks_are_those_of_naive_products)
{
  static const gsize shapes[][4] = { /* queries, set, columns, keep */
                                     { 1, 1, 1, 1 },
                                     { 3, 7, 5, 7 },
                                     { 129, 50, 16, 50 },
                                     { 200, 300, 64, 10 },
                                     { 2, 5000, 3, 5000 }
  };

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++) {
    const gsize n = shapes[s][0], m = shapes[s][1], d = shapes[s][2], keep = shapes[s][3];
    g_autoptr (AssayMatrix) a = fixture_normal (n, d, 1 + s);
    g_autoptr (AssayMatrix) b = fixture_normal (m, d, 101 + s);
    g_autofree gint64 *rows = g_new (gint64, n * keep);
    g_autofree gint64 *again = g_new (gint64, n * keep);

    assay_parallel_set_threads (3);
    cr_assert (mixture_rank (assay_matrix_view (a), assay_matrix_view (b), keep, rows, NULL));
    assay_parallel_set_threads (1);
    cr_assert (mixture_rank (assay_matrix_view (a), assay_matrix_view (b), keep, again, NULL));
    assay_parallel_set_threads (0);
    cr_assert (memcmp (rows, again, n * keep * sizeof *rows) == 0, "shape %zu: threads", s);
    for (gsize i = 0; i < n; i++) {
      g_autofree gboolean *is_named = g_new0 (gboolean, m);
      double last = INFINITY, least = INFINITY;

      for (gsize k = 0; k < keep; k++) {
        const gsize row = (gsize) rows[i * keep + k];
        const double score = naive_dot (assay_matrix_row (a, i), assay_matrix_row (b, row), d);

        cr_assert (row < m && !is_named[row], "shape %zu", s);
        is_named[row] = TRUE;
        cr_assert (
            score <= last + 2 * tolerance_of (assay_matrix_row (a, i), assay_matrix_row (b, row), d)
                         + 1e-5,
            "shape %zu, query %zu, place %zu: %g after %g", s, i, k, score, last);
        last = score;
        least = MIN (least, score);
      }
      for (gsize row = 0; row < m; row++)
        cr_assert (is_named[row]
                       || naive_dot (assay_matrix_row (a, i), assay_matrix_row (b, row), d)
                              <= least + 1e-4,
                   "shape %zu: row %zu was left out", s, row);
    }
  }
}

/* All candidates are ranked by features that are held, a few by those that are streamed. */
Test (mixture_scores, streamed_images_rank_as_held_ones)
{
  enum { ITEMS = 30, PUBLIC = 400, FEW = PUBLIC / 8 };
  static const MixtureOptions options[]
      = { { .form = MIXTURE_PLAIN },
          { .form = MIXTURE_ABSOLUTE, .level = TRUE },
          { .form = MIXTURE_PLAIN, .centre = TRUE, .unit = TRUE },
          { .form = MIXTURE_SQUARE, .level = TRUE, .centre = TRUE, .unit = TRUE } };
  const MixtureControl control = { .n_secrets = ITEMS,
                                   .n_public = PUBLIC,
                                   .side = 10,
                                   .n_sources = 1,
                                   .n_partners = 2,
                                   .n_epochs = 1 };
  AssayControlCase made = { 0 };
  AssayObservation seen;

  cr_assert (mixture_control_make (&control, assay_stream_key (3, 0, "case", ""), &made, NULL));
  seen = (AssayObservation){ .release = made.release, .public_rows = made.public_rows };
  for (gsize o = 0; o < G_N_ELEMENTS (options); o++) {
    g_autoptr (AssayGuess) all = assay_guess_new ();
    g_autoptr (AssayGuess) few = assay_guess_new ();
    const gint64 *all_rows, *few_rows;

    cr_assert (mixture_link (&options[o], 0, &seen, all, NULL));
    cr_assert (mixture_link (&options[o], FEW, &seen, few, NULL));
    all_rows = assay_array_int64 (assay_arrays_get (&all->arrays, "candidates"));
    few_rows = assay_array_int64 (assay_arrays_get (&few->arrays, "candidates"));
    for (gsize i = 0; i < ITEMS; i++)
      cr_assert (memcmp (all_rows + i * PUBLIC, few_rows + i * FEW, FEW * sizeof *few_rows) == 0,
                 "options %zu, item %zu", o, i);
  }
  assay_control_case_clear (&made);
}

/* Equal scores stay in row order, zeros of both signs among them; the greatest comes first. */
Test (mixture_scores, order_of_known_scores)
{
  static const float scores[]
      = { 0.0f, -1.5f, 3.0f, -0.0f, 3.0f, 1e30f, -1e30f, 1e-30f, 0.0f, -1e-30f };
  static const gint64 expected[] = { 5, 2, 4, 7, 0, 3, 8, 9, 1, 6 };
  gint64 found[10];

  cr_assert (mixture_order (scores, 1, 10, 10, found, NULL));
  for (gsize i = 0; i < 10; i++)
    cr_assert (found[i] == expected[i], "place %zu: %d", i, (int) found[i]);
}

Test (mixture_scores, pair_products_are_those_of_a_naive_loop)
{
  static const gsize shapes[][2] = { { 2, 3 }, { 128, 8 }, { 129, 8 }, { 300, 20 } };

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++) {
    const gsize n = shapes[s][0], d = shapes[s][1];
    g_autoptr (AssayMatrix) a = fixture_normal (n, d, 11 + s);
    g_autoptr (AssayMatrix) b = fixture_normal (n, d, 21 + s);
    g_autofree float *scores = g_new (float, n *(n - 1) / 2);
    const float *next = scores;

    cr_assert (mixture_pair_products (assay_matrix_view (a), assay_matrix_view (b), scores, NULL));
    for (gsize i = 0; i < n; i++)
      for (gsize j = i + 1; j < n; j++, next++)
        assert_near (*next, naive_dot (assay_matrix_row (a, i), assay_matrix_row (b, j), d),
                     tolerance_of (assay_matrix_row (a, i), assay_matrix_row (b, j), d) + 1e-6,
                     "shape %zu, pair %zu %zu", s, i, j);
  }
}

/* P f satisfies ((1 - h) C + h I) P f = f in units of the mean variance, and <f, P f> = 1. */
Test (mixture_scores, whitening_solves_the_shrunk_covariance)
{
  enum { ROWS = 60, COLS = 24 };
  const MixtureOptions options = { .form = MIXTURE_SQUARE,
                                   .level = TRUE,
                                   .centre = TRUE,
                                   .whiten = TRUE,
                                   .shrinkage = 0.3,
                                   .unit = TRUE };
  g_autoptr (AssayMatrix) rows = fixture_normal (ROWS, COLS, 31);
  g_autoptr (AssayMatrix) whitened = NULL;
  g_autoptr (AssayMatrix) features = NULL;
  g_auto (MixtureSpace) space = { 0 };
  double covariance[COLS][COLS] = { { 0 } }, trace = 0;

  cr_assert (mixture_space_learn (&options, rows, &space, NULL));
  features = assay_matrix_copy (assay_matrix_view (rows), NULL);
  cr_assert (mixture_space_whiten (&space, rows, &whitened, NULL));
  for (gsize r = 0; r < ROWS; r++)
    for (gsize i = 0; i < COLS; i++)
      for (gsize j = 0; j < COLS; j++)
        covariance[i][j] += (double) features->data[r * COLS + i] * features->data[r * COLS + j];
  for (gsize i = 0; i < COLS; i++)
    trace += covariance[i][i] / COLS;
  for (gsize r = 0; r < ROWS; r++) {
    const float *left = assay_matrix_row (whitened, r), *right = assay_matrix_row (rows, r);
    const float *feature = assay_matrix_row (features, r);
    const double scale = naive_length (right, COLS) / naive_length (feature, COLS);

    assert_near (naive_dot (left, right, COLS), 1, 1e-5, "row %zu: length", r);
    for (gsize i = 0; i < COLS; i++) {
      double sum = 0.3 * left[i];

      for (gsize j = 0; j < COLS; j++)
        sum += 0.7 * covariance[i][j] / trace * left[j];
      assert_near (sum, scale * feature[i], 1e-4, "row %zu, column %zu", r, i);
    }
  }
}

/* ---- Guesses ---- */

/* What a careless attack may return. */
static gint64 forged[4];
static gsize forged_shape[2];

static gboolean
forge (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
       GError **error)
{
  const char *name = *(const guint *) context->settings == ASSAY_GAME_LINK ? "candidates" : "pairs";
  const gsize n = forged_shape[0] * forged_shape[1];

  (void) seen;
  (void) error;
  assay_arrays_take (
      &ret_guess->arrays, name,
      assay_array_take (ASSAY_INT64, 2, forged_shape, g_memdup2 (forged, n * sizeof *forged)));
  if (*(const guint *) context->settings == ASSAY_GAME_PAIR)
    assay_arrays_take (
        &ret_guess->arrays, "scores",
        assay_array_take (ASSAY_FLOAT32, 1, forged_shape, g_new0 (float, forged_shape[0])));
  return TRUE;
}

static void
forged_is (const AssayControlCase *made, guint kind, gsize rows, gsize cols, const gint64 *values,
           const char *message)
{
  const AssayAttack attack = {
    .type = ASSAY_PLUGIN_ATTACK,
    .id = "forger",
    .reads = ASSAY_RELEASE_MIXTURES,
    .game = (AssayGame) kind,
    .attack = forge,
  };
  const AssayAttackContext context = { .settings = &kind };
  const AssayObservation seen = { .release = made->release, .public_rows = made->public_rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autofree char *why = NULL;
  GError *error = NULL;

  memcpy (forged, values, rows * cols * sizeof *forged);
  forged_shape[0] = rows;
  forged_shape[1] = cols;
  if (message == NULL) {
    cr_assert (assay_attack_run (&attack, &context, &seen, guess, &error), "%s", error->message);
    return;
  }
  cr_assert (!assay_attack_run (&attack, &context, &seen, guess, &error), "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
}

Test (mixture_attacks, guesses_are_checked)
{
  const MixtureControl control = {
    .n_secrets = 2, .n_public = 3, .side = 12, .n_sources = 1, .n_partners = 1, .n_epochs = 1
  };
  AssayControlCase made = { 0 };

  cr_assert (mixture_control_make (&control, assay_stream_key (12, 0, "case", ""), &made, NULL));
  forged_is (&made, ASSAY_GAME_LINK, 2, 2, (const gint64[]){ 0, 2, 2, 1 }, NULL);
  forged_is (&made, ASSAY_GAME_LINK, 2, 2, (const gint64[]){ 0, 2, 1, 1 },
             "attack forger: public row 1 appears twice among the candidates of item 1");
  forged_is (&made, ASSAY_GAME_LINK, 2, 2, (const gint64[]){ 0, 3, 1, 2 },
             "attack forger: candidate 1 of item 0 is 3, which is none of the 3 public rows");
  forged_is (&made, ASSAY_GAME_LINK, 2, 1, (const gint64[]){ 0, -1 },
             "attack forger: candidate 0 of item 1 is -1, which is none of the 3 public rows");
  forged_is (&made, ASSAY_GAME_LINK, 1, 2, (const gint64[]){ 0, 1 },
             "attack forger: expected candidates for each of 2 released items, found 1 x 2");
  forged_is (&made, ASSAY_GAME_PAIR, 1, 2, (const gint64[]){ 1, 0 }, NULL);
  forged_is (&made, ASSAY_GAME_PAIR, 2, 2, (const gint64[]){ 1, 0, 1, 1 },
             "attack forger: pair 1 is of items 1 and 1, expected two of the 2 that were released");
  forged_is (&made, ASSAY_GAME_PAIR, 1, 2, (const gint64[]){ 0, 2 },
             "attack forger: pair 0 is of items 0 and 2, expected two of the 2 that were released");
  forged_is (&made, ASSAY_GAME_PAIR, 1, 3, (const gint64[]){ 0, 1, 1 },
             "attack forger: expected pairs (p x 2) and their scores (p), p >= 1");
  assay_control_case_clear (&made);
}

/* A covariance of absolute values from few mixtures is refused (141 of them have 9,870 pairs). */
Test (mixture_scores, a_covariance_of_few_pairs)
{
  const AssayAttack *attack = &assay_attack_inner_product_pair;
  static const char *const settings[]
      = { "absolute=yes whiten=yes pairs=9999", "absolute=yes whiten=yes pairs=10000",
          "absolute=yes pairs=9999", "whiten=yes pairs=9999" };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autoptr (AssaySettings) one = fixture_settings (&attack->plugin, settings[i]);
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_assert (attack->check (one->values, NULL, &error) == (i > 0), "%s", settings[i]);
    if (i == 0)
      cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                                   "pairs = 9999 under absolute and whiten: the covariance is "
                                   "learned from the mixtures of these pairs; expected 10000 or "
                                   "more",
                                   NULL, &why),
                 "%s", why);
  }
}
