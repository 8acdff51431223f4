/* The lattice attack on affine lifting: the secret itself, to the last digit, where descriptors
 * were integers before they were scaled (SIFT, and quantised embeddings).
 *
 * Release: subspaces D = t + span (B) through the secret s = x / ||x||, x of integers, and through
 * m/2 (hybrid), m (adversarial) or none (random) database rows a_i = y_i / ||y_i||. The linear span
 * of D has m + 1 of d dimensions, and holds x and the y_i and hardly another short integer vector:
 * random directions hold none.
 *   1. LLL finds the lattice of all integer vectors of the span (integer-lattice.h).
 *   2. Those that are points of D once they are scaled to length 1, or as they are, are the
 *      candidates: the secret and the a_i, and no combination of them (integer-points.h).
 *   3. Candidates that are rows of the database, where it is granted, are struck out; those that
 *      lie in other subspaces, too, where other releases are: adversarial rows recur, and secrets
 *      do not. Of several that are left the one nearest to a public row is guessed, or else the
 *      shortest; where all were struck, the one that recurs least.
 * Nothing need be granted: one candidate in m/2 + 1 is the secret then.
 *
 * The first subspaces tell with what precision integers stand in the release: that of float32, or
 * less, where they were dithered; and where the database's rows were not, with what precision the
 * secrets do beside them, down to where chance would give as many. Where they tell none, the
 * descriptors are not integers, or too little of them is left: the guess says so, and its estimates
 * are the points of the subspaces nearest to the origin, with a confidence of 0. Its confidence is
 * the share of the subspaces that have a candidate which nothing known explains: a secret that is
 * no integer vector, among database rows that are, is not found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attacks/lifting/lattice-choice.h"
#include "attacks/lifting/lattice-search.h"
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/games/control-case.h"

typedef struct {
  double length;
  double spread;
  double unit;
  double seconds;
  gint64 candidates;
} Lattice;

/* ---- Step 3 ---- */

typedef struct {
  double distance; /* to the nearest public row */
  gboolean is_known;
  gboolean is_exact; /* where others are coarse: a row that was not dithered as the secret was */
  gsize shared;
} Standing;

/* Whether @a is the likelier secret. */
static gboolean
is_likelier (const Standing *a, const Standing *b)
{
  if (a->is_known != b->is_known)
    return !a->is_known;
  if (a->is_exact != b->is_exact)
    return !a->is_exact;
  if (a->shared != b->shared)
    return a->shared < b->shared;
  return a->distance < b->distance;
}

typedef struct {
  const LatticeSearch *search;
  float *estimates;   /* n x d */
  float *considered;  /* n x k x d */
  gsize k;
  gint64 *possible;   /* n */
  gint64 *remaining;  /* n */
  Standing **standings; /* n lists, one entry a point */
} Choice;

/* Point @place of @item as the release has it. */
static void
scale_point (const LatticeSearch *search, gsize item, gsize place, float *ret_point)
{
  const IntegerPoints *points = search->points + item;
  const gsize d = search->subspaces.cols;
  const gint64 *vector = points->vectors + place * d;
  double square = 0, length;

  for (gsize j = 0; j < d; j++)
    square += (double) vector[j] * (double) vector[j];
  length = points->is_unit ? sqrt (square) : search->rules.unit;
  for (gsize j = 0; j < d; j++)
    ret_point[j] = (float) ((double) vector[j] / length);
}

static void
choose_one (gsize item, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Choice *choice = data;
  const LatticeSearch *search = choice->search;
  const gsize d = search->subspaces.cols, count = search->points[item].count;
  const Standing *standings = choice->standings[item];
  float *estimate = choice->estimates + item * d;
  gsize best = 0;

  memcpy (estimate, search->feet + item * d, d * sizeof (float));
  choice->possible[item] = (gint64) count;
  choice->remaining[item] = 0;
  for (gsize p = 0; p < count; p++) {
    choice->remaining[item]
        += !standings[p].is_known && !standings[p].is_exact && standings[p].shared == 0;
    if (is_likelier (standings + p, standings + best))
      best = p;
  }
  if (count > 0)
    scale_point (search, item, best, estimate);
  /* Places beyond the last candidate hold the one that was chosen. */
  for (gsize p = 0; p < choice->k; p++) {
    float *place = choice->considered + (item * choice->k + p) * d;

    if (p < count)
      scale_point (search, item, p, place);
    else
      memcpy (place, estimate, d * sizeof (float));
  }
}

