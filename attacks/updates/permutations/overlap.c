/* Whatever permutes rows, it keeps how many of them two users have in common: the aggregator, who
 * undoes each user's own permutation, reads |K^(u) and K^(v)| off the index matrices, and with it
 * whose updates are alike, as are those of users with samples of the same classes. No sum tells
 * that, so an outsider does not see it. And everyone who sees messages sees how many there are of
 * each user, which says how many weights it holds to within the columns of one.
 *
 * An overlap for each step and two users, and of each user how many rows it holds. Random padding
 * is counted as what it hides is: overlaps are then too large, and no attack is told which part is
 * which. Who intercepts messages without the users' own permutations counts what happens to
 * coincide. Ours; Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning
 * Using Doubly Permuted Homomorphic Encryption", section 2.4 speaks of single indices. */
#include "attacks/updates/permutations/row-holders.h"
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

typedef struct {
  gsize n_users, n_rows;
  guint8 *is_held; /* T x N x P */
} Held;

static void
hold (gsize step, gsize user, gsize row, gpointer data)
{
  const Held *held = data;

  held->is_held[(step * held->n_users + user) * held->n_rows + row] = 1;
}

static gint64
count_common (const Held *held, gsize a, gsize b)
{
  const guint8 *x = held->is_held + a * held->n_rows, *y = held->is_held + b * held->n_rows;
  gint64 both = 0;

  for (gsize i = 0; i < held->n_rows; i++)
    both += x[i] & y[i];
  return both;
}

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayRelease *release = seen->release;
  const gsize steps = assay_updates_steps (release);
  Held held = { .n_rows = assay_arrays_get (&release->arrays, "models")->shape[1] };
  g_autofree guint8 *is_held = NULL;
  g_autofree gint64 *overlaps = NULL;
  gsize n;

  if (!row_holders_users (release, &held.n_users, error))
    return FALSE;
  n = held.n_users;
  is_held = assay_alloc (steps * n, held.n_rows, "rows of users", error);
  overlaps = assay_alloc (steps * n, n * sizeof *overlaps, "overlaps", error);
  held.is_held = is_held;
  if (is_held == NULL || overlaps == NULL || !row_holders_visit (release, hold, &held, error))
    return FALSE;
  for (gsize t = 0; t < steps; t++)
    for (gsize u = 0; u < n; u++)
      for (gsize v = 0; v < n; v++)
        overlaps[(t * n + u) * n + v] = count_common (&held, t * n + u, t * n + v);
  assay_arrays_take_rows (&ret_guess->arrays, "support-overlaps", ASSAY_INT64, steps, n * n,
                          g_steal_pointer (&overlaps));
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 6, .steps = 3, .weights = 200, .held = 0.2,
                .has_messages = TRUE)

WEIGHT_ATTACK (overlap, "overlap",
  .summary = "Count the rows that two users have in common, whatever permutes them",
  .reference = { ASSAY_PAPER_DPHE, "section 2.4; the attack is ours" },
  .needs = ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("slots"),
  .writes = weight_overlap_arrays,
  .control = { .says = "how many weights two users behind one permutation share is found",
               .make = make_control,
               .at_least = 0.95 });
