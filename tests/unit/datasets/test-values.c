/* Generated secrets: their ranges and distributions, and that seed and number settle them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

#define ALPHA 1e-6 /* the chance of each statistical check to fail on right numbers */

static const AssayDatasetPlugin *
plugin (void)
{
  return (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, "values", NULL);
}

/* Opens with @assignments, and checks what was announced. */
static AssayMatrix *
open_values (const char *assignments, guint64 seed, char **ret_sha256)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&plugin ()->plugin, assignments);
  const AssayDatasetContext context
      = { .settings = settings->values, .stream = assay_stream_key (seed, 0, "data", "") };
  AssayDataset dataset = { 0 };
  AssayProbe probe;
  AssayMatrix *matrix;

  cr_assert (plugin ()->probe (&context, &probe, NULL)
             && plugin ()->open (&context, &dataset, NULL));
  matrix = assay_matrix_new (assay_rows_count (dataset.secrets), assay_rows_cols (dataset.secrets),
                             NULL);
  assay_rows_read (dataset.secrets, 0, matrix->rows, ASSAY_SCALE_NONE, matrix->data);
  cr_assert (probe.n_secrets == matrix->rows && probe.cols == matrix->cols
                 && probe.memory == matrix->rows * matrix->cols * sizeof (float)
                 && !probe.is_estimate,
             "%s", assignments);
  cr_assert (dataset.public_rows == NULL && dataset.database == NULL && dataset.groups == NULL);
  *ret_sha256 = g_strdup (dataset.sha256);
  assay_dataset_clear (&dataset);
  return matrix;
}

/* Every number of the range as often. */
static void
check_whole (const char *assignments, gsize rows, gsize cols, gsize values)
{
  g_autofree char *sha256 = NULL;
  g_autoptr (AssayMatrix) matrix = open_values (assignments, 1, &sha256);
  g_autofree gsize *counts = g_new0 (gsize, values);

  cr_assert (matrix->rows == rows && matrix->cols == cols, "%s", assignments);
  for (gsize i = 0; i < rows * cols; i++) {
    const float value = matrix->data[i];

    cr_assert (value >= 0 && value < (float) values && floorf (value) == value, "%s: %g",
               assignments, (double) value);
    counts[(gsize) value]++;
  }
  cr_assert (sample_chi_square (counts, values) < sample_chi_square_bound (values, ALPHA), "%s",
             assignments);
}

Test (values, whole_numbers)
{
  check_whole ("count=40000", 40000, 1, 200);
  check_whole ("count=1000 columns=30 values=7", 1000, 30, 7);
}

/* Two cells are too few for the chi-square's bound: 5 standard deviations of the mean. */
Test (values, bits)
{
  g_autofree char *sha256 = NULL;
  g_autoptr (AssayMatrix) matrix = open_values ("kind=bits count=2000 columns=16", 1, &sha256);
  const gsize n = 2000 * 16;
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    cr_assert (matrix->data[i] == 0 || matrix->data[i] == 1);
    sum += matrix->data[i];
  }
  assert_near (sum / (double) n, 0.5, 5 * 0.5 / sqrt ((double) n), "share of ones");
}

static double
uniform_cdf (double x)
{
  return CLAMP ((x + 3) / 5, 0, 1);
}

Test (values, reals)
{
  g_autofree char *sha256 = NULL;
  g_autoptr (AssayMatrix) matrix
      = open_values ("kind=real count=30000 columns=2 low=-3 high=2", 1, &sha256);
  g_autofree double *sample = g_new (double, 60000);

  for (gsize i = 0; i < 60000; i++) {
    sample[i] = matrix->data[i];
    cr_assert (sample[i] >= -3 && sample[i] <= 2, "%g", sample[i]);
  }
  cr_assert (sample_ks_distance (sample, 60000, uniform_cdf) < sample_ks_bound (60000, ALPHA));
}

/* The same seed gives the same numbers, a larger pool begins with those of a smaller one, and the
 * checksum is that of the content. */
Test (values, seed_and_checksum)
{
  char *sums[4];
  g_autoptr (AssayMatrix) first = open_values ("columns=3", 1, &sums[0]);
  g_autoptr (AssayMatrix) again = open_values ("columns=3", 1, &sums[1]);
  g_autoptr (AssayMatrix) longer = open_values ("columns=3 count=1500", 1, &sums[2]);
  g_autoptr (AssayMatrix) other = open_values ("columns=3", 2, &sums[3]);
  g_autofree char *content = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) first->data, 3000 * sizeof (float));

  cr_assert_str_eq (sums[0], content);
  cr_assert_str_eq (sums[0], sums[1]);
  cr_assert (!g_str_equal (sums[0], sums[2]) && !g_str_equal (sums[0], sums[3]));
  cr_assert (memcmp (first->data, again->data, 3000 * sizeof (float)) == 0);
  cr_assert (memcmp (first->data, longer->data, 3000 * sizeof (float)) == 0);
  cr_assert (memcmp (first->data, other->data, 3000 * sizeof (float)) != 0);
  for (gsize i = 0; i < 4; i++)
    g_free (sums[i]);
}

Test (values, an_empty_range_is_refused)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&plugin ()->plugin, "kind=real low=1 high=1");
  const AssayShape shape = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!plugin ()->check (settings->values, &shape, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "low = 1: expected less than high = 1", NULL, &why),
             "%s", why);
}
