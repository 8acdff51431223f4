/* The points of a comparison as a drawing. */
#pragma once

#include "runner/judge/comparison.h"

G_BEGIN_DECLS

/* An SVG element: privacy from left to right, utility upwards, a shape and a colour for each run,
 * intervals as bars. Everything that it shows stands in the table of the axis too. */
void assay_compare_plot (GString *html, const AssayCompared *compared,
                         const AssayCompareAxis *axis);

G_END_DECLS
