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
 *   4. In the game link known records are named in place of that one: the public rows nearest to
 *      what is left (lattice-link.h).
 * Nothing need be granted: one candidate in m/2 + 1 is the secret then.
 *
 * The first subspaces tell with what precision integers stand in the release: that of float32, or
 * less, where they were dithered; and where the database's rows were not, with what precision the
 * secrets do beside them, down to where chance would give as many. Where they tell none, the
 * descriptors are not integers, or too little of them is left: the guess says so, and its estimates
 * are the points of the subspaces nearest to the origin, with a confidence of 0. Its confidence is
 * the share of the subspaces that have a candidate which nothing known explains: a secret that is
 * no integer vector, among database rows that are, is not found.
 *
 * Nothing of this depends on a clock, unless `seconds` asks for one; the guess says so then, and in
 * how many subspaces it had the time to look. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attacks/lifting/lattice-link.h"
#include "attacks/lifting/lattice-search.h"
#include "attacks/lifting/lattice-standing.h"
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/games/control-case.h"
#include "core/plugin/callbacks.h"

typedef struct {
  guint game;
  double length;
  double spread;
  double unit;
  double seconds;
  gint64 candidates;
} Lattice;

enum { RECONSTRUCT, LINK };
static const char *const games[] = { "reconstruct", "link", NULL };

ASSAY_OF_SETTINGS (AssayGame, plays, Lattice,
                   settings->game == LINK ? ASSAY_GAME_LINK : ASSAY_GAME_RECONSTRUCT)

/* ---- Step 3 ---- */

typedef struct {
  const LatticeSearch *search;
  const LatticeStandings *standings;
  float *estimates;  /* n x d */
  float *considered; /* n x k x d */
  gsize k;
} Choice;

static void
choose_one (gsize item, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Choice *choice = data;
  const LatticeSearch *search = choice->search;
  const gsize d = search->subspaces.cols, count = search->points[item].count;
  float *estimate = choice->estimates + item * d;

  memcpy (estimate, search->feet + item * d, d * sizeof (float));
  if (count > 0)
    lattice_point (search, item, lattice_standings_best (choice->standings, item), estimate);
  /* Places beyond the last candidate hold the one that was chosen. */
  for (gsize p = 0; p < choice->k; p++) {
    float *place = choice->considered + (item * choice->k + p) * d;

    if (p < count)
      lattice_point (search, item, p, place);
    else
      memcpy (place, estimate, d * sizeof (float));
  }
}

/* ---- What the guess says ---- */

/* "1 in 190, 3 in 10": how many items have how many. */
static void
say_counts (GString *text, const gint64 *counts, gsize n)
{
  g_autofree gint64 *sorted = g_memdup2 (counts, n * sizeof *counts);

  qsort (sorted, n, sizeof *sorted, assay_compare_int64s);
  for (gsize i = 0, next; i < n; i = next) {
    for (next = i; next < n && sorted[next] == sorted[i];)
      next++;
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " in %zu", i > 0 ? ", " : "", sorted[i],
                            next - i);
  }
}

typedef struct {
  const Lattice *settings;
  const AssayObservation *seen;
  const LatticeStandings *standings;
  gint64 *possible;  /* n: how many candidates there are ... */
  gint64 *remaining; /* n: ... and how many of them nothing known explains */
} Account;

static void
count_candidates (const Account *account)
{
  const LatticeSearch *search = account->standings->search;

  for (gsize i = 0; i < search->subspaces.count; i++) {
    account->possible[i] = (gint64) search->points[i].count;
    account->remaining[i] = 0;
    for (gsize p = 0; p < search->points[i].count; p++)
      account->remaining[i] += lattice_standing_is_open (account->standings->items[i] + p);
  }
}

/* What a clock had a part in, another run may find more or less of. */
static void
say_late (const Account *account, GString *text)
{
  const LatticeSearch *search = account->standings->search;
  gsize late = 0;

  for (gsize i = 0; i < search->subspaces.count; i++)
    late += search->points[i].is_late;
  if (account->settings->seconds > 0 && !search->is_unsettled)
    g_string_append_printf (text,
                            "; by the clock (seconds = %g), within which %zu of %zu subspaces were "
                            "searched to the end: another run may have time for more or fewer",
                            account->settings->seconds, search->subspaces.count - late,
                            search->subspaces.count);
}

static void
say_found (const Account *account, GString *text)
{
  const LatticeSearch *search = account->standings->search;
  const gsize n = search->subspaces.count;
  gsize found = 0;

  for (gsize i = 0; i < n; i++)
    found += search->points[i].count > 0;
  g_string_append_printf (text, "integer points in %zu of %zu subspaces; candidates: ", found, n);
  say_counts (text, account->possible, n);
  g_string_append (text, "; left after what is known: ");
  say_counts (text, account->remaining, n);
  if (account->seen->other_releases != NULL && account->standings->n_shared == 0)
    g_string_append (text, "; none of them stands in another release: they tell nothing, being of "
                           "another database, too few, or of none");
  if (search->precision < LATTICE_FLOAT_PRECISION)
    g_string_append_printf (text, "; they stand in the release to %g of their length",
                            1 / search->precision);
}

