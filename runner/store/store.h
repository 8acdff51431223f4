/* The run store: one SQLite file in the output folder, to which every finished cell is committed
 * before the next is begun. It holds outcomes per unit, not summaries, so that pooling, intervals
 * and comparisons are always made from what was seen. */
#pragma once

#include "runner/plan/plan.h"

typedef struct _AssayStore AssayStore;

#define ASSAY_STORE_FILE "run.sqlite"

typedef enum {
  ASSAY_CELL_PENDING, /* not begun, or begun once and not finished */
  ASSAY_CELL_OK,
  ASSAY_CELL_ERROR,
  ASSAY_CELL_CONTROL_FAILED,
  ASSAY_CELL_CRASHED, /* the process ended twice while it ran */
} AssayCellStatus;

typedef struct {
  AssayCellStatus status;
  char *message;
  double seconds;
} AssayCellRecord;

/* Opens or, with @create, creates @folder/run.sqlite. Without @create it is only read, and may be
 * on read-only media. ASSAY_ERROR_IO; ASSAY_ERROR_DATA for a file that is not a run store, is
 * damaged, or is of a newer version: such a file keeps its bytes. An empty database is no run store
 * yet: @create makes it one. */
AssayStore *assay_store_open (const char *folder, gboolean create, GError **error);
/* A store in memory, for a process that hands on what it finds (runner/store/rows.h). */
AssayStore *assay_store_new_in_memory (GError **error);
/* Whether @folder/run.sqlite is an empty database: what a kill leaves of a store that is new. */
gboolean assay_store_is_blank (const char *folder);
ASSAY_DECLARE_FREE (AssayStore, assay_store_close)
/* Brings what is in the log into the file itself, which closing does too, but cannot fail. */
gboolean assay_store_settle (AssayStore *store, GError **error);

/* Named texts: the plan's hash, dataset hashes, state. NULL in @ret_value: never set. */
gboolean assay_store_set (AssayStore *store, const char *key, const char *value, GError **error);
gboolean assay_store_get (AssayStore *store, const char *key, char **ret_value, GError **error);
/* The same of a name that is printed: "starts %zu" of a cell. */
gboolean assay_store_set_of (AssayStore *store, const char *value, GError **error,
                             const char *format, ...) G_GNUC_PRINTF (4, 5);
gboolean assay_store_get_of (AssayStore *store, char **ret_value, GError **error,
                             const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Marks cell @index as begun. When it was begun twice before and never finished, it is marked as
 * crashed instead and @ret_is_crashed is set. */
gboolean assay_store_begin_cell (AssayStore *store, gsize index, gboolean *ret_is_crashed,
                                 GError **error);
/* Takes back the mark of a cell that an error ended, not a crash. */
gboolean assay_store_forget_cell (AssayStore *store, gsize index, GError **error);
gboolean assay_store_cell (AssayStore *store, gsize index, AssayCellRecord *ret_record,
                           GError **error);
gboolean assay_store_count_done (AssayStore *store, gsize *ret_count, GError **error);

/* Group numbers of the secrets of a trial; NULL where secrets are independent. */
gboolean assay_store_set_groups (AssayStore *store, guint dataset, guint trial,
                                 const gint64 *groups, gsize n, GError **error);
gboolean assay_store_groups (AssayStore *store, guint dataset, guint trial, gint64 **ret_groups,
                             gsize *ret_n, GError **error);

/* What tuning an attack against a defense found: the estimate of every candidate, and the one
 * chosen. */
typedef struct {
  guint chosen;
  guint n;
  double *estimates; /* NULL: not tuned yet */
} AssayTuning;

gboolean assay_store_set_tuning (AssayStore *store, const AssayCell *cell,
                                 const AssayTuning *tuning, GError **error);
gboolean assay_store_tuning (AssayStore *store, const AssayCell *cell, AssayTuning *ret_tuning,
                             GError **error);
