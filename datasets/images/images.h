/* Images as bytes: what the image datasets read from files or draw, before it is normalised. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"
#include "core/data/row-file.h"

/* @count images of @height x @width pixels of interleaved @channels (1: grey; 3: red, green, blue),
 * without gaps; or what is known of them before they are read. */
typedef struct {
  gsize count;
  gsize height;
  gsize width;
  gsize channels;
  gboolean has_labels;
  char *source;         /* what messages call them: a path */
  guint8 *pixels;       /* count x (height x width x channels); NULL: not read yet */
  gint64 *labels;       /* count; NULL: none */
  gint64 *groups;       /* count: equal numbers belong together; NULL: independent */
  gboolean is_estimate; /* not read yet: there may be fewer */
  guint64 memory;       /* not read yet: bytes for making them, beyond their pixels */
} AssayImages;

/* Images with the numbers, has_labels and source of @form, without pixels. */
AssayImages *assay_images_probed (const AssayImages *form);
/* The same with black pixels, and labels that are all 0. ASSAY_ERROR_MEMORY. */
AssayImages *assay_images_new (const AssayImages *form, GError **error);
ASSAY_DECLARE_FREE (AssayImages, assay_images_free)

static inline gsize
assay_images_cols (const AssayImages *images)
{
  return images->height * images->width * images->channels;
}

static inline guint8 *
assay_images_row (const AssayImages *images, gsize i)
{
  return images->pixels + i * assay_images_cols (images);
}

/* ASSAY_ERROR_MISMATCH naming both unless @images (called @role, "public") are of the size of
 * @secrets. */
gboolean assay_images_check_size (const AssayImages *images, const char *role,
                                  const AssayImages *secrets, GError **error);

/* Keeps those that @span names, of all that the file has; labels are still to be read.
 * ASSAY_ERROR_DATA. */
gboolean assay_images_keep (AssayImages *images, const AssayRowSpan *span, GError **error);

/* How many of @count images a share sets apart: rounded down, so that one is left at least. */
gsize assay_images_share_count (gsize count, double share);

/* Moves @n_apart images, chosen at random from @key, to @ret_apart; both keep their order.
 * n_apart < count. */
gboolean assay_images_set_apart (AssayImages *images, gsize n_apart, AssayStreamKey key,
                                 AssayImages **ret_apart, GError **error);

/* Removes from @images those that equal one of @others byte by byte, and returns how many that
 * were. The first such pair is @ret_image and @ret_other (numbers from 0). */
gsize assay_images_drop_shared (AssayImages *images, const AssayImages *others, gsize *ret_image,
                                gsize *ret_other);

/* Number, sides, pixels, labels and groups, under the name @role; @images may be NULL: none. */
void assay_images_hash (const AssayImages *images, const char *role, GChecksum *checksum);
