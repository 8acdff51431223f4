/* SIFT by VLFeat, made to agree with OpenCV 4.6 at its default parameters.
 *
 * Source: D. Lowe, "Distinctive Image Features from Scale-Invariant Keypoints", IJCV 2004,
 * sections 3 to 6. Both libraries have the same scale space: a doubled picture, three levels an
 * octave, sigma = 1.6 * 2^(level / 3), an assumed camera blur of 0.5 (1 after doubling), and
 * differences D of neighbouring levels. VLFeat gives the scale space, the extrema of D, the
 * gradients and the descriptor. What it does otherwise is done here:
 *
 *   doubling   OpenCV interpolates with weights 3/4 and 1/4 (centres of pixels at half-integers,
 *              a shift of 1/4 pixel that it leaves in the result), VLFeat with 1, 1/2. Most
 *              keypoints are only a few samples wide, and a third of them depends on this.
 *   place      The quadratic fit x^ = -H^-1 g moves by whole samples in scale too, and is dropped
 *              unless it ends within half a sample, 5 samples off the border, after 5 steps.
 *   contrast   |D(x^)| >= 0.04 / 3 on [0, 1], from samples of half of that; tr(H)^2 / det(H) of
 *              the 2 x 2 part < (10 + 1)^2 / 10.
 *   direction  36 directions, rounded to the nearest and smoothed once by (1 4 6 4 1) / 16; VLFeat
 *              smooths six times by (1 1 1) / 3 and finds fewer second peaks.
 *   bins       Lowe and OpenCV measure gradients with y up, VLFeat with y down, so direction k of
 *              a cell becomes (8 - k) % 8. The order of the cells is the same: row by row in the
 *              keypoint's frame, which is turned by `angle` from the picture's x to its y.
 *   values     Unit norm, clipped at 0.2 and normalised again by both; then round (512 v), at most
 *              255.
 *
 * OpenCV blurs in fixed point (8 fractional bits) and centres descriptors on whole samples. That
 * is not imitated. */
#include "datasets/photographs/sift.h"

#include <math.h>
#include <string.h>

#include <vl/sift.h>

#include "core/base/error.h"
#include "core/data/matrix.h"

#define LEVELS 3
#define MAX_OCTAVES 32
#define MAX_PIXELS (1 << 25) /* VLFeat counts samples of all levels in int */
#define BORDER 5                         /* samples of an octave without keypoints */
#define CONTRAST (255.0 * 0.04 / LEVELS) /* least |D(x^)| */
#define EDGE_RATIO 10.0                  /* of principal curvatures, at most */
#define REFINEMENTS 5
#define DIRECTIONS 36
#define BINS 8
#define CELLS 16

/* Octave o of the filter is OpenCV's octave o - 1: the filter is given the doubled picture. */
struct _AssaySift {
  VlSiftFilt *filter;
  gsize most_pixels; /* that there is room for */
  gsize width;
  gsize height;
  guint n_octaves;
  float *doubled; /* 2 height x 2 width */
  /* Of every octave, for the picture at hand: (magnitude, angle) of each sample of its levels. */
  float *gradients[MAX_OCTAVES];
};

static gsize
octave_side (gsize side, guint octave)
{
  return (2 * side) >> octave;
}

/* As many octaves as have room for an extremum inside the border. */
static guint
count_octaves (gsize width, gsize height)
{
  guint n = 0;

  while (n < MAX_OCTAVES && octave_side (MIN (width, height), n) > 2 * BORDER)
    n++;
  return n;
}

guint64
assay_sift_memory (gsize width, gsize height)
{
  /* VLFeat: 1 + 6 + 5 + 10 values a sample of its first octave; here the doubled picture, and the
   * gradients: 2 values for each of the levels, and a third more for the smaller octaves. */
  return (guint64) width * height * 4 * sizeof (float) * (22 + 1 + 2 * LEVELS * 4 / 3);
}

