/* The hashing defenses without labels: what releases hold, repeats, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "defenses/codes/hash-learning.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/hashing-rows.h"

extern const AssayDefense assay_defense_lsh;
extern const AssayDefense assay_defense_itq;
extern const AssayDefense assay_defense_sh;
extern const AssayDefense assay_defense_ksh;
extern const AssayDefense assay_defense_sdh;
extern const AssayDefense assay_defense_dpsh;
extern const AssayDefense assay_defense_phashing;
extern const AssayDefense assay_defense_pitq;

/* ---- Releases ---- */

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
} Made;

static void
made_clear (Made *made)
{
  assay_release_free (made->release);
  assay_truth_free (made->truth);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

static gboolean
make (const AssayDefense *defense, const char *assignments, AssayView secrets, guint64 repeat,
      Made *ret_made, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  const AssayShape shape = { .n_secrets = secrets.rows, .cols = secrets.cols };
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = hashing_key ("repeat", repeat),
                                        .common_stream = hashing_key ("common", 0) };

  ret_made->release = assay_release_new (defense->produces, defense->id);
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (secrets, NULL)));
  return defense->check (settings->values, &shape, error)
         && defense->protect (&context, secrets, ret_made->release, ret_made->truth, error)
         && assay_release_check (ret_made->release, error)
         && assay_truth_check (ret_made->truth, error);
}

static const guint8 *
codes_of (const AssayArrays *arrays)
{
  return assay_arrays_get (arrays, "codes")->data;
}

static gboolean
is_same_function (const AssayRelease *a, const AssayRelease *b)
{
  const AssayArray *first = assay_arrays_get (&a->arrays, "projection");
  const AssayArray *second = assay_arrays_get (&b->arrays, "projection");

  return memcmp (first->data, second->data, assay_array_count (first) * sizeof (float)) == 0;
}

/* Codes in the release are those of the function in it, for rows of any training subset. */
Test (hashing, releases_hold_what_the_function_says)
{
  static const AssayDefense *const defenses[]
      = { &assay_defense_lsh, &assay_defense_itq, &assay_defense_sh, &assay_defense_pitq };
  g_autoptr (AssayMatrix) rows = hashing_rows (500, 30, 20);
  const AssayView view = assay_matrix_view (rows);

  for (gsize d = 0; d < G_N_ELEMENTS (defenses); d++) {
    g_auto (Made) all = { NULL, NULL }, some = { NULL, NULL };
    g_autoptr (AssayHashFunction) function = NULL;
    g_autoptr (AssayArray) codes = NULL;

    cr_assert (make (defenses[d], "bits=20", view, 0, &all, NULL), "%s", defenses[d]->id);
    cr_assert (make (defenses[d], "bits=20 training=100", view, 0, &some, NULL), "%s",
               defenses[d]->id);
    cr_assert (all.release->bits == 20);
    function = assay_hash_function_from (some.release, NULL);
    codes = assay_hash_function_codes (function, view, NULL);
    cr_assert (memcmp (codes->data, codes_of (&some.release->arrays), 500 * 3) == 0, "%s",
               defenses[d]->id);
    cr_assert (memcmp (codes->data, codes_of (&some.truth->arrays), 500 * 3) == 0);
    cr_assert (memcmp (codes->data, codes_of (&all.release->arrays), 500 * 3) != 0, "%s: all rows",
               defenses[d]->id);
  }
}

static gsize
count_flips (const Made *made, gsize n, gsize bits)
{
  const guint8 *released = codes_of (&made->release->arrays),
               *true_codes = codes_of (&made->truth->arrays);
  gsize flips = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < bits; j++)
      flips += assay_code_bit (released + i * assay_code_bytes (bits), j)
               != assay_code_bit (true_codes + i * assay_code_bytes (bits), j);
  return flips;
}

/* Two repeats: one function, codes that were turned apart from each other. Of 500 x 16 bits the
 * share beta is turned, and of both together beta^2. */
