/* A control on the data of a cell: public rows that are protected as the release says, and have to
 * be found. */
#pragma once

#include "runner/run/workspace.h"

typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  const AssayAttack *attack;
  const AssaySettings *settings;
  const AssayJob *job;
  const AssayGranted *granted; /* to the attack in the cell */
} AssayPlantedRows;

/* Why the attack could not have won on these data: it does not find such rows there. NULL in
 * @ret_why: it does, or the cell is of another kind or has no public rows. */
gboolean assay_planted_rows_check (const AssayPlantedRows *known, char **ret_why, GError **error);
