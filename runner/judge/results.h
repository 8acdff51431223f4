/* What a run found, as plain data: the content of results.json and run.json, and no more. Reports
 * are functions of it (load.h makes it from a plan and its store). Names, labels and other words
 * live as long as the results and the plan that they were made of. */
#pragma once

#include "core/base/each.h"
#include "core/stats/epsilon.h"
#include "core/stats/estimate.h"
#include "runner/plan/plain.h"
#include "runner/store/attachments.h"

/* ---- What was run ---- */

typedef enum {
  ASSAY_RESULT_TEXT,
  ASSAY_RESULT_NUMBER,
  ASSAY_RESULT_BOOL,
} AssayResultType;

typedef struct {
  const char *name;
  const char *value; /* as a scenario would write it; exact for numbers */
  const char *unit;  /* NULL: none */
  AssayResultType type;
} AssayResultSetting;

typedef struct {
  gsize n;
  AssayResultSetting *all; /* defaults too, in the order of the plugin's table */
  const char *line;        /* "dimension=4 variant=hybrid": what identifies them; "": none */
} AssayResultSettings;

/* What a metric or utility measures. */
typedef struct {
  const char *name;
  const char *unit;
  const char *help;
  const char *direction; /* "higher leaks more", or of a utility "lower is more useful" */
  double low, high;      /* the range of possible values */
  gboolean higher_is_worse;
  gboolean is_leak;     /* of a utility that measures what somebody learns */
  gboolean is_headline; /* stands in the terminal's table */
  gboolean is_share;    /* 0 to 1, shown in per cent */
  gboolean is_epsilon;  /* a certified lower bound: nothing is known above it */
  gboolean is_reach;    /* a share of what the attack could have looked at */
  gboolean is_reference; /* what chance gives, or a guess without the release */
  gboolean tells_apart;  /* a share of secrets at which a guess points, among others */
} AssayResultMeasure;

/* A dataset, defense, attack, utility or metric with one choice of settings. */
typedef struct {
  guint index; /* among the components of its role */
  const char *label;
  const char *name; /* label and the settings that vary under it, for people; "" of a dataset alone
                     */
  const char *plugin;
  const AssayResultSettings *settings;
  const char *remark;       /* defenses: what has to be known of releases; NULL: nothing */
  const char *work, *place; /* where the method comes from; NULL: not said */
  const char *sha256;       /* datasets: of what was drawn from; NULL: it was not opened */
  const char *programs; /* of others: "SHA256 PATH" by line (manifest.h); NULL: none, not known */
  const char *const *grants; /* attacks: what they know beside the release; NULL ends */
  const char *knows;         /* the same in words, "" for nothing */
  gboolean has_control;      /* attacks: known to win a case that can be won */
  const char *tuned;         /* attacks: "neighbours=100;1000", or NULL */
  GPtrArray *candidates; /* tuned attacks: AssayResultComponent, one a choice; NULL: not tuned */
  guint candidate;       /* of a candidate its number among them */
  GPtrArray *measures;   /* const AssayResultMeasure; of attacks those that measure their game */
} AssayResultComponent;

/* ---- What was measured ---- */

typedef struct {
  const AssayResultMeasure *measure;
  const AssayResultComponent *metric; /* or utility */
  AssayInterval interval;
  double confidence;
} AssayMeasurement;

typedef enum {
  ASSAY_RESULT_OK,
  ASSAY_RESULT_CONTROL_FAILED,
  ASSAY_RESULT_ERROR,
} AssayResultStatus;

