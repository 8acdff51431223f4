/* The SVG that gnuplot writes, made fit to stand in a page. */
#pragma once

#include <glib.h>

/* @raw without prolog, filters and empty groups; its titles replaced by @title; ids and what names
 * them begin with @name, so that several may stand in one page; black is currentColor, so that a
 * dark page may turn it. The text that is shown is left as it is. NULL: it is not an <svg>. */
char *assay_figure_clean_svg (const char *raw, const char *name, const char *title);
