/* Networks of sigmoids: gradients and their tangents against central differences, sizes and a pass
 * by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/math/linalg.h"
#include "core/network/sigmoid-network.h"
#include "tests/unit/assert-near.h"

typedef struct {
  const char *name;
  AssaySigmoidForm form;
  gsize height, width, channels, units, classes, batch;
} Case;

/* Odd sides, of which strides leave a rest; a kernel that is larger than the image. */
static const Case cases[] = {
  { "convolutional", ASSAY_SIGMOID_CONVOLUTIONAL, 7, 5, 3, 4, 3, 1 },
  { "a batch", ASSAY_SIGMOID_CONVOLUTIONAL, 8, 8, 1, 3, 5, 3 },
  { "smaller than a kernel", ASSAY_SIGMOID_CONVOLUTIONAL, 2, 3, 1, 2, 2, 2 },
  { "dense", ASSAY_SIGMOID_DENSE, 1, 9, 1, 4, 3, 2 },
};

typedef struct {
  AssaySigmoidShape shape;
  gsize n_weights, n_images, n_labels;
  float *weights;
  double *images, *labels, *gradient, *direction, *pulled, *pulled_labels;
} Numbers;

static double *
draw (gsize n, AssayStream *stream)
{
  double *values = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    values[i] = assay_stream_normal (stream);
  return values;
}

static Numbers
make (const Case *of)
{
  const AssayGeometry image
      = { .height = of->height, .width = of->width, .channels = of->channels };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "sigmoid", of->name), 0);
  Numbers numbers = { .shape = assay_sigmoid_shape (of->form, &image, of->units, of->classes) };

  numbers.n_weights = assay_sigmoid_weights (&numbers.shape);
  numbers.n_images = of->batch * of->height * of->width * of->channels;
  numbers.n_labels = of->batch * of->classes;
  numbers.weights = g_new (float, numbers.n_weights);
  assay_sigmoid_draw (&numbers.shape, of->form, &stream, numbers.weights);
  numbers.images = draw (numbers.n_images, &stream);
  numbers.labels = draw (numbers.n_labels, &stream);
  numbers.direction = draw (numbers.n_weights, &stream);
  numbers.gradient = g_new (double, numbers.n_weights);
  numbers.pulled = g_new (double, numbers.n_images);
  numbers.pulled_labels = g_new (double, numbers.n_labels);
  return numbers;
}

static void
clear (Numbers *numbers)
{
  g_free (numbers->weights);
  g_free (numbers->images);
  g_free (numbers->labels);
  g_free (numbers->gradient);
  g_free (numbers->direction);
  g_free (numbers->pulled);
  g_free (numbers->pulled_labels);
}

#define STEP 1e-3F
#define MOVE 1e-4

/* The loss with weight @i moved by @by. */
static double
loss_at (const Case *of, Numbers *numbers, gsize i, float by, double *ret_gradient)
{
  const float kept = numbers->weights[i];
  g_autoptr (AssaySigmoidPass) pass = NULL;

  numbers->weights[i] += by;
  pass = assay_sigmoid_pass_new (&numbers->shape, of->batch, numbers->weights, NULL);
  numbers->weights[i] = kept;
  return assay_sigmoid_differentiate (pass, numbers->images, numbers->labels, ret_gradient);
}

/* Weights are float32, and the step between two of them is that of the two that were kept: known
 * exactly. What is left is a third derivative times 1e-6. */
Test (sigmoid_network, gradients_are_differences)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const Case *of = &cases[c];
    Numbers numbers = make (of);
    g_autofree double *spare = g_new (double, numbers.n_weights);
    double largest = 0;

    loss_at (of, &numbers, 0, 0, numbers.gradient);
    for (gsize i = 0; i < numbers.n_weights; i++)
      largest = fmax (largest, fabs (numbers.gradient[i]));
    for (gsize i = 0; i < numbers.n_weights; i++) {
      const float up = numbers.weights[i] + STEP, down = numbers.weights[i] - STEP;
      const double difference
          = loss_at (of, &numbers, i, STEP, spare) - loss_at (of, &numbers, i, -STEP, spare);

      assert_near (numbers.gradient[i], difference / ((double) up - (double) down), 1e-5 * largest,
                   "%s: weight %zu", of->name, i);
    }
    clear (&numbers);
  }
}

/* v . g, with image number or label @place moved by @by. */
static double
along (AssaySigmoidPass *pass, Numbers *numbers, double *place, double by)
{
  g_autofree double *gradient = g_new (double, numbers->n_weights);
  const double kept = *place;
  double sum = 0;

  *place += by;
  assay_sigmoid_differentiate (pass, numbers->images, numbers->labels, gradient);
  *place = kept;
  for (gsize i = 0; i < numbers->n_weights; i++)
    sum += numbers->direction[i] * gradient[i];
  return sum;
}

