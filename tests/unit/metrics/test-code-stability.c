/* Bits kept and distances moved: against counts bit by bit, and their expectation. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/math/hash-function.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { ITEMS = 400, QUERIES = 9, BITS = 21, BYTES = 3 };
enum { KEPT, MOVED };

extern const AssayUtility assay_utility_code_stability;

typedef struct {
  gboolean before[ITEMS][BITS], now[ITEMS][BITS], queries[QUERIES][BITS];
  AssayDataset dataset;
  AssayRelease *release;
  AssayTruth *truth;
} Material;

static AssayArray *
pack (gboolean codes[ITEMS][BITS])
{
  guint8 *packed = g_new0 (guint8, ITEMS * BYTES);

  for (gsize i = 0; i < ITEMS; i++)
    for (gsize k = 0; k < BITS; k++)
      packed[i * BYTES + k / 8] |= (guint8) ((codes[i][k] ? 1 : 0) << k % 8);
  return assay_array_take (ASSAY_UINT8, 2, (gsize[]){ ITEMS, BYTES }, packed);
}

static AssayArray *
same_label (gsize n)
{
  return assay_array_take (ASSAY_INT64, 1, &n, g_new0 (gint64, n));
}

/* Bits are turned with probability @beta; the hash function has bit k where number k is above 0. */
static void
material_init (Material *material, double beta)
{
  AssayStream stream = assay_stream (assay_stream_key (41, 0, "codes", ""), 0);
  g_autoptr (AssayHashFunction) function = assay_hash_function_new ();
  AssayMatrix *rows = assay_matrix_new (QUERIES, BITS, NULL);

  memset (material, 0, sizeof *material);
  function->mean = assay_matrix_new (1, BITS, NULL);
  function->projection = assay_matrix_new (BITS, BITS, NULL);
  for (gsize k = 0; k < BITS; k++)
    assay_matrix_row (function->projection, k)[k] = 1;
  for (gsize q = 0; q < QUERIES; q++)
    for (gsize k = 0; k < BITS; k++) {
      material->queries[q][k] = assay_stream_uniform (&stream) < 0.3;
      assay_matrix_row (rows, q)[k] = material->queries[q][k] ? 1 : -1;
    }
  for (gsize i = 0; i < ITEMS; i++)
    for (gsize k = 0; k < BITS; k++) {
      material->before[i][k] = assay_stream_uniform (&stream) < 0.4;
      material->now[i][k] = material->before[i][k] != (assay_stream_uniform (&stream) < beta);
    }
  material->dataset.test = assay_rows_take_matrix (rows);
  material->dataset.test_data.labels = same_label (QUERIES);
  material->dataset.n_classes = 1;
  material->release = assay_release_new (ASSAY_RELEASE_CODES, "test");
  material->release->bits = BITS;
  assay_arrays_take (&material->release->arrays, "codes", pack (material->now));
  assay_hash_function_release (function, material->release);
  material->truth = assay_truth_new ();
  assay_arrays_take (&material->truth->arrays, "labels", same_label (ITEMS));
  assay_arrays_take (&material->truth->arrays, "codes", pack (material->before));
}

static void
material_clear (Material *material)
{
  assay_dataset_clear (&material->dataset);
  assay_release_free (material->release);
  assay_truth_free (material->truth);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Material, material_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayOutcomes, assay_outcomes_clear)

static gboolean
assess (const Material *material, AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayReceived received = { material->release, material->truth };

  return assay_step_assess (&assay_utility_code_stability,
                            &(AssayUtilityContext){ .dataset = &material->dataset }, &received,
                            ret_outcomes, error);
}

static int
distance (const gboolean *one, const gboolean *other)
{
  int sum = 0;

  for (gsize k = 0; k < BITS; k++)
    sum += one[k] != other[k];
  return sum;
}

static double
binomial (int n, int k, double p)
{
  return exp (lgamma (n + 1) - lgamma (k + 1) - lgamma (n - k + 1) + k * log (p)
              + (n - k) * log1p (-p));
}

/* E |A - B|, A ~ binomial (c - d, beta), B ~ binomial (d, beta). */
static double
expected_move (int d, double beta)
{
  double sum = 0;

  for (int a = 0; a <= BITS - d; a++)
    for (int b = 0; b <= d; b++)
      sum += binomial (BITS - d, a, beta) * binomial (d, b, beta) * abs (a - b);
  return sum;
}

Test (code_stability, counts_bits_and_distances)
{
  const double betas[] = { 0.1, 0.3679, 0.7 };

  for (gsize t = 0; t < G_N_ELEMENTS (betas); t++) {
    g_auto (Material) material;
    g_auto (AssayOutcomes) outcomes = { 0 };
    double kept = 0, moved = 0, expected = 0;

    material_init (&material, betas[t]);
    cr_assert (assess (&material, &outcomes, NULL) && outcomes.n == ITEMS);
    for (gsize i = 0; i < ITEMS; i++) {
      double naive = 0;

      for (gsize q = 0; q < QUERIES; q++) {
        const int then = distance (material.queries[q], material.before[i]);

        naive += abs (distance (material.queries[q], material.now[i]) - then);
        expected += expected_move (then, betas[t]) / (QUERIES * ITEMS);
      }
      assert_near (outcomes.series[MOVED][i], naive / QUERIES, 1e-12, "item %zu", i);
      assert_near (outcomes.series[KEPT][i],
                   1 - distance (material.before[i], material.now[i]) / (double) BITS, 1e-12,
                   "item %zu", i);
      kept += outcomes.series[KEPT][i] / ITEMS;
      moved += outcomes.series[MOVED][i] / ITEMS;
    }
    /* Six standard deviations of 8,400 bits, and of 400 means with a deviation of 2 at most. */
    assert_near (kept, 1 - betas[t], 6 * sqrt (betas[t] * (1 - betas[t]) / (ITEMS * BITS)), "kept");
    assert_near (moved, expected, 6 * 2 / sqrt (ITEMS), "moved");
    cr_assert_lt (moved, BITS * betas[t]);
  }
}

Test (code_stability, codes_before_must_be_known)
{
  g_auto (Material) material;
  g_auto (AssayOutcomes) outcomes = { 0 };
  g_autoptr (GError) error = NULL;
  gsize shape[] = { ITEMS, BYTES + 1 };

  material_init (&material, 0.1);
  assay_arrays_take (
      &material.truth->arrays, "codes",
      assay_array_take (ASSAY_UINT8, 2, shape, g_new0 (guint8, ITEMS * (BYTES + 1))));
  cr_assert (!assess (&material, &outcomes, &error));
  cr_assert (strstr (error->message, "as many bits as were released of each, found others") != NULL,
             "%s", error->message);
}
