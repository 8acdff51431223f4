/* Files of a report: each is there whole, or as it was before. */
#pragma once

#include <stdio.h>

#include <glib.h>

/* Writes what @data stands for. FALSE with @error, or with errno alone. */
typedef gboolean (*AssayReportFill) (FILE *file, gconstpointer data, GError **error);

/* Writes @folder/@file: beside its place under a name of its own, then moved there. A kill leaves
 * the old file or the new one, and what it leaves beside them is written over on resume; so does a
 * power cut, since it is forced to the disk before it is moved. ASSAY_ERROR_IO. */
gboolean assay_report_write_file (const char *folder, const char *file, AssayReportFill fill,
                                  gconstpointer data, GError **error);
gboolean assay_report_write_bytes (const char *folder, const char *file, GBytes *bytes,
                                   GError **error);
/* The same of a text, which it frees. */
gboolean assay_report_write_text (const char *folder, const char *file, char *taken,
                                  GError **error);
