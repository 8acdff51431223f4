/* Federations of sparse updates of known outcome, for controls of attacks on what DPHE shows. */
#pragma once

#include "core/games/control-case.h"

typedef struct {
  gsize users;
  gsize steps;
  gsize weights;
  double held;           /* how often a user holds a weight in a step, on the mean */
  gboolean has_own;      /* the first user's updates are in the release, as its own */
  gboolean has_messages; /* ... and rows of messages, through one permutation that stays */
  gboolean has_shared;   /* ... which is granted */
} WeightControl;

/* Supports by chances that differ between weights and steps, and normal values; models start at 0
 * and are means. */
gboolean weight_control_make (const WeightControl *control, AssayStream *stream,
                              AssayControlCase *ret_case, GError **error);
