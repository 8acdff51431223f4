/* From a coarse grid of windows to all between. */
#include "attacks/whitened/window-search.h"

#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "attacks/whitened/removal-panel.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define RIDGE 0.1f
#define ROUNDS 8       /* of signs */
#define COMPONENTS 150 /* by which windows of the grid are compared */
#define GRID 2         /* pixels between these */
#define BLOCK 32       /* images whose windows are made at a time */
#define HEIGHT 128     /* mixtures that are scored at a time */

typedef struct {
  const WindowRemoval *removal;
  const ImagePrior *prior;
  const RankedWindows *windows;
  gsize components;
  gsize *grid; /* windows of the grid */
  gsize n_grid;
  float *filters;  /* N x d: P r, in pixels */
  float *weighted; /* N x components: P r */
  float *metrics;  /* a panel, d: sums of P */
  float *metric;   /* d: the mean of P */
  float *lengths;  /* of the images, by the mean P */
  gint64 *order;   /* N x candidates */
  gint has_failed; /* atomic */
} Search;

/* ---- Filters ---- */

static void
filter_mixture (const Search *job, RemovalPanel *panel, gsize index, gsize i)
{
  const gsize d = job->prior->cols;
  float *weighted = panel->weighted + i * d, *sum = job->metrics + index * d;

  removal_panel_take_metric (panel, i);
  for (gsize a = 0; a < d; a++) {
    const float metric = panel->metric[i * d + a];

    weighted[a] = metric * (panel->signs.features[i * d + a] - panel->signs.known[i * d + a]);
    sum[a] += metric;
  }
  memcpy (job->weighted + (panel->first + i) * job->components, weighted,
          job->components * sizeof *weighted);
}

static void
filter_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *job = data;
  const gsize d = job->prior->cols, first = index * MASK_SIGNS_PANEL;
  const gsize count = MIN (MASK_SIGNS_PANEL, job->windows->mixtures.rows - first);
  const Removal removal = { .options = &job->removal->joint, .prior = job->prior };
  g_auto (RemovalPanel) panel = { 0 };

  if (!removal_panel_init (&removal, &panel, NULL)) {
    g_atomic_int_set (&job->has_failed, 1);
    return;
  }
  panel.first = first;
  mask_signs_open (&panel.signs, assay_view_rows (job->windows->mixtures, first, count));
  for (gsize i = 0; i < count; i++)
    removal_panel_explain (&panel, i);
  mask_signs_forget (&panel.signs);
  panel.signs.ridge = RIDGE;
  for (gsize round = 0; round < ROUNDS; round++) {
    mask_signs_observe (&panel.signs);
    mask_signs_expect (&panel.signs, NULL);
  }
  for (gsize i = 0; i < count; i++)
    filter_mixture (job, &panel, index, i);
  assay_linalg_product (ASSAY_NN, assay_view_of (panel.weighted, count, d),
                        assay_view_of (job->prior->vectors, d, d), job->filters + first * d, d);
}

static void
take_metric (const Search *job, gsize n_panels)
{
  const gsize d = job->prior->cols;
  const float scale = 1 / (float) job->windows->mixtures.rows;

  memset (job->metric, 0, d * sizeof *job->metric);
  for (gsize i = 0; i < n_panels; i++)
    for (gsize a = 0; a < d; a++)
      job->metric[a] += scale * job->metrics[i * d + a];
  for (gsize s = 0; s < job->prior->n; s++) {
    const float *squares = job->prior->squares + s * d;

    job->lengths[s] = sqrtf (MAX (assay_lanes_dot_float (squares, job->metric, d), 1e-30f));
  }
}

/* ---- The grid ---- */

/* Features of the grid's windows of some images, and their lengths. */
static void
make_windows (const Search *job, gsize first, gsize count, float *room, float *ret_features,
              float *ret_lengths)
{
  const ImagePrior *prior = job->prior;
  const gsize d = prior->cols, c = job->components;

  for (gsize s = 0; s < count; s++)
    for (gsize w = 0; w < job->n_grid; w++) {
      float *row = room + (s * job->n_grid + w) * d;

      mixture_window_take (job->removal->squares.windows, job->removal->squares.shift, job->grid[w],
                           assay_view_row (job->windows->images, first + s), row);
      for (gsize a = 0; a < d; a++)
        row[a] = row[a] / (float) prior->unit - prior->image[a];
    }
  count *= job->n_grid;
  assay_linalg_product (ASSAY_NT, assay_view_of (room, count, d),
                        assay_view_of (prior->vectors, c, d), ret_features, c);
  for (gsize i = 0; i < count; i++) {
    double square = 0;

    for (gsize a = 0; a < c; a++)
      square += (double) job->metric[a] * ret_features[i * c + a] * ret_features[i * c + a];
    ret_lengths[i] = sqrtf ((float) MAX (square, 1e-30));
  }
}

static void
take_best (const Search *job, gsize t, gsize image, const float *scores, const float *lengths)
{
  gsize best = 0;
  float most = scores[0] / lengths[0];

  for (gsize w = 1; w < job->n_grid; w++) {
    const float score = scores[w] / lengths[w];

    if (score > most) {
      most = score;
      best = w;
    }
  }
  job->windows->scores[t * job->prior->n + image] = most;
  job->windows->best[t * job->prior->n + image] = (guint16) job->grid[best];
}

