/* SSIM, MAE and PSNR of pictures.
 *
 * SSIM takes five blurs of a pair: of a, b, a^2, b^2 and ab. Those of one picture by itself are
 * kept in a Picture, so that what is left of a pair is the blur of ab. Variances as E[x^2] - E[x]^2
 * lose digits where the mean is large beside the deviation, so that each picture is first centred
 * on its own mean (a variance or covariance does not see it, a window mean gets it back), and
 * numbers are double from there: in float32 a half-black, half-white picture would be off by
 * several 10^-5 in its flat windows, by more where the data range is stated too small.
 *
 * A blur is separable, and only whole windows are asked for: each row of pixels is blurred along
 * itself into a ring of the last 11 rows, and these are blurred across. Channels need no taking
 * apart: the next pixel of a channel is @channels numbers further on. The lines that come out are
 * padded to whole vectors; what stands in the padding is finite and never read. */
#include "core/math/image-quality.h"

#include <float.h>
#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/data/photo.h"

#define WINDOW ASSAY_SSIM_WINDOW
#define RADIUS (WINDOW / 2)
#define LANES 4   /* doubles of a vector */
#define LINE_UP 8 /* doubles of a cache line */

#define PICTURES_OF_PIECE 64
#define QUERY_BYTES (1 << 20) /* of the queries of a piece, which stay in L2 beside a picture */
#define MAX_QUERIES 8

const double assay_ssim_weights[RADIUS + 1]
    = { 0.0010283800844791101, 0.007598758135239185, 0.036000772128430829,
        0.10936068950970002,   0.21300553771125369,  0.26601172486179436 };

/* --- Layout ------------------------------------------------------------------------------ */

/* Sizes and offsets, in doubles. */
typedef struct {
  AssaySsim ssim;
  gsize n_pixels; /* height x width x channels */
  gsize row;      /* width x channels */
  gsize lines;    /* rows of whole windows */
  gsize line;     /* windows of a row */
  gsize stride;   /* of lines, padded */
  gsize means;    /* where the parts of a picture begin; it begins with its mean */
  gsize variances;
  gsize picture; /* its size */
  gsize product; /* where the parts of a thread's scratch begin; it begins with the ring */
  gsize blurred;
  gsize scratch; /* its size */
  double c1;
  double c2;
} Layout;

#define PIXELS LINE_UP /* where the centred pixels of a picture begin */

static gsize
round_up (gsize value, gsize unit)
{
  return (value + unit - 1) / unit * unit;
}

/* Every size below is at most 16 (n_pixels + LINE_UP + the ring's WINDOW rows). */
static gboolean
lay_out (const AssaySsim *ssim, Layout *ret_layout, GError **error)
{
  const AssayImageShape shape = ssim->shape;
  Layout layout = { .ssim = *ssim };

  if (!assay_ssim_check (ssim, error))
    return FALSE;
  layout.row = shape.width * shape.channels;
  layout.n_pixels = shape.height * layout.row;
  layout.lines = shape.height - WINDOW + 1;
  layout.line = (shape.width - WINDOW + 1) * shape.channels;
  layout.stride = round_up (layout.line, LANES);
  /* A blur along the last row reads up to LANES numbers more, for the padding of its line. */
  layout.means = PIXELS + round_up (layout.n_pixels + LANES, LINE_UP);
  layout.variances = layout.means + round_up (layout.lines * layout.stride, LINE_UP);
  layout.picture = layout.variances + round_up (layout.lines * layout.stride, LINE_UP);
  layout.product = round_up (WINDOW * layout.stride, LINE_UP);
  layout.blurred = layout.product + round_up (layout.row + LANES, LINE_UP);
  layout.scratch = layout.blurred + round_up (layout.stride, LINE_UP);
  layout.c1 = 0.01 * ssim->range * 0.01 * ssim->range;
  layout.c2 = 0.03 * ssim->range * 0.03 * ssim->range;
  *ret_layout = layout;
  return TRUE;
}

