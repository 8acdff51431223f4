/* Score of outputs that take few distinct values: with c_1 and c_2 the numbers of training runs on
 * the first and on the second input that put out exactly this row,
 *   score (row) = ln ((c_1 + 1) / (c_2 + 1)),
 * 0 for a row that was never seen. By the lemma of Neyman and Pearson the events that it orders are
 * the best ones, up to the error of the counts.
 *
 * A row is known by a 64-bit hash. */
#include "attacks/mechanisms/count-table.h"

/* Rows that occur, at most one in so many runs, and the share of runs that may be alone with their
 * row: about as much mass lies on rows that were not seen (Good 1953). */
#define RUNS_PER_PATTERN 50
#define MOST_ALONE 0.01

static void
free_patterns (gpointer data)
{
  count_table_clear (data);
  g_free (data);
}

/* A row's hash, which is never that of a free slot. */
static guint64
hash_of (AssayOutputs outputs, gsize run)
{
  const guint64 hash = event_score_hash (outputs, run);

  return MAX (hash, 1);
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
    ret_scores[i] = count_table_find (data, hashes[i], hashes[i])->score;
}

/* Counts the sample's rows; FALSE where there are more than @most distinct ones. */
static gboolean
count_rows (CountTable *table, const EventSample *sample, gsize most)
{
  gsize distinct = 0;

  for (gsize i = 0; i < sample->count; i++)
    for (guint side = 0; side < 2; side++) {
      const guint64 hash = hash_of (sample->outputs[side], i);
      CountSlot *slot = count_table_find (table, hash, hash);

      if (slot->hash == 0 && ++distinct > most)
        return FALSE;
      slot->hash = slot->key = hash;
      slot->column = (guint32) sample->cols;
      slot->counts[side]++;
    }
  return TRUE;
}

static char *
describe_patterns (gconstpointer data)
{
  return count_table_describe (data);
}

/* Rows are known by their hashes, which the formula makes again. */
static char *
patterns_in_python (gconstpointer data)
{
  const CountTable *table = data;
  GString *text = g_string_new ("scores = {");

  for (guint64 s = 0; s <= table->mask; s++)
    if (table->slots[s].hash != 0)
      g_string_append_printf (text, "%" G_GUINT64_FORMAT ": %.17g, ", table->slots[s].hash,
                              table->slots[s].score);
  g_string_append (text, "}\nreturn numpy.array([scores.get(max(int(one), 1), 0.0)"
                         " for one in row_hash(y)])\n");
  return g_string_free (text, FALSE);
}

EventScore *
event_score_patterns (const EventSample *sample)
{
  const gsize runs = 2 * sample->count, most = runs / RUNS_PER_PATTERN;
  CountTable *table = g_new0 (CountTable, 1);
  EventScore *score;
  gsize alone = 0;

  count_table_init (table, most);
  if (!count_rows (table, sample, most)) {
    free_patterns (table);
    return NULL;
  }
  for (gsize s = 0; s <= table->mask; s++) {
    CountSlot *slot = &table->slots[s];

    slot->score = count_slot_score (slot);
    alone += slot->counts[0] + slot->counts[1] == 1;
  }
  if ((double) alone > MOST_ALONE * (double) runs) {
    free_patterns (table);
    return NULL;
  }
  count_table_find_terms (table, sample, TRUE);
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "log ratio of how often the output occurred",
                         .score = score_patterns,
                         .data = table,
                         .is_learned = TRUE,
                         .free_data = free_patterns,
                         .describe = describe_patterns,
                         .python = patterns_in_python };
  return score;
}
