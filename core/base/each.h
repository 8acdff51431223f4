/* Going through arrays. */
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
