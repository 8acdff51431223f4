/* What was foretold of a run. */
#pragma once

#include <glib.h>

typedef struct {
  double least;   /* the same, if what was played once alone does not grow with its size */
  double seconds; /* of the run; of what was played, where `missing` is not 0 */
  double work;    /* of these, what processors work for it, all together */
  double took;    /* to play the parts */
  double share;   /* of the work of a cell in the largest part that ended; 0: none */
  guint kinds;    /* of cells: of one dataset, one defense, and one attack or utility */
  guint missing;  /* of these, how many had no part that ended */
  char *first;    /* the first of them, in words; NULL: there is none */
} AssayForetold;

void assay_foretold_clear (AssayForetold *foretold);
/* In a line of text. */
char *assay_foretold_describe (const AssayForetold *foretold);
