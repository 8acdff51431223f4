/* Images from gradients: what the defense releases, what comes back of it, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/gradients/gradient-case.h"
#include "attacks/gradients/gradient-descent.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/mixtures.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayAttack assay_attack_gradient_matching;
extern const AssayDefense assay_defense_shared_gradient;

enum { N = 6, SIDE = 8, COLS = SIDE * SIDE, CLASSES = 3 };

static const gint64 labels[N] = { 0, 1, 2, 0, 1, 2 };

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
} Shared;

static gboolean
share (const char *assignments, const AssayMatrix *secrets, guint64 seed, Shared *ret_shared,
       GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_shared_gradient.plugin, assignments);
  const AssayStreamKey key = assay_stream_key (seed, 0, "defense", "");
  const AssaySecrets known
      = { .rows = assay_matrix_view (secrets),
          .geometry = { .height = secrets->cols == COLS ? SIDE : 0, .width = SIDE, .channels = 1 },
          .labels = labels,
          .n_classes = CLASSES };
  const AssayKnowledge knowledge = { 0 };

  return assay_step_protect (
      &assay_defense_shared_gradient,
      &(AssayProtecting){
          .settings = settings, .stream = key, .common = key, .knowledge = &knowledge },
      &known, &ret_shared->release, &ret_shared->truth, error);
}

static void
clear (Shared *shared)
{
  assay_release_free (shared->release);
  assay_truth_free (shared->truth);
}

static AssayGuess *
play (const AssayRelease *release, const char *assignments, guint grants, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_gradient_matching.plugin, assignments);
  const AssayKnowledge knowledge = { 0 };
  AssayGuess *guess = NULL;

  assay_step_attack (&assay_attack_gradient_matching, settings,
                     assay_stream_key (5, 0, "attack", ""),
                     &(AssayGranted){
                         .grants = grants, .release = release, .knowledge = &knowledge },
                     &guess, error);
  return guess;
}

static AssayView
view_of (const AssayArrays *arrays, const char *name)
{
  return assay_array_view (assay_arrays_get (arrays, name));
}

/* The gradient of a batch is the mean of those of its images; equal seeds have equal weights,
 * whatever is mixed. */
Test (gradient_matching, batches_are_means)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, COLS, 1);
  Shared single = { 0 }, pairs = { 0 }, other = { 0 };
  AssayView each, both;

  cr_assert (share ("units=4", secrets, 1, &single, NULL));
  cr_assert (share ("units=4 batch=2", secrets, 1, &pairs, NULL));
  cr_assert (share ("units=4 batch=2", secrets, 2, &other, NULL));
  each = view_of (&single.release->arrays, "gradients");
  both = view_of (&pairs.release->arrays, "gradients");
  cr_assert (each.rows == N && both.rows == N / 2 && each.cols == both.cols);
  for (gsize i = 0; i < both.rows; i++)
    for (gsize j = 0; j < both.cols; j++)
      assert_near ((double) assay_view_row (both, i)[j],
                   ((double) assay_view_row (each, 2 * i)[j]
                    + (double) assay_view_row (each, 2 * i + 1)[j])
                       / 2,
                   1e-6, "gradient %zu, weight %zu", i, j);
  cr_assert_neq (memcmp (assay_arrays_get (&pairs.release->arrays, "weights")->data,
                         assay_arrays_get (&other.release->arrays, "weights")->data,
                         each.cols * sizeof (float)),
                 0);
  clear (&single);
  clear (&pairs);
  clear (&other);
}

/* Of one image each row of a dense layer's gradient is a multiple: float32 alone is between. */
Test (gradient_matching, division_is_exact)
{
  static const char *const mixings[] = { "none", "mixup", "instahide" };
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, COLS, 2);

  for (gsize m = 0; m < G_N_ELEMENTS (mixings); m++) {
    g_autofree char *settings
        = g_strdup_printf ("network=dense units=6 k=3 max_coefficient=0.65 mixing=%s", mixings[m]);
    Shared shared = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    AssayView mixtures, found;

    cr_assert (share (settings, secrets, 3, &shared, NULL));
    guess = play (shared.release, "method=division", ASSAY_GRANT_MODEL, NULL);
    mixtures = view_of (&shared.truth->arrays, "mixtures");
    found = view_of (&guess->arrays, "estimates");
    for (gsize i = 0; i < N * COLS; i++)
      assert_near ((double) found.data[i], (double) mixtures.data[i], 1e-5, "%s, number %zu",
                   mixings[m], i);
    /* Nothing is mixed, or everything. */
    cr_assert_eq (memcmp (mixtures.data, secrets->data, N * COLS * sizeof (float)) == 0, m == 0);
    clear (&shared);
  }
}

