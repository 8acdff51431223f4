/* Where rows come from that are descriptors of keypoints: the grant `keypoints`. */
#pragma once

#include "core/data/array.h"
#include "core/data/photo.h"

G_BEGIN_DECLS

/* One entry a row. */
typedef struct {
  AssayArray *frames;   /* float32 n x 4: see AssayRoleData */
  AssayArray *pictures; /* int64 n: which photograph each is of */
  AssayArray *sides;    /* int64 p x 2: width and height of each photograph in pixels; 0: no row is
                         * of it */
  GPtrArray *photos;    /* p of AssayPhoto: the photographs themselves; NULL: they are secret */
} AssayKeypoints;

/* Shares what it is given: of @photos (of AssayPhoto) the sides alone, unless they are shown. NULL
 * where one of them is NULL, or where they do not fit together: what is not known cannot be
 * granted. */
AssayKeypoints *assay_keypoints_new (const AssayArray *frames, const AssayArray *pictures,
                                     GPtrArray *photos, gboolean is_shown);
ASSAY_DECLARE_FREE (AssayKeypoints, assay_keypoints_free)

/* Of one row: x, y, size, angle. */
static inline const float *
assay_keypoints_frame (const AssayKeypoints *keypoints, gsize row)
{
  return (const float *) keypoints->frames->data + 4 * row;
}

static inline gsize
assay_keypoints_picture (const AssayKeypoints *keypoints, gsize row)
{
  return (gsize) assay_array_int64 (keypoints->pictures)[row];
}

/* Width and height of a photograph. */
static inline const gint64 *
assay_keypoints_sides (const AssayKeypoints *keypoints, gsize picture)
{
  return assay_array_int64 (keypoints->sides) + 2 * picture;
}

G_END_DECLS
