#include "tests/unit/metrics/view-case.h"

const double view_identity[1][9] = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

void
view_case_clear (ViewCase *of)
{
  assay_dataset_clear (&of->dataset);
  assay_release_free (of->release);
  assay_truth_free (of->truth);
}

AssayArray *
view_floats (gsize rows, gsize cols, const float *values)
{
  return assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ rows, cols },
                           g_memdup2 (values, MAX (1, rows * cols) * sizeof (float)));
}

AssayArray *
view_numbers (gsize n, const gint64 *values)
{
  return assay_array_take (ASSAY_INT64, 1, (const gsize[]){ n },
                           g_memdup2 (values, MAX (1, n) * sizeof (gint64)));
}

static GPtrArray *
blank_photos (gsize n)
{
  GPtrArray *photos = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (photos, assay_photo_new (VIEW_WIDTH, VIEW_HEIGHT, 1, NULL));
  return photos;
}

ViewCase
view_case_of (const double (*homographies)[9], gsize n_groups, ViewSide released, ViewSide view)
{
  ViewCase made = { .release = assay_release_new (ASSAY_RELEASE_VECTORS, "test"),
                    .truth = assay_truth_new () };
  AssayDataset *dataset = &made.dataset;

  dataset->n_groups = n_groups;
  dataset->homographies
      = assay_array_take (ASSAY_FLOAT64, 3, (const gsize[]){ n_groups, 3, 3 },
                          g_memdup2 (homographies, n_groups * sizeof *homographies));
  dataset->test = fixture_rows (view.rows);
  dataset->test_data.frames = view_floats (view.n, 4, view.frames);
  dataset->test_data.pictures = view_numbers (view.n, view.groups);
  dataset->test_data.photos = blank_photos (n_groups);
  dataset->secret_data.photos = blank_photos (n_groups);
  assay_arrays_take (&made.release->arrays, "vectors",
                     view_floats (released.n, released.rows->cols, released.rows->data));
  assay_arrays_take (&made.truth->arrays, "frames", view_floats (released.n, 4, released.frames));
  assay_arrays_take (&made.truth->arrays, "groups", view_numbers (released.n, released.groups));
  return made;
}

ViewKeypoints
view_keypoints (gsize n, gsize cols, guint64 trial)
{
  AssayStream stream = assay_stream (assay_stream_key (3, trial, "places", ""), 0);
  ViewKeypoints made = { .rows = fixture_normal (n, cols, trial),
                         .frames = g_new0 (float, 4 * n),
                         .groups = g_new0 (gint64, n) };

  for (gsize i = 0; i < n; i++) {
    made.frames[4 * i] = (float) assay_stream_between (&stream, 0, VIEW_WIDTH - 1);
    made.frames[4 * i + 1] = (float) assay_stream_between (&stream, 0, VIEW_HEIGHT - 1);
    made.frames[4 * i + 2] = 5;
  }
  made.side = (ViewSide){ n, made.rows, made.frames, made.groups };
  return made;
}

void
view_keypoints_clear (ViewKeypoints *keypoints)
{
  assay_matrix_free (keypoints->rows);
  g_free (keypoints->frames);
  g_free (keypoints->groups);
}

void
view_project_frames (const double *h, gsize n, const float *frames, float *ret_frames)
{
  for (gsize i = 0; i < n; i++) {
    const double x = frames[4 * i], y = frames[4 * i + 1], w = h[6] * x + h[7] * y + h[8];

    ret_frames[4 * i] = (float) ((h[0] * x + h[1] * y + h[2]) / w);
    ret_frames[4 * i + 1] = (float) ((h[3] * x + h[4] * y + h[5]) / w);
  }
}
