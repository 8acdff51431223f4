/* The two ways of learning from labels with what they did on the way, for tests of it. */
#pragma once

#include "defenses/codes/hash-learning.h"

typedef struct {
  gsize *rows;          /* labelled: the training rows whose similarities were learned */
  double *objective;    /* bits + 1: ||H H' - c S||^2 over the labelled pairs with 0 .. bits bits */
  gboolean *is_descent; /* bits: whether the descent's direction was better than the relaxation's */
} KshTrace;

/* Arrays of the sizes above, or a NULL @trace. */
AssayHashFunction *ksh_learn_traced (const HashTraining *training, const HashSettings *settings,
                                     KshTrace *trace, GError **error);

typedef struct {
  gsize n;            /* iterations that were made */
  double *objective;  /* iterations + 1, of which n + 1 are filled: the first is of random codes */
  double *codes;      /* t x c, -1 and 1: B */
  double *classifier; /* c x n_classes: W */
} SdhTrace;

/* As above. */
AssayHashFunction *sdh_learn_traced (const HashTraining *training, const HashSettings *settings,
                                     SdhTrace *trace, GError **error);

typedef struct {
  gsize n;          /* turns of which there is room, then those that were made */
  double *before;   /* J before the codes of each turn were learned */
  double *after;    /* ... and after */
  double *codes;    /* t x c, -1 and 1: V as the last turn left it */
  double *outputs;  /* t x c: U of that turn */
} AdshTrace;

/* As above; sums over all pairs as they stand, for small sets. */
AssayHashFunction *adsh_learn_traced (const HashTraining *training, const HashSettings *settings,
                                      AdshTrace *trace, GError **error);

/* The ridge on the embedding P, which is part of the objective: nu SDH_EMBEDDING_RIDGE ||P||^2. */
#define SDH_EMBEDDING_RIDGE 1e-2

/* Discrete cyclic coordinate descent on one row: minimises b' G b - 2 q' b over b of -1 and 1, one
 * bit after the other, until none changes. @gram (c x c) is G, symmetric. */
void sdh_code_row (gsize bits, const double *gram, const double *linear, double *inout_code);
