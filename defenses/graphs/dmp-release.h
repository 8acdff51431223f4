/* The release of dmp-graph, from which hash functions can be trained as well. */
#pragma once

#include "core/plugin/defense.h"
#include "defenses/graphs/dmp-settings.h"

/* Clips the private graph of @context between the @items, counts its motifs, and fills
 * @ret_release, of kind graph, with the weights of noisy mirror descent; and in @ret_truth what is
 * left of the edges. Noise is drawn from the stream of @context. ASSAY_ERROR_MISMATCH where the
 * dataset has no graph, or no second modality, that the settings ask for. */
gboolean dmp_release_make (const DmpGraph *settings, const AssayDefenseContext *context,
                           AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                           GError **error);
/* Bytes that it holds beside what it releases. */
guint64 dmp_release_memory (const DmpGraph *settings, const AssayShape *shape);
