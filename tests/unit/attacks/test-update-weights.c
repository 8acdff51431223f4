/* Attacks on sparse updates that users add up, against sums done by hand, and the assignment that
 * one of them rests on against all permutations. */
#include <criterion/criterion.h>
#include <string.h>

#include "attacks/updates/permutations/sparse-assignment.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/data/grant.h"
#include "core/data/kinds/updates.h"
#include "core/games/control.h"
#include "core/games/guesses/weights.h"
#include "core/math/linalg.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

/* ---- Assignment ---- */

enum { N = 6 };

static double
cheapest (const float *costs, gsize row, guint taken)
{
  double best = row == N ? 0 : 1e9;

  for (gsize c = 0; row < N && c < N; c++)
    if (!(taken & 1u << c))
      best = MIN (best, (double) costs[row * N + c] + cheapest (costs, row + 1, taken | 1u << c));
  return best;
}

Test (update_weights, the_assignment_is_the_cheapest)
{
  for (guint64 number = 0; number < 50; number++) {
    AssayStream stream = assay_stream (assay_stream_key (number, 0, "test", ""), 0);
    gsize columns[N * N], found[N];
    float costs[N * N];
    guint taken = 0;
    double sum = 0;

    for (gsize i = 0; i < (gsize) (N * N); i++) {
      columns[i] = i % N;
      costs[i] = (float) assay_stream_uniform (&stream);
    }
    sparse_assignment_solve (&(SparseAssignment){ N, N, N, columns, costs, 1e-6, 1e6 }, found);
    for (gsize i = 0; i < N; i++) {
      cr_assert (found[i] < N && !(taken & 1u << found[i]), "row %zu", i);
      taken |= 1u << found[i];
      sum += (double) costs[i * N + found[i]];
    }
    cr_assert_float_eq (sum, cheapest (costs, 0, 0), 1e-4, "problem %d", (int) number);
  }
}

/* Three rows that all want one column: one gets it, and the others give up. */
Test (update_weights, rows_give_up)
{
  const gsize columns[3] = { 1, 1, 1 };
  const float costs[3] = { 0, 0, 0 };
  gsize found[3];

  sparse_assignment_solve (&(SparseAssignment){ 3, 2, 1, columns, costs, 0.1, 5 }, found);
  cr_assert_eq ((found[0] == 1) + (found[1] == 1) + (found[2] == 1), 1);
}

/* ---- Claims ---- */

#define WEIGHTS 4

/* Two or three users and one step: updates in rows. */
static AssayRelease *
release_of (const float *updates, gsize users)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");
  AssayMatrix *models = assay_matrix_new (2, WEIGHTS, NULL);
  AssayMatrix *own = assay_matrix_new (1, WEIGHTS, NULL);

  for (gsize i = 0; i < users * WEIGHTS; i++)
    models->data[WEIGHTS + i % WEIGHTS] += updates[i] / (float) users;
  memcpy (own->data, updates, WEIGHTS * sizeof (float));
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, (gint64) users);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, 2);
  assay_arrays_take_matrix (&release->arrays, "models", &models);
  assay_arrays_take_matrix (&release->arrays, "own", &own);
  return release;
}

static AssayGuess *
attack_of (const char *id, const AssayRelease *release)
{
  const AssayAttack *attack
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, id, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, "");
  const AssayAttackContext context = { .settings = settings->values };
  AssayGuess *guess = assay_guess_new ();
  GError *error = NULL;

  cr_assert (
      assay_attack_run (attack, &context, &(AssayObservation){ .release = release }, guess, &error),
      "%s: %s", id, error != NULL ? error->message : "");
  return guess;
}

static gsize
count_right (const float *updates, gsize users, const AssayGuess *guess, gsize *ret_all)
{
  const AssayArray *claims = assay_arrays_get (&guess->arrays, "weight-claims");
  gsize right = 0;

  *ret_all = claims->shape[0];
  for (gsize i = 0; i < claims->shape[0]; i++)
    right += assay_weight_claim_is_right (assay_view_of (updates, users, WEIGHTS), users, guess, i);
  return right;
}

