/* Networks that are made of blocks. */
#include "core/network/u-net.h"

#define MOST_LEVELS 8

guint
assay_tape_block (AssayTape *tape, guint from, gsize channels, gsize stride)
{
  const guint x = assay_tape_convolve (tape, from, channels, 3, stride);

  return assay_tape_rectify (tape, assay_tape_normalise (tape, x));
}

guint
assay_tape_u_net (AssayTape *tape, guint from, const AssayUNet *u_net)
{
  const gsize levels = MIN (u_net->levels, MOST_LEVELS);
  guint kept[MOST_LEVELS], x = from;

  for (gsize level = 0; level <= levels; level++) {
    const gsize channels = u_net->width << level;

    x = assay_tape_block (tape, x, channels, 1);
    x = assay_tape_block (tape, x, channels, 1);
    if (level == levels)
      break;
    kept[level] = x;
    x = assay_tape_pool (tape, x);
  }
  for (gsize level = levels; level > 0; level--) {
    const gsize channels = u_net->width << (level - 1);

    x = assay_tape_join (tape, kept[level - 1], assay_tape_enlarge (tape, x));
    x = assay_tape_block (tape, x, channels, 1);
    x = assay_tape_block (tape, x, channels, 1);
  }
  return x;
}

guint
assay_tape_residual (AssayTape *tape, guint from, gsize channels, gsize stride)
{
  const gboolean is_same = tape->layers[from].shape.channels == channels && stride == 1;
  const guint a = assay_tape_block (tape, from, channels, stride);
  const guint b = assay_tape_normalise (tape, assay_tape_convolve (tape, a, channels, 3, 1));
  const guint around = is_same ? from : assay_tape_convolve (tape, from, channels, 1, stride);

  return assay_tape_rectify (tape, assay_tape_add (tape, around, b));
}
