/* Queries, database and labels of a retrieval. */
#include "metrics/retrieval/retrieval.h"

#include <string.h>

#include "core/data/formats/label-sets.h"
#include "core/math/hash-function.h"
#include "metrics/learning/network-test.h"

ASSAY_CLEAR_FUNC (Retrieval, retrieval_clear, assay_codes_free (self->database),
                  assay_codes_free (self->queries), g_free (self->rows), g_free (self->item_labels),
                  g_free (self->query_labels), *self = (Retrieval){ 0 })

/* ---- Labels ---- */

static gboolean
check_sets (const gint64 *sets, gsize n, gsize words, const char *what, GError **error)
{
  for (gsize i = 0; i < n * words; i++)
    if (sets[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the label set of %s %zu has the word %" G_GINT64_FORMAT
                         "; expected a bit for each class, of %d in a word",
                         what, i / words, sets[i], ASSAY_LABEL_SET_CLASSES);
  return TRUE;
}

/* The @labels of @n of @what as numbers, or as sets of @words; NULL with @error. */
static guint64 *
read_labels (const AssayArray *labels, gsize n, gsize n_classes, gsize words, const char *what,
             GError **error)
{
  const gsize count = n * MAX (words, 1);
  guint64 *copy;

  if (labels == NULL || labels->shape[0] != n)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH, "expected a label%s for each of the %zu %ss, found %s",
        words > 0 ? " set" : "", n, what, labels == NULL ? "none" : "another number of them");
  if (words > 0
          ? !check_sets (assay_array_int64 (labels), n, words, what, error)
          : !network_test_check_labels (assay_array_int64 (labels), n, n_classes, what, error))
    return NULL;
  copy = assay_alloc (count, sizeof (guint64), "labels", error);
  if (copy != NULL)
    memcpy (copy, labels->data, count * sizeof (guint64));
  return copy;
}

/* Word after word, as rankings read them. */
static guint64 *
turn_sets (const guint64 *sets, gsize n, gsize words, GError **error)
{
  guint64 *turned = assay_alloc (n * words, sizeof (guint64), "labels", error);

  for (gsize i = 0; turned != NULL && i < n; i++)
    for (gsize w = 0; w < words; w++)
      turned[w * n + i] = sets[i * words + w];
  return turned;
}

/* Sets where either side has them, as one label says nothing of whether others are shared. */
static gboolean
gather_labels (const AssayDataset *dataset, const AssayReceived *received, Retrieval *retrieval,
               GError **error)
{
  const AssayArrays *truth = &received->truth->arrays;
  const AssayArray *item_sets = assay_arrays_get (truth, "label-sets");
  const AssayArray *query_sets = dataset->test_data.label_sets;
  const gsize of_items = assay_label_sets_words (item_sets);
  const gsize of_queries = assay_label_sets_words (query_sets), words = MAX (of_items, of_queries);
  const gsize n_items = retrieval->database->count;
  g_autofree guint64 *sets = NULL;

  if (of_items > 0 && of_queries > 0 && of_items != of_queries)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "label sets of secrets have %zu words, those of test rows %zu; expected as "
                       "many, of %d classes each",
                       of_items, of_queries, ASSAY_LABEL_SET_CLASSES);
  retrieval->set_words = words;
  sets = read_labels (words > 0 ? item_sets : assay_arrays_get (truth, "labels"), n_items,
                      dataset->n_classes, words, "secret", error);
  if (sets == NULL)
    return FALSE;
  retrieval->item_labels
      = words > 1 ? turn_sets (sets, n_items, words, error) : g_steal_pointer (&sets);
  if (retrieval->item_labels == NULL)
    return FALSE;
  retrieval->query_labels
      = read_labels (words > 0 ? query_sets : dataset->test_data.labels, retrieval->n_rows,
                     dataset->n_classes, words, "test row", error);
  return retrieval->query_labels != NULL;
}

gboolean
retrieval_share_label (const Retrieval *retrieval, gsize a, gsize b)
{
  const guint64 *labels = retrieval->item_labels;

  if (retrieval->set_words == 0)
    return labels[a] == labels[b];
  for (gsize w = 0; w < retrieval->set_words; w++, labels += retrieval->database->count)
    if ((labels[a] & labels[b]) != 0)
      return TRUE;
  return FALSE;
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
  guint64 *classes; /* set_words */
} Held;

ASSAY_LOCAL_CLEAR (Held, clear_held, g_hash_table_unref (self->labels), g_free (self->classes))

static Held
held_by_items (const Retrieval *retrieval)
{
  const gsize n = retrieval->database->count, words = retrieval->set_words;
  Held held = { .labels = g_hash_table_new (g_int64_hash, g_int64_equal),
                .classes = g_new0 (guint64, words) };

  for (gsize i = 0; words == 0 && i < n; i++)
    g_hash_table_add (held.labels, &retrieval->item_labels[i]);
  for (gsize w = 0; w < words; w++)
    for (gsize i = 0; i < n; i++)
      held.classes[w] |= retrieval->item_labels[w * n + i];
  return held;
}

static gboolean
is_held (const Held *held, const guint64 *label, gsize words)
{
  guint64 common = 0;

  for (gsize w = 0; w < words; w++)
    common |= held->classes[w] & label[w];
  return words > 0 ? common != 0 : g_hash_table_contains (held->labels, label);
}

/* Moves the queries that have a relevant item to the front. */
static gboolean
keep_answerable (Retrieval *retrieval, GError **error)
{
  const gsize words = MAX (retrieval->set_words, 1);
  AssayCodes *queries = retrieval->queries;
  g_auto (Held) held = held_by_items (retrieval);
  gsize n = 0;

  for (gsize i = 0; i < retrieval->n_rows; i++) {
    const guint64 *label = retrieval->query_labels + i * words;

    if (!is_held (&held, label, retrieval->set_words))
      continue;
    memmove (queries->data + n * queries->words, queries->data + i * queries->words,
             queries->words * sizeof (guint64));
    memmove (retrieval->query_labels + n * words, label, words * sizeof (guint64));
    retrieval->rows[n++] = i;
  }
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
                        retrieval.query_labels, retrieval.set_words, utility->has_stable };
  return ranking_for_each (&task, utility->judge, &judging, error);
}
