/* Shadow releases, made with and without each of some records (Shokri et al. 2017), and the signs
 * by which a release shows that a record was in it:
 *   nearest   -ln of the squared distance of the record x to the item that is nearest to it
 *   alike     the same of what was released of x, its mean over the first half of the shadow
 *             releases, in the second half: where items have other numbers than rows
 *   inner     sum_j (x_j - x^_j) (v_j - v^_j) / s_j^2, where v is the mean of the items, v^ and s
 *             its mean and deviation over shadow releases, x^ the mean record (Homer et al. 2008;
 *             Dwork et al. 2015): of rows and items of equally many numbers
 *   profile   sum_j D_j (v_j - v^_j) / s_j^2, where D is how far v was moved by x in the first half
 *             of the shadow releases; of any numbers */
#pragma once

#include "core/plugin/plugin.h"

typedef enum {
  SHADOW_NEAREST,
  SHADOW_ALIKE,
  SHADOW_INNER,
  SHADOW_PROFILE,
  SHADOW_N_SIGNS,
} ShadowSign;

/* What is known of shadow releases, and of the one under attack, which is the last. */
typedef struct {
  AssayMatrix *records;
  double *mean_record;
  gsize n_runs;                 /* a multiple of 4 */
  guint8 *is_in;                /* runs x records; in the other half in the next run */
  GPtrArray *means;             /* of AssayMatrix, 1 x p: the mean item */
  AssayMatrix *alike; /* records x p: what was released of each; NULL: rows say it themselves */
  double *signs[SHADOW_N_SIGNS]; /* (runs + 1) x records; NULL: not of this release */
} ShadowSigns;

ASSAY_DECLARE_CLEAR (ShadowSigns, shadow_signs_clear)

/* Runs the defense of @seen @n_runs times, on half of its records each time, filled up with public
 * rows, and looks at these releases and its own. Which half, all attacks on a release choose
 * alike. */
gboolean shadow_signs_take (ShadowSigns *shadows, gsize n_runs, const AssayObservation *seen,
                            GError **error);
