/* Conjugate gradients, preconditioned by a multigrid cycle over blocks of 2 x 2 pixels.
 *
 * The form is another one for each picture, so a factor of it would serve three channels and no
 * more: CHOLMOD takes four times as long and ten times the memory (docs/dependencies.md;
 * bench/poisson.c). */
#include "core/math/painting/poisson.h"

#include <string.h>

#include "core/base/vectors.h"
#include "core/data/arena.h"

#define MAX_GRIDS 32
#define MAX_STEPS 100 /* about 10 are taken */
#define PRECISION 1e-10

typedef struct {
  gsize width, height;
  double *anchor;
  double *right, *down; /* 0 at the last pixel of a line */
  double *f;            /* A f = b is improved */
  double *b;
  double *rest; /* b - A f */
} Grid;

struct _AssayPoisson {
  Grid grids[MAX_GRIDS]; /* the finest first */
  gsize n_grids;
  double *direction, *product; /* room */
  AssayArena arena;            /* of all arrays */
};

static void
grid_init (Grid *grid, gsize width, gsize height, AssayArena *arena, GError **error)
{
  double **const arrays[]
      = { &grid->anchor, &grid->right, &grid->down, &grid->f, &grid->b, &grid->rest };

  *grid = (Grid){ .width = width, .height = height };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    *arrays[i] = assay_arena_alloc (arena, width * height, sizeof (double), "grid", error);
}

AssayPoisson *
assay_poisson_new (gsize width, gsize height, GError **error)
{
  g_autoptr (AssayPoisson) poisson = g_new0 (AssayPoisson, 1);
  AssayArena *arena = &poisson->arena;
  gboolean is_last = FALSE;

  poisson->direction = assay_arena_alloc (arena, width * height, sizeof (double), "grid", error);
  poisson->product = assay_arena_alloc (arena, width * height, sizeof (double), "grid", error);
  while (!is_last && poisson->n_grids < MAX_GRIDS) {
    is_last = width == 1 && height == 1;
    grid_init (&poisson->grids[poisson->n_grids++], width, height, arena, error);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  return arena->has_failed ? NULL : g_steal_pointer (&poisson);
}

ASSAY_FREE_FUNC (AssayPoisson, assay_poisson_free, assay_arena_clear (&self->arena))

AssayPoissonWeights
assay_poisson_weights (AssayPoisson *poisson)
{
  Grid *grid = &poisson->grids[0];

  return (AssayPoissonWeights){ grid->anchor, grid->right, grid->down };
}

/* The edges of pixel @p at (x, y) add up to the return value; @ret_sum is what they make of its
 * neighbours. */
static inline double
edges_of (const Grid *grid, const double *f, gsize x, gsize y, double *ret_sum)
{
  const gsize w = grid->width, p = y * w + x;
  double edges = 0, sum = 0;

  if (x > 0) {
    edges += grid->right[p - 1];
    sum += grid->right[p - 1] * f[p - 1];
  }
  if (x + 1 < w) {
    edges += grid->right[p];
    sum += grid->right[p] * f[p + 1];
  }
  if (y > 0) {
    edges += grid->down[p - w];
    sum += grid->down[p - w] * f[p - w];
  }
  if (y + 1 < grid->height) {
    edges += grid->down[p];
    sum += grid->down[p] * f[p + w];
  }
  *ret_sum = sum;
  return edges;
}

static void
multiply (const Grid *grid, const double *f, double *ret_product)
{
  for (gsize y = 0; y < grid->height; y++)
    for (gsize x = 0; x < grid->width; x++) {
      const gsize p = y * grid->width + x;
      double sum;
      const double edges = edges_of (grid, f, x, y, &sum);

      ret_product[p] = (grid->anchor[p] + edges) * f[p] - sum;
    }
}

/* Gauss-Seidel, forwards or backwards. */
static void
sweep (Grid *grid, gboolean is_backward)
{
  const gsize n = grid->width * grid->height;

  for (gsize i = 0; i < n; i++) {
    const gsize p = is_backward ? n - 1 - i : i;
    double sum;
    const double edges = edges_of (grid, grid->f, p % grid->width, p / grid->width, &sum);
    const double diagonal = grid->anchor[p] + edges;

    grid->f[p] = diagonal > 0 ? (grid->b[p] + sum) / diagonal : 0;
  }
}

/* A grid of blocks of 2 x 2 pixels with one value each. */
static void
coarsen (const Grid *fine, Grid *coarse)
{
  const gsize bytes = coarse->width * coarse->height * sizeof (double);

  memset (coarse->anchor, 0, bytes);
  memset (coarse->right, 0, bytes);
  memset (coarse->down, 0, bytes);
  for (gsize y = 0; y < fine->height; y++)
    for (gsize x = 0; x < fine->width; x++) {
      const gsize p = y * fine->width + x, block = y / 2 * coarse->width + x / 2;

      coarse->anchor[block] += fine->anchor[p];
      coarse->right[block] += x % 2 == 1 ? fine->right[p] : 0;
      coarse->down[block] += y % 2 == 1 ? fine->down[p] : 0;
    }
}

/* One cycle of multigrid that visits every coarser grid twice (a W cycle), symmetric. */
static void
improve (Grid *grids, gsize n)
{
  Grid *fine = &grids[0], *coarse = &grids[1];

  sweep (fine, FALSE);
  if (n > 1) {
    memset (coarse->b, 0, coarse->width * coarse->height * sizeof (double));
    memset (coarse->f, 0, coarse->width * coarse->height * sizeof (double));
    multiply (fine, fine->f, fine->rest);
    for (gsize p = 0; p < fine->width * fine->height; p++)
      coarse->b[p / fine->width / 2 * coarse->width + p % fine->width / 2]
          += fine->b[p] - fine->rest[p];
    improve (grids + 1, n - 1);
    if (n > 2)
      improve (grids + 1, n - 1);
    for (gsize p = 0; p < fine->width * fine->height; p++)
      fine->f[p] += coarse->f[p / fine->width / 2 * coarse->width + p % fine->width / 2];
  }
  sweep (fine, TRUE);
}

/* Conjugate gradients, with a cycle as preconditioner. */
void
assay_poisson_solve (AssayPoisson *poisson, double *inout_f, double *inout_b)
{
  Grid *grids = poisson->grids;
  double *direction = poisson->direction, *product = poisson->product;
  const gsize n = grids->width * grids->height;
  double old = 0, first = 0;

  for (gsize i = 1; i < poisson->n_grids; i++)
    coarsen (&grids[i - 1], &grids[i]);

  multiply (grids, inout_f, product);
  for (gsize p = 0; p < n; p++)
    inout_b[p] -= product[p];
  for (guint step = 0; step < MAX_STEPS; step++) {
    double now, length;

    memcpy (grids->b, inout_b, n * sizeof (double));
    memset (grids->f, 0, n * sizeof (double));
    improve (grids, poisson->n_grids);
    now = assay_dot_double (inout_b, grids->f, n);
    if (step == 0)
      first = now;
    if (!(now > PRECISION * first))
      return;
    for (gsize p = 0; p < n; p++)
      direction[p] = grids->f[p] + (step > 0 ? now / old * direction[p] : 0);
    multiply (grids, direction, product);
    length = now / assay_dot_double (direction, product, n);
    for (gsize p = 0; p < n; p++) {
      inout_f[p] += length * direction[p];
      inout_b[p] -= length * product[p];
    }
    old = now;
  }
}
