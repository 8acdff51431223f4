/* What the benchmarks share: options, the clock and the processor's time, memory, plugins by name,
 * and a report that is a Markdown table, or JSON for bench/run.
 *
 * Every report is a list of cases; a case has a name and named values. A value is a time (several
 * runs), a number, an interval or a text:
 *
 *   { "bench", "about", "compiler", "threads", "blas", "seed", "runs", "is_quick",
 *     "cases": [ { "name", "values": { "scan s": { "minimum", "median", "cpu" }, "GFLOP/s": 1.5,
 *                                      "rank": { "estimate", "lower", "upper" } } } ] } */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "core/base/json.h"
#include "core/plugin/registry.h"

#define MEASURE_MOST_RUNS 1000

typedef struct {
  const char *bench; /* its name */
  int runs;
  int threads;       /* 0: one per processor */
  gboolean is_quick; /* small sizes, to see that it works */
  gboolean is_json;
  char *python; /* NULL: no comparison with a script */
  char *script; /* what python runs */
} MeasureOptions;

/* Parses what all benchmarks take, and @own (may be NULL) entries; ends the program where something
 * is wrong. @runs is the default. */
MeasureOptions measure_options (const char *bench, int runs, const GOptionEntry *own, int argc,
                                char **argv);
void measure_options_clear (MeasureOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MeasureOptions, measure_options_clear)

/* Ends the program with a message; @error may be NULL. */
void measure_stop (const char *where, const GError *error) G_GNUC_NORETURN;

/* ---- Time ---- */

typedef struct {
  double clock; /* seconds */
  double cpu;   /* of all threads of this process */
} Moment;

typedef struct {
  guint n;
  double clock[MEASURE_MOST_RUNS];
  double cpu[MEASURE_MOST_RUNS];
} Samples;

typedef struct {
  double minimum; /* seconds by the clock, as is the next */
  double median;
  double cpu; /* the least; NAN: not known */
} Times;

Moment measure_moment (void);
double measure_seconds_since (Moment start);
void measure_add (Samples *samples, Moment start);
/* Seconds that another process took; those of the processor NAN where they are not known. */
void measure_add_seconds (Samples *samples, double clock, double cpu);
Times measure_times (const Samples *samples);
/* Of a single run. */
Times measure_once (Moment start);

/* ---- Memory, files, other programs, plugins ---- */

/* Bytes in a line of /proc/self/status, such as "VmHWM:"; 0: not there. */
gint64 measure_status (const char *name);
/* Sets VmHWM, the peak, back to what is held now. */
void measure_reset_peak (void);

/* A temporary folder of plain files, which goes with them at the end of the scope. */
typedef char *MeasureFolder;
MeasureFolder measure_folder_new (void);
void measure_folder_remove (MeasureFolder folder);
G_DEFINE_AUTO_CLEANUP_FREE_FUNC (MeasureFolder, measure_folder_remove, NULL)

/* What the script of @options prints when it gets @arguments (NULL-terminated); NULL: there is no
 * Python, or it failed. */
char *measure_ask_python (const MeasureOptions *options, const char *const *arguments);

/* The script of @options at work beside the benchmark, so that both take turns: a line tells it to
 * go, and it answers with numbers. */
typedef struct {
  const char *name;
  FILE *to;
  FILE *from; /* NULL: there is no Python, or it has not what the script needs */
} MeasureScript;

/* Starts it with @arguments and waits until it is ready, which it says by a 0; any other number:
 * it cannot, and has said why. */
MeasureScript measure_script_start (const MeasureOptions *options, const char *const *arguments);
void measure_script_go (MeasureScript *script);
/* The next number from it; without one the program ends. */
double measure_script_number (MeasureScript *script);
/* It gets no more lines, and has its last numbers to say; then it is cleared. */
void measure_script_finish (MeasureScript *script);
void measure_script_clear (MeasureScript *script);

const AssayPlugin *measure_plugin (AssayPluginType type, const char *id);
/* @assignments like "k=4 mask=no"; what they do not name has its default. */
AssaySettings *measure_settings (const AssayPlugin *plugin, const char *assignments);

/* ---- Reports ---- */

typedef struct {
  const MeasureOptions *options;
  AssayJson *json; /* NULL: tables */
  GString *head;   /* of a table whose first row is being made; NULL: printed already */
  GString *row;    /* NULL: none yet */
} Report;

/* @about is what is measured, in a line. */
Report *report_new (const MeasureOptions *options, guint64 seed, const char *about);
void report_free (Report *report); /* prints what is left of it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Report, report_free)

/* The next cases have other columns than those before. */
void report_next_table (Report *report);
void report_case (Report *report, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Values of the case, in the order of the columns, the same for all cases of a table. */
void report_times (Report *report, const char *column, Times times);
void report_number (Report *report, const char *column, double value, int digits); /* NAN: none */
void report_interval (Report *report, const char *column, double estimate, double lower,
                      double upper, int digits);
void report_text (Report *report, const char *column, const char *text);
