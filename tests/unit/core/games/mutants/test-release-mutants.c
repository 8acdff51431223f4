/* Mutants of releases make the mistake that they say. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/mutants/release-mutants.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

#define N 2000
#define COLS 8

typedef struct {
  AssaySettings *settings;
  AssayMutant *mutant;
  AssayRelease *release, *plain; /* of the mutant, and of the base with the same stream */
  AssayTruth *truth, *plain_truth;
  const float *secrets, *rows, *before;
} Case;

static void
case_clear (Case *c)
{
  g_clear_pointer (&c->mutant, assay_mutant_free);
  assay_settings_free (c->settings);
  assay_release_free (c->release);
  assay_release_free (c->plain);
  assay_truth_free (c->truth);
  assay_truth_free (c->plain_truth);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static guint
index_of (const char *id)
{
  guint i = 0;

  while (!g_str_equal (assay_release_mutant_kind (i)->id, id))
    i++;
  return i;
}

/* Normal numbers; secret 7 is that of number 3 again. */
static AssayMatrix *
make_secrets (void)
{
  AssayMatrix *secrets = assay_matrix_new (N, COLS, NULL);

  for (gsize i = 0; i < N; i++) {
    AssayStream stream = assay_stream (assay_stream_key (1, 0, "secrets", "mutants"), i);

    for (gsize c = 0; c < COLS; c++)
      secrets->data[i * COLS + c] = (float) assay_stream_normal (&stream);
  }
  memcpy (secrets->data + (gsize) 7 * COLS, secrets->data + (gsize) 3 * COLS,
          COLS * sizeof (float));
  return secrets;
}

static Case
case_of (const char *id)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "additive-noise", NULL);
  const AssayDefense *base = (const AssayDefense *) plugin;
  const AssayStreamKey key = assay_stream_key (1, 0, "defense", "mutants");
  const AssayKnowledge nothing = { 0 };
  Case c = { .settings = fixture_settings (plugin, "share=0.5") };
  AssayProtecting how
      = { .settings = c.settings, .stream = key, .common = key, .knowledge = &nothing };
  g_autoptr (AssayMatrix) matrix = make_secrets ();
  const AssaySecrets secrets = { .rows = assay_matrix_view (matrix) };
  const char *why_not;

  c.mutant = assay_release_mutant_new (index_of (id), base, c.settings, &why_not);
  cr_assert (c.mutant != NULL && why_not == NULL, "%s", id);
  cr_assert (assay_step_protect (base, &how, &secrets, &c.plain, &c.plain_truth, NULL));
  how.settings = &c.mutant->settings;
  cr_assert (
      assay_step_protect (&c.mutant->defense, &how, &secrets, &c.release, &c.truth, NULL));
  c.secrets = assay_array_view (assay_arrays_get (&c.truth->arrays, "secrets")).data;
  c.rows = assay_array_view (assay_arrays_get (&c.release->arrays, "vectors")).data;
  c.before = assay_array_view (assay_arrays_get (&c.plain->arrays, "vectors")).data;
  return c;
}

static gboolean
is_copied (const Case *c, gsize i)
{
  return memcmp (c->rows + i * COLS, c->secrets + i * COLS, COLS * sizeof (float)) == 0;
}

static gboolean
is_as_before (const Case *c, gsize i)
{
  return memcmp (c->rows + i * COLS, c->before + i * COLS, COLS * sizeof (float)) == 0;
}

Test (release_mutants, twenty_with_names_of_their_own)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  cr_assert (assay_release_mutant_kind (19) != NULL && assay_release_mutant_kind (20) == NULL);
  for (guint i = 0; i < 20; i++) {
    const AssayMutantKind *kind = assay_release_mutant_kind (i);

    cr_assert (g_hash_table_add (ids, (gpointer) kind->id), "%s", kind->id);
    cr_assert (*kind->says != '\0' && *kind->seen_by != '\0', "%s", kind->id);
  }
}

