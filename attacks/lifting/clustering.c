/* The clustering attack on affine lifting (LDP-FEAT, Pittaluga and Zhuang 2023, section 4.2), which
 * does without the lifting database.
 *
 * Release: subspaces D = t + span (B), those of the other secrets of the cell among them.
 * Knowledge: public descriptors Z, N x d.
 *   1, 2. V: the |V| rows of Z nearest to D. They are near the secret or near one of the m/2
 *      adversarial descriptors, which are the points where D meets the descriptors of the world.
 *   3. k-means of V into m/2 + 1 clusters. The mean of each with weights 1/dist (D, v), projected
 *      onto D, is a candidate (equation 2): about the secret, or about an adversarial descriptor.
 *   4. Subspaces Q' that were lifted with one of D's adversarial descriptors meet D there
 *      (intersections.h). Where the Q' are many enough, each of those descriptors lies in
 *      one of them, while the secret, of which they know nothing, lies in none: the candidate with
 *      the largest min_j dist (candidate, Q'_j) is the guess.
 * Where nothing meets D, or too little, step 4 knows nothing: with no Q' at all the guess is the
 * candidate of the largest sum of weights, so the one with most and closest public rows. The guess
 * says of each secret how many others met it (`intersecting`), and names the `candidates`.
 *
 * The paper gives no |V| (`neighbours`); tune it on separate secrets. Adversarial lifting has m + 1
 * such points, not m/2 + 1: set `clusters`. Random lifting has one, and nothing to intersect. */
#include "attacks/lifting/intersections.h"
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/learn/k-means.h"
#include "core/plugin/plugin.h"
#include "core/search/scan.h"

#include <math.h>
#include <string.h>

typedef enum { START_RANDOM, START_FARTHEST } Start;

static const char *const start_names[] = { "random", "farthest-first", NULL };

typedef struct {
  gint64 neighbours; /* |V| */
  gint64 clusters;
  guint start;
  gint64 rounds;
  gint64 starts;
  gint64 others;
  double tolerance;
} Clustering;

typedef struct {
  const AssayAttackContext *context;
  const Clustering *settings;
  const AssayRows *public_rows;
  AssayScale scale;
  AssaySubspaces subspaces;
  const AssayNearest *nearest;
  gsize k;             /* clusters */
  float *candidates;   /* n x k x d */
  gsize *n_candidates; /* n: clusters that have rows; theirs come first */
  gsize *heaviest;     /* n: the candidate of the largest sum of weights */
  double *lengths;     /* n: of the longest of V */
  const Frames *frames;
  const GPtrArray *meets; /* n arrays of gsize */
  float *estimates;       /* n x d */
} Attack;

/* Steps 2 and 3 for one subspace. */
static void
find_candidates (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Attack *job = data;
  const gsize d = job->subspaces.cols, n_v = job->nearest->k;
  const float *distances = job->nearest->distances + index * n_v;
  AssayStream stream = assay_stream (job->context->stream, index);
  g_autofree float *rows = g_new (float, n_v *d);
  g_autofree float *members = g_new (float, n_v *d);
  g_autofree float *member_distances = g_new (float, n_v);
  g_autofree gsize *labels = g_new (gsize, n_v);
  double most = 0;
  gsize n = 0;

  assay_rows_gather (job->public_rows, job->nearest->rows + index * n_v, n_v, job->scale, rows);
  assay_k_means (&(AssayKMeans){ rows, n_v, d, job->k, (gsize) job->settings->rounds,
                                 (gsize) job->settings->starts,
                                 job->settings->start == START_FARTHEST },
                 &stream, labels, NULL);
  for (gsize c = 0; c < job->k; c++) {
    float *candidate = job->candidates + (index * job->k + n) * d;
    double weights = 0;
    gsize count = 0;

    for (gsize i = 0; i < n_v; i++)
      if (labels[i] == c) {
        memcpy (members + count * d, rows + i * d, d * sizeof (float));
        member_distances[count++] = distances[i];
        weights += 1.0 / distances[i];
      }
    if (count == 0)
      continue;
    subspace_weighted_centre (members, member_distances, count, d, candidate);
    subspace_project (&job->subspaces, index, candidate, candidate);
    if (weights > most) {
      most = weights;
      job->heaviest[index] = n;
    }
    n++;
  }
  job->n_candidates[index] = n;
  for (gsize i = 0; i < n_v; i++)
    job->lengths[index] = MAX (job->lengths[index], sqrt (assay_squared_norm (rows + i * d, d)));
}

