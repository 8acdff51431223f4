#include "attacks/generators/public-draws.h"

#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "attacks/mixtures/mixture-scores.h"
#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/math/linalg.h"
#include "core/math/mixture.h"

#define PIECE (gsize) 64 /* seeds that one thread tries at a time */
#define MOST_MIXTURES (gsize) 256
#define MOST_SCORES ((gsize) 1 << 24)
#define WHITENED_PIXELS 1024 /* a covariance of more costs more than the search */
#define SLOW_PUBLIC 4096
#define LEAST_LEFT 0.05 /* of a mixture; its private part is not divided by less */

/* How a sum has to do after 2, 4, 8, ... mixtures. */
static const double least_so_far[] = { 0, 0.5, 1.25, 2, 2.5 };

gboolean
public_draws_shape (const AssayObservation *seen, DealShape *ret_shape)
{
  const AssayRelease *release = seen->release;
  const gint64 *k, *p;
  const double *most;

  if (release->kind != ASSAY_RELEASE_MIXTURES || seen->public_rows == NULL)
    return FALSE;
  k = ASSAY_PARAMETER (release, AssayMixturesParameters, k);
  p = ASSAY_PARAMETER (release, AssayMixturesParameters, partners);
  most = ASSAY_PARAMETER (release, AssayMixturesParameters, max_coefficient);
  if (k == NULL || p == NULL || *p < 1 || *p > *k || *k > ASSAY_MIXTURE_MAX_IMAGES
      || (gsize) *p > assay_rows_count (seen->public_rows)
      || assay_rows_count (seen->public_rows) >= G_MAXINT32)
    return FALSE;
  *ret_shape = (DealShape){ .n = assay_arrays_get (&release->arrays, "images")->shape[0],
                            .n_public = (guint32) assay_rows_count (seen->public_rows),
                            .k = (guint) *k,
                            .p = (guint) *p,
                            .max_coefficient = most != NULL && *most > 0 ? *most : 1 };
  return TRUE;
}

/* ---- Scores ---- */

typedef struct {
  const SeedRange *range;
  const DealShape *shape;
  gsize n_scored;   /* mixtures */
  float *scores;    /* n_scored x n_public */
  DrawsFound *best; /* of each piece */
} Search;

/* The first mixtures. */
static AssayMatrix *
first_images (const AssayRelease *release, gsize count, GError **error)
{
  const AssayView all = assay_array_view (assay_arrays_get (&release->arrays, "images"));

  return assay_matrix_copy (assay_view_rows (all, 0, count), error);
}

/* Where nobody says, it is taken for masked: absolute values tell of images without a mask, too. */
gboolean
public_draws_are_masked (const AssayRelease *release)
{
  const bool *mask = ASSAY_PARAMETER (release, AssayMixturesParameters, mask);

  return mask == NULL || *mask;
}

static gboolean
score_public (const AssayObservation *seen, Search *search, GError **error)
{
  const gsize m = search->shape->n_public, n = search->n_scored;
  g_autoptr (AssayMatrix) images = first_images (seen->release, n, error);
  g_autofree gint64 *order = assay_alloc (n, m * sizeof (gint64), "ranks", error);
  const MixtureOptions options
      = { .form = public_draws_are_masked (seen->release) ? MIXTURE_ABSOLUTE : MIXTURE_PLAIN,
          .level = TRUE,
          .centre = TRUE,
          .whiten = images != NULL && images->cols <= WHITENED_PIXELS,
          .shrinkage = 0.1,
          .unit = TRUE };

  if (images == NULL || order == NULL)
    return FALSE;
  if (images->cols != assay_rows_cols (seen->public_rows))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected public images of %zu pixels, found %zu", images->cols,
                       assay_rows_cols (seen->public_rows));
  if (!mixture_rank_public (&options, seen, images, m, order, error))
    return FALSE;
  for (gsize rank = 0; rank < m; rank++) {
    const float score = (float) qnorm (((double) rank + 0.5) / (double) m, 0, 1, FALSE, FALSE);

    for (gsize i = 0; i < n; i++)
      search->scores[i * m + (gsize) order[i * m + rank]] = score;
  }
  return TRUE;
}

/* ---- The search ---- */

