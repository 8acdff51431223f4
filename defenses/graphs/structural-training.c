#include "defenses/graphs/structural-training.h"

gboolean
structural_release (const StructuralSettings *settings, const AssayRelease *graph,
                    const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
                    GError **error)
{
  StructuralLoss loss = { .diagonal = (Diagonal) settings->diagonal,
                          .cross = settings->cross,
                          .quantisation = settings->quantisation };
  const PairedMethod method = { PAIRED_TRAINING_OF (settings), structural_loss, &loss };
  g_auto (AssayArena) arena = { 0 };
  AssayWeightedGraph weights;

  if (!structural_loss_init (&loss, paired_training_batch (&method.training, items.rows),
                             method.training.bits, &arena, error))
    return FALSE;
  if (graph != NULL) {
    weights = assay_release_graph (graph);
    loss.graph = &weights;
  }
  return paired_training_release (&method, context, items, ret_release, error);
}

guint64
structural_memory (const StructuralSettings *settings, const AssayShape *shape)
{
  return paired_training_memory (&PAIRED_TRAINING_OF (settings), shape);
}
