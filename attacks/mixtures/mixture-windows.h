/* All windows of a public image that random crops and flips could have made of it: of its own size,
 * moved by up to @shift pixels either way, of the image continued by its mirror images, and each
 * mirrored left to right. */
#pragma once

#include "core/math/mixture.h"

/* Settings `all_windows` and `shift`; @with: what is to be said of when. */
#define MIXTURE_PARAMETERS_WINDOWS(Struct, with, ...)                                              \
  ASSAY_PARAM_BOOL (Struct, all_windows, FALSE,                                                    \
                    "Whether public images are looked for as crops and flips have made them: "     \
                    "each shift down and right, as it is and mirrored" with,                       \
                    ASSAY_PARAM_EXTRA),                                                            \
      ASSAY_PARAM_INT (Struct, shift, 4, 0, 1000, "px",                                            \
                       "all_windows = yes: how far a window is moved at most, either way",         \
                       ##__VA_ARGS__)

/* How many there are, the image itself among them: 2 (2 shift + 1)^2. */
gsize mixture_windows_count (gsize shift);

/* Window @index: as it is, and then mirrored, from the upper left on. */
void mixture_window_take (const AssayGeometry *geometry, gsize shift, gsize index,
                          const float *image, float *ret_window);

/* ASSAY_ERROR_MISMATCH for rows of which it is not known what images they are,
 * ASSAY_ERROR_PARAMETER where windows would be moved farther than a side. */
gboolean mixture_windows_check (const AssayGeometry *geometry, gsize shift, GError **error);