gboolean
assay_ssim_check (const AssaySsim *ssim, GError **error)
{
  const AssayImageShape shape = ssim->shape;
  gsize count;

  if (shape.height < WINDOW || shape.width < WINDOW || shape.channels < 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "SSIM: pictures of %zu x %zu pixels and %zu channel%s (height x width), "
                       "expected at least %d x %d pixels, the size of its window, and 1 channel",
                       shape.height, shape.width, shape.channels,
                       assay_channels_plural (shape.channels), WINDOW, WINDOW);
  if (!g_size_checked_mul (&count, shape.height, shape.width)
      || !g_size_checked_mul (&count, count, shape.channels)
      || count > G_MAXSIZE / (64 * sizeof (double)))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "SSIM: pictures of %zu x %zu pixels and %zu channel%s are more than can be "
                       "addressed",
                       shape.height, shape.width, shape.channels,
                       assay_channels_plural (shape.channels));
  if (!(ssim->range >= (double) FLT_MIN && ssim->range <= (double) FLT_MAX))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "SSIM: data range %g, expected a positive number, the largest less the "
                       "least value that a pixel can have",
                       ssim->range);
  return TRUE;
}

static gboolean
check_rows (const Layout *layout, AssayView rows, GError **error)
{
  const AssayImageShape shape = layout->ssim.shape;

  if (rows.cols == layout->n_pixels)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "SSIM: rows of %zu numbers, expected %zu for pictures of %zu x %zu x %zu",
                     rows.cols, layout->n_pixels, shape.height, shape.width, shape.channels);
}

/* One block for the threads that @pieces of work keep busy: @n_pictures and the scratch of each. */
static double *
alloc_slots (const Layout *layout, gsize pieces, gsize n_pictures, GError **error)
{
  const gsize threads = MIN (assay_parallel_threads (), MAX (pieces, 1));
  gsize slot;

  if (!g_size_checked_mul (&slot, layout->picture, n_pictures)
      || !g_size_checked_add (&slot, slot, layout->scratch)
      || !g_size_checked_mul (&slot, slot, sizeof (double)))
    slot = G_MAXSIZE;
  return assay_alloc (threads, slot, "SSIM", error);
}

/* --- Kernels ----------------------------------------------------------------------------- */

/* ret[i] = the weighted sum of the eleven taps[.][i]; n is a multiple of LANES. */
static ASSAY_VECTORISED void
blur_taps (const double *const *taps, gsize n, double *restrict ret)
{
  const double *t0 = taps[0], *t1 = taps[1], *t2 = taps[2], *t3 = taps[3], *t4 = taps[4],
               *t5 = taps[5], *t6 = taps[6], *t7 = taps[7], *t8 = taps[8], *t9 = taps[9],
               *t10 = taps[10], *w = assay_ssim_weights;

  for (gsize i = 0; i < n; i++)
    ret[i] = ((t0[i] + t10[i]) * w[0] + (t1[i] + t9[i]) * w[1])
             + ((t2[i] + t8[i]) * w[2] + (t3[i] + t7[i]) * w[3])
             + ((t4[i] + t6[i]) * w[4] + t5[i] * w[5]);
}

static ASSAY_VECTORISED void
multiply_line (const double *x, const double *y, gsize n, double *restrict ret)
{
  for (gsize i = 0; i < n; i++)
    ret[i] = x[i] * y[i];
}

/* E[x^2] in place becomes the variance, which rounding does not make negative. */
static ASSAY_VECTORISED void
make_variances (const double *means, gsize n, double *restrict squares)
{
  for (gsize i = 0; i < n; i++) {
    const double variance = squares[i] - means[i] * means[i];

    squares[i] = variance > 0 ? variance : 0;
  }
}

/* One line of a picture's windows. */
typedef struct {
  double mean; /* that the pixels were centred on */
  const double *means;
  const double *variances;
} Windows;

/* SSIM of each window of a line from E[ab]. The bound on the covariance is one that rounding can
 * break where the range is far too small. */
static ASSAY_VECTORISED void
measure_windows (const Layout *layout, const double *products, Windows a, Windows b,
                 double *restrict ret)
{
  const double c1 = layout->c1, c2 = layout->c2;
  const gsize n = layout->line;
  const double *a_means = a.means, *b_means = b.means;
  const double *a_variances = a.variances, *b_variances = b.variances;

  for (gsize i = 0; i < n; i++) {
    const double mean_a = a_means[i] + a.mean, mean_b = b_means[i] + b.mean;
    const double spread = a_variances[i] + b_variances[i], bound = 0.5 * spread;
    double covariance = products[i] - a_means[i] * b_means[i];

    covariance = covariance < bound ? covariance : bound;
    covariance = covariance > -bound ? covariance : -bound;
    ret[i] = (2 * (mean_a * mean_b) + c1) * (2 * covariance + c2)
             / ((mean_a * mean_a + mean_b * mean_b + c1) * (spread + c2));
  }
}