typedef struct {
  char *id;
  gint64 trial; /* -1: pooled over trials */
  AssayResultStatus status;
  char *message;            /* "" where there is nothing to say */
  gboolean is_only_missing; /* nothing went wrong, but trials were not run */
  double seconds;
  const AssayResultComponent *dataset;
  const AssayResultComponent *defense;
  const AssayResultComponent *attack_or_utility;
  gboolean is_utility;
  guint n_starts;    /* of an attack that draws numbers which all secrets share; 0: it does not */
  double confidence; /* of the attack in its guess, the least of all trials; NAN: it does not say */
  gboolean has_small_control; /* pooled, of a program's attack: it may have known its control */
  /* Pooled: what came of the control of the cell's own shape that was lost; n is 0: none was. */
  struct {
    gsize n;
    double share;
  } lost_shape;
  GArray *measurements;       /* AssayMeasurement */
  GPtrArray *omitted;         /* strings: "MEASURE is left out: WHY" */
  AssayAuditRecord *audit;    /* of a trial's game with the mechanism itself, or NULL */
  char *suspect;              /* why nothing can be concluded from it, in one trial; or NULL */
} AssayResultCell;

/* A cell that did not end well. */
typedef struct {
  const AssayResultComponent *defense;
  const AssayResultComponent *attack_or_utility;
  guint trial;
  AssayResultStatus status;
  const char *message; /* "" where there is nothing to say */
} AssayResultBad;

/* How many independent units the secrets of a dataset are (core/math/units.h). */
typedef struct {
  const AssayResultComponent *dataset;
  guint64 secrets;  /* of all trials */
  guint64 labelled; /* units that its labels say */
  guint64 equal;    /* secrets that repeat one before them */
  gboolean is_by_chance;
  guint64 near;     /* further ones that nearly do */
  guint64 units;    /* after copies were joined */
  guint64 clusters; /* 0: labels and data do not contradict each other */
  double effective;
  const char *says; /* what has to be known of it; NULL: nothing */
} AssayResultUnits;

/* What tuning tried for one attack against one defense. */
typedef struct {
  const AssayResultComponent *defense;
  const AssayResultComponent *attack; /* the chosen candidate */
  const char *measure;
  guint n_candidates;
  const GPtrArray *candidates; /* AssayResultComponent */
  double *estimates;
} AssayResultTuning;

typedef struct {
  const AssayResultComponent *attack;
  const AssayResultComponent *defense; /* beside whose cells it was played; NULL: beside none */
  const char *says;
  gboolean is_won;
  double share;
  double at_least;
  guint64 n;
} AssayResultControl;

/* ---- Claims ---- */

typedef enum {
  ASSAY_VERDICT_UPHELD,
  ASSAY_VERDICT_VIOLATED,
  ASSAY_VERDICT_UNREFUTED,
  ASSAY_VERDICT_INCONCLUSIVE,
} AssayVerdict;

/* One pooled cell that a claim is about: one hypothesis. */
typedef struct {
  const AssayResultCell *cell;
  double bound;           /* the claim's, or what this cell's defense claims */
  double delta;           /* that epsilon was audited at; 0 for other measures */
  AssayInterval interval; /* at the claim's confidence */
  double p_violated;      /* and after Holm's correction over the scenario's hypotheses: */
  double adjusted_violated;
  double p_upheld;
  double adjusted_upheld;
  const char *test;    /* what decided, or did not: "Gaffke's test"; of the claim's own numbers
                        * alone, otherwise NULL */
  double test_lower;   /* the bounds that it leaves at the claim's confidence over all hypotheses */
  double test_upper;   /* of the scenario together; -+INFINITY: it rejects none on that side */
  double detectable;   /* the smallest breach that this many secrets could have shown; of epsilon
                        * the largest that so many runs could have certified */
  double units_needed; /* in all, to decide at the present estimate; 0: no number would */
  double power;        /* of epsilon: to see a mechanism of epsilon power_at; NAN: not known */
  double power_at;
  gboolean is_power_measured; /* on an injected leak */
  char *why_not;              /* why it decides nothing, or NULL */
  gboolean lacks_evidence; /* the attack has no control, lost one of its shape, or looked at a
                            * part: that it recovered little decides nothing */
} AssayResultHypothesis;

