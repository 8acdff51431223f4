/* Paired encoders: their gradients against differences, Adam against its formulas, what is released
 * of them, and that threads change nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/learn/paired-encoders.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/assert-stops.h"

enum { N = 23, D_IMAGE = 5, D_TEXT = 3, BITS = 4 };

/* A loss that has something of every number: sum_ib c_ib u_ib v_ib + u_ib^3. */
static double
make_loss (const AssayPairedBatch *batch, gpointer data, double *const inout_slopes[ASSAY_N_PAIRED])
{
  double sum = 0;

  (void) data;
  for (gsize i = 0; i < batch->count; i++)
    for (gsize b = 0; b < batch->bits; b++) {
      const gsize k = i * batch->bits + b;
      const double c = 1 + 0.1 * (double) batch->items[i] - 0.3 * (double) b;
      const double u = batch->outputs[0][k], v = batch->outputs[1][k];

      sum += c * u * v + u * u * u;
      inout_slopes[0][k] += c * v + 3 * u * u;
      inout_slopes[1][k] += c * u;
    }
  return sum;
}

static AssayPairedEncoders *
encoders_of (const AssayPairedTraining *training, AssayMatrix *ret_rows[ASSAY_N_PAIRED])
{
  AssayView views[ASSAY_N_PAIRED];

  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    ret_rows[s] = fixture_normal (N, s == 0 ? D_IMAGE : D_TEXT, 7 + s);
    for (gsize k = 0; k < N * ret_rows[s]->cols; k++)
      ret_rows[s]->data[k] = 3 * ret_rows[s]->data[k] + 1;
    views[s] = assay_matrix_view (ret_rows[s]);
  }
  return assay_paired_encoders_new (views, training, assay_stream_key (5, 0, "paired", ""), NULL);
}

static const AssayPairedTraining trainings[] = {
  { .bits = BITS, .hidden = 0, .steps = 7, .batch = 10, .rate = 0.02 },
  { .bits = BITS, .hidden = 6, .steps = 7, .batch = 10, .rate = 0.02 },
};

Test (paired_encoders, gradients_are_differences)
{
  static const gsize items[] = { 3, 0, 22, 7, 11 };

  for (gsize t = 0; t < G_N_ELEMENTS (trainings); t++) {
    AssayMatrix *rows[ASSAY_N_PAIRED];
    g_autoptr (AssayPairedEncoders) encoders = encoders_of (&trainings[t], rows);

    for (guint s = 0; s < ASSAY_N_PAIRED; s++)
      for (guint l = 0; l < encoders->encoders[s].n_layers; l++) {
        AssayPairedLayer *layer = &encoders->encoders[s].layers[l];

        for (gsize k = 0; k < layer->out * (layer->in + 1); k++) {
          const double weight = layer->weights[k], h = 1e-6;
          double sides[2], gradient;

          for (guint e = 0; e < 2; e++) {
            layer->weights[k] = weight + (e == 0 ? h : -h);
            sides[e] = assay_paired_encoders_slope (encoders, items, 5, make_loss, NULL);
          }
          layer->weights[k] = weight;
          assay_paired_encoders_slope (encoders, items, 5, make_loss, NULL);
          gradient = layer->gradient[k];
          assert_near (gradient, (sides[0] - sides[1]) / (2 * h), 1e-7 * (1 + fabs (gradient)),
                       "hidden %zu, side %u, layer %u, weight %zu", trainings[t].hidden, s, l, k);
        }
      }
    for (guint s = 0; s < ASSAY_N_PAIRED; s++)
      assay_matrix_free (rows[s]);
  }
}

