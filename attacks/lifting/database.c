/* The database attack on affine lifting (LDP-FEAT, Pittaluga and Zhuang 2023, section 4.1).
 *
 * Release: subspaces D = t + span (B). Knowledge: the lifting database W, N x d.
 *   1. Distances of all of W to D.
 *   2. The adversarial descriptors lie in D, so the nearest rows are they: m/2 under hybrid
 *      lifting, m under adversarial, none under random.
 *   3. The next |V| rows lie near D because they are near the secret or near an adversarial
 *      descriptor. Score each v by min_j ||a_j - v|| over the recovered a_j and keep the |U| of
 *      highest score: they are near the secret. Their mean with weights 1/dist (D, u), projected
 *      onto D, is the guess (equation 1). Under random lifting U is the |U| nearest to D.
 * Distances are clamped from below (core/search/scan.h). The paper gives neither |V| (`neighbours`)
 * nor |U| (`averaged`); |V| matters most, so tune both on separate secrets.
 *
 * The guess also names the adversarial rows, so that step 2 can be measured by itself; and with
 * `show_near` it returns them and the rows nearest to D after them, so that the assumption behind
 * step 3 can be (section S3.1).
 *
 * With `search` = approximate, step 1 looks at the rows of some lists only, and the guess has the
 * recall of that (core/search/scan-approximate.h), which the metric search-recall shows: what the
 * attack did not find may be what its search missed. */
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace-search.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/subspaces.h"
#include "core/plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

typedef enum { FROM_RELEASE, NONE, HALF, ALL } Adversarial;

static const char *const adversarial_names[] = { "from-release", "none", "half", "all", NULL };

typedef struct {
  gint64 neighbours; /* |V| */
  gint64 averaged;   /* |U| */
  guint adversarial;
  bool show_near;
  guint search;
  gint64 lists;
  gint64 probes;
} Database;

/* Rows that are returned with show_near. */
#define N_NEAR 50

static SubspaceSearch
search_of (const Database *settings)
{
  return (SubspaceSearch){ .is_approximate = settings->search == SUBSPACE_SEARCH_APPROXIMATE,
                           .lists = (gsize) settings->lists,
                           .probes = (gsize) settings->probes };
}

/* How many of the rows that lie in a subspace are the database's: half of its dimension, the usual
 * form, where the release says nothing. */
static gboolean
count_adversarial (const Database *settings, const AssayRelease *release, gsize dimension,
                   gsize *ret_count, GError **error)
{
  const gint64 *said = ASSAY_PARAMETER (release, AssaySubspacesParameters, adversarial);
  const guint *variant = ASSAY_PARAMETER (release, AssaySubspacesParameters, variant);

  if (settings->adversarial != FROM_RELEASE)
    *ret_count = settings->adversarial == NONE  ? 0
                 : settings->adversarial == ALL ? dimension
                                                : dimension / 2;
  else if (!assay_parameter_check (&release->parameters, "adversarial",
                                   "adversarial = none, half or all", error))
    return FALSE;
  else if (said != NULL)
    *ret_count = MIN ((gsize) *said, dimension);
  else
    *ret_count = variant == NULL                         ? dimension / 2
                 : *variant == ASSAY_LIFTING_RANDOM      ? 0
                 : *variant == ASSAY_LIFTING_ADVERSARIAL ? dimension
                                                         : dimension / 2;
  return TRUE;
}

typedef struct {
  float score;
  gsize place; /* in the order of distance */
} Scored;

