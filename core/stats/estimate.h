/* What statistics find, as numbers alone: for those that show them and do not compute. */
#pragma once

#include <glib.h>

/* One number with an interval (interval.h). */
typedef struct {
  double estimate;
  double lower;
  double upper;
  gsize n;            /* units: secrets */
  gsize n_groups;     /* 0: the units are independent */
  const char *method; /* static */
} AssayInterval;

/* Whether an outcome got worse on the same units (paired-test.h). */
typedef struct {
  double difference; /* mean of new - old */
  double p_worse;    /* of "it did not get worse for privacy": small where the leak grew */
  gsize n;
  const char *method; /* static */
} AssayPairedTest;
