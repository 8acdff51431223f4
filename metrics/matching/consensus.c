/* RANSAC. */
#include "metrics/matching/consensus.h"

#include <math.h>
#include <string.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#define MAX_ROUNDS 10
#define MAX_FALSE_ALARMS 1e-3

typedef struct {
  const ConsensusProblem *problem;
  double square;                       /* of the threshold */
  double model[MAX_CONSENSUS_NUMBERS]; /* the best so far */
  double cost;
  gboolean *is_inlier;
  gsize *inliers;  /* those matches */
  gsize n_inliers; /* 0: there is none yet */
} Search;

/* Makes a model the best; TRUE where other matches agree with it than with the one before. */
static gboolean
take (Search *search, const double *model, double cost)
{
  const ConsensusProblem *problem = search->problem;
  gboolean is_other = FALSE;

  memcpy (search->model, model, problem->numbers * sizeof (double));
  search->cost = cost;
  search->n_inliers = 0;
  for (gsize i = 0; i < problem->n; i++) {
    const gboolean is_inlier = problem->error (problem->data, model, i) < search->square;

    is_other |= is_inlier != search->is_inlier[i];
    search->is_inlier[i] = is_inlier;
    if (is_inlier)
      search->inliers[search->n_inliers++] = i;
  }
  return is_other;
}

typedef gboolean (*Fit) (gconstpointer data, const gsize *which, gsize n, double *model);

/* Fits the best model to the matches that agree with it until they stay the same. */
static void
improve (Search *search, Fit fit)
{
  const ConsensusProblem *problem = search->problem;

  for (gsize round = 0; round < MAX_ROUNDS; round++) {
    double model[MAX_CONSENSUS_NUMBERS], cost;

    memcpy (model, search->model, sizeof model);
    if (!fit (problem->data, search->inliers, search->n_inliers, model))
      return;
    cost = problem->cost (problem->data, model, search->square, search->cost);
    if (!(cost < search->cost) || !take (search, model, cost))
      return;
  }
}

/* How many samples leave a chance of 1 - confidence that none agrees in all of its matches. */
static double
samples_needed (const Search *search, double confidence)
{
  const double share = (double) search->n_inliers / (double) search->problem->n;

  return log1p (-confidence) / log1p (-pow (share, (double) search->problem->sample));
}

/* Whether wrong matches alone would hardly agree like this. */
static gboolean
is_meaningful (const Search *search)
{
  const ConsensusProblem *problem = search->problem;
  const double n = (double) problem->n, k = (double) problem->sample;
  const double agree = (double) search->n_inliers;

  if (search->n_inliers == problem->n)
    return TRUE;
  if (search->n_inliers <= problem->sample)
    return FALSE;
  return lchoose (n, k) + log ((double) problem->models)
             + pbinom (agree - k - 1, n - k, problem->chance, FALSE, TRUE)
         <= log (MAX_FALSE_ALARMS);
}

/* Tries the models of one sample; TRUE where one of them is the best so far. */
static gboolean
try_sample (Search *search, const gsize *chosen)
{
  const ConsensusProblem *problem = search->problem;
  double models[MAX_CONSENSUS_MODELS * MAX_CONSENSUS_NUMBERS];
  const gsize count = problem->solve (problem->data, chosen, models);
  gboolean is_better = FALSE;

  for (gsize i = 0; i < count; i++) {
    const double *model = models + i * problem->numbers;
    const double cost = problem->cost (problem->data, model, search->square, search->cost);

    if (!(cost < search->cost))
      continue;
    take (search, model, cost);
    is_better = TRUE;
  }
  return is_better;
}

gboolean
consensus_find (const ConsensusProblem *problem, const AssayRansac *ransac, AssayStream *stream,
                double *ret_model, gboolean *ret_is_inlier)
{
  g_autofree gboolean *is_inlier = g_new0 (gboolean, problem->n);
  g_autofree gsize *inliers = g_new (gsize, problem->n);
  Search search = { .problem = problem,
                    .square = ransac->threshold * ransac->threshold,
                    .cost = INFINITY,
                    .is_inlier = is_inlier,
                    .inliers = inliers };
  double needed = INFINITY;

  g_return_val_if_fail (ransac->threshold > 0 && ransac->confidence > 0 && ransac->confidence < 1,
                        FALSE);
  if (problem->n < problem->sample)
    return FALSE;
  for (gsize i = 0; i < ransac->max_iterations && (double) i < needed; i++) {
    gsize chosen[MAX_CONSENSUS_SAMPLE];

    assay_stream_choose (stream, problem->n, problem->sample, chosen);
    if (!try_sample (&search, chosen))
      continue;
    improve (&search, problem->fit);
    needed = samples_needed (&search, ransac->confidence);
  }
  if (search.n_inliers == 0)
    return FALSE;
  improve (&search, problem->refine);
  if (!ransac->keeps_chance && !is_meaningful (&search))
    return FALSE;
  memcpy (ret_model, search.model, problem->numbers * sizeof (double));
  if (ret_is_inlier != NULL)
    memcpy (ret_is_inlier, is_inlier, problem->n * sizeof *is_inlier);
  return TRUE;
}
