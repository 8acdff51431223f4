/* From squares, or from private parts, to images. */
#include "attacks/inversion/mixture-play.h"

#include <string.h>

#include "attacks/evidence/mixture-fit.h"
#include "attacks/evidence/mixture-surplus.h"
#include "attacks/inversion/mixture-pairs.h"
#include "attacks/retrieval/phase-retrieval.h"
#include "attacks/retrieval/sign-tree.h"
#include "attacks/retrieval/smooth-retrieval.h"
#include "core/base/progress/loop.h"

#define MATCHINGS 4  /* in a round without public images, at most */
#define STEADY 50    /* ... until fewer than one pair in so many is another */
#define FEW 10       /* mixtures a secret in the first rounds with windows ... */
#define FEW_ROUNDS 2 /* ... so many */
#define MANY 20      /* ... and later */
#define MOST_ROUNDS 9
#define LEAST_GROWTH 0.02    /* of the mixtures in which windows stand out, for another round */
#define CLEARLY_STANDING 0.5 /* ... after the first ones; with another public set it was 0.42 */
#define FIRST_ERROR 0.5      /* variance of images by squares, as a multiple of public pixels' */
#define LATER_ERROR 0.2
#define FOUND_ENOUGH 0.04 /* of all public images in mixtures; by chance it is about 0.01 */

/* s^2 starts 12 times too large with two public images, 5 times with four. */
static gboolean
retrieve_anew (MixtureState *state, GError **error)
{
  const PhaseRetrieval cold = { .is_cold = TRUE,
                                .heat = CLAMP (24.0 / (double) MAX (state->n_partners, 1), 5, 12),
                                .rounds = 40 };

  return phase_retrieval (&cold, state, error);
}

static gboolean
match_anew (MixtureIntake *intake, GError **error)
{
  return mixture_pairs_match_squares (&intake->state, intake->precision, intake->noise, error)
         && retrieve_anew (&intake->state, error);
}

/* What stood out in a public set that was not the one used is forgotten. */
static void
forget_public (MixtureState *state)
{
  memset (state->known, 0, state->n_mixtures * state->cols * sizeof *state->known);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const float share = state->weights[2 * t] + state->weights[2 * t + 1];

    state->noise[t] = mixture_state_noise (state, 1 - MIN (share, 1), state->n_partners);
  }
}

/* A round of step 5, after public images were found. */
static gboolean
improve (const PhaseRetrieval *warm, MixtureState *state, GError **error)
{
  phase_retrieval_turn_pixels (state);
  if (!phase_retrieval (warm, state, error))
    return FALSE;
  mixture_pairs_search (state);
  return TRUE;
}

/* Pairs by squares and images of these, as smooth as natural ones. They begin anew: images that go
 * on from the last ones keep what is wrong with them. *@ret_changed: how many pairs are others. */
static gboolean
match_smoothly (MixtureIntake *intake, gsize *ret_changed, GError **error)
{
  MixtureState *state = &intake->state;
  const gsize size = MIXTURE_PRIVATE * sizeof *state->pairs;
  g_autofree guint32 *old = g_memdup2 (state->pairs, state->n_mixtures * size);

  if (!match_anew (intake, error) || !sign_tree_align (state, intake->plain.image, error)
      || !smooth_retrieval (intake, error))
    return FALSE;
  *ret_changed = 0;
  for (gsize t = 0; t < state->n_mixtures; t++)
    *ret_changed
        += memcmp (old + MIXTURE_PRIVATE * t, state->pairs + MIXTURE_PRIVATE * t, size) != 0;
  return TRUE;
}

/* A round of step 5, where none were found. Labels leave few pairs to choose from; @ret_is_steady:
 * there are none, or hardly any pair is another in the end. Where no public images were mixed in,
 * single pixels tell all there is, and a filter would only blur them. */
static gboolean
improve_unknown (MixtureIntake *intake, gboolean *ret_is_steady, GError **error)
{
  MixtureState *state = &intake->state;
  gsize changed;

  *ret_is_steady = state->labels == NULL;
  if (state->n_partners == 0)
    return *ret_is_steady
           || (match_anew (intake, error) && sign_tree_align (state, intake->plain.image, error));
  if (!smooth_retrieval (intake, error))
    return FALSE;
  for (gsize i = 0; !*ret_is_steady && i < MATCHINGS; i++) {
    if (!match_smoothly (intake, &changed, error))
      return FALSE;
    *ret_is_steady = changed * STEADY < state->n_mixtures;
  }
  return TRUE;
}

