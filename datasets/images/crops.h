/* Random square crops of photographs, reduced to small images: public patches as InstaHide mixes
 * them in, or secrets. */
#pragma once

#include "datasets/images/images.h"
#include "datasets/photographs/photo-set.h"

typedef struct {
  gsize size;       /* sides of an image, pixels */
  gsize channels;   /* 1 or 3 */
  gsize per_photo;  /* crops of one photograph at most */
  gsize least_side; /* of a crop in its photograph, where that is as large */
  gint64 keypoints; /* a crop is kept if it has more than so many; -1: any is kept */
} AssayCropRules;

/* What is known of the crops of @role before they are taken: how many there are at most, and bytes
 * that taking them holds, the features of photographs included. */
AssayImages *assay_crops_probe (const AssayPhotoSet *set, guint role, const AssayCropRules *rules);

/* The crops of the photographs of @role, which assay_photo_set_describe has been through, by
 * photograph; those of one photograph are a group. @set was made with photographs of at most
 * @largest pixels. Photographs without a single crop (flat, or shorter than @size) are said by
 * g_warning. ASSAY_ERROR_DATA: none has any, or a photograph can no longer be read. */
AssayImages *assay_crops_take (const AssayPhotoSet *set, guint role, gsize largest,
                               const AssayCropRules *rules, AssayStreamKey key, GError **error);
