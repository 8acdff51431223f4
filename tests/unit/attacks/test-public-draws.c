/* Public images in the order in which NumPy 1.24, Python 3.11 and PyTorch 1.13 draw them, and the
 * attack that finds the seed of a choice by the mixtures that were made with it. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/generators/known-dealing.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control-case.h"
#include "core/plugin/registry.h"

extern const AssayAttack assay_attack_weak_seed;

/* ---- Draws ---- */

/* Of 1,000 public images two for each of four mixtures, after seed 7; three weights, none above
 * one half. */
typedef struct {
  KnownGenerator generator;
  Dealing dealing;
  guint32 drawn[8];
} Printed;

static const Printed printed[] = {
  /* randint (0, 1000, 8) */
  { KNOWN_NUMPY_SEED, { .method = DEAL_EACH }, { 175, 196, 537, 502, 579, 211, 919, 615 } },
  { KNOWN_NUMPY_RNG, { .method = DEAL_EACH }, { 944, 625, 684, 897, 578, 775, 833, 225 } },
  { KNOWN_PYTHON, { .method = DEAL_EACH }, { 331, 970, 154, 404, 666, 49, 74, 840 } },
  { KNOWN_TORCH, { .method = DEAL_EACH }, { 615, 892, 721, 286, 283, 347, 287, 279 } },
  /* permutation (1000), shuffle */
  { KNOWN_NUMPY_SEED, { .method = DEAL_DECK }, { 778, 334, 271, 802, 216, 408, 812, 94 } },
  { KNOWN_NUMPY_RNG, { .method = DEAL_DECK }, { 816, 923, 151, 900, 213, 100, 851, 503 } },
  { KNOWN_PYTHON, { .method = DEAL_DECK }, { 878, 857, 349, 313, 382, 850, 927, 194 } },
  /* normal (size = 3) until none is above one half of the sum, then randint (0, 1000, 2) */
  { KNOWN_NUMPY_SEED, { DEAL_EACH, DEAL_BEFORE, TRUE }, { 250, 6, 704, 400, 931, 481, 19, 923 } },
  /* choice (1000, 2, replace = False), then rand (3) */
  { KNOWN_NUMPY_SEED,
    { DEAL_DISTINCT, DEAL_AFTER, FALSE },
    { 778, 334, 754, 11, 751, 916, 667, 766 } },
  /* normal (size = (4, 3)), rows drawn anew, then randint (0, 1000, (4, 2)) */
  { KNOWN_NUMPY_SEED, { DEAL_EACH, DEAL_FIRST, TRUE }, { 286, 697, 741, 841, 989, 977, 895, 415 } },
  { KNOWN_NUMPY_RNG,
    { DEAL_DISTINCT, DEAL_BEFORE, FALSE },
    { 225, 832, 299, 478, 622, 699, 987, 441 } },
  /* sample (range (1000), 2), then three of gauss (0, 1) */
  { KNOWN_PYTHON, { DEAL_DISTINCT, DEAL_AFTER, TRUE }, { 331, 970, 374, 596, 315, 573, 64, 577 } },
  /* randperm (1000)[:2], then rand (3) */
  { KNOWN_TORCH, { DEAL_DISTINCT, DEAL_AFTER, FALSE }, { 615, 284, 838, 503, 649, 208, 644, 877 } },
};

static void
draw (const DealShape *shape, const Dealing *dealing, KnownGenerator generator, guint32 seed,
      guint32 *ret_drawn)
{
  g_autofree guint32 *room = g_new (guint32, shape->n_public);
  Dealer dealer = { .shape = shape, .dealing = *dealing, .room = room };
  KnownState seeded;

  known_generator_seed (&seeded, generator, seed);
  dealer_begin (&dealer, &seeded, seed);
  for (gsize i = 0; i < shape->n; i++)
    dealer_next (&dealer, ret_drawn + i * shape->p);
}

Test (public_draws, indices_are_those_that_programs_print)
{
  const DealShape shape = { .n = 4, .n_public = 1000, .k = 3, .p = 2, .max_coefficient = 0.5 };
  guint32 drawn[8];

  for (gsize i = 0; i < G_N_ELEMENTS (printed); i++) {
    draw (&shape, &printed[i].dealing, printed[i].generator, 7, drawn);
    for (gsize j = 0; j < 8; j++)
      cr_assert_eq (drawn[j], printed[i].drawn[j], "row %zu, number %zu: %u", i, j, drawn[j]);
  }
}

/* ---- The attack ---- */

#define N 60
#define PUBLIC 300
#define PIXELS 256
#define K 3
#define P 2

static const DealShape shape_of_all
    = { .n = N, .n_public = PUBLIC, .k = K, .p = P, .max_coefficient = 0.65 };

typedef struct {
  AssayMatrix *secrets, *images;
} Case;

static Case
make_case (void)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "images", ""), 0);

  return (Case){ assay_control_normals (N, PIXELS, &stream, NULL),
                 assay_control_normals (PUBLIC, PIXELS, &stream, NULL) };
}

