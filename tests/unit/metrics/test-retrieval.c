/* The utilities map and pr-curve against lists that are sorted, and what they refuse. */
#include <criterion/criterion.h>

#include "core/base/parallel.h"
#include "core/data/formats/label-sets.h"
#include "core/math/hash-function.h"
#include "metrics/retrieval/ranking.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-retrieval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/ranking-counts.h"

extern const AssayUtility assay_utility_map;
extern const AssayUtility assay_utility_pr_curve;

enum { AP, STABLE, AP_AT_K, PRECISION_AT_K, RECALL_AT_N, MAP_LEFT_OUT, MAP_DATABASE, MAP_QUERY };

enum { PRECISION, RECALL, EMPTY, LEFT_OUT, DATABASE, QUERY };

/* ---- Material: codes of their own making, and queries that hash to a code of our choice ---- */

typedef struct {
  gsize bits;
  gsize n_items;
  gsize n_queries;
  gboolean are_sets;
  gsize n_classes;
} Sizes;

typedef struct {
  Sizes sizes;
  AssayDataset dataset;
  AssayRelease *release;
  AssayTruth *truth;
  guint8 *queries; /* packed */
} Material;

static void
material_clear (Material *material)
{
  assay_dataset_clear (&material->dataset);
  assay_release_free (material->release);
  assay_truth_free (material->truth);
  g_free (material->queries);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Material, material_clear)

/* Bits that are mostly 0, so that distances are few and ties long. */
static guint8 *
draw_codes (gsize n, gsize bits, guint64 trial)
{
  const gsize bytes = assay_code_bytes (bits);
  guint8 *codes = g_malloc0 (n * bytes);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (retrieval_key (trial), i);

    for (gsize j = 0; j < bits; j++)
      codes[i * bytes + j / 8] |= (guint8) ((assay_stream_below (&stream, 4) == 0) << j % 8);
  }
  return codes;
}

static AssayArray *
draw_labels (const Sizes *sizes, gsize n, gboolean are_sets, guint64 trial)
{
  const gsize words = are_sets ? assay_label_set_words (sizes->n_classes) : 1;
  gint64 *labels = g_new0 (gint64, n * words);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (retrieval_key (trial), i);
    const guint64 most = words > 1 ? sizes->n_classes
                         : are_sets ? G_GUINT64_CONSTANT (1) << sizes->n_classes
                                    : sizes->n_classes;

    for (gsize j = 0; words > 1 && j < i % 6; j++)
      assay_label_set_add (labels + i * words, assay_stream_below (&stream, most));
    if (words == 1)
      labels[i] = (gint64) assay_stream_below (&stream, most);
  }
  return assay_label_sets_take (n, words, labels);
}

/* Bit j of a row's code is x_j > 1/4: +1 or -1. */
static AssayHashFunction *
make_function (gsize bits)
{
  AssayHashFunction *function = assay_hash_function_new ();

  function->mean = assay_matrix_new (1, bits, NULL);
  function->projection = assay_matrix_new (bits, bits, NULL);
  for (gsize j = 0; j < bits; j++) {
    function->mean->data[j] = 0.25f;
    assay_matrix_row (function->projection, j)[j] = 1;
  }
  return function;
}

