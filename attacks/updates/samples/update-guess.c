/* What attacks on model updates say of the samples that they found. */
#include "attacks/updates/samples/update-guess.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/data/kinds/updates.h"

const AssayArraySpec update_guess_arrays[] = {
  { "of-steps", "n", ASSAY_INT64, TRUE, 0 },
  { "of-users", "n", ASSAY_INT64, TRUE, 0 },
  { "known-columns", "nd", ASSAY_UINT8, TRUE, 0 },
  { "estimated-labels", "n", ASSAY_INT64, TRUE, 0 },
  { "of-rows", "n", ASSAY_INT64, TRUE, 0 },
  { "pictures", "np", ASSAY_FLOAT32, TRUE, 0 },
  { .name = NULL },
};

void
update_guess_init (UpdateGuess *guess, gsize cols)
{
  guess->values = g_array_new (FALSE, FALSE, sizeof (float));
  guess->is_known = g_array_new (FALSE, FALSE, sizeof (guint8));
  guess->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  guess->users = g_array_new (FALSE, FALSE, sizeof (gint64));
  guess->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  guess->cols = cols;
}

void
update_guess_init_averages (UpdateGuess *guess, gsize cols)
{
  update_guess_init (guess, cols);
  guess->rows = g_array_new (FALSE, FALSE, sizeof (gint64));
}

ASSAY_CLEAR_FUNC (UpdateGuess, update_guess_clear, assay_drop (self->values, g_array_unref),
                  assay_drop (self->is_known, g_array_unref),
                  assay_drop (self->steps, g_array_unref), assay_drop (self->users, g_array_unref),
                  assay_drop (self->labels, g_array_unref), assay_drop (self->rows, g_array_unref))

void
update_guess_add (UpdateGuess *guess, const UpdateFound *found)
{
  const gint64 step = (gint64) found->step;

  for (gsize j = 0; j < guess->cols; j++) {
    const float value = (float) found->values[j];
    const guint8 is_known = found->is_known == NULL || found->is_known[j];

    g_array_append_val (guess->values, value);
    g_array_append_val (guess->is_known, is_known);
  }
  g_array_append_val (guess->steps, step);
  g_array_append_val (guess->users, found->user);
  g_array_append_val (guess->labels, found->label);
  if (guess->rows != NULL)
    g_array_append_val (guess->rows, found->row);
}

/* Nothing was found: a guess must hold an estimate. */
static void
add_nothing (UpdateGuess *guess)
{
  g_autofree double *zeros = g_new0 (double, guess->cols);
  g_autofree guint8 *none = g_new0 (guint8, guess->cols);

  update_guess_add (
      guess,
      &(UpdateFound){ .values = zeros, .is_known = none, .user = -1, .label = -1, .row = -1 });
}

static void
take (AssayArrays *arrays, const char *name, AssayType type, const gsize *shape, GArray *numbers)
{
  const guint n_dimensions = shape[1] > 0 ? 2 : 1;

  assay_arrays_take (
      arrays, name,
      assay_array_take (type, n_dimensions, shape,
                        g_memdup2 (numbers->data, numbers->len * assay_type_size (type))));
}

/* Rows that were trained on as rows of length 1 are found up to their length. Scaled columns have a
 * variance of 1, and so rows a length near sqrt (d). */
static void
lengthen (float *inout_values, gsize n, gsize d)
{
  for (gsize i = 0; i < n; i++) {
    float *row = inout_values + i * d;
    const double square = assay_lanes_squared_norm (row, d);

    for (gsize j = 0; square > 0 && j < d; j++)
      row[j] = (float) ((double) row[j] * sqrt ((double) d / square));
  }
}

void
update_guess_take (UpdateGuess *guess, const AssayRelease *release, AssayGuess *ret_guess)
{
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");
  const AssayArray *deviation = assay_arrays_get (&release->arrays, "deviation");
  const bool *shortened = ASSAY_PARAMETER (release, AssayUpdatesParameters, shortened);
  AssayArrays *arrays = &ret_guess->arrays;
  float *values;
  gsize n;

  if (guess->steps->len == 0)
    add_nothing (guess);
  n = guess->steps->len;
  values = (float *) (gpointer) guess->values->data;
  if (shortened != NULL && *shortened && mean != NULL)
    lengthen (values, n, guess->cols);
  for (gsize i = 0; mean != NULL && deviation != NULL && i < n; i++)
    for (gsize j = 0; j < guess->cols; j++)
      values[i * guess->cols + j]
          = assay_array_view (mean).data[j]
            + values[i * guess->cols + j] * assay_array_view (deviation).data[j];
  take (arrays, "estimates", ASSAY_FLOAT32, (const gsize[]){ n, guess->cols }, guess->values);
  take (arrays, "known-columns", ASSAY_UINT8, (const gsize[]){ n, guess->cols }, guess->is_known);
  take (arrays, "of-steps", ASSAY_INT64, (const gsize[]){ n, 0 }, guess->steps);
  take (arrays, "of-users", ASSAY_INT64, (const gsize[]){ n, 0 }, guess->users);
  take (arrays, "estimated-labels", ASSAY_INT64, (const gsize[]){ n, 0 }, guess->labels);
  if (guess->rows != NULL)
    take (arrays, "of-rows", ASSAY_INT64, (const gsize[]){ n, 0 }, guess->rows);
  ret_guess->is_unordered = TRUE;
}

guint64
update_guess_memory (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape)
{
  return (guint64) shape->n_outputs * 4 * sizeof (double)
         + (guint64) shape->n_members * shape->cols * (sizeof (float) + 1) * 2;
}