/* The unit that shows a violation best. */
typedef struct {
  gboolean is_set;
  char *cell; /* id */
  gint64 trial;
  guint64 secret;          /* its number within the cell */
  double outcome;          /* of the secret; of an audit: its lower bound */
  AssayAuditRecord *audit; /* of the cell; NULL: the witness is a secret */
} AssayResultWitness;

/* Whom a verdict that little was recovered withstood. */
typedef struct {
  GPtrArray *tried;     /* of AssayResultComponent; NULL: another verdict, and nothing below */
  GPtrArray *games;     /* of each of them the game that it played: const char * */
  GPtrArray *not_tried; /* attacks that could have been: ids of those that the scenario does not
                         * have, and those of its own that their `where` keeps away */
  gboolean is_adaptive; /* one of them learned from runs of the defense itself */
  char *says;           /* all of it in one line */
} AssayResultAttackers;

typedef struct {
  const char *id;
  const char *says;   /* NULL: nothing */
  const char *source; /* NULL: not said */
  guint line;         /* of the scenario, where its group begins */
  const AssayResultMeasure *measure;
  const AssayResultComponent *metric; /* that measures it; NULL: a utility assesses it */
  gboolean is_of_utility;
  gboolean is_at_most; /* otherwise at least */
  double bound;        /* NAN: each defense claims its own */
  double confidence;
  AssayVerdict verdict;
  char *reason;
  char *note;         /* of an upheld claim: what the reason says beside its numbers; NULL: none */
  GArray *hypotheses; /* AssayResultHypothesis */
  gint decisive;      /* which of them the claim's own numbers come from; -1: none */
  AssayResultWitness witness;
  AssayResultAttackers attackers;
} AssayResultClaim;

/* ---- The audit of the audit ---- */

/* What the audit made of a mutant of the defense (runner/mutants/). */
typedef enum {
  ASSAY_MUTANT_SEEN,    /* a claim about it is violated */
  ASSAY_MUTANT_STOPPED, /* none is, but one that passes without the mistake passes no more */
  ASSAY_MUTANT_MISSED,
  ASSAY_MUTANT_ABSENT, /* the mistake cannot be made here; not counted */
  ASSAY_MUTANT_FAILED, /* it could not be played; not counted */
} AssayMutantVerdict;

typedef struct {
  char *family; /* "mechanism" or "release" */
  char *id;
  char *says;    /* what is wrong with it */
  char *seen_by; /* what would see it */
  AssayMutantVerdict verdict;
  char *claim;  /* whose verdict says so; NULL: none */
  char *reason; /* of that verdict, or why it is absent or failed; "": nothing to say */
} AssayResultMutant;

#define ASSAY_MUTANTS_FILE "mutants.json"
#define ASSAY_MUTANTS_PART_FILE "mutants.part.json" /* those of an unfinished play */
#define ASSAY_MUTANTS_FORMAT "assay-mutants/1"

typedef struct {
  GArray *all; /* AssayResultMutant, in the order of play */
  guint n_seen, n_counted;
  char *plan_sha256;   /* of the run that they are of */
  char *claims_sha256; /* and of its claims */
  char *data_sha256;   /* and of its datasets, with a blank between */
  char *version;       /* of the program that played them */
  char *note;          /* claims that decide nothing without a mistake, either; NULL: all do */
  gboolean is_stale;   /* of another plan, claims, data, or by another version */
} AssayResultMutants;

/* ---- An earlier run ---- */

/* What changed since the baseline, as it was found when the run ended (runner/compare/). */
typedef struct {
  char *folder; /* of the baseline, as it was named */
  guint n_compared;
  gboolean is_open; /* of something it cannot be said whether it got worse */
  GPtrArray *worse; /* strings: what got worse, a sentence each */
  GPtrArray *notes; /* strings: what was changed, and what is not compared */
} AssayResultBaseline;

/* ---- Contact sheets ---- */