/* Weights 0 and 3 have one holder, 2 has two, 1 none. */
Test (update_weights, single_holders_are_right)
{
  const float updates[] = { 1, 0, 2, 0, 0, 0, 3, -1 };
  g_autoptr (AssayRelease) release = release_of (updates, 2);
  g_autoptr (AssayGuess) guess = attack_of ("single-holder", release);
  gsize all;

  cr_assert_eq (count_right (updates, 2, guess, &all), 2);
  cr_assert_eq (all, 3);
}

/* Of two users the other's update, whole and named; of three what another alone holds. */
Test (update_weights, subtracting_shows_the_others)
{
  const float two[] = { 1, 0, 2, 0, 0, 0, 3, -1 };
  const float three[] = { 1, 0, 2, 0, 0, 0, 3, -1, 0, 4, 0, 1.5f };
  g_autoptr (AssayRelease) of_two = release_of (two, 2);
  g_autoptr (AssayRelease) of_three = release_of (three, 3);
  g_autoptr (AssayGuess) first = attack_of ("subtract", of_two);
  g_autoptr (AssayGuess) second = attack_of ("subtract", of_three);
  gsize all;

  cr_assert_eq (count_right (two, 2, first, &all), 2);
  cr_assert_eq (all, 2);
  cr_assert_eq (assay_array_int64 (assay_arrays_get (&first->arrays, "weight-claims"))[1], 1);
  /* Weight 1 is the third user's alone, 2 is left as the second user's, 3 is a sum of both. */
  cr_assert_eq (count_right (three, 3, second, &all), 2);
  cr_assert_eq (all, 3);
}

/* What is claimed of a step, user or weight that is not there is refused. */
Test (update_weights, claims_are_checked)
{
  const float updates[] = { 1, 0, 2, 0, 0, 0, 3, -1 };
  g_autoptr (AssayRelease) release = release_of (updates, 2);
  const AssayObservation seen = { .release = release };

  for (guint bad = 0; bad < ASSAY_CLAIM_NUMBERS; bad++) {
    g_autoptr (AssayGuess) guess = attack_of ("single-holder", release);
    g_autoptr (GError) error = NULL;
    const AssayArray *claims = assay_arrays_get (&guess->arrays, "weight-claims");

    cr_assert (assay_weights_check (&seen, guess, NULL));
    ((gint64 *) (gpointer) claims->data)[bad] = bad == ASSAY_CLAIM_WEIGHT ? WEIGHTS : 2;
    cr_assert (!assay_weights_check (&seen, guess, &error));
    cr_assert (strstr (error->message, "claim 0 is of step") != NULL, "%s", error->message);
  }
}

/* ---- Permutations ---- */

/* Rows that are drawn anew in each step say nothing of weights: the attack that takes them for one
 * permutation is right about hardly any. */
Test (update_weights, renewed_rows_are_not_matched)
{
  const AssayStreamKey key = assay_stream_key (5, 0, "test", "");
  const WeightControl control
      = { .users = 4, .steps = 12, .weights = 150, .held = 0.2, .has_messages = TRUE };
  AssayControlCase control_case = { 0 };
  g_autoptr (AssayGuess) fixed = NULL;
  g_autoptr (AssayGuess) renewed = NULL;
  AssayControlOutcome of_fixed, of_renewed;
  gint64 *slots;
  gsize n;

  cr_assert (weight_control_make (&control, key, &control_case, NULL));
  fixed = attack_of ("permutation-match", control_case.release);
  cr_assert (assay_weights_judge (&control_case, fixed, &of_fixed, NULL));
  slots = (gint64 *) (gpointer) assay_arrays_get (&control_case.release->arrays, "slots")->data;
  n = assay_arrays_get (&control_case.release->arrays, "slots")->shape[0];
  for (gsize s = 0; s < n; s++)
    for (gsize k = 0; k < control.weights && slots[s * control.weights + k] >= 0; k++)
      slots[s * control.weights + k]
          = (gint64) (((gsize) slots[s * control.weights + k] + 37 * (s / control.users))
                      % control.weights);
  renewed = attack_of ("permutation-match", control_case.release);
  cr_assert (assay_weights_judge (&control_case, renewed, &of_renewed, NULL));
  cr_assert (of_fixed.share > 0.9 && of_fixed.n > 100, "%g of %zu", of_fixed.share, of_fixed.n);
  cr_assert (of_renewed.n == 0 || of_renewed.share < 0.3, "%g of %zu", of_renewed.share,
             of_renewed.n);
  assay_control_case_clear (&control_case);
}
