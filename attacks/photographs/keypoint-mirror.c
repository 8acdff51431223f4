/* SIFT has 4 x 4 cells of 8 directions (Lowe 2004), which stand along and across the direction of
 * the keypoint. In a mirror that direction is mirrored, too: what is along it stays, what is across
 * changes sides, and angles run the other way. Which way they run before, and whether the rows of
 * cells are from left to right, does not matter: Lowe's order, OpenCV's and VLFeat's are the same
 * here, and the roots of RootSIFT as well. */
#include "attacks/photographs/keypoint-mirror.h"

enum { CELLS = 4, ANGLES = 8, LENGTH = CELLS * CELLS * ANGLES };

/* Which number of a descriptor stands at @place of the mirrored one. */
static gsize
source_of (gsize place)
{
  const gsize across = place / (CELLS * ANGLES), along = place / ANGLES % CELLS;
  const gsize angle = place % ANGLES;

  return ((CELLS - 1 - across) * CELLS + along) * ANGLES + (ANGLES - angle) % ANGLES;
}

AssayMatrix *
keypoint_mirror (const AssayMatrix *rows, GError **error)
{
  const AssayView from = assay_matrix_view (rows);
  AssayMatrix *mirrored = assay_matrix_new (rows->rows, rows->cols, error);

  for (gsize i = 0; mirrored != NULL && i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      assay_matrix_row (mirrored, i)[j]
          = assay_view_row (from, i)[rows->cols == LENGTH ? source_of (j) : j];
  return mirrored;
}
