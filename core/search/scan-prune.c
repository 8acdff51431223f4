/* Which rows cannot be among the k nearest of a subspace, without computing how far they are.
 *
 * A row w and the stacked rows [t'; B] of a subspace are quantised to eight bits, with one scale
 * each, and multiplied with the instructions for bytes (scan-vnni.h), four times as fast as
 * float32. With ^ for what is quantised, e >= ||w - w^||, W >= ||w^||, and from the subspace
 * e_t >= ||t' - t^||, E_B >= ||B - B^||_2, b >= ||B||_2, T = ||t'||,
 *   w.t'    <= t^.w^      + e_t W + T e,
 *   ||B w|| <= ||B^ w^||  + E_B W + b e,
 * so that ||w||^2 - 2 w.t' + T^2 - ||B w||^2, the squared distance, is at least what these bounds
 * put in its place. The quantised products are exact integers. All lengths are measured, in double
 * for the subspaces, and rounded up; spectral norms are bounded by Gershgorin's theorem on the Gram
 * matrix. Where the bound, less the rounding below, is above the bar of the subspace's pool, the
 * row is passed over.
 *
 * Rounding. The squared distance in float32 as scan.c takes it is off by at most
 *   gamma (2 T ||w|| + 2 sqrt (m) b^2 ||w||^2 + (1 + b^2) ||w||^2 + T^2) + ..., gamma = n u,
 * n = d + m + 8, by the worst case of each sum of products (Higham 2002, "Accuracy and stability of
 * numerical algorithms", section 3.1), not by its probable size: no row may be lost at all. With
 * 2 T ||w|| <= T^2 + ||w||^2 that is at most 2 gamma (1 + sqrt (m)) max (1, b^2) (||w||^2 + T^2) in
 * the terms shown; four times as much is taken off, for the rounding of the bound itself too, and
 * four times the least normal number for underflow. Numbers that are not finite rule nothing out.
 *
 * The same bits. What is left is computed by chains of fused multiply-adds over the columns, one
 * row at a time and the rows of a subspace side by side, and goes through the same epilogue. That
 * is how the kernels of OpenBLAS sum (each element in one register, until about 384 columns), but
 * nobody promises it, so that each shape of product is tried out first, all of its elements: where
 * one differs, blocks of that shape are multiplied whole. A block is also multiplied whole while
 * its pools have no bars yet, and where more than a third of the rows were left; after that the
 * pass is tried again only after 1, 3, 7, ... 63 panels. All this changes the time that a scan
 * takes and nothing that it finds.
 *
 * What it gains is measured by bench/scan-pruned.c; what else was tried: docs/performance.md. */
#include "core/search/scan-prune.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"
#include "core/search/scan-vnni.h"

#define MAX_PAUSE 63
#define WORTH 3 /* one pair of so many may be left */

G_STATIC_ASSERT (PRUNE_WORDS *TILE == PANEL);

struct _PrunePanel {
  guint8 *bytes;
  gint zero;
  gsize count;
  const float *norms;
  CoarseRows rows;
};

typedef struct {
  _Atomic guint8 left; /* panels to go without the pass */
  _Atomic guint8 last; /* how many these were in the beginning */
} Pause;

struct _Prune {
  gsize stacked;
  gsize cols;
  gsize quads; /* of columns, the last one filled up with zeros */
  gsize width; /* of the transposed stack */
  CoarseSubspace *bounds;
  gint8 *directions; /* stacked x 4 quads each */
  float *scales;     /* stacked each, as are the sums of directions */
  gint32 *sums;
  float *transposed; /* cols x width each */
  Pause *pauses;     /* one a block */
};

static gsize
round_up (gsize count, gsize unit)
{
  return (count + unit - 1) / unit * unit;
}

gsize
prune_subspace_bytes (gsize stacked, gsize cols)
{
  return stacked * (round_up (cols, 4) + sizeof (float) + sizeof (gint32))
         + cols * round_up (stacked, CHAIN_LANES) * sizeof (float) + sizeof (CoarseSubspace)
         + sizeof (Pause);
}

gsize
prune_panel_bytes (gsize panel, gsize cols)
{
  return panel * round_up (cols, 4) + sizeof (PrunePanel);
}

gboolean
prune_is_possible (void)
{
  return vnni_is_there ();
}

Prune *
prune_new (gsize n_subspaces, gsize stacked, gsize block, gsize cols, AssayArena *arena,
           GError **error)
{
  const gsize quads = round_up (cols, 4) / 4, width = round_up (stacked, CHAIN_LANES);
  const gsize n = n_subspaces, n_stacked = n * stacked;
  Prune *prune = assay_arena_alloc (arena, 1, sizeof (Prune), "subspaces", error);

  if (prune == NULL)
    return NULL;
  prune->stacked = stacked;
  prune->cols = cols;
  prune->quads = quads;
  prune->width = width;
  prune->bounds = assay_arena_alloc (arena, n, sizeof (CoarseSubspace), "bounds", error);
  prune->directions = assay_arena_alloc (arena, n_stacked, quads * 4, "subspaces", error);
  prune->scales = assay_arena_alloc (arena, n_stacked, sizeof (float), "subspaces", error);
  prune->sums = assay_arena_alloc (arena, n_stacked, sizeof (gint32), "subspaces", error);
  prune->transposed
      = assay_arena_alloc (arena, n * cols, width * sizeof (float), "subspaces", error);
  prune->pauses = assay_arena_alloc (arena, n / block + 1, sizeof (Pause), "pauses", error);
  return arena->has_failed ? NULL : prune;
}

