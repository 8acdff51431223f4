/* The runs on which an audit counted its event, kept for its witness: what a program with dice of
 * its own put out cannot be made again.
 *
 * They stand in the run store, in one row of the cell, because that is what is written at once,
 * outlives a kill, and comes from workers like outcomes do. Kept are those of cells whose counts
 * alone say more than a claim allows: others have no witness. At most ASSAY_COUNTED_MOST bytes a
 * cell; of a larger one the store says that there were too many. A cell that is played anew after a
 * kill replaces them: what is kept has the counts of the audit, which whoever reads it checks. */
#pragma once

#include "core/data/array.h"
#include "runner/store/attachments.h"
#include "runner/store/store.h"

/* Bytes of outputs and marks, of both sides. */
#define ASSAY_COUNTED_MOST (64u << 20)

typedef struct {
  AssayArray *outputs[2]; /* runs x columns, float32 or float64; NULL: too many to be kept */
  AssayArray *marks;      /* 2 x runs of 0 and 1: where the audit saw its event */
  char *python;           /* the event as a formula, see AssayEvent; NULL: none */
} AssayCounted;

ASSAY_DECLARE_FREE (AssayCounted, assay_counted_free)

/* NULL: the cell has none, and what an earlier play of it left is taken away. */
gboolean assay_counted_store (AssayStore *store, gsize cell, const AssayCounted *counted,
                              GError **error);
/* NULL in @ret_counted: none are kept that have the counts of @audit. */
gboolean assay_counted_load (AssayStore *store, gsize cell, const AssayAuditRecord *audit,
                             AssayCounted **ret_counted, GError **error);
