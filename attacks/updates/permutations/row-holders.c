/* Who holds which row of permuted updates. */
#include "attacks/updates/permutations/row-holders.h"

#include "core/base/error.h"
#include "core/crypto/dphe.h"
#include "core/data/kinds/updates.h"

ASSAY_CLEAR_FUNC (RowHolders, row_holders_clear, assay_drop (self->counts, g_free),
                  assay_drop (self->holders, g_free))

/* The inverses of all permutations of @array (R x P). */
static gint64 *
invert_all (const AssayArray *array, GError **error)
{
  gint64 *inverses
      = assay_alloc (array->shape[0], array->shape[1] * sizeof (gint64), "permutations", error);

  for (gsize r = 0; inverses != NULL && r < array->shape[0]; r++)
    assay_dphe_invert (assay_array_int64 (array) + r * array->shape[1], array->shape[1],
                       inverses + r * array->shape[1]);
  return inverses;
}

gboolean
row_holders_users (const AssayRelease *release, gsize *ret_users, GError **error)
{
  const gint64 *users = ASSAY_PARAMETER (release, AssayUpdatesParameters, users);

  if (assay_arrays_get (&release->arrays, "slots") == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release has no permuted messages: expected 'slots', rows of columns as "
                       "users sent them");
  if (users == NULL || *users > ROW_HOLDERS_MAX_USERS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected to know how many users there are, and at most %d of them",
                       ROW_HOLDERS_MAX_USERS);
  *ret_users = (gsize) *users;
  return TRUE;
}

static gboolean
init (const AssayRelease *release, RowHolders *holders, GError **error)
{
  if (!row_holders_users (release, &holders->n_users, error))
    return FALSE;
  holders->n_steps = assay_updates_steps (release);
  holders->n_rows = assay_arrays_get (&release->arrays, "models")->shape[1];
  holders->counts = assay_alloc (holders->n_rows, holders->n_steps, "holders of rows", error);
  holders->holders
      = assay_alloc (holders->n_rows, holders->n_steps * sizeof (gint32), "holders of rows", error);
  for (gsize i = 0; holders->holders != NULL && i < holders->n_rows * holders->n_steps; i++)
    holders->holders[i] = -1;
  return holders->counts != NULL && holders->holders != NULL;
}

gboolean
row_holders_visit (const AssayRelease *release, RowHeld held, gpointer data, GError **error)
{
  const AssayArray *slots = assay_arrays_get (&release->arrays, "slots");
  const AssayArray *own = assay_arrays_get (&release->arrays, "own-permutations");
  const gsize p = assay_arrays_get (&release->arrays, "models")->shape[1];
  g_autofree gint64 *undo = NULL;
  const gint64 *senders, *steps;
  gsize users;

  if (!row_holders_users (release, &users, error)
      || (own != NULL && (undo = invert_all (own, error)) == NULL))
    return FALSE;
  senders = assay_array_int64 (assay_arrays_get (&release->arrays, "senders"));
  steps = assay_array_int64 (assay_arrays_get (&release->arrays, "sent-steps"));
  for (gsize s = 0; s < slots->shape[0]; s++)
    for (gsize k = 0; k < slots->shape[1]; k++) {
      gint64 row = assay_array_int64 (slots)[s * slots->shape[1] + k];
      const gsize step = (gsize) steps[s], user = (gsize) senders[s];

      if (row < 0)
        continue;
      if (undo != NULL)
        row = undo[((own->shape[0] > users ? step * users : 0) + user) * p + (gsize) row];
      held (step, user, (gsize) row, data);
    }
  return TRUE;
}

/* A row in two shards of one user is padding of one of them. */
static void
count_holder (gsize step, gsize user, gsize row, gpointer data)
{
  RowHolders *holders = data;
  const gsize at = row * holders->n_steps + step;

  if (holders->holders[at] != (gint32) user)
    holders->counts[at]++;
  holders->holders[at] = (gint32) user;
}

gboolean
row_holders_read (const AssayRelease *release, RowHolders *ret_holders, GError **error)
{
  g_auto (RowHolders) holders = { 0 };

  if (!init (release, &holders, error)
      || !row_holders_visit (release, count_holder, &holders, error))
    return FALSE;
  *ret_holders = holders;
  holders = (RowHolders){ 0 };
  return TRUE;
}
