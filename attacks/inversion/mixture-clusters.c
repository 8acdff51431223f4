/* Neighbours, candidates, centres, pairs. */
#include "attacks/inversion/mixture-clusters.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define PANEL 128
#define MOST_NEIGHBOURS 40
#define CANDIDATES_EACH 24 /* candidates a secret that centres are chosen among */
#define NEAR 0.7f          /* inner product of candidates that are about the same secret */
#define TAKEN 0.6f         /* ... and of those that may be */
#define MEANS_ROUNDS 10
#define SPLIT_ROUNDS 15
#define EXPLAIN_ROUNDS 2
#define SHORTLIST 12
#define FAILURES 4       /* replacements that do not help before the centres are left as they are */
#define LEAST_GAIN 0.001 /* share more that is explained for a replacement to help */

/* Scales to length 1; a row of zeros stays what it is. */
static void
scale_to_unit (float *row, gsize n)
{
  const double length = sqrt (assay_dot (row, row, n));

  for (gsize i = 0; length > 0 && i < n; i++)
    row[i] = (float) (row[i] / length);
}

/* ---- Candidates ---- */

typedef struct {
  AssayView embedding;
  gsize n_neighbours;
  float *candidates; /* N x 2 x r */
} Candidates;

/* The numbers of the @keep largest of @values, in descending order, apart from @without. */
static void
take_largest (const float *values, gsize n, gsize without, gsize keep, guint32 *ret_numbers)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++) {
    gsize at;

    if (i == without || (count == keep && values[i] <= values[ret_numbers[keep - 1]]))
      continue;
    at = count < keep ? count++ : keep - 1;
    for (; at > 0 && values[ret_numbers[at - 1]] < values[i]; at--)
      ret_numbers[at] = ret_numbers[at - 1];
    ret_numbers[at] = (guint32) i;
  }
}

/* Splits the rows by their component along the leading direction of their covariance. */
static void
split (const float *rows, gsize n, gsize r, gboolean *ret_is_first)
{
  double gram[MOST_NEIGHBOURS][MOST_NEIGHBOURS], means[MOST_NEIGHBOURS] = { 0 };
  double direction[MOST_NEIGHBOURS], next[MOST_NEIGHBOURS], all = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      gram[i][j] = gram[j][i] = assay_dot (rows + i * r, rows + j * r, r);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      means[i] += gram[i][j] / (double) n;
  for (gsize i = 0; i < n; i++)
    all += means[i] / (double) n;
  for (gsize i = 0; i < n; i++)
    direction[i] = gram[i][0] - means[i] - means[0] + all;
  for (gsize round = 0; round < SPLIT_ROUNDS; round++) {
    double square = 0;

    for (gsize i = 0; i < n; i++) {
      next[i] = 0;
      for (gsize j = 0; j < n; j++)
        next[i] += (gram[i][j] - means[i] - means[j] + all) * direction[j];
      square += next[i] * next[i];
    }
    for (gsize i = 0; square > 0 && i < n; i++)
      direction[i] = next[i] / sqrt (square);
  }
  for (gsize i = 0; i < n; i++)
    ret_is_first[i] = direction[i] > 0;
}

static void
find_candidates (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Candidates *job = data;
  const AssayView embedding = job->embedding;
  const gsize n = embedding.rows, r = embedding.cols, k = job->n_neighbours;
  const gsize first = index * PANEL, height = MIN (PANEL, n - first);
  g_autofree float *products = g_new (float, height *n);
  g_autofree float *rows = g_new (float, k *r);

  assay_linalg_product (ASSAY_NT, assay_view_rows (embedding, first, height), embedding, products,
                        n);
  for (gsize t = 0; t < height; t++) {
    float *candidates = job->candidates + 2 * (first + t) * r;
    guint32 neighbours[MOST_NEIGHBOURS];
    gboolean is_first[MOST_NEIGHBOURS];

    take_largest (products + t * n, n, first + t, k, neighbours);
    for (gsize i = 0; i < k; i++)
      memcpy (rows + i * r, assay_view_row (embedding, neighbours[i]), r * sizeof *rows);
    split (rows, k, r, is_first);
    for (gsize i = 0; i < k; i++)
      for (gsize j = 0; j < r; j++)
        candidates[(is_first[i] ? 0 : r) + j] += rows[i * r + j];
    scale_to_unit (candidates, r);
    scale_to_unit (candidates + r, r);
  }
}

/* ---- Centres ---- */

typedef struct {
  gsize m;
  gsize r;
  const float *rows; /* candidates, m x r */
  float *products;   /* m x m */
} Density;

