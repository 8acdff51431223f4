/* Cross-entropies beside that of equal shares: a row whose shares sum to s has s ln C. */
#include "metrics/learning/training-note.h"

#include <math.h>

#include "core/base/vectors.h"

static double
equal_loss (AssayView shares)
{
  double sum = 0;

  for (gsize i = 0; i < shares.rows; i++)
    for (gsize c = 0; c < shares.cols; c++)
      sum += (double) assay_view_row (shares, i)[c];
  return sum / (double) shares.rows * log ((double) shares.cols);
}

static double
loss_of (AssayView shares, const float *given)
{
  double sum = 0;

  for (gsize i = 0; i < shares.rows; i++)
    sum += assay_cross_entropy (assay_view_row (shares, i), given + i * shares.cols, shares.cols);
  return sum / (double) shares.rows;
}

/* NAN: something was. */
static gboolean
find_useless_loss (const TrainingEnd *end, AssayView shares, TrainingPredict predict,
                   gconstpointer data, double *ret_loss, GError **error)
{
  const double equal = equal_loss (shares);
  g_autofree float *given = NULL;
  double loss;

  *ret_loss = (double) NAN;
  /* Of one class there is nothing to learn; and a pass may begin far above where it ends. */
  if (shares.cols < 2 || end->loss < equal)
    return TRUE;
  given = assay_alloc (shares.rows, shares.cols * sizeof *given, "shares of classes", error);
  if (given == NULL || !predict (data, given, error))
    return FALSE;
  loss = loss_of (shares, given);
  if (loss >= equal)
    *ret_loss = loss;
  return TRUE;
}

gboolean
training_note (const TrainingEnd *end, AssayView shares, TrainingPredict predict,
               gconstpointer data, char **ret_note, GError **error)
{
  GString *note;
  double loss;

  if (!find_useless_loss (end, shares, predict, data, &loss, error))
    return FALSE;
  note = g_string_new (NULL);
  if (end->has_diverged)
    g_string_append_printf (note,
                            "training diverged in epoch %zu of %zu (learning_rate = %g): the "
                            "network is that of epoch %zu",
                            end->epochs + 1, end->planned, end->rate, end->epochs);
  if (!isnan (loss))
    g_string_append_printf (note,
                            "%snothing was learned (learning_rate = %g): the loss of the training "
                            "rows is %.4g, and equal shares of %zu classes would have %.4g",
                            note->len > 0 ? "; " : "", end->rate, loss, shares.cols,
                            equal_loss (shares));
  *ret_note = g_string_free (note, note->len == 0);
  return TRUE;
}
