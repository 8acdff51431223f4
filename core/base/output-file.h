/* A file that is written piece by piece and is there whole or not at all: a temporary file beside
 * it, then renamed. */
#pragma once

#include "core/base/free.h"

typedef struct _AssayOutputFile AssayOutputFile;

/* ASSAY_ERROR_DATA where something stands at @path that is not to be replaced: a file unless
 * @may_replace, and in any case a folder, device or pipe. */
gboolean assay_output_file_check_target (const char *path, gboolean may_replace, GError **error);

/* Begins @path, gzip-compressed if @is_gzip. Errors as above, and ASSAY_ERROR_IO. */
AssayOutputFile *assay_output_file_new (const char *path, gboolean is_gzip, gboolean may_replace,
                                        GError **error);
/* The same without looking at what stands there. */
AssayOutputFile *assay_output_file_begin (const char *path, gboolean is_gzip, gboolean may_replace,
                                          GError **error);
/* ASSAY_ERROR_IO, naming the path; what was written so far goes with assay_output_file_free. */
gboolean assay_output_file_write (AssayOutputFile *file, gconstpointer data, gsize length,
                                  GError **error);
/* Everything on disk, under the temporary name: where several files belong together, none is put
 * in its place before all of them are. ASSAY_ERROR_IO. */
gboolean assay_output_file_seal (AssayOutputFile *file, GError **error);
/* Seals the file, if it is not, and puts it in its place. A file that has appeared there in the
 * meantime is ASSAY_ERROR_DATA, unless it may be replaced. */
gboolean assay_output_file_finish (AssayOutputFile *file, GError **error);
/* Without assay_output_file_finish nothing is left behind. */
ASSAY_DECLARE_FREE (AssayOutputFile, assay_output_file_free)

/* Makes the folder @path, and those that it stands in, unless it is there. Who handed over the
 * folder around it may have put a link in its place, and all that is written into it would lie
 * where that leads: refused. ASSAY_ERROR_IO. */
gboolean assay_output_folder_make (const char *path, GError **error);
