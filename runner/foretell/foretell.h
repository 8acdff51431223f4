/* How long a run takes: small parts of it are played, larger and larger, until a time is over, and
 * what each kind of cell took is carried on to its full size. Nothing is known beforehand, and
 * nothing is written. */
#pragma once

#include "runner/plan/plan.h"

typedef struct {
  const AssayPlan *plan;
  double seconds; /* that the parts may take */
  /* The plan with further assignments of --set, and another number of trials. NULL: it is refused,
   * as is a part with fewer secrets than an attack needs. Called from another thread. */
  AssayPlan *(*make) (char **assignments, gsize trials, gpointer data);
  gboolean (*is_cancelled) (void);
  gpointer data;
} AssayForetelling;

typedef struct {
  double least;   /* the same, if what was played once alone does not grow with its size */
  double seconds; /* of the run; of what was played, where `missing` is not 0 */
  double took;    /* to play the parts */
  double share;   /* of the work of a cell in the largest part that ended; 0: none */
  guint kinds;    /* of cells: of one dataset, one defense, and one attack or utility */
  guint missing;  /* of these, how many had no part that ended */
  char *first;    /* the first of them, in words; NULL: there is none */
} AssayForetold;

/* What is under way when the time is over is asked to end. FALSE: it has not done so soon after,
 * and goes on in a thread that the process must end without; what was seen until then is told. */
gboolean assay_foretell (const AssayForetelling *foretelling, AssayForetold *ret_foretold);
void assay_foretold_clear (AssayForetold *foretold);

/* In a line of text. */
char *assay_foretold_describe (const AssayForetold *foretold);
