/* Features of mixtures and public images, and their inner products by panels. */
#include "attacks/mixture-scores.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "attacks/score-order.h"
#include "core/linalg.h"
#include "core/parallel.h"
#include "core/scan.h"

#define BLOCK 128 /* rows of a panel, unless MIXTURE_PANEL_BYTES allow fewer */
#define PANEL 512 /* public rows that are read at a time to learn from them */
/* Mixtures that are ranked at a time: whole QUERIES whose scores FEW_BYTES hold, which products of
 * so many rows are fast for and which a large cache still holds; of larger sets QUERIES, as far as
 * MOST_BYTES hold them. */
#define FEW_BYTES ((gsize) 42 << 20)
#define MOST_BYTES ((gsize) 128 << 20)
#define QUERIES 512

/* ---- Rows ---- */

AssayMatrix *
mixture_images (const AssayRelease *release, GError **error)
{
  return assay_matrix_copy (assay_array_view (assay_arrays_get (&release->arrays, "images")),
                            error);
}

static gboolean
check_public (const AssayRows *rows, GError **error)
{
  return assay_rows_count (rows) > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "the public set is empty; expected public images");
}

AssayMatrix *
mixture_public (const AssayRelease *release, const AssayRows *rows, GError **error)
{
  return check_public (rows, error) ? assay_rows_matrix (rows, assay_release_scale (release), error)
                                    : NULL;
}

gint64
mixture_setting (const AssayRelease *release, const char *name)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonObject *object;

  if (!json_parser_load_from_data (parser, release->settings, -1, NULL))
    return 0;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return 0;
  object = json_node_get_object (root);
  if (!json_object_has_member (object, name)
      || json_node_get_value_type (json_object_get_member (object, name)) != G_TYPE_INT64)
    return 0;
  return json_object_get_int_member (object, name);
}

/* ---- Features ---- */

static double
dot (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += (double) a[j] * b[j];
  return sum;
}

typedef struct {
  const MixtureSpace *space;
  AssayMatrix *rows;
  AssayMatrix *whitened;
  gboolean is_reference;
} Features;

static void
shape_row (gsize index, guint worker, gpointer data)
{
  const Features *job = data;
  const MixtureOptions *options = &job->space->options;
  const gsize cols = job->rows->cols;
  float *row = assay_matrix_row (job->rows, index);
  double sum = 0;

  (void) worker;
  for (gsize j = 0; j < cols && options->form != MIXTURE_PLAIN; j++)
    row[j] = options->form == MIXTURE_SQUARE ? row[j] * row[j] : fabsf (row[j]);
  for (gsize j = 0; j < cols && options->level; j++)
    sum += row[j];
  for (gsize j = 0; j < cols && options->level; j++)
    row[j] = (float) (row[j] - sum / (double) cols);
}

/* Mixtures of images have the mean of images, as their coefficients sum to 1; absolute values and
 * squares of mixtures have a smaller one. */
static void
centre_row (gsize index, guint worker, gpointer data)
{
  const Features *job = data;
  const float *mean = job->space->mean;
  const gsize cols = job->rows->cols;
  float *row = assay_matrix_row (job->rows, index);
  const double length = dot (mean, mean, cols);
  const gboolean is_fitted
      = !job->is_reference && job->space->options.form != MIXTURE_PLAIN && length > 0;
  const double amount = is_fitted ? dot (row, mean, cols) / length : 1;

  (void) worker;
  for (gsize j = 0; j < cols; j++)
    row[j] = (float) (row[j] - amount * mean[j]);
}

/* To unit length in the metric of P; rows of zeros stay. */
static void
scale_row (gsize index, guint worker, gpointer data)
{
  const Features *job = data;
  const gsize cols = job->rows->cols;
  float *row = assay_matrix_row (job->rows, index);
  float *whitened = job->whitened != NULL ? assay_matrix_row (job->whitened, index) : NULL;
  const double square = dot (row, whitened != NULL ? whitened : row, cols);

  (void) worker;
  if (square <= 0)
    return;
  for (gsize j = 0; j < cols; j++) {
    row[j] = (float) (row[j] / sqrt (square));
    if (whitened != NULL)
      whitened[j] = (float) (whitened[j] / sqrt (square));
  }
}