/* Distances from the points that are still in question to their nearest public rows. */
static gboolean
measure_distances (const Choice *choice, const AssayRows *public_rows, GError **error)
{
  const LatticeSearch *search = choice->search;
  const gsize d = search->subspaces.cols;
  const AssayScale scale = ASSAY_SCALE_UNIT;
  gsize n_points = 0, row = 0;
  g_autoptr (AssayMatrix) points = NULL;
  g_autoptr (AssayNearest) nearest = NULL;

  for (gsize i = 0; i < search->subspaces.count; i++)
    n_points += search->points[i].count;
  if (n_points == 0)
    return TRUE;
  points = assay_matrix_new (n_points, d, error);
  if (points == NULL)
    return FALSE;
  for (gsize i = 0; i < search->subspaces.count; i++)
    for (gsize p = 0; p < search->points[i].count; p++, row++) {
      float *point = assay_matrix_row (points, row);
      double length;

      scale_point (search, i, p, point);
      length = sqrt (assay_squared_norm (point, d));
      for (gsize j = 0; j < d; j++)
        point[j] = (float) (point[j] / length);
    }
  nearest = assay_scan_subspaces (
      &(AssaySubspaces){ .count = n_points, .cols = d, .translation = points->data }, public_rows,
      scale, 1, error);
  if (nearest == NULL)
    return FALSE;
  row = 0;
  for (gsize i = 0; i < search->subspaces.count; i++)
    for (gsize p = 0; p < search->points[i].count; p++, row++)
      choice->standings[i][p].distance = nearest->distances[row];
  return TRUE;
}

static gboolean
is_exact_beside (const IntegerPoints *points, gsize place)
{
  return points->n_coarse > 0 && place < points->count - points->n_coarse;
}

static gboolean
weigh (const Choice *choice, const AssayObservation *seen, GError **error)
{
  const LatticeSearch *search = choice->search;
  const gsize n = search->subspaces.count;
  AssayStream stream = assay_stream (search->stream, n);
  g_autoptr (LatticeCandidates) candidates
      = lattice_candidates_new (search->points, n, search->subspaces.cols, &stream);

  if (seen->database != NULL)
    lattice_candidates_mark_known (candidates, seen->database);
  if (seen->other_releases != NULL)
    lattice_candidates_count_shared (candidates);
  for (gsize c = 0; c < candidates->sorted->len; c++) {
    const LatticeCandidate *one = &g_array_index (candidates->sorted, LatticeCandidate, c);

    choice->standings[one->item][one->place]
        = (Standing){ .is_known = one->is_known,
                      .is_exact = is_exact_beside (search->points + one->item, one->place),
                      .shared = one->shared };
  }
  return seen->public_rows == NULL || measure_distances (choice, seen->public_rows, error);
}

/* ---- What the guess says ---- */

static int
compare_counts (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/* "1 in 190, 3 in 10": how many items have how many. */
static void
say_counts (GString *text, const gint64 *counts, gsize n)
{
  g_autofree gint64 *sorted = g_memdup2 (counts, n * sizeof *counts);

  qsort (sorted, n, sizeof *sorted, compare_counts);
  for (gsize i = 0, next; i < n; i = next) {
    for (next = i; next < n && sorted[next] == sorted[i];)
      next++;
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " in %zu", i > 0 ? ", " : "", sorted[i],
                            next - i);
  }
}

