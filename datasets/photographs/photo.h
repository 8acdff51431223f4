/* Photographs as arrays of grey levels: reading JPEG and PNG files, shrinking by area. */
#pragma once

#include <glib.h>

#include "core/data/photo.h"

/* Files and pictures beyond these are refused: files before they are read, pictures when only the
 * header has been. */
#define ASSAY_PHOTO_MAX_BYTES (1 << 28)
#define ASSAY_PHOTO_MAX_PIXELS (1 << 26)

/* Width and height as the header of a JPEG or PNG file has them (before it is turned), without
 * decoding it. ASSAY_ERROR_DATA names the file: it is missing, no regular file, unreadable, too
 * large, of another format, or damaged where the header is. */
gboolean assay_photo_read_size (const char *file, gsize *ret_width, gsize *ret_height,
                                GError **error);

/* The bytes of a file, which is checked as above. */
GBytes *assay_photo_read (const char *file, GError **error);

/* The picture in the bytes of a JPEG or PNG file as red, green and blue, turned as its EXIF
 * orientation says; transparency is left out of account. ASSAY_ERROR_DATA names @file: bytes of
 * another format, damaged ones, and pictures that end early, which decoders would fill up. */
AssayPhoto *assay_photo_decode (GBytes *bytes, const char *file, GError **error);

/* Both in one. */
AssayPhoto *assay_photo_load (const char *file, GError **error);

/* The sides of the picture that assay_photo_shrink makes. */
void assay_photo_shrunk_size (gsize width, gsize height, gsize longest, gsize *ret_width,
                              gsize *ret_height);

/* Reduced by area to at most @longest pixels on the longer side, as whole numbers; a copy where it
 * is not larger than that. @longest >= 1. */
AssayPhoto *assay_photo_shrink (const AssayPhoto *photo, gsize longest, GError **error);

/* Gaussian blur in place, cut off at 3 standard deviations, mirrored at the border. sigma > 0. */
gboolean assay_photo_blur (AssayPhoto *photo, double sigma, GError **error);

/* Unsharp mask in place: what a blur of one pixel takes away is added @strength times. */
gboolean assay_photo_sharpen (AssayPhoto *photo, double strength, GError **error);