/* Highest score first; among equals the nearer to D. */
static int
compare_scores (gconstpointer a, gconstpointer b)
{
  const Scored *x = a, *y = b;

  if (x->score != y->score)
    return x->score > y->score ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* Squared distance of @row to the nearest of the @count adversarial rows. */
static float
score_row (const float *row, const float *adversarial, gsize count, gsize cols)
{
  float best = G_MAXFLOAT;

  for (gsize i = 0; i < count; i++)
    best = MIN (best, assay_lanes_squared_distance_float (row, adversarial + i * cols, cols));
  return best;
}

typedef struct {
  const AssayRows *database;
  AssayScale scale;
  AssaySubspaces subspaces;
  const AssayNearest *nearest; /* the first n_adversarial places, then V */
  gsize n_adversarial;
  gsize n_averaged;
  float *estimates;
} Step3;

/* Rows that are scored at a time, so that memory does not grow with |V|. */
#define CHUNK 512

/* The scores of all of V, best first. */
static Scored *
score_candidates (const Step3 *step, const gsize *places, gsize n_v)
{
  const gsize cols = step->subspaces.cols, n_a = step->n_adversarial;
  g_autofree float *adversarial = g_new (float, n_a *cols + 1);
  g_autofree float *rows = g_new (float, CHUNK *cols);
  Scored *scored = g_new (Scored, n_v);

  assay_rows_gather (step->database, places, n_a, step->scale, adversarial);
  for (gsize first = 0; first < n_v; first += CHUNK) {
    const gsize count = MIN (CHUNK, n_v - first);

    assay_rows_gather (step->database, places + n_a + first, count, step->scale, rows);
    for (gsize i = 0; i < count; i++)
      scored[first + i]
          = (Scored){ score_row (rows + i * cols, adversarial, n_a, cols), first + i };
  }
  qsort (scored, n_v, sizeof *scored, compare_scores);
  return scored;
}

/* Step 3 for one subspace. */
static void
estimate_one (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Step3 *step = data;
  const gsize cols = step->subspaces.cols, k = step->nearest->k;
  const gsize n_v = k - step->n_adversarial;
  const gsize n_u = MIN (step->n_averaged, n_v);
  const gsize *places = step->nearest->rows + index * k;
  const float *distances = step->nearest->distances + index * k + step->n_adversarial;
  float *estimate = step->estimates + index * cols;
  g_autofree Scored *scored = score_candidates (step, places, n_v);
  g_autofree gsize *chosen = g_new (gsize, n_u);
  g_autofree float *chosen_distances = g_new (float, n_u);
  g_autofree float *rows = g_new (float, n_u *cols);

  for (gsize i = 0; i < n_u; i++) {
    chosen[i] = places[step->n_adversarial + scored[i].place];
    chosen_distances[i] = distances[scored[i].place];
  }
  assay_rows_gather (step->database, chosen, n_u, step->scale, rows);
  subspace_weighted_centre (rows, chosen_distances, n_u, cols, estimate);
  subspace_project (&step->subspaces, index, estimate, estimate);
}

/* The rows of step 2, as the guess names them. */
static gboolean
name_adversarial (const AssayNearest *nearest, gsize count, AssayGuess *ret_guess, GError **error)
{
  const gsize shape[] = { nearest->n, count };
  gint64 *rows = assay_alloc (nearest->n * count, sizeof (gint64), "adversarial rows", error);

  if (rows == NULL)
    return FALSE;
  for (gsize i = 0; i < nearest->n; i++)
    for (gsize j = 0; j < count; j++)
      rows[i * count + j] = (gint64) nearest->rows[i * nearest->k + j];
  assay_arrays_take (&ret_guess->arrays, "adversarial",
                     assay_array_take (ASSAY_INT64, 2, shape, rows));
  return TRUE;
}

/* What step 1 found, for a metric to look at. */
static gboolean
show_near (const Step3 *step, AssayGuess *ret_guess, GError **error)
{
  const gsize n_a = step->n_adversarial;
  AssayArray *forming
      = subspace_gather_places (step->nearest, 0, n_a, step->database, step->scale, error);
  AssayArray *near = NULL;

  if (forming == NULL)
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "forming", forming);
  near = subspace_gather_places (step->nearest, n_a, MIN (N_NEAR, step->nearest->k - n_a),
                                 step->database, step->scale, error);
  if (near == NULL)
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "near", near);
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Database *settings = context->settings;
  const SubspaceSearch search = search_of (settings);
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  gsize n_adversarial, k;
  Step3 step = { .database = seen->database,
                 .scale = assay_release_scale (seen->release),
                 .subspaces = subspaces,
                 .n_averaged = (gsize) settings->averaged };
  g_autoptr (AssayNearest) nearest = NULL;

  if (!count_adversarial (settings, seen->release, subspaces.dimension, &n_adversarial, error))
    return FALSE;
  k = MIN (n_adversarial == 0 ? (gsize) settings->averaged
                              : n_adversarial + (gsize) settings->neighbours,
           assay_rows_count (seen->database));
  if (k <= n_adversarial)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the database has %zu rows, expected more than the %zu adversarial ones of "
                       "a subspace",
                       assay_rows_count (seen->database), n_adversarial);
  step.estimates = subspace_guess (&subspaces, ret_guess, error);
  nearest = subspace_search_nearest (&search, context, seen, k, ret_guess, error);
  if (nearest == NULL || step.estimates == NULL)
    return FALSE;
  step.n_adversarial = n_adversarial;
  step.nearest = nearest;
  assay_parallel_for (subspaces.count, estimate_one, &step);
  return n_adversarial == 0
         || (name_adversarial (nearest, n_adversarial, ret_guess, error)
             && (!settings->show_near || show_near (&step, ret_guess, error)));
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Database *settings = data;
  const SubspaceSearch search = search_of (settings);

  if (settings->averaged > settings->neighbours)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "averaged = %" G_GINT64_FORMAT
                       ": expected at most neighbours = %" G_GINT64_FORMAT,
                       settings->averaged, settings->neighbours);
  if (settings->show_near && settings->neighbours < N_NEAR)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "neighbours = %" G_GINT64_FORMAT
                       ": expected at least %d, which show_near returns",
                       settings->neighbours, N_NEAR);
  return subspace_search_check (&search, shape->n_database, error);
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Database *settings = data;
  const SubspaceSearch search = search_of (settings);
  const gsize k = (gsize) settings->neighbours + shape->cols / 2;
  const gsize rows = shape->n_database > 0 ? MIN (k, shape->n_database) : k;

  /* The control, too, has as many rows as the settings ask for. */
  const guint64 control = (12 * (guint64) settings->averaged + (guint64) settings->neighbours
                           + subspace_search_control_rows (&search))
                          * 32 * sizeof (float);

  const guint64 shown = settings->show_near
                            ? (guint64) shape->n_secrets * (N_NEAR + shape->dimension) * shape->cols
                                  * sizeof (float)
                            : 0;

  return MAX (control, shown + subspace_search_memory (&search, shape, rows));
}