/* One column of a contact sheet. */
typedef struct {
  AssayShownRole role;
  const AssayResultCell *cell; /* of an original the first of its dataset, of what was released the
                                * first of its defense */
  char *says;                  /* "recovered by nearest from lifting dimension=4" */
  GPtrArray *thumbnails;       /* of AssayThumbnail, one a row of the sheet; NULL: no picture */
  double *scores;              /* of what was recovered one a row, NAN: none; NULL: of none */
  gboolean *marks;             /* one a row: the sheet's mark stands there; NULL: nowhere */
} AssayResultColumn;

typedef struct {
  const char *name;
  GPtrArray *columns;                /* of AssayResultColumn; none: no cell had a picture */
  gsize n_rows;                      /* units 0 .. n_rows - 1 of trial 0 */
  const char *unit;                  /* "secret", or "picture" where several secrets make one */
  const AssayResultMeasure *measure; /* of the scores; NULL: there are none */
  const char *mark;                  /* what marks say ("shows another secret"); NULL: none */
} AssayResultContactSheet;

/* ---- All of it ---- */

typedef struct _AssayResultSource AssayResultSource; /* load.c: where single trials are read from */

typedef struct {
  const char *title;
  const char *reference;       /* NULL: none */
  const char *scenario;        /* its file */
  const char *scenario_sha256; /* of the file's text */
  const char *plan_sha256;     /* of everything that cells depend on */
  const char *claims_text;     /* what the claims said before the first cell; NULL: not sealed */
  const char *claims_sha256;   /* of that text */
  gboolean has_changed_claims; /* they were changed after cells had run */
  gboolean has_lost_claims;    /* to none, which nobody accepted */
  const char *confinement;     /* of programs of others, a line each; NULL: there were none */
  const char *modules;         /* files of plugins that were loaded, "SHA256 PATH" each, or NULL */
  const char *remarks;         /* what is to be known of the data, likewise */
  const char *unrepeated;      /* labels of defenses whose programs answered the same request in two
                                * ways (runner/run/replay.h), a line each; NULL: none did */
  guint64 serial;              /* which run of its folder it is, from 1 on */
  gboolean is_changed;         /* by --set: the scenario's file alone does not make this run */
  guint64 seed;
  guint64 trials;
  guint64 secrets;       /* a cell; 0: whole groups are drawn */
  guint64 secret_groups; /* a cell; 0: secrets are drawn one by one */
  guint64 tune_secrets;  /* set apart for tuning */
  char *size;            /* " of 200 secrets", " of 7 groups of secrets": what a trial takes */
  double confidence;
  gsize n_planned;     /* cells of the plan */
  gsize n_cells;       /* that were run */
  gsize n_missing;     /* that were not */
  GPtrArray *datasets; /* AssayResultComponent, as the four below */
  GPtrArray *defenses;
  GPtrArray *attacks;
  GPtrArray *utilities;
  GPtrArray *metrics;
  GArray *skipped;             /* AssaySkip */
  GArray *plugins;             /* AssayLoaded */
  GArray *bad;                 /* AssayResultBad, in the order of the plan */
  GPtrArray *pooled;           /* AssayResultCell, in the order of the plan */
  GPtrArray *shown;            /* AssayResultCell: those of the sheets */
  GArray *tunings;             /* AssayResultTuning */
  GArray *controls;            /* AssayResultControl */
  GArray *units;               /* AssayResultUnits, of the datasets where they were looked at */
  GPtrArray *claims;           /* AssayResultClaim */
  GPtrArray *sheets;           /* AssayResultContactSheet, in the order of the scenario */
  const char *blas, *sqlite;   /* versions, for run.json; of what the cells were made with */
  GStringChunk *words;         /* what names and messages above were made into */
  GPtrArray *settings;         /* AssayResultSettings of the components */
  GHashTable *measures;        /* AssayResultMeasure of the components, by the metric's own entry */
  AssayResultMutants *mutants; /* NULL: none were played */
  AssayResultBaseline *baseline; /* NULL: the run was not compared with one */
  char *replay_with; /* " --out DIR": options that a witness is seen again with, for who is told at
                      * the terminal; NULL: none, or not known */
  AssayResultSource *source;
} AssayResults;

