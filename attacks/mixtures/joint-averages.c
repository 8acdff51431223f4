/* Coefficients for each mixture, images for panels of pixels. */
#include "attacks/mixtures/joint-averages.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define STEPS 60      /* of projected gradients; they start where the round before ended */
#define RIDGE 0.02    /* of the mean diagonal of A'A */
#define SPREAD 1e-12  /* of images beside their squares: with less they are all alike */
#define PANEL_ROWS 64 /* mixtures that a piece of work takes */
#define PANEL_COLS 64 /* pixels */

typedef struct {
  AssayView mixtures;
  AssayMatrix *images;  /* X */
  float *centred;       /* less their mean: as shares sum to 1, it is not in what they fit */
  double *offsets;      /* n: what the mean has to do with each centred image */
  float *shares;        /* A, N x n */
  double *gram;         /* of centred images, n x n */
  double bound;         /* the largest eigenvalue of the Gram matrix */
  double *right;        /* A' (Y - A X), n x d */
  float *products;      /* PANEL_ROWS x n a worker: of mixtures and centred images */
  double *points;       /* 3 x n a worker */
  float *residuals;     /* N x PANEL_COLS a worker */
  float *sums;          /* n x PANEL_COLS a worker */
} Joint;

/* Fills in what there is room for in the arena. */
static gboolean
joint_init (AssayView mixtures, AssayMatrix *images, AssayArena *arena, Joint *joint,
            GError **error)
{
  const gsize n = images->rows, d = images->cols, workers = assay_parallel_threads ();
  const gsize total = mixtures.rows;

  *joint = (Joint){
    .mixtures = mixtures,
    .images = images,
    .centred = assay_arena_alloc (arena, n, d * sizeof (float), "matrix", error),
    .offsets = assay_arena_alloc (arena, n, sizeof (double), "shares", error),
    .shares = assay_arena_alloc (arena, total, n * sizeof (float), "shares", error),
    .gram = assay_arena_alloc (arena, n, n * sizeof (double), "shares", error),
    .right = assay_arena_alloc (arena, n, d * sizeof (double), "images", error),
    .products
    = assay_arena_alloc (arena, workers * n, PANEL_ROWS * sizeof (float), "shares", error),
    .points = assay_arena_alloc (arena, workers * n, 3 * sizeof (double), "shares", error),
    .residuals
    = assay_arena_alloc (arena, workers * total, PANEL_COLS * sizeof (float), "residuals", error),
    .sums = assay_arena_alloc (arena, workers * n, PANEL_COLS * sizeof (float), "images", error),
  };
  for (gsize i = 0; !arena->has_failed && i < total * n; i++)
    joint->shares[i] = (float) (1 / (double) n);
  return !arena->has_failed;
}

/* ---- Coefficients ---- */

/* The nearest point whose numbers are from 0 up and sum to 1: all less one shift, and not below 0.
 * The shift is the mean excess of the numbers above it, which only become fewer (Michelot 1986). */
static void
project (double *inout_point, gsize n)
{
  gsize n_before = n + 1;
  double shift = -INFINITY;

  for (gsize step = 0; step <= n; step++) {
    gsize n_above = 0;
    double sum = 0;

    for (gsize j = 0; j < n; j++)
      if (inout_point[j] > shift) {
        sum += inout_point[j];
        n_above++;
      }
    if (n_above == n_before || n_above == 0)
      break;
    n_before = n_above;
    shift = (sum - 1) / (double) n_above;
  }
  for (gsize j = 0; j < n; j++)
    inout_point[j] = MAX (inout_point[j] - shift, 0);
}

/* slope = G point + offsets - products. */
ASSAY_VECTORISED static void
find_slope (const Joint *joint, const float *restrict products, const double *restrict point,
            double *restrict ret_slope)
{
  const gsize n = joint->images->rows;

  for (gsize j = 0; j < n; j++)
    ret_slope[j] = joint->offsets[j] - products[j];
  for (gsize l = 0; l < n; l++) {
    const double *restrict row = joint->gram + l * n;

    for (gsize j = 0; j < n; j++)
      ret_slope[j] += row[j] * point[l];
  }
}

/* One mixture, of whose products with the images @products are. @points: room for 3 n. */
static void
fit_shares (const Joint *joint, const float *products, double *points, float *inout_shares)
{
  const gsize n = joint->images->rows;
  double *point = points, *ahead = points + n, *next = points + 2 * n;
  double speed = 1;

  for (gsize j = 0; j < n; j++)
    point[j] = ahead[j] = inout_shares[j];
  for (gsize step = 0; step < STEPS; step++) {
    const double faster = (1 + sqrt (1 + 4 * speed * speed)) / 2;

    find_slope (joint, products, ahead, next);
    for (gsize j = 0; j < n; j++)
      next[j] = ahead[j] - next[j] / joint->bound;
    project (next, n);
    for (gsize j = 0; j < n; j++) {
      ahead[j] = next[j] + (speed - 1) / faster * (next[j] - point[j]);
      point[j] = next[j];
    }
    speed = faster;
  }
  for (gsize j = 0; j < n; j++)
    inout_shares[j] = (float) point[j];
}

static void
fit_panel (gsize index, guint worker, gpointer data)
{
  const Joint *joint = data;
  const gsize n = joint->images->rows, cols = joint->images->cols;
  const gsize first = index * PANEL_ROWS;
  const gsize count = MIN (PANEL_ROWS, joint->mixtures.rows - first);
  float *products = joint->products + worker * PANEL_ROWS * n;

  assay_linalg_product (ASSAY_NT, assay_view_rows (joint->mixtures, first, count),
                        assay_view_of (joint->centred, n, cols), products, n);
  for (gsize i = 0; i < count; i++)
    fit_shares (joint, products + i * n, joint->points + worker * 3 * n,
                joint->shares + (first + i) * n);
}

