/* What the labels released with mixtures say about who is in them. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

/* A label is lambda_a of a's class and lambda_b of b's, or their sum of the one class that both are
 * of (instahide-cross). Which class a secret has is for its mixtures to say: each votes, with the
 * secret's weight in it, half for each of its two classes or once for its one. */
void mixture_labels_find_classes (const MixtureState *state, gsize *ret_classes);

/* How many standard deviations more of the mixtures of each secret are of one class than where
 * labels are dealt to mixtures at random (20 times): about 0 for labels that say nothing. */
double mixture_labels_agree (const MixtureState *state, AssayStreamKey key);

/* What a mixture's label leaves open. */
typedef enum {
  MIXTURE_LABELS_EXCLUDE, /* these two are not in it */
  MIXTURE_LABELS_FIX,     /* both weights are told */
  MIXTURE_LABELS_SUM,     /* their sum is */
  MIXTURE_LABELS_OPEN,    /* nothing is: no labels */
} MixtureLabels;

/* Of secrets of two classes in mixture @t; @ret_weights (2) is set by FIX, and by SUM to halves. */
MixtureLabels mixture_labels_of (const MixtureState *state, gsize t, gsize class_a, gsize class_b,
                                 float *ret_weights);
/* Whether a secret of the class may be in the mixture. */
gboolean mixture_labels_allow (const MixtureState *state, gsize t, gsize class_of_one);
/* The share of both secrets: the sum of the label, or @otherwise without one. */
float mixture_labels_share (const MixtureState *state, gsize t, float otherwise);
