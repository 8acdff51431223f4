/* Queries, database and labels of a retrieval. */
#include "metrics/retrieval/retrieval.h"

#include <string.h>

#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/math/hash-function.h"
#include "metrics/learning/network-test.h"

ASSAY_CLEAR_FUNC (Retrieval, retrieval_clear, assay_codes_free (self->database),
                  assay_codes_free (self->queries), g_free (self->rows), g_free (self->item_labels),
                  g_free (self->query_labels), *self = (Retrieval){ 0 })

/* ---- Labels ---- */

static gboolean
check_sets (const gint64 *sets, gsize n, const char *what, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (sets[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the label set of %s %zu is %" G_GINT64_FORMAT
                         "; expected a bit for each class, of 63 at most",
                         what, i, sets[i]);
  return TRUE;
}

/* The @labels of @n of @what as numbers or bits; NULL with @error. */
static guint64 *
read_labels (const AssayArray *labels, gsize n, gsize n_classes, gboolean are_sets,
             const char *what, GError **error)
{
  guint64 *copy;

  if (labels == NULL || assay_array_count (labels) != n)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH, "expected a label%s for each of the %zu %ss, found %s",
        are_sets ? " set" : "", n, what, labels == NULL ? "none" : "another number of them");
  if (are_sets ? !check_sets (assay_array_int64 (labels), n, what, error)
               : !network_test_check_labels (assay_array_int64 (labels), n, n_classes, what, error))
    return NULL;
  copy = assay_alloc (n, sizeof (guint64), "labels", error);
  if (copy != NULL)
    memcpy (copy, labels->data, n * sizeof (guint64));
  return copy;
}

/* Sets where either side has them, as one label says nothing of whether others are shared. */
static gboolean
gather_labels (const AssayDataset *dataset, const AssayReceived *received, Retrieval *retrieval,
               GError **error)
{
  const AssayArrays *truth = &received->truth->arrays;
  const AssayArray *item_sets = assay_arrays_get (truth, "label-sets");
  const AssayArray *query_sets = dataset->test_data.label_sets;
  const gboolean are_sets = item_sets != NULL || query_sets != NULL;

  retrieval->are_sets = are_sets;
  retrieval->item_labels
      = read_labels (are_sets ? item_sets : assay_arrays_get (truth, "labels"),
                     retrieval->database->count, dataset->n_classes, are_sets, "secret", error);
  if (retrieval->item_labels == NULL)
    return FALSE;
  retrieval->query_labels
      = read_labels (are_sets ? query_sets : dataset->test_data.labels, retrieval->n_rows,
                     dataset->n_classes, are_sets, "test row", error);
  return retrieval->query_labels != NULL;
}

/* ---- Codes ---- */

/* The rows of the role test, scaled as the secrets were, as codes. */
static AssayCodes *
hash_queries (const AssayRelease *release, const AssayDataset *dataset,
              G_GNUC_UNUSED gconstpointer data, GError **error)
{
  g_autoptr (AssayHashFunction) function = assay_hash_function_from (release, error);
  g_autoptr (AssayMatrix) matrix = NULL;
  g_autoptr (AssayArray) packed = NULL;

  if (function == NULL)
    return assay_prefix_null (error, "queries cannot be hashed: ");
  matrix = assay_rows_matrix (dataset->test, assay_release_scale (release), error);
  if (matrix == NULL)
    return NULL;
  if (!assay_view_check_finite (assay_matrix_view (matrix), "test rows", error))
    return NULL;
  packed = assay_hash_function_codes (function, assay_matrix_view (matrix), error);
  if (packed == NULL)
    return assay_prefix_null (error, "test rows: ");
  return assay_codes_new (packed, release->bits, error);
}

/* ---- Queries without relevant items ---- */

/* Labels, or classes of sets, that items have. */
typedef struct {
  GHashTable *labels;
  guint64 classes;
} Held;

static Held
held_by_items (const Retrieval *retrieval)
{
  Held held = { .labels = g_hash_table_new (g_int64_hash, g_int64_equal) };

  for (gsize i = 0; i < retrieval->database->count; i++)
    if (retrieval->are_sets)
      held.classes |= retrieval->item_labels[i];
    else
      g_hash_table_add (held.labels, &retrieval->item_labels[i]);
  return held;
}

