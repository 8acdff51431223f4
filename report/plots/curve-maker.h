/* How curves are made of results: what trade-offs and sweeps share. */
#pragma once

#include "report/plots/curve-names.h"
#include "report/plots/curves.h"

/* Whose settings vary, and are swept. */
typedef enum {
  ASSAY_CURVE_OVER_DEFENSE,
  ASSAY_CURVE_OVER_ATTACK,
  ASSAY_CURVE_OVER_UTILITY,
  ASSAY_CURVE_OVER_DATASET,
  ASSAY_CURVE_N_OVER
} AssayCurveRole;

/* A scenario, and what of it varies. */
typedef struct {
  const AssayResults *results;
  const GPtrArray *components[ASSAY_CURVE_N_OVER]; /* AssayResultComponent, of each role */
  GPtrArray *varied[ASSAY_CURVE_N_OVER];           /* AssayVaried, one a component */
  GPtrArray *curves;
  GHashTable *slugs; /* taken names */
} AssayCurveMaker;

/* One headline measure of one metric or utility. */
typedef struct {
  const AssayResultComponent *component;
  const AssayResultMeasure *measure;
  guint end; /* of a utility: after the last of its components; in sweeps these are all of its
              * label. 0: it is a metric */
} AssayCurveMeasured;

/* A headline measure of @cell, or NULL. */
const AssayMeasurement *assay_curve_measurement (const AssayResultCell *cell,
                                                 const AssayCurveMeasured *measured);
AssayCurveValue assay_curve_value (const AssayResultCell *cell,
                                   const AssayMeasurement *measurement);
gboolean assay_curve_leaks_more (const AssayResultMeasure *measure, double value, double than);

AssayCurveAxis assay_curve_axis (const AssayCurveMeasured *measured);
AssayCurve *assay_curve_new (const AssayCurveMaker *maker, AssayCurveKind kind);
/* The line of @curve called @name; a new one where @by_name has none. */
AssayCurveLine *assay_curve_line (AssayCurve *curve, GHashTable *by_name, const char *name,
                                  const char *swept);
/* The bounds of the claims that are about points of @curve. */
void assay_curve_add_claims (AssayCurve *curve, const AssayResults *results);
/* Takes @curve: keeps it if there is anything to see. */
void assay_curve_finish (AssayCurveMaker *maker, AssayCurve *curve, const char *name);

/* The trade-offs of a measure of privacy with each of @utilities (AssayCurveMeasured). */
void assay_curve_add_trade_offs (AssayCurveMaker *maker, const AssayCurveMeasured *privacy,
                                 const GArray *utilities);
/* Those of the games member and link, where they are played (curve-rates.c). */
void assay_curve_add_rates (AssayCurveMaker *maker);
/* A sweep of every setting of @role that is swept, once under its name. */
void assay_curve_add_sweeps (AssayCurveMaker *maker, const AssayCurveMeasured *measured,
                             AssayCurveRole role);
/* Of each metric with three or more values of a setting a sweep of that with most
 * (curve-metrics.c). */
void assay_curve_add_metric_sweeps (AssayCurveMaker *maker);