static void
score_block (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Search *job = data;
  const gsize n = job->windows->mixtures.rows, d = job->prior->cols, c = job->components;
  const gsize first = index * BLOCK, count = MIN (BLOCK, job->prior->n - first);
  const gsize width = count * job->n_grid;
  g_autofree float *room = g_new (float, width *d);
  g_autofree float *features = g_new (float, width *c);
  g_autofree float *lengths = g_new (float, width);
  g_autofree float *scores = g_new (float, HEIGHT *width);

  make_windows (job, first, count, room, features, lengths);
  for (gsize t = 0; t < n; t += HEIGHT) {
    const gsize height = MIN (HEIGHT, n - t);

    assay_linalg_product (ASSAY_NT, assay_view_of (job->weighted + t * c, height, c),
                          assay_view_of (features, width, c), scores, width);
    for (gsize i = 0; i < height; i++)
      for (gsize s = 0; s < count; s++)
        take_best (job, t + i, first + s, scores + i * width + s * job->n_grid,
                   lengths + s * job->n_grid);
  }
}

/* ---- Between ---- */

/* <P r, z - m>, in the prior's units. */
static float
filter_window (const Search *job, gsize t, gsize image, gsize window, float *room)
{
  const ImagePrior *prior = job->prior;
  const gsize d = prior->cols;
  const float *filter = job->filters + t * d;

  mixture_window_take (job->removal->squares.windows, job->removal->squares.shift, window,
                       assay_view_row (job->windows->images, image), room);
  return assay_lanes_dot_float (filter, room, d) / (float) prior->unit
         - assay_lanes_dot_float (filter, prior->image, d);
}

/* The best window less than a step of the grid from the one that was best on it. */
static void
refine_image (const Search *job, gsize t, gsize image, float *room)
{
  const gsize m = job->prior->n, shift = job->removal->squares.shift, places = 2 * shift + 1;
  const gsize from = job->windows->best[t * m + image], place = from % (places * places);
  const gsize half = from - place, y = place / places, x = place % places;
  float most = -G_MAXFLOAT;

  for (gsize down = y - MIN (y, GRID - 1); down < MIN (y + GRID, places); down++)
    for (gsize right = x - MIN (x, GRID - 1); right < MIN (x + GRID, places); right++) {
      const gsize window = half + down * places + right;
      const float score = filter_window (job, t, image, window, room) / job->lengths[image];

      if (score > most) {
        most = score;
        job->windows->best[t * m + image] = (guint16) window;
      }
    }
  job->windows->scores[t * m + image] = most;
}

static void
refine_mixture (gsize t, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Search *job = data;
  const gsize own = job->removal->candidates;
  g_autofree float *room = g_new (float, job->prior->cols);

  for (gsize c = 0; c < own; c++)
    refine_image (job, t, (gsize) job->order[t * own + c], room);
}

/* ---- All ---- */

static gsize *
make_grid (gsize shift, gsize *ret_count)
{
  const gsize places = 2 * shift + 1;
  gsize *grid = g_new (gsize, mixture_windows_count (shift)), count = 0;

  for (gsize half = 0; half < 2; half++)
    for (gsize y = 0; y < places; y += GRID)
      for (gsize x = 0; x < places; x += GRID)
        grid[count++] = (half * places + y) * places + x;
  *ret_count = count;
  return grid;
}

gboolean
window_search (const WindowRemoval *removal, const ImagePrior *prior, const RankedWindows *windows,
               GError **error)
{
  const gsize n = windows->mixtures.rows, d = prior->cols, m = prior->n;
  const gsize n_panels = assay_pieces (n, MASK_SIGNS_PANEL), row = d * sizeof (float);
  const gsize components = MIN (COMPONENTS, d);
  g_autofree gsize *grid = NULL;
  g_auto (AssayArena) arena = { 0 };
  Search job
      = { .removal = removal,
          .prior = prior,
          .windows = windows,
          .components = components,
          .filters = assay_arena_alloc (&arena, n, row, "filters", error),
          .weighted = assay_arena_alloc (&arena, n, components * sizeof (float), "filters", error),
          .metrics = assay_arena_alloc (&arena, n_panels, row, "filters", error),
          .metric = assay_arena_alloc (&arena, 1, row, "filters", error),
          .lengths = assay_arena_alloc (&arena, m, sizeof (float), "filters", error),
          .order = assay_arena_alloc (&arena, n, removal->candidates * sizeof (gint64),
                                      "candidates", error) };

  if (arena.has_failed)
    return FALSE;
  job.grid = grid = make_grid (removal->squares.shift, &job.n_grid);
  memset (job.metrics, 0, n_panels * row);
  assay_parallel_for (n_panels, filter_panel, &job);
  if (job.has_failed)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "no memory for the signs of %d mixtures",
                       MASK_SIGNS_PANEL);
  take_metric (&job, n_panels);
  assay_parallel_for (assay_pieces (m, BLOCK), score_block, &job);
  if (!mixture_order (windows->scores, n, m, removal->candidates, job.order, error))
    return FALSE;
  assay_parallel_for (n, refine_mixture, &job);
  return TRUE;
}
