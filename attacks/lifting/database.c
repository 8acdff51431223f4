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
 * With `selection` = ratio the score of step 3 is min_j ||a_j - v|| / dist (D, v): far from all a_j
 * for how near it is to D. Rows far from D then score low by themselves, and |V| no longer matters
 * if it is large enough: |U| alone is left to choose (ours).
 * Distances are clamped from below (core/search/scan.h). The paper gives neither |V| (`neighbours`)
 * nor |U| (`averaged`); |V| matters most, so tune both on separate secrets.
 *
 * The release's own description is not believed: step 2 counts the rows that lie in each subspace
 * (rows-within.h), however many they are, and rows that are copies of each other are one. Where the
 * one row that lies in each subspace is no lifting's, it is the secret, which then stands in the
 * database. What contradicts the description is said with the guess; where the release says that
 * it holds rows of the database and none is there, the database is not the one that was used, and
 * the attack is not sure of its guess: that it fails shows nothing.
 *
 * The guess also names the adversarial rows, so that step 2 can be measured by itself; and with
 * `show_near` it returns them and the rows nearest to D after them, so that the assumption behind
 * step 3 can be (section S3.1).
 *
 * With `search` = approximate, step 1 looks at the rows of some lists only, and the guess has the
 * recall of that (core/search/scan-approximate.h), which the metric search-recall shows: what the
 * attack did not find may be what its search missed. */
#include "attacks/lifting/row-scores.h"
#include "attacks/lifting/rows-within.h"
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace-search.h"
#include "core/base/parallel.h"
#include "core/data/kinds/subspaces.h"
#include "core/plugin/plugin.h"

typedef enum { COUNTED, NONE, HALF, ALL } Adversarial;

static const char *const adversarial_names[] = { "counted", "none", "half", "all", NULL };

typedef enum { SELECT_FAR, SELECT_RATIO } Selection;

static const char *const selections[] = { "far", "ratio", NULL };

typedef struct {
  gint64 neighbours; /* |V| */
  gint64 averaged;   /* |U| */
  guint selection;
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

/* Rows of each subspace that are taken for the database's; G_MAXSIZE: they are counted. */
static gsize
forced_count (const Database *settings, gsize dimension)
{
  return settings->adversarial == COUNTED ? G_MAXSIZE
         : settings->adversarial == NONE  ? 0
         : settings->adversarial == ALL   ? dimension
                                          : dimension / 2;
}

typedef struct {
  WithinSearch search;
  const RowsWithin *within; /* of each subspace the adversarial rows, then those beside it */
  gboolean has_adversarial; /* FALSE: rows in a subspace are the secret's */
  gsize n_neighbours;
  gsize n_averaged;
  gboolean is_ratio; /* selection */
  const RowScores *scores;
  float *estimates;
} Step3;

static gsize
adversarial_of (const Step3 *step, gsize index)
{
  return step->has_adversarial ? step->within->within[index] : 0;
}

/* |V| of a subspace. Where no row is its own, V is as short as U: the nearest count. */
static gsize
considered_of (const Step3 *step, gsize index)
{
  const gsize n_a = adversarial_of (step, index);

  return MIN (n_a == 0 ? step->n_averaged : step->n_neighbours, step->within->listed[index] - n_a);
}

/* Step 3 for one subspace. */
static void
estimate_one (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Step3 *step = data;
  const gsize cols = step->search.subspaces.cols, k = step->within->k;
  const gsize n_a = adversarial_of (step, index);
  const gsize n_u = MIN (step->n_averaged, considered_of (step, index));
  const gsize *places = step->within->rows + index * k;
  const float *distances = step->within->distances + index * k + n_a;
  float *estimate = step->estimates + index * cols;
  g_autofree gsize *chosen = g_new (gsize, n_u + 1);
  g_autofree float *chosen_distances = g_new (float, n_u + 1);
  g_autofree float *rows = g_new (float, n_u *cols + 1);

  row_scores_best (step->scores->lists + index, step->is_ratio && n_a > 0 ? distances : NULL,
                   considered_of (step, index), n_u, chosen);
  for (gsize i = 0; i < n_u; i++) {
    chosen_distances[i] = distances[chosen[i]];
    chosen[i] = places[n_a + chosen[i]];
  }
  assay_rows_gather (step->search.rows, chosen, n_u, step->search.scale, rows);
  subspace_weighted_centre (rows, chosen_distances, n_u, cols, estimate);
  subspace_project (&step->search.subspaces, index, estimate, estimate);
}

static void
estimate_all (Step3 *step, const AssayRelease *release)
{
  const gsize n = step->within->n;
  g_autofree RowScoresWanted *wanted = g_new (RowScoresWanted, n + 1);
  g_autoptr (AssayShared) scores = NULL;

  for (gsize i = 0; i < n; i++)
    wanted[i] = (RowScoresWanted){ adversarial_of (step, i), considered_of (step, i) };
  scores = row_scores_of (release, &step->search, step->within, wanted);
  step->scores = assay_shared_value (scores);
  assay_parallel_for (n, estimate_one, step);
}

/* ---- What the guess holds beside ---- */

/* The rows of step 2, as the guess names them: copies of a row with it; -1 where a subspace has
 * fewer. */
static gboolean
name_adversarial (const Step3 *step, AssayGuess *ret_guess, GError **error)
{
  const gsize n = step->within->n, k = step->within->k;
  const gsize *first_of = step->search.first_of;
  const gsize n_rows = first_of != NULL ? assay_rows_count (step->search.rows) : 0;
  g_autoptr (GPtrArray) named = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GHashTable) items
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  gsize most = 0;
  gint64 *rows;

  for (gsize i = 0; i < n; i++) {
    GArray *own = g_array_new (FALSE, FALSE, sizeof (gint64));

    g_ptr_array_add (named, own);
    for (gsize j = 0; j < adversarial_of (step, i); j++) {
      const gint64 row = (gint64) step->within->rows[i * k + j];
      GArray *holders = g_hash_table_lookup (items, GSIZE_TO_POINTER ((gsize) row));

      g_array_append_val (own, row);
      if (holders == NULL) {
        holders = g_array_new (FALSE, FALSE, sizeof (gsize));
        g_hash_table_insert (items, GSIZE_TO_POINTER ((gsize) row), holders);
      }
      g_array_append_val (holders, i);
    }
  }
  for (gsize row = 0; row < n_rows; row++) {
    const GArray *holders = first_of[row] != row
                                ? g_hash_table_lookup (items, GSIZE_TO_POINTER (first_of[row]))
                                : NULL;
    const gint64 copy = (gint64) row;

    for (guint h = 0; holders != NULL && h < holders->len; h++)
      g_array_append_val ((GArray *) named->pdata[g_array_index (holders, gsize, h)], copy);
  }
  for (gsize i = 0; i < n; i++)
    most = MAX (most, ((const GArray *) named->pdata[i])->len);
  if (most == 0)
    return TRUE;
  rows = assay_alloc (n * most, sizeof (gint64), "adversarial rows", error);
  if (rows == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const GArray *own = named->pdata[i];

    for (gsize j = 0; j < most; j++)
      rows[i * most + j] = j < own->len ? g_array_index (own, gint64, j) : -1;
  }
  assay_arrays_take (&ret_guess->arrays, "adversarial",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, most }, rows));
  return TRUE;
}