static void
compare (AssaySigmoidPass *pass, const Case *of, Numbers *numbers, double *places,
         const double *pulled, gsize n)
{
  double largest = 0;

  for (gsize i = 0; i < n; i++)
    largest = fmax (largest, fabs (pulled[i]));
  cr_assert_gt (largest, 0.0);
  for (gsize i = 0; i < n; i++)
    assert_near (pulled[i],
                 (along (pass, numbers, &places[i], MOVE)
                  - along (pass, numbers, &places[i], -MOVE))
                     / (2 * MOVE),
                 1e-6 * largest, "%s: number %zu of %zu", of->name, i, n);
}

/* In double: of a difference over 2e-4 a third derivative times 1e-8 is left, and rounding of 1e-16
 * by 1e-4. */
Test (sigmoid_network, tangents_are_differences_of_gradients)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    Numbers numbers = make (&cases[c]);
    g_autoptr (AssaySigmoidPass) pass
        = assay_sigmoid_pass_new (&numbers.shape, cases[c].batch, numbers.weights, NULL);

    assay_sigmoid_differentiate (pass, numbers.images, numbers.labels, numbers.gradient);
    assay_sigmoid_pull (pass, numbers.direction, numbers.pulled, numbers.pulled_labels);
    compare (pass, &cases[c], &numbers, numbers.images, numbers.pulled, numbers.n_images);
    compare (pass, &cases[c], &numbers, numbers.labels, numbers.pulled_labels, numbers.n_labels);
    clear (&numbers);
  }
}

/* The network of the paper on 32 x 32 x 3 images: three layers of 12 channels, 768 numbers left. */
Test (sigmoid_network, sizes)
{
  const AssayGeometry image = { .height = 32, .width = 32, .channels = 3 };
  const AssaySigmoidShape zhu
      = assay_sigmoid_shape (ASSAY_SIGMOID_CONVOLUTIONAL, &image, 12, 10);
  const AssaySigmoidShape dense = assay_sigmoid_shape (ASSAY_SIGMOID_DENSE, &image, 20, 10);

  cr_assert_eq (assay_sigmoid_weights (&zhu),
                12 * (75 + 1) + 2 * 12 * (300 + 1) + 10 * (768 + 1));
  cr_assert_eq (assay_sigmoid_weights (&dense), 20 * (3072 + 1) + 10 * (20 + 1));
}

/* Two numbers, one unit, two classes: s (x . w + b) times u, and -ln of the share of the first. */
Test (sigmoid_network, by_hand)
{
  const AssayGeometry image = { .height = 1, .width = 2, .channels = 1 };
  const AssaySigmoidShape shape = assay_sigmoid_shape (ASSAY_SIGMOID_DENSE, &image, 1, 2);
  const float weights[] = { 0.5F, -0.25F, 0.125F, 2, -1, 0.5F, 0.25F };
  const double x[] = { 2, 4 }, y[] = { 1, 0 };
  const double a = 1 / (1 + exp (-(1 - 1 + 0.125))), z0 = 2 * a + 0.5, z1 = -a + 0.25;
  const double p = exp (z0) / (exp (z0) + exp (z1)), slope = (p - 1) * 3 * a * (1 - a);
  const double expected[] = { slope * 2, slope * 4, slope, (p - 1) * a, (1 - p) * a, p - 1, 1 - p };
  g_autoptr (AssaySigmoidPass) pass = assay_sigmoid_pass_new (&shape, 1, weights, NULL);
  double gradient[7];

  cr_assert_eq (assay_sigmoid_weights (&shape), G_N_ELEMENTS (weights));
  assert_near (assay_sigmoid_differentiate (pass, x, y, gradient), -log (p), 1e-14, "loss");
  for (gsize i = 0; i < G_N_ELEMENTS (gradient); i++)
    assert_near (gradient[i], expected[i], 1e-14, "weight %zu", i);
}

/* ---- How many independent numbers a gradient tells of the images ---- */

/* J, weights x numbers of the images, at normal images of one class each. */
static double *
make_jacobian (const Case *of, Numbers *numbers)
{
  g_autoptr (AssaySigmoidPass) pass
      = assay_sigmoid_pass_new (&numbers->shape, of->batch, numbers->weights, NULL);
  double *jacobian = g_new (double, numbers->n_weights * numbers->n_images);

  for (gsize i = 0; i < numbers->n_labels; i++)
    numbers->labels[i] = i % of->classes == i / of->classes;
  assay_sigmoid_differentiate (pass, numbers->images, numbers->labels, numbers->gradient);
  for (gsize w = 0; w < numbers->n_weights; w++) {
    memset (numbers->direction, 0, numbers->n_weights * sizeof (double));
    numbers->direction[w] = 1;
    assay_sigmoid_pull (pass, numbers->direction, jacobian + w * numbers->n_images,
                        numbers->pulled_labels);
  }
  return jacobian;
}

