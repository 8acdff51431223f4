/* The defense dphe: sums are the users' own, what is on record holds what users sent and nothing
 * more for each party, and what is refused. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/crypto/dphe.h"
#include "core/crypto/encoding.h"
#include "core/crypto/paillier.h"
#include "core/data/grant.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/defenses/federation-run.h"
#include "tests/unit/key-folder.h"

#define WEIGHTS FEDERATION_RUN_WEIGHTS
#define USERS FEDERATION_RUN_USERS
#define STEPS FEDERATION_RUN_STEPS
#define CIPHER 256

typedef FederationRun Run;

static gboolean
play (const char *more, Run *ret_run, GError **error)
{
  return federation_run_play ("dphe", more, ret_run, error);
}

static const AssayDefense *
dphe (void)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "dphe", NULL);
}

static const AssayArray *
array (const Run *run, const char *name)
{
  return assay_arrays_get (&run->release->arrays, name);
}

static const gint64 *
numbers (const Run *run, const char *name)
{
  return assay_array_int64 (array (run, name));
}

static float
update (const Run *run, gsize step, gsize user, gsize weight)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&run->truth->arrays, "updates"));

  return assay_view_row (updates, step * USERS + user)[weight];
}

/* Of a number as it was encoded. */
static double
encoded (double weight, gboolean is_fixed)
{
  return is_fixed ? rint (weight * 0x1p40) * 0x1p-40 : weight;
}

static void
check_sums (const Run *run, gboolean is_fixed)
{
  const AssayView sums = assay_array_view (array (run, "sums"));
  const AssayView models = assay_array_view (array (run, "models"));
  gsize n_zero = 0;

  for (gsize t = 0; t < STEPS; t++)
    for (gsize i = 0; i < WEIGHTS; i++) {
      double expected = 0;

      for (gsize u = 0; u < USERS; u++) {
        expected += encoded ((double) update (run, t, u, i), is_fixed);
        n_zero += update (run, t, u, i) == 0;
      }
      cr_assert_eq (assay_view_row (sums, t)[i], (float) expected, "step %zu, weight %zu", t, i);
      cr_assert_eq (assay_view_row (models, t + 1)[i], (float) ((double) (float) expected / USERS));
    }
  cr_assert (n_zero > 0 && n_zero < STEPS * USERS * WEIGHTS, "%zu zeros", n_zero);
}

/* Everything that the key generator can undo, undone: the updates come out. */
static void
check_record (const Run *run, gboolean is_fixed)
{
  const AssayArray *slots = array (run, "slots"), *own = array (run, "own-permutations");
  const gsize width = slots->shape[1], renewed = array (run, "permutations")->shape[0];
  const guint8 *ciphertexts = array (run, "ciphertexts")->data;
  double found[STEPS][USERS][WEIGHTS] = { { { 0 } } };
  g_autoptr (AssayPaillierKey) key = NULL;
  g_autoptr (AssayPaillierDecryptor) decryptor = NULL;
  gsize column = 0;
  g_auto (mpz_t) p, q;

  assay_number_init (p, 1024);
  assay_number_init (q, 1024);
  assay_number_read (array (run, "factors")->data, 64, p);
  assay_number_read (array (run, "factors")->data + 64, 64, q);
  key = assay_paillier_key_from_factors (1024, p, q, TRUE, NULL);
  decryptor = assay_paillier_decryptor_new (key, ASSAY_POWER_FASTEST);
  for (gsize s = 0; s < slots->shape[0]; s++) {
    const gsize step = (gsize) numbers (run, "sent-steps")[s];
    const gsize user = (gsize) numbers (run, "senders")[s];
    const gsize of = MIN (step, renewed - 1);
    gint64 undo_own[WEIGHTS], undo_shared[WEIGHTS];

    cr_assert (step < STEPS && user < USERS);
    assay_dphe_invert (numbers (run, "permutations") + of * WEIGHTS, WEIGHTS, undo_shared);
    assay_dphe_invert (assay_array_int64 (own) + (of * USERS + user) * WEIGHTS, WEIGHTS, undo_own);
    for (gsize k = 0; k < width && assay_array_int64 (slots)[s * width + k] >= 0; k++, column++) {
      const gint64 row = undo_shared[undo_own[assay_array_int64 (slots)[s * width + k]]];
      guint8 plaintext[128];
      double value;

      cr_assert (
          assay_paillier_decrypt (decryptor, ciphertexts + column * CIPHER, 1, plaintext, NULL));
      if (is_fixed)
        assay_decode_fixed (&key->public_key, plaintext, 1, &value);
      else
        cr_assert (assay_decode_floating (&key->public_key, plaintext,
                                          numbers (run, "exponents") + column, 1, &value, NULL));
      found[step][user][row] += value;
    }
  }
  cr_assert_eq (column, array (run, "ciphertexts")->shape[0]);
  for (gsize t = 0; t < STEPS; t++)
    for (gsize u = 0; u < USERS; u++)
      for (gsize i = 0; i < WEIGHTS; i++)
        cr_assert_eq (found[t][u][i], encoded ((double) update (run, t, u, i), is_fixed),
                      "step %zu, user %zu, weight %zu", t, u, i);
}

