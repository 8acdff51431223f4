/* The rows of an audit that are images of a folder: JPEG and PNG files, whose sub-folders are their
 * classes (datasets/images/folder-images.h). */
#pragma once

#include "core/data/matrix.h"

/* What is asked of them. */
typedef struct {
  gsize size;               /* pixels of a side to which they are reduced; 0: they have one size */
  gsize channels;           /* 0: 1 where all images are grey, otherwise 3 */
  const GPtrArray *classes; /* that their sub-folders may be; NULL: any */
} CliAuditImageForm;

typedef struct {
  AssayMatrix *rows; /* numbers from 0 (black) to 1, the channels of a pixel together */
  gsize height, width, channels;
  gint64 *labels;     /* NULL: one sub-folder alone, or none */
  GPtrArray *classes; /* the names of sub-folders; NULL as above */
} CliAuditImages;

/* What was read is the caller's. ASSAY_ERROR_DATA names the folder or the file. */
gboolean cli_audit_images_read (const char *folder, const CliAuditImageForm *form,
                                CliAuditImages *ret_images, GError **error);
