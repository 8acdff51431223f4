/* Of a plan what reports show as it is: the pairs that are left out, and the plugins that were not
 * built in. Plain data: who sees it sees no plan. */
#pragma once

/* A pair that cannot be played; or a metric that measures nothing on a dataset. */
typedef struct {
  const char *defense; /* labels; or dataset, of a metric */
  const char *attack;  /* or utility, or metric */
  char *reason;
} AssaySkip;

/* A plugin that was not built in. */
typedef struct {
  const char *type; /* "defense" */
  const char *id;
  const char *path; /* the shared object */
  const char *sha256;
} AssayLoaded;
