/* Queries of one modality for the released codes of the other. */
#pragma once

#include "core/learn/paired-hash.h"
#include "metrics/retrieval/retrieval.h"

/* The rows of the role test, hashed by the released function of @side, looked up among the codes of
 * the other one; @side outlives it. */
RetrievalSource paired_source (const AssayPairedSide *side);

/* ASSAY_ERROR_MISMATCH for a dataset of one modality. */
gboolean paired_queries_check (const AssayDataset *dataset, GError **error);
