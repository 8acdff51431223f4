/* The descriptors of several images as the rows of a role: what scenes and photographs have in
 * common. */
#pragma once

#include "core/base/rng.h"
#include "core/data/dataset.h"
#include "datasets/photographs/sift.h"

/* What one image gives a role. */
typedef struct {
  gsize count;              /* of descriptors */
  guint8 *descriptors;      /* count x ASSAY_SIFT_LENGTH */
  AssayKeypoint *keypoints; /* count: where they were taken */
  AssayPhoto *photo;        /* in the pixels of the keypoints; NULL: not kept */
} AssayPicture;

/* Room for @count descriptors and their keypoints, in an image without any. */
gboolean assay_picture_reserve (AssayPicture *image, gsize count, GError **error);
void assay_picture_clear (AssayPicture *image);

/* MIN (count, n) of the numbers 0 .. n - 1, in order: all of them, or drawn without replacement
 * from @stream. */
gsize *assay_picture_choose (AssayStream *stream, gsize n, gsize count);

/* Fills @picture, which is empty, with what @sift finds in @photo: descriptors of its keypoints,
 * up to @count of them, drawn from @stream. */
gboolean assay_picture_describe (AssayPicture *picture, AssaySift *sift, const AssayPhoto *photo,
                                 gsize count, AssayStream *stream, GError **error);

/* The rows of @images (of AssayPicture) one after the other, at least one in all. With @ret_data
 * also their frames, which image (its place in @images) each is of, and the photographs, which all
 * images have and which are taken away from them. All of it goes into @checksum, in this order. */
gboolean assay_pictures_join (const GPtrArray *images, GChecksum *checksum, AssayRows **ret_rows,
                              AssayRoleData *ret_data, GError **error);

/* The place of its image for each of the rows. */
gint64 *assay_pictures_number (const GPtrArray *images);

/* Bytes of a frame with the number of its picture, and of a photograph that is kept. */
#define ASSAY_FRAME_BYTES (4 * sizeof (float) + sizeof (gint64))
#define ASSAY_KEPT_PIXEL_BYTES (3 * sizeof (float))
