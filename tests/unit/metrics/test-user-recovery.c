/* Claims about users' weights, judged user by user, against counts by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayMetric assay_metric_user_recovery;

enum { USERS = 3, WEIGHTS = 2 };

/* One step: weight 0 is held by users 0 and 1, weight 1 by user 2 alone. */
static const float updates[USERS * WEIGHTS] = { 5, 0, 6, 0, 0, 3 };

typedef struct {
  gint64 user, weight;
  float value;
} Claim;

static AssayRelease *
make_release (void)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");

  assay_arrays_take_rows (&release->arrays, "models", ASSAY_FLOAT32, 2, WEIGHTS,
                          g_new0 (float, 2 * WEIGHTS));
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, USERS);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, 1);
  return release;
}

/* Measures @n claims of step 0. */
static void
judge (const Claim *claims, gsize n, const double *right, const double *found)
{
  g_autoptr (AssayRelease) release = make_release ();
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayOutcomes outcomes = { 0 };
  const AssayMetricContext context = { .release = release };
  gint64 *numbers = g_new (gint64, 3 * n);
  float *values = g_new (float, n);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < n; i++) {
    const gint64 claim[] = { 0, claims[i].user, claims[i].weight };

    memcpy (numbers + i * G_N_ELEMENTS (claim), claim, sizeof claim);
    values[i] = claims[i].value;
  }
  assay_arrays_take_rows (&truth->arrays, "updates", ASSAY_FLOAT32, USERS, WEIGHTS,
                          g_memdup2 (updates, sizeof updates));
  assay_arrays_take_rows (&guess->arrays, "weight-claims", ASSAY_INT64, n, 3, numbers);
  assay_arrays_take (&guess->arrays, "claimed-values",
                     assay_array_take (ASSAY_FLOAT32, 1, &n, values));
  cr_assert (assay_metric_user_recovery.measure (&context, truth, guess, &outcomes, &error), "%s",
             error != NULL ? error->message : "");
  for (gsize u = 0; u < USERS; u++) {
    assert_near (outcomes.series[0][u], right[u], 1e-12, "right, user %zu", u);
    assert_near (outcomes.series[1][u], found[u], 1e-12, "found, user %zu", u);
  }
  assay_outcomes_clear (&outcomes);
}

/* Several users hold weight 0, each with a value of its own. */
Test (user_recovery, values_of_several_users_count)
{
  static const Claim claims[] = { { 0, 0, 5 }, { 1, 0, 6 }, { 2, 1, 4 } };

  judge (claims, G_N_ELEMENTS (claims), (const double[]){ 1, 1, 0 }, (const double[]){ 1, 1, 0 });
}

/* Who names every user for one value names the first alone, however the value is bent. */
Test (user_recovery, naming_everybody_names_nobody)
{
  static const Claim claims[] = { { 0, 1, 3 }, { 1, 1, 3 }, { 2, 1, 3.00001F } };

  judge (claims, G_N_ELEMENTS (claims), (const double[]){ 0, 0, 0 }, (const double[]){ 0, 0, 0 });
}

/* No more claims about a weight count than there are users: the fourth does not. */
Test (user_recovery, guesses_run_out)
{
  static const Claim claims[] = { { 2, 1, 7 }, { 2, 1, 8 }, { 2, 1, 9 }, { 2, 1, 3 } };

  judge (claims, G_N_ELEMENTS (claims), (const double[]){ 0, 0, 0 }, (const double[]){ 0, 0, 0 });
  judge (claims + 1, 3, (const double[]){ 0, 0, 1.0 / 3 }, (const double[]){ 0, 0, 1 });
}
