/* dp-sgd: its accountant against NumPy and closed forms, what codes learn of edges, and its
 * mechanism. */
#include "core/data/codes.h"
#include "core/data/kinds/paired-codes.h"
#include "core/stats/renyi-privacy.h"
#include "tests/unit/defenses/paired-contrast.h"
#include "tests/unit/mechanism-case.h"

/* All records in each round is the Gaussian mechanism: a / (2 z^2). Of order 2 the sum is 1 + q^2
 * (exp (1 / z^2) - 1). */
Test (dp_sgd, divergences_in_closed_form)
{
  for (double z = 0.5; z < 5; z *= 1.7) {
    const AssaySampledGaussian part = { .rate = 0.03, .noise = z, .rounds = 1 };
    const AssaySampledGaussian all = { .rate = 1, .noise = z, .rounds = 1 };
    const AssaySampledGaussian nearly = { .rate = 1 - 1e-12, .noise = z, .rounds = 1 };

    assert_near (assay_sampled_gaussian_divergence (&part, 2),
                 log1p (0.03 * 0.03 * expm1 (1 / (z * z))), 1e-12, "z %g", z);
    assert_near (assay_sampled_gaussian_divergence (&all, 7), 7 / (2 * z * z), 1e-12, "z %g", z);
    assert_near (assay_sampled_gaussian_divergence (&nearly, 7), 7 / (2 * z * z), 1e-9, "z %g", z);
  }
}

/* By the sum as it is written down, in NumPy with lgamma. */
Test (dp_sgd, noise_is_that_of_numpy)
{
  const AssaySampledGaussian mechanism = { .rate = 0.01645, .rounds = 300 };
  const double noise = assay_sampled_gaussian_noise (&mechanism, 2, 1e-5);
  const AssaySampledGaussian with = { .rate = 0.01645, .noise = noise, .rounds = 300 };

  assert_near (noise, 1.0368256870034076, 1e-9, "noise");
  assert_near (assay_sampled_gaussian_epsilon (&with, 1e-5), 2, 1e-9, "epsilon");
}

enum { N = 60, FIRST = 6, COLS = 10 };

/* Three groups, of which features say a little: items i, i + 3, ... */
static AssayMatrix *
make_items (void)
{
  AssayMatrix *items = fixture_normal (N, COLS, 3);

  for (gsize i = 0; i < N; i++) {
    assay_matrix_row (items, i)[i % 3] += 1.5f;
    assay_matrix_row (items, i)[FIRST + i % 3] += 1.5f;
  }
  return items;
}

static AssayRelease *
release_with (const char *assignments, gboolean has_graph, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "dp-sgd", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) items = make_items ();
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AssayArray) edges = NULL;
  const AssayStreamKey key = assay_stream_key (4, 0, "release", "");
  const AssayKnowledge nothing = { .database = NULL };
  AssaySecrets secrets = { .rows = assay_matrix_view (items), .first_cols = FIRST };
  AssayRelease *release = NULL;
  g_autoptr (AssayTruth) truth = NULL;

  for (gint64 i = 0; i < N; i++)
    for (gint64 j = i + 1; j < N; j++)
      if (i % 3 == j % 3)
        g_array_append_vals (links, ((const gint64[]){ i, j }), 2);
  edges = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ links->len / 2, 2 },
                            g_memdup2 (links->data, links->len * sizeof (gint64)));
  secrets.edges = has_graph ? edges : NULL;
  if (!assay_step_protect (
          (const AssayDefense *) plugin,
          &(AssayProtecting){
              .settings = settings, .stream = key, .common = key, .knowledge = &nothing },
          &secrets, &release, &truth, error))
    return NULL;
  return release;
}

/* Codes of joined items come nearer each other than features alone make them. */
Test (dp_sgd, codes_learn_edges)
{
  g_autoptr (AssayRelease) learned = release_with ("noise=no rate=1 batch=64", TRUE, NULL);
  g_autoptr (AssayRelease) silent = release_with ("edges=no batch=64", TRUE, NULL);

  cr_assert_gt (paired_contrast (learned), paired_contrast (silent) + 0.05, "%g, %g",
                paired_contrast (learned), paired_contrast (silent));
}

/* The released functions give the released codes, of columns as they are. */
Test (dp_sgd, functions_give_the_codes)
{
  g_autoptr (AssayRelease) release = release_with ("rounds=5 bits=11", TRUE, NULL);
  const AssayPairedCodes codes = assay_release_paired_codes (release);
  g_autoptr (AssayMatrix) items = make_items ();

  for (guint m = 0; m < 2; m++) {
    const AssayView layer = assay_array_view (
        assay_arrays_get (&release->arrays, m == 0 ? "image-layer1" : "text-layer1"));
    const gsize from = m == 0 ? 0 : FIRST;

    cr_assert_eq (layer.rows, 11);
    for (gsize i = 0; i < N; i++)
      for (gsize b = 0; b < 11; b++) {
        double sum = (double) assay_view_row (layer, b)[layer.cols - 1];

        for (gsize j = 0; j + 1 < layer.cols; j++)
          sum += (double) assay_view_row (layer, b)[j]
                 * (double) assay_matrix_row (items, i)[from + j];
        if (fabs (sum) > 1e-4)
          cr_assert_eq (assay_code_bit ((m == 0 ? codes.first : codes.second) + i * codes.bytes, b),
                        sum > 0);
      }
  }
}

Test (dp_sgd, needs_a_graph_and_two_modalities)
{
  g_autoptr (GError) error = NULL;

  cr_assert_null (release_with ("", FALSE, &error));
  cr_assert (strstr (error->message, "expected a dataset of two items at least, of two "
                                     "modalities, with a private graph between them"),
             "%s", error->message);
}

/* exp (ln p / p') has the mean 1 under p', whatever the mechanism is. */
Test (dp_sgd, density_is_that_of_the_runs)
{
  g_auto (Case) c = case_of ("dp-sgd", "rounds=4 rate=0.3 epsilon=3", 2);
  const gsize runs = 40000;
  const float one = 1, none = 0;
  g_autofree float *outputs = case_run (&c, "runs", &none, runs);
  double sum = 0, square = 0;

  cr_assert_eq (c.n_outputs, 4);
  for (gsize i = 0; i < runs; i += 8) {
    const double ratio = exp (case_log_ratio (&c, &one, &none, outputs + 4 * i));

    sum += ratio / ((double) runs / 8);
    square += ratio * ratio / ((double) runs / 8);
  }
  assert_near (sum, 1, 5 * sqrt (square / ((double) runs / 8)), "mean");
}
