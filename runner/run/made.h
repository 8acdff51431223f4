/* What a defense made of secrets, which the cells of one release share. */
#pragma once

#include "runner/run/own-pairs.h"

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  GPtrArray *repeats; /* further releases; as many as were asked for so far */
  AssayOwnStore *own; /* pairs that attackers learn from; as far as they were asked for */
  AssayRows *records; /* of the game member, where it is played; the truth then has `members` */
  AssayRelease *crossed; /* of the game cross, where it is played; the truth then has `mates` */
  GError *error;      /* why there is no release */
} Made;

void made_free (gpointer made);

/* A dictionary that releases share is counted with each: they may outlive one another. */
gsize made_bytes (const Made *made);