/* Whether the span is too wide for what LLL leaves to be short on any number of columns. */
static gboolean
is_beyond (const LatticeSearch *search)
{
  return lattice_view_columns (
             LATTICE_FLOAT_PRECISION, search->subspaces.dimension + 1, search->subspaces.cols,
             search->rules.length > 0 ? search->rules.length : LATTICE_USUAL_LENGTH)
         >= search->subspaces.cols;
}

static void
say (const Account *account, AssayGuess *ret_guess)
{
  const LatticeSearch *search = account->standings->search;
  const gsize n = search->subspaces.count;
  GString *text = g_string_new (NULL);
  gsize open = 0, cut = 0;

  for (gsize i = 0; i < n; i++) {
    open += account->remaining[i] > 0;
    cut += search->points[i].is_cut;
  }
  if (search->is_unsettled)
    g_string_append_printf (text,
                            "the time (seconds = %g) was up before it was known whether the "
                            "subspaces hold integer vectors: nothing is guessed",
                            account->settings->seconds);
  else if (search->precision == 0 && is_beyond (search))
    g_string_append_printf (text,
                            "no integer vectors in %d of the subspaces, but with the origin these "
                            "span %zu of %zu dimensions, beyond which LLL need not find them: "
                            "whether the descriptors are integers is not known, and nothing is "
                            "guessed",
                            (int) MIN (n, LATTICE_PROBES), search->subspaces.dimension + 1,
                            search->subspaces.cols);
  else if (search->precision == 0)
    g_string_append_printf (text,
                            "no integer vectors in %d of the subspaces: the descriptors are not "
                            "integers, or too little is left of them; nothing is guessed",
                            (int) MIN (n, LATTICE_PROBES));
  else
    say_found (account, text);
  if (search->coarse > 0)
    g_string_append_printf (text, "; beside exact ones others stand in it to %g of their length",
                            1 / search->coarse);
  if (cut > 0)
    g_string_append_printf (text, "; in %zu there were more vectors than it looks at", cut);
  say_late (account, text);
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
choose (const LatticeStandings *standings, gsize limit, AssayGuess *ret_guess, GError **error)
{
  const LatticeSearch *search = standings->search;
  const gsize n = search->subspaces.count, d = search->subspaces.cols;
  const gsize k = most_points (search, limit);
  g_autoptr (AssayMatrix) estimates = assay_matrix_new (n, d, error);
  g_autofree float *considered = assay_alloc (n, k * d * sizeof (float), "considered", error);
  Choice choice = { .search = search, .standings = standings, .considered = considered, .k = k };

  if (estimates == NULL || considered == NULL)
    return FALSE;
  choice.estimates = estimates->data;
  assay_parallel_for (n, choose_one, &choice);
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  assay_arrays_take (&ret_guess->arrays, "considered",
                     assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ n, k, d },
                                       g_steal_pointer (&considered)));
  return TRUE;
}

static gboolean
link_rows (const LatticeStandings *standings, const AssayObservation *seen, gsize limit,
           AssayGuess *ret_guess, GError **error)
{
  const gsize keep = MIN (limit, assay_rows_count (seen->public_rows));
  gint64 *rows = lattice_link (standings, seen, keep, error);

  if (rows == NULL)
    return FALSE;
  assay_arrays_take_rows (&ret_guess->arrays, "candidates", ASSAY_INT64,
                          standings->search->subspaces.count, keep, rows);
  return TRUE;
}

/* The answer that the game asks for, and how many candidates there were. */
static gboolean
answer (const Lattice *settings, const LatticeSearch *search, const LatticeSearch *others,
        const AssayObservation *seen, AssayGuess *ret_guess, GError **error)
{
  const gsize n = search->subspaces.count, limit = (gsize) settings->candidates;
  g_autoptr (LatticeStandings) standings = lattice_standings_new (search, others, seen, error);
  Account account = { .settings = settings, .seen = seen, .standings = standings };

  if (standings == NULL
      || !(settings->game == LINK ? link_rows (standings, seen, limit, ret_guess, error)
                                  : choose (standings, limit, ret_guess, error)))
    return FALSE;
  account.possible = g_new0 (gint64, n);
  account.remaining = g_new0 (gint64, n);
  count_candidates (&account);
  say (&account, ret_guess);
  assay_arrays_take (&ret_guess->arrays, "possible",
                     assay_array_take (ASSAY_INT64, 1, &n, account.possible));
  assay_arrays_take (&ret_guess->arrays, "remaining",
                     assay_array_take (ASSAY_INT64, 1, &n, account.remaining));
  return TRUE;
}

