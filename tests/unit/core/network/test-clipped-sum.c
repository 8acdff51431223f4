/* Sums of shortened gradients against those of single examples, and weights in an order that does
 * not depend on the processor. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/parallel.h"
#include "core/network/clipped-sum.h"
#include "core/network/classifier/image-classifier.h"
#include "core/network/tape-weights.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { SIDE = 8, CHANNELS = 3, COLS = SIDE * SIDE * CHANNELS, N = 40, CLASSES = 3 };

static const AssayImageClassifier classifier = { .width = 8, .blocks = 1, .stride = 1 };

static AssayTape *
make_tape (gsize images)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ CHANNELS, SIDE, SIDE });
  guint last;

  tape->images = images;
  last = assay_image_classifier_add (tape, &classifier, CLASSES);
  cr_assert (assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_SHARES,
                                assay_stream_key (3, 0, "classifier", ""), NULL));
  return tape;
}

typedef struct {
  AssayMatrix *rows;
  gint64 labels[N];
  AssayClassifierImages images;
} Material;

static void
make_material (Material *material)
{
  material->rows = fixture_normal (N, COLS, 4);
  for (gsize i = 0; i < N; i++)
    material->labels[i] = (gint64) (i % CLASSES);
  material->images = (AssayClassifierImages){
    { CHANNELS, SIDE, SIDE }, 0, 1, assay_matrix_view (material->rows), material->labels, CLASSES
  };
}

static AssayTapeExamples
examples_of (Material *material)
{
  return (AssayTapeExamples){ N, assay_classifier_images_draw, &material->images };
}

/* Of one example by a tape through which four pass. */
static float *
gradient_of (const AssayTape *tape, const Material *material, gsize item)
{
  Material one = *material;
  const AssayTapeExamples examples = { 1, assay_classifier_images_draw, &one.images };
  float *gradient = g_new (float, tape->n_parameters);
  double loss;

  one.images.rows = assay_view_rows (material->images.rows, item, 1);
  one.images.labels = material->labels + item;
  cr_assert (assay_tape_differentiate (tape, &examples, &loss, gradient, NULL, NULL));
  return gradient;
}

static double
length_of (const float *gradient, gsize n)
{
  double square = 0;

  for (gsize k = 0; k < n; k++)
    square += (double) gradient[k] * (double) gradient[k];
  return sqrt (square);
}

/* Some are shortened and some are not; all are more than a group. */
Test (clipped_sum, is_of_single_examples)
{
  g_autoptr (AssayTape) four = make_tape (4), one = make_tape (1);
  const gsize n = one->n_parameters;
  Material material;
  gsize items[N];
  g_autofree double *expected = g_new0 (double, n);
  g_autofree float *found = g_new (float, n);
  g_autoptr (AssayClippedSum) sum = assay_clipped_sum_new (one, NULL);
  guint n_shortened = 0;
  const double clip = 6;

  make_material (&material);
  cr_assert_eq (four->n_parameters, n);
  for (gsize i = 0; i < N; i++) {
    g_autofree float *gradient = gradient_of (four, &material, i);
    const double length = length_of (gradient, n);

    items[i] = i;
    n_shortened += length > clip;
    for (gsize k = 0; k < n; k++)
      expected[k] += (double) gradient[k] * fmin (1, clip / length);
  }
  cr_assert (n_shortened > 3 && n_shortened < N - 3, "%u are longer than %g", n_shortened, clip);
  cr_assert (assay_clipped_sum_add (
      sum, &(AssayTapeExamples){ N, assay_classifier_images_draw, &material.images }, items, N,
      clip, NULL));
  assay_clipped_sum_take (sum, found);
  for (gsize k = 0; k < n; k++)
    assert_near ((double) found[k], expected[k], 1e-3, "parameter %zu", k);
  assay_matrix_free (material.rows);
}

/* One that is not finite counts for nothing, and not for all: no sum may tell that it was there by
 * being none. */
Test (clipped_sum, leaves_out_what_is_not_finite)
{
  g_autoptr (AssayTape) tape = make_tape (1);
  const gsize n = tape->n_parameters;
  Material material;
  const gsize both[] = { 0, 1 };
  g_autofree float *with = g_new (float, n), *without = g_new (float, n);
  g_autoptr (AssayClippedSum) sum = assay_clipped_sum_new (tape, NULL);
  AssayTapeExamples examples;

  make_material (&material);
  examples = examples_of (&material);
  assay_matrix_row (material.rows, 1)[5] = INFINITY;
  cr_assert (assay_clipped_sum_add (sum, &examples, both, 2, 1, NULL));
  assay_clipped_sum_take (sum, with);
  cr_assert (assay_clipped_sum_add (sum, &examples, both, 1, 1, NULL));
  assay_clipped_sum_take (sum, without);
  cr_assert_arr_eq (with, without, n * sizeof (float));
  assert_near (length_of (without, n), 1, 1e-4, "length");
  assay_matrix_free (material.rows);
}

