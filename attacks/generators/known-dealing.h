/* The public images that a program mixes with each of its own, and how it draws them.
 *
 * Of N public images p go into each mixture, one mixture after the other. Indices are drawn
 *   each      with replacement: numpy.random.randint (N, size = p) or (n, p), choice (N, p),
 *             Generator.integers, random.randrange, torch.randint, rand () % N
 *   distinct  without: numpy.random.choice (N, p, replace = False), the same of a Generator,
 *             random.sample of more than 100 or so, the first of torch.randperm (N), and of C
 *             those of `each` that are not there yet
 *   deck      a permutation of all (numpy.random.permutation, random.shuffle, torch.randperm) dealt
 *             p at a time, and another where it is used up
 * and weights, k of a mixture, uniform numbers or magnitudes of normal ones that are divided by
 * their sum, all k anew while the largest is above max_coefficient:
 *   none      after all indices, or from elsewhere
 *   before    those of a mixture before its indices
 *   after     and after them
 *   first     those of all n mixtures, and then those anew that were too large (as the code of
 *             InstaHide's authors does), before the first index */
#pragma once

#include "attacks/generators/known-generators.h"

typedef enum { DEAL_EACH, DEAL_DISTINCT, DEAL_DECK } DealMethod;
typedef enum { DEAL_NO_WEIGHTS, DEAL_BEFORE, DEAL_AFTER, DEAL_FIRST } DealOrder;

typedef struct {
  DealMethod method;
  DealOrder order;
  gboolean is_normal; /* weights are of normal numbers */
} Dealing;

typedef struct {
  gsize n; /* mixtures */
  guint32 n_public;
  guint k;
  guint p;
  double max_coefficient;
} DealShape;

typedef struct {
  const DealShape *shape;
  Dealing dealing;
  KnownState state;
  guint32 *room; /* n_public: a permutation */
  guint32 used;  /* of the deck */
} Dealer;

/* Whether programs of this generator draw so. */
gboolean dealing_is_possible (const Dealing *dealing, KnownGenerator generator);
/* Whether it permutes all public images for each mixture, which takes long. */
gboolean dealing_is_slow (const Dealing *dealing, KnownGenerator generator);

/* Before the first mixture, from a generator that was seeded with @seed; shape, dealing and room of
 * @dealer are set. */
void dealer_begin (Dealer *dealer, const KnownState *seeded, guint32 seed);
/* The p public images of the next one. */
void dealer_next (Dealer *dealer, guint32 *ret_indices);

char *dealing_describe (const Dealing *dealing);
