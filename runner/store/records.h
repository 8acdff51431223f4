/* What a run keeps beside outcomes, as named texts and tunings of its store. */
#pragma once

#include "core/math/units.h"
#include "runner/plan/plan.h"
#include "runner/store/attachments.h"
#include "runner/store/store.h"

/* What an audit would have seen of a leak of @epsilon that was injected into the mechanism
 * (core/games/leak.h): how often the event that it chose there is true. */
typedef struct {
  double epsilon;
  double hit, mistake;
} AssayLeakRecord;

/* Of the cell's audit, AssayLeakRecord each; empty where none was injected. */
gboolean assay_leaks_store (AssayStore *store, gsize cell, const GArray *leaks, GError **error);
gboolean assay_leaks_load (AssayStore *store, gsize cell, GArray **ret_leaks, GError **error);

/* Kept beside the outcomes, from which the event could not be told. The counts stand in the
 * outcomes: those that are loaded here are zero. NULL in @ret_record: none. */
gboolean assay_audit_store (AssayStore *store, gsize cell, const AssayAuditRecord *record,
                            GError **error);
gboolean assay_audit_load (AssayStore *store, gsize cell, AssayAuditRecord **ret_record,
                           GError **error);

/* The settings with which a cell's attack is run: the component's own, or the candidate that tuning
 * chose (NULL when it has not been tuned yet). @ret_candidate is its number, 0 where not tuned. */
gboolean assay_run_attack_settings (const AssayPlan *plan, AssayStore *store, const AssayCell *cell,
                                    const AssaySettings **ret_settings, guint *ret_candidate,
                                    GError **error);

/* Of an attack that draws numbers which all secrets share: how often it was played, which start was
 * chosen, and how sure the attack was of that guess (NAN: it did not say). n = 0: it draws none,
 * and did not say. */
typedef struct {
  guint n;
  guint chosen;
  double confidence;
} AssayStartsRecord;

gboolean assay_store_set_starts (AssayStore *store, gsize cell, const AssayStartsRecord *record,
                                 GError **error);
gboolean assay_store_starts (AssayStore *store, gsize cell, AssayStartsRecord *ret_record,
                             GError **error);

/* Why nothing can be concluded from the cell (runner/suspect/suspect.h); NULL: nothing is wrong. */
gboolean assay_store_set_suspect (AssayStore *store, gsize cell, const char *why, GError **error);
gboolean assay_store_suspect (AssayStore *store, gsize cell, char **ret_why, GError **error);

/* That the program of defense @defense of the plan answered the same request in two ways
 * (runner/run/replay.h); and the labels of all such defenses, a line each; NULL: there are none. */
gboolean assay_store_set_unrepeated (AssayStore *store, guint defense, GError **error);
gboolean assay_store_unrepeated (AssayStore *store, const AssayPlan *plan, char **ret_lines,
                                 GError **error);

/* The store's key for the outcome of a control. */
char *assay_run_control_key (guint attack, guint candidate);
/* The same of one that was played beside the cell of that number. */
char *assay_run_like_control_key (guint attack, gsize cell);

gboolean assay_store_set_control (AssayStore *store, const char *key,
                                  const AssayControlOutcome *outcome, GError **error);
/* FALSE in @ret_is_there: it was not played yet. */
gboolean assay_store_control (AssayStore *store, const char *key, AssayControlOutcome *ret_outcome,
                              gboolean *ret_is_there, GError **error);

/* The store's key for the hash of what was read as dataset @index. */
char *assay_store_dataset_key (guint index);
/* That hash; NULL in @ret_sha256 where none was read yet. */
gboolean assay_store_dataset (AssayStore *store, guint index, char **ret_sha256, GError **error);

/* How many units the secrets of a dataset are; their numbers stand among the groups. All zeros
 * where that was never looked at. */
gboolean assay_store_set_units (AssayStore *store, guint index, const AssayUnits *units,
                                GError **error);
gboolean assay_store_units (AssayStore *store, guint index, AssayUnits *ret_units, GError **error);