static void
case_clear (Case *c)
{
  assay_matrix_free (c->secrets);
  assay_matrix_free (c->images);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* .4 of a secret, .35 and .25 of two public images; signs of our own streams. */
static AssayRelease *
mix (const Case *c, const guint32 *drawn, bool mask)
{
  static const float weights[] = { 0.4f, 0.35f, 0.25f };
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "signs", ""), 0);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "numpy");
  AssayMatrix *mixed = assay_matrix_new (N, PIXELS, NULL);

  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < PIXELS; j++) {
      float x = weights[0] * assay_matrix_row (c->secrets, i)[j];

      for (gsize q = 0; q < P; q++)
        x += weights[1 + q] * assay_matrix_row (c->images, drawn[i * P + q])[j];
      assay_matrix_row (mixed, i)[j] = mask && assay_stream_uniform (&stream) < 0.5 ? -x : x;
    }
  assay_arrays_take_matrix (&release->arrays, "images", &mixed);
  release->geometry
      = (AssayGeometry){ .height = 16, .width = 16, .channels = 1, .black = -9, .white = 9 };
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, K);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, partners, P);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient, 0.65);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, mask, mask);
  return release;
}

static AssayGuess *
play (const Case *c, const AssayRelease *release)
{
  g_autoptr (AssaySettings) settings = assay_settings_new (assay_attack_weak_seed.parameters,
                                                           assay_attack_weak_seed.settings_size);
  g_autoptr (AssayRows) rows = assay_rows_borrow (assay_matrix_view (c->images));
  AssayObservation seen = { .release = release, .public_rows = rows };
  AssayGuess *guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;

  cr_assert (assay_settings_set (settings, "seeds", "100", NULL));
  cr_assert (assay_settings_set (settings, "first_seed", "1000", NULL));
  const AssayAttackContext context = { .settings = settings->values };
  cr_assert (assay_attack_weak_seed.attack (&context, &seen, guess, &error), "%s",
             error != NULL ? error->message : "");
  return guess;
}

/* Mean squared error of what was found of secrets of variance 1. */
static double
error_of (const AssayGuess *guess, const Case *c)
{
  const float *found = (const float *) assay_arrays_get (&guess->arrays, "estimates")->data;
  double sum = 0;

  for (gsize i = 0; i < N * PIXELS; i++)
    sum += pow ((double) found[i] - (double) c->secrets->data[i], 2);
  return sum / (N * PIXELS);
}

/* Every generator and way to draw, with a mask and without one: all public images are named, and
 * without a mask the secrets come back. */
Test (public_draws, choices_are_found)
{
  static const Dealing dealings[] = { { DEAL_EACH, DEAL_BEFORE, FALSE },
                                      { DEAL_DISTINCT, DEAL_AFTER, TRUE },
                                      { DEAL_EACH, DEAL_FIRST, TRUE },
                                      { .method = DEAL_DECK } };
  g_auto (Case) c = make_case ();
  guint32 drawn[N * P];

  for (guint i = 0; i < N_KNOWN_GENERATORS * G_N_ELEMENTS (dealings); i++) {
    const Dealing *dealing = &dealings[i % G_N_ELEMENTS (dealings)];
    const KnownGenerator generator = i / G_N_ELEMENTS (dealings);
    const bool mask = i % 3 > 0;
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayGuess) guess = NULL;
    const AssayArray *named;

    if (!dealing_is_possible (dealing, generator))
      continue;
    draw (&shape_of_all, dealing, generator, 1033, drawn);
    release = mix (&c, drawn, mask);
    guess = play (&c, release);
    named = assay_arrays_get (&guess->arrays, "public-images");
    cr_assert (named != NULL, "case %u: %s", i, guess->says);
    for (gsize j = 0; j < N * P; j++)
      cr_assert_eq (assay_array_int64 (named)[j], drawn[j], "case %u: %s", i, guess->says);
    cr_assert (g_str_has_prefix (guess->says, "seed 1033 of "), "%s", guess->says);
    /* Shares by least squares of 256 pixels are off by 1 / 16 of what is mixed, or less. */
    cr_assert (mask || error_of (guess, &c) < 0.05, "case %u: %g", i, error_of (guess, &c));
  }
}

/* Choices of our own streams are not found, in 20 releases. */
Test (public_draws, nothing_is_found_where_there_is_nothing)
{
  g_auto (Case) c = make_case ();
  guint32 drawn[N * P];

  for (guint64 s = 0; s < 20; s++) {
    AssayStream stream = assay_stream (assay_stream_key (s, 0, "choice", ""), 0);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayGuess) guess = NULL;

    for (gsize j = 0; j < N * P; j++)
      drawn[j] = (guint32) assay_stream_below (&stream, PUBLIC);
    release = mix (&c, drawn, s % 2 == 0);
    guess = play (&c, release);
    cr_assert (assay_arrays_get (&guess->arrays, "public-images") == NULL, "%s", guess->says);
    cr_assert_str_eq (guess->says, "none of 100 seeds of 5 generators, of signs and of the choice "
                                   "of public images");
  }
}
