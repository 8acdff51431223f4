/* Sums of shortened gradients of single examples. */
#include "core/network/clipped-sum.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/network/passage.h"

#define GROUP 32   /* examples whose gradients are held at once */
#define PANEL 4096 /* parameters that are summed together */

struct _AssayClippedSum {
  const AssayTape *tape;
  AssayPassage *passages; /* one a thread */
  guint n_passages;
  float *gradients; /* GROUP x parameters */
  double *sum;
  AssayArena arena;
  /* Of the group at hand. */
  const AssayTapeExamples *examples;
  const gsize *items;
  gsize count;
  double clip;
  double scales[GROUP];
};

static void
free_passages (AssayClippedSum *sum)
{
  for (guint t = 0; t < sum->n_passages; t++)
    assay_passage_clear (&sum->passages[t]);
  g_free (sum->passages);
}

ASSAY_FREE_FUNC (AssayClippedSum, assay_clipped_sum_free, free_passages (self),
                 assay_arena_clear (&self->arena))

AssayClippedSum *
assay_clipped_sum_new (const AssayTape *tape, GError **error)
{
  g_autoptr (AssayClippedSum) sum = g_new0 (AssayClippedSum, 1);
  const guint threads = assay_parallel_threads ();

  g_return_val_if_fail (tape->images == 1, NULL);
  sum->tape = tape;
  sum->n_passages = threads;
  sum->passages = g_new0 (AssayPassage, threads);
  for (guint t = 0; t < threads; t++)
    if (!assay_passage_init (&sum->passages[t], tape, TRUE, error))
      return NULL;
  sum->gradients = assay_arena_alloc (&sum->arena, GROUP, tape->n_parameters * sizeof (float),
                                      "gradients of images", error);
  sum->sum = assay_arena_alloc (&sum->arena, tape->n_parameters, sizeof (double),
                                "the sum of gradients", error);
  if (sum->arena.has_failed)
    return NULL;
  memset (sum->sum, 0, tape->n_parameters * sizeof (double));
  return g_steal_pointer (&sum);
}

/* The gradient of one example, and what it is multiplied by. */
static gboolean
differentiate (gsize index, guint worker, gpointer data, GError **error)
{
  AssayClippedSum *sum = data;
  const AssayTape *tape = sum->tape;
  const AssayBlocks blocks = tape->layers[ASSAY_TAPE_INPUT].blocks;
  AssayPassage *passage = &sum->passages[worker];
  float *gradient = sum->gradients + index * tape->n_parameters;
  double length;

  sum->examples->draw (sum->examples->data, sum->items[index], 0, passage->input, passage->targets);
  assay_blocks_from_planes (blocks, assay_tape_input (tape).channels, passage->input,
                            passage->values[ASSAY_TAPE_INPUT]);
  if (!assay_passage_forward (passage, error))
    return FALSE;
  assay_passage_compare (passage, 0, passage->targets, 1);
  if (!assay_passage_back (passage, FALSE, gradient, error))
    return FALSE;
  length = sqrt (assay_lanes_squared_norm (gradient, tape->n_parameters));
  if (!isfinite (length))
    memset (gradient, 0, tape->n_parameters * sizeof *gradient);
  sum->scales[index] = isfinite (length) && length > sum->clip ? sum->clip / length : 1;
  return TRUE;
}

static void
add_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  AssayClippedSum *sum = data;
  const gsize all = sum->tape->n_parameters, first = index * PANEL, n = MIN (PANEL, all - first);

  for (gsize i = 0; i < sum->count; i++) {
    const float *gradient = sum->gradients + i * all + first;

    for (gsize k = 0; k < n; k++)
      sum->sum[first + k] += sum->scales[i] * (double) gradient[k];
  }
}

gboolean
assay_clipped_sum_add (AssayClippedSum *sum, const AssayTapeExamples *examples, const gsize *items,
                       gsize count, double clip, GError **error)
{
  sum->examples = examples;
  sum->clip = clip;
  for (gsize first = 0; first < count; first += GROUP) {
    sum->items = items + first;
    sum->count = MIN (GROUP, count - first);
    if (!assay_parallel_try (sum->count, differentiate, sum, error))
      return FALSE;
    assay_parallel_for (assay_pieces (sum->tape->n_parameters, PANEL), add_panel, sum);
  }
  return TRUE;
}

void
assay_clipped_sum_take (AssayClippedSum *sum, float *ret_sum)
{
  for (gsize k = 0; k < sum->tape->n_parameters; k++)
    ret_sum[k] = (float) sum->sum[k];
  memset (sum->sum, 0, sum->tape->n_parameters * sizeof (double));
}

guint64
assay_clipped_sum_bytes (const AssayTapeSize *size)
{
  return size->layers + (guint64) size->parameters * (GROUP * sizeof (float) + sizeof (double));
}
