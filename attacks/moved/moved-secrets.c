/* Images and moves in turn. */
#include "attacks/moved/moved-secrets.h"

#include <math.h>
#include <string.h>

#include "attacks/evidence/mixture-halves.h"
#include "attacks/moved/moved-explain.h"
#include "attacks/moved/moved-start.h"
#include "core/base/interrupt.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define WIDE_ROUNDS 2 /* in which images may stand anywhere */
#define ROUNDS 5
#define SWEEPS 12
#define FIRM 0.1    /* of the mean residual, below which a row counts no more than others */
#define PRIOR 0.05f /* of pixels, beside the weights of rows */
#define NULLS 256   /* mixtures of public images that are explained for comparison */

void
moved_secrets_clear (MovedSecrets *secrets)
{
  g_clear_pointer (&secrets->images, g_free);
  g_clear_pointer (&secrets->fits, g_free);
  g_clear_pointer (&secrets->evidence, g_free);
  g_clear_pointer (&secrets->pairs, g_free);
}

typedef struct {
  AssayArena arena;
  Moves wide; /* as far as two moves of one image are apart */
  Moves near;
  MovedRows in;
  gsize n;          /* images */
  float *images;    /* n x d */
  MovedPart *parts; /* N x 2, weights those of images as they are, of sum 1 */
  double *left;     /* N */
  float *residuals; /* N x d */
  float *firmness;  /* weights of rows */
  /* Where images are made of one half of the rows: which are in the second, and which half. */
  const gboolean *is_second;
  gboolean half;
} Search;

static gboolean
search_init (const MixtureIntake *intake, const MixtureParts *parts, gsize n_secrets, gsize shift,
             Search *search, GError **error)
{
  const gsize n = parts->rows->rows, d = parts->rows->cols, c = parts->directions->rows;
  float *features;

  search->in.directions = assay_matrix_view (parts->directions);
  search->in.rows = assay_matrix_view (parts->rows);
  features = assay_arena_alloc (&search->arena, n, c * sizeof (float), "features", error);
  search->images
      = assay_arena_alloc (&search->arena, n_secrets, d * sizeof (float), "images", error);
  search->parts = assay_arena_alloc (&search->arena, n, 2 * sizeof (MovedPart), "pairs", error);
  search->left = assay_arena_alloc (&search->arena, n, sizeof (double), "residuals", error);
  search->residuals = assay_arena_alloc (&search->arena, n, d * sizeof (float), "residuals", error);
  search->firmness = assay_arena_alloc (&search->arena, n, sizeof (float), "residuals", error);
  if (search->arena.has_failed
      || !moves_init (&intake->state.geometry, 2 * shift, &search->arena, &search->wide, error)
      || !moves_init (&intake->state.geometry, shift, &search->arena, &search->near, error))
    return FALSE;
  assay_linalg_product_in_parallel (ASSAY_NT, search->in.rows, search->in.directions, features);
  for (gsize t = 0; t < n; t++)
    moved_normalise (features + t * c, c);
  search->in.features = assay_view_of (features, n, c);
  return TRUE;
}

/* ---- Images ---- */

/* Weights for images as they are, rather than for features of length 1; they sum to 1. */
static void
take_weights (Search *search, const Moves *moves)
{
  const gsize d = search->in.rows.cols;
  g_autofree float *moved = g_new (float, d);

  for (gsize t = 0; t < search->in.rows.rows; t++) {
    MovedPart *parts = search->parts + MIXTURE_PRIVATE * t;
    double sum = 0;

    for (gsize i = 0; i < MIXTURE_PRIVATE; i++) {
      double square = 0;

      moves_take (moves, parts[i].move, search->images + parts[i].image * d, moved);
      for (gsize c = 0; c < search->in.directions.rows; c++) {
        const double along
            = assay_lanes_dot_float (moved, assay_view_row (search->in.directions, c), d);

        square += along * along;
      }
      parts[i].weight /= (float) sqrt (MAX (square, 1e-20));
      sum += (double) parts[i].weight;
    }
    for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
      parts[i].weight = sum > 0 ? (float) (parts[i].weight / sum) : 0.5f;
  }
}

/* Adds @sign times what part @i of row @t has of it to its residual. */
static void
add_part (Search *search, const Moves *moves, gsize t, const MovedPart *part, float sign)
{
  const gsize d = search->in.rows.cols;
  const guint32 *from = moves->from + part->move * d;
  const float *image = search->images + part->image * d;
  float *residual = search->residuals + t * d;

  for (gsize j = 0; j < d; j++)
    residual[j] += sign * part->weight * image[from[j]];
}

