/* Inner products of features of mixtures and public images, by panels. */
#include "attacks/mixtures/mixture-scores.h"

#include <string.h>

#include "attacks/mixtures/score-order.h"
#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/math/linalg.h"

#define BLOCK 128 /* rows of a panel, unless MIXTURE_PANEL_BYTES allow fewer */
/* Mixtures that are ranked at a time by all their scores, unless MIXTURE_PANEL_BYTES allow fewer:
 * products of so many rows are fast, and a large cache still holds the scores until they are
 * ordered. */
#define RANK_BLOCK 256
/* Features of public images that are held where most of them are to be ranked: reading them again
 * for every block of mixtures costs up to a tenth of the time. */
#define HELD_BYTES ((guint64) 1 << 30)

/* ---- Rows ---- */

AssayMatrix *
mixture_images (const AssayRelease *release, GError **error)
{
  return assay_matrix_copy (assay_array_view (assay_arrays_get (&release->arrays, "images")),
                            error);
}

static gboolean
check_public (const AssayRows *rows, GError **error)
{
  return assay_rows_count (rows) > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "the public set is empty; expected public images");
}

AssayMatrix *
mixture_public (const AssayRelease *release, const AssayRows *rows, GError **error)
{
  return check_public (rows, error) ? assay_rows_matrix (rows, assay_release_scale (release), error)
                                    : NULL;
}

double
mixture_range (AssayView images)
{
  float least = images.data[0], most = images.data[0];

  for (gsize i = 0; i < images.rows; i++)
    for (gsize j = 0; j < images.cols; j++) {
      least = MIN (least, assay_view_row (images, i)[j]);
      most = MAX (most, assay_view_row (images, i)[j]);
    }
  return most > least ? (double) most - least : 1;
}

gboolean
mixture_find_k (const AssayRelease *release, gint64 own, gint64 usual, const char *instead,
                gint64 *ret_k, GError **error)
{
  const gint64 *said = ASSAY_PARAMETER (release, AssayMixturesParameters, k);

  if (own == 0 && !assay_parameter_check (&release->parameters, "k", instead, error))
    return FALSE;
  *ret_k = own != 0 ? own : said != NULL ? *said : usual;
  return TRUE;
}

/* ---- Ranks ---- */

typedef struct {
  const float *scores;
  gsize m;
  gsize keep;
  guint64 *words;
  gint64 *rows;
} Ordering;

static void
order_item (gsize index, guint worker, gpointer data)
{
  const Ordering *job = data;

  score_order (job->scores + index * job->m, job->m, job->keep,
               job->words + (gsize) worker * 2 * job->m, job->rows + index * job->keep);
}

gboolean
mixture_order (const float *scores, gsize n, gsize m, gsize keep, gint64 *ret_rows, GError **error)
{
  g_autofree guint64 *words
      = assay_alloc (MIN (assay_parallel_threads (), n), 2 * m * sizeof (guint64), "scores", error);
  Ordering job = { .scores = scores, .m = m, .keep = keep, .words = words, .rows = ret_rows };

  g_return_val_if_fail (keep >= 1 && keep <= m && m <= G_MAXUINT32, FALSE);
  if (words == NULL)
    return FALSE;
  assay_parallel_for (n, order_item, &job);
  return TRUE;
}

typedef struct {
  AssayView queries;
  AssayView set;
  gsize block;
  gsize keep;
  float *panels;  /* block x set.rows a worker */
  guint64 *words; /* 2 x set.rows a worker */
  gint64 *rows;
} Ranking;

static void
rank_block (gsize index, guint worker, gpointer data)
{
  const Ranking *job = data;
  const gsize n = job->set.rows, first = index * job->block;
  const gsize count = MIN (job->block, job->queries.rows - first);
  float *panel = job->panels + (gsize) worker * job->block * n;

  assay_linalg_product (ASSAY_NT, assay_view_rows (job->queries, first, count), job->set, panel, n);
  for (gsize i = 0; i < count; i++)
    score_order (panel + i * n, n, job->keep, job->words + (gsize) worker * 2 * n,
                 job->rows + (first + i) * job->keep);
}

/* Rows of a panel against @n others, at most @most. It depends on sizes alone. */
static gsize
panel_rows (gsize n, gsize most)
{
  return CLAMP (MIXTURE_PANEL_BYTES / (sizeof (float) * MAX (n, 1)), 1, most);
}

/* By all scores of a block at a time. Which is no search: a panel of the set against a block of
 * queries would leave its scores where none of them can be ordered yet, and costs a tenth more. */
static gboolean
rank_all (AssayView queries, AssayView set, gsize keep, gint64 *ret_rows, GError **error)
{
  const gsize block = panel_rows (set.rows, RANK_BLOCK);
  const gsize pieces = (queries.rows + block - 1) / block;
  const gsize workers = MIN (assay_parallel_threads (), pieces);
  g_autofree float *panels
      = assay_alloc (workers, block * set.rows * sizeof (float), "scores", error);
  g_autofree guint64 *words
      = assay_alloc (workers, 2 * set.rows * sizeof (guint64), "scores", error);
  Ranking job = { .queries = queries,
                  .set = set,
                  .block = block,
                  .keep = keep,
                  .panels = panels,
                  .words = words,
                  .rows = ret_rows };

  if (panels == NULL || words == NULL)
    return FALSE;
  assay_parallel_for (pieces, rank_block, &job);
  return TRUE;
}

static gboolean
rank_best (AssayView queries, const AssaySearchSet *set, gsize keep, gint64 *ret_rows,
           GError **error)
{
  g_autoptr (AssayNearest) best
      = assay_search_products (ASSAY_SEARCH_PRODUCT, queries, set, keep, error);

  for (gsize i = 0; best != NULL && i < queries.rows * keep; i++)
    ret_rows[i] = (gint64) best->rows[i];
  return best != NULL;
}