/* Moves the queries that have a relevant item to the front. */
static gboolean
keep_answerable (Retrieval *retrieval, GError **error)
{
  AssayCodes *queries = retrieval->queries;
  const Held held = held_by_items (retrieval);
  gsize n = 0;

  for (gsize i = 0; i < retrieval->n_rows; i++) {
    const guint64 label = retrieval->query_labels[i];

    if (retrieval->are_sets ? (label & held.classes) == 0
                            : !g_hash_table_contains (held.labels, &label))
      continue;
    memmove (queries->data + n * queries->words, queries->data + i * queries->words,
             queries->words * sizeof (guint64));
    retrieval->query_labels[n] = label;
    retrieval->rows[n++] = i;
  }
  g_hash_table_unref (held.labels);
  queries->count = n;
  return n > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "none of the %zu queries shares a label with any of the %zu secrets; "
                        "expected some that do",
                        retrieval->n_rows, retrieval->database->count);
}

static gboolean
check_material (const AssayDataset *dataset, const AssayRelease *release, GError **error)
{
  if (dataset->test == NULL || assay_rows_count (dataset->test) == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with rows to test with: they are the queries");
  if (assay_release_count (release) >= G_MAXUINT32)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu codes cannot be ranked; expected fewer than 2^32 - 1",
                       assay_release_count (release));
  return TRUE;
}

gboolean
retrieval_init_from (const AssayUtilityContext *context, const AssayReceived *received,
                     const RetrievalSource *source, Retrieval *ret_retrieval, GError **error)
{
  const AssayDataset *dataset = context->dataset;
  const AssayRelease *release = received->release;

  if (!check_material (dataset, release, error))
    return FALSE;
  ret_retrieval->n_rows = assay_rows_count (dataset->test);
  ret_retrieval->database
      = assay_codes_new (assay_arrays_get (&release->arrays, source->codes), release->bits, error);
  if (ret_retrieval->database == NULL || !gather_labels (dataset, received, ret_retrieval, error))
    return FALSE;
  ret_retrieval->queries = source->hash (release, dataset, source->data, error);
  if (ret_retrieval->queries == NULL)
    return FALSE;
  ret_retrieval->rows = assay_alloc (ret_retrieval->n_rows, sizeof (gsize), "queries", error);
  return ret_retrieval->rows != NULL && keep_answerable (ret_retrieval, error);
}

gboolean
retrieval_init (const AssayUtilityContext *context, const AssayReceived *received,
                Retrieval *ret_retrieval, GError **error)
{
  static const RetrievalSource source = { .codes = "codes", .hash = hash_queries };

  if (received->release->kind != ASSAY_RELEASE_CODES)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "nothing is retrieved from a release of %s; expected codes",
                       assay_release_kind_name (received->release->kind));
  return retrieval_init_from (context, received, &source, ret_retrieval, error);
}

/* ---- For the utilities ---- */

void
retrieval_fill_split (const Retrieval *retrieval, guint n_series, double *const *series)
{
  const gsize n = retrieval->queries->count;

  for (gsize i = 0; i < n; i++) {
    series[RETRIEVAL_LEFT_OUT (n_series)][i]
        = (double) (retrieval->n_rows - n) / (double) retrieval->n_rows;
    series[RETRIEVAL_DATABASE (n_series)][i] = (double) retrieval->database->count;
    series[RETRIEVAL_QUERY (n_series)][i] = (double) retrieval->rows[i];
  }
}

gboolean
retrieval_assess (const RetrievalUtility *utility, const AssayUtilityContext *context,
                  const AssayReceived *received, AssayOutcomes *ret_outcomes, GError **error)
{
  RetrievalJudging judging = { .settings = context->settings, .series = ret_outcomes->series };
  g_auto (Retrieval) retrieval = { 0 };
  RankingTask task;

  if (!retrieval_init (context, received, &retrieval, error)
      || !assay_outcomes_alloc (ret_outcomes, utility->n_series, retrieval.queries->count, error))
    return FALSE;
  retrieval_fill_split (&retrieval, utility->n_series, ret_outcomes->series);
  task = (RankingTask){ retrieval.database,     retrieval.queries,  retrieval.item_labels,
                        retrieval.query_labels, retrieval.are_sets, utility->has_stable };
  return ranking_for_each (&task, utility->judge, &judging, error);
}
