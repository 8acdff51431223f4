/* A panel of mixtures from which public images are removed together (joint-removal.h): what is
 * known of each, and shares that fit the message of the signs. */
#pragma once

#include "attacks/whitened/mask-signs.h"

/* The private parts of N mixtures, as far as somebody knows them already. */
typedef struct {
  const float *features; /* N x d: sum_i w_i (x_i - m) in the basis and the units of the prior */
  const double *shares;  /* N: sum_i w_i */
  const double *errors;  /* N: variance of what the features miss, in the prior's units */
} PrivateParts;

typedef struct {
  gsize k;        /* images in a mixture */
  gsize partners; /* public ones of them; 0: nothing is looked for, and all of it is the rest */
  double max_coefficient;
  gboolean is_open;          /* there is no mask */
  double noise;              /* variance of what was added to every number */
  gsize starts;              /* at least 1, at most the number of public images */
  const PrivateParts *known; /* NULL: nothing is known of the private parts */
} JointRemoval;

/* What is wanted of all mixtures; NULL where it is not. */
typedef struct {
  float *private_part; /* N x d, as images of share 1 */
  gsize *found;        /* N x partners: rows of public images */
  double *shares;      /* ... and their shares */
} RemovalResult;

/* What is known of a panel at a time, or was at best. */
typedef struct {
  gsize *found;     /* count x partners: rows of public images */
  double *shares;   /* count x partners */
  double *evidence; /* count */
  float *expected;  /* z', count x d */
  float *features;  /* of the message, count x d */
  double *noise;
} Sets;

typedef struct {
  const JointRemoval *options;
  const ImagePrior *prior;
  AssayView mixtures;
  gint64 *firsts; /* N x starts: the best by the scores given */
  float *scores;
  RemovalResult result;
  gint has_failed; /* atomic */
} Removal;

/* One worker's panel. */
typedef struct {
  AssayArena arena; /* of all arrays */
  const Removal *job;
  gsize first; /* mixture of it */
  MaskSigns signs;
  Sets now;
  Sets best;
  gsize n_found;
  float *given;    /* standardised scores, count x M */
  float *scores;   /* count x M */
  float *norms;    /* count x M */
  float *weighted; /* count x d */
  float *metric;   /* 1 / (t g + s), count x d */
} RemovalPanel;

gboolean removal_panel_init (const Removal *job, RemovalPanel *panel, GError **error);

/* Of mixture @i the private share that is known, and its features; 0 and NULL without. */
double removal_panel_private_share (const RemovalPanel *panel, gsize i);
const float *removal_panel_private (const RemovalPanel *panel, gsize i);

static inline void
removal_panel_clear (RemovalPanel *panel)
{
  assay_arena_clear (&panel->arena);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RemovalPanel, removal_panel_clear)

/* q and t of mixture @i, from its shares; and the metric 1 / (t g + s). */
void removal_panel_explain (RemovalPanel *panel, gsize i);
void removal_panel_take_metric (RemovalPanel *panel, gsize i);

/* Its shares, by least squares of the message, and what they explain. */
gboolean removal_panel_fit_shares (RemovalPanel *panel, gsize i);
