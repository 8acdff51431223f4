/* Removal of windows, some mixtures at a time. */
#include "attacks/whitened/window-removal.h"

#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"

/* What all mixtures have in common. */
typedef struct {
  const WindowRemoval *removal;
  const RankedWindows *ranked;
  const ImagePrior *prior;
  const WindowResult *result;
  gint64 *order;     /* N x candidates */
  AssayMatrix *rows; /* together x candidates, d wide */
  gsize *found;      /* together x partners: of these rows */
  float *given;      /* together x (together x candidates) */
} Candidates;

/* The candidates of mixtures @first to @first + @count, and their scores; those of another mixture
 * have the least score that a mixture's own have. */
static void
gather_candidates (const Candidates *job, gsize first, gsize count)
{
  const WindowRemoval *removal = job->removal;
  const gsize own = removal->candidates, m = job->ranked->images.rows, all = count * own;

  for (gsize i = 0; i < count; i++) {
    const gsize row = first + i;
    const gint64 *order = job->order + row * own;
    float *given = job->given + i * all, least = job->ranked->scores[row * m + (gsize) order[0]];

    for (gsize c = 0; c < own; c++) {
      const gsize image = (gsize) order[c];

      mixture_window_take (
          removal->squares.windows, removal->squares.shift, job->ranked->best[row * m + image],
          assay_view_row (job->ranked->images, image), assay_matrix_row (job->rows, i * own + c));
      least = MIN (least, job->ranked->scores[row * m + image]);
    }
    for (gsize c = 0; c < all; c++)
      given[c] = least;
    for (gsize c = 0; c < own; c++)
      given[i * own + c] = job->ranked->scores[row * m + (gsize) order[c]];
  }
}

/* What was found as images and their windows. */
static void
name_found (const Candidates *job, gsize first, gsize count)
{
  const gsize own = job->removal->candidates, m = job->ranked->images.rows;
  const gsize partners = job->removal->joint.partners;

  for (gsize i = 0; i < count * partners; i++) {
    const gsize row = first + job->found[i] / own;
    const gsize image = (gsize) job->order[row * own + job->found[i] % own];

    if (job->result->removed.found != NULL)
      job->result->removed.found[first * partners + i] = image;
    if (job->result->windows != NULL)
      job->result->windows[first * partners + i] = job->ranked->best[row * m + image];
  }
}

static gboolean
remove_from (const Candidates *job, gsize first, gsize count, GError **error)
{
  const gsize d = job->ranked->images.cols, partners = job->removal->joint.partners;
  const RemovalResult *all = &job->result->removed;
  const RemovalResult result
      = { .private_part = all->private_part != NULL ? all->private_part + first * d : NULL,
          .found = job->found,
          .shares = all->shares != NULL ? all->shares + first * partners : NULL };
  const PrivateParts *known = job->removal->joint.known;
  PrivateParts own;
  JointRemoval joint = job->removal->joint;
  const AssayView rows
      = assay_view_rows (assay_matrix_view (job->rows), 0, count * job->removal->candidates);
  g_auto (ImagePrior) prior = { 0 };

  if (known != NULL) {
    own = (PrivateParts){ known->features + first * d, known->shares + first,
                          known->errors + first };
    joint.known = &own;
  }
  gather_candidates (job, first, count);
  if (!image_prior_of (job->prior, rows, &prior, error)
      || !joint_removal (&joint, &prior, assay_view_rows (job->ranked->mixtures, first, count),
                         job->given, &result, error))
    return FALSE;
  name_found (job, first, count);
  return TRUE;
}

gboolean
window_removal_rank (const WindowRemoval *removal, const RankedWindows *windows, GError **error)
{
  WhitenedOptions squares = removal->squares;

  squares.best_windows = windows->best;
  return whitened_scores (&squares, windows->images, windows->mixtures, windows->scores, error);
}

gboolean
window_removal_find (const WindowRemoval *removal, const RankedWindows *windows,
                     const ImagePrior *prior, const WindowResult *result, GError **error)
{
  const gsize n = windows->mixtures.rows, m = windows->images.rows;
  const gsize own = removal->candidates, together = removal->together;
  g_autofree gint64 *order = assay_alloc (n, own * sizeof (gint64), "candidates", error);
  g_autofree gsize *found
      = assay_alloc (together, removal->joint.partners * sizeof (gsize), "candidates", error);
  g_autofree float *given
      = assay_alloc (together * together, own * sizeof (float), "candidates", error);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (together * own, windows->images.cols, error);
  const Candidates job = { removal, windows, prior, result, order, rows, found, given };

  if (order == NULL || found == NULL || given == NULL || rows == NULL
      || !mixture_order (windows->scores, n, m, own, order, error))
    return FALSE;
  for (gsize i = 0; i < n; i += together) {
    if (assay_interrupt_is_wanted ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    if (!remove_from (&job, i, MIN (together, n - i), error))
      return FALSE;
  }
  return TRUE;
}

gboolean
window_removal (const WindowRemoval *removal, AssayView images, AssayView mixtures,
                float *ret_private, GError **error)
{
  const gsize n = mixtures.rows, m = images.rows;
  g_autofree float *scores = assay_alloc (n, m * sizeof (float), "scores", error);
  g_autofree guint16 *best = assay_alloc (n, m * sizeof (guint16), "windows", error);
  const RankedWindows ranked = { images, mixtures, scores, best };
  const WindowResult result = { .removed = { .private_part = ret_private } };
  g_auto (ImagePrior) prior = { 0 };

  return scores != NULL && best != NULL && window_removal_rank (removal, &ranked, error)
         && image_prior_learn (images, &prior, error)
         && window_removal_find (removal, &ranked, &prior, &result, error);
}