Test (dphe, sums_and_record)
{
  static const struct {
    const char *more;
    gboolean is_fixed;
    gsize renewed;
  } cases[] = { { "capacity=0.2", TRUE, STEPS },
                { "capacity=0.2 encoding=floating", FALSE, STEPS },
                { "padding=none renewal=fixed", TRUE, 1 },
                { "padding=none encoding=floating randomness=none", FALSE, STEPS } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (FederationRun) run = { 0 };
    g_autoptr (GError) error = NULL;

    cr_assert (play (cases[i].more, &run, &error), "%s: %s", cases[i].more,
               error != NULL ? error->message : "");
    cr_assert_eq (array (&run, "permutations")->shape[0], cases[i].renewed);
    cr_assert (cases[i].is_fixed == (array (&run, "exponents") == NULL));
    check_sums (&run, cases[i].is_fixed);
    check_record (&run, cases[i].is_fixed);
  }
}

/* Shards have the capacity, ceil (0.2 x 18) = 4 columns, and are as many as the values need. */
Test (dphe, shards_have_the_capacity)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  gsize expected = 0;

  cr_assert (play ("capacity=0.2", &run, &error));
  for (gsize t = 0; t < STEPS; t++)
    for (gsize u = 0; u < USERS; u++) {
      gsize n_values = 0;

      for (gsize i = 0; i < WEIGHTS; i++)
        n_values += update (&run, t, u, i) != 0;
      expected += MAX (1, (n_values + 3) / 4);
    }
  cr_assert_eq (array (&run, "slots")->shape[0], expected);
  cr_assert_eq (array (&run, "slots")->shape[1], 4);
  cr_assert_eq (array (&run, "ciphertexts")->shape[0], 4 * expected);
}

Test (dphe, permutations_as_set)
{
  g_auto (FederationRun) single = { 0 };
  g_auto (FederationRun) none = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (play ("permutations=single", &single, &error));
  cr_assert (array (&single, "permutations") != NULL
             && array (&single, "own-permutations") == NULL);
  cr_assert (play ("permutations=none", &none, &error));
  cr_assert (array (&none, "permutations") == NULL && array (&none, "own-permutations") == NULL);
  check_sums (&none, TRUE);
}

/* ---- Packing ---- */

/* Sums are the users' own to the last of the bits that are left below the bound, 2^-28 of each; and
 * 18 weights go into one ciphertext, with nothing said of supports. */