/* The independent ones among the derivatives of a @batch of @n numbers, from the last layer to the
 * first. What comes after a layer depends on what the layer gives alone, and is worth no more
 * numbers than that. Where it is worth as many, the layer's biases and d' z = dW W' follow from it,
 * so that out (seen - out) of its out (seen + 1) derivatives are left. Of the last layer dW is the
 * mean of `batch` products of errors, which sum to 0 over the classes, and of features, of which
 * the bias is one more: a matrix of that rank. */
static gsize
count_independent (const AssaySigmoidShape *shape, gsize n, gsize batch)
{
  const gsize last = shape->n_layers - 1;
  gsize given[ASSAY_SIGMOID_MAX_LAYERS] = { n }, from[ASSAY_SIGMOID_MAX_LAYERS], after;

  from[0] = shape->channels;
  for (gsize l = 0; l < last; l++) {
    const AssaySigmoidLayer *layer = &shape->layers[l];

    from[l + 1] = layer->channels;
    given[l + 1] = given[l] / from[l] / layer->stride / layer->stride * layer->channels;
  }
  after = MIN (given[last],
               batch * (shape->layers[last].channels + given[last] / batch - batch));
  for (gsize l = last; l-- > 0;) {
    const gsize out = shape->layers[l].channels;
    const gsize seen = shape->layers[l].kernel * shape->layers[l].kernel * from[l];

    after = MIN (given[l], after + out * (after == given[l + 1] ? seen - out : seen + 1));
  }
  return after;
}

#define NO_LONGER 1e-10 /* singular values, as a share of the largest; rounding leaves 1e-16 */

/* Batches of four of 12 x 12 x 3 are more numbers than their gradient has independent ones, so that
 * other batches have the same: 1,728 numbers, 470 derivatives, 320 of them independent. */
static const Case ranked[] = {
  { "as of CIFAR-10", ASSAY_SIGMOID_CONVOLUTIONAL, 12, 12, 3, 2, 6, 4 },
  { "a narrow layer", ASSAY_SIGMOID_CONVOLUTIONAL, 8, 8, 3, 2, 6, 4 },
  { "a layer of four", ASSAY_SIGMOID_CONVOLUTIONAL, 12, 12, 2, 4, 5, 3 },
  { "enough", ASSAY_SIGMOID_CONVOLUTIONAL, 8, 8, 1, 6, 6, 2 },
};
static const gsize ranks[] = { 320, 274, 616, 128 };

Test (sigmoid_network, gradients_have_fewer_independent_numbers_than_derivatives)
{
  for (gsize c = 0; c < G_N_ELEMENTS (ranked); c++) {
    Numbers numbers = make (&ranked[c]);
    g_autofree double *jacobian = make_jacobian (&ranked[c], &numbers);
    const gsize most = MIN (numbers.n_weights, numbers.n_images);
    g_autofree double *values = g_new (double, most);
    gsize rank = 0;

    cr_assert (assay_linalg_svd (numbers.n_weights, numbers.n_images, jacobian,
                                 &(AssaySvd){ .values = values }, NULL));
    while (rank < most && values[rank] > NO_LONGER * values[0])
      rank++;
    cr_log_info ("%s: %zu weights, %zu numbers, rank %zu, then %g", ranked[c].name,
                 numbers.n_weights, numbers.n_images, rank,
                 rank < most ? values[rank] / values[0] : 0);
    cr_assert_eq (rank, ranks[c], "%s: %zu", ranked[c].name, rank);
    cr_assert_eq (count_independent (&numbers.shape, numbers.n_images, ranked[c].batch), rank,
                  "%s", ranked[c].name);
    clear (&numbers);
  }
}

/* What docs/papers/instahide.md says of CIFAR-10: four images are 12,288 numbers. */
Test (sigmoid_network, independent_numbers_of_cifar)
{
  const AssayGeometry image = { .height = 32, .width = 32, .channels = 3 };
  const AssaySigmoidShape zhu = assay_sigmoid_shape (ASSAY_SIGMOID_CONVOLUTIONAL, &image, 12, 10);
  const AssaySigmoidShape wide = assay_sigmoid_shape (ASSAY_SIGMOID_CONVOLUTIONAL, &image, 24, 10);

  cr_assert_eq (count_independent (&zhu, 4 * 3072, 4), 912 + 12 * (300 - 12) + 4 * 768);
  cr_assert_eq (count_independent (&zhu, 3072, 1), 3072);
  cr_assert_eq (count_independent (&wide, 4 * 3072, 4), 4 * 3072);
}
