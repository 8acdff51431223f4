/* gnuplot, as another process. */
#pragma once

#include <glib.h>

/* What "PROGRAM -d -e form='FORM';to_stdout=1 SCRIPT" prints in @folder, without a shell and
 * without the settings of the user. Not more than a minute. ASSAY_ERROR_IO with what it said.
 *
 * It writes no file: a disk that is full is then met by who writes what it drew, and a gnuplot that
 * outlives a killed Assay for a moment does not write into the folder of the next one. */
GBytes *assay_gnuplot_run (const char *program, const char *folder, const char *script,
                           const char *form, GError **error);
