/* Gaussian images and their mixtures. */
#include "attacks/mixtures/mixture-control.h"

#include <math.h>

#include "core/data/kinds/mixtures.h"

#define MOST_IMAGES 16
#define MOST_COEFFICIENT 0.65
#define LEAST_PRIVATE 0.3

static gsize
sources_of (const MixtureControl *control)
{
  return MAX (control->n_sources, 1);
}

static AssayMatrix *
draw_images (const MixtureControl *control, AssayStream *stream, gsize n, GError **error)
{
  const gsize cols = control->side * control->side;
  AssayMatrix *images = assay_matrix_new (n, cols, error);

  for (gsize i = 0; images != NULL && i < n; i++) {
    float *image = assay_matrix_row (images, i);

    if (control->window > 0)
      assay_control_smooth (control->side, control->window, stream, image);
    for (gsize c = 0; control->window == 0 && c < cols; c++) {
      const double value = assay_stream_normal (stream);

      image[c] = (float) (control->is_positive ? value * value : value);
    }
  }
  return images;
}

static void
draw_coefficients (const MixtureControl *control, AssayStream *stream, double *ret_coefficients)
{
  const gsize s = sources_of (control), k = s + control->n_partners;
  double largest, private_share;

  do {
    double sum = 0;

    largest = private_share = 0;
    for (gsize j = 0; j < k; j++)
      sum += ret_coefficients[j] = assay_stream_uniform (stream);
    for (gsize j = 0; j < k; j++) {
      ret_coefficients[j] /= sum;
      largest = MAX (largest, ret_coefficients[j]);
      private_share += j < s ? ret_coefficients[j] : 0;
    }
  } while (largest > MAX (MOST_COEFFICIENT, 1.2 / (double) k)
           || (control->window > 0 && private_share < LEAST_PRIVATE)
           || (control->most_private > 0 && private_share > control->most_private));
}

/* The mask of smooth images takes a word of the stream for each sign, that of others two. */
static gboolean
draw_sign (const MixtureControl *control, AssayStream *stream)
{
  return control->window > 0 ? assay_stream_below (stream, 2) == 1
                             : assay_stream_uniform (stream) < 0.5;
}

typedef struct {
  const MixtureControl *control;
  const AssayMatrix *secrets;
  const AssayMatrix *others;
  AssayMatrix *images;
  gint64 *sources;  /* total x s */
  gint64 *partners; /* total x p */
} Mixing;

/* Mixture number @index, of the secret @owner. */
static void
mix (const Mixing *mixing, gsize index, gint64 owner, AssayStream *stream)
{
  const MixtureControl *control = mixing->control;
  const gsize s = sources_of (control), p = control->n_partners, cols = mixing->secrets->cols;
  const gsize n_drawn = control->is_single ? 0 : s - 1;
  gint64 *sources = mixing->sources + index * s, *partners = mixing->partners + index * p;
  double coefficients[MOST_IMAGES];
  gsize chosen[MOST_IMAGES];

  assay_stream_choose (stream, control->n_secrets - 1, n_drawn, chosen);
  for (gsize j = 0; j < s; j++)
    sources[j] = j == 0 || control->is_single
                     ? owner
                     : (owner + 1 + (gint64) chosen[j - 1]) % (gint64) control->n_secrets;
  assay_stream_choose (stream, control->n_public, p, chosen);
  for (gsize j = 0; j < p; j++)
    partners[j] = (gint64) chosen[j];
  draw_coefficients (control, stream, coefficients);
  for (gsize c = 0; c < cols; c++) {
    double sum = 0;

    for (gsize j = 0; j < s; j++)
      sum += coefficients[j] * mixing->secrets->data[(gsize) sources[j] * cols + c];
    for (gsize j = 0; j < p; j++)
      sum += coefficients[s + j] * mixing->others->data[(gsize) partners[j] * cols + c];
    if (control->has_mask && draw_sign (control, stream))
      sum = -sum;
    assay_matrix_row (mixing->images, index)[c] = (float) sum;
  }
}

static AssayRelease *
new_release (const MixtureControl *control, AssayMatrix **images)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "control");

  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k,
                       (gint64) (sources_of (control) + control->n_partners));
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, epochs,
                       (gint64) MAX (control->n_epochs, 1));
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient, MOST_COEFFICIENT);
  release->geometry
      = (AssayGeometry){ .height = control->side, .width = control->side, .channels = 1 };
  assay_arrays_take_matrix (&release->arrays, "images", images);
  return release;
}

gboolean
mixture_control_make (const MixtureControl *control, AssayStreamKey key, AssayControlCase *ret_case,
                      GError **error)
{
  const gsize n = control->n_secrets, s = sources_of (control), p = control->n_partners;
  const gsize total = n * MAX (control->n_epochs, 1), cols = control->side * control->side;
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) secrets = draw_images (control, &stream, n, error);
  g_autoptr (AssayMatrix) others
      = control->public_rows != NULL
            ? assay_rows_matrix (control->public_rows, ASSAY_SCALE_NONE, error)
            : draw_images (control, &stream, control->n_public, error);
  g_autoptr (AssayMatrix) images = assay_matrix_new (total, cols, error);
  g_autofree gint64 *partners
      = g_new (gint64, total * p + 1); /* never NULL, which has no offsets */
  Mixing mixing = { control, secrets, others, images, NULL, partners };
  AssayArrays *truth;

  g_return_val_if_fail (s >= 1 && s <= n && s + p <= MOST_IMAGES, FALSE);
  if (secrets == NULL || others == NULL || images == NULL)
    return FALSE;
  mixing.sources = g_new (gint64, total * s);
  ret_case->groups = g_new (gint64, total);
  for (gsize i = 0; i < total; i++) {
    AssayStream own = assay_stream (key, 1 + i);

    ret_case->groups[i] = (gint64) (i % n);
    mix (&mixing, i, ret_case->groups[i], control->window > 0 ? &stream : &own);
  }
  ret_case->release = new_release (control, &images);
  ret_case->truth = assay_truth_new ();
  ret_case->truth->geometry = ret_case->release->geometry;
  truth = &ret_case->truth->arrays;
  assay_arrays_take_matrix (truth, "secrets", &secrets);
  assay_arrays_take_rows (truth, "sources", ASSAY_INT64, total, s, mixing.sources);
  if (p > 0)
    assay_arrays_take_rows (truth, "partners", ASSAY_INT64, total, p, g_steal_pointer (&partners));
  assay_arrays_take (truth, "owners",
                     assay_array_take (ASSAY_INT64, 1, &total,
                                       g_memdup2 (ret_case->groups, total * sizeof (gint64))));
  if (control->n_public > 0)
    ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&others));
  return TRUE;
}
