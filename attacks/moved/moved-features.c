/* Windows of images, and their features. */
#include "attacks/moved/moved-features.h"

#include <math.h>

#include "attacks/mixtures/mixture-windows.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

gboolean
moves_init (const AssayGeometry *geometry, gsize shift, AssayArena *arena, Moves *ret_moves,
            GError **error)
{
  const gsize d = geometry->height * geometry->width * geometry->channels;
  const gsize count = mixture_windows_count (shift);
  guint32 *from = assay_arena_alloc (arena, count, d * sizeof (guint32), "moves", error);
  float *places = assay_arena_alloc (arena, 2 * d, sizeof (float), "moves", error);

  if (arena->has_failed)
    return FALSE;
  for (gsize j = 0; j < d; j++)
    places[j] = (float) j;
  for (gsize move = 0; move < count; move++) {
    mixture_window_take (geometry, shift, move, places, places + d);
    for (gsize j = 0; j < d; j++)
      from[move * d + j] = (guint32) places[d + j];
  }
  *ret_moves = (Moves){ .geometry = *geometry, .shift = shift, .n_moves = count, .from = from };
  return TRUE;
}

static gsize
places_of (const Moves *moves)
{
  return 2 * moves->shift + 1;
}

gint64
moves_down (const Moves *moves, gsize move)
{
  const gsize side = places_of (moves);

  return (gint64) (move % (side * side) / side) - (gint64) moves->shift;
}

gint64
moves_right (const Moves *moves, gsize move)
{
  return (gint64) (move % places_of (moves)) - (gint64) moves->shift;
}

gboolean
moves_is_mirrored (const Moves *moves, gsize move)
{
  return move >= places_of (moves) * places_of (moves);
}

gsize
moves_of (const Moves *moves, gint64 down, gint64 right, gboolean is_mirrored)
{
  const gsize side = places_of (moves);

  return ((is_mirrored ? side : 0) + (gsize) (down + (gint64) moves->shift)) * side
         + (gsize) (right + (gint64) moves->shift);
}

/* Moved, then mirrored: backwards the move to the right comes after the mirror. */
gsize
moves_inverse (const Moves *moves, gsize move)
{
  const gboolean is_mirrored = moves_is_mirrored (moves, move);
  const gint64 right = moves_right (moves, move);

  return moves_of (moves, -moves_down (moves, move), is_mirrored ? right : -right, is_mirrored);
}

void
moves_take (const Moves *moves, gsize move, const float *image, float *ret_moved)
{
  const gsize d = moves->geometry.height * moves->geometry.width * moves->geometry.channels;
  const guint32 *from = moves->from + move * d;

  for (gsize j = 0; j < d; j++)
    ret_moved[j] = image[from[j]];
}

double
moved_normalise (float *inout_row, gsize n)
{
  const double length = sqrt (assay_squared_norm (inout_row, n));

  for (gsize j = 0; length > 0 && j < n; j++)
    inout_row[j] = (float) (inout_row[j] / length);
  return length;
}

void
moves_features (const Moves *moves, AssayView directions, const float *image, float *room,
                float *ret_features)
{
  const gsize d = directions.cols, c = directions.rows;

  for (gsize move = 0; move < moves->n_moves; move++)
    moves_take (moves, move, image, room + move * d);
  assay_linalg_product (ASSAY_NT, assay_view_of (room, moves->n_moves, d), directions, ret_features,
                        c);
  for (gsize move = 0; move < moves->n_moves; move++)
    moved_normalise (ret_features + move * c, c);
}
