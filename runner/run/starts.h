/* An attack that draws numbers which all secrets share, played with several starts (`starts` of the
 * scenario). The start that is reported is the one of whose guess the attack itself is surest, the
 * first where it does not say: truth has no part in it. What the others measured is kept beside. */
#pragma once

#include "runner/run/workspace.h"
#include "runner/store/records.h"

/* What is done with the guess of each start. */
typedef gboolean (*AssayStartUse) (guint start, const AssayGuess *guess, gpointer data,
                                   GError **error);

typedef struct {
  const AssayPlan *plan;
  AssayWorkspace *workspace;
  AssayStore *store;
  AssayStartUse use;
  gpointer data;
} AssayStarts;

/* Plays start number @start (from 0 on) of the attack of a cell. */
gboolean assay_start_play (const AssayStarts *starts, const AssayCell *cell, guint start,
                           AssayGuess **ret_guess, GError **error);
/* Plays all starts of the cell with @settings; @ret_record says which was chosen, and @ret_guess is
 * its guess. */
gboolean assay_starts_play (const AssayStarts *starts, const AssayCell *cell,
                            const AssaySettings *settings, AssayStartsRecord *ret_record,
                            AssayGuess **ret_guess, GError **error);
