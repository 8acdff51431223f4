#include "defenses/graphs/dmp-descent.h"

#include <math.h>

#include "core/base/parallel.h"

#define MAX_EXPONENT 20
#define BLOCK 65536

static void
take_step (const DmpDescent *descent, const double *motifs, const double *noise, gsize count,
           double *inout_weights)
{
  const double factor = 1 + 2 * descent->convexity;

  for (gsize k = 0; k < count; k++) {
    const double weight = inout_weights[k];
    const double gradient = factor * weight - motifs[k] + descent->sigma * noise[k];
    const double move = descent->step * gradient;

    if (descent->mirror == DMP_MIRROR_KL)
      inout_weights[k] = weight * exp (-CLAMP (move, -MAX_EXPONENT, MAX_EXPONENT));
    else
      inout_weights[k] = weight - move;
  }
}

/* Without noise, pairs of one motif and one weight go one way, and most have no triangles. */
static void
descend_silently (const DmpDescent *descent, const double *motifs, gsize count,
                  double *inout_weights)
{
  static const double silence = 0;
  double start = 0, end = 0;

  for (gsize k = 0; k < count; k++) {
    const gboolean is_known = k > 0 && motifs[k] == motifs[k - 1] && inout_weights[k] == start;

    start = inout_weights[k];
    for (gsize t = 0; t < descent->rounds && !is_known; t++)
      take_step (descent, motifs + k, &silence, 1, inout_weights + k);
    if (is_known)
      inout_weights[k] = end;
    end = inout_weights[k];
  }
}

void
dmp_descend (const DmpDescent *descent, const double *motifs, gsize count, AssayStream *stream,
             double *inout_weights)
{
  g_autofree double *noise = NULL;

  if (!(descent->sigma > 0)) {
    descend_silently (descent, motifs, count, inout_weights);
    return;
  }
  noise = g_new (double, MAX (count, 1));
  for (gsize t = 0; t < descent->rounds; t++) {
    assay_stream_fast_normals (stream, count, noise);
    take_step (descent, motifs, noise, count, inout_weights);
  }
}

typedef struct {
  float *weights;
  gsize count;
  double *largest; /* of each block */
  double most;
} Normalising;

static void
take_logarithms (gsize block, guint worker, gpointer data)
{
  const Normalising *job = data;

  (void) worker;
  for (gsize k = block * BLOCK; k < MIN (job->count, (block + 1) * BLOCK); k++) {
    job->weights[k] = (float) log1p (MAX (0, (double) job->weights[k]));
    job->largest[block] = MAX (job->largest[block], (double) job->weights[k]);
  }
}

static void
divide (gsize block, guint worker, gpointer data)
{
  const Normalising *job = data;

  (void) worker;
  for (gsize k = block * BLOCK; k < MIN (job->count, (block + 1) * BLOCK); k++)
    job->weights[k] = (float) ((double) job->weights[k] / job->most);
}

double
dmp_log_normalise (float *inout_weights, gsize count)
{
  const gsize blocks = assay_pieces (count, BLOCK);
  g_autofree double *largest = g_new0 (double, MAX (blocks, 1));
  Normalising job = { .weights = inout_weights, .count = count, .largest = largest };

  assay_parallel_for (blocks, take_logarithms, &job);
  for (gsize b = 0; b < blocks; b++)
    job.most = MAX (job.most, largest[b]);
  if (job.most > 0)
    assay_parallel_for (blocks, divide, &job);
  return job.most;
}