/* What step 1 found, for a metric to look at: the usual number of rows in each subspace, and those
 * after them. */
static gboolean
show_near (const Step3 *step, AssayGuess *ret_guess, GError **error)
{
  const RowsWithin *within = step->within;
  const AssayNearest listed
      = { .n = within->n, .k = within->k, .rows = within->rows, .distances = within->distances };
  const gsize n_a = step->has_adversarial ? within->usual : 0;
  gsize least = G_MAXSIZE;
  AssayArray *forming, *near;

  for (gsize i = 0; i < within->n; i++)
    least = MIN (least, within->listed[i]);
  if (n_a == 0 || least <= n_a)
    return TRUE;
  forming = subspace_gather_places (&listed, 0, n_a, step->search.rows, step->search.scale, error);
  if (forming == NULL)
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "forming", forming);
  near = subspace_gather_places (&listed, n_a, MIN (N_NEAR, least - n_a), step->search.rows,
                                 step->search.scale, error);
  if (near == NULL)
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "near", near);
  return TRUE;
}

/* Where the release says otherwise than the data. */
static void
contradict (const Step3 *step, const AssayRelease *release, AssayGuess *ret_guess)
{
  const gint64 *said = ASSAY_PARAMETER (release, AssaySubspacesParameters, adversarial);
  const guint *variant = ASSAY_PARAMETER (release, AssaySubspacesParameters, variant);
  const RowsWithin *within = step->within;
  const gsize m = step->search.subspaces.dimension;
  const gsize usual = step->has_adversarial ? within->usual : 0;
  const gsize expected = said != NULL                            ? MIN ((gsize) *said, m)
                         : variant == NULL                       ? G_MAXSIZE
                         : *variant == ASSAY_LIFTING_RANDOM      ? 0
                         : *variant == ASSAY_LIFTING_ADVERSARIAL ? m
                                                                 : m / 2;
  gsize n_met = 0;

  if (expected == G_MAXSIZE || expected == usual)
    return;
  for (gsize i = 0; i < within->n; i++)
    n_met += adversarial_of (step, i) >= expected;
  if (usual < expected)
    ret_guess->confidence = (double) n_met / (double) within->n;
  ret_guess->says = g_strdup_printf (
      "the release says that each subspace holds %zu rows of the database; %zu are there%s",
      expected, usual,
      usual < expected ? ", so that it was lifted with another database than the one granted" : "");
}

/* ---- The attack ---- */

