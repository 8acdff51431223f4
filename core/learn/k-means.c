/* k-means by Lloyd's algorithm, in double. */
#include "core/learn/k-means.h"

#include <string.h>

#include "core/base/vectors.h"

typedef struct {
  const float *rows;
  gsize n, d, k;
  double *centres; /* k x d */
  double *nearest; /* n: squared distance from the own centre */
  gsize *labels;   /* n */
  gsize *sizes;    /* k */
} Clusters;

static void
set_centre (Clusters *clusters, gsize c, gsize row)
{
  for (gsize j = 0; j < clusters->d; j++)
    clusters->centres[c * clusters->d + j] = clusters->rows[row * clusters->d + j];
}

/* A row with probability proportional to its squared distance from the centres so far; any row
 * where all of them are centres. */
static gsize
draw_row (const Clusters *clusters, AssayStream *stream)
{
  double total = 0, mark;

  for (gsize i = 0; i < clusters->n; i++)
    total += clusters->nearest[i];
  if (!(total > 0))
    return (gsize) assay_stream_below (stream, clusters->n);
  mark = assay_stream_uniform (stream) * total;
  for (gsize i = 0; i < clusters->n; i++) {
    mark -= clusters->nearest[i];
    if (mark < 0)
      return i;
  }
  return clusters->n - 1;
}

/* Of equally far ones the first. */
static gsize
farthest_row (const Clusters *clusters)
{
  gsize farthest = 0;

  for (gsize i = 1; i < clusters->n; i++)
    if (clusters->nearest[i] > clusters->nearest[farthest])
      farthest = i;
  return farthest;
}

/* Without a @stream: farthest first. */
static void
choose_centres (Clusters *clusters, AssayStream *stream)
{
  for (gsize c = 0; c < clusters->k; c++) {
    gsize row = 0;

    if (stream == NULL)
      row = c == 0 ? 0 : farthest_row (clusters);
    else
      row = c == 0 ? (gsize) assay_stream_below (stream, clusters->n)
                   : draw_row (clusters, stream);
    set_centre (clusters, c, row);
    for (gsize i = 0; i < clusters->n; i++) {
      const double square = assay_lanes_squared_distance (
          clusters->rows + i * clusters->d, clusters->centres + c * clusters->d, clusters->d);

      if (c == 0 || square < clusters->nearest[i])
        clusters->nearest[i] = square;
    }
  }
}

/* Every row to its nearest centre, of equal ones to the first; whether any row changed. */
static gboolean
assign_rows (Clusters *clusters)
{
  gboolean is_changed = FALSE;

  for (gsize i = 0; i < clusters->n; i++) {
    gsize best = 0;

    for (gsize c = 0; c < clusters->k; c++) {
      const double square = assay_lanes_squared_distance (
          clusters->rows + i * clusters->d, clusters->centres + c * clusters->d, clusters->d);

      if (c == 0 || square < clusters->nearest[i]) {
        clusters->nearest[i] = square;
        best = c;
      }
    }
    is_changed |= clusters->labels[i] != best;
    clusters->labels[i] = best;
  }
  return is_changed;
}

/* Centres to the means of their rows. One that lost all of them takes the row farthest from its
 * own centre. */
static void
move_centres (Clusters *clusters)
{
  const gsize d = clusters->d;

  memset (clusters->centres, 0, clusters->k * d * sizeof (double));
  memset (clusters->sizes, 0, clusters->k * sizeof (gsize));
  for (gsize i = 0; i < clusters->n; i++) {
    double *centre = clusters->centres + clusters->labels[i] * d;

    clusters->sizes[clusters->labels[i]]++;
    for (gsize j = 0; j < d; j++)
      centre[j] += clusters->rows[i * d + j];
  }
  for (gsize c = 0; c < clusters->k; c++) {
    gsize farthest;

    for (gsize j = 0; clusters->sizes[c] > 0 && j < d; j++)
      clusters->centres[c * d + j] /= (double) clusters->sizes[c];
    if (clusters->sizes[c] > 0)
      continue;
    farthest = farthest_row (clusters);
    clusters->nearest[farthest] = 0;
    set_centre (clusters, c, farthest);
  }
}

double
assay_k_means (const AssayKMeans *job, AssayStream *stream, gsize *ret_labels, double *ret_centres)
{
  const gsize n = job->n, k = job->k;
  const gsize n_starts = job->is_farthest_first ? 1 : job->starts;
  g_autofree double *centres = g_new (double, k * job->d);
  g_autofree double *nearest = g_new (double, n);
  g_autofree gsize *labels = g_new (gsize, n);
  g_autofree gsize *sizes = g_new (gsize, k);
  Clusters clusters = { job->rows, n, job->d, k, centres, nearest, labels, sizes };
  double best = 0;

  for (gsize start = 0; start < n_starts; start++) {
    double sum = 0;

    for (gsize i = 0; i < n; i++)
      labels[i] = k; /* none */
    choose_centres (&clusters, job->is_farthest_first ? NULL : stream);
    for (gsize round = 0; assign_rows (&clusters) && round < job->rounds; round++)
      move_centres (&clusters);
    for (gsize i = 0; i < n; i++)
      sum += nearest[i];
    if (start == 0 || sum < best) {
      best = sum;
      memcpy (ret_labels, labels, n * sizeof (gsize));
      if (ret_centres != NULL)
        memcpy (ret_centres, centres, k * job->d * sizeof (double));
    }
  }
  return best;
}