/* Rows that are left as they are count less, those of the other half not at all. */
static void
weigh_rows (Search *search)
{
  const gsize n = search->in.rows.rows;
  double mean = 0;

  for (gsize t = 0; t < n; t++)
    mean += search->left[t] / (double) n;
  for (gsize t = 0; t < n; t++)
    search->firmness[t] = search->is_second != NULL && search->is_second[t] != search->half
                              ? 0
                              : (float) (1 / (FIRM + pow (search->left[t] / MAX (mean, 1e-9), 2)));
}

/* Image @i, with all others as they are; residuals follow. */
static void
solve_image (Search *search, const Moves *moves, gsize i, float *sums, float *counts)
{
  const gsize d = search->in.rows.cols;
  float *image = search->images + i * d;

  memset (sums, 0, d * sizeof *sums);
  for (gsize j = 0; j < d; j++)
    counts[j] = PRIOR;
  for (gsize t = 0; t < search->in.rows.rows; t++)
    for (gsize slot = 0; slot < MIXTURE_PRIVATE; slot++) {
      const MovedPart *part = search->parts + MIXTURE_PRIVATE * t + slot;
      const guint32 *from = moves->from + part->move * d;
      const float *residual = search->residuals + t * d;
      const float weight = search->firmness[t] * part->weight;

      if (part->image != i)
        continue;
      add_part (search, moves, t, part, 1);
      for (gsize j = 0; j < d; j++) {
        sums[from[j]] += weight * residual[j];
        counts[from[j]] += weight * part->weight;
      }
    }
  for (gsize j = 0; j < d; j++)
    image[j] = sums[j] / counts[j];
  for (gsize t = 0; t < search->in.rows.rows; t++)
    for (gsize slot = 0; slot < MIXTURE_PRIVATE; slot++)
      if (search->parts[MIXTURE_PRIVATE * t + slot].image == i)
        add_part (search, moves, t, search->parts + MIXTURE_PRIVATE * t + slot, -1);
}

static void
solve_images (Search *search, const Moves *moves)
{
  const gsize n = search->in.rows.rows, d = search->in.rows.cols;
  g_autofree float *sums = g_new (float, d);
  g_autofree float *counts = g_new (float, d);

  take_weights (search, moves);
  weigh_rows (search);
  for (gsize t = 0; t < n; t++) {
    memcpy (search->residuals + t * d, assay_view_row (search->in.rows, t), d * sizeof (float));
    for (gsize slot = 0; slot < MIXTURE_PRIVATE; slot++)
      add_part (search, moves, t, search->parts + MIXTURE_PRIVATE * t + slot, -1);
  }
  for (gsize sweep = 0; sweep < SWEEPS; sweep++)
    for (gsize i = 0; i < search->n; i++)
      solve_image (search, moves, i, sums, counts);
}

/* ---- Where images stand ---- */

/* The place, in steps of the wide moves, from which on most of an image's weight is within reach;
 * along one side. @weights: of each place. Of equal ones the middle. */
static gint64
best_place (const double *weights, gint64 wide, gint64 near)
{
  double most = -1;
  gint64 first = 0, last = 0;

  for (gint64 middle = near - wide; middle <= wide - near; middle++) {
    double sum = 0;

    for (gint64 place = middle - near; place <= middle + near; place++)
      sum += weights[place + wide];
    if (sum > most + 1e-9) {
      most = sum;
      first = middle;
    }
    if (sum > most - 1e-9)
      last = middle;
  }
  return (first + last) / 2;
}

/* Moves each image to the middle of where it was seen. */
static void
centre_images (Search *search, const Moves *moves)
{
  const gsize d = search->in.rows.cols, side = 2 * moves->shift + 1;
  const gint64 wide = (gint64) moves->shift, near = (gint64) search->near.shift;
  g_autofree float *moved = g_new (float, d);

  for (gsize i = 0; i < search->n; i++) {
    g_autofree double *down = g_new0 (double, side);
    g_autofree double *right = g_new0 (double, side);
    gsize move;

    for (gsize t = 0; t < MIXTURE_PRIVATE * search->in.rows.rows; t++) {
      const MovedPart *part = search->parts + t;
      const double weight
          = (double) (part->weight * part->weight * search->firmness[t / MIXTURE_PRIVATE]);

      if (part->image != i)
        continue;
      down[moves_down (moves, part->move) + wide] += weight;
      right[moves_right (moves, part->move) + wide] += weight;
    }
    move = moves_of (moves, best_place (down, wide, near), best_place (right, wide, near), FALSE);
    moves_take (moves, move, search->images + i * d, moved);
    memcpy (search->images + i * d, moved, d * sizeof *moved);
  }
}

