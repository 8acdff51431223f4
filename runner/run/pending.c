/* What is left to do of a plan. */
#include "runner/run/pending.h"

#include <stdlib.h>

#include "runner/plan/claim.h"

/* Of the time that is left, what one cell may take where there are more of them. */
#define MOST_OF_ONE 4

GArray *
assay_run_pending (const AssayPlan *plan, AssayStore *store, const gboolean *wanted,
                   AssayProgress *ret_progress, GError **error)
{
  g_autoptr (GArray) pending = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize total = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    AssayCellRecord record = { 0 };

    if (wanted != NULL && !wanted[i])
      continue;
    if (!assay_store_cell (store, i, &record, error))
      return NULL;
    g_free (record.message);
    if (record.status == ASSAY_CELL_PENDING)
      g_array_append_val (pending, i);
    total++;
  }
  *ret_progress = (AssayProgress){
    .done = total - pending->len, .resumed = total - pending->len, .total = total, .doing = ""
  };
  return g_steal_pointer (&pending);
}

/* ---- When time is short ---- */

typedef struct {
  guint place[4]; /* the first that differs decides */
  gsize index;
} Turn;

static int
compare_turns (gconstpointer a, gconstpointer b)
{
  const Turn *x = a, *y = b;

  for (guint i = 0; i < G_N_ELEMENTS (x->place); i++)
    if (x->place[i] != y->place[i])
      return x->place[i] < y->place[i] ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static gboolean
is_claimed (const AssayPlan *plan, const AssayCell *cell)
{
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims) {
    if (assay_claim_may_select (plan, claim, cell))
      return TRUE;
  }
  return FALSE;
}

void
assay_run_order_for_time (const AssayPlan *plan, GArray *pending)
{
  g_autofree Turn *turns = g_new (Turn, pending->len);

  for (guint i = 0; i < pending->len; i++) {
    const gsize index = g_array_index (pending, gsize, i);
    const AssayCell *cell = assay_plan_cell (plan, index);
    const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
    const guint64 runs = component->grants & ASSAY_GRANT_MECHANISM ? component->own.runs : 0;

    turns[i] = (Turn){ { !is_claimed (plan, cell), cell->dataset, cell->trial,
                         (guint) MIN (runs, G_MAXUINT) },
                       index };
  }
  qsort (turns, pending->len, sizeof *turns, compare_turns);
  for (guint i = 0; i < pending->len; i++)
    g_array_index (pending, gsize, i) = turns[i].index;
}

gint64
assay_run_end_of_part (gint64 deadline, gsize left)
{
  const gint64 now = g_get_monotonic_time ();

  return deadline != 0 && left > 1 ? now + (deadline - now) / (gint64) MIN (left, MOST_OF_ONE) : 0;
}
