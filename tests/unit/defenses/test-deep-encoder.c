/* Deep hashing of images by convolutions: codes of shapes that stand anywhere, a hash function that
 * gives what the network gave, threads, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/mixture.h"
#include "defenses/codes/deep-encoder.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/assert-stops.h"
#include "tests/unit/defenses/hashing-rows.h"
#include "tests/unit/seeds.h"

enum { ROWS = 240, SIDE = 8, CHANNELS = 2, COLS = SIDE * SIDE * CHANNELS, CLASSES = 3, BITS = 8 };

/* A bar across, a bar down or a slant one, three pixels long, anywhere in either channel. */
typedef struct {
  AssayMatrix *rows;
  gint64 labels[ROWS];
  HashTraining training;
} Shapes;

static void
make_shapes (Shapes *ret_shapes)
{
  AssayStream stream = assay_stream (hashing_key ("shapes", 0), 0);

  ret_shapes->rows = fixture_normal (ROWS, COLS, 3);
  for (gsize i = 0; i < ROWS; i++) {
    const gsize class = i % CLASSES, x = assay_stream_below (&stream, SIDE - 2);
    const gsize y = assay_stream_below (&stream, SIDE - 2);
    const gsize channel = assay_stream_below (&stream, CHANNELS);

    ret_shapes->labels[i] = (gint64) class;
    for (gsize a = 0; a < 3; a++)
      assay_matrix_row (
          ret_shapes->rows,
          i)[((y + (class != 0 ? a : 1)) * SIDE + x + (class != 1 ? a : 1)) * CHANNELS + channel]
          += 8;
  }
  ret_shapes->training
      = (HashTraining){ .rows = assay_matrix_view (ret_shapes->rows),
                        .labels = ret_shapes->labels,
                        .n_classes = CLASSES,
                        .picture = { .height = SIDE, .width = SIDE, .channels = CHANNELS },
                        .stream = hashing_key ("deep", 0) };
}

static const HashSettings settings = { .bits = BITS,
                                       .network = HASH_CONVOLUTIONS,
                                       .channels = 8,
                                       .hidden = 32,
                                       .steps = 100,
                                       .rate = 5e-3 };

/* How many bits differ in the mean between rows of one class, and of two. */
static void
mean_distances (const AssayArray *codes, double *ret_within, double *ret_between)
{
  double sums[2] = { 0, 0 };
  gsize counts[2] = { 0, 0 };

  for (gsize i = 0; i < ROWS; i++)
    for (gsize j = 0; j < i; j++) {
      const int is_other = i % CLASSES != j % CLASSES;

      sums[is_other] += __builtin_popcount (codes->data[i] ^ codes->data[j]);
      counts[is_other]++;
    }
  *ret_within = sums[0] / (double) counts[0];
  *ret_between = sums[1] / (double) counts[1];
}

Test (deep_encoder, shapes_have_codes_wherever_they_stand)
{
  AssayHashFunction *(*const learners[]) (const HashTraining *, const HashSettings *, GError **)
      = { dpsh_learn, dsh_learn, hashnet_learn, adsh_learn };
  Shapes shapes;

  TEST_OF_RESULTS ();
  make_shapes (&shapes);
  for (gsize l = 0; l < G_N_ELEMENTS (learners); l++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayHashFunction) function = learners[l](&shapes.training, &settings, &error);
    g_autoptr (AssayArray) codes = NULL;
    double within, between;

    cr_assert (function != NULL, "%s", error != NULL ? error->message : "");
    cr_assert (function->kernels.n == 3 && assay_hash_function_cols (function) == COLS);
    codes = assay_hash_function_codes (function, shapes.training.rows, &error);
    mean_distances (codes, &within, &between);
    cr_assert (within < between / 2 && between > 2.5, "learner %zu: %g within, %g between", l,
               within, between);
  }
  assay_matrix_free (shapes.rows);
}

