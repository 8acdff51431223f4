/* What the parts of `assay audit` share. */
#pragma once

#include "cli/audit/audit-data.h"
#include "core/data/rows.h"
#include "core/plugin/plugin.h"

#define CLI_AUDIT_SCENARIO "audit.scenario"

/* An audit that is put together. */
typedef struct {
  const AssayDefense *defense;
  const AssaySettings *settings;
  AssayReleaseKind kind;
  const char *command;       /* as it was typed */
  const char *data;          /* the file, likewise */
  const char *released;      /* what was released of it; NULL: a defense makes it */
  const char *const *bounds; /* "MEASURE=BOUND"; NULL: none */
  char *database;            /* of the scenario: rows that the defense draws from; NULL: none */
  guint64 seed;
  char *folder; /* everything is written there */
  char *scenario;

  AssayView public_rows;
  AssayView compared;      /* the same, as attacks and measures compare them */
  gboolean scales_columns; /* ... which is not in the columns' own units */
  double tau;              /* of recovery-rate, on these rows */
  gsize n_private, n_secrets, n_joined, n_left_out;
  gboolean has_labels;
  const GPtrArray *attributes; /* CliAuditColumn; NULL: none */
  AssayGeometry geometry;      /* of rows that are images */
  gsize released_cols; /* of the release; 0: it has no rows */
  gboolean scales_released; /* columns of rows and release that exists were divided by units */
  gboolean has_key;    /* one release draws something once for all its secrets */

  double seconds;     /* that the user gives */
  double run_seconds; /* of one run of the defense */
  guint own_runs;     /* of the defense, that attackers make to learn from */
  guint member_runs;  /* ... and for who compares runs: membership, cross-linkage */
  guint most_trials;
} CliAudit;

/* Runs the defense twice on @secrets, as many rows as a trial has, with the classes that @data has
 * of the rows @order: what is wrong with it shows here, before anything is planned; and how long it
 * takes, and whether another key makes another release. */
gboolean cli_audit_try (CliAudit *audit, AssayView secrets, const CliAuditData *data,
                        const gsize *order, GError **error);

/* Chooses own_runs and member_runs so that a look at one trial takes half of the time at most.
 * ASSAY_ERROR_DATA: no look does; says how much time one needs. */
gboolean cli_audit_choose_runs (CliAudit *audit, GError **error);

/* The text of the scenario. ASSAY_ERROR_MISMATCH where no attack applies. */
char *cli_audit_scenario (const CliAudit *audit, GError **error);

/* Runs the scenario in what is left of the time since @started (monotonic), and prints the verdict
 * and where the report is. An ExitCode. */
int cli_audit_look (const CliAudit *audit, gint64 started, gboolean is_quiet);
