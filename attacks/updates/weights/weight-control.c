/* Federations of sparse updates of known outcome. */
#include "attacks/updates/weights/weight-control.h"

#include "core/data/kinds/updates.h"

static void
draw_updates (const WeightControl *control, AssayStream *stream, AssayMatrix *updates)
{
  for (gsize t = 0; t < control->steps; t++)
    for (gsize i = 0; i < control->weights; i++) {
      /* Between 0 and twice as often as on the mean, drawn anew in each step. */
      const double chance = 2 * control->held * assay_stream_uniform (stream);

      for (gsize u = 0; u < control->users; u++)
        if (assay_stream_uniform (stream) < chance)
          assay_matrix_row (updates, t * control->users + u)[i]
              = (float) assay_stream_normal (stream);
    }
}

/* Sums, and the models that follow from them. */
static void
add_up (const WeightControl *control, const AssayMatrix *updates, AssayMatrix *sums,
        AssayMatrix *models)
{
  for (gsize row = 0; row < updates->rows; row++)
    for (gsize i = 0; i < control->weights; i++)
      assay_matrix_row (sums, row / control->users)[i] += updates->data[row * control->weights + i];
  for (gsize t = 0; t < control->steps; t++)
    for (gsize i = 0; i < control->weights; i++)
      assay_matrix_row (models, t + 1)[i] = assay_matrix_row (sums, t)[i] / (float) control->users;
}

static gint64 *
draw_permutation (AssayStream *stream, gsize n)
{
  gint64 *permutation = g_new (gint64, n);
  g_autofree gsize *order = g_new (gsize, n);

  assay_stream_permutation (stream, n, order);
  for (gsize i = 0; i < n; i++)
    permutation[i] = (gint64) order[i];
  return permutation;
}

/* One message of each user and step: where the weights that it holds stand after @shared. */
static void
take_messages (const WeightControl *control, const AssayMatrix *updates, const gint64 *shared,
               AssayArrays *arrays)
{
  const gsize n = updates->rows, width = control->weights;
  gint64 *slots = g_new (gint64, n * width);
  gint64 *senders = g_new (gint64, n), *steps = g_new (gint64, n);

  for (gsize row = 0; row < n; row++) {
    gsize count = 0;

    senders[row] = (gint64) (row % control->users);
    steps[row] = (gint64) (row / control->users);
    for (gsize i = 0; i < width; i++)
      slots[row * width + i] = -1;
    for (gsize i = 0; i < width; i++)
      if (updates->data[row * width + i] != 0)
        slots[row * width + count++] = shared[i];
  }
  assay_arrays_take_rows (arrays, "slots", ASSAY_INT64, n, width, slots);
  assay_arrays_take (arrays, "senders", assay_array_take (ASSAY_INT64, 1, &n, senders));
  assay_arrays_take (arrays, "sent-steps", assay_array_take (ASSAY_INT64, 1, &n, steps));
}

static AssayRelease *
make_release (const WeightControl *control, AssayStream *stream, const AssayMatrix *updates,
              AssayMatrix *sums, AssayMatrix *models)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_UPDATES, "control");
  AssayMatrix *own
      = control->has_own ? assay_matrix_new (control->steps, control->weights, NULL) : NULL;
  g_autofree gint64 *shared = draw_permutation (stream, control->weights);

  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, (gint64) control->users);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, 1);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, false);
  assay_arrays_take_matrix (&release->arrays, "models", &models);
  assay_arrays_take_matrix (&release->arrays, "sums", &sums);
  for (gsize i = 0; own != NULL && i < control->steps * control->weights; i++)
    own->data[i] = updates->data[i / control->weights * control->users * control->weights
                                 + i % control->weights];
  if (own != NULL)
    assay_arrays_take_matrix (&release->arrays, "own", &own);
  if (control->has_locals) {
    AssayMatrix *locals = assay_matrix_copy (assay_matrix_view (updates), NULL);

    assay_arrays_take_matrix (&release->arrays, "locals", &locals);
  }
  if (control->has_messages)
    take_messages (control, updates, shared, &release->arrays);
  if (control->has_shared)
    assay_arrays_take_rows (&release->arrays, "permutations", ASSAY_INT64, 1, control->weights,
                            g_steal_pointer (&shared));
  return release;
}

gboolean
weight_control_make (const WeightControl *control, AssayStreamKey key, AssayControlCase *ret_case,
                     GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *secrets = assay_control_normals (control->users, control->weights, &stream, error);
  g_autoptr (AssayMatrix) updates
      = assay_matrix_new (control->steps * control->users, control->weights, error);
  AssayMatrix *sums = assay_matrix_new (control->steps, control->weights, error);
  AssayMatrix *models = assay_matrix_new (control->steps + 1, control->weights, error);
  AssayRelease *release = NULL;

  if (updates == NULL || sums == NULL || models == NULL) {
    assay_matrix_free (sums);
    assay_matrix_free (models);
    return assay_control_take (ret_case, NULL, secrets);
  }
  draw_updates (control, &stream, updates);
  add_up (control, updates, sums, models);
  release = make_release (control, &stream, updates, sums, models);
  if (!assay_control_take (ret_case, release, secrets))
    return FALSE;
  assay_arrays_take_matrix (&ret_case->truth->arrays, "updates", &updates);
  return TRUE;
}