/* --- One pair ---------------------------------------------------------------------------- */

/* Takes row @row of the centred pixels @x, multiplied by that of @y unless it is NULL; from the
 * eleventh on there is a line, the blur of the last eleven. Rows come in order. */
static void
blur_row (const Layout *layout, const double *x, const double *y, gsize row, double *scratch,
          double *ret_line)
{
  const double *source = x + row * layout->row;
  const double *taps[WINDOW];

  if (y != NULL) {
    /* What follows the row in its buffer is read for the padding, and stays 0. */
    multiply_line (source, y + row * layout->row, layout->row, scratch + layout->product);
    source = scratch + layout->product;
  }
  for (gsize k = 0; k < WINDOW; k++)
    taps[k] = source + k * layout->ssim.shape.channels;
  blur_taps (taps, layout->stride, scratch + row % WINDOW * layout->stride);
  if (row + 1 < WINDOW)
    return;
  for (gsize k = 0; k < WINDOW; k++)
    taps[k] = scratch + (row + 1 + k) % WINDOW * layout->stride;
  blur_taps (taps, layout->stride, ret_line);
}

/* The window means (@y NULL) or means of squares (@y == @x) of a whole picture. */
static void
blur_picture (const Layout *layout, const double *x, const double *y, double *scratch,
              double *ret_plane)
{
  for (gsize row = 0; row < layout->ssim.shape.height; row++)
    blur_row (layout, x, y, row, scratch,
              ret_plane + (row + 1 < WINDOW ? 0 : row + 1 - WINDOW) * layout->stride);
}

static void
prepare (const Layout *layout, const float *pixels, double *scratch, double *ret_picture)
{
  double *centred = ret_picture + PIXELS;
  double mean;

  for (gsize i = 0; i < layout->n_pixels; i++)
    centred[i] = (double) pixels[i];
  mean = assay_lanes_sum (centred, layout->n_pixels) / (double) layout->n_pixels;
  for (gsize i = 0; i < layout->n_pixels; i++)
    centred[i] -= mean;
  ret_picture[0] = mean;
  blur_picture (layout, centred, NULL, scratch, ret_picture + layout->means);
  blur_picture (layout, centred, centred, scratch, ret_picture + layout->variances);
  make_variances (ret_picture + layout->means, layout->lines * layout->stride,
                  ret_picture + layout->variances);
}

static Windows
windows_of (const Layout *layout, const double *picture, gsize line)
{
  return (Windows){
    .mean = picture[0],
    .means = picture + layout->means + line * layout->stride,
    .variances = picture + layout->variances + line * layout->stride,
  };
}

static double
compare (const Layout *layout, const double *a, const double *b, double *scratch)
{
  double *blurred = scratch + layout->blurred, *similar = scratch + layout->product;
  const double count = (double) layout->lines * (double) layout->line;
  double sum = 0;

  for (gsize row = 0; row < layout->ssim.shape.height; row++) {
    blur_row (layout, a + PIXELS, b + PIXELS, row, scratch, blurred);
    if (row + 1 < WINDOW)
      continue;
    measure_windows (layout, blurred, windows_of (layout, a, row + 1 - WINDOW),
                     windows_of (layout, b, row + 1 - WINDOW), similar);
    sum += assay_lanes_sum (similar, layout->line);
  }
  return sum / count;
}

gboolean
assay_image_ssim (const AssaySsim *ssim, const float *a, const float *b, double *ret_ssim,
                  GError **error)
{
  Layout layout;
  g_autofree double *first = NULL;
  double *second, *scratch;

  if (!lay_out (ssim, &layout, error))
    return FALSE;
  first = alloc_slots (&layout, 1, 2, error);
  if (first == NULL)
    return FALSE;
  second = first + layout.picture;
  scratch = second + layout.picture;
  prepare (&layout, a, scratch, first);
  prepare (&layout, b, scratch, second);
  *ret_ssim = compare (&layout, first, second, scratch);
  return TRUE;
}

/* --- One against many -------------------------------------------------------------------- */

struct _AssaySsimSet {
  Layout layout;
  gsize n;
  double *pictures;
};

typedef struct {
  const Layout *layout;
  const AssaySsimSet *set;
  AssayView images; /* to be prepared, or queries */
  gsize block;      /* queries of a piece */
  gsize n_blocks;
  double *slots;
  double *pictures;
  double *ret_ssim;
} SetWork;