/* Step 5. */
static gboolean
refine (const MixturePlay *play, MixtureIntake *intake, GError **error)
{
  static const PhaseRetrieval warm = { .heat = 3, .rounds = 20 };
  MixtureState *state = &intake->state;
  const double hidden = (double) (state->n_mixtures * state->n_partners);
  g_auto (AssayLoop) loop = { "round", .turns = (gsize) play->rounds };
  gboolean is_steady = FALSE;

  for (gint64 round = 0; round < play->rounds; round++) {
    const PublicPursuit pursuit = { .image_error = round == 0 ? 0.1 : 0.03 };
    gsize found = 0;

    assay_loop_at (&loop, (gsize) round);
    if (state->n_partners > 0 && !public_pursuit (&pursuit, &intake->filter, state, &found, error))
      return FALSE;
    if (found > 0 && (double) found >= FOUND_ENOUGH * hidden) {
      is_steady = FALSE;
      if (!improve (&warm, state, error))
        return FALSE;
    } else {
      forget_public (state);
      if (is_steady)
        break;
      if (!improve_unknown (intake, &is_steady, error))
        return FALSE;
    }
  }
  return play->rounds == 0 || state->is_smooth || phase_retrieval (&warm, state, error);
}

/* The same, where the public images of most mixtures are known, and images are good. */
static gboolean
refine_parts (const MixturePlay *play, MixtureIntake *intake, GError **error)
{
  static const PhaseRetrieval cool = { .heat = 1, .rounds = 10 };
  static const PublicPursuit pursuit = { .image_error = 0.03, .keeps_complete = TRUE };
  MixtureState *state = &intake->state;
  g_auto (AssayLoop) loop = { "round", .turns = (gsize) play->rounds };

  for (gint64 round = 0; round < play->rounds; round++) {
    gsize found;

    assay_loop_at (&loop, (gsize) round);
    /* Windows of public images are not looked for again. */
    if (!improve (&cool, state, error)
        || (play->parts->windows == NULL
            && !public_pursuit (&pursuit, &intake->filter, state, &found, error)))
      return FALSE;
  }
  return play->rounds == 0 || phase_retrieval (&cool, state, error);
}

/* Steps 1 to 5, from squares. */
static gboolean
play_squares (const MixturePlay *play, MixtureIntake *intake, GError **error)
{
  MixtureState *state = &intake->state;

  if (!mixture_intake_make_features (intake, error)
      || !mixture_start_squares (play->stream, play->start, intake, error)
      || !mixture_intake_make_known (intake, error) || !retrieve_anew (state, error))
    return FALSE;
  for (gint64 i = 0; state->labels != NULL && i < play->matchings; i++)
    if (!match_anew (intake, error))
      return FALSE;
  return sign_tree_align (state, intake->plain.image, error) && refine (play, intake, error);
}

/* The pairs of more mixtures, by the squares of the images there are. */
static gboolean
match_more (gsize n_mixtures, MixtureIntake *intake, GError **error)
{
  MixtureState *state = &intake->state;
  g_autofree gboolean *is_kept = g_new0 (gboolean, n_mixtures);

  for (gsize t = 0; t < MIN (state->n_mixtures, n_mixtures); t++)
    is_kept[t] = TRUE;
  state->n_mixtures = n_mixtures;
  return mixture_surplus_match (intake, is_kept, error);
}

/* All mixtures, once there are images from the first of them: pairs of the others by squares. */
static gboolean
spread (const MixturePlay *play, gsize n_mixtures, MixtureIntake *intake, GError **error)
{
  static const PublicPursuit pursuit = { .image_error = 0.03, .keeps_complete = TRUE };
  MixtureState *state = &intake->state;
  gsize found;

  return match_more (n_mixtures, intake, error)
         && public_pursuit (&pursuit, &intake->filter, state, &found, error)
         && refine_parts (play, intake, error);
}

/* Of more images than secrets those that are none's mirror image, and not needed, go. */
static gboolean
drop_surplus (const MixturePlay *play, MixtureIntake *intake, GError **error)
{
  const gsize n = intake->state.n_secrets;

  if (play->forms == 1 || play->parts->windows != NULL)
    return TRUE;
  return mixture_surplus_drop (play->n_secrets, intake, error)
         && (intake->state.n_secrets == n || refine_parts (play, intake, error));
}

