/* gnuplot, as another process. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Runs "PROGRAM -d -e form='FORM' SCRIPT" in @folder, without a shell and without the settings of
 * the user. Not more than a minute. ASSAY_ERROR_IO with what it said. */
gboolean assay_gnuplot_run (const char *program, const char *folder, const char *script,
                            const char *form, GError **error);

G_END_DECLS
