/* Images of a folder: its sub-folders are classes, in the order of their names, or it holds the
 * images itself and there are none. Files are JPEG or PNG, by their names; others, and names that
 * begin with a dot, are passed over. */
#pragma once

#include "datasets/images/images.h"

typedef struct {
  char *path;           /* of the folder */
  gboolean has_classes; /* it has sub-folders */
  GPtrArray *classes;   /* their names, where they are not given */
  GPtrArray *files;     /* paths, class by class and then by name, bytewise */
  GArray *labels;       /* gint64, of each file; of no classes all 0 */
} AssayImageFolder;

/* ASSAY_ERROR_DATA names the folder: it is missing or unreadable, has no images, or images beside
 * sub-folders that have some. @classes: names that its sub-folders may have, which number them;
 * NULL: any. */
AssayImageFolder *assay_image_folder_find (const char *name, const char *const *folders,
                                           const GPtrArray *classes, GError **error);
ASSAY_DECLARE_FREE (AssayImageFolder, assay_image_folder_free)

typedef struct {
  gsize size;     /* pixels of a side, to which the square in the middle is reduced; 0: images stay
                   * as they are, and have one size */
  gsize channels; /* 1: grey, 3: colour */
} AssayImageForm;

/* What is known by the headers of the files, and all of them. ASSAY_ERROR_DATA names the file that
 * cannot be read, or is smaller than, or of another size than, what is expected. */
AssayImages *assay_image_folder_probe (const AssayImageFolder *folder, const AssayImageForm *form,
                                       GError **error);
AssayImages *assay_image_folder_read (const AssayImageFolder *folder, const AssayImageForm *form,
                                      GError **error);
