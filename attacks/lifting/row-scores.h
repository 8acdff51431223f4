/* How far rows near a subspace are from the rows in it, kept for attacks with other settings. */
#pragma once

#include "attacks/lifting/rows-within.h"
#include "core/base/shared-work.h"

/* Of one subspace: its adversarial rows, then rows beside it, nearest first, of which each has its
 * squared distance to the nearest of the former. */
typedef struct {
  gsize n_adversarial;
  gsize count;
  gsize *rows;    /* n_adversarial + count */
  float *squares; /* count; all of them largest where no row is adversarial */
} RowScoreList;

typedef struct {
  gsize n;
  RowScoreList *lists;
} RowScores;

/* How many rows of a list of RowsWithin are taken for adversarial, and how many after them are to
 * be scored at least. */
typedef struct {
  gsize n_adversarial;
  gsize count;
} RowScoresWanted;

/* The scores of every subspace of @within, @wanted (n of them) or more; held (its value is
 * RowScores). What was scored for the same release and rows before is not scored again. */
AssayShared *row_scores_of (const AssayRelease *release, const WithinSearch *search,
                            const RowsWithin *within, const RowScoresWanted *wanted);

/* The places of the @n_best (1 to @count) rows of the largest scores among the first @count beside
 * the subspace, best first; of equals the nearer one. Scores are the squares, or with @distances
 * (NULL: none) those over the squared distances from the subspace. */
void row_scores_best (const RowScoreList *list, const float *distances, gsize count, gsize n_best,
                      gsize *ret_places);
