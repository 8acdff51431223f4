#include "attacks/generators/known-dealing.h"

#include <math.h>

/* Redraws after which weights are taken as they are: a limit that hardly any meet. */
#define MOST_REDRAWS 1000

gboolean
dealing_is_possible (const Dealing *dealing, KnownGenerator generator)
{
  return dealing->order == DEAL_NO_WEIGHTS || !dealing->is_normal
         || (generator != KNOWN_TORCH && generator != KNOWN_C_RAND);
}

gboolean
dealing_is_slow (const Dealing *dealing, KnownGenerator generator)
{
  return dealing->method == DEAL_DISTINCT
         && (generator == KNOWN_NUMPY_SEED || generator == KNOWN_TORCH);
}

/* ---- Weights ---- */

/* Whether the weights that are drawn are small enough. */
static gboolean
draw_once (Dealer *dealer)
{
  double sum = 0, most = 0;

  for (guint j = 0; j < dealer->shape->k; j++) {
    const double drawn = dealer->dealing.is_normal ? fabs (known_generator_normal (&dealer->state))
                                                   : known_generator_uniform (&dealer->state);

    sum += drawn;
    most = MAX (most, drawn);
  }
  return most <= dealer->shape->max_coefficient * sum;
}

static void
draw_weights (Dealer *dealer)
{
  for (guint i = 0; i < MOST_REDRAWS && !draw_once (dealer); i++)
    ;
}

static void
draw_all_weights (Dealer *dealer)
{
  gsize too_large = 0;

  for (gsize i = 0; i < dealer->shape->n; i++)
    too_large += !draw_once (dealer);
  for (gsize i = 0; i < too_large; i++)
    draw_weights (dealer);
}

/* ---- Indices ---- */

static void
swap (guint32 *a, guint32 *b)
{
  const guint32 was = *a;

  *a = *b;
  *b = was;
}

static void
permute (Dealer *dealer)
{
  const guint32 n = dealer->shape->n_public;

  for (guint32 i = 0; i < n; i++)
    dealer->room[i] = i;
  if (dealer->state.which == KNOWN_TORCH)
    for (guint32 i = 0; i + 1 < n; i++)
      swap (&dealer->room[i], &dealer->room[i + known_generator_place (&dealer->state, n - i)]);
  else
    for (guint32 i = n - 1; i > 0; i--)
      swap (&dealer->room[i], &dealer->room[known_generator_place (&dealer->state, i + 1)]);
}

static gboolean
is_there (const guint32 *indices, guint count, guint32 index)
{
  for (guint j = 0; j < count; j++)
    if (indices[j] == index)
      return TRUE;
  return FALSE;
}

/* Generator.choice: Floyd's algorithm, and what it found shuffled. */
static void
choose_by_floyd (Dealer *dealer, guint32 *ret_indices)
{
  const guint p = dealer->shape->p;

  for (guint j = 0; j < p; j++) {
    const guint32 last = dealer->shape->n_public - p + j;
    const guint32 drawn = known_generator_below (&dealer->state, last + 1);

    ret_indices[j] = is_there (ret_indices, j, drawn) ? last : drawn;
  }
  for (guint j = p - 1; j > 0; j--)
    swap (&ret_indices[j], &ret_indices[known_generator_below (&dealer->state, j + 1)]);
}

static void
choose_distinct (Dealer *dealer, guint32 *ret_indices)
{
  const guint p = dealer->shape->p;

  if (dealing_is_slow (&dealer->dealing, dealer->state.which)) {
    permute (dealer);
    for (guint j = 0; j < p; j++)
      ret_indices[j] = dealer->room[j];
  } else if (dealer->state.which == KNOWN_NUMPY_RNG)
    choose_by_floyd (dealer, ret_indices);
  else
    for (guint j = 0; j < p; j++)
      do
        ret_indices[j] = known_generator_below (&dealer->state, dealer->shape->n_public);
      while (is_there (ret_indices, j, ret_indices[j]));
}

static void
deal_from_deck (Dealer *dealer, guint32 *ret_indices)
{
  if (dealer->used + dealer->shape->p > dealer->shape->n_public) {
    permute (dealer);
    dealer->used = 0;
  }
  for (guint j = 0; j < dealer->shape->p; j++)
    ret_indices[j] = dealer->room[dealer->used++];
}

/* ---- Mixture by mixture ---- */

void
dealer_begin (Dealer *dealer, const KnownState *seeded, guint32 seed)
{
  if (seeded->which == KNOWN_C_RAND)
    known_generator_seed (&dealer->state, KNOWN_C_RAND, seed);
  else
    dealer->state = *seeded;
  if (dealer->dealing.order == DEAL_FIRST)
    draw_all_weights (dealer);
  dealer->used = dealer->shape->n_public; /* the first mixture shuffles */
}

void
dealer_next (Dealer *dealer, guint32 *ret_indices)
{
  if (dealer->dealing.order == DEAL_BEFORE)
    draw_weights (dealer);
  if (dealer->dealing.method == DEAL_DECK)
    deal_from_deck (dealer, ret_indices);
  else if (dealer->dealing.method == DEAL_DISTINCT)
    choose_distinct (dealer, ret_indices);
  else
    for (guint j = 0; j < dealer->shape->p; j++)
      ret_indices[j] = known_generator_below (&dealer->state, dealer->shape->n_public);
  if (dealer->dealing.order == DEAL_AFTER)
    draw_weights (dealer);
}

char *
dealing_describe (const Dealing *dealing)
{
  static const char *const methods[]
      = { "public images drawn one by one", "distinct public images of each mixture",
          "public images dealt from a deck" };
  static const char *const orders[]
      = { "", " after its weights", " before its weights", " after the weights of all" };

  return g_strdup_printf ("%s%s%s", methods[dealing->method], orders[dealing->order],
                          dealing->order == DEAL_NO_WEIGHTS ? ""
                          : dealing->is_normal              ? " (normal)"
                                                            : " (uniform)");
}