static gboolean
run_round (Search *search, const Moves *moves, GError **error)
{
  const AssayView images = assay_view_of (search->images, search->n, search->in.rows.cols);

  if (assay_interrupt_is_wanted ())
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
  if (!moved_explain (moves, &search->in, images, search->parts, search->left, error))
    return FALSE;
  solve_images (search, moves);
  return TRUE;
}

/* ---- How sure ---- */

/* What the images leave of mixtures of two public images each, on average. */
static gboolean
measure_null (const MixtureIntake *intake, const Search *search, double *ret_left, GError **error)
{
  const gsize d = search->in.rows.cols, c = search->in.directions.rows,
              m = intake->public_images->rows;
  g_autoptr (AssayMatrix) mixed = assay_matrix_new (NULLS, d, error);
  g_autoptr (AssayMatrix) features = assay_matrix_new (NULLS, c, error);
  g_autofree MovedPart *parts = g_new (MovedPart, MIXTURE_PRIVATE * NULLS);
  g_autofree double *left = g_new (double, NULLS);
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "moved-secrets", "null"), 0);
  MovedRows nulls;
  double sum = 0;

  if (mixed == NULL || features == NULL)
    return FALSE;
  for (gsize t = 0; t < NULLS; t++) {
    const double share = 0.2 + 0.6 * assay_stream_uniform (&stream);
    const float *a
        = assay_matrix_row (intake->public_images, assay_stream_below (&stream, (guint32) m));
    const float *b
        = assay_matrix_row (intake->public_images, assay_stream_below (&stream, (guint32) m));

    for (gsize j = 0; j < d; j++)
      assay_matrix_row (mixed, t)[j]
          = (float) (share * a[j] + (1 - share) * b[j] - intake->plain.image[j]);
  }
  assay_linalg_product_in_parallel (ASSAY_NT, assay_matrix_view (mixed), search->in.directions,
                                    features->data);
  for (gsize t = 0; t < NULLS; t++)
    moved_normalise (assay_matrix_row (features, t), c);
  nulls = (MovedRows){ assay_matrix_view (mixed), search->in.directions,
                       assay_matrix_view (features) };
  if (!moved_explain (&search->near, &nulls, assay_view_of (search->images, search->n, d), parts,
                      left, error))
    return FALSE;
  for (gsize t = 0; t < NULLS; t++)
    sum += left[t] / NULLS;
  *ret_left = sum;
  return TRUE;
}

/* What is left of rows beside @null, with what fitting itself takes off; of all, and of those that
 * each image is in. */
static void
measure_fits (const Search *search, double null, MovedSecrets *secrets)
{
  const gsize n = search->n, total = search->in.rows.rows;
  const double wrong = null * MAX (1 - (double) n / (double) total, 0);
  g_autofree double *weights = g_new0 (double, n);
  double all = 0;

  memset (secrets->fits, 0, n * sizeof *secrets->fits);
  for (gsize t = 0; t < MIXTURE_PRIVATE * total; t++) {
    const MovedPart *part = search->parts + t;
    const double weight = (double) (part->weight * part->weight);

    secrets->fits[part->image] += weight * search->left[t / MIXTURE_PRIVATE];
    weights[part->image] += weight;
    all += search->left[t / MIXTURE_PRIVATE] / (double) (MIXTURE_PRIVATE * total);
  }
  secrets->explained = wrong > 0 ? CLAMP (1 - all / wrong, 0, 1) : 0;
  for (gsize i = 0; i < n; i++)
    secrets->fits[i]
        = weights[i] > 0 && wrong > 0 ? CLAMP (1 - secrets->fits[i] / weights[i] / wrong, 0, 1) : 0;
}

/* Images of one half of the rows, from those there are and as these stand in them. */
static void
solve_half (const Search *search, const gboolean *is_second, gboolean half, float *images,
            MovedPart *parts)
{
  Search of_half = *search;

  of_half.is_second = is_second;
  of_half.half = half;
  of_half.images = images;
  of_half.parts = parts;
  memcpy (images, search->images, search->n * search->in.rows.cols * sizeof *images);
  memcpy (parts, search->parts, MIXTURE_PRIVATE * search->in.rows.rows * sizeof *parts);
  solve_images (&of_half, &search->near);
}

