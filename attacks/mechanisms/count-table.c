/* Counts of values on either side of a sample. */
#include "attacks/mechanisms/count-table.h"

#include <math.h>

void
count_table_init (CountTable *table, gsize n_values)
{
  gsize n_slots = 4;

  while (n_slots < 2 * (n_values + 1))
    n_slots *= 2;
  table->mask = n_slots - 1;
  table->slots = g_new0 (CountSlot, n_slots);
}

ASSAY_CLEAR_FUNC (CountTable, count_table_clear, assay_drop (self->slots, g_free),
                  assay_drop (self->terms, g_array_unref))

double
count_slot_score (const CountSlot *slot)
{
  return log ((slot->counts[0] + 1.0) / (slot->counts[1] + 1.0));
}

/* The larger score first; of equal ones the first column, and the smaller value. */
static gboolean
is_larger (const CountSlot *a, const CountSlot *b)
{
  if (fabs (a->score) != fabs (b->score))
    return fabs (a->score) > fabs (b->score);
  return a->column != b->column ? a->column < b->column : a->key < b->key;
}

static char *
describe_slot (const CountSlot *slot, const EventSample *sample)
{
  g_autofree char *value = NULL;

  for (gsize i = 0; slot->column == sample->cols && i < 2 * sample->count; i++)
    if (event_score_hash (sample->outputs[i % 2], i / 2) == slot->key)
      return event_where_row (sample->outputs[i % 2], i / 2);
  value = event_number (assay_output_value (slot->key));
  return g_strdup_printf ("where y%u = %s", slot->column + 1, value);
}

void
count_table_find_terms (CountTable *table, const EventSample *sample, gboolean with_zeros)
{
  const CountSlot *last = NULL;

  table->terms = event_terms_new ();
  for (gsize s = 0; s <= table->mask; s++)
    table->n_terms += table->slots[s].hash != 0 && (with_zeros || table->slots[s].score != 0);
  for (gsize t = 0; t < MIN (EVENT_MOST_TERMS, table->n_terms); t++) {
    const CountSlot *best = NULL;

    for (gsize s = 0; s <= table->mask; s++) {
      const CountSlot *slot = &table->slots[s];

      if (slot->hash != 0 && (with_zeros || slot->score != 0)
          && (last == NULL || is_larger (last, slot)) && (best == NULL || is_larger (slot, best)))
        best = slot;
    }
    event_terms_add (table->terms, best->score, describe_slot (best, sample));
    last = best;
  }
}

char *
count_table_describe (const CountTable *table)
{
  return event_terms_join (table->terms, table->n_terms - table->terms->len);
}
