/* U-Nets (Ronneberger, Fischer and Brox 2015) and residual networks (He et al. 2016), as layers of
 * a tape. Normalisation is in groups of 8 channels, where the papers have none or that of
 * batches. */
#pragma once

#include "core/network/tape.h"

typedef struct {
  gsize width;  /* channels at full size, which double at each level below; a multiple of 8 */
  gsize levels; /* how often the image is halved */
} AssayUNet;

/* Convolution, normalisation and ReLU. */
guint assay_tape_block (AssayTape *tape, guint from, gsize channels, gsize stride);
/* Two blocks at each level down and up again, beside what the level had on the way down. Gives
 * @u_net's width of channels. */
guint assay_tape_u_net (AssayTape *tape, guint from, const AssayUNet *u_net);
/* Two convolutions whose result is added to what they are made of; where channels or size change,
 * to a convolution of it by a kernel of 1. */
guint assay_tape_residual (AssayTape *tape, guint from, gsize channels, gsize stride);