AssaySift *
assay_sift_new (gsize width, gsize height, GError **error)
{
  static GMutex lock;
  g_autoptr (AssaySift) sift = NULL;

  if (width < ASSAY_SIFT_MIN_SIDE || height < ASSAY_SIFT_MIN_SIDE || width > MAX_PIXELS / height)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "a picture of %zu x %zu pixels: SIFT takes sides of at least %d, and "
                            "at most %d pixels",
                            width, height, ASSAY_SIFT_MIN_SIDE, MAX_PIXELS);
  sift = g_new0 (AssaySift, 1);
  sift->most_pixels = width * height;
  sift->doubled = assay_alloc (4 * width, height * sizeof (float), "doubled picture", error);
  if (sift->doubled == NULL)
    return NULL;
  /* Room for pictures of another shape, which may have more octaves. */
  for (guint o = 0; o < MAX_OCTAVES; o++) {
    const gsize samples = (4 * sift->most_pixels) >> (2 * o);

    if (samples <= 4 * BORDER * BORDER)
      break;
    sift->gradients[o] = assay_alloc (samples, 2 * LEVELS * sizeof (float), "gradients", error);
    if (sift->gradients[o] == NULL)
      return NULL;
  }
  g_mutex_lock (&lock);
  sift->filter = vl_sift_new (2 * (int) width, 2 * (int) height, 1, LEVELS, 0);
  g_mutex_unlock (&lock);
  sift->filter->sigman = 1.0;
  /* Looser than the rules that are applied here afterwards. */
  vl_sift_set_peak_thresh (sift->filter, 0.5 * CONTRAST);
  vl_sift_set_edge_thresh (sift->filter, 1e3);
  return assay_sift_resize (sift, width, height, error) ? g_steal_pointer (&sift) : NULL;
}

gboolean
assay_sift_resize (AssaySift *sift, gsize width, gsize height, GError **error)
{
  if (width < ASSAY_SIFT_MIN_SIDE || height < ASSAY_SIFT_MIN_SIDE
      || width > sift->most_pixels / height)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "a picture of %zu x %zu pixels: expected sides of at least %d, and at most "
                       "%zu pixels",
                       width, height, ASSAY_SIFT_MIN_SIDE, sift->most_pixels);
  sift->width = width;
  sift->height = height;
  sift->n_octaves = count_octaves (width, height);
  /* VLFeat reads its sizes anew for every picture; they only have to fit into its buffers. */
  sift->filter->width = 2 * (int) width;
  sift->filter->height = 2 * (int) height;
  sift->filter->O = (int) sift->n_octaves;
  return TRUE;
}

void
assay_sift_free (AssaySift *sift)
{
  if (sift == NULL)
    return;
  for (guint o = 0; o < MAX_OCTAVES; o++)
    g_free (sift->gradients[o]);
  g_free (sift->doubled);
  if (sift->filter != NULL)
    vl_sift_delete (sift->filter);
  g_free (sift);
}

AssaySift **
assay_sift_new_for_all (guint n, gsize width, gsize height, GError **error)
{
  AssaySift **sifts = g_new0 (AssaySift *, n + 1);

  for (guint w = 0; w < n; w++) {
    sifts[w] = assay_sift_new (width, height, error);
    if (sifts[w] == NULL) {
      assay_sift_free_all (sifts);
      return NULL;
    }
  }
  return sifts;
}

void
assay_sift_free_all (AssaySift **sifts)
{
  for (AssaySift **sift = sifts; sift != NULL && *sift != NULL; sift++)
    assay_sift_free (*sift);
  g_free (sifts);
}

/* Twice the size: sample 2 i lies a quarter of a pixel before pixel i, sample 2 i + 1 behind. */
static void
double_picture (const AssayPhoto *grey, float *ret_doubled)
{
  const gsize w = grey->width, h = grey->height;

  for (gsize y = 0; y < 2 * h; y++) {
    const float *near = grey->data + (y / 2) * w;
    const float *far = y % 2 == 0 ? near - (y > 0 ? w : 0) : near + (y / 2 + 1 < h ? w : 0);

    for (gsize x = 0; x < 2 * w; x++) {
      const gsize i = x / 2, j = x % 2 == 0 ? i - (i > 0) : i + (i + 1 < w);

      ret_doubled[y * 2 * w + x]
          = 0.75f * (0.75f * near[i] + 0.25f * near[j]) + 0.25f * (0.75f * far[i] + 0.25f * far[j]);
    }
  }
}

