/* What was seen of a run while parts of it were played, and what follows for the whole. */
#pragma once

#include "runner/foretell/foretold.h"
#include "runner/foretell/growth.h"
#include "runner/plan/plan.h"

/* How long something takes: of processors, and by the clock on the wall. The former, with all
 * threads and with programs that ended, hardly depends on what else the machine does. */
typedef struct {
  double work, wall; /* seconds */
} AssayInstant;

AssayInstant assay_instant_now (void);
AssayInstant assay_instant_since (AssayInstant start);

/* Attacks may compare secrets with each other. Runs of an audit do not know of each other, and
 * intervals are of so many draws of all secrets. */
#define ASSAY_STEEPEST 2.0
#define ASSAY_STEEPEST_AUDIT 1.0
#define ASSAY_STEEPEST_RESULTS 1.0

/* What was played of one kind of cell, each an array of AssayPlayed, in seconds of processors. */
typedef struct {
  GArray *first; /* in the first trial */
  GArray *later; /* in the second */
  double steepest;
} AssaySeenKind;

typedef struct {
  const AssayPlan *plan;
  GArray *kinds;        /* AssaySeenKind, one for each cell of the first trial */
  GArray *judged;       /* AssayPlayed: results of the parts, of all trials; of processors */
  GArray *whole;        /* AssayPlayed: parts that ended, by the wall */
  AssayInstant spent;   /* on all cells */
  AssayInstant opening; /* what opening the data took */
} AssaySeen;

AssaySeen *assay_seen_new (const AssayPlan *plan);
void assay_seen_free (AssaySeen *seen);

/* How long by the wall a second of processors takes. */
double assay_seen_pace (const AssaySeen *seen);
/* Seconds of @share, by an array of AssayPlayed. */
double assay_seen_carry_on (const GArray *played, double share, double steepest);
/* Of the run, but for the time that playing took. */
void assay_seen_add_up (const AssaySeen *seen, AssayForetold *foretold);
