/* Which user has which sample. Users of unequal shares as in Hsu, Qi and Brown 2019, "Measuring the
 * Effects of Non-Identical Data Distribution for Federated Visual Classification", section 2. */
#pragma once

#include "core/base/rng.h"

typedef struct {
  gsize n_users;
  gsize *order; /* numbers of samples, user after user, in the order in which they are used: each of
                 * the n once, or once for each time that they are shared out */
  gsize *first; /* n_users + 1: where those of each begin */
} UserSamples;

void user_samples_clear (UserSamples *samples);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UserSamples, user_samples_clear)

/* What is shared out. */
typedef struct {
  const gint64 *labels; /* n, below n_classes */
  gsize n;
  gsize n_classes;
  gsize n_users;
  gboolean is_equal;    /* in equal parts, at random; else each class by a Dirichlet vector ... */
  double concentration; /* ... of this concentration */
  gsize per_split;      /* of equal parts: users among whom all samples are shared out, which is
                         * done n_users / per_split times; a divisor of n_users */
} UserShares;

/* ASSAY_ERROR_DATA naming a user without a sample. */
gboolean user_samples_draw (const UserShares *shares, AssayStream *stream, UserSamples *ret_samples,
                            GError **error);