/* Images less their mean, and their products with each other and with it. */
static void
centre_images (Joint *joint)
{
  const gsize n = joint->images->rows, d = joint->images->cols;

  memset (joint->offsets, 0, n * sizeof *joint->offsets);
  for (gsize c = 0; c < d; c++) {
    double mean = 0;

    for (gsize i = 0; i < n; i++)
      mean += assay_matrix_row (joint->images, i)[c] / (double) n;
    for (gsize i = 0; i < n; i++) {
      float *value = joint->centred + i * d + c;

      *value = (float) (assay_matrix_row (joint->images, i)[c] - mean);
      joint->offsets[i] += mean * *value;
    }
  }
  for (gsize i = 0; i < n; i++)
    for (gsize l = 0; l <= i; l++) {
      double sum = 0;

      for (gsize c = 0; c < d; c++)
        sum += (double) joint->centred[i * d + c] * joint->centred[l * d + c];
      joint->gram[i * n + l] = joint->gram[l * n + i] = sum;
    }
}

/* Images that are all alike have no shares: FALSE in *@ret_is_done leaves those there are. */
static gboolean
fit_all_shares (Joint *joint, gboolean *ret_is_done, GError **error)
{
  const AssayMatrix *images = joint->images;
  double squares = 0;

  centre_images (joint);
  for (gsize i = 0; i < images->rows * images->cols; i++)
    squares += (double) images->data[i] * images->data[i];
  if (!assay_linalg_symmetric_eigen (images->rows, 1, joint->gram, &joint->bound, NULL, error))
    return FALSE;
  *ret_is_done = joint->bound > SPREAD * squares;
  if (*ret_is_done)
    assay_parallel_for ((joint->mixtures.rows + PANEL_ROWS - 1) / PANEL_ROWS, fit_panel, joint);
  return TRUE;
}

/* ---- Images ---- */

static void
gather_panel (gsize index, guint worker, gpointer data)
{
  Joint *joint = data;
  const gsize n = joint->images->rows, d = joint->images->cols, rows = joint->mixtures.rows;
  const gsize first = index * PANEL_COLS, count = MIN (PANEL_COLS, d - first);
  float *residuals = joint->residuals + worker * rows * PANEL_COLS;
  float *sums = joint->sums + worker * n * PANEL_COLS;

  assay_linalg_product (ASSAY_NN, assay_view_of (joint->shares, rows, n),
                        (AssayView){ n, count, d, joint->images->data + first }, residuals,
                        PANEL_COLS);
  for (gsize t = 0; t < rows; t++)
    for (gsize c = 0; c < count; c++)
      residuals[t * PANEL_COLS + c]
          = assay_view_row (joint->mixtures, t)[first + c] - residuals[t * PANEL_COLS + c];
  assay_linalg_product (ASSAY_TN, assay_view_of (joint->shares, rows, n),
                        (AssayView){ rows, count, PANEL_COLS, residuals }, sums, PANEL_COLS);
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < count; c++)
      joint->right[i * d + first + c] = sums[i * PANEL_COLS + c];
}

/* A'A, with the ridge on its diagonal; free with g_free. */
static double *
normal_matrix (const Joint *joint, GError **error)
{
  const gsize n = joint->images->rows;
  double *normal = assay_alloc (n, n * sizeof (double), "shares", error);
  double trace = 0;

  for (gsize t = 0; normal != NULL && t < joint->mixtures.rows; t++) {
    const float *shares = joint->shares + t * n;

    for (gsize i = 0; i < n; i++)
      for (gsize l = 0; l <= i && shares[i] > 0; l++)
        normal[i * n + l] += (double) shares[i] * shares[l];
  }
  for (gsize i = 0; normal != NULL && i < n; i++)
    trace += normal[i * n + i];
  for (gsize i = 0; normal != NULL && i < n; i++)
    normal[i * n + i] += RIDGE * trace / (double) n;
  return normal;
}

static gboolean
fit_images (Joint *joint, double black, double white, GError **error)
{
  const gsize n = joint->images->rows, d = joint->images->cols;
  g_autofree double *normal = normal_matrix (joint, error);

  if (normal == NULL)
    return FALSE;
  assay_parallel_for ((d + PANEL_COLS - 1) / PANEL_COLS, gather_panel, joint);
  if (!assay_linalg_solve_spd (n, d, normal, joint->right, error))
    return FALSE;
  for (gsize i = 0; i < n * d; i++) {
    const double value = joint->images->data[i] + joint->right[i];

    joint->images->data[i] = (float) (white > black ? CLAMP (value, black, white) : value);
  }
  return TRUE;
}

gboolean
joint_averages (AssayView mixtures, gsize rounds, double black, double white,
                AssayMatrix *inout_estimates, GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  Joint joint;
  gboolean goes_on = TRUE;

  if (rounds == 0)
    return TRUE;
  if (!joint_init (mixtures, inout_estimates, &arena, &joint, error))
    return FALSE;
  for (gsize round = 0; round < rounds && goes_on; round++)
    if (!fit_all_shares (&joint, &goes_on, error)
        || (goes_on && !fit_images (&joint, black, white, error)))
      return FALSE;
  return TRUE;
}
