/* Was this record among those that were released? By likelihood ratios from shadow releases with
 * and without it (Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, "Membership Inference Attacks
 * From First Principles", algorithm 1 and section IV), for releases that are made of several
 * secrets together: means, statistics, programs that mix rows (game member).
 *
 * Release: of any kind. Knowledge: records, half of which were released; the defense, which the
 * attacker runs on half of the records at a time (grant `mechanism`), so that each record is in
 * half of the shadow releases; where fewer records than secrets are at hand, public rows fill up.
 *
 * How much a release looks as if a record was in it is told by one number, its sign
 * (attacks/adaptive/shadow-signs.h): of several the attacker takes the one that does best on shadow
 * releases. In shadow releases the sign t of record x is normal with mean m_1 where x was in and
 * m_0 where it was not, with one variance for all records (as Carlini et al. do where shadows are
 * few), and the guess is the log-likelihood ratio
 *   (m_1 - m_0) / s^2 (t - (m_1 + m_0) / 2)
 * m_1 - m_0 is shrunk towards its mean over the records by how much of its spread the runs explain
 * (James and Stein 1961), so that few runs do not weigh records by chance. The guess says which
 * sign was taken, and what area under the ROC curve it had in the last quarter of the runs. */

#include "attacks/adaptive/shadow-signs.h"
#include "core/base/free.h"
#include "core/games/control-case.h"
#include "core/games/guesses/score-roc.h"

#define MIN_RUNS 8
#define TINY 1e-12

enum { BEST = SHADOW_N_SIGNS };

static const char *const sign_names[] = { "nearest", "alike", "inner", "profile", "best", NULL };

typedef struct {
  guint sign;
} Membership;

/* ---- Likelihood ratios ---- */

/* Of each record over the second half of the runs: the mean with it and without. */
typedef struct {
  double *gap;    /* m_1 - m_0 */
  double *middle; /* (m_1 + m_0) / 2 */
  double variance;
} Fit;

ASSAY_LOCAL_CLEAR (Fit, fit_clear, g_free (self->gap), g_free (self->middle))

/* Runs [first, end), which hold every record equally often with and without it. */
static void
fit_means (const ShadowSigns *shadows, const double *signs, gsize first, gsize end, Fit *fit)
{
  const gsize n = shadows->records->rows;
  double squares = 0, freedom = 0, mean_gap = 0, spread = 0, noise = 0;

  for (gsize i = 0; i < n; i++) {
    double sum[2] = { 0, 0 }, square[2] = { 0, 0 }, count[2] = { 0, 0 };

    for (gsize r = first; r < end; r++) {
      const guint side = shadows->is_in[r * n + i];

      sum[side] += signs[r * n + i];
      square[side] += signs[r * n + i] * signs[r * n + i];
      count[side]++;
    }
    for (guint side = 0; side < 2; side++) {
      squares += square[side] - sum[side] * sum[side] / MAX (count[side], 1);
      freedom += MAX (count[side] - 1, 0);
    }
    fit->gap[i] = sum[1] / MAX (count[1], 1) - sum[0] / MAX (count[0], 1);
    fit->middle[i] = (sum[1] / MAX (count[1], 1) + sum[0] / MAX (count[0], 1)) / 2;
    mean_gap += fit->gap[i] / (double) n;
    noise += (1 / MAX (count[0], 1) + 1 / MAX (count[1], 1)) / (double) n;
  }
  fit->variance = MAX (squares / MAX (freedom, 1), TINY);
  for (gsize i = 0; i < n; i++)
    spread += (fit->gap[i] - mean_gap) * (fit->gap[i] - mean_gap) / (double) MAX (n - 1, 1);
  for (gsize i = 0; i < n; i++) {
    const double kept = spread > 0 ? MAX (0, 1 - noise * fit->variance / spread) : 0;

    fit->gap[i] = mean_gap + kept * (fit->gap[i] - mean_gap);
  }
}

static double
ratio_of (const Fit *fit, gsize record, double sign)
{
  return fit->gap[record] / fit->variance * (sign - fit->middle[record]);
}

/* The area under the ROC curve in the last quarter of the runs of what was learned from the third;
 * both have every record equally often. */
static gboolean
expect_area (const ShadowSigns *shadows, const double *signs, Fit *fit, double *ret_area,
             GError **error)
{
  const gsize n = shadows->records->rows, runs = shadows->n_runs;
  const gsize first = runs / 4 * 2, middle = first + (runs - first) / 4 * 2;
  const gsize n_scores = (runs - middle) * n;
  g_autofree float *scores = assay_alloc (n_scores, sizeof (float), "scores", error);
  g_autofree guint8 *is_in = assay_alloc (n_scores, 1, "scores", error);
  const AssayRoc roc = { scores, 1, is_in, n_scores };

  if (scores == NULL || is_in == NULL)
    return FALSE;
  fit_means (shadows, signs, first, middle, fit);
  for (gsize r = middle; r < runs; r++)
    for (gsize i = 0; i < n; i++) {
      scores[(r - middle) * n + i] = (float) ratio_of (fit, i, signs[r * n + i]);
      is_in[(r - middle) * n + i] = shadows->is_in[r * n + i];
    }
  return assay_roc_area (&roc, ret_area, NULL, error);
}

