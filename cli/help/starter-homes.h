/* What scenarios to begin with are played on: generated data, and which of them a defense takes. */
#pragma once

#include "core/plugin/plugin.h"

/* Generated data, so that the scenario runs wherever it is written. */
typedef struct {
  const char *about;
  const char *group; /* of the scenario: [dataset] with its keys */
  const char *own;   /* how to have data of one's own in its place */
  guint trials;
  guint kinds;           /* the releases that it suits, of defenses that `homes` does not name */
  const char *revealing; /* a defense that hides nothing, for comparison; NULL: none */
  gboolean audits_only;  /* numbers that may be 0 have no relative error */
  gboolean has_pictures;
  const char *bounds[3]; /* of claims, in place of the usual ones; NULL ends */
} CliBase;

enum {
  DESCRIPTORS,
  IMAGES,
  FEATURES,
  SAMPLES,
  BITS,
  TEN_VALUES,
  FOUR_COLUMNS,
  MANY_VALUES,
  ANSWERS,
  ITEMS,
  PAIRS,
  PEOPLE,
  CLI_BASE_FOLDER,
  CLI_N_BASES
};

typedef struct {
  const char *defense;
  guint base;
  guint trials;           /* 0: as many as the base has */
  const char *data;       /* its dataset, where that of the base takes too long; NULL: that one */
  const char *audit;      /* lines of its audit, where the usual runs are too few; NULL: none */
  const char *bounds[3];  /* of claims, in place of those of the base; NULL ends */
  const char *changed[3]; /* its settings other than the defaults, "name=value"; NULL ends */
  const char *because;    /* which these are and why, after "but"; NULL: the defaults cost most */
  const char *without, *without_because; /* an attack that could decide nothing, and why */
  gboolean is_in_another_space;          /* its releases hold other numbers than secrets do */
  const char *weaker; /* its settings with which attacks win that have nothing to attack without a
                       * defense; NULL: none */
} CliHome;

extern const CliBase cli_bases[CLI_N_BASES];
/* Defenses for which the kind of their release does not tell which numbers they take. Others are
 * given the first data that suits their release and that they do not refuse. NULL: it is one of
 * those. */
const CliHome *cli_home_find (const char *defense);