/* Steps of all items, by the gradient and algorithm 1 of Kingma and Ba, written down as it is. */
Test (paired_encoders, steps_are_those_of_adam)
{
  AssayPairedTraining training = trainings[1];
  AssayMatrix *rows[ASSAY_N_PAIRED], *again[ASSAY_N_PAIRED];
  g_autoptr (AssayPairedEncoders) trained = NULL;
  g_autoptr (AssayPairedEncoders) naive = NULL;
  double m[2][2][64] = { { { 0 } } }, v[2][2][64] = { { { 0 } } };
  gsize all[N];

  training.steps = 5;
  training.batch = 1000;
  trained = encoders_of (&training, rows);
  naive = encoders_of (&training, again);
  for (gsize i = 0; i < N; i++)
    all[i] = i;
  cr_assert_eq (trained->training.batch, N);
  cr_assert (assay_paired_encoders_train (trained, make_loss, NULL, NULL, NULL));
  for (guint t = 1; t <= 5; t++) {
    assay_paired_encoders_slope (naive, all, N, make_loss, NULL);
    for (guint s = 0; s < ASSAY_N_PAIRED; s++)
      for (guint l = 0; l < 2; l++) {
        AssayPairedLayer *layer = &naive->encoders[s].layers[l];

        cr_assert_leq (layer->out * (layer->in + 1), 64);
        for (gsize k = 0; k < layer->out * (layer->in + 1); k++) {
          const double g = layer->gradient[k];

          m[s][l][k] = 0.9 * m[s][l][k] + (1 - 0.9) * g;
          v[s][l][k] = 0.999 * v[s][l][k] + (1 - 0.999) * g * g;
          layer->weights[k] -= 0.02 * (m[s][l][k] / (1 - pow (0.9, t)))
                               / (sqrt (v[s][l][k] / (1 - pow (0.999, t))) + 1e-8);
        }
      }
  }
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    for (guint l = 0; l < 2; l++)
      for (gsize k = 0; k < naive->encoders[s].layers[l].out; k++)
        assert_near (trained->encoders[s].layers[l].weights[k],
                     naive->encoders[s].layers[l].weights[k], 1e-9, "side %u, layer %u", s, l);
    assay_matrix_free (rows[s]);
    assay_matrix_free (again[s]);
  }
}

/* Which items take part: each once before one takes part again, but for those of a short rest. */
typedef struct {
  guint times[N];
  guint steps;
  guint most; /* of any item, beyond the rarest */
} Counts;

static double
count_items (const AssayPairedBatch *batch, gpointer data,
             double *const inout_slopes[ASSAY_N_PAIRED])
{
  Counts *counts = data;

  (void) inout_slopes;
  cr_assert_eq (batch->count, 10);
  for (gsize i = 0; i < batch->count; i++)
    counts->times[batch->items[i]]++;
  counts->steps++;
  for (gsize i = 0; i < N && counts->steps <= 2; i++)
    cr_assert_leq (counts->times[i], 1);
  return 0;
}

Test (paired_encoders, batches_are_of_fresh_orders)
{
  AssayMatrix *rows[ASSAY_N_PAIRED];
  g_autoptr (AssayPairedEncoders) encoders = encoders_of (&trainings[0], rows);
  Counts counts = { .steps = 0 };
  guint once = 0;

  cr_assert (assay_paired_encoders_train (encoders, count_items, &counts, NULL, NULL));
  cr_assert_eq (counts.steps, 7);
  for (gsize i = 0; i < N; i++)
    once += counts.times[i] > 0;
  cr_assert_eq (once, N, "7 batches of 10 of 23 reach all, %u were", once);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    assay_matrix_free (rows[s]);
}

/* The number of bit @b of the item with the row @x. */
static double
number_of (const AssayPairedEncoder *encoder, const double *x, gsize b)
{
  double values[8] = { 0 }, next[8];

  memcpy (values, x, (encoder->layers[0].in + 1) * sizeof (double));
  for (guint l = 0; l < encoder->n_layers; l++) {
    const AssayPairedLayer *layer = &encoder->layers[l];

    memset (next, 0, sizeof next);
    for (gsize o = 0; o < layer->out; o++)
      for (gsize j = 0; j <= layer->in; j++)
        next[o] += layer->weights[o * (layer->in + 1) + j] * values[j];
    for (gsize o = 0; o < layer->out; o++)
      values[o] = MAX (next[o], 0);
    values[layer->out] = 1;
  }
  return next[b];
}

/* Codes that the released functions give rows as they are have the signs of the encoders'
 * numbers. */
static void
check_codes (const AssayPairedEncoders *encoders, const AssayRelease *release, guint side,
             const AssayMatrix *rows)
{
  const AssayPairedEncoder *encoder = &encoders->encoders[side];
  g_autoptr (AssayArray) codes = assay_paired_hash (release, side, assay_matrix_view (rows), NULL);

  for (gsize i = 0; i < N; i++)
    for (gsize b = 0; b < BITS; b++) {
      const double number = number_of (encoder, encoder->rows + i * (rows->cols + 1), b);

      if (fabs (number) > 1e-4)
        cr_assert_eq ((((const guint8 *) codes->data)[i] >> b) & 1, number > 0);
    }
}