static void
prepare_picture (gsize index, guint worker, gpointer data)
{
  const SetWork *work = data;

  prepare (work->layout, assay_view_row (work->images, index),
           work->slots + worker * work->layout->scratch,
           work->pictures + index * work->layout->picture);
}

AssaySsimSet *
assay_ssim_set_new (const AssaySsim *ssim, AssayView images, GError **error)
{
  g_autoptr (AssaySsimSet) set = g_new0 (AssaySsimSet, 1);
  g_autofree double *slots = NULL;
  SetWork work;

  if (!lay_out (ssim, &set->layout, error) || !check_rows (&set->layout, images, error))
    return NULL;
  set->n = images.rows;
  set->pictures = assay_alloc (images.rows, set->layout.picture * sizeof (double),
                               "pictures prepared for SSIM", error);
  if (set->pictures == NULL)
    return NULL;
  slots = alloc_slots (&set->layout, images.rows, 0, error);
  if (slots == NULL)
    return NULL;
  work = (SetWork){
    .layout = &set->layout, .images = images, .slots = slots, .pictures = set->pictures
  };
  assay_parallel_for (images.rows, prepare_picture, &work);
  return g_steal_pointer (&set);
}

ASSAY_FREE_FUNC (AssaySsimSet, assay_ssim_set_free, g_free (self->pictures))

/* A block of queries against a piece of the set: each picture is fetched once for all of them. */
static void
compare_block (gsize index, guint worker, gpointer data)
{
  const SetWork *work = data;
  const Layout *layout = work->layout;
  double *queries = work->slots + worker * (work->block * layout->picture + layout->scratch);
  double *scratch = queries + work->block * layout->picture;
  const gsize first = index % work->n_blocks * work->block;
  const gsize n_queries = MIN (work->block, work->images.rows - first);
  const gsize begin = index / work->n_blocks * PICTURES_OF_PIECE;
  const gsize end = MIN (work->set->n, begin + PICTURES_OF_PIECE);

  for (gsize q = 0; q < n_queries; q++)
    prepare (layout, assay_view_row (work->images, first + q), scratch,
             queries + q * layout->picture);
  for (gsize i = begin; i < end; i++)
    for (gsize q = 0; q < n_queries; q++)
      work->ret_ssim[(first + q) * work->set->n + i]
          = compare (layout, queries + q * layout->picture,
                     work->set->pictures + i * layout->picture, scratch);
}

gboolean
assay_ssim_set_compare (const AssaySsimSet *set, AssayView queries, double *ret_ssim,
                        GError **error)
{
  const Layout *layout = &set->layout;
  const gsize fitting = QUERY_BYTES / sizeof (double) / layout->picture;
  SetWork work = { .layout = layout, .set = set, .images = queries, .ret_ssim = ret_ssim };
  g_autofree double *slots = NULL;
  gsize pieces;

  if (!check_rows (layout, queries, error))
    return FALSE;
  work.block = CLAMP (fitting, 1, MAX_QUERIES);
  work.n_blocks = (queries.rows + work.block - 1) / work.block;
  pieces = work.n_blocks * ((set->n + PICTURES_OF_PIECE - 1) / PICTURES_OF_PIECE);
  slots = alloc_slots (layout, pieces, work.block, error);
  if (slots == NULL)
    return FALSE;
  work.slots = slots;
  assay_parallel_for (pieces, compare_block, &work);
  return TRUE;
}

/* ---- MAE and PSNR ---- */

double
assay_image_mae (const float *a, const float *b, gsize count)
{
  double sum = 0;

  g_return_val_if_fail (count >= 1, NAN);
  for (gsize i = 0; i < count; i++)
    sum += fabs ((double) a[i] - (double) b[i]);
  return sum / (double) count;
}

double
assay_image_psnr (const float *a, const float *b, gsize count, double range)
{
  double error, psnr;

  g_return_val_if_fail (count >= 1 && range > 0, NAN);
  error = sqrt (assay_squared_distance (a, b, count) / (double) count);
  if (error == 0)
    return ASSAY_PSNR_MAX;
  psnr = 20 * log10 (range / error);
  /* Not fmin, which would make a good picture of NaN. */
  return psnr > ASSAY_PSNR_MAX ? ASSAY_PSNR_MAX : psnr;
}
