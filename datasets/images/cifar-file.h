/* CIFAR's binary files (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
 * 2009): records of one label byte (CIFAR-10) or of a coarse and a fine one (CIFAR-100), then 32 x
 * 32 bytes of red, of green and of blue, each plane in row order. */
#pragma once

#include "datasets/images/images.h"

#define ASSAY_CIFAR_SIDE 32
#define ASSAY_CIFAR_CHANNELS 3
#define ASSAY_CIFAR_PIXELS (ASSAY_CIFAR_SIDE * ASSAY_CIFAR_SIDE * ASSAY_CIFAR_CHANNELS)

/* How many images are in the files @paths (at least one), by their sizes, and whether with labels.
 * @n_label_bytes of a record: 1, 2, or 0 for either, whichever divides the file's size; labels are
 * not read then. ASSAY_ERROR_DATA names the file: missing, unreadable, empty, or of a size that is
 * no multiple. */
AssayImages *assay_cifar_probe (const char *const *paths, guint n_label_bytes, GError **error);

/* All their images, pixels interleaved, with the last label byte (the fine label) as label, which
 * has to be less than @n_classes. */
AssayImages *assay_cifar_read (const char *const *paths, guint n_label_bytes, gsize n_classes,
                               GError **error);
