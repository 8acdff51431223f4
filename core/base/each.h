/* Going through arrays, and finding by halving where something begins in a range. */
#pragma once

#include <glib.h>

/* for (Type *item : array), of a GPtrArray that stays as long as it is meanwhile. */
#define ASSAY_FOR_EACH(Type, item, array)                                                          \
  for (Type **item##_at = (Type **) (array)->pdata, *item;                                         \
       item##_at != NULL && item##_at - (Type **) (array)->pdata < (array)->len                    \
       && ((item = *item##_at), TRUE);                                                             \
       item##_at++)

/* The same of a GArray of Type. */
#define ASSAY_FOR_EACH_IN(Type, item, array)                                                       \
  for (Type *item = (Type *) (gpointer) (array)->data, *item##_first = item;                       \
       item != NULL && item - item##_first < (array)->len; item++)

/* @is_before and @is_low are expressions of @middle, which is declared for them. */

/* Whole numbers: @low becomes the first from @low on that is not @is_before; @high, if all are. */
#define ASSAY_BISECT(Type, middle, low, high, is_before)                                           \
  while (low < high) {                                                                             \
    const Type middle = low + (high - low) / 2;                                                    \
                                                                                                   \
    if (is_before)                                                                                 \
      low = middle + 1;                                                                            \
    else                                                                                           \
      high = middle;                                                                               \
  }

/* Whole numbers, of which @low @is_low and @high is not, or need not be asked: they become the
 * neighbours between which it changes. */
#define ASSAY_BISECT_BETWEEN(Type, middle, low, high, is_low)                                      \
  while (high - low > 1) {                                                                         \
    const Type middle = low + (high - low) / 2;                                                    \
                                                                                                   \
    *((is_low) ? &low : &high) = middle;                                                           \
  }

/* The same of doubles, which are @steps halvings apart in the end. */
#define ASSAY_BISECT_REAL(steps, middle, low, high, is_low)                                        \
  for (guint halving = 0; halving < (steps); halving++) {                                          \
    const double middle = (low + high) / 2;                                                        \
                                                                                                   \
    *((is_low) ? &low : &high) = middle;                                                           \
  }