Test (dphe, packed_weights)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  const AssayArray *sums;

  cr_assert (play ("packing=yes sparsity=0", &run, &error), "%s",
             error != NULL ? error->message : "");
  sums = array (&run, "sums");
  for (gsize t = 0; t < STEPS; t++)
    for (gsize i = 0; i < WEIGHTS; i++) {
      double expected = 0;

      for (gsize u = 0; u < USERS; u++)
        expected += rint ((double) update (&run, t, u, i) * 0x1p28) * 0x1p-28;
      cr_assert_eq (assay_view_row (assay_array_view (sums), t)[i], (float) expected,
                    "step %zu, weight %zu", t, i);
    }
  cr_assert_eq (array (&run, "ciphertexts")->shape[0], STEPS * USERS);
  cr_assert (array (&run, "slots") == NULL && array (&run, "permutations") == NULL
             && array (&run, "own-permutations") == NULL);
}

Test (dphe, packed_weights_have_a_bound)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (!play ("packing=yes sparsity=0 largest=1e-6", &run, &error));
  cr_assert (strstr (error->message, "the largest") != NULL, "%s", error->message);
}

/* ---- Parties ---- */

Test (dphe, parties_see_what_they_hold)
{
  static const struct {
    guint grants;
    const char *names; /* of the arrays beside the models */
  } cases[] = {
    { 0, "" },
    { ASSAY_GRANT_MESSAGES, "slots senders sent-steps ciphertexts exponents modulus" },
    { ASSAY_GRANT_AGGREGATOR, "sums own-permutations" },
    { ASSAY_GRANT_USER, "permutations" },
    { ASSAY_GRANT_KEY_GENERATOR, "factors" },
  };
  static const char *const all[]
      = { "sums",        "locals",    "slots",   "senders",          "sent-steps",
          "ciphertexts", "exponents", "modulus", "own-permutations", "permutations",
          "factors" };
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (play ("encoding=floating", &run, &error));
  cr_assert (array (&run, "locals") == NULL, "updates are not in the release");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayRelease) seen = assay_release_granted (run.release, cases[i].grants);
    g_auto (GStrv) names = g_strsplit (cases[i].names, " ", -1);

    cr_assert (assay_arrays_get (&seen->arrays, "models") != NULL);
    for (gsize k = 0; k < G_N_ELEMENTS (all); k++)
      cr_assert_eq (assay_arrays_get (&seen->arrays, all[k]) != NULL,
                    g_strv_contains ((const char *const *) names, all[k]), "%s with grants %u",
                    all[k], cases[i].grants);
  }
}

/* ---- Releases that were made elsewhere ---- */

static void
assert_refused (const char *name, gsize index, gint64 number, const char *words)
{
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (play ("renewal=fixed", &run, NULL));
  ((gint64 *) (gpointer) array (&run, name)->data)[index] = number;
  cr_assert (!assay_release_check (run.release, &error), "%s", name);
  cr_assert (strstr (error->message, words) != NULL, "%s", error->message);
}

Test (dphe, messages_that_cannot_be)
{
  assert_refused ("slots", 1, WEIGHTS, "slots: message 0 has 18; expected -1 to 17");
  assert_refused ("senders", 2, USERS, "senders: message 2 has 4; expected 0 to 3");
  assert_refused ("sent-steps", 0, -1, "sent-steps: message 0 has -1; expected 0 to 2");
  assert_refused ("permutations", 3, WEIGHTS, "permutations: number 3 of row 0 is 18");
  assert_refused ("own-permutations", WEIGHTS, -7, "own-permutations: number 0 of row 1 is -7");
}

