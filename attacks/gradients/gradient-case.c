/* Gradients of known images. */
#include "attacks/gradients/gradient-case.h"

#include "core/data/arena.h"

static void
publish (const GradientCase *made, AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, batch, 1);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, height, (gint64) made->side);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, width, (gint64) made->side);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, channels, 1);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, classes, (gint64) made->classes);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, network, made->form);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, units, (gint64) made->units);
}

/* A gradient in each row of @gradients. */
static gboolean
differentiate (AssaySigmoidPass *pass, const AssayMatrix *images, gsize classes,
               AssayStream *stream, AssayMatrix *gradients, GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  double *image = assay_arena_alloc (&arena, images->cols, sizeof (double), "image", error);
  double *label = assay_arena_alloc (&arena, classes, sizeof (double), "label", error);
  double *gradient
      = assay_arena_alloc (&arena, gradients->cols, sizeof (double), "gradient", error);

  if (arena.has_failed)
    return FALSE;
  for (gsize i = 0; i < images->rows; i++) {
    const gsize right = assay_stream_below (stream, classes);

    for (gsize j = 0; j < images->cols; j++)
      image[j] = (double) images->data[i * images->cols + j];
    label[right] = 1;
    assay_sigmoid_differentiate (pass, image, label, gradient);
    label[right] = 0;
    for (gsize w = 0; w < gradients->cols; w++)
      assay_matrix_row (gradients, i)[w] = (float) gradient[w];
  }
  return TRUE;
}

static AssayMatrix *
draw_images (const GradientCase *made, AssayStream *stream, GError **error)
{
  AssayMatrix *images;

  if (made->window == 0)
    return assay_control_normals (made->n, made->side * made->side, stream, error);
  images = assay_matrix_new (made->n, made->side * made->side, error);
  for (gsize i = 0; images != NULL && i < made->n; i++)
    assay_control_smooth (made->side, made->window, stream, assay_matrix_row (images, i));
  return images;
}

gboolean
gradient_case_make (const GradientCase *made, AssayStreamKey key, AssayControlCase *ret_case,
                    GError **error)
{
  const AssayGeometry geometry = { .height = made->side, .width = made->side, .channels = 1 };
  const AssaySigmoidShape shape
      = assay_sigmoid_shape (made->form, &geometry, made->units, made->classes);
  const gsize n_weights = assay_sigmoid_weights (&shape);
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) images = draw_images (made, &stream, error);
  g_autoptr (AssayMatrix) gradients = assay_matrix_new (made->n, n_weights, error);
  g_autofree float *weights = assay_alloc (n_weights, sizeof (float), "weights", error);
  g_autoptr (AssaySigmoidPass) pass = NULL;
  AssayRelease *release;

  if (images == NULL || gradients == NULL || weights == NULL)
    return FALSE;
  assay_sigmoid_draw (&shape, made->form, &stream, weights);
  pass = assay_sigmoid_pass_new (&shape, 1, weights, error);
  if (pass == NULL || !differentiate (pass, images, made->classes, &stream, gradients, error))
    return FALSE;
  release = assay_release_new (ASSAY_RELEASE_GRADIENTS, "control");
  publish (made, release);
  assay_arrays_take_matrix (&release->arrays, "gradients", &gradients);
  assay_arrays_take (&release->arrays, "weights",
                     assay_array_take (ASSAY_FLOAT32, 1, &n_weights, g_steal_pointer (&weights)));
  return assay_control_take (ret_case, release, g_steal_pointer (&images));
}
