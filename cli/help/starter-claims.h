/* The claims of a scenario to begin with. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  const AssayDefense *defense;
  AssayReleaseKind kind;    /* of its release */
  const GPtrArray *attacks; /* of AssayPlugin */
  /* Bounds in place of the usual ones, "MEASURE=BOUND"; NULL: none. */
  const char *const *bounds;
  const char *const *examples; /* the same, but only of measures that some attack has */
  const char *confidence; /* of each claim; NULL: as the scenario's */
  gboolean asks_identity; /* who is recovered in part, but told from all others, is asked beside
                           * who is recovered */
} CliClaims;

/* Claims that little is recovered of what the defense releases: one for each measure, and one for
 * each bound of a measure that none of the attacks has by itself. */
void cli_append_claims (GString *text, const CliClaims *claims);
