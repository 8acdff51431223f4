/* Examples for a learner, of an attacker's own rows: the numbers of each released item
 * (core/data/kinds/item-numbers.h) beside the row that it is of. Of mixtures an item is taken to be
 * of the row that it was made for; what is released of all rows together is of their mean. */
#pragma once

#include "core/games/control-case.h"
#include "core/learn/learner.h"
#include "core/plugin/plugin.h"

typedef struct {
  AssayMatrix *inputs;  /* items x numbers */
  AssayMatrix *outputs; /* items x columns of a row */
  guint *parts; /* of each item the release, where releases have keys of their own; or NULL */
  AssayMatrix *probes; /* that items were looked through; NULL: their kind needs none */
} OwnExamples;

gboolean own_examples_new (const AssayPairs *pairs, OwnExamples *ret_examples, GError **error);
ASSAY_DECLARE_CLEAR (OwnExamples, own_examples_clear)

/* The numbers of the items of @release, as those of the examples. */
AssayMatrix *own_examples_see (const OwnExamples *examples, const AssayRelease *release,
                               GError **error);

/* Learns from @seen->pairs. ASSAY_ERROR_MISMATCH where there are none. */
AssayLearner *own_examples_learn (const OwnExamples *examples, AssayLearnerKind kind,
                                  AssayStreamKey key, GError **error);

/* Bytes of examples of @outputs numbers each with their copies, of the square matrices of a
 * learner's factorization, and of the weights of two learners: a network that was tried is kept
 * until another has learned from all examples. */
guint64 own_examples_memory (const AssayShape *shape, gsize outputs);

/* ---- Cases of known outcome ---- */

/* Secrets (n_secrets x cols) that were turned by one random rotation and released as vectors, with
 * n_pairs other rows that were turned by it. */
typedef struct {
  gsize n_secrets, n_pairs, cols;
} OwnControl;

gboolean own_control_make (const OwnControl *control, AssayStreamKey key,
                           AssayControlCase *ret_case, GError **error);
