/* Federations of known outcome. */
#include "attacks/updates/samples/update-control.h"

#include "core/math/linalg.h"

#define MODEL_SIZE 0.02

static void
set_parameters (const UpdateControl *control, AssayRelease *release)
{
  const AssayLinearTraining *training = &control->training;

  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, (gint64) control->users);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, (gint64) training->classes);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, batch, 1);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, local_steps, 1);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, training->has_bias ? true : false);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, loss, (guint) training->loss);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, rate, training->rate);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, penalty, training->penalty);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, mix, training->mix);
}

/* What one user makes of @model with @row. */
static void
train_user (const AssayLinearTraining *training, const float *model, const float *row, gint64 label,
            float *ret_local)
{
  const gsize weights = assay_linear_weights (training), first = 0;
  const AssayLinearSamples sample = { assay_view_of (row, 1, training->cols), &label, &first, 1 };
  g_autofree double *w = g_new (double, weights);

  for (gsize i = 0; i < weights; i++)
    w[i] = (double) model[i];
  assay_linear_step (training, &sample, w);
  for (gsize i = 0; i < weights; i++)
    ret_local[i] = (float) w[i];
}

static gint64
draw_label (const UpdateControl *control, AssayStream *stream)
{
  const gsize classes = control->training.classes;
  const gint64 absent = control->absent != NULL ? *control->absent : -1;
  const gint64 label = (gint64) assay_stream_below (stream, absent >= 0 ? classes - 1 : classes);

  return absent >= 0 && label >= absent ? label + 1 : label;
}

/* @n samples: normal, or mixtures of the rows of @base. */
static AssayMatrix *
draw_samples (const UpdateControl *control, gsize n, const AssayMatrix *base, AssayStream *stream,
              GError **error)
{
  const gsize cols = control->training.cols;
  AssayMatrix *samples;
  g_autoptr (AssayMatrix) shares = NULL;

  if (base == NULL)
    return assay_control_normals (n, cols, stream, error);
  samples = assay_matrix_new (n, cols, error);
  shares = assay_control_normals (n, base->rows, stream, error);
  if (samples != NULL && shares != NULL)
    assay_linalg_product (ASSAY_NN, assay_matrix_view (shares), assay_matrix_view (base),
                          samples->data, cols);
  return samples;
}

/* Samples that are like each other, as pictures are; and more of them, for everyone to see. */
static gboolean
draw_all (const UpdateControl *control, gsize n, AssayStream *stream, AssayMatrix **ret_secrets,
          AssayControlCase *ret_case, GError **error)
{
  g_autoptr (AssayMatrix) base
      = control->rank > 0
            ? assay_control_normals (control->rank, control->training.cols, stream, error)
            : NULL;
  AssayMatrix *public_rows;

  if (control->rank > 0 && base == NULL)
    return FALSE;
  *ret_secrets = draw_samples (control, n, base, stream, error);
  if (*ret_secrets == NULL || control->n_public == 0)
    return *ret_secrets != NULL;
  public_rows = draw_samples (control, control->n_public, base, stream, error);
  if (public_rows == NULL)
    return FALSE;
  ret_case->public_rows = assay_rows_take_matrix (public_rows);
  return TRUE;
}

gboolean
update_control_draw (const UpdateControl *control, AssayStream *stream, AssayControlCase *ret_case,
                     GError **error)
{
  const AssayLinearTraining *training = &control->training;
  const gsize weights = assay_linear_weights (training), n = control->users * control->steps;
  AssayMatrix *secrets = NULL;
  g_autoptr (AssayMatrix) models = assay_matrix_new (control->steps + 1, weights, error);
  g_autoptr (AssayMatrix) locals = assay_matrix_new (n, weights, error);
  AssayRelease *release = NULL;

  if (!draw_all (control, n, stream, &secrets, ret_case, error))
    return assay_control_take (ret_case, NULL, secrets);
  for (gsize i = 0; models != NULL && i < weights; i++)
    models->data[i] = (float) (MODEL_SIZE * assay_stream_normal (stream));
  for (gsize i = 0; secrets != NULL && models != NULL && locals != NULL && i < n; i++) {
    const gsize step = i / control->users;
    float *next = assay_matrix_row (models, step + 1), *local = assay_matrix_row (locals, i);

    train_user (training, assay_matrix_row (models, step), assay_matrix_row (secrets, i),
                draw_label (control, stream), local);
    for (gsize j = 0; j < weights; j++)
      next[j] += local[j] / (float) control->users;
  }
  if (models != NULL && locals != NULL) {
    release = assay_release_new (ASSAY_RELEASE_UPDATES, "control");
    set_parameters (control, release);
    assay_arrays_take_matrix (&release->arrays, "models", &models);
    if (control->has_locals)
      assay_arrays_take_matrix (&release->arrays, "locals", &locals);
  }
  return assay_control_take (ret_case, release, secrets);
}

gboolean
update_control_make (const UpdateControl *control, AssayStreamKey key, AssayControlCase *ret_case,
                     GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  UpdateControl drawn = *control;

  if (control->has_any_loss)
    drawn.training.loss = (AssayLoss) assay_stream_below (&stream, 2);
  return update_control_draw (&drawn, &stream, ret_case, error);
}
