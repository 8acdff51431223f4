/* Sets of one photograph, read together: set-guess with rule = together. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/sets/set-photographs.h"
#include "core/data/kinds/vector-sets.h"
#include "core/games/control.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayAttack assay_attack_set_guess;

static AssayObservation
observe (const AssayControlCase *c)
{
  return (AssayObservation){ .release = c->release,
                             .public_rows = c->public_rows,
                             .groups = c->groups,
                             .public_groups = c->public_groups };
}

static double
share_found (const char *assignments, const AssayObservation *seen, const AssayControlCase *c)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_set_guess.plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = (AssayStreamKey){ { 1, 2 } } };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;
  AssayView found, truth = assay_array_view (assay_arrays_get (&c->truth->arrays, "secrets"));
  gsize n = 0;

  cr_assert (assay_attack_set_guess.attack (&context, seen, guess, &error), "%s",
             error != NULL ? error->message : "");
  found = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  for (gsize i = 0; i < truth.rows; i++)
    n += memcmp (assay_view_row (found, i), assay_view_row (truth, i), truth.cols * sizeof (float))
         == 0;
  return (double) n / (double) truth.rows;
}

/* Photographs whose words are all as frequent and as near to public rows as any: by these alone one
 * member in eight is found; by which stand together all; where the public rows' photographs are not
 * known, by words that recur in the photograph itself, some. */
Test (set_photographs, words_that_stand_together_tell_what_words_alone_do_not)
{
  enum { SEEDS = 12 };
  double alone = 0, unknown = 0;

  for (guint64 seed = 0; seed < SEEDS; seed++) {
    AssayControlCase c = { 0 };
    AssayObservation seen;

    cr_assert (set_photographs_control ((AssayStreamKey){ { seed, 7 } }, &c, NULL));
    seen = observe (&c);
    cr_assert (share_found ("rule=together", &seen, &c) == 1, "seed %d", (int) seed);
    cr_assert (share_found ("rule=together prior=mass", &seen, &c) == 1, "seed %d", (int) seed);
    alone += share_found ("", &seen, &c) / SEEDS;
    seen.public_groups = NULL;
    unknown += share_found ("rule=together prior=mass", &seen, &c) / SEEDS;
    assay_control_case_clear (&c);
  }
  /* The first 4.9 deviations of a share of 384, the second as measured. */
  assert_near (alone, 1.0 / 8, 4.9 * sqrt (7.0 / 64 / (32 * SEEDS)), "by words alone");
  cr_assert (unknown > 0.5 && unknown < 1, "by words that recur: %g", unknown);
}

/* ---- The formulas of the header comment again, over all entries and photographs at once ---- */

enum { K = 12, Q = 5, W = 3, GROUPS = 2, PUBLIC = 40, WORLD = Q * GROUPS };

typedef struct {
  double topics[3][K]; /* all rows, and two photographs */
  double base[K], share[3], r[Q][K], s[Q][K];
} Naive;

static void
naive_round (Naive *naive, const gint64 *sets, double odds)
{
  double before[Q][K], next[3] = { 1e-3, 1e-3, 1e-3 };

  memcpy (before, naive->r, sizeof before);
  memset (naive->r, 0, sizeof naive->r);
  for (gsize z = 0; z < K; z++) {
    naive->base[z] = 0;
    for (gsize t = 0; t < 3; t++)
      naive->base[z] += naive->share[t] * naive->topics[t][z];
  }
  for (gsize i = 0; i < Q; i++) {
    double within = 0;

    for (gsize z = 0; z < K; z++) {
      naive->s[i][z] = 3000 * naive->base[z];
      for (gsize j = 0; j < Q; j++)
        naive->s[i][z] += j != i ? before[j][z] : 0;
      naive->s[i][z] /= Q - 1 + 3000;
    }
    for (gsize j = 0; j < W; j++)
      within += naive->s[i][sets[i * W + j]];
    for (gsize j = 0; j < W; j++) {
      const gint64 z = sets[i * W + j];

      naive->r[i][z] = odds * naive->s[i][z] / (odds * within + 1 - within);
      for (gsize t = 0; t < 3; t++)
        next[t] += naive->r[i][z] * naive->share[t] * naive->topics[t][z] / naive->base[z];
    }
  }
  for (gsize t = 0; t < 3; t++)
    naive->share[t] = next[t] / (next[0] + next[1] + next[2]);
}

