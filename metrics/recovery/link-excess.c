/* How many released items are linked beside chance: the hit rates of link-rank, those of a baseline
 * that never sees the release, and those of control people, whose records are among the public rows
 * and not in the release (Giomi, Boenisch, Wehmeyer and Tasnadi 2023, Anonymeter, sections 4 and
 * 5).
 *
 * Guess: for each of n released items, public rows, best first. Truth: the p partners of each. Each
 * figure is a share of items of which one of the first k candidates is right.
 *   baseline  without the release no row is likelier than another: of the first k rows of a random
 *             order
 *   control   of the same candidates, were the partners of an item as many rows that belong to no
 *             item: the mean over all choices of these
 *   excess    (hits - control) / (1 - control), core/stats/excess.h
 *
 * Candidates that an attack does not name are no hits, neither of its own nor of the others. The
 * units are those of link-rank. */
#include "core/plugin/plugin.h"
#include "core/stats/excess.h"
#include "metrics/recovery/errors.h"

/* Of the first candidate, and of the first 10 in the same order. */
enum {
  HIT_1,
  BASELINE_1,
  CONTROL_1,
  EXCESS_1,
  HIT_10,
  BASELINE_10,
  CONTROL_10,
  EXCESS_10,
  UNIT,
  N_SERIES
};

typedef struct {
  gsize n, p, c, rows; /* items, partners and candidates of each, public rows */
  const gint64 *partners, *candidates;
} Ranking;

/* The chance that some of @p rows, drawn from @rows without replacement, are among @k of these. */
static double
chance_of_hit (gsize rows, gsize k, gsize p)
{
  double missed = 1;

  for (gsize j = 0; j < p; j++)
    missed *= k + j < rows ? (double) (rows - k - j) / (double) (rows - j) : 0;
  return 1 - missed;
}

/* Which public rows belong to an item, and how many belong to none. */
static guint8 *
find_others (const Ranking *ranking, gsize *ret_n_others)
{
  guint8 *belongs = g_new0 (guint8, ranking->rows);

  *ret_n_others = ranking->rows;
  for (gsize i = 0; i < ranking->n * ranking->p; i++)
    if (ranking->partners[i] >= 0 && (gsize) ranking->partners[i] < ranking->rows
        && !belongs[ranking->partners[i]]) {
      belongs[ranking->partners[i]] = 1;
      (*ret_n_others)--;
    }
  return belongs;
}

/* Rows among the first @k candidates that belong to no item, each once. */
static gsize
count_others (const gint64 *candidates, gsize k, const guint8 *belongs, gsize rows)
{
  gsize count = 0;

  for (gsize i = 0; i < k; i++) {
    gboolean is_new = candidates[i] >= 0 && (gsize) candidates[i] < rows;

    for (gsize before = 0; is_new && before < i; before++)
      is_new = candidates[before] != candidates[i];
    count += is_new && !belongs[candidates[i]];
  }
  return count;
}

static double
is_hit (const Ranking *ranking, gsize item, gsize k)
{
  for (gsize i = 0; i < k; i++)
    for (gsize j = 0; j < ranking->p; j++)
      if (ranking->candidates[item * ranking->c + i] == ranking->partners[item * ranking->p + j])
        return 1;
  return 0;
}

/* ---- The metric ---- */

static void
leave_out (AssayOutcomes *outcomes, guint first, guint end, const char *reason)
{
  for (guint s = first; s < end; s++) {
    g_clear_pointer (&outcomes->series[s], g_free);
    outcomes->omitted[s] = g_strdup (reason);
  }
}

/* The first @k candidates, into four series from @first on. */
static void
judge (const Ranking *ranking, gsize k, guint first, AssayOutcomes *outcomes)
{
  double *const *series = outcomes->series + first;
  const gsize n = ranking->n, p = ranking->p, named = MIN (k, ranking->c);
  gsize n_others;
  g_autofree guint8 *belongs = find_others (ranking, &n_others);

  for (gsize i = 0; i < n; i++) {
    series[HIT_1][i] = is_hit (ranking, i, named);
    series[BASELINE_1][i] = chance_of_hit (ranking->rows, named, p);
    series[CONTROL_1][i] = chance_of_hit (
        n_others,
        count_others (ranking->candidates + i * ranking->c, named, belongs, ranking->rows), p);
  }
  if (n_others >= k + p) {
    assay_excess_influence (series[HIT_1], series[CONTROL_1], n, series[EXCESS_1]);
  } else {
    /* With fewer of them, every guess would be right of the control. */
    g_autofree char *reason
        = g_strdup_printf ("%zu of %zu public rows belong to no released item; expected %zu at "
                           "least, of people who are not in the release",
                           n_others, ranking->rows, k + p);

    leave_out (outcomes, first + CONTROL_1, first + EXCESS_1 + 1, reason);
  }
}