/* Evidence of each image, from images of either half of the rows. */
static gboolean
compare_halves (Search *search, MovedSecrets *secrets, GError **error)
{
  const gsize n = search->n, d = search->in.rows.cols, total = search->in.rows.rows;
  g_auto (AssayArena) arena = { 0 };
  float *one = assay_arena_alloc (&arena, n, d * sizeof (float), "images", error);
  float *other = assay_arena_alloc (&arena, n, d * sizeof (float), "images", error);
  MovedPart *parts = assay_arena_alloc (&arena, total, 2 * sizeof (MovedPart), "pairs", error);
  g_autofree guint32 *pairs = g_new (guint32, MIXTURE_PRIVATE * total);
  g_autofree gboolean *is_second = g_new (gboolean, total);

  if (arena.has_failed)
    return FALSE;
  for (gsize t = 0; t < MIXTURE_PRIVATE * total; t++)
    pairs[t] = (guint32) search->parts[t].image;
  mixture_halves_deal (pairs, total, n, is_second);
  solve_half (search, is_second, FALSE, one, parts);
  solve_half (search, is_second, TRUE, other, parts);
  for (gsize i = 0; i < n; i++) {
    const double halves = fabs (assay_correlation (one + i * d, other + i * d, d));

    secrets->evidence[i]
        = (MixtureEvidence){ mixture_halves_reliability (halves), secrets->fits[i], 1, 1 };
  }
  return TRUE;
}

/* The part of images in rows that do not stand where that image mostly does. */
static double
measure_moved (const Search *search)
{
  const gsize n_moves = search->near.n_moves, count = MIXTURE_PRIVATE * search->in.rows.rows;
  g_autofree gsize *counts = g_new0 (gsize, search->n * n_moves);
  gsize usual = 0;

  for (gsize t = 0; t < count; t++)
    counts[search->parts[t].image * n_moves + search->parts[t].move]++;
  for (gsize i = 0; i < search->n; i++) {
    gsize most = 0;

    for (gsize move = 0; move < n_moves; move++)
      most = MAX (most, counts[i * n_moves + move]);
    usual += most;
  }
  return 1 - (double) usual / (double) count;
}

/* As estimates, each both ways. */
static gboolean
give (const MixtureIntake *intake, Search *search, MovedSecrets *secrets, GError **error)
{
  const gsize n = search->n, d = search->in.rows.cols, total = search->in.rows.rows;
  const gsize mirror = moves_of (&search->near, 0, 0, TRUE);

  secrets->n = 2 * n;
  secrets->images = assay_alloc (2 * n, d * sizeof (float), "images", error);
  secrets->pairs = g_new (gint64, MIXTURE_PRIVATE * total);
  if (secrets->images == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    float *image = secrets->images + i * d;

    for (gsize j = 0; j < d; j++)
      image[j] = search->images[i * d + j] + (float) intake->plain.image[j];
    moves_take (&search->near, mirror, image, secrets->images + (n + i) * d);
    secrets->fits[n + i] = secrets->fits[i];
    secrets->evidence[n + i] = secrets->evidence[i];
  }
  for (gsize t = 0; t < total; t++) {
    const MovedPart *parts = search->parts + MIXTURE_PRIVATE * t;
    const gsize first = parts[1].weight > parts[0].weight ? 1 : 0;

    for (gsize i = 0; i < MIXTURE_PRIVATE; i++) {
      const MovedPart *part = parts + (i == 0 ? first : 1 - first);

      secrets->pairs[MIXTURE_PRIVATE * t + i]
          = (gint64) (part->image + (moves_is_mirrored (&search->near, part->move) ? n : 0));
    }
  }
  return TRUE;
}

gboolean
moved_secrets_find (const MixtureIntake *intake, const MixtureParts *parts, gsize n_secrets,
                    gsize shift, MovedSecrets *ret_secrets, GError **error)
{
  Search search = { 0 };
  double null = 0;
  gboolean is_done
      = search_init (intake, parts, n_secrets, shift, &search, error)
        && moved_start (&search.wide, &search.in, n_secrets, search.images, &search.n, error);

  if (is_done && search.n < MIXTURE_PRIVATE) { /* all rows are the same, or none is like another */
    assay_arena_clear (&search.arena);
    return TRUE;
  }
  for (gsize round = 0; is_done && round < ROUNDS; round++) {
    const Moves *moves = round < WIDE_ROUNDS ? &search.wide : &search.near;

    is_done = run_round (&search, moves, error);
    if (is_done && round < ROUNDS - 1)
      centre_images (&search, moves);
  }
  ret_secrets->fits = g_new0 (double, 2 * MAX (search.n, 1));
  ret_secrets->evidence = g_new0 (MixtureEvidence, 2 * MAX (search.n, 1));
  is_done = is_done
            && moved_explain (&search.near, &search.in,
                              assay_view_of (search.images, search.n, search.in.rows.cols),
                              search.parts, search.left, error)
            && measure_null (intake, &search, &null, error);
  if (is_done) {
    measure_fits (&search, null, ret_secrets);
    ret_secrets->moved = measure_moved (&search);
    is_done = compare_halves (&search, ret_secrets, error)
              && give (intake, &search, ret_secrets, error);
  }
  assay_arena_clear (&search.arena);
  return is_done;
}
