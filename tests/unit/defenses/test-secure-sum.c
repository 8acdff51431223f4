/* The defense secure-sum: masks cancel out to the last bit, and a message alone tells nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/grant.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-stops.h"
#include "tests/unit/defenses/federation-run.h"

#define WEIGHTS FEDERATION_RUN_WEIGHTS
#define USERS FEDERATION_RUN_USERS
#define STEPS FEDERATION_RUN_STEPS

static gint64
masked (const FederationRun *run, gsize row, gsize weight)
{
  return assay_array_int64 (
      assay_arrays_get (&run->release->arrays, "masked"))[row * WEIGHTS + weight];
}

static double
update (const FederationRun *run, gsize row, gsize weight)
{
  return (double) assay_view_row (
      assay_array_view (assay_arrays_get (&run->truth->arrays, "updates")), row)[weight];
}

Test (secure_sum, masks_cancel_out)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (federation_run_play ("secure-sum", "", &run, &error), "%s",
             error != NULL ? error->message : "");
  for (gsize t = 0; t < STEPS; t++)
    for (gsize i = 0; i < WEIGHTS; i++) {
      guint64 sum = 0;
      double expected = 0;

      for (gsize u = 0; u < USERS; u++) {
        sum += (guint64) masked (&run, t * USERS + u, i);
        expected += rint (update (&run, t * USERS + u, i) * 0x1p40);
      }
      cr_assert_eq ((double) (gint64) sum, expected, "step %zu, weight %zu", t, i);
      cr_assert_eq (
          assay_view_row (assay_array_view (assay_arrays_get (&run.release->arrays, "sums")), t)[i],
          (float) (expected * 0x1p-40));
    }
}

/* Of all bits of all messages half are set, as of noise: 3 x 4 x 18 x 64 = 13,824 of them, of which
 * a share within 5 deviations (0.0213) of a half; and where the update is 0 no message is. */
Test (secure_sum, a_message_is_noise)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  gsize n_set = 0, n_zero = 0;

  cr_assert (federation_run_play ("secure-sum", "", &run, &error));
  for (gsize row = 0; row < STEPS * USERS; row++)
    for (gsize i = 0; i < WEIGHTS; i++) {
      n_set += (gsize) __builtin_popcountll ((guint64) masked (&run, row, i));
      n_zero += update (&run, row, i) == 0 && masked (&run, row, i) == 0;
    }
  cr_assert (fabs ((double) n_set / (STEPS * USERS * WEIGHTS * 64) - 0.5) < 0.0213, "%zu", n_set);
  cr_assert_eq (n_zero, 0);
}

Test (secure_sum, who_sees_what)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRelease) outsider = NULL;
  g_autoptr (AssayRelease) interceptor = NULL;

  cr_assert (federation_run_play ("secure-sum", "", &run, &error));
  outsider = assay_release_granted (run.release, 0);
  interceptor = assay_release_granted (run.release, ASSAY_GRANT_MESSAGES);
  cr_assert (assay_arrays_get (&run.release->arrays, "locals") == NULL);
  cr_assert (assay_arrays_get (&outsider->arrays, "masked") == NULL
             && assay_arrays_get (&outsider->arrays, "models") != NULL);
  cr_assert (assay_arrays_get (&interceptor->arrays, "masked") != NULL
             && assay_arrays_get (&interceptor->arrays, "sums") == NULL);
}

Test (secure_sum, bad_inputs)
{
  const AssayDefense *defense
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "secure-sum", NULL);
  const AssayShape shape = { .n_secrets = 40, .cols = 6, .n_classes = 3 };
  g_autoptr (AssaySettings) two = fixture_settings (&defense->plugin, "users=2");
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) few = NULL;
  g_autoptr (GError) large = NULL;

  cr_assert (!defense->check (two->values, &shape, &few));
  cr_assert (strstr (few->message, "users = 2: expected 3 or more") != NULL, "%s", few->message);
  cr_assert (!federation_run_play ("secure-sum", "sparsity=0 rate=1e6", &run, &large));
  cr_assert (strstr (large->message, "the largest; expected weights below") != NULL, "%s",
             large->message);
}

/* ---- Ctrl-C ---- */

static gboolean
train_users (G_GNUC_UNUSED gpointer data, GError **error)
{
  g_auto (FederationRun) run = { 0 };

  return federation_run_play ("secure-sum", "", &run, error);
}

/* Each user in each step. */
Test (secure_sum, every_user_asks_whether_to_stop)
{
  assert_stops (train_users, NULL, USERS * STEPS, USERS * STEPS);
}
