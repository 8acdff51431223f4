/* Images that were moved and mirrored at random before they were mixed, compared in a basis in
 * which neighbouring pixels tell nothing of one another.
 *
 * A move is a window of an image (mixture-windows.h): 2 (2 shift + 1)^2 of them, of which the last
 * half is mirrored. */
#pragma once

#include "attacks/inversion/mixture-parts.h"

typedef struct {
  AssayGeometry geometry;
  gsize shift;   /* how far an image is moved at most, either way */
  gsize n_moves; /* W */
  guint32 *from; /* W x d: which pixel of the image stands in each place */
} Moves;

gboolean moves_init (const AssayGeometry *geometry, gsize shift, AssayArena *arena,
                     Moves *ret_moves, GError **error);

/* The move that undoes @move, but for what was moved out of sight. */
gsize moves_inverse (const Moves *moves, gsize move);
/* Where @move goes, in pixels. */
gint64 moves_down (const Moves *moves, gsize move);
gint64 moves_right (const Moves *moves, gsize move);
gboolean moves_is_mirrored (const Moves *moves, gsize move);
/* The move of these, each at most @shift away from 0. */
gsize moves_of (const Moves *moves, gint64 down, gint64 right, gboolean is_mirrored);
/* @image as @move has it. */
void moves_take (const Moves *moves, gsize move, const float *image, float *ret_moved);

/* Rows in which moved images are looked for. */
typedef struct {
  AssayView rows;       /* N x d */
  AssayView directions; /* C x d */
  AssayView features;   /* the directions times the rows, N x C, of length 1 */
} MovedRows;

/* Features of each move of @image, W x C, rows of length 1 (or 0): the @directions (C x d) times
 * it. @room: W x d. */
void moves_features (const Moves *moves, AssayView directions, const float *image, float *room,
                     float *ret_features);
/* Scales a row to length 1; returns what it was. 0 stays. */
double moved_normalise (float *inout_row, gsize n);