Test (hashing, phashing_repeats_flips_alone)
{
  static const struct {
    const char *assignments;
    double beta;
  } cases[] = { { "bits=16 epsilon=1", 0.36787944 },
                { "bits=16 epsilon=0.25", 0.77880078 },
                { "bits=16 epsilon=1 calibration=randomised-response", 0.26894142 },
                { "bits=16 epsilon=2 base=lsh", 0.13533528 },
                { "bits=16 epsilon=2 base=sh training=200", 0.13533528 } };
  enum { N = 500, BITS = 16 };
  g_autoptr (AssayMatrix) rows = hashing_rows (N, 24, 21);
  const AssayView view = assay_matrix_view (rows);

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    const double beta = cases[t].beta, bits = N * BITS;
    g_auto (Made) first = { NULL, NULL }, second = { NULL, NULL };
    g_autoptr (GError) error = NULL;
    double both = 0;

    cr_assert (make (&assay_defense_phashing, cases[t].assignments, view, 1, &first, &error), "%s",
               error != NULL ? error->message : "");
    cr_assert (make (&assay_defense_phashing, cases[t].assignments, view, 2, &second, NULL));
    cr_assert (is_same_function (first.release, second.release), "%s", cases[t].assignments);
    cr_assert (memcmp (codes_of (&first.truth->arrays), codes_of (&second.truth->arrays), N * 2)
               == 0);
    assert_near ((double) count_flips (&first, N, BITS) / bits, beta,
                 5 * sqrt (beta * (1 - beta) / bits), "%s", cases[t].assignments);
    for (gsize b = 0; b < N * 2; b++)
      both += __builtin_popcount (
          (codes_of (&first.release->arrays)[b] ^ codes_of (&first.truth->arrays)[b])
          & (codes_of (&second.release->arrays)[b] ^ codes_of (&first.truth->arrays)[b]));
    assert_near (both / bits, beta * beta, 5 * sqrt (beta * beta * (1 - beta * beta) / bits),
                 "%s: both", cases[t].assignments);
  }
}

/* The function that @defense learns in trial @trial, of rows with classes by turns: from secrets,
 * or with public rows from these. */
static AssayRelease *
learned_in (guint64 trial, const AssayDefense *defense, const char *assignments, AssayView secrets,
            const AssayRows *public_rows, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  g_autofree gint64 *labels = g_new (gint64, secrets.rows + 1000);
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = hashing_key ("repeat", 0),
                                        .common_stream = hashing_key ("common", trial),
                                        .public_rows = public_rows,
                                        .public_labels = labels,
                                        .labels = labels,
                                        .n_classes = 2 };
  g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  for (gsize i = 0; i < secrets.rows + 1000; i++)
    labels[i] = i % 3 == 0;
  cr_assert_eq (defense->uses (settings->values), public_rows != NULL ? ASSAY_GRANT_PUBLIC : 0);
  return defense->protect (&context, secrets, release, truth, error) ? g_steal_pointer (&release)
                                                                     : NULL;
}

static AssayRelease *
learned (const AssayDefense *defense, const char *assignments, AssayView secrets,
         const AssayRows *public_rows, GError **error)
{
  return learned_in (0, defense, assignments, secrets, public_rows, error);
}

/* The function of public rows is the one that they would have as secrets, whatever is protected. */
Test (hashing, what_is_learned_from_public_rows_says_nothing_of_secrets)
{
  static const AssayDefense *const defenses[]
      = { &assay_defense_lsh, &assay_defense_itq, &assay_defense_sh, &assay_defense_ksh,
          &assay_defense_phashing };
  g_autoptr (AssayMatrix) secrets = hashing_rows (120, 20, 31), others = hashing_rows (90, 20, 32),
                          known = hashing_rows (400, 20, 33);
  g_autoptr (AssayRows) rows = assay_rows_take_matrix (assay_matrix_copy (
      assay_matrix_view (known), NULL));

  for (gsize d = 0; d < 2 * G_N_ELEMENTS (defenses); d++) {
    const AssayDefense *defense = defenses[d / 2];
    const gboolean is_ksh = defense == &assay_defense_ksh;
    g_autofree char *of_them = g_strdup_printf ("bits=8 training=%d%s", d % 2 == 0 ? 0 : 250,
                                                is_ksh ? " anchors=50 labelled=200" : "");
    g_autofree char *from_public = g_strdup_printf ("%s learns_from=public", of_them);
    g_autoptr (AssayRelease) expected
        = learned (defense, of_them, assay_matrix_view (known), NULL, NULL);
    g_autoptr (AssayRelease) first
        = learned (defense, from_public, assay_matrix_view (secrets), rows, NULL);
    g_autoptr (AssayRelease) second
        = learned (defense, from_public, assay_matrix_view (others), rows, NULL);
    g_autoptr (AssayRelease) own
        = learned (defense, "bits=8", assay_matrix_view (known), NULL, NULL);

    cr_assert (expected != NULL && first != NULL && second != NULL, "%s", defense->id);
    cr_assert (is_same_function (expected, first) && is_same_function (expected, second), "%s %s",
               defense->id, from_public);
    cr_assert_eq (assay_arrays_get (&first->arrays, "codes")->shape[0], 120);
    cr_assert (own == NULL || d % 2 == 0 || defense == &assay_defense_lsh
                   || !is_same_function (own, first),
               "%s: all rows and 250 of them teach the same", defense->id);
  }
}

