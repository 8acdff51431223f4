/* Eigenvectors of the covariance of images, and the images in their basis. */
#include "attacks/whitened/image-prior.h"

#include <math.h>

#include "attacks/whitened/whitening.h"
#include "core/math/linalg.h"

static gboolean
make_room (gsize cols, ImagePrior *prior, GError **error)
{
  AssayArena *arena = &prior->arena;
  const gsize row = cols * sizeof (float);

  prior->cols = cols;
  prior->image = assay_arena_alloc (arena, cols, sizeof (float), "mean image", error);
  prior->values = assay_arena_alloc (arena, cols, sizeof (float), "components", error);
  prior->vectors = assay_arena_alloc (arena, cols, row, "components", error);
  return !arena->has_failed;
}

/* Images, less their mean, in the basis. */
static gboolean
take_images (const AssayMatrix *centred, ImagePrior *prior, GError **error)
{
  const gsize n = centred->rows, cols = prior->cols;
  g_autoptr (AssayMatrix) features = NULL;

  prior->n = n;
  prior->features
      = assay_arena_alloc (&prior->arena, n, cols * sizeof (float), "public images", error);
  prior->squares
      = assay_arena_alloc (&prior->arena, n, cols * sizeof (float), "public images", error);
  if (prior->arena.has_failed)
    return FALSE;
  features = whitening_project (assay_matrix_view (centred),
                                assay_view_of (prior->vectors, cols, cols), error);
  for (gsize i = 0; features != NULL && i < n * cols; i++) {
    prior->features[i] = (float) (features->data[i] / prior->unit);
    prior->squares[i] = prior->features[i] * prior->features[i];
  }
  return features != NULL;
}

/* u, g and m, in units of s. */
static gboolean
decompose (const Whitening *plain, ImagePrior *prior, GError **error)
{
  const gsize cols = prior->cols;
  g_autofree double *values = assay_alloc (cols, sizeof (double), "components", error);
  g_autofree double *vectors = assay_alloc (cols, cols * sizeof (double), "components", error);
  double trace = 0;

  if (values == NULL || vectors == NULL
      || !assay_linalg_symmetric_eigen (cols, cols, plain->covariance, values, vectors, error))
    return FALSE;
  for (gsize a = 0; a < cols; a++)
    trace += plain->covariance[a * cols + a];
  prior->unit = sqrt (trace / (double) cols);
  for (gsize a = 0; a < cols; a++) {
    prior->values[a] = (float) MAX (values[a] / (prior->unit * prior->unit), 0);
    prior->image[a] = (float) (plain->image[a] / prior->unit);
  }
  for (gsize i = 0; i < cols * cols; i++)
    prior->vectors[i] = (float) vectors[i];
  return TRUE;
}

gboolean
image_prior_learn (AssayView images, ImagePrior *ret_prior, GError **error)
{
  /* Moments of single images. */
  const WhiteningMoments single = { 1, 1, 1, 1 };
  g_auto (Whitening) plain = { 0 };
  g_autoptr (AssayMatrix) centred = NULL;

  return whitening_learn (images, WHITENING_PLAIN, &single, &plain, error)
         && make_room (images.cols, ret_prior, error) && decompose (&plain, ret_prior, error)
         && (centred = whitening_features (&plain, images, error)) != NULL
         && take_images (centred, ret_prior, error);
}

gboolean
image_prior_of (const ImagePrior *prior, AssayView images, ImagePrior *ret_prior, GError **error)
{
  g_autoptr (AssayMatrix) centred = assay_matrix_copy (images, error);

  if (centred == NULL)
    return FALSE;
  for (gsize i = 0; i < images.rows; i++)
    for (gsize a = 0; a < images.cols; a++)
      assay_matrix_row (centred, i)[a] -= (float) (prior->image[a] * prior->unit);
  *ret_prior = *prior;
  ret_prior->arena = (AssayArena){ 0 };
  return take_images (centred, ret_prior, error);
}
