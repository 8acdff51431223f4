/* Who holds which row of permuted updates, step by step: the rows of the index matrices phi K^(n)
 * of doubly permuted homomorphic encryption (core/crypto/dphe.h), as a party sees them. */
#pragma once

#include "core/data/exchange.h"

#define ROW_HOLDERS_MAX_USERS 255

typedef struct {
  gsize n_steps; /* T */
  gsize n_rows;  /* P */
  gsize n_users;
  guint8 *counts;  /* P x T: users with a column in the row */
  gint32 *holders; /* P x T: one of them; -1: nobody */
} RowHolders;

ASSAY_DECLARE_CLEAR (RowHolders, row_holders_clear)

static inline guint
row_holders_count (const RowHolders *holders, gsize row, gsize step)
{
  return holders->counts[row * holders->n_steps + step];
}

/* How many users sent such messages. Errors as below. */
gboolean row_holders_users (const AssayRelease *release, gsize *ret_users, GError **error);

/* Calls @held for every column of every message, with the row it is in, padding among them. */
typedef void (*RowHeld) (gsize step, gsize user, gsize row, gpointer data);
gboolean row_holders_visit (const AssayRelease *release, RowHeld held, gpointer data,
                            GError **error);

/* Of the messages of a release, each user's own permutation undone where it is known
 * (`own-permutations`). ASSAY_ERROR_MISMATCH: there are no rows of messages, or more users than
 * ROW_HOLDERS_MAX_USERS; ASSAY_ERROR_DATA: rows, steps or senders that cannot be. */
gboolean row_holders_read (const AssayRelease *release, RowHolders *ret_holders, GError **error);
