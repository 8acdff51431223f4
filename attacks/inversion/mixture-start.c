/* Pairs and weights from an embedding of mixtures. */
#include "attacks/inversion/mixture-play.h"

#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-clusters.h"
#include "attacks/inversion/mixture-embedding.h"
#include "attacks/inversion/mixture-labels.h"
#include "core/math/linalg.h"

#define LEAST_WEIGHT 0.02f

/* Weights from the centres' shares (@are_squares: of squares) and from labels. */
static void
take_weights (MixtureState *state, gboolean are_squares)
{
  const float expected = (float) mixture_state_expected_share (state);
  g_autofree gsize *classes = g_new (gsize, state->n_secrets);

  mixture_labels_find_classes (state, classes);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    float *weights = state->weights + MIXTURE_PRIVATE * t, told[MIXTURE_PRIVATE];
    const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
    const float share = mixture_labels_share (state, t, expected);
    const MixtureLabels kind
        = mixture_labels_of (state, t, classes[pair[0]], classes[pair[1]], told);
    float a = MAX (weights[0], LEAST_WEIGHT), b = MAX (weights[1], LEAST_WEIGHT);

    if (are_squares) {
      a = sqrtf (a);
      b = sqrtf (b);
    }
    weights[0] = share * a / (a + b);
    weights[1] = share * b / (a + b);
    if (kind == MIXTURE_LABELS_FIX)
      memcpy (weights, told, sizeof told);
    state->noise[t] = mixture_state_noise (state, 1 - share, state->n_partners);
  }
}

static gboolean
find_pairs (AssayStreamKey key, guint64 start, AssayView features, AssayView precision,
            MixtureState *state, GError **error)
{
  const gsize n = state->n_secrets;
  g_autoptr (AssayMatrix) embedding
      = mixture_embedding (features, precision, n + n / 2 + 8, key, start, error);

  if (embedding == NULL
      || !mixture_clusters_explain (assay_matrix_view (embedding), n, state->pairs, state->weights,
                                    error))
    return FALSE;
  if (state->labels != NULL && mixture_labels_agree (state, key) < MIXTURE_LEAST_AGREEMENT)
    state->labels = NULL;
  return TRUE;
}

gboolean
mixture_start_squares (AssayStreamKey key, guint64 start, MixtureIntake *intake, GError **error)
{
  const gsize d = intake->state.cols;

  if (!find_pairs (key, start, assay_matrix_view (intake->features),
                   assay_view_of (intake->precision, d, d), &intake->state, error))
    return FALSE;
  take_weights (&intake->state, TRUE);
  return TRUE;
}

gboolean
mixture_start_parts (AssayStreamKey key, guint64 start, AssayView parts, MixtureIntake *intake,
                     GError **error)
{
  const gsize d = parts.cols;

  if (!find_pairs (key, start, parts, assay_view_of (intake->plain_precision, d, d), &intake->state,
                   error))
    return FALSE;
  take_weights (&intake->state, FALSE);
  return TRUE;
}
