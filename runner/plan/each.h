/* Going through an array of pointers. */
#pragma once

#include <glib.h>

/* for (Type *item : array), of a GPtrArray that stays as long as it is meanwhile. */
#define ASSAY_FOR_EACH(Type, item, array)                                                          \
  for (Type **item##_at = (Type **) (array)->pdata, *item;                                         \
       item##_at != NULL && item##_at - (Type **) (array)->pdata < (array)->len                    \
       && ((item = *item##_at), TRUE);                                                             \
       item##_at++)
