/* Counts of values on either side of a sample, by hash, and the score that follows from them:
 *   ln ((c_1 + 1) / (c_2 + 1)).
 * Two values that share a hash are counted as one, which costs power and nothing else. */
#pragma once

#include "attacks/mechanisms/event-score.h"

typedef struct {
  guint64 hash;   /* 0: free */
  guint64 key;    /* of the value of a column, or the hash of a whole row */
  guint32 column; /* as many as there are: the whole row */
  guint32 counts[2];
  double score;
} CountSlot;

/* Open addressing; at least half of the slots are free. */
typedef struct {
  guint64 mask; /* number of slots - 1 */
  CountSlot *slots;
  gsize n_terms; /* that a formula would have */
  GArray *terms; /* the largest of them */
} CountTable;

void count_table_init (CountTable *table, gsize n_values);
void count_table_clear (CountTable *table);

/* The slot of a hash that looks at @at first, or the free one where it would be. */
static inline CountSlot *
count_table_find (const CountTable *table, guint64 hash, guint64 at)
{
  for (at &= table->mask; table->slots[at].hash != 0 && table->slots[at].hash != hash;)
    at = (at + 1) & table->mask;
  return &table->slots[at];
}

double count_slot_score (const CountSlot *slot);

/* Fills `n_terms` and `terms` while there is a sample of them; with those of score 0 if asked. */
void count_table_find_terms (CountTable *table, const EventSample *sample, gboolean with_zeros);
char *count_table_describe (const CountTable *table);
