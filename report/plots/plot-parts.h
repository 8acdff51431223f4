/* Parts of the script that draws a curve (plot-script.c). */
#pragma once

#include "report/plots/curves.h"

/* What an axis shows, as it is drawn: shares in per cent. */
typedef struct {
  double low;
  double high;
  gboolean is_log;
  gboolean is_log2; /* of powers of two */
  double factor;    /* of the drawn to the value */
} AssayPlotRange;

/* Exact, as gnuplot reads it. */
void assay_plot_append_number (GString *gp, double value);

/* Lines that are drawn. */
guint assay_plot_n_lines (const AssayCurve *curve);

/* All values with their bounds, claims where they do not crowd the values together, and a margin.
 * Finite, and low < high, whatever is known: without any value 0 to 1, or 1 to 10. */
AssayPlotRange assay_plot_range (const AssayCurve *curve, gboolean is_x);

/* Where @value stands along the axis, 0 to 1. */
double assay_plot_place (const AssayPlotRange *range, double value);

/* Appends what stands before the list of plots: data and vertical lines of @curve's bounds. */
void assay_plot_append_bound_data (GString *gp, const AssayCurve *curve,
                                     const AssayPlotRange *x, const AssayPlotRange *y);
/* Appends what draws @curve's bounds to a list of plots, each with ", \" before it. */
void assay_plot_append_bounds (GString *gp, const AssayCurve *curve, const AssayPlotRange *x,
                                 const AssayPlotRange *y);

/* "claim most-stay-hidden: at most 50 %": the key's line of @bound, which is free of what stands
 * in the scenario but for the id. */
char *assay_plot_bound_title (const AssayCurve *curve, const AssayCurveBound *bound,
                                const AssayPlotRange *range);

/* Appends what a pointer meets at each point (assay_plot_hover), of @n_rows rows of data. */
void assay_plot_append_hover (GString *gp, const AssayCurve *curve, guint n_rows,
                              const AssayPlotRange *x);
