/* The steps of mixture-inversion, each against what it is defined to find, where all that it builds
 * on is known. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/evidence/mixture-fit.h"
#include "attacks/inversion/mixture-clusters.h"
#include "attacks/inversion/mixture-embedding.h"
#include "attacks/inversion/mixture-labels.h"
#include "attacks/inversion/mixture-pairs.h"
#include "attacks/inversion/public-pursuit.h"
#include "attacks/retrieval/phase-retrieval.h"
#include "attacks/retrieval/sign-tree.h"
#include "attacks/whitened/whitening.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/inversion-scene.h"

/* The share of mixtures whose pair is the right one. */
static double
share_of_right_pairs (const Scene *scene)
{
  const guint32 *found = scene->state.pairs, *right = scene->made->sources;
  gsize count = 0;

  for (gsize t = 0; t < scene->made->total; t++)
    count += (found[2 * t] == right[2 * t] && found[2 * t + 1] == right[2 * t + 1])
             || (found[2 * t] == right[2 * t + 1] && found[2 * t + 1] == right[2 * t]);
  return (double) count / (double) scene->made->total;
}

/* ---- Steps ---- */

/* Against the eigenvectors of the whole cosine matrix, in a metric that weighs columns: the same
 * inner products. */
Test (inversion_steps, embedding_is_that_of_the_whole_matrix)
{
  enum { N = 60, D = 40, COUNT = 6 };
  g_autoptr (AssayMatrix) features = fixture_normal (N, D, 3);
  g_autofree double *cosines = g_new (double, N *N);
  g_autofree float *precision = g_new0 (float, D *D);
  double values[COUNT], vectors[COUNT * N], weights[D];
  g_autoptr (AssayMatrix) found = NULL;

  for (gsize j = 0; j < D; j++)
    weights[j] = precision[j * D + j] = 1 + (float) (j % 5) / 4;
  /* A few directions that stand out, so that six steps reach the limit of float. */
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < COUNT; j++)
      features->data[i * D + j] *= (float) (12 - j);
  for (gsize a = 0; a < N; a++)
    for (gsize b = 0; b < N; b++) {
      double ab = 0, aa = 0, bb = 0;

      for (gsize j = 0; j < D; j++) {
        const double of_a = features->data[a * D + j], of_b = features->data[b * D + j];

        ab += weights[j] * of_a * of_b;
        aa += weights[j] * of_a * of_a;
        bb += weights[j] * of_b * of_b;
      }
      cosines[a * N + b] = ab / sqrt (aa * bb);
    }
  cr_assert (assay_linalg_symmetric_eigen (N, COUNT, cosines, values, vectors, NULL));
  found = mixture_embedding (assay_matrix_view (features), assay_view_of (precision, D, D), COUNT,
                             assay_stream_key (1, 0, "test", ""), 0, NULL);
  cr_assert_not_null (found);
  for (gsize a = 0; a < N; a++)
    for (gsize b = 0; b < N; b++) {
      double ab = 0, aa = 0, bb = 0, product = 0;

      for (gsize j = 0; j < COUNT; j++) {
        ab += values[j] * vectors[j * N + a] * vectors[j * N + b];
        aa += values[j] * vectors[j * N + a] * vectors[j * N + a];
        bb += values[j] * vectors[j * N + b] * vectors[j * N + b];
        product += (double) found->data[a * COUNT + j] * found->data[b * COUNT + j];
      }
      assert_near (product, ab / sqrt (aa * bb), 1e-3, "rows %zu and %zu", a, b);
    }
}