/* So many secrets are copied, and the others are as they were. */
Test (release_mutants, copies)
{
  static const struct {
    const char *id;
    double rate;
  } copies[]
      = { { "copied-1-in-1000", 1e-3 }, { "copied-1-in-100", 1e-2 }, { "copied-1-in-10", 0.1 } };

  for (gsize k = 0; k < G_N_ELEMENTS (copies); k++) {
    g_auto (Case) c = case_of (copies[k].id);
    const double expected = copies[k].rate * N;
    gsize n = 0;

    for (gsize i = 0; i < N; i++) {
      n += is_copied (&c, i);
      cr_assert (is_copied (&c, i) || is_as_before (&c, i));
    }
    cr_assert (n == (gsize) g_atomic_int_get (&c.mutant->n_changed));
    cr_assert (fabs ((double) n - expected) <= 4.9 * sqrt (expected) && (n > 0 || k == 0),
               "%s: %zu", copies[k].id, n);
  }
}

Test (release_mutants, less_noise)
{
  g_auto (Case) half = case_of ("half-noise");
  g_auto (Case) tenth = case_of ("tenth-of-noise");

  for (gsize i = 0; i < N * COLS; i++) {
    const double noise = half.before[i] - half.secrets[i];

    assert_near (half.rows[i] - half.secrets[i], noise / 2, 1e-5, "half");
    assert_near (tenth.rows[i] - tenth.secrets[i], noise / 10, 1e-5, "a tenth");
  }
}

static double
norm_of (const float *row)
{
  double square = 0;

  for (gsize c = 0; c < COLS; c++)
    square += (double) row[c] * row[c];
  return sqrt (square);
}

static double
mean_of (const float *row)
{
  double sum = 0;

  for (gsize c = 0; c < COLS; c++)
    sum += row[c] / (double) COLS;
  return sum;
}

Test (release_mutants, some_secrets)
{
  g_auto (Case) some = case_of ("some-unprotected");
  g_auto (Case) outliers = case_of ("outliers-unprotected");
  double shortest = G_MAXDOUBLE;
  gsize n = 0, n_longer = 0;

  for (gsize i = 0; i < N; i++) {
    n += is_copied (&some, i);
    if (is_copied (&outliers, i))
      shortest = MIN (shortest, norm_of (outliers.secrets + i * COLS));
  }
  for (gsize i = 0; i < N; i++) {
    const gboolean is_longer = norm_of (outliers.secrets + i * COLS) >= shortest;

    n_longer += is_longer;
    cr_assert (is_longer == is_copied (&outliers, i));
  }
  cr_assert (n == N / 2 && n_longer == N / 20, "%zu and %zu", n, n_longer);
}

Test (release_mutants, what_of_a_row_is_kept)
{
  g_auto (Case) column = case_of ("column-kept");
  g_auto (Case) half = case_of ("half-of-columns-kept");
  g_auto (Case) pairs = case_of ("differences-kept");
  g_auto (Case) signs = case_of ("sign-kept");
  g_auto (Case) means = case_of ("mean-kept");
  g_auto (Case) norms = case_of ("norm-kept");
  g_auto (Case) beside = case_of ("norm-beside");

  for (gsize i = 0; i < N; i++)
    for (gsize c = 0; c < COLS; c++) {
      const gsize at = i * COLS + c;
      const float *secret = column.secrets + i * COLS;

      cr_assert (column.rows[at] == (c == 0 ? secret[c] : column.before[at]));
      cr_assert (half.rows[at] == (c % 2 == 0 ? secret[c] : half.before[at]));
      if (c % 2 == 1)
        assert_near (pairs.rows[at] - pairs.rows[at - 1], secret[c] - secret[c - 1], 1e-5, "pairs");
      cr_assert (signbit (signs.rows[at]) == signbit (secret[c])
                 && fabsf (signs.rows[at]) == fabsf (signs.before[at]));
      assert_near (mean_of (means.rows + i * COLS), mean_of (secret), 1e-5, "mean");
      assert_near (norm_of (norms.rows + i * COLS), norm_of (secret), 1e-4, "norm");
      if (c == COLS - 1)
        assert_near (beside.rows[at], norm_of (secret), 1e-5, "norm beside");
    }
}