static Material
make_material (const Sizes *sizes)
{
  const gsize bytes = assay_code_bytes (sizes->bits);
  const gsize shape[] = { sizes->n_items, bytes };
  Material material = { .sizes = *sizes, .queries = draw_codes (sizes->n_queries, sizes->bits, 2) };
  AssayMatrix *rows = assay_matrix_new (sizes->n_queries, sizes->bits, NULL);
  g_autoptr (AssayHashFunction) function = make_function (sizes->bits);

  for (gsize i = 0; i < sizes->n_queries; i++)
    for (gsize j = 0; j < sizes->bits; j++)
      assay_matrix_row (rows, i)[j] = assay_code_bit (material.queries + i * bytes, j) ? 1 : -1;
  material.dataset.test = assay_rows_take_matrix (rows);
  material.dataset.test_data.labels = draw_labels (sizes, sizes->n_queries, FALSE, 4);
  material.dataset.n_classes = sizes->n_classes;
  material.release = assay_release_new (ASSAY_RELEASE_CODES, "test");
  material.release->bits = sizes->bits;
  assay_arrays_take (
      &material.release->arrays, "codes",
      assay_array_take (ASSAY_UINT8, 2, shape, draw_codes (sizes->n_items, sizes->bits, 3)));
  assay_hash_function_release (function, material.release);
  material.truth = assay_truth_new ();
  assay_arrays_take (&material.truth->arrays, "labels",
                     draw_labels (sizes, sizes->n_items, FALSE, 5));
  if (sizes->are_sets) {
    material.dataset.test_data.label_sets = draw_labels (sizes, sizes->n_queries, TRUE, 6);
    assay_arrays_take (&material.truth->arrays, "label-sets",
                       draw_labels (sizes, sizes->n_items, TRUE, 7));
  }
  return material;
}

static gboolean
assess (const AssayUtility *utility, const char *assignments, const Material *material,
        AssayOutcomes *ret_outcomes, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&utility->plugin, assignments);
  const AssayReceived received = { material->release, material->truth };

  return assay_step_assess (utility,
                            &(AssayUtilityContext){ .settings = settings->values,
                                                    .dataset = &material->dataset,
                                                    .stream = retrieval_key (8) },
                            &received, ret_outcomes, error);
}

static AssayOutcomes
assess_or_die (const AssayUtility *utility, const char *assignments, const Material *material)
{
  g_autoptr (GError) error = NULL;
  AssayOutcomes outcomes = { 0 };

  cr_assert (assess (utility, assignments, material, &outcomes, &error), "%s %s: %s", utility->id,
             assignments, error != NULL ? error->message : "");
  return outcomes;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayOutcomes, assay_outcomes_clear)

/* One query against all items, bit by bit; how many are relevant. */
static gsize
compare_query (const Material *material, gsize query, gsize *ret_distances, gboolean *ret_relevant)
{
  const Sizes *sizes = &material->sizes;
  const gsize bytes = assay_code_bytes (sizes->bits);
  const AssayArrays *truth = &material->truth->arrays;
  const AssayRoleData *test = &material->dataset.test_data;
  const gint64 *items
      = assay_array_int64 (assay_arrays_get (truth, sizes->are_sets ? "label-sets" : "labels"));
  const gsize words = sizes->are_sets ? assay_label_set_words (sizes->n_classes) : 1;
  const gint64 *wanted
      = assay_array_int64 (sizes->are_sets ? test->label_sets : test->labels) + query * words;
  const guint8 *codes = assay_arrays_get (&material->release->arrays, "codes")->data;
  gsize n = 0;

  for (gsize i = 0; i < sizes->n_items; i++) {
    ret_distances[i]
        = naive_hamming (codes + i * bytes, material->queries + query * bytes, sizes->bits);
    ret_relevant[i] = sizes->are_sets ? assay_label_sets_meet (items + i * words, wanted, words)
                                      : items[i] == *wanted;
    n += ret_relevant[i] ? 1 : 0;
  }
  return n;
}

/* ---- Whole utilities ---- */

/* Around the runs and panels that items are counted in, and words of codes. */
static const Sizes all_sizes[] = {
  { 1, 1, 17, FALSE, 1 },    { 3, 5, 20, FALSE, 3 },     { 8, 40, 33, TRUE, 4 },
  { 48, 701, 18, FALSE, 3 }, { 64, 2049, 16, TRUE, 5 },  { 65, 2300, 9, FALSE, 100 },
  { 130, 300, 5, TRUE, 6 },  { 12, 4111, 7, FALSE, 10 },  { 24, 701, 18, TRUE, 81 },
  { 16, 2300, 14, TRUE, 130 },
};

