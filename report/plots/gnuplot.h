/* gnuplot: what it draws a curve from, the program, and what becomes of its pictures. */
#pragma once

#include "report/plots/curves.h"

/* A table (RFC 4180), one row a point, lines below each other: numbers first, and exact; those that
 * are not known are empty. */
char *assay_plot_csv (const AssayCurve *curve);

/* The script that draws @curve->name.csv to @curve->name.svg, or with form='pdf' or 'png' to those.
 * No text of a scenario can end the string that it stands in. */
char *assay_plot_script (const AssayCurve *curve);

/* An expression of gnuplot whose value is @text as it is: control characters and those that turn
 * the direction of writing are blanks; shortened to @most characters. */
char *assay_plot_quote (const char *text, gsize most);

/* What "PROGRAM -d -e form='FORM';to_stdout=1 SCRIPT" prints in @folder, without a shell and
 * without the settings of the user. Not more than a minute. ASSAY_ERROR_IO with what it said.
 *
 * It writes no file: a disk that is full is then met by who writes what it drew, and a gnuplot that
 * outlives a killed Assay for a moment does not write into the folder of the next one. */
GBytes *assay_gnuplot_run (const char *program, const char *folder, const char *script,
                           const char *form, GError **error);

/* @raw without prolog, filters and empty groups; its titles replaced by @title; ids and what names
 * them begin with @name, so that several may stand in one page; black is currentColor, so that a
 * dark page may turn it. The text that is shown is left as it is. NULL: it is not an <svg>. */
char *assay_plot_clean_svg (const char *raw, const char *name, const char *title);

/* @svg, which is clean, with the words of each of @curve's points where its script says that a
 * pointer shows them: names and numbers, with their intervals. */
char *assay_plot_hover (const char *svg, const AssayCurve *curve);
