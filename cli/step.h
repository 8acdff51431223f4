/* What the steps by hand (protect, attack, measure) share: the plugin and settings that are named,
 * or with --like RUN --cell ID those of a cell of a run, and its random numbers. */
#pragma once

#include "runner/compare/saved-run.h"

/* A cell of a run. */
typedef struct {
  char *folder, *id;  /* as they were given; both or neither */
  AssaySavedRun *run; /* NULL: nothing was given */
  const AssayCell *cell;
} CliLike;

typedef struct {
  char *name;                   /* of the plugin, as it was given; NULL: it was not */
  char **assignments;           /* "SETTING=VALUE" */
  char *database, *public_rows; /* where they are; NULL: nowhere */
  char **hidden;                /* files and folders; NULL: none were given */
  gint64 seed;
  gboolean quiet;
  CliLike like;
} CliStepOptions;

/* clang-format off */
#define CLI_STEP_SET(step, says)                                                                \
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &(step).assignments, says, "SETTING=VALUE" }
#define CLI_STEP_SEED(step, says)                                                               \
  { "seed", 0, 0, G_OPTION_ARG_INT64, &(step).seed, says, "N" }
#define CLI_STEP_LIKE(step, what)                                                               \
  { "like", 0, 0, G_OPTION_ARG_FILENAME, &(step).like.folder,                                   \
    "With " what " of a cell of this run", "RUN" },                                             \
  { "cell", 0, 0, G_OPTION_ARG_STRING, &(step).like.id, "The cell, as results.json names it",   \
    "ID" }
#define CLI_STEP_HIDE(step)                                                                     \
  { "hide", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(step).hidden,                                  \
    "Keep this file or folder from programs (exec); may be given several times", "PATH" }
#define CLI_STEP_QUIET(step)                                                                    \
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &(step).quiet, "No progress", NULL }
/* clang-format on */

/* Opens the run if one was given. ASSAY_ERROR_PARAMETER: one option without the other, or no such
 * cell in it; ASSAY_ERROR_DATA: no run. */
gboolean cli_like_open (CliLike *like, GError **error);
void cli_like_clear (CliLike *like);
/* The attack and the settings with which the run played it, tuned ones included.
 * ASSAY_ERROR_MISMATCH: the cell has none that attacks a release. */
gboolean cli_like_attack (const CliLike *like, const AssayComponent **ret_component,
                          const AssaySettings **ret_settings, GError **error);

/* What is played in a step. */
typedef struct {
  CliStepOptions *options;
  const AssayPlugin *plugin;
  const AssaySettings *settings; /* its own, or those of the cell */
  AssaySettings *own;
  guint grants;                      /* of the cell's attack */
  AssayRows *database, *public_rows; /* NULL: they were not given */
} CliStep;

/* The plugin of @type and its settings; what was named wrongly is an error. */
gboolean cli_step_open (CliStepOptions *options, AssayPluginType type, CliStep *step,
                        GError **error);
/* @geometry: of the release beside which they stand; NULL: of none. */
gboolean cli_step_open_rows (CliStep *step, const AssayGeometry *geometry, GError **error);
ASSAY_DECLARE_CLEAR (CliStep, cli_step_clear)

/* The stream of what @upstream and @settings tell; of a cell that of @of_cell there. */
AssayStreamKey cli_step_stream (const CliStepOptions *options, const char *role,
                                const char *upstream, const AssaySettings *settings,
                                const char *of_cell);
