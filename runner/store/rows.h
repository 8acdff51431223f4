/* What came into a run store as bytes, by which a process that runs cells for another hands on what
 * it found and learns what is known already: changesets of SQLite. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/store.h"

/* What a run holds its processes to: the hashes of its data and of its programs. */
GBytes *assay_store_common_facts (AssayStore *store, GError **error);
/* What is known to @store that cell @cell would otherwise find out again: whether the attack's
 * control was won, and what tuning chose. */
GBytes *assay_store_facts (AssayStore *store, const AssayCell *cell, GError **error);
/* Adds such facts to a store in memory, which will not hand them back. */
gboolean assay_store_learn (AssayStore *store, GBytes *facts, GError **error);

/* Everything that came into a store in memory since the last call. It keeps facts alone. */
GBytes *assay_store_take_rows (AssayStore *store, GError **error);
/* Adds them to the store of the run, in one transaction. ASSAY_ERROR_DATA: the bytes are no rows,
 * or they were made from other data than those that are here. */
gboolean assay_store_add_rows (AssayStore *store, GBytes *rows, GError **error);
