/* The exports of results that are text, and contact sheets. */
#pragma once

#include "core/base/json.h"
#include "runner/compare/comparison.h"
#include "runner/judge/results.h"

/* The object of one component, left open for what else stands there. */
void assay_report_json_component (AssayJson *json, const char *key,
                                  const AssayResultComponent *component, gboolean has_label);
/* A member that is an array of strings. */
void assay_report_json_strings (AssayJson *json, const char *key, const GPtrArray *strings);

/* The text of results.json (assay-results/1): nothing in it depends on machine, time or threads. */
char *assay_report_json (const AssayResults *results, GError **error);
gboolean assay_report_write_json (const AssayResults *results, AssayJson *json, GError **error);
/* The pooled table, one row a measurement, settings flattened to defense.dimension and so on. */
char *assay_report_csv (const AssayResults *results);
/* claims.xml: the verdicts in JUnit form. @seconds: of each claim, and then of all; NULL: 0. */
char *assay_report_junit (const AssayResults *results, const double *seconds);
/* The time that was spent on the cells of each claim, and then on all cells; free with g_free. */
double *assay_report_durations (const AssayResults *results, GError **error);
/* summary.md: verdicts and headline numbers for a CI system's job summary. */
char *assay_report_markdown (const AssayResults *results);
/* The table for a terminal, at most @width columns wide where that is possible. */
char *assay_report_table (const AssayResults *results, guint width);
/* "71.3 % [68.2, 74.1]" or "0.142 [0.136, 0.15]"; of epsilon "> 1.2". */
char *assay_report_measurement (const AssayMeasurement *measurement);
/* The contact sheets: where each is and how large, one line each, for a terminal. */
char *assay_report_contact_sheets (const AssayResults *results, const char *folder);
/* NAME.png: the pictures of @sheet, which has columns; in its text chunks the @title and what each
 * column shows. NAME.json: what each column and row is, and where. */
GBytes *assay_contact_sheet_png (const AssayResultContactSheet *sheet, const char *title,
                                 GError **error);
/* "adjusted p (upheld) = 0.00264 by Gaffke's test, which over all hypotheses leaves 0.27 to 0.47":
 * what decided, or where nothing was decided did not. NULL: no test was asked. */
char *assay_report_verdict_test (const AssayResultClaim *result);
/* "assay run PATH --witness CLAIM", quoted for a shell; @with: options between them, or NULL. */
char *assay_report_replay (const AssayResults *results, const AssayResultClaim *result,
                           const char *with);
/* One of its pictures, not enlarged. */
GBytes *assay_contact_sheet_picture (const AssayThumbnail *thumbnail, GError **error);
/* How many times its pixels are enlarged. */
gsize assay_contact_sheet_scale (const AssayThumbnail *thumbnail);
char *assay_contact_sheet_json (const AssayResultContactSheet *sheet);
/* What run.json says and results do not; 0: not known. */
typedef struct {
  guint threads;
  gint64 started_us, ended_us;
  gboolean has_durations; /* claims.xml tells them: it is then another file after each run */
} AssayReportRun;

/* Members that both JSON files have: the program; and the plugins that were not built in. Where
 * these lie is a matter of the machine. */
void assay_report_write_version (AssayJson *json);
void assay_report_write_plugins (AssayJson *json, const GArray *plugins, gboolean has_paths);
/* run.json: what results.json must not depend on. */
gboolean assay_report_write_run_json (const AssayResults *results, const AssayReportRun *run,
                                      AssayJson *json, GError **error);

/* What the audit saw of mutants of its own defenses: all of it for a terminal; a sentence; the same
 * with the names, to stand below verdicts, one line or more; and a member of results.json. */
char *assay_report_mutants (const AssayResultMutants *mutants);
char *assay_report_mutants_sentence (const AssayResultMutants *mutants);
char *assay_report_mutants_short (const AssayResultMutants *mutants);
void assay_report_mutants_json (const AssayResultMutants *mutants, AssayJson *json);
/* The text of mutants.json. */
char *assay_report_mutants_file (const AssayResultMutants *mutants);

/* The seal on claims: the line for a terminal, ended by a newline ("": there is none); members of
 * results.json; and the sealed text of the claim @id, its line without the newline (NULL: no such
 * claim was sealed). */
char *assay_report_seal (const AssayResults *results);
void assay_report_seal_json (const AssayResults *results, AssayJson *json);
char *assay_report_seal_of (const AssayResults *results, const char *id);

/* What is to be known of the data, a line each that begins with "warning: "; "": nothing. */
char *assay_report_remarks (const AssayResults *results);
/* What confined the programs of others, and what is to be known of the data: lines for people ("":
 * there are none), and members of run.json. */
char *assay_report_warnings (const AssayResults *results);
void assay_report_warnings_json (const AssayResults *results, AssayJson *json);
/* Failed cells, those with one message as one paragraph of two lines, which says how many there are
 * and with which settings; "" where all is well. */
char *assay_report_failures (const AssayResults *results);
/* What cells that ended well say: of releases, how attacks came to their guesses, and what has to
 * be known of figures; of several trials the first. */
typedef struct {
  GString *attacks;    /* or utilities, whose cells say the same: "map, classification" */
  const char *defense; /* borrowed from the results */
  char *message;       /* one line */
} AssayReportSaid;

GPtrArray *assay_report_said (const AssayResults *results); /* of AssayReportSaid */

/* A warning of each program that answered the same request in two ways, a line each, "" where none
 * did; and a member of run.json. */
char *assay_report_unrepeated (const AssayResults *results);
void assay_report_unrepeated_json (const AssayResults *results, AssayJson *json);

/* What got worse since a baseline, as the results tell it (free with assay_result_baseline_free),
 * in words for a terminal, and as baseline.json. */
AssayResultBaseline *assay_report_baseline_result (const AssayBaseline *baseline);
char *assay_report_baseline (const AssayBaseline *baseline);
char *assay_report_baseline_json (const AssayBaseline *baseline);
/* "2 of 9 comparisons with OLD got worse": the first words of every export. */
char *assay_report_baseline_sentence (const AssayResultBaseline *baseline);
/* "3.2 %" or "0.142". */
char *assay_report_value (const AssayResultMeasure *measure, double value);
