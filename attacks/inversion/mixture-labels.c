/* Classes of secrets and weights, from labels. */
#include "attacks/inversion/mixture-labels.h"

#include <math.h>

#define DEALS 20
#define FIRST_DEAL ((guint64) 1 << 32) /* beside the starts */
#define LEAST 1e-6f /* of a class that is there */

static gsize
count_classes (const MixtureState *state, gsize t)
{
  gsize count = 0;

  for (gsize c = 0; c < state->n_classes; c++)
    count += state->labels[t * state->n_classes + c] > LEAST;
  return count;
}

void
mixture_labels_find_classes (const MixtureState *state, gsize *ret_classes)
{
  const gsize n = state->n_secrets, n_classes = state->n_classes;
  g_autofree double *votes = g_new0 (double, n *MAX (n_classes, 1));

  for (gsize t = 0; state->labels != NULL && t < state->n_mixtures; t++) {
    const double part = 1.0 / (double) MAX (count_classes (state, t), 1);

    for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
      for (gsize c = 0; c < n_classes; c++)
        if (state->labels[t * n_classes + c] > LEAST)
          votes[state->pairs[MIXTURE_PRIVATE * t + i] * n_classes + c]
              += part * state->weights[MIXTURE_PRIVATE * t + i];
  }
  for (gsize i = 0; i < n; i++) {
    ret_classes[i] = 0;
    for (gsize c = 1; c < n_classes; c++)
      if (votes[i * n_classes + c] > votes[i * n_classes + ret_classes[i]])
        ret_classes[i] = c;
  }
}

gboolean
mixture_labels_allow (const MixtureState *state, gsize t, gsize class_of_one)
{
  return state->labels == NULL || state->labels[t * state->n_classes + class_of_one] > LEAST;
}

MixtureLabels
mixture_labels_of (const MixtureState *state, gsize t, gsize class_a, gsize class_b,
                   float *ret_weights)
{
  const float *label;
  gsize count;

  if (state->labels == NULL)
    return MIXTURE_LABELS_OPEN;
  label = state->labels + t * state->n_classes;
  count = count_classes (state, t);
  if (label[class_a] <= LEAST || label[class_b] <= LEAST || count != (class_a == class_b ? 1 : 2))
    return MIXTURE_LABELS_EXCLUDE;
  ret_weights[0] = class_a == class_b ? label[class_a] / 2 : label[class_a];
  ret_weights[1] = class_a == class_b ? label[class_a] / 2 : label[class_b];
  return class_a == class_b ? MIXTURE_LABELS_SUM : MIXTURE_LABELS_FIX;
}

float
mixture_labels_share (const MixtureState *state, gsize t, float otherwise)
{
  float share = 0;

  if (state->labels == NULL)
    return otherwise;
  for (gsize c = 0; c < state->n_classes; c++)
    share += state->labels[t * state->n_classes + c];
  return CLAMP (share, 0.02f, 0.98f);
}

/* Mean over secrets of the largest share of its mixtures that one class has, where mixture t has
 * the label of mixture order[t]. */
static double
largest_shares (const MixtureState *state, const gsize *order)
{
  const gsize n = state->n_secrets, n_classes = state->n_classes;
  g_autofree double *counts = g_new0 (double, n *n_classes);
  g_autofree double *members = g_new0 (double, n);
  double sum = 0;

  for (gsize t = 0; t < state->n_mixtures; t++)
    for (gsize i = 0; i < MIXTURE_PRIVATE; i++) {
      const gsize secret = state->pairs[MIXTURE_PRIVATE * t + i];

      members[secret]++;
      for (gsize c = 0; c < n_classes; c++)
        counts[secret * n_classes + c] += state->labels[order[t] * n_classes + c] > LEAST;
    }
  for (gsize i = 0; i < n; i++) {
    double most = 0;

    for (gsize c = 0; c < n_classes; c++)
      most = MAX (most, counts[i * n_classes + c]);
    sum += members[i] > 0 ? most / members[i] / (double) n : 0;
  }
  return sum;
}

double
mixture_labels_agree (const MixtureState *state, AssayStreamKey key)
{
  g_autofree gsize *order = g_new (gsize, state->n_mixtures);
  double found, sum = 0, square = 0, mean;

  for (gsize t = 0; t < state->n_mixtures; t++)
    order[t] = t;
  found = largest_shares (state, order);
  for (guint64 deal = 0; deal < DEALS; deal++) {
    AssayStream stream = assay_stream (key, FIRST_DEAL + deal);
    double dealt;

    assay_stream_permutation (&stream, state->n_mixtures, order);
    dealt = largest_shares (state, order);
    sum += dealt;
    square += dealt * dealt;
  }
  mean = sum / DEALS;
  return (found - mean) / sqrt (MAX (square / DEALS - mean * mean, 1e-12));
}
