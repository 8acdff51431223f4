/* Parts of cases of known outcome. */
#include "core/games/control-case.h"

AssayMatrix *
assay_control_normals (gsize rows, gsize cols, AssayStream *stream, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (rows, cols, error);

  for (gsize i = 0; matrix != NULL && i < rows * cols; i++)
    matrix->data[i] = (float) assay_stream_normal (stream);
  return matrix;
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