/* Numbers of columns, and lengths of numbers, that do not go together. */
Test (dphe, sizes_that_do_not_go_together)
{
  static const struct {
    const char *name;
    gsize shape[2];
    const char *words;
  } cases[] = {
    { "modulus", { 64, 0 }, "ciphertexts have 256 bytes and the modulus 64" },
    { "factors", { 2, 32 }, "factors are 2 x 32" },
    { "ciphertexts", { 3, CIPHER }, "3 ciphertexts; expected" },
    { "permutations", { 2, WEIGHTS }, "permutations are 2 x 18; expected 1, or 3, of 18 weights" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gboolean is_bytes = i < 3;
    g_auto (FederationRun) run = { 0 };
    g_autoptr (GError) error = NULL;

    cr_assert (play ("", &run, NULL));
    assay_arrays_take (&run.release->arrays, cases[i].name,
                       assay_array_take (is_bytes ? ASSAY_UINT8 : ASSAY_INT64,
                                         cases[i].shape[1] > 0 ? 2 : 1, cases[i].shape,
                                         g_malloc0 (cases[i].shape[0] * MAX (cases[i].shape[1], 1)
                                                    * sizeof (gint64))));
    cr_assert (!assay_release_check (run.release, &error), "%s", cases[i].name);
    cr_assert (strstr (error->message, cases[i].words) != NULL, "%s", error->message);
  }
}

/* ---- What is refused ---- */

static void
assert_check (const char *assignments, const char *words)
{
  const AssayShape shape = { .n_secrets = FEDERATION_RUN_ROWS,
                             .cols = FEDERATION_RUN_COLS,
                             .n_classes = FEDERATION_RUN_CLASSES };
  g_autoptr (AssaySettings) settings = fixture_settings (&dphe ()->plugin, assignments);
  g_autoptr (GError) error = NULL;
  const gboolean is_ok = dphe ()->check (settings->values, &shape, &error);

  cr_assert_eq (is_ok, words == NULL, "%s", assignments);
  cr_assert (words == NULL || strstr (error->message, words) != NULL, "%s", error->message);
}

Test (dphe, two_users_are_refused)
{
  assert_check ("users=2", "users = 2: expected 3 or more");
  assert_check ("users=1 allow_two=yes", "users = 1: expected 3 or more");
  assert_check ("users=2 allow_two=yes", NULL);
  assert_check ("users=3", NULL);
  assert_check ("packing=yes encoding=floating", "packing = yes with encoding = floating");
}

static AssayUpdatesKey
key_of (const Run *run)
{
  return (AssayUpdatesKey) *ASSAY_PARAMETER (run->release, AssayUpdatesParameters, key);
}

/* A key from the seed is marked, and stands in the release for the key generator's part of audits;
 * one of the system's randomness does not. */
Test (dphe, keys_are_marked)
{
  static const char *const ways[] = { "", " packing=yes" };
  g_autofree char *folder = g_dir_make_tmp ("assay-dphe-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, ASSAY_KEY_FILE, NULL);
  g_autoptr (AssayPaillierKey) key = assay_paillier_key_new (1024, NULL, NULL);

  store_key (key, folder);
  for (gsize w = 0; w < G_N_ELEMENTS (ways); w++) {
    g_autofree char *owned = g_strdup_printf ("key_folder=%s%s", folder, ways[w]);
    g_auto (FederationRun) seeded = { 0 };
    g_auto (FederationRun) run = { 0 };
    guint8 modulus[128];

    cr_assert (play (ways[w], &seeded, NULL));
    cr_assert (key_of (&seeded) == ASSAY_UPDATES_KEY_SEED && array (&seeded, "factors") != NULL);
    cr_assert (play (owned, &run, NULL));
    cr_assert (key_of (&run) == ASSAY_UPDATES_KEY_SYSTEM && array (&run, "factors") == NULL);
    assay_number_write (key->public_key.n, sizeof modulus, modulus);
    cr_assert_arr_eq (array (&run, "modulus")->data, modulus, sizeof modulus);
  }
  g_unlink (file);
  g_rmdir (folder);
}

Test (dphe, a_key_that_others_can_read_is_refused)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-dphe-XXXXXX", NULL);
  g_autofree char *more = g_strdup_printf ("key_folder=%s", folder);
  g_auto (FederationRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  g_chmod (folder, 0755);
  cr_assert (!play (more, &run, &error));
  cr_assert (strstr (error->message, "can be read by others (mode 0755)") != NULL, "%s",
             error->message);
  g_rmdir (folder);
}