Test (retrieval, map_is_that_of_sorted_lists)
{
  enum { K = 100 };

  for (gsize c = 0; c < G_N_ELEMENTS (all_sizes); c++) {
    const Sizes *sizes = &all_sizes[c];
    const gsize k = MIN (K, sizes->n_items);
    g_auto (Material) material = make_material (sizes);
    g_auto (AssayOutcomes) outcomes = assess_or_die (&assay_utility_map, "k=100 n=100", &material);
    g_autofree gsize *distances = g_new (gsize, sizes->n_items);
    g_autofree gboolean *relevant = g_new (gboolean, sizes->n_items);
    gsize n = 0;

    for (gsize q = 0; q < sizes->n_queries; q++) {
      NaiveRetrieval stable;
      Ranking ranking;
      g_autofree guint32 *counts = g_new (guint32, 2 * (sizes->bits + 1));

      if (compare_query (&material, q, distances, relevant) == 0)
        continue;
      stable = naive_retrieval_stable (distances, relevant, sizes->n_items, k);
      ranking = retrieval_count (distances, relevant, sizes->n_items, sizes->bits, counts,
                                 counts + sizes->bits + 1);
      cr_assert_eq (outcomes.series[MAP_QUERY][n], (double) q, "case %zu", c);
      assert_near (outcomes.series[STABLE][n], stable.map, 1e-12, "stable, case %zu", c);
      if (sizes->n_items < 1000)
        assert_near (outcomes.series[AP][n],
                     naive_expected_map (distances, relevant, sizes->n_items), 1e-12,
                     "map, case %zu", c);
      cr_assert_eq (outcomes.series[AP][n], ranking_average_precision (&ranking), "case %zu", c);
      cr_assert_eq (outcomes.series[AP_AT_K][n], ranking_average_precision_at (&ranking, k),
                    "case %zu", c);
      cr_assert_eq (outcomes.series[PRECISION_AT_K][n], ranking_found (&ranking, k) / (double) k,
                    "case %zu", c);
      cr_assert_eq (outcomes.series[RECALL_AT_N][n],
                    ranking_found (&ranking, k) / (double) ranking_relevant (&ranking), "case %zu",
                    c);
      n++;
    }
    cr_assert_eq (outcomes.n, n, "case %zu", c);
    assert_near (outcomes.series[MAP_LEFT_OUT][0], 1 - (double) n / (double) sizes->n_queries,
                 1e-15, "case %zu", c);
    cr_assert_eq (outcomes.series[MAP_DATABASE][n - 1], (double) sizes->n_items, "case %zu", c);
  }
}

Test (retrieval, lookups_within_every_radius)
{
  for (gsize c = 0; c < G_N_ELEMENTS (all_sizes); c++) {
    const Sizes *sizes = &all_sizes[c];
    g_auto (Material) material = make_material (sizes);
    g_autofree gsize *distances = g_new (gsize, sizes->n_items);
    g_autofree gboolean *relevant = g_new (gboolean, sizes->n_items);

    for (gsize radius = 0; radius <= sizes->bits + 1; radius += 1 + radius / 8) {
      g_autofree char *assignments = g_strdup_printf ("radius=%zu", radius);
      g_auto (AssayOutcomes) outcomes
          = assess_or_die (&assay_utility_pr_curve, assignments, &material);
      gsize n = 0;

      for (gsize q = 0; q < sizes->n_queries; q++) {
        const gsize all = compare_query (&material, q, distances, relevant);
        double found = 0, right = 0;

        if (all == 0)
          continue;
        for (gsize i = 0; i < sizes->n_items; i++) {
          found += distances[i] <= radius;
          right += distances[i] <= radius && relevant[i];
        }
        cr_assert_eq (outcomes.series[PRECISION][n], found > 0 ? right / found : 0, "case %zu %zu",
                      c, radius);
        cr_assert_eq (outcomes.series[RECALL][n], right / (double) all, "case %zu %zu", c, radius);
        cr_assert_eq (outcomes.series[EMPTY][n], found > 0 ? 0 : 1, "case %zu %zu", c, radius);
        cr_assert_eq (outcomes.series[QUERY][n], (double) q, "case %zu %zu", c, radius);
        n++;
      }
      cr_assert_eq (outcomes.n, n, "case %zu %zu", c, radius);
      cr_assert_eq (outcomes.series[DATABASE][0], (double) sizes->n_items, "case %zu", c);
    }
  }
}