/* u is to be large where the first of the labels is there, and small elsewhere. */
static double
lose (const AssayPairedBatch *batch, gpointer data, double *const inout_slopes[ASSAY_N_PAIRED])
{
  const gint64 *labels = data;
  double sum = 0;

  for (gsize i = 0; i < batch->count * batch->bits; i++) {
    const double wanted = labels[batch->items[i / batch->bits]] == 0 ? 0.5 : -0.5;
    const double gap = batch->outputs[0][i] - wanted;

    sum += gap * gap / (double) batch->count;
    inout_slopes[0][i] = 2 * gap / (double) batch->count;
  }
  return sum;
}

/* For both networks, as they are and by tanh. */
Test (deep_encoder, the_hash_function_gives_what_the_network_gave)
{
  Shapes shapes;

  make_shapes (&shapes);
  for (guint way = 0; way < 4; way++) {
    const gboolean is_linear = way % 2 == 0;
    HashSettings own = settings;
    g_autoptr (GError) error = NULL;
    g_autoptr (DeepEncoder) encoder = NULL;
    g_autoptr (AssayHashFunction) function = NULL;
    g_autoptr (AssayMatrix) margins = NULL;
    double outputs[ROWS * BITS];

    own.network = way < 2 ? HASH_CONVOLUTIONS : HASH_HIDDEN_LAYER;
    own.steps = 10;
    encoder = deep_encoder_new (&shapes.training, &own, is_linear, &error);
    cr_assert (encoder != NULL && deep_encoder_train (encoder, lose, shapes.labels, &error)
                   && deep_encoder_outputs (encoder, outputs, &error),
               "%s", error != NULL ? error->message : "");
    function = deep_encoder_function (encoder, &error);
    margins = assay_hash_function_margins (function, shapes.training.rows, &error);
    for (gsize k = 0; k < ROWS * BITS; k++) {
      const double u = (double) margins->data[k];

      assert_near (is_linear ? u : tanh (u), outputs[k], 1e-4, "way %u, number %zu", way, k);
    }
  }
  assay_matrix_free (shapes.rows);
}

typedef struct {
  DeepEncoder *encoder;
  double outputs[ROWS * BITS];
} Asked;

static gboolean
ask_outputs (gpointer data, GError **error)
{
  Asked *asked = data;

  return deep_encoder_outputs (asked->encoder, asked->outputs, error);
}

/* Upon Ctrl-C, and says so: who asks in the midst of training must not take it for a divergence. */
Test (deep_encoder, outputs_that_are_stopped_are_an_error)
{
  g_autofree Asked *asked = g_new0 (Asked, 1);
  Shapes shapes;

  make_shapes (&shapes);
  for (guint network = HASH_HIDDEN_LAYER; network <= HASH_CONVOLUTIONS; network++) {
    HashSettings own = settings;

    own.network = network;
    asked->encoder = deep_encoder_new (&shapes.training, &own, TRUE, NULL);
    assert_stops (ask_outputs, asked, 1, 1);
    deep_encoder_free (asked->encoder);
  }
  assay_matrix_free (shapes.rows);
}

/* What a batch of training was given, of a network that hardly learns: which rows, and what became
 * of them. */
typedef struct {
  gsize n, items[4 * ROWS];
  double outputs[4 * ROWS * BITS];
} Seen;

static double
note (const AssayPairedBatch *batch, gpointer data, double *const inout_slopes[ASSAY_N_PAIRED])
{
  Seen *seen = data;

  for (gsize i = 0; i < batch->count && seen->n < 4 * ROWS; i++, seen->n++) {
    seen->items[seen->n] = batch->items[i];
    memcpy (seen->outputs + seen->n * BITS, batch->outputs[0] + i * BITS, BITS * sizeof (double));
  }
  for (gsize k = 0; k < batch->count * BITS; k++)
    inout_slopes[0][k] = 1;
  return 0;
}

/* How often training saw each window of a row: by the move down, the move right, and the mirror. */
enum { MOVES = 5, WINDOWS = MOVES * MOVES * 2, AS_IT_IS = WINDOWS / 2 - 1 };

