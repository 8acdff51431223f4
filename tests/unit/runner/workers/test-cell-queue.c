/* Which cells workers get: every cell once, those that share a release to one worker. */
#include <criterion/criterion.h>

#include "runner/run/pending.h"
#include "runner/store/outcomes.h"
#include "runner/workers/cell-queue.h"

enum { TRIALS = 3, DEFENSES = 4, ATTACKS = 5, CELLS = TRIALS * DEFENSES * ATTACKS };

static AssayPlan *
make_plan (void)
{
  AssayPlan *plan = g_new0 (AssayPlan, 1);

  plan->cells = g_array_new (FALSE, TRUE, sizeof (AssayCell));
  for (guint t = 0; t < TRIALS; t++)
    for (guint d = 0; d < DEFENSES; d++)
      for (guint a = 0; a < ATTACKS; a++) {
        const AssayCell cell
            = { .trial = t, .defense = d, .attack = a, .utility = ASSAY_NO_COMPONENT };

        g_array_append_val (plan->cells, cell);
      }
  return plan;
}

static void
free_plan (AssayPlan *plan)
{
  g_array_unref (plan->cells);
  g_free (plan);
}

static void
finish (AssayStore *store, gsize index)
{
  const AssayCellRecord record = { .status = ASSAY_CELL_OK };
  gboolean is_crashed;

  cr_assert (assay_store_begin_cell (store, index, &is_crashed, NULL));
  cr_assert (assay_store_finish_cell (store, index, &record, NULL, NULL));
}

static AssayCellQueue *
queue_new (const AssayPlan *plan, AssayStore *store, guint n_workers)
{
  AssayProgress progress;

  return assay_cell_queue_new (plan, assay_run_pending (plan, store, NULL, &progress, NULL),
                               n_workers);
}

/* Worker 0 is three times as fast as the other. */
Test (cell_queue, every_cell_goes_out_once)
{
  AssayPlan *plan = make_plan ();
  g_autoptr (AssayStore) store = assay_store_new_in_memory (NULL);
  g_autoptr (AssayCellQueue) queue = NULL;
  guint n_taken[CELLS] = { 0 }, n_changes[2] = { 0 }, total = 0;
  gsize last[2] = { CELLS, CELLS };
  gboolean goes_on = TRUE;

  finish (store, 0);
  finish (store, 7);
  queue = queue_new (plan, store, 2);
  for (guint turn = 0; goes_on; turn++) {
    const guint worker = turn % 4 == 3;
    gsize index;

    goes_on = assay_cell_queue_next (queue, worker, &index);
    if (!goes_on)
      break;
    n_taken[index]++;
    total++;
    n_changes[worker] += last[worker] == CELLS || last[worker] / ATTACKS != index / ATTACKS;
    last[worker] = index;
  }
  for (gsize i = 0; i < CELLS; i++)
    cr_assert_eq (n_taken[i], i != 0 && i != 7, "cell %zu went out %u times", i, n_taken[i]);
  cr_assert_eq (total, CELLS - 2);
  /* A release is made once, but for those whose cells are shared at the end. */
  cr_assert_leq (n_changes[0] + n_changes[1], TRIALS * DEFENSES + 4, "%u and %u releases",
                 n_changes[0], n_changes[1]);
  free_plan (plan);
}

/* With more workers than releases, each gets something to do. */
Test (cell_queue, hands_are_shared)
{
  AssayPlan *plan = make_plan ();
  g_autoptr (AssayStore) store = assay_store_new_in_memory (NULL);
  g_autoptr (AssayCellQueue) queue = NULL;
  gboolean is_dealt[CELLS] = { FALSE };

  for (gsize i = ATTACKS; i < CELLS; i++)
    finish (store, i);
  queue = queue_new (plan, store, ATTACKS + 2);
  for (guint w = 0; w < ATTACKS + 2; w++) {
    gsize index = CELLS;

    cr_assert_eq (assay_cell_queue_next (queue, w, &index), w < ATTACKS, "worker %u", w);
    cr_assert (w >= ATTACKS || (index < ATTACKS && !is_dealt[index]), "worker %u: cell %zu", w,
               index);
    if (w < ATTACKS)
      is_dealt[index] = TRUE;
  }
  free_plan (plan);
}

Test (cell_queue, what_comes_back_goes_out_again)
{
  AssayPlan *plan = make_plan ();
  g_autoptr (AssayStore) store = assay_store_new_in_memory (NULL);
  g_autoptr (AssayCellQueue) queue = queue_new (plan, store, 2);
  gsize index;

  for (gsize i = 0; i < CELLS; i++)
    cr_assert (assay_cell_queue_next (queue, 0, &index));
  cr_assert_not (assay_cell_queue_next (queue, 1, &index));
  assay_cell_queue_return (queue, 11);
  cr_assert (assay_cell_queue_next (queue, 1, &index));
  cr_assert_eq (index, 11);
  cr_assert_not (assay_cell_queue_next (queue, 0, &index));
  free_plan (plan);
}
