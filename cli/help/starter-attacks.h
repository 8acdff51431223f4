/* What can be played in a scenario that is being written: the planner is asked, with everything
 * that stands above the attack. */
#pragma once

#include "core/plugin/plugin.h"

/* The value of a setting that must be given. */
#define CLI_GAP "FILL_IN"

typedef struct {
  const AssayDefense *defense;
  const AssaySettings *settings;
  AssayReleaseKind kind; /* of its release at these settings */
  const char *path;      /* of the scenario, beside which files are looked for */
  const char *head;      /* [scenario], [dataset] and [defense]: what attacks are tried with */
  gboolean audits_only;  /* numbers that may be 0 have no relative error */
  gboolean is_blind;     /* nothing can be planned before gaps are filled */
} CliGround;

/* Whether the planner takes @text; otherwise what it says, less "FILE:LINE: [GROUP] ". */
gboolean cli_is_planned (const char *path, const char *text, char **ret_why_not);

gboolean cli_has_gap (const AssayParam *table); /* a setting that must be given */

/* What the attack is granted in a scenario to begin with, on the defense's releases with @settings,
 * which are of @kind. */
guint cli_attack_grants (const AssayDefense *defense, const AssaySettings *settings,
                         AssayReleaseKind kind, const AssayPlugin *attack);
/* Its group: under @label, with @grants (a set of AssayGrant) and @more lines ("": none). */
char *cli_attack_group (const AssayPlugin *attack, const char *label, guint grants,
                        const char *more);

/* NULL, or why the attack is not played on @ground, with @grants and @more lines in its group. */
char *cli_why_no_attack (const CliGround *ground, const AssayPlugin *attack, guint grants,
                         const char *more);
/* Whether it reads what the defense releases, played or not. */
gboolean cli_reads_release (const CliGround *ground, const AssayPlugin *attack);
