/* What is left of a mixture when its public images are taken away (InstaHide, Huang, Song, Li and
 * Arora 2020, section 2.2: "once the correct x_i's and their coefficients have been guessed, we
 * obtain x up to a linear scaling").
 *
 * Release: mixtures x~ = lambda_1 x + sum_j lambda_j z_j, N x d, without a mask. Knowledge: public
 * images z, M x d, whose mean image is m. For each x~:
 *   1. the public image of largest inner product with what is left (at first, x~) is added to
 *      those found (orthogonal matching pursuit: Pati, Rezaiifar and Krishnaprasad 1993);
 *   2. coefficients of all that were found by least squares:
 *      x~ - m = sum_j lambda_j (z_j - m) + r;
 *   3. r is what is left; `partners` rounds.
 * As coefficients sum to 1, lambda_1 = 1 - sum_j lambda_j, and the estimate is m + r / lambda_1.
 *
 * Several mixtures of one secret (grant `groups`): m + sum_t lambda_1t r_t / sum_t lambda_1t^2,
 * least squares again. Estimates stand in the order of the mixtures, with groups in that of the
 * secrets. */
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define MOST_PARTNERS 63
#define LEAST_SHARE 0.05 /* of a secret in its mixture: below, an estimate would be noise */
#define RIDGE 1e-6       /* equal public images must not make the least squares singular */

typedef struct {
  gint64 partners;
  bool level;
  MIXTURE_SETTINGS;
} Subtract;

typedef struct {
  AssayMatrix *mixtures; /* less the mean image */
  AssayMatrix *others;   /* public images, less it too */
  AssayMatrix *left;     /* r */
  gint64 *chosen;        /* N x partners: rows of others */
  double *shares;        /* N: lambda_1 */
  gsize partners;
  gsize n_found;
} Pursuit;

/* Least squares on what was found for one mixture; what is left of it, and of its coefficients. */
static void
subtract_found (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Pursuit *job = data;
  const gsize p = job->n_found, cols = job->mixtures->cols;
  const float *mixture = assay_matrix_row (job->mixtures, index);
  float *left = assay_matrix_row (job->left, index);
  double gram[MOST_PARTNERS * MOST_PARTNERS], right[MOST_PARTNERS];
  double trace = 0;

  for (gsize a = 0; a < p; a++) {
    const float *image
        = assay_matrix_row (job->others, (gsize) job->chosen[index * job->partners + a]);

    right[a] = assay_dot (image, mixture, cols);
    for (gsize b = 0; b <= a; b++)
      gram[a * p + b] = assay_dot (
          image, assay_matrix_row (job->others, (gsize) job->chosen[index * job->partners + b]),
          cols);
    trace += gram[a * p + a];
  }
  for (gsize a = 0; a < p; a++)
    gram[a * p + a] += RIDGE * trace;
  memcpy (left, mixture, cols * sizeof (float));
  job->shares[index] = 1;
  if (!(trace > 0) || !assay_linalg_solve_spd (p, 1, gram, right, NULL))
    return;
  for (gsize a = 0; a < p; a++) {
    const float *image
        = assay_matrix_row (job->others, (gsize) job->chosen[index * job->partners + a]);

    job->shares[index] -= right[a];
    for (gsize j = 0; j < cols; j++)
      left[j] = (float) (left[j] - right[a] * image[j]);
  }
  job->shares[index] = CLAMP (job->shares[index], LEAST_SHARE, 1);
}

/* Adds to each mixture's list the best of its candidates that is not in it. */
static void
add_first_new (Pursuit *job, const gint64 *candidates, gsize keep)
{
  for (gsize i = 0; i < job->mixtures->rows; i++) {
    gint64 *chosen = job->chosen + i * job->partners;
    gboolean is_new = FALSE;

    for (gsize c = 0; c < keep && !is_new; c++) {
      is_new = TRUE;
      for (gsize a = 0; a < job->n_found; a++)
        is_new &= chosen[a] != candidates[i * keep + c];
      if (is_new)
        chosen[job->n_found] = candidates[i * keep + c];
    }
  }
  job->n_found++;
}

static gboolean
pursue (const MixtureSpace *space, AssayView features, AssayView mean, Pursuit *job, GError **error)
{
  const gsize n = job->mixtures->rows;
  g_autofree gint64 *candidates
      = assay_alloc (n, job->partners * sizeof (gint64), "candidates", error);

  if (candidates == NULL)
    return FALSE;
  while (job->n_found < job->partners) {
    const gsize keep = job->n_found + 1;
    g_autoptr (AssayMatrix) queries = assay_matrix_copy (assay_matrix_view (job->left), error);

    if (queries == NULL)
      return FALSE;
    /* The features are those of images, with their mean. */
    for (gsize i = 0; i < n; i++)
      for (gsize j = 0; j < queries->cols; j++)
        assay_matrix_row (queries, i)[j] += mean.data[j];
    mixture_space_enter (space, queries);
    if (!mixture_rank (assay_matrix_view (queries), features, keep, candidates, error))
      return FALSE;
    add_first_new (job, candidates, keep);
    assay_parallel_for (n, subtract_found, job);
  }
  return TRUE;
}

