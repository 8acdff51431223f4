/* Rows of roles from the photographs of a set: how many of its descriptors a photograph gives, and
 * which. */
#pragma once

#include "datasets/photographs/photo-set.h"
#include "datasets/photographs/picture-rows.h"

/* A photograph gives at most one row for so many of its pixels, so that a probe can say how many
 * there are at most. Photographs have one in 50 or fewer; gratings can have one in 5. */
#define ASSAY_PHOTO_PIXELS_PER_ROW 16

typedef struct {
  AssayPhotoSet *set;  /* with its features */
  gsize limit;         /* rows of a photograph at most; 0: no other limit than that above */
  AssayStreamKey key;
  GChecksum *checksum; /* takes up all that is joined */
} AssayPhotoRows;

/* The rows of @role, in the order of the set; at least one (ASSAY_ERROR_DATA). A photograph with
 * more descriptors than its limit gives as many, drawn without replacement from a stream of its own
 * that the picture names: other photographs do not change them. With @ret_data also frames and
 * photographs, which are loaded; with @ret_numbers the number of its photograph (those that cannot
 * be used are not counted) for each row. */
gboolean assay_photo_rows_join (const AssayPhotoRows *from, guint role, AssayRows **ret_rows,
                                AssayRoleData *ret_data, gint64 **ret_numbers, GError **error);

/* How many rows the photographs of @role give at most. What describing and joining them holds is
 * added to @memory; they are to be kept where @is_kept. */
gsize assay_photo_rows_probe (const AssayPhotoSet *set, guint role, gsize limit, gboolean is_kept,
                              guint64 *memory);
