/* Blending of painted pictures (core/math/painting/poisson.h) beside CHOLMOD, which factors the
 * same matrix: seconds of one processor for three channels, and how far the results are apart.
 * Why the program has a solver of its own: docs/dependencies.md.
 *
 *   meson compile -C build benchmark-poisson    (needs Debian's libsuitesparse-dev) */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <time.h>

#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/painting/poisson.h"

enum { CHANNELS = 3 };

typedef struct {
  gsize width, height;
  AssayPoisson *poisson;
  AssayPoissonWeights weights;
  double *right_side; /* CHANNELS x pixels */
  double *blended;    /* the same */
} Case;

static double
seconds (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

/* Levels are wanted in squares that cover some two thirds of the picture. */
static void
make_case (Case *c)
{
  const gsize w = c->width, h = c->height, n = w * h;
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "poisson", ""), 0);

  for (gsize p = 0; p < n; p++) {
    c->weights.right[p] = (p + 1) % w != 0;
    c->weights.down[p] = p + w < n;
  }
  for (gsize square = 0; square < n / 600; square++) {
    const gsize side = 6 + assay_stream_below (&stream, 40);
    const gsize left = assay_stream_below (&stream, w), top = assay_stream_below (&stream, h);

    for (gsize y = top; y < MIN (top + side, h); y++)
      for (gsize x = left; x < MIN (left + side, w); x++)
        c->weights.anchor[y * w + x] = 1 / (256.0 * 256.0);
  }
  for (gsize i = 0; i < CHANNELS * n; i++)
    c->right_side[i] = c->weights.anchor[i % n] * assay_stream_between (&stream, 0, 255)
                       + assay_stream_between (&stream, -10, 10);
}

/* Bytes of the solver's arrays: 6 on each grid, each grid a quarter of the one before it, and 2 on
 * the finest. */
static double
own_memory (gsize pixels)
{
  return (double) pixels * (6 * 4 / 3.0 + 2) * sizeof (double);
}

static double
time_own (Case *c)
{
  const gsize n = c->width * c->height;
  g_autofree double *used = g_memdup2 (c->right_side, CHANNELS * n * sizeof (double));
  const double start = seconds ();

  for (gsize channel = 0; channel < CHANNELS; channel++) {
    for (gsize p = 0; p < n; p++)
      c->blended[channel * n + p] = 127.5;
    assay_poisson_solve (c->poisson, c->blended + channel * n, used + channel * n);
  }
  return seconds () - start;
}

/* The lower triangle by columns. */
static cholmod_sparse *
make_matrix (const Case *c, cholmod_common *common)
{
  const gsize w = c->width, n = w * c->height;
  const AssayPoissonWeights *e = &c->weights;
  cholmod_sparse *matrix
      = cholmod_allocate_sparse (n, n, 3 * n, TRUE, TRUE, -1, CHOLMOD_REAL, common);
  int *starts = matrix->p, *rows = matrix->i, k = 0;
  double *values = matrix->x;

  for (gsize p = 0; p < n; p++) {
    starts[p] = k;
    rows[k] = (int) p;
    values[k++] = e->anchor[p] + e->right[p] + e->down[p] + (p % w > 0 ? e->right[p - 1] : 0)
                  + (p >= w ? e->down[p - w] : 0);
    if (e->right[p] > 0) {
      rows[k] = (int) p + 1;
      values[k++] = -e->right[p];
    }
    if (e->down[p] > 0) {
      rows[k] = (int) (p + w);
      values[k++] = -e->down[p];
    }
  }
  starts[n] = k;
  return matrix;
}

static void
time_cholmod (const Case *c, int ordering, const char *name)
{
  const gsize n = c->width * c->height;
  const double start = seconds ();
  double apart = 0;
  cholmod_common common;
  cholmod_sparse *matrix;
  cholmod_factor *factor;
  cholmod_dense *right, *solved;

  cholmod_start (&common);
  common.nmethods = 1;
  common.method[0].ordering = ordering;
  matrix = make_matrix (c, &common);
  factor = cholmod_analyze (matrix, &common);
  cholmod_factorize (matrix, factor, &common);
  right = cholmod_allocate_dense (n, CHANNELS, n, CHOLMOD_REAL, &common);
  memcpy (right->x, c->right_side, CHANNELS * n * sizeof (double));
  solved = cholmod_solve (CHOLMOD_A, factor, right, &common);
  for (gsize i = 0; i < CHANNELS * n; i++)
    apart = fmax (apart, fabs (((const double *) solved->x)[i] - c->blended[i]));
  g_print ("| CHOLMOD, %s | %.3f | %.0f | %.2g |\n", name, seconds () - start,
           (double) common.memory_usage / 1e6, apart);
  cholmod_free_dense (&solved, &common);
  cholmod_free_dense (&right, &common);
  cholmod_free_factor (&factor, &common);
  cholmod_free_sparse (&matrix, &common);
  cholmod_finish (&common);
}

int
main (void)
{
  static const gsize sizes[][2] = { { 320, 240 }, { 500, 375 } };

  assay_parallel_set_threads (1);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const gsize n = sizes[i][0] * sizes[i][1];
    g_autoptr (AssayPoisson) poisson = assay_poisson_new (sizes[i][0], sizes[i][1], NULL);
    g_autofree double *right_side = g_new (double, CHANNELS *n);
    g_autofree double *blended = g_new (double, CHANNELS *n);
    Case c = { sizes[i][0], sizes[i][1], poisson, assay_poisson_weights (poisson), right_side,
               blended };

    make_case (&c);
    g_print ("\n%zu x %zu pixels\n\n| solver | CPU s | MB | apart |\n| --- | --- | --- | --- |\n",
             c.width, c.height);
    g_print ("| own | %.3f | %.0f | |\n", time_own (&c), own_memory (n) / 1e6);
    time_cholmod (&c, CHOLMOD_AMD, "AMD");
    time_cholmod (&c, CHOLMOD_METIS, "METIS");
  }
  return 0;
}
