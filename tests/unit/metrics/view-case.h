/* Photographs with views, made in memory: keypoints of each, and the same or others in a view of
 * it. */
#pragma once

#include "core/plugin/plugin.h"
#include "tests/reference/fixtures.h"

#define VIEW_WIDTH 400
#define VIEW_HEIGHT 300

/* A dataset with views of which the tests fill rows and frames; and a release with its truth. */
typedef struct {
  AssayDataset dataset;
  AssayRelease *release;
  AssayTruth *truth;
} ViewCase;

void view_case_clear (ViewCase *of);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ViewCase, view_case_clear)

typedef struct {
  gsize n;
  const AssayMatrix *rows;
  const float *frames; /* n x 4 */
  const gint64 *groups;
} ViewSide;

/* Vectors are released as they are. */
ViewCase view_case_of (const double (*homographies)[9], gsize n_groups, ViewSide released,
                       ViewSide view);

AssayArray *view_floats (gsize rows, gsize cols, const float *values);
AssayArray *view_numbers (gsize n, const gint64 *values);

extern const double view_identity[1][9];

/* @n keypoints at random places of the picture, @cols normal numbers each, all of group 0. */
typedef struct {
  AssayMatrix *rows;
  float *frames;
  gint64 *groups;
  ViewSide side;
} ViewKeypoints;

ViewKeypoints view_keypoints (gsize n, gsize cols, guint64 trial);
void view_keypoints_clear (ViewKeypoints *keypoints);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ViewKeypoints, view_keypoints_clear)

/* Where the homography @h puts @n keypoints. */
void view_project_frames (const double *h, gsize n, const float *frames, float *ret_frames);
