/* Curves of results: what plots and comparisons draw. A curve is numbers and words alone; nothing
 * in it depends on how it is drawn.
 *
 * A trade-off sets a measure of privacy against a measure of utility: one line a defense, along the
 * setting that is swept. Where several attacks play against a defense, the one that leaks most
 * there stands for all. A sweep sets one measure against one swept setting: one line for everything
 * else that differs. */
#pragma once

#include "runner/judge/results.h"

typedef enum {
  ASSAY_CURVE_TRADE_OFF,
  ASSAY_CURVE_SWEEP,
} AssayCurveKind;

typedef struct {
  char *name;      /* "recovery-rate tau=0.3", "dimension" */
  char *unit;      /* "share of secrets"; "" */
  char *direction; /* "lower is more private", "higher is more useful"; "" of a setting */
  const AssayResultMeasure *measure; /* NULL: the axis is of a setting */
  gboolean is_share;           /* 0 to 1, said in per cent */
  gboolean is_log;
} AssayCurveAxis;

/* A value that is not known, or a bound that is none, is NAN. */
typedef struct {
  double value;
  double lower;
  double upper;
  const AssayResultCell *cell; /* it was measured in; NULL: a setting */
  const AssayMeasurement *measurement;
} AssayCurveValue;

typedef struct {
  AssayCurveValue x;
  AssayCurveValue y;
  double setting;       /* along the line; NAN: nothing is swept */
  gboolean is_optimal;  /* of a trade-off, by point estimates */
  gboolean is_doubtful; /* a control failed, or a trial ended in an error */
} AssayCurvePoint;

typedef struct {
  char *name;
  char *swept;    /* setting along it; NULL: none */
  GArray *points; /* AssayCurvePoint, by setting */
} AssayCurveLine;

/* What a claim says of one of the axes. */
typedef struct {
  char *claim; /* its id */
  gboolean is_x;
  gboolean is_at_most; /* otherwise at least */
  double level;        /* the bound; NAN: it differs from point to point */
  GArray *points;      /* then AssayCurvePoint: where the bounds of the points stand, by setting;
                        * NULL: it does not */
} AssayCurveBound;

typedef struct {
  AssayCurveKind kind;
  char *name;    /* kebab-case, one of a kind in its list */
  char *title;   /* as scenarios have it: nothing is escaped */
  char *dataset; /* name of the dataset's settings where the scenario has several; NULL: it has not,
                  * or they are lines */
  AssayCurveAxis x;
  AssayCurveAxis y;
  GPtrArray *lines;       /* AssayCurveLine */
  GPtrArray *bounds;      /* AssayCurveBound, of the claims about its points; NULL: none */
  gboolean has_most_only; /* of the attacks at each point the one that leaks most */
  gboolean is_unfinished; /* cells of the run are missing */
} AssayCurve;

/* More lines than this cannot be told apart. */
#define ASSAY_CURVE_MAX_LINES 20

/* All curves of the headline measures, trade-offs first, in the order of the scenario; each has two
 * points at least. Curves and lines borrow from @results. */
GPtrArray *assay_curves_new (const AssayResults *results);
void assay_curve_free (AssayCurve *curve);
void assay_curve_line_free (AssayCurveLine *line);
void assay_curve_bound_free (AssayCurveBound *bound);

/* What the curve shows and how to read it, in a sentence or two. */
char *assay_curve_note (const AssayCurve *curve);

/* Marks the points of a trade-off that no other point is at least as good as in both measures and
 * better in one. By point estimates; equal points are marked alike, and unknown values are not. */
void assay_curve_mark_optimal (AssayCurve *curve);

/* Whether @values (@n, in any order) are rather spaced by factors than by differences. */
gboolean assay_curve_is_geometric (const double *values, gsize n);
