/* Rows of roles from the photographs of a set: how many of its descriptors a photograph gives, and
 * which. */
#pragma once

#include "core/plugin/plugin.h"
#include "datasets/photographs/photo-set.h"
#include "datasets/photographs/picture-rows.h"

/* A photograph gives at most one row for so many of its pixels, so that a probe can say how many
 * there are at most. Photographs have one in 50 or fewer; gratings can have one in 5. */
#define ASSAY_PHOTO_PIXELS_PER_ROW 16

typedef struct {
  AssayPhotoSet *set;
  gsize limit;         /* rows of a photograph at most; 0: no other limit than that above */
  AssayStreamKey key;
  GChecksum *checksum; /* takes up all that is joined */
} AssayPhotoRows;

/* Where the rows of a role belong, and its frames and photographs (NULL: they are not loaded). */
typedef struct {
  AssayRows **rows;
  AssayRoleData *data;
} AssayPhotoPlace;

/* Describes the photographs and joins the rows of each role that has any, in the order of the set;
 * at least one a role (ASSAY_ERROR_DATA). Those of the first role are grouped by photograph. A
 * photograph with more descriptors than its limit gives as many, drawn without replacement from a
 * stream of its own that the picture names: other photographs do not change them. */
gboolean assay_photo_rows_open (const AssayPhotoRows *from, const AssayPhotoPlace *places,
                                AssayDataset *ret_dataset, GError **error);

/* What is known of them before: how many rows each role has at most, and the rest of @ret_probe but
 * these numbers and what the dataset holds. */
void assay_photo_rows_probe (const AssayPhotoSet *set, gsize limit, const gboolean *is_kept,
                             gsize *ret_counts, AssayProbe *ret_probe);
