/* Phase retrieval and a Wiener filter in turn. */
#include "attacks/retrieval/smooth-retrieval.h"

#include "attacks/retrieval/phase-retrieval.h"
#include "core/math/linalg.h"

/* How often the filter is applied, and after how many rounds. */
static const struct {
  gsize times;
  gsize rounds;
} stages[] = { { 16, 4 }, { 8, 6 }, { 4, 6 }, { 2, 6 }, { 1, 6 } };

/* C P (x - m) = (x - m) - r P (x - m) with P = (C + r I)^-1. */
gboolean
smooth_retrieval_filter (const MixtureIntake *intake, gsize times, gsize count, float *inout_images,
                         GError **error)
{
  const gsize d = intake->state.cols;
  const float ridge = (float) intake->plain_ridge;
  g_auto (AssayArena) arena = { 0 };
  float *centred = assay_arena_alloc (&arena, count, d * sizeof (float), "images", error);
  float *whitened = assay_arena_alloc (&arena, count, d * sizeof (float), "images", error);

  if (arena.has_failed)
    return FALSE;
  for (gsize time = 0; time < times; time++) {
    for (gsize i = 0; i < count * d; i++)
      centred[i] = inout_images[i] - (float) intake->plain.image[i % d];
    assay_linalg_product_in_parallel (ASSAY_NN, assay_view_of (centred, count, d),
                                      assay_view_of (intake->plain_precision, d, d), whitened);
    for (gsize i = 0; i < count * d; i++)
      inout_images[i] -= ridge * whitened[i];
  }
  return TRUE;
}

gboolean
smooth_retrieval (MixtureIntake *intake, GError **error)
{
  static const PhaseRetrieval once = { .heat = 1, .rounds = 1 };
  MixtureState *state = &intake->state;

  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    for (gsize round = 0; round < stages[i].rounds; round++)
      if (!smooth_retrieval_filter (intake, stages[i].times, state->n_secrets, state->images, error)
          || !phase_retrieval (&once, state, error))
        return FALSE;
  state->is_smooth = TRUE;
  return TRUE;
}
