/* What gnuplot draws a curve from. */
#pragma once

#include "report/plots/curves.h"

/* A table (RFC 4180), one row a point, lines below each other: numbers first, and exact; those that
 * are not known are empty. */
char *assay_figure_csv (const AssayCurve *curve);

/* The script that draws @curve->name.csv to @curve->name.svg, or with form='pdf' or 'png' to those.
 * No text of a scenario can end the string that it stands in. */
char *assay_figure_script (const AssayCurve *curve);

/* An expression of gnuplot whose value is @text as it is: control characters and those that turn
 * the direction of writing are blanks; shortened to @most characters. */
char *assay_figure_quote (const char *text, gsize most);
