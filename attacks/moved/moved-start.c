/* Neighbourhoods of rows, and the candidates that stand for most of them. */
#include "attacks/moved/moved-start.h"

#include <math.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define SEEDS 8 /* rows a secret, whose neighbours are looked for */
#define POWER_ROUNDS 30
#define LEAST_ALIKE 0.5f /* cosine of features, above which two candidates are one secret */
#define MOST_ALIKE 0.9f  /* ... where images are so much alike that fewer than all are found */
#define LEAST_LIKE 2     /* other candidates that a secret needs */

typedef struct {
  const Moves *moves;
  AssayView rows;
  AssayView directions;
  const float *features; /* N x C */
  gsize n_neighbours;
  gsize n_candidates;
  float *candidates;   /* n_candidates x d, two a seed */
  float *own_features; /* n_candidates x C */
  float *likeness;     /* n_candidates x n_candidates: over all moves of the first */
  guint16 *moved;      /* ... which of them */
} Start;

/* Of each of @n rows of features the move of @image that is most like it, and how much. */
static void
match_moves (const Start *job, const float *image, const float *features, gsize n,
             float *ret_likeness, guint16 *ret_moves)
{
  const gsize w = job->moves->n_moves, c = job->directions.rows;
  g_autofree float *room = g_new (float, w * job->rows.cols);
  g_autofree float *templates = g_new (float, w *c);
  g_autofree float *products = g_new (float, w *n);

  moves_features (job->moves, job->directions, image, room, templates);
  assay_linalg_product (ASSAY_NT, assay_view_of (templates, w, c), assay_view_of (features, n, c),
                        products, n);
  for (gsize i = 0; i < n; i++) {
    ret_likeness[i] = -G_MAXFLOAT;
    for (gsize move = 0; move < w; move++)
      if (products[move * n + i] > ret_likeness[i]) {
        ret_likeness[i] = products[move * n + i];
        ret_moves[i] = (guint16) move;
      }
  }
}

/* The leading direction of @rows (n x c), which are less their mean then; c. */
static void
find_direction (float *rows, gsize n, gsize c, float *ret_direction)
{
  for (gsize j = 0; j < c; j++) {
    double mean = 0;

    for (gsize i = 0; i < n; i++)
      mean += rows[i * c + j] / (double) n;
    for (gsize i = 0; i < n; i++)
      rows[i * c + j] -= (float) mean;
    ret_direction[j] = rows[j];
  }
  for (gsize round = 0; round < POWER_ROUNDS; round++) {
    g_autofree float *next = g_new0 (float, c);

    for (gsize i = 0; i < n; i++) {
      const float along = assay_lanes_dot_float (rows + i * c, ret_direction, c);

      for (gsize j = 0; j < c; j++)
        next[j] += along * rows[i * c + j];
    }
    moved_normalise (next, c);
    memcpy (ret_direction, next, c * sizeof *next);
  }
}

/* Two candidates from the neighbours of a row, which are moved back onto it. */
static void
split_neighbours (const Start *job, float *neighbours, float *candidates)
{
  const gsize n = job->n_neighbours, d = job->rows.cols, c = job->directions.rows;
  g_autofree float *features = g_new (float, n *c);
  g_autofree float *direction = g_new (float, c);

  assay_linalg_product (ASSAY_NT, assay_view_of (neighbours, n, d), job->directions, features, c);
  for (gsize i = 0; i < n; i++)
    moved_normalise (features + i * c, c);
  find_direction (features, n, c, direction);
  memset (candidates, 0, 2 * d * sizeof *candidates);
  for (gsize i = 0; i < n; i++) {
    const float along = assay_lanes_dot_float (features + i * c, direction, c);
    float *candidate = candidates + (along > 0 ? d : 0);

    for (gsize j = 0; j < d; j++)
      candidate[j] += fabsf (along) * neighbours[i * d + j];
  }
}

static void
seed_candidates (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Start *job = data;
  const gsize n = job->rows.rows, d = job->rows.cols, seed = index * n / (job->n_candidates / 2);
  g_autofree float *likeness = g_new (float, n);
  g_autofree guint16 *moves = g_new (guint16, n);
  g_autofree AssayRanked *order = g_new (AssayRanked, n);
  g_autofree float *neighbours = g_new (float, job->n_neighbours *d);

  match_moves (job, assay_view_row (job->rows, seed), job->features, n, likeness, moves);
  for (gsize i = 0; i < n; i++)
    order[i] = (AssayRanked){ i == seed ? 2 : -likeness[i], i };
  assay_rank (order, n);
  for (gsize i = 0; i < job->n_neighbours; i++)
    moves_take (job->moves, moves_inverse (job->moves, moves[order[i].place]),
                assay_view_row (job->rows, order[i].place), neighbours + i * d);
  split_neighbours (job, neighbours, job->candidates + 2 * index * d);
}

