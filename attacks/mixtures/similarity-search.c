/* Which public images look most like a mixture (InstaHide, Huang, Song, Li and Arora 2020, section
 * 5.3, "Uncover public images by similarity search", figure 8).
 *
 * Release: mixtures x~, N pictures. Knowledge: public pictures s. Guess for each x~: all s by
 * descending SSIM (x~, s), with the range of the public pixels as data range. The paper takes a
 * network's demasked mixtures; here `absolute` compares |x~| with |s|, which a mask of signs cannot
 * change.
 *
 * Public pictures may have been cropped at random before they were mixed, which moves them where
 * SSIM does not find them. With `crops` = c each s stands for itself and c windows of it, moved by
 * up to `shift` pixels either way (continued by mirror images, and one in two mirrored left to
 * right), and has the largest SSIM of them. With `all_windows` these are all that there are,
 * 2 (2 shift + 1)^2, so that what is not found was not missed by chance.
 * Cost: N M (1 + c) comparisons; memory: one window of every public picture. */
#include <math.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "core/base/parallel.h"
#include "core/math/image-quality.h"

#define QUERIES 64 /* mixtures that are compared with all windows at a time */

typedef struct {
  bool absolute;
  gint64 crops;
  bool all_windows;
  gint64 shift;
  gint64 keep;
} SimilaritySearch;

/* How many windows of each picture are tried beside itself. */
static gsize
count_windows (const SimilaritySearch *settings)
{
  return settings->all_windows ? mixture_windows_count ((gsize) settings->shift)
                               : (gsize) settings->crops;
}

/* A window of @picture, of its own size, moved and perhaps mirrored. */
static void
draw_window (const AssayGeometry *geometry, gsize shift, AssayStream *stream, const float *picture,
             float *ret_window)
{
  const gint64 down = (gint64) assay_stream_below (stream, 2 * shift + 1) - (gint64) shift;
  const gint64 right = (gint64) assay_stream_below (stream, 2 * shift + 1) - (gint64) shift;
  const gboolean is_flipped = assay_stream_below (stream, 2) == 1;

  assay_mixture_window (geometry, down, right, is_flipped, picture, ret_window);
}

static void
make_absolute (AssayMatrix *pictures)
{
  for (gsize i = 0; i < pictures->rows * pictures->cols; i++)
    pictures->data[i] = fabsf (pictures->data[i]);
}

typedef struct {
  const AssayGeometry *geometry;
  AssaySsim ssim;
  AssayMatrix *mixtures;
  AssayMatrix *pictures;
  double *values; /* QUERIES x pictures */
  float *best;    /* mixtures x pictures */
} Search;

/* Raises what each mixture has with each picture to its SSIM with @windows of them. */
static gboolean
compare (const Search *search, AssayView windows, GError **error)
{
  const gsize n = search->mixtures->rows, m = windows.rows;
  g_autoptr (AssaySsimSet) set = assay_ssim_set_new (&search->ssim, windows, error);

  if (set == NULL)
    return FALSE;
  for (gsize first = 0; first < n; first += QUERIES) {
    const gsize count = MIN (QUERIES, n - first);
    const AssayView queries = assay_view_rows (assay_matrix_view (search->mixtures), first, count);

    if (!assay_ssim_set_compare (set, queries, search->values, error))
      return FALSE;
    for (gsize i = 0; i < count * m; i++)
      search->best[first * m + i] = MAX (search->best[first * m + i], (float) search->values[i]);
  }
  return TRUE;
}

static gboolean
compare_windows (const Search *search, const SimilaritySearch *settings, AssayStreamKey key,
                 GError **error)
{
  const AssayMatrix *pictures = search->pictures;
  g_autoptr (AssayMatrix) windows = NULL;

  if (!compare (search, assay_matrix_view (pictures), error))
    return FALSE;
  if (count_windows (settings) == 0)
    return TRUE;
  windows = assay_matrix_new (pictures->rows, pictures->cols, error);
  for (gsize c = 0; windows != NULL && c < count_windows (settings); c++) {
    for (gsize i = 0; i < pictures->rows; i++) {
      AssayStream stream = assay_stream (key, (guint64) c << 40 | i);

      if (settings->all_windows)
        mixture_window_take (search->geometry, (gsize) settings->shift, c,
                             pictures->data + i * pictures->cols, assay_matrix_row (windows, i));
      else
        draw_window (search->geometry, (gsize) settings->shift, &stream,
                     pictures->data + i * pictures->cols, assay_matrix_row (windows, i));
    }
    if (!compare (search, assay_matrix_view (windows), error))
      return FALSE;
  }
  return windows != NULL;
}