static void
naive_topics (Naive *naive, const gint64 *words, const gint64 *groups)
{
  double counts[3][K] = { { 0 } }, sizes[3] = { 0 };

  for (gsize i = 0; i < PUBLIC; i++) {
    const gsize group = groups[i] == 900 ? 1 : 2;

    counts[0][words[i]]++;
    counts[group][words[i]]++;
    sizes[0]++;
    sizes[group]++;
  }
  for (gsize t = 0; t < 3; t++)
    for (gsize z = 0; z < K; z++) {
      naive->topics[t][z] = (counts[0][z] + 1) / (PUBLIC + K);
      if (t > 0)
        naive->topics[t][z] = (counts[t][z] + 200 * naive->topics[t][z]) / (sizes[t] + 200);
      naive->share[t] = 1.0 / 3;
    }
}

/* Two photographs whose secrets alternate, and public rows of two that do. */
Test (set_photographs, lifts_are_those_of_the_formulas)
{
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "test");
  g_autoptr (AssayMatrix) dictionary = assay_matrix_new (K, K, NULL);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (PUBLIC, K, NULL);
  g_autoptr (AssayRows) public_rows = NULL;
  g_autofree double *lifts = NULL;
  gint64 *sets = g_new (gint64, WORLD * W);
  gint64 groups[WORLD], public_groups[PUBLIC], words[PUBLIC];
  AssayObservation seen = { .release = release, .groups = groups, .public_groups = public_groups };
  VectorSets view;

  for (gsize z = 0; z < K; z++)
    assay_matrix_row (dictionary, z)[z] = 1;
  for (gsize i = 0; i < PUBLIC; i++) {
    public_groups[i] = i % 2 ? 900 : -3;
    words[i] = (gint64) (i % 2 ? i * i % K : (i / 3) % 5);
    assay_matrix_row (rows, i)[words[i]] = 1;
  }
  for (gsize i = 0; i < WORLD * W; i++)
    sets[i] = (gint64) ((i / W * 5 + i % W * (1 + i / 7 % 3)) % K);
  for (gsize i = 0; i < WORLD; i++)
    groups[i] = i % 2 ? 4 : 77;
  assay_arrays_take_rows (&release->arrays, "sets", ASSAY_INT64, WORLD, W, sets);
  assay_arrays_take_matrix (&release->arrays, "dictionary", &dictionary);
  ASSAY_SET_PARAMETER (release, AssayVectorSetsParameters, epsilon, 2.5);
  public_rows = fixture_rows (rows);
  seen.public_rows = public_rows;
  view = vector_sets_of (release);
  lifts = set_photographs_lifts (&view, &seen, NULL);
  cr_assert (lifts != NULL);
  for (gsize g = 0; g < GROUPS; g++) {
    Naive naive = { 0 };
    gint64 own[Q * W];

    for (gsize i = 0; i < Q; i++)
      memcpy (own + i * W, sets + (2 * i + g) * W, W * sizeof (gint64));
    naive_topics (&naive, words, public_groups);
    for (guint round = 0; round < 30; round++)
      naive_round (&naive, own, exp (2.5));
    for (gsize i = 0; i < Q; i++)
      for (gsize j = 0; j < W; j++) {
        const gint64 z = own[i * W + j];

        assert_near (lifts[(2 * i + g) * W + j], naive.s[i][z] / naive.topics[0][z], 1e-9,
                     "photograph %zu, set %zu, member %zu", g, i, j);
      }
  }
}

/* What it is not granted it says, and does not do without. */
Test (set_photographs, wants_groups_and_public_rows)
{
  AssayControlCase c = { 0 };
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_set_guess.plugin, "rule=together");

  cr_assert (set_photographs_control ((AssayStreamKey){ { 1, 7 } }, &c, NULL));
  for (guint i = 0; i < 2; i++) {
    const AssayKnowledge knowledge
        = { .public_rows = c.public_rows, .public_groups = c.public_groups };
    g_autoptr (GError) error = NULL;
    AssayGuess *guess = NULL;

    cr_assert (!assay_step_attack (
        &assay_attack_set_guess, settings, (AssayStreamKey){ { 1, 2 } },
        &(AssayGranted){ .release = c.release,
                         .grants = i == 0 ? ASSAY_GRANT_PUBLIC : ASSAY_GRANT_GROUPS,
                         .groups = c.groups,
                         .knowledge = &knowledge },
        &guess, &error));
    cr_assert (g_str_has_suffix (error->message,
                                 i == 0 ? "expected grants = public; groups, found no groups"
                                        : "expected grants = public; groups, found no public rows"),
               "%s", error->message);
  }
  assay_control_case_clear (&c);
}