/* A database of tight clusters: one of |U| rows beside each secret, and two more from which every
 * secret takes an adversarial row and which together have |V| - |U| others. Near D are then those
 * |V| rows and no other, and only a working step 3 tells which are the secret's. An approximate
 * search has to find them among many others. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const Database *settings = data;
  const SubspaceSearch search = search_of (settings);
  const gboolean is_half = settings->adversarial == FROM_RELEASE || settings->adversarial == HALF;
  const gsize rest = (gsize) MAX (settings->neighbours - settings->averaged, 0);
  const gsize common[] = { 1 + rest - rest / 2, 1 + rest / 2 };
  const SubspaceClusters clusters = { .n_secrets = 12,
                                      .cols = 32,
                                      .dimension = is_half ? 4 : 2,
                                      .own = (gsize) settings->averaged,
                                      .n_common = G_N_ELEMENTS (common),
                                      .common = common,
                                      .n_through = settings->adversarial == NONE ? 0 : 2,
                                      .is_through_rows = TRUE,
                                      .n_rows = subspace_search_control_rows (&search) };
  const gboolean is_made = subspace_clusters_make (&clusters, key, ret_case, error);

  ret_case->database = g_steal_pointer (&ret_case->public_rows);
  return is_made;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_INT (Database, neighbours, 100, 1, 1000000, "rows",
                   "|V|: rows near the subspace that are looked at, after the adversarial ones"),
  ASSAY_PARAM_INT (Database, averaged, 10, 1, 1000000, "rows",
                   "|U|: how many of those farthest from the adversarial rows are averaged"),
  ASSAY_PARAM_CHOICE (Database, adversarial, FROM_RELEASE, adversarial_names,
                      "How many adversarial rows a subspace holds: none, m/2, m, or what the "
                      "release says"),
  ASSAY_PARAM_BOOL (Database, show_near, FALSE,
                    "Return the adversarial rows and the next 50, too: what ratio-test measures"),
  ASSAY_PARAM_CHOICE (Database, search, SUBSPACE_SEARCH_EXACT, subspace_search_names,
                      "Whether all rows are looked at, or those of some lists only; "
                      "search-recall then says what share of the nearest it found",
                      ASSAY_PARAM_EXTRA),
  ASSAY_PARAM_INT (Database, lists, 0, 0, SUBSPACE_SEARCH_MAX_LISTS, "lists",
                   "Of an approximate search: how many the rows are divided into; 0: about "
                   "4 sqrt (rows), and at most rows / 16",
                   ASSAY_PARAM_EXTRA),
  ASSAY_PARAM_INT (Database, probes, 0, 0, SUBSPACE_SEARCH_MAX_LISTS, "lists",
                   "And how many of them are looked at for each subspace; 0: a sixteenth",
                   ASSAY_PARAM_EXTRA),
  ASSAY_PARAM_END
};

ASSAY_ATTACK (database, "database",
  .summary = "Find the adversarial descriptors in the lifting database, and the secret beside them",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT", "section 4.1, equation 1" },
  ASSAY_SETTINGS (Database, parameters),
  .check = check,
  .memory = memory,
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_DATABASE,
  .writes = subspace_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "secrets beside a cluster of the database are found",
               .make = make_control,
               .at_least = 0.9,
               .within = 0.3 });
