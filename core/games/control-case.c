/* Parts of cases of known outcome. */
#include "core/games/control-case.h"

#include <math.h>
#include <string.h>

AssayMatrix *
assay_control_normals (gsize rows, gsize cols, AssayStream *stream, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (rows, cols, error);

  for (gsize i = 0; matrix != NULL && i < rows * cols; i++)
    matrix->data[i] = (float) assay_stream_normal (stream);
  return matrix;
}

void
assay_control_smooth (gsize side, gsize window, AssayStream *stream, float *ret_image)
{
  const gsize wide = side + window - 1, cols = side * side;
  g_autofree double *noise = g_new (double, wide *wide);
  double mean = 0, square = 0;

  for (gsize i = 0; i < wide * wide; i++)
    noise[i] = assay_stream_normal (stream);
  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++) {
      double sum = 0;

      for (gsize i = 0; i < window; i++)
        for (gsize j = 0; j < window; j++)
          sum += noise[(y + i) * wide + x + j];
      ret_image[y * side + x] = (float) sum;
      mean += sum / (double) cols;
      square += sum * sum / (double) cols;
    }
  for (gsize i = 0; i < cols; i++)
    ret_image[i] = (float) ((ret_image[i] - mean) / sqrt (square - mean * mean));
}

AssayRelease *
assay_control_vectors (AssayView secrets, GError **error)
{
  AssayMatrix *vectors = assay_matrix_copy (secrets, error);
  AssayRelease *release;

  if (vectors == NULL)
    return NULL;
  release = assay_release_new (ASSAY_RELEASE_VECTORS, "control");
  assay_arrays_take (&release->arrays, "vectors", assay_array_take_matrix (vectors));
  return release;
}

gboolean
assay_control_take (AssayControlCase *ret_case, AssayRelease *release, AssayMatrix *secrets)
{
  const gboolean is_whole = release != NULL && secrets != NULL;

  ret_case->release = release;
  ret_case->truth = assay_truth_new ();
  if (secrets != NULL)
    assay_arrays_take (&ret_case->truth->arrays, "secrets", assay_array_take_matrix (secrets));
  return is_whole;
}

/* ---- A defense of known outcome ---- */

AssayRelease *
assay_control_noisy (const AssayControlNoise *defense, AssayView rows, guint64 number,
                     GError **error)
{
  AssayStream stream = assay_stream (defense->key, number);
  g_autoptr (AssayMatrix) noisy = assay_matrix_copy (rows, error);
  g_autofree float *moved = g_new0 (float, rows.cols);

  for (gsize j = 0; defense->moves > 0 && j < rows.cols; j++)
    moved[j] = (float) (defense->moves * assay_stream_normal (&stream));
  for (gsize i = 0; noisy != NULL && i < rows.rows * rows.cols; i++)
    noisy->data[i]
        += moved[i % rows.cols] + (float) (defense->noise * assay_stream_normal (&stream));
  return noisy != NULL ? assay_control_vectors (assay_matrix_view (noisy), error) : NULL;
}

#define CHOICE 0x9e3779b9u

typedef struct {
  AssayControlNoise defense;
  guint64 first;
} NoiseRuns;

static gboolean
run_noise (gconstpointer data, guint64 number, const AssayOwnRows *own, AssayShadowMade *ret_made,
           GError **error)
{
  const NoiseRuns *runs = data;
  AssayMatrix *copy = assay_matrix_copy (own->rows, error);

  if (copy == NULL)
    return FALSE;
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets", assay_array_take_matrix (copy));
  ret_made->release = assay_control_noisy (&runs->defense, own->rows, runs->first + number, error);
  if (ret_made->release != NULL)
    return TRUE;
  g_clear_pointer (&ret_made->truth, assay_truth_free);
  return FALSE;
}

AssayShadow *
assay_control_noisy_shadow (const AssayControlNoise *defense, guint64 first,
                            const AssayShadowTerms *terms)
{
  const NoiseRuns runs = { *defense, first };
  AssayShadowTerms all = *terms;

  all.run = run_noise;
  all.data = g_memdup2 (&runs, sizeof runs);
  all.free_data = g_free;
  /* Other numbers than those of the noise. */
  all.choice = (AssayStreamKey){ { defense->key.word[0] ^ CHOICE, defense->key.word[1] } };
  return assay_shadow_new (&all);
}

