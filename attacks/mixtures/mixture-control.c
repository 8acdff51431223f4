/* Gaussian images and their mixtures. */
#include "attacks/mixtures/mixture-control.h"

#include "core/data/kinds/mixtures.h"

#define MOST_IMAGES 16
#define MOST_COEFFICIENT 0.65

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

  for (gsize i = 0; images != NULL && i < n * cols; i++) {
    const double value = assay_stream_normal (stream);

    images->data[i] = (float) (control->is_positive ? value * value : value);
  }
  return images;
}

static void
draw_coefficients (AssayStream *stream, gsize k, double *ret_coefficients)
{
  double largest = 1;

  while (largest > MAX (MOST_COEFFICIENT, 1.2 / (double) k)) {
    double sum = 0;

    for (gsize j = 0; j < k; j++) {
      ret_coefficients[j] = assay_stream_uniform (stream);
      sum += ret_coefficients[j];
    }
    largest = 0;
    for (gsize j = 0; j < k; j++) {
      ret_coefficients[j] /= sum;
      largest = MAX (largest, ret_coefficients[j]);
    }
  }
}

/* Mixture number @index, of the secret @owner; whom with is written to @sources and @partners. */
static void
mix (const MixtureControl *control, const AssayMatrix *secrets, const AssayMatrix *others,
     AssayStream *stream, gsize owner, gint64 *sources, gint64 *partners, float *ret_image)
{
  const gsize s = sources_of (control), p = control->n_partners, cols = secrets->cols;
  double coefficients[MOST_IMAGES];
  gsize chosen[MOST_IMAGES];

  sources[0] = (gint64) owner;
  assay_stream_choose (stream, control->n_secrets - 1, s - 1, chosen);
  for (gsize j = 1; j < s; j++)
    sources[j] = (gint64) ((owner + 1 + chosen[j - 1]) % control->n_secrets);
  assay_stream_choose (stream, control->n_public, p, chosen);
  for (gsize j = 0; j < p; j++)
    partners[j] = (gint64) chosen[j];
  draw_coefficients (stream, s + p, coefficients);
  for (gsize c = 0; c < cols; c++) {
    double sum = 0;

    for (gsize j = 0; j < s; j++)
      sum += coefficients[j] * secrets->data[(gsize) sources[j] * cols + c];
    for (gsize j = 0; j < p; j++)
      sum += coefficients[s + j] * others->data[(gsize) partners[j] * cols + c];
    if (control->has_mask && assay_stream_uniform (stream) < 0.5)
      sum = -sum;
    ret_image[c] = (float) sum;
  }
}

static void
take_numbers (AssayArrays *arrays, const char *name, gsize rows, gsize cols, gint64 *values)
{
  if (cols > 0)
    assay_arrays_take (arrays, name,
                       assay_array_take (ASSAY_INT64, 2, (const gsize[]){ rows, cols }, values));
  else
    g_free (values);
}

gboolean
mixture_control_make (const MixtureControl *control, AssayStreamKey key, AssayControlCase *ret_case,
                      GError **error)
{
  const gsize n = control->n_secrets, s = sources_of (control), p = control->n_partners;
  const gsize total = n * MAX (control->n_epochs, 1), cols = control->side * control->side;
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) secrets = draw_images (control, &stream, n, error);
  g_autoptr (AssayMatrix) others = draw_images (control, &stream, control->n_public, error);
  g_autoptr (AssayMatrix) images = assay_matrix_new (total, cols, error);
  gint64 *sources, *partners, *owners;

  g_return_val_if_fail (s >= 1 && s <= n && s + p <= MOST_IMAGES, FALSE);
  if (secrets == NULL || others == NULL || images == NULL)
    return FALSE;
  sources = g_new (gint64, total * s);
  partners = g_new (gint64, total * p + 1); /* never NULL, which has no offsets */
  owners = g_new (gint64, total);
  for (gsize i = 0; i < total; i++) {
    AssayStream own = assay_stream (key, 1 + i);

    owners[i] = (gint64) (i % n);
    mix (control, secrets, others, &own, i % n, sources + i * s, partners + i * p,
         assay_matrix_row (images, i));
  }
  ret_case->groups = g_memdup2 (owners, total * sizeof *owners);
  ret_case->release = assay_release_new (ASSAY_RELEASE_MIXTURES, "control");
  ASSAY_SET_PARAMETER (ret_case->release, AssayMixturesParameters, k, (gint64) (s + p));
  ret_case->release->geometry = (AssayGeometry){ control->side, control->side, 1, 0, 0 };
  assay_arrays_take (&ret_case->release->arrays, "images",
                     assay_array_take_matrix (g_steal_pointer (&images)));
  ret_case->truth = assay_truth_new ();
  ret_case->truth->geometry = ret_case->release->geometry;
  assay_arrays_take (&ret_case->truth->arrays, "secrets",
                     assay_array_take_matrix (g_steal_pointer (&secrets)));
  take_numbers (&ret_case->truth->arrays, "sources", total, s, sources);
  take_numbers (&ret_case->truth->arrays, "partners", total, p, partners);
  assay_arrays_take (&ret_case->truth->arrays, "owners",
                     assay_array_take (ASSAY_INT64, 1, &total, owners));
  if (control->n_public > 0)
    ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&others));
  return TRUE;
}