static void
compare_candidate (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Start *job = data;
  const gsize n = job->n_candidates;

  match_moves (job, job->candidates + index * job->rows.cols, job->own_features, n,
               job->likeness + index * n, job->moved + index * n);
  job->likeness[index * n + index] = 1;
}

/* How many candidates that are not taken are like @candidate. */
static gsize
count_like (const Start *job, float alike, gsize candidate, const gboolean *is_taken)
{
  const float *likeness = job->likeness + candidate * job->n_candidates;
  gsize count = 0;

  for (gsize i = 0; i < job->n_candidates; i++)
    count += !is_taken[i] && likeness[i] > alike;
  return count;
}

/* Takes @candidate and all that are like it: their mean. */
static void
take_secret (const Start *job, float alike, gsize candidate, gboolean *is_taken, float *ret_image)
{
  const gsize n = job->n_candidates, d = job->rows.cols;
  const float *likeness = job->likeness + candidate * n;
  g_autofree float *moved = g_new (float, d);

  memset (ret_image, 0, d * sizeof *ret_image);
  for (gsize i = 0; i < n; i++) {
    if (is_taken[i] || likeness[i] <= alike)
      continue;
    is_taken[i] = TRUE;
    if (i == candidate)
      memcpy (moved, job->candidates + i * d, d * sizeof *moved);
    else
      moves_take (job->moves, moves_inverse (job->moves, job->moved[candidate * n + i]),
                  job->candidates + i * d, moved);
    for (gsize j = 0; j < d; j++)
      ret_image[j] += likeness[i] * moved[j];
  }
}

/* At most @n_secrets that have enough others like them. */
static gsize
choose_alike (const Start *job, float alike, gsize n_secrets, float *ret_images)
{
  const gsize n = job->n_candidates;
  g_autofree gboolean *is_taken = g_new0 (gboolean, n);
  gsize found = 0;

  while (found < n_secrets) {
    gsize best = n, most = 0;

    for (gsize i = 0; i < n; i++) {
      const gsize count = is_taken[i] ? 0 : count_like (job, alike, i, is_taken);

      if (count > most) {
        most = count;
        best = i;
      }
    }
    if (best == n || (most <= LEAST_LIKE && found >= MIXTURE_PRIVATE))
      break;
    take_secret (job, alike, best, is_taken, ret_images + found++ * job->rows.cols);
  }
  return found;
}

/* By the least demand that finds all of them, or that which finds most. */
static gsize
choose_secrets (const Start *job, gsize n_secrets, float *ret_images)
{
  float best = LEAST_ALIKE;
  gsize most = 0;

  for (float alike = LEAST_ALIKE; alike <= MOST_ALIKE && most < n_secrets; alike += 0.1f) {
    const gsize found = choose_alike (job, alike, n_secrets, ret_images);

    if (found > most) {
      most = found;
      best = alike;
    }
  }
  return choose_alike (job, best, n_secrets, ret_images);
}

gboolean
moved_start (const Moves *moves, const MovedRows *rows, gsize n_secrets, float *ret_images,
             gsize *ret_found, GError **error)
{
  const gsize n = rows->rows.rows, d = rows->rows.cols, c = rows->directions.rows;
  const gsize n_seeds = MIN (n, SEEDS * n_secrets), count = 2 * n_seeds;
  g_auto (AssayArena) arena = { 0 };
  Start job = { .moves = moves,
                .rows = rows->rows,
                .directions = rows->directions,
                .features = rows->features.data,
                .n_neighbours = CLAMP (MIXTURE_PRIVATE * n / n_secrets, 4, n - 1),
                .n_candidates = count };

  job.candidates = assay_arena_alloc (&arena, count, d * sizeof (float), "candidates", error);
  job.own_features = assay_arena_alloc (&arena, count, c * sizeof (float), "candidates", error);
  job.likeness = assay_arena_alloc (&arena, count, count * sizeof (float), "candidates", error);
  job.moved = assay_arena_alloc (&arena, count, count * sizeof (guint16), "candidates", error);
  if (arena.has_failed)
    return FALSE;
  assay_parallel_for (n_seeds, seed_candidates, &job);
  if (assay_interrupt_is_wanted ())
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
  assay_linalg_product_in_parallel (ASSAY_NT, assay_view_of (job.candidates, count, d),
                                    rows->directions, job.own_features);
  for (gsize i = 0; i < count; i++)
    moved_normalise (job.own_features + i * c, c);
  assay_parallel_for (count, compare_candidate, &job);
  if (assay_interrupt_is_wanted ())
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
  *ret_found = choose_secrets (&job, n_secrets, ret_images);
  return TRUE;
}
