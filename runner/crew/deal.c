/* Dealing cells to workers. */
#include "runner/crew/deal.h"

/* A range of @pending. */
typedef struct {
  gsize next, end;
} Hand;

struct _AssayDeal {
  GArray *pending; /* gsize: cells in the order of the plan */
  GArray *hands;   /* Hand: those that nobody has begun, from @n_dealt on */
  guint n_dealt;
  Hand *of_workers;
  guint n_workers;
  GQueue returned; /* cells */
};

static gboolean
share_a_release (const AssayCell *a, const AssayCell *b)
{
  return a->dataset == b->dataset && a->trial == b->trial && a->defense == b->defense;
}

static void
make_hands (AssayDeal *deal, const AssayPlan *plan)
{
  for (gsize i = 0; i < deal->pending->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, g_array_index (deal->pending, gsize, i));
    Hand *last
        = deal->hands->len > 0 ? &g_array_index (deal->hands, Hand, deal->hands->len - 1) : NULL;
    const Hand hand = { i, i + 1 };

    if (last != NULL
        && share_a_release (
            assay_plan_cell (plan, g_array_index (deal->pending, gsize, last->next)), cell))
      last->end = i + 1;
    else
      g_array_append_val (deal->hands, hand);
  }
}

AssayDeal *
assay_deal_new (const AssayPlan *plan, AssayStore *store, guint n_workers, GError **error)
{
  g_autoptr (AssayDeal) deal = g_new0 (AssayDeal, 1);

  deal->pending = g_array_new (FALSE, FALSE, sizeof (gsize));
  deal->hands = g_array_new (FALSE, FALSE, sizeof (Hand));
  deal->of_workers = g_new0 (Hand, n_workers);
  deal->n_workers = n_workers;
  g_queue_init (&deal->returned);
  for (gsize i = 0; i < plan->cells->len; i++) {
    AssayCellRecord record = { 0 };

    if (!assay_store_cell (store, i, &record, error))
      return NULL;
    g_free (record.message);
    if (record.status == ASSAY_CELL_PENDING)
      g_array_append_val (deal->pending, i);
  }
  make_hands (deal, plan);
  return g_steal_pointer (&deal);
}

void
assay_deal_free (AssayDeal *deal)
{
  if (deal == NULL)
    return;
  g_array_unref (deal->pending);
  g_array_unref (deal->hands);
  g_free (deal->of_workers);
  g_queue_clear (&deal->returned);
  g_free (deal);
}

/* The back half of the longest hand that is left, so that both go on in order. */
static gboolean
take_half (AssayDeal *deal, Hand *ret_hand)
{
  Hand *longest = &deal->of_workers[0];
  gsize half;

  for (guint w = 1; w < deal->n_workers; w++)
    if (deal->of_workers[w].end - deal->of_workers[w].next > longest->end - longest->next)
      longest = &deal->of_workers[w];
  if (longest->next == longest->end)
    return FALSE;
  half = (longest->end - longest->next + 1) / 2;
  *ret_hand = (Hand){ longest->end - half, longest->end };
  longest->end -= half;
  return TRUE;
}

gboolean
assay_deal_next (AssayDeal *deal, guint worker, gsize *ret_index)
{
  Hand *own = &deal->of_workers[worker];

  g_return_val_if_fail (worker < deal->n_workers, FALSE);
  if (!g_queue_is_empty (&deal->returned)) {
    *ret_index = GPOINTER_TO_SIZE (g_queue_pop_head (&deal->returned));
    return TRUE;
  }
  if (own->next == own->end) {
    if (deal->n_dealt < deal->hands->len)
      *own = g_array_index (deal->hands, Hand, deal->n_dealt++);
    else if (!take_half (deal, own))
      return FALSE;
  }
  *ret_index = g_array_index (deal->pending, gsize, own->next++);
  return TRUE;
}

void
assay_deal_return (AssayDeal *deal, gsize index)
{
  g_queue_push_tail (&deal->returned, GSIZE_TO_POINTER (index));
}
