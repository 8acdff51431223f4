/* How a scan is cut into products and passes, and what its threads hold, for scan.c alone. */
#pragma once

#include "core/scan-panel.h"
#include "core/scan-prune.h"
#include "core/scan.h"

G_BEGIN_DECLS

/* What one thread needs for itself. */
typedef struct {
  float *panel;       /* panel x d */
  float *products;    /* PANEL x PANEL */
  double *residual;   /* d */
  gsize n_loaded;     /* number of the panel that was read, plus 1 */
  float norms[PANEL]; /* of the rows of the panel, squared */
  float rest[PANEL];
  float squares[PANEL];
  gint8 flags[PANEL];
  guint64 found[PANEL];
  PrunePanel *coarse; /* NULL without a coarse pass, as is the next */
  guint64 *marks;     /* PANEL x PRUNE_WORDS */
  gsize n_quantised;  /* as n_loaded */
  guint16 lanes[PANEL];
  float near_norms[PANEL];
} Slot;

typedef struct {
  gsize panel;        /* rows of a panel, and at most so many stacked rows in a product */
  gsize stacked;      /* rows of one subspace in the stack: m + 1, or 1 if it is wide */
  gsize block;        /* subspaces of a product */
  gsize batch;        /* subspaces of a pass over the rows: whole blocks */
  gsize max_fresh;    /* keys of a pool */
  gsize slots;        /* threads at work */
  gboolean is_wide;   /* one subspace is more than a product: its basis is not stacked but read
                         where it stands, so many rows at a time */
  gboolean is_coarse; /* there is a coarse pass, where the machine can make it */
} Plan;

Plan scan_plan_make (gsize n, gsize dimension, gsize cols, gsize n_rows, gsize k,
                     AssayScanMethod method);

static inline gsize
scan_ceil_div (gsize a, gsize b)
{
  return a / b + (a % b != 0);
}

G_END_DECLS
