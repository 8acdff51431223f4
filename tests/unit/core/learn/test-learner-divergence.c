/* What learners make of a network whose training diverges. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/learn/learner.h"
#include "core/learn/residual-network.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static AssayStreamKey
key_of (guint64 seed)
{
  return assay_stream_key (seed, 0, "test", "");
}

enum { EACH = 100, ROWS = 5 * EACH, LEARNED = ROWS - EACH };

/* y = x + min (|x|, 2) / 2 on normal rows of two columns, some of which are so far out that the
 * steps of a network, at its rate of 0.01, are too long; in five parts, of which the last is held
 * out. */
typedef struct {
  AssayMatrix *x, *y;
  guint *parts;
} FarRows;

static void
far_rows_clear (FarRows *rows)
{
  assay_matrix_free (rows->x);
  assay_matrix_free (rows->y);
  g_free (rows->parts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FarRows, far_rows_clear)

/* @n rows, of which @count from @first on are @times as far out. */
static FarRows
far_rows (gsize n, gsize first, gsize count, float times)
{
  FarRows rows = { fixture_normal (n, 2, 1), assay_matrix_new (n, 2, NULL), g_new (guint, n) };

  for (gsize i = 2 * first; i < 2 * (first + count); i++)
    rows.x->data[i] *= times;
  for (gsize i = 0; i < 2 * n; i++)
    rows.y->data[i] = rows.x->data[i] + MIN (fabsf (rows.x->data[i]), 2) / 2;
  for (gsize i = 0; i < n; i++)
    rows.parts[i] = (guint) (5 * i / n);
  return rows;
}

static AssayLearner *
learn (AssayLearnerKind kind, const FarRows *rows)
{
  const AssayExamples examples = { .inputs = assay_matrix_view (rows->x),
                                   .outputs = assay_matrix_view (rows->y),
                                   .parts = rows->parts };
  g_autoptr (GError) error = NULL;
  AssayLearner *learner = assay_learner_new (kind, &examples, key_of (1), &error);

  cr_assert (learner != NULL, "%s", error != NULL ? error->message : "");
  return learner;
}

static AssayResidualNetwork *
diverged_network (const FarRows *rows)
{
  AssayResidualNetwork *network = assay_residual_network_new (
      assay_view_rows (assay_matrix_view (rows->x), 0, LEARNED),
      assay_view_rows (assay_matrix_view (rows->y), 0, LEARNED), key_of (1), NULL);

  cr_assert (network != NULL && network->report.has_diverged && network->report.epochs >= 1
             && network->report.epochs < ASSAY_RESIDUAL_EPOCHS);
  return network;
}

Test (learner_divergence, a_network_that_diverges_keeps_the_weights_before)
{
  g_auto (FarRows) rows = far_rows (ROWS, 0, 4, 50);
  g_autoptr (AssayResidualNetwork) network = diverged_network (&rows);
  g_autoptr (AssayMatrix) found
      = assay_residual_network_predict (network, assay_matrix_view (rows.x), NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert (isfinite (network->report.loss));
  for (gsize i = 0; i < 2 * ROWS; i++)
    cr_assert (isfinite (found->data[i]));
  /* Weights may be finite where what they give no longer is. */
  for (gsize i = 0; i < network->network->shape.widths[1]; i++)
    network->network->biases[0][i] = network->network->weights[1][i] = 1e20f;
  cr_assert_null (assay_residual_network_predict (network, assay_matrix_view (rows.x), &error));
  expected = g_strdup_printf ("training diverged in epoch %zu of 30; what the network of epoch %zu "
                              "predicts: row 0, column 0 is not a finite number",
                              network->report.epochs + 1, network->report.epochs);
  cr_assert_str_eq (error->message, expected);
}

/* What is said of epochs behind @words: of the 30 the one after the one that is kept. */
static void
assert_says_epochs (const char *says, const char *words)
{
  const char *found = strstr (says, words);
  guint diverged = 0, kept = 0;

  cr_assert (found != NULL, "%s", says);
  cr_assert_eq (sscanf (found + strlen (words),
                        " diverged in epoch %u of 30: the network is that of epoch %u", &diverged,
                        &kept),
                2, "%s", says);
  cr_assert (kept >= 1 && diverged == kept + 1 && diverged <= 30, "%s", says);
}

Test (learner_divergence, a_network_that_diverges_says_so)
{
  g_auto (FarRows) rows = far_rows (ROWS, 0, 4, 50);
  g_autoptr (AssayLearner) learner = learn (ASSAY_LEARNER_NETWORK, &rows);
  g_autofree char *says = assay_learner_describe (learner);

  assert_says_epochs (says, "; training on 400 of them");
}

/* Held-out rows are given what the diverged network predicts of them, so that it makes no error at
 * all in the race: it has lost all the same. */
Test (learner_divergence, a_network_that_diverges_has_lost_the_race)
{
  g_auto (FarRows) rows = far_rows (ROWS, 0, 4, 50);
  g_autoptr (AssayLearner) learner = NULL, best = NULL;
  g_autofree char *says = NULL;

  for (gsize i = LEARNED; i < ROWS; i++)
    rows.y->data[2 * i] = (float) i;
  learner = learn (ASSAY_LEARNER_NETWORK, &rows);
  says = assay_learner_describe (learner);
  assert_says_epochs (says, "; training on 400 of them");
  for (gsize h = 0; h < EACH; h++) {
    const gsize i = (gsize) assay_learner_held_outputs (learner).data[2 * h];

    memcpy (assay_matrix_row (rows.y, i), assay_learner_held_predictions (learner).data + 2 * h,
            2 * sizeof (float));
  }
  best = learn (ASSAY_LEARNER_BEST, &rows);
  cr_assert_neq (assay_learner_expects (best)->kind, ASSAY_LEARNER_NETWORK);
}

/* Rows that are far out, none of which the race on 1000 rows sees, as it is drawn here: the network
 * wins it, and diverges on all rows, in a late epoch or in the first. */
Test (learner_divergence, a_network_that_diverges_after_the_race_has_lost)
{
  enum { COLS = 4, MOST = 4000 };
  static const struct {
    gsize n, n_far;
    float times;
  } cases[] = { { 2000, 1, 40 }, { MOST, 2, 50 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const gsize n = cases[c].n;
    g_autoptr (AssayMatrix) x = fixture_normal (n, COLS, 1);
    g_autoptr (AssayMatrix) y = assay_matrix_new (n, COLS, NULL);
    guint parts[MOST];
    const AssayExamples examples = { assay_matrix_view (x), assay_matrix_view (y), parts };
    g_autoptr (AssayLearner) learner = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *says = NULL;

    for (gsize j = 0; j < cases[c].n_far * COLS; j++)
      x->data[j] *= cases[c].times;
    for (gsize i = 0; i < n * COLS; i++)
      y->data[i] = MIN (fabsf (x->data[i]), 2);
    for (gsize i = 0; i < n; i++)
      parts[i] = (guint) (5 * i / n);
    learner = assay_learner_new (ASSAY_LEARNER_BEST, &examples, key_of (2), &error);
    cr_assert (learner != NULL, "%zu rows: %s", n, error != NULL ? error->message : "");
    says = assay_learner_describe (learner);
    cr_assert (g_str_has_prefix (says, "neighbours, from "), "%zu rows: %s", n, says);
  }
}

/* Far rows among those held out: it is with them that training diverges. Then rows are predicted by
 * the network that was tried. */
Test (learner_divergence, the_network_that_was_tried_stays_where_the_last_diverges)
{
  g_auto (FarRows) rows = far_rows (ROWS, LEARNED, 16, 11);
  g_autoptr (AssayLearner) learner = learn (ASSAY_LEARNER_NETWORK, &rows);
  g_autofree char *says = assay_learner_describe (learner);
  g_autoptr (AssayMatrix) found = assay_learner_predict (learner, assay_matrix_view (rows.x), NULL);
  guint diverged = 0, n_compared = 0;

  cr_assert (assay_learner_expects (learner)->has_learned
                 && strstr (says, "training on 400 of them") == NULL && strstr (says, "; ") != NULL,
             "%s", says);
  cr_assert_eq (sscanf (strstr (says, "; "), "; training on all of them diverged in epoch %u of 30",
                        &diverged),
                1, "%s", says);
  cr_assert (diverged >= 2 && diverged <= 30
                 && g_str_has_suffix (says, " of 30: the network is that of 400 of them"),
             "%s", says);
  for (gsize h = 0; h < EACH; h++)
    for (gsize i = LEARNED; i < ROWS; i++) {
      const float *tried = assay_learner_held_predictions (learner).data + 2 * h;

      if (memcmp (assay_matrix_row (rows.y, i), assay_learner_held_outputs (learner).data + 2 * h,
                  2 * sizeof (float))
          != 0)
        continue;
      n_compared++;
      for (gsize j = 0; j < 2; j++)
        assert_near ((double) found->data[2 * i + j], (double) tried[j],
                     1e-5 * (1 + fabs ((double) tried[j])), "row %zu", i);
    }
  cr_assert_eq (n_compared, EACH);
}

/* 63 steps an epoch are enough for it. */
Test (learner_divergence, a_network_that_diverges_at_once_is_an_error)
{
  g_auto (FarRows) rows = far_rows (4000, 0, 54, 50);
  g_autoptr (GError) error = NULL;

  cr_assert_null (assay_residual_network_new (assay_matrix_view (rows.x),
                                              assay_matrix_view (rows.y), key_of (1), &error));
  cr_assert_str_eq (error->message,
                    "training diverged in epoch 1 at learning_rate = 0.01; expected a smaller one, "
                    "or smaller inputs");
}