/* With a learning_seed a function depends on nothing else that is drawn: neither trials, nor other
 * defenses over the same method, nor epsilon change it. */
Test (hashing, one_learning_seed_one_function)
{
  static const struct {
    const AssayDefense *defense;
    const char *own, *wrapped;
  } cases[]
      = { { &assay_defense_lsh, "", "base=lsh" },
          { &assay_defense_itq, "", "base=itq" },
          { &assay_defense_ksh, "anchors=50 labelled=100", "base=ksh anchors=50 labelled=100" },
          { &assay_defense_sdh, "anchors=50", "base=sdh anchors=50" },
          { &assay_defense_dpsh, "steps=5", "base=dpsh steps=5" } };
  g_autoptr (AssayMatrix) rows = hashing_rows (300, 20, 36);
  const AssayView view = assay_matrix_view (rows);

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    const AssayDefense *defense = cases[t].defense, *phashing = &assay_defense_phashing;
    AssayRelease *made[5];

    for (guint64 i = 0; i < G_N_ELEMENTS (made); i++) {
      const gboolean is_own = i == 0 || i > 2;
      g_autofree char *settings = g_strdup_printf ("bits=8 training=200 %s learning_seed=%d%s",
                                                   is_own ? cases[t].own : cases[t].wrapped,
                                                   i < 3    ? 1
                                                   : i == 3 ? 2
                                                            : 0,
                                                   is_own   ? ""
                                                   : i == 1 ? " epsilon=1"
                                                            : " epsilon=4");

      made[i] = learned_in (i, is_own ? defense : phashing, settings, view, NULL, NULL);
      cr_assert (made[i] != NULL, "%s", settings);
      cr_assert (is_same_function (made[0], made[i]) == (i < 3), "%s %s", defense->id, settings);
    }
    for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
      assay_release_free (made[i]);
  }
}

Test (hashing, public_rows_that_cannot_be_learned_from)
{
  g_autoptr (AssayMatrix) secrets = hashing_rows (50, 20, 34), narrow = hashing_rows (50, 19, 35);
  g_autoptr (AssayRows) rows = assay_rows_take_matrix (assay_matrix_copy (
      assay_matrix_view (narrow), NULL));
  g_autoptr (AssaySettings) settings = fixture_settings (
      &assay_defense_phashing.plugin, "learns_from=public relation=record base=itq bits=2");
  const AssayShape shape = { .n_secrets = 50, .cols = 20, .n_public = 30 };
  g_autoptr (GError) error = NULL;

  cr_assert_null (learned (&assay_defense_itq, "bits=8 learns_from=public",
                           assay_matrix_view (secrets), rows, &error));
  cr_assert_str_eq (error->message,
                    "learns_from = public: expected public rows of 20 numbers, found others");
  g_clear_error (&error);
  cr_assert (!assay_defense_phashing.check (settings->values, &shape, &error));
  cr_assert (g_str_has_prefix (error->message, "relation = record: "), "%s", error->message);
  g_clear_error (&error);
  g_clear_pointer (&settings, assay_settings_free);
  settings = fixture_settings (&assay_defense_itq.plugin, "learns_from=public training=31 bits=2");
  cr_assert (!assay_defense_itq.check (settings->values, &shape, &error));
  cr_assert_str_eq (error->message,
                    "training = 31: expected at most 30, the number of public rows");
}

Test (hashing, pitq_repeats_with_fresh_flips)
{
  g_autoptr (AssayMatrix) rows = hashing_rows (300, 20, 22);
  g_auto (Made) first = { NULL, NULL }, second = { NULL, NULL };

  cr_assert (make (&assay_defense_pitq, "bits=12", assay_matrix_view (rows), 1, &first, NULL));
  cr_assert (make (&assay_defense_pitq, "bits=12", assay_matrix_view (rows), 2, &second, NULL));
  cr_assert (!is_same_function (first.release, second.release));
}