static gboolean
check (const Ranking *ranking, const AssayArray *candidates, GError **error)
{
  if (candidates->shape[0] != ranking->n || ranking->c == 0 || ranking->p == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "candidates are %zu x %zu, but partners %zu x %zu; expected some of each "
                       "for the same items",
                       candidates->shape[0], ranking->c, ranking->n, ranking->p);
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *partners = assay_arrays_get (&truth->arrays, "partners");
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "candidates");
  const AssayArray *owners = assay_arrays_get (&truth->arrays, "owners");
  const AssayRows *rows = context->dataset != NULL ? context->dataset->public_rows : NULL;
  const Ranking ranking = { .n = partners->shape[0],
                            .p = partners->shape[1],
                            .c = candidates->shape[1],
                            .rows = rows != NULL ? assay_rows_count (rows) : 0,
                            .partners = assay_array_int64 (partners),
                            .candidates = assay_array_int64 (candidates) };

  if (!check (&ranking, candidates, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, ranking.n, error))
    return FALSE;
  if (ranking.rows >= ranking.p) {
    judge (&ranking, 1, HIT_1, ret_outcomes);
    judge (&ranking, 10, HIT_10, ret_outcomes);
  } else {
    leave_out (ret_outcomes, HIT_1, UNIT, "how many public rows there are is not known here");
  }
  for (gsize i = 0; i < ranking.n; i++)
    ret_outcomes->series[UNIT][i]
        = metric_group_of (truth, owners != NULL ? assay_array_int64 (owners)[i] : -1);
  return TRUE;
}

static const AssayMeasure measures[] = {
  ASSAY_MEASURE (BASELINE_1, "partner-baseline-at-1", MEAN, 0, 1, "share of items",
                 "Hits at 1 of a guess that never sees the release", ASSAY_HEADLINE,
                 ASSAY_HIGHER_IS_WORSE),
  ASSAY_MEASURE (CONTROL_1, "partner-control-at-1", MEAN, 0, 1, "share of items",
                 "Hits at 1 of the same candidates, held against public rows of people who are not "
                 "in the release",
                 ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
  ASSAY_MEASURE (EXCESS_1, "partner-excess-at-1", EXCESS, -1, 1, "share",
                 "(hits at 1 - control) / (1 - control): 0, no more than of people who are not in "
                 "the release; 1, always right",
                 ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .success = HIT_1, .control = CONTROL_1,
                 .is_influence = TRUE),
  ASSAY_MEASURE (BASELINE_10, "partner-baseline-at-10", MEAN, 0, 1, "share of items",
                 "Hits at 10 of a guess that never sees the release", ASSAY_HIGHER_IS_WORSE),
  ASSAY_MEASURE (CONTROL_10, "partner-control-at-10", MEAN, 0, 1, "share of items",
                 "Hits at 10 of the same candidates, held against public rows of people who are "
                 "not in the release",
                 ASSAY_HIGHER_IS_WORSE),
  ASSAY_MEASURE (EXCESS_10, "partner-excess-at-10", EXCESS, -1, 1, "share",
                 "(hits at 10 - control) / (1 - control)", ASSAY_HIGHER_IS_WORSE, .success = HIT_10,
                 .control = CONTROL_10, .is_influence = TRUE),
  ASSAY_MEASURE_END,
};

ASSAY_METRIC (link_excess, "link-excess",
  .summary = "Hit rates of a ranking of public rows beside a baseline and control people",
  .reference = { "Giomi, Boenisch, Wehmeyer and Tasnadi 2023, A Unified Framework for Quantifying "
                 "Privacy Risk in Synthetic Data (Anonymeter)",
                 "sections 4 and 5" },
  .reads_truth = ASSAY_ARRAY_NAMES ("partners"),
  .reads_guess = ASSAY_ARRAY_NAMES ("candidates"),
  .has_own_units = TRUE,
  .names_units = TRUE,
  .n_series = N_SERIES,
  .measures = measures,
  .measure = measure);