/* The mixture comes back from its gradient, and one secret of three does not: with all secrets
 * independent, the share of the largest is at most 0.65 and its correlation with the mixture
 * mostly well below 0.95. Threads change nothing. */
Test (gradient_matching, finds_the_mixture)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, COLS, 4);
  Shared shared = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  g_autoptr (AssayGuess) again = NULL;
  AssayView mixtures, found;
  gsize like_mixture = 0, like_secret = 0;

  cr_assert (share ("units=8 k=3 mixing=instahide", secrets, 4, &shared, NULL));
  guess = play (shared.release, "", ASSAY_GRANT_MODEL, NULL);
  assay_parallel_set_threads (1);
  again = play (shared.release, "", ASSAY_GRANT_MODEL, NULL);
  mixtures = view_of (&shared.truth->arrays, "mixtures");
  found = view_of (&guess->arrays, "estimates");
  cr_assert_eq (memcmp (found.data, view_of (&again->arrays, "estimates").data,
                        N * COLS * sizeof (float)),
                0);
  for (gsize i = 0; i < N; i++) {
    like_mixture
        += assay_correlation (assay_view_row (found, i), assay_view_row (mixtures, i), COLS) > 0.95;
    like_secret
        += assay_correlation (assay_view_row (found, i), assay_matrix_row (secrets, i), COLS) > 0.5;
  }
  cr_assert (like_mixture >= N - 1 && like_secret == 0, "%zu mixtures, %zu secrets", like_mixture,
             like_secret);
  cr_assert (guess->confidence > 0.8 && !guess->is_unordered, "%s", guess->says);
  clear (&shared);
}

/* Of images of one class each, which is read off the biases: those of batches come back too. */
Test (gradient_matching, labels_that_follow_from_biases)
{
  static const char *const batches[] = { "units=8", "units=8 batch=3" };
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, COLS, 4);

  for (guint b = 0; b < G_N_ELEMENTS (batches); b++) {
    Shared shared = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    gsize n_found = 0;

    cr_assert (share (batches[b], secrets, 4, &shared, NULL));
    guess = play (shared.release, "one_label=yes starts=3", ASSAY_GRANT_MODEL, NULL);
    cr_assert (guess != NULL && guess->is_unordered == (b == 1));
    for (gsize i = 0; i < N; i++) {
      double best = 0;

      for (gsize j = 0; j < N; j++)
        best = fmax (best, assay_correlation (
                               assay_view_row (view_of (&guess->arrays, "estimates"), j),
                               assay_matrix_row (secrets, i), COLS));
      n_found += best > 0.9;
    }
    cr_assert_geq (n_found, (gsize) (b == 0 ? N - 1 : N / 2), "%s: %zu", batches[b], n_found);
    clear (&shared);
  }
}

/* Mean over the secrets of the best correlation with an estimate. */
static double
likeness (AssayMatrix *secrets, const char *settings)
{
  Shared shared = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  double sum = 0;

  cr_assert (share ("units=2 batch=3", secrets, 4, &shared, NULL));
  guess = play (shared.release, settings, ASSAY_GRANT_MODEL, NULL);
  for (gsize i = 0; i < N; i++) {
    double best = 0;

    for (gsize j = 0; j < N; j++)
      best = fmax (best,
                   assay_correlation (assay_view_row (view_of (&guess->arrays, "estimates"), j),
                                      assay_matrix_row (secrets, i), COLS));
    sum += best / N;
  }
  cr_log_info ("%s: %g; %s", settings, sum, guess->says);
  clear (&shared);
  return sum;
}

/* Three images are 192 numbers, of which 2 channels tell 142 (test-sigmoid-network.c has how this
 * is counted): other batches have the same gradient. The smoothest of them is the right one, where
 * images are smooth. */
Test (gradient_matching, total_variation)
{
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (N, COLS, NULL);
  AssayStream stream = assay_stream (assay_stream_key (4, 0, "smooth", ""), 0);
  double without, with;

  for (gsize i = 0; i < N; i++)
    assay_control_smooth (SIDE, 5, &stream, assay_matrix_row (secrets, i));
  without = likeness (secrets, "one_label=yes");
  with = likeness (secrets, "one_label=yes smooth=0.01");
  cr_assert (with > 0.85 && with > without + 0.1, "%g, without %g", with, without);
}