static void
say (const Choice *choice, AssayGuess *ret_guess)
{
  const LatticeSearch *search = choice->search;
  const gsize n = search->subspaces.count;
  GString *text = g_string_new (NULL);
  gsize found = 0, open = 0, cut = 0;

  for (gsize i = 0; i < n; i++) {
    found += search->points[i].count > 0;
    open += choice->remaining[i] > 0;
    cut += search->points[i].is_cut;
  }
  if (search->precision == 0)
    g_string_append_printf (text,
                            "no integer vectors in %d of the subspaces: the descriptors are not "
                            "integers, or too little is left of them; nothing is guessed",
                            (int) MIN (n, LATTICE_PROBES));
  else {
    g_string_append_printf (text, "integer points in %zu of %zu subspaces; candidates: ", found, n);
    say_counts (text, choice->possible, n);
    g_string_append (text, "; left after what is known: ");
    say_counts (text, choice->remaining, n);
    if (search->precision < LATTICE_FLOAT_PRECISION)
      g_string_append_printf (text, "; they stand in the release to %g of their length",
                              1 / search->precision);
  }
  if (search->coarse > 0)
    g_string_append_printf (text, "; beside exact ones others stand in it to %g of their length",
                            1 / search->coarse);
  if (cut > 0)
    g_string_append_printf (text, "; in %zu there were more vectors than it looks at", cut);
  if (search->is_late)
    g_string_append (text, "; the time was up before all were looked at");
  /* Where all candidates are explained, the secret is none of them: it was not found. */
  ret_guess->confidence = (double) open / (double) n;
  ret_guess->says = g_string_free (text, FALSE);
}

/* ---- The attack ---- */

static gsize
most_points (const LatticeSearch *search, gsize limit)
{
  gsize most = 1;

  for (gsize i = 0; i < search->subspaces.count; i++)
    most = MAX (most, search->points[i].count);
  return MIN (most, limit);
}

static gboolean
choose (const LatticeSearch *search, const AssayObservation *seen, gsize limit,
        AssayGuess *ret_guess, GError **error)
{
  const gsize n = search->subspaces.count, d = search->subspaces.cols;
  const gsize k = most_points (search, limit);
  g_autoptr (AssayMatrix) estimates = assay_matrix_new (n, d, error);
  g_autofree float *considered = assay_alloc (n, k * d * sizeof (float), "considered", error);
  g_autofree gint64 *possible = g_new0 (gint64, n);
  g_autofree gint64 *remaining = g_new0 (gint64, n);
  g_autoptr (GPtrArray) standings = g_ptr_array_new_with_free_func (g_free);
  Choice choice = { .search = search,
                    .considered = considered,
                    .k = k,
                    .possible = possible,
                    .remaining = remaining };

  if (estimates == NULL || considered == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (standings, g_new0 (Standing, search->points[i].count + 1));
  choice.estimates = estimates->data;
  choice.standings = (Standing **) standings->pdata;
  if (!weigh (&choice, seen, error))
    return FALSE;
  assay_parallel_for (n, choose_one, &choice);
  say (&choice, ret_guess);
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  assay_arrays_take (&ret_guess->arrays, "considered",
                     assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ n, k, d },
                                       g_steal_pointer (&considered)));
  assay_arrays_take (&ret_guess->arrays, "possible",
                     assay_array_take (ASSAY_INT64, 1, &n, g_steal_pointer (&possible)));
  assay_arrays_take (&ret_guess->arrays, "remaining",
                     assay_array_take (ASSAY_INT64, 1, &n, g_steal_pointer (&remaining)));
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Lattice *settings = context->settings;
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  const gsize n = subspaces.count;
  g_autofree IntegerPoints *points = g_new0 (IntegerPoints, n);
  g_autofree float *feet = NULL;
  LatticeSearch search = { .stream = context->stream,
                           .rules = { settings->length, settings->spread, settings->unit },
                           .subspaces = subspaces,
                           .points = points };
  gboolean is_ok;

  if (subspaces.dimension + 1 >= subspaces.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "subspaces of dimension %zu in %zu columns: every integer vector is in "
                       "their span; expected a dimension of at most %zu",
                       subspaces.dimension, subspaces.cols, subspaces.cols - 2);
  feet = assay_alloc (n, subspaces.cols * sizeof (float), "feet of subspaces", error);
  if (feet == NULL)
    return FALSE;
  search.feet = feet;
  if (settings->seconds > 0)
    search.deadline
        = g_get_monotonic_time () + (gint64) (settings->seconds * (double) G_USEC_PER_SEC);
  is_ok = lattice_search_run (&search, error)
          && choose (&search, seen, (gsize) settings->candidates, ret_guess, error);
  for (gsize i = 0; i < n; i++)
    integer_points_clear (points + i);
  return is_ok;
}