/* ---- Learning ---- */

/* Sums of columns, row by row: the same however the rows are cut. */
static void
add_rows (const AssayMatrix *rows, double *inout_sum)
{
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      inout_sum[j] += rows->data[i * rows->cols + j];
}

static gboolean
set_mean (const double *sum, gsize n, MixtureSpace *space, GError **error)
{
  space->mean = assay_alloc (space->cols, sizeof (float), "mean image", error);
  for (gsize j = 0; space->mean != NULL && j < space->cols; j++)
    space->mean[j] = (float) (sum[j] / (double) n);
  return space->mean != NULL;
}

static gboolean
learn_mean (const AssayMatrix *rows, MixtureSpace *space, GError **error)
{
  g_autofree double *sum = assay_alloc (rows->cols, sizeof (double), "mean image", error);

  if (sum == NULL)
    return FALSE;
  add_rows (rows, sum);
  return set_mean (sum, rows->rows, space, error);
}

typedef struct {
  const AssayMatrix *rows;
  float *products; /* cols x cols */
} Covariance;

static void
multiply_columns (gsize index, guint worker, gpointer data)
{
  const Covariance *job = data;
  const gsize cols = job->rows->cols, first = index * BLOCK, count = MIN (BLOCK, cols - first);

  (void) worker;
  assay_linalg_product_tn (count, cols, job->rows->rows, job->rows->data + first, cols,
                           job->rows->data, cols, job->products + first * cols, cols);
}

/* P = ((1 - h) C + h tr (C) / d I)^-1, in units in which the mean variance is 1. */
static gboolean
learn_inverse (const AssayMatrix *rows, MixtureSpace *space, GError **error)
{
  const gsize cols = rows->cols;
  const double h = space->options.shrinkage;
  g_autofree double *matrix = assay_alloc (cols, cols * sizeof (double), "covariance", error);
  g_autofree double *right = assay_alloc (cols, cols * sizeof (double), "covariance", error);
  double trace = 0;
  Covariance job = { .rows = rows };

  space->inverse = assay_alloc (cols, cols * sizeof (float), "covariance", error);
  if (matrix == NULL || right == NULL || space->inverse == NULL)
    return FALSE;
  job.products = space->inverse;
  assay_parallel_for ((cols + BLOCK - 1) / BLOCK, multiply_columns, &job);
  for (gsize i = 0; i < cols; i++)
    trace += (double) space->inverse[i * cols + i] / (double) cols;
  if (!(trace > 0))
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "whiten: the images to learn the covariance from are all alike");
  for (gsize i = 0; i < cols * cols; i++)
    matrix[i] = (1 - h) * space->inverse[i] / trace;
  for (gsize i = 0; i < cols; i++) {
    matrix[i * cols + i] += h;
    right[i * cols + i] = 1;
  }
  if (!assay_linalg_solve_spd (cols, cols, matrix, right, error)) {
    g_prefix_error (error,
                    "whiten: covariance of %" G_GSIZE_FORMAT " images of %" G_GSIZE_FORMAT
                    " numbers, shrinkage = %g: ",
                    rows->rows, cols, h);
    return FALSE;
  }
  for (gsize i = 0; i < cols * cols; i++)
    space->inverse[i] = (float) right[i];
  return TRUE;
}

void
mixture_space_clear (MixtureSpace *space)
{
  g_clear_pointer (&space->mean, g_free);
  g_clear_pointer (&space->inverse, g_free);
}

gboolean
mixture_space_learn (const MixtureOptions *options, AssayMatrix *inout_reference,
                     MixtureSpace *ret_space, GError **error)
{
  g_auto (MixtureSpace) space = { .options = *options, .cols = inout_reference->cols };
  Features job = { .space = &space, .rows = inout_reference, .is_reference = TRUE };

  assay_parallel_for (inout_reference->rows, shape_row, &job);
  if (options->centre) {
    if (!learn_mean (inout_reference, &space, error))
      return FALSE;
    assay_parallel_for (inout_reference->rows, centre_row, &job);
  }
  if (options->whiten && !learn_inverse (inout_reference, &space, error))
    return FALSE;
  *ret_space = space;
  space = (MixtureSpace){ 0 };
  return TRUE;
}

