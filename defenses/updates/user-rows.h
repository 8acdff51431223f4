/* The rows that users train on: their own samples, and in some protocols the public rows too, which
 * are then in the part of each. Users of unequal shares as in Hsu, Qi and Brown 2019, "Measuring
 * the Effects of Non-Identical Data Distribution for Federated Visual Classification", section 2.
 */
#pragma once

#include "core/plugin/defense.h"

typedef struct {
  gsize n_users;
  gsize *order; /* numbers of samples, user after user, in the order in which they are used: each of
                 * the n once, or once for each time that they are shared out */
  gsize *first; /* n_users + 1: where those of each begin */
} UserSamples;

ASSAY_DECLARE_CLEAR (UserSamples, user_samples_clear)

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

typedef struct {
  AssayMatrix *rows; /* n samples, then the shared ones; scaled */
  gint64 *labels;    /* of these */
  gsize n;           /* samples */
  gsize n_shared;    /* public rows that each user has; 0: none */
  UserSamples samples;
} UserRows;

ASSAY_DECLARE_CLEAR (UserRows, user_rows_clear)

typedef struct {
  const AssayMatrix *scaling; /* of columns; NULL: as they are */
  gboolean shares_public;
  gboolean is_shortened; /* rows longer than 1 become 1 long, after scaling */
} UserRowsForm;

/* @secrets and, where they are shared, the public rows of @context. Fills all but the samples.
 * ASSAY_ERROR_MISMATCH, ASSAY_ERROR_DATA: labels are missing, or are none of the classes. */
gboolean user_rows_init (const AssayDefenseContext *context, AssayView secrets,
                         const UserRowsForm *form, UserRows *ret_rows, GError **error);

/* Labels of @n rows, which are @what, from 0 to @n_classes - 1. */
gboolean user_rows_check_labels (const gint64 *labels, gsize n, gsize n_classes, const char *what,
                                 GError **error);

/* How many rows @user has, and which is the one with number @index of them: own ones first. */
gsize user_rows_count (const UserRows *rows, gsize user);
gsize user_rows_at (const UserRows *rows, gsize user, gsize index);