/* Non-negative mixtures of two of n orthogonal centres, with a little noise. */
Test (inversion_steps, clusters_find_the_two_centres)
{
  enum { CENTRES = 10, EACH = 30, R = 14, N = CENTRES * EACH };
  g_autoptr (AssayMatrix) rows = assay_matrix_new (N, R, NULL);
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "clusters", ""), 0);
  guint32 right[N][2], found[N * 2], names[CENTRES];
  float shares[N * 2];
  gsize n_right = 0;

  for (gsize t = 0; t < N; t++) {
    float *row = assay_matrix_row (rows, t);
    double square = 0;

    right[t][0] = (guint32) (t % CENTRES);
    right[t][1] = (guint32) ((t + 1 + assay_stream_below (&stream, CENTRES - 1)) % CENTRES);
    for (gsize i = 0; i < 2; i++)
      row[right[t][i]] += (float) assay_stream_between (&stream, 0.5, 1);
    for (gsize j = 0; j < R; j++) {
      row[j] += (float) (0.05 * assay_stream_normal (&stream));
      square += (double) row[j] * row[j];
    }
    for (gsize j = 0; j < R; j++)
      row[j] /= (float) sqrt (square);
  }
  cr_assert (mixture_clusters_explain (assay_matrix_view (rows), CENTRES, found, shares, NULL));
  /* A centre is called by what most of its mixtures have in common. */
  for (guint32 c = 0; c < CENTRES; c++) {
    gsize counts[CENTRES] = { 0 };

    for (gsize t = 0; t < N; t++)
      for (gsize i = 0; i < 2; i++) {
        counts[right[t][i]] += found[2 * t] == c;
        counts[right[t][i]] += found[2 * t + 1] == c;
      }
    names[c] = 0;
    for (guint32 s = 1; s < CENTRES; s++)
      if (counts[s] > counts[names[c]])
        names[c] = s;
  }
  for (gsize t = 0; t < N; t++) {
    const guint32 a = names[found[2 * t]], b = names[found[2 * t + 1]];

    n_right += (a == right[t][0] && b == right[t][1]) || (a == right[t][1] && b == right[t][0]);
  }
  cr_assert_eq (n_right, N, "%zu of %d", n_right, N);
}

/* The quotient goes through 1 at the bound to which arguments are cut. */
Test (inversion_steps, soft_signs_are_hyperbolic_tangents)
{
  for (int i = -800; i <= 800; i++)
    assert_near (mixture_soft_sign ((float) i / 100), tanh (i / 100.0), 1e-4, "%d / 100", i);
}

/* With nothing public the magnitudes determine each pixel's vector up to its sign. 30 mixtures a
 * secret leave few pixels in a wrong place: nine in ten are right. */