/* Empty ones, to be filled. */
AssayResults *assay_results_new (void);
AssayResultClaim *assay_result_claim_new (void);
GPtrArray *assay_result_components_new (void);

ASSAY_DECLARE_FREE (AssayResults, assay_results_free)
ASSAY_DECLARE_FREE (AssayResultCell, assay_result_cell_free)

/* Single trials may be a hundred thousand: they stay in the store. Calls @use with each that was
 * run, in the order of the plan, until it returns FALSE with an error; @is_measured: with
 * measurements and audit, which take longest. The cell is gone after the call. */
typedef gboolean (*AssayResultUse) (const AssayResultCell *cell, gpointer data, GError **error);
gboolean assay_results_each_cell (const AssayResults *results, gboolean is_measured,
                                  AssayResultUse use, gpointer data, GError **error);

/* A value of @measure with four digits, for sentences: "34.3 %" of a share. */
char *assay_result_value (const AssayResultMeasure *measure, double value);
/* "0.4 to 0.6", of a share "40 to 60 %". */
char *assay_result_range (const AssayResultMeasure *measure, double lower, double upper);
/* "0.5 [0.4, 0.6]", of a share "50 % [40, 60]". */
char *assay_result_interval (const AssayResultMeasure *measure, const AssayInterval *interval);
const char *assay_verdict_name (AssayVerdict verdict);
/* "seen", "stopped", "missed", "does not apply", "failed" */
const char *assay_mutant_verdict_name (AssayMutantVerdict verdict);
void assay_result_mutant_clear (gpointer mutant);
ASSAY_DECLARE_FREE (AssayResultMutants, assay_result_mutants_free)
/* Nothing compared yet with what is in @folder (copied; NULL: to be filled). */
AssayResultBaseline *assay_result_baseline_new (const char *folder);
ASSAY_DECLARE_FREE (AssayResultBaseline, assay_result_baseline_free)
const char *assay_result_status_name (AssayResultStatus status);
/* The units of @dataset; NULL: they were not looked at. */
const AssayResultUnits *assay_result_units (const AssayResults *results,
                                            const AssayResultComponent *dataset);
/* The hypothesis that decided the claim, or NULL. */
const AssayResultHypothesis *assay_result_decisive (const AssayResultClaim *claim);
/* Its bound; without one the claim's own. */
double assay_result_claim_bound (const AssayResultClaim *claim);
guint assay_results_count (const AssayResults *results, AssayVerdict verdict);

static inline const AssayResultComponent *
assay_result_component (const GPtrArray *components, guint index)
{
  return (const AssayResultComponent *) g_ptr_array_index (components, index);
}

static inline const AssayMeasurement *
assay_result_measurement (const AssayResultCell *cell, guint index)
{
  return &g_array_index (cell->measurements, AssayMeasurement, index);
}

/* Whether something went wrong in it, so that it has no number: not where it was not run. */
static inline gboolean
assay_result_failed (const AssayResultCell *cell)
{
  return cell->status == ASSAY_RESULT_ERROR && !cell->is_only_missing;
}

/* What @settings (NULL: none) have at @name; NULL: nothing. */
const char *assay_result_setting (const AssayResultSettings *settings, const char *name);
/* That of @measure by @metric (NULL: by any), or NULL. Of several runs, @metric is that of the
 * cell's own. */
const AssayMeasurement *assay_result_find_by (const AssayResultCell *cell,
                                              const AssayResultMeasure *measure,
                                              const AssayResultComponent *metric);
/* Of an attack that looked at a part only of what it was given, the measurement that says so (a
 * reach below 1); NULL: none does. */
const AssayMeasurement *assay_result_short_reach (const AssayResultCell *cell);
/* Whether its attack has no control to win (an external guess), or one that a program
 * may have known: what it did not recover shows nothing. */
gboolean assay_result_lacks_control (const AssayResultCell *cell);
