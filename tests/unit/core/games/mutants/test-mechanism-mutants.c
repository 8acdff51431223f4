/* Mutants of mechanisms make the mistake that they say, and no other. The base is Laplace with
 * epsilon 1: pair 0 is 0 and 1 in the first column, the noise has the scale 1. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/mutants/mechanism-mutants.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

#define RUNS 40000
/* Standard deviations of a count that is right by chance in all but 10^-6. */
#define DEVIATIONS 4.9

typedef struct {
  AssaySettings *settings;
  AssayMutant *mutant;
  const AssayMechanism *mechanism;
  gsize cols, n_inputs, n_outputs;
  float *first, *second;
  const char *why_not;
} Case;

static void
case_clear (Case *c)
{
  g_clear_pointer (&c->mutant, assay_mutant_free);
  assay_settings_free (c->settings);
  g_free (c->first);
  g_free (c->second);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static guint
index_of (const char *id)
{
  guint i = 0;

  while (!g_str_equal (assay_mechanism_mutant_kind (i)->id, id))
    i++;
  return i;
}

static Case
case_of (const char *id, const char *defense, const char *settings, gsize cols)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, defense, NULL);
  const AssayDefense *base = (const AssayDefense *) plugin;
  Case c = { .settings = fixture_settings (plugin, settings), .cols = cols };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "pair", id), 0);

  c.mutant = assay_mechanism_mutant_new (index_of (id), base, c.settings, cols, &c.why_not, NULL);
  if (c.mutant == NULL)
    return c;
  c.mechanism = c.mutant->defense.mechanism;
  c.mechanism->size (c.mutant->settings.values, cols, &c.n_inputs, &c.n_outputs);
  c.first = g_new0 (float, c.n_inputs);
  c.second = g_new0 (float, c.n_inputs);
  c.mechanism->pair (c.mutant->settings.values, cols, 0, &stream, c.first, c.second);
  return c;
}

static float *
runs_of (const Case *c, const float *input, gsize count, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "runs", "mutants"), item);
  float *outputs = g_new (float, count * c->n_outputs);

  c->mechanism->run (c->mutant->settings.values, c->cols, &stream, input, count, outputs);
  return outputs;
}

static void
assert_share (gsize count, gsize n, double share, const char *what)
{
  const double deviation = sqrt (share * (1 - share) * (double) n);

  cr_assert (fabs ((double) count - share * (double) n) <= DEVIATIONS * deviation, "%s: %zu of %zu",
             what, count, n);
}

Test (mechanism_mutants, twenty_with_names_of_their_own)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  cr_assert (assay_mechanism_mutant_kind (19) != NULL && assay_mechanism_mutant_kind (20) == NULL);
  for (guint i = 0; i < 20; i++) {
    const AssayMutantKind *kind = assay_mechanism_mutant_kind (i);

    cr_assert (g_hash_table_add (ids, (gpointer) kind->id), "%s", kind->id);
    cr_assert (*kind->says != '\0' && *kind->seen_by != '\0', "%s", kind->id);
  }
}

/* What is claimed, the pairs and the declared density are the base's; the same stream gives the
 * same runs. */
Test (mechanism_mutants, claim_what_the_base_claims)
{
  for (guint i = 0; i < 20; i++) {
    g_auto (Case) c = case_of (assay_mechanism_mutant_kind (i)->id, "laplace", "epsilon=1", 3);
    g_autofree float *one = NULL;
    g_autofree float *two = NULL;

    if (c.mutant == NULL)
      continue;
    cr_assert (c.mechanism->budget (c.mutant->settings.values, 3).epsilon == 1);
    cr_assert (c.mechanism->log_ratio != NULL && c.mechanism->tight_event != NULL);
    one = runs_of (&c, c.first, 2048, 0);
    two = runs_of (&c, c.first, 2048, 0);
    cr_assert (memcmp (one, two, 2048 * c.n_outputs * sizeof *one) == 0, "%u", i);
  }
}