void
mixture_space_enter (const MixtureSpace *space, AssayMatrix *inout_rows)
{
  Features job = { .space = space, .rows = inout_rows };

  assay_parallel_for (inout_rows->rows, shape_row, &job);
  if (space->mean != NULL)
    assay_parallel_for (inout_rows->rows, centre_row, &job);
}

typedef struct {
  AssayView rows;
  AssayView by;
  float *products;
} Product;

static void
multiply_rows (gsize index, guint worker, gpointer data)
{
  const Product *job = data;
  const gsize first = index * BLOCK, count = MIN (BLOCK, job->rows.rows - first);

  (void) worker;
  assay_linalg_product_nt (count, job->by.rows, job->rows.cols, assay_view_row (job->rows, first),
                           job->rows.stride, job->by.data, job->by.stride,
                           job->products + first * job->by.rows, job->by.rows);
}

gboolean
mixture_space_whiten (const MixtureSpace *space, AssayMatrix *inout_rows,
                      AssayMatrix **ret_whitened, GError **error)
{
  g_autoptr (AssayMatrix) whitened = NULL;
  Features job = { .space = space, .rows = inout_rows };

  if (space->inverse != NULL) {
    /* P is symmetric: its rows are its columns. */
    Product product = { .rows = assay_matrix_view (inout_rows),
                        .by = { space->cols, space->cols, space->cols, space->inverse } };

    whitened = assay_matrix_new (inout_rows->rows, inout_rows->cols, error);
    if (whitened == NULL)
      return FALSE;
    product.products = whitened->data;
    assay_parallel_for ((inout_rows->rows + BLOCK - 1) / BLOCK, multiply_rows, &product);
    job.whitened = whitened;
  }
  if (space->options.unit)
    assay_parallel_for (inout_rows->rows, scale_row, &job);
  *ret_whitened = g_steal_pointer (&whitened);
  return TRUE;
}

/* ---- Ranks ---- */

typedef struct {
  const float *scores;
  gsize m;
  gsize keep;
  guint64 *words;
  gint64 *rows;
} Ordering;

static void
order_item (gsize index, guint worker, gpointer data)
{
  const Ordering *job = data;

  score_order (job->scores + index * job->m, job->m, job->keep,
               job->words + (gsize) worker * 2 * job->m, job->rows + index * job->keep);
}

gboolean
mixture_order (const float *scores, gsize n, gsize m, gsize keep, gint64 *ret_rows, GError **error)
{
  g_autofree guint64 *words
      = assay_alloc (MIN (assay_parallel_threads (), n), 2 * m * sizeof (guint64), "scores", error);
  Ordering job = { .scores = scores, .m = m, .keep = keep, .words = words, .rows = ret_rows };

  g_return_val_if_fail (keep >= 1 && keep <= m && m <= G_MAXUINT32, FALSE);
  if (words == NULL)
    return FALSE;
  assay_parallel_for (n, order_item, &job);
  return TRUE;
}

/* How many at a time. It depends on sizes alone. */
static gsize
batch_of (gsize n, gsize m)
{
  const gsize bytes = m * sizeof (float), whole = FEW_BYTES / bytes / QUERIES * QUERIES;

  return MIN (n, whole > 0 ? whole : CLAMP (MOST_BYTES / bytes, 1, QUERIES));
}

/* All scores of a batch at a time, and their order. */
static gboolean
rank_all (AssayView queries, const AssaySearchSet *set, gsize keep, gint64 *ret_rows,
          GError **error)
{
  const gsize m = assay_rows_count (set->rows);
  const gsize batch = batch_of (queries.rows, m);
  g_autofree float *scores = assay_alloc (batch, m * sizeof (float), "scores", error);

  for (gsize first = 0; first < queries.rows && scores != NULL; first += batch) {
    const AssayView part = assay_view_rows (queries, first, MIN (batch, queries.rows - first));

    if (!assay_search_scores (ASSAY_SEARCH_PRODUCT, part, set, scores, error)
        || !mixture_order (scores, part.rows, m, keep, ret_rows + first * keep, error))
      return FALSE;
  }
  return scores != NULL;
}

