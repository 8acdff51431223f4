/* Help for tests of datasets with photographs and second views: whether rows are of the photographs
 * that they are said to be of, and how many keypoints of the photographs are found again in the
 * views, at the places to which a homography takes them. */
#pragma once

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/dataset.h"
#include "datasets/photographs/sift.h"

/* SIFT on the photograph that is kept finds every row's keypoint again, with that very row; @groups
 * may be NULL. */
static inline void
expect_rows_of_photos (const AssayRows *rows, const AssayRoleData *data, const gint64 *groups)
{
  const float *frames = (const float *) (gconstpointer) data->frames->data;
  const gint64 *pictures = assay_array_int64 (data->pictures);
  gsize next = 0;

  cr_assert_eq (data->frames->shape[0], assay_rows_count (rows));
  cr_assert_eq (data->pictures->shape[0], assay_rows_count (rows));
  for (guint p = 0; p < data->photos->len; p++) {
    const AssayPhoto *photo = data->photos->pdata[p];
    g_autoptr (AssayPhoto) grey = assay_photo_grey (photo, NULL);
    g_autoptr (AssaySift) sift = assay_sift_new (photo->width, photo->height, NULL);
    g_autoptr (GArray) keypoints = assay_sift_detect (sift, grey, NULL);

    cr_assert_eq (photo->channels, 3);
    for (guint k = 0; k < keypoints->len && next < assay_rows_count (rows); k++) {
      const AssayKeypoint *keypoint = &g_array_index (keypoints, AssayKeypoint, k);
      const float frame[] = { keypoint->x, keypoint->y, keypoint->size, keypoint->angle };
      guint8 descriptor[ASSAY_SIFT_LENGTH];
      float row[ASSAY_SIFT_LENGTH];

      if (pictures[next] != p || memcmp (frame, frames + 4 * next, sizeof frame) != 0)
        continue;
      assay_sift_describe (sift, keypoint, descriptor);
      assay_rows_read (rows, next, 1, ASSAY_SCALE_NONE, row);
      for (gsize c = 0; c < ASSAY_SIFT_LENGTH; c++)
        cr_assert_eq ((guint8) row[c], descriptor[c], "row %zu", next);
      if (groups != NULL)
        cr_assert_eq (groups[next], p, "row %zu", next);
      next++;
    }
  }
  cr_expect_eq (next, assay_rows_count (rows), "a row of no keypoint");
}

typedef struct {
  gsize n;         /* keypoints whose places lie in the view */
  double all;      /* these by the keypoints of the photograph */
  double near;     /* share of them with a keypoint of the view close by */
  double distance; /* median distance of descriptors to the nearest of those close by */
} ViewShare;

static inline void
project (const double *h, const float *frame, double *ret_x, double *ret_y)
{
  const double x = (double) frame[0], y = (double) frame[1];
  const double w = h[6] * x + h[7] * y + h[8];

  *ret_x = (h[0] * x + h[1] * y + h[2]) / w;
  *ret_y = (h[3] * x + h[4] * y + h[5]) / w;
}

static inline void
invert (const double *h, double *ret_inverse)
{
  for (gsize r = 0; r < 3; r++)
    for (gsize c = 0; c < 3; c++) {
      const gsize i = (c + 1) % 3, j = (c + 2) % 3, k = (r + 1) % 3, l = (r + 2) % 3;

      ret_inverse[3 * r + c] = h[3 * i + k] * h[3 * j + l] - h[3 * i + l] * h[3 * j + k];
    }
}

static inline int
compare_doubles (gconstpointer a, gconstpointer b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

/* The distance of row @i of the secrets to the nearest row of the same group's view whose keypoint
 * lies within @radius of (@x, @y), or infinity. */
static inline double
nearest_close_by (const AssayDataset *data, gsize i, double x, double y, double radius)
{
  const float *frames = (const float *) (gconstpointer) data->test_data.frames->data;
  const gint64 *pictures = assay_array_int64 (data->test_data.pictures);
  double nearest = INFINITY;
  float a[ASSAY_SIFT_LENGTH], b[ASSAY_SIFT_LENGTH];

  assay_rows_read (data->secrets, i, 1, ASSAY_SCALE_NONE, a);
  for (gsize j = 0; j < assay_rows_count (data->test); j++) {
    double squares = 0;

    if (pictures[j] != data->groups[i]
        || hypot ((double) frames[4 * j] - x, (double) frames[4 * j + 1] - y) > radius)
      continue;
    assay_rows_read (data->test, j, 1, ASSAY_SCALE_NONE, b);
    for (gsize k = 0; k < ASSAY_SIFT_LENGTH; k++)
      squares += pow ((double) (a[k] - b[k]), 2);
    nearest = fmin (nearest, sqrt (squares));
  }
  return nearest;
}

/* Of group @group, or of all (-1), by the homographies of the dataset or by their inverses. */
static inline ViewShare
share_in_view (const AssayDataset *data, gint64 group, gboolean is_inverse, double radius)
{
  const gsize n = assay_rows_count (data->secrets);
  const float *frames = (const float *) (gconstpointer) data->secret_data.frames->data;
  const double *matrices = (const double *) (gconstpointer) data->homographies->data;
  g_autofree double *distances = g_new (double, n);
  ViewShare share = { 0 };
  gsize n_near = 0, n_all = 0;

  for (gsize i = 0; i < n; i++) {
    const gint64 g = data->groups[i];
    const AssayPhoto *view = data->test_data.photos->pdata[g];
    double inverse[9], x, y, nearest;

    if (group >= 0 && g != group)
      continue;
    n_all++;
    invert (matrices + 9 * g, inverse);
    project (is_inverse ? inverse : matrices + 9 * g, frames + 4 * i, &x, &y);
    if (!(x >= 0 && y >= 0 && x <= (double) view->width - 1 && y <= (double) view->height - 1))
      continue;
    share.n++;
    nearest = nearest_close_by (data, i, x, y, radius);
    if (isfinite (nearest))
      distances[n_near++] = nearest;
  }
  qsort (distances, n_near, sizeof *distances, compare_doubles);
  share.all = (double) share.n / (double) MAX (n_all, 1);
  share.near = (double) n_near / (double) MAX (share.n, 1);
  share.distance = n_near > 0 ? distances[n_near / 2] : INFINITY;
  return share;
}