/* The densest candidate that is free; then those about it are free no more. */
static gsize
take_densest (const Density *job, gboolean *is_free, gint32 *counts)
{
  gsize best = 0;
  gint32 most = -1;

  for (gsize i = 0; i < job->m; i++)
    if (is_free[i] && counts[i] > most) {
      most = counts[i];
      best = i;
    }
  for (gsize i = 0; i < job->m; i++) {
    const float *row = job->products + i * job->m;

    if (!is_free[i] || (i != best && row[best] <= TAKEN))
      continue;
    is_free[i] = FALSE;
    for (gsize j = 0; j < job->m; j++)
      counts[j] -= row[j] > NEAR;
  }
  return best;
}

static gboolean
choose_centres (const Density *job, gsize n, float *ret_centres, GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  gboolean *is_free = assay_arena_alloc (&arena, job->m, sizeof (gboolean), "centres", error);
  gint32 *counts = assay_arena_alloc (&arena, job->m, sizeof (gint32), "centres", error);

  if (arena.has_failed)
    return FALSE;
  for (gsize i = 0; i < job->m; i++) {
    is_free[i] = TRUE;
    for (gsize j = 0; j < job->m; j++)
      counts[i] += job->products[i * job->m + j] > NEAR;
  }
  for (gsize c = 0; c < n; c++)
    memcpy (ret_centres + c * job->r, job->rows + take_densest (job, is_free, counts) * job->r,
            job->r * sizeof *ret_centres);
  return TRUE;
}

/* k-means by inner products, of rows and centres of length 1. */
static gboolean
improve_centres (const Density *job, gsize n, float *inout_centres, GError **error)
{
  const gsize r = job->r;
  g_autofree float *products = assay_alloc (job->m, n * sizeof (float), "centres", error);
  g_autofree float *sums = assay_alloc (n, r * sizeof (float), "centres", error);

  if (products == NULL || sums == NULL)
    return FALSE;
  for (gsize round = 0; round < MEANS_ROUNDS; round++) {
    memset (sums, 0, n * r * sizeof *sums);
    assay_linalg_product (ASSAY_NT, assay_view_of (job->rows, job->m, r),
                          assay_view_of (inout_centres, n, r), products, n);
    for (gsize i = 0; i < job->m; i++) {
      gsize best = 0;

      for (gsize c = 1; c < n; c++)
        if (products[i * n + c] > products[i * n + best])
          best = c;
      for (gsize j = 0; j < r; j++)
        sums[best * r + j] += job->rows[i * r + j];
    }
    for (gsize c = 0; c < n; c++)
      if (assay_dot (sums + c * r, sums + c * r, r) > 0) {
        memcpy (inout_centres + c * r, sums + c * r, r * sizeof *sums);
        scale_to_unit (inout_centres + c * r, r);
      }
  }
  return TRUE;
}

static gboolean
find_centres (AssayView embedding, gsize n, float *ret_centres, GError **error)
{
  const gsize r = embedding.cols, n_mixtures = embedding.rows;
  const gsize m = MIN (CANDIDATES_EACH * n, 2 * n_mixtures);
  const gsize sharing = 4 * n_mixtures / n;
  g_auto (AssayArena) arena = { 0 };
  float *chosen = assay_arena_alloc (&arena, m, r * sizeof (float), "candidates", error);
  Candidates job = { .embedding = embedding,
                     .n_neighbours = MIN (CLAMP (sharing / 5, 6, MOST_NEIGHBOURS), n_mixtures - 1),
                     .candidates = assay_arena_alloc (&arena, n_mixtures, 2 * r * sizeof (float),
                                                      "candidates", error) };
  Density density
      = { .m = m,
          .r = r,
          .rows = chosen,
          .products = assay_arena_alloc (&arena, m, m * sizeof (float), "candidates", error) };

  if (arena.has_failed)
    return FALSE;
  assay_parallel_for ((n_mixtures + PANEL - 1) / PANEL, find_candidates, &job);
  for (gsize i = 0; i < m; i++) /* spread evenly over all */
    memcpy (chosen + i * r, job.candidates + i * (2 * n_mixtures) / m * r, r * sizeof *chosen);
  assay_linalg_product_in_parallel (ASSAY_NT, assay_view_of (chosen, m, r),
                                    assay_view_of (chosen, m, r), density.products);
  return choose_centres (&density, n, ret_centres, error)
         && improve_centres (&density, n, ret_centres, error);
}

/* ---- Pairs ---- */

typedef struct {
  AssayView embedding;
  gsize n;
  const float *centres; /* n x r */
  const float *gram;    /* n x n */
  guint32 *pairs;
  float *shares;
  float *explained; /* N: the square of what the pair explains */
} Explanation;

