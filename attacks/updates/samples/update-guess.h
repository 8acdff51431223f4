/* What attacks on model updates say of the samples that they found. */
#pragma once

#include "core/plugin/attack.h"

/* Arrays beside `estimates`: the step, and the user, whose sample an estimate is of; which of its
 * columns it is sure of; its class; the row of the model that it was read off, of an average.
 * -1: it does not say. */
extern const AssayArraySpec update_guess_arrays[];

/* Estimates that are being collected. */
typedef struct {
  GArray *values;                 /* float: rows of d */
  GArray *is_known;               /* guint8: as many */
  GArray *steps, *users, *labels; /* gint64 */
  GArray *rows;                   /* gint64; NULL: none is an average */
  gsize cols;
} UpdateGuess;

void update_guess_init (UpdateGuess *guess, gsize cols);
/* ... of averages. */
void update_guess_init_averages (UpdateGuess *guess, gsize cols);
ASSAY_DECLARE_CLEAR (UpdateGuess, update_guess_clear)

/* One more: @values as users scaled them; @is_known NULL: it is sure of all columns. @row: of an
 * average, the row of the model that tells it. */
typedef struct {
  const double *values;
  const guint8 *is_known;
  gsize step;
  gint64 user, label;
  gint64 row;
} UpdateFound;

void update_guess_add (UpdateGuess *guess, const UpdateFound *found);

/* Puts them into @ret_guess, as the secrets are scaled; without one, one of zeros that is sure of
 * nothing. */
void update_guess_take (UpdateGuess *guess, const AssayRelease *release, AssayGuess *ret_guess);

/* The callback `memory` of an attack that has the gradients of one message at a time, and estimates
 * as long as messages of all. */
guint64 update_guess_memory (gconstpointer settings, const AssayShape *shape);
