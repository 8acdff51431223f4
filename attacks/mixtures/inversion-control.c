/* Smooth images and their mixtures. */
#include "attacks/mixtures/inversion-control.h"

#include <math.h>

#include "attacks/mixtures/mixture-state.h"
#include "core/data/kinds/mixtures.h"

#define USUAL_WINDOW 3
#define MOST_PARTNERS 8
#define MOST_COEFFICIENT 0.65
#define LEAST_PRIVATE 0.3

static void
draw_image (gsize side, gsize window, AssayStream *stream, float *ret_image)
{
  const gsize wide = side + window - 1, cols = side * side;
  g_autofree double *noise = g_new (double, wide *wide);
  double mean = 0, square = 0;

  for (gsize i = 0; i < wide * wide; i++)
    noise[i] = assay_stream_normal (stream);
  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++) {
      double sum = 0;

      for (gsize i = 0; i < window * window; i++)
        sum += noise[(y + i / window) * wide + x + i % window];
      ret_image[y * side + x] = (float) sum;
      mean += sum / (double) cols;
      square += sum * sum / (double) cols;
    }
  for (gsize i = 0; i < cols; i++)
    ret_image[i] = (float) ((ret_image[i] - mean) / sqrt (square - mean * mean));
}

static AssayMatrix *
draw_images (const InversionControl *control, gsize n, AssayStream *stream, GError **error)
{
  const gsize side = control->side, window = control->window > 0 ? control->window : USUAL_WINDOW;
  AssayMatrix *images = assay_matrix_new (n, side * side, error);

  for (gsize i = 0; images != NULL && i < n; i++)
    draw_image (side, window, stream, assay_matrix_row (images, i));
  return images;
}

static void
draw_coefficients (AssayStream *stream, gsize k, double *ret_coefficients)
{
  double largest, private_share;

  do {
    double sum = 0;

    largest = 0;
    for (gsize j = 0; j < k; j++)
      sum += ret_coefficients[j] = assay_stream_uniform (stream);
    for (gsize j = 0; j < k; j++) {
      ret_coefficients[j] /= sum;
      largest = MAX (largest, ret_coefficients[j]);
    }
    private_share = ret_coefficients[0] + ret_coefficients[1];
  } while (largest > MOST_COEFFICIENT || private_share < LEAST_PRIVATE);
}

static gsize
draw_other (AssayStream *stream, gsize owner, gsize n)
{
  return (owner + 1 + (gsize) assay_stream_below (stream, n - 1)) % n;
}

/* One mixture of the secret @owner and one other, with all its signs drawn. */
static void
mix (const InversionControl *control, const AssayMatrix *secrets, const AssayMatrix *others,
     AssayStream *stream, gsize owner, float *ret_image)
{
  const gsize p = control->n_partners, cols = secrets->cols;
  double coefficients[MIXTURE_PRIVATE + MOST_PARTNERS] = { 0 };
  gsize chosen[MOST_PARTNERS];
  const gsize other = control->is_single ? owner : draw_other (stream, owner, secrets->rows);

  assay_stream_choose (stream, others->rows, p, chosen);
  draw_coefficients (stream, MIXTURE_PRIVATE + p, coefficients);
  for (gsize c = 0; c < cols; c++) {
    double sum = coefficients[0] * secrets->data[owner * cols + c]
                 + coefficients[1] * secrets->data[other * cols + c];

    for (gsize j = 0; j < p; j++)
      sum += coefficients[MIXTURE_PRIVATE + j] * others->data[chosen[j] * cols + c];
    ret_image[c] = (float) (!control->is_open && assay_stream_below (stream, 2) == 1 ? -sum : sum);
  }
}

gboolean
inversion_control_make (const InversionControl *control, AssayStreamKey key,
                        AssayControlCase *ret_case, GError **error)
{
  const gsize n = control->n_secrets, total = n * control->n_epochs;
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *secrets = draw_images (control, n, &stream, error);
  AssayMatrix *images = assay_matrix_new (total, control->side * control->side, error);
  g_autoptr (AssayMatrix) others = draw_images (control, control->n_public, &stream, error);

  g_return_val_if_fail (control->n_partners <= MOST_PARTNERS, FALSE);
  ret_case->release = assay_release_new (ASSAY_RELEASE_MIXTURES, "control");
  ret_case->truth = assay_truth_new ();
  if (secrets == NULL || images == NULL || others == NULL) {
    assay_matrix_free (secrets);
    assay_matrix_free (images);
    return FALSE;
  }
  for (gsize t = 0; t < total; t++)
    mix (control, secrets, others, &stream, t % n, assay_matrix_row (images, t));
  ret_case->release->geometry
      = (AssayGeometry){ .height = control->side, .width = control->side, .channels = 1 };
  ret_case->truth->geometry = ret_case->release->geometry;
  ASSAY_SET_PARAMETER (ret_case->release, AssayMixturesParameters, k,
                       (gint64) (MIXTURE_PRIVATE + control->n_partners));
  ASSAY_SET_PARAMETER (ret_case->release, AssayMixturesParameters, epochs,
                       (gint64) control->n_epochs);
  ASSAY_SET_PARAMETER (ret_case->release, AssayMixturesParameters, max_coefficient,
                       MOST_COEFFICIENT);
  assay_arrays_take (&ret_case->truth->arrays, "secrets", assay_array_take_matrix (secrets));
  assay_arrays_take (&ret_case->release->arrays, "images", assay_array_take_matrix (images));
  ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&others));
  return TRUE;
}