static gboolean
check_geometry (const SimilaritySearch *settings, const AssayGeometry *geometry, GError **error)
{
  return mixture_windows_check (geometry,
                                count_windows (settings) > 0 ? (gsize) settings->shift : 0, error);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const SimilaritySearch *settings = context->settings;
  const AssayGeometry *geometry = &seen->release->geometry;
  g_autoptr (AssayMatrix) pictures = NULL;
  g_autoptr (AssayMatrix) mixtures = NULL;
  g_autofree double *values = NULL;
  g_autofree float *best = NULL;
  g_autofree gint64 *candidates = NULL;
  gsize n, m, keep;
  Search search = { .geometry = geometry,
                    .ssim.shape = { geometry->height, geometry->width, geometry->channels } };

  if (!check_geometry (settings, geometry, error))
    return FALSE;
  pictures = mixture_public (seen->release, seen->public_rows, error);
  mixtures = pictures != NULL ? mixture_images (seen->release, error) : NULL;
  if (mixtures == NULL)
    return FALSE;
  if (settings->absolute) {
    make_absolute (pictures);
    make_absolute (mixtures);
  }
  n = mixtures->rows;
  m = pictures->rows;
  keep = mixture_keep (settings->keep, m);
  values = assay_alloc (QUERIES, m * sizeof (double), "similarities", error);
  best = assay_alloc (n, m * sizeof (float), "similarities", error);
  candidates = assay_alloc (n, keep * sizeof (gint64), "candidates", error);
  if (values == NULL || best == NULL || candidates == NULL)
    return FALSE;
  for (gsize i = 0; i < n * m; i++)
    best[i] = -1;
  search.ssim.range = mixture_range (assay_matrix_view (pictures));
  search.mixtures = mixtures;
  search.pictures = pictures;
  search.values = values;
  search.best = best;
  if (!compare_windows (&search, settings, context->stream, error)
      || !mixture_order (best, n, m, keep, candidates, error))
    return FALSE;
  mixture_take_candidates (ret_guess, n, keep, g_steal_pointer (&candidates));
  return TRUE;
}

/* The windows of public images. */
static gboolean
draws (gconstpointer data)
{
  const SimilaritySearch *settings = data;

  return settings->crops > 0 && !settings->all_windows;
}

ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, SimilaritySearch,
               .n_secrets = 16, .n_public = 100, .side = 48, .n_partners = 2,
               .has_mask = settings->absolute)

static gboolean
check (gconstpointer settings, const AssayShape *shape, GError **error)
{
  return shape->cols == 0 || shape->geometry.height == 0
         || check_geometry (settings, &shape->geometry, error);
}

ASSAY_ATTACK (similarity_search, "similarity-search",
  .summary = "Rank public images by their structural similarity with a mixture",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 5.3, figure 8" },
  ASSAY_SETTINGS (SimilaritySearch,
    ASSAY_PARAM_BOOL (SimilaritySearch, absolute, FALSE,
                      "Whether absolute values are compared, which a mask of signs does not "
                      "change"),
    ASSAY_PARAM_INT (SimilaritySearch, crops, 0, 0, 1000, "",
                     "Random windows of each public image that are tried, as well as the image "
                     "itself"),
    ASSAY_PARAM_BOOL (SimilaritySearch, all_windows, FALSE,
                      "Whether all windows are tried in place of random ones: each shift down and "
                      "right, mirrored and not",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (SimilaritySearch, shift, 4, 0, 1000, "px",
                     "How far a window is moved at most, either way"),
    MIXTURE_PARAMETER_KEEP (SimilaritySearch)),
  .check = check,
  .holds = { .items = 2, .publics = 8, .pairs = 1, .per_thread = 64 << 20 },
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_LINK,
  .draws = draws,
  .attack = attack,
  .control = { .says = "of Gaussian images mixed with two of 100 public ones, one of these ranks "
                       "first",
               .make = make_control,
               .at_least = 0.9 });