static gboolean
start_search (const AssayAttackContext *context, const AssayRelease *release, gint64 deadline,
              LatticeSearch *ret_search, GError **error)
{
  const Lattice *settings = context->settings;
  const AssaySubspaces subspaces = assay_release_subspaces (release);

  if (subspaces.dimension + 1 >= subspaces.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "subspaces of dimension %zu in %zu columns: every integer vector is in "
                       "their span; expected a dimension of at most %zu",
                       subspaces.dimension, subspaces.cols, subspaces.cols - 2);
  *ret_search = (LatticeSearch){ .stream = context->stream,
                                 .rules = { settings->length, settings->spread, settings->unit },
                                 .subspaces = subspaces,
                                 .deadline = deadline };
  ret_search->feet
      = assay_alloc (subspaces.count, subspaces.cols * sizeof (float), "feet of subspaces", error);
  if (ret_search->feet == NULL)
    return FALSE;
  ret_search->points = g_new0 (IntegerPoints, subspaces.count);
  return lattice_search_run (ret_search, error);
}

static void
clear_search (LatticeSearch *search)
{
  for (gsize i = 0; search->points != NULL && i < search->subspaces.count; i++)
    integer_points_clear (search->points + i);
  g_clear_pointer (&search->points, g_free);
  g_clear_pointer (&search->feet, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LatticeSearch, clear_search)

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Lattice *settings = context->settings;
  const AssayRelease *other = seen->other_releases != seen->release ? seen->other_releases : NULL;
  const gint64 now = g_get_monotonic_time ();
  const gint64 deadline
      = settings->seconds > 0 ? now + (gint64) (settings->seconds * (double) G_USEC_PER_SEC) : 0;
  g_auto (LatticeSearch) search = { 0 }, others = { 0 };

  if (!start_search (context, seen->release, deadline, &search, error))
    return FALSE;
  if (other != NULL && assay_release_subspaces (other).cols != search.subspaces.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "other releases have %zu columns, expected %zu",
                       assay_release_subspaces (other).cols, search.subspaces.cols);
  if (other != NULL && !start_search (context, other, deadline, &others, error))
    return assay_prefix (error, "other releases: ");
  return answer (settings, &search, other != NULL ? &others : NULL, seen, ret_guess, error);
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

/* Public rows that are the secrets themselves, in another order, and after them the rows that they
 * were lifted with. */
static gboolean
add_records (AssayView secrets, AssayView others, AssayControlCase *ret_case, GError **error)
{
  const gsize n = secrets.rows, d = secrets.cols;
  AssayMatrix *records = assay_matrix_new (n + others.rows, d, error);
  gint64 *partners;

  if (records == NULL)
    return FALSE;
  partners = g_new (gint64, n);
  for (gsize i = 0; i < n; i++) {
    partners[i] = (gint64) ((i * 5 + 3) % n);
    memcpy (assay_matrix_row (records, (gsize) partners[i]), assay_view_row (secrets, i),
            d * sizeof (float));
  }
  for (gsize i = 0; i < others.rows; i++)
    memcpy (assay_matrix_row (records, n + i), assay_view_row (others, i), d * sizeof (float));
  ret_case->public_rows = assay_rows_take_matrix (records);
  assay_arrays_take_rows (&ret_case->truth->arrays, "partners", ASSAY_INT64, n, 1, partners);
  return TRUE;
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
  return assay_control_take (ret_case, release, secrets)
         && (((const Lattice *) data)->game != LINK
             || add_records (
                 assay_array_view (assay_arrays_get (&ret_case->truth->arrays, "secrets")),
                 assay_matrix_view (others), ret_case, error));
}

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
  .summary = "Find the integer vectors through which a subspace was laid, by lattice reduction",
  .reference = { "Lenstra, Lenstra and Lovasz 1982, Factoring Polynomials with Rational "
                 "Coefficients",
                 "section 1.39; its use on affine lifting is ours" },
  ASSAY_SETTINGS (Lattice,
    ASSAY_PARAM_CHOICE (Lattice, game, RECONSTRUCT, games,
                        "Guess the secret, or name the public rows that are records of it",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_REAL (Lattice, length, 0, 0, 1e6, "",
                      "L2 norm of descriptors as integers (SIFT: 512); 0: any"),
    ASSAY_PARAM_REAL (Lattice, spread, 40, 2, 1e6, "", "How far the norm may be from that"),
    ASSAY_PARAM_REAL (Lattice, unit, 1, 1e-6, 1e9, "",
                      "The integer that stands for 1 where rows are not of length 1 (255 for bytes "
                      "as shares)"),
    ASSAY_PARAM_REAL (Lattice, seconds, 0, 0, 1e9, "s",
                      "It stops after this time, and guesses by what it found so far; 0: it "
                      "searches everything, however long that takes"),
    ASSAY_PARAM_INT (Lattice, candidates, 64, 1, 4096, "",
                     "The most candidates that the guess names for each subspace; in the game "
                     "link, public rows")),
  .memory = memory,
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_NONE,
  .writes = subspace_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .plays = plays,
  .attack = attack,
  .control = { .says = "integer vectors are told from the database's, and found exactly",
               .make = make_control,
               .at_least = 0.9,
               .within = 1e-4 });