/* An extremum of D in one octave: a sample, and how far from it the extremum is. */
typedef struct {
  gsize x, y, level;
  double offset[3]; /* along x, y, level */
} Extremum;

/* Solves the symmetric system H u = -g by Cramer's rule; H: xx, yy, ss, xy, xs, ys. */
static gboolean
solve (const double *h, const double *g, double *ret_u)
{
  const double xx = h[1] * h[2] - h[5] * h[5], yy = h[0] * h[2] - h[4] * h[4];
  const double ss = h[0] * h[1] - h[3] * h[3], xy = h[4] * h[5] - h[3] * h[2];
  const double xs = h[3] * h[5] - h[4] * h[1], ys = h[3] * h[4] - h[0] * h[5];
  const double determinant = h[0] * xx + h[3] * xy + h[4] * xs;

  if (determinant == 0)
    return FALSE;
  ret_u[0] = -(xx * g[0] + xy * g[1] + xs * g[2]) / determinant;
  ret_u[1] = -(xy * g[0] + yy * g[1] + ys * g[2]) / determinant;
  ret_u[2] = -(xs * g[0] + ys * g[1] + ss * g[2]) / determinant;
  return TRUE;
}

/* Derivatives of D at @at, whose neighbours are 1, @w and @wh floats away. */
static void
differentiate (const float *at, gsize w, gsize wh, double *ret_gradient, double *ret_hessian)
{
  const gsize step[3] = { 1, w, wh };
  const gsize pair[3][2] = { { 1, w }, { 1, wh }, { w, wh } };

  for (gsize i = 0; i < 3; i++) {
    const double after = at[step[i]], before = *(at - step[i]);

    ret_gradient[i] = 0.5 * (after - before);
    ret_hessian[i] = after + before - 2.0 * at[0];
  }
  for (gsize i = 0; i < 3; i++) {
    const gsize a = pair[i][0], b = pair[i][1];
    const float *back = at - b;

    ret_hessian[3 + i] = 0.25 * ((double) at[b + a] - *(at + b - a) - back[a] + *(back - a));
  }
}

/* Fits D by a quadratic at @extremum and moves to a neighbouring sample until the fit's extremum
 * is nearest to the sample. FALSE if it does not settle, or breaks a rule. */
