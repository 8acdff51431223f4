/* Removal of windows, mixture by mixture. */
#include "attacks/whitened/window-removal.h"

#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"

/* What all mixtures have in common. */
typedef struct {
  const WindowRemoval *removal;
  AssayView images;
  const ImagePrior *prior;
  const gint64 *order;    /* N x candidates */
  const guint16 *windows; /* N x M */
  const float *scores;    /* N x M */
  AssayMatrix *rows;      /* candidates x d */
  float *given;           /* candidates */
} Candidates;

static gboolean
remove_from (const Candidates *job, gsize index, AssayView mixture, float *ret_private,
             GError **error)
{
  const WindowRemoval *removal = job->removal;
  const gsize count = removal->candidates, m = job->images.rows;
  g_auto (ImagePrior) prior = { 0 };

  for (gsize c = 0; c < count; c++) {
    const gsize image = (gsize) job->order[index * count + c];

    mixture_window_take (removal->squares.windows, removal->squares.shift,
                         job->windows[index * m + image], assay_view_row (job->images, image),
                         assay_matrix_row (job->rows, c));
    job->given[c] = job->scores[index * m + image];
  }
  return image_prior_of (job->prior, assay_matrix_view (job->rows), &prior, error)
         && joint_removal (&removal->joint, &prior, mixture, job->given,
                           &(RemovalResult){ .private_part = ret_private }, error);
}

gboolean
window_removal (const WindowRemoval *removal, AssayView images, AssayView mixtures,
                float *ret_private, GError **error)
{
  const gsize n = mixtures.rows, m = images.rows, count = removal->candidates;
  g_autofree float *scores = assay_alloc (n, m * sizeof (float), "scores", error);
  g_autofree guint16 *windows = assay_alloc (n, m * sizeof (guint16), "windows", error);
  g_autofree gint64 *order = assay_alloc (n, count * sizeof (gint64), "candidates", error);
  g_autofree float *given = assay_alloc (count, sizeof (float), "candidates", error);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (count, images.cols, error);
  g_auto (ImagePrior) prior = { 0 };
  WhitenedOptions squares = removal->squares;
  const Candidates job = { removal, images, &prior, order, windows, scores, rows, given };

  squares.best_windows = windows;
  if (scores == NULL || windows == NULL || order == NULL || given == NULL || rows == NULL
      || !whitened_scores (&squares, images, mixtures, scores, error)
      || !mixture_order (scores, n, m, count, order, error)
      || !image_prior_learn (images, &prior, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    if (assay_interrupt_is_wanted ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    if (!remove_from (&job, i, assay_view_rows (mixtures, i, 1), ret_private + i * images.cols,
                      error))
      return FALSE;
  }
  return TRUE;
}
