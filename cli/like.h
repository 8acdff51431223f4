/* --like RUN --cell ID: a step by hand with the plugin, the settings and the random numbers of a
 * cell of a run. */
#pragma once

#include "runner/compare/saved-run.h"

typedef struct {
  char *folder, *id; /* as they were given; both or neither */
  AssaySavedRun *run; /* NULL: nothing was given */
  const AssayCell *cell;
} CliLike;

#define CLI_LIKE_OPTIONS(like, what)                                                               \
  { "like", 0, 0, G_OPTION_ARG_FILENAME, &(like).folder, "With " what " of a cell of this run",    \
    "RUN" },                                                                                       \
  {                                                                                                \
    "cell", 0, 0, G_OPTION_ARG_STRING, &(like).id, "The cell, as results.json names it", "ID"      \
  }

/* Opens the run if one was given. ASSAY_ERROR_PARAMETER: one option without the other, or no such
 * cell in it; ASSAY_ERROR_DATA: no run. */
gboolean cli_like_open (CliLike *like, GError **error);
void cli_like_clear (CliLike *like);

const AssayComponent *cli_like_defense (const CliLike *like);
/* The attack and the settings with which the run played it, tuned ones included.
 * ASSAY_ERROR_MISMATCH: the cell has none that attacks a release. */
gboolean cli_like_attack (const CliLike *like, const AssayComponent **ret_component,
                          const AssaySettings **ret_settings, GError **error);