/* --- Subspaces --------------------------------------------------------------------------- */

/* row ~ scale * directions; the difference goes to @ret_rest. */
static void
quantise_direction (const float *row, gsize cols, gint8 *ret_direction, float *ret_scale,
                    gint32 *ret_sum, double *ret_rest)
{
  float most = 0;

  *ret_sum = 0;
  for (gsize c = 0; c < cols; c++)
    most = MAX (most, fabsf (row[c]));
  *ret_scale = most / 127;
  for (gsize c = 0; c < cols; c++) {
    const double whole = *ret_scale > 0 ? rint ((double) row[c] / (double) *ret_scale) : 0;

    ret_direction[c] = (gint8) (isfinite (whole) ? CLAMP (whole, -127, 127) : 0);
    *ret_sum += ret_direction[c];
    ret_rest[c] = (double) row[c] - (double) *ret_scale * ret_direction[c];
  }
}

/* No less than the spectral norm: the largest eigenvalue of the Gram matrix is at most the largest
 * sum of magnitudes in one of its rows. */
static double
bound_spectral_norm (const double *rows, gsize count, gsize cols)
{
  double most = 0;

  for (gsize i = 0; i < count; i++) {
    double sum = 0;

    for (gsize j = 0; j < count; j++)
      sum += fabs (assay_dot_double (rows + i * cols, rows + j * cols, cols));
    most = isnan (sum) ? sum : MAX (most, sum);
  }
  return sqrt (most);
}

static float
round_above (double bound)
{
  return (float) (bound * (1 + 1e-6) + 1e-20);
}

/* @rests has the rounding of t' and of B. */
static CoarseSubspace
measure_subspace (const Prune *prune, const float *stack, const double *rests)
{
  const gsize d = prune->cols;
  const gsize m = prune->stacked - 1;
  g_autofree double *rows = g_new (double, (m + 1) * d);
  double norm, largest, share, length;

  for (gsize i = 0; i < (m + 1) * d; i++)
    rows[i] = (double) stack[i];
  length = sqrt (assay_dot_double (rows, rows, d));
  norm = bound_spectral_norm (rows + d, m, d);
  largest = MAX (1, norm * norm);
  share = 8 * (1 + sqrt ((double) m)) * largest * (double) (d + m + 8) * (FLT_EPSILON / 2);
  return (CoarseSubspace){ .square = (float) (length * length * (1 - share) - 4 * FLT_MIN),
                           .keep = (float) (1 - share),
                           .length = round_above (length),
                           .t_error = round_above (sqrt (assay_dot_double (rests, rests, d))),
                           .b_norm = round_above (norm),
                           .b_error = round_above (bound_spectral_norm (rests + d, m, d)) };
}

void
prune_set_subspace (Prune *prune, gsize index, const float *stack)
{
  const gsize d = prune->cols;
  const gsize n = prune->stacked;
  const gsize first = index * n;
  float *transposed = prune->transposed + index * d * prune->width;
  g_autofree double *rests = g_new (double, n *d);

  for (gsize j = 0; j < n; j++) {
    quantise_direction (stack + j * d, d, prune->directions + (first + j) * prune->quads * 4,
                        prune->scales + first + j, prune->sums + first + j, rests + j * d);
    for (gsize c = 0; c < d; c++)
      transposed[c * prune->width + j] = stack[j * d + c];
  }
  prune->bounds[index] = measure_subspace (prune, stack, rests);
}

/* --- Panels ------------------------------------------------------------------------------ */

PrunePanel *
prune_panel_new (gsize panel, gsize cols, AssayArena *arena, GError **error)
{
  PrunePanel *result = assay_arena_alloc (arena, 1, sizeof (PrunePanel), "panel", error);

  if (result != NULL)
    result->bytes
        = assay_arena_alloc (arena, round_up (panel, TILE), round_up (cols, 4), "panel", error);
  return arena->has_failed ? NULL : result;
}

void
prune_panel_load (PrunePanel *panel, const float *rows, const float *norms, gsize count, gsize cols)
{
  const gsize quads = round_up (cols, 4) / 4;
  guint32 words[PRUNE_MAX_COLS / 4] = { 0 };

  panel->count = count;
  panel->norms = norms;
  panel->zero = vnni_any_below_zero (rows, count * cols) ? 128 : 0;
  for (gsize i = 0; i < count; i++) {
    guint8 *group = panel->bytes + i / GROUP * quads * 4 * GROUP;

    vnni_quantise_row (rows + i * cols, cols, panel->zero, (guint8 *) words, panel->rows.scale + i,
                       panel->rows.error + i);
    panel->rows.length[i]
        = (sqrtf (norms[i]) + panel->rows.error[i]) * (1 + 4 * FLT_EPSILON) + 1e-20f;
    for (gsize q = 0; q < quads; q++)
      memcpy (group + (q * GROUP + i % GROUP) * 4, words + q, 4);
  }
}

