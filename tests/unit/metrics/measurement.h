/* A metric, measured on a truth and a guess. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  const AssayDataset *dataset; /* of the context; NULL: none */
  AssayTruth *truth;
  AssayGuess *guess;
  AssayOutcomes outcomes;
} Measurement;

void measurement_clear (Measurement *measured);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Measurement, measurement_clear)

Measurement measurement_new (void);

/* Measures with the settings @assignments, which must succeed. */
void measurement_take (const AssayMetric *metric, const char *assignments, Measurement *measured);

/* The same, which must fail as said. */
void measurement_refused (const AssayMetric *metric, const char *assignments, Measurement *measured,
                          AssayErrorCode code, const char *message);

/* The outcomes that the measure called @name summarises. */
const double *measurement_series (const AssayMetric *metric, const char *name,
                                  const Measurement *measured);
