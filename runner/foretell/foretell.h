/* How long a run takes: small parts of it are played, larger and larger, until a time is over, and
 * what each kind of cell took is carried on to its full size. Nothing is known beforehand, and
 * nothing is written. */
#pragma once

#include "runner/foretell/foretold.h"
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

/* What is under way when the time is over is asked to end. FALSE: it has not done so soon after,
 * and goes on in a thread that the process must end without; what was seen until then is told. */
gboolean assay_foretell (const AssayForetelling *foretelling, AssayForetold *ret_foretold);
