/* Results of attempts. */
#include "attacks/inversion/mixture-result.h"

#include <string.h>

#include "attacks/evidence/mixture-fit.h"
#include "attacks/inversion/mixture-orbits.h"
#include "attacks/moved/moved-secrets.h"
#include "attacks/retrieval/smooth-retrieval.h"

#define CLEARLY_KNOWN 0.04 /* of public images; by chance it is about 0.01 */
#define HARDLY_KNOWN 0.1   /* ... below which images are by squares alone */
#define MOVED 0.7          /* of secrets in mixtures, that stand elsewhere than they mostly do */

void
mixture_result_clear (MixtureResult *result)
{
  g_clear_pointer (&result->images, g_free);
  g_clear_pointer (&result->fits, g_free);
  g_clear_pointer (&result->evidence, g_free);
  g_clear_pointer (&result->pairs, g_free);
}

/* Which images are in each of @total mixtures, that of the larger share first; -1 where the state
 * does not have it. @groups: of each image of the state the one that it has become; NULL: it is the
 * same. */
static gint64 *
pairs_of (const MixtureState *state, gsize total, const gsize *groups)
{
  gint64 *pairs = g_new (gint64, MIXTURE_PRIVATE * total);

  for (gsize t = 0; t < state->n_mixtures; t++) {
    const float *weights = state->weights + MIXTURE_PRIVATE * t;
    const gsize first = weights[1] > weights[0] ? 1 : 0;

    for (gsize i = 0; i < MIXTURE_PRIVATE; i++) {
      const gsize image = state->pairs[MIXTURE_PRIVATE * t + (i == 0 ? first : 1 - first)];

      pairs[MIXTURE_PRIVATE * t + i] = (gint64) (groups != NULL ? groups[image] : image);
    }
  }
  for (gsize i = MIXTURE_PRIVATE * state->n_mixtures; i < MIXTURE_PRIVATE * total; i++)
    pairs[i] = -1;
  return pairs;
}

/* By what attempts are compared: what is explained, twice where public images were found. Images
 * whose pixels have the wrong signs explain squares as well as the right ones do, but leave nothing
 * that public images would stand out from. */
static double
worth (const MixtureResult *result)
{
  return result->explained * (mixture_result_known (result) >= CLEARLY_KNOWN ? 2 : 1);
}

/* Those images of which hardly any public image is known. */
static gboolean
smooth_unknown (const MixtureIntake *intake, const MixtureEvidence *evidence, GError **error)
{
  const MixtureState *state = &intake->state;
  const gsize n = state->n_secrets, d = state->cols;
  g_autofree float *smooth = assay_alloc (n, d * sizeof (float), "images", error);

  if (smooth == NULL)
    return FALSE;
  memcpy (smooth, state->images, n * d * sizeof *smooth);
  if (!smooth_retrieval_filter (intake, 1, n, smooth, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (evidence[i].known < HARDLY_KNOWN)
      memcpy (state->images + i * d, smooth + i * d, d * sizeof *smooth);
  return TRUE;
}

gboolean
mixture_result_take (const MixturePlay *play, MixtureIntake *intake, MixtureResult *inout_best,
                     GError **error)
{
  MixtureState *state = &intake->state;
  const gsize n = play->n_secrets, m = state->n_secrets;
  g_autofree double *fits = g_new0 (double, m);
  g_autofree MixtureEvidence *evidence = g_new0 (MixtureEvidence, m);
  g_autofree gsize *groups = g_new0 (gsize, m);
  g_autofree gsize *first = g_new0 (gsize, m);
  g_auto (MixtureResult) result = { .without_labels = play->labels != NULL && state->labels == NULL,
                                    .is_mirrored = state->n_secrets > n };
  MixtureGroups gathered;
  double mirrored;

  if (!mixture_fit (state, &result.explained, fits, error)
      || !mixture_confidence_gather (state, fits, evidence, error))
    return FALSE;
  result.n = m;
  result.fits = g_new0 (double, 2 * m);
  result.evidence = g_new0 (MixtureEvidence, 2 * m);
  if (!result.is_mirrored) {
    if (state->n_partners > 0 && !state->is_smooth && !smooth_unknown (intake, evidence, error))
      return FALSE;
    memcpy (result.fits, fits, m * sizeof *fits);
    memcpy (result.evidence, evidence, m * sizeof *evidence);
    result.images = g_steal_pointer (&state->images);
  } else {
    result.images = assay_alloc (2 * m, state->cols * sizeof (float), "images", error);
    if (result.images == NULL)
      return FALSE;
    gathered = (MixtureGroups){
      .images = result.images, .fits = result.fits, .of = groups, .first = first
    };
    mirrored = mixture_orbits_gather (state, fits, &gathered, error);
    result.n = 2 * gathered.n;
    if (mirrored < MIXTURE_ORBITS_MIRRORED)
      return mirrored >= 0;
    for (gsize g = 0; g < gathered.n; g++)
      result.evidence[g] = result.evidence[gathered.n + g] = evidence[first[g]];
  }
  if (inout_best->images != NULL && !(worth (&result) > worth (inout_best)))
    return TRUE;
  result.pairs = pairs_of (state, play->n_mixtures, result.is_mirrored ? groups : NULL);
  mixture_result_clear (inout_best);
  *inout_best = result;
  result = (MixtureResult){ 0 };
  return TRUE;
}

gboolean
mixture_result_restore (const MixtureResult *result, MixtureState *state, GError **error)
{
  const gsize count = result->n * state->cols;

  g_free (state->images);
  state->images = assay_alloc (count, sizeof *state->images, "images", error);
  if (state->images != NULL)
    memcpy (state->images, result->images, count * sizeof *state->images);
  return state->images != NULL;
}

gboolean
mixture_result_take_moved (const MixtureIntake *intake, const MixtureParts *parts, gsize n_secrets,
                           gsize shift, MixtureResult *inout_best, GError **error)
{
  const MixtureState *state = &intake->state;
  const gsize told = MIXTURE_PRIVATE * parts->rows->rows;
  g_auto (MovedSecrets) moved = { 0 };

  if (!moved_secrets_find (intake, parts, n_secrets, shift, &moved, error))
    return FALSE;
  if (moved.moved < MOVED || !(moved.explained > inout_best->explained))
    return TRUE;
  moved.pairs = g_renew (gint64, moved.pairs, MIXTURE_PRIVATE * state->n_mixtures);
  for (gsize i = told; i < MIXTURE_PRIVATE * state->n_mixtures; i++)
    moved.pairs[i] = -1;
  mixture_result_clear (inout_best);
  *inout_best = (MixtureResult){ .n = moved.n,
                                 .images = g_steal_pointer (&moved.images),
                                 .fits = g_steal_pointer (&moved.fits),
                                 .pairs = g_steal_pointer (&moved.pairs),
                                 .evidence = g_steal_pointer (&moved.evidence),
                                 .explained = moved.explained,
                                 .is_moved = TRUE };
  return TRUE;
}

double
mixture_result_confidence (const MixtureResult *result, gsize n_secrets)
{
  const gboolean is_twice = result->is_mirrored || result->is_moved;
  const gsize n = is_twice ? result->n / 2 : result->n; /* each once, of those given both ways */
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += mixture_confidence (result->evidence + i);
  return n > 0 ? sum / (double) MAX (n, n_secrets) : 0;
}

double
mixture_result_known (const MixtureResult *result)
{
  double sum = 0;

  for (gsize i = 0; i < result->n && !result->is_moved; i++)
    sum += result->evidence[i].known;
  return result->n > 0 ? sum / (double) result->n : 0;
}
