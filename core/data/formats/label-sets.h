/* Sets of labels, of rows that may have several: words of 63 classes each, since they are stored as
 * whole numbers that are not negative. Class c is bit c % 63 of word c / 63. */
#pragma once

#include "core/data/array.h"

G_BEGIN_DECLS

#define ASSAY_LABEL_SET_CLASSES 63 /* of a word */

static inline gsize
assay_label_set_words (gsize n_classes)
{
  return (n_classes + ASSAY_LABEL_SET_CLASSES - 1) / ASSAY_LABEL_SET_CLASSES;
}

/* Of the array of sets of n rows: n of one word each, or n x words. NULL: 0. */
static inline gsize
assay_label_sets_words (const AssayArray *sets)
{
  return sets == NULL ? 0 : sets->n_dimensions == 2 ? sets->shape[1] : 1;
}

static inline void
assay_label_set_add (gint64 *set, gsize label)
{
  set[label / ASSAY_LABEL_SET_CLASSES] |= (gint64) 1 << label % ASSAY_LABEL_SET_CLASSES;
}

/* @words of @set; what is beyond them it has not. */
static inline gboolean
assay_label_set_has (const gint64 *set, gsize words, gsize label)
{
  const gsize word = label / ASSAY_LABEL_SET_CLASSES;

  return word < words && (set[word] >> label % ASSAY_LABEL_SET_CLASSES & 1) != 0;
}

static inline gboolean
assay_label_sets_meet (const gint64 *one, const gint64 *other, gsize words)
{
  gint64 common = 0;

  for (gsize w = 0; w < words; w++)
    common |= one[w] & other[w];
  return common != 0;
}

/* Takes @sets as the array of @n rows. */
static inline AssayArray *
assay_label_sets_take (gsize n, gsize words, gint64 *sets)
{
  const gsize shape[] = { n, words };

  return assay_array_take (ASSAY_INT64, words > 1 ? 2 : 1, shape, sets);
}

G_END_DECLS