static gboolean
refine (const VlSiftFilt *filter, Extremum *extremum)
{
  const gsize w = (gsize) filter->octave_width, h = (gsize) filter->octave_height;
  double *u = extremum->offset;

  for (guint i = 0; i < REFINEMENTS; i++) {
    const float *at;
    double g[3], hessian[6], value, trace, determinant;

    if (extremum->x < BORDER || extremum->x >= w - BORDER || extremum->y < BORDER
        || extremum->y >= h - BORDER || extremum->level >= LEVELS)
      return FALSE;
    /* VLFeat's differences begin one level below the first that can hold an extremum. */
    at = filter->dog + ((extremum->level + 1) * h + extremum->y) * w + extremum->x;
    differentiate (at, w, w * h, g, hessian);
    if (!solve (hessian, g, u) || fabs (u[0]) > G_MAXINT16 || fabs (u[1]) > G_MAXINT16
        || fabs (u[2]) > G_MAXINT16)
      return FALSE;
    if (fabs (u[0]) < 0.5 && fabs (u[1]) < 0.5 && fabs (u[2]) < 0.5) {
      value = at[0] + 0.5 * (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
      trace = hessian[0] + hessian[1];
      determinant = hessian[0] * hessian[1] - hessian[3] * hessian[3];
      return fabs (value) >= CONTRAST && determinant > 0
             && trace * trace * EDGE_RATIO < (EDGE_RATIO + 1) * (EDGE_RATIO + 1) * determinant;
    }
    /* Steps below zero wrap round, and are then out of bounds. */
    extremum->x += (gsize) lrint (u[0]);
    extremum->y += (gsize) lrint (u[1]);
    extremum->level += (gsize) lrint (u[2]);
  }
  return FALSE;
}

/* Histogram of gradient directions around the extremum, smoothed. Directions run with y down, as
 * VLFeat's do. @gradients: of the octave, level after level. */
static void
direction_histogram (const VlSiftFilt *filter, const float *gradients, const Extremum *extremum,
                     double sigma, double *ret_histogram)
{
  const gsize w = (gsize) filter->octave_width, h = (gsize) filter->octave_height;
  const gsize x = extremum->x, y = extremum->y;
  const float *level = gradients + 2 * extremum->level * w * h;
  const int radius = (int) lrint (4.5 * sigma);
  const double falloff = -1.0 / (2.0 * 1.5 * 1.5 * sigma * sigma);
  double raw[DIRECTIONS] = { 0 };

  for (int i = -radius; i <= radius; i++)
    for (int j = -radius; j <= radius; j++) {
      const int row = (int) y + i, column = (int) x + j;
      const float *gradient;
      double direction;

      if (row <= 0 || row >= (int) h - 1 || column <= 0 || column >= (int) w - 1)
        continue;
      gradient = level + 2 * ((gsize) row * w + (gsize) column);
      direction = (double) gradient[1] * (DIRECTIONS / (2.0 * G_PI));
      raw[(gsize) lrint (direction) % DIRECTIONS]
          += exp (falloff * (i * i + j * j)) * (double) gradient[0];
    }
  for (gsize k = 0; k < DIRECTIONS; k++)
    ret_histogram[k] = (raw[(k + 34) % DIRECTIONS] + raw[(k + 2) % DIRECTIONS]
                        + 4.0 * (raw[(k + 35) % DIRECTIONS] + raw[(k + 1) % DIRECTIONS])
                        + 6.0 * raw[k])
                       / 16.0;
}

/* Adds the extremum once for every peak of at least 0.8 times the highest. */
static void
add_directions (const VlSiftFilt *filter, const float *gradients, const Extremum *extremum,
                GArray *keypoints)
{
  const double period = exp2 (filter->o_cur - 1);
  const double sigma = 1.6 * exp2 (((double) extremum->level + 1 + extremum->offset[2]) / LEVELS);
  double histogram[DIRECTIONS], highest = 0;

  direction_histogram (filter, gradients, extremum, sigma, histogram);
  for (gsize k = 0; k < DIRECTIONS; k++)
    highest = MAX (highest, histogram[k]);
  for (gsize k = 0; k < DIRECTIONS; k++) {
    const double here = histogram[k];
    const double before = histogram[(k + DIRECTIONS - 1) % DIRECTIONS];
    const double after = histogram[(k + 1) % DIRECTIONS];

    if (here > before && here > after && here >= 0.8 * highest) {
      const double peak = (double) k + 0.5 * (before - after) / (before - 2 * here + after);
      const double angle = fmod (peak * (360.0 / DIRECTIONS) + 360.0, 360.0);
      const AssayKeypoint keypoint = {
        .x = (float) (period * ((double) extremum->x + extremum->offset[0])),
        .y = (float) (period * ((double) extremum->y + extremum->offset[1])),
        .size = (float) (period * 2.0 * sigma),
        .angle = (float) angle < 360.0f ? (float) angle : 0.0f,
        .octave = filter->o_cur - 1,
        .level = (int) extremum->level,
      };

      g_array_append_val (keypoints, keypoint);
    }
  }
}

/* The keypoints of the filter's current octave, whose gradients are kept. */
static void
detect_octave (AssaySift *sift, GArray *keypoints)
{
  VlSiftFilt *filter = sift->filter;
  const gsize samples = (gsize) filter->octave_width * (gsize) filter->octave_height;
  float *gradients = sift->gradients[filter->o_cur];
  gboolean has_gradients = FALSE;

  vl_sift_detect (filter);
  for (int i = 0; i < vl_sift_get_nkeypoints (filter); i++) {
    const VlSiftKeypoint *point = &vl_sift_get_keypoints (filter)[i];
    Extremum extremum = { (gsize) point->ix, (gsize) point->iy, (gsize) point->is, { 0 } };
    double unused[4];

    if (!refine (filter, &extremum))
      continue;
    if (!has_gradients) {
      /* Called for its side effect: it is what brings filter->grad up to date. */
      vl_sift_calc_keypoint_orientations (filter, unused, point);
      memcpy (gradients, filter->grad, samples * 2 * LEVELS * sizeof (float));
      has_gradients = TRUE;
    }
    add_directions (filter, gradients, &extremum, keypoints);
  }
}

static int
compare_floats (float a, float b)
{
  return (a > b) - (a < b);
}

static int
compare_keypoints (gconstpointer first, gconstpointer second)
{
  const AssayKeypoint *a = first, *b = second;
  int order = compare_floats (a->x, b->x);

  if (order == 0)
    order = compare_floats (a->y, b->y);
  if (order == 0)
    order = compare_floats (b->size, a->size);
  if (order == 0)
    order = compare_floats (a->angle, b->angle);
  return order;
}

static gboolean
is_same_keypoint (const AssayKeypoint *a, const AssayKeypoint *b)
{
  return compare_keypoints (a, b) == 0;
}

GArray *
assay_sift_detect (AssaySift *sift, const AssayPhoto *grey, GError **error)
{
  g_autoptr (GArray) keypoints = g_array_new (FALSE, FALSE, sizeof (AssayKeypoint));
  g_autoptr (GArray) distinct = g_array_new (FALSE, FALSE, sizeof (AssayKeypoint));
  int status;

  if (grey->channels != 1 || grey->width != sift->width || grey->height != sift->height)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "SIFT expected a grey picture of %zu x %zu pixels, found %zu x %zu "
                            "with %zu channel%s",
                            sift->width, sift->height, grey->width, grey->height, grey->channels,
                            assay_channels_plural (grey->channels));
  /* The gradients that the filter has are those of the picture before; it would keep them for an
   * octave of the same number. */
  sift->filter->grad_o = -1;
  double_picture (grey, sift->doubled);
  for (status = vl_sift_process_first_octave (sift->filter, sift->doubled); status == VL_ERR_OK;
       status = vl_sift_process_next_octave (sift->filter))
    detect_octave (sift, keypoints);

  g_array_sort (keypoints, compare_keypoints);
  for (guint i = 0; i < keypoints->len; i++) {
    const AssayKeypoint *keypoint = &g_array_index (keypoints, AssayKeypoint, i);

    /* Several samples may have been refined to the same place. */
    if (i == 0 || !is_same_keypoint (keypoint - 1, keypoint))
      g_array_append_vals (distinct, keypoint, 1);
  }
  return g_steal_pointer (&distinct);
}

void
assay_sift_describe (const AssaySift *sift, const AssayKeypoint *keypoint, guint8 *ret_descriptor)
{
  const guint octave = (guint) (keypoint->octave + 1);
  const gsize w = octave_side (sift->width, octave), h = octave_side (sift->height, octave);
  const double period = exp2 (keypoint->octave);
  float values[ASSAY_SIFT_LENGTH] = { 0 };

  g_return_if_fail (octave < sift->n_octaves && keypoint->level >= 0 && keypoint->level < LEVELS);
  vl_sift_calc_raw_descriptor (
      sift->filter, sift->gradients[octave] + 2 * (gsize) keypoint->level * w * h, values, (int) w,
      (int) h, (double) keypoint->x / period, (double) keypoint->y / period,
      0.5 * (double) keypoint->size / period, (double) keypoint->angle * (G_PI / 180.0));
  for (gsize cell = 0; cell < CELLS; cell++)
    for (gsize k = 0; k < BINS; k++) {
      const double value = 512.0 * (double) values[cell * BINS + (BINS - k) % BINS];

      ret_descriptor[cell * BINS + k] = (guint8) MIN (lrint (value), 255);
    }
}