/* ---- Games that it is played in ---- */

gboolean
assay_control_members (const AssayControlNoise *defense, gsize n, gsize cols, guint64 runs,
                       AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (defense->key, G_MAXUINT32);
  AssayMatrix *records = assay_control_normals (n, cols, &stream, error);
  g_autoptr (AssayMatrix) secrets = records != NULL ? assay_matrix_new (n / 2, cols, error) : NULL;
  g_autofree gsize *order = g_new (gsize, n);
  gint64 *members;

  if (secrets == NULL) {
    assay_matrix_free (records);
    return FALSE;
  }
  members = g_new0 (gint64, n);
  assay_stream_permutation (&stream, n, order);
  for (gsize i = 0; i < n / 2; i++) {
    members[order[i]] = 1;
    memcpy (assay_matrix_row (secrets, i), assay_matrix_row (records, order[i]),
            cols * sizeof (float));
  }
  ret_case->records = assay_rows_take_matrix (records);
  ret_case->truth = assay_truth_new ();
  assay_arrays_take (&ret_case->truth->arrays, "members",
                     assay_array_take (ASSAY_INT64, 1, &n, members));
  ret_case->release = assay_control_noisy (defense, assay_matrix_view (secrets), 0, error);
  ret_case->shadow = assay_control_noisy_shadow (
      defense, 1, &(AssayShadowTerms){ .runs = runs, .n_secrets = n / 2, .has_key = TRUE });
  return ret_case->release != NULL;
}

gboolean
assay_control_hide_members (AssayControlCase *inout_case, AssayMatrix *others, AssayStream *stream)
{
  const AssayView secrets
      = assay_array_view (assay_arrays_get (&inout_case->truth->arrays, "secrets"));
  const gsize n = 2 * secrets.rows;
  g_autofree gsize *order = NULL;
  gint64 *members;

  if (others == NULL)
    return FALSE;
  order = g_new (gsize, n);
  members = g_new0 (gint64, n);
  assay_stream_permutation (stream, n, order);
  for (gsize i = 0; i < secrets.rows; i++) {
    members[order[i]] = 1;
    memcpy (assay_matrix_row (others, order[i]), assay_view_row (secrets, i),
            secrets.cols * sizeof (float));
  }
  inout_case->records = assay_rows_take_matrix (others);
  assay_arrays_take (&inout_case->truth->arrays, "members",
                     assay_array_take (ASSAY_INT64, 1, &n, members));
  return TRUE;
}

gboolean
assay_control_mates (const AssayControlNoise *defense, gsize n, gsize cols, guint64 runs,
                     AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (defense->key, G_MAXUINT32);
  g_autoptr (AssayMatrix) secrets = assay_control_normals (n, cols, &stream, error);
  g_autoptr (AssayMatrix) turned = secrets != NULL ? assay_matrix_new (n, cols, error) : NULL;
  AssayMatrix *others = turned != NULL ? assay_control_normals (4 * n, cols, &stream, error) : NULL;
  gint64 *mates;

  if (others == NULL)
    return FALSE;
  mates = g_new (gint64, n);
  for (gsize i = 0; i < n; i++) {
    mates[i] = (gint64) (n - 1 - i);
    memcpy (assay_matrix_row (turned, i), assay_matrix_row (secrets, n - 1 - i),
            cols * sizeof (float));
  }
  ret_case->public_rows = assay_rows_take_matrix (others);
  ret_case->truth = assay_truth_new ();
  assay_arrays_take (&ret_case->truth->arrays, "mates",
                     assay_array_take (ASSAY_INT64, 1, &n, mates));
  ret_case->release = assay_control_noisy (defense, assay_matrix_view (secrets), 0, error);
  ret_case->crossed = assay_control_noisy (defense, assay_matrix_view (turned), 1, error);
  ret_case->shadow = assay_control_noisy_shadow (
      defense, 2, &(AssayShadowTerms){ .runs = runs, .n_secrets = n });
  return ret_case->release != NULL && ret_case->crossed != NULL;
}
