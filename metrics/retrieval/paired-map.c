/* Mean average precision of retrieval across modalities.
 *
 * Queries are the dataset's rows of the role test. The codes of their images, made with the
 * function that was released, are looked up among the released codes of texts (I->T), and those of
 * their texts among the codes of images (T->I). What shares a label with the query is relevant, and
 *   AP@k = sum_{s=1..k} rel(s) precision(s) / sum_{s=1..k} rel(s), 0 where none is,
 * as map.c has it: expectations over random order within ties, divided by the relevant items that
 * were found. So chance is above the share of relevant items (about 0.16 at k = 50 on Wikipedia
 * pairs, of which 0.11 share a label), and is given beside: AP@k where all items are at one
 * distance.
 *
 * Units are the queries; one whose label no secret has is left out and counted. */
#include "metrics/retrieval/paired-queries.h"

enum {
  TO_TEXT,
  TO_IMAGE,
  CHANCE,
  TO_TEXT_WIDE,
  TO_IMAGE_WIDE,
  CHANCE_WIDE,
  LEFT_OUT,
  DATABASE,
  QUERY,
  N_SERIES
};

typedef struct {
  gint64 k;
  gint64 wide;
} PairedMap;

typedef struct {
  const PairedMap *settings;
  AssayPairedSide query;
  double *const *series;
} Judging;

static void
judge (gsize query, const Ranking *ranking, gpointer data)
{
  const Judging *judging = data;
  const guint32 items = (guint32) ranking_items (ranking);
  const guint32 relevant = (guint32) ranking_relevant (ranking);
  const Ranking tied = { .items = &items, .relevant = &relevant };
  const gboolean is_image = judging->query == ASSAY_PAIRED_IMAGE;

  for (guint wide = 0; wide < 2; wide++) {
    const gint64 most = wide ? judging->settings->wide : judging->settings->k;
    const guint64 k = MIN ((guint64) most, items);
    double *const *series = judging->series + (wide ? TO_TEXT_WIDE : TO_TEXT);

    series[is_image ? TO_TEXT : TO_IMAGE][query] = ranking_average_precision_at (ranking, k);
    if (is_image)
      series[CHANCE][query] = ranking_average_precision_at (&tied, k);
  }
}

static gboolean
assess_from (AssayPairedSide side, const AssayUtilityContext *context,
             const AssayReceived *received, AssayOutcomes *outcomes, GError **error)
{
  Judging judging = { context->settings, side, outcomes->series };
  g_auto (Retrieval) retrieval = { 0 };
  RankingTask task;

  if (!paired_queries_init (side, context, received, &retrieval, error)
      || !paired_queries_alloc (&retrieval, N_SERIES, outcomes, error))
    return FALSE;
  task = (RankingTask){ retrieval.database,     retrieval.queries,  retrieval.item_labels,
                        retrieval.query_labels, retrieval.set_words, FALSE };
  return ranking_for_each (&task, judge, &judging, error);
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  return paired_queries_check (context->dataset, error)
         && assess_from (ASSAY_PAIRED_IMAGE, context, received, ret_outcomes, error)
         && assess_from (ASSAY_PAIRED_TEXT, context, received, ret_outcomes, error);
}

ASSAY_UTILITY (paired_map, "paired-map",
  .summary = "How well released hash codes of two modalities retrieve one modality by the other",
  .reference = { ASSAY_PAPER_DMP_MH, "section 5.1" },
  ASSAY_SETTINGS (PairedMap,
    ASSAY_PARAM_INT (PairedMap, k, 50, 1, G_MAXUINT32, "items",
                     "Nearest items that are looked at; all, where there are fewer"),
    ASSAY_PARAM_INT (PairedMap, wide, 5000, 1, G_MAXUINT32, "items",
                     "Nearest items that the wide measures look at")),
  .holds = { .items = 2, .per_thread = 1 << 20 },
  .reads = ASSAY_RELEASE_PAIRED_CODES,
  .reads_arrays = paired_queries_reads,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS | ASSAY_HAS_MODALITIES,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (TO_TEXT, "image-to-text", MEAN, 0, 1, "mean average precision",
                   "Over the k texts nearest to the image of a test row, ties in random order",
                   ASSAY_HEADLINE),
    ASSAY_MEASURE (TO_IMAGE, "text-to-image", MEAN, 0, 1, "mean average precision",
                   "Over the k images nearest to the text of a test row", ASSAY_HEADLINE),
    ASSAY_MEASURE (CHANCE, "chance", MEAN, 0, 1, "mean average precision",
                   "The same for k items in random order", ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (TO_TEXT_WIDE, "image-to-text-wide", MEAN, 0, 1, "mean average precision",
                   "Over more texts, as many as the setting wide says"),
    ASSAY_MEASURE (TO_IMAGE_WIDE, "text-to-image-wide", MEAN, 0, 1, "mean average precision",
                   "Over as many images"),
    ASSAY_MEASURE (CHANCE_WIDE, "chance-wide", MEAN, 0, 1, "mean average precision",
                   "The same for as many items in random order", ASSAY_IS_REFERENCE),
    RETRIEVAL_MEASURES (N_SERIES, "pairs-without-relevant", "database-pairs")),
  .assess = assess);