/* Pools of the best cost less than scores of all and sorting them, unless they hold most. */
static gboolean
is_most (gsize keep, gsize m)
{
  return keep > m / 8;
}

gboolean
mixture_rank (AssayView queries, AssayView set, gsize keep, gint64 *ret_rows, GError **error)
{
  g_autoptr (AssayRows) rows = assay_rows_borrow (set);

  g_return_val_if_fail (keep >= 1 && keep <= set.rows && set.rows <= G_MAXUINT32, FALSE);
  return is_most (keep, set.rows)
             ? rank_all (queries, set, keep, ret_rows, error)
             : rank_best (queries, &(AssaySearchSet){ .rows = rows }, keep, ret_rows, error);
}

/* ---- The game link ---- */

static gboolean
rank_streamed (const MixtureOptions *options, const AssayObservation *seen,
               AssayMatrix *inout_images, gsize keep, gint64 *ret_rows, GError **error)
{
  g_auto (MixtureSpace) space = { 0 };
  const AssaySearchSet set = { .rows = seen->public_rows,
                               .scale = assay_release_scale (seen->release),
                               .shape = mixture_space_shape,
                               .data = &space };

  if (!mixture_space_stream (options, set.rows, set.scale, &space, error))
    return FALSE;
  mixture_space_enter (&space, inout_images);
  return rank_best (assay_matrix_view (inout_images), &set, keep, ret_rows, error);
}

gboolean
mixture_rank_public (const MixtureOptions *options, const AssayObservation *seen,
                     AssayMatrix *inout_images, gsize keep, gint64 *ret_rows, GError **error)
{
  g_autoptr (AssayMatrix) set = mixture_public (seen->release, seen->public_rows, error);
  g_autoptr (AssayMatrix) whitened = NULL;
  g_auto (MixtureSpace) space = { 0 };

  if (set == NULL || !mixture_space_learn (options, set, &space, error)
      || !mixture_space_whiten (&space, set, &whitened, error))
    return FALSE;
  if (whitened != NULL)
    g_clear_pointer (&set, assay_matrix_free);
  mixture_space_enter (&space, inout_images);
  return mixture_rank (assay_matrix_view (inout_images),
                       assay_matrix_view (whitened != NULL ? whitened : set), keep, ret_rows,
                       error);
}

/* P is learned from all public images and changes them all; where most are ranked, their features
 * are read many times. */
static gboolean
are_held (const MixtureOptions *options, gsize keep, gsize m, gsize cols)
{
  return options->whiten
         || (is_most (keep, m) && (guint64) m * cols <= HELD_BYTES / sizeof (float));
}

/* The length of a mixture changes no order of its candidates: they are features, but not of unit
 * length. */
void
mixture_take_candidates (AssayGuess *ret_guess, gsize n, gsize keep, gint64 *candidates)
{
  assay_arrays_take_rows (&ret_guess->arrays, "candidates", ASSAY_INT64, n, keep, candidates);
}

gboolean
mixture_link (const MixtureOptions *options, gint64 keep, const AssayObservation *seen,
              AssayGuess *ret_guess, GError **error)
{
  const gsize m = assay_rows_count (seen->public_rows), cols = assay_rows_cols (seen->public_rows);
  const gsize count = mixture_keep (keep, m);
  g_autoptr (AssayMatrix) images = NULL;
  g_autofree gint64 *candidates = NULL;

  if (!check_public (seen->public_rows, error) || !(images = mixture_images (seen->release, error)))
    return FALSE;
  if (images->cols != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected public images of %zu pixels, found %zu", images->cols, cols);
  candidates = assay_alloc (images->rows, count * sizeof (gint64), "candidates", error);
  if (candidates == NULL
      || !(are_held (options, count, m, cols) ? mixture_rank_public : rank_streamed) (
          options, seen, images, count, candidates, error))
    return FALSE;
  mixture_take_candidates (ret_guess, images->rows, count, g_steal_pointer (&candidates));
  return TRUE;
}

/* ---- Pairs ---- */

typedef struct {
  AssayView left;
  AssayView right;
  gsize block;
  float *panels;
  float *scores;
} Pairing;

/* The rows of a block with all rows from its first on: the upper triangle of the products. */
static void
pair_block (gsize index, guint worker, gpointer data)
{
  const Pairing *job = data;
  const gsize n = job->left.rows, first = index * job->block, rest = n - first;
  const gsize count = MIN (job->block, rest);
  float *panel = job->panels + (gsize) worker * job->block * n;

  assay_linalg_product (ASSAY_NT, assay_view_rows (job->left, first, count),
                        assay_view_rows (job->right, first, rest), panel, rest);
  for (gsize i = 0; i < count && first + i + 1 < n; i++) {
    const gsize row = first + i;

    memcpy (job->scores + row * (2 * n - row - 1) / 2, panel + i * rest + i + 1,
            (n - row - 1) * sizeof (float));
  }
}

gboolean
mixture_pair_products (AssayView left, AssayView right, float *ret_scores, GError **error)
{
  const gsize block = panel_rows (left.rows, BLOCK), pieces = (left.rows + block - 1) / block;
  const gsize workers = MIN (assay_parallel_threads (), pieces);
  g_autofree float *panels
      = assay_alloc (workers, block * left.rows * sizeof (float), "scores of pairs", error);
  Pairing job
      = { .left = left, .right = right, .block = block, .panels = panels, .scores = ret_scores };

  if (panels == NULL)
    return FALSE;
  assay_parallel_for (pieces, pair_block, &job);
  return TRUE;
}