static void
count_windows (const HashSettings *own, gsize ret_counts[WINDOWS])
{
  g_autofree Seen *seen = g_new0 (Seen, 1);
  g_autoptr (DeepEncoder) encoder = NULL;
  g_autoptr (AssayHashFunction) function = NULL;
  AssayMatrix *margins[WINDOWS];
  double outputs[ROWS * BITS];
  Shapes shapes;

  memset (ret_counts, 0, WINDOWS * sizeof (gsize));
  make_shapes (&shapes);
  encoder = deep_encoder_new (&shapes.training, own, TRUE, NULL);
  cr_assert (encoder != NULL && deep_encoder_train (encoder, note, seen, NULL));
  cr_assert_eq (seen->n, 4 * ROWS);
  function = deep_encoder_function (encoder, NULL);
  for (gsize w = 0; w < WINDOWS; w++) {
    g_autoptr (AssayMatrix) windows = assay_matrix_new (ROWS, COLS, NULL);

    for (gsize i = 0; i < ROWS; i++)
      assay_mixture_window (&shapes.training.picture, (gint64) (w / 2 / MOVES) - 2,
                            (gint64) (w / 2 % MOVES) - 2, w % 2 == 1,
                            assay_matrix_row (shapes.rows, i), assay_matrix_row (windows, i));
    margins[w] = assay_hash_function_margins (function, assay_matrix_view (windows), NULL);
  }
  cr_assert (deep_encoder_outputs (encoder, outputs, NULL));
  for (gsize k = 0; k < ROWS * BITS; k++)
    assert_near (outputs[k], (double) margins[AS_IT_IS]->data[k], 1e-4, "after training");
  for (gsize i = 0; i < seen->n; i++)
    for (gsize w = 0; w < WINDOWS; w++) {
      double gap = 0;

      for (gsize k = 0; k < BITS; k++)
        gap = MAX (gap, fabs ((double) assay_matrix_row (margins[w], seen->items[i])[k]
                              - seen->outputs[i * BITS + k]));
      ret_counts[w] += gap < 1e-4;
    }
  for (gsize w = 0; w < WINDOWS; w++)
    assay_matrix_free (margins[w]);
  assay_matrix_free (shapes.rows);
}

/* Each row of each epoch is one window, and all that may be drawn are, in equal parts. Outputs
 * after training are of rows as they are. */
Test (deep_encoder, training_moves_and_mirrors_images)
{
  static const struct {
    gint64 shift;
    bool mirror;
    gsize n; /* windows that may be drawn */
  } cases[] = { { 0, false, 1 }, { 0, true, 2 }, { 1, false, 9 }, { 2, true, 50 } };

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    HashSettings own = settings;
    gsize counts[WINDOWS], total = 0, drawn = 0;
    const double expected = 4.0 * ROWS / (double) cases[t].n;

    own.steps = 8;
    own.rate = 1e-8;
    own.shift = cases[t].shift;
    own.mirror = cases[t].mirror;
    count_windows (&own, counts);
    for (gsize w = 0; w < WINDOWS; w++) {
      total += counts[w];
      drawn += counts[w] > 0;
      cr_assert (counts[w] == 0 || fabs ((double) counts[w] - expected) <= 5 * sqrt (expected),
                 "case %zu, window %zu: %zu times", t, w, counts[w]);
    }
    cr_assert (total == 4 * ROWS && drawn == cases[t].n, "case %zu: %zu windows, %zu of them", t,
               total, drawn);
  }
}

Test (deep_encoder, same_for_any_number_of_threads)
{
  TEST_OF_RESULTS ();

  Shapes shapes;
  AssayHashFunction *functions[2];
  HashSettings few = settings;

  make_shapes (&shapes);
  few.steps = 10;
  few.shift = 1;
  few.mirror = TRUE;
  for (guint t = 0; t < 2; t++) {
    assay_parallel_set_threads (t == 0 ? 1 : 3);
    functions[t] = adsh_learn (&shapes.training, &few, NULL);
  }
  for (guint l = 0; l < 3; l++)
    cr_assert (memcmp (functions[0]->kernels.layers[l]->data, functions[1]->kernels.layers[l]->data,
                       functions[0]->kernels.layers[l]->rows * functions[0]->kernels.layers[l]->cols
                           * sizeof (float))
               == 0);
  for (guint t = 0; t < 2; t++)
    assay_hash_function_free (functions[t]);
  assay_matrix_free (shapes.rows);
}

/* The loss of a batch of @labels; from the sixth batch on it is no number. */
typedef struct {
  gint64 *labels;
  guint asked;
} Late;

