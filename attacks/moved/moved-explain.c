/* Pairs of moved images for panels of rows. */
#include "attacks/moved/moved-explain.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define PANEL 32
#define FIRSTS 3 /* images of a row that are tried as its first */

typedef struct {
  const Moves *moves;
  AssayView directions;
  AssayView features;
  AssayView images;
  float *templates; /* n W x C */
  MovedPart *parts;
  double *left;
} Explain;

static void
make_templates (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Explain *job = data;
  const gsize w = job->moves->n_moves, c = job->directions.rows;
  g_autofree float *room = g_new (float, w * job->images.cols);

  moves_features (job->moves, job->directions, assay_view_row (job->images, index), room,
                  job->templates + index * w * c);
}

/* The best move of every image, by @scores (n W): n parts. */
static void
best_moves (const Explain *job, const float *scores, MovedPart *ret_parts)
{
  const gsize w = job->moves->n_moves;

  for (gsize i = 0; i < job->images.rows; i++) {
    ret_parts[i] = (MovedPart){ i, 0, -G_MAXFLOAT };
    for (gsize move = 0; move < w; move++)
      if (scores[i * w + move] > ret_parts[i].weight) {
        ret_parts[i].weight = scores[i * w + move];
        ret_parts[i].move = move;
      }
  }
}

static const float *
template_of (const Explain *job, const MovedPart *part)
{
  return job->templates + (part->image * job->moves->n_moves + part->move) * job->directions.rows;
}

/* The FIRSTS best parts first. */
static void
sort_firsts (MovedPart *parts, gsize n)
{
  for (gsize i = 0; i < MIN (FIRSTS, n); i++)
    for (gsize j = i + 1; j < n; j++)
      if (parts[j].weight > parts[i].weight) {
        const MovedPart kept = parts[i];

        parts[i] = parts[j];
        parts[j] = kept;
      }
}

/* Weights of both, at least 0; returns what they leave of @row. */
static double
fit_pair (const Explain *job, const float *row, MovedPart *first, MovedPart *second)
{
  const gsize c = job->directions.rows;
  const float *p = template_of (job, first), *q = template_of (job, second);
  const double pr = assay_lanes_dot_float (p, row, c), qr = assay_lanes_dot_float (q, row, c);
  const double pq = assay_lanes_dot_float (p, q, c), rest = MAX (1 - pq * pq, 1e-3);
  double a = (pr - pq * qr) / rest, b = (qr - pq * pr) / rest;

  if (a < 0 || b < 0) {
    a = b < 0 ? MAX (pr, 0) : 0;
    b = b < 0 ? 0 : MAX (qr, 0);
  }
  first->weight = (float) a;
  second->weight = (float) b;
  return 1 - a * pr - b * qr;
}

/* @residuals: FIRSTS x C of a row, of length whatever they are. */
static void
leave_first (const Explain *job, const float *row, const MovedPart *firsts, float *residuals)
{
  const gsize c = job->directions.rows;

  for (gsize l = 0; l < FIRSTS; l++) {
    const MovedPart *first = firsts + MIN (l, job->images.rows - 1);
    const float *template = template_of (job, first);

    for (gsize j = 0; j < c; j++)
      residuals[l * c + j] = row[j] - first->weight * template[j];
  }
}

/* The second part of @row beside each first; the better pair stays. */
static void
take_pair (const Explain *job, gsize t, const MovedPart *firsts, const float *scores,
           MovedPart *scratch)
{
  const gsize n = job->images.rows, w = job->moves->n_moves;
  const float *row = assay_view_row (job->features, t);

  job->left[t] = 2;
  for (gsize l = 0; l < MIN (FIRSTS, n); l++) {
    MovedPart first = firsts[l], second = { n, 0, -G_MAXFLOAT };
    double left;

    best_moves (job, scores + l * n * w, scratch);
    for (gsize i = 0; i < n; i++)
      if (i != first.image && (second.image == n || scratch[i].weight > second.weight))
        second = scratch[i];
    left = fit_pair (job, row, &first, &second);
    if (left < job->left[t]) {
      job->left[t] = left;
      job->parts[MIXTURE_PRIVATE * t] = first;
      job->parts[MIXTURE_PRIVATE * t + 1] = second;
    }
  }
}

static void
explain_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Explain *job = data;
  const gsize n = job->images.rows, c = job->directions.rows, all = n * job->moves->n_moves;
  const gsize first = index * PANEL, height = MIN (PANEL, job->features.rows - first);
  const AssayView templates = assay_view_of (job->templates, all, c);
  g_autofree float *scores = g_new (float, PANEL *FIRSTS *all);
  g_autofree float *residuals = g_new (float, PANEL *FIRSTS *c);
  g_autofree MovedPart *parts = g_new (MovedPart, PANEL * n);
  g_autofree MovedPart *scratch = g_new (MovedPart, n);

  assay_linalg_product (ASSAY_NT, assay_view_rows (job->features, first, height), templates, scores,
                        all);
  for (gsize i = 0; i < height; i++) {
    best_moves (job, scores + i * all, parts + i * n);
    sort_firsts (parts + i * n, n);
    leave_first (job, assay_view_row (job->features, first + i), parts + i * n,
                 residuals + i * FIRSTS * c);
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (residuals, height * FIRSTS, c), templates, scores,
                        all);
  for (gsize i = 0; i < height; i++)
    take_pair (job, first + i, parts + i * n, scores + i * FIRSTS * all, scratch);
}

gboolean
moved_explain (const Moves *moves, const MovedRows *rows, AssayView images, MovedPart *ret_parts,
               double *ret_left, GError **error)
{
  const gsize all = images.rows * moves->n_moves;
  g_autofree float *templates
      = assay_alloc (all, rows->directions.rows * sizeof (float), "moves of images", error);
  Explain job = { .moves = moves,
                  .directions = rows->directions,
                  .features = rows->features,
                  .images = images,
                  .templates = templates,
                  .parts = ret_parts,
                  .left = ret_left };

  if (templates == NULL)
    return FALSE;
  assay_parallel_for (images.rows, make_templates, &job);
  assay_parallel_for (assay_pieces (rows->features.rows, PANEL), explain_panel, &job);
  return TRUE;
}