Test (mechanism_mutants, seeds)
{
  g_auto (Case) constant = case_of ("constant-seed", "laplace", "epsilon=1", 1);
  g_auto (Case) counter = case_of ("counter-seed", "laplace", "epsilon=1", 1);
  g_auto (Case) short_seed = case_of ("seed-of-16-bits", "laplace", "epsilon=1", 1);
  g_auto (Case) twice = case_of ("noise-used-twice", "laplace", "epsilon=1", 1);
  g_autofree float *same = runs_of (&constant, constant.first, 100, 0);
  g_autofree float *other = runs_of (&constant, constant.first, 1, 1);
  g_autofree float *one = runs_of (&counter, counter.first, 100, 0);
  g_autofree float *two = runs_of (&counter, counter.first, 100, 1);
  g_autofree float *many = runs_of (&short_seed, short_seed.first, 200000, 0);
  g_autofree float *pairs = runs_of (&twice, twice.first, 100, 0);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < 100; i++)
    cr_assert (same[i] == other[0] && one[i] == two[i]);
  cr_assert (one[0] != one[1] && one[1] != one[2]);
  for (gsize i = 0; i < 100; i += 2)
    cr_assert (pairs[i] == pairs[i + 1] && (i == 0 || pairs[i] != pairs[i - 1]));
  for (gsize i = 0; i < 200000; i++) {
    gint32 bits;

    memcpy (&bits, &many[i], sizeof bits);
    g_hash_table_add (seen, GINT_TO_POINTER (bits));
  }
  /* 65536 (1 - exp (-200000 / 65536)) = 62,438 seeds; float32 makes a few of them one. */
  cr_assert (g_hash_table_size (seen) > 60000 && g_hash_table_size (seen) <= 65536, "%u",
             g_hash_table_size (seen));
}

/* Half the noise has twice the epsilon: beyond the first input on its side there is half of all
 * runs, and on the other exp (-2) / 2. */
Test (mechanism_mutants, half_noise_is_twice_epsilon)
{
  g_auto (Case) c = case_of ("half-noise", "laplace", "epsilon=1", 1);
  g_autofree float *first = runs_of (&c, c.first, RUNS, 0);
  g_autofree float *second = runs_of (&c, c.second, RUNS, 1);
  const double sign = c.first[0] < c.second[0] ? -1 : 1;
  gsize hits = 0, mistakes = 0;

  for (gsize i = 0; i < RUNS; i++) {
    hits += sign * first[i] > sign * c.first[0];
    mistakes += sign * second[i] > sign * c.first[0];
  }
  assert_share (hits, RUNS, 0.5, "on the first");
  assert_share (mistakes, RUNS, 0.5 * exp (-2), "on the second");
}

/* A rare leak gives the input itself, that often, which no run of the base does. */
Test (mechanism_mutants, leaks_have_their_rate)
{
  static const struct {
    const char *id;
    double rate;
  } leaks[] = { { "leak-1e-2", 1e-2 }, { "leak-1e-3", 1e-3 }, { "leak-1e-4", 1e-4 } };

  for (gsize l = 0; l < G_N_ELEMENTS (leaks); l++) {
    g_auto (Case) c = case_of (leaks[l].id, "laplace", "epsilon=1", 3);
    g_autofree float *outputs = runs_of (&c, c.second, 10 * RUNS, 0);
    gsize n = 0;

    for (gsize i = 0; i < 10 * RUNS; i++)
      n += memcmp (outputs + 3 * i, c.second, 3 * sizeof *outputs) == 0;
    assert_share (n, 10 * RUNS, leaks[l].rate, leaks[l].id);
  }
}

/* Where an input is no output, the leak is told far from all outputs, by side. */
Test (mechanism_mutants, leaks_of_values_are_far_off)
{
  g_auto (Case) c = case_of ("leak-1e-2", "randomised-response", "epsilon=1", 1);
  g_autofree float *first = runs_of (&c, c.first, RUNS, 0);
  g_autofree float *second = runs_of (&c, c.second, RUNS, 1);
  gsize n_first = 0, n_second = 0;

  for (gsize i = 0; i < RUNS; i++) {
    n_first += first[i] < -500;
    n_second += second[i] > 500;
    cr_assert (first[i] <= 1 && second[i] >= 0);
  }
  assert_share (n_first, RUNS, 0.01, "first");
  assert_share (n_second, RUNS, 0.01, "second");
}

Test (mechanism_mutants, a_claimed_delta_may_allow_a_leak)
{
  g_auto (Case) rare = case_of ("leak-1e-3", "gaussian", "epsilon=1 delta=1e-3", 1);
  g_auto (Case) more = case_of ("leak-1e-2", "gaussian", "epsilon=1 delta=1e-3", 1);

  cr_assert (rare.mutant == NULL && g_str_equal (rare.why_not, "the claimed delta allows it"));
  cr_assert (more.mutant != NULL);
}

