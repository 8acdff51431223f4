/* What a release is made of, and what an attacker gets beside it: a defense of the plan, on the
 * secrets of one trial or on those that are set apart for tuning. */
#pragma once

#include "runner/plan/order.h"
#include "runner/run/steps.h"

typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  gboolean is_tuning; /* on what is set apart: the same in all trials */
  gsize known;        /* public rows that are protected among the secrets */
  const AssayDataset *dataset;
  const AssayOrder *order; /* of the rows of its pool */
  const AssaySecrets *secrets;
  const AssayKnowledge *knowledge;
} AssayReleaseTerms;

AssayRunPosition assay_release_terms_position (const AssayReleaseTerms *terms, gsize repeat);

/* The stream of the role that @format says, which has a name of its own for tuning. */
AssayStreamKey assay_release_terms_stream (const AssayReleaseTerms *terms, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
