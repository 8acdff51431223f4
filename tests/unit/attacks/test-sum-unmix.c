/* Samples out of sums of updates, against the samples that were summed. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/updates/sums/sum-space.h"
#include "tests/reference/fixtures.h"

enum { COLS = 24, CLASSES = 9, SUMS = 12 };

/* How many of the @n samples of sum number @number are found. */
static gsize
play (AssayLoss loss, gsize n, guint64 number, gsize *ret_said)
{
  const AssayLinearTraining training
      = { .classes = CLASSES, .cols = COLS, .loss = loss, .rate = 1e-2 };
  const gsize weights = assay_linear_weights (&training);
  g_autoptr (AssayMatrix) rows = fixture_normal (n, COLS, 1000 + number);
  g_autoptr (AssayMatrix) model = fixture_normal (1, weights, number);
  g_autofree double *sum = g_new0 (double, weights);
  g_autofree double *after = g_new (double, weights);
  g_autoptr (GPtrArray) samples = NULL;
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (SumSpace) space = { 0 };
  AssayStream stream = assay_stream (assay_stream_key (number, 0, "test", ""), 0);
  gsize found = 0;

  for (gsize i = 0; i < weights; i++)
    model->data[i] *= 0.15f;
  for (gsize s = 0; s < n; s++) {
    const gint64 label = (gint64) ((s + number) % CLASSES);

    for (gsize i = 0; i < weights; i++)
      after[i] = (double) model->data[i];
    assay_linear_step (
        &training,
        &(AssayLinearSamples){ assay_matrix_view (rows),
                               (gint64[]){ label, label, label, label, label, label, label, label },
                               &s, 1 },
        after);
    for (gsize i = 0; i < weights; i++)
      sum[i] += after[i];
  }
  for (gsize i = 0; i < weights; i++)
    sum[i] = (double) (float) sum[i];
  cr_assert (update_gradient_init (&training, &gradient, NULL));
  update_gradient_read (&training, model->data, sum, n, &gradient);
  cr_assert (sum_space_init (&training, model->data, &gradient, &space, NULL));
  samples = loss == ASSAY_LOSS_HINGE ? sum_hinge (&space, &stream) : sum_logistic (&space, &stream);
  for (gsize s = 0; s < n; s++) {
    gboolean is_there = FALSE;

    for (guint i = 0; i < samples->len; i++) {
      const SumSample *sample = samples->pdata[i];
      double off = 0;

      for (gsize j = 0; j < COLS; j++) {
        double value = 0;

        for (gsize r = 0; r < space.rank; r++)
          value += sample->u[r] * space.vt[r * space.width + j];
        off += pow (value - (double) rows->data[s * COLS + j], 2);
      }
      is_there |= off < 1e-4 && sample->label == (gint64) ((s + number) % CLASSES);
    }
    found += is_there;
  }
  *ret_said = samples->len;
  return found;
}

Test (sum_unmix, finds_the_samples_of_a_few_users)
{
  for (guint loss = ASSAY_LOSS_HINGE; loss <= ASSAY_LOSS_LOGISTIC; loss++)
    for (gsize n = 1; n <= 4; n++) {
      gsize found = 0, said;

      for (guint64 number = 0; number < SUMS; number++)
        found += play (loss, n, number, &said);
      cr_assert (found >= SUMS * n * 8 / 10, "loss %u, %zu samples: %zu of %zu", loss, n, found,
                 SUMS * n);
    }
}

/* As many samples as classes span everything: nothing is said. */
Test (sum_unmix, is_silent_about_many)
{
  gsize said;

  (void) play (ASSAY_LOSS_LOGISTIC, 7, 1, &said);
  cr_assert_eq (said, 0, "%zu of a logistic sum", said);
}
