/* Federations of sparse updates of known outcome, for controls of attacks on what DPHE shows. */
#pragma once

#include "core/games/control-case.h"

typedef struct {
  gsize users;
  gsize steps;
  gsize weights;
  double held;           /* how often a user holds a weight in a step, on the mean */
  gboolean has_own;      /* the first user's updates are in the release, as its own */
  gboolean has_locals;   /* ... and those of all users, in clear */
  gboolean has_messages; /* ... and rows of messages, through one permutation that stays */
  gboolean has_shared;   /* ... which is granted */
} WeightControl;

/* Supports by chances that differ between weights and steps, and normal values; models start at 0
 * and are means. */
gboolean weight_control_make (const WeightControl *control, AssayStreamKey key,
                              AssayControlCase *ret_case, GError **error);

/* The callback of a descriptor for such a federation: WEIGHT_CONTROL (make_control, .users = 4). */
#define WEIGHT_CONTROL(name, ...)                                                                  \
  ASSAY_CONTROL (name, weight_control_make, WeightControl, void, __VA_ARGS__)
