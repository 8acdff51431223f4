/* report.html: the report that people read. One file, of which nothing is anywhere else: style,
 * script and pictures stand in it, and its content-security policy lets it load nothing. */
#pragma once

#include "runner/compare/comparison.h"

/* @plots: of AssayPlot (plots.h), or NULL where none were made. The text is valid
 * UTF-8 and the same for the same results and plots. ASSAY_ERROR_IO, _MEMORY where a contact
 * sheet cannot be made. */
char *assay_report_html (const AssayResults *results, const GPtrArray *plots, GError **error);
/* comparison.html; @plots: those of its axes that have a utility, in their order. */
char *assay_compared_html (const AssayCompared *compared, const GPtrArray *plots);
