/* Federations of known outcome, for the controls of attacks on model updates. */
#pragma once

#include "core/games/control-case.h"
#include "core/learn/linear-training.h"

typedef struct {
  AssayLinearTraining training;
  gsize users; /* one sample each in every step */
  gsize steps;
  const gint64 *absent; /* a class that no sample is of; NULL, or -1: there is none */
  gboolean has_locals;  /* what users sent is in the release */
  gsize rank;           /* above 0: samples are mixtures of so many normal vectors, and ... */
  gsize n_public;       /* ... so many more of them are public rows */
  gboolean has_any_loss; /* the loss is drawn, too */
} UpdateControl;

/* Normal samples, users x steps of them, with classes drawn; a small normal first model; and one
 * gradient step of each user on a sample of its own in each step. */
gboolean update_control_make (const UpdateControl *control, AssayStreamKey key,
                              AssayControlCase *ret_case, GError **error);
/* The same by a stream that goes on; of the loss that is given. */
gboolean update_control_draw (const UpdateControl *control, AssayStream *stream,
                              AssayControlCase *ret_case, GError **error);