/* Step 4 for one subspace. */
static void
choose_candidate (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Attack *job = data;
  const gsize d = job->subspaces.cols;
  const GArray *others = job->meets->pdata[index];
  float *candidates = job->candidates + index * job->k * d;
  gsize chosen = job->heaviest[index];
  double most = -1;

  for (gsize c = 0; others->len > 0 && c < job->n_candidates[index]; c++) {
    double least = G_MAXDOUBLE;

    for (guint j = 0; j < others->len; j++)
      least = MIN (least, frames_point_distance (job->frames, g_array_index (others, gsize, j),
                                                 candidates + c * d));
    if (least > most) {
      most = least;
      chosen = c;
    }
  }
  memcpy (job->estimates + index * d, candidates + chosen * d, d * sizeof (float));
  /* An empty cluster's place holds the one that was chosen, so that all places hold candidates. */
  for (gsize c = job->n_candidates[index]; c < job->k; c++)
    memcpy (candidates + c * d, candidates + chosen * d, d * sizeof (float));
}

static gboolean
report_intersecting (const GPtrArray *meets, AssayGuess *ret_guess, GError **error)
{
  const gsize n = meets->len;
  gint64 *counts = assay_alloc (n, sizeof (gint64), "intersecting", error);

  if (counts == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    counts[i] = ((const GArray *) meets->pdata[i])->len;
  assay_arrays_take (&ret_guess->arrays, "intersecting",
                     assay_array_take (ASSAY_INT64, 1, &n, counts));
  return TRUE;
}

static gsize
count_clusters (const Clustering *settings, gsize dimension, gsize n_v)
{
  return MIN (n_v, settings->clusters > 0 ? (gsize) settings->clusters : dimension / 2 + 1);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Clustering *settings = context->settings;
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  const AssaySubspaces others = assay_release_subspaces (seen->other_releases);
  const gsize n = subspaces.count, d = subspaces.cols;
  const gsize n_v = MIN ((gsize) settings->neighbours, assay_rows_count (seen->public_rows));
  Attack job = { .context = context,
                 .settings = settings,
                 .public_rows = seen->public_rows,
                 .scale = assay_release_scale (seen->release),
                 .subspaces = subspaces,
                 .k = count_clusters (settings, subspaces.dimension, n_v) };
  g_autoptr (AssayMatrix) estimates = assay_matrix_new (n, d, error);
  g_autoptr (AssayNearest) nearest = NULL;
  g_autoptr (Frames) frames = NULL;
  g_autoptr (GPtrArray) meets = NULL;
  g_autofree float *candidates = NULL;
  g_autofree gsize *counts = g_new0 (gsize, 2 * n);
  g_autofree double *lengths = g_new0 (double, n);

  if (estimates == NULL)
    return FALSE;
  frames = frames_new (&others, error);
  if (frames == NULL)
    return FALSE;
  nearest = assay_release_nearest (seen->release, seen->public_rows, n_v, error);
  candidates = assay_alloc (n, job.k * d * sizeof (float), "considered", error);
  if (nearest == NULL || candidates == NULL)
    return FALSE;
  job.nearest = nearest;
  job.candidates = candidates;
  job.n_candidates = counts;
  job.heaviest = counts + n;
  job.lengths = lengths;
  job.frames = frames;
  job.estimates = estimates->data;
  assay_parallel_for (n, find_candidates, &job);
  meets = frames_find_intersections (frames, (gsize) settings->others, lengths, settings->tolerance,
                                     error);
  if (meets == NULL)
    return FALSE;
  job.meets = meets;
  assay_parallel_for (n, choose_candidate, &job);
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  assay_arrays_take (&ret_guess->arrays, "considered",
                     assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ n, job.k, d },
                                       g_steal_pointer (&candidates)));
  return report_intersecting (meets, ret_guess, error);
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Clustering *settings = data;

  if (settings->clusters > settings->neighbours)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "clusters = %" G_GINT64_FORMAT
                       ": expected at most neighbours = %" G_GINT64_FORMAT,
                       settings->clusters, settings->neighbours);
  return TRUE;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Clustering *settings = data;
  const gsize wanted = (gsize) settings->neighbours;
  const gsize n_v = shape->n_public > 0 ? MIN (wanted, shape->n_public) : wanted;
  const gsize k = count_clusters (settings, shape->dimension, n_v);

  return 2 * assay_kind_bytes (assay_kind (ASSAY_RELEASE_SUBSPACES), shape)
         + (guint64) shape->n_secrets * k * shape->cols * sizeof (float)
         + (guint64) assay_parallel_threads () * 2 * n_v * shape->cols * sizeof (float);
}