static AssayRelease *
release_with (const AssayPairedTraining *training, guint threads)
{
  AssayMatrix *rows[ASSAY_N_PAIRED];
  g_autoptr (AssayPairedEncoders) encoders = encoders_of (training, rows);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_PAIRED_CODES, "test");

  assay_parallel_set_threads (threads);
  cr_assert (assay_paired_encoders_train (encoders, make_loss, NULL, NULL, NULL));
  assay_parallel_set_threads (0);
  assay_paired_encoders_release (encoders, release);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    check_codes (encoders, release, s, rows[s]);
    assay_matrix_free (rows[s]);
  }
  return release;
}

Test (paired_encoders, release_and_threads)
{
  for (gsize t = 0; t < G_N_ELEMENTS (trainings); t++) {
    g_autoptr (AssayRelease) one = release_with (&trainings[t], 1);
    g_autoptr (AssayRelease) three = release_with (&trainings[t], 3);

    for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
      const AssayArray *first = assay_arrays_get (&one->arrays, assay_paired_layer_1[s]);
      const AssayArray *second = assay_arrays_get (&three->arrays, assay_paired_layer_1[s]);

      cr_assert_eq (
          memcmp (first->data, second->data, first->shape[0] * first->shape[1] * sizeof (float)),
          0);
      cr_assert_eq (assay_arrays_get (&one->arrays, assay_paired_layer_2[s]) != NULL,
                    trainings[t].hidden > 0);
    }
  }
}

static double
diverge (const AssayPairedBatch *batch, gpointer data, double *const inout_slopes[ASSAY_N_PAIRED])
{
  (void) batch;
  (void) data;
  (void) inout_slopes;
  return NAN;
}

static gboolean
train (gpointer data, GError **error)
{
  return assay_paired_encoders_train (data, make_loss, NULL, NULL, error);
}

/* Before each of the seven steps, and within it. */
Test (paired_encoders, every_step_asks_whether_to_stop)
{
  AssayMatrix *rows[ASSAY_N_PAIRED];
  g_autoptr (AssayPairedEncoders) encoders = encoders_of (&trainings[1], rows);

  assert_stops (train, encoders, 2 * 7, 2 * 7);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    assay_matrix_free (rows[s]);
}

/* As make_loss, but the tenth time it is no number. */
static double
diverge_late (const AssayPairedBatch *batch, gpointer data,
              double *const inout_slopes[ASSAY_N_PAIRED])
{
  guint *asked = data;
  const double lost = make_loss (batch, NULL, inout_slopes);

  return ++*asked == 10 ? (double) NAN : lost;
}

/* Two batches a pass: the weights after the fourth of them, as if there had been no more. */
Test (paired_encoders, weights_before_a_divergence_are_kept)
{
  AssayPairedTraining longer = trainings[1], shorter = trainings[1];
  AssayMatrix *rows[ASSAY_N_PAIRED], *same[ASSAY_N_PAIRED];
  g_autoptr (AssayPairedEncoders) diverged = NULL, ended = NULL;
  AssayPairedReport report;
  guint asked = 0;

  longer.steps = 12;
  shorter.steps = 8;
  diverged = encoders_of (&longer, rows);
  ended = encoders_of (&shorter, same);
  cr_assert (assay_paired_encoders_train (diverged, diverge_late, &asked, &report, NULL));
  cr_assert (report.steps == 8 && report.diverged == 10, "%zu of %zu", report.steps,
             report.diverged);
  cr_assert (assay_paired_encoders_train (ended, make_loss, NULL, &report, NULL));
  cr_assert (report.steps == 8 && report.diverged == 0, "%zu of %zu", report.steps,
             report.diverged);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    for (guint l = 0; l < 2; l++) {
      const AssayPairedLayer *layer = &ended->encoders[s].layers[l];

      cr_assert_arr_eq (diverged->encoders[s].layers[l].weights, layer->weights,
                        layer->out * (layer->in + 1) * sizeof (double));
    }
    assay_matrix_free (rows[s]);
    assay_matrix_free (same[s]);
  }
}

Test (paired_encoders, divergence_is_said)
{
  AssayMatrix *rows[ASSAY_N_PAIRED];
  g_autoptr (AssayPairedEncoders) encoders = encoders_of (&trainings[0], rows);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  cr_assert_not (assay_paired_encoders_train (encoders, diverge, NULL, NULL, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_NUMERIC,
                               "training diverges in step 1 of 7, before a pass over the items was "
                               "complete (learning rate 0.02); expected a lower one",
                               NULL, &why),
             "%s", why);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    assay_matrix_free (rows[s]);
}
