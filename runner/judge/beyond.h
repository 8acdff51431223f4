/* What an attack has of a measure beyond another attack, on the same secrets of the same release:
 * the paired difference of which a claim with `beyond = ATTACK` speaks. That secrets are hard or
 * easy for both does not count, so that it is known more exactly than either. */
#pragma once

#include "runner/judge/pool.h"
#include "runner/judge/results.h"

typedef struct {
  const AssayResults *results;
  const AssayPlan *plan;
  AssayStore *store;
  const AssayClaim *claim;
  gsize first; /* the plan's cell of trial 0 whose attack is judged */
} AssayBeyond;

/* The sample of the differences of @pool, the outcomes of that cell and of its other trials, to
 * those of the attack that the claim names. NULL with @ret_why_not (freed by the caller) where
 * nothing can be said of it. */
gboolean assay_beyond_sample (const AssayBeyond *beyond, const AssayPool *pool,
                              AssaySample **ret_sample, char **ret_why_not, GError **error);
