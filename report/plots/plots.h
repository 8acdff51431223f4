/* Plots: the curves of results, drawn by gnuplot. Beside each picture stand what it is drawn from
 * (NAME.csv) and how (NAME.gp), so that an author restyles it: "gnuplot NAME.gp" draws it anew. */
#pragma once

#include "report/plots/curves.h"

/* More than this nobody looks at. */
#define ASSAY_MAX_PLOTS 30

typedef struct {
  gboolean has_pdf; /* beside the SVG */
  gboolean has_png;
  const char *gnuplot; /* the program; NULL: gnuplot, wherever PATH has it */
} AssayPlotOptions;

typedef struct {
  char *name;        /* of its files: NAME.svg, NAME.csv, NAME.gp */
  char *title;       /* as scenarios have it: nothing is escaped */
  char *note;        /* how to read it; not escaped either */
  char *svg;         /* one <svg> element without scripts and references to other files, black as
                * currentColor and ids that begin with NAME; NULL: it is not drawn */
  char *why_not;     /* why not, or why one of the other forms is not there; NULL: all are */
  AssayCurve *curve; /* NULL: the entry stands for plots that were left out */
} AssayPlot;

/* Takes curves (of AssayCurve), writes their plots into @folder/plots and lists them (of
 * AssayPlot, which the list frees). @options NULL: SVG alone. Without gnuplot, or where it fails,
 * data and scripts are written all the same, and `why_not` tells. Of more plots than
 * ASSAY_MAX_PLOTS the rest is left out, and one entry without a curve says so in `why_not`.
 * Without curves there are no plots and no folder. The same curves give the same bytes of SVG,
 * CSV and script. ASSAY_ERROR_IO. */
GPtrArray *assay_plots_write (GPtrArray *taken, const char *folder,
                                const AssayPlotOptions *options, GError **error);

/* Of the list "pdf,png". ASSAY_ERROR_SCENARIO naming the form that there is not. */
gboolean assay_plot_options_parse (const char *list, AssayPlotOptions *inout_options,
                                     GError **error);
