/* Integers laid through two of four rows of a database, and how many of them a guess has. */
#pragma once

#include "core/plugin/plugin.h"

enum { SECRETS = 10, COLS = 48, THROUGH = 2, DIMENSION = 4, ROWS = 4 };

typedef struct {
  AssayMatrix *secrets; /* of length 1 */
  AssayRows *database;
  AssayRelease *release;
} LatticeCase;

typedef struct {
  guint32 seed;
  gboolean is_integer;        /* the rows of the database */
  gboolean is_secret_integer; /* the secrets */
  double dither;              /* noise of at most this in each number of the secrets */
  gsize dimension;            /* of the subspaces; 0: DIMENSION */
} LatticeDraw;

void lattice_case_make (LatticeDraw draw, LatticeCase *ret_case);
/* The secrets of @inout_case laid through rows of @database in place of its own. */
void lattice_case_relay (AssayRows *database, LatticeCase *inout_case);
void lattice_case_clear (LatticeCase *one);

/* The guess with these settings ("name=value name=value"). */
AssayGuess *lattice_attack (const char *assignments, const AssayObservation *seen);
/* Secrets that the guess has to the last digits of float32. */
gsize lattice_count_exact (const LatticeCase *one, const AssayGuess *guess);
const gint64 *lattice_numbers (const AssayGuess *guess, const char *name);
