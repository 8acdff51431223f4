/* The likelihood ratio of two samples of scores, as a step function that does not fall: what D_sys
 * is made of. */
#pragma once

#include "core/base/free.h"

/* A score on a step is D = (w r - 1) / (w r + 1) likelier of a mate than not, where r is the ratio
 * of the shares of mates and of others on the step, and w that of their prior probabilities. */
typedef struct {
  gsize n_steps;
  float *edges; /* n_steps - 1, ascending: a score is on the first step whose edge it is below */
  double *d;    /* n_steps, ascending */
} ScoreRatio;

typedef struct {
  const float *scores;
  gsize n;
} ScoreSample;

/* The steps that fit best of all that do not fall: those of the convex hull of the ROC curve, by
 * pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955; Fawcett and Niculescu-
 * Mizil 2007). Equal scores are on one step. Neither sample is empty. */
ScoreRatio score_ratio (ScoreSample mates, ScoreSample others, double omega);
ASSAY_DECLARE_CLEAR (ScoreRatio, score_ratio_clear)

double score_ratio_at (const ScoreRatio *ratio, float score); /* D */