/* Pools of the best cost less than scores of all and sorting them, unless they hold most. */
static gboolean
rank_set (AssayView queries, const AssaySearchSet *set, gsize keep, gint64 *ret_rows,
          GError **error)
{
  g_autoptr (AssayNearest) best = NULL;

  if (keep > assay_rows_count (set->rows) / 8)
    return rank_all (queries, set, keep, ret_rows, error);
  best = assay_search_products (ASSAY_SEARCH_PRODUCT, queries, set, keep, error);
  for (gsize i = 0; best != NULL && i < queries.rows * keep; i++)
    ret_rows[i] = (gint64) best->rows[i];
  return best != NULL;
}

gboolean
mixture_rank (AssayView queries, AssayView set, gsize keep, gint64 *ret_rows, GError **error)
{
  g_autoptr (AssayRows) rows = assay_rows_borrow (set);

  g_return_val_if_fail (keep >= 1 && keep <= set.rows, FALSE);
  return rank_set (queries, &(AssaySearchSet){ .rows = rows }, keep, ret_rows, error);
}

/* ---- A public set that is not held ---- */

typedef struct {
  MixtureSpace *space;
  double *sum;
} Averaging;

static gboolean
average_panel (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, GError **error)
{
  const Averaging *averaging = data;
  g_autoptr (AssayMatrix) rows = assay_matrix_copy (panel, error);
  Features job = { .space = averaging->space, .rows = rows, .is_reference = TRUE };

  if (rows == NULL)
    return FALSE;
  assay_parallel_for (rows->rows, shape_row, &job);
  add_rows (rows, averaging->sum);
  return TRUE;
}

/* As mixture_space_learn without whitening. */
static gboolean
learn_from_panels (const AssayRows *rows, AssayScale scale, MixtureSpace *space, GError **error)
{
  g_autofree double *sum = NULL;
  Averaging averaging = { .space = space };

  if (!space->options.centre)
    return TRUE;
  sum = assay_alloc (space->cols, sizeof (double), "mean image", error);
  averaging.sum = sum;
  return sum != NULL
         && assay_rows_for_each_panel (rows, PANEL, scale, average_panel, &averaging, error)
         && set_mean (sum, assay_rows_count (rows), space, error);
}

/* The features of a panel of reference rows, where P = I. */
static gboolean
make_features (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, gpointer ret_features,
               G_GNUC_UNUSED float *ret_offsets, G_GNUC_UNUSED GError **error)
{
  const MixtureSpace *space = data;
  AssayMatrix rows = { .rows = panel.rows, .cols = panel.cols, .data = ret_features };
  Features job = { .space = space, .rows = &rows, .is_reference = TRUE };

  memcpy (rows.data, panel.data, panel.rows * panel.cols * sizeof (float));
  for (gsize i = 0; i < rows.rows; i++) {
    shape_row (i, 0, &job);
    if (space->mean != NULL)
      centre_row (i, 0, &job);
    if (space->options.unit)
      scale_row (i, 0, &job);
  }
  return TRUE;
}

/* P is learned from all public images and changes them all: they are held. */
static AssayRows *
whiten_public (const AssayObservation *seen, const MixtureOptions *options, MixtureSpace *ret_space,
               GError **error)
{
  g_autoptr (AssayMatrix) set = mixture_public (seen->release, seen->public_rows, error);
  AssayMatrix *whitened = NULL;

  if (set == NULL || !mixture_space_learn (options, set, ret_space, error)
      || !mixture_space_whiten (ret_space, set, &whitened, error))
    return NULL;
  return assay_rows_take_matrix (whitened);
}