Test (hashing, same_for_any_number_of_threads)
{
  static const AssayDefense *const defenses[]
      = { &assay_defense_lsh, &assay_defense_itq, &assay_defense_sh, &assay_defense_pitq,
          &assay_defense_phashing };
  g_autoptr (AssayMatrix) rows = hashing_rows (3000, 70, 23);

  for (gsize d = 0; d < G_N_ELEMENTS (defenses); d++) {
    Made made[2];

    for (guint t = 0; t < 2; t++) {
      assay_parallel_set_threads (t == 0 ? 1 : 3);
      cr_assert (make (defenses[d], "bits=24", assay_matrix_view (rows), 0, &made[t], NULL));
    }
    cr_assert (is_same_function (made[0].release, made[1].release), "%s", defenses[d]->id);
    cr_assert (
        memcmp (codes_of (&made[0].release->arrays), codes_of (&made[1].release->arrays), 3000 * 3)
            == 0,
        "%s", defenses[d]->id);
    made_clear (&made[0]);
    made_clear (&made[1]);
  }
}

/* ---- What is refused ---- */

static void
expect_refused (const AssayDefense *defense, const char *assignments, AssayView secrets, gint code,
                const char *message)
{
  g_auto (Made) made = { NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  cr_assert (!make (defense, assignments, secrets, 0, &made, &error), "%s %s", defense->id,
             assignments);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s %s: %s", defense->id,
             assignments, why);
}

Test (hashing, refused)
{
  g_autoptr (AssayMatrix) rows = hashing_rows (30, 20, 24),
                          constant = assay_matrix_new (30, 20, NULL);
  const AssayView view = assay_matrix_view (rows), few = assay_view_rows (view, 0, 8);

  expect_refused (&assay_defense_itq, "bits=21", view, ASSAY_ERROR_PARAMETER,
                  "bits = 21: expected at most 20, the numbers of a row, which has no more "
                  "principal components");
  expect_refused (&assay_defense_pitq, "bits=8", few, ASSAY_ERROR_PARAMETER,
                  "bits = 8: expected at most 7, one less than there are training rows, which "
                  "have no more principal components");
  expect_refused (&assay_defense_phashing, "bits=12 training=10", view, ASSAY_ERROR_PARAMETER,
                  "bits = 12: expected at most 9, one less than there are training rows, which "
                  "have no more principal components");
  expect_refused (&assay_defense_lsh, "bits=12 training=31", view, ASSAY_ERROR_PARAMETER,
                  "training = 31: expected at most 30, the number of secrets");
  expect_refused (&assay_defense_sh, "bits=2", assay_view_rows (view, 0, 1), ASSAY_ERROR_PARAMETER,
                  "a hash function cannot be learned from one row; expected 2 at least");
  expect_refused (&assay_defense_phashing, "bits=8 epsilon=0", view, ASSAY_ERROR_PARAMETER,
                  "epsilon = 0: flip probability beta = 1: expected at least 0 and less than 1");
  expect_refused (&assay_defense_pitq, "bits=8 epsilon=0", view, ASSAY_ERROR_PARAMETER,
                  "epsilon = 0: flip probability beta = 1: expected at least 0 and less than 1");
  expect_refused (&assay_defense_itq, "bits=8", assay_matrix_view (constant), ASSAY_ERROR_DATA,
                  "bits = 8: the 30 training rows vary in 0 directions only; expected one for "
                  "each bit (are features constant, or rows duplicates?)");
  expect_refused (&assay_defense_lsh, "bits=8", assay_matrix_view (constant), ASSAY_ERROR_DATA,
                  "all 30 training rows are equal: expected features that vary");
  expect_refused (&assay_defense_sh, "bits=8", assay_matrix_view (constant), ASSAY_ERROR_DATA,
                  "the 30 training rows are all alike; expected rows that vary");
  for (gsize i = 0; i < 30; i++)
    memset (assay_matrix_row (rows, i) + 5, 0, 15 * sizeof (float));
  expect_refused (&assay_defense_itq, "bits=8", view, ASSAY_ERROR_DATA,
                  "bits = 8: the 30 training rows vary in 5 directions only; expected one for "
                  "each bit (are features constant, or rows duplicates?)");
}