Test (clipped_sum, is_the_same_on_any_number_of_threads)
{
  float *sums[2];
  Material material;
  gsize items[N], n = 0;
  AssayTapeExamples examples;

  make_material (&material);
  examples = examples_of (&material);
  for (gsize i = 0; i < N; i++)
    items[i] = N - 1 - i;
  for (guint several = 0; several < 2; several++) {
    g_autoptr (AssayTape) tape = make_tape (1);
    g_autoptr (AssayClippedSum) sum = NULL;

    assay_parallel_set_threads (several ? 3 : 1);
    sum = assay_clipped_sum_new (tape, NULL);
    n = tape->n_parameters;
    sums[several] = g_new (float, n);
    cr_assert (assay_clipped_sum_add (sum, &examples, items, N, 2, NULL));
    assay_clipped_sum_take (sum, sums[several]);
  }
  cr_assert_arr_eq (sums[0], sums[1], n * sizeof (float));
  g_free (sums[0]);
  g_free (sums[1]);
  assay_matrix_free (material.rows);
}

/* ---- Weights ---- */

/* What is set is what is got, and gives what it gave: so no weight is left out, and none is taken
 * twice. */
Test (tape_weights, make_the_same_network)
{
  g_autoptr (AssayTape) tape = make_tape (4), other = make_tape (1);
  const gsize n = assay_tape_count_weights (tape);
  g_autofree float *weights = g_new (float, n), *again = g_new (float, n);
  float shares[2][N * CLASSES];
  Material material;
  AssayTapeExamples examples;

  make_material (&material);
  examples = examples_of (&material);
  for (gsize i = 0; i < n; i++)
    weights[i] = (float) sin ((double) i) / 4;
  assay_tape_set_weights (other, weights);
  assay_tape_get_weights (other, other->parameters, again);
  cr_assert_arr_eq (again, weights, n * sizeof (float));
  assay_tape_get_weights (tape, tape->parameters, weights);
  assay_tape_set_weights (other, weights);
  cr_assert (assay_tape_predict (tape, &examples, shares[0], NULL));
  cr_assert (assay_tape_predict (other, &examples, shares[1], NULL));
  for (gsize i = 0; i < N * CLASSES; i++)
    assert_near ((double) shares[1][i], (double) shares[0][i], 1e-6, "share %zu", i);
  assay_matrix_free (material.rows);
}

/* By the shapes of its layers: 8 filters and one block a stage. */
Test (tape_weights, are_counted)
{
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ CHANNELS, SIDE, SIDE });
  const gsize first = 8 * (CHANNELS * 9 + 1) + 16;
  const gsize stage1 = 2 * (8 * (8 * 9 + 1) + 16);
  const gsize stage2 = 16 * (8 * 9 + 1) + 16 * (16 * 9 + 1) + 2 * 32 + 16 * (8 + 1);
  const gsize stage3 = 32 * (16 * 9 + 1) + 32 * (32 * 9 + 1) + 2 * 64 + 32 * (16 + 1);

  assay_image_classifier_add (tape, &classifier, CLASSES);
  cr_assert_eq (assay_tape_count_weights (tape),
                first + stage1 + stage2 + stage3 + CLASSES * (32 + 1));
}

Test (image_classifier, takes_levels_from_black_to_white)
{
  float row[] = { 10, 20, 30, 40 }, planes[4], target[2];
  const gint64 label = 1;
  AssayClassifierImages images = { { 2, 1, 2 }, 10, 50, { 1, 4, 4, row }, &label, 2 };

  assay_classifier_images_draw (&images, 0, 0, planes, target);
  assert_near ((double) planes[0], -2, 1e-6, "black");
  assert_near ((double) planes[1], 0, 1e-6, "the second pixel of the first channel");
  assert_near ((double) planes[2], -1, 1e-6, "the first pixel of the second channel");
  assert_near ((double) planes[3], 1, 1e-6, "the second one");
  cr_assert (target[0] == 0 && target[1] == 1);
}
