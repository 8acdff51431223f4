/* The likelihood ratio of two samples of scores, as a step function that does not fall. */
#include "metrics/inference/score-ratio.h"
#include "core/base/each.h"

#include <stdlib.h>

typedef struct {
  float score;
  gboolean is_mate;
} Scored;

/* Scores next to each other, and how many of each sample. */
typedef struct {
  float low, high;
  double mates, others;
} Step;

static int
compare_scores (gconstpointer a, gconstpointer b)
{
  const float x = ((const Scored *) a)->score, y = ((const Scored *) b)->score;

  return (x > y) - (x < y);
}

/* Whether the share of mates falls from @a to @b, the next one. */
static gboolean
falls (const Step *a, const Step *b)
{
  return a->mates * b->others >= b->mates * a->others;
}

/* Steps of @scored, ascending, into @ret_steps; how many there are. */
static gsize
pool (const Scored *scored, gsize n, Step *ret_steps)
{
  gsize count = 0;

  for (gsize i = 0; i < n;) {
    Step step = { .low = scored[i].score, .high = scored[i].score };

    for (; i < n && scored[i].score == step.low; i++) {
      step.mates += scored[i].is_mate;
      step.others += !scored[i].is_mate;
    }
    while (count > 0 && falls (&ret_steps[count - 1], &step)) {
      step.low = ret_steps[count - 1].low;
      step.mates += ret_steps[count - 1].mates;
      step.others += ret_steps[count - 1].others;
      count--;
    }
    ret_steps[count++] = step;
  }
  return count;
}

ScoreRatio
score_ratio (ScoreSample mates, ScoreSample others, double omega)
{
  const gsize n = mates.n + others.n;
  g_autofree Scored *scored = g_new (Scored, n);
  g_autofree Step *steps = g_new (Step, n);
  ScoreRatio ratio;

  for (gsize i = 0; i < n; i++)
    scored[i] = i < mates.n ? (Scored){ mates.scores[i], TRUE }
                            : (Scored){ others.scores[i - mates.n], FALSE };
  qsort (scored, n, sizeof *scored, compare_scores);
  ratio.n_steps = pool (scored, n, steps);
  ratio.edges = g_new (float, ratio.n_steps);
  ratio.d = g_new (double, ratio.n_steps);
  for (gsize s = 0; s < ratio.n_steps; s++) {
    const double of_mates = omega * steps[s].mates / (double) mates.n;
    const double of_others = steps[s].others / (double) others.n;

    ratio.d[s] = (of_mates - of_others) / (of_mates + of_others);
    if (s + 1 < ratio.n_steps)
      ratio.edges[s] = steps[s].high + (steps[s + 1].low - steps[s].high) / 2;
  }
  return ratio;
}

ASSAY_CLEAR_FUNC (ScoreRatio, score_ratio_clear, assay_drop (self->edges, g_free),
                  assay_drop (self->d, g_free))

double
score_ratio_at (const ScoreRatio *ratio, float score)
{
  gsize low = 0, high = ratio->n_steps - 1;

  ASSAY_BISECT (gsize, step, low, high, !(score < ratio->edges[step]))
  return ratio->d[low];
}
