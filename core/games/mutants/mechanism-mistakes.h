/* The mistakes of mechanisms that mutants are made with: what each does to the runs. */
#pragma once

#include "core/games/mutants/mechanism-view.h"
#include "core/games/mutants/mutant.h"

/* A mechanism with a mistake in it, and runs of it. */
typedef struct {
  const AssayMechanismView *view;
  const AssayMechanismView *weaker; /* the same with twice the epsilon, or NULL */
  double rate;                      /* of a rare leak */
  AssayStream *stream;
  const float *input;
  const double *centre; /* of the outputs on it; NULL where outputs are no numbers */
  gsize count;
  double *outputs; /* of that many runs */
} AssayMistaken;

/* What a mistake needs of the mechanism. */
enum {
  ASSAY_NEEDS_NUMBERS = 1,  /* outputs that are numbers, hardly one of which comes twice */
  ASSAY_NEEDS_VALUES = 2,   /* a column with few values */
  ASSAY_NEEDS_COLUMNS = 4,  /* several columns */
  ASSAY_NEEDS_OWN_RUNS = 8, /* one run after the other: programs are started for many at once */
  ASSAY_NEEDS_WEAKER = 16,  /* a setting epsilon, or else numbers */
};

typedef struct {
  AssayMutantKind kind;
  guint needs;
  double rate;
  gboolean adds_column; /* a time, which the mutant adds itself */
  /* Draws the runs in place of the mechanism's own; NULL: those. */
  gboolean (*draw) (const AssayMistaken *of, GError **error);
  void (*alter) (const AssayMistaken *of); /* changes them; NULL: nothing is changed */
} AssayMistake;

extern const AssayMistake assay_mechanism_mistakes[];
extern const guint assay_n_mechanism_mistakes;
