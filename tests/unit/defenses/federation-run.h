/* Small federations, for the tests of defenses that release model updates: 40 normal samples of 6
 * columns in 3 classes, 4 users and 3 steps. */
#pragma once

#include "core/plugin/defense.h"

#define FEDERATION_RUN_ROWS 40
#define FEDERATION_RUN_COLS 6
#define FEDERATION_RUN_CLASSES 3
#define FEDERATION_RUN_WEIGHTS (FEDERATION_RUN_CLASSES * FEDERATION_RUN_COLS)
#define FEDERATION_RUN_USERS 4
#define FEDERATION_RUN_STEPS 3

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
} FederationRun;

void federation_run_clear (FederationRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FederationRun, federation_run_clear)

/* Users who train by @defense, with @more assignments of settings. */
gboolean federation_run_play (const char *defense, const char *more, FederationRun *ret_run,
                              GError **error);
/* With these alone, of a defense that has not all of the settings of those. */
gboolean federation_run_play_alone (const char *defense, const char *assignments,
                                    FederationRun *ret_run, GError **error);