/* As many database descriptors as a subspace has clusters, of which each secret is lifted with all
 * but one, and around each of them twice as many public rows as around each secret: near D are then
 * |V| rows in as many clusters as there are points to find, the secret's is the smallest, and only
 * the other subspaces tell which it is. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const Clustering *settings = data;
  const gsize k = settings->clusters > 0 ? (gsize) settings->clusters : 3;
  const gsize m = settings->clusters > 0 ? k : 2 * (k - 1);
  const gsize n_v = MAX ((gsize) settings->neighbours, k);
  const gsize size = MAX (1, 2 * n_v / (2 * k - 1));
  g_autofree gsize *common = g_new (gsize, k);
  const SubspaceClusters clusters = { .n_secrets = 12,
                                      .cols = MAX (32, 4 * m),
                                      .dimension = m,
                                      .own = n_v - (k - 1) * size,
                                      .n_common = k,
                                      .common = common,
                                      .n_through = k - 1 };

  for (gsize i = 0; i < k; i++)
    common[i] = size;
  return subspace_clusters_make (&clusters, key, ret_case, error);
}

ASSAY_ATTACK (clustering, "clustering",
  .summary = "Cluster public rows near a subspace; guess the cluster that no other subspace meets",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 4.2, equation 2" },
  ASSAY_SETTINGS (Clustering,
    ASSAY_PARAM_INT (Clustering, neighbours, 100, 3, 20000, "rows",
                     "Public rows near the subspace that are clustered (V)"),
    ASSAY_PARAM_INT (Clustering, clusters, 0, 0, 256, "",
                     "Clusters of V; 0: m/2 + 1, the number of points in a hybrid lifting"),
    ASSAY_PARAM_INT (Clustering, rounds, 50, 1, 10000, "", "The most rounds of k-means"),
    ASSAY_PARAM_CHOICE (Clustering, start, START_RANDOM, start_names,
                        "Where k-means starts: from random rows that are far apart (k-means++); or "
                        "from the row nearest to the subspace, and then always the farthest from "
                        "all so far",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Clustering, starts, 3, 1, 1000, "",
                     "start = random: how often k-means is started; the tightest clusters are "
                     "taken"),
    ASSAY_PARAM_INT (Clustering, others, 5000, 16, 100000000, "subspaces",
                     "How many subspaces, the first of the release, are tested for intersection"),
    ASSAY_PARAM_REAL (Clustering, tolerance, 4, 1, 1e6, "",
                      "Subspaces meet if they do within this multiple of the rounding error of "
                      "float32")),
  .check = check,
  .memory = memory,
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_OTHER_RELEASES,
  .writes = subspace_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "secrets are told from database descriptors that other subspaces share",
               .make = make_control,
               .at_least = 0.9,
               .within = 0.3 });