/* Those that differ: weights that are not drawn are of no kind. */
static gboolean
next_dealing (Dealing *inout)
{
  do {
    inout->is_normal = !inout->is_normal;
    if (inout->is_normal)
      continue;
    if (++inout->order > DEAL_FIRST) {
      inout->order = DEAL_NO_WEIGHTS;
      if (++inout->method > DEAL_DECK)
        return FALSE;
    }
  } while ((inout->order == DEAL_NO_WEIGHTS && inout->is_normal)
           || (inout->method == DEAL_DECK
               && (inout->order == DEAL_BEFORE || inout->order == DEAL_AFTER)));
  return TRUE;
}

static gboolean
is_tried (const Search *search, const Dealing *dealing, KnownGenerator generator)
{
  return (search->range->generator == 0 || search->range->generator == 1 + generator)
         && dealing_is_possible (dealing, generator)
         && (dealing->order == DEAL_NO_WEIGHTS || search->shape->n_public <= SLOW_PUBLIC
             || !dealing_is_slow (dealing, generator));
}

/* Deviations of what @dealer draws, which has begun; 0: given up. */
static double
score_seed (const Search *search, Dealer *dealer)
{
  const guint p = search->shape->p;
  guint32 drawn[ASSAY_MIXTURE_MAX_IMAGES];
  gsize looks = 0;
  double sum = 0;

  for (gsize i = 0; i < search->n_scored; i++) {
    const float *scores = search->scores + i * search->shape->n_public;

    dealer_next (dealer, drawn);
    for (guint j = 0; j < p; j++)
      sum += (double) scores[drawn[j]];
    if (i + 1 == (gsize) 2 << looks && looks < G_N_ELEMENTS (least_so_far))
      if (sum < least_so_far[looks++] * sqrt ((double) ((i + 1) * p)))
        return 0;
  }
  return sum / sqrt ((double) search->n_scored * p);
}

static void
try_seed (const Search *search, const KnownState *seeded, guint32 seed, Dealer *dealer,
          DrawsFound *best)
{
  Dealing dealing = { .method = DEAL_EACH };

  do {
    double score;

    if (!is_tried (search, &dealing, seeded->which))
      continue;
    dealer->dealing = dealing;
    dealer_begin (dealer, seeded, seed);
    score = score_seed (search, dealer);
    if (score > best->score)
      *best = (DrawsFound){ seeded->which, dealing, seed, score };
  } while (next_dealing (&dealing));
}

static gboolean
try_seeds (gsize piece, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Search *search = data;
  const gsize first = piece * PIECE, end = MIN (first + PIECE, search->range->seeds);
  g_autofree guint32 *room
      = assay_alloc (search->shape->n_public, sizeof (guint32), "permutation", error);
  Dealer dealer = { .shape = search->shape, .room = room };
  DrawsFound best = { .score = 0 };

  if (room == NULL)
    return FALSE;
  for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
    for (gsize s = first; s < end; s++) {
      const guint32 seed = search->range->first_seed + (guint32) s;
      KnownState seeded;

      known_generator_seed (&seeded, generator, seed);
      try_seed (search, &seeded, seed, &dealer, &best);
    }
  search->best[piece] = best;
  return TRUE;
}

static double
count_tries (const Search *search)
{
  Dealing dealing = { .method = DEAL_EACH };
  guint combinations = 0;

  do
    for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
      combinations += is_tried (search, &dealing, generator) ? 1 : 0;
  while (next_dealing (&dealing));
  return (double) combinations * (double) search->range->seeds;
}

gboolean
public_draws_search (const SeedRange *range, const DealShape *shape, const AssayObservation *seen,
                     DrawsFound *ret_found, GError **error)
{
  const gsize pieces = assay_pieces (range->seeds, PIECE);
  const gsize n_scored = MIN (shape->n, CLAMP (MOST_SCORES / shape->n_public, 16, MOST_MIXTURES));
  g_autofree DrawsFound *best = assay_alloc (pieces, sizeof (DrawsFound), "seeds", error);
  g_autofree float *scores
      = assay_alloc (n_scored, shape->n_public * sizeof (float), "scores", error);
  Search search
      = { .range = range, .shape = shape, .n_scored = n_scored, .scores = scores, .best = best };
  DrawsFound found = { .score = 0 };

  if (best == NULL || scores == NULL || !score_public (seen, &search, error)
      || !assay_parallel_try (pieces, try_seeds, &search, error))
    return FALSE;
  for (gsize i = 0; i < pieces; i++)
    if (best[i].score > MAX (found.score, seed_least_score (count_tries (&search), 0)))
      found = best[i];
  *ret_found = found;
  return TRUE;
}