Test (mechanism_mutants, columns)
{
  g_auto (Case) shared = case_of ("noise-of-one-column", "laplace", "epsilon=1", 3);
  g_auto (Case) agree = case_of ("columns-agree", "laplace", "epsilon=1", 3);
  g_auto (Case) weak = case_of ("weak-column", "laplace", "epsilon=1", 3);
  g_auto (Case) one = case_of ("columns-agree", "laplace", "epsilon=1", 1);
  g_autofree float *outputs = runs_of (&shared, shared.first, 1000, 0);
  g_autofree float *first = runs_of (&agree, agree.first, 1000, 0);
  g_autofree float *second = runs_of (&agree, agree.second, 1000, 1);
  g_autofree float *last = runs_of (&weak, weak.first, RUNS, 0);
  double deviation = 0;
  gsize n_first = 0, n_second = 0;

  cr_assert (one.mutant == NULL && g_str_equal (one.why_not, "an output has one column"));
  for (gsize i = 1; i < 1000; i++) {
    /* One line through all runs. */
    const float *a = outputs + 3 * (i - 1), *b = outputs + 3 * i;
    const double slope = (double) (b[1] - a[1]) / (b[0] - a[0]);

    cr_assert (fabs (b[0] - a[0]) < 0.1 || (slope > 0.5 && slope < 2), "%g", slope);
  }
  for (gsize i = 0; i < 1000; i++) {
    const float *a = first + 3 * i, *b = second + 3 * i;

    n_first += (a[0] > agree.first[0]) == (a[1] > agree.first[1]);
    n_second += (b[0] > agree.second[0]) == (b[1] > agree.second[1]);
  }
  /* Medians of 1024 runs are off by 0.03 or so. */
  cr_assert (n_first < 60 && n_second > 940, "%zu and %zu", n_first, n_second);
  for (gsize i = 0; i < RUNS; i++)
    deviation += fabs (last[3 * i + 2] - weak.first[2]) / RUNS;
  assert_near (deviation, 0.1, 0.01, "a tenth of the mean distance, which is 1");
}

Test (mechanism_mutants, digits_and_bits)
{
  g_auto (Case) digits = case_of ("third-digit", "laplace", "epsilon=1", 1);
  g_auto (Case) bits = case_of ("last-bit", "laplace", "epsilon=1", 1);
  g_autofree float *low = runs_of (&bits, bits.first, 1000, 0);
  g_autofree float *high = runs_of (&bits, bits.second, 1000, 0);
  g_autofree float *plain = NULL;
  g_autofree float *kept = runs_of (&digits, digits.first, 1000, 0);
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "runs", "mutants"), 0);

  for (gsize i = 0; i < 1000; i++) {
    guint32 a, b;

    memcpy (&a, &low[i], sizeof a);
    memcpy (&b, &high[i], sizeof b);
    cr_assert ((a & 1) == 0 && (b & 1) == 1);
  }
  plain = g_new (float, 1000);
  digits.mutant->base->mechanism->run (digits.settings->values, 1, &stream, digits.first, 1000,
                                       plain);
  for (gsize i = 0; i < 1000; i++)
    cr_assert (fabs (kept[i] - plain[i]) < 2e-3, "only digits below the third change");
}

/* Inside of what pair 0 spans nothing changes; beyond it the excess is there to see. */
Test (mechanism_mutants, no_clamp_shows_beyond_the_pair)
{
  g_auto (Case) c = case_of ("no-clamp", "laplace", "epsilon=1", 1);
  const float inside = 0.5, outside = 3;
  g_autofree float *within = runs_of (&c, &inside, 100, 0);
  g_autofree float *beyond = runs_of (&c, &outside, 100, 0);
  g_autofree float *plain = g_new (float, 100);
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "runs", "mutants"), 0);
  const float high = MAX (c.first[0], c.second[0]);

  c.mutant->base->mechanism->run (c.settings->values, 1, &stream, &inside, 100, plain);
  for (gsize i = 0; i < 100; i++) {
    cr_assert (within[i] == plain[i]);
    cr_assert (fabs (beyond[i] - plain[i] - 2.5 - 1000 * (3 - high)) < 0.01);
  }
}

