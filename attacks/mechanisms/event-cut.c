/* The cut of a score.
 *
 * What a cut promises on N further runs a side is judged from its shares in n runs a side that the
 * score was not fitted on. Taking the shares x/n and y/n at face value would pick cuts with few
 * counts whose ratio is large by luck, so each is replaced by its Clopper-Pearson bound at n on the
 * cautious side:
 *   p = L (x, n, a/2), q = U (y, n, a/2), promised = eps_low of N p hits and N q mistakes at a.
 * Where N is large that orders cuts by their bound at n; where it is small, N decides how much mass
 * an event needs. If no cut promises anything, the one is taken whose shares differ by the most
 * standard deviations. */
#include "attacks/mechanisms/event-cut.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/vectors.h"
#include "core/stats/binomial.h"
#include "core/stats/epsilon.h"

#define LEVEL 0.05

/* Ranks at which cuts are tried: evenly spread ones, and at either end ones that double. At each,
 * the cuts on both sides of it are tried, so that no atom of a hundredth of the mass is missed. */
#define EVEN_RANKS 150
#define END_RANKS 40

/* Scores closer than this, relative to their size, are one score that was rounded differently. */
#define SAME 1e-9

typedef struct {
  double threshold;
  gsize below[2]; /* scores of either side */
} Cut;

/* Between two neighbouring scores; near the smaller one in size where they are far apart, as those
 * of outputs are that only one input gives. */
static double
between (double low, double high)
{
  if (high - low <= 2)
    return low + (high - low) / 2;
  return fabs (low) < fabs (high) ? low + 1 : high - 1;
}

/* Both sides' sorted scores, read as one. */
typedef struct {
  const double *first, *second;
  gsize n;
  gsize i, j; /* read of either side */
  double last;
} Merge;

static Merge
merge_from_lowest (const double *first, const double *second, gsize n)
{
  return (Merge){ .first = first, .second = second, .n = n, .last = fmin (first[0], second[0]) };
}

/* The next cut between distinct scores; FALSE: there are no more. */
static gboolean
next_cut (Merge *merge, Cut *ret_cut)
{
  const gsize n = merge->n;
  gboolean is_cut = FALSE;

  while (!is_cut && (merge->i < n || merge->j < n)) {
    const gboolean is_first
        = merge->j == n || (merge->i < n && merge->first[merge->i] <= merge->second[merge->j]);
    const double score = is_first ? merge->first[merge->i] : merge->second[merge->j];

    is_cut = score - merge->last > SAME * (1 + fmax (fabs (score), fabs (merge->last)));
    if (is_cut)
      *ret_cut = (Cut){ between (merge->last, score), { merge->i, merge->j } };
    merge->last = score;
    if (is_first)
      merge->i++;
    else
      merge->j++;
  }
  return is_cut;
}

gboolean
event_cut_is_better (const EventCut *cut, const EventCut *other)
{
  return cut->bound != other->bound ? cut->bound > other->bound : cut->evidence > other->evidence;
}

/* What a cut is chosen from, and for: scores a side; further runs a side; of the audit. */
typedef struct {
  gsize n;
  guint64 runs;
  double delta;
} Choice;

/* How often an event was seen in the scores of the one side and of the other. */
typedef struct {
  gsize hits, mistakes;
} Seen;

/* The better of @inout_best and the event of @threshold. */
static void
try_event (const Choice *choice, double threshold, gboolean is_swapped, Seen seen,
           EventCut *inout_best)
{
  const double size = (double) choice->n, delta = choice->delta;
  const double x = (double) seen.hits, y = (double) seen.mistakes;
  const double spread = sqrt (fmax (x * (1 - x / size) + y * (1 - y / size), 0.25));
  EventCut cut = { .threshold = threshold,
                   .is_swapped = is_swapped,
                   .evidence = (x - y - delta * size) / spread };

  if (cut.evidence > 0) {
    const double p = assay_binomial_lower (x, size, LEVEL / 2);
    const double q = assay_binomial_upper (y, size, LEVEL / 2);
    const AssayAudit promised = { .kind = ASSAY_AUDIT_TWO_INPUTS,
                                  .delta = delta,
                                  .runs = choice->runs,
                                  .hits = (guint64) (p * (double) choice->runs),
                                  .mistakes = (guint64) ceil (q * (double) choice->runs) };

    /* More runs bring a bound up to this and no further. */
    if (p - delta > q && log ((p - delta) / q) > inout_best->bound)
      cut.bound = assay_epsilon_lower (&promised, LEVEL);
  }
  if (event_cut_is_better (&cut, inout_best))
    *inout_best = cut;
}

double
event_cut_most (gsize n, guint64 runs, double delta)
{
  const Choice choice = { n, runs, delta };
  EventCut best = { .evidence = -DBL_MAX };

  try_event (&choice, 0, FALSE, (Seen){ n, 0 }, &best);
  return best.bound;
}

static void
try_cut (const Choice *choice, const Cut *cut, EventCut *inout_best)
{
  const gsize *below = cut->below;
  const Seen above = { choice->n - below[0], choice->n - below[1] };

  try_event (choice, cut->threshold, FALSE, above, inout_best);
  try_event (choice, cut->threshold, TRUE, (Seen){ below[1], below[0] }, inout_best);
}

/* Ranks up to @most in ascending order; returns how many. */
static gsize
list_ranks (gsize most, gsize *ret_ranks)
{
  double ranks[EVEN_RANKS + 2 * END_RANKS];
  gsize count = 0;

  for (gsize k = 1; k <= EVEN_RANKS; k++)
    ranks[count++] = (double) most * (double) k / (EVEN_RANKS + 1);
  for (gsize k = 0; k < END_RANKS; k++) {
    const double from_end = pow ((double) most / 2, (double) k / END_RANKS);

    ranks[count++] = from_end;
    ranks[count++] = (double) most - from_end;
  }
  qsort (ranks, count, sizeof *ranks, assay_compare_doubles);
  for (gsize k = 0; k < count; k++)
    ret_ranks[k] = (gsize) ranks[k];
  return count;
}

EventCut
event_cut_choose (double *first, double *second, gsize n, guint64 runs, double delta)
{
  const Choice choice = { n, runs, delta };
  EventCut best = { .threshold = -DBL_MAX, .evidence = -DBL_MAX };
  gsize ranks[EVEN_RANKS + 2 * END_RANKS];
  gsize n_cuts = 0, n_ranks, k = 0;
  Cut cut, before = { 0 };
  gboolean was_tried = TRUE; /* there is none before the first */
  Merge merge;

  qsort (first, n, sizeof *first, assay_compare_doubles);
  qsort (second, n, sizeof *second, assay_compare_doubles);
  n_ranks = list_ranks (2 * n, ranks);
  merge = merge_from_lowest (first, second, n);
  while (n_cuts <= 2 * n_ranks && next_cut (&merge, &cut))
    n_cuts++;

  merge = merge_from_lowest (first, second, n);
  while (next_cut (&merge, &cut)) {
    const gsize rank = cut.below[0] + cut.below[1];
    gboolean is_tried = n_cuts <= 2 * n_ranks;

    for (; k < n_ranks && ranks[k] <= rank; k++)
      is_tried = TRUE;
    if (is_tried && !was_tried)
      try_cut (&choice, &before, &best);
    if (is_tried)
      try_cut (&choice, &cut, &best);
    before = cut;
    was_tried = is_tried;
  }
  if (!was_tried)
    try_cut (&choice, &before, &best);
  return best;
}