gboolean
mixture_link (const MixtureOptions *options, gsize keep, const AssayObservation *seen,
              AssayGuess *ret_guess, GError **error)
{
  g_auto (MixtureSpace) space
      = { .options = *options, .cols = assay_rows_cols (seen->public_rows) };
  AssaySearchSet set = { .rows = seen->public_rows,
                         .scale = assay_release_scale (seen->release),
                         .shape = make_features,
                         .data = &space };
  g_autoptr (AssayMatrix) images = NULL;
  g_autoptr (AssayRows) whitened = NULL;
  g_autofree gint64 *candidates = NULL;
  const gsize m = assay_rows_count (set.rows), count = keep == 0 ? m : MIN (keep, m);

  if (!check_public (set.rows, error) || !(images = mixture_images (seen->release, error)))
    return FALSE;
  if (images->cols != space.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected public images of %" G_GSIZE_FORMAT
                       " pixels, found %" G_GSIZE_FORMAT,
                       images->cols, space.cols);
  if (options->whiten) {
    whitened = whiten_public (seen, options, &space, error);
    set = (AssaySearchSet){ .rows = whitened };
  }
  if (options->whiten ? whitened == NULL : !learn_from_panels (set.rows, set.scale, &space, error))
    return FALSE;
  /* The length of a mixture changes no order of its candidates. */
  mixture_space_enter (&space, images);
  candidates = assay_alloc (images->rows, count * sizeof (gint64), "candidates", error);
  if (candidates == NULL || !rank_set (assay_matrix_view (images), &set, count, candidates, error))
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "candidates",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ images->rows, count },
                                       g_steal_pointer (&candidates)));
  return TRUE;
}

/* ---- Pairs ---- */

typedef struct {
  AssayView left;
  AssayView right;
  gsize block;
  float *panels;
  float *scores;
} Pairing;

/* Rows of a panel against @n others. It depends on sizes alone. */
static gsize
panel_rows (gsize n)
{
  return CLAMP (MIXTURE_PANEL_BYTES / (sizeof (float) * MAX (n, 1)), 1, BLOCK);
}

/* The rows of a block with all rows from its first on: the upper triangle of the products. */
static void
pair_block (gsize index, guint worker, gpointer data)
{
  const Pairing *job = data;
  const gsize n = job->left.rows, first = index * job->block, rest = n - first;
  const gsize count = MIN (job->block, rest);
  float *panel = job->panels + (gsize) worker * job->block * n;

  assay_linalg_product_nt (count, rest, job->left.cols, assay_view_row (job->left, first),
                           job->left.stride, assay_view_row (job->right, first), job->right.stride,
                           panel, rest);
  for (gsize i = 0; i < count && first + i + 1 < n; i++) {
    const gsize row = first + i;

    memcpy (job->scores + row * (2 * n - row - 1) / 2, panel + i * rest + i + 1,
            (n - row - 1) * sizeof (float));
  }
}

gboolean
mixture_pair_products (AssayView left, AssayView right, float *ret_scores, GError **error)
{
  const gsize block = panel_rows (left.rows), pieces = (left.rows + block - 1) / block;
  const gsize workers = MIN (assay_parallel_threads (), pieces);
  g_autofree float *panels
      = assay_alloc (workers, block * left.rows * sizeof (float), "scores of pairs", error);
  Pairing job
      = { .left = left, .right = right, .block = block, .panels = panels, .scores = ret_scores };

  if (panels == NULL)
    return FALSE;
  assay_parallel_for (pieces, pair_block, &job);
  return TRUE;
}

/* ---- Sizes ---- */

guint64
mixture_memory (const MixtureOptions *options, gsize n_released, gsize n_public, gsize cols)
{
  const guint64 n = n_released, m = n_public, d = cols, widest = MAX (n, m);
  const guint64 workers = assay_parallel_threads (), number = sizeof (float);
  const guint64 pairs = workers * MIN (MIXTURE_PANEL_BYTES, n * BLOCK * number);
  const guint64 ranking = MIN (MAX (MOST_BYTES, widest * number), n * widest * number)
                          + workers * 16 * widest + assay_scan_memory (n, 0, cols, 0);

  return n * d * number + (m > 0 ? ranking : MAX (ranking, pairs))
         + (options->whiten ? d * d * (2 * sizeof (double) + number) + (m + widest) * d * number
                            : 0);
}

double
mixture_work (const MixtureOptions *options, gsize n_released, gsize n_public, gsize cols)
{
  const double n = (double) n_released, m = (double) n_public, d = (double) cols;

  return 2 * n * m * d + (options->whiten ? 4 * MAX (n, m) * d * d + 7 * d * d * d / 3 : 0);
}