/* Items in class 1 alone: of the queries, those of classes 0 and 2 have nothing to find. */
Test (retrieval, queries_without_relevant_items_are_left_out_and_counted)
{
  const Sizes sizes = { 8, 30, 60, FALSE, 3 };
  g_auto (Material) material = make_material (&sizes);
  const gint64 *labels = assay_array_int64 (material.dataset.test_data.labels);
  gint64 *ones = g_new (gint64, sizes.n_items);
  double n = 0;

  for (gsize i = 0; i < sizes.n_items; i++)
    ones[i] = 1;
  for (gsize q = 0; q < sizes.n_queries; q++)
    n += labels[q] == 1;
  assay_arrays_take (&material.truth->arrays, "labels",
                     assay_array_take (ASSAY_INT64, 1, &sizes.n_items, ones));
  {
    g_auto (AssayOutcomes) map = assess_or_die (&assay_utility_map, "", &material);
    g_auto (AssayOutcomes) curve = assess_or_die (&assay_utility_pr_curve, "", &material);

    cr_assert (n > 0 && n < 60);
    cr_assert_eq (map.n, (gsize) n);
    for (gsize i = 0; i < map.n; i++) {
      assert_near (map.series[AP][i], 1, 1e-14, "every item is relevant");
      cr_assert_eq (map.series[MAP_LEFT_OUT][i], (60 - n) / 60);
      cr_assert_eq (curve.series[LEFT_OUT][i], (60 - n) / 60);
      cr_assert_eq (labels[(gsize) map.series[MAP_QUERY][i]], 1);
    }
  }
}

Test (retrieval, threads_change_nothing)
{
  const Sizes sizes = { 48, 3000, 100, TRUE, 5 };
  g_auto (Material) material = make_material (&sizes);
  g_auto (AssayOutcomes) one = { 0 };
  g_auto (AssayOutcomes) three = { 0 };

  assay_parallel_set_threads (1);
  one = assess_or_die (&assay_utility_map, "", &material);
  assay_parallel_set_threads (3);
  three = assess_or_die (&assay_utility_map, "", &material);
  assay_parallel_set_threads (0);
  cr_assert_eq (one.n, three.n);
  for (guint s = 0; s <= MAP_QUERY; s++)
    cr_assert_arr_eq (one.series[s], three.series[s], one.n * sizeof (double), "series %u", s);
}

/* Rows of a release of normalised secrets are normalised too: 4 x the row is the same query. */
Test (retrieval, queries_are_scaled_as_the_secrets_were)
{
  const Sizes sizes = { 9, 200, 40, FALSE, 3 };
  g_auto (Material) material = make_material (&sizes);
  g_auto (AssayOutcomes) plain = assess_or_die (&assay_utility_map, "", &material);
  AssayMatrix *rows = assay_matrix_new (sizes.n_queries, sizes.bits, NULL);

  assay_rows_read (material.dataset.test, 0, rows->rows, ASSAY_SCALE_NONE, rows->data);
  for (gsize i = 0; i < rows->rows * rows->cols; i++)
    rows->data[i] = rows->data[i] * 0.125f;
  assay_rows_unref (material.dataset.test);
  material.dataset.test = assay_rows_take_matrix (rows);
  material.release->is_unit_norm = TRUE;
  {
    /* Components of +-1/3 are on the same sides of 1/4 as +-1; those of 1/8 are not. */
    g_auto (AssayOutcomes) unit = assess_or_die (&assay_utility_map, "", &material);
    g_auto (AssayOutcomes) not_scaled = { 0 };

    cr_assert_arr_eq (unit.series[AP], plain.series[AP], plain.n * sizeof (double));
    material.release->is_unit_norm = FALSE;
    not_scaled = assess_or_die (&assay_utility_map, "", &material);
    cr_assert_neq (not_scaled.series[AP][0], plain.series[AP][0]);
  }
}

/* ---- What is refused ---- */