Test (inversion_steps, phase_retrieval_finds_pixels_up_to_sign)
{
  InstaHideSizes plain = sizes;
  g_auto (Scene) scene = { 0 };
  const PhaseRetrieval cold = { .is_cold = TRUE, .heat = 12, .rounds = 40 };
  gsize n_right = 0;

  plain.n_partners = 0;
  scene_make (&plain, TRUE, &scene);
  memset (scene.state.images, 0, plain.n_secrets * scene.made->cols * sizeof (float));
  cr_assert (phase_retrieval (&cold, &scene.state, NULL));
  for (gsize p = 0; p < scene.made->cols; p++) {
    double xx = 0, xy = 0, yy = 0;

    for (gsize i = 0; i < plain.n_secrets; i++) {
      const double x = scene.made->secrets->data[i * scene.made->cols + p];
      const double y = scene.state.images[i * scene.made->cols + p];

      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
    n_right += fabs (xy) / sqrt (xx * yy) > 0.99;
  }
  cr_assert_geq (n_right, scene.made->cols * 9 / 10, "%zu of %zu", n_right, scene.made->cols);
}

/* Turns the signs of a third of the pixels; returns how many. */
static gsize
turn_some (Scene *scene)
{
  const gsize d = scene->made->cols;
  gsize count = 0;

  for (gsize p = 0; p < d; p++)
    if (p * 7 % 3 == 1) {
      count++;
      for (gsize i = 0; i < scene->state.n_secrets; i++)
        scene->state.images[i * d + p] *= -1;
    }
  return count;
}

Test (inversion_steps, tree_gives_an_image_one_sign)
{
  g_auto (Scene) scene = { 0 };
  g_autofree double *mean = NULL;
  gsize n;

  scene_make (&sizes, FALSE, &scene);
  n = sizes.n_secrets * scene.made->cols;
  /* A mean image that says which way up they are: the sum of the secrets themselves. */
  mean = g_new0 (double, scene.made->cols);
  for (gsize i = 0; i < n; i++)
    mean[i % scene.made->cols] += scene.made->secrets->data[i];
  turn_some (&scene);
  cr_assert (sign_tree_align (&scene.state, mean, NULL));
  for (gsize i = 0; i < n; i++)
    cr_assert_eq (scene.state.images[i], scene.made->secrets->data[i], "number %zu", i);
}

Test (inversion_steps, public_parts_tell_the_signs_of_pixels)
{
  g_auto (Scene) scene = { 0 };
  gsize n_turned;

  scene_make (&sizes, TRUE, &scene);
  n_turned = turn_some (&scene);
  cr_assert_eq (phase_retrieval_turn_pixels (&scene.state), n_turned);
  cr_assert_arr_eq (scene.state.images, scene.made->secrets->data,
                    sizes.n_secrets * scene.made->cols * sizeof (float));
  cr_assert_eq (phase_retrieval_turn_pixels (&scene.state), 0);
}

Test (inversion_steps, labels_tell_weights_and_classes)
{
  g_auto (Scene) scene = { 0 };
  gsize classes[12];

  scene_make (&sizes, FALSE, &scene);
  mixture_labels_find_classes (&scene.state, classes);
  for (gsize i = 0; i < sizes.n_secrets; i++)
    cr_assert_eq (classes[i], i % sizes.n_classes, "secret %zu", i);
  for (gsize t = 0; t < scene.made->total; t++) {
    const gsize a = scene.made->sources[2 * t] % sizes.n_classes;
    const gsize b = scene.made->sources[2 * t + 1] % sizes.n_classes;
    const gsize neither = a == b || (a + 1) % 4 != b ? (a + 1) % 4 : (a + 2) % 4;
    const float sum = scene.made->weights[2 * t] + scene.made->weights[2 * t + 1];
    float found[2];

    cr_assert_eq (mixture_labels_of (&scene.state, t, a, b, found),
                  a == b ? MIXTURE_LABELS_SUM : MIXTURE_LABELS_FIX);
    assert_near (found[0], a == b ? sum / 2 : scene.made->weights[2 * t], 1e-6, "mixture %zu", t);
    assert_near (mixture_labels_share (&scene.state, t, 0), sum, 1e-6, "mixture %zu", t);
    cr_assert_eq (mixture_labels_of (&scene.state, t, a, neither, found), MIXTURE_LABELS_EXCLUDE);
    cr_assert (mixture_labels_allow (&scene.state, t, a));
    cr_assert_not (mixture_labels_allow (&scene.state, t, neither));
  }
  scene.state.labels = NULL;
  cr_assert_eq (mixture_labels_of (&scene.state, 0, 0, 1, NULL), MIXTURE_LABELS_OPEN);
  cr_assert_eq (mixture_labels_share (&scene.state, 0, 0.4f), 0.4f);
}

/* Where nothing public is in them the square of the right pair is e^2 itself, and its cosine 1.
 * Of two secrets of one class the ratio of weights is one of nine, which may take the wrong pair.
 * */
Test (inversion_steps, squares_match_their_pairs)
{
  InstaHideSizes plain = sizes;
  g_auto (Scene) scene = { 0 };
  g_autofree float *identity = NULL;
  double right;

  plain.n_partners = 0;
  scene_make (&plain, FALSE, &scene);
  identity = g_new0 (float, scene.made->cols *scene.made->cols);
  for (gsize j = 0; j < scene.made->cols; j++)
    identity[j * scene.made->cols + j] = 1;
  /* One in five is wrong to begin with, so that classes can still be told. */
  for (gsize t = 0; t < scene.made->total; t += 5) {
    scene.state.pairs[2 * t] = 0;
    scene.state.pairs[2 * t + 1] = 1;
  }
  cr_assert_leq (share_of_right_pairs (&scene), 0.85);
  cr_assert (mixture_pairs_match_squares (&scene.state, identity, 0, NULL));
  right = share_of_right_pairs (&scene);
  cr_assert_geq (right, 0.99, "%g", right);
}

/* One secret of every mixture is wrong; the other finds the right one beside it. */
Test (inversion_steps, search_replaces_wrong_secrets)
{
  for (int has_labels = 0; has_labels < 2; has_labels++) {
    g_auto (Scene) scene = { 0 };
    gsize n_wrong = 0, n_changed;
    double right;

    scene_make (&sizes, TRUE, &scene);
    scene.state.labels = has_labels ? scene.state.labels : NULL;
    for (gsize t = 0; t < scene.made->total; t += 3) {
      guint32 *pair = scene.state.pairs + 2 * t;
      const guint32 other = (pair[1] + 4) % (guint32) sizes.n_secrets; /* of the same class */

      if (other == pair[0])
        continue;
      pair[1] = other;
      n_wrong++;
    }
    n_changed = mixture_pairs_search (&scene.state);
    right = share_of_right_pairs (&scene);
    /* Without labels weights are fitted for each pair tried, and a few that fit better are wrong.
     * */
    cr_assert_geq (right, has_labels ? 1 : 0.98, "labels %d: %g", has_labels, right);
    cr_assert_geq ((double) n_changed, has_labels ? (double) n_wrong : 0.98 * (double) n_wrong,
                   "labels %d: %zu of %zu", has_labels, n_changed, n_wrong);
  }
}

/* With the secrets right, the public images of nine in ten mixtures stand out, and hardly any
 * others do; those of a set that was not used never come to the share from which they count. */
Test (inversion_steps, pursuit_finds_public_images)
{
  for (int is_used = 0; is_used < 2; is_used++) {
    g_auto (Scene) scene = { 0 };
    g_autoptr (InstaHide) others = NULL;
    g_auto (Whitening) whitening = { 0 };
    g_auto (AssayArena) arena = { 0 };
    PublicFilter filter;
    const WhiteningShares shares = { 4, 0.65 };
    const WhiteningMoments moments = whitening_moments (&shares);
    InstaHideSizes other_sizes = sizes;
    g_autofree float *precision = NULL;
    gsize found, n_right = 0;
    AssayView images;

    scene_make (&sizes, FALSE, &scene);
    other_sizes.seed++;
    others = instahide_new (&other_sizes);
    if (!is_used)
      scene.state.public_images = others->publics->data;
    images = (AssayView){ sizes.n_public, scene.made->cols, scene.made->cols,
                          scene.state.public_images };
    precision = g_new (float, scene.made->cols *scene.made->cols);
    cr_assert (whitening_learn (images, WHITENING_PLAIN, &moments, &whitening, NULL));
    cr_assert (whitening_inverse (&whitening, 0.1, precision, NULL));
    cr_assert (
        public_filter_init (&scene.state, precision, whitening.image, &arena, &filter, NULL));
    cr_assert (public_pursuit (&(PublicPursuit){ .image_error = 0.001 }, &filter, &scene.state,
                               &found, NULL));
    for (gsize i = 0; i < scene.made->total * 2; i++) {
      const gint32 *right = (const gint32 *) scene.made->partners + i / 2 * 2;

      n_right += scene.state.partners[i] == right[0] || scene.state.partners[i] == right[1];
    }
    if (is_used) {
      cr_assert_geq (n_right, scene.made->total * 2 * 8 / 10, "%zu right", n_right);
      cr_assert_leq (found - n_right, scene.made->total * 2 / 50, "%zu of %zu", n_right, found);
    } else {
      cr_assert_leq (found, scene.made->total * 2 / 25, "%zu found", found);
    }
  }
}

/* The truth explains nearly everything. Images that are fitted to pairs dealt to other mixtures
 * explain nothing, though with three mixtures an image they fit them well; and an image that is
 * wrong is told from those that are right. */
Test (inversion_steps, fit_is_that_beyond_freedom)
{
  static const gsize epochs[] = { 3, 30 };

  for (gsize e = 0; e < G_N_ELEMENTS (epochs); e++) {
    const PhaseRetrieval warm = { .heat = 3, .rounds = 20 };
    InstaHideSizes few = sizes;
    g_auto (Scene) scene = { 0 };
    g_autofree double *fits = g_new (double, sizes.n_secrets);
    MixtureState *state = &scene.state;
    AssayStream stream = assay_stream (assay_stream_key (1, 0, "image", "test"), 0);
    double fit;

    few.n_epochs = epochs[e];
    scene_make (&few, TRUE, &scene);
    cr_assert (mixture_fit (state, &fit, fits, NULL));
    cr_assert_geq (fit, 0.99, "%zu epochs: %g", epochs[e], fit);
    for (gsize i = 0; i < sizes.n_secrets; i++)
      cr_assert_geq (fits[i], 0.99, "%zu epochs, image %zu: %g", epochs[e], i, fits[i]);
    for (gsize j = 0; j < state->cols; j++)
      state->images[5 * state->cols + j] = (float) assay_stream_normal (&stream);
    cr_assert (mixture_fit (state, &fit, fits, NULL));
    for (gsize i = 0; i < sizes.n_secrets; i++)
      cr_assert (i == 5 ? fits[i] < 0.3 : fits[i] > 0.4, "%zu epochs, image %zu: %g", epochs[e], i,
                 fits[i]);
    for (gsize i = 0; i < 2 * state->n_mixtures; i++)
      state->pairs[i] = scene.made->sources[(i + 14) % (2 * state->n_mixtures)];
    cr_assert (phase_retrieval (&warm, state, NULL));
    cr_assert (mixture_fit (state, &fit, fits, NULL));
    cr_assert_leq (fit, 0.25, "%zu epochs: %g", epochs[e], fit);
  }
}