/* --- The pass ---------------------------------------------------------------------------- */

gboolean
prune_has_chains (gsize n_stacked, gsize width, gsize cols)
{
  if (!prune_is_possible ())
    return FALSE;

  const gsize padded = round_up (n_stacked, CHAIN_LANES);
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "scan", "chains"), 0);
  g_autofree float *stack = g_new (float, n_stacked *cols);
  g_autofree float *transposed = g_new0 (float, padded *cols);
  g_autofree float *panel = g_new (float, width *cols);
  g_autofree float *products = g_new (float, n_stacked *PANEL);
  g_autofree float *chains = g_new (float, n_stacked *PANEL);
  gboolean is_same = TRUE;

  for (gsize i = 0; i < width * cols; i++)
    panel[i] = (float) assay_stream_between (&stream, -1, 1);
  for (gsize i = 0; i < n_stacked * cols; i++) {
    stack[i] = (float) assay_stream_between (&stream, -1, 1);
    transposed[i % cols * padded + i / cols] = stack[i];
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (stack, n_stacked, cols),
                        assay_view_of (panel, width, cols), products, PANEL);
  for (gsize i = 0; i < width; i += CHAINS) {
    guint16 lanes[CHAINS];
    const gsize n = MIN (CHAINS, width - i);

    for (gsize r = 0; r < n; r++)
      lanes[r] = (guint16) (i + r);
    vnni_multiply_chains (&(ChainStack){ transposed, padded, n_stacked, cols }, panel, lanes, n,
                          chains + i);
  }
  for (gsize j = 0; j < n_stacked && is_same; j++)
    is_same = memcmp (products + j * PANEL, chains + j * PANEL, width * sizeof (float)) == 0;
  return is_same;
}

gboolean
prune_is_due (Prune *prune, gsize block)
{
  Pause *pause = prune->pauses + block;
  const guint8 left = atomic_load_explicit (&pause->left, memory_order_relaxed);

  if (left > 0)
    atomic_store_explicit (&pause->left, (guint8) (left - 1), memory_order_relaxed);
  return left == 0;
}

gboolean
prune_is_vain (Prune *prune, gsize block, gsize n_marks, gsize n_pairs)
{
  Pause *pause = prune->pauses + block;
  const gboolean is_vain = n_marks > n_pairs / WORTH;
  const guint8 last = atomic_load_explicit (&pause->last, memory_order_relaxed);
  const guint8 next = (guint8) (is_vain ? MIN (2 * last + 1, MAX_PAUSE) : 0);

  if (next != last)
    atomic_store_explicit (&pause->last, next, memory_order_relaxed);
  if (is_vain)
    atomic_store_explicit (&pause->left, next, memory_order_relaxed);
  return is_vain;
}

gsize
prune_mark (const Prune *prune, const PrunePanel *panel, const PruneBars *bars, gint32 *scratch,
            guint64 *ret_marks)
{
  const gsize first = bars->first, n = bars->n, stacked = prune->stacked;
  const gsize quads = prune->quads;
  g_autofree gint32 *start = g_new0 (gint32, n * stacked);
  gsize n_marks = 0;

  memset (ret_marks, 0, n * PRUNE_WORDS * sizeof *ret_marks);
  for (gsize i = 0; i < n * stacked; i++)
    start[i] = -panel->zero * prune->sums[first * stacked + i];
  for (gsize tile = 0; tile * TILE < panel->count; tile++) {
    const gsize left = panel->count - tile * TILE;
    const guint64 present = left >= TILE ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << left) - 1;

    for (gsize i = 0; i < n; i++) {
      const gsize row = (first + i) * stacked;
      guint64 *marks = ret_marks + i * PRUNE_WORDS + tile;

      vnni_multiply_tile (panel->bytes + tile * TILE * quads * 4, quads,
                          prune->directions + row * quads * 4, start + i * stacked, stacked,
                          scratch);
      *marks = present
               & vnni_mark_near ((CoarseProducts){ scratch, prune->scales + row, stacked },
                                 &panel->rows, panel->norms, tile, prune->bounds + first + i,
                                 bars->bars[i]);
      n_marks += (gsize) __builtin_popcountll (*marks);
    }
  }
  return n_marks;
}

void
prune_products (const Prune *prune, gsize index, const float *panel, const guint16 *lanes, gsize n,
                float *ret_products)
{
  const ChainStack stack = { prune->transposed + index * prune->cols * prune->width, prune->width,
                             prune->stacked, prune->cols };

  for (gsize i = 0; i < n; i += CHAINS)
    vnni_multiply_chains (&stack, panel, lanes + i, MIN (CHAINS, n - i), ret_products + i);
}
