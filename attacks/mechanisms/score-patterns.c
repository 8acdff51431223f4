/* Score of outputs that take few distinct values: with c_1 and c_2 the numbers of training runs on
 * the first and on the second input that put out exactly this row,
 *   score (row) = ln ((c_1 + 1) / (c_2 + 1)),
 * 0 for a row that was never seen. By the lemma of Neyman and Pearson the events that it orders are
 * the best ones, up to the error of the counts.
 *
 * A row is known by a 64-bit hash: two rows that share one are counted as one row, which costs
 * power and nothing else. */
#include <math.h>

#include "attacks/mechanisms/event-score.h"

/* Rows that occur, at most one in so many runs, and the share of runs that may be alone with their
 * row: about as much mass lies on rows that were not seen (Good 1953). */
#define RUNS_PER_PATTERN 50
#define MOST_ALONE 0.01

typedef struct {
  guint64 hash; /* 0: free */
  guint32 counts[2];
  guint32 run; /* of the sample, those of both sides in turn, that is such a row */
  double score;
} Slot;

typedef struct {
  guint64 mask; /* number of slots - 1; at least half of them are free */
  Slot *slots;
  gsize n_rows;
  GArray *terms; /* the largest */
} Patterns;

static void
free_patterns (gpointer data)
{
  Patterns *patterns = data;

  g_free (patterns->slots);
  if (patterns->terms != NULL)
    g_array_unref (patterns->terms);
  g_free (patterns);
}

/* A row's hash, which is never that of a free slot. */
static guint64
hash_of (AssayOutputs outputs, gsize run)
{
  const guint64 hash = event_score_hash (outputs, run);

  return MAX (hash, 1);
}

/* The slot of a hash, or the free one where it would be. */
static Slot *
find (const Patterns *patterns, guint64 hash)
{
  guint64 at = hash & patterns->mask;

  while (patterns->slots[at].hash != 0 && patterns->slots[at].hash != hash)
    at = (at + 1) & patterns->mask;
  return &patterns->slots[at];
}

static void
score_patterns (gconstpointer data, G_GNUC_UNUSED const AssayOracle *oracle, AssayOutputs outputs,
                gsize count, double *ret_scores)
{
  guint64 hashes[ASSAY_PANEL_RUNS];

  /* In two loops: a search that the processor expected to end elsewhere costs it what it had begun
   * of the rows that follow. */
  for (gsize i = 0; i < count; i++)
    hashes[i] = hash_of (outputs, i);
  for (gsize i = 0; i < count; i++)
    ret_scores[i] = find (data, hashes[i])->score;
}

/* Counts the sample's rows; FALSE where there are more than @most distinct ones. */
static gboolean
count_rows (Patterns *patterns, const EventSample *sample, gsize most)
{
  gsize distinct = 0;

  for (gsize i = 0; i < sample->count; i++)
    for (guint side = 0; side < 2; side++) {
      const guint64 hash = hash_of (sample->outputs[side], i);
      Slot *slot = find (patterns, hash);

      if (slot->hash == 0 && ++distinct > most)
        return FALSE;
      slot->hash = hash;
      slot->run = (guint32) (2 * i + side);
      slot->counts[side]++;
    }
  patterns->n_rows = distinct;
  return TRUE;
}

/* The larger score first; of equal ones the smaller hash. */
static gboolean
is_larger (const Slot *a, const Slot *b)
{
  if (fabs (a->score) != fabs (b->score))
    return fabs (a->score) > fabs (b->score);
  return a->hash < b->hash;
}

/* What the rows of the largest scores are, while there is a sample of them. */
static void
find_terms (Patterns *patterns, const EventSample *sample)
{
  const Slot *last = NULL;

  patterns->terms = event_terms_new ();
  for (gsize t = 0; t < MIN (EVENT_MOST_TERMS, patterns->n_rows); t++) {
    const Slot *best = NULL;

    for (gsize s = 0; s <= patterns->mask; s++) {
      const Slot *slot = &patterns->slots[s];

      if (slot->hash != 0 && (last == NULL || is_larger (last, slot))
          && (best == NULL || is_larger (slot, best)))
        best = slot;
    }
    event_terms_add (patterns->terms, best->score,
                     event_where_row (sample->outputs[best->run % 2], best->run / 2));
    last = best;
  }
}

static char *
describe_patterns (gconstpointer data)
{
  const Patterns *patterns = data;

  return event_terms_join (patterns->terms, patterns->n_rows - patterns->terms->len);
}

/* Rows are known by their hashes, which the formula makes again. */
static char *
patterns_in_python (gconstpointer data)
{
  const Patterns *patterns = data;
  GString *text = g_string_new ("scores = {");

  for (guint64 s = 0; s <= patterns->mask; s++)
    if (patterns->slots[s].hash != 0)
      g_string_append_printf (text, "%" G_GUINT64_FORMAT ": %.17g, ", patterns->slots[s].hash,
                              patterns->slots[s].score);
  g_string_append (text, "}\nreturn numpy.array([scores.get(max(int(one), 1), 0.0)"
                         " for one in row_hash(y)])\n");
  return g_string_free (text, FALSE);
}

EventScore *
event_score_patterns (const EventSample *sample)
{
  const gsize runs = 2 * sample->count, most = runs / RUNS_PER_PATTERN;
  Patterns *patterns = g_new0 (Patterns, 1);
  EventScore *score;
  gsize n_slots = 4, alone = 0;

  while (n_slots < 2 * (most + 1))
    n_slots *= 2;
  patterns->mask = n_slots - 1;
  patterns->slots = g_new0 (Slot, n_slots);
  if (!count_rows (patterns, sample, most)) {
    free_patterns (patterns);
    return NULL;
  }
  for (gsize s = 0; s < n_slots; s++) {
    Slot *slot = &patterns->slots[s];

    slot->score = log ((slot->counts[0] + 1.0) / (slot->counts[1] + 1.0));
    alone += slot->counts[0] + slot->counts[1] == 1;
  }
  if ((double) alone > MOST_ALONE * (double) runs) {
    free_patterns (patterns);
    return NULL;
  }
  find_terms (patterns, sample);
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "log ratio of how often the output occurred",
                         .score = score_patterns,
                         .data = patterns,
                         .is_learned = TRUE,
                         .free_data = free_patterns,
                         .describe = describe_patterns,
                         .python = patterns_in_python };
  return score;
}