/* ---- What was found ---- */

gint64 *
public_draws_all (const DealShape *shape, const DrawsFound *found, GError **error)
{
  g_autofree gint64 *all = assay_alloc (shape->n, shape->p * sizeof (gint64), "draws", error);
  g_autofree guint32 *room = assay_alloc (shape->n_public, sizeof (guint32), "permutation", error);
  Dealer dealer = { .shape = shape, .dealing = found->dealing, .room = room };
  KnownState seeded;
  guint32 drawn[ASSAY_MIXTURE_MAX_IMAGES];

  if (all == NULL || room == NULL)
    return NULL;
  known_generator_seed (&seeded, found->generator, found->seed);
  dealer_begin (&dealer, &seeded, found->seed);
  for (gsize i = 0; i < shape->n; i++) {
    dealer_next (&dealer, drawn);
    for (guint j = 0; j < shape->p; j++)
      all[i * shape->p + j] = (gint64) drawn[j];
  }
  return g_steal_pointer (&all);
}

/* sum (a_i - a_(i+step)) (b_i - b_(i+step)) */
static double
product_of_differences (const float *a, const float *b, gsize d, gsize step)
{
  double sum = 0;

  for (gsize i = 0; i + step < d; i++)
    sum += ((double) a[i] - (double) a[i + step]) * ((double) b[i] - (double) b[i + step]);
  return sum;
}

/* The public images of one mixture. */
typedef struct {
  const float *images[ASSAY_MIXTURE_MAX_IMAGES];
  guint p;
  gsize d;
  gsize step; /* to the next pixel */
} Mixed;

/* The share of each in @row. */
static gboolean
find_shares (const Mixed *mixed, const float *row, double *ret_shares, GError **error)
{
  double matrix[ASSAY_MIXTURE_MAX_IMAGES * ASSAY_MIXTURE_MAX_IMAGES];
  const guint p = mixed->p;

  for (guint i = 0; i < p; i++) {
    const float *image = mixed->images[i];

    for (guint j = 0; j < p; j++)
      matrix[i * p + j] = product_of_differences (image, mixed->images[j], mixed->d, mixed->step);
    matrix[i * p + i] = matrix[i * p + i] * (1 + 1e-9) + 1e-30;
    ret_shares[i] = product_of_differences (image, row, mixed->d, mixed->step);
  }
  return assay_linalg_solve_spd (p, 1, matrix, ret_shares, error);
}

static gboolean
remove_from (const Mixed *mixed, float *inout_row, GError **error)
{
  double shares[ASSAY_MIXTURE_MAX_IMAGES], left = 1;

  if (!find_shares (mixed, inout_row, shares, error))
    return FALSE;
  for (guint j = 0; j < mixed->p; j++) {
    const double share = CLAMP (shares[j], 0, 1);

    left -= share;
    for (gsize c = 0; c < mixed->d; c++)
      inout_row[c] -= (float) (share * (double) mixed->images[j][c]);
  }
  for (gsize c = 0; c < mixed->d; c++)
    inout_row[c] /= (float) MAX (left, LEAST_LEFT);
  return TRUE;
}

gboolean
public_draws_remove (const DealShape *shape, const AssayObservation *seen, const gint64 *drawn,
                     AssayMatrix *inout_rows, GError **error)
{
  g_autoptr (AssayMatrix) images = mixture_public (seen->release, seen->public_rows, error);
  Mixed mixed
      = { .p = shape->p, .d = inout_rows->cols, .step = MAX (seen->release->geometry.channels, 1) };

  for (gsize i = 0; images != NULL && i < inout_rows->rows; i++) {
    for (guint j = 0; j < shape->p; j++)
      mixed.images[j] = assay_matrix_row (images, (gsize) drawn[i * shape->p + j]);
    if (!remove_from (&mixed, assay_matrix_row (inout_rows, i), error))
      return FALSE;
  }
  return images != NULL;
}

char *
public_draws_describe (const DrawsFound *found)
{
  g_autofree char *dealing = dealing_describe (&found->dealing);

  return g_strdup_printf ("seed %u of %s, %s; %.0f deviations off chance", found->seed,
                          known_generator_calls[found->generator], dealing, found->score);
}
