/* Score of values that occur more than once, however seldom: with c_1 and c_2 the numbers of
 * training runs on either input whose column j has this value (or whose whole row is this one),
 *   score (y) = sum over columns, and the row, of ln ((c_1 + 1) / (c_2 + 1)),
 * where values that occurred once or never add nothing. It sees exact leaks of a thousandth of the
 * runs, generators with few states, and rows that come again.
 *
 * Continuous noise as float32 repeats by chance: a few values in 10^5, whose terms are small. */
#include <string.h>

#include "attacks/mechanisms/count-table.h"
#include "core/base/each.h"
#include "core/base/free.h"
#include "core/base/parallel.h"

#define MOST_COLUMNS 256
#define MOST_VALUES (1u << 19) /* that are counted, on either input */

typedef struct {
  CountTable table;
  gsize n_columns, cols;
  guint32 *columns; /* with a value that repeats; `cols` stands for the row */
} Repeats;

ASSAY_LOCAL_FREE (Repeats, free_repeats, count_table_clear (&self->table), g_free (self->columns))

/* Of the value of a column, or of the row; never that of a free slot. The lowest bit is free for
 * the side. */
static guint64
hash_of (AssayOutputs outputs, gsize run, gsize column)
{
  guint64 hash;

  if (column == outputs.cols)
    hash = event_score_hash (outputs, run);
  else
    hash = (column + 1) * 0xC4CEB9FE1A85EC53u ^ event_key_at (outputs, run, column);
  hash *= 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
  hash *= 0xBF58476D1CE4E5B9u;
  hash ^= hash >> 32;
  return hash | 2;
}

static CountSlot *
find (const Repeats *repeats, guint64 hash)
{
  return count_table_find (&repeats->table, hash, hash >> 2);
}

static void
score_repeats (gconstpointer data, G_GNUC_UNUSED const AssayOracle *oracle, AssayOutputs outputs,
               gsize count, double *ret_scores)
{
  const Repeats *repeats = data;

  memset (ret_scores, 0, count * sizeof *ret_scores);
  for (gsize c = 0; c < repeats->n_columns; c++)
    for (gsize i = 0; i < count; i++) {
      const guint64 hash = hash_of (outputs, i, repeats->columns[c]) & ~1ull;

      ret_scores[i] += find (repeats, hash)->score;
    }
}

/* ---- Learning ---- */

typedef struct {
  const EventSample *sample;
  gsize rows;     /* a side */
  GArray **found; /* of each column: CountSlot */
} Counting;

/* Hashes with the side in the lowest bit -> those that occur twice or more. */
static void
count_column (gsize column, guint worker, gpointer data)
{
  const Counting *job = data;
  const EventSample *sample = job->sample;
  const gsize n = 2 * job->rows;
  g_autofree guint64 *hashes = g_new (guint64, n);
  GArray *found = g_array_new (FALSE, TRUE, sizeof (CountSlot));

  (void) worker;
  for (gsize i = 0; i < n; i++)
    hashes[i] = (hash_of (sample->outputs[i % 2], i / 2, column) & ~1ull) | (i % 2);
  event_sort_keys (hashes, n);
  for (gsize i = 0, end; i < n; i = end) {
    CountSlot slot = { .hash = hashes[i] & ~1ull, .column = (guint32) column };

    for (end = i; end < n && (hashes[end] & ~1ull) == slot.hash; end++)
      slot.counts[hashes[end] & 1]++;
    if (end - i > 1)
      g_array_append_val (found, slot);
  }
  job->found[column] = found;
}

static guint64
key_of (AssayOutputs outputs, gsize run, gsize column)
{
  return column == outputs.cols ? event_score_hash (outputs, run)
                                : event_key_at (outputs, run, column);
}

/* What the values of the slots are, for the formula. */
static void
name_values (Repeats *repeats, const EventSample *sample, gsize rows)
{
  for (gsize c = 0; c < repeats->n_columns; c++)
    for (gsize i = 0; i < 2 * rows; i++) {
      const AssayOutputs outputs = sample->outputs[i % 2];
      const guint64 hash = hash_of (outputs, i / 2, repeats->columns[c]) & ~1ull;
      CountSlot *slot = find (repeats, hash);

      if (slot->hash != 0)
        slot->key = key_of (outputs, i / 2, repeats->columns[c]);
    }
}

static void
fill_slots (Repeats *repeats, const Counting *counting, gsize n_columns)
{
  gsize n = 0;

  for (gsize c = 0; c < n_columns; c++)
    n += counting->found[c]->len;
  count_table_init (&repeats->table, n);
  repeats->columns = g_new (guint32, n_columns);
  for (gsize c = 0; c < n_columns; c++) {
    const GArray *found = counting->found[c];

    if (found->len > 0)
      repeats->columns[repeats->n_columns++] = (guint32) c;
    ASSAY_FOR_EACH_IN (const CountSlot, seen, found) {
      CountSlot *slot = find (repeats, seen->hash);

      *slot = *seen;
      slot->score = count_slot_score (seen);
    }
  }
}

static char *
describe_repeats (gconstpointer data)
{
  return count_table_describe (&((const Repeats *) data)->table);
}

static char *
repeats_in_python (gconstpointer data)
{
  const Repeats *repeats = data;
  GString *text = g_string_new ("total = numpy.zeros(len(y))\n");

  for (gsize c = 0; c < repeats->n_columns; c++) {
    const guint32 column = repeats->columns[c];

    g_string_append (text, "total += listed(");
    if (column == repeats->cols)
      g_string_append (text, "row_hash(y), {");
    else
      g_string_append_printf (text, "key(y[:, %u]), {", column);
    for (gsize s = 0; s <= repeats->table.mask; s++)
      if (repeats->table.slots[s].score != 0 && repeats->table.slots[s].column == column)
        g_string_append_printf (text, "%" G_GUINT64_FORMAT ": %.17g, ", repeats->table.slots[s].key,
                                repeats->table.slots[s].score);
    g_string_append (text, "})\n");
  }
  g_string_append (text, "return total\n");
  return g_string_free (text, FALSE);
}

EventScore *
event_score_repeats (const EventSample *sample, GError **error)
{
  const gsize cols = MIN (sample->cols, MOST_COLUMNS);
  /* Of more than one column the whole row too, which is number `cols` of the output. */
  const gsize n_columns = sample->cols == cols && cols > 1 ? cols + 1 : cols;
  Counting counting
      = { .sample = sample, .rows = MIN (sample->count, MAX (MOST_VALUES / n_columns, 1)) };
  g_autofree GArray **found = assay_alloc (n_columns, sizeof (GArray *), "columns", error);
  Repeats *repeats;
  EventScore *score;

  if (found == NULL)
    return NULL;
  counting.found = found;
  assay_parallel_for (n_columns, count_column, &counting);
  repeats = g_new0 (Repeats, 1);
  repeats->cols = sample->cols;
  fill_slots (repeats, &counting, n_columns);
  name_values (repeats, sample, counting.rows);
  count_table_find_terms (&repeats->table, sample, FALSE);
  for (gsize c = 0; c < n_columns; c++)
    g_array_unref (found[c]);
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "score of values that repeat",
                         .score = score_repeats,
                         .data = repeats,
                         .is_learned = TRUE,
                         .free_data = (GDestroyNotify) free_repeats,
                         .describe = describe_repeats,
                         .python = repeats_in_python };
  return score;
}
