/* Federations of known outcome, for the controls of attacks on model updates. */
#pragma once

#include "core/games/control-case.h"
#include "core/learn/linear-training.h"

typedef struct {
  AssayLinearTraining training;
  gsize users; /* one sample each in every step */
  gsize steps;
  gboolean has_locals; /* what users sent is in the release */
} UpdateControl;

/* Normal samples, users x steps of them, with classes drawn; a small normal first model; and one
 * gradient step of each user on a sample of its own in each step. */
gboolean update_control_make (const UpdateControl *control, AssayStream *stream,
                              AssayControlCase *ret_case, GError **error);
