/* Homographies in text files, as pairs of photographs of a plane come with them. */
#pragma once

#include <glib.h>

/* Reads a 3 x 3 matrix: three lines of three numbers, with blanks or tabs between them; empty lines
 * are passed over, lines may end in CRLF. ASSAY_ERROR_DATA names the file: it is missing, larger
 * than 64 KiB or no UTF-8 text; another number of lines or of numbers in a line, what is no finite
 * number, a singular matrix. */
gboolean assay_homography_read (const char *file, double ret_h[9], GError **error);
