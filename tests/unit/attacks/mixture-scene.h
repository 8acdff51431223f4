/* Mixtures as mixture-inversion takes them in, for tests of its steps. */
#pragma once

#include "attacks/inversion/mixture-intake.h"
#include "attacks/inversion/mixture-parts.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/instahide.h"

typedef struct {
  InstaHide *made;
  AssayRows *publics;
  AssayRelease *release;
  MixtureIntake intake;
  MixtureParts parts;
} MixtureScene;

static void
mixture_scene_clear (MixtureScene *scene)
{
  mixture_parts_clear (&scene->parts);
  mixture_intake_clear (&scene->intake);
  assay_release_free (scene->release);
  assay_rows_unref (scene->publics);
  instahide_free (scene->made);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MixtureScene, mixture_scene_clear)

/* More public images than pixels, so that their covariance is that of images. */
static const InstaHideSizes mixture_scene_sizes = { .n_secrets = 12,
                                                    .n_epochs = 20,
                                                    .n_public = 1000,
                                                    .n_partners = 2,
                                                    .side = 28,
                                                    .n_classes = 4,
                                                    .seed = 7 };

/* The mixtures that @scene has made, taken in by who knows @publics. */
static void
mixture_scene_take_in (AssayMatrix *publics, const MixtureNumbers *numbers, gsize side,
                       MixtureScene *scene)
{
  AssayObservation seen;

  scene->publics = fixture_rows (publics);
  scene->release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");
  scene->release->geometry = (AssayGeometry){ .height = side, .width = side, .channels = 1 };
  assay_arrays_take (&scene->release->arrays, "images",
                     assay_array_take_matrix (
                         assay_matrix_copy (assay_matrix_view (scene->made->mixtures), NULL)));
  seen = (AssayObservation){ .release = scene->release, .public_rows = scene->publics };
  cr_assert (mixture_intake_init (numbers, &seen, &scene->intake, NULL));
}

/* The state is told pairs, weights and, where @is_known, public images. */
G_GNUC_UNUSED static void
mixture_scene_tell (gboolean is_known, MixtureScene *scene)
{
  MixtureState *state = &scene->intake.state;

  cr_assert (mixture_intake_make_known (&scene->intake, NULL));
  state->images = g_new0 (float, state->n_secrets * state->cols);
  for (gsize t = 0; t < 2 * scene->made->total; t++) {
    state->pairs[t] = scene->made->sources[t];
    state->weights[t] = scene->made->weights[t];
    state->partners[t] = is_known ? (gint32) scene->made->partners[t] : -1;
    state->noise[t / 2] = 0.1f;
  }
}

/* The mean |correlation| of the images that secrets are most like, n x d, with these. */
G_GNUC_UNUSED static double
mixture_scene_likeness (const MixtureScene *scene, const float *images)
{
  const gsize n = scene->intake.state.n_secrets;
  g_autofree double *likeness = g_new (double, n);
  double mean = 0;

  instahide_compare (scene->made, images, likeness);
  for (gsize i = 0; i < n; i++)
    mean += likeness[i] / (double) n;
  return mean;
}