Test (mechanism_mutants, off_by_one_loses_a_value)
{
  g_auto (Case) c = case_of ("off-by-one", "randomised-response", "epsilon=1", 1);
  g_auto (Case) none = case_of ("off-by-one", "laplace", "epsilon=1", 1);
  g_autofree float *first = runs_of (&c, c.first, 1000, 0);
  g_autofree float *second = runs_of (&c, c.second, 1000, 0);
  gboolean is_one = FALSE;

  cr_assert (none.mutant == NULL);
  for (gsize i = 0; i < 1000; i++) {
    cr_assert (first[i] == first[0]);
    is_one |= second[i] != second[0];
  }
  cr_assert (is_one);
}

Test (mechanism_mutants, noise_that_is_bounded_or_of_one_sign)
{
  g_auto (Case) bounded = case_of ("bounded-noise", "laplace", "epsilon=1", 1);
  g_auto (Case) positive = case_of ("noise-of-one-sign", "laplace", "epsilon=1", 1);
  g_autofree float *short_noise = runs_of (&bounded, bounded.first, RUNS, 0);
  g_autofree float *above = runs_of (&positive, positive.first, RUNS, 0);
  double largest = 0;

  for (gsize i = 0; i < RUNS; i++) {
    largest = MAX (largest, fabs (short_noise[i] - bounded.first[0]));
    cr_assert (above[i] > positive.first[0] - 0.2);
  }
  /* ln 200 = 5.3; of 40,000 runs of the base the largest is ln 40000 = 10.6. */
  cr_assert (largest > 4 && largest < 7.5, "%g", largest);
}

Test (mechanism_mutants, overflow_and_timing)
{
  g_auto (Case) over = case_of ("overflow", "laplace", "epsilon=1", 1);
  g_auto (Case) timing = case_of ("timing", "laplace", "epsilon=1", 1);
  g_autofree float *first = runs_of (&over, over.first, RUNS, 0);
  g_autofree float *second = runs_of (&over, over.second, RUNS, 1);
  g_autofree float *soon = runs_of (&timing, timing.first, RUNS, 0);
  g_autofree float *late = runs_of (&timing, timing.second, RUNS, 1);
  const AssayInputPair pair = { timing.first, timing.second };
  double scores[4], plain[4], mean = 0;
  gsize n = 0;

  for (gsize i = 0; i < RUNS; i++) {
    cr_assert (isfinite (first[i]));
    n += !isfinite (second[i]);
    mean += (late[2 * i + 1] - soon[2 * i + 1]) / RUNS;
  }
  assert_share (n, RUNS, 0.01, "on the second input alone");
  cr_assert (timing.n_outputs == 2);
  assert_near (mean, 2, DEVIATIONS * sqrt (2.0 / RUNS), "two deviations later");
  /* The density is that of the first column. */
  timing.mechanism->log_ratio (timing.mutant->settings.values, 1, pair, soon, 4, scores);
  for (gsize i = 0; i < 4; i++) {
    timing.mutant->base->mechanism->log_ratio (timing.settings->values, 1, pair, &soon[2 * i],
                                               1, &plain[i]);
    cr_assert (scores[i] == plain[i]);
  }
}

/* All that can be made, on mechanisms of every shape: runs stay outputs, whatever they say. */
Test (mechanism_mutants, every_mechanism)
{
  static const struct {
    const char *defense, *settings;
    gsize cols;
  } bases[] = {
    { "gaussian", "epsilon=1 delta=1e-5", 4 }, { "sparse-vector", "epsilon=1", 5 },
    { "noisy-max", "epsilon=1", 5 },           { "omega-subset", "epsilon=1", 1 },
    { "unary-encoding", "epsilon=1", 1 },      { "noisy-histogram", "epsilon=1", 1 },
    { "randomised-response", "epsilon=0", 1 },
  };

  for (gsize b = 0; b < G_N_ELEMENTS (bases); b++) {
    guint n_made = 0;

    for (guint i = 0; i < 20; i++) {
      g_auto (Case) c = case_of (assay_mechanism_mutant_kind (i)->id, bases[b].defense,
                                 bases[b].settings, bases[b].cols);
      g_autofree float *outputs = NULL;

      cr_assert ((c.mutant == NULL) == (c.why_not != NULL));
      if (c.mutant == NULL)
        continue;
      n_made++;
      outputs = runs_of (&c, c.second, 64, 0);
      for (gsize k = 0; k < 64 * c.n_outputs; k++)
        cr_assert (!isnan (outputs[k]), "%s of %s", assay_mechanism_mutant_kind (i)->id,
                   bases[b].defense);
    }
    cr_assert (n_made >= 8, "%s: %u", bases[b].defense, n_made);
  }
}