static gboolean
choose_sign (const Membership *settings, const ShadowSigns *shadows, Fit *fit, guint *ret_sign,
             double *ret_area, GError **error)
{
  gboolean has_any = FALSE;

  for (guint s = 0; s < SHADOW_N_SIGNS; s++) {
    double area;

    if (shadows->signs[s] == NULL || (settings->sign != BEST && settings->sign != s))
      continue;
    if (!expect_area (shadows, shadows->signs[s], fit, &area, error))
      return FALSE;
    if (!has_any || area > *ret_area) {
      *ret_area = area;
      *ret_sign = s;
    }
    has_any = TRUE;
  }
  return has_any
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "sign = %s does not apply: nearest and inner compare records with items "
                        "of as many numbers, alike those of other numbers; expected profile or "
                        "best",
                        sign_names[settings->sign]);
}

static gboolean
guess_members (const Membership *settings, const ShadowSigns *shadows, AssayGuess *ret_guess,
               GError **error)
{
  const gsize n = shadows->records->rows, runs = shadows->n_runs;
  g_auto (Fit) fit = { .gap = assay_alloc (n, sizeof (double), "records", error),
                       .middle = assay_alloc (n, sizeof (double), "records", error) };
  float *scores;
  double area = 0;
  guint sign = 0;

  if (fit.gap == NULL || fit.middle == NULL
      || !choose_sign (settings, shadows, &fit, &sign, &area, error))
    return FALSE;
  /* Of the first half it was learned what is like a record, or its profile. */
  fit_means (shadows, shadows->signs[sign],
             sign == SHADOW_PROFILE || sign == SHADOW_ALIKE ? runs / 4 * 2 : 0, runs, &fit);
  scores = assay_alloc (n, sizeof (float), "scores of records", error);
  if (scores == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    scores[i] = (float) ratio_of (&fit, i, shadows->signs[sign][runs * n + i]);
  ret_guess->says = g_strdup_printf ("by sign = %s of %zu runs: expected area %.3f",
                                     sign_names[sign], runs, area);
  assay_arrays_take (&ret_guess->arrays, "member-scores",
                     assay_array_take (ASSAY_FLOAT32, 1, &n, scores));
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  g_auto (ShadowSigns) shadows = { 0 };
  const gsize n_runs
      = seen->shadow != NULL ? (gsize) (assay_shadow_left (seen->shadow) / 4 * 4) : 0;

  if (seen->shadow == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "shadow releases need the defense itself; expected grants = public; "
                       "mechanism");
  if (n_runs < MIN_RUNS)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "mechanism_runs: %" G_GUINT64_FORMAT " are left; expected %d at least",
                       assay_shadow_left (seen->shadow), MIN_RUNS);
  return shadow_signs_take (&shadows, n_runs, seen, error)
         && guess_members (context->settings, &shadows, ret_guess, error);
}

/* ---- The control ---- */

enum { RECORDS = 64, COLS = 8, RUNS = 20 };

#define NOISE 0.3

static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  return assay_control_members (&(AssayControlNoise){ .key = key, .noise = NOISE }, RECORDS, COLS,
                                RUNS, ret_case, error);
}

ASSAY_ATTACK (membership, "membership",
  .summary = "Run the defense with and without a record, and tell whether it was released",
  .reference = { "Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, Membership Inference Attacks "
                 "From First Principles",
                 "algorithm 1 and section IV" },
  ASSAY_SETTINGS (Membership,
    ASSAY_PARAM_CHOICE (Membership, sign, BEST, sign_names,
                        "What shows that a record was in a release: its nearest item; the item "
                        "nearest to what would be released of it (alike); the inner product with "
                        "the mean item; how the mean item moves with it; best: what does best on "
                        "shadow releases",
                        ASSAY_PARAM_TRIES_ALL)),
  /* Records with their copies, and the signs of 1000 runs. */
  .holds = { .items = 8, .numbers = 6000 },
  .reads = ASSAY_RELEASE_ANY,
  .needs = ASSAY_GRANT_MECHANISM,
  .adapts = TRUE,
  .game = ASSAY_GAME_MEMBER,
  .attack = attack,
  .control = { .says = "of 64 records half were released with noise, and these are told from the "
                       "others",
               .make = make_control,
               .at_least = 0.9 });
