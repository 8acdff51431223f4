/* Which mixtures share a secret (InstaHide, Huang, Song, Li and Arora 2020, section 2.1).
 *
 * Release: mixtures x~, N x d. Guess: <x~_a, x~_b> for pairs of them. For independent images with
 * entries of variance 1/d it is lambda_a lambda_b on average where one secret is in both, and 0
 * where none is, with a deviation of the order of 1/sqrt(d).
 *
 * `absolute` compares |x~|, which a mask of random signs cannot change. The mean image and the
 * covariance of `centre` and `whiten` are those of the mixtures that are compared.
 *
 * Both together, `whiten` weighs down what |x~| have in common: structure that all images have, and
 * what few secrets bring in over and over. Of natural images (CIFAR-10, 50 encodings of 100 secrets
 * each, k = 4) 14.7 % of the pairs are told at 1 % false positives rather than 5.4 %. Of secrets
 * that are noise and much fewer than pixels, the covariance is nothing but their own, and the area
 * falls from 1 to 0.55. So the control of both has more secrets than pixels, and a covariance of
 * few mixtures is refused.
 *
 * All pairs are scored if these are at most `pairs`; otherwise all pairs of a random subset of the
 * mixtures, the largest whose pairs are no more. So the products stay matrix products. */
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/pair-guess.h"

/* Under absolute and whiten: of 141 mixtures. */
#define WHITENED_PAIRS 10000

typedef struct {
  bool absolute;
  bool level;
  MIXTURE_SETTINGS;
  gint64 pairs;
} InnerProductPair;

/* What is scored by. */
typedef struct {
  const InnerProductPair *settings;
  const AssayRelease *release;
} Scoring;

static gboolean
score (gpointer data, const gsize *items, gsize m, float *ret_scores, GError **error)
{
  const Scoring *scoring = data;
  const InnerProductPair *settings = scoring->settings;
  const MixtureOptions options = MIXTURE_IMAGE_OPTIONS (settings);
  g_auto (MixtureSpace) space = { 0 };
  g_autoptr (AssayMatrix) rows = pair_guess_rows (scoring->release, items, m, error);
  g_autoptr (AssayMatrix) whitened = NULL;

  return rows != NULL && mixture_space_learn (&options, rows, &space, error)
         && mixture_space_whiten (&space, rows, &whitened, error)
         && mixture_pair_products (assay_matrix_view (rows),
                                   assay_matrix_view (whitened != NULL ? whitened : rows),
                                   ret_scores, error);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const InnerProductPair *settings = context->settings;
  Scoring of = { settings, seen->release };
  const PairScoring scoring = { settings->pairs, context->stream, score, &of };

  return pair_guess_make (seen->release, &scoring, ret_guess, error);
}

/* Two secrets in each mixture, of 6 in all; more pixels where a mask leaves less to see. Under
 * absolute and whiten many secrets: of 6 the covariance would be that of themselves and their
 * products, and what mixtures share be weighed to nothing. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const InnerProductPair *settings = data;
  const MixtureControl few = { .n_secrets = 6,
                               .side = settings->absolute ? 40 : 32,
                               .n_sources = 2,
                               .n_epochs = 4,
                               .has_mask = settings->absolute };
  const MixtureControl many
      = { .n_secrets = 500, .side = 20, .n_sources = 2, .n_epochs = 3, .has_mask = TRUE };

  return mixture_control_make (settings->absolute && settings->whiten ? &many : &few, key, ret_case,
                               error);
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const InnerProductPair *settings = data;

  return !settings->absolute || !settings->whiten || settings->pairs >= WHITENED_PAIRS
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "pairs = %" G_GINT64_FORMAT
                        " under absolute and whiten: the covariance is learned from the mixtures "
                        "of these pairs; expected %d or more",
                        settings->pairs, WHITENED_PAIRS);
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const InnerProductPair *settings = data;
  const guint64 n = pair_guess_size (MAX (shape->n_released, shape->n_secrets), settings->pairs);

  return n * n / 2 * (2 * sizeof (gint64) + sizeof (float));
}

ASSAY_ATTACK (inner_product_pair, "inner-product-pair",
  .summary = "Score pairs of mixtures by their inner product, to find those that share a secret",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 2.1" },
  ASSAY_SETTINGS (InnerProductPair,
    ASSAY_PARAM_BOOL (InnerProductPair, absolute, FALSE,
                      "Whether absolute values are compared, each less its mean, which a mask of "
                      "signs does not change"),
    MIXTURE_PARAMETERS (InnerProductPair),
    MIXTURE_PARAMETER_PAIRS (InnerProductPair)),
  .check = check,
  MIXTURE_HOLDS,
  .memory = memory,
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_NONE,
  .game = ASSAY_GAME_PAIR,
  .attack = attack,
  .control = { .says = "mixtures of two Gaussian images score higher where they share one",
               .make = make_control,
               .at_least = 0.9 });
