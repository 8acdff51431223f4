/* A case of known outcome for attacks that make photographs: keypoints whose descriptors say how
 * bright the place is. */
#pragma once

#include "core/games/control-case.h"

typedef struct {
  gsize n_public; /* photographs */
  gsize n_secret;
  gsize side; /* of the pictures that are judged */
  gboolean is_lifted; /* to planes, through a row each of a database that has rows near to all */
} PhotographCase;

gboolean photograph_case_make (const PhotographCase *control, AssayStreamKey key,
                               AssayControlCase *ret_case, GError **error);