/* The best non-negative combination of two centres, of those that are most like the mixture;
 * returns the square of what it explains. */
static double
explain (const Explanation *job, const float *likeness, guint32 *ret_pair, float *ret_shares)
{
  const gsize count = MIN (SHORTLIST, job->n);
  guint32 numbers[SHORTLIST];
  double most = -1;

  take_largest (likeness, job->n, G_MAXSIZE, count, numbers);
  for (gsize i = 0; i < count; i++)
    for (gsize j = i + 1; j < count; j++) {
      const double of_a = likeness[numbers[i]], of_b = likeness[numbers[j]];
      const double g = job->gram[numbers[i] * job->n + numbers[j]], left = 1 - g * g + 1e-6;
      double a = (of_a - g * of_b) / left, b = (of_b - g * of_a) / left, explained;

      if (a <= 0 || b <= 0) {
        a = MAX (of_a, 0);
        b = 0;
      }
      explained = a * of_a + b * of_b;
      if (explained <= most)
        continue;
      most = explained;
      ret_pair[0] = numbers[i];
      ret_pair[1] = numbers[j];
      ret_shares[0] = (float) a;
      ret_shares[1] = (float) b;
    }
  return most;
}

static void
explain_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Explanation *job = data;
  const gsize n = job->n, r = job->embedding.cols;
  const gsize first = index * PANEL, height = MIN (PANEL, job->embedding.rows - first);
  g_autofree float *likeness = g_new (float, height *n);

  assay_linalg_product (ASSAY_NT, assay_view_rows (job->embedding, first, height),
                        assay_view_of (job->centres, n, r), likeness, n);
  for (gsize t = 0; t < height; t++)
    job->explained[first + t] = (float) explain (
        job, likeness + t * n, job->pairs + 2 * (first + t), job->shares + 2 * (first + t));
}