Test (release_mutants, order_and_digits)
{
  g_auto (Case) order = case_of ("order-kept");
  g_auto (Case) digits = case_of ("low-digits");

  for (gsize i = 0; i < N; i++) {
    const float *secret = order.secrets + i * COLS;
    const float *row = order.rows + i * COLS;
    const double unit = 1e-3 * norm_of (secret) / sqrt (COLS);

    for (gsize a = 0; a < COLS; a++) {
      const float *kept = digits.rows + i * COLS;
      const double rest = kept[a] / unit - secret[a] / unit;

      for (gsize b = 0; b < COLS; b++)
        cr_assert (secret[a] >= secret[b] || row[a] <= row[b]);
      assert_near (rest, round (rest), 2e-3, "the digits below are the secret's");
      cr_assert (fabs (kept[a] - digits.before[i * COLS + a]) <= unit * 1.001);
    }
  }
}

Test (release_mutants, what_is_shared)
{
  g_auto (Case) duplicates = case_of ("duplicates-shown");
  g_auto (Case) first = case_of ("noise-of-first");

  cr_assert (memcmp (duplicates.rows + (gsize) 7 * COLS, duplicates.rows + (gsize) 3 * COLS,
                     COLS * sizeof (float))
             == 0);
  cr_assert (g_atomic_int_get (&duplicates.mutant->n_changed) == 1);
  for (gsize i = 0; i < N * COLS; i++)
    assert_near (first.rows[i] - first.secrets[i], first.rows[i % COLS] - first.secrets[i % COLS],
                 1e-5, "the same noise");
}

/* Streams that differ beyond 16 bits are one; with a constant seed all are. */
Test (release_mutants, seeds)
{
  static const char *const ids[] = { "seed-of-16-bits", "constant-seed" };
  const AssayKnowledge nothing = { 0 };

  for (gsize k = 0; k < G_N_ELEMENTS (ids); k++) {
    g_auto (Case) c = case_of (ids[k]);
    g_autoptr (AssayMatrix) matrix = make_secrets ();
    const AssaySecrets secrets = { .rows = assay_matrix_view (matrix) };
    const AssayStreamKey low = { { 5, 1 } }, high = { { 5 + (k + 1) * 65536, 9 } };
    const AssayProtecting same
        = { &c.mutant->settings, .stream = low, .common = low, .knowledge = &nothing };
    const AssayProtecting other
        = { &c.mutant->settings, .stream = high, .common = high, .knowledge = &nothing };
    g_autoptr (AssayRelease) one = NULL;
    g_autoptr (AssayRelease) two = NULL;
    g_autoptr (AssayTruth) truth = NULL;
    g_autoptr (AssayTruth) again = NULL;

    cr_assert (assay_step_protect (&c.mutant->defense, &same, &secrets, &one, &truth, NULL));
    cr_assert (assay_step_protect (&c.mutant->defense, &other, &secrets, &two, &again, NULL));
    cr_assert (memcmp (assay_arrays_get (&one->arrays, "vectors")->data,
                       assay_arrays_get (&two->arrays, "vectors")->data, N * COLS * sizeof (float))
               == 0);
  }
}

Test (release_mutants, what_has_no_item_for_each_secret)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "noisy-histogram", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, "");
  const char *why_not = NULL;

  for (guint i = 0; i < 18; i++) {
    cr_assert (assay_release_mutant_new (i, (const AssayDefense *) plugin, settings, &why_not)
               == NULL);
    cr_assert (why_not != NULL && *why_not != '\0');
  }
}
