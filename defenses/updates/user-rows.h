/* The rows that users train on: their own samples, and in some protocols the public rows too, which
 * are then in the part of each. */
#pragma once

#include "core/plugin/defense.h"
#include "defenses/updates/partition.h"

typedef struct {
  AssayMatrix *rows; /* n samples, then the shared ones; scaled */
  gint64 *labels;    /* of these */
  gsize n;           /* samples */
  gsize n_shared;    /* public rows that each user has; 0: none */
  UserSamples samples;
} UserRows;

void user_rows_clear (UserRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UserRows, user_rows_clear)

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