/* m + sum_t lambda_1t r_t / sum_t lambda_1t^2 over the mixtures of each secret. */
static AssayMatrix *
combine (const Pursuit *job, const gint64 *groups, AssayView mean, GError **error)
{
  const gsize n = job->mixtures->rows, cols = job->mixtures->cols;
  gsize n_estimates = groups == NULL ? n : 0;
  g_autofree double *weights = NULL;
  g_autoptr (AssayMatrix) estimates = NULL;

  for (gsize i = 0; i < n && groups != NULL; i++)
    n_estimates = MAX (n_estimates, (gsize) groups[i] + 1);
  weights = assay_alloc (n_estimates, sizeof (double), "estimates", error);
  estimates = assay_matrix_new (n_estimates, cols, error);
  if (weights == NULL || estimates == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    const gsize to = groups != NULL ? (gsize) groups[i] : i;
    float *estimate = assay_matrix_row (estimates, to);

    weights[to] += job->shares[i] * job->shares[i];
    for (gsize j = 0; j < cols; j++)
      estimate[j] += (float) (job->shares[i] * assay_matrix_row (job->left, i)[j]);
  }
  for (gsize i = 0; i < n_estimates; i++)
    for (gsize j = 0; j < cols; j++) {
      float *value = assay_matrix_row (estimates, i) + j;

      *value = mean.data[j] + (weights[i] > 0 ? (float) (*value / weights[i]) : 0);
    }
  return g_steal_pointer (&estimates);
}

/* The mean of the rows, which is taken away from them and from @mixtures. */
static AssayMatrix *
take_mean (AssayMatrix *others, AssayMatrix *mixtures, GError **error)
{
  g_autoptr (AssayMatrix) mean = assay_matrix_new (1, others->cols, error);

  for (gsize j = 0; mean != NULL && j < others->cols; j++) {
    double sum = 0;

    for (gsize i = 0; i < others->rows; i++)
      sum += others->data[i * others->cols + j];
    mean->data[j] = (float) (sum / (double) others->rows);
    for (gsize i = 0; i < others->rows; i++)
      others->data[i * others->cols + j] -= mean->data[j];
    for (gsize i = 0; i < mixtures->rows; i++)
      mixtures->data[i * others->cols + j] -= mean->data[j];
  }
  return g_steal_pointer (&mean);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Subtract *settings = context->settings;
  const MixtureOptions options
      = MIXTURE_OPTIONS (settings, .form = MIXTURE_PLAIN, .level = settings->level);
  g_autoptr (AssayMatrix) others = mixture_public (seen->release, seen->public_rows, error);
  g_autoptr (AssayMatrix) mixtures = others != NULL ? mixture_images (seen->release, error) : NULL;
  g_autoptr (AssayMatrix) left = mixtures != NULL ? mixture_images (seen->release, error) : NULL;
  g_autoptr (AssayMatrix) features
      = left != NULL ? assay_matrix_copy (assay_matrix_view (others), error) : NULL;
  g_autoptr (AssayMatrix) whitened = NULL;
  g_autoptr (AssayMatrix) mean = NULL;
  g_autoptr (AssayMatrix) estimates = NULL;
  g_autofree gint64 *chosen = NULL;
  g_autofree double *shares = NULL;
  g_auto (MixtureSpace) space = { 0 };
  Pursuit job = { .mixtures = mixtures, .others = others, .left = left };

  if (features == NULL || (mean = take_mean (others, mixtures, error)) == NULL)
    return FALSE;
  memcpy (left->data, mixtures->data, left->rows * left->cols * sizeof (float));
  job.partners = MIN ((gsize) settings->partners, others->rows);
  job.chosen = chosen = assay_alloc (left->rows, job.partners * sizeof (gint64), "found", error);
  job.shares = shares = assay_alloc (left->rows, sizeof (double), "found", error);
  if (chosen == NULL || shares == NULL || !mixture_space_learn (&options, features, &space, error)
      || !mixture_space_whiten (&space, features, &whitened, error)
      || !pursue (&space, assay_matrix_view (whitened != NULL ? whitened : features),
                  assay_matrix_view (mean), &job, error))
    return FALSE;
  estimates = combine (&job, seen->groups, assay_matrix_view (mean), error);
  if (estimates == NULL)
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

/* As many public images in each as are looked for: with fewer, some of the secret goes with what is
 * taken away for nothing. */
ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, Subtract, .n_secrets = 16,
               .n_public = 200, .side = 40, .n_partners = MIN ((gsize) settings->partners, 4))

ASSAY_ATTACK (inner_product_subtract, "inner-product-subtract",
  .summary = "Find the public images of a mixture, fit their coefficients, and subtract them",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 2.2" },
  ASSAY_SETTINGS (Subtract,
    ASSAY_PARAM_INT (Subtract, partners, 3, 1, MOST_PARTNERS, "public images",
                     "Public images that are looked for in each mixture and subtracted"),
    MIXTURE_PARAMETERS (Subtract)),
  .holds = { .items = 4, .publics = 4, .columns = 5, .columns_under = "whiten" },
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "a Gaussian image is recovered from its mixture with public ones",
               .make = make_control,
               .at_least = 0.6,
               .within = 0.5 });