/* Integer vectors of the length that is asked for, as rows of length 1. */
static AssayMatrix *
draw_integers (const Lattice *settings, gsize rows, gsize cols, AssayStream *stream, GError **error)
{
  const double length = settings->length > 0 ? settings->length : 512;
  AssayMatrix *matrix = assay_matrix_new (rows, cols, error);

  for (gsize i = 0; matrix != NULL && i < rows; i++) {
    float *row = assay_matrix_row (matrix, i);
    double square;

    for (gsize j = 0; j < cols; j++)
      row[j] = (float) assay_stream_uniform (stream);
    square = assay_squared_norm (row, cols);
    for (gsize j = 0; j < cols; j++)
      row[j] = (float) rint (row[j] * length / sqrt (square));
    square = assay_squared_norm (row, cols);
    for (gsize j = 0; j < cols; j++)
      row[j] = (float) (row[j] / sqrt (square));
  }
  return matrix;
}

/* Each secret is lifted with two rows of a database and two random directions: of three candidates
 * the database tells which is the secret. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  enum { SECRETS = 12, ROWS = 30, THROUGH = 2, COLS = 40, DIMENSION = 4 };
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *secrets = draw_integers (data, SECRETS, COLS, &stream, error);
  g_autoptr (AssayMatrix) rows = draw_integers (data, ROWS, COLS, &stream, error);
  g_autoptr (AssayMatrix) others = assay_matrix_new (SECRETS * THROUGH, COLS, error);
  AssayRelease *release = NULL;

  for (gsize i = 0; rows != NULL && others != NULL && i < SECRETS * THROUGH; i++)
    memcpy (assay_matrix_row (others, i), assay_matrix_row (rows, i), COLS * sizeof (float));
  if (secrets != NULL && rows != NULL && others != NULL) {
    release = subspace_control_release (assay_matrix_view (secrets), others->data, THROUGH,
                                        DIMENSION, &stream, error);
    ret_case->database = assay_rows_take_matrix (g_steal_pointer (&rows));
  }
  return assay_control_take (ret_case, release, secrets);
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_REAL (Lattice, length, 0, 0, 1e6, "",
                    "L2 norm that descriptors have as integers (SIFT: 512); 0: any"),
  ASSAY_PARAM_REAL (Lattice, spread, 40, 2, 1e6, "", "... and by how much it may differ"),
  ASSAY_PARAM_REAL (Lattice, unit, 1, 1e-6, 1e9, "",
                    "What 1 is in integers where rows are not of length 1 (255 for bytes as "
                    "shares)"),
  ASSAY_PARAM_REAL (Lattice, seconds, 0, 0, 1e9, "s",
                    "Subspaces that are not begun after this time are not looked at; 0: all are"),
  ASSAY_PARAM_INT (Lattice, candidates, 64, 1, 4096, "",
                   "Of each subspace the guess shows at most so many candidates"),
  ASSAY_PARAM_END
};

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Lattice *settings = data;
  const guint64 cols = shape->cols, m = shape->dimension;
  const guint64 shown = MIN ((guint64) settings->candidates, m + 2);

  return (guint64) shape->n_secrets * (shown * 3 + 2) * cols * sizeof (gint64)
         + (guint64) assay_parallel_threads () * cols * cols * 12 * sizeof (gint64);
}

ASSAY_ATTACK (lattice, "lattice",
  .summary = "Find the integers that a subspace was laid through, by lattice reduction",
  .reference = { "Lenstra, Lenstra and Lovasz 1982, Factoring Polynomials with Rational "
                 "Coefficients",
                 "section 1.39; its use on affine lifting is ours" },
  ASSAY_SETTINGS (Lattice, parameters),
  .memory = memory,
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_NONE,
  .writes = subspace_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "integer vectors are told from the database's, and found to the last digit",
               .make = make_control,
               .at_least = 0.9,
               .within = 1e-4 });
