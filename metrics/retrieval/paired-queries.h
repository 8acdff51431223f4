/* Queries of one modality for the released codes of the other. */
#pragma once

#include "core/learn/paired-hash.h"
#include "metrics/retrieval/retrieval.h"

/* Arrays by which queries are hashed: a second layer need not be there. */
extern const char *const paired_queries_reads[];

/* The rows of the role test, hashed by the released function of @side, to be looked up among the
 * codes of the other one. */
gboolean paired_queries_init (AssayPairedSide side, const AssayUtilityContext *context,
                              const AssayReceived *received, Retrieval *ret_retrieval,
                              GError **error);
/* Outcomes in @n_series, unless they are there by the other side: queries are the same both ways,
 * as labels alone decide which are left out. */
gboolean paired_queries_alloc (const Retrieval *retrieval, guint n_series, AssayOutcomes *outcomes,
                               GError **error);

/* ASSAY_ERROR_MISMATCH for a dataset of one modality. */
gboolean paired_queries_check (const AssayDataset *dataset, GError **error);