static double
diverge_late (const AssayPairedBatch *batch, gpointer data,
              double *const inout_slopes[ASSAY_N_PAIRED])
{
  Late *late = data;
  const double lost = lose (batch, late->labels, inout_slopes);

  return ++late->asked > 5 ? (double) NAN : lost;
}

/* Passes have two batches of convolutions, which end with the pass, and one of columns. */
Test (deep_encoder, an_unfinished_training_is_said)
{
  static const struct {
    guint network;
    const char *says;
  } cases[] = { { HASH_CONVOLUTIONS, "training diverged by batch 6 of 20 (rate = 0.005): the codes "
                                     "are of the weights after batch 4" },
                { HASH_HIDDEN_LAYER, "training diverged by batch 6 of 20 (rate = 0.005): the codes "
                                     "are of the weights after batch 5" } };
  Shapes shapes;

  make_shapes (&shapes);
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    HashSettings own = settings;
    Late late = { .labels = shapes.labels };
    g_autoptr (DeepEncoder) encoder = NULL;
    g_autoptr (AssayHashFunction) function = NULL, whole = NULL;
    g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_CODES, "dpsh");
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    g_autoptr (GError) error = NULL;

    own.network = cases[c].network;
    own.steps = 20;
    encoder = deep_encoder_new (&shapes.training, &own, TRUE, &error);
    cr_assert (deep_encoder_train (encoder, diverge_late, &late, &error), "%s",
               error != NULL ? error->message : "");
    function = deep_encoder_function (encoder, &error);
    cr_assert_str_eq (function->says, cases[c].says);
    /* It goes to who judges, and not to who attacks. */
    cr_assert (hash_release (function, shapes.training.rows, release, truth, &error));
    cr_assert_str_eq (truth->says, cases[c].says);
    whole = assay_hash_function_from (release, &error);
    cr_assert_null (whole->says);
    late.asked = 5;
    cr_assert_not (deep_encoder_train (encoder, diverge_late, &late, &error));
    cr_assert_eq (error->code, ASSAY_ERROR_NUMERIC);
  }
  assay_matrix_free (shapes.rows);
}

Test (deep_encoder, what_is_refused)
{
  const AssayShape rows = { .n_secrets = 240, .cols = 512, .n_classes = 3 };
  const AssayShape images = { .n_secrets = 240,
                              .cols = COLS,
                              .n_classes = 3,
                              .geometry = { .height = SIDE, .width = SIDE, .channels = CHANNELS } };
  HashSettings odd = settings;
  Shapes shapes;
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL, *again = NULL, *other = NULL, *far = NULL, *features = NULL;

  cr_assert (deep_encoder_check (&settings, &images, NULL));
  cr_assert_not (deep_encoder_check (&settings, &rows, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "network = convolutional: expected secrets that are images, found "
                               "rows of 512 numbers of which no height and width are known",
                               NULL, &why),
             "%s", why);
  odd.channels = 12;
  cr_assert_not (deep_encoder_check (&odd, &images, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "channels = 12, hidden = 32: with network = convolutional, expected "
                               "multiples of 8",
                               NULL, &again),
             "%s", again);
  odd = settings;
  odd.shift = SIDE - 1;
  cr_assert (deep_encoder_check (&odd, &images, NULL));
  odd.shift = SIDE;
  cr_assert_not (deep_encoder_check (&odd, &images, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "shift = 8: expected less than 8, a side of the images", NULL, &far),
             "%s", far);
  odd.network = HASH_HIDDEN_LAYER;
  odd.shift = 0;
  odd.mirror = TRUE;
  cr_assert_not (deep_encoder_check (&odd, &rows, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "shift = 0, mirror = yes: only with network = convolutional, to "
                               "whose images this is done",
                               NULL, &features),
             "%s", features);
  make_shapes (&shapes);
  shapes.training.picture = (AssayGeometry){ 0 };
  cr_assert_null (hashnet_learn (&shapes.training, &settings, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "network = convolutional: expected secrets that are images, found "
                               "rows of 128 numbers of which no height and width are known",
                               NULL, &other),
             "%s", other);
  assay_matrix_free (shapes.rows);
}