static void
assert_refused (const Material *material, AssayErrorCode code, const char *message)
{
  static const AssayUtility *const utilities[] = { &assay_utility_map, &assay_utility_pr_curve };

  for (gsize i = 0; i < G_N_ELEMENTS (utilities); i++) {
    g_autofree char *expected = g_strdup_printf ("utility %s: %s", utilities[i]->id, message);
    g_autofree char *why = NULL;
    AssayOutcomes outcomes = { 0 };
    GError *error = NULL;

    cr_assert_not (assess (utilities[i], "", material, &outcomes, &error), "%s", message);
    cr_assert (fixture_error_is (&error, (gint) code, expected, NULL, &why), "%s", why);
  }
}

static AssayArray *
labels_of (gsize n, gint64 label)
{
  gint64 *labels = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    labels[i] = label;
  return assay_array_take (ASSAY_INT64, 1, &n, labels);
}

Test (retrieval, labels_must_be_there_and_fit)
{
  const Sizes sizes = { 8, 30, 12, FALSE, 3 };
  g_auto (Material) material = make_material (&sizes);
  AssayRoleData *test = &material.dataset.test_data;
  AssayArrays *truth = &material.truth->arrays;

  assay_arrays_take (truth, "labels", labels_of (30, 0));
  assay_array_free (test->labels);
  test->labels = labels_of (12, 2);
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "none of the 12 queries shares a label with any of the 30 secrets; expected some "
                  "that do");
  assay_arrays_take (truth, "labels", labels_of (30, 3));
  assert_refused (&material, ASSAY_ERROR_DATA,
                  "the label of secret 0 is 3; expected less than 3, the number of classes, and no "
                  "negative number");
  assay_arrays_take (truth, "labels", labels_of (29, 2));
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "expected a label for each of the 30 secrets, found another number of them");
  assay_arrays_take (truth, "labels", labels_of (30, 2));
  g_clear_pointer (&test->labels, assay_array_free);
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "expected a label for each of the 12 test rows, found none");
  assay_arrays_take (truth, "label-sets", labels_of (30, 2));
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "expected a label set for each of the 12 test rows, found none");
  test->label_sets = labels_of (12, -1);
  assert_refused (&material, ASSAY_ERROR_DATA,
                  "the label set of test row 0 has the word -1; expected a bit for each class, of "
                  "63 in a word");
  assay_array_free (test->label_sets);
  test->label_sets = labels_of (12, 5);
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "none of the 12 queries shares a label with any of the 30 secrets; expected some "
                  "that do");
}

Test (retrieval, releases_and_queries_must_fit)
{
  const Sizes sizes = { 8, 30, 12, FALSE, 3 };
  g_auto (Material) material = make_material (&sizes);
  g_autoptr (AssayHashFunction) longer = make_function (9);
  g_autoptr (AssayRelease) all = NULL;
  AssayRows *rows = material.dataset.test;
  AssayMatrix *matrix;

  material.dataset.test = fixture_normal_rows (12, 7, 1);
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "test rows: the hash function takes rows of 8 numbers, found 7");
  assay_rows_unref (material.dataset.test);
  matrix = fixture_normal (12, 8, 1);
  assay_matrix_row (matrix, 4)[2] = NAN;
  material.dataset.test = assay_rows_take_matrix (matrix);
  assert_refused (&material, ASSAY_ERROR_NUMERIC,
                  "test rows: row 4, column 2 is not a finite "
                  "number");
  assay_rows_unref (material.dataset.test);
  material.dataset.test = NULL;
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "expected a dataset with rows to test with: they are the queries");
  material.dataset.test = rows;
  all = g_steal_pointer (&material.release);
  material.release = assay_release_granted (all, 0);
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "queries cannot be hashed: the release has no hash function");
  assay_hash_function_release (longer, material.release);
  assert_refused (
      &material, ASSAY_ERROR_MISMATCH,
      "queries cannot be hashed: hash function: projection has 9 rows; expected one for "
      "each of 8 bits");
  material.release->kind = ASSAY_RELEASE_VECTORS;
  assert_refused (&material, ASSAY_ERROR_MISMATCH,
                  "nothing is retrieved from a release of vectors; expected codes");
  material.release->kind = ASSAY_RELEASE_CODES;
}