/* Gradients so long that nothing comes nearer to them: whoever goes far only gets lost. */
Test (gradient_matching, tells_divergence)
{
  const GradientCase made = { .n = 2, .side = 6, .classes = 2, .units = 2 };
  AssayControlCase of = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  const AssayArray *gradients;

  cr_assert (gradient_case_make (&made, assay_stream_key (1, 0, "case", ""), &of, NULL));
  gradients = assay_arrays_get (&of.release->arrays, "gradients");
  for (gsize i = 0; i < assay_array_count (gradients); i++)
    ((float *) gradients->data)[i] = 3e38F;
  guess = play (of.release, "starts=3", ASSAY_GRANT_MODEL, NULL);
  cr_assert (guess != NULL);
  cr_assert_str_eq (guess->says,
                    "0 of 2 gradients are matched to a tenth of their length, one in two to inf; "
                    "6 starts diverged, and of some gradients all, for which it guesses grey "
                    "images");
  cr_assert_eq (guess->confidence, 0.0);
  assay_control_case_clear (&of);
}

static void
refused (const char *defense, const char *attack, guint grants, const char *message)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, COLS, 1);
  g_autoptr (AssayGuess) guess = NULL;
  g_autofree char *why = NULL;
  Shared shared = { 0 };
  GError *error = NULL;

  cr_assert (share (defense, secrets, 1, &shared, NULL));
  guess = play (shared.release, attack, grants, &error);
  cr_assert (guess == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
  clear (&shared);
}

Test (gradient_matching, is_refused)
{
  refused ("units=4", "", 0,
           "attack 'gradient-matching' needs 'model', which was not granted");
  refused ("units=4", "method=division", ASSAY_GRANT_MODEL,
           "attack gradient-matching: method = division: expected a network whose first layer is "
           "dense, found a convolutional one");
}

/* A release of other images than its parameters say, and one that says nothing. */
Test (gradient_matching, another_network)
{
  const GradientCase made = { .n = 2, .side = 6, .classes = 2, .units = 2 };
  AssayControlCase of = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (gradient_case_make (&made, assay_stream_key (1, 0, "case", ""), &of, NULL));
  ASSAY_SET_PARAMETER (of.release, AssayGradientsParameters, height, 9);
  cr_assert (play (of.release, "", ASSAY_GRANT_MODEL, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "attack gradient-matching: gradients of 274 weights; expected "
                               "282, which a convolutional network of 2 units has of images of "
                               "9 x 6 pixels, 1 channel and 2 classes",
                               NULL, &why),
             "%s", why);
  assay_control_case_clear (&of);
}

Test (gradient_matching, secrets_that_do_not_fit)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, COLS, 1);
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_shared_gradient.plugin, "batch=4");
  g_autoptr (AssaySettings) huge
      = fixture_settings (&assay_defense_shared_gradient.plugin, "network=dense units=1000000");
  AssayShape rows = { .n_secrets = 8, .cols = 30 }, images = rows;
  GError *error = NULL;
  g_autofree char *why = NULL;
  Shared shared = { 0 };

  cr_assert (!share ("batch=4", secrets, 1, &shared, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "defense shared-gradient: batch = 4: expected a divisor of the 6 "
                               "secrets of a cell",
                               NULL, &why),
             "%s", why);
  cr_assert (!assay_defense_shared_gradient.check (settings->values, &rows, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "network = convolutional: expected a dataset of images, whose "
                               "height and width are known, or network = dense",
                               NULL, &why),
             "%s", why);
  images.geometry = (AssayGeometry){ .height = 5, .width = 6, .channels = 1 };
  images.n_secrets = 6;
  cr_assert (!assay_defense_shared_gradient.check (settings->values, &images, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "batch = 4: expected a divisor of the 6 secrets of a cell", NULL,
                               &why),
             "%s", why);
  /* A network larger than memory: the plan counts its gradients. */
  images.cols = 3072;
  assay_defense_shared_gradient.release_shape (huge->values, &images);
  cr_assert_eq (images.n_outputs, (guint64) 1000000 * (30 + 1) + 2 * (1000000 + 1));
  cr_assert_gt (assay_kind_bytes (assay_kind (ASSAY_RELEASE_GRADIENTS), &images),
                (guint64) 6 * 4 * 33000000);
}