/* Images from the private parts of some mixtures, and from these those of all. */
static gboolean
play_parts (const MixturePlay *play, MixtureIntake *intake, gboolean *ret_is_better, GError **error)
{
  MixtureState *state = &intake->state;
  const gsize total = state->n_mixtures;
  g_autofree double *fits = g_new (double, state->n_secrets);
  double fit;

  if (!mixture_intake_make_known (intake, error))
    return FALSE;
  state->n_mixtures = play->parts->rows->rows;
  if (!mixture_start_parts (play->stream, play->start, assay_matrix_view (play->parts->rows),
                            intake, error)
      || !mixture_parts_solve (play->parts, intake->plain.image, state, error))
    return FALSE;
  mixture_parts_take_public (play->parts, intake->plain.image, state);
  if (!refine_parts (play, intake, error) || !drop_surplus (play, intake, error))
    return FALSE;
  if (state->n_mixtures == total || play->parts->windows != NULL)
    return TRUE;
  if (!mixture_fit (state, &fit, fits, error))
    return FALSE;
  *ret_is_better = fit > play->beaten;
  if (*ret_is_better)
    return spread (play, total, intake, error);
  state->n_mixtures = total;
  return TRUE;
}

gboolean
mixture_play (const MixturePlay *play, MixtureIntake *intake, gboolean *ret_is_better,
              GError **error)
{
  MixtureState *state = &intake->state;

  *ret_is_better = TRUE;
  state->n_mixtures = play->n_mixtures;
  state->labels = play->labels;
  state->n_secrets = play->forms * play->n_secrets;
  g_free (state->images);
  state->images = assay_alloc (state->n_secrets, state->cols * sizeof (float), "images", error);
  if (state->images == NULL)
    return FALSE;
  return play->parts != NULL ? play_parts (play, intake, ret_is_better, error)
                             : play_squares (play, intake, error);
}

/* ---- Windows ---- */

typedef struct {
  const MixturePlay *play;
  const WindowPlay *windows;
  MixtureIntake *intake;
  ImagePrior prior;
} Rounds;

/* One round; returns in @ret_standing in how many mixtures windows stand out. */
static gboolean
find_again (const Rounds *job, gboolean is_first, double *ret_standing, GError **error)
{
  MixtureState *state = &job->intake->state;
  const double *mean = job->intake->plain.image;
  const PartsAgain again = { .shift = job->windows->shift,
                             .image_error = is_first ? FIRST_ERROR : LATER_ERROR,
                             .least_standing = job->windows->least_standing };
  g_auto (MixtureParts) parts = { 0 };

  if (!mixture_parts_find_again (job->intake, &job->prior, &again, &parts, error))
    return FALSE;
  *ret_standing = parts.standing;
  if (parts.rows == NULL)
    return TRUE;
  if (!mixture_start_parts (job->play->stream, job->play->start, assay_matrix_view (parts.rows),
                            job->intake, error)
      || !mixture_parts_solve (&parts, mean, state, error))
    return FALSE;
  mixture_parts_take_public (&parts, mean, state);
  return TRUE;
}

static gboolean
play_rounds (const Rounds *job, gboolean *ret_is_better, GError **error)
{
  MixtureState *state = &job->intake->state;
  const gsize n = state->n_secrets, total = job->play->n_mixtures;
  g_auto (AssayLoop) loop = { "round", .turns = MOST_ROUNDS };
  double standing = 0, before = 0;

  state->n_mixtures = MIN (total, FEW * n);
  for (gsize round = 0; round < MOST_ROUNDS; round++) {
    assay_loop_at (&loop, round);
    if (round == FEW_ROUNDS && !match_more (MIN (total, MANY * n), job->intake, error))
      return FALSE;
    if (!find_again (job, round == 0, &standing, error))
      return FALSE;
    if (standing < job->windows->least_standing
        || (round + 1 == FEW_ROUNDS && standing < CLEARLY_STANDING))
      return TRUE;
    if (round > FEW_ROUNDS && standing < before + LEAST_GROWTH)
      break;
    before = standing;
  }
  *ret_is_better = TRUE;
  return TRUE;
}

gboolean
mixture_play_windows (const MixturePlay *play, const WindowPlay *windows, MixtureIntake *intake,
                      gboolean *ret_is_better, GError **error)
{
  Rounds job = { .play = play, .windows = windows, .intake = intake };
  gboolean is_done;

  *ret_is_better = FALSE;
  intake->state.n_mixtures = play->n_mixtures;
  is_done = mixture_intake_make_known (intake, error)
            && image_prior_learn (assay_matrix_view (intake->public_images), &job.prior, error)
            && play_rounds (&job, ret_is_better, error);
  image_prior_clear (&job.prior);
  return is_done;
}