/* The centres that explain the embedding best with these pairs and shares. */
static gboolean
fit_centres (const Explanation *job, float *ret_centres, GError **error)
{
  const gsize n = job->n, r = job->embedding.cols;
  g_autofree double *matrix = assay_alloc (n, n * sizeof (double), "centres", error);
  g_autofree double *right = assay_alloc (n, r * sizeof (double), "centres", error);

  if (matrix == NULL || right == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    matrix[i * n + i] = 1e-3;
  for (gsize t = 0; t < job->embedding.rows; t++)
    for (gsize i = 0; i < 2; i++) {
      const gsize a = job->pairs[2 * t + i];
      const double share = job->shares[2 * t + i];

      for (gsize j = 0; j < 2; j++)
        matrix[a * n + job->pairs[2 * t + j]] += share * job->shares[2 * t + j];
      for (gsize j = 0; j < r; j++)
        right[a * r + j] += share * assay_view_row (job->embedding, t)[j];
    }
  if (!assay_linalg_solve_spd (n, r, matrix, right, error))
    return FALSE;
  for (gsize i = 0; i < n * r; i++)
    ret_centres[i] = (float) right[i];
  for (gsize c = 0; c < n; c++)
    scale_to_unit (ret_centres + c * r, r);
  return TRUE;
}

/* Explains all mixtures by these centres, then by those that fit that best. Returns what is
 * explained of all, negative on failure. */
static double
explain_all (Explanation *job, float *centres, float *gram, GError **error)
{
  const gsize n = job->n, r = job->embedding.cols;
  double sum = 0;

  job->centres = centres;
  job->gram = gram;
  for (gsize round = 0; round < EXPLAIN_ROUNDS; round++) {
    if (round > 0 && !fit_centres (job, centres, error))
      return -1;
    assay_linalg_product (ASSAY_NT, assay_view_of (centres, n, r), assay_view_of (centres, n, r),
                          gram, n);
    assay_parallel_for ((job->embedding.rows + PANEL - 1) / PANEL, explain_panel, job);
  }
  for (gsize t = 0; t < job->embedding.rows; t++)
    sum += job->explained[t];
  return sum;
}

/* ---- Centres that were missed ---- */

/* The leading direction of what pairs leave unexplained: a secret without a centre is in all of its
 * mixtures' rests. Their cubes say which way it points. */
static gboolean
find_missed (const Explanation *job, float *ret_centre, GError **error)
{
  const gsize r = job->embedding.cols, n = job->embedding.rows;
  g_auto (AssayArena) arena = { 0 };
  double *rests = assay_arena_alloc (&arena, n, r * sizeof (double), "rests", error);
  double *square = assay_arena_alloc (&arena, r, r * sizeof (double), "rests", error);
  double *direction = assay_arena_alloc (&arena, r, sizeof (double), "rests", error);
  double value, cubes = 0;

  if (arena.has_failed)
    return FALSE;
  for (gsize t = 0; t < n; t++) {
    const float *a = job->centres + job->pairs[2 * t] * r;
    const float *b = job->centres + job->pairs[2 * t + 1] * r;

    for (gsize j = 0; j < r; j++)
      rests[t * r + j] = (double) assay_view_row (job->embedding, t)[j] - job->shares[2 * t] * a[j]
                         - job->shares[2 * t + 1] * b[j];
  }
  assay_linalg_product_double (ASSAY_TN, assay_view_of_doubles (rests, n, r),
                               assay_view_of_doubles (rests, n, r), square, r);
  if (!assay_linalg_symmetric_eigen (r, 1, square, &value, direction, error))
    return FALSE;
  for (gsize t = 0; t < n; t++) {
    double part = 0;

    for (gsize j = 0; j < r; j++)
      part += rests[t * r + j] * direction[j];
    cubes += part * part * part;
  }
  for (gsize j = 0; j < r; j++)
    ret_centre[j] = (float) (cubes < 0 ? -direction[j] : direction[j]);
  return TRUE;
}

/* The centre, of those not tried yet, without which least is lost: it explains little, or another
 * is like it. */
static gsize
find_idle (const Explanation *job, const gboolean *is_tried)
{
  const gsize n = job->n;
  g_autofree double *masses = g_new0 (double, n);
  double least = G_MAXDOUBLE;
  gsize idle = 0;

  for (gsize t = 0; t < job->embedding.rows; t++)
    for (gsize i = 0; i < 2; i++)
      masses[job->pairs[2 * t + i]] += (double) job->shares[2 * t + i] * job->shares[2 * t + i];
  for (gsize c = 0; c < n; c++) {
    double likest = 0, loss;

    for (gsize other = 0; other < n; other++)
      if (other != c)
        likest = MAX (likest, (double) job->gram[c * n + other]);
    loss = masses[c] * (1 - likest * likest);
    if (!is_tried[c] && loss < least) {
      least = loss;
      idle = c;
    }
  }
  return idle;
}

/* Puts idle centres where one was missed, as long as more is explained. */
static gboolean
replace_centres (Explanation *job, float *centres, float *gram, double explained, GError **error)
{
  const gsize n = job->n, r = job->embedding.cols;
  g_auto (AssayArena) arena = { 0 };
  float *kept = assay_arena_alloc (&arena, n, r * sizeof (float), "centres", error);
  float *missed = assay_arena_alloc (&arena, r, sizeof (float), "centres", error);
  gboolean *is_tried = assay_arena_alloc (&arena, n, sizeof (gboolean), "centres", error);

  if (arena.has_failed)
    return FALSE;
  for (gsize trial = 0, failures = 0; trial < n && failures < MIN (n, FAILURES); trial++) {
    const gsize idle = find_idle (job, is_tried);
    double now;

    memcpy (kept, centres, n * r * sizeof *kept);
    if (!find_missed (job, missed, error))
      return FALSE;
    memcpy (centres + idle * r, missed, r * sizeof *missed);
    now = explain_all (job, centres, gram, error);
    if (now < 0)
      return FALSE;
    if (now > explained * (1 + LEAST_GAIN)) {
      explained = now;
      continue;
    }
    failures++;
    is_tried[idle] = TRUE;
    memcpy (centres, kept, n * r * sizeof *kept);
    if (explain_all (job, centres, gram, error) < 0)
      return FALSE;
  }
  return TRUE;
}

gboolean
mixture_clusters_explain (AssayView embedding, gsize n_secrets, guint32 *ret_pairs,
                          float *ret_shares, GError **error)
{
  const gsize n = n_secrets, r = embedding.cols;
  g_auto (AssayArena) arena = { 0 };
  float *centres = assay_arena_alloc (&arena, n, r * sizeof (float), "centres", error);
  float *gram = assay_arena_alloc (&arena, n, n * sizeof (float), "centres", error);
  Explanation job = { .embedding = embedding,
                      .n = n,
                      .pairs = ret_pairs,
                      .shares = ret_shares,
                      .explained = assay_arena_alloc (&arena, embedding.rows, sizeof (float),
                                                      "mixtures", error) };
  double sum;

  g_return_val_if_fail (n >= 2 && embedding.rows >= n, FALSE);
  if (arena.has_failed || !find_centres (embedding, n, centres, error))
    return FALSE;
  sum = explain_all (&job, centres, gram, error);
  return sum >= 0 && replace_centres (&job, centres, gram, sum, error);
}
