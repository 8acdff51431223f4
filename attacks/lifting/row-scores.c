/* How far rows near a subspace are from the rows in it.
 *
 * An attack that is tuned asks for this once a setting, of |V| rows of each subspace, and the rows
 * are the first of those of any larger |V|. So they are kept with the release, each with the rows
 * that it was scored against, and only what is beyond them is gathered and scored. */
#include "attacks/lifting/row-scores.h"

#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"

/* Rows that are gathered at a time, so that memory does not grow with |V|. */
#define CHUNK 512

typedef struct {
  const WithinSearch *search;
  const RowsWithin *within;
  const RowScoresWanted *wanted;
  const RowScores *kept; /* NULL: nothing is */
  RowScores *scores;
} Scoring;

/* Squared distance of @row to the nearest of the @count adversarial rows. */
static float
score_row (const float *row, const float *adversarial, gsize count, gsize cols)
{
  float best = G_MAXFLOAT;

  for (gsize i = 0; i < count; i++)
    best = MIN (best, assay_lanes_squared_distance_float (row, adversarial + i * cols, cols));
  return best;
}

/* How many of the rows that are wanted of subspace @index are kept. */
static gsize
count_kept (const Scoring *job, gsize index)
{
  const RowScoresWanted *wanted = job->wanted + index;
  const gsize *rows = job->within->rows + index * job->within->k;
  const RowScoreList *list = job->kept != NULL ? job->kept->lists + index : NULL;
  gsize same = 0;

  if (list == NULL || list->n_adversarial != wanted->n_adversarial
      || memcmp (list->rows, rows, wanted->n_adversarial * sizeof *rows) != 0)
    return 0;
  while (same < MIN (list->count, wanted->count)
         && list->rows[wanted->n_adversarial + same] == rows[wanted->n_adversarial + same])
    same++;
  return same;
}

static void
score_list (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Scoring *job = data;
  const gsize cols = job->search->subspaces.cols;
  const gsize n_a = job->wanted[index].n_adversarial, same = count_kept (job, index);
  const RowScoreList *old = same > 0 ? job->kept->lists + index : NULL;
  /* A longer list stays as it is, where it is the same as far as it is wanted. */
  const gboolean is_longer = old != NULL && same == job->wanted[index].count;
  const gsize count = is_longer ? old->count : job->wanted[index].count;
  const gsize *rows = is_longer ? old->rows : job->within->rows + index * job->within->k;
  g_autofree float *adversarial = g_new (float, n_a *cols + 1);
  g_autofree float *chunk = g_new (float, CHUNK *cols);
  RowScoreList *list = job->scores->lists + index;

  *list = (RowScoreList){ .n_adversarial = n_a,
                          .count = count,
                          .rows = g_memdup2 (rows, (n_a + count) * sizeof *rows),
                          .squares = g_new (float, count + 1) };
  if (old != NULL)
    memcpy (list->squares, old->squares, (is_longer ? count : same) * sizeof (float));
  assay_rows_gather (job->search->rows, rows, n_a, job->search->scale, adversarial);
  for (gsize first = is_longer ? count : same; first < count; first += CHUNK) {
    const gsize n = MIN (CHUNK, count - first);

    assay_rows_gather (job->search->rows, rows + n_a + first, n, job->search->scale, chunk);
    for (gsize i = 0; i < n; i++)
      list->squares[first + i] = score_row (chunk + i * cols, adversarial, n_a, cols);
  }
}

static void
free_scores (gpointer data)
{
  RowScores *scores = data;

  for (gsize i = 0; i < scores->n; i++) {
    g_free (scores->lists[i].rows);
    g_free (scores->lists[i].squares);
  }
  g_free (scores->lists);
  g_free (scores);
}

static gboolean
are_all_kept (const Scoring *job)
{
  for (gsize i = 0; i < job->within->n; i++)
    if (job->kept->lists[i].n_adversarial != job->wanted[i].n_adversarial
        || count_kept (job, i) < job->wanted[i].count)
      return FALSE;
  return TRUE;
}

AssayShared *
row_scores_of (const AssayRelease *release, const WithinSearch *search, const RowsWithin *within,
               const RowScoresWanted *wanted)
{
  g_autofree char *name = g_strdup_printf ("row scores %" G_GUINT64_FORMAT " scale %d",
                                           assay_rows_owner (search->rows), (int) search->scale);
  g_autoptr (AssayShared) kept = assay_shared_find (release->owner, name);
  RowScores *scores;
  Scoring job = { .search = search,
                  .within = within,
                  .wanted = wanted,
                  .kept = kept != NULL ? assay_shared_value (kept) : NULL };
  gsize bytes = sizeof *scores;

  if (job.kept != NULL && are_all_kept (&job))
    return g_steal_pointer (&kept);
  scores = g_new0 (RowScores, 1);
  *scores = (RowScores){ within->n, g_new0 (RowScoreList, within->n) };
  job.scores = scores;
  assay_parallel_for (within->n, score_list, &job);
  for (gsize i = 0; i < scores->n; i++)
    bytes += sizeof *scores->lists
             + (scores->lists[i].n_adversarial + scores->lists[i].count)
                   * (sizeof (gsize) + sizeof (float));
  return assay_shared_add (release->owner, name, scores, bytes, free_scores);
}

/* ---- Selection ---- */

typedef struct {
  float score;
  gsize place; /* in the order of distance */
} Scored;

/* Whether @a comes before @b. */
static gboolean
is_better (const Scored *a, const Scored *b)
{
  return a->score != b->score ? a->score > b->score : a->place < b->place;
}

/* Puts @one in its place among the @count best so far, of which there are to be @most. */
static gsize
insert_scored (Scored *best, gsize count, gsize most, Scored one)
{
  gsize low = 0, high = count;

  if (count == most && !is_better (&one, best + count - 1))
    return count;
  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (is_better (best + middle, &one))
      low = middle + 1;
    else
      high = middle;
  }
  count = MIN (count + 1, most);
  memmove (best + low + 1, best + low, (count - 1 - low) * sizeof *best);
  best[low] = one;
  return count;
}

void
row_scores_best (const RowScoreList *list, const float *distances, gsize count, gsize n_best,
                 gsize *ret_places)
{
  g_autofree Scored *best = g_new (Scored, n_best + 1);
  gsize n = 0;

  for (gsize i = 0; i < count; i++) {
    const float distance = distances != NULL ? distances[i] : 1;

    n = insert_scored (best, n, n_best, (Scored){ list->squares[i] / (distance * distance), i });
  }
  for (gsize i = 0; i < n; i++)
    ret_places[i] = best[i].place;
}
