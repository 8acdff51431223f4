/* Figures as pages of HTML may hold them. */
#pragma once

#include <glib.h>

/* Whether @svg can stand in a page as it is: one <svg> element, well-formed, of elements that draw;
 * no script, no handler of events, no style (the page's policy would stop it), nothing from
 * elsewhere, and nothing that HTML would read otherwise than XML does. ASSAY_ERROR_DATA naming what
 * was found. */
gboolean assay_html_check_svg (const char *svg, GError **error);
