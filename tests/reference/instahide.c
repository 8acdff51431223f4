/* Images, mixtures, and how like the secrets an estimate is. */
#include "tests/reference/instahide.h"

#include <math.h>

#include "core/base/rng.h"

#define WAVES 40

/* Adds @size * cos (@down * y + @right * x + @phase): of a sum, so that a cosine is taken for each
 * row and each column in place of each pixel. */
static void
add_wave (double size, double down, double right, double phase, gsize side, float *image)
{
  g_autofree double *tables = g_new (double, 2 * side);
  double *cosines = tables, *sines = tables + side;

  for (gsize x = 0; x < side; x++) {
    cosines[x] = cos (right * (double) x);
    sines[x] = sin (right * (double) x);
  }
  for (gsize y = 0; y < side; y++) {
    const double angle = down * (double) y + phase;
    const double a = size * cos (angle), b = size * sin (angle);

    for (gsize x = 0; x < side; x++)
      image[y * side + x] += (float) (a * cosines[x] - b * sines[x]);
  }
}

static AssayMatrix *
make_images (gsize n, gsize side, AssayStreamKey key)
{
  AssayMatrix *images = assay_matrix_new (n, side * side, NULL);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);
    float *image = assay_matrix_row (images, i);
    double mean = 0, square = 0;

    for (gsize wave = 0; wave < WAVES; wave++) {
      const double down = assay_stream_between (&stream, -1.2, 1.2);
      const double right = assay_stream_between (&stream, -1.2, 1.2);
      const double phase = assay_stream_between (&stream, 0, 2 * G_PI);
      const double size = assay_stream_normal (&stream) / (0.5 + hypot (down, right));

      add_wave (size, down, right, phase, side, image);
    }
    for (gsize p = 0; p < side * side; p++) {
      mean += image[p] / (double) (side * side);
      square += (double) image[p] * image[p] / (double) (side * side);
    }
    for (gsize p = 0; p < side * side; p++)
      image[p] = (float) ((image[p] - mean) / sqrt (square - mean * mean));
  }
  return images;
}

static void
draw_coefficients (AssayStream *stream, gsize k, double *ret_coefficients)
{
  for (;;) {
    double sum = 0, largest = 0;

    for (gsize j = 0; j < k; j++)
      sum += ret_coefficients[j] = assay_stream_uniform (stream);
    for (gsize j = 0; j < k; j++) {
      ret_coefficients[j] /= sum;
      largest = MAX (largest, ret_coefficients[j]);
    }
    if (largest <= 0.65 && ret_coefficients[0] + ret_coefficients[1] >= 0.3)
      return;
  }
}

/* @image moved by up to @shift pixels either way, and mirrored; what comes into sight is what is
 * next to the border, backwards. */
static void
draw_window (const float *image, gsize side, gsize shift, gboolean is_flipped, AssayStream *stream,
             float *ret_window)
{
  const int s = (int) side;
  int down = 0, right = 0;

  if (shift > 0) {
    down = (int) assay_stream_below (stream, (guint32) (2 * shift + 1)) - (int) shift;
    right = (int) assay_stream_below (stream, (guint32) (2 * shift + 1)) - (int) shift;
  }
  for (int y = 0; y < s; y++)
    for (int x = 0; x < s; x++) {
      int from_y = y + down, from_x = (is_flipped ? s - 1 - x : x) + right;

      from_y = from_y < 0 ? -1 - from_y : from_y >= s ? 2 * s - 1 - from_y : from_y;
      from_x = from_x < 0 ? -1 - from_x : from_x >= s ? 2 * s - 1 - from_x : from_x;
      ret_window[y * s + x] = image[from_y * s + from_x];
    }
}