/* Rows in and beside the subspaces, of so many of the nearest that |V| are beside each. */
static RowsWithin *
find_rows (const AssayAttackContext *context, const AssayObservation *seen,
           const WithinSearch *within_search, AssayGuess *ret_guess, GError **error)
{
  const Database *settings = context->settings;
  const SubspaceSearch search = search_of (settings);
  const gsize m = within_search->subspaces.dimension, n_rows = assay_rows_count (seen->database);
  const gsize forced = forced_count (settings, m);
  const gsize wanted = forced == 0 ? (gsize) settings->averaged : (gsize) settings->neighbours;
  gsize k = MIN (n_rows, wanted + (forced == G_MAXSIZE ? m : forced));

  for (;; k = MIN (n_rows, 2 * k)) {
    g_autoptr (AssayNearest) nearest
        = subspace_search_nearest (&search, context, seen, k, ret_guess, error);
    g_autoptr (RowsWithin) within
        = nearest != NULL ? rows_within_find (within_search, nearest, forced, error) : NULL;

    if (within == NULL)
      return NULL;
    if (k == n_rows || rows_within_least_beside (within) >= wanted)
      return g_steal_pointer (&within);
  }
}

/* Rows in the subspaces are no lifting's where there is one in each of more than two dimensions, or
 * the secrets' where nothing else is near the subspaces. */
static gboolean
are_adversarial (const Step3 *step)
{
  const gsize m = step->search.subspaces.dimension;

  return step->within->usual > 1
         || (step->within->usual == 1 && m <= 2
             && !rows_within_are_secrets (&step->search, step->within));
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Database *settings = context->settings;
  const AssayScale scale = assay_release_scale (seen->release);
  g_autoptr (GError) problem = NULL;
  g_autofree gsize *first_of = rows_within_find_copies (seen->database, scale, &problem);
  Step3 step = { .search = { .rows = seen->database,
                             .scale = scale,
                             .subspaces = assay_release_subspaces (seen->release),
                             .first_of = first_of },
                 .n_neighbours = (gsize) settings->neighbours,
                 .n_averaged = (gsize) settings->averaged,
                 .is_ratio = settings->selection == SELECT_RATIO };
  g_autoptr (RowsWithin) within = NULL;

  if (problem != NULL) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return FALSE;
  }
  within = find_rows (context, seen, &step.search, ret_guess, error);
  step.estimates
      = within != NULL ? subspace_guess (&step.search.subspaces, ret_guess, error) : NULL;
  if (step.estimates == NULL)
    return FALSE;
  step.within = within;
  step.has_adversarial = settings->adversarial != COUNTED || are_adversarial (&step);
  for (gsize i = 0; i < within->n; i++)
    if (within->listed[i] <= adversarial_of (&step, i))
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "the database has %zu rows, expected more than the %zu adversarial ones "
                         "of a subspace",
                         assay_rows_count (seen->database), adversarial_of (&step, i));
  estimate_all (&step, seen->release);
  if (settings->adversarial == COUNTED)
    contradict (&step, seen->release, ret_guess);
  return name_adversarial (&step, ret_guess, error)
         && (!settings->show_near || show_near (&step, ret_guess, error));
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
  const gboolean is_half = settings->adversarial == COUNTED || settings->adversarial == HALF;
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

ASSAY_ATTACK (database, "database",
  .summary = "Find the adversarial descriptors in the lifting database, and then the secret",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 4.1, equation 1" },
  ASSAY_SETTINGS (Database,
    ASSAY_PARAM_INT (Database, neighbours, 100, 1, 1000000, "rows",
                     "Rows near the subspace that are considered, after the adversarial ones (V)"),
    ASSAY_PARAM_INT (Database, averaged, 10, 1, 1000000, "rows",
                     "How many of those farthest from the adversarial rows are averaged (U)"),
    ASSAY_PARAM_CHOICE (Database, selection, SELECT_FAR, selections,
                        "Which of V are averaged: those farthest from the adversarial rows, or "
                        "those with the largest ratio of that distance to the distance from the "
                        "subspace",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_CHOICE (Database, adversarial, COUNTED, adversarial_names,
                        "How many adversarial rows a subspace holds: none, m/2, m, or as many as "
                        "lie in it"),
    ASSAY_PARAM_BOOL (Database, show_near, FALSE,
                      "Whether the adversarial rows and the next 50 are returned, too, which "
                      "ratio-test needs"),
    ASSAY_PARAM_CHOICE (Database, search, SUBSPACE_SEARCH_EXACT, subspace_search_names,
                        "Whether all rows are searched, or only some lists of them; search-recall "
                        "then measures which share of the nearest was found",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Database, lists, 0, 0, SUBSPACE_SEARCH_MAX_LISTS, "lists",
                     "search = approximate: lists into which the rows are divided; 0: about 4 sqrt "
                     "(rows), and at most rows / 16",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Database, probes, 0, 0, SUBSPACE_SEARCH_MAX_LISTS, "lists",
                     "search = approximate: lists searched for each subspace; 0: a sixteenth",
                     ASSAY_PARAM_EXTRA)),
  .check = check,
  .memory = memory,
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_DATABASE,
  .writes = subspace_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "secrets close to a cluster of the database are found",
               .make = make_control,
               .at_least = 0.9,
               .within = 0.3 });