static void
mix (InstaHide *made, gsize t, AssayStream *stream)
{
  const gsize n = made->sizes.n_secrets, p = made->sizes.n_partners, d = made->cols;
  guint32 *sources = made->sources + 2 * t;
  gsize chosen[16];
  double coefficients[18] = { 0 };
  gboolean is_flipped[2] = { FALSE };
  g_autofree float *windows = NULL;

  sources[0] = (guint32) (t % n);
  sources[1] = (guint32) ((t + 1 + assay_stream_below (stream, n - 1)) % n);
  assay_stream_choose (stream, made->sizes.n_public, p, chosen);
  draw_coefficients (stream, 2 + p, coefficients);
  for (gsize i = 0; i < 2; i++) {
    made->weights[2 * t + i] = (float) coefficients[i];
    assay_matrix_row (made->labels, t)[sources[i] % made->sizes.n_classes]
        += (float) coefficients[i];
  }
  for (gsize i = 0; i < p; i++) {
    made->partners[p * t + i] = (guint32) chosen[i];
    made->shares[p * t + i] = (float) coefficients[2 + i];
  }
  for (gsize i = 0; i < 2 && made->sizes.has_flips; i++)
    is_flipped[i] = assay_stream_below (stream, 2) == 1;
  windows = g_new (float, (2 + p) * d);
  for (gsize i = 0; i < 2; i++)
    draw_window (made->secrets->data + sources[i] * d, made->sizes.side, made->sizes.shift,
                 is_flipped[i], stream, windows + i * d);
  for (gsize i = 0; i < p; i++)
    draw_window (made->publics->data + chosen[i] * d, made->sizes.side, made->sizes.public_shift,
                 FALSE, stream, windows + (2 + i) * d);
  for (gsize j = 0; j < d; j++) {
    double sum = 0;

    for (gsize i = 0; i < 2 + p; i++)
      sum += coefficients[i] * windows[i * d + j];
    made->mixtures->data[t * d + j] = (float) (assay_stream_below (stream, 2) == 0 ? sum : -sum);
  }
}

InstaHide *
instahide_new (const InstaHideSizes *sizes)
{
  InstaHide *made = g_new0 (InstaHide, 1);

  made->sizes = *sizes;
  made->total = sizes->n_secrets * sizes->n_epochs;
  made->cols = sizes->side * sizes->side;
  made->secrets = make_images (sizes->n_secrets, sizes->side,
                               assay_stream_key (sizes->seed, 0, "secrets", "instahide"));
  made->publics = make_images (sizes->n_public, sizes->side,
                               assay_stream_key (sizes->seed, 0, "publics", "instahide"));
  made->mixtures = assay_matrix_new (made->total, made->cols, NULL);
  made->labels = assay_matrix_new (made->total, sizes->n_classes, NULL);
  made->sources = g_new0 (guint32, 2 * made->total);
  made->weights = g_new0 (float, 2 * made->total);
  made->partners = g_new0 (guint32, sizes->n_partners * made->total + 1);
  made->shares = g_new0 (float, sizes->n_partners * made->total + 1);
  for (gsize t = 0; t < made->total; t++) {
    AssayStream stream
        = assay_stream (assay_stream_key (sizes->seed, 0, "mixtures", "instahide"), t);

    mix (made, t, &stream);
  }
  return made;
}

void
instahide_free (InstaHide *made)
{
  if (made == NULL)
    return;
  assay_matrix_free (made->secrets);
  assay_matrix_free (made->publics);
  assay_matrix_free (made->mixtures);
  assay_matrix_free (made->labels);
  g_free (made->sources);
  g_free (made->weights);
  g_free (made->partners);
  g_free (made->shares);
  g_free (made);
}

void
instahide_compare (const InstaHide *made, const float *estimates, double *ret_likeness)
{
  const gsize n = made->sizes.n_secrets, d = made->cols;
  g_autofree double *likeness = g_new (double, n *n);

  for (gsize i = 0; i < n * n; i++) {
    const float *x = made->secrets->data + i / n * d, *y = estimates + i % n * d;
    double xx = 0, xy = 0, yy = 0;

    for (gsize j = 0; j < d; j++) {
      xx += (double) x[j] * x[j];
      xy += (double) x[j] * y[j];
      yy += (double) y[j] * y[j];
    }
    likeness[i] = yy > 0 ? fabs (xy) / sqrt (xx * yy) : 0;
  }
  for (gsize round = 0; round < n; round++) {
    gsize best = 0;

    for (gsize i = 1; i < n * n; i++)
      if (likeness[i] > likeness[best])
        best = i;
    ret_likeness[best / n] = likeness[best];
    for (gsize i = 0; i < n; i++)
      likeness[best / n * n + i] = likeness[i * n + best % n] = -1;
  }
}
